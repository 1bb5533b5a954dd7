//! What came of an attempt: the outcome, the reply, the diff and the session files, as one end.

use super::ActivityError;
use super::classify::{Classified, Said, classify};
use super::dispatch::{DispatchOrder, Ended, GIVEN};
use super::outputs::{self, Declared};
use super::session_files::{self, Differences, Given, Written};
use super::{clean, driven, guard, imports, plan};
use crate::agent;
use crate::clock;
use crate::context::{Context, Room};
use crate::crash;
use crate::files;
use crate::layout::RunFolder;
use crate::process::{RunEnd, RunOutcome};
use crate::redact::Redactor;
use crate::workspace::{CommitMessage, RawChange, Workspace, WorkspaceError, plain_changes};
use std::collections::BTreeSet;
use tollgate_contract::agent_output::PlannerResult;
use tollgate_contract::globs::PathRules;
use tollgate_contract::skill::{self, RoleFile};
use tollgate_contract::{acceptance, agent_output, sections, tasks};
use tollgate_core::id::TaskId;
use tollgate_core::limits::{PARK_MS_MAX, REPLY_BYTES_MAX, TAIL_BYTES};
use tollgate_core::reply::{Reply, ReplyError, ReplyStatus, Usage};
use tollgate_core::role::{Mode, Role};
use tollgate_core::time::Timestamp;
use tollgate_core::work::{Artefact, Breach, DispatchEnd, StatusClaim, Work};

/// Where and for whom an attempt ran.
#[derive(Debug)]
pub struct Collected<'a> {
    pub context: &'a Context,
    pub order: &'a DispatchOrder,
    pub workspace: &'a Workspace,
    pub folder: &'a RunFolder,
}

pub fn end(at: &Collected<'_>, outcome: &RunOutcome) -> Result<Ended, ActivityError> {
    let mut counted = Usage::default();
    let mut end = match agent::is_driven(at.folder.folder()) {
        true => driven_end(at, outcome, &mut counted)?,
        false => found_end(at, outcome, &mut counted)?,
    };
    clean::end(&at.context.redactor, &mut end);
    let usage = Usage { wall_ms: Some(outcome.duration_ms), ..counted };
    Ok(Ended { end, usage })
}

/// What the agent program counted stands, whatever its reply says and however it ended.
fn driven_end(
    at: &Collected<'_>,
    outcome: &RunOutcome,
    counted: &mut Usage,
) -> Result<DispatchEnd, ActivityError> {
    let transcript = driven::transcript(at.folder)?;
    let mut claimed = Usage::default();
    let end = match &outcome.end {
        RunEnd::Exited { code: 0 } => match driven::judge(&transcript) {
            Ok(bytes) => reply_in(at, bytes, &mut claimed)?,
            Err(end) => end,
        },
        _ => found_end(at, outcome, &mut claimed)?,
    };
    *counted = transcript.usage;
    Ok(end)
}

/// `claimed` is set to what the reply says that it cost, valid or not.
fn found_end(
    at: &Collected<'_>,
    outcome: &RunOutcome,
    claimed: &mut Usage,
) -> Result<DispatchEnd, ActivityError> {
    Ok(match &outcome.end {
        RunEnd::Exited { code: 0 } => reply(at, claimed)?,
        RunEnd::Exited { code: 75 } => temporary(at)?,
        RunEnd::Exited { code: 77 } => {
            DispatchEnd::PermissionRefused { detail: last_line(&tail(at)?) }
        }
        RunEnd::Exited { code } => {
            DispatchEnd::Crashed { exit_code: Some(*code), signal: None, stderr_tail: tail(at)? }
        }
        RunEnd::Signalled { signal } => {
            DispatchEnd::Crashed { exit_code: None, signal: Some(*signal), stderr_tail: tail(at)? }
        }
        RunEnd::TimedOut { after_ms } => DispatchEnd::TimedOut { after_ms: *after_ms },
        RunEnd::OutputLimit { limit_bytes } => {
            DispatchEnd::OutputLimit { limit_bytes: *limit_bytes }
        }
        RunEnd::CouldNotStart { program, cause } => {
            DispatchEnd::CouldNotStart { program: program.clone(), cause: cause.clone() }
        }
        RunEnd::Stopped => DispatchEnd::Stopped,
    })
}

/// Exit 75: temporary. With a time to come back it is parked, without one it counts as a crash.
fn temporary(at: &Collected<'_>) -> Result<DispatchEnd, ActivityError> {
    let stderr_tail = tail(at)?;
    let until = stderr_tail.lines().rev().find_map(|line| {
        let line = line.trim();
        if let Some(text) = line.strip_prefix("retry-at:") {
            return Timestamp::parse(text.trim());
        }
        let seconds: u64 = line.strip_prefix("retry-after:")?.trim().parse().ok()?;
        (seconds > 0).then(|| clock::now().plus_ms(seconds.saturating_mul(1_000)))
    });
    // A time that is not ahead is no reset time, and one in years is a mistake.
    let now = clock::now();
    let is_sensible = |until: &Timestamp| *until > now && until.ms_since(now) <= PARK_MS_MAX;
    Ok(match until.filter(is_sensible) {
        Some(until) => DispatchEnd::Parked { until },
        None => DispatchEnd::Crashed { exit_code: Some(75), signal: None, stderr_tail },
    })
}

fn tail(at: &Collected<'_>) -> Result<String, ActivityError> {
    Ok(files::read_tail(&at.folder.stderr(), TAIL_BYTES)?)
}

fn last_line(text: &str) -> String {
    text.trim().lines().next_back().unwrap_or("no reason was given").to_owned()
}

fn reply(at: &Collected<'_>, claimed: &mut Usage) -> Result<DispatchEnd, ActivityError> {
    let bytes = match files::read_bounded(&at.folder.stdout(), REPLY_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(error) if error.is_too_big() => {
            let message = format!("the reply is larger than {REPLY_BYTES_MAX} bytes");
            let errors = vec![ReplyError::new("reply.too_large", "/", message)];
            return Ok(DispatchEnd::Invalid { errors });
        }
        Err(error) => return Err(error.into()),
    };
    reply_in(at, bytes, claimed)
}

fn reply_in(
    at: &Collected<'_>,
    bytes: Vec<u8>,
    claimed: &mut Usage,
) -> Result<DispatchEnd, ActivityError> {
    let role = at.order.brief.role;
    let read = match agent_output::read_reply(&bytes, role) {
        Ok(read) => read,
        Err(errors) => return Ok(DispatchEnd::Invalid { errors }),
    };
    let kept = clean::reply_bytes(&at.context.redactor, bytes.trim_ascii());
    files::write_atomic(&at.folder.reply(), &kept)?;
    *claimed = read.reply.usage;
    let said = Said::of(&read);
    let (reply, planner) = (read.reply, read.planner);
    // A verdict may come with work of its own: tests of QA, or a report that the step asks for.
    let brings_work = role == Role::QA || !at.order.brief.outputs.is_empty();
    let judges = role.is_reviewing() && brings_work && reply.status == ReplyStatus::Blocked;
    if reply.status == ReplyStatus::Ok || judges {
        delivered(at, reply, planner.as_ref(), &said)
    } else {
        match look(at) {
            Err(ActivityError::Workspace(error)) => not_takeable(error),
            work => Ok(DispatchEnd::Replied { reply: Box::new(reply), work: Box::new(work?) }),
        }
    }
}

/// What an agent left in the tree that git cannot list or commit is a fault of its work, all else is ours.
fn not_takeable(error: WorkspaceError) -> Result<DispatchEnd, ActivityError> {
    match error {
        WorkspaceError::Unlistable { .. } | WorkspaceError::NotStageable { .. } => {
            let errors = vec![ReplyError::new("work.not_allowed", "/", error.to_string())];
            Ok(DispatchEnd::Invalid { errors })
        }
        error => Err(error.into()),
    }
}

/// Beside a reply that delivers nothing, only what was touched without right matters.
fn look(at: &Collected<'_>) -> Result<Work, ActivityError> {
    let role = role_file(at);
    let declared = outputs::declared(&at.order.brief, &role);
    if !outputs::writes(&at.order.brief, &role, &declared).is_empty() {
        return Ok(Work::default());
    }
    let sorted = classify(&at.workspace.changes()?, &role, None, &Said::default());
    Ok(Work { breaches: sorted.breaches, ..Work::default() })
}

fn role_file(at: &Collected<'_>) -> RoleFile {
    let role = at.order.brief.role;
    let found = at.context.role_file(role, at.order.brief.called.as_deref());
    // Its text went away while it worked: what the built-in one may write holds.
    found.unwrap_or_else(|_| skill::built_in(role))
}

/// An OK, or a verdict with work of its own: everything it left behind is looked at.
fn delivered(
    at: &Collected<'_>,
    reply: Reply,
    planner: Option<&PlannerResult>,
    said: &Said,
) -> Result<DispatchEnd, ActivityError> {
    let role = role_file(at);
    let declared = outputs::declared(&at.order.brief, &role);
    let work = match session_side(at, &role, &declared, &reply, planner)? {
        Ok(work) => work,
        Err(end) => return Ok(end),
    };
    keep_outputs(at, &work)?;
    let mut work = work.work;
    let changes = match at.workspace.changes() {
        Ok(changes) => changes,
        Err(error) => return not_takeable(error),
    };
    let errors = outputs::faults(at.workspace.tree(), &declared, &changes);
    if reply.status == ReplyStatus::Ok && !errors.is_empty() {
        return Ok(DispatchEnd::Invalid { errors });
    }
    let mut reply = reply;
    if role.role.is_reviewing() {
        match imports::findings(at.workspace.tree(), &declared) {
            Ok(findings) => reply.findings.extend(findings),
            Err(errors) => return Ok(DispatchEnd::Invalid { errors }),
        }
    }
    let role = RoleFile { writes: outputs::writes(&at.order.brief, &role, &declared), ..role };
    let sorted = classify(&changes, &role, at.order.brief.scope.as_ref(), said);
    match take_changes(at, &reply, &changes, sorted, &mut work) {
        Err(ActivityError::Workspace(error)) => return not_takeable(error),
        taken => taken?,
    }
    let watched = &at.order.brief.watched;
    work.outputs = outputs::taken(at.workspace.tree(), &declared, watched, &work.changes)?;
    guard::look(at, &mut work)?;
    Ok(DispatchEnd::Replied { reply: Box::new(reply), work: Box::new(work) })
}

/// The session files of an attempt, sorted and read; or how it ends because of them.
fn session_side(
    at: &Collected<'_>,
    role: &RoleFile,
    declared: &Declared,
    reply: &Reply,
    planner: Option<&PlannerResult>,
) -> Result<Result<SessionWork, DispatchEnd>, ActivityError> {
    let invalid = |errors| Ok(Err(DispatchEnd::Invalid { errors }));
    let given: Given = serde_json::from_slice(&files::read_bounded(
        &at.folder.folder().join(GIVEN),
        REPLY_BYTES_MAX,
    )?)
    .map_err(|error| ActivityError::io("cannot read what the attempt was given")(error.into()))?;
    let mut found = session_files::differences(at.workspace.tree(), &at.order.session, &given)?;
    let record = at.context.session_layout(&at.order.session);
    let made = planner
        .map(|result| plan::make(record.folder(), &at.order.session, result, &mut found))
        .transpose()?;
    let made = match made.transpose() {
        Ok(made) => made,
        Err(errors) => return invalid(errors),
    };
    session_files::take_secrets_out(&mut found, &at.context.redactor.for_work());
    let mut missing = missing_outputs(at, declared, &given, &found);
    missing.retain(|_| made.is_none());
    missing.extend(outputs::missing(at.workspace.tree(), declared));
    if reply.status == ReplyStatus::Ok && !missing.is_empty() {
        if found.breaches.is_empty() {
            let findings = reply.findings.clone();
            return Ok(Err(DispatchEnd::MissingOutput { paths: missing, findings }));
        }
        // It is there, but not as something that can be taken.
        let errors = found.breaches.iter().map(|breach| {
            ReplyError::new("work.not_allowed", breach.path.clone(), breach.why.clone())
        });
        return invalid(errors.collect());
    }
    let (mut work, mut errors) = session_work(at, role, found);
    if let Some(made) = made {
        work.add(made, &at.context.redactor.for_work());
    }
    errors.extend(check_documents(at, &work.files, planner.is_some(), &mut work.work)?);
    match errors.is_empty() {
        true => Ok(Ok(work)),
        false => invalid(errors),
    }
}

fn missing_outputs(
    at: &Collected<'_>,
    declared: &Declared,
    given: &Given,
    found: &Differences,
) -> Vec<String> {
    let is_there = |output: &str| {
        let named =
            |path: &str| path == output || (output.ends_with('/') && path.starts_with(output));
        found.written.iter().any(|file| named(&file.path))
            || given.keys().any(|path| named(path) && !found.deleted.contains(path))
    };
    let outputs = declared.session.iter();
    outputs
        .filter(|output| !is_there(output))
        .map(|output| format!(".agents-work/{}/{output}", at.order.session))
        .collect()
}

struct SessionWork {
    work: Work,
    files: Vec<Written>,
}

impl SessionWork {
    /// Files that the engine made count as if the role had written them.
    fn add(&mut self, made: plan::Made, redactor: &Redactor) {
        let mut clean = Differences { written: made.files, ..Differences::default() };
        session_files::take_secrets_out(&mut clean, redactor);
        for file in clean.written {
            let artefact = Artefact { path: file.path.clone(), sha256: file.sha256.clone() };
            self.work.artefacts.push(artefact);
            self.files.push(file);
        }
        self.work.refinements = made.refinements;
        self.work.dropped.extend(made.dropped);
    }
}

/// Sorts what was done to session files: artefacts of the role, claims about tasks, and breaches.
fn session_work(
    at: &Collected<'_>,
    role: &RoleFile,
    found: Differences,
) -> (SessionWork, Vec<ReplyError>) {
    let artefacts = PathRules::new(&role.artefacts).unwrap_or_default();
    let prefix = format!(".agents-work/{}/", at.order.session);
    let mut work = Work { breaches: found.breaches, ..Work::default() };
    let mut taken = Vec::new();
    let mut errors = Vec::new();
    for file in found.written {
        if may_write(at, &artefacts, &file.path) {
            work.artefacts.push(Artefact { path: file.path.clone(), sha256: file.sha256.clone() });
            taken.push(file);
        } else if file.path == "tasks.yaml" {
            match status_claims(at, &file) {
                Some(claims) => work.status_claims.extend(claims),
                None => {
                    let message = "only the Planner changes the plan; statuses are the engine's";
                    errors.push(ReplyError::new(
                        "work.not_allowed",
                        format!("{prefix}tasks.yaml"),
                        message,
                    ));
                }
            }
        } else if file.path == "status.json" {
            work.dropped.push(format!("{prefix}status.json"));
        } else {
            let why = "this role does not write this session file".to_owned();
            work.breaches.push(Breach { path: format!("{prefix}{}", file.path), why });
        }
    }
    // A deleted session file is put back by the next copy; only an artefact of the role may go.
    (SessionWork { work, files: taken }, errors)
}

/// In full mode the plan is the Planner's; SpecAgent writes it only for lean work.
fn may_write(at: &Collected<'_>, artefacts: &PathRules, path: &str) -> bool {
    let plan_of_another = path == "tasks.yaml"
        && at.order.brief.role == Role::SpecAgent
        && at.order.mode == Mode::Full;
    artefacts.matches(path) && !plan_of_another
}

/// The statuses that differ, when nothing else does.
fn status_claims(at: &Collected<'_>, file: &Written) -> Option<Vec<StatusClaim>> {
    let record = at.context.session_layout(&at.order.session).tasks();
    let before = std::fs::read_to_string(record).ok()?;
    let (before, _) = tasks::read(&before, "tasks.yaml");
    let (now, _) = tasks::read(std::str::from_utf8(&file.bytes).ok()?, "tasks.yaml");
    let (before, now) = (before?, now?);
    if before.tasks != now.tasks {
        return None;
    }
    let changed = |(task, status): (&TaskId, &String)| {
        (before.statuses.get(task) != Some(status))
            .then(|| StatusClaim { task: task.clone(), status: status.clone() })
    };
    Some(now.statuses.iter().filter_map(changed).collect())
}

/// Keeps the content of every artefact with the attempt that brought it.
fn keep_outputs(at: &Collected<'_>, work: &SessionWork) -> Result<(), ActivityError> {
    let outputs = at.folder.outputs();
    std::fs::create_dir_all(&outputs)
        .map_err(ActivityError::io(format!("cannot make {}", outputs.display())))?;
    for file in &work.files {
        files::write_beneath(&outputs, &file.path, &file.bytes)?;
        // The journal will say that it was accepted and cannot make it again.
        files::sync_beneath(&outputs, &file.path)?;
    }
    crash::point("collect.outputs_kept");
    Ok(())
}

/// Reads the documents that the engine works with, and reports every fault.
fn check_documents(
    at: &Collected<'_>,
    files: &[Written],
    is_made: bool,
    work: &mut Work,
) -> Result<Vec<ReplyError>, ActivityError> {
    let mut errors = Vec::new();
    let session = &at.order.session;
    for file in files.iter().filter(|file| file.path != plan::TASKS) {
        let path = format!(".agents-work/{session}/{}", file.path);
        if plan::is_item(&file.path) {
            match plan::item(&file.path, session, &file.bytes) {
                Ok(question) if !is_made => work.refinements.extend(question),
                Ok(_) => {}
                Err(faults) => errors.extend(faults),
            }
            continue;
        }
        match read_document(&file.path, &path, &file.bytes) {
            Ok(Document::Criteria(criteria)) => work.criteria = Some(criteria),
            Ok(Document::Plan(_) | Document::Text) => {}
            Err(faults) => errors.extend(faults),
        }
    }
    if !is_made && !files.iter().any(|file| plan::is_part(&file.path)) {
        return Ok(errors);
    }
    let record = at.context.session_layout(session);
    match plan::read(record.folder(), session, files)? {
        Ok(Some(plan)) if at.order.mode == Mode::Lean && plan.len() != 1 => {
            errors.push(plan::not_lean(session, plan.len()));
        }
        Ok(plan) => work.plan = plan,
        // What is wrong with an item was told above.
        Err(mut faults) => {
            faults.retain(|fault| !errors.contains(fault));
            errors.extend(faults);
        }
    }
    Ok(errors)
}

/// A session file that the engine understands.
#[derive(Debug)]
pub enum Document {
    Plan(Vec<tollgate_core::task::TaskSpec>),
    Criteria(Vec<tollgate_core::task::Criterion>),
    Text,
}

pub fn read_document(name: &str, path: &str, bytes: &[u8]) -> Result<Document, Vec<ReplyError>> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(vec![ReplyError::new("file.not_utf8", path, "the file is not UTF-8 text")]);
    };
    let report = match name {
        "spec.md" => sections::check_spec(text, path),
        "architecture.md" => sections::check_architecture(text, path),
        "report.md" => sections::check_report(text, path),
        "acceptance.json" => match acceptance::read(text, path) {
            (Some(criteria), _) => return Ok(Document::Criteria(criteria)),
            (None, report) => report,
        },
        "tasks.yaml" => match tasks::read(text, path) {
            (Some(plan), _) => return Ok(Document::Plan(plan.tasks)),
            (None, report) => report,
        },
        _ => return Ok(Document::Text),
    };
    let errors = report.reply_errors();
    if errors.is_empty() { Ok(Document::Text) } else { Err(errors) }
}

/// Makes the commit of what is allowed, and keeps aside what is not.
fn take_changes(
    at: &Collected<'_>,
    reply: &Reply,
    changes: &[RawChange],
    sorted: Classified,
    work: &mut Work,
) -> Result<(), ActivityError> {
    work.breaches.extend(sorted.breaches);
    work.out_of_scope = sorted.out_of_scope;
    work.scoped = sorted.scoped;
    let order = at.order;
    if !work.breaches.is_empty() || !work.out_of_scope.is_empty() {
        let name = format!("dispatch-{}-attempt-{}-left-out", order.number, order.attempt);
        work.rescue = at.workspace.rescue(&name, "changes that were not taken over")?;
    }
    if !work.breaches.is_empty() || sorted.allowed.is_empty() {
        return Ok(());
    }
    let message = CommitMessage {
        subject: format!("{} {}: {}", order.brief.role, order.brief.task, order.brief.title),
        body: at.context.redactor.redact(&reply.summary).into_owned(),
        session: order.session.clone(),
        dispatch: order.number,
        role: order.brief.role,
        task: order.brief.task.clone(),
    };
    crash::point("collect.before_commit");
    let commit = at.workspace.commit(&sorted.allowed, &order.tip, &message, clock::now())?;
    crash::point("collect.after_commit");
    if matches!(order.room, Room::Member(_)) {
        at.context.repository.keep_member(&order.session, order.number, &commit)?;
    }
    let allowed: BTreeSet<&String> = sorted.allowed.iter().collect();
    let taken = changes.iter().filter(|change| allowed.contains(&change.path));
    work.changes = match plain_changes(&taken.cloned().collect::<Vec<_>>()) {
        Some(plain) => plain,
        None => at.workspace.diff(&order.tip, &commit)?,
    };
    work.sensitive = sensitive(at, work);
    work.commit = Some(commit);
    Ok(())
}

fn sensitive(at: &Collected<'_>, work: &Work) -> Vec<String> {
    let rules = PathRules::new(&at.context.config.sensitive).unwrap_or_default();
    let paths = work.changes.iter().map(|change| change.path.clone());
    paths.filter(|path| rules.matches(path)).collect()
}
