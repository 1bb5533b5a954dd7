//! One function per question: what the person is told, what can be answered, and what follows from it.

use super::tried;
use crate::answer::{
    AnswerOption, CancelWay, CoverageWay, EscalationWay, InfoWay, JustifyWay, ManualCheckWay,
    NeedsWords, NotesWay, RepairWay, ScopeWay, SecurityWay, Way,
};
use crate::decide::draft::Draft;
use crate::decision::{Blocker, BlockerCode, Decision, DecisionKind, Resolution, Subject};
use crate::event::{Event, Finding};
use crate::id::{CheckNumber, DecisionId, DispatchNumber, FindingId, TaskId, TaskRef};
use crate::limits::{QUESTION_BYTES_MAX, SCOPE_REASON_CHARS, SUGGESTIONS_MAX};
use crate::proof::one_line;
use crate::reply::{AgentQuestion, ScopeRequest, Severity};
use crate::role::{RepairLoop, State};
use crate::task::TaskStatus;
use crate::work::{Artefact, Refinement};

/// A question before it has an id and a time.
pub struct Question {
    pub kind: DecisionKind,
    pub text: String,
    pub options: Vec<AnswerOption>,
    pub subject: Subject,
}

pub fn option(way: impl Way, label: &str, consequence: &str) -> AnswerOption {
    AnswerOption::of(way, label, consequence)
}

/// Only where the question is whether the work continues at all. Everywhere else `tollgate cancel` ends the session.
pub fn cancel_option() -> AnswerOption {
    option(
        CancelWay::Cancel,
        "End the session",
        "ends the whole session for good, not only this question; accepted work stays on its branch",
    )
}

/// The way out of lean mode.
pub fn full_option(way: impl Way) -> AnswerOption {
    option(
        way,
        "Continue in full mode",
        "the session starts over at INTAKE with design and plan; accepted changes stay, and SpecAgent is given your words",
    )
}

/// Asks under the next sequential id.
pub fn ask(draft: &mut Draft<'_>, question: Question) {
    let id = draft.next_decision_id();
    let context = draft.working_state();
    ask_as(draft, id, context, Vec::new(), question);
}

/// Asks under a given id, in place of an earlier round of the same question.
pub fn ask_as(
    draft: &mut Draft<'_>,
    id: DecisionId,
    state_context: State,
    shown: Vec<Artefact>,
    question: Question,
) {
    let decision = Decision {
        decision_id: id,
        kind: question.kind,
        question: cut(question.text),
        options: question.options,
        asked_at: draft.now(),
        state_context,
        subject: question.subject,
        shown,
        resolution: Resolution::default(),
        decided: None,
    };
    draft.emit(Event::DecisionAsked { decision: Box::new(decision) });
}

/// What only `resume` clears is not covered up by what an answer clears.
pub fn block(draft: &mut Draft<'_>, blocker: Blocker) {
    if draft.standing.blocker.as_ref().is_none_or(is_cleared_by_answer) {
        draft.emit(Event::Blocked { blocker, fault: None });
    }
}

pub fn is_cleared_by_answer(blocker: &Blocker) -> bool {
    let code = blocker.code;
    !code.is_host_fault() && code != BlockerCode::MandatoryUserDecisionMissing
}

pub fn times(starts: u32) -> String {
    match starts {
        0 | 1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

pub fn block_task(draft: &mut Draft<'_>, id: TaskId) {
    let may = draft.task(&id).is_some_and(|task| task.status.may_become(TaskStatus::Blocked));
    if may {
        draft.emit(Event::TaskMoved { task: id, status: TaskStatus::Blocked });
    }
}

/// A blocked task returns to where it was.
pub fn unblock_task(draft: &mut Draft<'_>, task: &TaskRef) {
    if let TaskRef::Task(id) = task
        && let Some(task) = draft.task(id).filter(|task| task.status == TaskStatus::Blocked)
    {
        let status = task.before_block;
        draft.emit(Event::TaskMoved { task: id.clone(), status });
    }
}

pub fn budget(draft: &mut Draft<'_>, words: &str) {
    let blocker = Blocker {
        code: BlockerCode::Budget,
        detail: words.to_owned(),
        remedy: "raise the limit in tollgate.toml and resume, or allow one more dispatch"
            .to_owned(),
    };
    block(draft, blocker);
    let options = vec![
        option(
            EscalationWay::Retry,
            "Continue with one dispatch",
            "one more dispatch is started although the limit is reached",
        ),
        cancel_option(),
    ];
    let text = format!("The limit of this session is reached: {words}. Continue?");
    ask(
        draft,
        Question { kind: DecisionKind::Escalation, text, options, subject: Subject::Budget },
    );
}

pub fn broken_files(draft: &mut Draft<'_>, code: BlockerCode, detail: String) {
    let remedy = "fix the file in the session folder, then answer retry".to_owned();
    block(draft, Blocker { code, detail: detail.clone(), remedy });
    let options = vec![
        option(
            EscalationWay::Retry,
            "Look again",
            "the file is read again, and the work continues if it is valid",
        ),
        cancel_option(),
    ];
    let text = format!("A session file cannot be used: {detail}");
    ask(draft, Question { kind: DecisionKind::Escalation, text, options, subject: Subject::Files });
}

/// A repair loop has used its budget.
pub fn repair(draft: &mut Draft<'_>, task: &TaskRef, repair: RepairLoop, wrong: &[String]) {
    let attempts = tried::repairs(draft, task, repair, wrong);
    let count = u32::try_from(attempts.len()).unwrap_or(u32::MAX).max(draft.policy.repairs);
    let text = format!(
        "{}\n{repair} of {task:#} was tried {} without success{}",
        plain_or_bullets(wrong),
        times(count),
        listed(&attempts)
    );
    ask_repair(draft, task, repair, text);
}

/// The same finding again and again: stop before the rest of the budget is spent.
pub fn non_convergence(
    draft: &mut Draft<'_>,
    task: &TaskRef,
    repair: RepairLoop,
    lines: &[String],
) {
    let blocker = Blocker {
        code: BlockerCode::NonConvergence,
        detail: format!(
            "the same finding came back after every repair of {task:#}:\n{}",
            bullets(lines)
        ),
        remedy: "choose how to continue: another approach, a smaller scope, or guidance".to_owned(),
    };
    let attempts = tried::repairs(draft, task, repair, lines);
    let text =
        format!("{}\n{repair} of {task:#} does not converge{}", blocker.detail, listed(&attempts));
    block(draft, blocker);
    ask_repair(draft, task, repair, text);
}

fn ask_repair(draft: &mut Draft<'_>, task: &TaskRef, repair: RepairLoop, text: String) {
    if let TaskRef::Task(id) = task {
        block_task(draft, id.clone());
    }
    let mut options = vec![
        option(
            RepairWay::DifferentApproach,
            "Try a different approach",
            "one more repair, which starts over the way you describe",
        ),
        option(
            RepairWay::AcceptWithKnownIssues,
            "Accept with known issues",
            "continues; what is open is listed under known issues, and a check that fails counts as waived; refused while a critical finding of a role is open",
        ),
        option(
            RepairWay::Simplify,
            "Simplify the scope",
            "one more repair, which leaves out what you name",
        ),
        option(RepairWay::Guidance, "Give guidance", "one more repair with your guidance"),
        cancel_option(),
    ];
    if draft.can_become_full() {
        options.insert(options.len() - 1, full_option(RepairWay::Full));
    }
    let subject = Subject::Repair { task: task.clone(), repair };
    ask(draft, Question { kind: DecisionKind::Repair, text, options, subject });
}

/// Findings that stop the work. With a critical one there is no way to approve.
pub fn justify(draft: &mut Draft<'_>, subject: Subject, fix: &str, grave: &[Finding]) {
    let is_critical = |finding: &&Finding| finding.report.severity == Severity::Critical;
    let critical = grave.iter().filter(is_critical).count();
    let lines: Vec<String> = grave.iter().map(|f| f.report.in_words()).collect();
    let high = grave.len() - critical;
    let mut options = vec![option(JustifyWay::Fix, "Fix it", fix)];
    if critical == 0 {
        options.push(option(
            JustifyWay::Approve,
            "Approve with a justification",
            "continues; the findings are kept as known issues with your justification",
        ));
    }
    options.push(cancel_option());
    let how = if critical > 0 {
        "A critical finding cannot be approved."
    } else {
        "To approve, give a justification."
    };
    let text =
        format!("Open findings: {critical} critical, {high} high.\n{}\n{how}", bullets(&lines));
    ask(draft, Question { kind: DecisionKind::Justify, text, options, subject });
}

/// Coverage is below what is asked for, or could not be measured.
pub fn coverage(draft: &mut Draft<'_>, check: CheckNumber, found: &str) {
    let options = vec![
        option(
            CoverageWay::Fix,
            "Add tests",
            "the Coder adds tests, then coverage is measured again",
        ),
        option(
            CoverageWay::Lower,
            "Lower the minimum",
            "N percent is enough for this session; recorded with your justification",
        ),
        option(
            CoverageWay::Override,
            "Continue anyway",
            "continues; a known issue with your reason",
        ),
    ];
    let subject = Subject::Coverage { check };
    let text = format!("Test coverage is not enough: {found}");
    ask(draft, Question { kind: DecisionKind::Coverage, text, options, subject });
}

/// A review that passed with small remarks: one question for all of them.
pub fn notes(draft: &mut Draft<'_>, number: DispatchNumber, task: &TaskRef, notes: &[&Finding]) {
    let lines: Vec<String> = notes.iter().map(|f| f.report.in_words()).collect();
    let text =
        format!("The review of {task:#} passed with notes:\n{}\nFix them now?", bullets(&lines));
    let options = vec![
        option(
            NotesWay::Accept,
            "Accept as it is",
            "the notes are kept on record and the work continues",
        ),
        option(
            NotesWay::Fix,
            "Fix all of them",
            "the Coder gets the notes, then the review runs again",
        ),
        option(
            NotesWay::FixNamed,
            "Fix what you name",
            "the Coder gets your comments, then the review runs again",
        ),
    ];
    let subject = Subject::Notes { task: task.clone(), dispatch: number };
    ask(draft, Question { kind: DecisionKind::Notes, text, options, subject });
}

/// Medium findings of Security: one question each.
pub fn security(
    draft: &mut Draft<'_>,
    number: DispatchNumber,
    task: &TaskRef,
    findings: &[&Finding],
    summary: &str,
) {
    let mut questions: Vec<(Option<FindingId>, String)> =
        findings.iter().map(|f| (Some(f.id), f.report.in_words())).collect();
    if questions.is_empty() {
        questions.push((None, summary.to_owned()));
    }
    for (finding, line) in questions {
        let options = vec![
            option(
                SecurityWay::FixNow,
                "Fix it now",
                "the Coder repairs it, then Security looks again",
            ),
            option(
                SecurityWay::FixLater,
                "Fix it later",
                "continues; kept as a known issue with your reason",
            ),
            option(
                SecurityWay::AcceptRisk,
                "Accept the risk",
                "continues; the risk is recorded as accepted by you",
            ),
        ];
        let text = format!("Security asks about {task:#}: {line}");
        let subject = Subject::Finding { task: task.clone(), dispatch: number, finding };
        ask(draft, Question { kind: DecisionKind::Security, text, options, subject });
    }
}

/// What an agent wants to know. What it suggests can be chosen; any other text is an answer too.
pub fn information(draft: &mut Draft<'_>, number: DispatchNumber, asked: &AgentQuestion) {
    let role = draft.dispatches[&number].role;
    let text = format!("{role} needs to know: {}", asked.question);
    let consequence = "your answer goes into the next dispatch of this role";
    let mut options = suggested(asked, consequence);
    options.push(option(InfoWay::Text, "Any text", consequence));
    let subject = Subject::Info { dispatch: number };
    ask(draft, Question { kind: DecisionKind::Info, text, options, subject });
}

fn suggested(asked: &AgentQuestion, consequence: &str) -> Vec<AnswerOption> {
    let recommended = asked.recommended.as_deref().map(one_line);
    let mut answers: Vec<String> = Vec::new();
    for answer in asked.options.iter().map(|answer| one_line(answer)).chain(recommended.clone()) {
        if !answers.contains(&answer) {
            answers.push(answer);
        }
    }
    let offer = |(index, answer): (usize, String)| {
        let is_recommended = recommended.as_ref() == Some(&answer);
        let (label, words) = match is_recommended {
            true => ("Suggested, and recommended by the role", "recommended; "),
            false => ("Suggested by the role", ""),
        };
        AnswerOption {
            id: format!("suggested-{}", index + 1),
            answer,
            label: label.to_owned(),
            consequence: format!("{words}{consequence}"),
            needs_words: NeedsWords::No,
            recommended: is_recommended,
        }
    };
    answers.into_iter().take(SUGGESTIONS_MAX).enumerate().map(offer).collect()
}

/// A plan that cannot be whole before a person has settled something.
pub fn refinement(draft: &mut Draft<'_>, number: DispatchNumber, refinement: &Refinement) {
    let Refinement { item, question } = refinement;
    let text = format!("The plan leaves {item} to you. {question}");
    let consequence = "the Planner plans again with your answer";
    let options = vec![option(InfoWay::Text, "Any text", consequence)];
    let subject = Subject::Refinement { dispatch: number, item: item.clone() };
    ask(draft, Question { kind: DecisionKind::Info, text, options, subject });
}

/// A Coder needs files that its task does not list.
pub fn scope(draft: &mut Draft<'_>, number: DispatchNumber, requests: &[ScopeRequest]) {
    let task = &draft.dispatches[&number].task;
    let line = |request: &ScopeRequest| {
        let reason: String = one_line(&request.reason).chars().take(SCOPE_REASON_CHARS).collect();
        format!("{}: {reason}", one_line(&request.path))
    };
    let lines: Vec<String> = requests.iter().map(line).collect();
    let text = format!("{task} asks for files outside its scope:\n{}", bullets(&lines));
    let options = vec![
        option(
            ScopeWay::Allow,
            "Allow them for this task",
            "the task may change these files, and its Coder continues",
        ),
        option(
            ScopeWay::Refuse,
            "Refuse",
            "the files stay as they are; the Coder is told your reason",
        ),
    ];
    let paths = requests.iter().map(|request| request.path.clone()).collect();
    let subject = Subject::Scope { dispatch: number, paths };
    ask(draft, Question { kind: DecisionKind::Scope, text, options, subject });
}

/// Checks that only a person can make, in one question.
pub fn manual_checks(draft: &mut Draft<'_>, checks: Vec<String>, after: Option<CheckNumber>) {
    let text = format!("Please check by hand, then report the result:\n{}", bullets(&checks));
    let options = vec![
        option(ManualCheckWay::Met, "Everything is OK", "the checks count as met"),
        option(
            ManualCheckWay::NotMet,
            "Something is not OK",
            "the Coder gets your comments, then you are asked again",
        ),
        option(
            ManualCheckWay::Waived,
            "Continue without it",
            "continues; kept as a known issue with your reason",
        ),
    ];
    let subject = Subject::Manual { checks, after };
    ask(draft, Question { kind: DecisionKind::ManualCheck, text, options, subject });
}

/// The whole of what an agent said is in the dispatch's folder; a question is read by a person.
pub fn cut(mut text: String) -> String {
    if text.len() > QUESTION_BYTES_MAX {
        let mut end = QUESTION_BYTES_MAX;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The end of a sentence that lists lines.
fn listed(lines: &[String]) -> String {
    match lines.is_empty() {
        true => ".".to_owned(),
        false => format!(":\n{}", bullets(lines)),
    }
}

/// One thing that is wrong stands by itself: what failed is then the first that is read.
fn plain_or_bullets(lines: &[String]) -> String {
    match lines {
        [one] => one.clone(),
        many => bullets(many),
    }
}

pub fn bullets(lines: &[String]) -> String {
    lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}
