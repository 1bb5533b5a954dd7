//! Faults of what an agent answered.

use super::{Diagnostic, Location, any_of, did_you_mean, pages, perhaps_meant, quote};
use tollgate_core::reply::ReplyStatus;
use tollgate_core::role::Role;

pages! {
    EMPTY = "reply.empty":
        "The agent wrote nothing to standard output. A reply is exactly one JSON object on standard output; logs belong on\n\
         standard error.";
    TOO_LARGE = "reply.too_large":
        "The reply is too large. File contents do not belong in a reply: write them to the workspace and name the files.";
    NOT_UTF8 = "reply.not_utf8":
        "The reply is not UTF-8 text. Binary data does not belong in a reply.";
    NOT_JSON = "reply.not_json":
        "The reply begins like a JSON object but cannot be parsed. The message says what was expected and where.";
    TOO_DEEP = "reply.too_deep":
        "The reply nests objects or lists too deeply. Flatten it.";
    NOT_AN_OBJECT = "reply.not_an_object":
        "The reply is JSON but not an object. It must begin with `{` and end with `}`.";
    TEXT_BEFORE = "reply.text_before":
        "There is text before the JSON object. Standard output must contain only the object: no greeting, no Markdown fence,\n\
         no log line. Whitespace is allowed.";
    TEXT_AFTER = "reply.text_after":
        "There is text after the JSON object. Standard output must contain only the object: no remark, no Markdown fence, no\n\
         second object. Whitespace is allowed.";
    STATUS_UNKNOWN = "reply.status_unknown":
        "The status is not one of OK, BLOCKED, NEEDS_INFO, NEEDS_DECISION and FAIL. Spelling and case matter.";
    STATUS_NOT_FOR_ROLE = "reply.status_not_for_role":
        "This role may not reply with this status: only Researcher may reply NEEDS_INFO without questions, and only Security\n\
         NEEDS_DECISION. Every other role puts what it must know from the person into artifacts.questions, or replies BLOCKED\n\
         and says in its summary what is missing.";
    DONE_CONTRADICTED = "reply.done_contradicted":
        "The reply says OK and also, in gates.meets_definition_of_done, that the work is not done. Finish the work, or reply\n\
         BLOCKED or FAIL.";
    AGENT_UNKNOWN = "reply.agent_unknown":
        "A recommended agent is not one of the twelve canonical names. They must be spelled exactly.";
    RESULT_ROLE = "reply.result_role":
        "A typed result names a different role than the one that was dispatched. A Planner replies with a planner result, a\n\
         Coder with an implementor result, a Reviewer with a reviewer result; every role may reply with the universal output\n\
         instead.";
    TEMP_ID_TWICE = "reply.temp_id_twice":
        "Two new work items have the same tempID, so references to it are ambiguous. Give each its own.";
    BLOCKED_BY_UNKNOWN = "reply.blocked_by_unknown":
        "A work item is blocked by a tempID that no created item has. Only items of the same result have a tempID; refer to\n\
         existing items by their name, such as T-001, or by their number.";
    OWNER_UNKNOWN = "reply.owner_unknown":
        "Out of Scope says that a file is owned by an item that this result does not create and that does not exist yet.\n\
         Write the tempID of an item of the same result, or a name such as T-001.";
    ID_EMPTY = "reply.id_empty":
        "A result refers to a work item by an empty name. Write the item's name, such as T-001, its number, or the tempID of\n\
         an item of the same result; if you do not mean any item, remove the entry.";
    PATH_INVALID = "reply.path_invalid":
        "A path in a result is not inside the repository: it is empty, absolute, or contains `..`. Write paths from the root\n\
         of the repository, with / as the separator.";
    LINE_INVALID = "reply.line_invalid":
        "The line of a review comment is neither a line number nor a range. Lines count from 1; a comment on the whole file\n\
         has null.";
    TITLE_INVALID = "reply.title_invalid":
        "The title of a new work item is blank or has several lines. It is shown in lists, so write one short line.";
    ITEM_TWICE = "reply.item_twice":
        "Two new work items have the same title and body, so the same work would be done twice. Keep one of them.";
    UPDATE_NOTHING = "reply.update_nothing":
        "An update changes nothing: both its body and its labels are null. Say what should change, or remove the update.";
    CLOSED_AND_UPDATED = "reply.closed_and_updated":
        "The same work item is closed and updated in one result. Do one of the two.";
    NAMED_TWICE = "reply.item_named_twice":
        "The same work item is closed twice or updated twice in one result, so it is unclear which one counts.";
    BLOCKED_BY_CYCLE = "reply.blocked_by_cycle":
        "Work items wait for each other in a cycle, so none of them could ever start. Remove one of the references.";
    TOO_MANY_ITEMS = "reply.too_many_items":
        "A plan creates more work items than one session can handle. Combine small ones, or split the goal.";
    TOO_MANY_ENTRIES = "reply.too_many_entries":
        "A list in the reply has too many entries to act on. Name the most important ones and summarize the rest.";
    SCOPE_REQUESTS_MANY = "reply.scope_requests_many":
        "The reply asks for more files outside the scope of its task than a person can review. Ask only for files that the\n\
         work needs; if a task needs many, its scope is wrong: reply BLOCKED and say so.";
    SCOPE_REQUEST_PATH = "reply.scope_request_path":
        "A scope_request names something that cannot be allowed: not a plain path inside the repository, a folder, a pattern,\n\
         a very long name, or a file that no agent may change. A person allows single files: name each by its path from the\n\
         root of the repository.";
    SCOPE_REQUEST_REASON = "reply.scope_request_reason":
        "The reason of a scope_request is too long, or contains line breaks or control characters. The person who decides\n\
         sees it: say in one line why the work needs the file.";
    REVIEW_WITHOUT_FINDING = "reply.review_without_finding":
        "A review asks for changes but names none. Add at least one comment that is not a [Warning].";
    REVIEW_APPROVES_FINDING = "reply.review_approves_finding":
        "A review approves and at the same time has a comment that asks for a change. Either ask for changes, or\n\
         begin the comment with [Warning].";
}

pub(crate) fn too_many_entries(field: &str, found: usize, most: usize) -> Diagnostic {
    let place = here(&format!("/artifacts/{field}"));
    let words = format!("`artifacts.{field}` has {found} entries; the limit is {most}");
    Diagnostic::error(TOO_MANY_ENTRIES, place, words)
        .help("Name the most important ones and summarize the rest")
}

pub(crate) fn scope_requests_many(found: usize, most: usize) -> Diagnostic {
    let words = format!("`scope_request` has {found} entries; the limit is {most}");
    Diagnostic::error(SCOPE_REQUESTS_MANY, here("/scope_request"), words)
        .help("Ask only for the files that the work needs")
}

pub(crate) fn scope_request_path(pointer: &str, path: &str, why: &str) -> Diagnostic {
    let words = format!("{} cannot be asked for: {why}", quote(path));
    Diagnostic::error(SCOPE_REQUEST_PATH, here(pointer), words)
        .help("Name one file by its path from the root of the repository")
}

pub(crate) fn scope_request_reason(pointer: &str, why: &str) -> Diagnostic {
    Diagnostic::error(SCOPE_REQUEST_REASON, here(pointer), format!("the reason {why}"))
        .help("Say in one line why the work needs this file")
}

pub(crate) fn empty() -> Diagnostic {
    Diagnostic::error(EMPTY, here(""), "the reply is empty")
        .help("Write exactly one JSON object to standard output")
}

pub(crate) fn too_large(bytes: u64, bytes_max: u64) -> Diagnostic {
    let message = format!("the reply has {bytes} bytes; the limit is {bytes_max}");
    Diagnostic::error(TOO_LARGE, here(""), message)
        .help("Write large content to files and name them in the reply")
}

pub(crate) fn not_utf8(at: usize, start: &str) -> Diagnostic {
    let message = format!("byte {at} is not part of UTF-8 text; before it comes {}", quote(start));
    Diagnostic::error(NOT_UTF8, here(""), message).help("Reply in UTF-8")
}

pub(crate) fn not_json(message: &str, line: u32, column: u32, near: &str) -> Diagnostic {
    let near = quote(near);
    let message =
        format!("this is not valid JSON: {message} (line {line}, column {column}, near {near})");
    Diagnostic::error(NOT_JSON, here(""), message)
        .help("Write the reply with a JSON serializer; escape quotes and line breaks in texts")
}

pub(crate) fn too_deep() -> Diagnostic {
    Diagnostic::error(TOO_DEEP, here(""), "the reply nests more than 128 levels deep")
        .help("Flatten it")
}

pub(crate) fn not_an_object(start: &str) -> Diagnostic {
    let message = format!("the reply is not a JSON object; it begins with {}", quote(start));
    Diagnostic::error(NOT_AN_OBJECT, here(""), message)
        .help("Reply with one object that begins with { and ends with }")
}

pub(crate) fn text_before(start: &str) -> Diagnostic {
    let message = format!("before the JSON object comes {}", quote(start));
    Diagnostic::error(TEXT_BEFORE, here(""), message).help(only_the_object(start))
}

pub(crate) fn text_after(rest: &str) -> Diagnostic {
    let message = format!("after the JSON object comes {}", quote(rest));
    Diagnostic::error(TEXT_AFTER, here(""), message).help(only_the_object(rest))
}

fn only_the_object(text: &str) -> &'static str {
    if text.starts_with("```") {
        "Leave out the Markdown fence; reply with the object alone"
    } else {
        "Reply with the object alone; remarks belong in `summary` or `artifacts.notes`"
    }
}

pub(crate) fn status_unknown(found: &str) -> Diagnostic {
    let known: Vec<&str> = ReplyStatus::ALL.iter().map(|status| status.as_str()).collect();
    let message = format!("the status is {}, but must be {}", quote(found), any_of(&known));
    Diagnostic::error(STATUS_UNKNOWN, here("/status"), message)
        .help_if(perhaps_meant(found, &known))
}

pub(crate) fn status_not_for_role(status: ReplyStatus, role: Role) -> Diagnostic {
    let message = format!("{role} cannot reply {:?}", status.as_str());
    Diagnostic::error(STATUS_NOT_FOR_ROLE, here("/status"), message)
        .help("Reply OK, BLOCKED or FAIL; say in the summary what is missing")
}

pub(crate) fn done_contradicted() -> Diagnostic {
    let message = "the status is \"OK\" but meets_definition_of_done is false";
    Diagnostic::error(DONE_CONTRADICTED, here("/gates/meets_definition_of_done"), message)
        .help("Finish the work, or reply BLOCKED or FAIL and say what is missing")
}

pub(crate) fn agent_unknown(pointer: &str, found: &str) -> Diagnostic {
    let known: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
    let message = format!("{} is not the name of an agent", quote(found));
    Diagnostic::error(AGENT_UNKNOWN, here(pointer), message).help(did_you_mean(found, &known))
}

pub(crate) fn result_role(found: &str, role: Role, expected: Option<&str>) -> Diagnostic {
    let message = format!("a result of role {} came from {role}", quote(found));
    let help = match expected {
        Some(expected) => format!("Write \"role\": {}, or the universal output", quote(expected)),
        None => format!("{role} replies with status, summary, artifacts, gates and next"),
    };
    Diagnostic::error(RESULT_ROLE, here("/role"), message).help(help)
}

pub(crate) fn result_role_unknown(found: &str, known: &[&str]) -> Diagnostic {
    let message =
        format!("the role of the result is {}, but must be {}", quote(found), any_of(known));
    Diagnostic::error(RESULT_ROLE, here("/role"), message).help_if(perhaps_meant(found, known))
}

pub(crate) fn too_many_items(count: usize, count_max: usize) -> Diagnostic {
    let message = format!("{count} items to create; the limit is {count_max}");
    Diagnostic::error(TOO_MANY_ITEMS, here("/create"), message)
        .help("Combine items or split the goal")
}

pub(crate) fn temp_id_twice(pointer: &str, id: &str) -> Diagnostic {
    let message = format!("the tempID {} is used twice", quote(id));
    Diagnostic::error(TEMP_ID_TWICE, here(pointer), message).help("Give every item its own tempID")
}

pub(crate) fn blocked_by_unknown(pointer: &str, id: &str, known: &[&str]) -> Diagnostic {
    let message = format!("no created item has the tempID {}", quote(id));
    Diagnostic::error(BLOCKED_BY_UNKNOWN, here(pointer), message).help(did_you_mean(id, known))
}

pub(crate) fn owner_unknown(pointer: &str, path: &str, id: &str, known: &[&str]) -> Diagnostic {
    let message = format!("{} is owned by {}, which is not an item", quote(path), quote(id));
    Diagnostic::error(OWNER_UNKNOWN, here(pointer), message).help(did_you_mean(id, known))
}

pub(crate) fn id_empty(pointer: &str) -> Diagnostic {
    Diagnostic::error(ID_EMPTY, here(pointer), "the name of a work item is empty")
        .help("Write a name such as T-001, or leave the entry out")
}

pub(crate) fn path_invalid(pointer: &str, found: &str) -> Diagnostic {
    let message = format!("{} is not a path inside the repository", quote(found));
    Diagnostic::error(PATH_INVALID, here(pointer), message)
        .help("Write the path from the root of the repository, such as src/app.ts")
}

pub(crate) fn line_invalid(pointer: &str, found: &str) -> Diagnostic {
    let message = format!("{} is neither a line number nor a range", quote(found));
    Diagnostic::error(LINE_INVALID, here(pointer), message)
        .help("Write a number starting at 1, a range such as \"4-6\", or null")
}

pub(crate) fn title_invalid(pointer: &str, found: &str) -> Diagnostic {
    let message = format!("the title {} is not one line of text", quote(found));
    Diagnostic::error(TITLE_INVALID, here(pointer), message).help("Give one short line")
}

pub(crate) fn item_twice(pointer: &str, title: &str) -> Diagnostic {
    let message =
        format!("there is already an item with the title {} and the same body", quote(title));
    Diagnostic::error(ITEM_TWICE, here(pointer), message).help("Create it once")
}

pub(crate) fn update_nothing(pointer: &str, id: &str) -> Diagnostic {
    let message = format!("the update of {} has neither body nor labels", quote(id));
    Diagnostic::error(UPDATE_NOTHING, here(pointer), message)
        .help("Say what should change, or remove the update")
}

pub(crate) fn closed_and_updated(pointer: &str, id: &str) -> Diagnostic {
    let message = format!("{} is closed and updated", quote(id));
    Diagnostic::error(CLOSED_AND_UPDATED, here(pointer), message).help("Do one of the two")
}

pub(crate) fn named_twice(pointer: &str, id: &str, verb: &str) -> Diagnostic {
    let message = format!("{} is {verb} twice", quote(id));
    Diagnostic::error(NAMED_TWICE, here(pointer), message).help("Name it once")
}

pub(crate) fn blocked_by_cycle(cycle: &[&str]) -> Diagnostic {
    let message = format!("these items wait for each other: {}", cycle.join(" → "));
    Diagnostic::error(BLOCKED_BY_CYCLE, here("/create"), message)
        .help("Remove one of these blockedBy references")
}

pub(crate) fn review_without_finding() -> Diagnostic {
    let message = "the verdict is \"needs-changes\" but no comment asks for a change";
    Diagnostic::error(REVIEW_WITHOUT_FINDING, here("/review/comments"), message)
        .help("Add a comment for each change, or approve")
}

pub(crate) fn review_approves_finding(pointer: &str, body: &str) -> Diagnostic {
    let message = format!("the verdict is \"approve\" but a comment says {}", quote(body));
    Diagnostic::error(REVIEW_APPROVES_FINDING, here(pointer), message)
        .help("Begin it with [Warning], or reply needs-changes")
}

fn here(pointer: &str) -> Location {
    Location::new("", pointer, None)
}
