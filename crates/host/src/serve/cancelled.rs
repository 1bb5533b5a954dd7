//! Nothing of what was cancelled, or of a former life, runs on, whoever started it.

use super::Owner;
use crate::activity::ActivityError;
use crate::activity::attempt;
use crate::activity::checks::fresh;
use crate::activity::driven;
use crate::activity::order::DispatchOrder;
use crate::context::Context;
use std::io;
use std::path::{Path, PathBuf};
use tollgate_core::event::Verdict;
use tollgate_core::id::SessionName;
use tollgate_process::{self as process, StopReason};

impl Owner {
    /// Ends what a process that is gone left running for dispatches and checks that are cancelled. What it
    /// left unfinished is kept.
    pub fn end_cancelled(&self) -> Result<(), ActivityError> {
        let session = self.session();
        let cancelled = session
            .dispatches
            .iter()
            .filter(|(_, dispatch)| dispatch.verdict() == Some(Verdict::Cancelled))
            .map(|(number, dispatch)| (*number, dispatch.attempts));
        let attempts = cancelled.clone().map(|(number, last)| self.layout.attempt(number, last));
        let mut folders: Vec<PathBuf> = attempts.map(|run| run.folder().to_owned()).collect();
        for (number, _) in session.checks.runs.iter().filter(|(_, run)| run.passed.is_none()) {
            let commands = self.layout.checks().join(number.to_string());
            folders.extend(runs_of_check(&commands).map_err(list())?);
        }
        for home in self.context.workspace_homes(&session.opening.session)? {
            folders.extend(runs_in_home(&home).map_err(list())?);
        }
        for folder in folders {
            // What is removed below must not be in use, nor come into use.
            process::end(&folder, StopReason::Cancelled).map_err(ending(&folder))?;
        }
        for (number, last) in cancelled {
            if let Some(order) = DispatchOrder::of(session, self.journal.lineage(), number, last) {
                attempt::abandon(&self.context, &order)?;
            }
        }
        self.remove_what_is_over();
        Ok(())
    }

    /// A session that is over needs the private folders of its agents no more, nor the clones that were checked.
    pub(super) fn remove_what_is_over(&self) {
        if self.session().is_over() {
            let session = &self.session().opening.session;
            driven::remove_homes(&self.context, session, |_| true);
            fresh::remove_all_but(&self.context, session, None);
        }
    }
}

/// Ends everything that was started for a session, also what its journal does not know. What is still on its way begins
/// no more.
pub(crate) fn end_all(context: &Context, session: &SessionName) -> Result<(), ActivityError> {
    let layout = context.session_layout(session);
    let mut folders = Vec::new();
    for dispatch in folders_in(&layout.dispatches()).map_err(list())? {
        folders.extend(process::runs_in(&dispatch).map_err(list())?);
    }
    for commands in folders_in(&layout.checks()).map_err(list())? {
        folders.extend(runs_of_check(&commands).map_err(list())?);
    }
    for home in context.workspace_homes(session)? {
        folders.extend(runs_in_home(&home).map_err(list())?);
    }
    for folder in folders {
        process::end(&folder, StopReason::Outdated).map_err(ending(&folder))?;
    }
    Ok(())
}

fn list() -> impl FnOnce(io::Error) -> ActivityError {
    ActivityError::io("cannot list processes that may still be running")
}

fn ending(run: &Path) -> impl FnOnce(io::Error) -> ActivityError {
    ActivityError::io(format!("cannot end {}", run.display()))
}

/// None when it is not there.
fn folders_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    paths.filter(|path| !path.as_ref().is_ok_and(|path| !path.is_dir())).collect()
}

/// Commands, those that ran again, and lifecycle gates.
fn runs_of_check(commands: &Path) -> io::Result<Vec<PathBuf>> {
    Ok([process::runs_in(commands)?, process::runs_in(&commands.join("0"))?].concat())
}

/// Commands that prepare a workspace, and checks of the base. What agents wrote there is not looked at.
fn runs_in_home(home: &Path) -> io::Result<Vec<PathBuf>> {
    Ok([process::runs_in(home)?, process::runs_in(&home.join("checks"))?].concat())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    /// Folders with something to run in them, and beside them one without.
    fn filled(runs: &[&str]) -> tempfile::TempDir {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(temp.path().join("checks/7/nothing")).unwrap();
        for run in runs {
            let folder = temp.path().join(run);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("run.json"), "{}").unwrap();
        }
        temp
    }

    fn check(temp: &tempfile::TempDir, found: io::Result<Vec<PathBuf>>, expected: &[&str]) {
        let mut found = found.unwrap();
        found.sort();
        let expected: Vec<PathBuf> = expected.iter().map(|run| temp.path().join(run)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn gates_and_commands_that_ran_again_are_runs_of_a_check() {
        let runs = ["checks/7/0/1", "checks/7/0/1.again-1", "checks/7/1.again-2", "checks/7/2"];
        let temp = filled(&[&runs[..], &["checks/8/1"]].concat());
        check(&temp, runs_of_check(&temp.path().join("checks/7")), &runs);
        check(&temp, runs_of_check(&temp.path().join("checks/9")), &[]);
    }

    #[test]
    fn setups_and_checks_of_the_base_run_in_a_home_and_nothing_of_agents() {
        let runs = ["checks/abc", "checks/abc.again-1", "setup-1", "setup-2.again-1"];
        let temp = filled(&[&runs[..], &["workspace/tree", "workspace/tree/sub"]].concat());
        check(&temp, runs_in_home(temp.path()), &runs);
    }
}
