//! Reads `git status --porcelain=v2 -z`, as bytes, because a file name need not be text.

use super::GitError;
use tollgate_files::layout::Layout;

/// Folders of ours at the top of a checkout or workspace; never part of anyone's change.
pub const OWN_FOLDERS: [&str; 4] =
    [Layout::SESSIONS, ".snapshots", ".artifacts-failed", "logs/errors"];

/// One path that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusEntry {
    pub path: Vec<u8>,
    pub state: PathState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathState {
    /// Not in the index. git ends the name of a folder that is a repository of its own with `/`.
    Untracked { is_folder: bool },
    /// Not in the index and hidden by an ignore rule, a folder perhaps as a whole; named only when asked for.
    Ignored { is_folder: bool },
    /// In the index: how HEAD and the index, and the index and the tree differ (`.` where they do not).
    Tracked { staged: u8, unstaged: u8, index_mode: u32, tree_mode: u32 },
}

/// Arguments that go with this reader.
pub const STATUS_ARGS: [&str; 4] = ["status", "--porcelain=v2", "-z", "--no-renames"];

/// All entries but those of our own folders.
pub fn read_status(output: &[u8]) -> Result<Vec<StatusEntry>, GitError> {
    let mut entries = Vec::new();
    for record in output.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
        let entry = read_record(record).ok_or_else(|| GitError::Unexpected {
            command: STATUS_ARGS.join(" "),
            detail: String::from_utf8_lossy(record).into_owned(),
        })?;
        if !is_own(&entry.path) {
            entries.push(entry);
        }
    }
    Ok(entries)
}

fn read_record(record: &[u8]) -> Option<StatusEntry> {
    match record.first()? {
        first @ (b'?' | b'!') => {
            let path = record[1..].strip_prefix(b" ")?;
            let (path, is_folder) = match path.strip_suffix(b"/") {
                Some(folder) => (folder, true),
                None => (path, false),
            };
            let state = match first {
                b'?' => PathState::Untracked { is_folder },
                _ => PathState::Ignored { is_folder },
            };
            Some(StatusEntry { path: path.to_vec(), state })
        }
        // `1 XY sub mH mI mW hH hI path` and, for a conflict, `u XY sub m1 m2 m3 mW h1 h2 h3 path`.
        b'1' => read_tracked(record, 9, 5),
        b'u' => read_tracked(record, 11, 6),
        _ => None,
    }
}

fn read_tracked(record: &[u8], fields: usize, tree_mode_at: usize) -> Option<StatusEntry> {
    let parts: Vec<&[u8]> = record.splitn(fields, |byte| *byte == b' ').collect();
    let states: &[u8; 2] = (*parts.get(1)?).try_into().ok()?;
    let mode =
        |at: usize| u32::from_str_radix(std::str::from_utf8(parts.get(at).copied()?).ok()?, 8).ok();
    Some(StatusEntry {
        path: parts.get(fields - 1)?.to_vec(),
        state: PathState::Tracked {
            staged: states[0],
            unstaged: states[1],
            index_mode: mode(4)?,
            tree_mode: mode(tree_mode_at)?,
        },
    })
}

/// Whether a path is one of our own folders or below one.
pub(crate) fn is_own(path: &[u8]) -> bool {
    OWN_FOLDERS.iter().any(|folder| {
        path.strip_prefix(folder.as_bytes())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    #[test]
    fn names_are_kept_to_the_byte_and_our_folders_left_out() {
        let output =
            b"1 .M N... 100644 100644 100755 aa aa a b\nc\0? sub/\0? .agents-work/x\0? \xff\0";
        let entries = read_status(output).unwrap();
        let paths: Vec<&[u8]> = entries.iter().map(|entry| entry.path.as_slice()).collect();
        assert_eq!(paths, [b"a b\nc".as_slice(), b"sub", b"\xff"]);
        assert_eq!(entries[1].state, PathState::Untracked { is_folder: true });
        let PathState::Tracked { unstaged, tree_mode, .. } = entries[0].state else { panic!() };
        assert_eq!((unstaged, tree_mode), (b'M', 0o100_755));
        assert!(read_status(b"9 nonsense\0").is_err());
    }
}
