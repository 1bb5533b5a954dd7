//! The service: a listener on 127.0.0.1, a thread for each connection, and an end to all of them.

use crate::answer::next_message;
use crate::conversation::{Conversation, Dialect, RequestKind};
use crate::failing::Delivery;
use crate::http::{Connection, HttpRequest, Unreadable};
use crate::log::{Log, Request};
use crate::script::{Script, ScriptedTurn, When};
use crate::validate::problem;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// More connections at once than any agent opens; further ones are closed.
const CONNECTIONS_MAX: usize = 48;

/// How long the end waits for its own listener to answer.
const KNOCK_MAX: Duration = Duration::from_secs(1);

/// A running service. Dropping it closes every connection and ends every thread.
#[derive(Debug)]
pub struct Service {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

impl Service {
    /// Serves on a free port.
    pub fn start(script: Script) -> io::Result<Self> {
        Self::start_on(0, script)
    }

    pub fn start_on(port: u16, script: Script) -> io::Result<Self> {
        let state = State::new(script)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { state: Mutex::new(state), ..Shared::default() });
        let acceptor = std::thread::Builder::new().name("standin".into()).spawn({
            let shared = Arc::clone(&shared);
            move || accept_all(&listener, &shared)
        })?;
        Ok(Self { address, shared, acceptor: Some(acceptor) })
    }

    /// `http://127.0.0.1:PORT`. Clients add the path of their dialect, with or without something in front of it.
    pub fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far, oldest first. A request is listed before it is answered.
    pub fn requests(&self) -> Vec<Request> {
        self.requests_after(0)
    }

    /// The requests with a number greater than this.
    pub fn requests_after(&self, number: u64) -> Vec<Request> {
        lock(&self.shared.log).after(number)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // The acceptor sleeps until someone knocks; if nobody can, it cannot be waited for.
        match (TcpStream::connect_timeout(&self.address, KNOCK_MAX), self.acceptor.take()) {
            (Ok(_), Some(acceptor)) => drop(acceptor.join()),
            _ => self.shared.close_all(),
        }
    }
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    log: Mutex<Log>,
    open: Mutex<BTreeMap<u64, TcpStream>>,
    stopping: AtomicBool,
}

impl Shared {
    fn close_all(&self) {
        for stream in lock(&self.open).values() {
            // It may have ended by itself.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

#[derive(Debug, Default)]
struct State {
    script: Script,
    /// How many requests each rule has answered.
    answered: Vec<u32>,
}

impl State {
    fn new(script: Script) -> io::Result<Self> {
        match problem(&script) {
            Some(words) => Err(io::Error::new(io::ErrorKind::InvalidInput, words)),
            None => Ok(Self { answered: vec![0; script.rules.len()], script }),
        }
    }
}

/// A thread that panicked left values behind that are whole: each is changed in one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept_all(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    for number in 0.. {
        let accepted = listener.accept();
        if shared.stopping.load(Ordering::SeqCst) {
            break;
        }
        threads.retain(|thread| !thread.is_finished());
        match accepted {
            Ok((stream, _)) if threads.len() < CONNECTIONS_MAX => {
                let Ok(again) = stream.try_clone() else { continue };
                lock(&shared.open).insert(number, again);
                let guest = Guest { number, shared: Arc::clone(shared) };
                let serve = move || guest.serve(stream);
                threads.extend(std::thread::Builder::new().name("standin".into()).spawn(serve));
            }
            Ok(_) => {}
            // Out of descriptors, most likely; some come back.
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    shared.close_all();
    for thread in threads {
        let _ = thread.join();
    }
}

/// The rule that answers a request.
struct Choice {
    number: usize,
    name: Option<String>,
    answer: ScriptedTurn,
}

/// One connection, listed as open for as long as this lives.
struct Guest {
    number: u64,
    shared: Arc<Shared>,
}

impl Drop for Guest {
    fn drop(&mut self) {
        if let Some(stream) = lock(&self.shared.open).remove(&self.number) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Guest {
    fn serve(&self, stream: TcpStream) {
        let Ok(mut connection) = Connection::new(stream) else { return };
        loop {
            match connection.read() {
                Ok(request) => {
                    let keeps = request.keeps_connection();
                    if self.answer(&mut connection, &request).is_err() || !keeps {
                        return;
                    }
                }
                Err(Unreadable::Gone) => return,
                Err(Unreadable::Refused(status, words)) => {
                    let body =
                        json!({"error": {"type": "invalid_request_error", "message": words}});
                    let sent = connection.send_json(status, &[], &body);
                    let _ = sent.and_then(|()| connection.finish());
                    return;
                }
            }
        }
    }

    fn answer(&self, connection: &mut Connection, http: &HttpRequest) -> io::Result<()> {
        let (kind, dialect) = route(http);
        let (RequestKind::Turn, Some(dialect)) = (kind, dialect) else {
            return self.answer_beside(connection, http, kind, dialect);
        };
        let body = match body_of(http) {
            Ok(body) => body,
            Err((status, words)) => {
                self.note(http, (RequestKind::Other, Some(dialect)), None, Some(status));
                return connection.send_json(status, &[], &dialect.error(status, &words));
            }
        };
        let talk = dialect.read(&body, &http.path);
        let kind = talk.kind();
        let Choice { number, name, answer } = self.choose(&talk, kind, dialect, &http.path);
        let message = next_message(number, &answer, &talk);
        let delivery = Delivery {
            dialect,
            talk: &talk,
            message: &message,
            fault: answer.fault.as_ref(),
            as_array: dialect == Dialect::Gemini
                && talk.stream
                && !http.query.split('&').any(|pair| pair == "alt=sse"),
        };
        self.note(http, (kind, Some(dialect)), Some((&talk, name)), delivery.status());
        delivery.send(connection)
    }

    /// Requests that carry no conversation.
    fn answer_beside(
        &self,
        connection: &mut Connection,
        http: &HttpRequest,
        kind: RequestKind,
        dialect: Option<Dialect>,
    ) -> io::Result<()> {
        let (status, body) = match kind {
            RequestKind::CountTokens => {
                let tokens = http.body.len() as u64 / 4;
                (200, dialect.unwrap_or(Dialect::AnthropicMessages).token_count(tokens))
            }
            RequestKind::Models => (200, models()),
            RequestKind::Upgrade => (426, error_body("no WebSocket is spoken here; use HTTP")),
            _ if http.method == "HEAD" || http.method == "OPTIONS" => (200, Value::Null),
            _ => (404, error_body(&format!("nothing is served at {}", http.path))),
        };
        self.note(http, (kind, dialect), None, Some(status));
        match http.method.as_str() {
            "HEAD" => connection.send_bytes("application/json", b""),
            _ => connection.send_json(status, &[], &body),
        }
    }

    /// What the first rule that fits says.
    fn choose(
        &self,
        talk: &Conversation,
        kind: RequestKind,
        dialect: Dialect,
        path: &str,
    ) -> Choice {
        let mut state = lock(&self.shared.state);
        let State { script, answered } = &mut *state;
        for (number, (rule, answered)) in script.rules.iter().zip(answered).enumerate() {
            let left = rule.times.is_none_or(|times| *answered < times);
            if left && fits(&rule.when, talk, kind, dialect, path) {
                *answered = answered.saturating_add(1);
                return Choice { number, name: Some(rule.name.clone()), answer: rule.then.clone() };
            }
        }
        let understood =
            || ScriptedTurn { text: Some("Understood.".into()), ..ScriptedTurn::default() };
        Choice {
            number: script.rules.len(),
            name: None,
            answer: script.otherwise.clone().unwrap_or_else(understood),
        }
    }

    fn note(
        &self,
        http: &HttpRequest,
        (kind, dialect): (RequestKind, Option<Dialect>),
        talk: Option<(&Conversation, Option<String>)>,
        status: Option<u16>,
    ) {
        let (talk, rule) = match talk {
            Some((talk, rule)) => (Some(talk), rule),
            None => (None, None),
        };
        let request = Request {
            number: 0,
            dialect,
            kind,
            method: http.method.clone(),
            path: http.path.clone(),
            model: talk.map(|talk| talk.model.clone()).unwrap_or_default(),
            asked: talk.map(|talk| talk.asked().to_owned()).unwrap_or_default(),
            tool_results: talk.map_or(0, |talk| talk.results().count()),
            tools: talk
                .map(|talk| talk.tools.iter().map(|tool| tool.name.clone()).collect())
                .unwrap_or_default(),
            rule,
            status,
            body: Value::Null,
        };
        lock(&self.shared.log).push(request, &http.body);
    }
}

/// What a request is about, by its path; whether a turn is one is for its conversation to say.
fn route(http: &HttpRequest) -> (RequestKind, Option<Dialect>) {
    let path = http.path.trim_end_matches('/');
    if http.header("upgrade").is_some() {
        return (RequestKind::Upgrade, None);
    }
    let of = |kind, dialect| (kind, Some(dialect));
    match http.method.as_str() {
        "POST" if path.ends_with("/messages/count_tokens") => {
            of(RequestKind::CountTokens, Dialect::AnthropicMessages)
        }
        "POST" if path.ends_with("/responses/input_tokens") => {
            of(RequestKind::CountTokens, Dialect::OpenaiResponses)
        }
        "POST" if path.ends_with(":countTokens") => of(RequestKind::CountTokens, Dialect::Gemini),
        "POST" if path.ends_with("/messages") => of(RequestKind::Turn, Dialect::AnthropicMessages),
        "POST" if path.ends_with("/responses") => of(RequestKind::Turn, Dialect::OpenaiResponses),
        "POST" if path.ends_with("/chat/completions") => of(RequestKind::Turn, Dialect::OpenaiChat),
        "POST"
            if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") =>
        {
            of(RequestKind::Turn, Dialect::Gemini)
        }
        "GET" if path.ends_with("/models") => (RequestKind::Models, None),
        _ => (RequestKind::Other, None),
    }
}

fn body_of(http: &HttpRequest) -> Result<Value, (u16, String)> {
    match http.header("content-encoding") {
        None | Some("identity") => {}
        Some(other) => {
            return Err((
                415,
                format!("a body in the encoding {other} cannot be read; send it plain"),
            ));
        }
    }
    match serde_json::from_slice(&http.body) {
        Ok(body @ Value::Object(_)) => Ok(body),
        Ok(_) => Err((400, "the body is no JSON object".into())),
        Err(error) => Err((400, format!("the body is no JSON: {error}"))),
    }
}

fn fits(when: &When, talk: &Conversation, kind: RequestKind, dialect: Dialect, path: &str) -> bool {
    let holds = |wanted: &Option<String>, text: &str| {
        wanted.as_ref().is_none_or(|wanted| text.contains(wanted.as_str()))
    };
    when.side == (kind == RequestKind::Side)
        && when.dialect.is_none_or(|wanted| wanted == dialect)
        && holds(&when.path, path)
        && holds(&when.model, &talk.model)
        && holds(&when.asked, talk.asked())
        && holds(&when.last_contains, talk.last())
        && when.contains.as_ref().is_none_or(|wanted| talk.contains(wanted))
        && when.has_tools.is_none_or(|wanted| wanted != talk.tools.is_empty())
        && when.tool_results.is_none_or(|wanted| wanted == talk.results().count())
        && when
            .offers
            .as_ref()
            .is_none_or(|wanted| talk.tools.iter().any(|tool| tool.name == *wanted))
}

/// The list in the words of every vendor at once.
fn models() -> Value {
    json!({
        "object": "list",
        "data": [{"id": "stand-in", "object": "model", "type": "model", "created": 1,
            "created_at": "2025-01-01T00:00:00Z", "owned_by": "stand-in", "display_name": "Stand-in"}],
        "models": [{"name": "models/stand-in", "displayName": "Stand-in",
            "supportedGenerationMethods": ["generateContent", "countTokens"]}],
        "has_more": false, "first_id": "stand-in", "last_id": "stand-in",
    })
}

fn error_body(words: &str) -> Value {
    json!({"type": "error", "error": {"type": "not_found_error", "code": "not_found", "message": words}})
}
