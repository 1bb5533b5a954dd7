//! The status label in the front matter of work items: it follows the task.

use super::Projector;
use tollgate_contract::labels;
use tollgate_contract::plan::is_item;
use tollgate_contract::work_item::{set_status, with_each_status};
use tollgate_core::id::ContentHash;
use tollgate_core::limits::{ARTEFACT_BYTES_MAX, PERSIST_TRIES};
use tollgate_core::session::Session;
use tollgate_files::crash;
use tollgate_files::{self as files, FileError};

/// Whether a work item is the one on record but for its status label, which is the engine's.
pub fn is_same_but_status(bytes: &[u8], recorded: &ContentHash) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    with_each_status(text).any(|text| files::hash_bytes(text.as_bytes()) == *recorded)
}

impl Projector {
    pub(super) fn labels(&mut self, session: &Session) -> Result<(), FileError> {
        for task in &session.plan.tasks {
            let Some(path) = task.spec.work_item.as_deref().map(|p| p.trim_start_matches("./"))
            else {
                continue;
            };
            let label = labels::of_task_in(session, task);
            if is_item(path) && self.labels.get(path) != Some(&label) {
                self.label(path, label)?;
                self.labels.insert(path.to_owned(), label);
            }
        }
        Ok(())
    }

    fn label(&self, path: &str, label: &str) -> Result<(), FileError> {
        let bytes = match files::read_beneath(self.layout.folder(), path, ARTEFACT_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.is_not_found() => return Ok(()),
            Err(error) => return Err(error),
        };
        // One that somebody broke meanwhile is left alone; it is reported before the next dispatch.
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return Ok(());
        };
        if let Some(edited) = set_status(text, label).filter(|edited| edited != text) {
            crash::point("projection.before_label");
            let whole = self.layout.artefact(path);
            files::write_checked(&whole, edited.as_bytes(), PERSIST_TRIES)?;
            crash::point("projection.after_label");
        }
        Ok(())
    }
}
