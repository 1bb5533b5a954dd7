//! Where a run writes: whether it may, and how much room there is.

use super::DoctorCheck;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use tollgate_files::layout::state_home;
use tollgate_git::repository::Repository;

/// A clone of a middling repository and some outputs.
const SPACE_BYTES_MIN: u64 = 1024 * 1024 * 1024;
/// With less not even a journal and a small snapshot fit.
const SPACE_BYTES_NEEDED: u64 = 16 * 1024 * 1024;

/// A place that cannot be written.
#[derive(Debug)]
pub(super) struct Unwritable {
    /// What there is of it: itself, or the nearest folder above.
    pub place: PathBuf,
    cause: io::Error,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be written: {}", self.place.display(), self.cause)
    }
}

/// Tried out, and nothing of it stays.
pub(super) fn refused(place: &Path) -> Option<Unwritable> {
    let there = there(place);
    let tried = tempfile::tempdir_in(there);
    tried.err().map(|cause| Unwritable { place: there.to_owned(), cause })
}

/// The path itself, or what is there of the folders above it.
fn there(place: &Path) -> &Path {
    place.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"))
}

/// The state folder, and the room there and in the repository.
pub(super) fn findings(repository: Option<&Repository>) -> Vec<DoctorCheck> {
    let mut findings = Vec::new();
    let mut looked_at = Vec::new();
    match state_home(|name| std::env::var_os(name)) {
        Ok(home) => {
            findings.push(state(&home));
            looked_at.push(("workspaces", there(&home).to_owned()));
        }
        Err(error) => {
            let fix = "set TOLLGATE_STATE_HOME to a folder of yours";
            findings.push(DoctorCheck::fail("state", error.to_string(), fix));
        }
    }
    let root = repository.map(|repository| repository.root().to_owned());
    looked_at.extend(root.map(|root| ("sessions and snapshots", root)));
    findings.extend(looked_at.iter().map(|(what, place)| space(what, place)));
    findings
}

fn state(home: &Path) -> DoctorCheck {
    match refused(home) {
        None => DoctorCheck::ok("state", format!("workspaces go to {}", home.display())),
        Some(why) => {
            let fix = "set TOLLGATE_STATE_HOME to a folder of yours";
            DoctorCheck::fail("state", why.to_string(), fix)
        }
    }
}

fn space(what: &str, folder: &Path) -> DoctorCheck {
    match rustix::fs::statvfs(folder) {
        Ok(found) => room(what, folder, found.f_bavail.saturating_mul(found.f_frsize)),
        Err(errno) => {
            let message = format!("the free space of {} cannot be read: {errno}", folder.display());
            DoctorCheck::warn("space", message, "check the disk")
        }
    }
}

fn room(what: &str, folder: &Path, free: u64) -> DoctorCheck {
    let (mebibytes, place) = (free / (1024 * 1024), folder.display());
    let message = format!("{mebibytes} MiB are free for {what} in {place}");
    match free {
        SPACE_BYTES_MIN.. => DoctorCheck::ok("space", message),
        SPACE_BYTES_NEEDED.. => {
            let fix =
                format!("free some space on the disk of {place}; a full disk blocks a session");
            DoctorCheck::warn("space", format!("only {message}"), fix)
        }
        _ => {
            let fix = format!("free some space on the disk of {place}");
            DoctorCheck::fail("space", format!("only {message}"), fix)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::Level;

    #[test]
    fn a_full_disk_is_named_and_stops_a_run() {
        let told = |free| {
            let told = room("sessions", Path::new("/repo"), free);
            (told.level, told.message)
        };
        let mebibytes = |count: u64| count * 1024 * 1024;
        let row =
            |level, words: &str| (level, format!("{words} MiB are free for sessions in /repo"));
        assert_eq!(told(mebibytes(2048)), row(Level::Ok, "2048"));
        assert_eq!(told(mebibytes(100)), row(Level::Warn, "only 100"));
        assert_eq!(told(mebibytes(3)), row(Level::Fail, "only 3"));
    }
}
