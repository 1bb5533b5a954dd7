//! The session's branch and the tags of its release follow the journal.

use super::Owner;
use tollgate_git::repository::PromoteError;

impl Owner {
    pub(super) fn promote(&mut self) -> Result<(), PromoteError> {
        let session = self.engine.session();
        if !session.has_accepted_work() || self.promoted.as_ref() == Some(&session.branch.tip) {
            return Ok(());
        }
        self.context.repository.promote(
            &session.opening.session,
            session.branch.tip_before.as_ref(),
            &session.branch.tip,
            &session.opening.base,
        )?;
        self.promoted = Some(session.branch.tip.clone());
        Ok(())
    }

    /// The tags of the release are at the end of the branch, wherever that is.
    pub(super) fn keep_tags(&mut self) -> Result<(), PromoteError> {
        let session = self.engine.session();
        let wanted = (session.branch.tags.clone(), session.branch.tip.clone());
        if !wanted.0.is_empty() && self.tagged.as_ref() != Some(&wanted) {
            let (tags, tip) = &wanted;
            self.context.repository.keep_tags(&session.opening.session, tags, tip)?;
            self.tagged = Some(wanted);
        }
        Ok(())
    }
}
