//! Brings a command to its end: takes up what a killed engine left of it, and starts it again where its supervisor vanished.

use super::{ActivityError, StopSwitch};
use crate::crash;
use crate::process::{self, Attached, RunEnd, RunOutcome, RunSpec, Waited};
use std::io;
use std::path::{Path, PathBuf};

/// A supervisor that vanishes this often, or a command that cannot be started this often, has a cause that another try does not fix.
const LOST_MAX: u32 = 3;

/// A command, and where it runs for the first time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Errand<'a> {
    pub folder: &'a Path,
    pub spec: &'a RunSpec,
    /// The supervisor.
    pub program: &'a Path,
}

/// A run that came to its end by itself.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The folder with its logs.
    pub folder: PathBuf,
    pub outcome: RunOutcome,
}

/// None when it was stopped. `prepare` is called right before the command starts, while no supervisor of an engine that
/// was killed can begin.
pub(crate) fn run_to_end(
    errand: &Errand<'_>,
    stop: &StopSwitch,
    prepare: &mut dyn FnMut() -> Result<(), ActivityError>,
) -> Result<Option<Ran>, ActivityError> {
    let problem = || ActivityError::io(format!("cannot run `{}`", errand.spec.argv.join(" ")));
    let mut folder = errand.folder.to_owned();
    let (mut again, mut lost) = (0, 0);
    // What vanished, was stopped, or was another command, is left as it is; the command runs in the next folder of its
    // own. A later engine comes by the same folders in the same order.
    let mut next = |folder: &mut PathBuf| {
        again += 1;
        *folder = errand.folder.with_extension(format!("again-{again}"));
    };
    while lost < LOST_MAX {
        let run = match process::attach(&folder).map_err(problem())? {
            Attached::Finished(RunOutcome { end: RunEnd::Stopped, .. }) | Attached::Lost => {
                if stop.is_stopped() {
                    return Ok(None);
                }
                next(&mut folder);
                continue;
            }
            Attached::Finished(outcome) if is_of(&folder, errand).map_err(problem())? => {
                if did_not_start(&outcome) && lost + 1 < LOST_MAX {
                    lost += 1;
                    next(&mut folder);
                    continue;
                }
                return Ok(Some(Ran { folder, outcome }));
            }
            Attached::Finished(_) => {
                next(&mut folder);
                continue;
            }
            Attached::Running(run) if is_of(&folder, errand).map_err(problem())? => run,
            Attached::Running(run) => {
                run.stopper().stop().map_err(problem())?;
                run.wait().map_err(problem())?;
                continue;
            }
            Attached::NeverStarted if stop.is_stopped() => return Ok(None),
            Attached::NeverStarted => {
                let Some(hold) = process::hold(&folder).map_err(problem())? else { continue };
                prepare()?;
                hold.start(errand.spec, errand.program).map_err(problem())?
            }
        };
        stop.arm(run.stopper());
        crash::point("checks.started");
        match run.wait().map_err(problem())? {
            Waited::Finished(RunOutcome { end: RunEnd::Stopped, .. }) => return Ok(None),
            // What it came to is looked at in one place.
            Waited::Finished(_) => {}
            Waited::Lost => lost += 1,
        }
    }
    let words = format!(
        "its supervisor vanished {lost} times: there is no space on the disk, or the command ended its own supervisor"
    );
    Err(problem()(io::Error::other(words)))
}

/// The machine's doing, and not the command's: it may be over at the next try.
fn did_not_start(outcome: &RunOutcome) -> bool {
    matches!(outcome.end, RunEnd::CouldNotStart { .. })
}

/// Whether what ran there is this command: the settings may have been edited since.
fn is_of(folder: &Path, errand: &Errand<'_>) -> io::Result<bool> {
    let ran = process::spec_of(folder)?;
    Ok(ran.is_some_and(|ran| ran.argv == errand.spec.argv && ran.env == errand.spec.env))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_supervisor_that_keeps_vanishing_is_given_up() {
        let temp = tempfile::tempdir().unwrap();
        let spec = RunSpec {
            argv: vec!["never".to_owned()],
            cwd: temp.path().to_owned(),
            env_names: Vec::new(),
            env: BTreeMap::new(),
            stdin_file: None,
            timeout_ms: 1_000,
            output_bytes_max: 1_000,
            isolation: None,
            sandbox: None,
            secret_files: Vec::new(),
        };
        // It ends at once and leaves no outcome.
        let program = Path::new("/bin/true");
        let errand = Errand { folder: &temp.path().join("run"), spec: &spec, program };
        let mut prepared = 0;
        let given_up = run_to_end(&errand, &StopSwitch::default(), &mut || {
            prepared += 1;
            Ok(())
        });
        assert!(given_up.unwrap_err().to_string().contains("vanished 3 times"));
        assert_eq!(prepared, 3);
    }
}
