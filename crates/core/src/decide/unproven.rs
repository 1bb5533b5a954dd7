//! Checks that show nothing about the work, because they cannot run here or failed before the session began. A person decides
//! about each, and no repair is spent before.

use super::draft::Draft;
use super::moves::ask::{self, Question};
use super::moves::{repair, settle};
use crate::answer::{AnswerOption, CheckAnswer, CheckWay};
use crate::decision::{CheckCause, Decision, DecisionKind, Subject};
use crate::event::{CheckTree, CriterionResult, Event};
use crate::id::TaskRef;
use crate::mutant::Mutant;
use crate::role::{RepairLoop, Role};
use crate::task::Criterion;
use crate::words;
use crate::work::CheckResult;

/// What failed checks were for.
pub(super) struct Failed<'a> {
    pub task: &'a TaskRef,
    pub repair: RepairLoop,
    pub tree: CheckTree,
    /// Gates and setup are in files of the person, not in the plan.
    pub is_gate: bool,
    /// What failed before the session began is told apart and stops nothing.
    pub excuses_old: bool,
}

/// Puts to the person what a repair should not be spent on. Says whether there was something; the checks run again after
/// the answers.
pub(super) fn ask_about(draft: &mut Draft<'_>, about: &Failed<'_>, failed: &[CheckResult]) -> bool {
    let mut is_asked = false;
    for result in failed {
        if let Some(cause) = cause(draft, about, result) {
            is_asked = true;
            put(draft, about, result, cause);
        }
    }
    if let (true, TaskRef::Task(id)) = (is_asked, about.task) {
        ask::block_task(draft, id.clone());
    }
    is_asked
}

fn cause(draft: &Draft<'_>, about: &Failed<'_>, result: &CheckResult) -> Option<CheckCause> {
    if draft.checks.taken_on.contains(&result.command) {
        return None;
    }
    if result.cannot_run() {
        return Some(CheckCause::CannotRun)
            .filter(|_| !Mutant::RepairsACheckThatCannotRun.is_planted());
    }
    let has_passed =
        draft.checks.seen_passing.contains(&result.command) || result.only_in_workspace.is_some();
    let is_old = !about.excuses_old && result.failed_on_base && !has_passed;
    is_old.then_some(CheckCause::Old).filter(|_| !Mutant::RepairsAnOldFailureUnasked.is_planted())
}

fn put(draft: &mut Draft<'_>, about: &Failed<'_>, result: &CheckResult, cause: CheckCause) {
    let command = &result.command;
    let how = words::check_ended(result.trouble.as_deref(), result.exit_code);
    let place = match about.tree {
        CheckTree::Workspace => "",
        CheckTree::Fresh { .. } => " in a fresh clone of the branch",
    };
    let whose = format!("It is a check of {:#}.", about.task);
    let mut text = match cause {
        CheckCause::CannotRun => {
            format!("`{command}` cannot run here{place}: {how}{}. {whose}", meaning(result))
        }
        CheckCause::Old => format!(
            "`{command}` fails{place} ({how}), and it failed on the base revision already. {whose} Should it be repaired too?"
        ),
    };
    if let Some(names) = &result.only_in_workspace {
        let listed =
            if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
        text.push_str(&format!(
            " It passes in the workspace, because of something that is not committed{listed}. Commands under `[workspace] setup` in tollgate.toml run in every new clone."
        ));
    }
    text.push_str(&settle::last_output(result));
    let subject = Subject::Check {
        task: about.task.clone(),
        command: Some(command.clone()),
        cause,
        repair: about.repair,
    };
    let options = options(about, result);
    ask::ask(draft, Question { kind: DecisionKind::Check, text, options, subject });
}

fn meaning(result: &CheckResult) -> &'static str {
    match result.exit_code {
        Some(126) => " (a program of it may not be executed)",
        Some(127) => " (a program of it was not found)",
        _ => "",
    }
}

fn options(about: &Failed<'_>, result: &CheckResult) -> Vec<AnswerOption> {
    let is_setup = result.command == CheckResult::SETUP;
    let mut options = Vec::new();
    if !about.is_gate && !is_setup {
        options.push(ask::option(
            CheckWay::FixCheck,
            "Change the check",
            "your command takes its place in the plan, and the checks run again; approvals stay as they are",
        ));
    }
    // Nothing runs in a tree that is not set up, so there is nothing to go without.
    if !is_setup {
        options.push(ask::option(
            CheckWay::Waive,
            "Do without the check",
            "it is not counted any more; the criteria that it proves are waived, with your reason among the known issues",
        ));
    }
    // Who repairs may not change tollgate.toml, where the runner is.
    if !result.could_not_start {
        options.push(ask::option(
            CheckWay::Repair,
            "Have it repaired",
            "the check is repaired like one that the work broke, with the usual number of repairs",
        ));
    }
    options.extend(by_hand(
        "the checks run again as they are, for example after you installed a program",
    ));
    options
}

fn by_hand(retried: &str) -> [AnswerOption; 3] {
    [
        ask::option(
            CheckWay::ManualFix,
            "Fix it by hand",
            "you get the files, edit them, and submit the reply; then the checks run again",
        ),
        ask::option(CheckWay::Retry, "Try again", retried),
        ask::cancel_option(),
    ]
}

/// QA says that tests are demanded and that there is no way to run them.
pub(super) fn ask_about_tests(draft: &mut Draft<'_>, task: &TaskRef, said: &str) {
    if let TaskRef::Task(id) = task {
        ask::block_task(draft, id.clone());
    }
    let mut options = vec![
        ask::option(
            CheckWay::FixCheck,
            "Name the command",
            "QA looks again and runs the tests with your command",
        ),
        ask::option(
            CheckWay::Waive,
            "Do without these tests",
            "continues without QA; your reason is among the known issues",
        ),
        ask::option(
            CheckWay::Repair,
            "Have it repaired",
            "the Coder makes the tests run, then QA looks again",
        ),
    ];
    options.extend(by_hand("QA looks again, for example after you installed a program"));
    let text = format!("QA cannot run the tests of {task:#}: {said}");
    let subject = Subject::Check {
        task: task.clone(),
        command: None,
        cause: CheckCause::CannotRun,
        repair: RepairLoop::FixTests,
    };
    ask::ask(draft, Question { kind: DecisionKind::Check, text, options, subject });
}

/// The person decided about a check, or about tests that cannot be run.
pub(super) fn answered(draft: &mut Draft<'_>, decision: &Decision, answer: &CheckAnswer) {
    let Subject::Check { task, command, repair, .. } = &decision.subject else {
        return;
    };
    match (answer, command) {
        (CheckAnswer::FixCheck(with), Some(command)) => replace(draft, command, with),
        (CheckAnswer::Waive(reason), Some(command)) => {
            let issue = format!("`{command}` was not checked (waived: {})", &**reason);
            waive(draft, command, reason, issue);
        }
        (CheckAnswer::Waive(reason), None) => {
            let text = format!("the tests of {task:#} were not run (waived: {})", &**reason);
            draft.emit(Event::KnownIssueNoted { text });
            draft.emit(Event::GatePassed { task: task.clone(), role: Role::QA });
        }
        (CheckAnswer::Repair, Some(command)) => {
            draft.emit(Event::CheckTakenOn { command: command.clone() });
        }
        (CheckAnswer::Repair, None) => {
            let told = vec![decision.question.clone()].into();
            repair::object(draft, task, *repair, told);
        }
        (CheckAnswer::ManualFix, _) => {
            repair::open_by_hand(draft, task, *repair, vec![decision.question.clone()].into());
        }
        // The check, or QA, is looked at again by itself; what the person names goes to QA with it.
        (CheckAnswer::Retry, _) | (CheckAnswer::FixCheck(_), None) => {}
    }
    let is_of_task =
        |d: &Decision| matches!(&d.subject, Subject::Check { task: other, .. } if other == task);
    if !draft.pending_decisions().any(is_of_task) {
        ask::unblock_task(draft, task);
    }
}

fn replace(draft: &mut Draft<'_>, command: &str, with: &str) {
    draft.emit(Event::CheckReplaced { command: command.to_owned(), with: with.to_owned() });
    settle::left(draft, &[command.to_owned()]);
    // A person did without this command before, so it is not run and shows nothing.
    if let Some(reason) = draft.checks.waived.get(with).cloned() {
        waive_criteria(draft, proven_by(draft, with), &reason);
    }
}

/// The criteria that a command verifies.
fn proven_by(draft: &Draft<'_>, command: &str) -> Vec<String> {
    let is_proven = |criterion: &&Criterion| {
        criterion.verify.iter().any(|check| check.command().as_deref() == Some(command))
    };
    draft.plan.criteria.iter().filter(is_proven).map(|criterion| criterion.id.clone()).collect()
}

fn waive_criteria(draft: &mut Draft<'_>, criteria: Vec<String>, reason: &str) {
    for id in criteria {
        let result = CriterionResult::Waived { reason: reason.to_owned() };
        draft.emit(Event::CriterionSettled { id, result });
    }
}

/// The work continues without a check. What it alone could show is waived.
pub(super) fn waive(draft: &mut Draft<'_>, command: &str, reason: &str, known_issue: String) {
    draft.emit(Event::CheckWaived { command: command.to_owned(), reason: reason.to_owned() });
    let criteria = proven_by(draft, command);
    let text = match criteria.is_empty() {
        true => known_issue,
        false => format!("{known_issue}; not proven: {}", criteria.join(", ")),
    };
    draft.emit(Event::KnownIssueNoted { text });
    waive_criteria(draft, criteria, reason);
    settle::waived(draft, command, reason);
}
