//! Decisions of people as another orchestrator recorded them: texts, or records with names of their own.

use super::{counted, first_text, plain_word, said, state_meant};
use crate::diagnostic::{Report, import as say};
use crate::node::{Node, Value};
use std::collections::BTreeSet;
use tollgate_core::decision::DecisionStatus;
use tollgate_core::id::DecisionId;
use tollgate_core::import::ImportedDecision;
use tollgate_core::role::State;
use tollgate_core::time::Timestamp;

/// More than any person was ever asked in one session.
const DECISIONS_MAX: usize = 1_000;

/// The fields of a record by the names that they go under, ours first.
const ID: [&str; 3] = ["decision_id", "id", "key"];
const QUESTION: [&str; 7] =
    ["question", "title", "topic", "prompt", "text", "summary", "description"];
const ANSWER: [&str; 7] =
    ["answer", "decision", "choice", "response", "resolution", "selected", "value"];
const ASKED: [&str; 5] = ["asked_at", "created_at", "timestamp", "date", "at"];
const RESOLVED: [&str; 7] =
    ["resolved_at", "answered_at", "decided_at", "updated_at", "timestamp", "date", "at"];
const REASON: [&str; 5] = ["resolution_reason", "reason", "rationale", "notes", "note"];
const CONTEXT: [&str; 4] = ["state_context", "state", "context", "phase"];
const OURS: [&str; 8] = [
    "decision_id",
    "question",
    "status",
    "answer",
    "asked_at",
    "resolved_at",
    "state_context",
    "resolution_reason",
];
const NO_QUESTION: &str = "What was decided before the import?";

/// What had another form, for one diagnosis of each cause.
#[derive(Default)]
struct Odd {
    texts: usize,
    fields: BTreeSet<String>,
    with_fields: usize,
    renamed: Vec<String>,
    unclear: Vec<String>,
    without_time: usize,
}

pub(super) fn read(node: Option<&Node>, file: &str, report: &mut Report) -> Vec<ImportedDecision> {
    let (mut odd, mut taken) = (Odd::default(), BTreeSet::new());
    let entries: Vec<(Option<&str>, &Node)> = match node.map(|node| &node.value) {
        Some(Value::List(items)) => items.iter().map(|item| (None, item)).collect(),
        Some(Value::Map(entries)) => {
            entries.iter().map(|entry| (Some(entry.key.as_str()), &entry.node)).collect()
        }
        _ => Vec::new(),
    };
    let cut = entries.len().saturating_sub(DECISIONS_MAX);
    let wanted: Vec<Option<DecisionId>> =
        entries.iter().map(|(key, entry)| id_meant(*key, entry)).collect();
    // Who has an id that fits keeps it, whoever comes first.
    let mut free = 1 + wanted.iter().flatten().filter_map(DecisionId::number).max().unwrap_or(0);
    let mut decisions = Vec::new();
    for ((key, entry), wanted) in entries.into_iter().zip(wanted).take(DECISIONS_MAX) {
        let id = match wanted.filter(|id| !taken.contains(id)) {
            Some(id) => id,
            None => {
                let id = DecisionId::sequential(free);
                free += 1;
                let old = first_text(entry, &ID).or(key.map(str::to_owned));
                odd.renamed.extend(old.map(|old| format!("{old} is now {id}")));
                id
            }
        };
        taken.insert(id.clone());
        decisions.push(decision(id, key, entry, &mut odd));
    }
    odd.tell(cut, file, report);
    decisions
}

/// The id that an entry has, or means by its name or by its state.
fn id_meant(key: Option<&str>, entry: &Node) -> Option<DecisionId> {
    let text = first_text(entry, &ID).or(key.map(str::to_owned));
    let word = text.map(|text| plain_word(&text).to_uppercase());
    let named = word.as_deref().map(|word| word.strip_prefix("UD-").unwrap_or(word));
    match named {
        Some("APPROVE-DESIGN") => return Some(DecisionId::approve_design()),
        Some("REVIEW-STRATEGY") => return Some(DecisionId::review_strategy()),
        _ => {}
    }
    let number = word.as_deref().and_then(|word| DecisionId::parse(word).ok());
    let fits = |id: &DecisionId| id.number().is_some_and(|number| number <= 100_000);
    number.filter(fits).or_else(|| match context(entry) {
        Some(State::ApproveDesign) => Some(DecisionId::approve_design()),
        Some(State::ReviewStrategy) => Some(DecisionId::review_strategy()),
        _ => None,
    })
}

fn context(entry: &Node) -> Option<State> {
    first_text(entry, &CONTEXT).as_deref().and_then(state_meant)
}

fn decision(id: DecisionId, key: Option<&str>, entry: &Node, odd: &mut Odd) -> ImportedDecision {
    if !matches!(entry.value, Value::Map(_)) {
        odd.texts += 1;
        let answer = said(entry);
        let question = key.map_or(NO_QUESTION.to_owned(), str::to_owned);
        return ImportedDecision {
            id,
            question,
            status: match answer {
                Some(_) => DecisionStatus::Answered,
                None => DecisionStatus::Skipped,
            },
            reason: answer.is_none().then(|| "nothing was recorded".to_owned()),
            answer,
            asked_at: None,
            resolved_at: None,
            state_context: None,
        };
    }
    let fields: Vec<&String> = entry
        .entries()
        .iter()
        .map(|field| &field.key)
        .filter(|key| !OURS.contains(&key.as_str()))
        .collect();
    odd.with_fields += usize::from(!fields.is_empty());
    odd.fields.extend(fields.into_iter().cloned());
    record(id, key, entry, odd)
}

fn record(id: DecisionId, key: Option<&str>, entry: &Node, odd: &mut Odd) -> ImportedDecision {
    let answer = first_text(entry, &ANSWER).map(|answer| canonical(&id, answer));
    let question = first_text(entry, &QUESTION).or(key.map(str::to_owned));
    let word = first_text(entry, &["status"]).map(|word| plain_word(&word));
    let status = match (word.as_deref(), &answer) {
        (None, Some(_)) => DecisionStatus::Answered,
        (None, None) => DecisionStatus::Pending,
        (Some("cancelled" | "canceled" | "deferred" | "declined"), _) => DecisionStatus::Cancelled,
        (Some("skipped" | "obsolete" | "n/a" | "superseded"), _) => DecisionStatus::Skipped,
        (Some("pending" | "open" | "asked" | "waiting"), None) => DecisionStatus::Pending,
        // An answer under a status that says that there is none, or the other way round: nobody knows which holds.
        (Some("pending" | "open" | "asked" | "waiting"), Some(_)) | (Some(_), None) => {
            odd.unclear.push(id.to_string());
            DecisionStatus::Pending
        }
        (Some(_), Some(_)) => DecisionStatus::Answered,
    };
    let is_open = status == DecisionStatus::Pending;
    let resolved_at = first_time(entry, &RESOLVED).filter(|_| !is_open);
    odd.without_time += usize::from(!is_open && resolved_at.is_none());
    let reason = first_text(entry, &REASON);
    let needs_reason = matches!(status, DecisionStatus::Cancelled | DecisionStatus::Skipped);
    let reason = match reason {
        None if needs_reason => Some("no reason was recorded".to_owned()),
        reason => reason,
    };
    ImportedDecision {
        id,
        question: question.unwrap_or_else(|| NO_QUESTION.to_owned()),
        status,
        answer: answer.filter(|_| !is_open),
        reason: reason.filter(|_| !is_open),
        asked_at: first_time(entry, &ASKED),
        resolved_at,
        state_context: context(entry),
    }
}

/// An approval begins in small letters; what else is said stays as it is.
fn canonical(id: &DecisionId, answer: String) -> String {
    if *id != DecisionId::approve_design() {
        return answer;
    }
    for word in ["approved", "changes-requested"] {
        let fits = answer.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
        if fits {
            let rest = &answer[word.len()..];
            let is_apart = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
            let rest = rest.trim_start_matches([' ', ':', ',', '.', '!', '-', '–', '—']).trim();
            return match (is_apart, rest) {
                (false, _) => answer,
                (true, "") => word.to_owned(),
                (true, rest) => format!("{word}: {rest}"),
            };
        }
    }
    answer
}

fn first_time(entry: &Node, keys: &[&str]) -> Option<Timestamp> {
    keys.iter().find_map(|key| time(entry.get(key)?.as_text()?))
}

/// Also a day alone, and a time without a zone.
fn time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let forms =
        [text.to_owned(), format!("{text}Z"), format!("{text}:00Z"), format!("{text}T00:00:00Z")];
    forms.iter().find_map(|form| Timestamp::parse(form))
}

impl Odd {
    fn tell(self, cut: usize, file: &str, report: &mut Report) {
        let mut say = |words: String| report.push(say::decisions(file, words));
        if self.texts > 0 {
            let many = counted(self.texts, "decision");
            say(format!("{many} recorded as plain text: kept as answers"));
        }
        if self.with_fields > 0 {
            let names: Vec<&str> = self.fields.iter().map(String::as_str).collect();
            let many = counted(self.with_fields, "decision");
            say(format!("{many} with other fields than the schema: {}", names.join(", ")));
        }
        if !self.renamed.is_empty() {
            say(format!("ids that are no decision ids: {}", self.renamed.join(", ")));
        }
        if !self.unclear.is_empty() {
            let ids = self.unclear.join(", ");
            say(format!("status and answer contradict each other, so it is asked again: {ids}"));
        }
        if self.without_time > 0 {
            let many = counted(self.without_time, "decision");
            say(format!("{many} without the time of the answer: the time of the import is noted"));
        }
        if cut > 0 {
            say(format!("the last {cut} are left out: nobody was asked that often"));
        }
    }
}
