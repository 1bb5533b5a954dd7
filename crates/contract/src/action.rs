//! Reads an action file: an action that comes out of here is a good one.

mod adopt;
mod evidence;
mod index;
mod prose;
mod step;
pub(crate) mod wire;

use crate::diagnostic::{Diagnostic, Report, action as say, shape as words};
use crate::front_matter;
use crate::json_file::typed;
use crate::node::Node;
use crate::skill;
use std::collections::BTreeSet;
use tollgate_core::action::{Action, Step, StepKind};
use tollgate_core::role::Role;
use wire::ActionFile;

pub use adopt::front_matter;
pub use index::{listed, mentioned};
pub use prose::{has_flow, read_prose};

/// The role that goes by a name which is not a canonical one; none when nobody does.
pub type Resolve<'a> = dyn Fn(&str) -> Option<Role> + 'a;

/// Whether the file means to say what it is in front matter.
pub fn has_front_matter(text: &str) -> bool {
    front_matter::begins(text)
}

/// The action when there is no error. A role of the repository's own may go by any name that can be one.
pub fn read(text: &str, path: &str) -> (Option<Action>, Report) {
    if !has_front_matter(text) {
        return prose::read_alone(text, path);
    }
    let by_form = |name: &str| {
        skill::role_known_as(name).or_else(|| skill::is_kebab(name).then_some(Role::Coder))
    };
    read_with(text, path, &by_form)
}

/// The action when there is no error and every role in it is known.
pub fn read_with(text: &str, path: &str, resolve: &Resolve<'_>) -> (Option<Action>, Report) {
    let (node, _prose) = match front_matter::read(text, path) {
        Ok(parts) => parts,
        Err(report) => return (None, report),
    };
    let mut report = Report::default();
    let file = typed::<ActionFile>(&node, path, &mut report, |f| words::fault(path, f));
    name(&node, path, &mut report);
    paths(&node, path, &mut report);
    let entries = node.get("steps").map(Node::items).unwrap_or_default();
    let steps: Vec<Option<Step>> =
        entries.iter().map(|entry| step::read(entry, path, resolve, &mut report)).collect();
    route(entries, &steps, path, &mut report);
    report.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    let action = match (file, steps.into_iter().collect::<Option<Vec<Step>>>()) {
        (Some(file), Some(steps)) if report.is_ok() => Some(evidence::ensured(action(file, steps))),
        _ => None,
    };
    (action, report)
}

/// An action is called by the name of its file; one that says another name is told so.
pub fn misnamed(text: &str, path: &str, found: &str, expected: &str) -> Diagnostic {
    let at = text.lines().position(|line| line.starts_with("name:"));
    let line = at.and_then(|at| u32::try_from(at + 1).ok());
    say::name_of_file(path, line, found, expected)
}

fn name(node: &Node, path: &str, report: &mut Report) {
    let Some(name) = node.get("name") else { return };
    if let Some(text) = name.as_text().filter(|text| !text.is_empty() && !skill::is_kebab(text)) {
        report.push(say::name_invalid(path, name.line, text));
    }
}

/// Inputs and outputs of the action as a whole; an input without a slash is a value, not a path.
fn paths(node: &Node, path: &str, report: &mut Report) {
    for key in ["inputs", "outputs"] {
        for entry in node.get(key).map(Node::items).unwrap_or_default() {
            let is_outside =
                |text: &&str| text.contains('/') && !tollgate_judge::globs::is_inside(text);
            if let Some(text) = entry.as_text().filter(is_outside) {
                report.push(say::path_invalid(path, entry.line, text));
            }
        }
    }
}

/// Rules over the steps as a whole: it ends, plans come before tasks, who is sent back was sent out.
fn route(entries: &[Node], steps: &[Option<Step>], path: &str, report: &mut Report) {
    let is_close = |node: &&Node| node.get("close").is_some();
    let closes = entries.iter().filter(is_close).count();
    let ends_well = closes == 1 && entries.last().as_ref().is_some_and(is_close);
    if !entries.is_empty() && !ends_well {
        report.push(say::no_close(path, entries.last().and_then(|node| node.line)));
    }
    let mut dispatched: BTreeSet<Role> = BTreeSet::new();
    let mut has_plan = false;
    for (entry, step) in entries.iter().zip(steps) {
        for (_, part) in step.iter().flat_map(|step| step.assignments(0)) {
            dispatched.insert(part.role);
            has_plan |= part.outputs.iter().any(|output| output == "tasks.yaml");
        }
        match step.as_ref().map(|step| &step.kind) {
            Some(StepKind::Approve { corrects, .. }) => {
                for role in corrects.iter().filter(|role| !dispatched.contains(role)) {
                    report.push(say::nothing_to_correct(path, entry.line, role.as_str()));
                }
            }
            Some(StepKind::Tasks) if !has_plan => report.push(say::no_plan(path, entry.line)),
            // A step that could not be read may be the one that makes the plan.
            None => has_plan = true,
            _ => {}
        }
    }
}

fn action(file: ActionFile, steps: Vec<Step>) -> Action {
    Action {
        name: file.name,
        description: file.description,
        intent: file.intent.unwrap_or_default(),
        inputs: file.inputs.unwrap_or_default(),
        outputs: file.outputs.unwrap_or_default(),
        steps,
    }
}

#[cfg(test)]
mod tests;
