//! Books on tasks at the same time: who may start beside whom, and how what they bring is taken in.

use super::{attempts, decisions, tasks};
use crate::violation::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::action::{Step, StepKind};
use tollgate_core::event::{Event, Purpose, Verdict};
use tollgate_core::id::{DispatchNumber, TaskId, TaskRef};
use tollgate_core::input::Opening;
use tollgate_core::role::{Mode, Role};
use tollgate_core::task::{Strategy, TaskStatus};
use tollgate_core::work::{DispatchEnd, Merged};

#[derive(Debug)]
pub(crate) struct Books {
    most: u32,
    mode: Mode,
    steps: Vec<Step>,
    full_steps: Vec<Step>,
    step: usize,
    /// The order of the plan.
    order: Vec<TaskId>,
    /// Tasks with files that a person allowed beyond their scope.
    wider: BTreeSet<TaskRef>,
    open: BTreeMap<DispatchNumber, Open>,
    /// Members that fit together and are still to be taken, and those that must do their part again.
    merged: BTreeSet<DispatchNumber>,
    clashed: BTreeSet<DispatchNumber>,
    /// Dispatches that do again what clashed.
    again: BTreeSet<DispatchNumber>,
    /// Tasks whose change clashed and that have not begun again.
    owed: BTreeSet<(TaskRef, Role)>,
}

#[derive(Debug)]
struct Open {
    lane: Option<usize>,
    is_ready: bool,
}

impl Books {
    pub fn new(opening: &Opening) -> Self {
        Self {
            most: opening.policy.parallel_tasks,
            mode: opening.mode,
            steps: opening.action.steps.clone(),
            full_steps: opening.full_action.as_ref().map_or(Vec::new(), |a| a.steps.clone()),
            step: 0,
            order: Vec::new(),
            wider: BTreeSet::new(),
            open: BTreeMap::new(),
            merged: BTreeSet::new(),
            clashed: BTreeSet::new(),
            again: BTreeSet::new(),
            owed: BTreeSet::new(),
        }
    }

    pub fn see(
        &mut self,
        event: &Event,
        attempts: &attempts::Books,
        tasks: &tasks::Books,
        decisions: &decisions::Books,
    ) -> Held {
        match event {
            Event::PolicyAdopted { policy } => self.most = policy.parallel_tasks,
            Event::ModeChanged { mode, .. } => {
                self.nobody_is_left_in_a_lane("the mode changes")?;
                self.mode = *mode;
                self.steps = std::mem::take(&mut self.full_steps);
                self.step = 0;
                self.wider.clear();
            }
            Event::StepEntered { index } | Event::StepSkipped { index, .. } => {
                self.nobody_is_left_in_a_lane("a step is entered")?;
                hold(self.owed.is_empty(), "no_change_of_a_lane_is_lost", || {
                    format!("{:?} clashed and did not begin again", self.owed)
                })?;
                self.step = *index;
            }
            Event::SessionClosed => self.nobody_is_left_in_a_lane("the session is closed")?,
            Event::PlanAdopted { tasks } => {
                self.order = tasks.iter().map(|task| task.id.clone()).collect();
                let order = &self.order;
                self.owed.retain(|(task, _)| match task {
                    TaskRef::Task(id) => order.contains(id),
                    TaskRef::Meta => true,
                });
            }
            Event::ScopeExtended { task, .. } => {
                self.wider.insert(task.clone());
            }
            Event::DispatchOpened { number, role, task, purpose, lane, .. } => {
                let is_again = self.owed.remove(&(task.clone(), *role));
                if matches!(role, Role::Coder | Role::QA) {
                    self.what_clashed_is_done_alone(*number, is_again, attempts)?;
                }
                if *purpose == Purpose::Implement {
                    self.what_a_task_builds_on_is_there(task, tasks, decisions)?;
                }
                if *role == Role::Coder {
                    self.coders_do_not_meet(task, attempts, tasks)?;
                }
                self.a_lane_is_for_one(*lane)?;
                self.a_wave_follows_the_plan(*lane, task, attempts)?;
                self.open.insert(*number, Open { lane: *lane, is_ready: false });
                self.no_more_at_work_than_allowed(lane.is_some())?;
            }
            Event::AttemptStarted { number, .. } => {
                self.clashed.remove(number);
                self.who_may_do_more_is_alone(*number, attempts)?;
            }
            Event::MemberReady { number, .. } => {
                if let Some(open) = self.open.get_mut(number) {
                    open.is_ready = true;
                }
            }
            Event::MergeStarted { numbers } => self.all_are_brought_together(numbers, attempts)?,
            Event::MergeEnded { merged } => self.merged(merged),
            Event::DispatchClosed { number, verdict, .. } => {
                self.closed(*number, *verdict, attempts)?
            }
            _ => {}
        }
        Ok(())
    }

    fn is_planned(&self, task: &TaskRef) -> bool {
        matches!(task, TaskRef::Task(id) if self.order.contains(id))
    }

    fn is_loop(&self) -> bool {
        matches!(self.steps.get(self.step).map(|step| &step.kind), Some(StepKind::Tasks))
    }

    fn nobody_is_left_in_a_lane(&self, why: &str) -> Held {
        let left = self.open.iter().find(|(_, open)| open.lane.is_some());
        hold(left.is_none(), "nobody_is_left_in_a_lane", || format!("{why} with {left:?}"))
    }

    /// Also in a wave nothing starts before what it builds on is far enough.
    fn what_a_task_builds_on_is_there(
        &self,
        task: &TaskRef,
        tasks: &tasks::Books,
        decisions: &decisions::Books,
    ) -> Held {
        let strategy = match self.mode {
            Mode::Lean => Some(Strategy::PerBatch),
            Mode::Full => decisions.strategy(),
        };
        let is_enough = |status: TaskStatus| {
            status == TaskStatus::Completed
                || (strategy == Some(Strategy::SingleFinal) && status == TaskStatus::Implemented)
        };
        let TaskRef::Task(id) = task else {
            return hold(false, "only_tasks_are_implemented", || format!("{task}"));
        };
        let spec = tasks.tasks.get(id).map(|task| &task.spec);
        let missing = spec.into_iter().flat_map(|spec| &spec.depends_on).find(|other| {
            let status = tasks.tasks.get(*other).map(|task| task.status);
            !status.is_some_and(is_enough)
        });
        hold(missing.is_none(), "what_a_task_builds_on_is_there", || {
            format!("{id} starts and {missing:?} is not there")
        })
    }

    /// Tasks that overlap, as either of them says, or of which one may go beyond its scope.
    fn coders_do_not_meet(
        &self,
        task: &TaskRef,
        attempts: &attempts::Books,
        tasks: &tasks::Books,
    ) -> Held {
        let says = |a: &TaskRef, b: &TaskRef| match (a, b) {
            (TaskRef::Task(a), TaskRef::Task(b)) => {
                tasks.tasks.get(a).is_some_and(|task| task.spec.overlaps.contains(b))
            }
            _ => false,
        };
        let records = self.open.keys().map(|number| (number, &attempts.dispatches[number]));
        let mut coders = records.filter(|(_, record)| record.role == Role::Coder);
        let met = coders.find(|(_, record)| {
            let other = &record.task;
            let is_wider = self.wider.contains(task) || self.wider.contains(other);
            other == task || says(task, other) || says(other, task) || is_wider
        });
        hold(met.is_none() || !self.is_loop(), "coders_do_not_meet", || {
            let other = met.map(|(number, record)| (number, &record.task));
            format!("the Coder of {task} starts beside {other:?}")
        })
    }

    /// What a person allows while others are at work was compared with nobody's scope.
    fn who_may_do_more_is_alone(&self, number: DispatchNumber, attempts: &attempts::Books) -> Held {
        let record = &attempts.dispatches[&number];
        if record.role != Role::Coder || !self.wider.contains(&record.task) || !self.is_loop() {
            return Ok(());
        }
        let mut others = self.open.iter().filter(|(other, open)| {
            let is_coder = attempts.dispatches[*other].role == Role::Coder;
            **other != number && is_coder && !open.is_ready
        });
        let beside = others.next();
        hold(beside.is_none(), "coders_do_not_meet", || {
            format!("dispatch {number} may change more and starts beside {beside:?}")
        })
    }

    /// Decision 8: what did not fit is done again with nobody beside it who changes files.
    fn what_clashed_is_done_alone(
        &mut self,
        number: DispatchNumber,
        is_again: bool,
        attempts: &attempts::Books,
    ) -> Held {
        self.again.retain(|known| self.open.contains_key(known));
        let changes = |number: &DispatchNumber| {
            matches!(attempts.dispatches[number].role, Role::Coder | Role::QA)
        };
        let is_beside = self.open.iter().any(|(other, open)| changes(other) && !open.is_ready);
        let is_met = (is_again && is_beside) || !self.again.is_empty();
        if is_again {
            self.again.insert(number);
        }
        hold(!is_met || !self.is_loop(), "what_clashed_is_done_alone", || {
            format!("dispatch {number} beside {:?}", self.open)
        })
    }

    fn a_lane_is_for_one(&self, lane: Option<usize>) -> Held {
        let mut others = self.open.iter().filter(|(_, open)| open.lane.is_some());
        let taken = others.find(|(_, open)| open.lane == lane);
        hold(taken.is_none(), "a_lane_is_for_one", || format!("lane {lane:?} is {taken:?}'s"))
    }

    /// A wave starts in the order of the plan, so that its numbers tell the order in which it is taken in.
    fn a_wave_follows_the_plan(
        &self,
        lane: Option<usize>,
        task: &TaskRef,
        attempts: &attempts::Books,
    ) -> Held {
        let place = |task: &TaskRef| match task {
            TaskRef::Task(id) => self.order.iter().position(|known| known == id),
            TaskRef::Meta => None,
        };
        let beside = self.open.iter().filter(|(_, open)| lane.is_some() && open.lane.is_some());
        let mut before = beside.map(|(number, _)| &attempts.dispatches[number].task);
        let late = before.find(|other| place(other) >= place(task));
        hold(late.is_none(), "a_wave_follows_the_plan", || {
            format!("{task} starts after {late:?}, and the plan is {:?}", self.order)
        })
    }

    fn no_more_at_work_than_allowed(&self, is_beside: bool) -> Held {
        let most = usize::try_from(self.most).unwrap_or(usize::MAX).max(1);
        let at_work = self.open.values().filter(|open| !open.is_ready).count();
        let in_lanes = self.open.values().filter(|open| open.lane.is_some()).count();
        let is_too_many = self.is_loop() && (at_work > most || (is_beside && in_lanes > most));
        hold(!is_too_many, "no_more_at_work_than_allowed", || {
            format!("{at_work} are at work and {most} may be: {:?}", self.open)
        })
    }

    /// All lanes are ready, every change is among them, and they come in the order in which they started.
    fn all_are_brought_together(
        &self,
        numbers: &[DispatchNumber],
        attempts: &attempts::Books,
    ) -> Held {
        if !self.is_loop() {
            return Ok(());
        }
        let busy = self.open.iter().find(|(_, open)| !open.is_ready);
        hold(busy.is_none(), "a_wave_is_taken_in_together", || format!("{busy:?} is at work"))?;
        let brings = |number: &&DispatchNumber| {
            matches!(&attempts.dispatches[*number].last_end,
            Some(DispatchEnd::Replied { work, .. }) if work.code.commit.is_some())
        };
        let expected: Vec<DispatchNumber> = self.open.keys().filter(brings).copied().collect();
        hold(numbers == expected, "a_wave_is_taken_in_in_order", || {
            format!("{numbers:?} instead of {expected:?}")
        })
    }

    fn merged(&mut self, merged: &[Merged]) {
        for one in merged {
            if one.conflicts.is_empty() {
                self.merged.insert(one.number);
                continue;
            }
            self.clashed.insert(one.number);
            if let Some(open) = self.open.get_mut(&one.number) {
                open.is_ready = false;
            }
        }
    }

    /// What a lane brought is taken, or done again; only a cancelled session leaves it.
    fn closed(
        &mut self,
        number: DispatchNumber,
        verdict: Verdict,
        attempts: &attempts::Books,
    ) -> Held {
        let open = self.open.remove(&number);
        let was_merged = self.merged.remove(&number);
        let is_taken = matches!(verdict, Verdict::Accepted | Verdict::Objected);
        let Some(open) = open.filter(|open| open.lane.is_some()) else {
            return Ok(());
        };
        let record = &attempts.dispatches[&number];
        let is_clash = self.clashed.remove(&number);
        // What clashed is done again by a dispatch of its own.
        if is_clash
            && verdict == Verdict::SetAside
            && record.role == Role::Coder
            && self.is_planned(&record.task)
        {
            self.owed.insert((record.task.clone(), record.role));
        }
        let begins_again = is_clash && verdict == Verdict::SetAside;
        let is_lost = (open.is_ready || is_clash)
            && !is_taken
            && !begins_again
            && verdict != Verdict::Cancelled;
        hold(!is_lost, "no_change_of_a_lane_is_lost", || {
            format!("dispatch {number} ({} of {}) is {verdict:?}", record.role, record.task)
        })?;
        let work = match &record.last_end {
            Some(DispatchEnd::Replied { work, .. }) => work.code.commit.is_some(),
            _ => false,
        };
        let mut before = self.merged.iter().filter(|other| **other < number);
        hold(!was_merged || before.next().is_none(), "a_wave_is_taken_in_in_order", || {
            format!("dispatch {number} is taken before {:?}", self.merged)
        })?;
        hold(!(work && is_taken) || open.is_ready, "a_change_of_a_lane_waits", || {
            format!("dispatch {number} is taken and was never ready")
        })
    }

    /// What fits together is taken in the same breath.
    pub fn what_fits_is_taken(&self) -> Held {
        hold(self.merged.is_empty(), "what_fits_is_taken", || format!("{:?}", self.merged))
    }
}
