//! Earlier versions of session files: each is kept with the dispatch that brought it.

use std::path::{Path, PathBuf};
use tollgate_core::id::ContentHash;
use tollgate_files as files;
use tollgate_files::layout::SessionLayout;
use tollgate_files::sanitize;

/// Far more than a document of a session.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Where the content of this hash lies that a file of the session once had.
pub fn version(session: &SessionLayout, relative: &str, hash: &ContentHash) -> Option<PathBuf> {
    let is_plain = Path::new(relative)
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_)));
    let mut found = folders_below(&session.dispatches()).into_iter().filter(|_| is_plain).flat_map(
        |dispatch| {
            let attempts = folders_below(&dispatch);
            attempts.into_iter().map(|attempt| attempt.join("outputs").join(relative))
        },
    );
    found.find(|path| {
        let bytes = files::read_bounded(path, FILE_BYTES_MAX);
        bytes.is_ok_and(|bytes| files::hash_bytes(&bytes) == *hash)
    })
}

/// What a person reads of a file of the session; none when it is gone or too large.
pub fn text(path: &Path) -> Option<String> {
    let bytes = files::read_bounded(path, FILE_BYTES_MAX).ok()?;
    Some(sanitize::terminal_text(&String::from_utf8_lossy(&bytes)).into_owned())
}

fn folders_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}
