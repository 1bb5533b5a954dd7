//! Runs one attempt of a dispatch: takes up what is there already, or prepares, starts and waits.

use super::collect::{self, Collected};
use super::session_files::{self, Given};
use super::{ActivityError, StopSwitch, adapter, input, setup};
use crate::context::Context;
use crate::crash;
use crate::files;
use crate::layout::RunFolder;
use crate::process::{self, Attached, Hold, RunOutcome, RunSpec, Waited};
use crate::settings::roles::MissingRole;
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::path::Path;
use tollgate_contract::skill::RoleFile;
use tollgate_core::brief::Brief;
use tollgate_core::id::{Attempt, CommitId, DispatchNumber, SessionName};
use tollgate_core::role::{Mode, ProjectType};
use tollgate_core::session::Session;
use tollgate_core::work::DispatchEnd;

/// Everything an attempt needs, taken from the state when it was ordered.
#[derive(Debug, Clone)]
pub struct DispatchOrder {
    pub number: DispatchNumber,
    pub attempt: Attempt,
    pub brief: Brief,
    pub timeout_ms: u64,
    pub agent: Option<String>,
    pub session: SessionName,
    /// The parallel member it is; members have workspaces of their own.
    pub member: Option<usize>,
    pub mode: Mode,
    pub project_type: ProjectType,
    pub base: CommitId,
    pub tip: CommitId,
    pub branch: String,
    pub ci_status: &'static str,
    pub last_failed_step: Option<String>,
    pub instructions: Vec<String>,
    pub artefacts: Vec<String>,
}

impl DispatchOrder {
    pub fn of(session: &Session, number: DispatchNumber, attempt: Attempt) -> Option<Self> {
        let dispatch = session.dispatches.get(&number)?;
        let base_branch = session.opening.base_branch.clone();
        Some(Self {
            number,
            attempt,
            brief: session.brief(number)?,
            timeout_ms: dispatch.timeout_ms(),
            agent: dispatch.agent().map(str::to_owned),
            session: session.opening.session.clone(),
            member: dispatch.place().and_then(|place| place.member),
            mode: session.mode,
            project_type: session.opening.project_type,
            base: session.opening.base.clone(),
            tip: dispatch.based_on.clone().unwrap_or_else(|| session.tip.clone()),
            branch: match base_branch {
                Some(branch) if !session.has_accepted_work() => branch,
                _ => session.branch(),
            },
            ci_status: match session.last_checks {
                None => "unknown",
                Some(true) => "green",
                Some(false) => "red",
            },
            last_failed_step: session.last_failed_step.clone(),
            instructions: session.opening.instructions.clone(),
            artefacts: session.artefacts.keys().cloned().collect(),
        })
    }

    fn rescue_name(&self) -> String {
        format!("dispatch-{}-attempt-{}", self.number, self.attempt)
    }
}

pub fn run(
    context: &Context,
    order: &DispatchOrder,
    stop: &StopSwitch,
) -> Result<DispatchEnd, ActivityError> {
    let layout = context.session_layout(&order.session);
    let folder = layout.attempt(order.number, order.attempt);
    let look = || ActivityError::io(format!("cannot look at {}", folder.folder().display()));
    let workspace = context.workspace(&order.session, order.member, &order.base, &order.tip)?;
    let outcome = loop {
        match process::attach(folder.folder()).map_err(look())? {
            Attached::Finished(outcome) => break outcome,
            Attached::Running(run) => {
                stop.arm(run.stopper());
                match wait(run)? {
                    Some(outcome) => break outcome,
                    None => return lost(&workspace, order),
                }
            }
            Attached::Lost => return lost(&workspace, order),
            Attached::NeverStarted => {
                // A supervisor of a killed engine may come late; the tree must not be reset under its agent.
                let Some(hold) = process::hold(folder.folder()).map_err(look())? else {
                    continue;
                };
                match start(context, order, &workspace, &folder, hold, stop)? {
                    Started::Ended(end) => return Ok(end),
                    Started::Finished(outcome) => break outcome,
                    Started::Lost => return lost(&workspace, order),
                }
            }
        }
    };
    let collected = Collected { context, order, workspace: &workspace, folder: &folder };
    let end = collect::end(&collected, &outcome)?;
    if !matches!(end, DispatchEnd::Replied { .. }) {
        let rescue = clean(&workspace, order, "work of an attempt that was not accepted")?;
        // Stopped by a process that did not live to record it: for this one it was interrupted.
        if matches!(end, DispatchEnd::Stopped) && !stop.is_stopped() {
            return Ok(DispatchEnd::Interrupted { rescue });
        }
    }
    show_latest(&layout.dispatch(order.number), order.attempt)?;
    Ok(end)
}

/// The files of the newest attempt stand in the dispatch's folder too, as links.
fn show_latest(folder: &RunFolder, attempt: Attempt) -> Result<(), ActivityError> {
    let shown = [
        folder.input(),
        folder.prompt(),
        folder.reply(),
        folder.stdout(),
        folder.stderr(),
        folder.outputs(),
    ];
    for link in shown {
        let Some(name) = link.file_name() else {
            continue;
        };
        let target = Path::new(&format!("attempt-{attempt}")).join(name);
        let is_there = folder.folder().join(&target).exists();
        if is_there && std::fs::read_link(&link).is_ok_and(|found| found == target) {
            continue;
        }
        let problem = || ActivityError::io(format!("cannot link {}", link.display()));
        if link.symlink_metadata().is_ok() {
            std::fs::remove_file(&link).map_err(problem())?;
        }
        if is_there {
            std::os::unix::fs::symlink(&target, &link).map_err(problem())?;
        }
    }
    Ok(())
}

fn wait(run: process::Run) -> Result<Option<RunOutcome>, ActivityError> {
    match run.wait().map_err(ActivityError::io("cannot wait for the supervisor"))? {
        Waited::Finished(outcome) => Ok(Some(outcome)),
        Waited::Lost => Ok(None),
    }
}

/// Supervisor and outcome are both gone: what was half made is set aside.
fn lost(workspace: &Workspace, order: &DispatchOrder) -> Result<DispatchEnd, ActivityError> {
    let rescue = clean(workspace, order, "work of an interrupted dispatch")?;
    Ok(DispatchEnd::Interrupted { rescue })
}

/// Brings the tree back to the last accepted commit; whatever was there is kept under a rescue name.
fn clean(
    workspace: &Workspace,
    order: &DispatchOrder,
    message: &str,
) -> Result<Option<String>, ActivityError> {
    let rescue = workspace.rescue(&order.rescue_name(), message)?;
    crash::point("dispatch.rescued");
    if rescue.is_some() {
        workspace.reset(&order.tip)?;
    }
    crash::point("dispatch.cleaned");
    Ok(rescue)
}

enum Started {
    /// It never came to a process.
    Ended(DispatchEnd),
    Finished(RunOutcome),
    Lost,
}

fn start(
    context: &Context,
    order: &DispatchOrder,
    workspace: &Workspace,
    folder: &RunFolder,
    hold: Hold,
    stop: &StopSwitch,
) -> Result<Started, ActivityError> {
    if let Err(end) = setup::run(context, &order.session, order.member, workspace, stop)? {
        return Ok(Started::Ended(end));
    }
    clean(workspace, order, "changes found before a dispatch")?;
    // What one agent did to its own `.git` must not reach the next.
    workspace.renew_clone()?;
    let launch = match adapter::launch(context, order.brief.role, order.agent.as_deref()) {
        Ok(launch) => launch,
        Err(why) => {
            let program = order.agent.clone().unwrap_or_else(|| order.brief.role.to_string());
            let end = DispatchEnd::CouldNotStart { program, cause: why.to_string() };
            return Ok(Started::Ended(end));
        }
    };
    let role = match context.role_file(order.brief.role, order.brief.called.as_deref()) {
        Ok(role) => role,
        Err(MissingRole { name, detail }) => {
            return Ok(Started::Ended(DispatchEnd::MissingRole { name, detail }));
        }
    };
    let record = context.session_layout(&order.session);
    let given = session_files::lay_out(record.folder(), workspace.tree(), &order.session)?;
    crash::point("dispatch.laid_out");
    let value = input::value(order);
    let errors = input::faults(&value, order, workspace.tree());
    if !errors.is_empty() {
        return Ok(Started::Ended(DispatchEnd::MissingContext { errors }));
    }
    write_attempt(order, &role, folder, &given, &value)?;
    crash::point("dispatch.prepared");
    let spec = run_spec(context, order, workspace.tree(), folder, launch);
    drop(hold);
    let run = process::start(folder.folder(), &spec, &context.program)
        .map_err(ActivityError::io("cannot start the supervisor"))?;
    stop.arm(run.stopper());
    crash::point("dispatch.started");
    show_latest(&context.session_layout(&order.session).dispatch(order.number), order.attempt)?;
    Ok(match wait(run)? {
        Some(outcome) => Started::Finished(outcome),
        None => Started::Lost,
    })
}

fn write_attempt(
    order: &DispatchOrder,
    role: &RoleFile,
    folder: &RunFolder,
    given: &Given,
    value: &serde_json::Value,
) -> Result<(), ActivityError> {
    std::fs::create_dir_all(folder.folder())
        .map_err(ActivityError::io(format!("cannot make {}", folder.folder().display())))?;
    let pretty = |value: &serde_json::Value| {
        serde_json::to_vec_pretty(value).expect("a JSON value can always be written")
    };
    files::write_atomic(&folder.folder().join(GIVEN), &pretty(&serde_json::json!(given)))?;
    files::write_atomic(&folder.input(), &pretty(value))?;
    let prompt = input::prompt(role, order, value);
    files::write_atomic(&folder.prompt(), prompt.as_bytes())?;
    Ok(())
}

/// Which session files an attempt was given, for the comparison afterwards.
pub const GIVEN: &str = "given.json";

fn run_spec(
    context: &Context,
    order: &DispatchOrder,
    tree: &Path,
    folder: &RunFolder,
    launch: adapter::Launch,
) -> RunSpec {
    let env = BTreeMap::from([
        ("TOLLGATE_SESSION".to_owned(), order.session.to_string()),
        ("TOLLGATE_ROLE".to_owned(), order.brief.role.to_string()),
        ("TOLLGATE_TASK".to_owned(), order.brief.task.to_string()),
        ("TOLLGATE_DISPATCH".to_owned(), order.number.to_string()),
        ("TOLLGATE_ATTEMPT".to_owned(), order.attempt.to_string()),
        ("TOLLGATE_INPUT".to_owned(), folder.input().display().to_string()),
    ]);
    RunSpec {
        argv: launch.argv,
        cwd: tree.to_owned(),
        env_names: launch.env_names,
        env,
        stdin_file: Some("prompt.md".to_owned()),
        timeout_ms: order.timeout_ms,
        output_bytes_max: context.config.limits.output_bytes,
        isolation: None,
    }
}
