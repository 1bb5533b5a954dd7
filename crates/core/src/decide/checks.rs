//! Commands that the engine runs itself, and what their exit codes mean.

use super::draft::Draft;
use super::moves::{ask, enter, finding, repair, settle};
use super::unproven;
use super::{coverage, evidence};
use crate::action::{CheckSubject, Step, StepKind};
use crate::decision::BlockerCode;
use crate::event::{
    CheckPurpose, CheckTree, CriterionResult, Event, Finding, FindingOrigin, FindingStatus,
};
use crate::id::{CheckNumber, FindingId, TaskRef};
use crate::mutant::Mutant;
use crate::reply::{ReportedFinding, Severity};
use crate::role::{RepairLoop, Role};
use crate::task::{Check, Criterion};
use crate::work::CheckResult;

pub(super) fn start_for_task(draft: &mut Draft<'_>, task: TaskRef, commands: Vec<String>) {
    start(draft, CheckPurpose::Task { task }, commands);
}

fn start(draft: &mut Draft<'_>, purpose: CheckPurpose, commands: Vec<String>) {
    let last = draft.checks.runs.keys().next_back().copied();
    let number = last.map_or(CheckNumber::FIRST, CheckNumber::next);
    let tree = tree_for(draft, &purpose, number);
    draft.emit(Event::ChecksStarted { number, purpose, commands, tree });
}

/// What a task's check says is about work under way. Whatever the end rests on is seen in a clone of what is delivered, and
/// in the same one as long as all holds there, because checks may build upon each other.
fn tree_for(draft: &Draft<'_>, purpose: &CheckPurpose, number: CheckNumber) -> CheckTree {
    match (purpose, &draft.checks.clone) {
        (CheckPurpose::Task { .. }, _) => CheckTree::Workspace,
        (_, Some((since, tip)))
            if *tip == draft.branch.tip || Mutant::ChecksInACloneOfAnOldCommit.is_planted() =>
        {
            CheckTree::Fresh { since: *since }
        }
        _ => CheckTree::Fresh { since: number },
    }
}

/// The checks step: one subject after the other, each on the tree as it is.
pub(super) fn advance(draft: &mut Draft<'_>, of: &[CheckSubject]) {
    if let Some(task) = repair::waiting(draft) {
        return repair::dispatch(draft, task);
    }
    for (index, subject) in of.iter().enumerate() {
        let settled = match subject {
            CheckSubject::Acceptance => is_settled(draft),
            _ => subject_holds(draft, (draft.route.step, index), subject),
        };
        if !settled {
            return;
        }
    }
    enter::next(draft);
}

/// Whether everything that a step checked holds on the commit as it is now; what does not is run again.
pub(super) fn all_hold(draft: &mut Draft<'_>) -> bool {
    hold(draft, draft.route.steps.len(), |subject| *subject != CheckSubject::Acceptance)
}

/// Whether the evidence that steps before this one ask for is there for the commit as it is now; what is not is run again,
/// and what is red is repaired.
pub(super) fn evidence_holds(draft: &mut Draft<'_>, before: usize) -> bool {
    let asks = |step: &Step| matches!(&step.kind, StepKind::Checks { of } if of.contains(&CheckSubject::Evidence));
    if !draft.route.steps[..before].iter().any(asks) {
        return true;
    }
    if let Some(task) = repair::waiting(draft) {
        repair::dispatch(draft, task);
        return false;
    }
    hold(draft, before, |subject| *subject == CheckSubject::Evidence)
}

fn hold(draft: &mut Draft<'_>, before: usize, is_meant: fn(&CheckSubject) -> bool) -> bool {
    let steps = draft.route.steps[..before].to_vec();
    let lists = steps.iter().enumerate().filter_map(|(at, step)| match &step.kind {
        StepKind::Checks { of } => Some((at, of)),
        _ => None,
    });
    let mut subjects =
        lists.flat_map(|(at, of)| of.iter().enumerate().map(move |(i, s)| ((at, i), s)));
    subjects.all(|(index, subject)| !is_meant(subject) || subject_holds(draft, index, subject))
}

/// Runs what has not been run on the commit as it is. True when there is nothing left to do.
fn subject_holds(
    draft: &mut Draft<'_>,
    (step, index): (usize, usize),
    subject: &CheckSubject,
) -> bool {
    let command = match subject {
        CheckSubject::Command(command) => command.clone(),
        other => other.to_string(),
    };
    let is_skipped = match subject {
        CheckSubject::Lifecycle => draft.checks.stage.is_none(),
        CheckSubject::Coverage => draft.coverage_minimum().is_none(),
        _ => draft.checks.waived.contains_key(&command),
    };
    if is_skipped || draft.checks.subjects_hold.get(&(step, index)) == Some(&draft.branch.tip) {
        return true;
    }
    let purpose = CheckPurpose::Subject { step, index: Some(index), subject: subject.clone() };
    let commands = match subject {
        CheckSubject::Evidence => match evidence::commands(draft) {
            Ok(commands) => commands,
            Err(is_waived) => return is_waived,
        },
        _ => vec![command],
    };
    start(draft, purpose, commands);
    false
}

/// The stage was changed after its gates had run: they run again under the new one, until they hold.
pub(super) fn renew_lifecycle(draft: &mut Draft<'_>) {
    // What they found under this stage is repaired first; anything else waits until they have run.
    if let Some(task) = repair::waiting(draft).filter(|_| !draft.is_evidence_stale()) {
        return repair::dispatch(draft, task);
    }
    let step = draft.route.step;
    let subject = CheckSubject::Lifecycle;
    let commands = vec![subject.to_string()];
    // No index in a list: nothing but the evidence is renewed.
    let purpose = CheckPurpose::Subject { step, index: None, subject };
    start(draft, purpose, commands);
}

/// Brings the acceptance criteria to a result. True when nothing is left to do.
pub(super) fn is_settled(draft: &mut Draft<'_>) -> bool {
    if let Some(task) = repair::waiting(draft) {
        repair::dispatch(draft, task);
        return false;
    }
    // An action without criteria and tasks has nothing to accept.
    if draft.plan.criteria.is_empty() && draft.plan.tasks.is_empty() {
        return true;
    }
    let is_current = draft.checks.checked_tip.as_ref() == Some(&draft.branch.tip);
    if draft.checks.acceptance != Some(true) || !is_current {
        start_acceptance(draft);
        return false;
    }
    let open = open_manual_checks(draft);
    if !open.is_empty() {
        let last = draft.checks.runs.keys().next_back().copied();
        ask::manual_checks(draft, open, last);
        return false;
    }
    settle_criteria(draft);
    true
}

fn start_acceptance(draft: &mut Draft<'_>) {
    let mut commands: Vec<String> = Vec::new();
    for check in draft.plan.criteria.iter().flat_map(|criterion| &criterion.verify) {
        if let Some(command) = check.command()
            && !commands.contains(&command)
            && !draft.checks.waived.contains_key(&command)
        {
            commands.push(command);
        }
    }
    for command in draft.task_commands() {
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    let purpose = CheckPurpose::Acceptance { step: draft.route.step };
    start(draft, purpose, commands);
}

/// Of the criteria and of the tasks: a plan that was edited may ask for new ones.
fn open_manual_checks(draft: &Draft<'_>) -> Vec<String> {
    let criteria = draft.plan.criteria.iter().flat_map(|criterion| &criterion.verify);
    let mut open = Vec::new();
    for check in criteria {
        if let Check::Manual(text) = check
            && !draft.plan.manual_settled.contains(text)
            && !open.contains(text)
        {
            open.push(text.clone());
        }
    }
    for text in open_by_hand(draft) {
        if !open.contains(&text) {
            open.push(text);
        }
    }
    open
}

/// What of the tasks nobody has called met: no person, and where the Reviewer may say it, no review that passed.
pub(super) fn open_by_hand(draft: &Draft<'_>) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    for task in &draft.plan.tasks {
        for text in task.spec.by_hand() {
            let is_verified = task.spec.item.criteria.iter().any(|known| known == text)
                && (task.unit.has_verified(text) || draft.plan.meta.has_verified(text));
            let is_settled = draft.plan.manual_settled.contains(text);
            if !is_verified && !is_settled && !open.iter().any(|known| known == text) {
                open.push(text.to_owned());
            }
        }
    }
    open
}

fn settle_criteria(draft: &mut Draft<'_>) {
    let open: Vec<Criterion> = draft
        .plan
        .criteria
        .iter()
        .filter(|criterion| !draft.plan.criteria_results.contains_key(&criterion.id))
        .cloned()
        .collect();
    for criterion in open {
        let waived = criterion.verify.iter().find_map(|check| {
            check.command().and_then(|command| draft.checks.waived.get(&command).cloned())
        });
        let how: Vec<String> = criterion.verify.iter().map(ToString::to_string).collect();
        let result = match waived {
            Some(reason) => CriterionResult::Waived { reason },
            None => CriterionResult::Met { evidence: how.join("; ") },
        };
        draft.emit(Event::CriterionSettled { id: criterion.id, result });
    }
}

pub(super) fn ended(
    draft: &mut Draft<'_>,
    number: CheckNumber,
    results: Vec<CheckResult>,
    stage: Option<String>,
) {
    // Checks that ran while the session was cancelled change nothing.
    let is_over = draft.is_over();
    let Some(run) = draft.checks.runs.get(&number).filter(|run| run.passed.is_none() && !is_over)
    else {
        return;
    };
    let (purpose, tree) = (run.purpose.clone(), run.tree);
    let mut failed: Vec<CheckResult> =
        results.iter().filter(|result| !draft.is_good(result)).cloned().collect();
    let measured = results.first().cloned();
    let has_stage = stage.is_some();
    let mut ran: Vec<String> = results.iter().map(|result| result.command.clone()).collect();
    if tree != CheckTree::Workspace {
        // Nothing runs in a clone before it is set up.
        ran.push(CheckResult::SETUP.to_owned());
    }
    let holds = Some(draft.are_good_enough(&purpose, &results));
    draft.emit(Event::ChecksEnded { number, results, stage, holds });
    let is_gate = matches!(purpose, CheckPurpose::Subject { subject: CheckSubject::Lifecycle, .. });
    let excuses_old =
        matches!(&purpose, CheckPurpose::Subject { subject, .. } if subject.excuses_old_failures());
    let (task, repair) = match purpose {
        CheckPurpose::Task { task } => (task, RepairLoop::FixTests),
        CheckPurpose::Acceptance { .. } => (TaskRef::Meta, RepairLoop::FixBuild),
        CheckPurpose::Subject { subject: CheckSubject::Coverage, .. } => {
            return measured
                .into_iter()
                .for_each(|result| coverage::measure(draft, number, &result));
        }
        // The file does not say which gates to run: nobody but a person can fix it.
        CheckPurpose::Subject { subject: CheckSubject::Lifecycle, .. }
            if !has_stage && !failed.is_empty() =>
        {
            let words = failed.iter().map(|result| complaint_or_trouble(result, tree));
            let detail = words.collect::<Vec<_>>().join("; ");
            return ask::broken_files(draft, BlockerCode::InvalidOutput, detail);
        }
        CheckPurpose::Subject { subject, .. } => {
            if subject == CheckSubject::Lifecycle && draft.checks.stage.is_none() {
                // Nobody declares the stage any more under which they ran.
                failed.clear();
            }
            if subject.excuses_old_failures() {
                let old: Vec<CheckResult> =
                    failed.extract_if(.., |result| is_old(result)).collect();
                old.iter().for_each(|result| record_old_failure(draft, result));
            }
            (TaskRef::Meta, RepairLoop::FixBuild)
        }
    };
    settle_old_findings(draft, &task, &ran, &failed, tree);
    // A task that left the plan meanwhile is nobody's work any more.
    if failed.is_empty()
        || draft.unit(&task).is_none()
        || Mutant::RepairsNothingForARedCheck.is_planted()
    {
        return;
    }
    let about = unproven::Failed { task: &task, repair, tree, is_gate, excuses_old };
    if !unproven::ask_about(draft, &about, &failed) {
        object(draft, &about, &failed);
    }
}

/// The work does not do what it was reported to do.
fn object(draft: &mut Draft<'_>, about: &unproven::Failed<'_>, failed: &[CheckResult]) {
    for result in failed {
        let origin = contradicted_by(result, about.is_gate);
        record_contradiction(draft, about.task, origin, complaint(result, about.tree));
    }
    let lines: Vec<String> = failed.iter().map(|result| feedback(result, about.tree)).collect();
    repair::object(draft, about.task, about.repair, lines.into());
}

fn is_old(result: &CheckResult) -> bool {
    result.failed_on_base || Mutant::CallsEveryFailureOld.is_planted()
}

/// It failed before the session began: told apart from new failures, and never held against the work.
fn record_old_failure(draft: &mut Draft<'_>, result: &CheckResult) {
    let message = format!("pre-existing: `{}` already failed on the base revision", result.command);
    let origin = FindingOrigin::PreExisting { command: result.command.clone() };
    let report = ReportedFinding::plain(Severity::Medium, origin.category(), message);
    finding::record(draft, origin, &TaskRef::Meta, &report, FindingStatus::Tracked);
}

/// What checks complain about is told again by the next run, if it is still so.
fn settle_old_findings(
    draft: &mut Draft<'_>,
    task: &TaskRef,
    ran: &[String],
    failed: &[CheckResult],
    tree: CheckTree,
) {
    let still =
        |finding: &Finding| failed.iter().any(|r| finding.report.message == complaint(r, tree));
    // What did not run this time has shown nothing.
    let was_run = |finding: &Finding| {
        let command = finding.origin.command();
        command.is_some_and(|command| {
            ran.iter().any(|known| known == command)
                || Mutant::CallsACheckFixedThatDidNotRun.is_planted()
        })
    };
    settle_checks(draft, task, |finding| was_run(finding) && !still(finding));
}

/// Gates that nobody declares any more complain about nothing.
pub(super) fn settle_gate_findings(draft: &mut Draft<'_>) {
    let of_gate = |finding: &Finding| matches!(finding.origin, FindingOrigin::Gate { .. });
    settle_checks(draft, &TaskRef::Meta, of_gate);
}

fn settle_checks(draft: &mut Draft<'_>, task: &TaskRef, is_gone: impl Fn(&Finding) -> bool) {
    let gone: Vec<FindingId> = draft
        .open_findings(task, Role::Orchestrator)
        .filter(|finding| is_gone(finding))
        .map(|finding| finding.id)
        .collect();
    for id in gone {
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Fixed, reason: None });
    }
}

/// The work was called done and its check says otherwise.
fn record_contradiction(
    draft: &mut Draft<'_>,
    task: &TaskRef,
    origin: FindingOrigin,
    message: String,
) {
    if draft.open_findings(task, Role::Orchestrator).any(|f| f.report.message == message) {
        return;
    }
    let finding = Finding {
        id: draft.next_finding_id(),
        task: task.clone(),
        report: ReportedFinding::plain(Severity::Critical, origin.category(), message),
        origin,
        status: FindingStatus::Open,
        times: 1,
    };
    draft.emit(Event::FindingRecorded { finding });
}

/// Setting up the tree is no gate, whatever runs in it.
fn contradicted_by(result: &CheckResult, is_gate: bool) -> FindingOrigin {
    let command = result.command.clone();
    match is_gate && command != CheckResult::SETUP {
        true => FindingOrigin::Gate { command },
        false => FindingOrigin::Check { command },
    }
}

fn complaint_or_trouble(result: &CheckResult, tree: CheckTree) -> String {
    match result.output_tail.trim() {
        "" => result.trouble.clone().unwrap_or_else(|| complaint(result, tree)),
        words => words.to_owned(),
    }
}

fn complaint(result: &CheckResult, tree: CheckTree) -> String {
    let how = match (&result.trouble, result.exit_code) {
        (Some(trouble), _) => trouble.clone(),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "no exit code".to_owned(),
    };
    let tree_words = match tree {
        CheckTree::Workspace => "",
        CheckTree::Fresh { .. } => " in a fresh clone of the branch",
    };
    let since = match (&result.only_in_workspace, result.failed_on_base) {
        (Some(_), _) => "; it passes in the workspace because of something that is not committed",
        (None, true) => " (pre-existing: it already failed on the base revision)",
        (None, false) => "",
    };
    format!(
        "the work was reported as done but `{}` fails{tree_words}: {how}{since}",
        result.command
    )
}

fn feedback(result: &CheckResult, tree: CheckTree) -> String {
    let mut text = complaint(result, tree);
    let names = result.only_in_workspace.as_deref().unwrap_or_default();
    if !names.is_empty() {
        text.push_str(&format!("\nIn the workspace but not in a commit: {}", names.join(", ")));
    }
    text.push_str(&settle::last_output(result));
    text
}
