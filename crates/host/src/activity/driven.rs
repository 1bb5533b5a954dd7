//! An attempt of an agent program: its private folder, its plan, what it takes up again, and what its end means.

use super::ActivityError;
use super::adapter::{Driven, Launch};
use super::dispatch::DispatchOrder;
use crate::agent::event::{Finished, Outcome};
use crate::agent::trust::{self, Inherited};
use crate::agent::{self, Access, Home, Job, LENT_SUFFIX, Plan, Transcript};
use crate::clock;
use crate::context::Context;
use crate::crash;
use crate::layout::{RunFolder, session_path};
use crate::process::{self, Attached, SandboxLevel};
use serde_json::Value;
use std::path::Path;
use tollgate_contract::config::Enforce;
use tollgate_contract::schema;
use tollgate_contract::skill::RoleFile;
use tollgate_core::id::{DispatchNumber, SessionName};
use tollgate_core::limits::PARK_MS_MAX;
use tollgate_core::reply::Usage;
use tollgate_core::time::Timestamp;
use tollgate_core::work::DispatchEnd;

const LOGIN_REFUSED: &str = "the model service refused the login";

/// An agent's own session that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resumed {
    pub session: String,
    /// What was spent in it so far.
    pub before: Usage,
}

/// The session of the attempt before, when its agent is asked again and can go on in it.
pub fn resumed(context: &Context, order: &DispatchOrder) -> Result<Option<Resumed>, ActivityError> {
    let Some(before) = order.brief.asked_again else { return Ok(None) };
    let folder = context.session_layout(&order.session).attempt(order.number, before);
    let transcript = transcript(&folder)?;
    let before = transcript.total();
    let home = context.agent_home(&order.session, order.number);
    let session = transcript.session.filter(|_| home.is_dir());
    Ok(session.map(|session| Resumed { session, before }))
}

/// How to start the driver for an attempt, or how the attempt ends because it cannot be started.
pub fn launch(
    context: &Context,
    order: &DispatchOrder,
    role: &RoleFile,
    tree: &Path,
    folder: &RunFolder,
    driven: &Driven,
    resumed: Option<&Resumed>,
) -> Result<Result<Launch, DispatchEnd>, ActivityError> {
    let (program, home) = match ready(context, order, tree, driven)? {
        Ok(ready) => ready,
        Err(end) => return Ok(Err(end)),
    };
    let schema = reply_schema();
    let session_folder = session_path(&order.session);
    let access = access(role);
    let job = Job {
        agent: &driven.agent,
        program,
        role: order.brief.role,
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
    let start = match driven.adapter.start(&job) {
        Ok(start) => start,
        Err(why) => return Ok(Err(driven.could_not_start(why))),
    };
    let plan = Plan {
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
    let unreadable = ActivityError::io("cannot read what was lent");
    let secret_files = home.secret_files().map_err(unreadable)?;
    Ok(Ok(Launch { argv, env_names, writable, secret_files }))
}

/// The program, and its private folder with the login in it; or how the attempt ends without them.
fn ready(
    context: &Context,
    order: &DispatchOrder,
    tree: &Path,
    driven: &Driven,
) -> Result<Result<(Vec<String>, Home), DispatchEnd>, ActivityError> {
    let program = match driven.command_line(context) {
        Ok(program) => program,
        Err(why) => return Ok(Err(driven.could_not_start(why))),
    };
    if let Some(detail) = why_not_trusted(context, driven, tree) {
        return Ok(Err(DispatchEnd::PermissionRefused { detail }));
    }
    let place = context.agent_home(&order.session, order.number);
    let problem = ActivityError::io(format!("cannot prepare {}", place.display()));
    let home = Home::create(&place).map_err(problem)?;
    if let Err(error) = lend_login(context, driven, &home) {
        let cause = format!("your login could not be brought along: {error}");
        return Ok(Err(driven.could_not_start(cause)));
    }
    crash::point("login.lent");
    Ok(Ok((program, home)))
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

/// What would run of other people's settings must be what the person agreed to, at every start anew: the work of an
/// agent that was accepted may have changed the settings of the next one.
fn why_not_trusted(context: &Context, driven: &Driven, tree: &Path) -> Option<String> {
    let Driven { name, agent, adapter } = driven;
    if !agent.inherit {
        return None;
    }
    let looked = Inherited::in_tree(context, (*adapter, agent), tree)
        .and_then(|inherited| trust::untrusted(context, name, &inherited));
    match looked {
        Ok(None) => None,
        Ok(Some(changes)) => Some(format!(
            "[agent.{name}] has inherit = true, and you have not agreed to what it would run now: {}; look at it with \
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
    let problem = ActivityError::io(format!("cannot read the login beside {}", place.display()));
    Home::at(&place).secrets().map_err(problem)
}

/// A login that somebody renewed while an attempt ran is refused to that attempt, and the next one gets the new one.
pub fn with_fresh_login(context: &Context, order: &DispatchOrder, end: DispatchEnd) -> DispatchEnd {
    let home = Home::at(&context.agent_home(&order.session, order.number));
    match end {
        DispatchEnd::PermissionRefused { detail }
            if detail.starts_with(LOGIN_REFUSED) && home.is_login_outdated().unwrap_or(false) =>
        {
            DispatchEnd::Unavailable { detail: format!("{detail} (it was renewed meanwhile)") }
        }
        end => end,
    }
}

/// The login does not stay behind when no agent works with it any more.
pub fn take_login_out(context: &Context, order: &DispatchOrder) -> Result<(), ActivityError> {
    let folder = context.session_layout(&order.session).attempt(order.number, order.attempt);
    let look = ActivityError::io(format!("cannot look at {}", folder.folder().display()));
    if matches!(process::attach(folder.folder()).map_err(look)?, Attached::Running(_)) {
        return Ok(());
    }
    let place = context.agent_home(&order.session, order.number);
    let problem = ActivityError::io(format!("cannot take the login out of {}", place.display()));
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

/// Without the name of its dialect, which some agents would look up.
fn reply_schema() -> Value {
    let mut schema = schema::schema("agent-output").expect("the reply has a schema");
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("$schema");
    }
    schema
}

/// Whether the sandbox that the run will get is enforced by the kernel.
fn is_confined(context: &Context) -> bool {
    let is_wanted = context.config.sandbox.enforce != Enforce::Off;
    is_wanted && SandboxLevel::of_this_machine() != SandboxLevel::None
}

/// What a role may write, as far as agents can be told.
fn access(role: &RoleFile) -> Access {
    match (role.writes.is_empty(), role.artefacts.is_empty()) {
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

/// A time that is not ahead is no reset time, and one in years is a mistake.
pub fn is_reset_time(until: Timestamp) -> bool {
    let now = clock::now();
    until > now && until.ms_since(now) <= PARK_MS_MAX
}

/// What an agent's last word means: a reply to be read, or how the attempt ended without one.
pub fn judge(transcript: &Transcript) -> Result<Vec<u8>, DispatchEnd> {
    let Some(Finished { outcome, reply, text }) = &transcript.finished else {
        return Err(DispatchEnd::Crashed {
            exit_code: None,
            signal: None,
            stderr_tail: "the conversation with the agent broke off".to_owned(),
        });
    };
    Err(match outcome.clone() {
        Outcome::Done => {
            let written = reply.as_ref().map(ToString::to_string).or_else(|| text.clone());
            match (written, transcript.refused.first()) {
                (None, Some(what)) => DispatchEnd::PermissionRefused { detail: what.clone() },
                (written, _) => return Ok(written.unwrap_or_default().into_bytes()),
            }
        }
        Outcome::UsageLimit { resets_at: Some(until), .. } if is_reset_time(until) => {
            DispatchEnd::Parked { until, no_time: None }
        }
        Outcome::UsageLimit { detail, .. } => DispatchEnd::Limited { detail },
        Outcome::Service { status, detail } => DispatchEnd::Unavailable {
            detail: match status {
                Some(status) => format!("{status}: {detail}"),
                None => detail,
            },
        },
        Outcome::Login { detail } => {
            DispatchEnd::PermissionRefused { detail: format!("{LOGIN_REFUSED}: {detail}") }
        }
        Outcome::Denied { detail } => DispatchEnd::PermissionRefused { detail },
        Outcome::Turns { detail } | Outcome::Money { detail } => DispatchEnd::UsedUp { detail },
        Outcome::Silent { after_ms } => DispatchEnd::Unavailable {
            detail: format!("no sign of life for {} s while no tool was at work", after_ms / 1_000),
        },
        Outcome::Flooded { limit_bytes } => DispatchEnd::OutputLimit { limit_bytes },
        Outcome::Looping { requests } => DispatchEnd::Unavailable {
            detail: format!("it asked its model service {requests} times in a row and got nowhere"),
        },
        Outcome::Unclear { exit_code, signal, detail } => {
            DispatchEnd::Crashed { exit_code, signal, stderr_tail: detail }
        }
    })
}
