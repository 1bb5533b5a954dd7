//! The state of a session: the fold of its journal, and the questions put to it.

mod apply;
mod attempt;
mod changes;
mod dispatch;
mod fit;
mod ledger;
mod outcome;
mod players;
mod spend;
mod take;
mod unit;

pub use changes::ChangeSet;
pub(crate) use dispatch::Delivered;
pub use dispatch::{AttemptRecord, Dispatch, Waiting};
pub use fit::Unfit;
pub use ledger::Ledger;
pub(crate) use players::Seat;
pub use spend::Spend;
pub use unit::{Gate, GateState, PendingRepair, Unit};

use crate::action::{Assignment, Place, Step, StepKind};
use crate::decision::{Blocker, CorrectionStatus, Decision, DecisionKind, Subject};
use crate::event::{CheckPurpose, CheckTree, CriterionResult, Finding, FindingStatus, Purpose};
use crate::id::{
    Attempt, CheckNumber, CommandId, CommitId, ContentHash, DecisionId, DispatchNumber, TaskId,
    TaskRef,
};
use crate::input::Opening;
use crate::policy::Policy;
use crate::reply::ReportedFinding;
use crate::role::{Mode, Role, State};
use crate::task::{Criterion, Strategy, TaskSpec, TaskStatus};
use crate::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub opening: Opening,
    pub opened_at: Timestamp,
    pub updated_at: Timestamp,
    pub policy: Policy,
    pub mode: Mode,
    pub steps: Vec<Step>,
    pub step: usize,
    pub(crate) entered: bool,
    /// The dispatch of the current step has been accepted or skipped.
    pub(crate) step_done: bool,
    /// Members of the current parallel step that are through.
    pub(crate) members_done: BTreeSet<usize>,
    /// Ready members whose changes are being brought together.
    pub(crate) merging: Vec<DispatchNumber>,
    /// Where the branch stood before the members that were brought together; one move for all of them.
    pub(crate) before_merge: Option<Option<CommitId>>,
    /// The fresh clone that checks ran in last, while all of them held, and its commit.
    pub(crate) clone: Option<(CheckNumber, CommitId)>,
    /// Subjects of checks steps that hold, by step and place in its list, and on which commit.
    pub(crate) subjects_hold: BTreeMap<(usize, usize), CommitId>,
    /// Reviewing roles that must look again at what a severity gate had repaired.
    pub(crate) look_again: BTreeSet<Role>,
    /// Severity gates that are passed, with a justification or because nothing grave was open.
    pub(crate) severity_passed: BTreeSet<usize>,
    /// Files of the repository that steps declared as outputs, as last accepted.
    pub outputs: BTreeMap<String, ContentHash>,
    /// The lifecycle stage that the repository declares.
    pub stage: Option<String>,
    /// The stage under which lifecycle gates last ran, and whether all held.
    pub lifecycle: Option<LifecycleRun>,
    /// What a person settled the minimum of coverage at.
    pub(crate) coverage_settled: Option<u32>,
    pub dispatches: BTreeMap<DispatchNumber, Dispatch>,
    /// The dispatches that are not closed yet; asked at every step, so kept apart.
    pub(crate) open: BTreeSet<DispatchNumber>,
    pub checks: BTreeMap<CheckNumber, CheckRun>,
    pub decisions: Vec<Decision>,
    /// How often each question was asked.
    pub(crate) rounds: BTreeMap<DecisionId, u32>,
    pub tasks: Vec<Task>,
    /// The session as a whole, reviewed and repaired like a task.
    pub meta: Unit,
    pub criteria: Vec<Criterion>,
    pub criteria_results: BTreeMap<String, CriterionResult>,
    /// Manual checks that a person called met or waived.
    pub(crate) manual_settled: BTreeSet<String>,
    pub artefacts: BTreeMap<String, ArtefactRecord>,
    /// The last accepted commit; the base until there is one.
    pub tip: CommitId,
    /// The accepted commit before that; none while there was none.
    pub tip_before: Option<CommitId>,
    pub changed: ChangeSet,
    /// Changes that no comprehensive review has seen.
    pub(crate) unreviewed: bool,
    pub findings: Vec<Finding>,
    pub(crate) wanted_roles: BTreeSet<Role>,
    pub correction: Correction,
    /// Every `changes-requested` answer, in order.
    pub rejections: Vec<Rejection>,
    pub blocker: Option<Blocker>,
    pub assumptions: Vec<String>,
    pub known_issues: Vec<String>,
    /// How the acceptance checks went since something last changed; none: they must run.
    pub(crate) acceptance: Option<bool>,
    /// The commit on which the acceptance checks last passed, in a fresh clone of it.
    pub(crate) checked_tip: Option<CommitId>,
    pub last_checks: Option<bool>,
    pub last_failed_step: Option<String>,
    pub ledger: Ledger,
    /// Agents that said until when they are out of their usage limit.
    pub(crate) out: BTreeMap<String, Timestamp>,
    /// Dispatches that a person allowed beyond the limits.
    pub(crate) budget_consents: u32,
    pub(crate) commands_seen: BTreeSet<CommandId>,
    pub notices: Vec<Notice>,
    pub closed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub spec: TaskSpec,
    pub status: TaskStatus,
    /// What a blocked task returns to.
    pub(crate) before_block: TaskStatus,
    pub unit: Unit,
    /// A change of this task touched a path that the settings call sensitive.
    pub touched_sensitive: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRun {
    pub purpose: CheckPurpose,
    pub commands: Vec<String>,
    pub tree: CheckTree,
    /// The commit that they run on.
    pub tip: CommitId,
    pub started_at: Timestamp,
    pub passed: Option<bool>,
}

/// How the gates of a lifecycle stage went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LifecycleRun {
    pub stage: String,
    pub passed: bool,
}

/// A session file as it was last accepted, and where its content is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtefactRecord {
    pub sha256: ContentHash,
    /// What it replaced; needed to finish a take-over that a crash cut short.
    pub previous: Option<ContentHash>,
    /// None when a person edited the file.
    pub from: Option<(DispatchNumber, Attempt)>,
}

/// Where the correction of a rejected design stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Correction {
    pub status: CorrectionStatus,
    /// Roles still to run, the one at work first.
    pub roles: Vec<Role>,
    /// The parts of the action that they play again, in the same order.
    pub places: Vec<Place>,
    pub agent: Option<Role>,
    pub at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    pub at: Timestamp,
    pub decision_id: DecisionId,
    pub answer: String,
    pub state_context: State,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub at: Timestamp,
    pub code: String,
    pub message: String,
}

/// Something that should be running now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wanted {
    Dispatch(DispatchNumber, Attempt),
    Checks(CheckNumber),
    /// Bring together what parallel members changed; named after the first of them.
    Merge(DispatchNumber),
}

impl Session {
    /// The state before anything but the opening has happened.
    pub fn open(at: Timestamp, opening: &Opening) -> Self {
        Self {
            opened_at: at,
            updated_at: at,
            policy: opening.policy.clone(),
            mode: opening.mode,
            steps: opening.action.steps.clone(),
            step: 0,
            entered: false,
            step_done: false,
            members_done: BTreeSet::new(),
            merging: Vec::new(),
            before_merge: None,
            clone: None,
            subjects_hold: BTreeMap::new(),
            look_again: BTreeSet::new(),
            severity_passed: BTreeSet::new(),
            outputs: BTreeMap::new(),
            stage: opening.stage.clone(),
            lifecycle: None,
            coverage_settled: None,
            dispatches: BTreeMap::new(),
            open: BTreeSet::new(),
            checks: BTreeMap::new(),
            decisions: Vec::new(),
            rounds: BTreeMap::new(),
            tasks: Vec::new(),
            meta: Unit::default(),
            criteria: Vec::new(),
            criteria_results: BTreeMap::new(),
            manual_settled: BTreeSet::new(),
            artefacts: BTreeMap::new(),
            tip: opening.base.clone(),
            tip_before: None,
            changed: ChangeSet::default(),
            unreviewed: false,
            findings: Vec::new(),
            wanted_roles: opening.requested.iter().copied().collect(),
            correction: Correction::default(),
            rejections: Vec::new(),
            blocker: None,
            assumptions: Vec::new(),
            known_issues: Vec::new(),
            acceptance: None,
            checked_tip: None,
            last_checks: None,
            last_failed_step: None,
            ledger: Ledger::default(),
            out: BTreeMap::new(),
            budget_consents: 0,
            commands_seen: BTreeSet::new(),
            notices: Vec::new(),
            closed: false,
            opening: opening.clone(),
        }
    }

    /// The state people see, one of sixteen.
    pub fn state(&self) -> State {
        if self.closed {
            return State::Done;
        }
        if self.blocker.is_some() {
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
        if matches!(self.correction.status, CorrectionStatus::Queued | CorrectionStatus::Dispatched)
        {
            return State::ApproveDesign;
        }
        if let Some(repair) = self.repair_at_work() {
            return repair.state();
        }
        match self.current_step() {
            // Work that closing still demands shows as the step before it.
            Some(Step { kind: StepKind::Close, .. }) => {
                self.steps[..self.step].last().map_or(State::Release, |step| step.state)
            }
            Some(step) => step.state,
            None => State::Done,
        }
    }

    fn repair_at_work(&self) -> Option<crate::role::RepairLoop> {
        self.open
            .iter()
            .filter_map(|number| match self.dispatches[number].purpose {
                Purpose::Repair { repair } => Some(repair),
                _ => None,
            })
            .next()
            .or_else(|| {
                let units = self.tasks.iter().map(|task| &task.unit).chain([&self.meta]);
                units.filter_map(|unit| unit.pending.as_ref()).map(|repair| repair.repair).next()
            })
    }

    pub fn current_step(&self) -> Option<&Step> {
        self.steps.get(self.step)
    }

    pub fn pending_decisions(&self) -> impl Iterator<Item = &Decision> {
        self.decisions.iter().filter(|decision| decision.is_pending())
    }

    pub fn decision(&self, id: &DecisionId) -> Option<&Decision> {
        self.decisions.iter().find(|decision| decision.decision_id == *id)
    }

    /// How often a question was asked; 0 when it was not.
    pub fn round(&self, id: &DecisionId) -> u32 {
        self.rounds.get(id).copied().unwrap_or(0)
    }

    /// `UD-<highest + 1>`.
    pub(crate) fn next_decision_id(&self) -> DecisionId {
        let highest = self.decisions.iter().filter_map(|d| d.decision_id.number()).max();
        DecisionId::sequential(highest.unwrap_or(0) + 1)
    }

    pub fn is_cancelled(&self) -> bool {
        self.blocker.as_ref().is_some_and(|b| b.code == crate::decision::BlockerCode::Cancelled)
    }

    /// Nothing more will ever happen.
    pub fn is_over(&self) -> bool {
        self.closed || self.is_cancelled()
    }

    /// A person must act before anything can run.
    pub(crate) fn is_held(&self) -> bool {
        self.is_over() || self.blocker.is_some() || self.pending_decisions().next().is_some()
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
        let dispatches = self.open.iter().filter_map(|number| {
            let dispatch = &self.dispatches[number];
            dispatch.running().map(|attempt| Wanted::Dispatch(*number, attempt))
        });
        let checks = self
            .checks
            .iter()
            .next_back()
            .filter(|(_, run)| run.passed.is_none())
            .map(|(number, _)| Wanted::Checks(*number));
        let merge = self.merging.first().map(|number| Wanted::Merge(*number));
        dispatches.chain(checks).chain(merge).collect()
    }

    /// Whether something that was started is still to be finished, whatever question lies over it.
    pub fn is_under_way(&self, wanted: Wanted) -> bool {
        let is_current = match wanted {
            Wanted::Dispatch(number, attempt) => self
                .dispatches
                .get(&number)
                .is_some_and(|dispatch| dispatch.running() == Some(attempt)),
            Wanted::Checks(number) => {
                self.checks.get(&number).is_some_and(|run| run.passed.is_none())
            }
            Wanted::Merge(number) => self.merging.first() == Some(&number),
        };
        is_current && !self.is_over()
    }

    /// When something is due although nothing is heard.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        if self.is_held() {
            return None;
        }
        self.open.iter().filter_map(|number| self.dispatches[number].due()).min()
    }

    /// The strategy on record; lean work is always reviewed task by task.
    pub fn strategy(&self) -> Option<Strategy> {
        if self.mode == Mode::Lean {
            return Some(Strategy::PerBatch);
        }
        self.decision(&DecisionId::review_strategy())
            .and_then(Decision::answered)
            .and_then(Strategy::parse)
    }

    pub fn task(&self, id: &TaskId) -> Option<&Task> {
        self.tasks.iter().find(|task| task.spec.id == *id)
    }

    pub fn unit(&self, task: &TaskRef) -> Option<&Unit> {
        match task {
            TaskRef::Meta => Some(&self.meta),
            TaskRef::Task(id) => self.task(id).map(|task| &task.unit),
        }
    }

    pub(crate) fn unit_mut(&mut self, task: &TaskRef) -> Option<&mut Unit> {
        match task {
            TaskRef::Meta => Some(&mut self.meta),
            TaskRef::Task(id) => {
                self.tasks.iter_mut().find(|task| task.spec.id == *id).map(|task| &mut task.unit)
            }
        }
    }

    pub(crate) fn next_finding_id(&self) -> u32 {
        self.findings.iter().map(|finding| finding.id).max().unwrap_or(0) + 1
    }

    /// Findings of one role about one task that still ask for something.
    pub fn open_findings<'a>(
        &'a self,
        task: &'a TaskRef,
        source: Role,
    ) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().filter(move |finding| {
            finding.status == FindingStatus::Open
                && finding.task == *task
                && finding.source == source
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
    pub fn assignment(&self, place: Place) -> Option<&Assignment> {
        match (&self.steps.get(place.step)?.kind, place.member) {
            (StepKind::Dispatch(assignment), None) => Some(assignment),
            (StepKind::Parallel { members }, Some(member)) => members.get(member),
            _ => None,
        }
    }

    /// What the ready members of a parallel step changed, in the order in which it is brought together.
    pub fn merging(&self) -> Vec<(DispatchNumber, CommitId)> {
        let commit = |number: &DispatchNumber| {
            let work = &self.dispatches[number].delivered.as_ref()?.work;
            Some((*number, work.commit.clone()?))
        };
        self.merging.iter().filter_map(commit).collect()
    }

    /// Files of the repository that a ready member declares or was watched for.
    pub fn outputs_of(&self, number: DispatchNumber) -> Vec<String> {
        let delivered = self.dispatches.get(&number).and_then(|d| d.delivered.as_ref());
        let outputs = delivered.map(|delivered| &delivered.work.outputs);
        outputs.into_iter().flatten().map(|output| output.path.clone()).collect()
    }

    /// Whether the action has an implement loop, with its reviews of everything that changes.
    pub(crate) fn has_task_loop(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.kind, StepKind::Tasks))
    }

    /// Whether a role that is not always needed was asked for.
    pub(crate) fn wants_role(&self, role: Role) -> bool {
        self.wanted_roles.contains(&role)
    }

    /// The branch that accepted work goes to.
    pub fn branch(&self) -> String {
        format!("tollgate/{}", self.opening.session)
    }

    pub fn has_accepted_work(&self) -> bool {
        self.tip != self.opening.base
    }

    /// Decisions of Security about one dispatch that still wait.
    pub(crate) fn waits_for_findings_of(&self, number: DispatchNumber) -> bool {
        self.pending_decisions()
            .any(|d| matches!(&d.subject, Subject::Finding { dispatch, .. } if *dispatch == number))
    }
}
