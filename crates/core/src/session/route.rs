//! Where the work stands on its way: the steps of the action, and how far the current one is.

use crate::action::{Step, StepKind};
use crate::role::{Mode, Role};
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    pub mode: Mode,
    pub steps: Vec<Step>,
    pub step: usize,
    /// Why work that began as lean is full now.
    pub(crate) became_full: Option<String>,
    pub(crate) progress: StepProgress,
    /// Reviewing roles that must look again at what a severity gate had repaired.
    pub(crate) look_again: BTreeSet<Role>,
    /// Severity gates that are passed, with a justification or because nothing grave was open.
    pub(crate) severity_passed: BTreeSet<usize>,
    /// Steps that nobody needed, the last time that they were reached.
    pub(crate) skipped: BTreeSet<usize>,
}

/// How far the current step is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StepProgress {
    /// Not entered yet.
    Ahead,
    /// Members of a parallel step that are through; empty for any other.
    Entered { members_done: BTreeSet<usize> },
    /// Its dispatch has been accepted, or it was skipped.
    Done,
}

impl StepProgress {
    fn entered() -> Self {
        Self::Entered { members_done: BTreeSet::new() }
    }
}

impl Route {
    pub(super) fn new(mode: Mode, steps: Vec<Step>) -> Self {
        Self {
            mode,
            steps,
            step: 0,
            became_full: None,
            progress: StepProgress::Ahead,
            look_again: BTreeSet::new(),
            severity_passed: BTreeSet::new(),
            skipped: BTreeSet::new(),
        }
    }

    pub fn current(&self) -> Option<&Step> {
        self.steps.get(self.step)
    }

    pub(crate) fn is_at_severity_gate(&self) -> bool {
        matches!(self.current(), Some(Step { kind: StepKind::Severity { .. }, .. }))
    }

    pub(crate) fn has_member_done(&self, member: usize) -> bool {
        match &self.progress {
            StepProgress::Entered { members_done } => members_done.contains(&member),
            StepProgress::Ahead | StepProgress::Done => false,
        }
    }

    /// Begins once more from the first step, of another action where there is one.
    pub(super) fn restart(&mut self, mode: Mode, reason: &str, steps: Option<Vec<Step>>) {
        self.mode = mode;
        self.became_full = Some(reason.to_owned());
        self.steps = steps.unwrap_or_else(|| std::mem::take(&mut self.steps));
        self.skipped.clear();
        self.step = 0;
        self.progress = StepProgress::Ahead;
        self.look_again.clear();
    }

    pub(super) fn enter(&mut self, index: usize) {
        self.step = index;
        self.skipped.remove(&index);
        self.progress = StepProgress::entered();
    }

    pub(super) fn skip(&mut self, index: usize) {
        self.step = index;
        self.skipped.insert(index);
        self.progress = StepProgress::Done;
    }

    /// Its dispatch is opened once more.
    pub(super) fn reopen(&mut self, index: usize) {
        if index == self.step && self.progress == StepProgress::Done {
            self.progress = StepProgress::entered();
        }
    }

    /// A dispatch of the step, or one of its members, has done its part.
    pub(super) fn played(&mut self, index: usize, member: Option<usize>) {
        match (&mut self.progress, member) {
            _ if index != self.step => {}
            (StepProgress::Entered { members_done }, Some(member)) => {
                members_done.insert(member);
            }
            (StepProgress::Entered { .. }, None) => self.progress = StepProgress::Done,
            // A step that is still ahead is entered first, whatever of it is closed before.
            (StepProgress::Ahead | StepProgress::Done, _) => {}
        }
    }
}
