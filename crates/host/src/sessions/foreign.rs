//! Session folders that another orchestrator wrote, and which session of ours came of one.

use crate::journal::COMMIT_BYTES_MAX;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use tollgate_core::event::Event;
use tollgate_core::import::Origin;
use tollgate_files as files;
use tollgate_files::layout::SessionLayout;

/// One of these makes a folder a session.
const DOCUMENTS: [&str; 4] = ["status.json", "tasks.yaml", "acceptance.json", "spec.md"];

/// A session without a journal, and without anything else that only Tollgate makes.
pub fn is_foreign(layout: &SessionLayout) -> bool {
    let is_there = |path: PathBuf| path.symlink_metadata().is_ok();
    let of_ours =
        [layout.journal(), layout.lock(), layout.inbox(), layout.dispatches(), layout.importing()];
    !of_ours.into_iter().any(is_there) && has_document(layout.folder())
}

/// Whether a folder has any file that makes it a session.
pub fn has_document(folder: &Path) -> bool {
    DOCUMENTS.iter().any(|name| folder.join(name).symlink_metadata().is_ok())
}

/// What a session was imported from, told by the second record of its journal.
pub fn origin_of(session: &SessionLayout) -> Option<Origin> {
    #[derive(serde::Deserialize)]
    struct Record {
        event: Event,
    }
    let file = files::options_nofollow().read(true).open(session.journal()).ok()?;
    let mut reader = BufReader::new(file.take(COMMIT_BYTES_MAX));
    let mut line = Vec::new();
    for _ in 0..2 {
        line.clear();
        reader.read_until(b'\n', &mut line).ok()?;
    }
    match serde_json::from_slice::<Record>(&line).ok()?.event {
        Event::SessionImported(taken) => Some(taken.origin),
        _ => None,
    }
}
