//! An agent in a few lines for each dialect: it asks, carries out no tool, and says that it did.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::support::{Reply, post};
use serde_json::{Value, json};
use tollgate_standin::{Dialect, Service};

/// A tool call as the agent understood it.
#[derive(Debug, PartialEq)]
pub struct Called {
    id: String,
    pub name: String,
    pub input: Value,
}

#[derive(Debug)]
pub struct Agent {
    pub dialect: Dialect,
    pub stream: bool,
    pub tools: Vec<Value>,
    pub messages: Vec<Value>,
}

/// What the model said last, and what it called on the way.
#[derive(Debug)]
pub struct Turn {
    pub calls: Vec<Called>,
    pub text: String,
}

pub const DIALECTS: [Dialect; 4] =
    [Dialect::AnthropicMessages, Dialect::OpenaiResponses, Dialect::OpenaiChat, Dialect::Gemini];

/// A function tool whose arguments are all strings.
pub fn tool(name: &str, arguments: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> =
        arguments.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    json!({"name": name, "schema": {"type": "object", "properties": properties, "required": arguments}})
}

impl Agent {
    pub fn new(dialect: Dialect, stream: bool, tools: Vec<Value>) -> Self {
        Self { dialect, stream, tools, messages: Vec::new() }
    }

    /// Asks, and continues until the model calls no more tools.
    pub fn turn(&mut self, service: &Service, asked: &str) -> Turn {
        self.say(asked);
        let mut calls = Vec::new();
        for _ in 0..20 {
            let (text, called) = self.request(service);
            if called.is_empty() {
                return Turn { calls, text };
            }
            for call in called {
                self.add_result(&call, "done", false);
                calls.push(call);
            }
        }
        panic!("the model never ends its turn: {calls:?}");
    }

    pub fn say(&mut self, text: &str) {
        self.messages.push(match self.dialect {
            Dialect::AnthropicMessages | Dialect::OpenaiChat => {
                json!({"role": "user", "content": text})
            }
            Dialect::OpenaiResponses => json!({"type": "message", "role": "user",
                "content": [{"type": "input_text", "text": text}]}),
            Dialect::Gemini => json!({"role": "user", "parts": [{"text": text}]}),
        });
    }

    pub fn add_result(&mut self, call: &Called, text: &str, failed: bool) {
        self.messages.push(match self.dialect {
            Dialect::AnthropicMessages => json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": call.id, "content": text, "is_error": failed},
                {"type": "text", "text": "<system-reminder>continue</system-reminder>"}]}),
            Dialect::OpenaiResponses => {
                json!({"type": "function_call_output", "call_id": call.id, "output": text})
            }
            Dialect::OpenaiChat => json!({"role": "tool", "tool_call_id": call.id, "content": text}),
            Dialect::Gemini => {
                let key = if failed { "error" } else { "output" };
                json!({"role": "user", "parts": [
                    {"functionResponse": {"id": call.id, "name": call.name, "response": {key: text}}}]})
            }
        });
    }

    pub fn request(&self, service: &Service) -> (String, Vec<Called>) {
        let reply = self.ask(service);
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert!(reply.whole);
        match (self.dialect, self.stream) {
            (Dialect::AnthropicMessages, true) => anthropic_stream(&reply),
            (Dialect::AnthropicMessages, false) => anthropic_whole(&reply),
            (Dialect::OpenaiResponses, stream) => responses(&reply, stream),
            (Dialect::OpenaiChat, stream) => chat(&reply, stream),
            (Dialect::Gemini, stream) => gemini(&reply, stream),
        }
    }

    pub fn ask(&self, service: &Service) -> Reply {
        post(service, self.path(), &self.body())
    }

    pub fn path(&self) -> &'static str {
        match (self.dialect, self.stream) {
            (Dialect::AnthropicMessages, _) => "/v1/messages?beta=true",
            (Dialect::OpenaiResponses, _) => "/v1/responses",
            (Dialect::OpenaiChat, _) => "/s/one/v1/chat/completions",
            (Dialect::Gemini, true) => "/v1beta/models/m:streamGenerateContent?alt=sse&key=k",
            (Dialect::Gemini, false) => "/v1beta/models/m:generateContent",
        }
    }

    pub fn body(&self) -> Value {
        let tools: Vec<Value> = self.tools.iter().map(|tool| self.offered(tool)).collect();
        match self.dialect {
            Dialect::OpenaiResponses => {
                json!({"model": "m", "stream": self.stream, "input": self.messages, "tools": tools})
            }
            Dialect::Gemini => {
                json!({"contents": self.messages, "tools": [{"functionDeclarations": tools}]})
            }
            _ => {
                json!({"model": "m", "stream": self.stream, "messages": self.messages, "tools": tools})
            }
        }
    }

    fn offered(&self, tool: &Value) -> Value {
        let (name, schema) = (&tool["name"], &tool["schema"]);
        match self.dialect {
            _ if tool["type"] == "custom" => tool.clone(),
            Dialect::AnthropicMessages => json!({"name": name, "input_schema": schema}),
            Dialect::OpenaiResponses => {
                json!({"type": "function", "name": name, "parameters": schema})
            }
            Dialect::OpenaiChat => {
                json!({"type": "function", "function": {"name": name, "parameters": schema}})
            }
            Dialect::Gemini => json!({"name": name, "parametersJsonSchema": schema}),
        }
    }
}

fn string(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn parsed(value: &Value) -> Value {
    serde_json::from_str(value.as_str().unwrap()).unwrap()
}

fn anthropic_whole(reply: &Reply) -> (String, Vec<Called>) {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for block in reply.json()["content"].as_array().unwrap() {
        match block["type"].as_str().unwrap() {
            "text" => text.push_str(block["text"].as_str().unwrap()),
            "tool_use" => calls.push(Called {
                id: string(&block["id"]),
                name: string(&block["name"]),
                input: block["input"].clone(),
            }),
            _ => {}
        }
    }
    (text, calls)
}

fn anthropic_stream(reply: &Reply) -> (String, Vec<Called>) {
    let (mut text, mut calls, mut spelled) = (String::new(), Vec::<Called>::new(), String::new());
    let events = reply.events();
    assert_eq!(events.last().unwrap()["type"], "message_stop");
    for event in &events {
        let block = &event["content_block"];
        if block["type"] == "tool_use" {
            spelled.clear();
            let (id, name) = (string(&block["id"]), string(&block["name"]));
            calls.push(Called { id, name, input: Value::Null });
        }
        text.push_str(event["delta"]["text"].as_str().unwrap_or_default());
        if let Some(part) = event["delta"]["partial_json"].as_str() {
            spelled.push_str(part);
        }
        if event["type"] == "content_block_stop" && !spelled.is_empty() {
            calls.last_mut().unwrap().input = serde_json::from_str(&spelled).unwrap();
        }
    }
    (text, calls)
}

fn responses(reply: &Reply, stream: bool) -> (String, Vec<Called>) {
    let items: Vec<Value> = if stream {
        let events = reply.events();
        assert_eq!(events.last().unwrap()["type"], "response.completed");
        let done = events.iter().filter(|event| event["type"] == "response.output_item.done");
        done.map(|event| event["item"].clone()).collect()
    } else {
        reply.json()["output"].as_array().unwrap().clone()
    };
    let (mut text, mut calls) = (String::new(), Vec::new());
    for item in &items {
        let input = match item["type"].as_str().unwrap() {
            "message" => {
                text.push_str(item["content"][0]["text"].as_str().unwrap());
                continue;
            }
            "custom_tool_call" => item["input"].clone(),
            "function_call" => parsed(&item["arguments"]),
            _ => continue,
        };
        calls.push(Called { id: string(&item["call_id"]), name: string(&item["name"]), input });
    }
    (text, calls)
}

fn chat(reply: &Reply, stream: bool) -> (String, Vec<Called>) {
    let messages: Vec<Value> = if stream {
        assert!(reply.body.ends_with("data: [DONE]\n\n"));
        reply.events().iter().map(|event| event["choices"][0]["delta"].clone()).collect()
    } else {
        vec![reply.json()["choices"][0]["message"].clone()]
    };
    let (mut text, mut calls) = (String::new(), Vec::new());
    for message in &messages {
        text.push_str(message["content"].as_str().unwrap_or_default());
        for call in message["tool_calls"].as_array().unwrap_or(&Vec::new()) {
            calls.push(Called {
                id: string(&call["id"]),
                name: string(&call["function"]["name"]),
                input: parsed(&call["function"]["arguments"]),
            });
        }
    }
    (text, calls)
}

fn gemini(reply: &Reply, stream: bool) -> (String, Vec<Called>) {
    let chunks = if stream { reply.events() } else { vec![reply.json()] };
    assert_eq!(chunks.last().unwrap()["candidates"][0]["finishReason"], "STOP");
    let (mut text, mut calls) = (String::new(), Vec::new());
    for chunk in &chunks {
        for part in chunk["candidates"][0]["content"]["parts"].as_array().unwrap() {
            if part["thought"] != true {
                text.push_str(part["text"].as_str().unwrap_or_default());
            }
            let call = &part["functionCall"];
            if call.is_object() {
                let (id, name) = (string(&call["id"]), string(&call["name"]));
                calls.push(Called { id, name, input: call["args"].clone() });
            }
        }
    }
    (text, calls)
}
