//! The two versions of a file that a comparison is between.

use super::{Compared, ScopeDiffError, WorkingTree, looking, one_revision, raw, tree_of};
use crate::program::Git;
use std::path::Path;
use tollgate_files as files;

/// The content of a file before and after; none where it is not there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileVersions {
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
    /// One of them is there and is no plain file that can be read.
    pub is_unreadable: bool,
}

/// More is not looked at by anybody who compares lines.
const FILE_BYTES_MAX: u64 = 2 * 1024 * 1024;

/// In the order of the paths, which are from the repository's root.
pub fn scope_versions(
    start: &Path,
    compared: Compared<'_>,
    paths: &[String],
) -> Result<Vec<FileVersions>, ScopeDiffError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let Compared { base, head, .. } = compared;
    [base, head].into_iter().flatten().try_for_each(one_revision)?;
    let git = Git::find()?;
    let Some(head) = head else {
        let tree = WorkingTree::find(&git, start, base)?;
        let before = contents(&git, start, &tree.base, paths)?;
        let versions = before.into_iter().zip(paths);
        return Ok(versions.map(|(before, path)| on_disk(&tree.root, path, before)).collect());
    };
    let before = contents(&git, start, &tree_of(base.unwrap_or("HEAD")), paths)?;
    let after = contents(&git, start, &tree_of(head), paths)?;
    let both = before.into_iter().zip(after);
    Ok(both.map(|(before, after)| FileVersions { before, after, is_unreadable: false }).collect())
}

fn on_disk(root: &Path, path: &str, before: Option<Vec<u8>>) -> FileVersions {
    match files::read_beneath(root, path, FILE_BYTES_MAX) {
        Ok(after) => FileVersions { before, after: Some(after), is_unreadable: false },
        Err(error) if error.is_not_found() => {
            FileVersions { before, after: None, is_unreadable: false }
        }
        Err(_) => FileVersions { before, after: None, is_unreadable: true },
    }
}

/// What is no plain name cannot be asked for in this way, and counts as not there.
fn contents(
    git: &Git,
    start: &Path,
    tree: &str,
    paths: &[String],
) -> Result<Vec<Option<Vec<u8>>>, ScopeDiffError> {
    let mut found = Vec::with_capacity(paths.len());
    for path in paths {
        let is_plain =
            !path.contains('\n') && !path.split('/').any(|p| matches!(p, "" | "." | ".."));
        let call = looking(git, start).args(["cat-file", "--batch=%(objecttype) %(objectsize)"]);
        let asked = format!("{tree}:{path}\n").into_bytes();
        let answer = if is_plain { call.input(asked).run()?.stdout } else { Vec::new() };
        found.push(raw::read_blob(&answer));
    }
    Ok(found)
}
