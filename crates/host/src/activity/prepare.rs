//! Prepares an attempt: a tree to begin in, what its player is told, and how the player is started.

use super::adapter::{self, Launch, NotBegun, Player};
use super::order::{self, DispatchOrder, Site, ToRead, rescue_name};
use super::session_files::{self, GIVEN, Given};
use super::{ActivityError, StopSwitch, documents, driven, earlier, failed, manual, release};
use crate::commands;
use crate::settings::roles::MissingRole;
use std::collections::BTreeMap;
use tollgate_agents as agent;
use tollgate_contract::skill::{self, RoleFile};
use tollgate_core::work::DispatchEnd;
use tollgate_core::worker::Worker;
use tollgate_files as files;
use tollgate_files::crash;
use tollgate_files::layout::RunFolder;
use tollgate_git::workspace::Workspace;
use tollgate_process::{Hold, RunSpec};

/// Who can begin. Until they have, the hold keeps a supervisor that comes late from beginning in their place.
#[derive(Debug)]
pub(super) enum Ready {
    Program { hold: Hold, spec: Box<RunSpec> },
    Person { hold: Hold, role: Box<RoleFile> },
}

/// Everything is laid out and nothing has begun: an engine that dies here prepares it again.
#[derive(Debug)]
pub struct Prepared<'a> {
    pub(super) site: Site<'a>,
    pub(super) ready: Ready,
}

pub(super) fn prepare<'a>(
    site: Site<'a>,
    hold: Hold,
    stop: &StopSwitch,
) -> Result<Prepared<'a>, NotBegun> {
    let Site { context, order, workspace, folder } = site;
    // Those after it may have begun since this order was given.
    driven::remove_homes(context, &order.session, |number| {
        number < order.number && !order.open.contains(&number)
    });
    commands::set_up(context, &order.session, order.workspace_id, workspace, stop)?
        .map_err(DispatchEnd::from)?;
    let player =
        adapter::player(context, order.brief.role, order.agent.as_ref()).map_err(|why| {
            DispatchEnd::CouldNotStart {
                program: match &order.agent {
                    Some(chosen) => chosen.to_string(),
                    None => order.brief.role.to_string(),
                },
                cause: why.to_string(),
            }
        })?;
    let found = context
        .role_file(order.brief.role, order.brief.called.as_deref())
        .map_err(|MissingRole { name, detail }| DispatchEnd::MissingRole { name, detail })?;
    let (role_file, role) = (found.text(), found.file);
    let resumed = match &player {
        Player::Driven(_) => driven::resumed(context, order)?,
        Player::Program(_) | Player::Person => None,
    };
    let (given, notes) = lay_out(&site, &player, resumed.is_some())?;
    let mut told = order.clone();
    told.brief.feedback.extend(notes);
    // Accepted work may have removed one since the session began; nobody is told to read what is not there.
    told.about.instructions.retain(|path| files::open_beneath(workspace.tree(), path).is_ok());
    crash::point("dispatch.laid_out");
    let found = ToRead {
        references: order::references(workspace.tree(), &names_of(order, &role)),
        earlier: earlier::folders(&given),
        sections: documents::spec_sections(&site)?,
    };
    let input = order::input(&told, &found, driven::access(&order.brief.files, &role));
    let errors = order::faults(&input, &told, workspace.tree());
    if !errors.is_empty() {
        return Err(DispatchEnd::MissingContext { errors }.into());
    }
    let prompt = match &resumed {
        Some(_) => order::prompt_again(&told),
        None => order::prompt(&role, &told, &input, player.replies_by()),
    };
    write_attempt(folder, &given, &input, &prompt)?;
    order::note_given(folder, &told, (role_file, &role), &found)?;
    // Before anybody begins: what goes wrong here must not leave an agent at work that nobody waits for.
    site.show_as_latest()?;
    crash::point("dispatch.prepared");
    let launch = match player {
        Player::Program(launch) => launch,
        Player::Driven(driven) => driven::launch(&site, &role, &driven, resumed.as_ref())?,
        Player::Person => {
            return Ok(Prepared { site, ready: Ready::Person { hold, role: Box::new(role) } });
        }
    };
    let spec = Box::new(run_spec(&site, launch)?);
    crash::point("dispatch.specified");
    Ok(Prepared { site, ready: Ready::Program { hold, spec } })
}

/// What the role is called by, and by its text.
fn names_of<'a>(order: &'a DispatchOrder, role: &'a RoleFile) -> Vec<&'a str> {
    let called = order.brief.called.as_deref();
    let mut names = vec![called.unwrap_or(skill::folder_of(order.brief.role)), &role.name];
    names.dedup();
    names
}

/// A tree to begin in: clean, with the session's files, and what the agent should know about it; a person continues in the
/// tree where they stand.
fn lay_out(
    site: &Site<'_>,
    player: &Player,
    asks_again: bool,
) -> Result<(Given, Vec<String>), ActivityError> {
    let Site { context, order, workspace, .. } = *site;
    let record = &context.session_layout(&order.session);
    if matches!(player, Player::Person)
        && let Some(given) = manual::carried(record, order, workspace.tree())?
    {
        return Ok((given, Vec::new()));
    }
    let before = order.brief.start.asked_again.filter(|_| asks_again);
    // What lies there from the attempt before is its work, by the name under which it will be looked for; also by an engine
    // that is killed right after this.
    let name = match before {
        Some(before) => rescue_name(order.number, before),
        None => format!("{}-before", order.rescue_name()),
    };
    let found = site.clean_up(&name, "changes found before a dispatch")?;
    // What one agent did to its own `.git` must not reach the next.
    workspace.renew_clone()?;
    workspace.give_refs(order.repo_state.branch(), release::makes_tags(site))?;
    let given = session_files::lay_out(record.folder(), workspace.tree(), &order.session)?;
    let by_hand = order.agent == Some(Worker::Person);
    match (&found, before) {
        (Some(left), before)
            if before.is_some() || order.brief.start.after_scope_request || by_hand =>
        {
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
    if by_hand {
        manual::bring_back(record, order, workspace, found.is_some())?;
    }
    Ok((given, notes))
}

/// What was left out before and is allowed now lies in the tree again; the notes say where it does not.
fn restore(order: &DispatchOrder, workspace: &Workspace) -> Result<Vec<String>, ActivityError> {
    let mut notes = Vec::new();
    for kept in &order.brief.start.restore {
        let left = workspace.put_back(&kept.rescue, &kept.paths)?;
        notes.extend(left.iter().map(|path| {
            format!(
                "{path} has changed since: your earlier change to it is not in your workspace; it is kept as {}",
                kept.rescue
            )
        }));
    }
    Ok(notes)
}

fn write_attempt(
    folder: &RunFolder,
    given: &Given,
    value: &serde_json::Value,
    prompt: &str,
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
    files::write_atomic(&folder.prompt(), prompt.as_bytes())?;
    Ok(())
}

fn run_spec(site: &Site<'_>, launch: Launch) -> Result<RunSpec, ActivityError> {
    let Site { context, order, folder, .. } = *site;
    let tree = site.workspace.tree();
    let env = BTreeMap::from([
        ("TOLLGATE_SESSION".to_owned(), order.session.to_string()),
        ("TOLLGATE_ROLE".to_owned(), order.brief.role.to_string()),
        ("TOLLGATE_TASK".to_owned(), order.brief.task.id.as_str().to_owned()),
        ("TOLLGATE_DISPATCH".to_owned(), order.number.to_string()),
        ("TOLLGATE_ATTEMPT".to_owned(), order.attempt.to_string()),
        ("TOLLGATE_INPUT".to_owned(), folder.input().display().to_string()),
    ]);
    Ok(RunSpec {
        sandbox: context.sandbox_of(tree, &launch.writable)?,
        argv: launch.argv,
        cwd: tree.to_owned(),
        env_names: launch.env_names,
        env,
        stdin_file: Some("prompt.md".to_owned()),
        timeout_ms: order.timeout_ms,
        silence_ms: launch.silence_ms,
        output_bytes_max: context.config.limits.output_bytes,
        isolation: None,
        secret_files: launch.secret_files,
    })
}
