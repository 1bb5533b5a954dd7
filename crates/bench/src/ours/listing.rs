//! Looking for a session among many.

use super::{MeasuredRow, announce, ms};
use crate::{repos, scratch, timing, tollgate};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tollgate_files::layout::Layout;
use xtask::{Trouble, run};

const SESSIONS: usize = 1_000;
const RUNS: usize = 9;

pub fn measure(program: &Path) -> Result<Vec<MeasuredRow>, Trouble> {
    announce(&format!("{SESSIONS} sessions on disk"));
    let folder = scratch()?;
    let repository = repos::fresh(folder.path(), 100)?;
    let sessions = Layout::new(&repository).sessions_folder();
    for number in 0..SESSIONS {
        tollgate::whole(&sessions, number)?;
    }
    let state = folder.path().join("state");
    let time = |runs, word: &str| time(program, &repository, &state, runs, word);
    let first = time(1, "sessions")?;
    let again = time(RUNS, "sessions")?;
    let status = time(RUNS, "status")?;
    let what = |how: &str| format!("{SESSIONS} sessions on disk, `tollgate {how}");
    Ok(vec![
        MeasuredRow::new(what("sessions` for the first time"), ms(first), 1),
        MeasuredRow::new(what("sessions`"), ms(again), RUNS).aim("under 50 ms"),
        MeasuredRow::new(what("status`"), ms(status), RUNS).aim("under 50 ms"),
    ])
}

fn time(
    program: &Path,
    repository: &Path,
    state: &Path,
    runs: usize,
    word: &str,
) -> Result<Duration, Trouble> {
    timing::median(runs, || {
        let mut command = Command::new(program);
        command.arg(word).current_dir(repository).env("TOLLGATE_STATE_HOME", state);
        let said = run::read(&mut command)?;
        match said.contains("2026-11-15_workflow-") {
            true => Ok(()),
            false => Err(format!("tollgate {word} said {said:?}").into()),
        }
    })
}
