//! What a gate sent back: who does its part again, and when the person is asked once more.

use super::draft::Draft;
use super::moves::open::{self, Start};
use super::{checks, gate, parts, severity};
use crate::action::PartIndex;
use crate::decision::{CorrectionStatus, Subject};
use crate::event::{Event, Purpose};
use crate::id::TaskRef;
use crate::mutant::Mutant;
use crate::role::Role;

/// A person wants changes: which roles run again, in order.
pub(super) fn reject(draft: &mut Draft<'_>, index: usize, words: &str) {
    let of_named = words.split_once(':').map(|(name, _)| parts_named(draft, index, name.trim()));
    let of_named = of_named.unwrap_or_default();
    let parts = if of_named.is_empty() || Mutant::SendsACorrectionToEverybody.is_planted() {
        parts::correctors(draft, index)
    } else {
        of_named
    };
    let (roles, parts) = parts.into_iter().unzip();
    let status = CorrectionStatus::Queued;
    draft.emit(Event::CorrectionMoved { status, roles, parts, agent: None });
}

/// Sends the correction to the next role, or asks again when all have run.
pub(super) fn correct(draft: &mut Draft<'_>) {
    let (roles, parts) =
        (draft.decisions.correction.roles.clone(), draft.decisions.correction.parts.clone());
    let index = rejected_gate(draft);
    let Some(role) = roles.first().copied() else {
        let missed = parts::missed(draft, index);
        if !missed.is_empty() {
            let (roles, parts) = missed.into_iter().unzip();
            let status = CorrectionStatus::Queued;
            return draft.emit(Event::CorrectionMoved { status, roles, parts, agent: None });
        }
        // Who judged the work looks at what came of it before the person does.
        if !is_shown(draft, index) {
            return;
        }
        let status = CorrectionStatus::Completed;
        draft.emit(Event::CorrectionMoved { status, roles, parts, agent: None });
        return gate::ask_approval(draft, index, None);
    };
    let words = draft
        .decisions
        .rejections
        .last()
        .map(|rejection| rejection.words.clone())
        .unwrap_or_default();
    let part = parts.first().copied();
    let of = if gate::is_design(draft, index) { "of the design" } else { "of your work" };
    let feedback = vec![format!("the person asks for changes {of}: {words}")];
    let purpose = Purpose::Correction { step: index, part };
    open::dispatch_for(draft, Start::new(role, TaskRef::Meta, purpose, feedback));
}

/// Whether the work as it is now has been looked at and run, as the steps before a gate ask for.
pub(super) fn is_shown(draft: &mut Draft<'_>, gate: usize) -> bool {
    // Who looks again writes too, so the commands come last.
    (draft.route.look_again.is_empty() || severity::is_passed(draft))
        && checks::evidence_holds(draft, gate)
}

/// The gate that was last not passed.
fn rejected_gate(draft: &Draft<'_>) -> usize {
    let decision = draft.decisions.rejections.last().and_then(|r| draft.decision(&r.decision_id));
    match decision.map(|decision| &decision.subject) {
        Some(Subject::Gate { step }) => *step,
        _ => 0,
    }
}

/// The parts that a person means by a name: the one that the action uses, or that of a role.
fn parts_named(draft: &Draft<'_>, before: usize, name: &str) -> Vec<(Role, PartIndex)> {
    let is_meant = |(_, at): &(Role, PartIndex)| {
        draft.assignment(*at).is_some_and(|part| part.name().eq_ignore_ascii_case(name))
    };
    let called = parts::correctors(draft, before).into_iter().filter(is_meant).collect::<Vec<_>>();
    match Role::parse(name) {
        Some(role) if called.is_empty() => parts::parts_of(draft, before, role),
        _ => called,
    }
}
