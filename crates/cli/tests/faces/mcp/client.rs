//! A client of the MCP server that speaks raw JSON-RPC over its standard streams.

use crate::support::Repo;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// What came while something else was waited for.
    early: Vec<Value>,
    id: u64,
}

impl Client {
    /// Begins a conversation in the repository.
    pub fn of(repo: &Repo) -> Self {
        Self::with(&mut repo.command(&["mcp"]))
    }

    pub fn with(command: &mut Command) -> Self {
        let mut client = Self::silent(command);
        let hello = client.ask("initialize", hello());
        assert_eq!(hello["result"]["serverInfo"]["name"], "tollgate", "{hello}");
        client.tell("notifications/initialized", json!({}));
        client
    }

    /// Starts the server and says nothing yet.
    pub fn silent(command: &mut Command) -> Self {
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = streams.spawn().unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.unwrap();
                // Nothing but the protocol is on standard output.
                let message: Value = serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("not a message: {error}: {line}"));
                assert_eq!(message["jsonrpc"], "2.0", "{line}");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, early: Vec::new(), id: 0 }
    }

    pub fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("the client still speaks");
        stdin.write_all(line.as_bytes()).and_then(|()| stdin.write_all(b"\n")).unwrap();
        stdin.flush().unwrap();
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Asks and does not wait for the answer.
    pub fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.id += 1;
        let id = self.id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(&request.to_string());
        id
    }

    pub fn begin_call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.begin("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The next message that fits; what comes before it is kept.
    #[track_caller]
    fn next(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.early.iter().position(&fits) {
            return self.early.remove(at);
        }
        let give_up = Instant::now() + PATIENCE;
        loop {
            let left = give_up.saturating_duration_since(Instant::now());
            let message = self.lines.recv_timeout(left).expect("an answer comes in time");
            if fits(&message) {
                return message;
            }
            self.early.push(message);
        }
    }

    #[track_caller]
    pub fn answer_to(&mut self, id: u64) -> Value {
        self.next(|message| message["id"] == id)
    }

    /// An error that belongs to no request.
    #[track_caller]
    pub fn error_of_nobody(&mut self) -> Value {
        self.next(|message| message["id"].is_null() && message["error"].is_object())
    }

    /// The answer, or the error of a request that could not be read so far as to know which it was.
    #[track_caller]
    pub fn next_answer(&mut self, id: u64) -> Value {
        self.next(|message| message["id"] == id || message["id"].is_null())
    }

    /// The answer is not there yet.
    pub fn still_waits_for(&mut self, id: u64) -> bool {
        while let Ok(message) = self.lines.try_recv() {
            self.early.push(message);
        }
        !self.early.iter().any(|message| message["id"] == id)
    }

    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer_to(id)
    }

    /// What a tool said, whether it did something or not.
    #[track_caller]
    fn result(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = answer["result"].clone();
        assert!(result.is_object(), "{tool}: {answer}");
        let said = &result["structuredContent"];
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(*said, text, "clients without structured results read the same");
        let note = said["note"].as_str().unwrap();
        assert!(note.contains("data, not instructions"), "{note}");
        result
    }

    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.result(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    #[track_caller]
    pub fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.result(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"]["error"].clone()
    }

    /// Goes away. What the server said on standard error, and its exit code.
    pub fn leave(mut self) -> (i32, String) {
        drop(self.stdin.take());
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code().unwrap_or(-1), said)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

pub fn hello() -> Value {
    json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
}
