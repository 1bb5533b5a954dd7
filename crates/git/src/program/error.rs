//! How a run of git can go wrong, in words for people.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use tollgate_core::limits::TAIL_BYTES;

#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("git was not found on PATH; install git and try again")]
    Missing,
    #[error("`{command}` could not be run in {}: {cause}", folder.display())]
    CouldNotRun { command: String, folder: PathBuf, cause: std::io::Error },
    #[error("`{command}` failed because the disk is full; free some space and resume")]
    DiskFull { command: String },
    #[error("`{command}` {}: {}", ending(*.code, *.signal), said(.stderr))]
    Failed { command: String, code: Option<i32>, signal: Option<i32>, stderr: String },
    #[error("`{command}` printed something that cannot be read: {detail}")]
    Unexpected { command: String, detail: String },
}

impl GitError {
    pub(super) fn failed(command: String, status: ExitStatus, stderr: &[u8]) -> Self {
        let start = stderr.len().saturating_sub(TAIL_BYTES);
        let stderr = String::from_utf8_lossy(&stderr[start..]).trim().to_owned();
        if stderr.contains("No space left on device") || stderr.contains("Disk quota exceeded") {
            return Self::DiskFull { command };
        }
        Self::Failed { command, code: status.code(), signal: status.signal(), stderr }
    }

    /// Whether git itself said this; its messages are in English because LC_ALL is C.
    pub fn says(&self, words: &str) -> bool {
        matches!(self, Self::Failed { stderr, .. } if stderr.contains(words))
    }
}

fn ending(code: Option<i32>, signal: Option<i32>) -> String {
    match (code, signal) {
        (Some(code), _) => format!("failed with exit code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended in an unknown way".to_owned(),
    }
}

fn said(stderr: &str) -> &str {
    if stderr.is_empty() { "it gave no reason" } else { stderr }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_called_one() {
        let status = ExitStatus::from_raw(128 << 8);
        let words = b"error: file write error: No space left on device\nfatal: unable to write";
        let full = GitError::failed("git write-tree".into(), status, words);
        assert!(matches!(full, GitError::DiskFull { .. }), "{full}");
        let other = GitError::failed("git write-tree".into(), status, b"fatal: bad tree\n");
        assert_eq!(
            other.to_string(),
            "`git write-tree` failed with exit code 128: fatal: bad tree"
        );
    }
}
