//! Faults between a planner's result, the plan and its work items.

use super::{Diagnostic, Location, did_you_mean, pages, quote};

pages! {
    ID_UNKNOWN = "plan.id_unknown":
        "A planner result closes, updates or waits for a work item that does not exist, or names one as the owner of a\n\
         file. Items of the same result are called by their tempID, existing ones by their name, such as T-001 or R-001.";
    TEMP_ID_TAKEN = "plan.temp_id_taken":
        "A new work item has a tempID that is the name of another, existing item, so that references to it are ambiguous.\n\
         Choose another tempID; the item gets its real name by itself.";
    ITEM_EXISTS = "plan.item_exists":
        "A planner result creates a work item that is there already, with the same title and body, and gives it other labels.\n\
         An item is created once; what is to change in it is said under `update` with its name.";
    BLOCKED_BY_UNKNOWN = "plan.blocked_by_unknown":
        "A work item says in `blocked_by` that it waits for an item that neither the plan nor the folder of work items has.\n\
         Name a task of the plan, such as T-001, or take the entry out.";
    BLOCKED_BY_CYCLE = "plan.blocked_by_cycle":
        "Tasks wait for each other in a circle, so that none of them could ever start. `depends_on` of tasks.yaml and\n\
         `blocked_by` of the work items count together. Remove one of the references.";
    CLOSE_STARTED = "plan.close_started":
        "A planner result closes a task on which work has begun. Only a task that is not started can be taken out of the plan.";
    UPDATE_COMPLETED = "plan.update_completed":
        "A planner result changes a task that is completed. What is done is done: plan further work as a new task.";
    UPDATE_CLOSED = "plan.update_closed":
        "A planner result changes a work item that is closed. Create a new one instead.";
    NO_TASK = "plan.no_task":
        "A planner result leaves a plan without any task and asks nothing either, or closes every task there is. Work goes\n\
         on only with a task to do or a question to answer.";
    EDIT_UNSAFE = "plan.edit_unsafe":
        "The tasks of a planner result could not be written into tasks.yaml without changing something else in it, so nothing\n\
         was written. This happens with unusual YAML, such as tasks in one line or shared through an anchor. Write each task\n\
         as a block that begins with `- id:`.";
    ITEM_MISSING = "plan.item_missing":
        "A task names a work item that is not there. The path is meant from the session's folder, such as\n\
         work-items/T-001.md.";
    ITEM_REFINEMENT = "plan.item_refinement":
        "A task names a refinement as its work item. A refinement is a question to a person and never work for a Coder;\n\
         plan the task once it is answered.";
    ITEM_CLOSED = "plan.item_closed":
        "A task names a work item that is closed. Remove the task from tasks.yaml, or open the item again.";
    OWNER_UNKNOWN = "plan.owner_unknown":
        "Out of Scope of a work item says that a file is owned by a task that the plan does not have.";
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
    let message = format!("this item is there as {id}, with the labels {}", labels.join(", "));
    Diagnostic::error(ITEM_EXISTS, here(pointer), message)
        .help(format!("Change its labels with an entry of `update` for {id}"))
}

pub(crate) fn blocked_by_unknown(path: &str, found: &str, known: &[&str]) -> Diagnostic {
    let message = format!("it is blocked by {}, which is no task of the plan", quote(found));
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
        .help("Close only tasks that are not started; plan what is to be undone as a new task")
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
    let message = format!("the work item {} of task {task} is not there", quote(path));
    Diagnostic::error(ITEM_MISSING, Location::file("tasks.yaml", None), message)
        .help("Write it, or take `work_item` out of the task and list files_expected")
}

pub(crate) fn item_refinement(task: &str, path: &str) -> Diagnostic {
    let message = format!("the work item of task {task} is a refinement, which is never a task");
    Diagnostic::error(ITEM_REFINEMENT, Location::file(path, None), message)
        .help("Take the task out of tasks.yaml until the question is answered")
}

pub(crate) fn item_closed(task: &str, path: &str) -> Diagnostic {
    let message = format!("the work item of task {task} is closed");
    Diagnostic::error(ITEM_CLOSED, Location::file(path, None), message)
        .help("Take the task out of tasks.yaml, or open the item")
}

pub(crate) fn owner_unknown(path: &str, file: &str, owner: &str, known: &[&str]) -> Diagnostic {
    let message =
        format!("{} is owned by {}, which is no task of the plan", quote(file), quote(owner));
    Diagnostic::error(OWNER_UNKNOWN, Location::file(path, None), message)
        .help(did_you_mean(owner, known))
}

fn here(pointer: &str) -> Location {
    Location::new("", pointer, None)
}
