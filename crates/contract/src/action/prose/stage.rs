//! The stages of a flow: who works, and where it stops.

use super::names::Named;
use std::ops::Range;

#[derive(Debug, Clone)]
pub(super) struct Stage {
    pub line: u32,
    pub kind: StageKind,
}

#[derive(Debug, Clone)]
pub(super) enum StageKind {
    /// One after the other is one stage each; several in one stage work at the same time.
    Work(Vec<Player>),
    Gate {
        kind: GateKind,
        label: String,
    },
}

#[derive(Debug, Clone)]
pub(super) struct Player {
    pub named: Named,
    pub line: u32,
    /// It works under a condition only.
    pub is_conditional: bool,
    /// The lines that say what it does.
    pub about: Option<Range<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GateKind {
    /// A person approves.
    Approval,
    /// A person answers what is unclear.
    Clarification,
    /// Those who did the work look at it themselves.
    SelfReview,
    /// What reviewers found decides.
    Severity,
    /// A gate of another kind: a person is asked.
    Other,
}

/// The gate that these words mean; none when they mean no gate.
pub(super) fn gate(words: &str) -> Option<StageKind> {
    let small = words.to_lowercase();
    let has = |part: &str| small.contains(part);
    let is_gate = super::names::words_of(words).iter().any(|word| word == "gate");
    let kind = match () {
        () if !is_gate => return None,
        () if has("self-review") || has("self review") => GateKind::SelfReview,
        () if has("clarification") || has("clarify") => GateKind::Clarification,
        () if has("approval") || has("approve") => GateKind::Approval,
        () if has("severity") || has("critical") || has("finding") => GateKind::Severity,
        () => GateKind::Other,
    };
    Some(StageKind::Gate { kind, label: label(words) })
}

/// What the gate is about: the words in brackets behind it, or after a colon.
fn label(words: &str) -> String {
    let words = words.trim().trim_start_matches('[').trim_end_matches(']');
    let bracketed = words.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    let after_colon =
        words.rsplit_once(':').filter(|(before, _)| before.to_lowercase().contains("gate"));
    let label = bracketed.map(|(inside, _)| inside).or(after_colon.map(|(_, after)| after));
    label.unwrap_or_default().trim().to_owned()
}

/// Whether these words mean that something is done only under a condition.
pub(super) fn is_conditional(text: &str) -> bool {
    const MARKS: [&str; 4] = ["if", "when", "optional", "optionally"];
    super::names::words_of(text).iter().any(|word| MARKS.contains(&word.as_str()))
}

/// Whether these words tell of the end: `Build Complete`, `Ready for Build`.
pub(super) fn is_end(text: &str) -> bool {
    const MARKS: [&str; 8] =
        ["complete", "completed", "completion", "done", "end", "finished", "ready", "summary"];
    super::names::words_of(text).iter().any(|word| MARKS.contains(&word.as_str()))
}
