//! Writes task statuses into tasks.yaml without touching anything else a person wrote.

use crate::diagnostic::{Diagnostic, tasks as say};
use crate::node::{Node, Value, read_yaml};
use std::collections::BTreeMap;
use tollgate_core::id::TaskId;
use tollgate_core::task::TaskStatus;

/// The text with the statuses of the named tasks replaced where they stand. The result is read
/// again, and anything but exactly these changes is refused.
pub fn set_statuses(
    text: &str,
    statuses: &BTreeMap<TaskId, TaskStatus>,
) -> Result<String, Box<Diagnostic>> {
    let refuse = |cause: String| Box::new(say::edit_unsafe("tasks.yaml", &cause));
    let before = read_yaml(text).map_err(|fault| refuse(fault.message))?;
    let mut wanted = before.clone();
    let mut edits = Vec::new();
    for (id, status) in statuses {
        let field = status_field(&mut wanted, id)
            .ok_or_else(|| refuse(format!("task {id} has no status in it")))?;
        if field.as_text() == Some(status.as_str()) {
            continue;
        }
        let span = field.span.ok_or_else(|| refuse(format!("task {id} has no plain status")))?;
        edits.push((span, status.to_string()));
        field.value = Value::Text(status.as_str().to_owned());
    }
    let edited =
        replace(text, edits).ok_or_else(|| refuse("two tasks share one status".to_owned()))?;
    let after = read_yaml(&edited).map_err(|fault| refuse(fault.message))?;
    if after.to_json() == wanted.to_json() {
        Ok(edited)
    } else {
        Err(refuse("something else would change with them".to_owned()))
    }
}

fn status_field<'a>(root: &'a mut Node, id: &TaskId) -> Option<&'a mut Node> {
    let tasks = root.get_mut("tasks")?.items_mut();
    let is_it = |task: &&mut Node| {
        task.get("id").is_some_and(|found| match &found.value {
            Value::Text(text) => text == id.as_str(),
            Value::Number(number) => number.to_string() == id.as_str(),
            _ => false,
        })
    };
    tasks.iter_mut().find(is_it)?.get_mut("status")
}

/// From the end to the start, so that earlier places stay where they are. None when places overlap.
pub(super) fn replace(text: &str, mut edits: Vec<((usize, usize), String)>) -> Option<String> {
    edits.sort();
    let overlaps = edits.windows(2).any(|pair| pair[0].0.1 > pair[1].0.0);
    let mut edited = text.to_owned();
    for ((start, end), new) in edits.into_iter().rev() {
        let old = text.get(start..end)?;
        // The span of a plain scalar may take in the white space behind it.
        let kept = &old[old.trim_end().len()..];
        edited.replace_range(start..end, &format!("{new}{kept}"));
    }
    (!overlaps).then_some(edited)
}
