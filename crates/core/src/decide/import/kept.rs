//! What people had decided before the import: kept as it was said, and bound to the documents as they are now.

use super::point;
use crate::answer::{ApproveAnswer, Choice, InfoWay};
use crate::decide::draft::Draft;
use crate::decide::moves::ask;
use crate::decide::{correction, gate};
use crate::decision::{
    CorrectionStatus, Decision, DecisionKind, DecisionStatus, Resolution, Subject,
};
use crate::event::Event;
use crate::id::DecisionId;
use crate::import::{ImportedDecision, Rejection};
use crate::notice::NoticeCode;
use crate::role::State;

pub fn decisions(
    draft: &mut Draft<'_>,
    decisions: Vec<ImportedDecision>,
    rejections: &[Rejection],
) {
    let design = gate::design_step(draft);
    for decision in decisions {
        match (&decision.id, design) {
            (id, Some(index)) if *id == DecisionId::approve_design() => {
                approval(draft, index, &decision, rejections);
            }
            (id, Some(_)) if *id == DecisionId::review_strategy() => strategy(draft, &decision),
            _ => other(draft, decision),
        }
    }
}

/// Whatever was asked beside the gates. One that is still open is asked now.
fn other(draft: &mut Draft<'_>, decision: ImportedDecision) {
    let is_open = decision.status == DecisionStatus::Pending;
    let text =
        ask::option(InfoWay::Text, "Any text", "your answer goes to every agent from now on");
    let asked = Decision {
        kind: DecisionKind::Info,
        options: is_open.then_some(text).into_iter().collect(),
        subject: Subject::Imported { task: None },
        ..question(draft, &decision, State::ImplementLoop)
    };
    draft.emit(Event::DecisionAsked { decision: Box::new(asked) });
    if !is_open {
        let answer = decision.answer.clone().map(ask::cut);
        resolve(draft, &decision, answer);
    }
}

/// The gate asks for itself where there is no answer that it takes.
fn approval(
    draft: &mut Draft<'_>,
    index: usize,
    decision: &ImportedDecision,
    rejections: &[Rejection],
) {
    let (options, shown) = gate::offered(draft, index);
    let asked = Decision {
        kind: DecisionKind::Approve,
        options,
        subject: Subject::Gate { step: index },
        shown,
        ..question(draft, decision, State::ApproveDesign)
    };
    let said = answer_of(&asked, decision, |choice| matches!(choice, Choice::Approve(_)));
    // Nobody has approved what is still to come.
    let is_whole = point::first_missing(draft, index, true).is_none();
    let said = said.filter(|_| is_whole);
    let former = rejections.iter().filter(|rejection| Some(&rejection.answer) != said.as_ref());
    for rejection in former {
        let before = ImportedDecision { resolved_at: rejection.at, ..decision.clone() };
        let answer = &rejection.answer;
        if let Ok(choice @ Choice::Approve(ApproveAnswer::ChangesRequested(_))) =
            asked.read(answer, None)
        {
            draft.emit(Event::DecisionAsked { decision: Box::new(asked.clone()) });
            resolve(draft, &before, Some(choice.canonical()));
        }
    }
    keep(draft, asked, decision, said);
}

fn strategy(draft: &mut Draft<'_>, decision: &ImportedDecision) {
    let (options, shown) = gate::strategies_offered(draft);
    let asked = Decision {
        kind: DecisionKind::Strategy,
        options,
        subject: Subject::Strategy,
        shown,
        ..question(draft, decision, State::ReviewStrategy)
    };
    let said = answer_of(
        &asked,
        decision,
        |choice| matches!(choice, Choice::Strategy(answer) if answer.strategy().is_some()),
    );
    let said = said.filter(|_| !draft.plan.tasks.is_empty());
    keep(draft, asked, decision, said);
}

fn keep(draft: &mut Draft<'_>, asked: Decision, decision: &ImportedDecision, said: Option<String>) {
    let id = asked.decision_id.clone();
    if said.is_some() {
        draft.emit(Event::DecisionAsked { decision: Box::new(asked) });
        return resolve(draft, decision, said);
    }
    let why = match &decision.answer {
        Some(answer) => format!("its answer was {answer:?}, and that settles nothing here"),
        None => format!("it was {}", decision.status),
    };
    let text = format!("{id} is asked again when the work comes to it: {why}");
    draft.notice(NoticeCode::ImportAgain, ask::cut(text));
}

/// The form that is kept on record, where it is an answer to this gate.
fn answer_of(
    asked: &Decision,
    decision: &ImportedDecision,
    fits: impl Fn(&Choice) -> bool,
) -> Option<String> {
    let answer = decision.answer.as_deref().filter(|_| decision.status == DecisionStatus::Answered);
    asked.read(answer?, None).ok().filter(fits).map(|choice| choice.canonical())
}

/// The question as it was recorded.
fn question(draft: &Draft<'_>, decision: &ImportedDecision, usual: State) -> Decision {
    Decision {
        decision_id: decision.id.clone(),
        kind: DecisionKind::Info,
        question: ask::cut(decision.question.clone()),
        options: Vec::new(),
        asked_at: decision.asked_at.unwrap_or_else(|| draft.now()),
        state_context: decision.state_context.unwrap_or(usual),
        subject: Subject::Imported { task: None },
        shown: Vec::new(),
        resolution: Resolution::default(),
        decided: None,
    }
}

fn resolve(draft: &mut Draft<'_>, decision: &ImportedDecision, answer: Option<String>) {
    let resolution = Resolution {
        status: match answer {
            Some(_) => DecisionStatus::Answered,
            None => decision.status,
        },
        answer,
        resolved_at: decision.resolved_at.or(Some(draft.now())),
        reason: decision.reason.clone().map(ask::cut),
        command: None,
        // What was approved counts under the stage that is declared when it is taken over.
        stage: draft.checks.stage.clone(),
    };
    draft.emit(Event::DecisionResolved { id: decision.id.clone(), resolution });
}

/// A rejected design whose correction was not given out yet is corrected. One that was given out may be corrected or
/// not: the person looks at what is there.
pub fn correction(draft: &mut Draft<'_>, index: usize, recorded: CorrectionStatus) {
    let rejected = draft.decisions.asked.iter().find_map(|decision| match decision.subject {
        Subject::Gate { step } if step == index => match decision.answered() {
            Some(Choice::Approve(ApproveAnswer::ChangesRequested(words))) => {
                Some(words.to_string())
            }
            _ => None,
        },
        _ => None,
    });
    let Some(words) = rejected else { return };
    match recorded {
        CorrectionStatus::None | CorrectionStatus::Queued => {
            correction::reject(draft, index, &words)
        }
        CorrectionStatus::Dispatched | CorrectionStatus::Completed => {
            let status = CorrectionStatus::Completed;
            let (roles, parts) = (Vec::new(), Vec::new());
            draft.emit(Event::CorrectionMoved { status, roles, parts, agent: None });
        }
    }
}
