//! Sends an answer, or the fault that is in its place.

use crate::conversation::{Conversation, Dialect};
use crate::dialect::{HttpFailure, ModelMessage};
use crate::http::Connection;
use crate::script::ServiceFault;
use std::io;
use std::time::Duration;

const EVENT_STREAM: &str = "text/event-stream";

/// What the client of a turn is to get.
#[derive(Debug)]
pub struct Delivery<'a> {
    pub dialect: Dialect,
    pub talk: &'a Conversation,
    pub message: &'a ModelMessage,
    pub fault: Option<&'a ServiceFault>,
    /// Gemini streams as one JSON array unless events are asked for.
    pub as_array: bool,
}

impl Delivery<'_> {
    /// The status that the client will see; none when it gets no answer.
    pub fn status(&self) -> Option<u16> {
        match self.fault {
            Some(ServiceFault::Hang) => None,
            Some(ServiceFault::Status { code, .. }) => Some(*code),
            Some(ServiceFault::UsageLimit { .. }) => Some(429),
            Some(ServiceFault::BrokenOff) if !self.streams() => Some(500),
            _ => Some(200),
        }
    }

    /// An error means that the connection is of no more use, be it scripted or not.
    pub fn send(&self, connection: &mut Connection) -> io::Result<()> {
        match self.fault {
            Some(ServiceFault::Hang) => connection.linger(None),
            Some(ServiceFault::Status { code, retry_after, headers, body }) => {
                let mut failure = self.error(*code, *retry_after);
                failure.headers.extend(headers.clone());
                failure.body = body.clone().unwrap_or(failure.body);
                connection.send_json(failure.status, &failure.headers, &failure.body)
            }
            Some(ServiceFault::UsageLimit { resets_in_s }) => {
                let failure = self.dialect.usage_limit(*resets_in_s);
                connection.send_json(failure.status, &failure.headers, &failure.body)
            }
            Some(ServiceFault::Garbage) => self.send_garbage(connection),
            Some(ServiceFault::Delay { ms }) => {
                connection.linger(Some(Duration::from_millis(*ms)))?;
                self.send_answer(connection)
            }
            _ => self.send_answer(connection),
        }
    }

    fn streams(&self) -> bool {
        self.talk.stream && !self.as_array
    }

    fn error(&self, code: u16, retry_after: Option<u64>) -> HttpFailure {
        let words = format!("The script answers with status {code}.");
        match retry_after {
            Some(seconds) => self.dialect.error_with_retry(code, &words, seconds),
            None => {
                let body = self.dialect.error(code, &words);
                HttpFailure { status: code, headers: Vec::new(), body }
            }
        }
    }

    fn send_garbage(&self, connection: &mut Connection) -> io::Result<()> {
        let kind = if self.talk.stream { EVENT_STREAM } else { "application/json" };
        connection.send_bytes(kind, b"<html>\x00\xff{\"half\": [1, \n\ndata: }{\n\n")
    }

    fn send_answer(&self, connection: &mut Connection) -> io::Result<()> {
        if self.streams() {
            let frames = self.dialect.stream(self.message, &self.talk.model);
            return self.send_stream(connection, EVENT_STREAM, &frames);
        }
        let whole = self.dialect.whole(self.message, &self.talk.model);
        let whole = if self.as_array { serde_json::json!([whole]) } else { whole };
        match self.fault {
            Some(ServiceFault::Stall { .. } | ServiceFault::Cut | ServiceFault::Truncated) => {
                self.send_stream(connection, "application/json", &[whole.to_string()])
            }
            Some(ServiceFault::BrokenOff) => {
                let body = self.dialect.error(500, "The script breaks off this answer.");
                connection.send_json(500, &[], &body)
            }
            _ => connection.send_json(200, &[], &whole),
        }
    }

    fn send_stream(
        &self,
        connection: &mut Connection,
        content_type: &str,
        frames: &[String],
    ) -> io::Result<()> {
        let (first, second) = halves(frames);
        connection.open_stream(content_type)?;
        for frame in &first {
            connection.send_chunk(frame)?;
        }
        match self.fault {
            Some(ServiceFault::Stall { ms }) => {
                connection.linger(Some(Duration::from_millis(*ms)))?
            }
            Some(ServiceFault::Cut) => return Err(io::ErrorKind::ConnectionAborted.into()),
            Some(ServiceFault::Truncated) => return connection.close_stream(),
            Some(ServiceFault::BrokenOff) => {
                connection.send_chunk(&self.dialect.broken_off())?;
                return connection.close_stream();
            }
            _ => {}
        }
        for frame in &second {
            connection.send_chunk(frame)?;
        }
        connection.close_stream()
    }
}

/// The frames before and after the middle; a single frame is itself cut in two.
fn halves(frames: &[String]) -> (Vec<&str>, Vec<&str>) {
    if let [only] = frames {
        let middle = (0..=only.len() / 2).rfind(|at| only.is_char_boundary(*at));
        let (first, second) = only.split_at(middle.unwrap_or_default());
        return (vec![first], vec![second]);
    }
    let (first, second) = frames.split_at(frames.len() / 2);
    (first.iter().map(String::as_str).collect(), second.iter().map(String::as_str).collect())
}
