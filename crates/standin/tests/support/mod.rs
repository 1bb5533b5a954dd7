//! A small client that shows what was really on the wire.

#![allow(dead_code, reason = "every test file uses its part")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use tollgate_standin::{Script, Service};

pub fn service(script: Value) -> Service {
    let script: Script = serde_json::from_value(script).unwrap();
    Service::start(script).unwrap()
}

/// A service with one rule that answers everything.
pub fn always(answer: Value) -> Service {
    service(json!({"rules": [{"name": "always", "then": answer}]}))
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
    /// The body came to the end it announced.
    pub whole: bool,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut pairs = self.head.lines().filter_map(|line| line.split_once(": "));
        pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The data of the events of a stream.
    pub fn events(&self) -> Vec<Value> {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter(|data| *data != "[DONE]")
            .map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }
}

pub fn connect(service: &Service) -> TcpStream {
    TcpStream::connect(service.address().strip_prefix("http://").unwrap()).unwrap()
}

/// Sends bytes as they are and reads until the service closes.
pub fn raw(service: &Service, bytes: &[u8]) -> Reply {
    let mut stream = connect(service);
    // The service may refuse before it has read everything.
    let _ = stream.write_all(bytes);
    read_reply(&mut stream)
}

pub fn read_reply(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return Reply { status: 0, head: text, body: String::new(), whole: false };
    };
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let (body, whole) = if head.contains("transfer-encoding: chunked") {
        unchunk(body)
    } else {
        (body.to_owned(), true)
    };
    Reply { status, head: head.to_owned(), body, whole }
}

fn unchunk(mut rest: &str) -> (String, bool) {
    let mut body = String::new();
    loop {
        let Some((size, after)) = rest.split_once("\r\n") else { return (body, false) };
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        let Some(chunk) = after.get(..size) else { return (body, false) };
        body.push_str(chunk);
        rest = after[size..].trim_start_matches("\r\n");
    }
}

pub fn post(service: &Service, path: &str, body: &Value) -> Reply {
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    raw(service, format!("{head}{body}").as_bytes())
}

pub fn get(service: &Service, path: &str, headers: &str) -> Reply {
    let head = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n");
    raw(service, head.as_bytes())
}
