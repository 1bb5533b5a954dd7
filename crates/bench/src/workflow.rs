//! A session with a no-op agent inside the process: the real engine, journal, projections and lock around it.
//!
//! What happens between two dispatches is what the loop of the program does there: decide, sync, project, and look at
//! the session files before the next one. Only the agent is missing.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use tollgate_core::action::{APPROVE_DESIGN, Action, Assignment, Step, StepKind};
use tollgate_core::engine::{Commit, Engine};
use tollgate_core::event::Verdict;
use tollgate_core::id::{CommandId, CommitId, DecisionId, DispatchNumber, SessionName};
use tollgate_core::input::{Command, Input, Opening};
use tollgate_core::policy::Policy;
use tollgate_core::reply::{Reply, ReplyStatus};
use tollgate_core::role::{Mode, ProjectType, Role, State};
use tollgate_core::session::{Session, Wanted};
use tollgate_core::work::{DispatchEnd, Work};
use tollgate_files::clock;
use tollgate_files::layout::SessionLayout;
use tollgate_files::redact::Redactor;
use tollgate_host::failure_report::Reporter;
use tollgate_host::journal::{Journal, JournalError, Lineage};
use tollgate_host::lock::SessionLock;
use tollgate_host::projection::Projector;
use tollgate_host::record::SessionFileInspector;
use xtask::Trouble;

pub const STEPS: usize = 12;
/// As in `xtask/peers/workload.py`: the question comes after the third step.
pub const GATE_AFTER: usize = 3;

/// States of the twelve steps, as a delivery goes through them; the gate comes on top.
const STATES: [State; STEPS] = [
    State::Intake,
    State::Design,
    State::Design,
    State::Plan,
    State::Plan,
    State::ImplementLoop,
    State::ImplementLoop,
    State::ImplementLoop,
    State::Integrate,
    State::Integrate,
    State::Release,
    State::Release,
];

/// A session that this process owns.
#[derive(Debug)]
pub struct Flow {
    layout: SessionLayout,
    _lock: SessionLock,
    journal: Journal,
    engine: Engine,
    projector: Projector,
    inspector: SessionFileInspector,
    /// What the last step was made of.
    pub last: Parts,
}

/// Where the time of one durable step goes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Parts {
    /// Are the session files still what was written?
    pub look: Duration,
    pub decide: Duration,
    /// One write and one sync.
    pub journal: Duration,
    pub project: Duration,
}

impl Parts {
    pub fn sum(&self) -> Duration {
        self.look + self.decide + self.journal + self.project
    }
}

impl Flow {
    /// A new session in a folder that is made for it.
    pub fn open(folder: &Path, opening: &Opening) -> Result<Self, Trouble> {
        std::fs::create_dir_all(folder)?;
        let layout = SessionLayout::at(folder);
        let lock = SessionLock::acquire(folder)?;
        let journal = Journal::create(&layout.journal())?;
        let (engine, commit) = Engine::open(clock::now(), opening);
        let mut flow = Self::assemble(layout, lock, journal, engine);
        flow.keep(commit)?;
        Ok(flow)
    }

    /// The session of another process, where its journal ends.
    pub fn resume(folder: &Path) -> Result<Self, Trouble> {
        let layout = SessionLayout::at(folder);
        let lock = SessionLock::acquire(folder)?;
        let (journal, records, torn) =
            Journal::open_if(&layout.journal(), |_| Ok::<(), JournalError>(()))?;
        if let Some(torn) = torn {
            return Err(format!("the journal ends in {} torn bytes", torn.bytes).into());
        }
        let session = Session::replay(records.iter().map(|record| (record.at, &record.event)))
            .map_err(|unfit| unfit.why)?;
        let mut flow = Self::assemble(layout, lock, journal, Engine::resume(session));
        flow.projector.take_all(&records);
        flow.projector.finish_take_over(flow.engine.session())?;
        flow.handle(Input::Resumed { policy: Policy::default() })?;
        Ok(flow)
    }

    fn assemble(
        layout: SessionLayout,
        lock: SessionLock,
        journal: Journal,
        engine: Engine,
    ) -> Self {
        let root = layout.folder().to_owned();
        let secrets = Redactor::from_environment(std::env::vars_os());
        let reporter = Reporter::new(layout.clone(), root, secrets, BTreeMap::new());
        let projector = Projector::new(layout.clone(), reporter);
        let inspector = SessionFileInspector::default();
        let last = Parts::default();
        Self { layout, _lock: lock, journal, engine, projector, inspector, last }
    }

    pub fn session(&self) -> &Session {
        self.engine.session()
    }

    pub fn lineage(&self) -> &Lineage {
        self.journal.lineage()
    }

    /// Lets the agent answer every dispatch that is wanted, until a person is asked or all is done.
    pub fn work(&mut self, agent: impl Fn(DispatchNumber) -> DispatchEnd) -> Result<(), Trouble> {
        while self.step(&agent)? {}
        Ok(())
    }

    /// One dispatch; false when none is wanted.
    pub fn step(&mut self, agent: impl Fn(DispatchNumber) -> DispatchEnd) -> Result<bool, Trouble> {
        let Some(wanted) = self.session().outstanding().into_iter().next() else {
            return Ok(false);
        };
        let begin = Instant::now();
        if self.projector.put_back_status(self.engine.session())? {
            return Err("status.json is not what was written".into());
        }
        if !self.inspector.edits(&self.layout, self.engine.session())?.is_empty() {
            return Err("session files are not what was written".into());
        }
        self.last.look = begin.elapsed();
        let Wanted::Dispatch(number, attempt) = wanted else {
            return Err("an action of dispatches wants checks".into());
        };
        let end = agent(number);
        self.handle(Input::Ended { number, attempt, usage: end.claimed_usage(), end })?;
        Ok(true)
    }

    /// That many dispatches were accepted, nothing is outstanding, and a person is asked or not.
    pub fn expect(&self, dispatches: usize, is_asking: bool) -> Result<(), Trouble> {
        let session = self.session();
        let accepted = session
            .dispatches
            .values()
            .filter(|dispatch| dispatch.verdict() == Some(Verdict::Accepted));
        let found = (accepted.count(), session.pending_decisions().next().is_some());
        if found == (dispatches, is_asking) && session.outstanding().is_empty() {
            return Ok(());
        }
        Err(format!("{found:?} instead of {:?}", (dispatches, is_asking)).into())
    }

    /// The person's answer at the gate.
    pub fn approve(&mut self) -> Result<(), Trouble> {
        let decision = DecisionId::approve_design();
        self.handle(Input::Command(Command::Answer {
            id: CommandId::new("approve"),
            round: self.session().round(&decision),
            decision,
            answer: "approved".to_owned(),
            reason: None,
        }))
    }

    pub fn handle(&mut self, input: Input) -> Result<(), Trouble> {
        let begin = Instant::now();
        let (commit, answers) = self.engine.handle(clock::now(), vec![input]);
        self.last.decide = begin.elapsed();
        self.keep(commit)?;
        for answer in answers {
            answer?;
        }
        Ok(())
    }

    fn keep(&mut self, commit: Commit) -> Result<(), Trouble> {
        let begin = Instant::now();
        let durable = commit.write_to(&mut self.journal)?;
        self.last.journal = begin.elapsed();
        let begin = Instant::now();
        self.projector.take(self.engine.session(), durable.events().iter());
        self.projector.project(self.engine.session())?;
        self.last.project = begin.elapsed();
        Ok(())
    }
}

/// Twelve dispatches with a gate after the third.
pub fn workload(name: &str) -> Result<Opening, Trouble> {
    let mut steps: Vec<Step> =
        STATES.iter().zip(roles()).map(|(state, role)| dispatch(*state, role)).collect();
    steps.insert(GATE_AFTER, approve());
    opening(name, steps)
}

/// That many dispatches one after the other, and nothing else.
pub fn long(name: &str, dispatches: usize) -> Result<Opening, Trouble> {
    let states = STATES.iter().cycle().zip(roles());
    opening(name, states.take(dispatches).map(|(state, role)| dispatch(*state, role)).collect())
}

/// No Coder: an OK without any change is refused from that role alone.
fn roles() -> impl Iterator<Item = Role> {
    [Role::SpecAgent, Role::Architect, Role::Planner, Role::Integrator, Role::Docs]
        .into_iter()
        .cycle()
}

pub fn dispatch(state: State, role: Role) -> Step {
    step(state, StepKind::Dispatch(Assignment::new(role, &[])))
}

fn approve() -> Step {
    let gate = APPROVE_DESIGN.to_owned();
    let corrects = vec![Role::SpecAgent];
    step(State::ApproveDesign, StepKind::Approve { gate, shows: Vec::new(), corrects })
}

fn step(state: State, kind: StepKind) -> Step {
    Step { state, kind, when: None }
}

pub fn opening(name: &str, steps: Vec<Step>) -> Result<Opening, Trouble> {
    Ok(Opening {
        session: SessionName::parse(name)?,
        goal: "Measure what a durable step costs".to_owned(),
        mode: Mode::Full,
        action: Action {
            name: "bench".to_owned(),
            description: "Steps that do nothing".to_owned(),
            intent: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            steps,
        },
        full_action: None,
        project_type: ProjectType::Mixed,
        inputs: std::collections::BTreeMap::new(),
        stage: None,
        snapshot: None,
        requested: Vec::new(),
        base: CommitId::parse(&"1".repeat(40))?,
        base_branch: Some("main".to_owned()),
        instructions: Vec::new(),
        policy: Policy::default(),
        tollgate_version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// The agent that does nothing and says so.
pub fn nothing(_number: DispatchNumber) -> DispatchEnd {
    replied("Nothing to do.", Work::default())
}

pub fn replied(summary: &str, work: Work) -> DispatchEnd {
    let reply = Reply::plain(ReplyStatus::Ok, summary);
    DispatchEnd::Replied { reply: Box::new(reply), work: Box::new(work) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parked_session_is_taken_up_answered_and_finished() {
        let folder = tempfile::tempdir().expect("a folder");
        let session = folder.path().join("session");
        let opening = workload("2026-11-15_bench").expect("an opening");
        let mut flow = Flow::open(&session, &opening).expect("it opens");
        flow.work(nothing).expect("it works");
        flow.expect(GATE_AFTER, true).expect("it waits at the gate");
        drop(flow);

        let mut flow = Flow::resume(&session).expect("it is taken up");
        flow.expect(GATE_AFTER, true).expect("it waits at the gate");
        flow.approve().expect("it is answered");
        flow.work(nothing).expect("it works");
        flow.expect(STEPS, false).expect("it came to its end");
        assert!(flow.expect(GATE_AFTER, true).is_err());
    }
}
