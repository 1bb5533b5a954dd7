//! Earlier sessions of the repository in a workspace: copies of their documents, to be read and not to be written.

use super::ActivityError;
use super::authored::{Given, authored};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use tollgate_core::id::SessionName;
use tollgate_files::layout::Layout;
use tollgate_files::{self as files, ListingEntry, ListingKind};

/// So many sessions are copied, the newest ones: every dispatch gets new copies.
const SESSIONS_MAX: usize = 20;
/// What all of them may have together, and one file.
const BYTES_MAX: u64 = 8 * 1024 * 1024;
const FILE_BYTES_MAX: u64 = 512 * 1024;

/// What tells a file of another session among those that were given.
const OTHER: &str = "../";

/// Copies what people and agents wrote in other sessions: their documents and their status, not their journals.
pub(super) fn lay_out(
    record: &Path,
    sessions: &Path,
    session: &SessionName,
    given: &mut Given,
) -> Result<(), ActivityError> {
    let Some(folder) = record.parent() else {
        return Ok(());
    };
    let mut left = BYTES_MAX;
    for name in others(folder, session).iter().take(SESSIONS_MAX) {
        let from = folder.join(name);
        // A session that somebody removes meanwhile, or that cannot be read, is none to read.
        for path in authored(&from).unwrap_or_default() {
            let Ok(bytes) = files::read_beneath(&from, &path, FILE_BYTES_MAX.min(left)) else {
                continue;
            };
            let below = format!("{name}/{path}");
            files::write_beneath(sessions, &below, &bytes)?;
            let copy = sessions.join(&below);
            let closed = std::fs::Permissions::from_mode(0o444);
            std::fs::set_permissions(&copy, closed)
                .map_err(ActivityError::io(format!("cannot close {}", copy.display())))?;
            left = left.saturating_sub(bytes.len() as u64);
            given.insert(format!("{OTHER}{below}"), files::hash_bytes(&bytes));
        }
    }
    Ok(())
}

/// The folders of earlier sessions that were copied, from the root of the tree.
pub(super) fn folders(given: &Given) -> Vec<String> {
    let names = given.keys().filter_map(|path| path.strip_prefix(OTHER)?.split('/').next());
    let mut folders: Vec<String> =
        names.map(|name| format!("{}/{name}/", Layout::SESSIONS)).collect();
    folders.dedup();
    folders
}

pub(super) fn is_of(path: &str) -> bool {
    path.starts_with(OTHER)
}

/// Whether a file below the sessions folder of a tree is the copy that was laid there.
pub(super) fn is_as_given(sessions: &Path, entry: &ListingEntry, given: &Given) -> bool {
    let Some(hash) = given.get(&format!("{OTHER}{}", entry.path)) else {
        return false;
    };
    entry.kind == ListingKind::File
        && files::read_beneath(sessions, &entry.path, FILE_BYTES_MAX)
            .is_ok_and(|bytes| files::hash_bytes(&bytes) == *hash)
}

/// By name, the newest first: a name begins with its date.
fn others(folder: &Path, session: &SessionName) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    let is_other = |name: &String| name != session.as_str() && SessionName::parse(name).is_ok();
    let mut names: Vec<String> = names.filter(is_other).collect();
    names.sort_by(|one, other| other.cmp(one));
    names
}
