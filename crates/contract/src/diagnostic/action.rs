//! Faults of action files and role files.

use super::{Diagnostic, Place, any_of, did_you_mean, pages, perhaps_meant, quote};
use tollgate_core::role::Role;

pages! {
    NAME_INVALID = "action.name_invalid":
        "The name of an action or role file is used on the command line and in paths. It has small letters, digits and\n\
         dashes only, and begins with a letter.";
    STEP_VERB = "action.step_verb":
        "A step does exactly one thing: it has one of dispatch, approve, choose, tasks, checks and close, and its state.";
    STEP_UNSUPPORTED = "action.step_unsupported":
        "The step, or a key of it, has a meaning that this version of Tollgate does not carry out. It is refused, because\n\
         leaving it out silently would change what the action does.";
    STEP_KEY = "action.step_key":
        "A key does not belong to this kind of step: outputs, optional and when belong to dispatch; shows and\n\
         corrects belong to approve.";
    STEP_VALUE = "action.step_value":
        "A step names something that does not exist: approve takes APPROVE_DESIGN, choose takes REVIEW_STRATEGY, tasks\n\
         takes plan, checks takes acceptance, close takes done, when takes requested.";
    ROLE_UNKNOWN = "action.role_unknown":
        "A role is not one of the canonical names, which are written in exactly one way. Orchestrator is the engine itself\n\
         and is never dispatched.";
    PATH_INVALID = "action.path_invalid":
        "A path of a step must lie below the session folder: relative, with / between its parts, without .. in it.";
    NO_CLOSE = "action.no_close":
        "An action ends with one close step; without it a session could never be done.";
    NO_PLAN = "action.tasks_without_plan":
        "The tasks step works through tasks.yaml, but no dispatch before it has tasks.yaml among its outputs.";
    NOTHING_TO_CORRECT = "action.corrects_nobody":
        "An approval names a role to send back that no step before it dispatches.";
    ROLE_NOT_NAMED = "skill.role_unknown":
        "A role file belongs to one canonical role: by its field `role`, or by a name that is known for one, such as\n\
         spec-agent or product-manager for SpecAgent.";
    PATTERN_INVALID = "globs.pattern_invalid":
        "A pattern for paths cannot be read. Patterns are relative to the repository: * within one folder, ** across\n\
         folders, ? one character, [ab] one of, {a,b} either; a folder ends in /.";
}

pub(crate) fn name_invalid(file: &str, line: Option<u32>, found: &str) -> Diagnostic {
    let message = format!("{} cannot be used as a name", quote(found));
    Diagnostic::error(NAME_INVALID, Place::file(file, line), message)
        .help("Use small letters, digits and dashes, such as quick-fix")
}

pub(crate) fn step_verb(file: &str, line: Option<u32>, found: &[&str]) -> Diagnostic {
    let message = match found {
        [] => "this step does nothing".to_owned(),
        found => format!("this step does several things at once: {}", found.join(", ")),
    };
    Diagnostic::error(STEP_VERB, Place::file(file, line), message)
        .help("Give it exactly one of dispatch, approve, choose, tasks, checks and close")
}

pub(crate) fn step_unsupported(file: &str, line: Option<u32>, key: &str) -> Diagnostic {
    let message = format!("{} is not supported by this version", quote(key));
    Diagnostic::error(STEP_UNSUPPORTED, Place::file(file, line), message)
        .help("Write the action without it, for instance with several dispatch steps")
}

pub(crate) fn step_key(file: &str, line: Option<u32>, key: &str, verb: &str) -> Diagnostic {
    let message = format!("{} does not belong to a {verb} step", quote(key));
    Diagnostic::error(STEP_KEY, Place::file(file, line), message).help("Remove it")
}

pub(crate) fn step_value(
    file: &str,
    line: Option<u32>,
    verb: &str,
    found: &str,
    known: &str,
) -> Diagnostic {
    let message = format!("{verb} is {found}, but must be {known}");
    Diagnostic::error(STEP_VALUE, Place::file(file, line), message)
        .help(format!("Write {verb}: {known}"))
}

pub(crate) fn role_unknown(file: &str, line: Option<u32>, found: &str) -> Diagnostic {
    let known: Vec<&str> = Role::dispatched().map(Role::as_str).collect();
    let message = format!("{} is not a role that can be dispatched", quote(found));
    Diagnostic::error(ROLE_UNKNOWN, Place::file(file, line), message)
        .help(did_you_mean(found, &known))
}

pub(crate) fn path_invalid(file: &str, line: Option<u32>, found: &str) -> Diagnostic {
    let message = format!("{} is not a path below the session folder", quote(found));
    Diagnostic::error(PATH_INVALID, Place::file(file, line), message)
        .help("Write a relative path such as spec.md or research/")
}

pub(crate) fn no_close(file: &str, line: Option<u32>) -> Diagnostic {
    let message = "the action must end with exactly one close step";
    Diagnostic::error(NO_CLOSE, Place::file(file, line), message)
        .help("Make `- {close: done, state: DONE}` the last step and the only one of its kind")
}

pub(crate) fn no_plan(file: &str, line: Option<u32>) -> Diagnostic {
    let message = "no step before this one makes a tasks.yaml";
    Diagnostic::error(NO_PLAN, Place::file(file, line), message)
        .help("Put a dispatch with `outputs: [tasks.yaml]` before it")
}

pub(crate) fn nothing_to_correct(file: &str, line: Option<u32>, role: &str) -> Diagnostic {
    let message = format!("{role} is to be sent back, but no step before this one dispatches it");
    Diagnostic::error(NOTHING_TO_CORRECT, Place::file(file, line), message)
        .help("Dispatch the role before, or take it out of corrects")
}

pub(crate) fn role_not_named(
    file: &str,
    line: Option<u32>,
    found: &str,
    known: &[&str],
) -> Diagnostic {
    let message = format!("{} does not name a role", quote(found));
    let roles: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
    let help = perhaps_meant(found, known)
        .unwrap_or_else(|| format!("Add the field role with {}", any_of(&roles)));
    Diagnostic::error(ROLE_NOT_NAMED, Place::file(file, line), message).help(help)
}

pub(crate) fn pattern_invalid(
    file: &str,
    line: Option<u32>,
    found: &str,
    cause: &str,
) -> Diagnostic {
    let message = format!("the pattern {} cannot be read: {cause}", quote(found));
    Diagnostic::error(PATTERN_INVALID, Place::file(file, line), message)
        .help("Write a path relative to the repository, a glob, or a folder that ends in /")
}
