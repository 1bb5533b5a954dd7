//! `tollgate serve` as a process of the test, and visitors of it: one with a cookie who speaks HTTP by hand.

use super::{Repo, eventually};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tollgate_programs::browser::Browser;
use tollgate_programs::http::{Answer, Request, Wire};

/// The page, until this goes.
pub struct Served {
    child: Child,
    pub address: SocketAddr,
    pub token: String,
    said: Arc<Mutex<String>>,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    pub fn start(repo: &Repo) -> Self {
        Self::start_with(repo, &[])
    }

    #[track_caller]
    pub fn start_with(repo: &Repo, options: &[&str]) -> Self {
        let args = [&["serve", "--port", "0"], options].concat();
        let mut child = repo.start(&args);
        let said = Arc::new(Mutex::new(String::new()));
        listen(child.stderr.take().unwrap(), &said);
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        listen(out, &said);
        let parts =
            line.trim().strip_prefix("http://").and_then(|rest| rest.split_once("/?token="));
        let Some((address, token)) = parts else {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("no address in {line:?}; it said {:?}", said.lock().unwrap());
        };
        Self { child, address: address.parse().unwrap(), token: token.to_owned(), said }
    }

    /// The address that lets a person in.
    pub fn entry(&self) -> String {
        self.at(&format!("/?token={}", self.token))
    }

    pub fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Both streams since the address.
    pub fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    /// Somebody whom the token let in.
    #[track_caller]
    pub fn visitor(&self) -> Visitor {
        let answer = Request::get(&format!("/?token={}", self.token))
            .header("Host", &self.address.to_string())
            .send(self.address)
            .unwrap();
        assert_eq!(answer.status, 303, "{}", answer.everything());
        let cookie = answer.header("set-cookie").expect("a cookie").split(';').next().unwrap();
        Visitor { address: self.address, cookie: cookie.to_owned() }
    }
}

fn listen(stream: impl Read + Send + 'static, said: &Arc<Mutex<String>>) {
    let said = said.clone();
    std::thread::spawn(move || {
        let mut lines = BufReader::new(stream);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            said.lock().unwrap().push_str(&String::from_utf8_lossy(&line));
            line.clear();
        }
    });
}

/// Somebody with the cookie.
#[derive(Debug, Clone)]
pub struct Visitor {
    pub address: SocketAddr,
    pub cookie: String,
}

impl Visitor {
    /// As a browser asks that shows our page.
    pub fn get(&self, path: &str) -> Request {
        self.as_ours(Request::get(path))
    }

    /// As a browser sends a form of our page, with the hidden field.
    pub fn form(&self, path: &str, csrf: &str, fields: &[(&str, &str)]) -> Request {
        let all = [&[("_csrf", csrf)], fields].concat();
        self.as_ours(Request::form(path, &all)).header("Origin", &self.origin())
    }

    pub fn as_ours(&self, request: Request) -> Request {
        request.header("Host", &self.address.to_string()).header("Cookie", &self.cookie)
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    #[track_caller]
    pub fn send(&self, request: &Request) -> Answer {
        request.send(self.address).unwrap_or_else(|cause| panic!("{request:?}: {cause}"))
    }

    #[track_caller]
    pub fn read(&self, path: &str) -> Answer {
        self.send(&self.get(path))
    }

    #[track_caller]
    pub fn page(&self, path: &str) -> String {
        let answer = self.read(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.everything());
        answer.text()
    }

    /// The stream of a session, from which nothing was read yet.
    pub fn follow(&self, session: &str) -> Wire {
        let mut wire = Wire::open(self.address).unwrap();
        let request = self.get(&format!("{session}/events")).header("Accept", "text/event-stream");
        wire.write(&request.bytes()).unwrap();
        wire
    }

    /// The address of the only session, from the list.
    #[track_caller]
    pub fn session(&self) -> String {
        let list = self.page("/");
        let at = list.find("href=\"/s/").unwrap_or_else(|| panic!("no session in {list}"));
        list[at + 6..].split('"').next().unwrap().to_owned()
    }

    /// What the hidden field of this page's forms holds.
    #[track_caller]
    pub fn csrf(&self, path: &str) -> String {
        value_of(&self.page(path), "_csrf").unwrap_or_else(|| panic!("no _csrf in {path}"))
    }

    /// The form at a gate as a browser would send it when this answer is chosen.
    #[track_caller]
    pub fn answer(&self, session: &str, answer: &str, words: &str) -> Request {
        let page = self.page(session);
        let at = page.find("/answer\"").unwrap_or_else(|| panic!("no gate in {page}"));
        let begin = page[..at].rfind("<form").unwrap();
        let form = &page[begin..begin + page[begin..].find("</form>").unwrap()];
        let action = form.split("action=\"").nth(1).unwrap().split('"').next().unwrap();
        let mut fields = hidden(form);
        fields.push(("answer".to_owned(), answer.to_owned()));
        fields.push(("words".to_owned(), words.to_owned()));
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.as_ours(Request::form(action, &fields)).header("Origin", &self.origin())
    }
}

/// The hidden fields of a form.
fn hidden(form: &str) -> Vec<(String, String)> {
    let inputs = form.split("<input").skip(1).map(|rest| rest.split('>').next().unwrap());
    let hidden = inputs.filter(|input| input.contains("type=\"hidden\""));
    let of = |input: &str, name: &str| {
        let rest = input.split(&format!("{name}=\"")).nth(1)?;
        Some(rest.split('"').next().unwrap().to_owned())
    };
    hidden.filter_map(|input| Some((of(input, "name")?, of(input, "value")?))).collect()
}

fn value_of(page: &str, name: &str) -> Option<String> {
    hidden(page).into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// A session that waits at its first gate, the page, and somebody who was let in.
pub fn at_the_gate(repo: &Repo) -> (Served, Visitor, String) {
    repo.run().exits(3);
    let served = Served::start(repo);
    let visitor = served.visitor();
    let session = visitor.session();
    (served, visitor, session)
}

/// What a person decided so far, in order: `UD-… answer words`.
pub fn decided(repo: &Repo) -> Vec<Value> {
    repo.events("decision_resolved")
}

/// How often the first open question was asked; 0 where none is open.
pub fn round(repo: &Repo) -> u64 {
    let ran = repo.tollgate(&["status", "--json"]);
    let status: Value = serde_json::from_str(&ran.out).unwrap_or_default();
    status["pending_decisions"][0]["round"].as_u64().unwrap_or_default()
}

/// Waits until the session has this state.
#[track_caller]
pub fn reaches(repo: &Repo, state: &str) {
    eventually(&format!("the state {state}"), || {
        let ran = repo.tollgate(&["status", "--json"]);
        let status: Value = serde_json::from_str(&ran.out).unwrap_or_default();
        status["state"] == state
    });
}

/// Goes in with the token, which must not stay in the address.
#[track_caller]
pub fn enter(browser: &Browser, served: &Served) {
    browser.go(&served.entry());
    assert!(!browser.address().contains("token"), "{}", browser.address());
    assert_eq!(browser.address(), served.at("/"));
}

/// Opens what is folded at the gate, so that every line can be commented on.
#[track_caller]
pub fn unfold(browser: &Browser) {
    const FOLDED: &str = "section.gate details:not([open]) > summary";
    browser.wait_for("section.gate");
    while browser.has(FOLDED) {
        browser.click(FOLDED);
    }
}

/// Writes a comment on the first line that takes one.
#[track_caller]
pub fn comment(browser: &Browser, words: &str) {
    unfold(browser);
    browser.click("section.gate a.ln").wait_for("form.comment textarea[name=comment]");
    browser.fill("form.comment textarea[name=comment]", words).click("form.comment button");
    browser.wait_for("section.gate .note");
}

/// Chooses an answer at the gate. Where it needs words, they come first.
#[track_caller]
pub fn choose(browser: &Browser, answer: &str, words: Option<&str>) {
    browser.wait_for("section.gate");
    if let Some(words) = words {
        browser.fill("section.gate textarea[name=words]", words);
    }
    let button = format!("section.gate [name=answer][value^=\"{answer}\"]");
    browser.click(&button);
    if browser.has("section.gate input[name=answer]") {
        browser.click("section.gate button[type=submit]");
    }
}

pub const SLOW: Duration = Duration::from_millis(200);
