//! The messages of the model, put together from their pieces without a change: the last one is the reply.

use crate::event::AgentEvent;
use crate::words;
use serde_json::Value;

#[derive(Debug, Default)]
pub struct Messages {
    /// The one that is being said, and its name where it has one.
    now: String,
    name: Option<String>,
    last: Option<String>,
}

impl Messages {
    pub fn heard(&mut self, update: &Value, events: &mut Vec<AgentEvent>) {
        // What a model says to another one that works for it is no message to us.
        if !update["_meta"]["claudeCode"]["parentToolUseId"].is_null() {
            return;
        }
        let name = update["messageId"].as_str();
        if name != self.name.as_deref() {
            self.end(events);
        }
        self.name = name.map(str::to_owned);
        let content = &update["content"];
        if content["type"] == "text"
            && let Some(piece) = content["text"].as_str()
        {
            words::add_piece(&mut self.now, piece);
        }
    }

    /// A tool has ended: only where messages have no names is that the end of what was said before.
    pub fn pause(&mut self, events: &mut Vec<AgentEvent>) {
        if self.name.is_none() {
            self.end(events);
        }
    }

    /// Something else begins.
    pub fn end(&mut self, events: &mut Vec<AgentEvent>) {
        self.name = None;
        let text = std::mem::take(&mut self.now);
        if !text.trim().is_empty() {
            events.push(AgentEvent::Text { text: text.clone() });
            self.last = Some(text);
        }
    }

    pub fn last(&mut self) -> Option<String> {
        self.last.take()
    }
}
