//! Commands of the settings and of plans, each under a supervisor of its own. One is brought to its end: what a killed engine
//! left of it is taken up, and it starts again where its supervisor vanished.

use crate::context::{Context, WorkspaceId};
use crate::sandbox;
use crate::stop::StopSwitch;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use tollgate_core::id::SessionName;
use tollgate_core::limits::TAIL_BYTES;
use tollgate_core::work::{CheckResult, DispatchEnd};
use tollgate_files::crash;
use tollgate_files::{self as files, FileError};
use tollgate_git::GitError;
use tollgate_git::workspace::{Workspace, WorkspaceError};
use tollgate_process::{
    self as process, Attached, RunEnd, RunOutcome, RunSpec, StopReason, Waited,
};

/// The host itself could not do its part; the agent is not to blame.
#[derive(Debug, thiserror::Error)]
pub enum ActivityError {
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Sandbox(#[from] sandbox::SandboxRefusal),
    #[error("{what}: {cause}")]
    Io { what: String, cause: io::Error },
    /// A supervisor could not be started, or not be waited for.
    #[error("{what}: {cause}")]
    Process { what: String, cause: io::Error },
    /// The private folder of an agent, with the login in it.
    #[error("{what}: {cause}")]
    AgentHome { what: String, cause: io::Error },
}

impl ActivityError {
    pub fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |cause| Self::Io { what, cause }
    }

    pub(crate) fn process(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |cause| Self::Process { what, cause }
    }

    pub(crate) fn agent_home(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |cause| Self::AgentHome { what, cause }
    }
}

/// A supervisor that vanishes this often, or a command that cannot be started this often, has a cause that another try does not fix.
const LOST_MAX: u32 = 3;

/// A command, and where it runs for the first time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EngineRun<'a> {
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
    engine_run: &EngineRun<'_>,
    stop: &StopSwitch,
    prepare: &mut dyn FnMut() -> Result<(), ActivityError>,
) -> Result<Option<Ran>, ActivityError> {
    let problem =
        || ActivityError::process(format!("cannot run `{}`", engine_run.spec.argv.join(" ")));
    let mut folder = engine_run.folder.to_owned();
    let (mut again, mut lost) = (0, 0);
    // What vanished, was stopped, or was another command, is left as it is; the command runs in the next folder of its
    // own. A later engine comes by the same folders in the same order.
    let mut next = |folder: &mut PathBuf| {
        again += 1;
        *folder = engine_run.folder.with_extension(format!("again-{again}"));
    };
    while lost < LOST_MAX {
        let run = match process::attach(&folder).map_err(problem())? {
            found if shows_nothing(&found) => {
                if stop.reason().is_some() {
                    return Ok(None);
                }
                next(&mut folder);
                continue;
            }
            Attached::Finished(outcome) if is_of(&folder, engine_run).map_err(problem())? => {
                if did_not_start(&outcome) && lost + 1 < LOST_MAX {
                    lost += 1;
                    next(&mut folder);
                    continue;
                }
                return Ok(Some(Ran { folder, outcome }));
            }
            Attached::Finished(_) | Attached::Lost => {
                next(&mut folder);
                continue;
            }
            Attached::Running(run) if is_of(&folder, engine_run).map_err(problem())? => run,
            Attached::Running(run) => {
                run.stop(StopReason::Outdated).map_err(problem())?;
                continue;
            }
            Attached::NeverStarted if stop.reason().is_some() => return Ok(None),
            Attached::NeverStarted => {
                let Some(hold) = process::hold(&folder).map_err(problem())? else { continue };
                prepare()?;
                hold.start(engine_run.spec, engine_run.program).map_err(problem())?
            }
        };
        stop.arm(run.stopper());
        crash::point("checks.started");
        match run.wait().map_err(problem())? {
            Waited::Finished(outcome) if outcome.was_cut_short() => return Ok(None),
            // What it came to is looked at in one place.
            Waited::Finished(_) => {}
            Waited::Lost => lost += 1,
        }
    }
    let words = format!(
        "its supervisor disappeared {lost} times: the disk is full, or the command killed its own supervisor"
    );
    Err(problem()(io::Error::other(words)))
}

/// Its supervisor vanished, or it was stopped before it came to its end.
fn shows_nothing(found: &Attached) -> bool {
    match found {
        Attached::Finished(outcome) => outcome.was_cut_short(),
        Attached::Lost => true,
        Attached::Running(_) | Attached::NeverStarted => false,
    }
}

/// The machine's doing, and not the command's: it may be over at the next try.
fn did_not_start(outcome: &RunOutcome) -> bool {
    matches!(outcome.end, RunEnd::CouldNotStart { .. })
}

/// Whether what ran there is this command: the settings may have been edited since.
fn is_of(folder: &Path, engine_run: &EngineRun<'_>) -> io::Result<bool> {
    let ran = process::spec_of(folder)?;
    Ok(ran.is_some_and(|ran| ran.argv == engine_run.spec.argv && ran.env == engine_run.spec.env))
}

/// A command line of the settings or of a plan, run by the shell in the workspace with an agent's environment and sandbox.
pub(crate) fn shell(
    context: &Context,
    session: &SessionName,
    workspace: &Workspace,
    runner: &[String],
    command: &str,
    timeout_ms: u64,
) -> Result<RunSpec, ActivityError> {
    let mut argv = runner.to_vec();
    argv.extend(["sh".to_owned(), "-c".to_owned(), command.to_owned()]);
    Ok(RunSpec {
        argv,
        cwd: workspace.tree().to_owned(),
        env_names: Vec::new(),
        env: BTreeMap::from([("TOLLGATE_SESSION".to_owned(), session.to_string())]),
        stdin_file: None,
        timeout_ms,
        silence_ms: None,
        output_bytes_max: context.config.limits.output_bytes,
        isolation: None,
        sandbox: context.sandbox_of(workspace.tree(), &[])?,
        secret_files: Vec::new(),
    })
}

/// The end of a command in words for people.
pub(crate) fn how_it_ended(end: &RunEnd) -> String {
    match end {
        RunEnd::Exited { code } => format!("exit code {code}"),
        RunEnd::Signalled { signal } => format!("killed by signal {signal}"),
        RunEnd::CouldNotStart { program, cause } => format!("could not start {program}: {cause}"),
        RunEnd::Stopped { why } => why.to_string(),
    }
}

/// Why a workspace is not fit for work.
#[derive(Debug)]
pub enum NotSetUp {
    Stopped,
    Failed { command: String, how: String, output_tail: String, cannot_run: bool },
}

impl From<NotSetUp> for DispatchEnd {
    fn from(why: NotSetUp) -> Self {
        match why {
            NotSetUp::Stopped => Self::Stopped,
            NotSetUp::Failed { command, how, output_tail, .. } => Self::CouldNotStart {
                program: CheckResult::SETUP.to_owned(),
                cause: format!("`{command}` failed, {how}: {output_tail}"),
            },
        }
    }
}

/// Runs the commands of the settings that make a new workspace fit for work, each once. A failed one is tried again the next
/// time.
pub fn set_up(
    context: &Context,
    session: &SessionName,
    workspace_id: WorkspaceId,
    workspace: &Workspace,
    stop: &StopSwitch,
) -> Result<Result<(), NotSetUp>, ActivityError> {
    let home = context.workspace_home(session, workspace_id);
    for (index, command) in context.config.workspace.setup.iter().enumerate() {
        let done = home.join(format!("setup-{}.done", index + 1));
        if done.exists() {
            continue;
        }
        let folder = home.join(format!("setup-{}", index + 1));
        let timeout_ms = context.config.policy().check_timeout_ms;
        let spec = shell(context, session, workspace, &[], command, timeout_ms)?;
        let engine_run = EngineRun { folder: &folder, spec: &spec, program: &context.program };
        let Some(Ran { folder, outcome }) = run_to_end(&engine_run, stop, &mut || Ok(()))? else {
            return Ok(Err(NotSetUp::Stopped));
        };
        if outcome.end != (RunEnd::Exited { code: 0 }) {
            let tail = files::read_tail(&folder.join("stderr.log"), TAIL_BYTES)?;
            files::remove_tree(&folder)?;
            let how = how_it_ended(&outcome.end);
            return Ok(Err(NotSetUp::Failed {
                command: command.clone(),
                how,
                output_tail: tail.trim().to_owned(),
                cannot_run: matches!(outcome.end, RunEnd::Exited { code: 126 | 127 })
                    || did_not_start(&outcome),
            }));
        }
        files::write_atomic(&done, command.as_bytes())?;
    }
    Ok(Ok(()))
}

/// The command that makes the workspace of this home fit for work at the moment.
pub(crate) fn setting_up(home: &Path) -> Option<String> {
    let is_done = |number: &u32| home.join(format!("setup-{number}.done")).exists();
    let number = (1..).find(|number| !is_done(number))?;
    let spec = process::spec_of(&home.join(format!("setup-{number}"))).ok()??;
    spec.argv.last().cloned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

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
            silence_ms: None,
            output_bytes_max: 1_000,
            isolation: None,
            sandbox: None,
            secret_files: Vec::new(),
        };
        // It ends at once and leaves no outcome.
        let program = Path::new("/bin/true");
        let engine_run = EngineRun { folder: &temp.path().join("run"), spec: &spec, program };
        let mut prepared = 0;
        let given_up = run_to_end(&engine_run, &StopSwitch::default(), &mut || {
            prepared += 1;
            Ok(())
        });
        assert!(given_up.unwrap_err().to_string().contains("disappeared 3 times"));
        assert_eq!(prepared, 3);
    }
}
