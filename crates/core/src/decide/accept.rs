//! The end of an attempt: is what the agent says borne out by what it left behind?

use super::draft::Draft;
use super::moves::{attempt, ending, finding};
use super::{earlier, failure, questions, reply, report, scope, severity, size, take};
use crate::event::{Event, Purpose, Verdict};
use crate::given::GivenFiles;
use crate::id::{Attempt, DispatchNumber};
use crate::mutant::Mutant;
use crate::notice::NoticeCode;
use crate::reply::{Reply, ReplyError, ReplyStatus, ReportedFinding, Usage};
use crate::role::{RepairLoop, Role};
use crate::sanitize::visible_name;
use crate::session::Dispatch;
use crate::task::TaskStatus;
use crate::work::{DispatchEnd, Work};

/// Of an attempt under way; nothing follows from it but the record.
pub(super) fn noted(
    draft: &mut Draft<'_>,
    number: DispatchNumber,
    attempt: Attempt,
    given: Option<GivenFiles>,
    kept: Option<String>,
) {
    let is_running = draft.dispatches.get(&number).and_then(|d| d.running()) == Some(attempt);
    if is_running && (given.is_some() || kept.is_some()) {
        draft.emit(Event::AttemptNoted { number, attempt, given, kept });
    }
}

pub(super) fn ended(
    draft: &mut Draft<'_>,
    number: DispatchNumber,
    attempt: Attempt,
    end: DispatchEnd,
    usage: Usage,
) {
    let Some(dispatch) = draft.dispatches.get(&number) else {
        return;
    };
    // An outcome delivered twice, or of an attempt that was given up, changes nothing.
    if dispatch.running() != Some(attempt) {
        return;
    }
    let end = earlier::answered(draft, number, end);
    // Who asks first, or was only told answers, may have changed nothing.
    let may_be_empty = matches!(&end, DispatchEnd::Replied { reply, .. }
        if scope::asks(draft, number, reply) || !reply.questions.is_empty())
        || questions::are_why(draft, number);
    let set_aside = match &end {
        DispatchEnd::Replied { work, .. } => work.left_out.set_aside.clone(),
        _ => Vec::new(),
    };
    let end = asked_to_repeat(contradicted(dispatch, may_be_empty, end));
    let end = draft.with_time(number, end, draft.now());
    let delivered = match &end {
        DispatchEnd::Replied { reply, work } => Some((reply.clone(), work.clone())),
        _ => None,
    };
    let failed = delivered.is_none().then(|| end.clone());
    let told = end.clone();
    let ruling = draft.end_ruling(draft.now(), number, &end, &usage);
    draft.emit(Event::AttemptEnded { number, attempt, end, usage, ruling: Some(ruling) });
    attempt::tell_unknown(draft, number, &told, &usage);
    size::warn(draft, number, &set_aside);
    if !told.has_begun() {
        attempt::correction_not_begun(draft, number);
    }
    if let Some(end) = failed {
        // What was found counts, whatever was wrong with the reply or missing beside it.
        finding::keep(draft, number, end.findings());
        // Not the agent's failure: the limit is used up, and that is a question of its own.
        match ruling.met_limit && !Mutant::TakesALimitForAFailure.is_planted() {
            true => attempt::start(draft, number),
            false => failure::follow(draft, number, &end),
        }
    }
    if let Some((reply, work)) = delivered {
        record_breaches(draft, number, &work);
        by_status(draft, number, &reply, &work);
    }
}

/// Files or findings that one message names.
const SHOWN_MAX: usize = 10;

/// Characters of a finding in such a message.
const SHOWN_CHARS_MAX: usize = 500;

/// An OK that reality contradicts is not an OK but an invalid reply.
fn contradicted(dispatch: &Dispatch, may_be_empty: bool, end: DispatchEnd) -> DispatchEnd {
    let DispatchEnd::Replied { reply, work } = &end else {
        return end;
    };
    if reply.status != ReplyStatus::Ok {
        return end;
    }
    let mut errors: Vec<ReplyError> = work
        .left_out
        .breaches
        .iter()
        .filter(|_| !Mutant::BelievesAnOkWithForbiddenChanges.is_planted())
        .map(|breach| {
            let path = visible_name(&breach.path);
            let message = format!("{} may not change {path}: {}", dispatch.role, breach.why);
            ReplyError::new("work.not_allowed", breach.path.clone(), message)
        })
        .collect();
    // A red build may have had an outside cause: nothing to change is an answer, and the checks run again.
    let may_be_empty = may_be_empty
        || matches!(dispatch.purpose, Purpose::Repair { repair: RepairLoop::FixBuild });
    let is_empty = dispatch.role == Role::Coder && work.code.commit.is_none() && !may_be_empty;
    if is_empty && errors.is_empty() {
        let message = if let Some(large) = work.left_out.set_aside.first() {
            format!("the reply says OK but every changed file is too large to be accepted: {large}")
        } else if work.left_out.out_of_scope.is_empty() {
            "the reply says OK but no file was changed".to_owned()
        } else {
            let first = work.left_out.out_of_scope.iter().take(SHOWN_MAX);
            let paths: Vec<_> = first.map(|change| visible_name(&change.path)).collect();
            format!(
                "the reply says OK but every changed file is outside the scope of the task: {}; ask for what you need with scope_request",
                paths.join(", ")
            )
        };
        errors.push(ReplyError::new("work.empty", "/status", message));
    }
    if errors.is_empty() {
        return end;
    }
    DispatchEnd::Invalid { errors, findings: reply.findings.clone() }
}

/// Tells the agent to report its findings again: one that it leaves out of its next reply counts as fixed.
fn asked_to_repeat(mut end: DispatchEnd) -> DispatchEnd {
    let DispatchEnd::Invalid { errors, findings } = &mut end else {
        return end;
    };
    let grave = findings.iter().filter(|report| report.severity.is_grave());
    let short =
        |report: &ReportedFinding| report.in_words().chars().take(SHOWN_CHARS_MAX).collect();
    let lines: Vec<String> = grave.take(SHOWN_MAX).map(short).collect();
    if !lines.is_empty() {
        let listed = lines.join("; ");
        let message =
            format!("your findings are on record; report again those that are not fixed: {listed}");
        errors.push(ReplyError::new("work.repeat_findings", "/findings", message));
    }
    end
}

/// What was touched without right beside a verdict that stands all the same.
fn record_breaches(draft: &mut Draft<'_>, number: DispatchNumber, work: &Work) {
    let role = draft.dispatches[&number].role;
    for breach in &work.left_out.breaches {
        let kept = work.left_out.rescue.as_deref().unwrap_or("the dispatch's folder");
        let message = format!(
            "{role} changed {} ({}); the change is kept in {kept}",
            breach.path, breach.why
        );
        draft.notice(NoticeCode::WorkNotAllowed, message);
    }
    for odd in &work.documents.notices {
        draft.notice(NoticeCode::WorkOddDocument, odd.clone());
    }
    for tag in &work.code.refused_tags {
        let message = format!(
            "{role} made the tag {tag}, which the repository has already or which is no plain name; it is not kept"
        );
        draft.notice(NoticeCode::ReleaseTagRefused, message);
    }
    for path in &work.documents.dropped {
        let message =
            format!("{role} changed {path}; only Tollgate writes it, so the change was dropped");
        draft.notice(NoticeCode::WorkDropped, message);
    }
    for claim in &work.documents.status_claims {
        let legal = matches!(
            (role, TaskStatus::parse(&claim.status)),
            (Role::Coder, Some(TaskStatus::InProgress | TaskStatus::Implemented))
        );
        if !legal {
            let message = format!(
                "{role} set {} to {:?} in tasks.yaml; only Tollgate may, so the change was dropped",
                claim.task, claim.status
            );
            draft.notice(NoticeCode::WorkStatusClaim, message);
        }
    }
}

fn by_status(draft: &mut Draft<'_>, number: DispatchNumber, reply: &Reply, work: &Work) {
    let dispatch = &draft.dispatches[&number];
    let (role, purpose) = (dispatch.role, dispatch.purpose.clone());
    let judges = matches!(purpose, Purpose::Review | Purpose::Test | Purpose::Audit);
    report::record(draft, number, reply);
    take::note_manual_steps(draft, number, reply);
    if questions::stops_for(draft, number, reply, work) {
        return;
    }
    let dispatch = &draft.dispatches[&number];
    let judges_step =
        matches!(purpose, Purpose::Step { .. } | Purpose::Look { .. } | Purpose::Correction { .. });
    match reply.status {
        // Beside others its own changes have to go together with theirs first.
        _ if judges
            && dispatch.is_member()
            && work.code.commit.is_some()
            && reply.status != ReplyStatus::Fail =>
        {
            draft.emit(Event::MemberReady { number, verdict: Verdict::Accepted });
        }
        _ if judges => reply::verdict(draft, number, reply),
        _ if judges_step && role.is_reviewing() => severity::judged(draft, number, reply),
        _ if scope::stops_for(draft, number, reply, work) => {}
        ReplyStatus::Ok if report::stops(draft, number, reply) => {}
        ReplyStatus::Ok => take::accept(draft, number, reply, work),
        _ if role == Role::Coder && wants_full(draft, reply) => {
            ending::close(draft, number, Verdict::SetAside);
            take::go_full(draft, format!("Coder asked for it: {}", reply.summary));
        }
        ReplyStatus::Blocked => reply::blocked(draft, number, &purpose, reply),
        ReplyStatus::Fail | ReplyStatus::NeedsDecision | ReplyStatus::NeedsInfo => {
            reply::failed(draft, number, reply);
        }
    }
    questions::ask_beside(draft, number, reply);
}

fn wants_full(draft: &Draft<'_>, reply: &Reply) -> bool {
    draft.can_become_full()
        && reply.status == ReplyStatus::Blocked
        && reply.recommended_agent == Some(Role::SpecAgent)
}
