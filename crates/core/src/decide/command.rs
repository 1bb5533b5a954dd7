//! Commands of people: answers, silence, and the end of a session.

use super::{Draft, ask, attempt, checks, gate, parallel, repair, reply, report, scope, severity};
use crate::answer::{self, Answer};
use crate::decision::{
    Blocker, BlockerCode, Decision, DecisionKind, DecisionStatus, Resolution, Subject,
};
use crate::event::{CriterionResult, Event, Finding, FindingStatus, Verdict};
use crate::id::{CommandId, DecisionId, DispatchNumber, TaskRef};
use crate::input::Command;
use crate::refusal::Refusal;
use crate::reply::Severity;
use crate::role::{RepairLoop, Role};
use crate::session::Gate;
use crate::task::TaskStatus;

pub(super) fn decide(draft: &mut Draft<'_>, command: Command) -> Result<(), Refusal> {
    if draft.commands_seen.contains(command.id()) {
        return Ok(());
    }
    // A cancel that is delivered twice finds its work done.
    if draft.is_cancelled() && matches!(command, Command::Cancel { .. }) {
        return Ok(());
    }
    if draft.is_over() {
        return Err(Refusal::SessionOver { state: draft.state().to_string() });
    }
    match command {
        Command::Answer { id, decision, round, answer, reason } => {
            let asked = asked(draft, &decision, round)?;
            self::answer(draft, id, asked, &answer, reason.as_deref())
        }
        Command::NoResponse { id, decision } => no_response(draft, id, &decision),
        Command::GateExhausted { id, decision } => gate_exhausted(draft, id, &decision),
        Command::Cancel { id, reason } => {
            if !answer::says_something(&reason) {
                return Err(Refusal::ReasonNeeded { what: "a cancel" });
            }
            cancel(draft, None, Some(id), reason.trim());
            Ok(())
        }
    }
}

/// The question that an answer is for. No words count that were given before it was asked.
fn asked(draft: &Draft<'_>, id: &DecisionId, round: u32) -> Result<Decision, Refusal> {
    let decision = draft.decision(id).ok_or_else(|| Refusal::NotAsked { id: id.clone() })?;
    if round == 0 {
        return Err(Refusal::NotAsked { id: id.clone() });
    }
    if draft.round(id) != round {
        return Err(Refusal::AskedAgain { id: id.clone() });
    }
    Ok(decision.clone())
}

fn answer(
    draft: &mut Draft<'_>,
    command: CommandId,
    decision: Decision,
    given: &str,
    reason: Option<&str>,
) -> Result<(), Refusal> {
    let id = &decision.decision_id;
    if !decision.is_pending() && decision.kind != DecisionKind::Strategy {
        let status = decision.resolution.status.to_string();
        return Err(Refusal::NotPending { id: id.clone(), status });
    }
    let answer = answer::read(&decision, given, reason)?;
    refuse_to_accept_critical(draft, &decision, &answer)?;
    refuse_bad_duration(&decision, &answer)?;
    refuse_bad_minimum(&decision, &answer)?;
    gate::refuse_stale_evidence(draft, &decision, &answer)?;
    if answer.keyword == "cancel" {
        cancel(draft, Some(id), Some(command), answer.words());
        return Ok(());
    }
    let deferred = decision.kind == DecisionKind::Security && answer.keyword == "fix-later";
    let resolution = Resolution {
        // A conscious deferral is on record as one, with the person's reason.
        status: if deferred { DecisionStatus::Cancelled } else { DecisionStatus::Answered },
        answer: Some(answer.canonical()),
        resolved_at: Some(draft.now()),
        reason: if deferred { answer.text.clone() } else { reason.map(str::to_owned) },
        command: Some(command),
        stage: draft.stage.clone().filter(|_| decision.kind == DecisionKind::Approve),
    };
    draft.emit(Event::DecisionResolved { id: id.clone(), resolution });
    follow(draft, &decision, &answer);
    Ok(())
}

fn refuse_to_accept_critical(
    draft: &Draft<'_>,
    decision: &Decision,
    answer: &Answer,
) -> Result<(), Refusal> {
    let accepted = match (&decision.subject, answer.keyword.as_str()) {
        (Subject::Repair { task, .. }, "accept-with-known-issues") => {
            let open = draft.findings.iter().filter(|f| f.status == FindingStatus::Open);
            open.filter(|f| f.task == *task).cloned().collect()
        }
        (Subject::Notes { task, .. }, "accept") => noted(draft, task),
        _ => return Ok(()),
    };
    let open = accepted.iter().filter(|f| f.report.severity == Severity::Critical).count();
    if open == 0 {
        return Ok(());
    }
    Err(Refusal::CriticalOpen {
        id: decision.decision_id.clone(),
        answer: answer.canonical(),
        open,
    })
}

fn refuse_bad_duration(decision: &Decision, answer: &Answer) -> Result<(), Refusal> {
    if answer.keyword == "extend" && answer::duration_ms(answer.words()).is_none() {
        return Err(Refusal::BadAnswer {
            id: decision.decision_id.clone(),
            given: answer.canonical(),
            why: ": that is not a duration".to_owned(),
            expected: vec![
                "extend: 90s".to_owned(),
                "extend: 30m".to_owned(),
                "extend: 1h".to_owned(),
            ],
        });
    }
    Ok(())
}

fn refuse_bad_minimum(decision: &Decision, answer: &Answer) -> Result<(), Refusal> {
    if answer.keyword == "lower" && answer::minimum(answer.words()).is_none() {
        return Err(Refusal::BadAnswer {
            id: decision.decision_id.clone(),
            given: answer.canonical(),
            why: ": it needs a number of per cent and the reason".to_owned(),
            expected: vec!["lower: 70 generated code is not covered".to_owned()],
        });
    }
    Ok(())
}

/// What an answer sets in motion.
fn follow(draft: &mut Draft<'_>, decision: &Decision, answer: &Answer) {
    match &decision.subject {
        Subject::Gate { step } if answer.keyword == "changes-requested" => {
            gate::reject(draft, *step, answer.words());
        }
        Subject::Gate { .. }
        | Subject::Strategy
        | Subject::Info { .. }
        | Subject::Refinement { .. } => {}
        Subject::Scope { dispatch, paths } => scope::answered(draft, *dispatch, paths, answer),
        Subject::Notes { task, dispatch } => notes(draft, task, *dispatch, answer),
        Subject::Repair { task, repair } => repaired(draft, task, *repair, answer),
        Subject::Finding { task, dispatch, finding } => {
            security(draft, task, *dispatch, *finding, &decision.question, answer);
        }
        Subject::Dispatch { dispatch } => escalated(draft, *dispatch, answer),
        Subject::Budget => {
            ask::unblock(draft);
            draft.emit(Event::BudgetExtended);
            super::failure::start_due(draft);
        }
        Subject::Files => ask::unblock(draft),
        Subject::Severity { .. } => severity::answered(draft, answer),
        Subject::Coverage { check } => checks::coverage_answered(draft, *check, answer),
        Subject::Manual { checks, .. } => manual(draft, checks, answer),
    }
}

/// Findings become known issues.
fn accept_findings(draft: &mut Draft<'_>, findings: &[Finding], reason: &str) {
    for finding in findings {
        let line = reply::finding_line(&finding.report);
        reply::accept_finding(draft, finding, reason, line);
    }
}

/// What a role found about a task. What is weakened is decided for itself.
fn open_of(draft: &Draft<'_>, task: &TaskRef, role: Role) -> Vec<Finding> {
    draft.open_findings(task, role).filter(|f| !f.is_weakening()).cloned().collect()
}

/// What the question of a review's notes is about.
fn noted(draft: &Draft<'_>, task: &TaskRef) -> Vec<Finding> {
    let mut noted = open_of(draft, task, Role::Reviewer);
    noted.extend(super::weakened::open(draft, task));
    noted
}

fn notes(draft: &mut Draft<'_>, task: &TaskRef, dispatch: DispatchNumber, answer: &Answer) {
    let noted = noted(draft, task);
    if answer.keyword == "accept" {
        accept_findings(draft, &noted, "accepted as a note");
        // Where another role's change was asked about, the review has still to look at it.
        let asks = draft.dispatches.get(&dispatch).map(|dispatch| dispatch.role);
        if asks == Some(Role::Reviewer) {
            let (task, role) = (task.clone(), Role::Reviewer);
            draft.emit(Event::GatePassed { task, role });
        }
        return;
    }
    let mut lines: Vec<String> =
        noted.iter().map(|finding| reply::finding_line(&finding.report)).collect();
    lines.extend(answer.text.iter().map(|text| format!("the person says: {text}")));
    repair::object_in_words(draft, task, RepairLoop::FixReview, lines, answer.words());
}

/// The person decided how a repair loop continues.
fn repaired(draft: &mut Draft<'_>, task: &TaskRef, repair: RepairLoop, answer: &Answer) {
    ask::unblock(draft);
    unblock_task(draft, task);
    let source = Gate::of_repair(repair).map_or(Role::Orchestrator, Gate::role);
    if answer.keyword == "accept-with-known-issues" {
        // Where only others reported something, the reviewing role has not looked yet.
        let is_judged = draft.open_findings(task, source).next().is_some();
        let found = open_of(draft, task, source);
        accept_findings(draft, &found, answer.words());
        let reported: Vec<Finding> =
            report::open(draft).filter(|finding| finding.task == *task).cloned().collect();
        accept_findings(draft, &reported, answer.words());
        draft.emit(Event::KnownIssueNoted { text: answer.words().to_owned() });
        if Gate::of_repair(repair).is_some() && (is_judged || reported.is_empty()) {
            draft.emit(Event::GatePassed { task: task.clone(), role: source });
        }
        return;
    }
    let told = match answer.keyword.as_str() {
        "different-approach" => "take a different approach",
        "simplify" => "simplify the scope",
        _ => "follow this guidance",
    };
    let mut feedback = vec![format!("the person says, {told}: {}", answer.words())];
    for role in [source, Role::Orchestrator] {
        let open = draft.open_findings(task, role);
        feedback.extend(open.map(|finding| reply::finding_line(&finding.report)));
    }
    feedback.extend(report::lines_about(draft, task));
    feedback.dedup();
    let (task, authorized) = (task.clone(), scope::named_paths(answer.words()));
    draft.emit(Event::RepairOpened { task, repair, feedback, consented: true, authorized });
}

fn unblock_task(draft: &mut Draft<'_>, task: &TaskRef) {
    if let TaskRef::Task(id) = task
        && let Some(task) = draft.task(id).filter(|task| task.status == TaskStatus::Blocked)
    {
        let status = task.before_block;
        draft.emit(Event::TaskMoved { task: id.clone(), status });
    }
}

fn security(
    draft: &mut Draft<'_>,
    task: &TaskRef,
    dispatch: DispatchNumber,
    finding: u32,
    question: &str,
    answer: &Answer,
) {
    let line =
        draft.findings.iter().find(|f| f.id == finding).map(|f| reply::finding_line(&f.report));
    let (status, word) = match answer.keyword.as_str() {
        "fix-later" => (Some(FindingStatus::Tracked), "to be fixed later"),
        "accept-risk" => (Some(FindingStatus::Accepted), "risk accepted"),
        _ => (None, ""),
    };
    if let Some(status) = status {
        // A question of Security without a finding settles none.
        if line.is_some() {
            let reason = answer.text.clone();
            draft.emit(Event::FindingSettled { id: finding, status, reason });
        }
        let text = format!("{} ({word}: {})", line.unwrap_or(question.to_owned()), answer.words());
        draft.emit(Event::KnownIssueNoted { text });
    }
    if draft.waits_for_findings_of(dispatch) {
        return;
    }
    let lines: Vec<String> = fix_now_lines(draft, dispatch);
    if lines.is_empty() {
        return draft.emit(Event::GatePassed { task: task.clone(), role: Role::Security });
    }
    repair::object(draft, task, RepairLoop::FixSecurity, lines);
}

/// The findings of one audit that the person wants fixed now.
fn fix_now_lines(draft: &Draft<'_>, number: DispatchNumber) -> Vec<String> {
    let decisions = draft.decisions.iter().filter_map(|decision| match &decision.subject {
        Subject::Finding { dispatch, finding, .. }
            if *dispatch == number && decision.answered() == Some("fix-now") =>
        {
            Some((*finding, decision.question.clone()))
        }
        _ => None,
    });
    decisions
        .map(|(id, question)| {
            let finding = draft.findings.iter().find(|f| f.id == id);
            finding.map_or(question, |f| reply::finding_line(&f.report))
        })
        .collect()
}

/// Who plays an attempt that a person fixes by hand; no agent of the settings can have this name.
pub const MANUAL_FIX: &str = "(manual-fix)";

/// One consent buys one attempt.
fn escalated(draft: &mut Draft<'_>, number: DispatchNumber, answer: &Answer) {
    if matches!(answer.keyword.as_str(), "fix" | "approve") {
        return report::answered(draft, number, answer);
    }
    ask::unblock(draft);
    let task = draft.dispatches[&number].task.clone();
    unblock_task(draft, &task);
    if answer.keyword == "skip" {
        draft.emit(Event::DispatchClosed { number, verdict: Verdict::Skipped });
        return parallel::settle_conflicts_of(draft, number);
    }
    // Fixing by hand was for one attempt; another agent is for all that follow.
    let known = draft.dispatches[&number].chosen.clone();
    let (mut timeout_ms, mut agent) = (None, known.filter(|name| name != MANUAL_FIX));
    match (answer.keyword.as_str(), &answer.text) {
        ("manual-fix", _) => agent = Some(MANUAL_FIX.to_owned()),
        ("retry", Some(text)) => {
            let authorized = scope::named_paths(text);
            let text = format!("the person says: {text}");
            draft.emit(Event::GuidanceGiven { number, text, authorized });
        }
        ("retry-with", Some(name)) => agent = Some(name.clone()),
        ("extend", Some(text)) => timeout_ms = answer::duration_ms(text),
        _ => {}
    }
    attempt::start_with_consent(draft, number, timeout_ms, agent);
}

fn manual(draft: &mut Draft<'_>, checks: &[String], answer: &Answer) {
    if answer.keyword == "not-met" {
        let mut lines = vec![format!("a check by hand does not hold: {}", answer.words())];
        lines.extend(checks.iter().cloned());
        let (task, repair) = (TaskRef::Meta, RepairLoop::FixTests);
        return repair::object_in_words(draft, &task, repair, lines, answer.words());
    }
    draft.emit(Event::ManualChecksSettled { checks: checks.to_vec() });
    if answer.keyword == "waived" {
        let reason = answer.words().to_owned();
        for check in checks {
            draft.emit(Event::KnownIssueNoted { text: format!("{check} (waived: {reason})") });
        }
        waive_criteria(draft, checks, &reason);
    }
}

fn waive_criteria(draft: &mut Draft<'_>, checks: &[String], reason: &str) {
    let waived: Vec<String> = draft
        .criteria
        .iter()
        .filter(|criterion| {
            criterion.verify.iter().any(|check| match check {
                crate::task::Check::Manual(text) => checks.contains(text),
                crate::task::Check::Command(_) => false,
            })
        })
        .map(|criterion| criterion.id.clone())
        .collect();
    for id in waived {
        let result = CriterionResult::Waived { reason: reason.to_owned() };
        draft.emit(Event::CriterionSettled { id, result });
    }
}

/// Asked, and nothing came: ad-hoc questions lapse, all others stay.
fn no_response(draft: &mut Draft<'_>, command: CommandId, id: &DecisionId) -> Result<(), Refusal> {
    let decision = pending(draft, id)?;
    let is_of_plan = matches!(decision.subject, Subject::Refinement { .. });
    if decision.kind != DecisionKind::Info || is_of_plan {
        return Ok(());
    }
    let resolution = Resolution {
        status: DecisionStatus::Cancelled,
        answer: None,
        resolved_at: Some(draft.now()),
        reason: Some("no response provided".to_owned()),
        command: Some(command),
        stage: None,
    };
    draft.emit(Event::DecisionResolved { id: id.clone(), resolution });
    Ok(())
}

/// There is room in the budget again.
pub(super) fn skip_budget_question(draft: &mut Draft<'_>) {
    let asked = draft.pending_decisions().find(|d| d.subject == Subject::Budget);
    if let Some(id) = asked.map(|decision| decision.decision_id.clone()) {
        let resolution = Resolution {
            status: DecisionStatus::Skipped,
            answer: None,
            resolved_at: Some(draft.now()),
            reason: Some("the limit was raised".to_owned()),
            command: None,
            stage: None,
        };
        draft.emit(Event::DecisionResolved { id, resolution });
    }
    ask::unblock(draft);
}

/// A mandatory gate was asked as often as it may be.
fn gate_exhausted(
    draft: &mut Draft<'_>,
    command: CommandId,
    id: &DecisionId,
) -> Result<(), Refusal> {
    let decision = pending(draft, id)?;
    if !matches!(decision.kind, DecisionKind::Approve | DecisionKind::Strategy) {
        return Ok(());
    }
    let resolution = Resolution {
        status: DecisionStatus::Cancelled,
        answer: None,
        resolved_at: Some(draft.now()),
        reason: Some("no valid answer was given".to_owned()),
        command: Some(command),
        stage: None,
    };
    draft.emit(Event::DecisionResolved { id: id.clone(), resolution });
    let blocker = Blocker {
        code: BlockerCode::MandatoryUserDecisionMissing,
        detail: format!("{id} needs an answer and none of those given was one"),
        remedy: "`tollgate resume` asks again".to_owned(),
    };
    draft.emit(Event::Blocked { blocker });
    Ok(())
}

fn pending(draft: &Draft<'_>, id: &DecisionId) -> Result<Decision, Refusal> {
    let decision =
        draft.decision(id).cloned().ok_or_else(|| Refusal::NotAsked { id: id.clone() })?;
    if decision.is_pending() {
        Ok(decision)
    } else {
        let status = decision.resolution.status.to_string();
        Err(Refusal::NotPending { id: id.clone(), status })
    }
}

/// Ends the session for good. Nothing is rolled back.
fn cancel(
    draft: &mut Draft<'_>,
    by: Option<&DecisionId>,
    command: Option<CommandId>,
    reason: &str,
) {
    let open: Vec<DecisionId> = draft.pending_decisions().map(|d| d.decision_id.clone()).collect();
    for id in open {
        let is_cause = by == Some(&id);
        let resolution = Resolution {
            status: if is_cause { DecisionStatus::Cancelled } else { DecisionStatus::Skipped },
            answer: None,
            resolved_at: Some(draft.now()),
            reason: Some(if is_cause {
                reason.to_owned()
            } else {
                "the session was cancelled".to_owned()
            }),
            command: command.clone(),
            stage: None,
        };
        draft.emit(Event::DecisionResolved { id, resolution });
    }
    for number in draft.open.clone() {
        draft.emit(Event::DispatchClosed { number, verdict: Verdict::Cancelled });
    }
    let blocker = Blocker {
        code: BlockerCode::Cancelled,
        detail: format!("cancelled: {reason}"),
        remedy: "accepted work stays on the session's branch; a new run starts afresh".to_owned(),
    };
    draft.emit(Event::Blocked { blocker });
}
