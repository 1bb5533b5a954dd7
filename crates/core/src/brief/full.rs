//! What SpecAgent is told where work that began as lean became full.

use crate::proof::one_line;
use crate::session::Session;

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
