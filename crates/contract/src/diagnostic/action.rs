//! Faults of action files and role files.

use super::{Diagnostic, Location, any_of, did_you_mean, pages, perhaps_meant, quote};
use tollgate_core::role::Role;

pages! {
    NAME_INVALID = "action.name_invalid":
        "The name of an action or role file is used on the command line and in paths. It may contain only lowercase letters,\n\
         digits and dashes, and must begin with a letter.";
    NAME_OF_FILE = "action.name_of_file":
        "An action is listed and called by the name of its file. The field `name` in the file must match.";
    STEP_VERB = "action.step_verb":
        "A step does exactly one thing: it has its state and one of dispatch, parallel, approve, choose, tasks, severity,\n\
         checks and close.";
    FEW_MEMBERS = "action.few_members":
        "A parallel step needs at least two members that work at the same time; for a single one, use a dispatch step.";
    GATE_NAME = "action.gate_name":
        "The name of a gate is one word of letters, digits, underscores and dashes, such as APPROVE_DESIGN. People see it in\n\
         questions and in the evidence.";
    CHECK_UNKNOWN = "action.check_unknown":
        "A checks step takes one or more of acceptance (the criteria and the checks of tasks), lifecycle (the gates of the\n\
         declared stage), coverage (compared with the minimum in the settings), planning (planning-mds/ is complete and its\n\
         references exist), evidence (commands that show whether the work works) and `cmd: COMMAND`.";
    STEP_KEY = "action.step_key":
        "A key does not belong to this kind of step: inputs, outputs, writes, optional and when belong to dispatch; shows and\n\
         corrects belong to approve.";
    STEP_VALUE = "action.step_value":
        "A step names something that does not exist: choose takes REVIEW_STRATEGY, tasks takes plan, close takes\n\
         done, when takes requested.";
    ROLE_UNKNOWN = "action.role_unknown":
        "A role must be a canonical name, spelled exactly, or a name with its own agents/NAME/SKILL.md whose field `role`\n\
         names the canonical role.";
    PATH_INVALID = "action.path_invalid":
        "A path of a step must be inside the repository or the session folder: relative, with / as the separator and without\n\
         `..`.";
    OUTPUT_PROTECTED = "action.output_protected":
        "A step declares an output that no agent may write: settings, agents/, lifecycle-stage.yaml, .git or Tollgate's own\n\
         files.";
    OUTPUT_TWICE = "action.output_twice":
        "Two members of a parallel step declare the same file. They would conflict every time.";
    NO_CLOSE = "action.no_close":
        "An action must end with one close step; without it a session could never be done.";
    NO_PLAN = "action.tasks_without_plan":
        "The tasks step works through tasks.yaml, but no earlier dispatch has tasks.yaml in its outputs.";
    NOTHING_TO_CORRECT = "action.corrects_nobody":
        "An approval sends rejected work back to a role that no earlier step dispatches.";
    ROLE_NOT_NAMED = "skill.role_unknown":
        "A role file belongs to one canonical role. Either its field `role` names it, or its folder does, such as\n\
         agents/spec-agent/ or agents/product-manager/ for SpecAgent.";
    ROLE_WITHOUT_TEXT = "skill.no_text":
        "A role file must have a text for its role, but there is none after the front matter.";
    ROLE_WITHOUT_FIELDS = "skill.no_fields":
        "A role file has no front matter. It is used: the whole file is the text of the role, its folder tells which role, and\n\
         what it may write is as in the built-in role. Front matter is a line `---`, the fields, and a line `---`.";
    PROSE_WITHOUT_FLOW = "action.prose_without_flow":
        "An action file has no front matter, and no heading `Agent Flow` or `Execution Steps` to read a flow from. Where there\n\
         is a built-in action of its name, that one is used. A heading `Agent Flow` with a block such as\n\
         `Architect -> (Backend Developer + Frontend Developer) -> Code Reviewer` is enough; or write front matter.";
    PROSE_WITHOUT_ROLE = "action.prose_without_role":
        "An action file without front matter tells of a flow, but no known role is in it. Roles are known by their canonical\n\
         names, by their usual ones such as Product Manager or DevOps, and by the folder of an agents/NAME/SKILL.md.";
    PROSE_NOT_UNDERSTOOD = "action.prose_not_understood":
        "An action file without front matter is read from its headings and lists. This part of it is not done or not checked\n\
         by Tollgate; the roles read it, because they are given the file. `tollgate actions NAME` shows what was understood,\n\
         and `tollgate actions adopt NAME` writes it down as front matter that you can change.";
    PROSE_TAKEN_AS = "action.prose_taken_as":
        "An action file without front matter says something that Tollgate does in its own way; the message tells which.\n\
         `tollgate actions adopt NAME` writes the action down as front matter that you can change.";
    PROSE_SUPPLIED = "action.prose_supplied":
        "An action file without front matter does not say something that a run must know, and the built-in action of the same\n\
         name says it. Name the path in a list below `Outputs:` to have another.";
    PATTERN_INVALID = "globs.pattern_invalid":
        "A path pattern is invalid. Patterns are relative to the repository: * within one folder, ** across folders, ? one\n\
         character, [ab] one of these, {a,b} either; a folder ends in /.";
}

pub(crate) fn name_invalid(file: &str, line: Option<u32>, found: &str) -> Diagnostic {
    let message = format!("{} cannot be used as a name", quote(found));
    Diagnostic::error(NAME_INVALID, Location::file(file, line), message)
        .help("Use lowercase letters, digits and dashes, such as quick-fix")
}

pub(crate) fn name_of_file(
    file: &str,
    line: Option<u32>,
    found: &str,
    expected: &str,
) -> Diagnostic {
    let message = format!("the action calls itself {}", quote(found));
    Diagnostic::error(NAME_OF_FILE, Location::file(file, line), message)
        .help(format!("Write name: {expected}, or rename the file"))
}

pub(crate) fn step_verb(file: &str, line: Option<u32>, found: &[&str]) -> Diagnostic {
    let message = match found {
        [] => "this step does nothing".to_owned(),
        found => format!("this step does several things at once: {}", found.join(", ")),
    };
    Diagnostic::error(STEP_VERB, Location::file(file, line), message)
        .help("Give it exactly one of dispatch, parallel, approve, choose, tasks, severity, checks and close")
}

pub(crate) fn few_members(file: &str, line: Option<u32>, found: usize) -> Diagnostic {
    let message =
        format!("a parallel step with {}", tollgate_core::count::counted(found, "member"));
    Diagnostic::error(FEW_MEMBERS, Location::file(file, line), message)
        .help("Give it two members or more, or write a dispatch step")
}

pub(crate) fn gate_name(file: &str, line: Option<u32>, verb: &str, found: &str) -> Diagnostic {
    let message = format!("{verb} is {}, which is not the name of a gate", quote(found));
    Diagnostic::error(GATE_NAME, Location::file(file, line), message)
        .help("Use one word, such as SECURITY_REVIEW")
}

pub(crate) fn check_unknown(file: &str, line: Option<u32>, found: &str) -> Diagnostic {
    let message = format!("{found} is not something that can be checked");
    Diagnostic::error(CHECK_UNKNOWN, Location::file(file, line), message)
        .help("Use acceptance, lifecycle, coverage, planning, evidence or `cmd: COMMAND`")
}

pub(crate) fn step_key(file: &str, line: Option<u32>, key: &str, verb: &str) -> Diagnostic {
    let message = format!("{} does not belong to a step with {verb}", quote(key));
    let help = match (verb, key) {
        ("approve", "inputs" | "outputs") => "Use shows for what the gate shows",
        _ => "Remove it",
    };
    Diagnostic::error(STEP_KEY, Location::file(file, line), message).help(help)
}

pub(crate) fn step_value(
    file: &str,
    line: Option<u32>,
    verb: &str,
    found: &str,
    known: &str,
) -> Diagnostic {
    let message = format!("{verb} is {found}, but must be {known}");
    Diagnostic::error(STEP_VALUE, Location::file(file, line), message)
        .help(format!("Write {verb}: {known}"))
}

pub(crate) fn role_unknown(file: &str, line: Option<u32>, found: &str) -> Diagnostic {
    let known: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
    let message = format!("there is no role {}", quote(found));
    Diagnostic::error(ROLE_UNKNOWN, Location::file(file, line), message)
        .help(did_you_mean(found, &known))
}

pub(crate) fn path_invalid(file: &str, line: Option<u32>, found: &str) -> Diagnostic {
    let message = format!("{} is not a path inside the repository", quote(found));
    Diagnostic::error(PATH_INVALID, Location::file(file, line), message)
        .help("Write a relative path such as spec.md or docs/")
}

pub(crate) fn output_protected(file: &str, line: Option<u32>, found: &str) -> Diagnostic {
    let message = format!("no agent may write {}", quote(found));
    Diagnostic::error(OUTPUT_PROTECTED, Location::file(file, line), message)
        .help("Declare another file as the output")
}

pub(crate) fn output_twice(file: &str, line: Option<u32>, found: &str) -> Diagnostic {
    let message = format!("two members of this step write {}", quote(found));
    Diagnostic::error(OUTPUT_TWICE, Location::file(file, line), message)
        .help("Give each member its own file, or use two steps")
}

pub(crate) fn no_close(file: &str, line: Option<u32>) -> Diagnostic {
    let message = "the action must end with exactly one close step";
    Diagnostic::error(NO_CLOSE, Location::file(file, line), message)
        .help("Make `- {close: done, state: DONE}` the last step and the only one of its kind")
}

pub(crate) fn no_plan(file: &str, line: Option<u32>) -> Diagnostic {
    let message = "no step before this one makes a tasks.yaml";
    Diagnostic::error(NO_PLAN, Location::file(file, line), message)
        .help("Put a dispatch with `outputs: [tasks.yaml]` before it")
}

pub(crate) fn nothing_to_correct(file: &str, line: Option<u32>, role: &str) -> Diagnostic {
    let message = format!("work is sent back to {role}, but no earlier step dispatches it");
    Diagnostic::error(NOTHING_TO_CORRECT, Location::file(file, line), message)
        .help("Dispatch the role earlier, or remove it from corrects")
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
    Diagnostic::error(ROLE_NOT_NAMED, Location::file(file, line), message).help(help)
}

pub(crate) fn role_without_text(file: &str) -> Diagnostic {
    let message = "there is no text after the front matter";
    Diagnostic::error(ROLE_WITHOUT_TEXT, Location::file(file, None), message)
        .help("Write the instructions for the role")
}

pub(crate) fn role_without_fields(file: &str) -> Diagnostic {
    let message = "there is no front matter; the whole file is used as the text of the role";
    Diagnostic::warning(ROLE_WITHOUT_FIELDS, Location::file(file, None), message)
}

pub(crate) fn prose_without_flow(file: &str) -> Diagnostic {
    let message = "there is no front matter, and no heading \"Agent Flow\" or \"Execution Steps\"";
    Diagnostic::error(PROSE_WITHOUT_FLOW, Location::file(file, None), message)
        .help("Draw the flow below a heading \"Agent Flow\", or write front matter")
}

pub(crate) fn prose_without_role(file: &str, line: Option<u32>) -> Diagnostic {
    let message = "no known role is in this flow";
    Diagnostic::error(PROSE_WITHOUT_ROLE, Location::file(file, line), message)
        .help("Use names that `tollgate roles` lists")
}

pub(crate) fn prose_not_understood(file: &str, line: u32, words: &str) -> Diagnostic {
    Diagnostic::warning(PROSE_NOT_UNDERSTOOD, Location::file(file, Some(line)), words)
}

pub(crate) fn prose_prerequisite(file: &str, line: u32, found: &str) -> Diagnostic {
    let message = format!("{} names no file, so Tollgate does not check it", quote(found));
    Diagnostic::warning(PROSE_NOT_UNDERSTOOD, Location::file(file, Some(line)), message)
}

pub(crate) fn prose_taken_as(file: &str, line: u32, words: &str) -> Diagnostic {
    Diagnostic::warning(PROSE_TAKEN_AS, Location::file(file, Some(line)), words)
}

pub(crate) fn prose_supplied(file: &str, line: Option<u32>, words: &str) -> Diagnostic {
    Diagnostic::warning(PROSE_SUPPLIED, Location::file(file, line), words)
}

pub(crate) fn pattern_invalid(
    file: &str,
    line: Option<u32>,
    found: &str,
    cause: &str,
) -> Diagnostic {
    let message = format!("the pattern {} cannot be read: {cause}", quote(found));
    Diagnostic::error(PATTERN_INVALID, Location::file(file, line), message)
        .help("Write a path relative to the repository, a glob, or a folder that ends in /")
}
