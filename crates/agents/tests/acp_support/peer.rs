//! A program for tests: an agent that speaks ACP badly, each case in its own way; and the driver that talks to it.

use serde_json::{Value, json};
use std::io::{BufRead, Lines, StdinLock, Write};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["drive", run_dir] => tollgate_agents::drive(Path::new(run_dir)),
        [case] => Peer { lines: std::io::stdin().lock().lines(), count: 0 }.play(case),
        _ => ExitCode::FAILURE,
    }
}

struct Peer {
    lines: Lines<StdinLock<'static>>,
    count: u64,
}

impl Peer {
    fn play(&mut self, case: &str) -> ExitCode {
        self.expect(
            "initialize",
            json!({"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}),
        );
        self.expect("session/new", json!({"sessionId": "s1"}));
        let prompt = self.hear();
        let text = match case {
            "garbage" => garbage(),
            "deaf" => deaf(),
            "flood" => self.flood(),
            "escape" => self.escape(),
            "unknown" => self.unknown(),
            "terminal" => self.terminal(),
            "left" => self.left(),
            "never" => loop {
                std::thread::park();
            },
            _ => return ExitCode::FAILURE,
        };
        say(&json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1",
            "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}}}));
        say(&json!({"jsonrpc": "2.0", "id": prompt["id"], "result": {"stopReason": "end_turn"}}));
        ExitCode::SUCCESS
    }

    fn hear(&mut self) -> Value {
        let line = self.lines.next().and_then(Result::ok);
        // Whoever talked to us is gone.
        let Some(line) = line else { std::process::exit(0) };
        serde_json::from_str(&line).expect("what is said to an agent is JSON")
    }

    fn expect(&mut self, method: &str, result: Value) {
        let request = self.hear();
        assert_eq!(request["method"], method);
        say(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.count += 1;
        say(
            &json!({"jsonrpc": "2.0", "id": format!("q{}", self.count), "method": method, "params": params}),
        );
        self.hear()
    }

    /// For ever: it wants to write where it may not.
    fn flood(&mut self) -> String {
        loop {
            let options = json!([{"optionId": "yes", "kind": "allow_once"}, {"optionId": "no", "kind": "reject_once"}]);
            let tool =
                json!({"toolCallId": "t", "kind": "edit", "locations": [{"path": "/etc/passwd"}]});
            let answer = self
                .ask("session/request_permission", json!({"toolCall": tool, "options": options}));
            if answer["method"] == "session/cancel" {
                let words = format!("cancelled after {}\n", self.count - 1);
                std::io::stderr().write_all(words.as_bytes()).expect("the driver listens");
            } else if answer["result"]["outcome"]["optionId"] != "no" {
                return format!("the answer was {answer}");
            }
        }
    }

    /// Every path that must not be had, and one that may.
    fn escape(&mut self) -> String {
        let paths = [
            "/etc/passwd",
            "../outside.txt",
            "sub/../../outside.txt",
            ".git/config",
            "link/outside.txt",
            "linked.txt",
            ".agents-work/two/spec.md",
            "/proc/self/environ",
            "",
        ];
        let mut had = Vec::new();
        for path in paths {
            for (method, params) in [
                ("fs/read_text_file", json!({"path": path})),
                ("fs/write_text_file", json!({"path": path, "content": "x"})),
            ] {
                if self.ask(method, params).get("result").is_some() {
                    had.push(format!("{method} {path}"));
                }
            }
            if self
                .ask("terminal/create", json!({"command": "true", "cwd": format!("/{path}/..")}))
                .get("result")
                .is_some()
            {
                had.push(format!("terminal in {path}"));
            }
        }
        let big = "x".repeat(5 * 1024 * 1024);
        if self
            .ask("fs/write_text_file", json!({"path": "big.txt", "content": big}))
            .get("result")
            .is_some()
        {
            had.push("five megabytes".to_owned());
        }
        self.ask("fs/write_text_file", json!({"path": "tool.sh", "content": "one\ntwo\nthree\n"}));
        let read = self.ask("fs/read_text_file", json!({"path": "tool.sh", "line": 2, "limit": 1}));
        format!("{had:?} {}", read["result"]["content"])
    }

    fn unknown(&mut self) -> String {
        let unknown = self.ask("session/make_coffee", json!({}));
        let question =
            self.ask("elicitation/create", json!({"message": "Which colour?", "mode": "form"}));
        let nothing = self.ask("terminal/output", json!({"terminalId": "terminal-7"}));
        let code = &unknown["error"]["code"];
        format!("{code} {} {}", question["result"]["action"], nothing["error"]["code"])
    }

    /// A command without end, waited for, and then ended.
    fn terminal(&mut self) -> String {
        let line = "printf 'ä\\n'; printf '%2000s' x; exec sleep 1000";
        let made = self.ask("terminal/create", json!({"command": line, "outputByteLimit": 100}));
        let terminal = json!({"terminalId": made["result"]["terminalId"]});
        say(
            &json!({"jsonrpc": "2.0", "id": "wait", "method": "terminal/wait_for_exit", "params": terminal}),
        );
        // What is asked in the meantime is answered right away.
        let mut output = json!({});
        while output["result"]["truncated"] != true {
            output = self.ask("terminal/output", terminal.clone());
        }
        let running = output["result"]["exitStatus"].is_null();
        let first = self.ask("terminal/kill", terminal.clone());
        let second = self.hear();
        let wait = if first["id"] == "wait" { first } else { second };
        let length = output["result"]["output"].as_str().unwrap_or_default().len();
        self.ask("terminal/release", terminal.clone());
        let gone = self.ask("terminal/output", terminal);
        let program = self.ask("terminal/create", json!({"command": "/no/such/program"}));
        format!(
            "{running} {length} {} {} {}",
            wait["result"], gone["error"]["code"], program["error"]["code"]
        )
    }

    /// A command that is still at work when the turn ends.
    fn left(&mut self) -> String {
        let command = json!({"command": "sh", "args": ["-c", "echo $$; exec sleep 1000"]});
        let made = self.ask("terminal/create", command);
        let terminal = json!({"terminalId": made["result"]["terminalId"]});
        loop {
            let output = self.ask("terminal/output", terminal.clone());
            let text = output["result"]["output"].as_str().unwrap_or_default();
            if text.ends_with('\n') {
                return text.trim().to_owned();
            }
        }
    }
}

/// What is no message, and answers that nobody waits for.
fn garbage() -> String {
    let mut out = std::io::stdout().lock();
    let lines = [
        "Welcome to the agent!",
        "{\"jsonrpc\": \"2.0\", \"id\": 3,",
        "\"word\"",
        "[]",
        "[{\"id\": 3, \"result\": {}}]",
        "17",
        "null",
        "{}",
        "{\"id\": 999, \"result\": {\"stopReason\": \"end_turn\"}}",
        "{\"id\": null, \"result\": {}}",
        "{\"id\": 3}",
        "{\"id\": \"x\", \"error\": {}}",
        "{\"method\": 5, \"params\": []}",
        "{\"method\": \"session/update\"}",
        "{\"method\": \"session/update\", \"params\": {\"sessionId\": \"s2\", \"update\": {\"sessionUpdate\": \"agent_message_chunk\", \"content\": {\"type\": \"text\", \"text\": \"of another\"}}}}",
        "{\"method\": \"session/update\", \"params\": {\"sessionId\": \"s1\", \"update\": {\"sessionUpdate\": \"tool_call\"}}}",
        "{\"method\": \"session/update\", \"params\": {\"sessionId\": \"s1\", \"update\": {\"sessionUpdate\": \"usage_update\", \"cost\": {\"amount\": -1e300, \"currency\": \"USD\"}}}}",
        "{\"method\": \"session/update\", \"params\": {\"sessionId\": \"s1\", \"update\": 7}}",
    ];
    for line in lines {
        writeln!(out, "{line}").expect("the driver listens");
    }
    out.write_all(b"\xff\xfe\x00\n").expect("the driver listens");
    "still here".to_owned()
}

/// Asks ten thousand times and listens to no answer before it has asked.
fn deaf() -> String {
    let tool = json!({"toolCallId": "t", "kind": "execute", "rawInput": {"command": "ls"}});
    let options = json!([{"optionId": "yes".repeat(20), "kind": "allow_once"}]);
    for number in 0..10_000 {
        say(
            &json!({"jsonrpc": "2.0", "id": number, "method": "session/request_permission", "params": {"toolCall": tool, "options": options}}),
        );
    }
    "asked".to_owned()
}

fn say(message: &Value) {
    let mut out = std::io::stdout().lock();
    let said = writeln!(out, "{message}").and_then(|()| out.flush());
    if said.is_err() {
        std::process::exit(0);
    }
}
