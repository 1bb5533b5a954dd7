//! Entering a step, or leaving it out.

use super::made;
use crate::action::{Step, StepKind, When};
use crate::decide::draft::Draft;
use crate::decide::parts;
use crate::event::Event;
use crate::mutant::Mutant;

/// The next step; or one before it that was recommended too late, and from there on again.
pub fn next(draft: &mut Draft<'_>) {
    let next = draft.route.step + 1;
    let missed = parts::missed(draft, next).first().map(|(_, part)| part.step);
    // Who would be left out again would be missed for ever.
    let missed = missed.filter(|_| !Mutant::SkipsARoleThatIsWanted.is_planted());
    step(draft, missed.unwrap_or(next));
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
