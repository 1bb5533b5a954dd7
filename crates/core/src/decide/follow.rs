//! What an answer sets in motion: one function for each kind of question.

use super::draft::Draft;
use super::moves::{ask, attempt, ending, escalate, finding, named, repair};
use super::{
    correction, coverage, evidence, failure, parallel, questions, scope, severity, take, unproven,
    weakened,
};
use crate::answer::{
    ApproveAnswer, Choice, EscalationAnswer, ManualCheckAnswer, NotesAnswer, RepairAnswer,
    SecurityAnswer,
};
use crate::decision::{Decision, Subject};
use crate::event::{CriterionResult, Event, Finding, FindingStatus, Verdict};
use crate::feedback::Feedback;
use crate::id::{DispatchNumber, FindingId, TaskRef};
use crate::mutant::Mutant;
use crate::role::{RepairLoop, Role};
use crate::session::Gate;
use crate::task::Check;
use crate::worker::Worker;

/// What an answer sets in motion.
pub(super) fn follow(draft: &mut Draft<'_>, decision: &Decision, choice: &Choice) {
    match (&decision.subject, choice) {
        (Subject::Gate { step }, Choice::Approve(answer)) => match answer {
            ApproveAnswer::Approved(_) => {}
            _ if Mutant::ForgetsWhatWasRejected.is_planted() => {}
            ApproveAnswer::ChangesRequested(words) => correction::reject(draft, *step, words),
        },
        (Subject::Scope { dispatch, paths }, Choice::Scope(answer)) => {
            scope::answered(draft, *dispatch, paths, answer);
        }
        (Subject::Notes { task, dispatch }, Choice::Notes(answer)) => {
            notes(draft, task, *dispatch, answer);
        }
        (Subject::Repair { task, repair }, Choice::Repair(answer)) => {
            repaired(draft, task, *repair, answer);
        }
        (Subject::Finding { task, dispatch, finding }, Choice::Security(answer)) => {
            security(draft, task, *dispatch, *finding, &decision.question, answer);
        }
        (Subject::Dispatch { dispatch }, Choice::Escalation(answer)) => {
            escalated(draft, *dispatch, answer);
        }
        (Subject::Dispatch { dispatch }, Choice::Justify(answer)) => {
            take::answered(draft, *dispatch, answer);
        }
        (Subject::Budget, Choice::Escalation(_)) => {
            escalate::unblock(draft);
            draft.emit(Event::BudgetExtended);
            failure::start_due(draft);
        }
        (Subject::Files, Choice::Escalation(_)) => escalate::unblock(draft),
        (Subject::Severity { .. }, Choice::Justify(answer)) => severity::answered(draft, answer),
        (Subject::Coverage { check }, Choice::Coverage(answer)) => {
            coverage::answered(draft, *check, answer);
        }
        (Subject::Check { .. }, Choice::Check(answer)) => {
            unproven::answered(draft, decision, answer);
        }
        (Subject::Evidence, Choice::Check(answer)) => evidence::answered(draft, answer),
        (Subject::Manual { checks, .. }, Choice::ManualCheck(answer)) => {
            manual(draft, checks, answer);
        }
        (Subject::Info { dispatch }, _) => questions::answered(draft, *dispatch),
        (Subject::Imported { task: Some(task) }, Choice::Escalation(_)) => {
            ask::unblock_task(draft, &TaskRef::Task(task.clone()));
        }
        // What is on record is all that these need.
        (Subject::Strategy | Subject::Refinement { .. } | Subject::Imported { .. }, _) => {}
        // No such pair is asked: each subject has its kind, and an answer is read by the kind.
        (
            Subject::Gate { .. }
            | Subject::Scope { .. }
            | Subject::Notes { .. }
            | Subject::Repair { .. }
            | Subject::Finding { .. }
            | Subject::Dispatch { .. }
            | Subject::Budget
            | Subject::Files
            | Subject::Severity { .. }
            | Subject::Coverage { .. }
            | Subject::Check { .. }
            | Subject::Evidence
            | Subject::Manual { .. },
            _,
        ) => {}
    }
}

/// Findings become known issues.
fn accept_findings(draft: &mut Draft<'_>, findings: &[Finding], reason: &str) {
    for finding in findings {
        let line = finding.report.in_words();
        finding::accept_finding(draft, finding, reason, line);
    }
}

/// What a role found about a task. What is weakened is decided for itself.
fn open_of(draft: &Draft<'_>, task: &TaskRef, role: Role) -> Vec<Finding> {
    draft.open_findings(task, role).filter(|f| !f.is_weakening()).cloned().collect()
}

/// What the question of a review's notes is about.
pub(super) fn noted(draft: &Draft<'_>, task: &TaskRef) -> Vec<Finding> {
    let mut noted = open_of(draft, task, Role::Reviewer);
    noted.extend(weakened::open(draft, task));
    noted
}

fn notes(draft: &mut Draft<'_>, task: &TaskRef, dispatch: DispatchNumber, answer: &NotesAnswer) {
    let noted = noted(draft, task);
    let words = match answer {
        NotesAnswer::Accept => return accept_notes(draft, task, dispatch, &noted),
        NotesAnswer::Fix => None,
        NotesAnswer::FixNamed(words) => Some(&**words),
    };
    let said: Vec<String> = words.iter().map(|text| format!("the person says: {text}")).collect();
    let told = Feedback::of(&noted).and(said);
    let words = words.unwrap_or_default();
    repair::object_in_words(draft, task, RepairLoop::FixReview, told, words);
}

fn accept_notes(
    draft: &mut Draft<'_>,
    task: &TaskRef,
    dispatch: DispatchNumber,
    noted: &[Finding],
) {
    accept_findings(draft, noted, "accepted as a note");
    // Where another role's change was asked about, the review has still to look at it.
    let asks = draft.dispatches.get(&dispatch).map(|dispatch| dispatch.role);
    if asks == Some(Role::Reviewer) || Mutant::PassesTheReviewForAnotherRole.is_planted() {
        let (task, role) = (task.clone(), Role::Reviewer);
        draft.emit(Event::GatePassed { task, role });
    }
}

/// The person decided how a repair loop continues.
fn repaired(draft: &mut Draft<'_>, task: &TaskRef, repair: RepairLoop, answer: &RepairAnswer) {
    escalate::unblock(draft);
    ask::unblock_task(draft, task);
    let source = Gate::of_repair(repair).map_or(Role::Orchestrator, Gate::role);
    let (told, words) = match answer {
        RepairAnswer::AcceptWithKnownIssues(words) => {
            return accept_known_issues(draft, task, repair, source, words);
        }
        RepairAnswer::DifferentApproach(words) => ("take a different approach", words),
        RepairAnswer::Simplify(words) => ("simplify the scope", words),
        RepairAnswer::Guidance(words) => ("follow this guidance", words),
        RepairAnswer::Full(words) => return take::full_by_person(draft, words),
    };
    let said = vec![format!("the person says to {told}: {}", &**words)];
    let mut told = Feedback::from(said)
        .and(Feedback::of(draft.open_findings(task, source)))
        .and(Feedback::of(draft.open_findings(task, Role::Orchestrator)))
        .and(finding::told_about(draft, task));
    told.lines.dedup();
    repair::open_with_consent(draft, task, repair, told, named::paths(words));
}

fn accept_known_issues(
    draft: &mut Draft<'_>,
    task: &TaskRef,
    repair: RepairLoop,
    source: Role,
    words: &str,
) {
    // Where only checks or others reported something, the reviewing role has not looked yet.
    let is_judged = draft.open_findings(task, source).next().is_some();
    let red = red_checks(draft, task);
    for command in &red {
        let issue = format!("`{command}` fails (accepted: {words})");
        unproven::waive(draft, command, words, issue);
    }
    let found = open_of(draft, task, source);
    accept_findings(draft, &found, words);
    let reported: Vec<Finding> =
        finding::reported(draft).filter(|finding| finding.task == *task).cloned().collect();
    accept_findings(draft, &reported, words);
    if red.is_empty() {
        draft.emit(Event::KnownIssueNoted { text: words.to_owned() });
    }
    let by_others = !red.is_empty() || !reported.is_empty();
    if Gate::of_repair(repair).is_some() && (is_judged || !by_others) {
        draft.emit(Event::GatePassed { task: task.clone(), role: source });
    }
}

/// Commands of checks and gates that fail for a task, each once.
fn red_checks(draft: &Draft<'_>, task: &TaskRef) -> Vec<String> {
    let open = draft.open_findings(task, Role::Orchestrator);
    let mut red: Vec<String> = Vec::new();
    for command in open.filter_map(|finding| finding.origin.command()) {
        if !red.iter().any(|known| known == command) {
            red.push(command.to_owned());
        }
    }
    red
}

fn security(
    draft: &mut Draft<'_>,
    task: &TaskRef,
    dispatch: DispatchNumber,
    finding: Option<FindingId>,
    question: &str,
    answer: &SecurityAnswer,
) {
    let known = draft.record.findings.iter().find(|f| Some(f.id) == finding);
    let line = known.map(|f| f.report.in_words());
    let settled = match answer {
        SecurityAnswer::FixNow => None,
        SecurityAnswer::FixLater(why) => Some((FindingStatus::Tracked, "to be fixed later", why)),
        SecurityAnswer::AcceptRisk(why) => Some((FindingStatus::Accepted, "risk accepted", why)),
    };
    if let Some((status, word, why)) = settled {
        // A question of Security without a finding settles none.
        if let Some(id) = known.map(|finding| finding.id) {
            let reason = Some(why.to_string());
            draft.emit(Event::FindingSettled { id, status, reason });
        }
        let text = format!("{} ({word}: {})", line.unwrap_or(question.to_owned()), &**why);
        draft.emit(Event::KnownIssueNoted { text });
    }
    if draft.waits_for_findings_of(dispatch) {
        return;
    }
    let told = fix_now(draft, dispatch);
    if told.lines.is_empty() {
        return draft.emit(Event::GatePassed { task: task.clone(), role: Role::Security });
    }
    repair::object(draft, task, RepairLoop::FixSecurity, told);
}

/// The findings of one audit that the person wants fixed now.
fn fix_now(draft: &Draft<'_>, number: DispatchNumber) -> Feedback {
    let decisions = draft.decisions.asked.iter().filter_map(|decision| {
        match (&decision.subject, decision.answered()) {
            (
                Subject::Finding { dispatch, finding, .. },
                Some(Choice::Security(SecurityAnswer::FixNow)),
            ) if *dispatch == number => Some((*finding, decision.question.clone())),
            _ => None,
        }
    });
    decisions.fold(Feedback::default(), |told, (id, question)| {
        match draft.record.findings.iter().find(|f| Some(f.id) == id) {
            Some(finding) => told.and(Feedback::of([finding])),
            None => told.and(vec![question]),
        }
    })
}

/// One consent buys one attempt.
fn escalated(draft: &mut Draft<'_>, number: DispatchNumber, answer: &EscalationAnswer) {
    escalate::unblock(draft);
    let task = draft.dispatches[&number].task.clone();
    ask::unblock_task(draft, &task);
    // Fixing by hand was for one attempt; another agent is for all that follow.
    let (mut timeout_ms, mut agent) = (None, draft.dispatches[&number].chosen_agent());
    match answer {
        EscalationAnswer::Retry => {}
        EscalationAnswer::RetryWithGuidance(words) => {
            let authorized = named::paths(words);
            let text = format!("the person says: {}", &**words);
            draft.emit(Event::GuidanceGiven {
                number,
                text,
                findings: Some(Vec::new()),
                authorized,
            });
        }
        EscalationAnswer::RetryWith(name) => agent = Some(Worker::Agent(name.to_string())),
        EscalationAnswer::Extend(extension) => timeout_ms = Some(extension.ms),
        EscalationAnswer::ManualFix => agent = Some(Worker::Person),
        EscalationAnswer::Full(words) => {
            ending::close(draft, number, Verdict::SetAside);
            return take::full_by_person(draft, words);
        }
        EscalationAnswer::Skip => {
            ending::close(draft, number, Verdict::Skipped);
            return parallel::settle_conflicts_of(draft, number);
        }
    }
    attempt::start_with_consent(draft, number, timeout_ms, agent);
}

fn manual(draft: &mut Draft<'_>, checks: &[String], answer: &ManualCheckAnswer) {
    let settled = Event::ManualChecksSettled { checks: checks.to_vec() };
    match answer {
        ManualCheckAnswer::Met => draft.emit(settled),
        ManualCheckAnswer::NotMet(words) => {
            let mut lines = vec![format!("a manual check failed: {}", &**words)];
            lines.extend(checks.iter().cloned());
            let (task, repair) = (TaskRef::Meta, RepairLoop::FixTests);
            repair::object_in_words(draft, &task, repair, lines.into(), words);
        }
        ManualCheckAnswer::Waived(reason) => {
            draft.emit(settled);
            for check in checks {
                let text = format!("{check} (waived: {})", &**reason);
                draft.emit(Event::KnownIssueNoted { text });
            }
            waive_criteria(draft, checks, reason);
        }
    }
}

fn waive_criteria(draft: &mut Draft<'_>, checks: &[String], reason: &str) {
    let waived: Vec<String> = draft
        .plan
        .criteria
        .iter()
        .filter(|criterion| {
            criterion.verify.iter().any(|check| match check {
                Check::Manual(text) => {
                    checks.contains(text) && !Mutant::CallsAWaivedCriterionMet.is_planted()
                }
                Check::Command(_) | Check::Test(_) => false,
            })
        })
        .map(|criterion| criterion.id.clone())
        .collect();
    for id in waived {
        let result = CriterionResult::Waived { reason: reason.to_owned() };
        draft.emit(Event::CriterionSettled { id, result });
    }
}
