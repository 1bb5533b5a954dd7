//! Who has a part in what a gate shows: who made it, who corrects it, and who was asked for and has not come yet.

use super::draft::Draft;
use crate::action::{Assignment, PartIndex, Step, StepKind, When};
use crate::role::Role;
use crate::session::Dispatch;

/// The parts of the action between the last gate and this one that make something.
pub(super) fn producers(draft: &Draft<'_>, index: usize) -> Vec<PartIndex> {
    let steps = draft.route.steps[..index].iter().enumerate().skip(first_after_gate(draft, index));
    let parts = steps.flat_map(|(at, step)| step.assignments(at));
    let can_be_asked = |role: Role| !role.is_reviewing() && role != Role::Orchestrator;
    parts.filter(|(_, a)| can_be_asked(a.role)).map(|(at, _)| at).collect()
}

fn first_after_gate(draft: &Draft<'_>, index: usize) -> usize {
    let is_gate = |step: &Step| matches!(step.kind, StepKind::Approve { .. });
    draft.route.steps[..index].iter().rposition(is_gate).map_or(0, |gate| gate + 1)
}

/// The producers that took part, with their roles.
pub(super) fn played(draft: &Draft<'_>, index: usize) -> Vec<(Role, PartIndex)> {
    let made = producers(draft, index).into_iter().filter(|part| had_a_part(draft, *part));
    made.filter_map(|part| Some((draft.assignment(part)?.role, part))).collect()
}

/// Who does its part again when the gate is not passed: the named roles, else who made what is shown. Who comes only on
/// request and was not asked for had no part.
pub(super) fn correctors(draft: &Draft<'_>, index: usize) -> Vec<(Role, PartIndex)> {
    let named = match draft.route.steps.get(index).map(|step| &step.kind) {
        Some(StepKind::Approve { corrects, .. }) => corrects.clone(),
        _ => Vec::new(),
    };
    let of_role = |role: &Role| parts_of(draft, index, *role);
    let mut correctors: Vec<(Role, PartIndex)> = named.iter().flat_map(of_role).collect();
    correctors.retain(|(_, part)| had_a_part(draft, *part));
    if correctors.is_empty() {
        correctors = played(draft, index);
    }
    correctors
}

/// Where a role last played a part before a step; all its parts of a parallel one.
pub(super) fn parts_of(draft: &Draft<'_>, before: usize, role: Role) -> Vec<(Role, PartIndex)> {
    let steps = draft.route.steps[..before].iter().enumerate().rev();
    let mut parts = steps.map(|(at, step)| {
        let found = step.assignments(at).into_iter().filter(|(_, a)| a.role == role);
        found.map(|(at, _)| (role, at)).collect::<Vec<_>>()
    });
    parts.find(|found| !found.is_empty()).unwrap_or_default()
}

/// What the action calls these parts, each once.
pub(super) fn names_of(draft: &Draft<'_>, parts: &[(Role, PartIndex)]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (role, at) in parts {
        let name = draft.assignment(*at).map_or(role.as_str(), Assignment::name).to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether a part belongs to the route: it always does, unless it is played on request only and was not.
fn had_a_part(draft: &Draft<'_>, part: PartIndex) -> bool {
    !is_on_request(draft, part.step) || is_begun(draft, part)
}

fn is_on_request(draft: &Draft<'_>, step: usize) -> bool {
    draft.route.steps.get(step).is_some_and(|step| step.when == Some(When::Requested))
}

fn is_begun(draft: &Draft<'_>, part: PartIndex) -> bool {
    // Lean work that became full has dispatches of another action.
    let role = draft.assignment(part).map(|assignment| assignment.role);
    let plays =
        |dispatch: &Dispatch| dispatch.part_index() == Some(part) && Some(dispatch.role) == role;
    draft.dispatches.values().any(plays)
}

/// A part before a step that somebody recommended after the work had passed it, and those after it that have to see what
/// comes of it.
pub(super) fn missed(draft: &Draft<'_>, before: usize) -> Vec<(Role, PartIndex)> {
    let made = producers(draft, before);
    let is_missed = |part: &PartIndex| {
        let wanted = draft.assignment(*part).is_some_and(|a| draft.wants_role(a.role));
        is_on_request(draft, part.step) && wanted && !is_begun(draft, *part)
    };
    let Some(first) = made.iter().position(is_missed) else {
        return Vec::new();
    };
    let after = made[first + 1..].iter().filter(|part| is_begun(draft, **part));
    let parts = std::iter::once(&made[first]).chain(after);
    parts.filter_map(|part| Some((draft.assignment(*part)?.role, *part))).collect()
}
