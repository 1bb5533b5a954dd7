//! What a reply other than a plain OK leads to: verdicts of reviewing roles, questions, refusals.

use super::{Draft, accept, ask, escalate, repair, report, scope, weakened};
use crate::decision::{BlockerCode, Subject};
use crate::event::{Event, Finding, FindingStatus, Purpose, Verdict};
use crate::id::{DispatchNumber, TaskRef};
use crate::limits::SAME_FINDING_MAX;
use crate::proof::one_line;
use crate::reply::{Reply, ReplyStatus, ReportedFinding, Severity};
use crate::role::Role;
use crate::session::Gate;

/// Reviewer, QA or Security has judged.
pub(super) fn verdict(draft: &mut Draft<'_>, number: DispatchNumber, reply: &Reply) {
    if reply.status == ReplyStatus::Fail {
        keep(draft, number, &reply.findings);
        return failed(draft, number, reply);
    }
    let dispatch = &draft.dispatches[&number];
    let (role, task) = (dispatch.role, dispatch.task.clone());
    let Some(gate) = Gate::of_role(role) else {
        return;
    };
    // The task left the plan while it was looked at.
    if draft.unit(&task).is_none() {
        keep(draft, number, &reply.findings);
        return draft.emit(Event::DispatchClosed { number, verdict: Verdict::SetAside });
    }
    let blocked = reply.status == ReplyStatus::Blocked;
    let mut reports = effective_reports(draft, role, &task, reply);
    let only_warns = scope::soften(draft, role, &task, &mut reports);
    let is_grave = reports.iter().any(|report| report.severity.is_grave());
    let objects = (blocked && !only_warns) || is_grave;
    let verdict = if objects { Verdict::Objected } else { Verdict::Accepted };
    // Beside a verdict its own changes are taken, tests of QA above all: they are looked at as any other.
    let work = draft.dispatches[&number].delivered.as_ref().map(|delivered| delivered.work.clone());
    draft.emit(Event::DispatchClosed { number, verdict });
    weakened::note(draft, number, &work.unwrap_or_default());
    accept::note_assumptions(draft, reply);
    let findings = record_findings(draft, role, &task, &reports, objects);
    if objects {
        let lines: Vec<String> = findings.iter().map(|f| finding_line(&f.report)).collect();
        if findings.iter().any(|finding| finding.times >= SAME_FINDING_MAX) {
            return ask::non_convergence(draft, &task, gate.repair(), &lines);
        }
        return repair::object(draft, &task, gate.repair(), lines);
    }
    let mut medium: Vec<&Finding> =
        findings.iter().filter(|f| f.report.severity == Severity::Medium).collect();
    let weakened = weakened::open(draft, &task);
    if role == Role::Reviewer {
        medium.extend(&weakened);
    }
    match role {
        Role::Security if !medium.is_empty() || reply.status == ReplyStatus::NeedsDecision => {
            ask::security(draft, number, &task, &medium, &reply.summary);
        }
        Role::Reviewer if !medium.is_empty() => ask::notes(draft, number, &task, &medium),
        _ => {
            draft.emit(Event::GatePassed { task: task.clone(), role });
            weakened::ask(draft, number, &task);
        }
    }
}

/// What was reported, each once and at its worst, and not already answered by a person.
/// A BLOCKED without findings is one itself.
pub(super) fn effective_reports(
    draft: &Draft<'_>,
    role: Role,
    task: &TaskRef,
    reply: &Reply,
) -> Vec<ReportedFinding> {
    let mut reports = reported(draft, role, task, &reply.findings);
    if reports.is_empty() && reply.status == ReplyStatus::Blocked {
        reports.push(ReportedFinding::plain(Severity::High, "", reply.summary.clone()));
    }
    reports
}

/// What was reported, each once and at its worst, and not already answered by a person.
fn reported(
    draft: &Draft<'_>,
    role: Role,
    task: &TaskRef,
    found: &[ReportedFinding],
) -> Vec<ReportedFinding> {
    let mut reports: Vec<ReportedFinding> = Vec::new();
    for report in found {
        match reports.iter_mut().find(|known| known.is_same_as(report)) {
            Some(known) if known.severity < report.severity => *known = report.clone(),
            Some(_) => {}
            None => reports.push(report.clone()),
        }
    }
    reports.retain(|report| {
        !draft.findings.iter().any(|known| {
            is_answered(draft, known)
                && known.source == role
                && known.task == *task
                && known.report.is_same_as(report)
                && known.report.severity >= report.severity
        })
    });
    reports
}

/// A person took the risk, or put it off. Answered questions are not asked again.
fn is_answered(draft: &Draft<'_>, finding: &Finding) -> bool {
    let put_off = || {
        draft.decisions.iter().any(|decision| {
            let is_it =
                matches!(&decision.subject, Subject::Finding { finding: id, .. } if *id == finding.id);
            let answer = decision.resolution.answer.as_deref().unwrap_or_default();
            is_it && answer.starts_with("fix-later")
        })
    };
    finding.status == FindingStatus::Accepted
        || (finding.status == FindingStatus::Tracked && put_off())
}

/// Records what was reported, settles what was not reported again, and returns what is open.
fn record_findings(
    draft: &mut Draft<'_>,
    source: Role,
    task: &TaskRef,
    reports: &[ReportedFinding],
    objects: bool,
) -> Vec<Finding> {
    settle_gone(draft, source, task, reports, None);
    let mut open = Vec::new();
    for report in reports {
        let asks = match source {
            _ if report.severity.is_grave() => true,
            Role::Reviewer | Role::Security => report.severity == Severity::Medium,
            _ => objects && report.severity == Severity::Medium,
        };
        let status = if asks { FindingStatus::Open } else { FindingStatus::Tracked };
        let finding = record(draft, source, task, report, status);
        // Where the whole review objects, its small remarks go to the Coder too.
        if status == FindingStatus::Open || objects {
            open.push(finding);
        }
    }
    open
}

/// What is not reported again has been fixed: all that the role found, or what this dispatch alone reported before.
pub(super) fn settle_gone(
    draft: &mut Draft<'_>,
    source: Role,
    task: &TaskRef,
    reports: &[ReportedFinding],
    only_of: Option<DispatchNumber>,
) {
    let gone: Vec<u32> = draft
        .open_findings(task, source)
        .filter(|known| only_of.is_none_or(|number| draft.alone_reported(number, &known.report)))
        .filter(|known| !reports.iter().any(|report| report.is_same_as(&known.report)))
        .map(|known| known.id)
        .collect();
    for id in gone {
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Fixed, reason: None });
    }
}

/// One finding: a new one, or one more report of a known one.
pub(super) fn record(
    draft: &mut Draft<'_>,
    source: Role,
    task: &TaskRef,
    report: &ReportedFinding,
    status: FindingStatus,
) -> Finding {
    let known = draft.findings.iter().find(|known| {
        known.source == source && known.task == *task && known.report.is_same_as(report)
    });
    let finding = match known {
        Some(known) => Finding {
            // Its severity may be another one this time.
            report: report.clone(),
            status,
            times: known.times + 1,
            ..known.clone()
        },
        None => Finding {
            id: draft.next_finding_id(),
            source,
            task: task.clone(),
            report: report.clone(),
            status,
            times: 1,
        },
    };
    draft.emit(Event::FindingRecorded { finding: finding.clone() });
    finding
}

/// Puts on record what an attempt reports without a verdict on it: what is grave stays open, the rest is tracked.
pub(super) fn keep(draft: &mut Draft<'_>, number: DispatchNumber, found: &[ReportedFinding]) {
    let dispatch = &draft.dispatches[&number];
    let (role, is_review) = (dispatch.role, dispatch.purpose == Purpose::Review);
    // What is known of a task that has left the plan is about the session as a whole.
    let is_planned = draft.unit(&dispatch.task).is_some();
    let task = if is_planned { dispatch.task.clone() } else { TaskRef::Meta };
    let mut reports = reported(draft, role, &task, found);
    if is_review {
        scope::soften(draft, role, &task, &mut reports);
    }
    record_all(draft, role, &task, &reports);
}

/// What is grave stays open, the rest is tracked.
pub(super) fn record_all(
    draft: &mut Draft<'_>,
    source: Role,
    task: &TaskRef,
    reports: &[ReportedFinding],
) {
    for report in reports {
        let is_grave = report.severity.is_grave();
        let status = if is_grave { FindingStatus::Open } else { FindingStatus::Tracked };
        record(draft, source, task, report, status);
    }
}

/// A person takes it as it is: from now on it is a known issue.
pub(super) fn accept_finding(
    draft: &mut Draft<'_>,
    finding: &Finding,
    reason: &str,
    known_issue: String,
) {
    let reason = Some(reason.to_owned()).filter(|reason| !reason.is_empty());
    let (id, status) = (finding.id, FindingStatus::Accepted);
    draft.emit(Event::FindingSettled { id, status, reason });
    draft.emit(Event::KnownIssueNoted { text: known_issue });
}

/// A person approves grave findings with a justification.
pub(super) fn approve_findings(draft: &mut Draft<'_>, grave: &[Finding], justification: &str) {
    for finding in grave {
        let text = format!("{} (approved: {justification})", finding_line(&finding.report));
        accept_finding(draft, finding, justification, text);
    }
}

pub(super) fn finding_line(report: &ReportedFinding) -> String {
    let file = report.file.as_deref().map(one_line);
    let line = report.line.as_deref().map(one_line);
    let place = match (&file, &line) {
        (Some(file), Some(line)) => format!("{file}:{line}: "),
        (Some(file), None) => format!("{file}: "),
        _ => String::new(),
    };
    let fix = report.fix.as_deref().map(one_line);
    let fix = fix.map(|fix| format!(" (suggested: {fix})")).unwrap_or_default();
    format!("[{}] {place}{}{fix}", report.severity, one_line(&report.message))
}

/// The Researcher needs to know more: one question each.
pub(super) fn ask_for_information(draft: &mut Draft<'_>, number: DispatchNumber, reply: &Reply) {
    let questions = if reply.questions.is_empty() {
        vec![reply.summary.clone()]
    } else {
        reply.questions.clone()
    };
    for question in questions {
        ask::information(draft, number, &question);
    }
}

/// An agent says that it cannot continue.
pub(super) fn blocked(
    draft: &mut Draft<'_>,
    number: DispatchNumber,
    purpose: &Purpose,
    reply: &Reply,
) {
    if let Purpose::Repair { repair } = purpose {
        // A repair that could not be made is one repair spent.
        let task = draft.dispatches[&number].task.clone();
        draft.emit(Event::DispatchClosed { number, verdict: Verdict::SetAside });
        if !draft.has_task_loop() {
            // The severity gate, or the check that failed, sees what is still open.
            return;
        }
        let source = Gate::of_repair(*repair).map_or(Role::Orchestrator, Gate::role);
        let mut lines = vec![format!("the last repair could not be made: {}", reply.summary)];
        lines.extend(draft.open_findings(&task, source).map(|f| finding_line(&f.report)));
        lines.extend(report::lines_about(draft, &task));
        return repair::object(draft, &task, *repair, lines);
    }
    escalate::agent_stopped(draft, number, BlockerCode::AgentBlocked, &reply.summary);
}

/// An agent says that it failed for good.
pub(super) fn failed(draft: &mut Draft<'_>, number: DispatchNumber, reply: &Reply) {
    escalate::agent_stopped(draft, number, BlockerCode::SubagentFailure, &reply.summary);
}
