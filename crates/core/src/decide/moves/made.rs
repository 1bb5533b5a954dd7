//! What a part of an action makes, and whether it is there.

use crate::action::{Assignment, Step, StepKind};
use crate::decide::draft::Draft;
use crate::role::Role;

/// What a role would have left behind and is not there, in words.
pub fn lacks(draft: &Draft<'_>, part: &Assignment) -> Option<String> {
    let has_plan = !draft.plan.tasks.is_empty();
    let is_there = |name: &str| match name {
        "tasks.yaml" => has_plan,
        "acceptance.json" => !draft.plan.criteria.is_empty(),
        // Folders hold what is not always needed.
        name => name.ends_with('/') || draft.files.artefacts.contains_key(name),
    };
    let missing = part.outputs.iter().find(|output| !is_there(output));
    let name = match missing {
        Some(missing) => missing,
        None if part.role == Role::Planner && !has_plan => "tasks.yaml",
        None => return None,
    };
    Some(format!("{name} is missing or cannot be read"))
}

/// Whether the result of a step was imported, and nobody has worked on the session since.
pub fn is_imported(draft: &Draft<'_>, index: usize, step: &Step) -> bool {
    let is_before = draft.record.imported.as_ref().is_some_and(|known| index < known.reached);
    let is_there = match &step.kind {
        StepKind::Dispatch(part) => !part.outputs.is_empty() && lacks(draft, part).is_none(),
        _ => false,
    };
    is_before && is_there && draft.dispatches.is_empty()
}
