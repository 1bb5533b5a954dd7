//! Counts starts in files, so that parallel starts and restarts count right.

use super::start::Start;
use super::write::append;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Records this start and says the how-manieth of its role and task in its session it is, from 1.
pub(super) fn record(folder: &Path, start: &Start) -> io::Result<u32> {
    fs::create_dir_all(folder)?;
    let nth = claim(folder, start)?;
    let Start { role, task, dispatch, attempt, session, .. } = start;
    let pid = std::process::id();
    let line = format!("{role} {task} {dispatch} {attempt} {nth} {pid} {session}\n");
    append(&folder.join("starts.log"), &line)?;
    Ok(nth)
}

/// Where the starts of a script are counted. A sandboxed agent cannot write beside its script, but it can write in a
/// folder of the home's caches that exists already.
pub(super) fn folder(script: &Path) -> PathBuf {
    let mut name = script.file_name().unwrap_or_default().to_owned();
    name.push(".d");
    all().join(name)
}

/// Whether somebody made the folder that starts are counted in.
pub(super) fn is_on() -> bool {
    all().is_dir()
}

fn all() -> PathBuf {
    let home = std::env::var_os("HOME").map_or_else(|| PathBuf::from("."), PathBuf::from);
    home.join(".cache/tollgate-scripts")
}

/// The first number that nobody has taken; creating the file takes it.
fn claim(folder: &Path, start: &Start) -> io::Result<u32> {
    let name = plain(&format!("{}.{}.{}", start.session, start.role, start.task));
    for nth in 1..=u32::MAX {
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(folder.join(format!("{name}.{nth}")))
        {
            Ok(_) => return Ok(nth),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("every number is taken"))
}

fn plain(text: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    text.chars().map(|c| if keep(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn starts_count_per_role_and_task() {
        let dir = tempfile::tempdir().unwrap();
        let counts = dir.path().join("crew.json.d");
        let coder = Start::sample(dir.path(), "Coder", "T-001");
        let other = Start::sample(dir.path(), "Coder", "T-002");
        assert_eq!(record(&counts, &coder).unwrap(), 1);
        assert_eq!(record(&counts, &coder).unwrap(), 2);
        assert_eq!(record(&counts, &other).unwrap(), 1);
        let log = fs::read_to_string(dir.path().join("crew.json.d/starts.log")).unwrap();
        let pid = std::process::id();
        assert_eq!(
            log,
            format!(
                "Coder T-001 7 1 1 {pid} 2026-11-15_demo\nCoder T-001 7 1 2 {pid} 2026-11-15_demo\n\
                 Coder T-002 7 1 1 {pid} 2026-11-15_demo\n"
            )
        );
    }

    #[test]
    fn parallel_starts_never_share_a_number() {
        let dir = tempfile::tempdir().unwrap();
        let counts = dir.path().join("crew.json.d");
        let start = Start::sample(dir.path(), "Coder", "T-001");
        let taken: Vec<u32> = std::thread::scope(|scope| {
            let run = || (0..25).map(|_| record(&counts, &start).unwrap()).collect::<Vec<_>>();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(BTreeSet::from_iter(taken), (1..=100).collect());
    }
}
