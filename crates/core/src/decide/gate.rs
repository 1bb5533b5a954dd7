//! The two mandatory gates: approval of the design, and the choice of a review strategy.

use super::{Draft, accept, ask, step};
use crate::action::StepKind;
use crate::decision::{
    AnswerOption, CorrectionStatus, Decision, DecisionKind, DecisionStatus, Resolution, Subject,
};
use crate::event::{Event, Purpose};
use crate::id::{DecisionId, TaskRef};
use crate::limits::MANY_TASKS;
use crate::refusal::Refusal;
use crate::role::{Role, State};
use crate::task::Strategy;
use crate::work::Artefact;

/// Passes when the design on record is approved; asks otherwise.
pub(super) fn approve(draft: &mut Draft<'_>, index: usize) {
    let decision = draft.decision(&DecisionId::approve_design());
    if decision.is_some_and(is_approved) {
        return step::next(draft);
    }
    ask_approval(draft, index, None);
}

fn is_approved(decision: &Decision) -> bool {
    decision.answered().is_some_and(|answer| answer.starts_with("approved"))
}

fn ask_approval(draft: &mut Draft<'_>, index: usize, changed: Option<&[String]>) {
    let Some(StepKind::Approve { shows, .. }) =
        draft.steps.get(index).map(|step| step.kind.clone())
    else {
        return;
    };
    let shown = shown_artefacts(draft, &shows);
    let names: Vec<String> = shown.iter().map(|a| a.path.clone()).collect();
    let mut text = match changed {
        Some(paths) => format!(
            "What you were shown has changed since: {}. Do you approve the design as it is now?",
            paths.join(", ")
        ),
        None => {
            format!("Please review the proposed solution: {}. Do you approve it?", names.join(", "))
        }
    };
    if !draft.criteria.is_empty() {
        let lines: Vec<String> =
            draft.criteria.iter().map(|c| format!("{} {}", c.id, c.description)).collect();
        text.push_str(&format!("\nAcceptance criteria:\n{}", ask::bullets(&lines)));
    }
    if !draft.assumptions.is_empty() {
        text.push_str(&format!("\nAssumptions:\n{}", ask::bullets(&draft.assumptions)));
    }
    let options = approval_options();
    let question = ask::Question {
        kind: DecisionKind::Approve,
        text,
        options,
        subject: Subject::Gate { step: index },
    };
    ask::ask_as(draft, DecisionId::approve_design(), State::ApproveDesign, shown, question);
}

/// The session files that the patterns name: a file, or everything below a folder.
fn shown_artefacts(draft: &Draft<'_>, shows: &[String]) -> Vec<Artefact> {
    let is_shown = |path: &str| {
        shows
            .iter()
            .any(|show| path == show || (show.ends_with('/') && path.starts_with(show.as_str())))
    };
    let artefacts = draft.artefacts.iter().filter(|(path, _)| is_shown(path));
    artefacts
        .map(|(path, record)| Artefact { path: path.clone(), sha256: record.sha256.clone() })
        .collect()
}

/// A person wants changes: which roles run again, in order.
pub(super) fn reject(draft: &mut Draft<'_>, index: usize, words: &str) {
    let default = match draft.steps.get(index).map(|step| &step.kind) {
        Some(StepKind::Approve { corrects, .. }) => corrects.clone(),
        _ => Vec::new(),
    };
    let named = words.split_once(':').and_then(|(name, _)| Role::parse(name.trim()));
    let correctors = [Role::SpecAgent, Role::Architect, Role::Designer];
    let roles = match named.filter(|role| correctors.contains(role)) {
        Some(role) => vec![role],
        None => default,
    };
    draft.emit(Event::CorrectionMoved { status: CorrectionStatus::Queued, roles, agent: None });
}

/// Sends the correction to the next role, or asks again when all have run.
pub(super) fn correct(draft: &mut Draft<'_>) {
    let roles = draft.correction.roles.clone();
    let index = approve_index(draft);
    let Some(role) = roles.first().copied() else {
        let status = CorrectionStatus::Completed;
        draft.emit(Event::CorrectionMoved { status, roles, agent: None });
        return ask_approval(draft, index, None);
    };
    let text =
        draft.rejections.last().map(|rejection| rejection.answer.clone()).unwrap_or_default();
    let words = text.strip_prefix("changes-requested:").unwrap_or(&text).trim().to_owned();
    let status = CorrectionStatus::Dispatched;
    draft.emit(Event::CorrectionMoved { status, roles, agent: Some(role) });
    let feedback = vec![format!("the person asks for changes of the design: {words}")];
    let purpose = Purpose::Correction { step: index };
    accept::dispatch_for(draft, role, TaskRef::Meta, purpose, feedback);
}

fn approve_index(draft: &Draft<'_>) -> usize {
    draft.steps.iter().position(|s| matches!(s.kind, StepKind::Approve { .. })).unwrap_or(0)
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
            format!(
                "{} {} ({}){risk}: {}",
                spec.id,
                spec.title,
                spec.kind,
                spec.files_expected.join(", ")
            )
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

fn approval_options() -> Vec<AnswerOption> {
    vec![
        AnswerOption {
            answer: "approved".to_owned(),
            label: "Approve".to_owned(),
            consequence: "the plan is made from exactly these files".to_owned(),
        },
        AnswerOption {
            answer: "changes-requested: TEXT".to_owned(),
            label: "Request changes".to_owned(),
            consequence:
                "SpecAgent and Architect run again with your words; begin with `Architect:`, \
                          `SpecAgent:` or `Designer:` to send it to one of them"
                    .to_owned(),
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
    let was_shown = |decision: &Decision| {
        let shown: Vec<String> = decision
            .shown
            .iter()
            .filter(|artefact| changed.contains(&artefact.path))
            .map(|artefact| artefact.path.clone())
            .collect();
        shown
    };
    let design = draft.decision(&DecisionId::approve_design()).cloned();
    if let Some(decision) = design.filter(|d| is_approved(d) || d.is_pending()) {
        let paths = was_shown(&decision);
        if let (Subject::Gate { step }, false) = (&decision.subject, paths.is_empty()) {
            ask_approval(draft, *step, Some(&paths));
        }
    }
    let strategy = draft.decision(&DecisionId::review_strategy()).cloned();
    if let Some(decision) = strategy.filter(|d| d.answered().is_some() || d.is_pending())
        && !was_shown(&decision).is_empty()
    {
        ask_strategy(draft, true);
    }
}

/// After a resume a gate that was given up is put again, under the same id, wherever the work stands.
pub(super) fn ask_again(draft: &mut Draft<'_>) {
    let given_up = |decision: &&Decision| decision.resolution.status == DecisionStatus::Cancelled;
    let design = draft.decision(&DecisionId::approve_design()).filter(given_up);
    if let Some(Subject::Gate { step }) = design.map(|decision| decision.subject.clone()) {
        ask_approval(draft, step, None);
    }
    if draft.decision(&DecisionId::review_strategy()).filter(given_up).is_some() {
        ask_strategy(draft, false);
    }
}

/// An early answer to a known gate must be one that the gate takes.
pub(super) fn refuse_early(
    draft: &Draft<'_>,
    id: &DecisionId,
    given: &str,
    reason: Option<&str>,
) -> Result<(), Refusal> {
    let (kind, options) = if *id == DecisionId::approve_design() {
        (DecisionKind::Approve, approval_options())
    } else if *id == DecisionId::review_strategy() {
        (DecisionKind::Strategy, strategy_options())
    } else {
        return Ok(());
    };
    let asked = Decision {
        decision_id: id.clone(),
        kind,
        question: String::new(),
        options,
        asked_at: draft.now(),
        state_context: State::ApproveDesign,
        subject: Subject::Strategy,
        shown: Vec::new(),
        resolution: Resolution::default(),
    };
    crate::answer::read(&asked, given, reason).map(drop)
}
