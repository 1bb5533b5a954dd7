//! Logins that a killed engine left in the private folders of sessions that nobody runs now.

use crate::context::Context;
use crate::lock::SessionLock;
use std::fs::DirEntry;
use std::path::Path;
use std::time::Duration;
use tollgate_agents::{Home, LENT_SUFFIX};
use tollgate_core::id::{DispatchNumber, SessionName};
use tollgate_files::layout::SessionLayout;
use tollgate_process::{self as process, Attached};

/// No supervisor takes longer to start.
const STARTING: Duration = Duration::from_secs(120);

/// Takes them out of all sessions of the repository but its own. What does not succeed is tried again by the next
/// session that starts, and when that one is resumed or cancelled.
pub fn take_out(context: &Context, own: &SessionName) {
    let homes = context.agent_homes(own);
    let Some(all) = homes.parent() else { return };
    for entry in std::fs::read_dir(all).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Ok(session) = SessionName::parse(&name.to_string_lossy()) else { continue };
        if session != *own {
            take_out_of(&entry.path(), &context.session_layout(&session));
        }
    }
}

fn take_out_of(homes: &Path, layout: &SessionLayout) {
    let numbers = lent(homes);
    if numbers.is_empty() || crate::lock::is_held(layout.folder()) {
        return;
    }
    // Nobody takes the session up meanwhile.
    let lock = SessionLock::acquire(layout.folder());
    if lock.is_err() && layout.folder().exists() {
        return;
    }
    for number in numbers {
        if !is_at_work(layout, number) {
            let _tried_again_later = Home::at(&homes.join(number.to_string())).take_login_out();
        }
    }
}

/// The dispatches that have a login.
fn lent(homes: &Path) -> Vec<DispatchNumber> {
    let entries = std::fs::read_dir(homes).into_iter().flatten().flatten();
    let number = |name: &str| name.strip_suffix(LENT_SUFFIX)?.parse().ok().map(DispatchNumber);
    entries.filter_map(|entry| number(&entry.file_name().to_string_lossy())).collect()
}

/// An agent outlives its engine, and its supervisor may come a little late.
fn is_at_work(layout: &SessionLayout, number: DispatchNumber) -> bool {
    let attempts = std::fs::read_dir(layout.dispatch(number).folder());
    attempts.into_iter().flatten().flatten().any(|entry| {
        let is_attempt = entry.file_name().to_string_lossy().starts_with("attempt-");
        is_attempt
            && match process::attach(&entry.path()) {
                Ok(Attached::Finished(_) | Attached::Lost) => false,
                Ok(Attached::NeverStarted) => is_recent(&entry),
                Ok(Attached::Running(_)) | Err(_) => true,
            }
    })
}

fn is_recent(entry: &DirEntry) -> bool {
    let changed = entry.metadata().and_then(|found| found.modified());
    changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age < STARTING))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::fs;
    use tollgate_agents::LoginFile;
    use tollgate_files::layout::Layout;

    const LOGIN: [LoginFile; 1] =
        [LoginFile { moved_by: None, below_moved: "", below_home: "auth.json", to: "auth.json" }];

    #[test]
    fn r113_a_login_that_a_killed_engine_left_is_taken_out_where_nobody_runs_the_session() {
        let temp = tempfile::tempdir().unwrap();
        let session = SessionName::parse("2026-11-06_work").unwrap();
        let layout = Layout::new(temp.path()).session(&session);
        fs::create_dir_all(layout.dispatch(DispatchNumber(3)).folder()).unwrap();
        fs::write(temp.path().join("auth.json"), "{}").unwrap();
        let homes = temp.path().join("homes");
        let home = Home::create(&homes.join("3")).unwrap();
        home.bring_login(&LOGIN, Some(temp.path()), |_| None).unwrap();

        let running = SessionLock::acquire(layout.folder()).unwrap();
        take_out_of(&homes, &layout);
        assert!(home.path("auth.json").exists(), "somebody runs it");
        drop(running);

        let starting = layout.dispatch(DispatchNumber(3)).folder().join("attempt-1");
        fs::create_dir(&starting).unwrap();
        take_out_of(&homes, &layout);
        assert!(home.path("auth.json").exists(), "its agent may be about to start");
        fs::remove_dir_all(&starting).unwrap();

        take_out_of(&homes, &layout);
        assert!(!home.path("auth.json").exists());
        assert!(lent(&homes).is_empty());
    }
}
