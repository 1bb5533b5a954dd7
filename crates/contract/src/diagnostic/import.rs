//! What an import found in the files of another orchestrator, and what it made of it: one diagnosis for each cause.

use super::{Diagnostic, Location, pages, quote};

pages! {
    STATUS_UNREADABLE = "import.status_unreadable":
        "status.json of the imported folder is missing or is not valid JSON, so its state, decisions and counters are not\n\
         known. The import takes the documents and the plan, continues as far as they allow, and asks at the gates again.";
    STATE = "import.state":
        "The state in status.json is not one of the sixteen states, or is spelled in another way. One that is only spelled\n\
         differently is understood. Where nobody can tell what is meant, the session continues as far as its documents allow.";
    DECISIONS = "import.decisions":
        "The decisions in status.json have another form than user_decisions of the schema: plain texts, other names of fields,\n\
         ids that are no decision ids, or a status that contradicts the rest. They are kept in the form of the schema. One\n\
         whose answer is not clear is asked again.";
    COUNTERS = "import.counters":
        "Counters of repairs in status.json could not be read as retry_counts: a task that is not in the plan, another loop, or\n\
         no number. Those are left out; the others are kept.";
    TASK_STATUS = "import.task_status":
        "Statuses of tasks are in status.json, or are spelled in another way. tasks.yaml counts; where it has no status for a\n\
         task, the one of status.json does.";
    PLAN_UNREADABLE = "import.plan_unreadable":
        "tasks.yaml of the imported folder cannot be read as a plan, even with repairs. The session continues at the state that\n\
         makes a plan. The file is kept beside the session's documents, in the folder imported.";
    PLAN = "import.plan":
        "tasks.yaml was repaired: what it lacks was added, or what is spelled in another way was written as the schema has it.\n\
         The original is kept in the folder imported of the session. Look at the new tasks.yaml before you resume.";
    CRITERIA_UNREADABLE = "import.criteria_unreadable":
        "acceptance.json of the imported folder cannot be read, even with repairs. The session continues at the state that makes\n\
         it. The file is kept in the folder imported of the session.";
    CRITERIA = "import.criteria":
        "acceptance.json was repaired: a criterion without a check is verified by a person, and one without an id gets one. The\n\
         original is kept in the folder imported of the session.";
    DOCUMENT = "import.document":
        "A document lacks a section that later work relies on. It is taken over as it is, and nothing stops because of it.";
    EXTRA = "import.extra":
        "A file has fields that the schema does not have. They have no meaning here and are left out.";
    PATHS = "import.paths":
        "Paths of the old session folder in tasks.yaml now name the folder of the new session.";
    LEFT_OUT = "import.left_out":
        "A file of the imported folder was not copied: it is a link, no regular file, too large, has a name that is no plain\n\
         text, or has a name that Tollgate uses for itself. The original stays where it is.";
}

fn of(code: super::Code, file: &str, message: String) -> Diagnostic {
    Diagnostic::warning(code, Location::file(file, None), message)
}

pub(crate) fn status_missing(file: &str) -> Diagnostic {
    let message =
        "there is no status.json: decisions, counters and the state are not known".to_owned();
    of(STATUS_UNREADABLE, file, message)
        .help("The gates ask again; the work continues as far as the documents allow")
}

pub(crate) fn status_unreadable(file: &str, cause: &str) -> Diagnostic {
    let message =
        format!("it cannot be read ({cause}): decisions, counters and the state are not known");
    of(STATUS_UNREADABLE, file, message)
        .help("Fix the file and import again, or continue: the gates ask again")
}

pub(crate) fn state_spelled(file: &str, found: &str, state: &str) -> Diagnostic {
    of(STATE, file, format!("the state {} is read as {state}", quote(found)))
}

pub(crate) fn state_unknown(file: &str, found: Option<&str>) -> Diagnostic {
    let message = match found {
        Some(found) => format!("{} is no state of the workflow", quote(found)),
        None => "it names no state".to_owned(),
    };
    of(STATE, file, message).help("The session continues as far as its documents allow")
}

pub(crate) fn decisions(file: &str, what: String) -> Diagnostic {
    of(DECISIONS, file, what)
}

pub(crate) fn counters(file: &str, names: &[String]) -> Diagnostic {
    of(COUNTERS, file, format!("these counters of repairs are left out: {}", names.join(", ")))
}

pub(crate) fn statuses_in_status(file: &str, key: &str) -> Diagnostic {
    let message = format!("{} has statuses of tasks", quote(key));
    of(TASK_STATUS, file, message).help("They count only where tasks.yaml has none")
}

pub(crate) fn statuses(file: &str, message: String) -> Diagnostic {
    of(TASK_STATUS, file, message)
}

pub(crate) fn plan_unreadable(
    file: &str,
    line: Option<u32>,
    cause: &str,
    more: usize,
) -> Diagnostic {
    let more = match more {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let message = format!("it is not a plan: {cause}{more}");
    Diagnostic::warning(PLAN_UNREADABLE, Location::file(file, line), message)
        .help("Fix the file and import again, or continue: the plan is made again")
}

pub(crate) fn plan(file: &str, message: String) -> Diagnostic {
    of(PLAN, file, message)
}

pub(crate) fn criteria_unreadable(file: &str, cause: &str) -> Diagnostic {
    of(CRITERIA_UNREADABLE, file, format!("it has no criteria that can be read: {cause}"))
        .help("Fix the file and import again, or continue: the criteria are made again")
}

pub(crate) fn criteria(file: &str, message: String) -> Diagnostic {
    of(CRITERIA, file, message)
}

pub(crate) fn document(file: &str, message: &str) -> Diagnostic {
    of(DOCUMENT, file, format!("taken over although {message}"))
}

pub(crate) fn extra(file: &str, names: &[String]) -> Diagnostic {
    of(EXTRA, file, format!("these fields are not in the schema: {}", names.join(", ")))
}

pub(crate) fn paths(file: &str, old: &str, new: &str) -> Diagnostic {
    of(PATHS, file, format!("paths below {old} now name {new}"))
}

pub(crate) fn left_out(path: &str, why: &str) -> Diagnostic {
    of(LEFT_OUT, path, format!("not copied: {why}"))
}
