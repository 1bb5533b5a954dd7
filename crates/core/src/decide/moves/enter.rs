//! Entering a step, or leaving it out.

use super::made;
use crate::action::{Step, StepKind, When};
use crate::decide::draft::Draft;
use crate::event::Event;
use crate::mutant::Mutant;

pub fn next(draft: &mut Draft<'_>) {
    step(draft, draft.route.step + 1);
}

pub fn step(draft: &mut Draft<'_>, index: usize) {
    let Some(step) = draft.route.steps.get(index) else {
        return;
    };
    match skip_reason(draft, index, step) {
        Some(reason) => draft.emit(Event::StepSkipped { index, reason }),
        None => draft.emit(Event::StepEntered { index }),
    }
}

fn skip_reason(draft: &Draft<'_>, index: usize, step: &Step) -> Option<String> {
    if made::is_imported(draft, index, step) {
        return Some("what it makes was imported".to_owned());
    }
    match (step.when, &step.kind) {
        (Some(When::Requested), StepKind::Dispatch(assignment))
            if !draft.wants_role(assignment.role)
                || Mutant::SkipsARoleThatIsWanted.is_planted() =>
        {
            Some(format!("{} was not requested", assignment.name()))
        }
        _ => None,
    }
}
