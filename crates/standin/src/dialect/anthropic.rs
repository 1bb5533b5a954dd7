//! Anthropic Messages.

use super::{HttpFailure, ModelMessage, call_id, epoch_s, fresh_id, halves, named_frame};
use crate::conversation::{
    Conversation, ConversationEntry, Tool, ToolResult, list_at, string_at, text_of,
};
use crate::script::{StopReason, Usage};
use serde_json::{Value, json};

pub fn read(request: &Value) -> Conversation {
    let mut talk = Conversation {
        model: string_at(request, "model"),
        stream: request["stream"] == true,
        system: text_of(&request["system"]),
        ..Conversation::default()
    };
    for message in list_at(request, "messages") {
        read_message(message, &mut talk);
    }
    talk.tools = list_at(request, "tools")
        .iter()
        .map(|tool| Tool {
            name: string_at(tool, "name"),
            schema: tool["input_schema"].clone(),
            ..Tool::default()
        })
        .collect();
    talk
}

fn read_message(message: &Value, talk: &mut Conversation) {
    let content = &message["content"];
    match message["role"].as_str() {
        Some("assistant") => talk.entries.push(ConversationEntry::Answered(text_of(content))),
        Some("user") => {
            let results = content.as_array().map(Vec::as_slice).unwrap_or_default();
            let results: Vec<_> =
                results.iter().filter(|part| part["type"] == "tool_result").collect();
            for result in &results {
                talk.entries.push(ConversationEntry::Result(ToolResult {
                    call: string_at(result, "tool_use_id"),
                    text: text_of(&result["content"]),
                    failed: result["is_error"] == true,
                }));
            }
            match (results.is_empty(), text_of(content)) {
                (true, text) => talk.push_user(text),
                // Words beside a result are reminders of the agent, not a new question.
                (false, text) if !text.is_empty() => {
                    talk.entries.push(ConversationEntry::Note(text))
                }
                _ => {}
            }
        }
        _ => talk.entries.push(ConversationEntry::Note(text_of(content))),
    }
}

pub fn whole(message: &ModelMessage, model: &str) -> Value {
    let content: Vec<Value> = blocks(message).into_iter().map(|block| block.whole).collect();
    json!({
        "id": fresh_id("msg_"), "type": "message", "role": "assistant", "model": model,
        "content": content, "stop_reason": stop_reason(message), "stop_sequence": null,
        "usage": usage(message.usage, message.usage.output),
    })
}

pub fn stream(message: &ModelMessage, model: &str) -> Vec<String> {
    let mut frames = Vec::new();
    let mut send = |data: Value| {
        frames.push(named_frame(data["type"].as_str().unwrap_or_default(), &data));
    };
    send(json!({"type": "message_start", "message": {
        "id": fresh_id("msg_"), "type": "message", "role": "assistant", "model": model,
        "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": usage(message.usage, 1),
    }}));
    for (index, block) in blocks(message).into_iter().enumerate() {
        send(json!({"type": "content_block_start", "index": index, "content_block": block.start}));
        for delta in block.deltas {
            send(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        send(json!({"type": "content_block_stop", "index": index}));
    }
    send(json!({"type": "message_delta",
        "delta": {"stop_reason": stop_reason(message), "stop_sequence": null},
        "usage": {"output_tokens": message.usage.output}}));
    send(json!({"type": "message_stop"}));
    frames
}

pub fn broken_off() -> String {
    named_frame("error", &error(529, "Overloaded"))
}

pub fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        400..=499 => "invalid_request_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": fresh_id("req_")})
}

pub fn usage_limit(resets_in_s: u64) -> HttpFailure {
    let reset = epoch_s().saturating_add(resets_in_s).to_string();
    let headers = [
        ("retry-after", resets_in_s.to_string()),
        ("anthropic-ratelimit-unified-status", "rejected".into()),
        ("anthropic-ratelimit-unified-reset", reset.clone()),
        ("anthropic-ratelimit-unified-representative-claim", "five_hour".into()),
        ("anthropic-ratelimit-unified-5h-status", "rejected".into()),
        ("anthropic-ratelimit-unified-5h-reset", reset),
    ];
    HttpFailure {
        status: 429,
        headers: headers.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        body: error(
            429,
            "This request would exceed your account's rate limit. Please try again later.",
        ),
    }
}

/// A content block: at once, and in pieces.
struct Block {
    whole: Value,
    start: Value,
    deltas: Vec<Value>,
}

fn blocks(message: &ModelMessage) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(thinking) = &message.thinking {
        blocks.push(Block {
            whole: json!({"type": "thinking", "thinking": thinking, "signature": "c3RhbmQtaW4="}),
            start: json!({"type": "thinking", "thinking": "", "signature": ""}),
            deltas: vec![
                json!({"type": "thinking_delta", "thinking": thinking}),
                json!({"type": "signature_delta", "signature": "c3RhbmQtaW4="}),
            ],
        });
    }
    if let Some(text) = &message.text {
        blocks.push(Block {
            whole: json!({"type": "text", "text": text}),
            start: json!({"type": "text", "text": ""}),
            deltas: halves(text)
                .into_iter()
                .map(|half| json!({"type": "text_delta", "text": half}))
                .collect(),
        });
    }
    for call in &message.calls {
        let id = call_id("toolu_", call);
        let spelled = call.input.spelled();
        blocks.push(Block {
            whole: json!({"type": "tool_use", "id": id, "name": call.name, "input": call.input.value()}),
            start: json!({"type": "tool_use", "id": id, "name": call.name, "input": {}}),
            deltas: halves(&spelled)
                .into_iter()
                .map(|half| json!({"type": "input_json_delta", "partial_json": half}))
                .collect(),
        });
    }
    blocks
}

fn stop_reason(message: &ModelMessage) -> &'static str {
    match message.ending {
        _ if !message.calls.is_empty() => "tool_use",
        StopReason::Complete => "end_turn",
        StopReason::Length => "max_tokens",
        StopReason::Refusal => "refusal",
    }
}

fn usage(usage: Usage, output: u64) -> Value {
    json!({"input_tokens": usage.input, "output_tokens": output,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0})
}
