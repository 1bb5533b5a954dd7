//! JSON-RPC 2.0 as ACP uses it: one message a line, requests and notifications both ways.

use serde_json::{Value, json};

/// JSON-RPC's and ACP's own numbers for what went wrong.
pub const METHOD_NOT_FOUND: i64 = -32601;
pub const INVALID_PARAMS: i64 = -32602;
pub const INTERNAL_ERROR: i64 = -32603;
pub const AUTH_REQUIRED: i64 = -32000;
pub const NOT_FOUND: i64 = -32002;

/// What a line says.
#[derive(Debug, PartialEq)]
pub enum RpcMessage<'a> {
    Request {
        id: &'a Value,
        method: &'a str,
        params: &'a Value,
    },
    Notification {
        method: &'a str,
        params: &'a Value,
    },
    /// The answer to a request of ours.
    Answer {
        id: u64,
        outcome: Result<&'a Value, RpcError>,
    },
    /// Nothing that can be followed.
    Other,
}

/// An error that the other end answered with.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    pub code: i64,
    pub message: String,
    pub data: Value,
}

pub fn read(line: &Value) -> RpcMessage<'_> {
    let (id, params) = (line.get("id").filter(|id| !id.is_null()), &line["params"]);
    match (line["method"].as_str(), id) {
        (Some(method), Some(id)) => RpcMessage::Request { id, method, params },
        (Some(method), None) => RpcMessage::Notification { method, params },
        // Ours are whole numbers; some answer with the same number as text.
        (None, Some(id)) => {
            let number = id.as_u64().or_else(|| id.as_str().and_then(|text| text.parse().ok()));
            match (number, line.get("error"), line.get("result")) {
                (Some(id), Some(error), _) if !error.is_null() => {
                    RpcMessage::Answer { id, outcome: Err(failure(error)) }
                }
                (Some(id), _, Some(result)) => RpcMessage::Answer { id, outcome: Ok(result) },
                _ => RpcMessage::Other,
            }
        }
        (None, None) => RpcMessage::Other,
    }
}

fn failure(error: &Value) -> RpcError {
    RpcError {
        code: error["code"].as_i64().unwrap_or(INTERNAL_ERROR),
        message: error["message"].as_str().unwrap_or_default().to_owned(),
        data: error["data"].clone(),
    }
}

pub fn request(id: u64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

pub fn result(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

pub fn error(id: &Value, refusal: &RpcRefusal) -> Value {
    let error = json!({ "code": refusal.code, "message": refusal.message });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// Why a request of the agent is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcRefusal {
    pub code: i64,
    pub message: String,
}

impl RpcRefusal {
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
