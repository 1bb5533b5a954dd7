//! Runs one attempt of a dispatch: takes up what is there already, or prepares, starts and waits.

mod order;

pub use order::{DispatchOrder, Ended, rescue_name};

use super::adapter::{self, Player};
use super::collect::{self, Collected};
use super::session_files::{self, Given};
use super::{ActivityError, StopSwitch, clean, driven, failed, input, manual, setup};
use crate::agent;
use crate::context::Context;
use crate::crash;
use crate::files;
use crate::layout::{RunFolder, SessionLayout};
use crate::process::{self, Attached, Hold, RunOutcome, RunSpec, Waited};
use crate::sandbox;
use crate::settings::roles::MissingRole;
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use tollgate_contract::skill::RoleFile;
use tollgate_core::MANUAL_FIX;
use tollgate_core::id::Attempt;
use tollgate_core::work::DispatchEnd;

/// None when it waits for a person and the loop did not wait with it.
pub fn run(
    context: &Context,
    order: &DispatchOrder,
    stop: &StopSwitch,
) -> Result<Option<Ended>, ActivityError> {
    let ended = run_to_end(context, order, stop);
    // However it ended, also when it never began.
    let taken_out = driven::take_login_out(context, order);
    match ended {
        // What was lent is on its list: the next attempt and the end of the session try again. An agent that closes its
        // own folder must not be able to undo what came of its work.
        Ok(Some(ended)) => Ok(Some(ended)),
        ended => ended.and_then(|ended| taken_out.map(|()| ended)),
    }
}

fn run_to_end(
    context: &Context,
    order: &DispatchOrder,
    stop: &StopSwitch,
) -> Result<Option<Ended>, ActivityError> {
    let layout = context.session_layout(&order.session);
    let folder = layout.attempt(order.number, order.attempt);
    let look = || ActivityError::io(format!("cannot look at {}", folder.folder().display()));
    process::belong(folder.folder(), &order.opened_by).map_err(look())?;
    let workspace = context
        .workspace(&order.session, order.room, &order.base, &order.tip)?
        .labelled(&order.rescue_name());
    let attempt = Collected { context, order, workspace: &workspace, folder: &folder };
    let outcome = match reach_end(&attempt, stop)? {
        ControlFlow::Continue(outcome) => outcome,
        ControlFlow::Break(ended) => return Ok(ended),
    };
    let context = &context.knowing(&driven::secrets(context, order)?);
    let collected = Collected { context, ..attempt };
    let Ended { mut end, usage, .. } = collect::end(&collected, &outcome)?;
    // What a person made stays where it is: in the next attempt they continue from there.
    let is_theirs = manual::is_assigned(&folder) && !matches!(end, DispatchEnd::Stopped);
    if failed::may_be_refused(&end, order.brief.role) {
        failed::stage(&collected)?;
    }
    workspace.set_session_files_aside()?;
    if failed::is_no_work(&end, order.brief.role) {
        failed::keep_session_files(&collected)?;
    }
    if !is_theirs && !matches!(end, DispatchEnd::Replied { .. }) {
        let rescue = clean_up(&workspace, order, "work of an attempt that was not accepted")?;
        // Stopped by a process that did not live to record it: for this one it was interrupted.
        if matches!(end, DispatchEnd::Stopped) && !stop.is_stopped() {
            end = DispatchEnd::Interrupted { rescue };
        }
    }
    show_latest(&layout.dispatch(order.number), order.attempt)?;
    let mut set_aside = workspace.set_aside_as_large()?;
    clean::set_aside(&context.redactor, &mut set_aside);
    if let DispatchEnd::Replied { work, .. } = &mut end {
        work.set_aside = std::mem::take(&mut set_aside);
    }
    Ok(Some(Ended { end, usage, set_aside }))
}

/// Takes up what is there already or starts the attempt, and waits. Breaks where there is no outcome to look at.
fn reach_end(
    at: &Collected<'_>,
    stop: &StopSwitch,
) -> Result<ControlFlow<Option<Ended>, RunOutcome>, ActivityError> {
    use ControlFlow::{Break, Continue};
    let Collected { context, order, workspace, folder } = *at;
    let look = || ActivityError::io(format!("cannot look at {}", folder.folder().display()));
    loop {
        if manual::is_assigned(folder) {
            match manual::wait(folder, stop)? {
                Some(outcome) => return Ok(Continue(outcome)),
                None => return Ok(Break(None)),
            }
        }
        match process::attach(folder.folder()).map_err(look())? {
            Attached::Finished(outcome) => return Ok(Continue(outcome)),
            Attached::Running(run) => {
                stop.arm(run.stopper());
                match wait(run)? {
                    Some(outcome) => return Ok(Continue(outcome)),
                    None => return lost(at, Watched::Yes).map(Break),
                }
            }
            Attached::Lost => return lost(at, Watched::No).map(Break),
            Attached::NeverStarted => {
                // A supervisor of a killed engine may come late; the tree must not be reset under its agent.
                let Some(hold) = process::hold(folder.folder()).map_err(look())? else {
                    continue;
                };
                // Those after it may have begun since this order was given.
                driven::remove_homes(context, &order.session, |number| {
                    number < order.number && !order.open.contains(&number)
                });
                match start(context, order, workspace, folder, hold, stop)? {
                    Started::Ended(end) => return Ok(Break(Some(Ended::uncounted(end)))),
                    Started::Assigned => {}
                    Started::Finished(outcome) => return Ok(Continue(outcome)),
                    Started::Lost => return lost(at, Watched::Yes).map(Break),
                }
            }
        }
    }
}

/// Ends what a person will not finish any more; the name under which their changes are kept, if there are any.
pub fn abandon(context: &Context, order: &DispatchOrder) -> Result<Option<String>, ActivityError> {
    let folder = context.session_layout(&order.session).attempt(order.number, order.attempt);
    if !manual::is_assigned(&folder) {
        return Ok(None);
    }
    let close = ActivityError::io(format!("cannot close {}", folder.folder().display()));
    process::fence(folder.folder()).map_err(close)?;
    let workspace = &context.workspace(&order.session, order.room, &order.base, &order.tip)?;
    failed::keep_session_files(&Collected { context, order, workspace, folder: &folder })?;
    clean_up(workspace, order, "work of a cancelled dispatch")
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

/// Whether this engine was there when a supervisor ended without an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watched {
    Yes,
    No,
}

/// Supervisor and outcome are both gone: what was half made is set aside.
fn lost(at: &Collected<'_>, watched: Watched) -> Result<Option<Ended>, ActivityError> {
    let usage = driven::known_cost(at.folder)?;
    let context = &at.context.knowing(&driven::secrets(at.context, at.order)?);
    at.workspace.set_session_files_aside()?;
    failed::keep_session_files(&Collected { context, ..*at })?;
    let rescue = clean_up(at.workspace, at.order, "work of an interrupted dispatch")?;
    let mut set_aside = at.workspace.set_aside_as_large()?;
    clean::set_aside(&context.redactor, &mut set_aside);
    let end = match watched {
        Watched::Yes => DispatchEnd::Unsupervised { rescue },
        Watched::No => DispatchEnd::Interrupted { rescue },
    };
    Ok(Some(Ended { end, usage, set_aside }))
}

/// Brings the tree back to the last accepted commit; whatever was there is kept under a rescue name.
fn clean_up(
    workspace: &Workspace,
    order: &DispatchOrder,
    message: &str,
) -> Result<Option<String>, ActivityError> {
    clean_as(workspace, order, &order.rescue_name(), message)
}

fn clean_as(
    workspace: &Workspace,
    order: &DispatchOrder,
    name: &str,
    message: &str,
) -> Result<Option<String>, ActivityError> {
    let rescue = workspace.rescue(name, message)?;
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
    /// Everything is prepared for a person.
    Assigned,
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
    if let Err(why) = setup::run(context, &order.session, order.room, workspace, stop)? {
        return Ok(Started::Ended(why.into()));
    }
    let player = match adapter::player(context, order.brief.role, order.agent.as_deref()) {
        Ok(player) => player,
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
    let resumed = match &player {
        Player::Driven(_) => driven::resumed(context, order)?,
        _ => None,
    };
    let (given, notes) = lay_out(&record, order, workspace, &player, resumed.is_some())?;
    let mut order = order.clone();
    order.brief.feedback.extend(notes);
    let order = &order;
    crash::point("dispatch.laid_out");
    let value = input::value(order);
    let errors = input::faults(&value, order, workspace.tree());
    if !errors.is_empty() {
        return Ok(Started::Ended(DispatchEnd::MissingContext { errors }));
    }
    write_attempt(order, &role, folder, &given, &value, resumed.is_some())?;
    crash::point("dispatch.prepared");
    let launch = match player {
        Player::Program(launch) => launch,
        Player::Driven(driven) => {
            let (tree, resumed) = (workspace.tree(), resumed.as_ref());
            match driven::launch(context, order, &role, tree, folder, &driven, resumed)? {
                Ok(launch) => launch,
                Err(end) => return Ok(Started::Ended(end)),
            }
        }
        Player::Person => {
            manual::assign(order, &role, workspace.tree(), folder)?;
            crash::point("dispatch.assigned");
            show_latest(&record.dispatch(order.number), order.attempt)?;
            return Ok(Started::Assigned);
        }
    };
    let spec = run_spec(context, order, workspace.tree(), folder, launch)?;
    drop(hold);
    let run = process::start(folder.folder(), &spec, &context.program)
        .map_err(ActivityError::io("cannot start the supervisor"))?;
    stop.arm(run.stopper());
    crash::point("dispatch.started");
    show_latest(&record.dispatch(order.number), order.attempt)?;
    Ok(match wait(run)? {
        Some(outcome) => Started::Finished(outcome),
        None => Started::Lost,
    })
}

/// A tree to begin in: clean, with the session's files, and what the agent should know about it; a person continues in the tree where they stand.
fn lay_out(
    record: &SessionLayout,
    order: &DispatchOrder,
    workspace: &Workspace,
    player: &Player,
    asks_again: bool,
) -> Result<(Given, Vec<String>), ActivityError> {
    if matches!(player, Player::Person)
        && let Some(given) = manual::carried(record, order, workspace.tree())?
    {
        return Ok((given, Vec::new()));
    }
    let before = order.brief.asked_again.filter(|_| asks_again);
    // What lies there from the attempt before is its work, by the name under which it will be looked for; also by an engine
    // that is killed right after this.
    let name = match before {
        Some(before) => rescue_name(order.number, before),
        None => format!("{}-before", order.rescue_name()),
    };
    let found = clean_as(workspace, order, &name, "changes found before a dispatch")?;
    // What one agent did to its own `.git` must not reach the next.
    workspace.renew_clone()?;
    let given = session_files::lay_out(record.folder(), workspace.tree(), &order.session)?;
    let mends = order.agent.as_deref() == Some(MANUAL_FIX);
    match (&found, before) {
        (Some(left), before) if before.is_some() || order.brief.goes_on || mends => {
            workspace.take_up(left, &order.tip)?;
        }
        (None, Some(before)) => {
            workspace.take_back(&rescue_name(order.number, before), &order.tip)?;
        }
        _ => {}
    }
    if let Some(before) = before {
        failed::bring_back(record, order, before, workspace.tree())?;
    }
    let notes = restore(order, workspace)?;
    crash::point("dispatch.restored");
    if mends {
        manual::bring_back(record, order, workspace, found.is_some())?;
    }
    Ok((given, notes))
}

/// What was left out before and is allowed now lies in the tree again; the notes say where it does not.
fn restore(order: &DispatchOrder, workspace: &Workspace) -> Result<Vec<String>, ActivityError> {
    let mut notes = Vec::new();
    for kept in &order.brief.restore {
        let left = workspace.put_back(&kept.rescue, &kept.paths)?;
        notes.extend(left.iter().map(|path| {
            format!(
                "{path} has changed since: your earlier change to it is not in your tree, it is kept as {}",
                kept.rescue
            )
        }));
    }
    Ok(notes)
}

fn write_attempt(
    order: &DispatchOrder,
    role: &RoleFile,
    folder: &RunFolder,
    given: &Given,
    value: &serde_json::Value,
    asks_again: bool,
) -> Result<(), ActivityError> {
    std::fs::create_dir_all(folder.folder())
        .map_err(ActivityError::io(format!("cannot make {}", folder.folder().display())))?;
    // Of a start that a killed engine did not come to; another kind of agent may be meant by now.
    agent::remove_plan(folder.folder())
        .map_err(ActivityError::io(format!("cannot clear {}", folder.folder().display())))?;
    let pretty = |value: &serde_json::Value| {
        serde_json::to_vec_pretty(value).expect("a JSON value can always be written")
    };
    files::write_atomic(&folder.folder().join(GIVEN), &pretty(&serde_json::json!(given)))?;
    files::write_atomic(&folder.input(), &pretty(value))?;
    let prompt = match asks_again {
        true => input::again(order),
        false => input::prompt(role, order, value),
    };
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
) -> Result<RunSpec, ActivityError> {
    let env = BTreeMap::from([
        ("TOLLGATE_SESSION".to_owned(), order.session.to_string()),
        ("TOLLGATE_ROLE".to_owned(), order.brief.role.to_string()),
        ("TOLLGATE_TASK".to_owned(), order.brief.task.to_string()),
        ("TOLLGATE_DISPATCH".to_owned(), order.number.to_string()),
        ("TOLLGATE_ATTEMPT".to_owned(), order.attempt.to_string()),
        ("TOLLGATE_INPUT".to_owned(), folder.input().display().to_string()),
    ]);
    Ok(RunSpec {
        sandbox: sandbox::of_tree(context, tree, &launch.writable)?,
        argv: launch.argv,
        cwd: tree.to_owned(),
        env_names: launch.env_names,
        env,
        stdin_file: Some("prompt.md".to_owned()),
        timeout_ms: order.timeout_ms,
        output_bytes_max: context.config.limits.output_bytes,
        isolation: None,
        secret_files: launch.secret_files,
    })
}
