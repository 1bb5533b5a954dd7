//! Planted bugs of limits: what is spent, what is left, and who takes over.

use super::{Bug, Twisted, started};
use tollgate_core::answer::{AnswerOption, EscalationWay};
use tollgate_core::decision::{Blocker, BlockerCode, Decision, DecisionKind, Resolution, Subject};
use tollgate_core::event::{Event, RetryWhy};
use tollgate_core::id::{DecisionId, DispatchNumber};
use tollgate_core::notice::NoticeCode;
use tollgate_core::reply::Usage;
use tollgate_core::session::Session;
use tollgate_core::time::Timestamp;
use tollgate_core::work::DispatchEnd;
use tollgate_core::worker::Worker;

impl Bug {
    pub(super) fn instead_about_limits(
        self,
        at: Timestamp,
        event: &Event,
        session: &Session,
    ) -> Option<Twisted> {
        match event {
            Event::AttemptEnded { .. } => self.instead_of_costs(event),
            Event::AttemptStarted { .. } => self.instead_of_an_allowance(event, session),
            Event::RetryScheduled { number, why, .. } => {
                self.instead_of_a_wait(at, event, *number, *why, session)
            }
            Event::Noticed { code, .. }
                if self == Self::HidesAnUnknownPrice && *code == NoticeCode::BudgetUnknown =>
            {
                Some(Twisted::InPlace(Vec::new()))
            }
            _ => None,
        }
    }

    fn instead_of_costs(self, event: &Event) -> Option<Twisted> {
        let mut twisted = event.clone();
        let Event::AttemptEnded { end, usage, ruling, .. } = &mut twisted else {
            return None;
        };
        let is_reply = matches!(end, DispatchEnd::Replied { .. });
        match self {
            Self::ForgetsWhatAFailureCost if !is_reply && *usage != Usage::default() => {
                *usage = Usage::default();
            }
            Self::TriesAgainInsteadOfHandingOn => {
                let DispatchEnd::Parked { no_time: Some(detail), .. } = end else { return None };
                *end = DispatchEnd::Limited { detail: detail.clone() };
            }
            Self::CallsAnUnknownPriceFree if end.has_begun() && usage.micro_usd.is_none() => {
                usage.micro_usd = Some(0);
            }
            _ => return None,
        }
        *ruling = None;
        Some(Twisted::InPlace(vec![twisted]))
    }

    fn instead_of_an_allowance(self, event: &Event, session: &Session) -> Option<Twisted> {
        let mut twisted = event.clone();
        let Event::AttemptStarted { number, attempt, agent, stands_in_for, allowance, .. } =
            &mut twisted
        else {
            return None;
        };
        let own = session.policy.players.get(&session.dispatches[number].role);
        match self {
            Self::GivesMoreThanIsLeft => allowance.micro_usd = Some(allowance.micro_usd? + 1),
            Self::LetsAStrangerTakeOver if stands_in_for.is_some() => {
                *agent = Some(Worker::Agent("stranger".to_owned()));
            }
            Self::FallsBackForACrash if attempt.0 > 1 && agent.is_none() => {
                let other = session.policy.fallbacks.get(own?)?.first()?;
                *agent = Some(Worker::Agent(other.clone()));
                *stands_in_for = own.cloned();
            }
            _ => return None,
        }
        Some(Twisted::InPlace(vec![twisted]))
    }

    fn instead_of_a_wait(
        self,
        at: Timestamp,
        event: &Event,
        number: DispatchNumber,
        why: RetryWhy,
        session: &Session,
    ) -> Option<Twisted> {
        let dispatch = &session.dispatches[&number];
        let starts = match (self, why) {
            (Self::StartsBeyondALimit, RetryWhy::Budget)
            | (Self::StartsWithoutRoom, RetryWhy::Room) => true,
            (Self::StartsAParkedAgent, RetryWhy::Parked) => {
                dispatch.player().is_some_and(|name| session.out_until(name, at).is_some())
            }
            _ => false,
        };
        if starts {
            let agent = dispatch.agent().cloned();
            let start = started(number, dispatch.attempts.next(), agent);
            return Some(Twisted::AndNothingAfter(vec![event.clone(), start]));
        }
        let was_parked = matches!(dispatch.last_failure(), Some(DispatchEnd::Parked { .. }));
        let gives_up = match (self, why) {
            (Self::AsksAboutAParking, RetryWhy::Parked | RetryWhy::Fallback) => was_parked,
            (Self::GivesUpBeforeItsTriesAreSpent, RetryWhy::Transient) => true,
            _ => false,
        };
        gives_up.then(|| Twisted::AndNothingAfter(escalation(at, number, session)))
    }
}

fn escalation(at: Timestamp, number: DispatchNumber, session: &Session) -> Vec<Event> {
    let highest = session.decisions.asked.iter().filter_map(|d| d.decision_id.number()).max();
    let (code, detail, remedy) =
        (BlockerCode::SubagentFailure, "it failed".to_owned(), "answer".to_owned());
    let option = AnswerOption::of(EscalationWay::Retry, "Try once more", "one more attempt");
    let decision = Decision {
        decision_id: DecisionId::sequential(highest.unwrap_or(0) + 1),
        kind: DecisionKind::Escalation,
        question: detail.clone(),
        options: vec![option],
        state_context: session.working_state(),
        asked_at: at,
        subject: Subject::Dispatch { dispatch: number },
        shown: Vec::new(),
        resolution: Resolution::default(),
        decided: None,
    };
    vec![
        Event::Blocked { blocker: Blocker { code, detail, remedy }, fault: None },
        Event::DecisionAsked { decision: Box::new(decision) },
    ]
}
