//! A stand-in for GitHub: the part of its REST interface that is used, on a port of this machine, with faults on order.

#![allow(
    clippy::unwrap_used,
    dead_code,
    unused_imports,
    reason = "a test may panic, and each uses a part of this"
)]

mod model;

pub use model::Model;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tollgate_tracker::github::Github;
use tollgate_tracker::login::TrackerLogin;
use tollgate_tracker::place::{Api, Slug};

pub const TOKEN: &str = "ghp_0123456789abcdefTOKEN";

#[derive(Debug, Clone)]
pub enum Fault {
    /// Does what was asked, then ends the connection silently.
    CutAfterDoing,
    /// Does what was asked, then says nothing until the other side is gone.
    SilenceAfterDoing,
    /// Promises more than it sends.
    CutAnswer,
    /// Says nothing until the other side gives up.
    Silence,
    /// Answers this without doing anything.
    Answer { status: u16, headers: Vec<(String, String)>, body: String },
    /// A good answer of this many bytes.
    Huge(usize),
    /// Does it, and adds a header to the answer.
    Header(String, String),
}

impl Fault {
    pub fn status(status: u16, message: &str) -> Self {
        let body = json!({ "message": message }).to_string();
        Self::Answer { status, headers: Vec::new(), body }
    }

    pub fn with(self, name: &str, value: impl ToString) -> Self {
        match self {
            Self::Answer { status, mut headers, body } => {
                headers.push((name.to_owned(), value.to_string()));
                Self::Answer { status, headers, body }
            }
            other => other,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub query: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub fn query(&self, name: &str) -> Option<&str> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

#[derive(Default)]
struct Shared {
    model: Mutex<Model>,
    /// The method and the beginning of the path that a fault waits for.
    fault: Mutex<Option<(String, String, Fault)>>,
    asked: Mutex<Vec<Asked>>,
    complaints: Mutex<Vec<String>>,
    is_down: AtomicBool,
    is_over: AtomicBool,
}

pub struct StandIn {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl StandIn {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let served = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if served.is_over.load(Ordering::SeqCst) {
                    break;
                }
                // A client that went away is what some tests are about.
                let _ = serve(&served, stream.unwrap(), address);
            }
        });
        Self { address, shared, thread: Some(thread) }
    }

    pub fn root(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn tracker(&self) -> Github {
        self.tracker_with(TOKEN, "acme/shop")
    }

    pub fn tracker_with(&self, token: &str, repository: &str) -> Github {
        let login = TrackerLogin::new(token, "GH_TOKEN").unwrap();
        let slug = Slug::parse(repository).unwrap();
        let wait = Duration::from_millis(1_500);
        Github::with_wait(Api::parse(&self.root()).unwrap(), slug, login, wait).unwrap()
    }

    pub fn model(&self) -> MutexGuard<'_, Model> {
        self.shared.model.lock().unwrap()
    }

    /// The next request of this method to a path that begins so meets a fault.
    pub fn fail_next(&self, method: &str, path: &str, fault: Fault) {
        *self.shared.fault.lock().unwrap() = Some((method.to_owned(), path.to_owned(), fault));
    }

    /// Whether it ends every connection silently.
    pub fn set_down(&self, is_down: bool) {
        self.shared.is_down.store(is_down, Ordering::SeqCst);
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().unwrap().clone()
    }

    pub fn asked_of(&self, method: &str) -> usize {
        self.asked().iter().filter(|asked| asked.method == method).count()
    }

    /// Every request was one that GitHub would have understood.
    pub fn assert_well_asked(&self) {
        assert_eq!(*self.shared.complaints.lock().unwrap(), Vec::<String>::new());
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(shared: &Shared, mut stream: TcpStream, address: SocketAddr) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let Some(asked) = read_request(&stream)? else { return Ok(()) };
    if shared.is_down.load(Ordering::SeqCst) {
        return Ok(());
    }
    complain(shared, &asked);
    shared.asked.lock().unwrap().push(asked.clone());
    let fault = {
        let mut waiting = shared.fault.lock().unwrap();
        let is_meant = |(method, path, _): &(String, String, Fault)| {
            asked.method == *method && asked.path.starts_with(path.as_str())
        };
        waiting.take_if(|waiting| is_meant(waiting)).map(|(_, _, fault)| fault)
    };
    let answered = |more: Option<(String, String)>| {
        let (status, mut headers, body) = shared.model.lock().unwrap().answer(&asked, address);
        headers.extend(more);
        (status, headers, body)
    };
    match fault {
        None => write_answer(&mut stream, answered(None)),
        Some(Fault::Header(name, value)) => {
            write_answer(&mut stream, answered(Some((name, value))))
        }
        Some(Fault::CutAfterDoing) => {
            answered(None);
            Ok(())
        }
        Some(Fault::SilenceAfterDoing) => {
            answered(None);
            let _ = stream.read(&mut [0; 1]);
            Ok(())
        }
        Some(Fault::CutAnswer) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n[{\"number\": 1,")
        }
        Some(Fault::Silence) => {
            // The client closes the connection when it has waited long enough.
            let _ = stream.read(&mut [0; 1]);
            Ok(())
        }
        Some(Fault::Answer { status, headers, body }) => {
            write_answer(&mut stream, (status, headers, body))
        }
        Some(Fault::Huge(bytes)) => {
            let body = format!("[\"{}\"]", "x".repeat(bytes));
            write_answer(&mut stream, (200, Vec::new(), body))
        }
    }
}

fn read_request(stream: &TcpStream) -> std::io::Result<Option<Asked>> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_owned(), value.to_owned())),
            None => break,
        }
    }
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let (path, query) = (path.to_owned(), query.to_owned());
    let mut asked = Asked { method, path, query, headers, body: Value::Null };
    let length = asked.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    if length > 0 {
        asked.body = serde_json::from_slice(&body).unwrap_or(Value::String("not JSON".to_owned()));
    }
    Ok(Some(asked))
}

fn complain(shared: &Shared, asked: &Asked) {
    let mut complaints = shared.complaints.lock().unwrap();
    let mut expect = |is_right: bool, what: &str| {
        if !is_right {
            complaints.push(format!("{} {}: {what}", asked.method, asked.path));
        }
    };
    let is = |name: &str, value: &str| asked.header(name) == Some(value);
    expect(asked.header("authorization").is_some_and(|v| v.starts_with("Bearer ")), "no login");
    expect(is("accept", "application/vnd.github+json"), "wrong accept");
    expect(is("x-github-api-version", "2022-11-28"), "no version");
    expect(asked.header("user-agent").is_some_and(|v| v.starts_with("tollgate/")), "no agent");
    match asked.method.as_str() {
        "GET" => expect(asked.body.is_null(), "a body"),
        _ => {
            expect(asked.body.is_object(), "no JSON object");
            expect(is("content-type", "application/json"), "no type");
        }
    }
    expect(
        !asked.query.contains(TOKEN) && !asked.path.contains(TOKEN),
        "the token is in the address",
    );
}

fn write_answer(
    stream: &mut TcpStream,
    (status, headers, body): (u16, Vec<(String, String)>, String),
) -> std::io::Result<()> {
    let headers: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}
