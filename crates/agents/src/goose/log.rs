//! The log that goose keeps: the only place where it tells that it waits for its model service, and for how long.

use crate::Post;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use tollgate_core::duration;
use tollgate_files::{GrowingLog, ListingKind, TreeLimits, list_files};

/// Below the folder that is goose's alone.
pub const FOLDER: &str = "state/logs";

/// The name of a wait in a note.
pub const WAIT_MS: &str = "wait_ms";

const LOOK: Duration = Duration::from_millis(500);

/// What is read of a file at once; a line that is longer is passed over.
const PIECE_BYTES_MAX: u64 = 1024 * 1024;

/// Posts every wait that goose writes down, for as long as the driver lives.
pub fn watch(folder: PathBuf, post: Post) {
    let mut log = Log { folder, read: BTreeMap::new() };
    thread::spawn(move || {
        loop {
            thread::sleep(LOOK);
            for wait_ms in log.waits() {
                post.note(json!({ WAIT_MS: wait_ms }));
            }
        }
    });
}

struct Log {
    folder: PathBuf,
    read: BTreeMap<PathBuf, GrowingLog>,
}

impl Log {
    /// Those that were written down since the last look.
    fn waits(&mut self) -> Vec<u64> {
        let mut waits = Vec::new();
        for path in files_below(&self.folder) {
            let log = self.read.entry(path).or_insert_with_key(|path| GrowingLog::new(path));
            // A file that cannot be read now is tried again at the next look.
            let lines = log.lines(PIECE_BYTES_MAX).unwrap_or_default();
            waits.extend(lines.iter().filter_map(|line| wait_ms(line)));
        }
        waits
    }
}

/// Plain files only: what else lies there is none of its logs.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = list_files(folder, TreeLimits::default()).unwrap_or_default();
    let files = entries.into_iter().filter(|entry| entry.kind == ListingKind::File);
    files.map(|entry| folder.join(entry.path)).collect()
}

/// `{"fields":{"message":"Backing off for 3600s before retry"},"target":"goose_provider_types::retry",…}`
fn wait_ms(line: &[u8]) -> Option<u64> {
    let line: Value = serde_json::from_slice(line).ok()?;
    if line["target"] != "goose_provider_types::retry" {
        return None;
    }
    let after = line["fields"]["message"].as_str()?.strip_prefix("Backing off for ")?;
    duration::read_parts_ms(after.strip_suffix(" before retry")?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::fs::{self, File};
    use std::io::Write;

    fn line(target: &str, message: &str) -> String {
        format!("{}\n", json!({"target": target, "fields": {"message": message}}))
    }

    #[test]
    fn r107_a_wait_is_heard_of_once_and_when_its_line_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("logs");
        let mut log = Log { folder: folder.clone(), read: BTreeMap::new() };
        assert!(log.waits().is_empty(), "there is no log yet");
        fs::create_dir_all(folder.join("cli/2026-01-01")).unwrap();
        let mut file = File::create(folder.join("cli/2026-01-01/a.log")).unwrap();
        let retry = "goose_provider_types::retry";
        let whole = line(retry, "Backing off for 3600s before retry");
        let (first, second) = whole.split_at(30);
        write!(
            file,
            "no JSON\n{}{first}",
            line("goose::agents", "Backing off for 9s before retry")
        )
        .unwrap();
        assert!(log.waits().is_empty(), "its line is not whole, and the other is not of this kind");
        write!(file, "{second}{}", line(retry, "Backing off for 1.25s before retry")).unwrap();
        assert_eq!(log.waits(), [3_600_000, 1_250]);
        assert!(log.waits().is_empty(), "it was told already");
    }

    #[test]
    fn a_line_without_an_end_is_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let length = usize::try_from(PIECE_BYTES_MAX).unwrap();
        let next = line("goose_provider_types::retry", "Backing off for 2s before retry");
        fs::write(dir.path().join("a.log"), format!("{}\n{next}", "x".repeat(length))).unwrap();
        let mut log = Log { folder: dir.path().to_owned(), read: BTreeMap::new() };
        assert!(log.waits().is_empty());
        assert_eq!(log.waits(), [2_000]);
    }
}
