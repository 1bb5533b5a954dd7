//! Commands that the engine runs itself, and what their exit codes mean.

use super::{Draft, ask, repair, step, tasks};
use crate::event::{CheckPurpose, CriterionResult, Event, Finding, FindingStatus};
use crate::id::{CheckNumber, TaskRef};
use crate::reply::{ReportedFinding, Severity};
use crate::role::{RepairLoop, Role};
use crate::task::{Check, Criterion};
use crate::work::CheckResult;

pub(super) fn start_for_task(draft: &mut Draft<'_>, task: TaskRef, commands: Vec<String>) {
    start(draft, CheckPurpose::Task { task }, commands);
}

fn start(draft: &mut Draft<'_>, purpose: CheckPurpose, commands: Vec<String>) {
    let last = draft.checks.keys().next_back().copied();
    let number = last.map_or(CheckNumber::FIRST, CheckNumber::next);
    draft.emit(Event::ChecksStarted { number, purpose, commands });
}

/// The checks step: acceptance criteria on the tree as it is, then what only a person can see.
pub(super) fn advance(draft: &mut Draft<'_>) {
    if is_settled(draft) {
        step::next(draft);
    }
}

/// Brings the acceptance criteria to a result. True when nothing is left to do.
pub(super) fn is_settled(draft: &mut Draft<'_>) -> bool {
    if let Some(task) = repair::waiting(draft) {
        repair::dispatch(draft, task);
        return false;
    }
    let is_current = draft.checked_tip.as_ref() == Some(&draft.tip);
    if draft.acceptance != Some(true) || !is_current {
        start_acceptance(draft);
        return false;
    }
    let open = open_manual_checks(draft);
    if !open.is_empty() {
        let last = draft.checks.keys().next_back().copied();
        ask::manual_checks(draft, open, last);
        return false;
    }
    settle_criteria(draft);
    true
}

fn start_acceptance(draft: &mut Draft<'_>) {
    let mut commands: Vec<String> = Vec::new();
    for check in draft.criteria.iter().flat_map(|criterion| &criterion.verify) {
        if let Check::Command(command) = check
            && !commands.contains(command)
        {
            commands.push(command.clone());
        }
    }
    for command in tasks::all_commands(draft) {
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    let purpose = CheckPurpose::Acceptance { step: draft.step };
    start(draft, purpose, commands);
}

/// Of the criteria and of the tasks: a plan that was edited may ask for new ones.
fn open_manual_checks(draft: &Draft<'_>) -> Vec<String> {
    let criteria = draft.criteria.iter().flat_map(|criterion| &criterion.verify);
    let tasks = draft.tasks.iter().flat_map(|task| &task.spec.acceptance_checks);
    let mut open = Vec::new();
    for check in criteria.chain(tasks) {
        if let Check::Manual(text) = check
            && !draft.manual_settled.contains(text)
            && !open.contains(text)
        {
            open.push(text.clone());
        }
    }
    open
}

fn settle_criteria(draft: &mut Draft<'_>) {
    let open: Vec<Criterion> = draft
        .criteria
        .iter()
        .filter(|criterion| !draft.criteria_results.contains_key(&criterion.id))
        .cloned()
        .collect();
    for criterion in open {
        let how: Vec<String> = criterion.verify.iter().map(ToString::to_string).collect();
        let result = CriterionResult::Met { evidence: how.join("; ") };
        draft.emit(Event::CriterionSettled { id: criterion.id, result });
    }
}

pub(super) fn ended(draft: &mut Draft<'_>, number: CheckNumber, results: Vec<CheckResult>) {
    let Some(run) = draft.checks.get(&number).filter(|run| run.passed.is_none()) else {
        return;
    };
    let purpose = run.purpose.clone();
    let failed: Vec<CheckResult> = results.iter().filter(|r| !r.passed).cloned().collect();
    draft.emit(Event::ChecksEnded { number, results });
    let (task, repair) = match purpose {
        CheckPurpose::Task { task } => (task, RepairLoop::FixTests),
        CheckPurpose::Acceptance { .. } => (TaskRef::Meta, RepairLoop::FixBuild),
    };
    settle_old_findings(draft, &task, &failed);
    // A task that left the plan meanwhile is nobody's work any more.
    if failed.is_empty() || draft.unit(&task).is_none() {
        return;
    }
    for result in &failed {
        record_contradiction(draft, &task, result);
    }
    repair::object(draft, &task, repair, failed.iter().map(feedback).collect());
}

fn category() -> String {
    "check".to_owned()
}

fn settle_old_findings(draft: &mut Draft<'_>, task: &TaskRef, failed: &[CheckResult]) {
    let still = |finding: &Finding| failed.iter().any(|r| finding.report.message == complaint(r));
    let gone: Vec<u32> = draft
        .open_findings(task, Role::Orchestrator)
        .filter(|finding| finding.report.category == category() && !still(finding))
        .map(|finding| finding.id)
        .collect();
    for id in gone {
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Fixed, reason: None });
    }
}

/// The work was called done and its check says otherwise. Nobody can accept that away.
fn record_contradiction(draft: &mut Draft<'_>, task: &TaskRef, result: &CheckResult) {
    let message = complaint(result);
    if draft.open_findings(task, Role::Orchestrator).any(|f| f.report.message == message) {
        return;
    }
    let finding = Finding {
        id: draft.findings.iter().map(|f| f.id).max().unwrap_or(0) + 1,
        source: Role::Orchestrator,
        task: task.clone(),
        report: ReportedFinding {
            severity: Severity::Critical,
            category: category(),
            file: None,
            line: None,
            message,
            fix: None,
            is_nit: false,
        },
        status: FindingStatus::Open,
        times: 1,
    };
    draft.emit(Event::FindingRecorded { finding });
}

fn complaint(result: &CheckResult) -> String {
    let how = match (&result.trouble, result.exit_code) {
        (Some(trouble), _) => trouble.clone(),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "no exit code".to_owned(),
    };
    format!("the work was reported as done but `{}` fails: {how}", result.command)
}

fn feedback(result: &CheckResult) -> String {
    let tail = result.output_tail.trim_end();
    if tail.is_empty() {
        complaint(result)
    } else {
        format!("{}\nIts last output:\n{tail}", complaint(result))
    }
}
