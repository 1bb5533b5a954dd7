//! Planted bugs of tasks at the same time: who starts beside whom, and what happens to what they bring.

use super::{Bug, Twisted, closed};
use tollgate_core::event::{Event, Purpose, Verdict};
use tollgate_core::finding::FindingOrigin;
use tollgate_core::id::{DispatchNumber, TaskId, TaskRef};
use tollgate_core::role::Role;
use tollgate_core::session::Session;
use tollgate_core::task::{Strategy, TaskStatus};

impl Bug {
    pub(super) fn instead_in_a_lane(self, event: &Event, session: &Session) -> Option<Twisted> {
        match event {
            Event::DispatchOpened { lane: Some(_), .. } => self.instead_of_starting(event, session),
            Event::MemberReady { number, .. } => self.instead_of_waiting(event, *number, session),
            Event::MergeStarted { numbers } => self.instead_of_merging(numbers, session),
            Event::DispatchClosed { number, verdict: Verdict::SetAside, .. }
                if self == Self::DropsAClashingChange =>
            {
                let conflict = FindingOrigin::MergeConflict { dispatch: *number };
                let clashed =
                    session.record.findings.iter().any(|finding| finding.origin == conflict);
                let taken = closed(*number, Verdict::Accepted);
                clashed.then(|| Twisted::AndNothingAfter(vec![taken]))
            }
            _ => None,
        }
    }

    fn instead_of_starting(self, event: &Event, session: &Session) -> Option<Twisted> {
        let Event::DispatchOpened { number, role, task, purpose, lane: Some(lane), .. } =
            event.clone()
        else {
            return None;
        };
        let opened = |its_number, its_task, its_lane| {
            let mut other = event.clone();
            if let Event::DispatchOpened { number, task, lane, .. } = &mut other {
                (*number, *task, *lane) = (its_number, its_task, Some(its_lane));
            }
            other
        };
        let codes = role == Role::Coder && purpose == Purpose::Implement;
        let beside = beside(session, number);
        Some(Twisted::AndNothingAfter(match self {
            Self::StartsOneTooMany => {
                let most = usize::try_from(session.policy.parallel_tasks).unwrap_or(usize::MAX);
                let goes_with = |id: &TaskId| {
                    is_after(session, &task, id)
                        && !waits(session, id)
                        && !meets(session, id, &with(&beside, &task))
                };
                let other = idle_tasks(session).find(|id| codes && goes_with(id))?;
                if lane + 1 < most {
                    return None;
                }
                vec![event.clone(), opened(number.next(), TaskRef::Task(other), lane + 1)]
            }
            Self::IgnoresOverlaps => {
                let other = idle_tasks(session)
                    .find(|id| codes && !waits(session, id) && meets(session, id, &beside))?;
                vec![opened(number, TaskRef::Task(other), lane)]
            }
            Self::StartsATaskTooEarly => {
                let other = idle_tasks(session).find(|id| codes && waits(session, id))?;
                vec![opened(number, TaskRef::Task(other), lane)]
            }
            Self::SharesALane if lane > 0 => vec![opened(number, task, 0)],
            Self::StartsAWaveOutOfOrder if lane == 0 => {
                let last = later_task(session, &task)?;
                vec![opened(number, last, 0), opened(number.next(), task, 1)]
            }
            _ => return None,
        }))
    }

    fn instead_of_waiting(
        self,
        event: &Event,
        number: DispatchNumber,
        session: &Session,
    ) -> Option<Twisted> {
        let dispatch = &session.dispatches[&number];
        dispatch.lane?;
        let is_busy =
            session.dispatches.values().any(|d| d.lane.is_some() && d.running().is_some());
        match self {
            Self::MergesBeforeAllAreReady if is_busy => {
                let merge = Event::MergeStarted { numbers: vec![number] };
                Some(Twisted::AndNothingAfter(vec![event.clone(), merge]))
            }
            Self::PassesQaBeforeItsTestsAreIn if dispatch.role == Role::QA => {
                let passed = Event::GatePassed { task: dispatch.task.clone(), role: Role::QA };
                Some(Twisted::InPlace(vec![event.clone(), passed]))
            }
            _ => None,
        }
    }

    fn instead_of_merging(self, numbers: &[DispatchNumber], session: &Session) -> Option<Twisted> {
        let is_wave = numbers.iter().all(|number| session.dispatches[number].lane.is_some());
        if !is_wave || numbers.len() < 2 {
            return None;
        }
        let mut numbers = numbers.to_vec();
        Some(Twisted::InPlace(match self {
            Self::TakesAWaveInArrivalOrder => {
                numbers.reverse();
                vec![Event::MergeStarted { numbers }]
            }
            Self::LeavesALaneOutOfTheMerge => {
                numbers.pop();
                vec![Event::MergeStarted { numbers }]
            }
            Self::ClosesALaneWithoutMerging => {
                let verdict = Verdict::Accepted;
                numbers.iter().map(|n| closed(*n, verdict)).collect()
            }
            _ => return None,
        }))
    }
}

/// The tasks of the dispatches that were started in the lanes before this one.
fn beside(session: &Session, number: DispatchNumber) -> Vec<TaskId> {
    let mut beside = Vec::new();
    for (_, dispatch) in session.dispatches.range(..number).rev() {
        let (Some(lane), TaskRef::Task(id)) = (dispatch.lane, &dispatch.task) else {
            break;
        };
        if dispatch.role == Role::Coder {
            beside.push(id.clone());
        }
        if lane == 0 {
            break;
        }
    }
    beside
}

fn idle_tasks(session: &Session) -> impl Iterator<Item = TaskId> {
    let idle = session.plan.tasks.iter().filter(|task| task.status == TaskStatus::NotStarted);
    idle.map(|task| task.spec.id.clone())
}

fn with(beside: &[TaskId], task: &TaskRef) -> Vec<TaskId> {
    let mut all = beside.to_vec();
    if let TaskRef::Task(id) = task {
        all.push(id.clone());
    }
    all
}

/// Whether a task could change a file that one of the others may change.
fn meets(session: &Session, id: &TaskId, others: &[TaskId]) -> bool {
    let says =
        |a: &TaskId, b: &TaskId| session.task(a).is_some_and(|task| task.spec.overlaps.contains(b));
    others.iter().any(|other| says(id, other) || says(other, id))
}

fn is_after(session: &Session, task: &TaskRef, id: &TaskId) -> bool {
    let place = |id: &TaskId| session.plan.tasks.iter().position(|known| known.spec.id == *id);
    matches!(task, TaskRef::Task(first) if place(first) < place(id))
}

fn waits(session: &Session, id: &TaskId) -> bool {
    let is_enough = |status: TaskStatus| match session.strategy() {
        Some(Strategy::SingleFinal) => status >= TaskStatus::Implemented,
        _ => status == TaskStatus::Completed,
    };
    let depends_on = session.task(id).map(|task| task.spec.depends_on.as_slice());
    let mut others = depends_on.into_iter().flatten().filter_map(|other| session.task(other));
    others.any(|other| !is_enough(other.status))
}

/// A task that comes later in the plan.
fn later_task(session: &Session, task: &TaskRef) -> Option<TaskRef> {
    let place = session
        .plan
        .tasks
        .iter()
        .position(|known| matches!(task, TaskRef::Task(id) if *id == known.spec.id))?;
    session.plan.tasks.get(place + 1).map(|next| TaskRef::Task(next.spec.id.clone()))
}
