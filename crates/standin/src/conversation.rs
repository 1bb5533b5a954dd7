//! A request of any dialect, reduced to what the rules and the answers look at.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    AnthropicMessages,
    OpenaiResponses,
    OpenaiChat,
    Gemini,
}

/// What a request was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// A turn of the agent.
    Turn,
    /// Something the agent asks beside its turns: a title, a route, a review, its memory.
    Side,
    CountTokens,
    Models,
    /// An attempt to open a WebSocket, which is refused.
    Upgrade,
    Other,
}

/// The conversation a request carries.
#[derive(Debug, Default)]
pub struct Conversation {
    pub model: String,
    pub stream: bool,
    pub system: String,
    pub entries: Vec<ConversationEntry>,
    pub tools: Vec<Tool>,
}

#[derive(Debug, PartialEq)]
pub enum ConversationEntry {
    /// Words of a person.
    Asked(String),
    /// Words that the agent adds of its own accord.
    Note(String),
    Answered(String),
    Result(ToolResult),
}

#[derive(Debug, PartialEq)]
pub struct ToolResult {
    /// The id that the call had.
    pub call: String,
    pub text: String,
    /// The agent marked it as an error; only some dialects can.
    pub failed: bool,
}

#[derive(Debug, Default)]
pub struct Tool {
    pub name: String,
    pub namespace: Option<String>,
    /// Takes text instead of JSON.
    pub custom: bool,
    /// The JSON schema of its arguments.
    pub schema: Value,
}

impl Conversation {
    pub fn kind(&self) -> RequestKind {
        let opening = self.entries.iter().find_map(|entry| match entry {
            ConversationEntry::Asked(text) | ConversationEntry::Note(text) => Some(text.as_str()),
            _ => None,
        });
        let texts = [self.system.as_str(), opening.unwrap_or_default(), self.asked()];
        let side = SIDE_MARKS.iter().any(|mark| texts.iter().any(|text| text.contains(mark)));
        if side { RequestKind::Side } else { RequestKind::Turn }
    }

    /// What a person asked last.
    pub fn asked(&self) -> &str {
        self.entries
            .iter()
            .rev()
            .find_map(|entry| match entry {
                ConversationEntry::Asked(text) => Some(text.as_str()),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// The last message: of a person, or the result of a tool.
    pub fn last(&self) -> &str {
        self.entries
            .iter()
            .rev()
            .find_map(|entry| match entry {
                ConversationEntry::Asked(text) => Some(text.as_str()),
                ConversationEntry::Result(result) => Some(result.text.as_str()),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// The results of tools since a person asked last.
    pub fn results(&self) -> impl Iterator<Item = &ToolResult> {
        let start =
            self.entries.iter().rposition(|entry| matches!(entry, ConversationEntry::Asked(_)));
        self.entries[start.unwrap_or_default()..].iter().filter_map(|entry| match entry {
            ConversationEntry::Result(result) => Some(result),
            _ => None,
        })
    }

    pub fn contains(&self, wanted: &str) -> bool {
        self.system.contains(wanted)
            || self.entries.iter().any(|entry| match entry {
                ConversationEntry::Asked(text)
                | ConversationEntry::Note(text)
                | ConversationEntry::Answered(text) => text.contains(wanted),
                ConversationEntry::Result(result) => result.text.contains(wanted),
            })
    }

    /// Adds a message with the role of a person. What the agent put around the words of the person is kept apart, so
    /// that a condition on what was asked cannot be met by it.
    pub fn push_user(&mut self, text: String) {
        let own = without_context(&text);
        let own = own.trim();
        if own.is_empty() {
            return self.entries.push(ConversationEntry::Note(text));
        }
        let own = own.to_owned();
        if own != text.trim() {
            self.entries.push(ConversationEntry::Note(text));
        }
        self.entries.push(ConversationEntry::Asked(own));
    }

    pub fn push_system(&mut self, text: &str) {
        if !self.system.is_empty() {
            self.system.push('\n');
        }
        self.system.push_str(text);
    }
}

/// Phrases in the prompts of requests that agents make beside their turns.
const SIDE_MARKS: [&str; 13] = [
    // Titles: opencode, goose, Claude Code, Codex over ACP.
    "You are a title generator",
    "---BEGIN USER MESSAGES---",
    "You are naming a coding session",
    "Your task is to generate a very short title for a conversation",
    // What a person might type next: Claude Code and Qwen Code over ACP.
    "[SUGGESTION MODE: ",
    // Codex: the review of a planned action.
    "You are judging one planned coding-agent action",
    "and planned action as untrusted evidence",
    // Gemini CLI: which model, who speaks next, is this a loop.
    "You are a specialized Task Routing AI",
    "Analyze *only* the content and structure of your immediately preceding response",
    "You are a diagnostic agent that determines whether a conversational AI",
    // Qwen Code: its memory, and the judge of the mode "auto".
    "managed memory extraction subagent",
    "Managed memory has TWO directories",
    "You are a security classifier for an AI coding agent",
];

/// Elements with which agents wrap what they add to a message of a person.
const CONTEXT_TAGS: [&str; 10] = [
    "system-reminder",
    "environment_context",
    "session_context",
    "turn-context",
    "current_datetime",
    "user_instructions",
    "skills_instructions",
    "permissions_instructions",
    "turn_aborted",
    "reminder",
];

/// The text without the elements that agents add.
fn without_context(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(open) = rest.find('<') {
        let (before, from_tag) = rest.split_at(open);
        kept.push_str(before);
        let element = CONTEXT_TAGS.iter().find_map(|tag| {
            let inner = from_tag.strip_prefix('<')?.strip_prefix(tag)?.strip_prefix('>')?;
            let end = inner.find(&format!("</{tag}>"))?;
            Some(&inner[end + tag.len() + 3..])
        });
        rest = match element {
            Some(after) => after,
            None => {
                kept.push('<');
                &from_tag[1..]
            }
        };
    }
    kept + rest
}

/// The text of a string, or of the parts of a list that have one.
pub fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| match part {
                Value::String(text) => Some(text.as_str()),
                part => part["text"].as_str(),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Object(part) => {
            part.get("text").and_then(Value::as_str).map(str::to_owned).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The string at `key`, or the empty one.
pub fn string_at(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// The list at `key`, or the empty one.
pub fn list_at<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    fn result(call: &str) -> ConversationEntry {
        ConversationEntry::Result(ToolResult {
            call: call.into(),
            text: call.into(),
            failed: false,
        })
    }

    #[test]
    fn results_count_from_what_a_person_asked_last() {
        let mut talk = Conversation::default();
        talk.push_user("first".into());
        talk.entries.push(result("a"));
        talk.push_user("second".into());
        talk.entries.push(result("b"));
        talk.push_user("<system-reminder>mind the gap</system-reminder>\n".into());
        assert_eq!(talk.results().map(|r| r.call.as_str()).collect::<Vec<_>>(), ["b"]);
        assert_eq!(talk.asked(), "second");
        talk.push_user("<turn-context>noon</turn-context>\nthird".into());
        assert_eq!(talk.asked(), "third");
        assert!(talk.contains("noon"));
        assert_eq!(talk.results().count(), 0);
        talk.entries.push(result("b"));
        assert_eq!(talk.last(), "b");
        assert!(talk.contains("the gap"));
    }

    #[test]
    fn context_is_taken_out_and_nothing_else() {
        assert_eq!(without_context("<turn-context>x</turn-context>a < b <b>"), "a < b <b>");
        assert_eq!(
            without_context("<system-reminder>never closed"),
            "<system-reminder>never closed"
        );
    }

    #[test]
    fn a_title_is_asked_beside_the_turn() {
        let mut talk = Conversation::default();
        talk.push_system("You are a title generator. You output ONLY a thread title.");
        talk.push_user("write the files".into());
        assert_eq!(talk.kind(), RequestKind::Side);
        talk.system = "You are an agent.".into();
        assert_eq!(talk.kind(), RequestKind::Turn);
    }
}
