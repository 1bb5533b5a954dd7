//! The documents that a work item may refer to: files of the session, and of the commit that the work starts from.

use super::ActivityError;
use super::order::Site;
use super::session_files::Written;
use std::cell::RefCell;
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_files as files;
use tollgate_files::layout::session_path;
use tollgate_judge::scope::is_plain;

/// What the agent changed in its tree does not count: it could write what it quotes.
#[derive(Debug)]
pub struct Documents<'a> {
    at: &'a Site<'a>,
    written: &'a [Written],
    trouble: RefCell<Option<ActivityError>>,
}

impl<'a> Documents<'a> {
    /// `written` are session files of this attempt; they count before those on record.
    pub fn of(at: &'a Site<'a>, written: &'a [Written]) -> Self {
        Self { at, written, trouble: RefCell::new(None) }
    }

    /// The text of a file by its path from the repository's root, or from the session's folder.
    pub fn text(&self, path: &str) -> Option<String> {
        let path = path.strip_prefix("./").unwrap_or(path);
        if !is_plain(path) {
            return None;
        }
        let folder = format!("{}/", session_path(&self.at.order.session));
        let own = self.session_file(path.strip_prefix(&folder).unwrap_or(path));
        let bytes = own.or_else(|| self.committed(path))?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What went wrong while looking; without it, what was not found is not there.
    pub fn finish(self) -> Result<(), ActivityError> {
        self.trouble.into_inner().map_or(Ok(()), Err)
    }

    fn session_file(&self, path: &str) -> Option<Vec<u8>> {
        if let Some(file) = self.written.iter().find(|file| file.path == path) {
            return Some(file.bytes.clone());
        }
        if !self.at.order.about.artefacts.iter().any(|known| known == path) {
            return None;
        }
        let record = self.at.context.session_layout(&self.at.order.session);
        files::read_beneath(record.folder(), path, ARTEFACT_BYTES_MAX).ok()
    }

    fn committed(&self, path: &str) -> Option<Vec<u8>> {
        match self.at.workspace.contents_at(&self.at.order.tip, &[path]) {
            Ok(contents) => contents.into_iter().next().flatten(),
            Err(error) => {
                self.trouble.borrow_mut().get_or_insert(error.into());
                None
            }
        }
    }
}
