//! Planted bugs of scopes and refinements: who is asked, what is taken, and what a warning may do.

use super::{Bug, Twisted, closed, ended};
use tollgate_core::action::StepKind;
use tollgate_core::answer::{Choice, ScopeAnswer};
use tollgate_core::decision::{Decision, DecisionKind, DecisionStatus, Resolution, Subject};
use tollgate_core::event::{Event, Finding, Purpose, Verdict};
use tollgate_core::finding::FindingOrigin;
use tollgate_core::id::{DecisionId, DispatchNumber, TaskRef};
use tollgate_core::role::{RepairLoop, Role};
use tollgate_core::session::Session;
use tollgate_core::time::Timestamp;
use tollgate_core::work::DispatchEnd;

impl Bug {
    pub(super) fn instead_about_scope(
        self,
        at: Timestamp,
        event: &Event,
        session: &Session,
    ) -> Option<Twisted> {
        use Twisted::{AndNothingAfter, InPlace};
        match (self, event) {
            (_, Event::DecisionAsked { decision }) => self.instead_of_a_question(decision, session),
            (Self::TakesARefusalForAYes, Event::ScopeRefused { task, paths, .. }) => {
                let (task, paths) = (task.clone(), paths.clone());
                Some(AndNothingAfter(vec![Event::ScopeExtended { task, paths }]))
            }
            (Self::ForgetsARefusal, Event::ScopeRefused { .. }) => Some(InPlace(Vec::new())),
            (Self::AsksForWhatIsRefused, Event::AttemptEnded { number, end, .. }) => {
                let again = asked_again(at, *number, end, session)?;
                Some(AndNothingAfter(vec![event.clone(), again]))
            }
            (
                Self::TakesWhatIsOutOfScope,
                Event::AttemptEnded { number, attempt, end, usage, .. },
            ) => {
                let DispatchEnd::Replied { reply, work } = end else {
                    return None;
                };
                let mut work = work.clone();
                work.code.changes.extend(work.left_out.out_of_scope.iter().cloned());
                let end = DispatchEnd::Replied { reply: reply.clone(), work };
                let (number, attempt) = (*number, *attempt);
                let has_more = matches!(&end, DispatchEnd::Replied { work, .. }
                    if work.code.commit.is_some() && !work.left_out.out_of_scope.is_empty());
                let usage = *usage;
                has_more.then(|| InPlace(vec![ended(number, attempt, end, usage)]))
            }
            (_, Event::FindingRecorded { finding }) => self.instead_of_a_warning(event, finding),
            (
                Self::StopsForARemarkAboutScope,
                Event::DispatchClosed { number, verdict: Verdict::Accepted, .. },
            ) => {
                let remarks = speaks_only_of_scope(session, *number);
                let verdict = Verdict::Objected;
                let closed = closed(*number, verdict);
                remarks.then(|| AndNothingAfter(vec![closed]))
            }
            (Self::BeginsTheLoopWithARefinement, Event::StepReopened { index }) => {
                Some(AndNothingAfter(vec![event.clone(), Event::StepEntered { index: index + 1 }]))
            }
            (Self::ForgetsAnAnswerToARefinement, Event::DispatchOpened { role, .. }) => {
                let mut event = event.clone();
                let Event::DispatchOpened { feedback, .. } = &mut event else {
                    return None;
                };
                let is_told = *role == Role::Planner && !std::mem::take(feedback).is_empty();
                is_told.then(|| InPlace(vec![event]))
            }
            _ => None,
        }
    }

    fn instead_of_a_question(self, decision: &Decision, session: &Session) -> Option<Twisted> {
        let instead = match (self, &decision.subject) {
            (Self::ExtendsAScopeUnasked, Subject::Scope { dispatch, paths }) => {
                let task = session.dispatches[dispatch].task.clone();
                Event::ScopeExtended { task, paths: paths.clone() }
            }
            (Self::ImplementsARefinement, Subject::Refinement { dispatch, .. }) => {
                Event::DispatchOpened {
                    number: dispatch.next(),
                    role: Role::Coder,
                    task: session.plan.tasks.first().map(|t| TaskRef::Task(t.spec.id.clone()))?,
                    purpose: Purpose::Implement,
                    feedback: Vec::new(),
                    findings: None,
                    lane: None,
                    starts_max: None,
                }
            }
            (Self::LetsARefinementLapse, Subject::Refinement { .. }) => {
                let resolution = Resolution {
                    status: DecisionStatus::Cancelled,
                    resolved_at: Some(decision.asked_at),
                    reason: Some("no response provided".to_owned()),
                    ..Resolution::default()
                };
                let id = decision.decision_id.clone();
                let asked = Event::DecisionAsked { decision: Box::new(decision.clone()) };
                let lapsed = Event::DecisionResolved { id, resolution };
                return Some(Twisted::AndNothingAfter(vec![asked, lapsed]));
            }
            _ => return None,
        };
        Some(Twisted::AndNothingAfter(vec![instead]))
    }

    fn instead_of_a_warning(self, event: &Event, finding: &Finding) -> Option<Twisted> {
        let Finding { origin: FindingOrigin::Scope, task, report, .. } = finding else {
            return None;
        };
        match self {
            Self::HidesWhatWasLeftOut => Some(Twisted::InPlace(Vec::new())),
            Self::RepairsForAWarning => {
                let repair = Event::RepairOpened {
                    task: task.clone(),
                    repair: RepairLoop::FixReview,
                    feedback: vec![report.message.clone()],
                    findings: None,
                    consented: false,
                    by: None,
                    worker: None,
                    authorized: Vec::new(),
                };
                Some(Twisted::InPlace(vec![event.clone(), repair]))
            }
            _ => None,
        }
    }
}

/// A Reviewer that spoke of nothing but scope: all that is on record of it is small and tracked.
fn speaks_only_of_scope(session: &Session, number: DispatchNumber) -> bool {
    let dispatch = &session.dispatches[&number];
    let about = session
        .record
        .findings
        .iter()
        .filter(|finding| finding.source() == Role::Reviewer && finding.task == dispatch.task);
    let mut categories = about.map(|finding| finding.report.category.to_lowercase()).peekable();
    let is_loop = session.route.steps.iter().any(|step| matches!(step.kind, StepKind::Tasks));
    dispatch.role == Role::Reviewer
        && is_loop
        && categories.peek().is_some()
        && categories.all(|category| matches!(category.as_str(), "scope" | "out-of-scope"))
}

/// The question for a file that a person has refused before.
fn asked_again(
    at: Timestamp,
    number: DispatchNumber,
    end: &DispatchEnd,
    session: &Session,
) -> Option<Event> {
    let DispatchEnd::Replied { reply, .. } = end else {
        return None;
    };
    let task = &session.dispatches[&number].task;
    let was_refused = |path: &String| {
        session.decisions.asked.iter().any(|decision| {
            let is_refusal =
                matches!(decision.answered(), Some(Choice::Scope(ScopeAnswer::Refuse(_))));
            matches!(&decision.subject, Subject::Scope { dispatch, paths }
                if is_refusal && paths.contains(path) && session.dispatches[dispatch].task == *task)
        })
    };
    let path = reply.scope_requests.iter().map(|request| &request.path).find(|p| was_refused(p))?;
    let asked = session.decisions.asked.iter().filter(|decision| decision.asked_at < at);
    let last = asked.filter_map(|decision| decision.decision_id.number()).max().unwrap_or(0);
    let decision = Decision {
        decision_id: DecisionId::sequential(last + 1),
        kind: DecisionKind::Scope,
        question: "May it be changed?".to_owned(),
        options: Vec::new(),
        asked_at: at,
        state_context: session.working_state(),
        subject: Subject::Scope { dispatch: number, paths: vec![path.clone()] },
        shown: Vec::new(),
        resolution: Resolution::default(),
        decided: None,
    };
    Some(Event::DecisionAsked { decision: Box::new(decision) })
}
