//! Faults of the input that a dispatch is given.

use super::{Diagnostic, Location, did_you_mean, pages, quote};
use tollgate_core::role::Role;

pages! {
    AGENT_UNKNOWN = "input.agent_unknown":
        "A dispatch names an agent that is not one of the twelve canonical names. They must be spelled exactly: Coder, not\n\
         coder; QA, not Qa.";
    CHANGED_FILES_MISSING = "input.changed_files_missing":
        "A Reviewer must get the list of all files that changed in the session, in task.session_changed_files. Other roles\n\
         can do without the list.";
    OLD_PATH_MISSING = "input.old_path_missing":
        "A renamed file has no old_path, so nobody can see where it came from.";
    SESSION_PLACEHOLDER = "input.session_placeholder":
        "A path still contains the placeholder <session> instead of the name of the session. An agent would look for a folder\n\
         that does not exist.";
    TASK_ID_INVALID = "input.task_id_invalid":
        "A dispatch names its task by id, such as T-001, or says meta for work on the whole session.";
}

pub(crate) fn agent_unknown(at: Location, found: &str) -> Diagnostic {
    let known: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
    let message = format!("{} is not the name of an agent", quote(found));
    Diagnostic::error(AGENT_UNKNOWN, at, message).help(did_you_mean(found, &known))
}

pub(crate) fn changed_files_missing(at: Location) -> Diagnostic {
    let message = "a Reviewer is dispatched without session_changed_files";
    Diagnostic::error(CHANGED_FILES_MISSING, at, message)
        .help("List every file changed in the session; [] when there is none")
}

pub(crate) fn old_path_missing(at: Location, path: &str) -> Diagnostic {
    let message = format!("{} is renamed but has no old_path", quote(path));
    Diagnostic::error(OLD_PATH_MISSING, at, message).help("Add old_path with the former name")
}

pub(crate) fn session_placeholder(at: Location, path: &str) -> Diagnostic {
    let message = format!("the path {} contains the placeholder <session>", quote(path));
    Diagnostic::error(SESSION_PLACEHOLDER, at, message)
        .help("Replace it with the name of the session")
}

pub(crate) fn task_id_invalid(at: Location, found: &str) -> Diagnostic {
    let message = format!("{} is not the id of a task", quote(found));
    Diagnostic::error(TASK_ID_INVALID, at, message).help("Write an id such as T-001, or meta")
}
