//! Faults of a plan and of the acceptance criteria.

use super::{Diagnostic, Location, any_of, did_you_mean, pages, perhaps_meant, quote};

pages! {
    NO_TASKS = "tasks.none":
        "The plan has no tasks. It needs at least one, with id, status, goal and acceptance_checks.";
    TOO_MANY = "tasks.too_many":
        "The plan has more tasks than one session can handle. Combine small tasks, or split the goal into several sessions.";
    ID_INVALID = "tasks.id_invalid":
        "A task id contains characters that cannot be used in branch names and paths, or is the reserved word meta. Ids have\n\
         the form T-001.";
    ID_ODD = "tasks.id_odd":
        "A task id is usable but does not have the usual form: T- and at least three digits.";
    ID_TWICE = "tasks.id_twice":
        "Two tasks have the same id, so dependencies on it are ambiguous. Give each its own.";
    DEPENDENCY_UNKNOWN = "tasks.dependency_unknown":
        "A task depends on an id that is not in the plan.";
    DEPENDENCY_CYCLE = "tasks.dependency_cycle":
        "Tasks depend on each other in a cycle, so none of them could ever start. Remove one dependency.";
    STATUS_UNKNOWN = "tasks.status_unknown":
        "The status of a task is not one of not-started, in-progress, implemented, completed and blocked.";
    KIND_UNKNOWN = "tasks.type_unknown":
        "The type of a task is not one of feat, fix, refactor, chore, test and docs. It decides, among other things,\n\
         whether the task is tested by QA.";
    NO_SCOPE = "tasks.no_scope":
        "A task does not say which files it may change. List them in files_expected: paths, globs, or folders that end in /.\n\
         A task with a work item gets its scope from there instead.";
    NO_CHECK = "tasks.no_check":
        "A task has no acceptance check, so nobody can tell when it is done. Add at least one: Tollgate runs `cmd: …`, and\n\
         asks a person to do `manual: …`.";
    CHECK_EMPTY = "tasks.check_empty":
        "An acceptance check is just `cmd:` or `manual:` with nothing after it.";
    CHECK_UNQUOTED = "tasks.check_unquoted":
        "An acceptance check such as `- cmd: npm test` is not quoted, so YAML reads it as a mapping and not as text. Tollgate\n\
         understood it anyway; put quotes around the whole check to be safe.";
    NO_TITLE = "tasks.no_title":
        "A task has no title. The first line of its goal is shown instead.";
    NO_DONE_WHEN = "tasks.no_done_when":
        "A task does not say when it is done. done_when tells reviewers what to look for in addition to the checks.";
    NO_KIND = "tasks.no_type":
        "A task has no type; it counts as feat, which is reviewed and tested most thoroughly.";
    EDIT_UNSAFE = "tasks.edit_unsafe":
        "The status of a task could not be written without changing something else in the file, so nothing was written. This\n\
         happens with unusual YAML, such as a status shared through an anchor. Write each status as plain text.";
    NO_CRITERIA = "acceptance.none":
        "acceptance.json has no criteria. It needs at least one, with id, description and verify.";
    CRITERION_TWICE = "acceptance.id_twice":
        "Two acceptance criteria have the same id. Give each its own, such as AC-001 and AC-002.";
    VERIFY_EMPTY = "acceptance.verify_empty":
        "A criterion does not say how to verify it. Give a command, or `manual:` and what a person has to look at.";
    ONE_SIDED = "acceptance.one_sided":
        "A criterion is in spec.md or in acceptance.json, but not in both. People approve what spec.md says, and Tollgate checks\n\
         what acceptance.json says, so both must list the same criteria with the same ids.";
    NO_ID = "acceptance.no_id":
        "Some acceptance criteria of spec.md have an id and this one has none, so nobody can tell which criterion of\n\
         acceptance.json it is. Begin it with its id, or indent it below the criterion that it explains.";
}

/// Where in a plan or in the criteria, and of which task or criterion.
pub(crate) struct PlanLocation<'a> {
    pub file: &'a str,
    pub pointer: &'a str,
    pub line: Option<u32>,
    /// Empty where it has none.
    pub id: &'a str,
}

impl PlanLocation<'_> {
    fn place(&self) -> Location {
        Location::new(self.file, self.pointer, self.line)
    }

    fn task(&self) -> String {
        if self.id.is_empty() { "a task".to_owned() } else { format!("task {}", self.id) }
    }
}

pub(crate) fn none(at: &PlanLocation<'_>) -> Diagnostic {
    Diagnostic::error(NO_TASKS, at.place(), "the plan has no tasks")
        .help("Add at least one task under `tasks:`")
}

pub(crate) fn too_many(at: &PlanLocation<'_>, count: usize, count_max: usize) -> Diagnostic {
    let message = format!("the plan has {count} tasks; the limit is {count_max}");
    Diagnostic::error(TOO_MANY, at.place(), message).help("Combine tasks or split the goal")
}

pub(crate) fn id_invalid(at: &PlanLocation<'_>, found: &str) -> Diagnostic {
    let message = format!("{} cannot be a task id", quote(found));
    Diagnostic::error(ID_INVALID, at.place(), message)
        .help("Use the form T-001: letters, digits, '-', '_' and '.' only")
}

pub(crate) fn id_odd(at: &PlanLocation<'_>) -> Diagnostic {
    let message = format!("the task id {} does not have the form T-001", quote(at.id));
    Diagnostic::warning(ID_ODD, at.place(), message)
}

pub(crate) fn id_twice(at: &PlanLocation<'_>) -> Diagnostic {
    Diagnostic::error(ID_TWICE, at.place(), format!("the task id {} is used twice", quote(at.id)))
        .help("Give each task its own id")
}

pub(crate) fn dependency_unknown(at: &PlanLocation<'_>, found: &str, known: &[&str]) -> Diagnostic {
    let message =
        format!("{} depends on {}, which is not a task of the plan", at.task(), quote(found));
    Diagnostic::error(DEPENDENCY_UNKNOWN, at.place(), message).help(did_you_mean(found, known))
}

pub(crate) fn dependency_cycle(at: &PlanLocation<'_>, cycle: &[&str]) -> Diagnostic {
    let message = format!("these tasks wait for each other: {}", cycle.join(" → "));
    Diagnostic::error(DEPENDENCY_CYCLE, at.place(), message)
        .help("Remove one of these dependencies")
}

pub(crate) fn status_unknown(at: &PlanLocation<'_>, found: &str, known: &[String]) -> Diagnostic {
    let message =
        format!("the status of {} is {}, but must be {}", at.task(), quote(found), any_of(known));
    Diagnostic::error(STATUS_UNKNOWN, at.place(), message).help_if(perhaps_meant(found, known))
}

pub(crate) fn kind_unknown(at: &PlanLocation<'_>, found: &str, known: &[String]) -> Diagnostic {
    let message =
        format!("the type of {} is {}, but must be {}", at.task(), quote(found), any_of(known));
    Diagnostic::error(KIND_UNKNOWN, at.place(), message).help_if(perhaps_meant(found, known))
}

pub(crate) fn no_scope(at: &PlanLocation<'_>) -> Diagnostic {
    let message = format!("{} does not say which files it may change", at.task());
    Diagnostic::error(NO_SCOPE, at.place(), message)
        .help("List paths, globs or folders ending in / under files_expected")
}

pub(crate) fn no_check(at: &PlanLocation<'_>) -> Diagnostic {
    let message = format!("{} has no acceptance check", at.task());
    Diagnostic::error(NO_CHECK, at.place(), message)
        .help("Add a check such as \"cmd: npm test\" or \"manual: the page shows the total\"")
}

pub(crate) fn check_empty(at: &PlanLocation<'_>, found: &str) -> Diagnostic {
    let message = format!("the check {} of {} is empty", quote(found), at.task());
    Diagnostic::error(CHECK_EMPTY, at.place(), message)
        .help("Write a command after cmd:, or what to look at after manual:")
}

pub(crate) fn check_unquoted(at: &PlanLocation<'_>, read_as: &str) -> Diagnostic {
    let message =
        format!("a check of {} is not quoted; it was read as {}", at.task(), quote(read_as));
    Diagnostic::warning(CHECK_UNQUOTED, at.place(), message)
        .help(format!("Write it as - {}", quote(read_as)))
}

pub(crate) fn no_title(at: &PlanLocation<'_>) -> Diagnostic {
    let message = format!("{} has no title; the first line of its goal is used", at.task());
    Diagnostic::warning(NO_TITLE, at.place(), message)
}

pub(crate) fn no_done_when(at: &PlanLocation<'_>) -> Diagnostic {
    let message = format!("{} does not say under done_when what makes it done", at.task());
    Diagnostic::warning(NO_DONE_WHEN, at.place(), message)
}

pub(crate) fn no_kind(at: &PlanLocation<'_>) -> Diagnostic {
    let message = format!("{} has no type; it counts as feat", at.task());
    Diagnostic::warning(NO_KIND, at.place(), message)
}

pub(crate) fn edit_unsafe(file: &str, cause: &str) -> Diagnostic {
    let message = format!("the statuses cannot be written into this file: {cause}");
    Diagnostic::error(EDIT_UNSAFE, Location::file(file, None), message)
        .help("Write each status as plain text, such as `status: not-started`")
}

pub(crate) fn no_criteria(at: &PlanLocation<'_>) -> Diagnostic {
    Diagnostic::error(NO_CRITERIA, at.place(), "there is no acceptance criterion")
        .help("Add at least one with id, description and verify")
}

pub(crate) fn criterion_twice(at: &PlanLocation<'_>) -> Diagnostic {
    let message = format!("the criterion id {} is used twice", quote(at.id));
    Diagnostic::error(CRITERION_TWICE, at.place(), message).help("Give each its own id")
}

pub(crate) fn verify_empty(at: &PlanLocation<'_>) -> Diagnostic {
    let message = match at.id {
        "" => "a criterion does not say how to verify it".to_owned(),
        id => format!("criterion {} does not say how to verify it", quote(id)),
    };
    Diagnostic::error(VERIFY_EMPTY, at.place(), message)
        .help("Give a command, or manual: and what a person has to look at")
}

pub(crate) fn only_in_spec(file: &str, line: u32, id: &str, other: &str) -> Diagnostic {
    let message = format!("the criterion {} is not in {other}", quote(id));
    Diagnostic::error(ONE_SIDED, Location::file(file, Some(line)), message)
        .help("Add it there with the same id and a way to verify it, or remove it here")
}

pub(crate) fn only_in_acceptance(file: &str, index: usize, id: &str, other: &str) -> Diagnostic {
    let place = Location::new(file, &format!("/acceptance_criteria/{index}/id"), None);
    Diagnostic::error(ONE_SIDED, place, format!("the criterion {} is not in {other}", quote(id)))
        .help("Add it to the section Acceptance Criteria there with the same id, or remove it here")
}

pub(crate) fn criterion_without_id(file: &str, line: u32) -> Diagnostic {
    let message = "this criterion has no id, but others do";
    Diagnostic::error(NO_ID, Location::file(file, Some(line)), message).help(
        "Begin it with the id that it has in acceptance.json, or indent it below its criterion",
    )
}
