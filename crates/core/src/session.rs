//! The state of a session: the fold of its journal, and the questions put to it.

mod apply;
mod attempt;
mod base;
mod branch;
mod changes;
mod checks;
mod compared;
mod decisions;
mod dispatch;
mod dispatches;
mod evidence;
mod fit;
mod import;
mod judged;
mod ledger;
mod life;
mod looks;
mod older;
mod outcome;
mod plan;
mod players;
mod record;
mod route;
mod ruling;
mod spend;
mod take;
mod unit;

pub use base::{Base, BaseConflict, Join};
pub use branch::{ArtefactRecord, Branch, Files, ReplacedCheck};
pub use changes::ChangeSet;
pub use checks::{CheckRun, Checks, LifecycleRun};
pub use compared::Since;
pub use decisions::{Correction, Decisions, Rejection};
pub(crate) use dispatch::Delivered;
pub use dispatch::{AttemptRecord, Dispatch, Given, Waiting};
pub use dispatches::Dispatches;
pub use evidence::Evidence;
pub use fit::Unfit;
pub(crate) use judged::ChecksStanding;
pub use ledger::{Budget, Ledger};
pub use plan::{Plan, Task};
pub(crate) use players::Availability;
pub use record::{ManualStep, Notice, Record, Standing};
pub use route::Route;
pub(crate) use route::StepProgress;
pub(crate) use ruling::park_wait_ms;
pub use spend::Spend;
pub use unit::{Gate, GateState, PendingRepair, Unit};

use crate::action::{Assignment, PartIndex, Step, StepKind};
use crate::answer::Choice;
use crate::decision::{CorrectionStatus, Decision, DecisionKind, Subject};
use crate::event::{Finding, FindingStatus, Purpose};
use crate::id::{
    Attempt, CheckNumber, CommitId, DecisionId, DispatchNumber, FindingId, TaskId, TaskRef,
};
use crate::input::Opening;
use crate::policy::Policy;
use crate::reply::ReportedFinding;
use crate::role::{Mode, Role, State};
use crate::task::Strategy;
use crate::time::Timestamp;

/// The fold of a journal, in parts that each know how events change them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub opening: Opening,
    pub opened_at: Timestamp,
    pub updated_at: Timestamp,
    pub policy: Policy,
    pub route: Route,
    pub dispatches: Dispatches,
    pub branch: Branch,
    pub files: Files,
    pub checks: Checks,
    pub decisions: Decisions,
    pub plan: Plan,
    pub record: Record,
    pub budget: Budget,
    pub standing: Standing,
}

/// Something that should be running now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wanted {
    Dispatch(DispatchNumber, Attempt),
    Checks(CheckNumber),
    /// Bring together what parallel members changed; named after the first of them.
    Merge(DispatchNumber),
    /// Merge the person's branch, which has moved.
    BaseMerge,
}

impl Session {
    /// The state before anything but the opening has happened.
    pub fn open(at: Timestamp, opening: &Opening) -> Self {
        Self {
            opened_at: at,
            updated_at: at,
            policy: opening.policy.clone(),
            route: Route::new(opening.mode, opening.action.steps.clone()),
            dispatches: Dispatches::default(),
            branch: Branch::new(opening.base.clone()),
            files: Files::default(),
            checks: Checks { stage: opening.stage.clone(), ..Checks::default() },
            decisions: Decisions::default(),
            plan: Plan::for_roles(&opening.requested),
            record: Record::default(),
            budget: Budget::default(),
            standing: Standing::default(),
            opening: opening.clone(),
        }
    }

    /// The state people see, one of sixteen.
    pub fn state(&self) -> State {
        if self.standing.closed {
            return State::Done;
        }
        if self.standing.blocker.is_some() {
            return State::Blocked;
        }
        if let Some(decision) = self.pending_decisions().next() {
            return match decision.kind {
                DecisionKind::Approve => decision.state_context,
                DecisionKind::Strategy => State::ReviewStrategy,
                _ => State::AskUser,
            };
        }
        self.working_state()
    }

    /// The state the work is in, whatever question or blocker lies over it.
    pub fn working_state(&self) -> State {
        if matches!(
            self.decisions.correction.status,
            CorrectionStatus::Queued | CorrectionStatus::Dispatched
        ) {
            return State::ApproveDesign;
        }
        if let Some(repair) = self.repair_at_work() {
            return repair.state();
        }
        match self.current_step() {
            // Work that closing still demands shows as the step before it.
            Some(Step { kind: StepKind::Close, .. }) => {
                self.route.steps[..self.route.step].last().map_or(State::Release, |step| step.state)
            }
            Some(step) => step.state,
            None => State::Done,
        }
    }

    fn repair_at_work(&self) -> Option<crate::role::RepairLoop> {
        self.dispatches
            .open
            .iter()
            .filter_map(|number| match self.dispatches[number].purpose {
                Purpose::Repair { repair } => Some(repair),
                _ => None,
            })
            .next()
            .or_else(|| {
                let units = self.plan.tasks.iter().map(|task| &task.unit).chain([&self.plan.meta]);
                units.filter_map(|unit| unit.pending.as_ref()).map(|repair| repair.repair).next()
            })
    }

    pub fn current_step(&self) -> Option<&Step> {
        self.route.current()
    }

    pub fn pending_decisions(&self) -> impl Iterator<Item = &Decision> {
        self.decisions.asked.iter().filter(|decision| decision.is_pending())
    }

    pub fn decision(&self, id: &DecisionId) -> Option<&Decision> {
        self.decisions.asked.iter().find(|decision| decision.decision_id == *id)
    }

    /// How often a question was asked; 0 when it was not.
    pub fn round(&self, id: &DecisionId) -> u32 {
        self.decisions.rounds.get(id).copied().unwrap_or(0)
    }

    /// Whether an answer to that round of a question is one to the question as it is asked now.
    pub(crate) fn is_asked_since(&self, id: &DecisionId, round: u32) -> bool {
        let since = self.decisions.same_since.get(id).copied().unwrap_or(0);
        (since..=self.round(id)).contains(&round)
    }

    /// `UD-<highest + 1>`.
    pub(crate) fn next_decision_id(&self) -> DecisionId {
        let highest = self.decisions.asked.iter().filter_map(|d| d.decision_id.number()).max();
        DecisionId::sequential(highest.unwrap_or(0) + 1)
    }

    pub fn is_cancelled(&self) -> bool {
        self.standing
            .blocker
            .as_ref()
            .is_some_and(|b| b.code == crate::decision::BlockerCode::Cancelled)
    }

    /// Nothing more will ever happen.
    pub fn is_over(&self) -> bool {
        self.standing.closed || self.is_cancelled()
    }

    /// A person must act before anything can run.
    pub(crate) fn is_held(&self) -> bool {
        self.is_over()
            || self.standing.blocker.is_some()
            || self.pending_decisions().next().is_some()
    }

    /// What should be running. Asked after every commit and after every crash; never remembered.
    pub fn outstanding(&self) -> Vec<Wanted> {
        if self.is_held() { Vec::new() } else { self.unfinished() }
    }

    /// What was started and is still to be finished, also while a question lies over it.
    pub fn unfinished(&self) -> Vec<Wanted> {
        if self.is_over() {
            return Vec::new();
        }
        let dispatches = self.dispatches.open.iter().filter_map(|number| {
            let dispatch = &self.dispatches[number];
            dispatch.running().map(|attempt| Wanted::Dispatch(*number, attempt))
        });
        let checks = self
            .checks
            .runs
            .iter()
            .next_back()
            .filter(|(_, run)| run.passed.is_none())
            .map(|(number, _)| Wanted::Checks(*number));
        let merge = self.branch.merging.first().map(|number| Wanted::Merge(*number));
        let base = self.branch.base.merging.as_ref().map(|_| Wanted::BaseMerge);
        dispatches.chain(checks).chain(merge).chain(base).collect()
    }

    /// Whether something that was started is still to be finished, whatever question lies over it.
    pub fn is_under_way(&self, wanted: Wanted) -> bool {
        let is_current = match wanted {
            Wanted::Dispatch(number, attempt) => self
                .dispatches
                .get(&number)
                .is_some_and(|dispatch| dispatch.running() == Some(attempt)),
            Wanted::Checks(number) => {
                self.checks.runs.get(&number).is_some_and(|run| run.passed.is_none())
            }
            Wanted::Merge(number) => self.branch.merging.first() == Some(&number),
            Wanted::BaseMerge => self.branch.base.merging.is_some(),
        };
        is_current && !self.is_over()
    }

    /// When something is due although nothing is heard.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        if self.is_held() {
            return None;
        }
        self.dispatches.open.iter().filter_map(|number| self.dispatches[number].due()).min()
    }

    /// The strategy on record; lean work is always reviewed task by task.
    pub fn strategy(&self) -> Option<Strategy> {
        if self.route.mode == Mode::Lean {
            return Some(Strategy::PerBatch);
        }
        match self.decision(&DecisionId::review_strategy())?.answered()? {
            Choice::Strategy(answer) => answer.strategy(),
            _ => None,
        }
    }

    pub fn task(&self, id: &TaskId) -> Option<&Task> {
        self.plan.task(id)
    }

    pub fn unit(&self, task: &TaskRef) -> Option<&Unit> {
        self.plan.unit(task)
    }

    pub(crate) fn next_finding_id(&self) -> FindingId {
        let last = self.record.findings.iter().map(|finding| finding.id).max();
        last.map_or(FindingId::FIRST, FindingId::next)
    }

    /// Findings of one role about one task that still ask for something.
    pub fn open_findings<'a>(
        &'a self,
        task: &'a TaskRef,
        source: Role,
    ) -> impl Iterator<Item = &'a Finding> {
        self.record.findings.iter().filter(move |finding| {
            finding.status == FindingStatus::Open
                && finding.task == *task
                && finding.source() == source
        })
    }

    /// Whether a dispatch reported it and no other of its role did.
    pub(crate) fn alone_reported(&self, number: DispatchNumber, report: &ReportedFinding) -> bool {
        let role = self.dispatches[&number].role;
        let of_role = self.dispatches.iter().filter(|(_, dispatch)| dispatch.role == role);
        let mut reporters = of_role.filter(|(_, dispatch)| dispatch.has_reported(report));
        reporters.next().is_some_and(|(first, _)| *first == number) && reporters.next().is_none()
    }

    /// The part of the action that a dispatch plays.
    pub fn assignment(&self, at: PartIndex) -> Option<&Assignment> {
        match (&self.route.steps.get(at.step)?.kind, at.member) {
            (StepKind::Dispatch(assignment), None) => Some(assignment),
            (StepKind::Parallel { members }, Some(member)) => members.get(member),
            _ => None,
        }
    }

    /// What the ready members of a parallel step changed, in the order in which it is brought together.
    pub fn merging(&self) -> Vec<(DispatchNumber, CommitId)> {
        let commit = |number: &DispatchNumber| {
            let work = &self.dispatches[number].delivered()?.work;
            Some((*number, work.code.commit.clone()?))
        };
        self.branch.merging.iter().filter_map(commit).collect()
    }

    /// Files of the repository that a ready member declares or was watched for.
    pub fn outputs_of(&self, number: DispatchNumber) -> Vec<String> {
        let delivered = self.dispatches.get(&number).and_then(Dispatch::delivered);
        let outputs = delivered.map(|delivered| &delivered.work.code.outputs);
        outputs.into_iter().flatten().map(|output| output.path.clone()).collect()
    }

    /// Whether the action has an implement loop, with its reviews of everything that changes.
    pub(crate) fn has_task_loop(&self) -> bool {
        self.route.steps.iter().any(|step| matches!(step.kind, StepKind::Tasks))
    }

    /// Whether a role that is not always needed was asked for.
    pub(crate) fn wants_role(&self, role: Role) -> bool {
        self.plan.wanted_roles.contains_key(&role)
    }

    /// Lean work that can still become full.
    pub(crate) fn can_become_full(&self) -> bool {
        self.route.mode == Mode::Lean && self.opening.full_action.is_some()
    }

    /// The action that runs now: lean work that became full runs the full one.
    pub fn action_name(&self) -> &str {
        let full = self.opening.full_action.as_ref().filter(|_| self.has_become_full());
        &full.unwrap_or(&self.opening.action).name
    }

    /// Whether it began as lean work.
    pub fn has_become_full(&self) -> bool {
        self.route.became_full.is_some()
    }

    /// The branch that accepted work goes to.
    pub fn branch(&self) -> String {
        format!("tollgate/{}", self.opening.session)
    }

    pub fn has_accepted_work(&self) -> bool {
        self.branch.tip != self.opening.base
    }

    /// Decisions of Security about one dispatch that still wait.
    pub(crate) fn waits_for_findings_of(&self, number: DispatchNumber) -> bool {
        self.pending_decisions()
            .any(|d| matches!(&d.subject, Subject::Finding { dispatch, .. } if *dispatch == number))
    }
}
