//! What the tests of the durable base share.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;
use tollgate_core::event::Event;
use tollgate_core::time::Timestamp;
use tollgate_host::journal::{Journal, JournalError, Record, TornTail};

pub fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(1_794_777_600_000 + ms)
}

pub fn note(text: &str) -> Event {
    Event::AssumptionNoted { text: text.to_owned() }
}

/// In memory where there is such a place: tests with thousands of syncs need no real disk.
pub fn quick_folder() -> TempDir {
    TempDir::new_in("/dev/shm").unwrap_or_else(|_| TempDir::new().unwrap())
}

/// A journal of the given commits, each a number of records.
pub fn journal_of(folder: &TempDir, commits: &[usize]) -> PathBuf {
    let path = folder.path().join("journal.jsonl");
    let mut journal = Journal::create(&path).unwrap();
    for (index, records) in commits.iter().enumerate() {
        let events: Vec<_> = (0..*records).map(|n| note(&format!("{index}.{n} \"ü\"\n"))).collect();
        let _ = journal.append(at(index as i64), &events).unwrap();
    }
    path
}

/// A journal to be written further, whatever its records tell of.
pub fn opened(path: &Path) -> Result<(Journal, Vec<Record>, Option<TornTail>), JournalError> {
    Journal::open_if(path, |_| Ok(()))
}

/// Runs one ignored test of this binary as a process of its own.
pub fn child(test: &str, folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([test, "--ignored", "--nocapture", "--test-threads=1"])
        .env("TEST_FOLDER", folder)
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

/// The folder given to a child; none when somebody runs all ignored tests.
pub fn folder_of_child() -> Option<PathBuf> {
    std::env::var_os("TEST_FOLDER").map(PathBuf::from)
}

pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..1_000 {
        if holds() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("waited too long for {what}");
}
