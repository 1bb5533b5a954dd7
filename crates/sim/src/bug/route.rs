//! Planted bugs of routes: parallel steps, severity gates, coverage, stages and approvals.

use super::{Bug, Twisted};
use tollgate_core::action::StepKind;
use tollgate_core::decision::{Decision, DecisionKind, DecisionStatus, Resolution, Subject};
use tollgate_core::event::{Event, Finding, FindingStatus, Purpose, Verdict};
use tollgate_core::id::FindingId;
use tollgate_core::id::{DecisionId, DispatchNumber, TaskRef};
use tollgate_core::reply::Severity;
use tollgate_core::role::Role;
use tollgate_core::role::State;
use tollgate_core::session::Session;
use tollgate_core::time::Timestamp;
use tollgate_core::worker::Worker;

impl Bug {
    pub(super) fn is_about_a_route(self, event: &Event, session: &Session) -> bool {
        let is_member = |number: &DispatchNumber| session.dispatches[number].is_member();
        match (self, event) {
            (Self::PassesTheBarrierEarly, Event::MemberReady { .. }) => {
                session.dispatches.values().any(|d| d.is_member() && d.running().is_some())
            }
            (
                Self::CallsAMemberAgain,
                Event::DispatchClosed { number, verdict: Verdict::Accepted, .. },
            ) => is_member(number),
            (Self::DropsAConflict, Event::MergeEnded { merged }) => {
                merged.iter().any(|one| !one.conflicts.is_empty())
            }
            (Self::TakesChangesInTheWrongOrder, Event::MergeEnded { merged }) => {
                merged.iter().filter(|one| one.commit.is_some()).count() > 1
            }
            (
                Self::ApprovesACriticalFinding | Self::LosesAFinding,
                Event::FindingRecorded { finding },
            ) => {
                let is_worst = finding.report.severity == Severity::Critical;
                is_worst && finding.source().is_reviewing() && is_route(session)
            }
            (Self::DoesNotHearTheCoder, Event::FindingRecorded { finding }) => {
                finding.source() == Role::Coder
            }
            (Self::LosesWhatComesWithAnInvalidReply, Event::FindingRecorded { finding }) => {
                came_with_an_invalid_reply(finding, session)
            }
            (
                Self::CallsFixedWhatNobodyWasToldOf,
                Event::DispatchClosed { number, verdict: Verdict::Accepted, .. },
            ) => {
                let judges = session.dispatches[number].role.is_reviewing();
                judges && reported_and_open(session).is_some()
            }
            (Self::ForgetsSomethingGrave, Event::FindingRecorded { finding }) => {
                let is_grave = finding.report.severity.is_grave();
                is_grave && finding.source() == Role::Coder && !is_route(session)
            }
            (Self::LosesAWeakenedTest, Event::FindingRecorded { finding }) => {
                finding.is_weakening()
            }
            (Self::JustifiesWithNothing, Event::SeverityPassed { .. }) => true,
            (Self::StopsForASmallFinding, Event::SeverityPassed { tracked, .. }) => {
                !tracked.is_empty()
            }
            (Self::ApprovesUnderAnotherStage, Event::DecisionResolved { resolution, .. }) => {
                resolution.stage.is_some() && is_approval(resolution)
            }
            (Self::OverridesCoverageByItself, Event::DecisionAsked { decision }) => {
                decision.kind == DecisionKind::Coverage
            }
            (Self::FixesByHandUnasked, Event::AttemptStarted { attempt, .. }) => attempt.0 > 1,
            (Self::CallsOldEvidenceNew, Event::ChecksEnded { stage, .. }) => {
                stage.is_some() && *stage != session.checks.stage
            }
            _ => false,
        }
    }

    pub(super) fn instead_on_a_route(
        self,
        at: Timestamp,
        event: Event,
        session: &Session,
    ) -> Twisted {
        use Twisted::{AndNothingAfter, InPlace};
        if let Some(settled) = self.settles(&event, session) {
            return InPlace(vec![event, settled]);
        }
        match event.clone() {
            Event::MemberReady { .. } => {
                AndNothingAfter(vec![event, Event::StepEntered { index: session.route.step + 1 }])
            }
            Event::DispatchClosed { number, .. } => {
                AndNothingAfter(vec![event, called_again(number, session)])
            }
            Event::MergeEnded { mut merged } if self == Self::DropsAConflict => {
                merged.iter_mut().for_each(|one| one.conflicts.clear());
                InPlace(vec![Event::MergeEnded { merged }])
            }
            Event::MergeEnded { mut merged } => {
                let mut commits: Vec<_> = merged.iter().filter_map(|m| m.commit.clone()).collect();
                for one in merged.iter_mut().filter(|one| one.commit.is_some()) {
                    one.commit = commits.pop();
                }
                InPlace(vec![Event::MergeEnded { merged }])
            }
            Event::SeverityPassed { step, tracked, .. } if self == Self::JustifiesWithNothing => {
                let justification = Some(String::new());
                InPlace(vec![Event::SeverityPassed { step, tracked, justification }])
            }
            Event::SeverityPassed { step, .. } => {
                AndNothingAfter(vec![asked_for_nothing(at, step, session)])
            }
            Event::DecisionResolved { id, resolution } => {
                let stage = Some("another".to_owned());
                let resolution = Resolution { stage, ..resolution };
                InPlace(vec![Event::DecisionResolved { id, resolution }])
            }
            Event::DecisionAsked { .. } if self == Self::OverridesCoverageByItself => {
                let reason = "it is late".to_owned();
                AndNothingAfter(vec![Event::CoverageSettled { minimum: 0, reason }])
            }
            Event::AttemptStarted { number, attempt, timeout_ms, allowance, .. } => {
                let (agent, stands_in_for) = (Some(Worker::Person), None);
                InPlace(vec![Event::AttemptStarted {
                    number,
                    attempt,
                    timeout_ms,
                    agent,
                    stands_in_for,
                    allowance,
                    ruling: None,
                }])
            }
            Event::ChecksEnded { number, results, .. } => {
                let stage = session.checks.stage.clone();
                AndNothingAfter(vec![Event::ChecksEnded { number, results, stage, holds: None }])
            }
            // What is lost leaves nothing behind.
            _ => InPlace(Vec::new()),
        }
    }
}

impl Bug {
    /// A finding that is settled without any right.
    fn settles(self, event: &Event, session: &Session) -> Option<Event> {
        let (id, status) = match (self, event) {
            (Self::ApprovesACriticalFinding, Event::FindingRecorded { finding }) => {
                (finding.id, FindingStatus::Accepted)
            }
            (Self::ForgetsSomethingGrave, Event::FindingRecorded { finding }) => {
                (finding.id, FindingStatus::Tracked)
            }
            (Self::CallsFixedWhatNobodyWasToldOf, _) => {
                (reported_and_open(session)?, FindingStatus::Fixed)
            }
            _ => return None,
        };
        Some(Event::FindingSettled { id, status, reason: None })
    }
}

fn is_route(session: &Session) -> bool {
    !session.route.steps.iter().any(|step| matches!(step.kind, StepKind::Tasks))
}

/// What a role that does not review reported and nobody has settled.
fn reported_and_open(session: &Session) -> Option<FindingId> {
    let mut open = session.record.findings.iter().filter(|f| f.status == FindingStatus::Open);
    let found = open.find(|f| !f.source().is_reviewing() && f.source() != Role::Orchestrator);
    found.map(|finding| finding.id)
}

fn came_with_an_invalid_reply(finding: &Finding, session: &Session) -> bool {
    let ends = session.dispatches.values().filter(|d| d.role == finding.source());
    ends.filter_map(|dispatch| dispatch.last_failure())
        .any(|end| end.findings().iter().any(|report| report.is_same_as(&finding.report)))
}

fn is_approval(resolution: &Resolution) -> bool {
    let answer = resolution.answer.as_deref().unwrap_or_default();
    resolution.status == DecisionStatus::Answered && answer.starts_with("approved")
}

/// A second dispatch of a member that is through.
fn called_again(number: DispatchNumber, session: &Session) -> Event {
    let through = &session.dispatches[&number];
    let step = through.part_index().map(|part| part.step);
    // The state is ahead of the journal: later steps may have been entered.
    let until = session.dispatches.iter().filter(|(_, d)| d.part_index().map(|p| p.step) <= step);
    let last = until.map(|(number, _)| *number).max().unwrap_or(number);
    let (role, purpose): (_, Purpose) = (through.role, through.purpose.clone());
    let task = TaskRef::Meta;
    Event::DispatchOpened {
        number: last.next(),
        role,
        task,
        purpose,
        feedback: Vec::new(),
        findings: None,
        lane: None,
        starts_max: None,
    }
}

/// A question of a severity gate about nothing that is grave.
fn asked_for_nothing(at: Timestamp, step: usize, session: &Session) -> Event {
    let asked = session.decisions.asked.iter().filter(|d| d.asked_at < at);
    let last = asked.filter_map(|d| d.decision_id.number()).max().unwrap_or(0);
    let decision = Decision {
        decision_id: DecisionId::sequential(last + 1),
        kind: DecisionKind::Justify,
        question: "Small things are open".to_owned(),
        options: Vec::new(),
        asked_at: at,
        state_context: State::Integrate,
        subject: Subject::Severity { step },
        shown: Vec::new(),
        resolution: Resolution::default(),
        decided: None,
    };
    Event::DecisionAsked { decision: Box::new(decision) }
}
