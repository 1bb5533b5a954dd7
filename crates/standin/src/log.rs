//! What was asked of the service, within bounds.

use crate::conversation::{Dialect, Kind};
use serde::Serialize;
use serde_json::Value;
use std::collections::VecDeque;

/// One request, and how it was answered.
#[derive(Debug, Clone, Serialize)]
pub struct Request {
    /// Counts from 1 and goes on when old requests are forgotten.
    pub number: u64,
    pub dialect: Option<Dialect>,
    pub kind: Kind,
    pub method: String,
    /// Without the query, which may hold a key.
    pub path: String,
    pub model: String,
    /// What a person asked last.
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
const BODIES_BYTES_MAX: usize = 64 * 1024 * 1024;

#[derive(Debug, Default)]
pub struct Log {
    entries: VecDeque<(Request, usize)>,
    last_number: u64,
    bodies_bytes: usize,
}

impl Log {
    /// `body_bytes` is the length of the body as it came.
    pub fn push(&mut self, mut request: Request, body_bytes: usize) {
        self.last_number += 1;
        request.number = self.last_number;
        let kept = if body_bytes > BODY_BYTES_MAX { 0 } else { body_bytes };
        if kept == 0 {
            request.body = Value::Null;
        }
        self.bodies_bytes += kept;
        self.entries.push_back((request, kept));
        while self.entries.len() > REQUESTS_MAX {
            if let Some((_, bytes)) = self.entries.pop_front() {
                self.bodies_bytes -= bytes;
            }
        }
        for (request, bytes) in &mut self.entries {
            if self.bodies_bytes <= BODIES_BYTES_MAX {
                break;
            }
            self.bodies_bytes -= std::mem::take(bytes);
            request.body = Value::Null;
        }
    }

    pub fn after(&self, number: u64) -> Vec<Request> {
        let requests = self.entries.iter().map(|(request, _)| request);
        requests.filter(|request| request.number > number).cloned().collect()
    }
}
