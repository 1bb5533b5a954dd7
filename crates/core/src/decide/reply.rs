//! What a reply other than a plain OK leads to: verdicts of reviewing roles, questions, refusals.

use super::draft::Draft;
use super::moves::{ask, ending, escalate, finding, repair};
use super::{looks, report, take, unproven, weakened};
use crate::decision::BlockerCode;
use crate::event::{Event, Finding, FindingOrigin, FindingStatus, Purpose, Verdict};
use crate::feedback::Feedback;
use crate::id::{DispatchNumber, TaskRef};
use crate::limits::SAME_FINDING_MAX;
use crate::mutant::Mutant;
use crate::reply::{Concern, Reply, ReplyStatus, ReportedFinding, Severity};
use crate::role::{RepairLoop, Role};
use crate::session::Gate;

/// Reviewer, QA or Security has judged.
pub(super) fn verdict(draft: &mut Draft<'_>, number: DispatchNumber, reply: &Reply) {
    if reply.status == ReplyStatus::Fail {
        finding::keep(draft, number, &reply.findings);
        return failed(draft, number, reply);
    }
    let dispatch = &draft.dispatches[&number];
    let (role, task) = (dispatch.role, dispatch.task.clone());
    let Some(gate) = Gate::of_role(role) else {
        return;
    };
    // The task left the plan while it was looked at.
    if draft.unit(&task).is_none() {
        finding::keep(draft, number, &reply.findings);
        return ending::close(draft, number, Verdict::SetAside);
    }
    let blocked = reply.status == ReplyStatus::Blocked;
    // Who has found something before could test then: it is a repair like any other.
    let has_found = draft.open_findings(&task, role).next().is_some();
    if role == Role::QA && blocked && !has_found && has_no_way_to_test(reply) {
        return no_way_to_test(draft, number, &task, reply);
    }
    let mut reports = finding::effective_reports(draft, role, &task, reply);
    let only_warns = finding::soften(draft, role, &task, &mut reports);
    let is_grave = reports.iter().any(|report| report.severity.is_grave());
    let objects =
        (blocked && !only_warns && !Mutant::TakesABlockedReviewForAnOk.is_planted()) || is_grave;
    let verdict = if objects { Verdict::Objected } else { Verdict::Accepted };
    // Beside a verdict its own changes are taken, tests of QA above all: they are looked at as any other.
    let work = draft.dispatches[&number].delivered().map(|delivered| delivered.work.clone());
    ending::close(draft, number, verdict);
    weakened::note(draft, number, &work.unwrap_or_default());
    take::note_assumptions(draft, reply);
    looks::follow(draft, number, reply);
    let findings = record_findings(draft, role, &task, (reply, &reports), objects);
    if objects {
        let told = Feedback::of(&findings);
        if findings.iter().any(|finding| finding.times >= SAME_FINDING_MAX)
            && !Mutant::RepairsTheSameFindingForEver.is_planted()
        {
            return ask::non_convergence(draft, &task, gate.repair(), &told.lines);
        }
        return repair::object(draft, &task, gate.repair(), told);
    }
    let mut medium: Vec<&Finding> =
        findings.iter().filter(|f| f.report.severity == Severity::Medium).collect();
    let weakened = weakened::open(draft, &task);
    if role == Role::Reviewer {
        medium.extend(&weakened);
    }
    match role {
        Role::Security if Mutant::AnswersForThePersonAboutSecurity.is_planted() => {
            draft.emit(Event::GatePassed { task, role })
        }
        Role::Security if !medium.is_empty() || reply.status == ReplyStatus::NeedsDecision => {
            ask::security(draft, number, &task, &medium, &reply.summary);
        }
        Role::Reviewer if !medium.is_empty() && !Mutant::PassesAReviewOverItsNotes.is_planted() => {
            ask::notes(draft, number, &task, &medium)
        }
        _ => {
            draft.emit(Event::GatePassed { task: task.clone(), role });
            weakened::ask(draft, number, &task);
        }
    }
}

/// A BLOCKED that names no fault in the work, or says of what it names that tests cannot be run: nothing can be repaired.
fn has_no_way_to_test(reply: &Reply) -> bool {
    let says_so = |report: &ReportedFinding| report.concern() == Concern::NoTestRunner;
    let mut grave = reply.findings.iter().filter(|report| report.severity.is_grave());
    reply.findings.is_empty() || (reply.findings.iter().any(says_so) && grave.all(says_so))
}

fn no_way_to_test(draft: &mut Draft<'_>, number: DispatchNumber, task: &TaskRef, reply: &Reply) {
    let work = draft.dispatches[&number].delivered().map(|delivered| delivered.work.clone());
    ending::close(draft, number, Verdict::Objected);
    weakened::note(draft, number, &work.unwrap_or_default());
    take::note_assumptions(draft, reply);
    let (says_so, others): (Vec<_>, Vec<_>) = reply
        .findings
        .iter()
        .cloned()
        .partition(|report| report.concern() == Concern::NoTestRunner);
    finding::keep(draft, number, &others);
    let said = says_so.first().map_or(&reply.summary, |report| &report.message);
    unproven::ask_about_tests(draft, task, said);
}

/// Records what was reported, settles what was not reported again, and returns what is open.
fn record_findings(
    draft: &mut Draft<'_>,
    source: Role,
    task: &TaskRef,
    (reply, reports): (&Reply, &[ReportedFinding]),
    objects: bool,
) -> Vec<Finding> {
    finding::settle_gone(draft, source, task, (reply, reports), None);
    let mut open = Vec::new();
    for report in reports {
        let asks = match source {
            _ if report.severity.is_grave() => true,
            Role::Reviewer | Role::Security => report.severity == Severity::Medium,
            _ => objects && report.severity == Severity::Medium,
        };
        let status = if asks { FindingStatus::Open } else { FindingStatus::Tracked };
        let finding =
            finding::record(draft, FindingOrigin::Role { role: source }, task, report, status);
        // Where the whole review objects, its small remarks go to the Coder too.
        if status == FindingStatus::Open || objects {
            open.push(finding);
        }
    }
    open
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
        ending::close(draft, number, Verdict::SetAside);
        if !draft.has_task_loop() {
            // The severity gate, or the check that failed, sees what is still open.
            return;
        }
        let source = Gate::of_repair(*repair).map_or(Role::Orchestrator, Gate::role);
        let why = vec![format!("the last repair failed: {}", reply.summary)];
        let told = Feedback::from(why)
            .and(Feedback::of(draft.open_findings(&task, source)))
            .and(finding::told_about(draft, &task));
        return match is_code_at_fault(draft, number, reply) {
            true => repair::object_to_coder(draft, &task, *repair, told),
            false => repair::object(draft, &task, *repair, told),
        };
    }
    if is_code_at_fault(draft, number, reply) {
        let task = draft.dispatches[&number].task.clone();
        ending::close(draft, number, Verdict::SetAside);
        let said = vec![format!("Integrator cannot make it pass: {}", reply.summary)];
        let notes = reply.notes.iter().map(|note| format!("Integrator notes: {note}"));
        let told = Feedback::from(said)
            .and(notes.collect::<Vec<_>>())
            .and(finding::told_about(draft, &task));
        return repair::object_to_coder(draft, &task, RepairLoop::FixBuild, told);
    }
    escalate::agent_stopped(draft, number, BlockerCode::AgentBlocked, &reply.summary);
}

/// After the implement loop an Integrator may not repair code: it says that the Coder must, or what is wrong with it.
fn is_code_at_fault(draft: &Draft<'_>, number: DispatchNumber, reply: &Reply) -> bool {
    let is_grave = |report: &ReportedFinding| report.severity.is_grave();
    let names_code = match reply.recommended_agent {
        Some(agent) => agent == Role::Coder,
        None => reply.findings.iter().any(is_grave),
    };
    draft.dispatches[&number].role == Role::Integrator && report::is_after_loop(draft) && names_code
}

/// An agent says that it failed for good.
pub(super) fn failed(draft: &mut Draft<'_>, number: DispatchNumber, reply: &Reply) {
    escalate::agent_stopped(draft, number, BlockerCode::SubagentFailure, &reply.summary);
}
