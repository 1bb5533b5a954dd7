//! What an agent said, after the contract has read it: a claim, never yet a fact.

use crate::earlier::EarlierWord;
use crate::money::dollars;
use crate::proof::one_line;
use crate::role::{Role, spelled};
use crate::sanitize::visible_name;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReplyStatus {
    #[serde(rename = "OK")]
    Ok,
    Blocked,
    NeedsInfo,
    NeedsDecision,
    Fail,
}

spelled!(ReplyStatus {
    Ok = "OK",
    Blocked = "BLOCKED",
    NeedsInfo = "NEEDS_INFO",
    NeedsDecision = "NEEDS_DECISION",
    Fail = "FAIL",
});

impl ReplyStatus {
    /// NEEDS_INFO is the Researcher's word, NEEDS_DECISION that of Security.
    pub fn is_allowed_for(self, role: Role) -> bool {
        match self {
            Self::Ok | Self::Blocked | Self::Fail => true,
            Self::NeedsInfo => role == Role::Researcher,
            Self::NeedsDecision => role == Role::Security,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    pub status: ReplyStatus,
    pub summary: String,
    /// Review comments and findings in one list, worst first as given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<ReportedFinding>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Commands that it says prove its work. The engine runs them where an action asks for evidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// What it wants to know from the person before it continues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<AgentQuestion>,
    /// Files outside its scope that the agent needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scope_requests: Vec<ScopeRequest>,
    /// What it says of findings that it was told of, by their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EarlierWord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended_agent: Option<Role>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended_why: Option<String>,
    /// What a person has to do by hand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub manual_steps: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub looks: LooksWanted,
    /// Why the README is left as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readme_unchanged: Option<String>,
    /// Criteria of work items that a Reviewer has verified, by their words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verified_criteria: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub usage: Usage,
}

impl Reply {
    /// With nothing beside these words.
    pub fn plain(status: ReplyStatus, summary: impl Into<String>) -> Self {
        Self {
            status,
            summary: summary.into(),
            findings: Vec::new(),
            notes: Vec::new(),
            commands: Vec::new(),
            questions: Vec::new(),
            scope_requests: Vec::new(),
            earlier: Vec::new(),
            recommended_agent: None,
            recommended_why: None,
            manual_steps: Vec::new(),
            looks: LooksWanted::default(),
            readme_unchanged: None,
            verified_criteria: Vec::new(),
            usage: Usage::default(),
        }
    }
}

/// Which reviewing roles the agent wants to look at its work.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LooksWanted {
    #[serde(default, skip_serializing_if = "is_default")]
    pub review: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub tests: bool,
    /// What Security should look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<String>,
}

/// One question of an agent to the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "QuestionRecord")]
pub struct AgentQuestion {
    pub question: String,
    /// Answers that the agent suggests; any other text is an answer too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<String>,
}

impl AgentQuestion {
    pub fn plain(question: impl Into<String>) -> Self {
        Self { question: question.into(), options: Vec::new(), recommended: None }
    }
}

/// Journals of earlier versions have a question as plain text.
#[derive(Deserialize)]
#[serde(untagged)]
enum QuestionRecord {
    Plain(String),
    Full {
        question: String,
        #[serde(default)]
        options: Vec<String>,
        #[serde(default)]
        recommended: Option<String>,
    },
}

impl From<QuestionRecord> for AgentQuestion {
    fn from(record: QuestionRecord) -> Self {
        match record {
            QuestionRecord::Plain(question) => Self::plain(question),
            QuestionRecord::Full { question, options, recommended } => {
                Self { question, options, recommended }
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeRequest {
    pub path: String,
    pub reason: String,
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// What a dispatch cost; unknown stays unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Millionths of a US dollar, so that sums are exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_usd: Option<u64>,
    /// How long the agent ran, as its supervisor saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
}

impl Usage {
    /// Unknown stays unknown until one part is known.
    pub fn add(&mut self, more: &Self) {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        self.input_tokens = sum(self.input_tokens, more.input_tokens);
        self.output_tokens = sum(self.output_tokens, more.output_tokens);
        self.micro_usd = sum(self.micro_usd, more.micro_usd);
        self.wall_ms = sum(self.wall_ms, more.wall_ms);
    }

    /// What a total is more than the one before; unknown where the total is.
    pub fn since(&self, before: &Self) -> Self {
        let rest = |total: Option<u64>, before: Option<u64>| {
            total.map(|total| total.saturating_sub(before.unwrap_or(0)))
        };
        Self {
            input_tokens: rest(self.input_tokens, before.input_tokens),
            output_tokens: rest(self.output_tokens, before.output_tokens),
            micro_usd: rest(self.micro_usd, before.micro_usd),
            wall_ms: rest(self.wall_ms, before.wall_ms),
        }
    }
}

/// `usd 0.50, tokens in 10, out unknown`.
impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |value: Option<u64>| value.map_or("unknown".to_owned(), |v| v.to_string());
        let usd = self.micro_usd.map_or("unknown".to_owned(), dollars);
        let (read, written) = (word(self.input_tokens), word(self.output_tokens));
        write!(f, "usd {usd}, tokens in {read}, out {written}")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

spelled!(Severity { Low = "low", Medium = "medium", High = "high", Critical = "critical" });

impl Severity {
    /// It stops the work until it is repaired or a person decides.
    pub fn is_grave(self) -> bool {
        self >= Self::High
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReportedFinding {
    pub severity: Severity,
    /// The rule or theme; empty when none was given.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub category: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Text as given: a line number, a range, nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// A reviewer's remark that asks for nothing.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_nit: bool,
}

impl ReportedFinding {
    /// A finding that is about no one line of a file.
    pub fn plain(severity: Severity, category: &str, message: String) -> Self {
        let category = category.to_owned();
        Self { severity, category, file: None, line: None, message, fix: None, is_nit: false }
    }

    /// In one line, as agents and people are told of it.
    pub(crate) fn in_words(&self) -> String {
        let file = self.file.as_deref().map(one_line);
        let line = self.line.as_deref().map(one_line);
        let location = match (&file, &line) {
            (Some(file), Some(line)) => format!("{file}:{line}: "),
            (Some(file), None) => format!("{file}: "),
            _ => String::new(),
        };
        let fix = self.fix.as_deref().map(one_line);
        let fix = fix.map(|fix| format!(" (suggested: {fix})")).unwrap_or_default();
        format!("[{}] {location}{}{fix}", self.severity, one_line(&self.message))
    }

    /// What an agent says that it is about, by its category.
    pub fn concern(&self) -> Concern {
        match self.category.trim().to_lowercase().as_str() {
            "scope" | "out-of-scope" | "scope-compliance" => Concern::Scope,
            "no-test-runner" => Concern::NoTestRunner,
            "" => Concern::Untold,
            _ => Concern::Other,
        }
    }

    /// The same complaint again, wherever the line moved to.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.file == other.file && self.category == other.category && self.message == other.message
    }
}

/// What a reported finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concern {
    /// A file that is outside the scope of a task.
    Scope,
    /// Tests are demanded and there is no way to run them.
    NoTestRunner,
    Untold,
    Other,
}

/// One fault of a reply or of what it left behind, in words the agent can act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyError {
    pub code: String,
    /// Where: a JSON pointer of the reply, or a file with a line.
    pub path: String,
    pub message: String,
}

impl ReplyError {
    pub fn new(code: &str, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), path: path.into(), message: message.into() }
    }

    /// Where, for people.
    pub fn place(&self) -> Cow<'_, str> {
        match self.path.as_str() {
            "" | "/" => Cow::Borrowed("the reply"),
            path => visible_name(path),
        }
    }
}

impl fmt::Display for ReplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}: {}", self.code, self.place(), self.message)
    }
}
