//! Gemini generateContent and streamGenerateContent.

use super::{HttpFailure, ModelMessage, call_id, frame, fresh_id, halves};
use crate::conversation::{
    Conversation, ConversationEntry, Tool, ToolResult, list_at, string_at, text_of,
};
use crate::script::{StopReason, Usage};
use serde_json::{Value, json};

pub fn read(request: &Value, path: &str) -> Conversation {
    let mut talk = Conversation {
        model: model_in(path).to_owned(),
        stream: path.contains(":streamGenerateContent"),
        system: text_of(&request["systemInstruction"]["parts"]),
        ..Conversation::default()
    };
    for content in list_at(request, "contents") {
        read_content(content, &mut talk);
    }
    talk.tools = list_at(request, "tools")
        .iter()
        .flat_map(|group| list_at(group, "functionDeclarations"))
        .map(|tool| Tool {
            name: string_at(tool, "name"),
            schema: match &tool["parametersJsonSchema"] {
                Value::Null => tool["parameters"].clone(),
                schema => schema.clone(),
            },
            ..Tool::default()
        })
        .collect();
    talk
}

/// The part of `…/models/NAME:method` that names the model.
fn model_in(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split(':').next().unwrap_or_default()
}

fn read_content(content: &Value, talk: &mut Conversation) {
    let text = text_of(&content["parts"]);
    if content["role"] == "model" {
        return talk.entries.push(ConversationEntry::Answered(text));
    }
    let mut results = 0;
    for result in list_at(content, "parts").iter().map(|part| &part["functionResponse"]) {
        if result.is_object() {
            results += 1;
            let response = &result["response"];
            talk.entries.push(ConversationEntry::Result(ToolResult {
                call: string_at(result, "id"),
                text: response.to_string(),
                failed: !response["error"].is_null(),
            }));
        }
    }
    match results {
        0 => talk.push_user(text),
        _ if !text.is_empty() => talk.entries.push(ConversationEntry::Note(text)),
        _ => {}
    }
}

pub fn whole(message: &ModelMessage, model: &str) -> Value {
    response(message, model, &parts(message, |text| vec![text]), true)
}

pub fn stream(message: &ModelMessage, model: &str) -> Vec<String> {
    let parts = parts(message, halves);
    let mut chunks: Vec<&[Value]> = parts.chunks(1).collect();
    if chunks.is_empty() {
        chunks.push(&[]);
    }
    let last = chunks.len() - 1;
    chunks
        .into_iter()
        .enumerate()
        .map(|(index, chunk)| frame(&response(message, model, chunk, index == last)))
        .collect()
}

fn parts(message: &ModelMessage, pieces: fn(&str) -> Vec<&str>) -> Vec<Value> {
    let mut parts = Vec::new();
    if let Some(thinking) = &message.thinking {
        parts.push(json!({"text": thinking, "thought": true}));
    }
    for piece in message.text.iter().flat_map(|text| pieces(text)) {
        parts.push(json!({"text": piece}));
    }
    for call in &message.calls {
        parts.push(json!({"thoughtSignature": "c3RhbmQtaW4=", "functionCall": {
            "id": call_id("call_", call), "name": call.name, "args": call.input.value()}}));
    }
    parts
}

fn response(message: &ModelMessage, model: &str, parts: &[Value], last: bool) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if last {
        candidate["finishReason"] = match message.ending {
            StopReason::Complete => "STOP",
            StopReason::Length => "MAX_TOKENS",
            StopReason::Refusal => "SAFETY",
        }
        .into();
    }
    json!({
        "candidates": [candidate], "modelVersion": model, "responseId": fresh_id("r"),
        "usageMetadata": usage(message.usage),
    })
}

/// Thinking is beside the candidates here, where the other vendors count it among the output.
fn usage(usage: Usage) -> Value {
    json!({
        "promptTokenCount": usage.input,
        "candidatesTokenCount": usage.output.saturating_sub(usage.thinking),
        "thoughtsTokenCount": usage.thinking,
        "totalTokenCount": usage.input.saturating_add(usage.output),
    })
}

pub fn broken_off() -> String {
    frame(&error(503, "The model is overloaded. Please try again later.", None))
}

pub fn error(status: u16, message: &str, retry_after_s: Option<u64>) -> Value {
    let name = match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        409 => "ABORTED",
        429 => "RESOURCE_EXHAUSTED",
        499 => "CANCELLED",
        400..=498 => "INVALID_ARGUMENT",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        _ => "INTERNAL",
    };
    let mut body = json!({"error": {"code": status, "message": message, "status": name}});
    if let Some(seconds) = retry_after_s {
        body["error"]["details"] = json!([retry_info(seconds)]);
    }
    body
}

fn retry_info(seconds: u64) -> Value {
    json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{seconds}s")})
}

pub fn usage_limit(resets_in_s: u64) -> HttpFailure {
    let message = format!(
        "You exceeded your current quota, please check your plan and billing details. Please retry in {resets_in_s}s."
    );
    let mut body = error(429, &message, None);
    body["error"]["details"] = json!([
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{
            "quotaMetric": "generativelanguage.googleapis.com/generate_requests_per_model_per_day",
            "quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]},
        retry_info(resets_in_s),
    ]);
    HttpFailure { status: 429, headers: Vec::new(), body }
}
