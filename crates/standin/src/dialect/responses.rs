//! OpenAI Responses.

use super::{
    HttpFailure, Input, ModelMessage, call_id, epoch_s, fresh_id, halves, named_frame, openai_error,
};
use crate::conversation::{
    Conversation, ConversationEntry, Tool, ToolResult, list_at, string_at, text_of,
};
use crate::script::StopReason;
use serde_json::{Value, json};

pub fn read(request: &Value) -> Conversation {
    let mut talk = Conversation {
        model: string_at(request, "model"),
        stream: request["stream"] == true,
        system: text_of(&request["instructions"]),
        ..Conversation::default()
    };
    if let Some(text) = request["input"].as_str() {
        talk.push_user(text.to_owned());
    }
    for item in list_at(request, "input") {
        read_item(item, &mut talk);
    }
    for tool in list_at(request, "tools") {
        read_tool(tool, None, &mut talk.tools);
    }
    talk
}

fn read_item(item: &Value, talk: &mut Conversation) {
    match (item["type"].as_str().unwrap_or("message"), item["role"].as_str()) {
        ("message", Some("user")) => talk.push_user(text_of(&item["content"])),
        ("message", Some("assistant")) => {
            talk.entries.push(ConversationEntry::Answered(text_of(&item["content"])));
        }
        // Some models of Codex are told of their tools in the conversation.
        ("additional_tools", _) => {
            for tool in list_at(item, "tools") {
                read_tool(tool, None, &mut talk.tools);
            }
        }
        ("message", _) => talk.push_system(&text_of(&item["content"])),
        ("function_call_output" | "custom_tool_call_output", _) => {
            talk.entries.push(ConversationEntry::Result(ToolResult {
                call: string_at(item, "call_id"),
                text: text_of(&item["output"]),
                failed: item["status"] == "incomplete",
            }));
        }
        _ => {}
    }
}

/// A tool, or a group of them: tools of other servers come under a name of their own.
fn read_tool(tool: &Value, namespace: Option<&str>, tools: &mut Vec<Tool>) {
    if tool["type"] == "namespace" {
        for inner in list_at(tool, "tools") {
            if inner["type"] != "namespace" {
                read_tool(inner, tool["name"].as_str(), tools);
            }
        }
        return;
    }
    tools.push(Tool {
        name: tool["name"].as_str().or(tool["type"].as_str()).unwrap_or_default().to_owned(),
        namespace: namespace.map(str::to_owned),
        custom: tool["type"] == "custom",
        schema: tool["parameters"].clone(),
    });
}

pub fn whole(message: &ModelMessage, model: &str) -> Value {
    response(message, model, &items(message))
}

pub fn stream(message: &ModelMessage, model: &str) -> Vec<String> {
    let items = items(message);
    let response = response(message, model, &items);
    let mut opening = response.clone();
    opening["status"] = "in_progress".into();
    opening["output"] = json!([]);
    opening["usage"] = Value::Null;
    opening["incomplete_details"] = Value::Null;
    let mut events = vec![json!({"type": "response.created", "response": opening})];
    for (index, item) in items.iter().enumerate() {
        stream_item(index, item, &mut events);
    }
    let last = match message.ending {
        StopReason::Complete => "response.completed",
        StopReason::Length | StopReason::Refusal => "response.incomplete",
    };
    events.push(json!({"type": last, "response": response}));
    events
        .into_iter()
        .enumerate()
        .map(|(number, mut event)| {
            event["sequence_number"] = number.into();
            named_frame(event["type"].as_str().unwrap_or_default(), &event)
        })
        .collect()
}

fn stream_item(index: usize, item: &Value, events: &mut Vec<Value>) {
    let id = &item["id"];
    let mut start = item.clone();
    let mut within = Vec::new();
    match item["type"].as_str() {
        Some("message") => {
            start["content"] = json!([]);
            start["status"] = "in_progress".into();
            let text = item["content"][0]["text"].as_str().unwrap_or_default();
            let at = json!({"item_id": id, "output_index": index, "content_index": 0});
            let empty = json!({"type": "output_text", "text": "", "annotations": []});
            within.push(event("response.content_part.added", &at, "part", empty));
            for half in halves(text) {
                within.push(event("response.output_text.delta", &at, "delta", half.into()));
            }
            within.push(event("response.output_text.done", &at, "text", text.into()));
            let part = item["content"][0].clone();
            within.push(event("response.content_part.done", &at, "part", part));
        }
        Some("function_call") => {
            start["arguments"] = "".into();
            start["status"] = "in_progress".into();
            let arguments = item["arguments"].as_str().unwrap_or_default();
            let at = json!({"item_id": id, "output_index": index});
            for half in halves(arguments) {
                let name = "response.function_call_arguments.delta";
                within.push(event(name, &at, "delta", half.into()));
            }
            let name = "response.function_call_arguments.done";
            within.push(event(name, &at, "arguments", arguments.into()));
        }
        Some("custom_tool_call") => {
            start["input"] = "".into();
            start["status"] = "in_progress".into();
            let at = json!({"item_id": id, "output_index": index});
            for half in halves(item["input"].as_str().unwrap_or_default()) {
                let name = "response.custom_tool_call_input.delta";
                within.push(event(name, &at, "delta", half.into()));
            }
            let name = "response.custom_tool_call_input.done";
            within.push(event(name, &at, "input", item["input"].clone()));
        }
        _ => {}
    }
    events
        .push(json!({"type": "response.output_item.added", "output_index": index, "item": start}));
    events.append(&mut within);
    events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
}

fn event(name: &str, at: &Value, key: &str, value: Value) -> Value {
    let mut event = at.clone();
    event["type"] = name.into();
    event[key] = value;
    event
}

fn response(message: &ModelMessage, model: &str, items: &[Value]) -> Value {
    let (status, incomplete) = match message.ending {
        StopReason::Complete => ("completed", Value::Null),
        StopReason::Length => ("incomplete", json!({"reason": "max_output_tokens"})),
        StopReason::Refusal => ("incomplete", json!({"reason": "content_filter"})),
    };
    let usage = message.usage;
    json!({
        "id": fresh_id("resp_"), "object": "response", "created_at": epoch_s(), "status": status,
        "model": model, "output": items, "error": null, "incomplete_details": incomplete,
        "parallel_tool_calls": true, "tool_choice": "auto", "tools": [],
        "usage": {
            "input_tokens": usage.input, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": usage.thinking},
            "total_tokens": usage.input.saturating_add(usage.output),
        },
    })
}

fn items(message: &ModelMessage) -> Vec<Value> {
    let mut items = Vec::new();
    if let Some(thinking) = &message.thinking {
        items.push(
            json!({"type": "reasoning", "id": fresh_id("rs_"), "encrypted_content": "c3RhbmQtaW4=",
            "summary": [{"type": "summary_text", "text": thinking}]}),
        );
    }
    if let Some(text) = &message.text {
        items.push(json!({"type": "message", "id": fresh_id("msg_"), "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}]}));
    }
    for call in &message.calls {
        let call_id = call_id("call_", call);
        let mut item = match &call.input {
            Input::Custom(text) => json!({"type": "custom_tool_call", "id": fresh_id("ctc_"),
                "call_id": call_id, "name": call.name, "input": text, "status": "completed"}),
            input => json!({"type": "function_call", "id": fresh_id("fc_"), "call_id": call_id,
                "name": call.name, "arguments": input.spelled(), "status": "completed"}),
        };
        if let Some(namespace) = &call.namespace {
            item["namespace"] = namespace.as_str().into();
        }
        items.push(item);
    }
    items
}

pub fn broken_off() -> String {
    let event = json!({"type": "response.failed", "sequence_number": 999, "response": {
        "id": fresh_id("resp_"), "object": "response", "created_at": epoch_s(), "status": "failed",
        "error": {"code": "server_error", "message": "The server had an error while processing your request."},
        "output": [], "usage": null, "incomplete_details": null,
    }});
    named_frame("response.failed", &event)
}

pub fn usage_limit(resets_in_s: u64) -> HttpFailure {
    let mut body = openai_error(429, "The usage limit has been reached");
    let resets_at = epoch_s().saturating_add(resets_in_s);
    body["error"] = json!({"type": "usage_limit_reached", "message": "The usage limit has been reached",
        "plan_type": "plus", "resets_at": resets_at, "resets_in_seconds": resets_in_s});
    HttpFailure { status: 429, headers: Vec::new(), body }
}
