//! OpenAI Chat Completions.

use super::{HttpFailure, ModelMessage, call_id, epoch_s, frame, fresh_id, halves, openai_error};
use crate::conversation::{
    Conversation, ConversationEntry, Tool, ToolResult, list_at, string_at, text_of,
};
use crate::script::{StopReason, Usage};
use serde_json::{Value, json};

pub fn read(request: &Value) -> Conversation {
    let mut talk = Conversation {
        model: string_at(request, "model"),
        stream: request["stream"] == true,
        ..Conversation::default()
    };
    for message in list_at(request, "messages") {
        let text = text_of(&message["content"]);
        match message["role"].as_str() {
            Some("user") => talk.push_user(text),
            Some("assistant") => talk.entries.push(ConversationEntry::Answered(text)),
            Some("tool") => talk.entries.push(ConversationEntry::Result(ToolResult {
                call: string_at(message, "tool_call_id"),
                text,
                failed: false,
            })),
            _ => talk.push_system(&text),
        }
    }
    talk.tools = list_at(request, "tools")
        .iter()
        .map(|tool| match tool["type"].as_str() {
            Some("custom") => {
                Tool { name: string_at(&tool["custom"], "name"), custom: true, ..Tool::default() }
            }
            _ => Tool {
                name: string_at(&tool["function"], "name"),
                schema: tool["function"]["parameters"].clone(),
                ..Tool::default()
            },
        })
        .collect();
    talk
}

pub fn whole(message: &ModelMessage, model: &str) -> Value {
    let mut said = json!({"role": "assistant", "content": message.text});
    if let Some(thinking) = &message.thinking {
        said["reasoning_content"] = thinking.as_str().into();
    }
    if !message.calls.is_empty() {
        said["tool_calls"] = calls(message).into();
    }
    json!({
        "id": fresh_id("chatcmpl-"), "object": "chat.completion", "created": epoch_s(), "model": model,
        "choices": [{"index": 0, "message": said, "finish_reason": finish_reason(message)}],
        "usage": usage(message.usage),
    })
}

pub fn stream(message: &ModelMessage, model: &str) -> Vec<String> {
    let mut deltas = vec![json!({"role": "assistant", "content": ""})];
    if let Some(thinking) = &message.thinking {
        deltas.push(json!({"reasoning_content": thinking}));
    }
    for half in message.text.iter().flat_map(|text| halves(text)) {
        deltas.push(json!({"content": half}));
    }
    for (index, mut call) in calls(message).into_iter().enumerate() {
        call["index"] = index.into();
        deltas.push(json!({"tool_calls": [call]}));
    }
    let (id, created) = (fresh_id("chatcmpl-"), epoch_s());
    let chunk = |choices: Value, usage: Value| {
        frame(&json!({"id": id, "object": "chat.completion.chunk", "created": created,
            "model": model, "choices": choices, "usage": usage}))
    };
    let mut frames: Vec<String> = deltas
        .into_iter()
        .map(|delta| {
            chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]), Value::Null)
        })
        .collect();
    let end = json!([{"index": 0, "delta": {}, "finish_reason": finish_reason(message)}]);
    frames.push(chunk(end, Value::Null));
    frames.push(chunk(json!([]), usage(message.usage)));
    frames.push("data: [DONE]\n\n".to_owned());
    frames
}

fn calls(message: &ModelMessage) -> Vec<Value> {
    message
        .calls
        .iter()
        .map(|call| {
            json!({"id": call_id("call_", call), "type": "function",
                "function": {"name": call.name, "arguments": call.input.spelled()}})
        })
        .collect()
}

fn finish_reason(message: &ModelMessage) -> &'static str {
    match message.ending {
        _ if !message.calls.is_empty() => "tool_calls",
        StopReason::Complete => "stop",
        StopReason::Length => "length",
        StopReason::Refusal => "content_filter",
    }
}

fn usage(usage: Usage) -> Value {
    json!({"prompt_tokens": usage.input, "completion_tokens": usage.output,
        "total_tokens": usage.input.saturating_add(usage.output),
        "completion_tokens_details": {"reasoning_tokens": usage.thinking}})
}

pub fn broken_off() -> String {
    frame(&openai_error(500, "The server had an error while processing your request."))
}

pub fn usage_limit(resets_in_s: u64) -> HttpFailure {
    let message = format!("Rate limit reached. Please try again in {resets_in_s}s.");
    HttpFailure {
        status: 429,
        headers: vec![("retry-after".into(), resets_in_s.to_string())],
        body: openai_error(429, &message),
    }
}
