//! Findings on record: how they are written, told, settled and taken by a person.

use crate::answer::{Choice, SecurityAnswer};
use crate::decide::draft::Draft;
use crate::decide::earlier;
use crate::decision::Subject;
use crate::event::{Event, Finding, FindingOrigin, FindingStatus, Purpose};
use crate::feedback::Feedback;
use crate::id::{DispatchNumber, FindingId, TaskRef};
use crate::mutant::Mutant;
use crate::reply::{Concern, Reply, ReplyStatus, ReportedFinding, Severity};
use crate::role::Role;
use crate::session::Unit;
use crate::work::ScopeClass;

/// One finding: a new one, or one more report of a known one.
pub fn record(
    draft: &mut Draft<'_>,
    origin: FindingOrigin,
    task: &TaskRef,
    report: &ReportedFinding,
    status: FindingStatus,
) -> Finding {
    let known = draft.record.findings.iter().find(|known| {
        known.origin == origin && known.task == *task && known.report.is_same_as(report)
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
            origin,
            task: task.clone(),
            report: report.clone(),
            status,
            times: 1,
        },
    };
    draft.emit(Event::FindingRecorded { finding: finding.clone() });
    finding
}

/// What is grave stays open, the rest is tracked.
pub fn record_all(
    draft: &mut Draft<'_>,
    source: Role,
    task: &TaskRef,
    reports: &[ReportedFinding],
) {
    for report in reports {
        let is_grave = report.severity.is_grave();
        let status = if is_grave { FindingStatus::Open } else { FindingStatus::Tracked };
        record(draft, FindingOrigin::Role { role: source }, task, report, status);
    }
}

/// Puts on record what an attempt reports without a verdict on it: what is grave stays open, the rest is tracked.
pub fn keep(draft: &mut Draft<'_>, number: DispatchNumber, found: &[ReportedFinding]) {
    let dispatch = &draft.dispatches[&number];
    let (role, is_review) = (dispatch.role, dispatch.purpose == Purpose::Review);
    // What is known of a task that has left the plan is about the session as a whole.
    let is_planned = draft.unit(&dispatch.task).is_some();
    let task = if is_planned { dispatch.task.clone() } else { TaskRef::Meta };
    let mut reports = not_answered(draft, role, &task, found);
    if is_review {
        soften(draft, role, &task, &mut reports);
    }
    record_all(draft, role, &task, &reports);
}

/// What was reported, each once and at its worst, and not already answered by a person.
fn not_answered(
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
        !draft.record.findings.iter().any(|known| {
            is_answered(draft, known)
                && known.source() == role
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
        draft.decisions.asked.iter().any(|decision| {
            let is_it =
                matches!(&decision.subject, Subject::Finding { finding: id, .. } if *id == Some(finding.id));
            let answer = decision.decided.as_ref();
            is_it && matches!(answer, Some(Choice::Security(SecurityAnswer::FixLater(_))))
        })
    };
    finding.status == FindingStatus::Accepted
        || (finding.status == FindingStatus::Tracked && put_off())
}

/// What was reported, each once and at its worst, and not already answered by a person.
/// A BLOCKED without findings is one itself.
pub fn effective_reports(
    draft: &Draft<'_>,
    role: Role,
    task: &TaskRef,
    reply: &Reply,
) -> Vec<ReportedFinding> {
    let mut reports = not_answered(draft, role, task, &reply.findings);
    if reports.is_empty() && reply.status == ReplyStatus::Blocked {
        reports.push(ReportedFinding::plain(Severity::High, "", reply.summary.clone()));
    }
    reports
}

/// What is not reported again has been fixed, or was none: all that the role found, or what this dispatch alone reported
/// before.
pub fn settle_gone(
    draft: &mut Draft<'_>,
    source: Role,
    task: &TaskRef,
    (reply, reports): (&Reply, &[ReportedFinding]),
    only_of: Option<DispatchNumber>,
) {
    let gone: Vec<(FindingId, Option<String>)> = draft
        .open_findings(task, source)
        .filter(|known| only_of.is_none_or(|number| draft.alone_reported(number, &known.report)))
        .filter(|known| !reports.iter().any(|report| report.is_same_as(&known.report)))
        .map(|known| (known.id, earlier::reason(reply, known)))
        .collect();
    for (id, reason) in gone {
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Fixed, reason });
    }
}

/// A person takes it as it is: from now on it is a known issue.
pub fn accept_finding(draft: &mut Draft<'_>, finding: &Finding, reason: &str, known_issue: String) {
    let reason = Some(reason.to_owned()).filter(|reason| !reason.is_empty());
    let (id, status) = (finding.id, FindingStatus::Accepted);
    draft.emit(Event::FindingSettled { id, status, reason });
    draft.emit(Event::KnownIssueNoted { text: known_issue });
}

/// A person approves grave findings with a justification.
pub fn approve_findings(draft: &mut Draft<'_>, grave: &[Finding], justification: &str) {
    for finding in grave {
        let text = format!("{} (approved: {justification})", finding.report.in_words());
        accept_finding(draft, finding, justification, text);
    }
}

/// A Reviewer's remark that a file is out of scope warns, whatever severity it was given. Says whether there are no
/// other remarks.
pub fn soften(
    draft: &Draft<'_>,
    role: Role,
    task: &TaskRef,
    reports: &mut [ReportedFinding],
) -> bool {
    if role != Role::Reviewer || Mutant::TakesARemarkAboutScopeForAnObjection.is_planted() {
        return false;
    }
    let units: Vec<&Unit> = match task {
        TaskRef::Meta => {
            draft.plan.tasks.iter().map(|task| &task.unit).chain([&draft.plan.meta]).collect()
        }
        task => draft.unit(task).into_iter().collect(),
    };
    let is_left_out = |file: &String| {
        let mut known = units.iter().filter_map(|unit| unit.beyond.get(file));
        known.any(|scoped| scoped.class == ScopeClass::Violation)
    };
    let mut only = !reports.is_empty();
    for report in reports {
        let warns = report.file.as_ref().is_some_and(|file| only_warns(report, is_left_out(file)));
        if warns {
            report.severity = Severity::Low;
        }
        only &= warns;
    }
    only
}

/// What the engine has left out itself cannot reject anything. A typed result has no categories: there only such a file
/// tells what a remark is about. Of files that the engine left in, a blocker stays one.
fn only_warns(report: &ReportedFinding, is_left_out: bool) -> bool {
    match report.concern() {
        Concern::Scope => is_left_out || report.severity < Severity::Critical,
        Concern::Untold => is_left_out,
        Concern::NoTestRunner | Concern::Other => false,
    }
}

/// What roles that do not review reported and nobody has fixed or decided about.
pub fn reported<'a>(draft: &'a Draft<'_>) -> impl Iterator<Item = &'a Finding> {
    draft.record.findings.iter().filter(|finding| {
        finding.status == FindingStatus::Open
            && !finding.source().is_reviewing()
            && finding.source() != Role::Orchestrator
    })
}

/// What somebody who works on a task has to know of it.
pub fn told_about(draft: &Draft<'_>, task: &TaskRef) -> Feedback {
    Feedback::of(reported(draft).filter(|finding| finding.task == *task))
}
