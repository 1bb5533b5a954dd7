//! Planted bugs: each twists what is written or read, as a wrong engine would. The witness must catch every one.

mod costs;
mod lane;
mod route;
mod scope;

use tollgate_core::decision::{DecisionKind, DecisionStatus, Resolution, Subject};
use tollgate_core::event::{CheckTree, Event, Purpose, RetryWhy, Verdict};
use tollgate_core::id::{Attempt, CheckNumber, CommandId, DecisionId, DispatchNumber};
use tollgate_core::input::{Command, Input};
use tollgate_core::reply::Usage;
use tollgate_core::role::{Mode, Role};
use tollgate_core::session::Session;
use tollgate_core::task::{Strategy, TaskStatus};
use tollgate_core::time::Timestamp;
use tollgate_core::work::DispatchEnd;
use tollgate_core::worker::Worker;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    LosesTheLastEvent,
    ForgetsQuestionsAfterACrash,
    StartsAnAttemptTwice,
    CallsAnInterruptionACrash,
    CallsALostSupervisorAnInterruption,
    DoesNotWaitBeforeARetry,
    RetriesATimeout,
    CompletesWithoutReview,
    CountsARepairTwice,
    ApprovesWithAnyWord,
    ApprovesBeforeItAsks,
    KeepsTheStrategyAsSaid,
    PlansWithoutApproval,
    SendsACorrectionTwice,
    TakesRefusedWork,
    UsesAnIdAgain,
    CallsDocsInLeanMode,
    ClosesBeforeTheRelease,
    LeavesOutTheLastReview,
    RunsTheClockBack,
    BlocksWithoutAQuestion,
    CallsARedCheckGreen,
    TakesTheWorkspaceForAClone,
    UsesASpentClone,
    TakesAnObjectionForAnOk,
    ReviewsBeforeAllIsCoded,
    MovesTheBranchFromAWrongTip,
    PassesTheBarrierEarly,
    CallsAMemberAgain,
    DropsAConflict,
    TakesChangesInTheWrongOrder,
    ApprovesACriticalFinding,
    LosesAFinding,
    DoesNotHearTheCoder,
    LosesWhatComesWithAnInvalidReply,
    CallsFixedWhatNobodyWasToldOf,
    ForgetsSomethingGrave,
    LosesAWeakenedTest,
    JustifiesWithNothing,
    StopsForASmallFinding,
    ApprovesUnderAnotherStage,
    OverridesCoverageByItself,
    FixesByHandUnasked,
    CallsOldEvidenceNew,
    StartsOneTooMany,
    IgnoresOverlaps,
    StartsATaskTooEarly,
    SharesALane,
    StartsAWaveOutOfOrder,
    TakesAWaveInArrivalOrder,
    LeavesALaneOutOfTheMerge,
    MergesBeforeAllAreReady,
    ClosesALaneWithoutMerging,
    DropsAClashingChange,
    PassesQaBeforeItsTestsAreIn,
    ExtendsAScopeUnasked,
    TakesARefusalForAYes,
    ForgetsARefusal,
    AsksForWhatIsRefused,
    TakesWhatIsOutOfScope,
    HidesWhatWasLeftOut,
    RepairsForAWarning,
    StopsForARemarkAboutScope,
    ImplementsARefinement,
    BeginsTheLoopWithARefinement,
    ForgetsAnAnswerToARefinement,
    LetsARefinementLapse,
    ForgetsWhatAFailureCost,
    CallsAnUnknownPriceFree,
    HidesAnUnknownPrice,
    StartsBeyondALimit,
    StartsWithoutRoom,
    GivesMoreThanIsLeft,
    StartsAParkedAgent,
    LetsAStrangerTakeOver,
    FallsBackForACrash,
    AsksAboutAParking,
    TriesAgainInsteadOfHandingOn,
    GivesUpBeforeItsTriesAreSpent,
}

impl Bug {
    pub const ALL: [Self; 79] = [
        Self::LosesTheLastEvent,
        Self::ForgetsQuestionsAfterACrash,
        Self::StartsAnAttemptTwice,
        Self::CallsAnInterruptionACrash,
        Self::CallsALostSupervisorAnInterruption,
        Self::DoesNotWaitBeforeARetry,
        Self::RetriesATimeout,
        Self::CompletesWithoutReview,
        Self::CountsARepairTwice,
        Self::ApprovesWithAnyWord,
        Self::ApprovesBeforeItAsks,
        Self::KeepsTheStrategyAsSaid,
        Self::PlansWithoutApproval,
        Self::SendsACorrectionTwice,
        Self::TakesRefusedWork,
        Self::UsesAnIdAgain,
        Self::CallsDocsInLeanMode,
        Self::ClosesBeforeTheRelease,
        Self::LeavesOutTheLastReview,
        Self::RunsTheClockBack,
        Self::BlocksWithoutAQuestion,
        Self::CallsARedCheckGreen,
        Self::TakesTheWorkspaceForAClone,
        Self::UsesASpentClone,
        Self::TakesAnObjectionForAnOk,
        Self::ReviewsBeforeAllIsCoded,
        Self::MovesTheBranchFromAWrongTip,
        Self::PassesTheBarrierEarly,
        Self::CallsAMemberAgain,
        Self::DropsAConflict,
        Self::TakesChangesInTheWrongOrder,
        Self::ApprovesACriticalFinding,
        Self::LosesAFinding,
        Self::DoesNotHearTheCoder,
        Self::LosesWhatComesWithAnInvalidReply,
        Self::CallsFixedWhatNobodyWasToldOf,
        Self::ForgetsSomethingGrave,
        Self::LosesAWeakenedTest,
        Self::JustifiesWithNothing,
        Self::StopsForASmallFinding,
        Self::ApprovesUnderAnotherStage,
        Self::OverridesCoverageByItself,
        Self::FixesByHandUnasked,
        Self::CallsOldEvidenceNew,
        Self::StartsOneTooMany,
        Self::IgnoresOverlaps,
        Self::StartsATaskTooEarly,
        Self::SharesALane,
        Self::StartsAWaveOutOfOrder,
        Self::TakesAWaveInArrivalOrder,
        Self::LeavesALaneOutOfTheMerge,
        Self::MergesBeforeAllAreReady,
        Self::ClosesALaneWithoutMerging,
        Self::DropsAClashingChange,
        Self::PassesQaBeforeItsTestsAreIn,
        Self::ExtendsAScopeUnasked,
        Self::TakesARefusalForAYes,
        Self::ForgetsARefusal,
        Self::AsksForWhatIsRefused,
        Self::TakesWhatIsOutOfScope,
        Self::HidesWhatWasLeftOut,
        Self::RepairsForAWarning,
        Self::StopsForARemarkAboutScope,
        Self::ImplementsARefinement,
        Self::BeginsTheLoopWithARefinement,
        Self::ForgetsAnAnswerToARefinement,
        Self::LetsARefinementLapse,
        Self::ForgetsWhatAFailureCost,
        Self::CallsAnUnknownPriceFree,
        Self::HidesAnUnknownPrice,
        Self::StartsBeyondALimit,
        Self::StartsWithoutRoom,
        Self::GivesMoreThanIsLeft,
        Self::StartsAParkedAgent,
        Self::LetsAStrangerTakeOver,
        Self::FallsBackForACrash,
        Self::AsksAboutAParking,
        Self::TriesAgainInsteadOfHandingOn,
        Self::GivesUpBeforeItsTriesAreSpent,
    ];

    /// Whether the engine continues from the twisted journal; else only the disk is wrong.
    pub(crate) fn is_believed(self) -> bool {
        self != Self::LosesTheLastEvent
    }

    /// Whether a replay takes notice of an event.
    pub(crate) fn reads(self, event: &Event) -> bool {
        self != Self::ForgetsQuestionsAfterACrash || !matches!(event, Event::DecisionAsked { .. })
    }

    /// Changes what a commit writes. Says whether it did.
    pub(crate) fn twist(
        self,
        at: &mut Timestamp,
        events: &mut Vec<Event>,
        session: &Session,
    ) -> bool {
        if self == Self::RunsTheClockBack {
            *at = Timestamp::from_ms(at.as_ms() - 1_000 * events.len() as i64);
            return true;
        }
        if self == Self::LosesTheLastEvent {
            return events.len() > 3 && events.pop().is_some();
        }
        let found = events
            .iter()
            .enumerate()
            .find_map(|(place, event)| Some((place, self.instead(*at, event, session)?)));
        let Some((place, instead)) = found else {
            return false;
        };
        match instead {
            Twisted::InPlace(instead) => {
                events.splice(place..=place, instead);
            }
            Twisted::AndNothingAfter(instead) => {
                events.truncate(place);
                events.extend(instead);
            }
        }
        true
    }

    /// What is written in place of an event, where the bug is about it.
    fn instead(self, at: Timestamp, event: &Event, session: &Session) -> Option<Twisted> {
        if self.is_about_a_route(event, session) {
            return Some(self.instead_on_a_route(at, event.clone(), session));
        }
        if self.is_about(event, session) {
            return Some(self.instead_of(at, event.clone(), session));
        }
        self.instead_in_a_lane(event, session)
            .or_else(|| self.instead_about_scope(at, event, session))
            .or_else(|| self.instead_about_limits(at, event, session))
    }

    fn is_about(self, event: &Event, session: &Session) -> bool {
        match (self, event) {
            (Self::StartsAnAttemptTwice, Event::AttemptStarted { .. })
            | (Self::CountsARepairTwice, Event::RepairOpened { consented: false, .. })
            | (
                Self::DoesNotWaitBeforeARetry,
                Event::RetryScheduled { why: RetryWhy::Transient, .. },
            )
            | (Self::TakesRefusedWork, Event::DispatchClosed { verdict: Verdict::SetAside, .. })
            | (
                Self::TakesAnObjectionForAnOk,
                Event::DispatchClosed { verdict: Verdict::Objected, .. },
            )
            | (
                Self::CompletesWithoutReview,
                Event::TaskMoved { status: TaskStatus::Implemented, .. },
            )
            | (
                Self::SendsACorrectionTwice,
                Event::DispatchOpened { purpose: Purpose::Correction { .. }, .. },
            )
            | (
                Self::CallsAnInterruptionACrash,
                Event::AttemptEnded { end: DispatchEnd::Interrupted { .. }, .. },
            )
            | (
                Self::CallsALostSupervisorAnInterruption,
                Event::AttemptEnded { end: DispatchEnd::Unsupervised { .. }, .. },
            )
            | (
                Self::RetriesATimeout,
                Event::AttemptEnded { end: DispatchEnd::TimedOut { .. }, .. },
            ) => true,
            (Self::KeepsTheStrategyAsSaid, Event::DecisionResolved { id, resolution }) => {
                *id == DecisionId::review_strategy() && resolution.answer.is_some()
            }
            (
                Self::PlansWithoutApproval | Self::ApprovesBeforeItAsks,
                Event::DecisionAsked { decision },
            ) => decision.kind == DecisionKind::Approve,
            (Self::UsesAnIdAgain, Event::DecisionAsked { decision }) => {
                decision.decision_id.number().is_some_and(|number| number > 1)
            }
            (Self::BlocksWithoutAQuestion, Event::DecisionAsked { decision }) => {
                decision.kind == DecisionKind::Escalation
            }
            (Self::CallsDocsInLeanMode, Event::DispatchOpened { role, .. }) => {
                session.route.mode == Mode::Lean && *role == Role::QA
            }
            (Self::ClosesBeforeTheRelease, Event::DispatchOpened { role, .. }) => {
                *role == Role::Docs
            }
            (Self::LeavesOutTheLastReview, Event::DispatchOpened { role, .. }) => {
                *role == Role::Reviewer && session.route.step + 1 == session.route.steps.len()
            }
            (Self::CallsARedCheckGreen, Event::ChecksEnded { results, .. }) => {
                results.iter().any(|result| !result.passed)
            }
            (Self::ReviewsBeforeAllIsCoded, Event::DispatchOpened { purpose, .. }) => {
                *purpose == Purpose::Implement && session.strategy() == Some(Strategy::SingleFinal)
            }
            _ => self.is_about_a_clone(event, session),
        }
    }

    fn is_about_a_clone(self, event: &Event, session: &Session) -> bool {
        match (self, event) {
            (Self::TakesTheWorkspaceForAClone, Event::ChecksStarted { tree, .. }) => {
                *tree != CheckTree::Workspace
            }
            (Self::UsesASpentClone, Event::ChecksStarted { number, tree, .. }) => {
                *tree == CheckTree::Fresh { since: *number }
                    && clone_before(session, *number).is_some()
            }
            _ => false,
        }
    }

    fn instead_of(self, at: Timestamp, event: Event, session: &Session) -> Twisted {
        use Twisted::{AndNothingAfter, InPlace};
        match event {
            Event::AttemptStarted { .. } => {
                let mut next = event.clone();
                if let Event::AttemptStarted { attempt, .. } = &mut next {
                    *attempt = attempt.next();
                }
                InPlace(vec![event, next])
            }
            Event::ChecksStarted { number, purpose, commands, .. } => {
                let spent = clone_before(session, number);
                let spent = spent.filter(|_| self == Self::UsesASpentClone);
                let tree = spent.unwrap_or_default();
                InPlace(vec![Event::ChecksStarted { number, purpose, commands, tree }])
            }
            Event::RepairOpened { .. } => InPlace(vec![event.clone(), event]),
            Event::RetryScheduled { number, why, .. } => {
                InPlace(vec![Event::RetryScheduled { number, due: at, why }])
            }
            Event::DispatchClosed { number, .. } => {
                let verdict = Verdict::Accepted;
                InPlace(vec![closed(number, verdict)])
            }
            Event::TaskMoved { ref task, .. } => {
                let status = TaskStatus::Completed;
                let completed = Event::TaskMoved { task: task.clone(), status };
                InPlace(vec![event, completed])
            }
            Event::AttemptEnded {
                number,
                attempt,
                end: DispatchEnd::Interrupted { .. },
                usage,
                ..
            } => {
                let end = DispatchEnd::Crashed {
                    exit_code: None,
                    signal: Some(9),
                    stderr_tail: String::new(),
                };
                InPlace(vec![ended(number, attempt, end, usage)])
            }
            Event::AttemptEnded {
                number,
                attempt,
                end: DispatchEnd::Unsupervised { rescue },
                usage,
                ..
            } => {
                let end = DispatchEnd::Interrupted { rescue };
                InPlace(vec![ended(number, attempt, end, usage)])
            }
            Event::AttemptEnded { number, attempt, .. } => {
                let again = started(number, attempt.next(), None);
                AndNothingAfter(vec![event, again])
            }
            Event::DecisionResolved { id, resolution } => {
                let resolution = Resolution { answer: Some("Per Batch".to_owned()), ..resolution };
                InPlace(vec![Event::DecisionResolved { id, resolution }])
            }
            Event::DecisionAsked { decision } => self.instead_of_asking(*decision),
            Event::ChecksEnded { number, mut results, stage, .. } => {
                results.iter_mut().for_each(|result| result.passed = true);
                AndNothingAfter(vec![Event::ChecksEnded { number, results, stage, holds: None }])
            }
            Event::DispatchOpened { .. } => self.instead_of_dispatching(event, session),
            other => InPlace(vec![other]),
        }
    }

    fn instead_of_asking(self, mut decision: tollgate_core::decision::Decision) -> Twisted {
        match (self, &decision.subject) {
            (Self::PlansWithoutApproval, Subject::Gate { step }) => {
                Twisted::AndNothingAfter(vec![Event::StepEntered { index: step + 1 }])
            }
            (Self::ApprovesBeforeItAsks, _) => {
                let resolution = Resolution {
                    status: DecisionStatus::Answered,
                    answer: Some("approved".to_owned()),
                    resolved_at: Some(decision.asked_at),
                    command: Some(CommandId::new("c1")),
                    ..Resolution::default()
                };
                let id = decision.decision_id.clone();
                Twisted::InPlace(vec![
                    Event::DecisionAsked { decision: Box::new(decision) },
                    Event::DecisionResolved { id, resolution },
                ])
            }
            (Self::UsesAnIdAgain, _) => {
                decision.decision_id = DecisionId::sequential(1);
                Twisted::InPlace(vec![Event::DecisionAsked { decision: Box::new(decision) }])
            }
            _ => Twisted::InPlace(Vec::new()),
        }
    }

    fn instead_of_dispatching(self, event: Event, session: &Session) -> Twisted {
        let mut twisted = event.clone();
        let Event::DispatchOpened { number, purpose, role, .. } = &mut twisted else {
            return Twisted::InPlace(vec![event]);
        };
        match self {
            Self::SendsACorrectionTwice => {
                let last = session.dispatches.keys().next_back().copied();
                *number = last.unwrap_or(DispatchNumber::FIRST).next();
                Twisted::InPlace(vec![event, twisted])
            }
            Self::CallsDocsInLeanMode => {
                *role = Role::Docs;
                Twisted::InPlace(vec![twisted])
            }
            Self::ReviewsBeforeAllIsCoded => {
                (*role, *purpose) = (Role::Reviewer, Purpose::Review);
                Twisted::InPlace(vec![twisted])
            }
            _ => Twisted::AndNothingAfter(vec![Event::SessionClosed]),
        }
    }

    /// The one bug that lives in the reading of answers: what it makes of a refused one.
    pub(crate) fn after_refusal(bug: Option<Self>, session: &Session, input: &Input) -> Vec<Event> {
        let Input::Command(Command::Answer { id, decision, answer, .. }) = input else {
            return Vec::new();
        };
        let is_gate = *decision == DecisionId::approve_design()
            && session.decision(decision).is_some_and(|d| d.is_pending());
        if bug != Some(Self::ApprovesWithAnyWord) || !is_gate || answer.is_empty() {
            return Vec::new();
        }
        let resolution = Resolution {
            status: DecisionStatus::Answered,
            answer: Some(answer.clone()),
            resolved_at: Some(session.updated_at),
            reason: None,
            command: Some(id.clone()),
            stage: None,
        };
        vec![Event::DecisionResolved { id: decision.clone(), resolution }]
    }
}

/// An attempt that nobody decided about.
fn started(number: DispatchNumber, attempt: Attempt, agent: Option<Worker>) -> Event {
    let (timeout_ms, allowance) = (1_000, Default::default());
    Event::AttemptStarted {
        number,
        attempt,
        timeout_ms,
        agent,
        stands_in_for: None,
        allowance,
        ruling: None,
    }
}

/// As a journal without rulings has it, so that the fold sees what the bug made of it.
fn ended(number: DispatchNumber, attempt: Attempt, end: DispatchEnd, usage: Usage) -> Event {
    Event::AttemptEnded { number, attempt, end, usage, ruling: None }
}

fn closed(number: DispatchNumber, verdict: Verdict) -> Event {
    Event::DispatchClosed { number, verdict, look_again: None, unreviewed: None }
}

enum Twisted {
    InPlace(Vec<Event>),
    AndNothingAfter(Vec<Event>),
}

/// The clone that checks ran in last before these.
fn clone_before(session: &Session, number: CheckNumber) -> Option<CheckTree> {
    let mut trees = session.checks.runs.range(..number).rev().map(|(_, run)| run.tree);
    trees.find(|tree| *tree != CheckTree::Workspace)
}
