//! An attempt of an agent program: its private folder, its plan, what it takes up again, and what its end means.

use super::adapter::{Driven, Launch, NotBegun};
use super::order::{DispatchOrder, Site};
use super::{ActivityError, outputs};
use crate::context::Context;
use std::path::Path;
use tollgate_agents::event::{Finished, TurnOutcome};
use tollgate_agents::trust::{self, Inherited};
use tollgate_agents::{
    self as agent, Access, DriverPlan, Home, Job, LENT_SUFFIX, NotStarted, Transcript,
};
use tollgate_contract::config::Enforce;
use tollgate_contract::reply_form;
use tollgate_contract::skill::RoleFile;
use tollgate_core::brief::FileRules;
use tollgate_core::id::{DispatchNumber, SessionName};
use tollgate_core::limits::PARK_MS_MAX;
use tollgate_core::reply::Usage;
use tollgate_core::time::Timestamp;
use tollgate_core::work::DispatchEnd;
use tollgate_files::crash;
use tollgate_files::layout::{RunFolder, session_path};
use tollgate_process::{self as process, Attached, SandboxLevel};

/// An agent's own session that continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resumed {
    pub session: String,
    /// What was spent in it so far.
    pub before: Usage,
}

/// The session of the attempt before, when its agent is asked again and can continue in it.
pub fn resumed(context: &Context, order: &DispatchOrder) -> Result<Option<Resumed>, ActivityError> {
    let Some(before) = order.brief.start.asked_again else { return Ok(None) };
    let folder = context.session_layout(&order.session).attempt(order.number, before);
    let transcript = transcript(&folder)?;
    let before = transcript.total();
    let home = context.agent_home(&order.session, order.number);
    let session = transcript.session.filter(|_| home.is_dir());
    Ok(session.map(|session| Resumed { session, before }))
}

/// How to start the driver for an attempt, or how the attempt ends because it cannot be started.
pub(super) fn launch(
    site: &Site<'_>,
    role: &RoleFile,
    driven: &Driven,
    resumed: Option<&Resumed>,
) -> Result<Launch, NotBegun> {
    let Site { context, order, folder, .. } = *site;
    let tree = site.workspace.tree();
    let (program, home) = ready(context, order, tree, driven)?;
    let schema = reply_form::schema(order.brief.role);
    let session_folder = session_path(&order.session);
    let access = access(&order.brief.files, role);
    let job = Job {
        agent: &driven.agent,
        program,
        access,
        tree,
        session_folder: &session_folder,
        home: &home,
        resume: resumed.map(|resumed| resumed.session.as_str()),
        schema: &schema,
        person_home: context.home.as_deref(),
        is_confined: is_confined(context),
        micro_usd: order.brief.allowance.micro_usd,
    };
    let start = driven.adapter.start(&job).map_err(|why| match why {
        NotStarted::Refused(detail) => DispatchEnd::PermissionRefused { detail },
        NotStarted::Failed(why) => driven.could_not_start(why),
    })?;
    let plan = DriverPlan {
        adapter: driven.agent.adapter,
        argv: start.argv,
        env: start.env,
        stdin: start.stdin,
        prompt: String::new(),
        tree: tree.to_owned(),
        session_folder,
        access,
        model: driven.agent.model.clone(),
        resume: resumed.map(|resumed| resumed.session.clone()),
        before: resumed.map(|resumed| resumed.before).unwrap_or_default(),
        silence_ms: context.config.limits.silence_ms,
        output_bytes_max: context.config.limits.output_bytes,
    };
    agent::write_plan(folder.folder(), &plan)?;
    let words = [context.program.display().to_string(), "drive".to_owned()];
    let argv = words.into_iter().chain([folder.folder().display().to_string()]).collect();
    let env_names = driven.agent.env.clone();
    let mut writable = start.writable;
    writable.push(home.folder().to_owned());
    let unreadable = ActivityError::agent_home("cannot read the copied login");
    let secret_files = home.secret_files().map_err(unreadable)?;
    Ok(Launch { argv, env_names, writable, secret_files, silence_ms: None })
}

/// The program, and its private folder with the login in it; or how the attempt ends without them.
fn ready(
    context: &Context,
    order: &DispatchOrder,
    tree: &Path,
    driven: &Driven,
) -> Result<(Vec<String>, Home), NotBegun> {
    let program = driven.command_line(context).map_err(|why| driven.could_not_start(why))?;
    if let Some(detail) = why_not_trusted(context, driven, tree) {
        return Err(DispatchEnd::PermissionRefused { detail }.into());
    }
    let place = context.agent_home(&order.session, order.number);
    let problem = ActivityError::agent_home(format!("cannot prepare {}", place.display()));
    let home = Home::create(&place).map_err(problem)?;
    lend_login(context, driven, &home).map_err(|error| {
        driven.could_not_start(format!(
            "your login could not be copied: {error}; log in again, or pass on a key with `env`"
        ))
    })?;
    crash::point("login.lent");
    Ok((program, home))
}

/// An agent that works with the person's own folder finds its login there.
fn lend_login(context: &Context, driven: &Driven, home: &Home) -> std::io::Result<()> {
    let lookup = |name: &str| (context.lookup)(name).map(Into::into);
    let (login, person) = (driven.adapter.login(&driven.agent), context.home.as_deref());
    match driven.agent.inherit {
        true => home.use_login_in_place(login, person, lookup),
        false => home.bring_login(login, person, lookup),
    }
}

/// What would run of other people's settings must be what the person agreed to, at every start again: the work of an
/// agent that was accepted may have changed the settings of the next one.
fn why_not_trusted(context: &Context, driven: &Driven, tree: &Path) -> Option<String> {
    let Driven { name, agent, adapter } = driven;
    if !agent.inherit {
        return None;
    }
    let looked = Inherited::in_tree(context.inheritance(), (*adapter, agent), tree)
        .and_then(|inherited| trust::untrusted(context.inheritance(), name, &inherited));
    match looked {
        Ok(None) => None,
        Ok(Some(changes)) => Some(format!(
            "[agent.{name}] has inherit = true, and you have not agreed to what it would use now: {}; review it with \
             `tollgate agents trust {name} --in {}`, then try again",
            trust::in_words(&changes),
            tree.display()
        )),
        Err(error) => Some(format!("[agent.{name}] has inherit = true, but {error}")),
    }
}

/// What is secret in the login that an attempt works with; nothing that we write may show it.
pub fn secrets(context: &Context, order: &DispatchOrder) -> Result<Vec<String>, ActivityError> {
    let place = context.agent_home(&order.session, order.number);
    let problem =
        ActivityError::agent_home(format!("cannot read the login beside {}", place.display()));
    Home::at(&place).secrets().map_err(problem)
}

/// Whether the person has another login by now than the one that the attempt was lent.
pub fn is_login_outdated(context: &Context, order: &DispatchOrder) -> bool {
    let home = Home::at(&context.agent_home(&order.session, order.number));
    home.is_login_outdated().unwrap_or(false)
}

/// The login does not stay behind when no agent works with it any more.
pub fn take_login_out(context: &Context, order: &DispatchOrder) -> Result<(), ActivityError> {
    let folder = context.session_layout(&order.session).attempt(order.number, order.attempt);
    let look = ActivityError::io(format!("cannot look at {}", folder.folder().display()));
    if matches!(process::attach(folder.folder()).map_err(look)?, Attached::Running(_)) {
        return Ok(());
    }
    let place = context.agent_home(&order.session, order.number);
    let problem =
        ActivityError::agent_home(format!("cannot take the login out of {}", place.display()));
    Home::at(&place).take_login_out().map_err(problem)
}

/// Removes the private folders of a session's dispatches that are over; what cannot be removed now is tried again when
/// the next dispatch starts, and at the end.
pub fn remove_homes(
    context: &Context,
    session: &SessionName,
    is_over: impl Fn(DispatchNumber) -> bool,
) {
    let homes = context.agent_homes(session);
    let mut is_empty = true;
    for entry in std::fs::read_dir(&homes).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // What was lent lies beside the folder, also when the folder is gone.
        let number = name.strip_suffix(LENT_SUFFIX).unwrap_or(&name).to_owned();
        let dispatch = number.parse().map(DispatchNumber);
        if dispatch.is_ok_and(|dispatch| !is_over(dispatch)) {
            is_empty = false;
            continue;
        }
        crash::point("homes.before_removal");
        is_empty &= Home::at(&homes.join(number)).discard().is_ok();
    }
    if is_empty {
        let _not_there = std::fs::remove_dir(&homes);
    }
}

/// Whether the sandbox that the run will get is enforced by the kernel.
fn is_confined(context: &Context) -> bool {
    let is_wanted = context.config.sandbox.enforce != Enforce::Off;
    is_wanted && SandboxLevel::of_this_machine() != SandboxLevel::None
}

/// What may be written in this step, as far as agents can be told: by the same rule by which its work is accepted.
pub(super) fn access(rules: &FileRules, role: &RoleFile) -> Access {
    let declared = outputs::declared(rules, role);
    let writes = outputs::writes(rules, role, &declared);
    match (writes.is_empty(), role.artefacts.is_empty()) {
        (false, _) => Access::Tree,
        (true, false) => Access::Session,
        (true, true) => Access::Read,
    }
}

/// The conversation of an attempt; empty when there was none.
pub fn transcript(folder: &RunFolder) -> Result<Transcript, ActivityError> {
    let path = folder.stdout();
    match agent::read_transcript(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Transcript::default()),
        read => read.map_err(ActivityError::io(format!("cannot read {}", path.display()))),
    }
}

/// What is known beside the conversation.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances {
    /// The end of the run, which may be long ago: the engine may have been gone meanwhile.
    pub ended_at: Timestamp,
    /// Whether the person has another login by now than the one that was lent.
    pub is_login_outdated: bool,
}

/// What the last word of an agent program means: a reply to be read, or how the attempt ended without one.
pub fn last_word(transcript: &Transcript, known: Circumstances) -> Result<Vec<u8>, DispatchEnd> {
    let Some(Finished { outcome, reply, text }) = &transcript.finished else {
        return Err(DispatchEnd::Crashed {
            exit_code: None,
            signal: None,
            stderr_tail: "the connection to the agent broke off".to_owned(),
        });
    };
    Err(match outcome.clone() {
        TurnOutcome::Done => {
            let written = reply.as_ref().map(ToString::to_string).or_else(|| text.clone());
            match (written, transcript.refused.first()) {
                (None, Some(what)) => DispatchEnd::PermissionRefused { detail: what.clone() },
                (written, _) => return Ok(written.unwrap_or_default().into_bytes()),
            }
        }
        TurnOutcome::UsageLimit { resets_at: Some(until), .. }
            if is_reset_time(until, known.ended_at) =>
        {
            DispatchEnd::Parked { until, no_time: None }
        }
        TurnOutcome::UsageLimit { detail, .. } => DispatchEnd::Limited { detail },
        TurnOutcome::Service { status, detail } => DispatchEnd::Unavailable {
            detail: match status {
                Some(status) => format!("{status}: {detail}"),
                None => detail,
            },
        },
        TurnOutcome::Login { detail } => login_refused(&detail, known.is_login_outdated),
        TurnOutcome::Denied { detail } => DispatchEnd::PermissionRefused { detail },
        TurnOutcome::Turns { detail } | TurnOutcome::Money { detail } => {
            DispatchEnd::UsedUp { detail }
        }
        TurnOutcome::Silent { after_ms } => DispatchEnd::Unavailable {
            detail: format!("no output for {} s while no tool was running", after_ms / 1_000),
        },
        TurnOutcome::Flooded { limit_bytes } => DispatchEnd::OutputLimit { limit_bytes },
        TurnOutcome::Looping { requests } => DispatchEnd::Unavailable {
            detail: format!("it asked its model service {requests} times in a row without success"),
        },
        TurnOutcome::Unclear { exit_code, signal, detail } => {
            DispatchEnd::Crashed { exit_code, signal, stderr_tail: detail }
        }
    })
}

/// A time that was not ahead when the run ended is no reset time, and one in years is a mistake.
pub(super) fn is_reset_time(until: Timestamp, ended_at: Timestamp) -> bool {
    until > ended_at && until.ms_since(ended_at) <= PARK_MS_MAX
}

/// A login that somebody renewed while an attempt ran is refused to that attempt, and the next one gets the new one.
fn login_refused(detail: &str, is_outdated: bool) -> DispatchEnd {
    let detail = format!("the model service refused the login: {detail}");
    match is_outdated {
        true => DispatchEnd::Unavailable {
            detail: format!("{detail} (it has been renewed in the meantime)"),
        },
        false => DispatchEnd::PermissionRefused { detail },
    }
}

/// What an attempt is known to have cost of which nobody saw the end.
pub fn known_cost(folder: &RunFolder) -> Result<Usage, ActivityError> {
    match agent::is_driven(folder.folder()) {
        true => Ok(transcript(folder)?.usage),
        false => Ok(Usage::default()),
    }
}

#[cfg(test)]
mod tests;
