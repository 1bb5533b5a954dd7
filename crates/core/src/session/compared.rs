//! With what the code of a question is compared, so that a person sees what changed since they were last asked about it.

use super::{Dispatch, Session};
use crate::decision::{Decision, Subject};
use crate::id::{CommitId, DecisionId, DispatchNumber, TaskRef};
use crate::work::FileChange;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What a question is about, where it may be asked in several rounds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Matter {
    /// A gate, and whatever else is asked under one id.
    Question(DecisionId),
    Task(TaskRef),
}

/// Since when a change is that a person is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Since {
    /// They were last asked about the same matter.
    LastRound,
    /// The first work of the task was taken.
    Task,
    Session,
    /// The work of a dispatch, which waits to be taken.
    Attempt,
}

/// The code of the last question about a matter.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Round {
    decision: DecisionId,
    /// The last accepted commit when it was asked.
    tip: CommitId,
    compared: ComparedWith,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ComparedWith {
    pub from: CommitId,
    pub since: Since,
}

/// What was taken of the work of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TakenWork {
    /// The last accepted commit before it.
    from: CommitId,
    pub paths: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Comparisons {
    rounds: BTreeMap<Matter, Round>,
    by_question: BTreeMap<DecisionId, ComparedWith>,
    taken: BTreeMap<TaskRef, TakenWork>,
}

impl Comparisons {
    pub(super) fn take(&mut self, task: &TaskRef, before: &CommitId, changes: &[FileChange]) {
        let begin = || TakenWork { from: before.clone(), paths: BTreeSet::new() };
        let taken = self.taken.entry(task.clone()).or_insert_with(begin);
        for change in changes {
            taken.paths.extend([&change.path].into_iter().chain(&change.old_path).cloned());
        }
    }
}

impl Session {
    /// A question is asked: what its code is compared with stays so until it is asked again.
    pub(super) fn compare(&mut self, decision: &Decision) {
        let (id, matter) = (&decision.decision_id, self.matter(decision));
        let compared = self.compared_in_new_round(id, &matter);
        let round = Round {
            decision: id.clone(),
            tip: self.branch.tip.clone(),
            compared: compared.clone(),
        };
        self.decisions.comparisons.rounds.insert(matter, round);
        self.decisions.comparisons.by_question.insert(id.clone(), compared);
    }

    fn compared_in_new_round(&self, id: &DecisionId, matter: &Matter) -> ComparedWith {
        let comparisons = &self.decisions.comparisons;
        if let Some(last) = comparisons.rounds.get(matter) {
            // Questions that wait beside each other are one round.
            let is_open = |decision: &Decision| decision.is_pending();
            let waits_too =
                last.decision != *id && self.decision(&last.decision).is_some_and(is_open);
            return match waits_too {
                true => last.compared.clone(),
                false => ComparedWith { from: last.tip.clone(), since: Since::LastRound },
            };
        }
        let taken = match matter {
            Matter::Task(task @ TaskRef::Task(_)) => comparisons.taken.get(task),
            Matter::Task(TaskRef::Meta) | Matter::Question(_) => None,
        };
        match taken {
            Some(taken) => ComparedWith { from: taken.from.clone(), since: Since::Task },
            None => {
                // What came in with the person's branch is not the session's.
                let merged = self.branch.base.merged.as_ref();
                let from = merged.unwrap_or(&self.opening.base).clone();
                ComparedWith { from, since: Since::Session }
            }
        }
    }

    fn matter(&self, decision: &Decision) -> Matter {
        match self.task_asked_about(&decision.subject) {
            Some(task) => Matter::Task(task),
            None => Matter::Question(decision.decision_id.clone()),
        }
    }

    fn task_asked_about(&self, subject: &Subject) -> Option<TaskRef> {
        match subject {
            Subject::Notes { task, .. }
            | Subject::Repair { task, .. }
            | Subject::Finding { task, .. }
            | Subject::Check { task, .. } => Some(task.clone()),
            Subject::Imported { task } => task.clone().map(TaskRef::Task),
            Subject::Dispatch { dispatch }
            | Subject::Info { dispatch }
            | Subject::Scope { dispatch, .. }
            | Subject::Refinement { dispatch, .. } => {
                self.dispatches.get(dispatch).map(|dispatch| dispatch.task.clone())
            }
            Subject::Gate { .. }
            | Subject::Strategy
            | Subject::Budget
            | Subject::Files
            | Subject::Severity { .. }
            | Subject::Coverage { .. }
            | Subject::Evidence
            | Subject::Manual { .. } => None,
        }
    }

    pub(crate) fn compared_with(&self, id: &DecisionId) -> Option<&ComparedWith> {
        self.decisions.comparisons.by_question.get(id)
    }

    /// The files of the one task that a question is about; none where it is about more.
    pub(crate) fn paths_asked_about(&self, subject: &Subject) -> Vec<String> {
        let task = self.task_asked_about(subject).filter(|task| *task != TaskRef::Meta);
        let taken = task.and_then(|task| self.decisions.comparisons.taken.get(&task));
        taken.map(|taken| taken.paths.iter().cloned().collect()).unwrap_or_default()
    }

    /// The dispatch whose own work a question is about.
    pub(crate) fn dispatch_asked_about(
        &self,
        subject: &Subject,
    ) -> Option<(DispatchNumber, &Dispatch)> {
        match subject {
            Subject::Dispatch { dispatch } | Subject::Scope { dispatch, .. } => {
                self.dispatches.get(dispatch).map(|found| (*dispatch, found))
            }
            _ => None,
        }
    }
}
