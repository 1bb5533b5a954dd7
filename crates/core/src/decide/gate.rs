//! The two mandatory gates: approval of the design, and the choice of a review strategy.

use super::draft::Draft;
use super::moves::{ask, enter};
use super::{checks, evidence, parts};
use crate::action::{APPROVE_DESIGN, CheckSubject, Step, StepKind};
use crate::answer::{AnswerOption, ApproveWay, Choice, StrategyAnswer, StrategyWay};
use crate::decision::{Decision, DecisionKind, DecisionStatus, Resolution, Subject};
use crate::event::Event;
use crate::id::{ContentHash, DecisionId};
use crate::limits::MANY_TASKS;
use crate::mutant::Mutant;
use crate::proof;
use crate::refusal::Refusal;
use crate::role::{Role, State};
use crate::session::Task;
use crate::task::Strategy;
use crate::work::Artefact;

/// Whether what is there is approved under the declared stage.
pub(super) fn is_passed(draft: &Draft<'_>, index: usize) -> bool {
    gate_decision(draft, index).is_some_and(|decision| holds(draft, decision))
}

/// The question of an approve step, by the index of the step.
fn gate_decision<'a>(draft: &'a Draft<'_>, index: usize) -> Option<&'a Decision> {
    let is_of = |d: &&Decision| matches!(d.subject, Subject::Gate { step } if step == index);
    draft.decisions.asked.iter().find(is_of)
}

fn is_approved(decision: &Decision) -> bool {
    decision.answered().is_some_and(Choice::is_approval)
}

/// An approval counts under the lifecycle stage in which it was given, and under no other.
fn holds(draft: &Draft<'_>, decision: &Decision) -> bool {
    is_approved(decision)
        && (decision.resolution.stage == draft.checks.stage
            || Mutant::KeepsAnApprovalUnderAnotherStage.is_planted())
}

pub(super) fn is_design(draft: &Draft<'_>, index: usize) -> bool {
    let step = draft.route.steps.get(index);
    step.is_some_and(
        |s| matches!(&s.kind, StepKind::Approve { gate, .. } if gate == APPROVE_DESIGN),
    )
}

/// The step whose approval has an id of its own.
pub(super) fn design_step(draft: &Draft<'_>) -> Option<usize> {
    (0..draft.route.steps.len()).find(|index| is_design(draft, *index))
}

/// What an approve gate offers, and what it shows by content.
pub(super) fn offered(draft: &Draft<'_>, index: usize) -> (Vec<AnswerOption>, Vec<Artefact>) {
    let shows = match draft.route.steps.get(index).map(|step| &step.kind) {
        Some(StepKind::Approve { shows, .. }) => shows.as_slice(),
        _ => &[],
    };
    let correctors = parts::names_of(draft, &parts::correctors(draft, index));
    let played = parts::names_of(draft, &parts::played(draft, index));
    let options = approval_options(&correctors, &played);
    (options, shown_artefacts(draft, index, shows))
}

/// The same for the choice of a strategy, which is about the plan.
pub(super) fn strategies_offered(draft: &Draft<'_>) -> (Vec<AnswerOption>, Vec<Artefact>) {
    let plan = draft.files.artefacts.get("tasks.yaml");
    let shown = plan
        .map(|record| Artefact { path: "tasks.yaml".to_owned(), sha256: record.sha256.clone() });
    let mut options = strategy_options(recommended_strategy(draft));
    if plan_step(draft).is_some() {
        options.push(AnswerOption::of(
            StrategyWay::ChangesRequested,
            "Send the plan back",
            "the Planner plans again with your comments, and you are asked again",
        ));
    }
    (options, shown.into_iter().collect())
}

/// Where the plan is made that the choice of a strategy is about; none once it is worked on.
fn plan_step(draft: &Draft<'_>) -> Option<usize> {
    let steps = &draft.route.steps;
    let choice = steps.iter().position(|step| matches!(step.kind, StepKind::Choose { .. }))?;
    let plans =
        |step: &Step| matches!(&step.kind, StepKind::Dispatch(a) if a.role == Role::Planner);
    steps[..choice].iter().rposition(plans).filter(|_| draft.route.step <= choice)
}

/// What a person wants changed, for who makes the plan again.
pub(super) fn said_about_plan(draft: &Draft<'_>) -> Vec<String> {
    let is_planning = plan_step(draft) == Some(draft.route.step);
    let said = draft.decision(&DecisionId::review_strategy()).filter(|_| is_planning);
    match said.and_then(Decision::answered) {
        Some(Choice::Strategy(StrategyAnswer::ChangesRequested(words))) => {
            vec![format!("the person asks for changes of the plan: {}", &**words)]
        }
        _ => Vec::new(),
    }
}

pub(super) fn ask_approval(draft: &mut Draft<'_>, index: usize, changed: Option<&str>) {
    let Some(Step { state, kind: StepKind::Approve { gate, .. }, .. }) =
        draft.route.steps.get(index).cloned()
    else {
        return;
    };
    let (options, shown) = offered(draft, index);
    let names: Vec<String> = shown.iter().map(|a| a.path.clone()).collect();
    let what = match is_design(draft, index) {
        true => "the proposed solution".to_owned(),
        false => format!("what {gate} is about"),
    };
    let listed = if names.is_empty() { "no files".to_owned() } else { names.join(", ") };
    let mut text = match changed {
        Some(words) => format!("{words} Do you approve {what} as it is now: {listed}?"),
        None => format!("Please review {what}: {listed}. Do you approve it?"),
    };
    if !draft.plan.criteria.is_empty() {
        let proven = draft.plan.criteria.iter().map(|criterion| {
            let what = format!("{} {}", criterion.id, criterion.description);
            proof::with_checks(&what, &criterion.verify)
        });
        let lines: Vec<String> = proven.collect();
        text.push_str(&format!("\nAcceptance criteria:\n{}", ask::bullets(&lines)));
    }
    if !draft.record.assumptions.is_empty() {
        let lines: Vec<String> =
            draft.record.assumptions.iter().map(|a| proof::one_line(a)).collect();
        text.push_str(&format!("\nAssumptions:\n{}", ask::bullets(&lines)));
    }
    if let Some(words) = evidence::words(draft) {
        text.push_str(&format!("\n{words}"));
    }
    let question = ask::Question {
        kind: DecisionKind::Approve,
        text,
        options,
        subject: Subject::Gate { step: index },
    };
    let id = match gate_decision(draft, index) {
        Some(asked) => asked.decision_id.clone(),
        None if is_design(draft, index) => DecisionId::approve_design(),
        None => draft.next_decision_id(),
    };
    ask::ask_as(draft, id, state, shown, question);
    withdraw_on_stale_evidence(draft);
}

/// What the gate shows: session files and files of the repository, each by content.
fn shown_artefacts(draft: &Draft<'_>, index: usize, shows: &[String]) -> Vec<Artefact> {
    let shows = if shows.is_empty() { made_since_last_gate(draft, index) } else { shows.to_vec() };
    let is_shown = |path: &str| {
        shows
            .iter()
            .any(|show| path == show || (show.ends_with('/') && path.starts_with(show.as_str())))
    };
    let session_files = draft.files.artefacts.iter().map(|(path, record)| (path, &record.sha256));
    session_files
        .chain(&draft.files.outputs)
        .filter(|(path, _)| is_shown(path) && !Mutant::ShowsNothingAtAGate.is_planted())
        .map(|(path, sha256)| Artefact { path: path.clone(), sha256: sha256.clone() })
        .collect()
}

fn made_since_last_gate(draft: &Draft<'_>, index: usize) -> Vec<String> {
    let made = parts::producers(draft, index).into_iter().filter_map(|part| draft.assignment(part));
    made.flat_map(|assignment| assignment.outputs.clone()).collect()
}

/// The repository declares another lifecycle stage: what was found and approved under the old one no longer counts.
pub(super) fn stage_seen(draft: &mut Draft<'_>, stage: Option<String>) {
    if draft.is_over() || draft.checks.stage == stage {
        return;
    }
    draft.emit(Event::StageDeclared { stage });
    if draft.checks.stage.is_none() {
        // Gates that nobody declares any more will not run again.
        checks::settle_gate_findings(draft);
    }
    withdraw_on_stale_evidence(draft);
}

/// Lifecycle gates run again before a person is asked: what was asked meanwhile could not be approved.
fn withdraw_on_stale_evidence(draft: &mut Draft<'_>) {
    if !draft.is_evidence_stale() {
        return;
    }
    let asked: Vec<DecisionId> = draft
        .pending_decisions()
        .filter(|decision| decision.kind == DecisionKind::Approve)
        .map(|decision| decision.decision_id.clone())
        .collect();
    for id in asked {
        let resolution = Resolution {
            status: DecisionStatus::Skipped,
            resolved_at: Some(draft.now()),
            reason: Some("the lifecycle stage changed".to_owned()),
            ..Resolution::default()
        };
        draft.emit(Event::DecisionResolved { id, resolution });
    }
}

/// Lifecycle gates must run again before the work continues; a step that checks them sees to it itself.
pub(super) fn needs_evidence(draft: &Draft<'_>) -> bool {
    let checks_it = draft.current_step().is_some_and(|step| match &step.kind {
        StepKind::Checks { of } => of.contains(&CheckSubject::Lifecycle),
        _ => false,
    });
    let is_red = draft.checks.lifecycle.as_ref().is_some_and(|run| !run.passed);
    draft.is_evidence_stale() || (is_red && draft.checks.stage.is_some() && !checks_it)
}

/// Asks again for an approval that was given under another stage. Says whether there was one.
pub(super) fn reaffirm(draft: &mut Draft<'_>) -> bool {
    let is_approve = |step: &Step| matches!(step.kind, StepKind::Approve { .. });
    let passed = draft.route.steps[..draft.route.step]
        .iter()
        .enumerate()
        .filter(|(_, step)| is_approve(step));
    let lapsed = passed
        .map(|(index, _)| index)
        .find(|index| gate_decision(draft, *index).is_some_and(|decision| !holds(draft, decision)));
    let Some(index) = lapsed else {
        return false;
    };
    let words = "The lifecycle stage has changed since you answered.";
    ask_approval(draft, index, Some(words));
    true
}

/// Evidence of another stage carries no approval.
pub(super) fn refuse_stale_evidence(
    draft: &Draft<'_>,
    decision: &Decision,
    choice: &Choice,
) -> Result<(), Refusal> {
    match (&draft.checks.lifecycle, &draft.checks.stage) {
        (Some(run), Some(declared)) if choice.is_approval() && run.stage != *declared => {
            Err(Refusal::StaleEvidence {
                id: decision.decision_id.clone(),
                found: run.stage.clone(),
                declared: declared.clone(),
            })
        }
        _ => Ok(()),
    }
}

/// Passes with a canonical strategy on record; asks otherwise.
pub(super) fn choose(draft: &mut Draft<'_>) {
    if draft.strategy().is_some() {
        return enter::next(draft);
    }
    match plan_step(draft).filter(|_| draft.decisions.is_plan_sent_back) {
        // It is made again with the person's words, and they are asked again.
        Some(index) if !Mutant::ForgetsWhatWasRejected.is_planted() => {
            draft.emit(Event::StepEntered { index });
        }
        _ => ask_strategy(draft, false),
    }
}

/// What the plan leaves to the person is asked later, when the work that does not wait for it is done.
fn left_open(draft: &Draft<'_>) -> String {
    let names: Vec<&str> = draft.plan.refinements.iter().map(|r| r.item.as_str()).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(
            "The plan leaves {} to you; you are asked when all other work is done.\n",
            names.join(", ")
        ),
    }
}

/// Asks for the strategy; the plan it is about may have changed since it was first asked.
pub(super) fn ask_strategy(draft: &mut Draft<'_>, plan_changed: bool) {
    let recommended = recommended_strategy(draft);
    let lines: Vec<String> = draft
        .plan
        .tasks
        .iter()
        .map(|task| {
            let spec = &task.spec;
            let risk = match spec.risk_flags.iter().filter(|f| *f != "none").count() {
                0 => String::new(),
                _ => format!(" [risk: {}]", spec.risk_flags.join(", ")),
            };
            let what = format!(
                "{} {} ({}){risk}: {}",
                spec.id,
                spec.title,
                spec.kind,
                spec.files_expected.join(", ")
            );
            proof::with_checks(&what, &spec.checks().cloned().collect::<Vec<_>>())
        })
        .collect();
    let changed = if plan_changed { "The plan has changed since you chose. " } else { "" };
    let text = format!(
        "{changed}The plan has {}:\n{}\n{}How should the work be reviewed? Recommended: {recommended}.",
        crate::count::counted(draft.plan.tasks.len(), "task"),
        ask::bullets(&lines),
        left_open(draft),
    );
    let (options, shown) = strategies_offered(draft);
    let question =
        ask::Question { kind: DecisionKind::Strategy, text, options, subject: Subject::Strategy };
    ask::ask_as(draft, DecisionId::review_strategy(), State::ReviewStrategy, shown, question);
}

/// Who runs again without a name, and whom the person can name.
fn approval_options(correctors: &[String], named: &[String]) -> Vec<AnswerOption> {
    let again = match correctors {
        [] => "the work is done again with your comments".to_owned(),
        [one] => format!("{one} runs again with your comments"),
        many => format!("{} run again with your comments", joined(many, "and")),
    };
    let again = match named {
        [] | [_] => again,
        many => format!(
            "{again}; to send them to one role, write `changes-requested: {}: TEXT` ({})",
            correctors.last().unwrap_or(&many[many.len() - 1]),
            joined(many, "or")
        ),
    };
    vec![
        AnswerOption::of(
            ApproveWay::Approved,
            "Approve",
            "the work continues with exactly these files",
        ),
        AnswerOption::of(ApproveWay::ChangesRequested, "Request changes", &again),
    ]
}

/// `SpecAgent, Architect and Designer`.
fn joined(names: &[String], word: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

fn strategy_options(recommended: Strategy) -> Vec<AnswerOption> {
    let offer = |strategy: Strategy| {
        let (way, label, consequence) = match strategy {
            Strategy::PerBatch => (
                StrategyWay::PerBatch,
                "Review after each task",
                "Reviewer, QA and Security check every task when it is done, and a final \
                 review checks everything; thorough, finds problems early",
            ),
            Strategy::SingleFinal => (
                StrategyWay::SingleFinal,
                "Review once at the end",
                "all tasks are coded first, then reviewed together; faster, but problems are found late",
            ),
        };
        AnswerOption::of(way, label, consequence).recommended_if(strategy == recommended)
    };
    Strategy::ALL.iter().copied().map(offer).collect()
}

/// Many tasks, tasks that several others build on, or risk: review early. Otherwise once.
pub(super) fn recommended_strategy(draft: &Draft<'_>) -> Strategy {
    let is_risky = |task: &&Task| {
        ["security", "perf", "breaking-change"].iter().any(|flag| task.spec.is_flagged(flag))
    };
    let crosses = draft.plan.tasks.iter().any(|task| {
        let dependants =
            draft.plan.tasks.iter().filter(|other| other.spec.depends_on.contains(&task.spec.id));
        task.spec.depends_on.len() > 1 || dependants.count() > 1
    });
    if draft.plan.tasks.len() >= MANY_TASKS
        || crosses
        || draft.plan.tasks.iter().any(|t| is_risky(&t))
    {
        Strategy::PerBatch
    } else {
        Strategy::SingleFinal
    }
}

/// Something the person was shown is different now: the gate opens again.
pub(super) fn reopen(draft: &mut Draft<'_>, changed: &[String]) {
    let gates: Vec<Decision> = draft
        .decisions
        .asked
        .iter()
        .filter(|d| d.kind == DecisionKind::Approve && (is_approved(d) || d.is_pending()))
        .cloned()
        .collect();
    for decision in gates {
        let paths = shown_and_changed(draft, &decision, changed);
        let is_same = paths.is_empty() || Mutant::KeepsAnApprovalOfAnotherFile.is_planted();
        if let (Subject::Gate { step }, false) = (&decision.subject, is_same) {
            let words = format!("This has changed since you saw it: {}.", paths.join(", "));
            ask_approval(draft, *step, Some(&words));
        }
    }
    let strategy = draft.decision(&DecisionId::review_strategy()).cloned();
    // A plan that was sent back is asked about when it is made again.
    let is_chosen = |d: &Decision| matches!(d.answered(), Some(Choice::Strategy(answer)) if answer.strategy().is_some());
    if let Some(decision) = strategy.filter(|d| is_chosen(d) || d.is_pending())
        && !shown_and_changed(draft, &decision, changed).is_empty()
        && !Mutant::KeepsAStrategyForAnotherPlan.is_planted()
    {
        ask_strategy(draft, true);
    }
}

fn shown_and_changed(draft: &Draft<'_>, decision: &Decision, changed: &[String]) -> Vec<String> {
    let shown = decision.shown.iter().filter(|artefact| changed.contains(&artefact.path));
    shown
        .filter(|artefact| current_hash(draft, &artefact.path) != Some(&artefact.sha256))
        .map(|artefact| artefact.path.clone())
        .collect()
}

fn current_hash<'a>(draft: &'a Draft<'_>, path: &str) -> Option<&'a ContentHash> {
    let record = draft.files.artefacts.get(path).map(|record| &record.sha256);
    record.or_else(|| draft.files.outputs.get(path))
}

/// After a resume a gate that was given up is put again, under the same id, wherever the work stands.
pub(super) fn ask_again(draft: &mut Draft<'_>) {
    let given_up = |decision: &&Decision| decision.resolution.status == DecisionStatus::Cancelled;
    let gates: Vec<usize> = draft
        .decisions
        .asked
        .iter()
        .filter(given_up)
        .filter_map(|decision| match decision.subject {
            Subject::Gate { step } => Some(step),
            _ => None,
        })
        .collect();
    for step in gates {
        ask_approval(draft, step, None);
    }
    if draft.decision(&DecisionId::review_strategy()).filter(given_up).is_some() {
        ask_strategy(draft, false);
    }
}
