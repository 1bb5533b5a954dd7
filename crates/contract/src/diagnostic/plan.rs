//! Faults between a planner's result, the plan and its work items.

use super::{Diagnostic, Location, did_you_mean, pages, quote};

pages! {
    ID_UNKNOWN = "plan.id_unknown":
        "A planner result closes, updates or waits for a work item that does not exist, or names it as the owner of a file.\n\
         Refer to items of the same result by their tempID, and to existing items by their name, such as T-001 or R-001.";
    TEMP_ID_TAKEN = "plan.temp_id_taken":
        "A new work item has a tempID that is the name of an existing item, so references to it are ambiguous. Choose another\n\
         tempID; the item gets its real name automatically.";
    ITEM_EXISTS = "plan.item_exists":
        "A planner result creates a work item that already exists, with the same title and body but other labels. Create an\n\
         item once; to change it, use `update` with its name.";
    BLOCKED_BY_UNKNOWN = "plan.blocked_by_unknown":
        "A work item says in `blocked_by` that it waits for an item that is neither in the plan nor in the folder of work\n\
         items. Name a task of the plan, such as T-001, or remove the entry.";
    BLOCKED_BY_CYCLE = "plan.blocked_by_cycle":
        "Tasks wait for each other in a cycle, so none of them could ever start. `depends_on` in tasks.yaml and `blocked_by`\n\
         in the work items both count. Remove one of the references.";
    CLOSE_STARTED = "plan.close_started":
        "A planner result closes a task that has already been started. Only a task that has not been started can be removed\n\
         from the plan.";
    UPDATE_COMPLETED = "plan.update_completed":
        "A planner result changes a task that is completed. Plan further work as a new task.";
    UPDATE_CLOSED = "plan.update_closed":
        "A planner result changes a work item that is closed. Create a new one instead.";
    NO_TASK = "plan.no_task":
        "A planner result leaves no task and asks no question, or closes every task. Work can only continue with a task to do\n\
         or a question to answer.";
    EDIT_UNSAFE = "plan.edit_unsafe":
        "The tasks of a planner result could not be written into tasks.yaml without changing something else in it, so nothing\n\
         was written. This happens with unusual YAML, such as tasks on one line or shared through an anchor. Write each task\n\
         as a block that begins with `- id:`.";
    ITEM_MISSING = "plan.item_missing":
        "A task names a work item that does not exist. The path is relative to the session's folder, such as\n\
         work-items/T-001.md.";
    ITEM_REFINEMENT = "plan.item_refinement":
        "A task names a refinement as its work item. A refinement is a question for a person and never work for a Coder; plan\n\
         the task once it is answered.";
    ITEM_CLOSED = "plan.item_closed":
        "A task names a work item that is closed. Remove the task from tasks.yaml, or open the item again.";
    OWNER_UNKNOWN = "plan.owner_unknown":
        "Out of Scope of a work item says that a file is owned by a task that is not in the plan.";
}

pub(crate) fn id_unknown(pointer: &str, found: &str, known: &[&str]) -> Diagnostic {
    let message = format!("there is no work item {}", quote(found));
    Diagnostic::error(ID_UNKNOWN, here(pointer), message).help(did_you_mean(found, known))
}

pub(crate) fn temp_id_taken(pointer: &str, found: &str) -> Diagnostic {
    let message = format!("the tempID {} is the name of an existing item", quote(found));
    Diagnostic::error(TEMP_ID_TAKEN, here(pointer), message).help("Choose another tempID")
}

pub(crate) fn item_exists(pointer: &str, id: &str, labels: &[String]) -> Diagnostic {
    let message =
        format!("this item already exists as {id}, with the labels {}", labels.join(", "));
    Diagnostic::error(ITEM_EXISTS, here(pointer), message)
        .help(format!("Change its labels with an entry of `update` for {id}"))
}

pub(crate) fn blocked_by_unknown(path: &str, found: &str, known: &[&str]) -> Diagnostic {
    let message = format!("it is blocked by {}, which is not a task of the plan", quote(found));
    Diagnostic::error(BLOCKED_BY_UNKNOWN, Location::file(path, None), message)
        .help(did_you_mean(found, known))
}

pub(crate) fn blocked_by_cycle(cycle: &[&str]) -> Diagnostic {
    let message = format!("these tasks wait for each other: {}", cycle.join(" → "));
    Diagnostic::error(BLOCKED_BY_CYCLE, Location::file("tasks.yaml", None), message)
        .help("Remove one of these from depends_on or blocked_by")
}

pub(crate) fn close_started(pointer: &str, id: &str, status: &str) -> Diagnostic {
    let message = format!("task {id} is {status} and can no longer be closed");
    Diagnostic::error(CLOSE_STARTED, here(pointer), message)
        .help("Close only tasks that are not started; to undo work, plan a new task")
}

pub(crate) fn update_completed(pointer: &str, id: &str) -> Diagnostic {
    let message = format!("task {id} is completed and can no longer be changed");
    Diagnostic::error(UPDATE_COMPLETED, here(pointer), message)
        .help("Plan further work as a new task")
}

pub(crate) fn update_closed(pointer: &str, id: &str) -> Diagnostic {
    Diagnostic::error(UPDATE_CLOSED, here(pointer), format!("work item {id} is closed"))
        .help("Create a new item")
}

pub(crate) fn no_task() -> Diagnostic {
    Diagnostic::error(
        NO_TASK,
        here("/create"),
        "this leaves no task to do and no question to answer",
    )
    .help("Create at least one task, or a refinement that says what is not clear")
}

pub(crate) fn edit_unsafe(cause: &str) -> Diagnostic {
    let message = format!("the tasks cannot be written into this file: {cause}");
    Diagnostic::error(EDIT_UNSAFE, Location::file("tasks.yaml", None), message)
        .help("Write each task as a block that begins with `- id:`")
}

pub(crate) fn item_missing(task: &str, path: &str) -> Diagnostic {
    let message = format!("the work item {} of task {task} does not exist", quote(path));
    Diagnostic::error(ITEM_MISSING, Location::file("tasks.yaml", None), message)
        .help("Write it, or remove `work_item` from the task and list files_expected")
}

pub(crate) fn item_refinement(task: &str, path: &str) -> Diagnostic {
    let message = format!("the work item of task {task} is a refinement, which cannot be a task");
    Diagnostic::error(ITEM_REFINEMENT, Location::file(path, None), message)
        .help("Remove the task from tasks.yaml until the question is answered")
}

pub(crate) fn item_closed(task: &str, path: &str) -> Diagnostic {
    let message = format!("the work item of task {task} is closed");
    Diagnostic::error(ITEM_CLOSED, Location::file(path, None), message)
        .help("Remove the task from tasks.yaml, or reopen the item")
}

pub(crate) fn owner_unknown(path: &str, file: &str, owner: &str, known: &[&str]) -> Diagnostic {
    let message =
        format!("{} is owned by {}, which is not a task of the plan", quote(file), quote(owner));
    Diagnostic::error(OWNER_UNKNOWN, Location::file(path, None), message)
        .help(did_you_mean(owner, known))
}

fn here(pointer: &str) -> Location {
    Location::new("", pointer, None)
}
