//! What both forms of the report say in the same words.

use tollgate_core::decision::DecisionStatus;
use tollgate_core::view::{DecisionEntry, View};

pub(super) fn goal(view: &View) -> &str {
    crate::html::session::goal(view)
}

/// `answered by a person`.
pub(super) fn resolved_words(one: &DecisionEntry) -> String {
    let how = match (one.status, one.resolved_by) {
        (DecisionStatus::Pending, _) | (_, None) => return "open".to_owned(),
        (DecisionStatus::Answered, _) => "answered",
        // An answer that ends the question in another way than by what it asks for.
        _ if one.answer.is_some() => "decided",
        (DecisionStatus::Cancelled, _) => "cancelled",
        (DecisionStatus::Skipped, _) => "skipped",
    };
    let who = if one.resolved_by == Some("person") { "a person" } else { "a rule of Tollgate" };
    format!("{how} by {who}")
}

/// A reason that is not in the answer already.
pub(super) fn new_reason(one: &DecisionEntry) -> Option<&str> {
    let answer = one.answer.as_deref().unwrap_or_default();
    one.reason.as_deref().filter(|reason| !answer.contains(reason))
}
