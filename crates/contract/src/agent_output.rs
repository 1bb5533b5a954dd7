//! Reads what an agent answered: the universal output, or one of the three typed results.

mod claimed;
pub(crate) mod items;
mod normal;
pub mod plan_items;
mod requests;
pub mod results;
mod rules;
pub mod wire;

pub use claimed::claimed_findings;
pub use results::{ImplementorResult, PlannerResult, ReviewerResult};
pub use wire::{AgentOutput, ScopeRequest};

use crate::diagnostic::{Diagnostic, Report, reply, shape as words};
use crate::node::{JsonFault, Node, Value, read_json};
use crate::shape::{ReadError, ShapeError, Wrong, read};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use tollgate_core::limits::{REPLY_BYTES_MAX, REPLY_ITEMS_MAX};
use tollgate_core::reply::{Reply, ReplyError, ReplyStatus};
use tollgate_core::role::Role;

/// A reply that fits the contract.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplyRead {
    pub reply: Reply,
    pub kind: ReplyKind,
    pub planner: Option<PlannerResult>,
    pub implementor: Option<ImplementorResult>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyKind {
    Universal,
    Planner,
    Implementor,
    Reviewer,
}

impl ReplyKind {
    /// The typed result of a role.
    fn typed(role: Role) -> Option<Self> {
        match role {
            Role::Planner => Some(Self::Planner),
            Role::Coder => Some(Self::Implementor),
            Role::Reviewer => Some(Self::Reviewer),
            _ => None,
        }
    }

    fn role_word(self) -> Option<&'static str> {
        match self {
            Self::Universal => None,
            Self::Planner => Some("planner"),
            Self::Implementor => Some("implementor"),
            Self::Reviewer => Some("reviewer"),
        }
    }
}

/// The whole of an agent's standard output, with every fault when it breaks the contract.
pub fn read_reply(bytes: &[u8], role: Role) -> Result<ReplyRead, Vec<ReplyError>> {
    read_as(bytes, Some(role)).map_err(|report| report.reply_errors())
}

/// As `read_reply`; without a role whatever fits any role is accepted.
pub fn read_as(bytes: &[u8], role: Option<Role>) -> Result<ReplyRead, Report> {
    let node = one_object(bytes).map_err(Report::from)?;
    let is_typed = node.get("role").is_some() && node.get("status").is_none();
    let kind = if is_typed { result_kind(&node, role)? } else { ReplyKind::Universal };
    of_kind(&node, kind, role)
}

/// One kind of answer and no other.
pub fn read_result(bytes: &[u8], kind: ReplyKind) -> Result<ReplyRead, Report> {
    of_kind(&one_object(bytes).map_err(Report::from)?, kind, None)
}

/// Exactly one JSON object with nothing but white space around it.
fn one_object(bytes: &[u8]) -> Result<Node, Diagnostic> {
    if bytes.len() as u64 > REPLY_BYTES_MAX {
        return Err(reply::too_large(bytes.len() as u64, REPLY_BYTES_MAX));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = &bytes[..error.valid_up_to()];
        reply::not_utf8(error.valid_up_to(), tail(&String::from_utf8_lossy(valid)))
    })?;
    let trimmed = text.trim_matches([' ', '\t', '\r', '\n']);
    if trimmed.is_empty() {
        return Err(reply::empty());
    }
    if !trimmed.starts_with('{') {
        return Err(not_an_object(trimmed));
    }
    match read_json(trimmed) {
        Ok(node) => Ok(node),
        Err(JsonFault::Empty) => Err(reply::empty()),
        Err(JsonFault::TooDeep) => Err(reply::too_deep()),
        Err(JsonFault::TextAfter { rest }) => Err(reply::text_after(&rest)),
        Err(JsonFault::Syntax { message, line, column }) => {
            Err(reply::not_json(&message, line, column, near(trimmed, line, column)))
        }
    }
}

/// Another JSON value, or prose before (or instead of) the object.
fn not_an_object(text: &str) -> Diagnostic {
    let is_json = read_json(text).is_ok();
    if is_json || !text.contains('{') {
        return reply::not_an_object(text);
    }
    reply::text_before(text.split('{').next().unwrap_or(text).trim_end())
}

fn near(text: &str, line: u32, column: u32) -> &str {
    let line = text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
    let mut start = (column.saturating_sub(20) as usize).min(line.len());
    while !line.is_char_boundary(start) {
        start -= 1;
    }
    line.get(start..).unwrap_or_default()
}

/// The last few characters.
fn tail(text: &str) -> &str {
    text.char_indices().nth_back(29).map_or(text, |(at, _)| &text[at..])
}

/// Faults of form and of content come together: the rules look at the node and not at what was read.
fn whole<T: DeserializeOwned + JsonSchema>(
    node: &Node,
    rules: impl Fn(&Node, &mut Report),
    normal: impl Fn(T) -> ReplyRead,
) -> Result<ReplyRead, Report> {
    let mut report = Report::default();
    let result = match read::<T>(node) {
        Ok(result) => Some(result),
        Err(unread) => {
            report.extend(unread_words(unread));
            None
        }
    };
    rules(node, &mut report);
    match result {
        Some(result) if report.is_ok() => Ok(normal(result)),
        _ => Err(report),
    }
}

/// Rules over several fields.
fn contradictions(node: &Node, role: Option<Role>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let status = node.get("status").and_then(Node::as_text).and_then(ReplyStatus::parse);
    // Who asks the person something is not done, whatever word it has for that.
    let asked = node.get("artifacts").and_then(|artifacts| artifacts.get("questions"));
    let asks = asked.is_some_and(|questions| !questions.items().is_empty());
    if let (Some(status), Some(role)) = (status, role)
        && !status.is_allowed_for(role)
        && !(asks && status == ReplyStatus::NeedsInfo)
    {
        found.push(reply::status_not_for_role(status, role));
    }
    for entry in node.get("artifacts").map(Node::entries).unwrap_or_default() {
        let found_items = entry.node.items().len();
        if found_items > REPLY_ITEMS_MAX {
            found.push(reply::too_many_entries(&entry.key, found_items, REPLY_ITEMS_MAX));
        }
    }
    let done = node.get("gates").and_then(|gates| gates.get("meets_definition_of_done"));
    let is_not_done = matches!(done, Some(Node { value: Value::Bool(false), .. }));
    if status == Some(ReplyStatus::Ok) && is_not_done && !asks {
        found.push(reply::done_contradicted());
    }
    found
}

/// Fields that only one role has a use for.
fn of_another_role(node: &Node, role: Option<Role>) -> Vec<Diagnostic> {
    const OWN: [(&str, Role); 3] =
        [("plan", Role::Planner), ("incidental", Role::Coder), ("scope_corrections", Role::Coder)];
    let is_given = |field: &str| node.get(field).is_some_and(|given| given.value != Value::Null);
    let foreign =
        OWN.iter().filter(|(field, owner)| is_given(field) && role.is_some_and(|r| r != *owner));
    let unknown = foreign.map(|(field, _)| {
        let wrong = Wrong::Unknown { field: (*field).to_owned(), known: Vec::new() };
        words::fault("", &ShapeError { pointer: String::new(), line: None, wrong })
    });
    unknown.collect()
}

fn of_kind(node: &Node, kind: ReplyKind, role: Option<Role>) -> Result<ReplyRead, Report> {
    let found = match kind {
        ReplyKind::Universal => {
            let rules = |node: &Node, report: &mut Report| {
                report.extend(contradictions(node, role));
                report.extend(of_another_role(node, role));
                rules::implementor(node, report);
                report.extend(node.get("plan").map(items::of_a_plan).unwrap_or_default());
            };
            whole(node, rules, normal::universal)
        }
        ReplyKind::Planner => whole(node, items::rules, normal::planner),
        ReplyKind::Implementor => whole(node, rules::implementor, normal::implementor),
        ReplyKind::Reviewer => whole(node, rules::reviewer, normal::reviewer),
    };
    let requests = requests::faults(node);
    match found {
        Ok(read) if requests.is_empty() => Ok(read),
        found => {
            let mut report = found.err().unwrap_or_default();
            report.extend(requests);
            Err(report)
        }
    }
}

/// The kind that the result names, when it is the one that its role may give.
fn result_kind(node: &Node, role: Option<Role>) -> Result<ReplyKind, Report> {
    const KINDS: [ReplyKind; 3] = [ReplyKind::Planner, ReplyKind::Implementor, ReplyKind::Reviewer];
    let found = node.get("role").and_then(Node::as_text).unwrap_or_default();
    let named = KINDS.into_iter().find(|kind| kind.role_word() == Some(found));
    let Some(role) = role else {
        let known: Vec<&str> = KINDS.into_iter().filter_map(ReplyKind::role_word).collect();
        return named.ok_or_else(|| reply::result_role_unknown(found, &known).into());
    };
    let expected = ReplyKind::typed(role);
    match named {
        Some(kind) if expected == Some(kind) => Ok(kind),
        _ => {
            let word = expected.and_then(ReplyKind::role_word);
            Err(reply::result_role(found, role, word).into())
        }
    }
}

fn unread_words(unread: ReadError) -> Vec<Diagnostic> {
    match unread {
        ReadError::Faults(faults) => faults.iter().map(special_words).collect(),
        ReadError::Other(cause) => vec![words::unreadable("", &cause)],
    }
}

/// Statuses and agent names have words of their own.
fn special_words(fault: &ShapeError) -> Diagnostic {
    match (fault.pointer.as_str(), &fault.wrong) {
        ("/status", Wrong::Value { found, .. }) => reply::status_unknown(found),
        (pointer @ "/next/recommended_agent", Wrong::Value { found, .. }) => {
            reply::agent_unknown(pointer, found)
        }
        _ => words::fault("", fault),
    }
}

#[cfg(test)]
mod requests_tests;
#[cfg(test)]
mod tests;
