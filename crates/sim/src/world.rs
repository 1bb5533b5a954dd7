//! The loop of a false host: starts what is wanted, brings back what comes of it, and loses things.

mod fault;

use crate::bug::Bug;
use crate::chance::Chance;
use crate::costs::{Costs, Settled};
use crate::crew::Crew;
use crate::journal::{Append, Journal};
use crate::people::{People, Says};
use crate::repository::Repository;
use crate::violation::{Held, Violation, hold, shortened};
use crate::witness::{Truth, Witness};
use crate::workload::{self, Workload};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::action::CheckSubject;
use tollgate_core::decision::{BlockerCode, Decision, Subject};
use tollgate_core::engine::{Answered, Commit, Engine};
use tollgate_core::event::{CheckPurpose, Event};
use tollgate_core::fault::{FaultKind, HostFault};
use tollgate_core::id::{CommandId, DecisionId};
use tollgate_core::input::{Command, Input};
use tollgate_core::reply::Usage;
use tollgate_core::session::{Session, Wanted};
use tollgate_core::time::Timestamp;
use tollgate_core::work::{CheckResult, DispatchEnd};

/// More happenings than any run with finite trouble needs.
const HAPPENINGS_MAX: u32 = 500;

/// One life of one workload.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    pub seed: u64,
    pub faults: bool,
    pub bug: Option<Bug>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    pub done: bool,
    pub events: usize,
    pub crashes: u32,
}

impl Run {
    pub fn live(&self) -> Result<Report, Violation> {
        World::new(self, None)?.live()
    }

    /// The same life, told line by line.
    pub fn tell(&self, lines: &mut Vec<String>) -> Result<Report, Violation> {
        World::new(self, Some(lines))?.live()
    }
}

pub(crate) struct World<'a> {
    pub(crate) run: Run,
    pub(crate) chance: Chance,
    pub(crate) crew: Crew,
    pub(crate) people: People,
    costs: Costs,
    pub(crate) engine: Engine,
    pub(crate) journal: Journal,
    pub(crate) now: Timestamp,
    repository: Repository,
    running: BTreeMap<Wanted, Activity>,
    /// Every attempt and check run that was really begun.
    begun: BTreeSet<Wanted>,
    pub(crate) delivered: Vec<Input>,
    truth: Truth,
    witness: Witness,
    commands: u32,
    crashes: u32,
    lines: Option<&'a mut Vec<String>>,
}

struct Activity {
    ready_at: Timestamp,
    outcome: Outcome,
}

enum Outcome {
    Ended(Box<DispatchEnd>, Usage),
    Checked(Vec<CheckResult>, Option<String>),
    Merged(Vec<tollgate_core::work::Merged>),
}

impl<'a> World<'a> {
    fn new(run: &Run, lines: Option<&'a mut Vec<String>>) -> Result<Self, Violation> {
        let workload = Workload::of_seed(run.seed);
        let now = Timestamp::from_ms(1_794_000_000_000);
        let (engine, commit) = Engine::open(now, &workload.opening);
        let mut world = Self {
            run: *run,
            chance: Chance::new(run.seed ^ 0xBAD),
            crew: Crew::new(run.seed, &workload),
            people: People::new(run.seed, workload.whims),
            costs: Costs::new(run.seed, workload.parkings),
            engine,
            journal: Journal::new(run.faults),
            now,
            repository: Repository::new(workload.opening.stage.clone(), workload.stage_changes),
            running: BTreeMap::new(),
            begun: BTreeSet::new(),
            delivered: Vec::new(),
            truth: Truth::default(),
            witness: Witness::new(&workload.opening),
            commands: 0,
            crashes: 0,
            lines,
        };
        world.make_durable(commit)?;
        Ok(world)
    }

    fn live(&mut self) -> Result<Report, Violation> {
        let mut happenings = 0;
        while !self.session().is_over() && happenings < HAPPENINGS_MAX {
            happenings += 1;
            self.look_at_the_stage()?;
            self.start_what_is_wanted()?;
            if self.run.faults
                && let Some(fault) = fault::Fault::by_chance(&mut self.chance)
            {
                fault.strike(self)?;
            } else {
                self.go_on()?;
            }
        }
        let done = self.session().standing.closed;
        hold(self.run.faults || done, "every_calm_run_ends_in_done", || {
            format!("after {happenings} happenings it is {}", self.session().state())
        })?;
        if self.session().is_over() {
            self.knock_after_the_end()?;
        }
        self.check_replay()?;
        Ok(Report { done, events: self.journal.len(), crashes: self.crashes })
    }

    pub(crate) fn session(&self) -> &Session {
        self.engine.session()
    }

    pub(crate) fn say(&mut self, line: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.lines {
            lines.push(line());
        }
    }

    /// Begins what should run and does not. What was begun and is gone was interrupted.
    fn start_what_is_wanted(&mut self) -> Held {
        for wanted in self.session().outstanding() {
            if self.running.contains_key(&wanted) {
                continue;
            }
            let was_begun = !self.begun.insert(wanted);
            if let (Wanted::Dispatch(number, attempt), true) = (wanted, was_begun) {
                let end = DispatchEnd::Interrupted { rescue: None };
                let usage = Usage::default();
                return self.deliver(Input::Ended { number, attempt, end, usage });
            }
            let mut ready_at = self.now.plus_ms(1 + self.chance.below(90_000));
            let outcome = match wanted {
                Wanted::Dispatch(number, _) => {
                    let end = self.crew.perform(self.engine.session(), number, self.now);
                    let session = self.engine.session();
                    let Settled { end, usage, takes_ms } =
                        self.costs.settle(session, number, self.now, end);
                    ready_at = self.now.plus_ms(takes_ms);
                    self.truth.made(session.dispatches[&number].based_on(), &end);
                    Outcome::Ended(Box::new(end), usage)
                }
                Wanted::Checks(number) => {
                    let run = self.session().checks.runs[&number].clone();
                    let results = self.crew.check(&run.commands, &run.purpose);
                    let is_lifecycle = matches!(
                        run.purpose,
                        CheckPurpose::Subject { subject: CheckSubject::Lifecycle, .. }
                    );
                    let stage = self.repository.stage.clone().filter(|_| is_lifecycle);
                    Outcome::Checked(results, stage)
                }
                Wanted::BaseMerge => unreachable!("nobody moves the person's branch here"),
                Wanted::Merge(_) => {
                    let merged = self.crew.merge(self.engine.session());
                    self.truth.brought_together(&self.engine.session().branch.tip, &merged);
                    Outcome::Merged(merged)
                }
            };
            self.running.insert(wanted, Activity { ready_at, outcome });
        }
        Ok(())
    }

    /// The next thing that happens by itself.
    fn go_on(&mut self) -> Held {
        if self.people.speaks_up() {
            return self.choose_again();
        }
        let pending: Vec<Decision> = self.session().pending_decisions().cloned().collect();
        let landing = self.running.iter().min_by_key(|(_, activity)| activity.ready_at);
        let landing = landing.map(|(wanted, activity)| (*wanted, activity.ready_at));
        let asks = !pending.is_empty() && (landing.is_none() || self.chance.percent(50));
        if asks {
            let decision = self.chance.pick(&pending).clone();
            self.now = self.now.plus_ms(self.chance.below(5_000));
            return self.ask(&decision);
        }
        let deadline = self.session().next_deadline();
        match (landing, deadline) {
            (Some((_, ready_at)), Some(due)) if due <= ready_at => self.tick(due),
            (Some((wanted, ready_at)), _) => self.land(wanted, ready_at),
            (None, Some(due)) => self.tick(due),
            (None, None) => self.take_up_again(),
        }
    }

    fn tick(&mut self, due: Timestamp) -> Held {
        self.now = self.now.max(due);
        self.feed(vec![Input::Tick]).map(drop)
    }

    fn land(&mut self, wanted: Wanted, ready_at: Timestamp) -> Held {
        self.now = self.now.max(ready_at);
        let mut landed = vec![wanted];
        // What comes in at the same time is told in one breath.
        if self.chance.percent(20) {
            let soon = self.now.plus_ms(20_000);
            let others =
                self.running.iter().filter(|(other, f)| **other != wanted && f.ready_at <= soon);
            landed.extend(others.map(|(other, _)| *other));
        }
        let inputs: Vec<Input> = landed.iter().map(|wanted| self.touch_down(*wanted)).collect();
        self.delivered.extend(inputs.iter().cloned());
        self.feed(inputs.clone())?;
        for (wanted, input) in landed.into_iter().zip(inputs) {
            self.put_back_in_the_air(wanted, input);
        }
        Ok(())
    }

    fn touch_down(&mut self, wanted: Wanted) -> Input {
        let activity = self.running.remove(&wanted).expect("it was just seen running");
        match (wanted, activity.outcome) {
            (Wanted::Dispatch(number, attempt), Outcome::Ended(end, usage)) => {
                Input::Ended { number, attempt, usage, end: *end }
            }
            (Wanted::Checks(number), Outcome::Checked(results, stage)) => {
                Input::Checked { number, results, stage }
            }
            (Wanted::Merge(_), Outcome::Merged(merged)) => Input::Merged(merged),
            _ => unreachable!("an activity ends with what it was started for"),
        }
    }

    /// The stage that the project declares is seen sooner or later.
    fn look_at_the_stage(&mut self) -> Held {
        self.repository.drift(&mut self.chance);
        if self.repository.stage == self.session().checks.stage || self.chance.percent(50) {
            return Ok(());
        }
        let stage = self.repository.stage.clone();
        self.feed(vec![Input::StageSeen { stage }]).map(drop)
    }

    /// Branch and journal go together, unless a crash comes between.
    fn promote(&mut self) -> Held {
        let session = self.engine.session();
        let old = match self.run.bug {
            Some(Bug::MovesTheBranchFromAWrongTip) => Some(&session.opening.base),
            _ => session.branch.tip_before.as_ref(),
        };
        self.repository.promote(session, old)
    }

    /// An outcome lies on the disk until it is on record; a crash before that rarely loses it.
    fn put_back_in_the_air(&mut self, wanted: Wanted, input: Input) {
        let Input::Ended { number, attempt, end, usage } = input else {
            return;
        };
        let session = self.engine.session();
        let is_open = session.dispatches.get(&number).and_then(|d| d.running()) == Some(attempt);
        if is_open && !self.running.contains_key(&wanted) && self.chance.percent(70) {
            let outcome = Outcome::Ended(Box::new(end), usage);
            let activity = Activity { ready_at: self.now, outcome };
            self.running.insert(wanted, activity);
        }
    }

    /// Brings an outcome to the engine, and keeps it so that it can be brought again.
    fn deliver(&mut self, input: Input) -> Held {
        self.delivered.push(input.clone());
        self.feed(vec![input]).map(drop)
    }

    /// Nothing moves: a blocker that only a new process clears, or a hang.
    fn take_up_again(&mut self) -> Held {
        let is_unseen = self.repository.stage != self.session().checks.stage;
        if is_unseen || !self.session().outstanding().is_empty() {
            return Ok(());
        }
        let code = self.session().standing.blocker.as_ref().map(|blocker| blocker.code);
        let state = self.session().state();
        let clears = |code: BlockerCode| {
            code.is_host_fault() || code == BlockerCode::MandatoryUserDecisionMissing
        };
        hold(code.is_some_and(clears), "no_deadlock", || {
            format!("nothing is outstanding, due or asked, and it is {state} ({code:?})")
        })?;
        self.restart()
    }

    fn ask(&mut self, decision: &Decision) -> Held {
        if decision.subject == Subject::Files && self.chance.percent(50) {
            // The remedy that a blocker about files names.
            fault::edit(self, "report.md", false)?;
        }
        let said = self.people.asked(decision);
        let id = self.command_id();
        let command = match said {
            Says::Nothing => Command::NoResponse { id, decision: decision.decision_id.clone() },
            Says::Answer(answer) => {
                let decision = decision.decision_id.clone();
                let round = self.session().round(&decision);
                Command::Answer { id, decision, round, answer, reason: None }
            }
        };
        self.command(command)
    }

    fn choose_again(&mut self) -> Held {
        let answer = self.people.strategy();
        let (id, decision) = (self.command_id(), DecisionId::review_strategy());
        let round = self.session().round(&decision);
        self.command(Command::Answer { id, decision, round, answer, reason: None })
    }

    pub(crate) fn command_id(&mut self) -> CommandId {
        self.commands += 1;
        CommandId::new(format!("c{}", self.commands))
    }

    /// A command, now and then delivered twice; a refused one must change nothing.
    pub(crate) fn command(&mut self, command: Command) -> Held {
        let input = Input::Command(command);
        self.delivered.push(input.clone());
        let answers = self.feed(vec![input.clone()])?;
        if let Some(Err(refusal)) = answers.first() {
            self.say(|| format!("    refused: {refusal}"));
            if self.chance.percent(10) {
                self.check_replay()?;
            }
            let forged = Bug::after_refusal(self.run.bug, self.session(), &input);
            return if forged.is_empty() { Ok(()) } else { self.forge(&forged) };
        }
        Ok(())
    }

    /// One turn of the engine. A crash may strike before and after the append.
    pub(crate) fn feed(&mut self, inputs: Vec<Input>) -> Result<Vec<Answered>, Violation> {
        self.say(|| {
            inputs.iter().map(|i| format!("  < {}", shortened(i))).collect::<Vec<_>>().join("\n")
        });
        for input in &inputs {
            self.truth.reported(input);
            self.witness.heard(input);
        }
        let (commit, answers) = self.engine.handle(self.now, inputs);
        let refused = !answers.is_empty() && answers.iter().all(Result::is_err);
        hold(!refused || commit.is_empty(), "a_refusal_changes_nothing", || {
            format!("{answers:?} left {commit:?}")
        })?;
        if self.run.faults && self.chance.below(120) == 0 {
            self.say(|| "    CRASH before the append".to_owned());
            self.forget()?;
            self.restart()?;
            return Ok(Vec::new());
        }
        self.make_durable(commit)?;
        if self.run.faults && self.chance.below(120) == 0 {
            self.say(|| "    CRASH after the append".to_owned());
            self.check_replay()?;
            self.restart()?;
        }
        self.promote()?;
        Ok(answers)
    }

    /// The append. With a planted bug the journal tells something else, and the engine follows it.
    fn make_durable(&mut self, commit: Commit) -> Held {
        let bug = self.run.bug;
        let (journal, session) = (&mut self.journal, self.engine.session());
        let mut twisted = false;
        let twist = |at: &mut Timestamp, events: &mut Vec<Event>| {
            twisted = bug.is_some_and(|bug| bug.twist(at, events, session));
        };
        let mut append = Append { journal, twist, at: self.now, written: Vec::new() };
        if let Err(detail) = commit.write_to(&mut append) {
            return Err(Violation { rule: "events_read_back_as_written", detail });
        }
        let Append { at: time, written, .. } = append;
        for event in &written {
            if let Some(lines) = &mut self.lines {
                lines.push(format!("    {}", shortened(event)));
            }
            self.witness.see(time, event, &self.truth)?;
        }
        if twisted && bug.is_some_and(|bug| bug.is_believed()) {
            self.engine = Engine::resume(self.journal.replay(|_| true)?);
        }
        self.witness.after_commit(self.engine.session(), !written.is_empty())
    }

    /// Appends events that no decision made: only planted bugs do.
    pub(crate) fn forge(&mut self, events: &[Event]) -> Held {
        let at = self.session().updated_at;
        self.journal.append(at, events).map_err(|detail| Violation { rule: "forged", detail })?;
        for event in events {
            self.say(|| format!("    forged {}", shortened(event)));
            self.witness.see(at, event, &self.truth)?;
        }
        self.engine = Engine::resume(self.journal.replay(|_| true)?);
        self.witness.after_commit(self.engine.session(), true)?;
        self.promote()
    }

    pub(crate) fn check_replay(&self) -> Held {
        let replayed = self.journal.replay(|event| self.reads(event))?;
        let is_same = replayed == *self.engine.session();
        hold(is_same, "replay_equals_live", || {
            let (replayed, live) = (format!("{replayed:?}"), format!("{:?}", self.session()));
            let same = replayed.bytes().zip(live.bytes()).take_while(|(a, b)| a == b).count();
            let around = |text: &str| {
                let from = same.saturating_sub(80);
                text.get(from..(same + 80).min(text.len())).unwrap_or_default().to_owned()
            };
            format!("…{}… against …{}…", around(&replayed), around(&live))
        })
    }

    fn reads(&self, event: &Event) -> bool {
        self.run.bug.is_none_or(|bug| bug.reads(event))
    }

    /// The state that was ahead of the disk is gone with its process.
    fn forget(&mut self) -> Held {
        self.engine = Engine::resume(self.journal.replay(|event| self.reads(event))?);
        Ok(())
    }

    /// A new process: replay, take up what still runs, and report what is gone.
    pub(crate) fn restart(&mut self) -> Held {
        self.crashes += 1;
        self.forget()?;
        let chance = &mut self.chance;
        let is_agent = |wanted: &Wanted| matches!(wanted, Wanted::Dispatch(..));
        self.running.retain(|wanted, _| is_agent(wanted) && chance.percent(70));
        let mut policy = self.session().policy.clone();
        if self.run.faults {
            workload::change_settings(&mut self.chance, &mut policy);
        }
        self.say(|| "  RESTART".to_owned());
        let (commit, _) = self.engine.handle(self.now, vec![Input::Resumed { policy }]);
        self.make_durable(commit)?;
        self.promote()
    }

    /// Ctrl-C: what runs is stopped, and someone resumes later.
    pub(crate) fn stop(&mut self) -> Held {
        let unfinished: Vec<Wanted> = self.running.keys().copied().collect();
        for wanted in unfinished {
            self.running.remove(&wanted);
            if let Wanted::Dispatch(number, attempt) = wanted {
                let (end, usage) = (DispatchEnd::Stopped, Default::default());
                self.deliver(Input::Ended { number, attempt, end, usage })?;
            }
        }
        self.restart()
    }

    /// Late outcomes and eager people after the end: nothing may happen.
    fn knock_after_the_end(&mut self) -> Held {
        let before = self.journal.len();
        let mut inputs: Vec<Input> = self.delivered.iter().rev().take(6).cloned().collect();
        let id = self.command_id();
        inputs.push(Input::Command(Command::Cancel { id, reason: "late".to_owned() }));
        inputs.push(Input::Resumed { policy: tollgate_core::policy::Policy::default() });
        inputs.push(Input::PutBack { path: "status.json".to_owned() });
        inputs.push(Input::HostFailed(HostFault::new(FaultKind::NoSpace, "full")));
        inputs.push(Input::Tick);
        let (commit, _) = self.engine.handle(self.now, inputs);
        self.make_durable(commit)?;
        hold(self.journal.len() == before, "nothing_after_the_end", || {
            format!("{:?}", self.journal.records().last())
        })
    }
}
