//! Commands of people: answers, silence, and the end of a session.

use super::draft::Draft;
use super::moves::{ending, escalate};
use super::{follow, gate, questions};
use crate::action::CheckSubject;
use crate::answer::{self, Choice, NotesAnswer, RepairAnswer, SecurityAnswer};
use crate::decision::{
    Blocker, BlockerCode, Decision, DecisionKind, DecisionStatus, Resolution, Subject,
};
use crate::event::{Event, Finding, FindingStatus, Verdict};
use crate::id::{CommandId, DecisionId};
use crate::input::Command;
use crate::mutant::Mutant;
use crate::refusal::Refusal;
use crate::reply::Severity;
use crate::role::Role;
use crate::work::CheckResult;

pub(super) fn decide(draft: &mut Draft<'_>, command: Command) -> Result<(), Refusal> {
    if draft.decisions.commands_seen.contains(command.id())
        && !Mutant::HearsACommandTwice.is_planted()
    {
        return Ok(());
    }
    // A cancel that is delivered twice finds its work done.
    if draft.is_cancelled() && matches!(command, Command::Cancel { .. }) {
        return Ok(());
    }
    if draft.is_over() && matches!(command, Command::Cancel { .. }) {
        return Err(Refusal::AlreadyDone { session: draft.opening.session.clone() });
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
    if !draft.is_asked_since(id, round) && !Mutant::TakesAnAnswerOfAnEarlierRound.is_planted() {
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
    let choice = decision.read(given, reason)?;
    // Another strategy can be chosen later; a plan that is worked on is not sent back.
    if !decision.is_pending()
        && matches!(&choice, Choice::Strategy(answer) if answer.strategy().is_none())
    {
        let status = decision.resolution.status.to_string();
        return Err(Refusal::NotPending { id: id.clone(), status });
    }
    refuse_to_accept_critical(draft, &decision, &choice)?;
    gate::refuse_stale_evidence(draft, &decision, &choice)?;
    if let Choice::Cancel(answer::Cancel::Cancel(reason)) = &choice {
        cancel(draft, Some(id), Some(command), reason);
        return Ok(());
    }
    let (status, reason) = match &choice {
        // A conscious deferral is on record as one, with the person's reason.
        Choice::Security(SecurityAnswer::FixLater(why)) => {
            (DecisionStatus::Cancelled, Some(&**why))
        }
        _ => (DecisionStatus::Answered, reason),
    };
    let resolution = Resolution {
        status,
        answer: Some(choice.canonical()),
        resolved_at: Some(draft.now()),
        reason: reason.map(str::to_owned),
        command: Some(command),
        stage: draft.checks.stage.clone().filter(|_| decision.kind == DecisionKind::Approve),
    };
    draft.emit(Event::DecisionResolved { id: id.clone(), resolution });
    follow::follow(draft, &decision, &choice);
    Ok(())
}

fn refuse_to_accept_critical(
    draft: &Draft<'_>,
    decision: &Decision,
    choice: &Choice,
) -> Result<(), Refusal> {
    let accepted = match (&decision.subject, choice) {
        (Subject::Repair { task, .. }, Choice::Repair(RepairAnswer::AcceptWithKnownIssues(_))) => {
            let open = draft.record.findings.iter().filter(|f| f.status == FindingStatus::Open);
            open.filter(|f| f.task == *task && keeps_its_no(f)).cloned().collect()
        }
        (Subject::Notes { task, .. }, Choice::Notes(NotesAnswer::Accept)) => {
            follow::noted(draft, task)
        }
        _ => return Ok(()),
    };
    let open = accepted.iter().filter(|f| f.report.severity == Severity::Critical).count();
    if open == 0 || Mutant::AcceptsACriticalFinding.is_planted() {
        return Ok(());
    }
    Err(Refusal::CriticalOpen {
        id: decision.decision_id.clone(),
        answer: choice.canonical(),
        open,
    })
}

/// A red check may be accepted with a reason. But nothing has run in a tree that could not be set up, and the validation of
/// documents is never skipped.
fn keeps_its_no(finding: &Finding) -> bool {
    let planning = CheckSubject::Planning.to_string();
    finding
        .origin
        .command()
        .is_none_or(|command| command == CheckResult::SETUP || command == planning)
}

/// Asked, and nothing came: ad-hoc questions lapse, all others stay.
fn no_response(draft: &mut Draft<'_>, command: CommandId, id: &DecisionId) -> Result<(), Refusal> {
    let decision = pending(draft, id)?;
    let is_of_plan = matches!(decision.subject, Subject::Refinement { .. });
    // Nobody knows who asked it: it may have been Security.
    let is_imported = matches!(decision.subject, Subject::Imported { .. });
    // What Security asks is answered by a person, never by silence.
    let is_of_security = matches!(decision.subject, Subject::Info { dispatch }
        if draft.dispatches[&dispatch].role == Role::Security);
    if decision.kind != DecisionKind::Info || is_of_plan || is_imported || is_of_security {
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
    if let Subject::Info { dispatch } = decision.subject {
        questions::answered(draft, dispatch);
    }
    Ok(())
}

/// The budget has headroom again.
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
    escalate::unblock(draft);
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
        detail: format!("{id} needs an answer, and no valid answer was given"),
        remedy: "`tollgate resume` asks again".to_owned(),
    };
    draft.emit(Event::Blocked { blocker, fault: None });
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
    let open = draft.dispatches.open.clone();
    for number in
        open.into_iter().filter(|_| !Mutant::LeavesDispatchesOpenAfterACancel.is_planted())
    {
        ending::close(draft, number, Verdict::Cancelled);
    }
    let blocker = Blocker {
        code: BlockerCode::Cancelled,
        detail: format!("cancelled: {reason}"),
        remedy: "accepted work stays on the session's branch; a new run starts over".to_owned(),
    };
    draft.emit(Event::Blocked { blocker, fault: None });
}
