//! The log that goose keeps: the only place where it tells that it waits for its model service, and for how long.

use crate::agent::{Post, words};
use crate::files::{EntryKind, TreeLimits, list_files};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

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
    /// How far each file was read.
    read: BTreeMap<PathBuf, u64>,
}

impl Log {
    /// Those that were written down since the last look.
    fn waits(&mut self) -> Vec<u64> {
        let mut waits = Vec::new();
        for path in files_below(&self.folder) {
            let so_far = self.read.entry(path.clone()).or_default();
            // A file that cannot be read now is tried again at the next look.
            let Ok(piece) = read_from(&path, *so_far) else { continue };
            let is_full = piece.len() as u64 == PIECE_BYTES_MAX;
            // The last line may still be coming.
            let end = match piece.iter().rposition(|byte| *byte == b'\n') {
                Some(at) => at + 1,
                None if is_full => piece.len(),
                None => 0,
            };
            *so_far += end as u64;
            waits.extend(piece[..end].split(|byte| *byte == b'\n').filter_map(wait_ms));
        }
        waits
    }
}

/// Plain files only: what else lies there is none of its logs.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = list_files(folder, TreeLimits::default()).unwrap_or_default();
    let files = entries.into_iter().filter(|entry| entry.kind == EntryKind::File);
    files.map(|entry| folder.join(entry.path)).collect()
}

fn read_from(path: &Path, start: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    let mut piece = Vec::new();
    file.take(PIECE_BYTES_MAX).read_to_end(&mut piece)?;
    Ok(piece)
}

/// `{"fields":{"message":"Backing off for 3600s before retry"},"target":"goose_provider_types::retry",…}`
fn wait_ms(line: &[u8]) -> Option<u64> {
    let line: Value = serde_json::from_slice(line).ok()?;
    if line["target"] != "goose_provider_types::retry" {
        return None;
    }
    let after = line["fields"]["message"].as_str()?.strip_prefix("Backing off for ")?;
    words::duration_ms(after.strip_suffix(" before retry")?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::fs;
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
