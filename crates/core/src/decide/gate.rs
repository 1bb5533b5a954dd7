//! The two mandatory gates: approval of the design, and the choice of a review strategy.

use super::step::Start;
use super::{Draft, accept, ask, checks, severity, step};
use crate::action::{APPROVE_DESIGN, CheckSubject, Place, Step, StepKind};
use crate::decision::{
    AnswerOption, CorrectionStatus, Decision, DecisionKind, DecisionStatus, Resolution, Subject,
};
use crate::event::{Event, Purpose};
use crate::id::{ContentHash, DecisionId, TaskRef};
use crate::limits::MANY_TASKS;
use crate::proof;
use crate::refusal::Refusal;
use crate::role::{Role, State};
use crate::task::Strategy;
use crate::work::Artefact;

/// Passes when what stands there is approved under the declared stage; asks otherwise.
pub(super) fn approve(draft: &mut Draft<'_>, index: usize) {
    if gate_decision(draft, index).is_some_and(|decision| holds(draft, decision)) {
        return step::next(draft);
    }
    ask_approval(draft, index, None);
}

/// The question of an approve step, by the index of the step.
fn gate_decision<'a>(draft: &'a Draft<'_>, index: usize) -> Option<&'a Decision> {
    let is_of = |d: &&Decision| matches!(d.subject, Subject::Gate { step } if step == index);
    draft.decisions.iter().find(is_of)
}

fn is_approved(decision: &Decision) -> bool {
    decision.answered().is_some_and(|answer| answer.starts_with("approved"))
}

/// An approval counts under the lifecycle stage in which it was given, and under no other.
fn holds(draft: &Draft<'_>, decision: &Decision) -> bool {
    is_approved(decision) && decision.resolution.stage == draft.stage
}

fn is_design(draft: &Draft<'_>, index: usize) -> bool {
    let step = draft.steps.get(index);
    step.is_some_and(
        |s| matches!(&s.kind, StepKind::Approve { gate, .. } if gate == APPROVE_DESIGN),
    )
}

fn ask_approval(draft: &mut Draft<'_>, index: usize, changed: Option<&str>) {
    let Some(Step { state, kind: StepKind::Approve { gate, shows, .. }, .. }) =
        draft.steps.get(index).cloned()
    else {
        return;
    };
    let shown = shown_artefacts(draft, index, &shows);
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
    if !draft.criteria.is_empty() {
        let proven = draft.criteria.iter().map(|criterion| {
            let what = format!("{} {}", criterion.id, criterion.description);
            proof::with_checks(&what, &criterion.verify)
        });
        let lines: Vec<String> = proven.collect();
        text.push_str(&format!("\nAcceptance criteria:\n{}", ask::bullets(&lines)));
    }
    if !draft.assumptions.is_empty() {
        let lines: Vec<String> = draft.assumptions.iter().map(|a| proof::one_line(a)).collect();
        text.push_str(&format!("\nAssumptions:\n{}", ask::bullets(&lines)));
    }
    let options = approval_options(&names_of(draft, &correctors(draft, index)));
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
    let session_files = draft.artefacts.iter().map(|(path, record)| (path, &record.sha256));
    session_files
        .chain(&draft.outputs)
        .filter(|(path, _)| is_shown(path))
        .map(|(path, sha256)| Artefact { path: path.clone(), sha256: sha256.clone() })
        .collect()
}

fn made_since_last_gate(draft: &Draft<'_>, index: usize) -> Vec<String> {
    let made = producers(draft, index).into_iter().filter_map(|place| draft.assignment(place));
    made.flat_map(|assignment| assignment.outputs.clone()).collect()
}

/// The parts of the action between the last gate and this one that make something.
fn producers(draft: &Draft<'_>, index: usize) -> Vec<Place> {
    let is_gate = |step: &Step| matches!(step.kind, StepKind::Approve { .. });
    let first = draft.steps[..index].iter().rposition(is_gate).map_or(0, |gate| gate + 1);
    let steps = draft.steps[..index].iter().enumerate().skip(first);
    let parts = steps.flat_map(|(at, step)| step.assignments(at));
    let can_be_asked = |role: Role| !role.is_reviewing() && role != Role::Orchestrator;
    parts.filter(|(_, a)| can_be_asked(a.role)).map(|(place, _)| place).collect()
}

/// Who does its part again when the gate is not passed: the named roles, else who made what is shown.
fn correctors(draft: &Draft<'_>, index: usize) -> Vec<(Role, Place)> {
    let named = match draft.steps.get(index).map(|step| &step.kind) {
        Some(StepKind::Approve { corrects, .. }) => corrects.clone(),
        _ => Vec::new(),
    };
    let of_role = |role: &Role| parts_of(draft, index, *role);
    let mut correctors: Vec<(Role, Place)> = named.iter().flat_map(of_role).collect();
    if correctors.is_empty() {
        let made = producers(draft, index).into_iter();
        correctors = made.filter_map(|p| Some((draft.assignment(p)?.role, p))).collect();
    }
    correctors
}

/// Where a role last played a part before a step; all its parts of a parallel one.
fn parts_of(draft: &Draft<'_>, before: usize, role: Role) -> Vec<(Role, Place)> {
    let steps = draft.steps[..before].iter().enumerate().rev();
    let mut parts = steps.map(|(at, step)| {
        let places = step.assignments(at).into_iter().filter(|(_, a)| a.role == role);
        places.map(|(place, _)| (role, place)).collect::<Vec<_>>()
    });
    parts.find(|found| !found.is_empty()).unwrap_or_default()
}

/// The parts that a person means by a name: the one that the action uses, or that of a role.
fn parts_named(draft: &Draft<'_>, before: usize, name: &str) -> Vec<(Role, Place)> {
    let is_meant = |(_, place): &(Role, Place)| {
        draft.assignment(*place).is_some_and(|part| part.name().eq_ignore_ascii_case(name))
    };
    let called = correctors(draft, before).into_iter().filter(is_meant).collect::<Vec<_>>();
    match Role::parse(name) {
        Some(role) if called.is_empty() => parts_of(draft, before, role),
        _ => called,
    }
}

/// What the action calls these parts, each once.
fn names_of(draft: &Draft<'_>, parts: &[(Role, Place)]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (role, place) in parts {
        let name = draft.assignment(*place).map_or(role.as_str(), |part| part.name()).to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A person wants changes: which roles run again, in order.
pub(super) fn reject(draft: &mut Draft<'_>, index: usize, words: &str) {
    let of_named = words.split_once(':').map(|(name, _)| parts_named(draft, index, name.trim()));
    let of_named = of_named.unwrap_or_default();
    let parts = if of_named.is_empty() { correctors(draft, index) } else { of_named };
    let (roles, places) = parts.into_iter().unzip();
    let status = CorrectionStatus::Queued;
    draft.emit(Event::CorrectionMoved { status, roles, places, agent: None });
}

/// Sends the correction to the next role, or asks again when all have run.
pub(super) fn correct(draft: &mut Draft<'_>) {
    let (roles, places) = (draft.correction.roles.clone(), draft.correction.places.clone());
    let index = rejected_gate(draft);
    let Some(role) = roles.first().copied() else {
        // Who judged the work looks at what came of it before the person does.
        if !draft.look_again.is_empty() && !severity::is_passed(draft) {
            return;
        }
        let status = CorrectionStatus::Completed;
        draft.emit(Event::CorrectionMoved { status, roles, places, agent: None });
        return ask_approval(draft, index, None);
    };
    let text =
        draft.rejections.last().map(|rejection| rejection.answer.clone()).unwrap_or_default();
    let words = text.strip_prefix("changes-requested:").unwrap_or(&text).trim().to_owned();
    let status = CorrectionStatus::Dispatched;
    let place = places.first().copied();
    draft.emit(Event::CorrectionMoved { status, roles, places, agent: Some(role) });
    let of = if is_design(draft, index) { "of the design" } else { "of your work" };
    let feedback = vec![format!("the person asks for changes {of}: {words}")];
    let purpose = Purpose::Correction { step: index, place };
    accept::dispatch_for(draft, Start::new(role, TaskRef::Meta, purpose, feedback));
}

/// The gate that was last not passed.
fn rejected_gate(draft: &Draft<'_>) -> usize {
    let decision = draft.rejections.last().and_then(|r| draft.decision(&r.decision_id));
    match decision.map(|decision| &decision.subject) {
        Some(Subject::Gate { step }) => *step,
        _ => 0,
    }
}

/// The repository declares another lifecycle stage: what was found and approved under the old one no longer counts.
pub(super) fn stage_seen(draft: &mut Draft<'_>, stage: Option<String>) {
    if draft.is_over() || draft.stage == stage {
        return;
    }
    draft.emit(Event::StageDeclared { stage });
    if draft.stage.is_none() {
        // Gates that nobody declares any more will not run again.
        checks::settle_gate_findings(draft);
    }
    withdraw_on_stale_evidence(draft);
}

/// Lifecycle gates run again before a person is asked: what was asked meanwhile could not be approved.
fn withdraw_on_stale_evidence(draft: &mut Draft<'_>) {
    if !is_evidence_stale(draft) {
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

/// Lifecycle gates ran under a stage that is no longer the declared one.
pub(super) fn is_evidence_stale(draft: &Draft<'_>) -> bool {
    let declared = draft.stage.as_ref();
    draft.lifecycle.as_ref().is_some_and(|run| declared.is_some_and(|stage| *stage != run.stage))
}

/// Lifecycle gates must run again before the work continues; a step that checks them sees to it itself.
pub(super) fn needs_evidence(draft: &Draft<'_>) -> bool {
    let checks_it = draft.current_step().is_some_and(|step| match &step.kind {
        StepKind::Checks { of } => of.contains(&CheckSubject::Lifecycle),
        _ => false,
    });
    let is_red = draft.lifecycle.as_ref().is_some_and(|run| !run.passed);
    is_evidence_stale(draft) || (is_red && draft.stage.is_some() && !checks_it)
}

/// Asks again for an approval that was given under another stage. Says whether there was one.
pub(super) fn reaffirm(draft: &mut Draft<'_>) -> bool {
    let is_approve = |step: &Step| matches!(step.kind, StepKind::Approve { .. });
    let passed = draft.steps[..draft.step].iter().enumerate().filter(|(_, step)| is_approve(step));
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
    answer: &crate::answer::Answer,
) -> Result<(), Refusal> {
    let is_approval =
        matches!(decision.subject, Subject::Gate { .. }) && answer.keyword.starts_with("approved");
    match (&draft.lifecycle, &draft.stage) {
        (Some(run), Some(declared)) if is_approval && run.stage != *declared => {
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
        return step::next(draft);
    }
    ask_strategy(draft, false);
}

/// Asks for the strategy; the plan it is about may have changed since it was first asked.
pub(super) fn ask_strategy(draft: &mut Draft<'_>, plan_changed: bool) {
    let recommended = recommended_strategy(draft);
    let lines: Vec<String> = draft
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
            proof::with_checks(&what, &spec.acceptance_checks)
        })
        .collect();
    let changed = if plan_changed { "The plan has changed since you chose. " } else { "" };
    let text = format!(
        "{changed}{} task(s) are planned:\n{}\nHow should the work be reviewed? Recommended: {recommended}.",
        draft.tasks.len(),
        ask::bullets(&lines),
    );
    let plan = draft.artefacts.get("tasks.yaml");
    let shown = plan
        .map(|record| Artefact { path: "tasks.yaml".to_owned(), sha256: record.sha256.clone() })
        .into_iter()
        .collect();
    let question = ask::Question {
        kind: DecisionKind::Strategy,
        text,
        options: strategy_options(),
        subject: Subject::Strategy,
    };
    ask::ask_as(draft, DecisionId::review_strategy(), State::ReviewStrategy, shown, question);
}

fn approval_options(correctors: &[String]) -> Vec<AnswerOption> {
    let again = match correctors {
        [] => "the work is asked for again with your words".to_owned(),
        [one] => format!("{one} runs again with your words"),
        many => format!(
            "{} run again with your words; begin with `{}:` to send it to one of them",
            many.join(" and "),
            many[many.len() - 1]
        ),
    };
    vec![
        AnswerOption {
            answer: "approved".to_owned(),
            label: "Approve".to_owned(),
            consequence: "the work continues from exactly these files".to_owned(),
        },
        AnswerOption {
            answer: "changes-requested: TEXT".to_owned(),
            label: "Request changes".to_owned(),
            consequence: again,
        },
        ask::cancel_option(),
    ]
}

fn strategy_options() -> Vec<AnswerOption> {
    vec![
        AnswerOption {
            answer: "per-batch".to_owned(),
            label: "Review after each task".to_owned(),
            consequence:
                "Reviewer, QA and Security look at every task as it is done, and a final review \
                          at the whole; thorough, finds faults early"
                    .to_owned(),
        },
        AnswerOption {
            answer: "single-final".to_owned(),
            label: "Review once at the end".to_owned(),
            consequence:
                "all tasks are coded first, then one combined pass; faster, faults are found late"
                    .to_owned(),
        },
        ask::cancel_option(),
    ]
}

/// Many tasks, tasks that several others build on, or risk: review early. Otherwise once.
pub(super) fn recommended_strategy(draft: &Draft<'_>) -> Strategy {
    let is_risky = |task: &&crate::session::Task| {
        ["security", "perf", "breaking-change"].iter().any(|flag| task.spec.is_flagged(flag))
    };
    let crosses = draft.tasks.iter().any(|task| {
        let dependants =
            draft.tasks.iter().filter(|other| other.spec.depends_on.contains(&task.spec.id));
        task.spec.depends_on.len() > 1 || dependants.count() > 1
    });
    if draft.tasks.len() >= MANY_TASKS || crosses || draft.tasks.iter().any(|t| is_risky(&t)) {
        Strategy::PerBatch
    } else {
        Strategy::SingleFinal
    }
}

/// Something the person was shown is different now: the gate opens again.
pub(super) fn reopen(draft: &mut Draft<'_>, changed: &[String]) {
    let gates: Vec<Decision> = draft
        .decisions
        .iter()
        .filter(|d| d.kind == DecisionKind::Approve && (is_approved(d) || d.is_pending()))
        .cloned()
        .collect();
    for decision in gates {
        let paths = shown_and_changed(draft, &decision, changed);
        if let (Subject::Gate { step }, false) = (&decision.subject, paths.is_empty()) {
            let words = format!("What you were shown has changed since: {}.", paths.join(", "));
            ask_approval(draft, *step, Some(&words));
        }
    }
    let strategy = draft.decision(&DecisionId::review_strategy()).cloned();
    if let Some(decision) = strategy.filter(|d| d.answered().is_some() || d.is_pending())
        && !shown_and_changed(draft, &decision, changed).is_empty()
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
    let record = draft.artefacts.get(path).map(|record| &record.sha256);
    record.or_else(|| draft.outputs.get(path))
}

/// After a resume a gate that was given up is put again, under the same id, wherever the work stands.
pub(super) fn ask_again(draft: &mut Draft<'_>) {
    let given_up = |decision: &&Decision| decision.resolution.status == DecisionStatus::Cancelled;
    let gates: Vec<usize> = draft
        .decisions
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
