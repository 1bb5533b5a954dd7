//! Names and numbers as types, so that a task cannot be passed where a decision is meant.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A name that does not have the form it must have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} {value:?} is not valid: {rule}")]
pub struct BadName {
    pub what: &'static str,
    pub value: String,
    pub rule: &'static str,
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            pub const FIRST: Self = Self(1);

            pub fn next(self) -> Self {
                Self(self.0 + 1)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

text_id!(
    /// `YYYY-MM-DD_slug`: the name of a session and of its folder.
    SessionName
);
text_id!(
    /// A task of the plan; canonical ones are `T-001`, odd ones of people are read too.
    TaskId
);
text_id!(
    /// `UD-APPROVE-DESIGN`, `UD-REVIEW-STRATEGY` or `UD-<n>`.
    DecisionId
);
text_id!(
    /// SHA-256 of a file's content, 64 hex digits.
    ContentHash
);
text_id!(
    /// A git object name.
    CommitId
);
text_id!(
    /// Chosen by whoever sends a command, so that a command delivered twice acts once.
    CommandId
);
number_id!(
    /// Counts dispatches of a session from 1. A re-run keeps its number.
    DispatchNumber
);
number_id!(
    /// Counts runs of check commands of a session from 1.
    CheckNumber
);
number_id!(
    /// Counts the findings of a session from 1.
    FindingId
);
number_id!(
    /// Counts the attempts of one dispatch from 1.
    Attempt
);

impl SessionName {
    pub fn parse(text: &str) -> Result<Self, BadName> {
        let bad = || BadName {
            what: "session name",
            value: text.to_owned(),
            rule: "it has the form YYYY-MM-DD_slug, where the slug has only lowercase letters, digits and dashes",
        };
        let (date, slug) = text.split_once('_').ok_or_else(bad)?;
        let date_fits = date.len() == 10
            && date
                .bytes()
                .enumerate()
                .all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() });
        let slug_fits = !slug.is_empty()
            && slug.len() <= 80
            && !slug.starts_with('-')
            && slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if date_fits && slug_fits { Ok(Self(text.to_owned())) } else { Err(bad()) }
    }

    /// The date part, `YYYY-MM-DD`.
    pub fn date(&self) -> &str {
        &self.0[..10]
    }
}

impl TaskId {
    pub fn parse(text: &str) -> Result<Self, BadName> {
        let fits = !text.is_empty()
            && text.len() <= 64
            && text != "meta"
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadName {
                what: "task id",
                value: text.to_owned(),
                rule: "it has letters, digits, '-', '_' and '.' only, and is not 'meta'",
            })
        }
    }

    /// `T-` and at least three digits.
    pub fn is_canonical(&self) -> bool {
        self.0
            .strip_prefix("T-")
            .is_some_and(|n| n.len() >= 3 && n.bytes().all(|b| b.is_ascii_digit()))
    }
}

impl DecisionId {
    pub fn approve_design() -> Self {
        Self("UD-APPROVE-DESIGN".into())
    }

    pub fn review_strategy() -> Self {
        Self("UD-REVIEW-STRATEGY".into())
    }

    pub fn sequential(number: u32) -> Self {
        Self(format!("UD-{number}"))
    }

    pub fn parse(text: &str) -> Result<Self, BadName> {
        let id = Self(text.to_owned());
        if id.is_well_known() || id.number().is_some() {
            Ok(id)
        } else {
            Err(BadName {
                what: "decision id",
                value: text.to_owned(),
                rule: "it is UD-APPROVE-DESIGN, UD-REVIEW-STRATEGY or UD- and a number",
            })
        }
    }

    pub fn is_well_known(&self) -> bool {
        self.0 == "UD-APPROVE-DESIGN" || self.0 == "UD-REVIEW-STRATEGY"
    }

    /// The number of a sequential id.
    pub fn number(&self) -> Option<u32> {
        let digits = self.0.strip_prefix("UD-")?;
        if digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        digits.parse().ok()
    }
}

impl ContentHash {
    pub fn parse(text: &str) -> Result<Self, BadName> {
        if text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit()) {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(BadName {
                what: "content hash",
                value: text.to_owned(),
                rule: "it has 64 hex digits",
            })
        }
    }
}

impl CommitId {
    pub fn parse(text: &str) -> Result<Self, BadName> {
        if matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadName {
                what: "commit",
                value: text.to_owned(),
                rule: "it has 40 or 64 hex digits",
            })
        }
    }
}

impl CommandId {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// What a dispatch is about: one task of the plan, or the session as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum TaskRef {
    Meta,
    Task(TaskId),
}

impl From<String> for TaskRef {
    fn from(text: String) -> Self {
        if text == "meta" { Self::Meta } else { Self::Task(TaskId(text)) }
    }
}

impl From<TaskRef> for String {
    fn from(task: TaskRef) -> Self {
        task.as_str().to_owned()
    }
}

impl TaskRef {
    /// The word for programs: in journals, files, `--json` and what an agent is given.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Meta => "meta",
            Self::Task(id) => id.as_str(),
        }
    }
}

/// The word for people: `{task}` in a table, `{task:#}` in a sentence.
impl fmt::Display for TaskRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Meta if f.alternate() => f.write_str("the session"),
            Self::Meta => f.pad("session"),
            Self::Task(id) => f.pad(id.as_str()),
        }
    }
}
