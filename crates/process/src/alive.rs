//! Processes of this machine that are alive, as the kernel tells of them.

use std::fs;
use std::path::{Path, PathBuf};

/// A process, as far as we may look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alive {
    pub pid: i32,
    /// Its command line, with spaces between the words; empty for one that has ended and is not reaped yet.
    pub words: String,
    /// The folder that it works in.
    pub cwd: Option<PathBuf>,
}

/// Every process that is alive.
pub fn alive() -> impl Iterator<Item = Alive> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter_map(|process| {
        let folder = process.path();
        let pid = process.file_name().to_str()?.parse().ok()?;
        let words = fs::read(folder.join("cmdline")).ok()?;
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        Some(Alive { pid, words, cwd: fs::read_link(folder.join("cwd")).ok() })
    })
}

/// Those that work in a place, or were started with it or for it.
pub fn alive_in(place: &Path) -> Vec<Alive> {
    let name = place.display().to_string();
    let is_there = |process: &Alive| {
        let works_there = process.cwd.as_ref().is_some_and(|cwd| cwd.starts_with(place));
        works_there || process.words.contains(&name) || variables(process.pid).contains(&name)
    };
    alive().filter(is_there).collect()
}

/// One that has gone elsewhere still has the variables that it was started with.
fn variables(pid: i32) -> String {
    let variables = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    String::from_utf8_lossy(&variables).into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::process::Command;
    use std::time::Duration;

    #[test]
    fn a_process_that_moved_elsewhere_is_found_by_its_variables() {
        let temp = tempfile::tempdir().unwrap();
        let place = temp.path().canonicalize().unwrap();
        let mut command = Command::new("sleep");
        command.arg("300").current_dir("/").env("TOLLGATE_INPUT", place.join("input.json"));
        let mut child = command.spawn().unwrap();
        // A program that has just begun does not show its variables at once.
        let found = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            let found = alive_in(&place);
            found.len() == 1 && found[0].words == "sleep 300 "
        });
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found);
        assert_eq!(alive_in(&place), []);
    }
}
