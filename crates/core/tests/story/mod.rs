//! A tiny language for lives of a session, and the digest of how they end. A line that it does not know fails the test, and so does
//! a reply that is never said.
//!
//! Settings first: `lean`, `task T-001 feat | after T-000 | flag security | check cmd: t | criterion TEXT | waits R-001 | priority high`,
//! `criterion manual: see it`, `gates approved single-final` (answers both gates by itself),
//! `ask Researcher`, `tokens 10`, `red 2` or `red always` (the next check runs fail, `green 1` before them not) and `Role: reply` (what a role
//! says next; afterwards it does honest work). Then what happens: `go`, `go until Role`,
//! `answer ID TEXT`, `again ID TEXT` (the last command once more), `answer-former ID TEXT` (meant for the round before),
//! `kept ID TEXT` (as older versions kept it), `silence ID`, `exhaust ID`,
//! `cancel TEXT`, `edit PATH` (one task more in tasks.yaml), `drop T-001` (one less), `break PATH`,
//! `crash` (what ran is lost), `crash keeping` (it is not),
//! `stage NAME` (another lifecycle stage is declared), `covered 65 90` (what coverage comes to, run by run),
//! `old N` (failures of the next N check runs are as old as the base), `missing N` (their programs are not there), `clash N` (see the crew),
//! `parallel N` (tasks at the same time; `beside T-002` of a task: their scopes overlap), `lanes` (who is at work),
//! `usd 2.5`, `wall 90` (limits), `costs Coder 0.50`, `lasts Coder 30` (seconds), `played alpha` (by whom all roles are),
//! `list alpha beta gamma` (who takes over from the first), `resume list alpha beta` (settings that came later),
//! `ledger`, `who` (is at work, and with what), `notices`,
//! `late` (the last checks end now), `stop`, `full disk`, `show` (a line of the digest in between).

mod costs;
mod crew;
mod opening;
mod route;
mod words;

use crew::Crew;
use expect_test::Expect;
use opening::{opening, task};
use tollgate_core::decision::DecisionKind;
use tollgate_core::engine::{self, Commit, Engine};
use tollgate_core::event::Event;
use tollgate_core::fault::{FaultKind, HostFault};
use tollgate_core::id::{CommandId, DecisionId, TaskId, TaskRef};
use tollgate_core::input::{Command, Edit, Input};
use tollgate_core::reply::ReplyError;
use tollgate_core::role::Role;
use tollgate_core::session::{Session, Wanted};
use tollgate_core::time::Timestamp;
use tollgate_core::work::{BaseMerge, DispatchEnd};
use words::{Meant, Resume, Word};

pub fn check(story: &str, expected: Expect) {
    let mut told = tell(story);
    told.digest();
    expected.assert_eq(&told.lines.join("\n"));
}

/// Lives the story, for what the digest does not show. All that it tells must come to pass.
pub fn tell(story: &str) -> Told {
    let words = words::read(story);
    let mut told = Told::new(&words);
    for word in words {
        told.happen(word);
    }
    let unused = told.crew.unused();
    assert!(unused.is_empty(), "the story tells what never came to pass: {unused:?}\n{story}");
    told.replays_also_as_earlier_versions_wrote_it();
    told
}

/// What earlier versions left to the fold: fields of events that they did not write, the newest last.
const NEW_FIELDS: [(&str, &str); 9] = [
    ("attempt_started", "ruling"),
    ("attempt_ended", "ruling"),
    ("dispatch_closed", "look_again"),
    ("dispatch_opened", "findings"),
    ("repair_opened", "findings"),
    ("guidance_given", "findings"),
    ("dispatch_opened", "starts_max"),
    ("dispatch_closed", "unreviewed"),
    ("checks_ended", "holds"),
];
/// How many of them each earlier version wrote.
const VERSIONS: [usize; 2] = [0, 6];

fn as_written_before(event: &Event, known: usize) -> Event {
    let mut value = serde_json::to_value(event).expect("an event is written");
    let kind = value["type"].clone();
    for (_, field) in NEW_FIELDS[known..].iter().filter(|(of, _)| kind == *of) {
        value.as_object_mut().expect("an event is an object").remove(*field);
    }
    serde_json::from_value(value).expect("an earlier event is read")
}

/// A journal that cannot fail. What it keeps has been written and read back, as on a disk.
struct Memory<'a>(&'a mut Vec<(Timestamp, Event)>);

impl engine::Journal for Memory<'_> {
    type Error = std::convert::Infallible;

    fn append_and_sync(&mut self, at: Timestamp, events: &[Event]) -> Result<(), Self::Error> {
        for event in events {
            let line = serde_json::to_string(event).expect("an event is written");
            let read: Event = serde_json::from_str(&line).expect("an event is read back");
            assert_eq!(read, *event, "{line} reads back as another event");
            self.0.push((at, read));
        }
        Ok(())
    }
}

pub struct Told {
    engine: Engine,
    journal: Vec<(Timestamp, Event)>,
    crew: Crew,
    gates: Option<String>,
    now: Timestamp,
    commands: u32,
    lines: Vec<String>,
}

impl Told {
    fn new(story: &[Word]) -> Self {
        let opening = opening(story);
        let now = Timestamp::from_ms(1_794_000_000_000);
        let (engine, commit) = Engine::open(now, &opening);
        let crew = Crew::new(story, &opening);
        let (journal, lines) = (Vec::new(), Vec::new());
        let mut told = Self { engine, journal, crew, gates: None, now, commands: 0, lines };
        told.write(commit);
        told
    }

    /// Event by event: what differs for a while only would not be seen at the end.
    fn replays_also_as_earlier_versions_wrote_it(&self) {
        let mut events = self.journal.iter();
        let Some((at, Event::SessionOpened(opening))) = events.next() else {
            panic!("it does not begin with its opening");
        };
        let mut now = Session::open(*at, opening);
        let mut before = VERSIONS.map(|known| (known, now.clone()));
        for (at, event) in events {
            now.follow(*at, event).expect("what was written is replayed");
            for (known, before) in &mut before {
                let earlier = as_written_before(event, *known);
                before.follow(*at, &earlier).expect("an earlier journal is replayed");
                // The difference of two states is too long to be read.
                assert!(now == *before, "{earlier:?} leads to another state than {event:?}");
            }
        }
        assert!(now == *self.session(), "the journal leads to another state");
    }

    pub fn session(&self) -> &Session {
        self.engine.session()
    }

    pub fn journal(&self) -> &[(Timestamp, Event)] {
        &self.journal
    }

    #[allow(dead_code, reason = "not every file of stories asks")]
    pub fn pending_question(&self) -> String {
        self.session().pending_decisions().map(|decision| decision.question.clone()).collect()
    }

    fn happen(&mut self, word: Word) {
        match word {
            Word::Go(until) => self.go(until),
            Word::Together => self.together(),
            Word::First => self.first_ends(),
            Word::Gates(strategy) => self.gates = Some(strategy),
            Word::Answer(decision, text, meant) => self.answer(decision, text, &meant),
            Word::Kept(decision, text) => self.keep(decision, text),
            Word::Silence(decision) => {
                let id = self.command_id();
                self.command(Command::NoResponse { id, decision });
            }
            Word::Exhaust(decision) => {
                let id = self.command_id();
                self.command(Command::GateExhausted { id, decision });
            }
            Word::Cancel(reason) => {
                let id = self.command_id();
                self.command(Command::Cancel { id, reason });
            }
            Word::Drop(task) => self.drop_task(&task),
            Word::Edit(path) => self.edit(&path, false),
            Word::Break(path) => self.edit(&path, true),
            Word::Crash { keeping } => self.crash(keeping),
            Word::Late => self.end_checks(),
            Word::Stop => self.end_running(&DispatchEnd::Stopped),
            Word::Stage(stage) => self.feed(Input::StageSeen { stage: Some(stage) }),
            Word::Moved { conflicts } => {
                let commit = self.crew.moves_base(conflicts);
                self.feed(Input::BaseMoved { commit });
            }
            Word::FullDisk => {
                self.feed(Input::HostFailed(HostFault::new(FaultKind::NoSpace, "no space")));
            }
            Word::Resume(settings) => self.resume(settings),
            Word::Show => self.show(),
            Word::Lanes => self.lanes(),
            Word::Who => self.lines.extend(costs::who(self.engine.session())),
            Word::Ledger => self.lines.extend(costs::ledger(self.engine.session())),
            Word::Notices => self.lines.extend(costs::notices(self.engine.session())),
            // What the story starts from, and what its crew says and finds.
            Word::Lean
            | Word::Task(_)
            | Word::Criterion(_)
            | Word::Ask(_)
            | Word::Declared(_)
            | Word::Parallel(_)
            | Word::Step(_)
            | Word::Tokens(_)
            | Word::Usd(_)
            | Word::Wall(_)
            | Word::Costs(..)
            | Word::Lasts(..)
            | Word::Played(_)
            | Word::List(..)
            | Word::Green(_)
            | Word::Red(_)
            | Word::Old(_)
            | Word::Missing(_)
            | Word::Clash(_)
            | Word::Covered(_)
            | Word::Says(..) => {}
        }
    }

    fn resume(&mut self, settings: Resume) {
        let mut policy = self.session().policy.clone();
        match settings {
            Resume::AsBefore => {}
            Resume::Tokens(tokens) => policy.tokens_max = Some(tokens),
            Resume::List(first, others) => {
                policy.fallbacks.insert(first, others);
            }
            Resume::Played(name) => {
                policy.players.values_mut().for_each(|player| name.clone_into(player));
            }
        }
        self.feed(Input::Resumed { policy });
    }

    /// Runs agents and checks until a person must act, or until a role is at work.
    fn go(&mut self, until: Option<Role>) {
        for _ in 0..200 {
            self.answer_gates();
            let wanted = self.session().outstanding();
            let at_work = |wanted: &Wanted| match wanted {
                Wanted::Dispatch(number, _) => Some(self.session().dispatches[number].role),
                Wanted::Checks(_) | Wanted::Merge(_) | Wanted::BaseMerge => None,
            };
            if until.is_some() && wanted.iter().any(|w| at_work(w) == until) {
                return;
            }
            match (wanted.first().copied(), self.session().next_deadline()) {
                (Some(Wanted::Dispatch(number, attempt)), _) => {
                    self.now = self.now.plus_ms(1_000);
                    let end = self.crew.perform(self.engine.session(), number, self.now);
                    let usage = self.crew.usage(self.engine.session(), number, &end);
                    self.feed(Input::Ended { number, attempt, end, usage });
                }
                (Some(Wanted::Checks(_)), _) => self.end_checks(),
                (Some(Wanted::Merge(_)), _) => {
                    let merged = self.crew.merge(&self.session().merging());
                    self.feed(Input::Merged(merged));
                }
                (Some(Wanted::BaseMerge), _) => {
                    let base = self.session().base_merging().expect("it is merged").clone();
                    let outcome = self.crew.merge_base();
                    let merged = Input::BaseMerged { base, outcome };
                    self.feed(merged.clone());
                    // Told a second time it changes nothing.
                    let told = self.journal.len();
                    self.feed(merged);
                    assert_eq!(self.journal.len(), told, "a merge counts once");
                }
                (None, Some(due)) => {
                    let waited = due.ms_since(self.now);
                    self.lines.push(format!("waited    {waited} ms"));
                    self.now = due;
                    self.feed(Input::Tick);
                }
                (None, None) => {
                    let role = until.map(|role| role.to_string()).unwrap_or_default();
                    assert!(until.is_none(), "{role} never comes to work");
                    return;
                }
            }
        }
        panic!("the story does not come to an end");
    }

    /// Everybody at work ends, also while one of them makes the session wait.
    fn together(&mut self) {
        let at_work = self.session().outstanding();
        assert!(!at_work.is_empty(), "nobody is at work");
        for wanted in at_work {
            if let Wanted::Dispatch(number, attempt) = wanted {
                let end = self.crew.perform(self.engine.session(), number, self.now);
                let usage = self.crew.usage(self.engine.session(), number, &end);
                self.feed(Input::Ended { number, attempt, end, usage });
            }
        }
    }

    /// The first of those at work ends, and the others do not.
    fn first_ends(&mut self) {
        let Some(Wanted::Dispatch(number, attempt)) = self.session().outstanding().first().copied()
        else {
            panic!("nobody is at work");
        };
        let end = self.crew.perform(self.engine.session(), number, self.now);
        let usage = self.crew.usage(self.engine.session(), number, &end);
        self.feed(Input::Ended { number, attempt, end, usage });
    }

    /// The last checks come to their end, whether somebody still waits for them or not.
    fn end_checks(&mut self) {
        let last = self.session().checks.runs.iter().next_back();
        let (number, run) = last.map(|(number, run)| (*number, run.clone())).expect("checks ran");
        let results = self.crew.check(&run.commands, &run.purpose);
        let stage = self.session().checks.stage.clone();
        self.feed(Input::Checked { number, results, stage });
    }

    fn answer_gates(&mut self) {
        let Some(strategy) = self.gates.clone() else {
            return;
        };
        let asked: Vec<(DecisionId, DecisionKind)> = self
            .session()
            .pending_decisions()
            .map(|decision| (decision.decision_id.clone(), decision.kind))
            .collect();
        for (decision, kind) in asked {
            let answer = match kind {
                DecisionKind::Approve => "approved".to_owned(),
                DecisionKind::Strategy => strategy.clone(),
                _ => continue,
            };
            let (id, round) = (self.command_id(), self.session().round(&decision));
            self.command(Command::Answer { id, decision, round, answer, reason: None });
        }
    }

    /// As versions before this one kept an answer for a question to come.
    fn keep(&mut self, decision: DecisionId, answer: String) {
        let event = Event::AnswerKept { decision, answer, command: self.command_id() };
        let mut session = self.session().clone();
        session.follow(self.now, &event).expect("a kept answer follows anything");
        self.journal.push((self.now, event));
        self.engine = Engine::resume(session);
    }

    fn answer(&mut self, decision: DecisionId, answer: String, meant: &Meant) {
        let id = match meant {
            Meant::Again => CommandId::new(format!("c{}", self.commands)),
            Meant::Now | Meant::ForTheFormerRound => self.command_id(),
        };
        let round = self.session().round(&decision);
        let round = if matches!(meant, Meant::ForTheFormerRound) { round - 1 } else { round };
        self.command(Command::Answer { id, decision, round, answer, reason: None });
    }

    fn edit(&mut self, path: &str, broken: bool) {
        let error = ReplyError::new("broken", path, "a section is missing");
        let edit = Edit {
            path: path.to_owned(),
            now: Some(self.crew.artefact(path)),
            errors: if broken { vec![error] } else { Vec::new() },
            plan: (path == "tasks.yaml" && !broken).then(|| {
                let mut plan: Vec<_> =
                    self.session().plan.tasks.iter().map(|t| t.spec.clone()).collect();
                plan.push(task("T-900 docs").expect("a task"));
                plan
            }),
            criteria: None,
            is_ours: false,
        };
        self.feed(Input::Edited(vec![edit]));
    }

    fn drop_task(&mut self, id: &TaskId) {
        assert!(self.session().plan.tasks.iter().any(|task| task.spec.id == *id), "no task {id}");
        let path = "tasks.yaml".to_owned();
        let now = Some(self.crew.artefact(&path));
        let tasks = self.session().plan.tasks.iter().map(|task| task.spec.clone());
        let plan = Some(tasks.filter(|spec| spec.id != *id).collect());
        let edit = Edit { path, now, errors: Vec::new(), plan, criteria: None, is_ours: false };
        self.feed(Input::Edited(vec![edit]));
    }

    /// A new process takes the journal up; what ran continues, or is found to be gone.
    fn crash(&mut self, keeping: bool) {
        let events = self.journal.iter().map(|(at, event)| (*at, event));
        let session = Session::replay(events).expect("the journal begins with the opening");
        assert_eq!(session, *self.engine.session(), "the journal tells the same");
        let policy = session.policy.clone();
        self.engine = Engine::resume(session);
        self.feed(Input::Resumed { policy });
        if !keeping {
            self.end_running(&DispatchEnd::Interrupted { rescue: None });
        }
    }

    fn end_running(&mut self, end: &DispatchEnd) {
        for wanted in self.session().outstanding() {
            if let Wanted::Dispatch(number, attempt) = wanted {
                let usage = self.crew.usage(self.engine.session(), number, end);
                self.feed(Input::Ended { number, attempt, end: end.clone(), usage });
            }
        }
    }

    fn command_id(&mut self) -> CommandId {
        self.commands += 1;
        CommandId::new(format!("c{}", self.commands))
    }

    fn command(&mut self, command: Command) {
        self.feed(Input::Command(command));
    }

    fn feed(&mut self, input: Input) {
        let (commit, answers) = self.engine.handle(self.now, vec![input]);
        for refusal in answers.into_iter().filter_map(Result::err) {
            self.lines.push(format!("refused   {refusal}"));
        }
        self.write(commit);
    }

    fn write(&mut self, commit: Commit) {
        let Ok(_durable) = commit.write_to(&mut Memory(&mut self.journal));
    }

    fn show(&mut self) {
        let session = self.engine.session();
        let code =
            session.standing.blocker.as_ref().map(|b| format!(" {}", b.code)).unwrap_or_default();
        let running = session.outstanding().len();
        let state = format!("state     {}{code}, {running} at work", session.state());
        self.lines.push(state);
    }

    fn lanes(&mut self) {
        let session = self.engine.session();
        let names: Vec<String> = session
            .outstanding()
            .iter()
            .map(|wanted| match wanted {
                Wanted::Dispatch(number, _) => ran(&session.dispatches[number]),
                Wanted::Checks(number) => format!("checks {}", session.checks.runs[number].purpose),
                Wanted::Merge(_) => "merge".to_owned(),
                Wanted::BaseMerge => "base merge".to_owned(),
            })
            .collect();
        self.lines.push(format!("at work   {}", names.join(" ")));
    }

    fn digest(&mut self) {
        self.show();
        let session = self.engine.session();
        let mut lines = Vec::new();
        let tasks: Vec<String> =
            session.plan.tasks.iter().map(|t| format!("{} {}", t.spec.id, t.status)).collect();
        if !tasks.is_empty() {
            lines.push(format!("tasks     {}", tasks.join(", ")));
        }
        for decision in &session.decisions.asked {
            let resolution = &decision.resolution;
            let said = resolution.answer.as_ref().or(resolution.reason.as_ref());
            let said = said.map(|text| format!(" {text:?}")).unwrap_or_default();
            let (id, kind) = (&decision.decision_id, decision.kind);
            lines.push(format!("decision  {id} {kind} {}{said}", resolution.status));
        }
        for rejection in &session.decisions.rejections {
            lines.push(format!("rejected  {} {}", rejection.decision_id, rejection.state_context));
        }
        let moves = self.journal.iter().filter_map(|(_, event)| match event {
            Event::CorrectionMoved { status, agent, .. } => Some(match agent {
                Some(role) => format!("{status} {role}"),
                None => status.to_string(),
            }),
            _ => None,
        });
        let moves: Vec<String> = moves.collect();
        if !moves.is_empty() {
            lines.push(format!("correction {}", moves.join(", ")));
        }
        for (_, event) in &self.journal {
            if let Event::BaseMergeEnded { outcome, .. } = event {
                let came = match outcome {
                    BaseMerge::Clean { .. } => "clean",
                    BaseMerge::Conflicts { .. } => "conflicts",
                    BaseMerge::AlreadyIn | BaseMerge::Unrelated => "nothing",
                };
                lines.push(format!("merged    main: {came}"));
            }
        }
        for finding in &session.record.findings {
            let report = &finding.report;
            lines.push(format!(
                "finding   {} {}: {} {}",
                finding.source(),
                finding.task.as_str(),
                report.severity,
                finding.status
            ));
        }
        for dispatch in session.dispatches.values().filter(|d| !d.given.feedback.lines.is_empty()) {
            lines.push(format!(
                "told      {} {}",
                ran(dispatch),
                dispatch.given.feedback.lines.join(" / ")
            ));
        }
        let ran: Vec<String> = session.dispatches.values().map(ran).collect();
        lines.push(format!("ran       {}", ran.join(" ")));
        self.lines.extend(lines);
    }
}

fn ran(dispatch: &tollgate_core::session::Dispatch) -> String {
    let task = match &dispatch.task {
        TaskRef::Meta => String::new(),
        TaskRef::Task(id) => format!("({id})"),
    };
    let attempts = match dispatch.attempts.0 {
        1 => String::new(),
        n => format!("x{n}"),
    };
    format!("{}{task}{attempts}", dispatch.role)
}
