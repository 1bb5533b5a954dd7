//! The files of a workspace as the readers of documents see them: by plain paths, never through a link that leads out.

use crate::files::{self, EntryKind, TreeLimits};
use std::path::Path;
use tollgate_contract::artefact::Tree;
use tollgate_core::limits::ARTEFACT_BYTES_MAX;

#[derive(Debug, Clone, Copy)]
pub struct WorkTree<'a> {
    pub root: &'a Path,
}

/// Planning has hundreds of files; a tree beyond this is not looked through for them.
const LIMITS: TreeLimits = TreeLimits { entries_max: 200_000, file_bytes_max: ARTEFACT_BYTES_MAX };

impl Tree for WorkTree<'_> {
    fn is_file(&self, path: &str) -> bool {
        let opened = files::open_beneath(self.root, path);
        opened.is_ok_and(|file| file.metadata().is_ok_and(|found| found.is_file()))
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        files::read_beneath(self.root, path, ARTEFACT_BYTES_MAX).ok()
    }

    fn files_below(&self, folder: &str) -> Vec<String> {
        let is_plain = !folder.split('/').any(|part| part == "..") && !folder.starts_with('/');
        let below = self.root.join(folder);
        let is_real = below.symlink_metadata().is_ok_and(|found| found.is_dir());
        if !is_plain || !is_real {
            return Vec::new();
        }
        let entries = files::list_files(&below, LIMITS).unwrap_or_default();
        let files = entries.into_iter().filter(|entry| entry.kind == EntryKind::File);
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        files.map(|entry| format!("{prefix}{}", entry.path)).collect()
    }
}
