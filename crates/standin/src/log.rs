//! What was asked of the service, within bounds.

use crate::conversation::{Dialect, RequestKind};
use serde::Serialize;
use serde_json::Value;
use std::collections::VecDeque;

/// One request, and how it was answered.
#[derive(Debug, Clone, Serialize)]
pub struct Request {
    /// Counts from 1 and continues when old requests are forgotten.
    pub number: u64,
    pub dialect: Option<Dialect>,
    pub kind: RequestKind,
    pub method: String,
    /// Without the query, which may hold a key.
    pub path: String,
    pub model: String,
    /// What a person asked last; the beginning of it, if it is long.
    pub asked: String,
    /// How many tool results came after that.
    pub tool_results: usize,
    /// The names of the tools offered.
    pub tools: Vec<String>,
    /// The name of the rule that answered.
    pub rule: Option<String>,
    /// The status answered; none when nothing was.
    pub status: Option<u16>,
    /// The body, or null when it was no JSON, or too large, or long ago.
    pub body: Value,
}

const REQUESTS_MAX: usize = 2_000;
const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;
const BODIES_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Of any text beside the body; what was asked is there in full.
const TEXT_BYTES_MAX: usize = 4 * 1024;
const TOOLS_MAX: usize = 256;
const TOOL_BYTES_MAX: usize = 128;

/// Bodies are kept as they came, because a parsed one can take many times its length.
#[derive(Debug, Default)]
pub struct Log {
    entries: VecDeque<(Request, Vec<u8>)>,
    last_number: u64,
    bodies_bytes: usize,
}

impl Log {
    /// Adds a request and gives it its number.
    pub fn push(&mut self, mut request: Request, body: &[u8]) {
        self.last_number += 1;
        request.number = self.last_number;
        clip(&mut request);
        let kept = if body.len() > BODY_BYTES_MAX { &[] } else { body };
        self.bodies_bytes += kept.len();
        self.entries.push_back((request, kept.to_vec()));
        while self.entries.len() > REQUESTS_MAX {
            if let Some((_, body)) = self.entries.pop_front() {
                self.bodies_bytes -= body.len();
            }
        }
        for (_, body) in &mut self.entries {
            if self.bodies_bytes <= BODIES_BYTES_MAX {
                break;
            }
            self.bodies_bytes -= std::mem::take(body).len();
        }
    }

    /// The requests with a greater number, oldest first.
    pub fn after(&self, number: u64) -> Vec<Request> {
        let later = self.entries.iter().filter(|(request, _)| request.number > number);
        later
            .map(|(request, body)| Request {
                body: serde_json::from_slice(body).unwrap_or_default(),
                ..request.clone()
            })
            .collect()
    }
}

fn clip(request: &mut Request) {
    for text in [&mut request.method, &mut request.path, &mut request.model, &mut request.asked] {
        clip_text(text, TEXT_BYTES_MAX);
    }
    request.tools.truncate(TOOLS_MAX);
    for name in &mut request.tools {
        clip_text(name, TOOL_BYTES_MAX);
    }
}

fn clip_text(text: &mut String, bytes_max: usize) {
    text.truncate(text.floor_char_boundary(bytes_max));
    text.shrink_to_fit();
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    fn request(asked: &str) -> Request {
        Request {
            number: 0,
            dialect: None,
            kind: RequestKind::Turn,
            method: "POST".into(),
            path: "/".into(),
            model: String::new(),
            asked: asked.into(),
            tool_results: 0,
            tools: Vec::new(),
            rule: None,
            status: None,
            body: Value::Null,
        }
    }

    #[test]
    fn old_requests_go_and_old_bodies_go_first() {
        let mut log = Log::default();
        let body = format!("\"{}\"", "x".repeat(BODY_BYTES_MAX - 2));
        for _ in 0..10 {
            log.push(request("a"), body.as_bytes());
        }
        let with_body = |log: &Log| log.after(0).iter().filter(|r| !r.body.is_null()).count();
        assert_eq!(with_body(&log), BODIES_BYTES_MAX / BODY_BYTES_MAX);
        assert!(log.after(0)[0].body.is_null() && !log.after(9)[0].body.is_null());
        log.push(request("a"), format!("{body} ").as_bytes());
        assert!(log.after(10)[0].body.is_null(), "too large to keep");
        for _ in 0..REQUESTS_MAX {
            log.push(request("a"), b"1");
        }
        assert_eq!(log.after(0).len(), REQUESTS_MAX);
        assert_eq!(log.bodies_bytes, REQUESTS_MAX);
        assert_eq!(log.after(0)[0].number, 12);
    }

    #[test]
    fn long_texts_are_cut_between_letters() {
        let mut log = Log::default();
        let tools = vec!["t".repeat(TOOL_BYTES_MAX + 1); TOOLS_MAX + 1];
        log.push(Request { tools, ..request(&"ä".repeat(TEXT_BYTES_MAX)) }, b"no JSON");
        let request = log.after(0).remove(0);
        assert_eq!(request.asked.len(), TEXT_BYTES_MAX);
        assert_eq!((request.tools.len(), request.tools[0].len()), (TOOLS_MAX, TOOL_BYTES_MAX));
        assert!(request.body.is_null());
    }
}
