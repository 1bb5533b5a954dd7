//! The wire formats: how each reads a request and writes a message, a stream and an error.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use crate::conversation::{Conversation, Dialect};
use crate::script::{StopReason, Usage};
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// What the model says in one response.
#[derive(Debug, Default)]
pub struct ModelMessage {
    pub thinking: Option<String>,
    pub text: Option<String>,
    pub calls: Vec<PlacedCall>,
    pub ending: StopReason,
    pub usage: Usage,
}

/// A tool call with the mark that its result will carry back.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedCall {
    pub mark: String,
    pub name: String,
    pub namespace: Option<String>,
    pub input: Input,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Json(Value),
    /// Arguments as the model spelled them, JSON or not.
    Raw(String),
    /// The text of a custom tool.
    Custom(String),
}

impl Input {
    fn spelled(&self) -> String {
        match self {
            Self::Json(value) => value.to_string(),
            Self::Raw(text) | Self::Custom(text) => text.clone(),
        }
    }

    fn value(&self) -> Value {
        match self {
            Self::Json(value) => value.clone(),
            Self::Raw(text) | Self::Custom(text) => {
                serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
            }
        }
    }
}

/// An HTTP error: status, headers and body.
#[derive(Debug)]
pub struct HttpFailure {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Dialect {
    pub fn read(self, request: &Value, path: &str) -> Conversation {
        match self {
            Self::AnthropicMessages => anthropic::read(request),
            Self::OpenaiResponses => responses::read(request),
            Self::OpenaiChat => chat::read(request),
            Self::Gemini => gemini::read(request, path),
        }
    }

    /// The answer as one JSON value.
    pub fn whole(self, message: &ModelMessage, model: &str) -> Value {
        match self {
            Self::AnthropicMessages => anthropic::whole(message, model),
            Self::OpenaiResponses => responses::whole(message, model),
            Self::OpenaiChat => chat::whole(message, model),
            Self::Gemini => gemini::whole(message, model),
        }
    }

    /// The answer as the frames of an event stream.
    pub fn stream(self, message: &ModelMessage, model: &str) -> Vec<String> {
        match self {
            Self::AnthropicMessages => anthropic::stream(message, model),
            Self::OpenaiResponses => responses::stream(message, model),
            Self::OpenaiChat => chat::stream(message, model),
            Self::Gemini => gemini::stream(message, model),
        }
    }

    /// The frame with which the vendor breaks off a stream.
    pub fn broken_off(self) -> String {
        match self {
            Self::AnthropicMessages => anthropic::broken_off(),
            Self::OpenaiResponses => responses::broken_off(),
            Self::OpenaiChat => chat::broken_off(),
            Self::Gemini => gemini::broken_off(),
        }
    }

    /// The body that the vendor sends with an error status.
    pub fn error(self, status: u16, message: &str) -> Value {
        match self {
            Self::AnthropicMessages => anthropic::error(status, message),
            Self::OpenaiResponses | Self::OpenaiChat => openai_error(status, message),
            Self::Gemini => gemini::error(status, message, None),
        }
    }

    /// The same with the time after which the request may be repeated.
    pub fn error_with_retry(self, status: u16, message: &str, retry_after_s: u64) -> HttpFailure {
        let body = match self {
            Self::Gemini => gemini::error(status, message, Some(retry_after_s)),
            _ => self.error(status, message),
        };
        HttpFailure {
            status,
            headers: vec![("retry-after".into(), retry_after_s.to_string())],
            body,
        }
    }

    /// A used-up allowance in the words of the vendor.
    pub fn usage_limit(self, resets_in_s: u64) -> HttpFailure {
        match self {
            Self::AnthropicMessages => anthropic::usage_limit(resets_in_s),
            Self::OpenaiResponses => responses::usage_limit(resets_in_s),
            Self::OpenaiChat => chat::usage_limit(resets_in_s),
            Self::Gemini => gemini::usage_limit(resets_in_s),
        }
    }

    pub fn token_count(self, tokens: u64) -> Value {
        match self {
            Self::Gemini => serde_json::json!({ "totalTokens": tokens }),
            _ => serde_json::json!({ "input_tokens": tokens }),
        }
    }
}

/// Both OpenAI dialects share their errors. A wrong `type` matters: "server_error" makes clients try again forever.
fn openai_error(status: u16, message: &str) -> Value {
    let (kind, code) = match status {
        401 => ("invalid_request_error", Some("invalid_api_key")),
        404 => ("invalid_request_error", Some("model_not_found")),
        429 => ("requests", Some("rate_limit_exceeded")),
        503 => ("server_error", Some("server_is_overloaded")),
        400..=499 => ("invalid_request_error", None),
        _ => ("server_error", None),
    };
    serde_json::json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}

/// One frame of an event stream that names its event.
fn named_frame(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

fn frame(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// An id nobody else has in this process; short, because some clients cut long ones.
fn fresh_id(prefix: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{prefix}{:x}{number:x}", epoch_s())
}

/// The id of a call; the result brings it back, and with it the mark.
fn call_id(prefix: &str, call: &PlacedCall) -> String {
    format!("{}_{}", fresh_id(prefix), call.mark)
}

/// The mark in the id of a call of ours.
pub fn mark_of(call_id: &str) -> &str {
    call_id.rsplit('_').next().unwrap_or_default()
}

fn epoch_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map(|since| since.as_secs()).unwrap_or_default()
}

/// Cuts a text in two, so that streams carry more than one piece of it.
fn halves(text: &str) -> Vec<&str> {
    let middle = (text.len() / 2..=text.len()).find(|at| text.is_char_boundary(*at));
    let (first, second) = text.split_at(middle.unwrap_or(text.len()));
    [first, second].into_iter().filter(|half| !half.is_empty()).collect()
}
