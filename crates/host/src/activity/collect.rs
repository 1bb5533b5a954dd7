//! What came of an attempt: the outcome, the reply, the diff and the session files, as one end.

mod session_side;

pub use session_side::{Document, read_document};

use super::ActivityError;
use super::classify::{Classified, Said, classify};
use super::order::Site;
use super::{clean, driven, guard, measure, merge, outputs, release, syntax};
use crate::context::WorkspaceId;
use crate::subject::shortened;
use session_side::{keep_outputs, session_side};
use std::collections::BTreeSet;
use tollgate_agents as agent;
use tollgate_contract::agent_output::{self, PlannerResult};
use tollgate_contract::skill::{self, RoleFile};
use tollgate_core::brief::{Brief, TaskBrief};
use tollgate_core::id::TaskRef;
use tollgate_core::limits::{REPLY_BYTES_MAX, TAIL_BYTES};
use tollgate_core::proof::one_line;
use tollgate_core::reply::{Reply, ReplyError, ReplyStatus, Usage};
use tollgate_core::role::Role;
use tollgate_core::time::Timestamp;
use tollgate_core::work::{Declaration, DispatchEnd, LeftOut, ScopeClass, Scoped, Work};
use tollgate_files as files;
use tollgate_files::clock;
use tollgate_files::crash;
use tollgate_git::workspace::{CommitMessage, RawChange, WorkspaceError, plain_changes};
use tollgate_judge::globs::PathRules;
use tollgate_judge::scope::plain_path;
use tollgate_process::{RunEnd, RunOutcome, StopReason};

/// How an attempt ended, and what it cost.
pub fn judge(at: &Site<'_>, outcome: &RunOutcome) -> Result<(DispatchEnd, Usage), ActivityError> {
    let mut counted = Usage::default();
    let mut end = match agent::is_driven(at.folder.folder()) {
        true => driven_end(at, outcome, &mut counted)?,
        false => found_end(at, outcome, &mut counted)?,
    };
    clean::end(&at.context.redactor, &mut end);
    Ok((end, Usage { wall_ms: Some(outcome.duration_ms), ..counted }))
}

/// What the agent program counted stands, whatever its reply says and however it ended.
fn driven_end(
    at: &Site<'_>,
    outcome: &RunOutcome,
    counted: &mut Usage,
) -> Result<DispatchEnd, ActivityError> {
    let transcript = driven::transcript(at.folder)?;
    let mut claimed = Usage::default();
    let end = match &outcome.end {
        RunEnd::Exited { code: 0 } => {
            let known = driven::Circumstances {
                ended_at: ended_at(outcome),
                is_login_outdated: driven::is_login_outdated(at.context, at.order),
            };
            match driven::last_word(&transcript, known) {
                Ok(bytes) => reply_in(at, bytes, &mut claimed)?,
                Err(end) => end,
            }
        }
        _ => found_end(at, outcome, &mut claimed)?,
    };
    *counted = transcript.usage;
    Ok(end)
}

/// `claimed` is set to what the reply says that it cost, valid or not.
fn found_end(
    at: &Site<'_>,
    outcome: &RunOutcome,
    claimed: &mut Usage,
) -> Result<DispatchEnd, ActivityError> {
    Ok(match &outcome.end {
        RunEnd::Exited { code: 0 } => reply(at, claimed)?,
        RunEnd::Exited { code: 75 } => temporary(tail(at)?, ended_at(outcome)),
        RunEnd::Exited { code: 77 } => {
            DispatchEnd::PermissionRefused { detail: last_line(&tail(at)?) }
        }
        RunEnd::Exited { code } => {
            DispatchEnd::Crashed { exit_code: Some(*code), signal: None, stderr_tail: tail(at)? }
        }
        RunEnd::Signalled { signal } => {
            DispatchEnd::Crashed { exit_code: None, signal: Some(*signal), stderr_tail: tail(at)? }
        }
        RunEnd::CouldNotStart { program, cause } => {
            DispatchEnd::CouldNotStart { program: program.clone(), cause: cause.clone() }
        }
        RunEnd::Stopped { why } => match *why {
            StopReason::Deadline { after_ms } => DispatchEnd::TimedOut { after_ms },
            StopReason::OutputLimit { limit_bytes } => DispatchEnd::OutputLimit { limit_bytes },
            StopReason::Silence { after_ms } => DispatchEnd::Unavailable {
                detail: format!("no output for {} s while it computed nothing", after_ms / 1_000),
            },
            StopReason::EngineEnds
            | StopReason::Cancelled
            | StopReason::NotWanted
            | StopReason::Outdated
            | StopReason::Signal => DispatchEnd::Stopped,
        },
    })
}

/// Exit 75: temporary. With a time to come back it is parked, without one it counts as a crash.
fn temporary(stderr_tail: String, ended_at: Timestamp) -> DispatchEnd {
    let until = stderr_tail.lines().rev().find_map(|line| {
        let line = line.trim();
        if let Some(text) = line.strip_prefix("retry-at:") {
            return Timestamp::parse(text.trim());
        }
        let seconds: u64 = line.strip_prefix("retry-after:")?.trim().parse().ok()?;
        (seconds > 0).then(|| ended_at.plus_ms(seconds.saturating_mul(1_000)))
    });
    match until.filter(|until| driven::is_reset_time(*until, ended_at)) {
        Some(until) => DispatchEnd::Parked { until, no_time: None },
        None => DispatchEnd::Crashed { exit_code: Some(75), signal: None, stderr_tail },
    }
}

fn ended_at(outcome: &RunOutcome) -> Timestamp {
    Timestamp::from_ms(outcome.finished_at_ms)
}

fn tail(at: &Site<'_>) -> Result<String, ActivityError> {
    Ok(files::read_tail(&at.folder.stderr(), TAIL_BYTES)?)
}

fn last_line(text: &str) -> String {
    text.trim().lines().next_back().unwrap_or("no reason was given").to_owned()
}

fn reply(at: &Site<'_>, claimed: &mut Usage) -> Result<DispatchEnd, ActivityError> {
    let bytes = match files::read_bounded(&at.folder.stdout(), REPLY_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(error) if error.is_too_big() => {
            let message = format!("the reply is larger than {REPLY_BYTES_MAX} bytes");
            let errors = vec![ReplyError::new("reply.too_large", "/", message)];
            return Ok(DispatchEnd::invalid(errors));
        }
        Err(error) => return Err(error.into()),
    };
    reply_in(at, bytes, claimed)
}

fn reply_in(
    at: &Site<'_>,
    bytes: Vec<u8>,
    claimed: &mut Usage,
) -> Result<DispatchEnd, ActivityError> {
    let role = at.order.brief.role;
    let read = match agent_output::read_reply(&bytes, role) {
        Ok(read) => read,
        Err(errors) => {
            let findings = agent_output::claimed_findings(&bytes);
            return Ok(DispatchEnd::Invalid { errors, findings });
        }
    };
    let kept = clean::reply_bytes(&at.context.redactor, bytes.trim_ascii());
    files::write_atomic(&at.folder.reply(), &kept)?;
    *claimed = read.reply.usage;
    let said = Said::of(&read);
    let (reply, planner) = (read.reply, read.planner);
    // A verdict may come with work of its own: tests of QA, or a report that the step asks for.
    let brings_work = role == Role::QA || !at.order.brief.files.outputs.is_empty();
    let judges = role.is_reviewing() && brings_work && reply.status == ReplyStatus::Blocked;
    // Who asks the person something starts again with the answer; only a Coder's finished change is taken beside it.
    let starts_again = !reply.questions.is_empty() && role != Role::Coder;
    if (reply.status == ReplyStatus::Ok && !starts_again) || judges {
        delivered(at, reply, planner.as_ref(), &said)
    } else {
        match look(at) {
            Err(ActivityError::Workspace(error)) => not_takeable(error, &reply),
            work => Ok(DispatchEnd::Replied { reply: Box::new(reply), work: Box::new(work?) }),
        }
    }
}

/// What the reply reports counts, whatever is wrong beside it.
fn invalid(errors: Vec<ReplyError>, reply: &Reply) -> DispatchEnd {
    DispatchEnd::Invalid { errors, findings: reply.findings.clone() }
}

/// What an agent left in the tree that git cannot list or commit is a fault of its work, all else is ours.
fn not_takeable(error: WorkspaceError, reply: &Reply) -> Result<DispatchEnd, ActivityError> {
    match error {
        WorkspaceError::Unlistable { .. } | WorkspaceError::NotStageable { .. } => {
            let errors = vec![ReplyError::new("work.not_allowed", "/", error.to_string())];
            Ok(invalid(errors, reply))
        }
        error => Err(error.into()),
    }
}

/// Beside a reply that delivers nothing, only what was touched without right matters.
fn look(at: &Site<'_>) -> Result<Work, ActivityError> {
    let role = role_file(at);
    let declared = outputs::declared(&at.order.brief.files, &role);
    if !outputs::writes(&at.order.brief.files, &role, &declared).is_empty() {
        return Ok(Work::default());
    }
    let sorted = classify(&at.workspace.changes()?, &role, None, &Said::default());
    let left_out = LeftOut { breaches: sorted.breaches, ..LeftOut::default() };
    Ok(Work { left_out, ..Work::default() })
}

fn role_file(at: &Site<'_>) -> RoleFile {
    let role = at.order.brief.role;
    let found = at.context.role_file(role, at.order.brief.called.as_deref());
    // Its text went away while it worked: what the built-in one may write holds.
    found.map_or_else(|_| skill::built_in(role), |found| found.file)
}

/// An OK, or a verdict with work of its own: everything it left behind is looked at.
fn delivered(
    at: &Site<'_>,
    reply: Reply,
    planner: Option<&PlannerResult>,
    said: &Said,
) -> Result<DispatchEnd, ActivityError> {
    let role = role_file(at);
    let declared = outputs::declared(&at.order.brief.files, &role);
    let work = match session_side(at, &role, &declared, &reply, planner)? {
        Ok(work) => work,
        Err(end) => return Ok(end),
    };
    keep_outputs(at, &work)?;
    let changes = match at.workspace.changes() {
        Ok(changes) => changes,
        Err(error) => return not_takeable(error, &reply),
    };
    let mut errors = outputs::faults(at.workspace.tree(), &declared, &changes);
    let report = work.written(release::REPORT);
    let (faults, reported) = release::look(at, &reply, &changes, report);
    errors.extend(faults);
    let mut work = work.work;
    work.documents.reported = reported;
    if reply.status == ReplyStatus::Ok && !errors.is_empty() {
        return Ok(invalid(errors, &reply));
    }
    let mut reply = reply;
    if role.role.is_reviewing() {
        match outputs::reported_findings(at.workspace.tree(), &declared) {
            Ok(findings) => reply.findings.extend(findings),
            Err(errors) => return Ok(invalid(errors, &reply)),
        }
    }
    let role =
        RoleFile { writes: outputs::writes(&at.order.brief.files, &role, &declared), ..role };
    let sorted = sorted(at, &role, &changes, said)?;
    if sorted.breaches.is_empty() {
        let errors = syntax::faults(at, &changes, &sorted.allowed)?;
        if !errors.is_empty() {
            return Ok(invalid(errors, &reply));
        }
    }
    let join = at.order.join.as_ref();
    let errors = join.map(|join| merge::unresolved(at, join)).transpose()?.unwrap_or_default();
    if !errors.is_empty() {
        return Ok(invalid(errors, &reply));
    }
    work.left_out.declared = said.declarations();
    let message = commit_message(at, &reply, &sorted.scoped, &work.left_out.declared);
    match take_changes(at, &message, &changes, sorted, &mut work) {
        Err(ActivityError::Workspace(error)) => return not_takeable(error, &reply),
        taken => taken?,
    }
    let watched = &at.order.brief.files.watched;
    work.code.outputs =
        outputs::taken(at.workspace.tree(), &declared, watched, &work.code.changes)?;
    guard::look(at, &mut work)?;
    if let Some(join) = join {
        merge::join(at, join, &message, &mut work)?;
    }
    release::take_tags(at, &mut work)?;
    Ok(DispatchEnd::Replied { reply: Box::new(reply), work: Box::new(work) })
}

fn sorted(
    at: &Site<'_>,
    role: &RoleFile,
    changes: &[RawChange],
    said: &Said,
) -> Result<Classified, ActivityError> {
    let said = Said {
        measures: measure::declared(at, changes, said)?,
        incidental_lines_max: at.context.config.incidental_lines_max,
        ..said.clone()
    };
    Ok(classify(changes, role, at.order.brief.files.scope.as_ref(), &said))
}

fn commit_message(
    at: &Site<'_>,
    reply: &Reply,
    scoped: &[Scoped],
    declared: &[Declaration],
) -> CommitMessage {
    let order = at.order;
    CommitMessage {
        subject: subject(&order.brief),
        body: at.context.redactor.redact(&commit_body(reply, scoped, declared)).into_owned(),
        session: order.session.clone(),
        dispatch: order.number,
        role: order.brief.role,
        task: order.brief.task.id.clone(),
        assisted_by: at.assistant(),
    }
}

/// What was done, as people who never heard of roles read it; the trailers say who did it.
fn subject(brief: &Brief) -> String {
    let TaskBrief { id, title, goal, .. } = &brief.task;
    match (brief.role, brief.is_repair) {
        (Role::Coder, false) => title.clone(),
        (_, true) if *id == TaskRef::Meta => shortened(&format!("Fix: {}", one_line(goal))),
        (_, true) => format!("Fix: {title}"),
        (other, false) => format!("{other}: {title}"),
    }
}

/// Makes the commit of what is allowed, and keeps aside what is not.
fn take_changes(
    at: &Site<'_>,
    message: &CommitMessage,
    changes: &[RawChange],
    sorted: Classified,
    work: &mut Work,
) -> Result<(), ActivityError> {
    work.left_out.breaches.extend(sorted.breaches);
    work.left_out.out_of_scope = sorted.out_of_scope;
    work.left_out.scoped = sorted.scoped;
    let order = at.order;
    if !work.left_out.breaches.is_empty() || !work.left_out.out_of_scope.is_empty() {
        let name = format!("dispatch-{}-attempt-{}-left-out", order.number, order.attempt);
        work.left_out.rescue = at.workspace.rescue(&name, "changes that were not accepted")?;
    }
    if !work.left_out.breaches.is_empty() || sorted.allowed.is_empty() {
        return Ok(());
    }
    crash::point("collect.before_commit");
    let commit = at.workspace.commit(&sorted.allowed, &order.tip, message, clock::now())?;
    crash::point("collect.after_commit");
    if matches!(order.workspace_id, WorkspaceId::Member(_)) {
        at.context.repository.keep_member(&order.session, order.number, &commit)?;
    }
    let allowed: BTreeSet<&String> = sorted.allowed.iter().collect();
    let taken = changes.iter().filter(|change| allowed.contains(&change.path));
    work.code.changes = match plain_changes(&taken.cloned().collect::<Vec<_>>()) {
        Some(plain) => plain,
        None => at.workspace.diff(&order.tip, &commit)?,
    };
    work.code.sensitive = sensitive(at, work);
    work.code.commit = Some(commit);
    Ok(())
}

/// The summary, and each scope correction that counts: whoever reads the history sees why another file was changed.
fn commit_body(reply: &Reply, scoped: &[Scoped], declared: &[Declaration]) -> String {
    let counts = |path: &str| {
        let is = |s: &Scoped| s.class == ScopeClass::Corrected && s.path == plain_path(path);
        scoped.iter().any(is)
    };
    let mut body = reply.summary.trim().to_owned();
    for declared in declared {
        if let Declaration::ScopeCorrection { listed, actual, reason } = declared
            && counts(actual)
        {
            let reason = one_line(reason);
            body.push_str(&format!(
                "\n\nScope correction\n- Listed: {listed}\n- Actual: {actual}\n- Reason: {reason}"
            ));
        }
    }
    body
}

fn sensitive(at: &Site<'_>, work: &Work) -> Vec<String> {
    let rules = PathRules::new(&at.context.config.sensitive).unwrap_or_default();
    let paths = work.code.changes.iter().map(|change| change.path.clone());
    paths.filter(|path| rules.matches(path)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn r107_a_time_to_come_back_is_one_after_the_end_of_the_run_whenever_it_is_taken_up() {
        let ended_at = Timestamp::parse("2020-01-01T12:00:00Z").unwrap();
        let end = |line: &str| temporary(format!("limit\n{line}\n"), ended_at);
        let until = ended_at.plus_ms(600_000);
        for line in ["retry-at: 2020-01-01T12:10:00Z", "retry-after: 600"] {
            assert_eq!(end(line), DispatchEnd::Parked { until, no_time: None }, "{line}");
        }
        for line in
            ["retry-at: 2020-01-01T12:00:00Z", "retry-after: 0", "retry-after: 999999999999"]
        {
            let end = end(line);
            assert!(matches!(end, DispatchEnd::Crashed { exit_code: Some(75), .. }), "{end:?}");
        }
    }
}
