//! Tests and checks that a change weakens: whoever made the change, a person decides about it.

use super::draft::Draft;
use super::moves::ask::Question;
use super::moves::{ask, finding};
use crate::answer::NotesWay;
use crate::decision::{DecisionKind, Subject};
use crate::event::{Event, Finding, FindingOrigin, FindingStatus};
use crate::id::{DispatchNumber, FindingId, TaskRef};
use crate::mutant::Mutant;
use crate::work::Work;

/// Accepted work is looked at as it was taken: what it weakens is recorded, what it brings back is settled.
pub(super) fn note(draft: &mut Draft<'_>, number: DispatchNumber, work: &Work) {
    let task = draft.dispatches[&number].task.clone();
    for report in &work.code.weakened {
        finding::record(draft, FindingOrigin::WeakenedTest, &task, report, FindingStatus::Open);
    }
    let restored: Vec<FindingId> = draft
        .record
        .findings
        .iter()
        .filter(|f| f.status == FindingStatus::Open && f.is_weakening())
        .filter(|f| f.report.file.as_ref().is_some_and(|file| work.code.restored.contains(file)))
        .map(|finding| finding.id)
        .collect();
    for id in restored {
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Fixed, reason: None });
    }
}

/// What nobody has decided about: of one task, or of all of them.
pub(super) fn open(draft: &Draft<'_>, task: &TaskRef) -> Vec<Finding> {
    let open = draft.record.findings.iter().filter(|f| f.status == FindingStatus::Open);
    open.filter(|f| f.is_weakening() && (*task == TaskRef::Meta || f.task == *task))
        .cloned()
        .collect()
}

/// Asks about what is open. Says whether there was something to ask.
pub(super) fn ask(draft: &mut Draft<'_>, number: DispatchNumber, task: &TaskRef) -> bool {
    let weakened = open(draft, task);
    if weakened.is_empty() {
        return false;
    }
    let lines: Vec<String> = weakened.iter().map(|f| f.report.in_words()).collect();
    let text = format!(
        "A change weakens tests, or files that decide whether they pass:\n{}\nIs that OK?",
        ask::bullets(&lines)
    );
    let options = vec![
        ask::option(NotesWay::Accept, "Accept it", "it is recorded and the work continues"),
        ask::option(NotesWay::Fix, "Have it fixed", "the Coder restores what is listed"),
        ask::option(NotesWay::FixNamed, "Have it fixed your way", "the Coder gets your comments"),
        ask::cancel_option(),
    ];
    let subject = Subject::Notes { task: task.clone(), dispatch: number };
    ask::ask(draft, Question { kind: DecisionKind::Notes, text, options, subject });
    true
}

/// Before a session passes its last gate: what is open of any task, and of tasks that left the plan.
pub(super) fn ask_last(draft: &mut Draft<'_>) -> bool {
    let last = draft.dispatches.keys().next_back().copied().unwrap_or(DispatchNumber::FIRST);
    !Mutant::ClosesOverAWeakenedTest.is_planted() && ask(draft, last, &TaskRef::Meta)
}
