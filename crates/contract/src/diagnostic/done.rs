//! What a session that says DONE still has open.

use super::{Diagnostic, Location, pages, quote};

pages! {
    OPEN_TASK = "done.open_task":
        "status.json says DONE, but a task in tasks.yaml is not completed. Finish the task, or correct whichever file is\n\
         wrong.";
    PENDING_DECISION = "done.pending_decision":
        "status.json says DONE, but a question to a person is still pending. A session is done when every question is answered,\n\
         cancelled or skipped.";
    UNMET = "done.unmet":
        "status.json says DONE, but an acceptance criterion is neither met nor waived on record.";
    LOOP_EXCEEDED = "done.loop_exceeded":
        "status.json says DONE, but a repair loop of a task was begun more often than is allowed. After the last allowed repair\n\
         a person decides.";
    NO_REPORT = "done.no_report":
        "status.json says DONE, but the session folder has no report.md.";
}

pub(crate) fn open_task(file: &str, id: &str, status: &str) -> Diagnostic {
    let message = format!("the session is DONE, but {} is {}", quote(id), quote(status));
    Diagnostic::error(OPEN_TASK, Location::file(file, None), message)
}

pub(crate) fn pending_decision(file: &str, id: &str) -> Diagnostic {
    let message = format!("the session is DONE, but decision {} is pending", quote(id));
    Diagnostic::error(PENDING_DECISION, Location::file(file, None), message)
}

pub(crate) fn unmet(file: &str, id: &str, result: &str) -> Diagnostic {
    let message = format!("the session is DONE, but criterion {} is {}", quote(id), quote(result));
    Diagnostic::error(UNMET, Location::file(file, None), message)
}

pub(crate) fn loop_exceeded(
    file: &str,
    at: &str,
    task: &str,
    repair: &str,
    count: &str,
    most: u32,
) -> Diagnostic {
    let message = format!(
        "the session is DONE, but {} of {} was begun {count} times; the limit is {most}",
        quote(repair),
        quote(task)
    );
    Diagnostic::error(LOOP_EXCEEDED, Location::new(file, at, None), message)
}

pub(crate) fn no_report(folder: &str) -> Diagnostic {
    let message = "the session is DONE, but there is no report.md";
    Diagnostic::error(NO_REPORT, Location::file(folder, None), message)
}
