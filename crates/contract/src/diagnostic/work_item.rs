//! Faults of work items: sections, scope and criteria.

use super::{Diagnostic, Location, did_you_mean, pages, quote};

pages! {
    SECTION_MISSING = "work_item.section_missing":
        "A work item lacks a section. A task has Objective, Spec Reference, In Scope, Out of Scope, Acceptance Criteria,\n\
         Context and Constraints; a refinement has Ambiguity, Spec Reference, Options, Recommendation and Blocked Tasks.\n\
         Headings inside code fences and comments do not count. The line shows where the section belongs.";
    SECTION_EMPTY = "work_item.section_empty":
        "A section of a work item has a heading and nothing below it. If there is nothing to say, say so: Out of Scope,\n\
         Context and Constraints may say `None`.";
    SECTION_TWICE = "work_item.section_twice":
        "A work item has the same section twice, so it is unclear which one counts. Merge them.";
    SECTION_ORDER = "work_item.section_order":
        "The sections of a work item are not in the order of the template. They were read anyway.";
    SECTION_LEVEL = "work_item.section_level":
        "A section of a work item has a heading of a different level than in the template, where In Scope and Out of Scope\n\
         have ### below `## Scope` and all others have ##. It was read anyway.";
    SPEC_FIELD = "work_item.spec_field":
        "The Spec Reference of a work item does not have the usual form: a line `- Spec: path`, a line `- Section(s): names`,\n\
         and in a refinement a line `- Quote: \"text\"`. The section was read anyway.";
    SCOPE_EMPTY = "work_item.scope_empty":
        "In Scope names no file, so the task could not change anything. List paths, globs, or folders that end in /, one per\n\
         list item.";
    PATH_UNCLEAR = "work_item.path_unclear":
        "An item of In Scope has other words next to its path, and it is unclear where the path ends. Put the path in\n\
         backticks, or the remark in parentheses.";
    NOT_LISTED = "work_item.not_listed":
        "A line of In Scope or Out of Scope names a file in a paragraph, a table or a code fence. Only list items count, so\n\
         the file would be ignored silently. Write it as a list item: `- src/app.ts`.";
    PATH_WITH_LINE = "work_item.path_with_line":
        "An entry of a scope names a line of a file. A scope consists of whole files: name the file, and put the details into\n\
         Objective or Context.";
    BACKSLASH = "work_item.backslash":
        "A path in a scope has backslashes. Write paths with /, on every system.";
    PROTECTED = "work_item.protected":
        "In Scope lists a file that no agent may change: .git in any spelling, .agents-work, agents, tollgate.toml or\n\
         lifecycle-stage.yaml. Only a person changes these; remove the entry.";
    SCOPE_EVERYTHING = "work_item.scope_everything":
        "An entry of In Scope matches every file of the repository, so no change is out of scope and the task cannot run in\n\
         parallel with any other. Name the files that the task is about.";
    OWNED_BY_ITSELF = "work_item.owned_by_itself":
        "Out of Scope says that a file is owned by this same item. Name the item that owns the file, or put it in scope.";
    NOT_ENFORCED = "work_item.not_enforced":
        "An entry of Out of Scope is not a path, so Tollgate cannot enforce it. Agents still read it.";
    IN_AND_OUT = "work_item.in_and_out":
        "The same path is listed in scope and out of scope. Remove one of the two.";
    CHECK_OUT_OF_SCOPE = "work_item.check_out_of_scope":
        "A criterion needs a file that is out of scope, so the task could not meet it. Put the file in scope, or move the\n\
         criterion to the task that owns the file.";
    NO_CRITERIA = "work_item.no_criteria":
        "Acceptance Criteria has no list of criteria, so nobody can tell when the task is done. Each criterion is an item\n\
         with a check box, such as `- [ ] the limit holds after a restart`, `- [ ] Test: tests/limit.sh passes` or `- [ ]\n\
         cmd: make test`.";
    NO_BOX = "work_item.no_box":
        "A criterion has no check box, so it looks like a remark and cannot be marked as met. Begin it with `- [ ] `.";
    TOO_FEW_OPTIONS = "work_item.too_few_options":
        "A refinement gives fewer than two options, so a person has nothing to choose from. List at least two, numbered, each\n\
         with its pros and cons.";
    OBJECTIVE_LONG = "work_item.objective_long":
        "The Objective of a task is more than one sentence. Say in one sentence what the task achieves, and put the rest into\n\
         Context; a task that needs two sentences is often two tasks.";
    REFERENCE_MISSING = "work_item.reference_missing":
        "The Spec Reference of a work item lacks a line that a plan needs: `- Spec: path`, `- Section(s): names`, and in a\n\
         refinement `- Quote: \"text\"`. Whoever works on the item reads that part of the specification.";
    DOCUMENT_MISSING = "work_item.document_missing":
        "The Spec Reference of a work item names a document that does not exist. The path is that of a file of the repository,\n\
         such as docs/specs/login.md, or of the session, such as spec.md.";
    SECTION_UNKNOWN = "work_item.section_unknown":
        "The Spec Reference of a work item names a section that the document does not have. A section is named by the words of\n\
         its heading, by its number, or by both; several are separated by commas.";
    QUOTE_UNKNOWN = "work_item.quote_unknown":
        "The Spec Reference of a refinement quotes words that are not in the document. White space and emphasis may differ, and\n\
         `…` may stand for words that were left out; everything else must be as in the document.";
}

pub(crate) fn section_missing(file: &str, line: u32, name: &str, level: usize) -> Diagnostic {
    let message = format!("the section {} is missing", quote(name));
    let heading = "#".repeat(level);
    error(SECTION_MISSING, file, line, message)
        .help(format!("Add a heading \"{heading} {name}\" with its content below it"))
}

pub(crate) fn section_empty(file: &str, line: u32, name: &str) -> Diagnostic {
    error(SECTION_EMPTY, file, line, format!("the section {} is empty", quote(name)))
        .help("Write its content, or say that there is none")
}

pub(crate) fn section_twice(file: &str, lines: (u32, u32), name: &str) -> Diagnostic {
    let message =
        format!("the section {} occurs twice; the first is in line {}", quote(name), lines.0);
    error(SECTION_TWICE, file, lines.1, message).help("Merge the two")
}

pub(crate) fn section_order(file: &str, line: u32, names: (&str, &str)) -> Diagnostic {
    let message = format!("the section {} comes after {}", quote(names.0), quote(names.1));
    warning(SECTION_ORDER, file, line, message)
}

pub(crate) fn section_level(
    file: &str,
    line: u32,
    name: &str,
    levels: (usize, usize),
) -> Diagnostic {
    let (found, usual) = (levels.0, levels.1);
    let message =
        format!("the heading {} is of level {found}; it is usually of level {usual}", quote(name));
    warning(SECTION_LEVEL, file, line, message)
}

pub(crate) fn spec_field(file: &str, line: u32, name: &str) -> Diagnostic {
    let message = format!("the Spec Reference has no line {}", quote(&format!("- {name}: …")));
    warning(SPEC_FIELD, file, line, message)
}

pub(crate) fn scope_empty(file: &str, line: u32) -> Diagnostic {
    error(SCOPE_EMPTY, file, line, "In Scope names no file that the task may change")
        .help("List paths, globs or folders ending in /, each as a list item")
}

pub(crate) fn path_unclear(file: &str, line: u32, found: &str) -> Diagnostic {
    let message = format!("it is not clear which path {} means", quote(found));
    error(PATH_UNCLEAR, file, line, message).help("Put the path in backticks")
}

pub(crate) fn not_listed(file: &str, line: u32, found: &str) -> Diagnostic {
    let message = format!("{} names a file, but is not a list item", quote(found));
    error(NOT_LISTED, file, line, message).help("Write it as a list item, such as \"- src/app.ts\"")
}

pub(crate) fn path_with_line(file: &str, line: u32, found: &str, meant: &str) -> Diagnostic {
    let found = quote(found);
    let message = format!("{found} names a line of a file; a scope consists of whole files");
    error(PATH_WITH_LINE, file, line, message).help(format!("Write {}", quote(meant)))
}

pub(crate) fn backslash(file: &str, line: u32, found: &str, meant: &str) -> Diagnostic {
    let message = format!("{} has backslashes", quote(found));
    error(BACKSLASH, file, line, message).help(format!("Write {}", quote(meant)))
}

pub(crate) fn protected(file: &str, line: u32, found: &str) -> Diagnostic {
    let message = format!("{} is in scope, but no agent may change it", quote(found));
    error(PROTECTED, file, line, message).help("Remove the entry; only a person changes this file")
}

pub(crate) fn scope_everything(file: &str, line: u32) -> Diagnostic {
    warning(SCOPE_EVERYTHING, file, line, "every file of the repository is in scope")
        .help("Name the files or folders that the task is about")
}

pub(crate) fn owned_by_itself(file: &str, line: u32, found: &str, owner: &str) -> Diagnostic {
    let (found, owner) = (quote(found), quote(owner));
    let message =
        format!("{found} is out of scope because {owner} owns it, but {owner} is this item");
    error(OWNED_BY_ITSELF, file, line, message)
        .help("Name the item that owns it, or put the file in scope")
}

pub(crate) fn not_enforced(file: &str, line: u32, found: &str) -> Diagnostic {
    let message = format!("{} is not a path, so it is not enforced", quote(found));
    warning(NOT_ENFORCED, file, line, message)
        .help("Name paths, globs or folders ending in /, each as a list item")
}

pub(crate) fn in_and_out(file: &str, lines: (u32, u32), path: &str) -> Diagnostic {
    let message =
        format!("{} is out of scope, but line {} lists it in scope", quote(path), lines.0);
    error(IN_AND_OUT, file, lines.1, message).help("Remove one of the two")
}

pub(crate) fn check_out_of_scope(file: &str, line: u32, needed: &str, check: &str) -> Diagnostic {
    let message =
        format!("the criterion {} needs {}, which is out of scope", quote(check), quote(needed));
    error(CHECK_OUT_OF_SCOPE, file, line, message)
        .help("Put the file in scope, or the criterion into the task that owns the file")
}

pub(crate) fn no_criteria(file: &str, line: u32) -> Diagnostic {
    error(NO_CRITERIA, file, line, "Acceptance Criteria lists no criterion")
        .help("Add an item such as \"- [ ] Test: tests/login.sh passes\"")
}

pub(crate) fn no_box(file: &str, line: u32, found: &str) -> Diagnostic {
    let message = format!("the criterion {} has no check box", quote(found));
    error(NO_BOX, file, line, message).help("Begin it with \"- [ ] \"")
}

pub(crate) fn too_few_options(file: &str, line: u32, count: usize) -> Diagnostic {
    let message = match count {
        0 => "the refinement gives no option",
        _ => "the refinement gives only one option",
    };
    error(TOO_FEW_OPTIONS, file, line, message)
        .help("List at least two, such as \"1. **Count per user** — exact, but needs a table\"")
}

pub(crate) fn objective_long(file: &str, line: u32, second: &str) -> Diagnostic {
    let message = format!("the Objective is more than one sentence: {} follows", quote(second));
    error(OBJECTIVE_LONG, file, line, message)
        .help("Keep one sentence, and put the rest into Context")
}

pub(crate) fn reference_missing(file: &str, line: u32, name: &str) -> Diagnostic {
    let message = format!("the Spec Reference has no line {}", quote(&format!("- {name}: …")));
    error(REFERENCE_MISSING, file, line, message).help("Add the line")
}

pub(crate) fn document_missing(file: &str, line: u32, found: &str) -> Diagnostic {
    let message = format!("the document {} does not exist", quote(found));
    error(DOCUMENT_MISSING, file, line, message)
        .help("Name a file of the repository, or a file of the session such as spec.md")
}

pub(crate) fn section_unknown(
    file: &str,
    line: u32,
    (found, document): (&str, &str),
    headings: &[String],
) -> Diagnostic {
    let message = format!("{document} has no section {}", quote(found));
    let known: Vec<&str> = headings.iter().map(String::as_str).collect();
    error(SECTION_UNKNOWN, file, line, message).help(did_you_mean(found, &known))
}

pub(crate) fn quote_unknown(file: &str, line: u32, found: &str, document: &str) -> Diagnostic {
    let message = format!("the words {} are not in {document}", quote(found));
    error(QUOTE_UNKNOWN, file, line, message).help("Quote the document word for word")
}

fn error(code: super::Code, file: &str, line: u32, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, Location::file(file, Some(line)), message)
}

fn warning(code: super::Code, file: &str, line: u32, message: impl Into<String>) -> Diagnostic {
    Diagnostic::warning(code, Location::file(file, Some(line)), message)
}
