//! The false repository: the session's branch and the lifecycle stage that a file declares.

use crate::chance::Chance;
use crate::violation::{Held, hold};
use tollgate_core::id::CommitId;
use tollgate_core::session::Session;

#[derive(Debug)]
pub(crate) struct Repository {
    branch: Option<CommitId>,
    pub stage: Option<String>,
    /// How often someone still declares another stage.
    pub changes: u32,
}

impl Repository {
    pub fn new(stage: Option<String>, changes: u32) -> Self {
        Self { branch: None, stage, changes }
    }

    /// The branch follows the journal: one compare-and-swap, as git does it.
    pub fn promote(&mut self, session: &Session, old: Option<&CommitId>) -> Held {
        if !session.has_accepted_work() || self.branch.as_ref() == Some(&session.branch.tip) {
            return Ok(());
        }
        hold(self.branch.as_ref() == old, "the_branch_moves_from_where_it_stood", || {
            format!("to {} from {old:?}, and it is at {:?}", session.branch.tip, self.branch)
        })?;
        self.branch = Some(session.branch.tip.clone());
        Ok(())
    }

    /// Now and then the project declares another stage, or none.
    pub fn drift(&mut self, chance: &mut Chance) {
        if self.changes == 0 || !chance.percent(4) {
            return;
        }
        self.changes -= 1;
        let stages = [Some("planning"), Some("implementation"), Some("release"), None];
        self.stage = chance.pick(&stages).map(str::to_owned);
    }
}
