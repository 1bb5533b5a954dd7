//! Faults of status.json.

use super::{Diagnostic, Location, pages, quote};

pages! {
    TASK_STATUS = "status.task_status":
        "status.json contains the status of a task. Task statuses belong only in tasks.yaml, so that the two can never\n\
         disagree.";
    SESSION_NAME = "status.session_name":
        "The name of a session is its start date and a short name: YYYY-MM-DD_slug.";
    TIME_INVALID = "status.time_invalid":
        "A time is written as RFC 3339, such as 2026-11-15T09:30:00Z.";
    DECISION_ID = "status.decision_id":
        "The id of a decision is UD-APPROVE-DESIGN, UD-REVIEW-STRATEGY, or UD- and a number starting at 1.";
    DECISION_TWICE = "status.decision_twice":
        "Two records have the same decision id. A new round at a gate updates its record instead of adding one.";
    DECISION_INVALID = "status.decision_invalid":
        "A record contradicts its own status. pending: answer, resolved_at and resolution_reason are null. answered: answer\n\
         is not empty and resolved_at is set. cancelled and skipped: resolved_at is set and resolution_reason is not empty.";
    ANSWER_NOT_CANONICAL = "status.answer_not_canonical":
        "The answer at a mandatory gate has a fixed form: UD-APPROVE-DESIGN begins with approved or changes-requested:,\n\
         UD-REVIEW-STRATEGY is per-batch, single-final or changes-requested:.";
    CORRECTION_AGENT = "status.correction_agent":
        "Only SpecAgent, Architect or Designer can correct the design; no other role works on it.";
}

pub(crate) fn task_status(at: Location, key: &str) -> Diagnostic {
    let message = format!("{} contains the status of tasks", quote(key));
    Diagnostic::error(TASK_STATUS, at, message).help("Remove it; tasks.yaml has these statuses")
}

pub(crate) fn session_name(at: Location, found: &str) -> Diagnostic {
    let message = format!("{} is not the name of a session", quote(found));
    Diagnostic::error(SESSION_NAME, at, message).help("Use the form YYYY-MM-DD_slug")
}

pub(crate) fn time_invalid(at: Location, found: &str) -> Diagnostic {
    let message = format!("{} is not a time", quote(found));
    Diagnostic::error(TIME_INVALID, at, message).help("Write it as 2026-11-15T09:30:00Z")
}

pub(crate) fn decision_id(at: Location, found: &str) -> Diagnostic {
    let message = format!("{} is not the id of a decision", quote(found));
    Diagnostic::error(DECISION_ID, at, message)
        .help("Use UD-APPROVE-DESIGN, UD-REVIEW-STRATEGY or UD- and a number")
}

pub(crate) fn decision_twice(at: Location, id: &str) -> Diagnostic {
    let message = format!("there are two records of {id}");
    Diagnostic::error(DECISION_TWICE, at, message).help("Keep one record per decision")
}

pub(crate) fn decision_invalid(at: Location, id: &str, status: &str, rule: &str) -> Diagnostic {
    let message = format!("{id} is {status}, but {rule}");
    Diagnostic::error(DECISION_INVALID, at, message).help("Make the record match its status")
}

pub(crate) fn answer_not_canonical(at: Location, id: &str, found: &str, forms: &str) -> Diagnostic {
    let message = format!("the answer of {id} is {}, but must be {forms}", quote(found));
    Diagnostic::error(ANSWER_NOT_CANONICAL, at, message)
        .help(format!("Answer it again with `tollgate answer SESSION {id} …`"))
}

pub(crate) fn correction_agent(at: Location, found: &str) -> Diagnostic {
    let message = format!("{} cannot correct the design", quote(found));
    Diagnostic::error(CORRECTION_AGENT, at, message).help("Use SpecAgent, Architect or Designer")
}
