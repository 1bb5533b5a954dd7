//! What is said about tasks, for people who read the files of a session: `comments/T-001.md`, why the work stopped.

use super::Projector;
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_core::session::Session;
use tollgate_files::sanitize::terminal_text;
use tollgate_files::{self as files, FileError};

impl Projector {
    pub(super) fn comments(&self, session: &Session) -> Result<(), FileError> {
        for task in session.plan.tasks.iter().filter(|task| !task.unit.blockers.is_empty()) {
            let said = task.unit.blockers.iter().map(|blocker| {
                let summary = terminal_text(blocker.summary.trim());
                format!(
                    "## Dispatch {}, attempt {}\n\n{summary}\n",
                    blocker.dispatch, blocker.attempt
                )
            });
            let text = said.collect::<Vec<_>>().join("\n");
            let path = format!("comments/{}.md", task.spec.id);
            let folder = self.layout.folder();
            let there = files::read_beneath(folder, &path, ARTEFACT_BYTES_MAX).ok();
            if there.as_deref() != Some(text.as_bytes()) {
                let own = folder.join("comments");
                std::fs::create_dir_all(&own).map_err(FileError::io("make", &own))?;
                files::write_beneath(folder, &path, text.as_bytes())?;
            }
        }
        Ok(())
    }
}
