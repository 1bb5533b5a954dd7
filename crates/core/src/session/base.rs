//! The person's branch that the session started from, where it has moved since: what is merged into the session's work.

use super::{Dispatch, Session};
use crate::event::{Finding, FindingOrigin, Purpose};
use crate::id::{CommitId, TaskRef};
use crate::role::{RepairLoop, Role, State};
use crate::work::BaseMerge;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Base {
    /// Where the branch was last seen, once it had moved.
    pub(crate) seen: Option<CommitId>,
    /// The commit that is being merged.
    pub(crate) merging: Option<CommitId>,
    /// The last commit whose merge came to an end, whatever it was.
    pub(crate) tried: Option<CommitId>,
    /// One merge for each step: a branch that moves all the time must not keep the session from its end.
    pub(super) tried_in_step: bool,
    /// The last commit of it that the session's branch has.
    pub merged: Option<CommitId>,
    conflict: Option<BaseConflict>,
}

/// A merge that needs somebody to say which lines are right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseConflict {
    /// The commit of the person's branch.
    pub base: CommitId,
    /// Both sides in one tree, with marks around what does not go together.
    pub start: CommitId,
    pub files: Vec<String>,
}

/// The two commits that a repaired merge joins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Join {
    pub tip: CommitId,
    pub base: CommitId,
    /// Files whose marks must be gone.
    pub files: Vec<String>,
}

impl Session {
    /// The branch to look at, while its place still matters: from the step before INTEGRATE until that is left.
    pub fn base_to_watch(&self) -> Option<&str> {
        let is_integrating = |index: usize| {
            self.route.steps.get(index).is_some_and(|step| step.state == State::Integrate)
        };
        let at = self.route.step;
        let matters = is_integrating(at) || is_integrating(at + 1);
        let branch = self.opening.base_branch.as_deref()?;
        (matters && self.has_accepted_work() && !self.is_over()).then_some(branch)
    }

    /// Where the branch is as far as the session knows.
    pub fn base_seen(&self) -> &CommitId {
        self.branch.base.seen.as_ref().unwrap_or(&self.opening.base)
    }

    /// What the work is compared with: the last commit of the person's branch that is in it.
    pub fn merged_base(&self) -> &CommitId {
        self.branch.base.merged.as_ref().unwrap_or(&self.opening.base)
    }

    /// The commit of the branch that is being merged.
    pub fn base_merging(&self) -> Option<&CommitId> {
        self.branch.base.merging.as_ref()
    }

    /// A commit of the branch that nobody has tried to merge.
    pub(crate) fn base_to_merge(&self) -> Option<&CommitId> {
        let is_integrating = self.current_step().is_some_and(|step| step.state == State::Integrate);
        let Base { seen, tried, tried_in_step, .. } = &self.branch.base;
        let seen = seen.as_ref().filter(|seen| tried.as_ref() != Some(seen))?;
        let is_due = is_integrating && !tried_in_step && self.has_accepted_work();
        (is_due && *seen != self.opening.base).then_some(seen)
    }

    /// The conflict that somebody has still to resolve. A person may have decided to leave it.
    pub fn base_conflict(&self) -> Option<&BaseConflict> {
        let conflict = self.branch.base.conflict.as_ref()?;
        self.base_findings(&conflict.base).next().map(|_| conflict)
    }

    /// Open findings about a merge of this commit.
    pub(crate) fn base_findings(&self, base: &CommitId) -> impl Iterator<Item = &Finding> {
        let is_of = move |finding: &&Finding| match &finding.origin {
            FindingOrigin::BaseConflict { base: of } => of == base,
            _ => false,
        };
        self.record.findings.iter().filter(|finding| finding.is_open()).filter(is_of)
    }

    /// What a dispatch starts from: a Coder who repairs the build resolves the conflict that waits.
    pub(super) fn starting_commit(&self, dispatch: &Dispatch) -> CommitId {
        match self.base_conflict().filter(|_| may_resolve(dispatch)) {
            Some(conflict) => conflict.start.clone(),
            None => self.branch.tip.clone(),
        }
    }

    /// The two sides that the work of a dispatch brings together.
    pub fn join_of(&self, dispatch: &Dispatch) -> Option<Join> {
        let conflict = self.branch.base.conflict.as_ref()?;
        (dispatch.based_on() == Some(&conflict.start)).then(|| Join {
            tip: self.branch.tip.clone(),
            base: conflict.base.clone(),
            files: conflict.files.clone(),
        })
    }

    pub(super) fn end_base_merge(&mut self, base: &CommitId, outcome: &BaseMerge) {
        self.branch.base.merging = None;
        self.branch.base.tried_in_step = true;
        self.branch.base.tried = Some(base.clone());
        match outcome {
            BaseMerge::Clean { commit } => {
                self.branch.tip_before = Some(self.branch.tip.clone());
                self.branch.tip = commit.clone();
                self.branch.base.merged = Some(base.clone());
                self.branch.base.conflict = None;
            }
            BaseMerge::Conflicts { files, start } => {
                let (base, start, files) = (base.clone(), start.clone(), files.clone());
                self.branch.base.conflict = Some(BaseConflict { base, start, files });
            }
            BaseMerge::AlreadyIn => self.branch.base.merged = Some(base.clone()),
            BaseMerge::Unrelated => {}
        }
    }

    /// The work of a dispatch was taken: did it resolve the conflict?
    pub(super) fn note_resolved(&mut self, based_on: Option<&CommitId>) {
        let base = &mut self.branch.base;
        if let Some(conflict) = base.conflict.take_if(|known| based_on == Some(&known.start)) {
            base.merged = Some(conflict.base);
        }
    }
}

fn may_resolve(dispatch: &Dispatch) -> bool {
    dispatch.role == Role::Coder
        && dispatch.task == TaskRef::Meta
        && dispatch.purpose == Purpose::Repair { repair: RepairLoop::FixBuild }
}
