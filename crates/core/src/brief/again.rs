//! What roles are told that do their part again: lean work became full, or research came late.

use crate::event::Verdict;
use crate::proof::one_line;
use crate::role::Role;
use crate::session::{Dispatch, Session};

impl Session {
    /// Why the session starts over, and what there is already.
    pub(super) fn full_words(&self) -> Vec<String> {
        let Some(why) = &self.route.became_full else {
            return Vec::new();
        };
        let first =
            format!("this session began as lean work and is full now, because {}", one_line(why));
        let mut words = vec![
            first,
            "write spec.md and acceptance.json for the whole work; the lean plan no longer counts"
                .to_owned(),
        ];
        if !self.branch.changed.is_empty() {
            let changed = crate::count::counted(self.branch.changed.len(), "file");
            words.push(format!(
                "{changed} changed in lean mode and accepted; the changes are in your workspace"
            ));
        }
        words
    }
}

impl Session {
    /// An Architect that plays its part again, because research came after its design, is told so.
    pub(super) fn late_research(&self, dispatch: &Dispatch) -> Option<String> {
        let before = self.dispatches.values().take_while(|other| !std::ptr::eq(*other, dispatch));
        let mut accepted = before.filter(|other| other.verdict() == Some(Verdict::Accepted));
        accepted.find(|other| {
            other.role == Role::Architect && other.part_index() == dispatch.part_index()
        })?;
        accepted.find(|other| other.role == Role::Researcher)?;
        Some(
            "Researcher has looked into what was asked for: read it, and revise architecture.md where it matters"
                .to_owned(),
        )
    }
}
