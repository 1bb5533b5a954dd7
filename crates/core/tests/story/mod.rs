//! A tiny language for lives of a session, and the digest of how they end.
//!
//! Settings first: `lean`, `task T-001 feat | after T-000 | flag security | check cmd: t`,
//! `criterion manual: see it`, `gates approved single-final` (answers both gates by itself),
//! `ask Researcher`, `tokens 10`, `red 2` (the next check runs fail, `green 1` before them not) and `Role: reply` (what a role
//! says next; afterwards it does honest work). Then what happens: `go`, `go until Role`,
//! `answer ID TEXT`, `again ID TEXT` (the last command once more), `answer-former ID TEXT` (meant for the round before),
//! `kept ID TEXT` (as older versions kept it), `silence ID`, `exhaust ID`,
//! `cancel TEXT`, `edit PATH` (one task more in tasks.yaml), `drop T-001` (one less), `break PATH`,
//! `crash` (what ran is lost), `crash keeping` (it is not),
//! `stage NAME` (another lifecycle stage is declared), `covered 65 90` (what coverage comes to, run by run),
//! `old N` (failures of the next N check runs are as old as the base), `clash N` (see the crew),
//! `parallel N` (tasks at the same time; `beside T-002` of a task: their scopes overlap), `lanes` (who is at work),
//! `usd 2.5`, `wall 90` (limits), `costs Coder 0.50`, `lasts Coder 30` (seconds), `played alpha` (by whom all roles are),
//! `list alpha beta gamma` (who takes over from the first), `resume list alpha beta` (settings that came later),
//! `ledger`, `who` (is at work, and with what), `notices`,
//! `late` (the last checks end now), `stop`, `full disk`, `show` (a line of the digest in between).

mod crew;
mod opening;
mod purse;
mod route;

use crew::Crew;
use expect_test::Expect;
use opening::{opening, task};
use tollgate_core::decision::DecisionKind;
use tollgate_core::engine::{Commit, Engine};
use tollgate_core::event::Event;
use tollgate_core::id::{CommandId, DecisionId, TaskRef};
use tollgate_core::input::{Command, Edit, Input};
use tollgate_core::reply::ReplyError;
use tollgate_core::role::Role;
use tollgate_core::session::{Session, Wanted};
use tollgate_core::time::Timestamp;
use tollgate_core::work::DispatchEnd;

pub fn check(story: &str, expected: Expect) {
    let mut told = tell(story);
    told.digest();
    expected.assert_eq(&told.lines.join("\n"));
}

/// Lives the story, for what the digest does not show.
pub fn tell(story: &str) -> Told {
    let mut told = Told::new(story);
    for line in story.lines().map(str::trim).filter(|line| !line.is_empty()) {
        told.happen(line);
    }
    told
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
    fn new(story: &str) -> Self {
        let opening = opening(story);
        let now = Timestamp::from_ms(1_794_000_000_000);
        let (engine, commit) = Engine::open(now, &opening);
        let crew = Crew::new(story, &opening);
        let (journal, lines) = (Vec::new(), Vec::new());
        let mut told = Self { engine, journal, crew, gates: None, now, commands: 0, lines };
        told.write(commit);
        told
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

    fn happen(&mut self, line: &str) {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb {
            "go" => self.go(rest.strip_prefix("until ").and_then(Role::parse)),
            "together" => self.together(),
            "first" => self.first_ends(),
            "gates" => self.gates = rest.split_once(' ').map(|(_, strategy)| strategy.to_owned()),
            "answer" | "again" => self.answer(rest, verb == "again", 0),
            "answer-former" => self.answer(rest, false, 1),
            "kept" => self.keep(rest),
            "silence" => {
                let (id, decision) = (self.command_id(), decision(rest));
                self.command(Command::NoResponse { id, decision });
            }
            "exhaust" => {
                let (id, decision) = (self.command_id(), decision(rest));
                self.command(Command::GateExhausted { id, decision });
            }
            "cancel" => {
                let (id, reason) = (self.command_id(), rest.to_owned());
                self.command(Command::Cancel { id, reason });
            }
            "drop" => self.drop_task(rest),
            "edit" | "break" => self.edit(rest, verb == "break"),
            "crash" => self.crash(rest == "keeping"),
            "late" => self.end_checks(),
            "stop" => self.end_running(&DispatchEnd::Stopped),
            "stage" => self.feed(Input::StageSeen { stage: Some(rest.to_owned()) }),
            "full" => self.feed(Input::PersistenceFailed { detail: "no space".to_owned() }),
            "resume" => {
                let mut policy = self.session().policy.clone();
                policy.tokens_max = rest.parse().ok().or(policy.tokens_max);
                policy.fallbacks.extend(rest.strip_prefix("list ").and_then(purse::list));
                if let Some(name) = rest.strip_prefix("played ") {
                    policy.players.values_mut().for_each(|player| name.clone_into(player));
                }
                self.feed(Input::Resumed { policy });
            }
            "show" => self.show(),
            "lanes" => self.lanes(),
            "who" => self.lines.extend(purse::who(self.engine.session())),
            "ledger" => self.lines.extend(purse::ledger(self.engine.session())),
            "notices" => self.lines.extend(purse::notices(self.engine.session())),
            _ => {}
        }
    }

    /// Runs agents and checks until a person must act, or until a role is at work.
    fn go(&mut self, until: Option<Role>) {
        for _ in 0..200 {
            self.answer_gates();
            let wanted = self.session().outstanding();
            let at_work = |wanted: &Wanted| match wanted {
                Wanted::Dispatch(number, _) => Some(self.session().dispatches[number].role),
                Wanted::Checks(_) | Wanted::Merge(_) => None,
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
                (None, Some(due)) => {
                    let waited = due.ms_since(self.now);
                    self.lines.push(format!("waited    {waited} ms"));
                    self.now = due;
                    self.feed(Input::Tick);
                }
                (None, None) => return,
            }
        }
        panic!("the story does not come to an end");
    }

    /// Everybody at work ends, also while one of them makes the session wait.
    fn together(&mut self) {
        for wanted in self.session().outstanding() {
            if let Wanted::Dispatch(number, attempt) = wanted {
                let end = self.crew.perform(self.engine.session(), number, self.now);
                let usage = self.crew.usage(self.engine.session(), number, &end);
                self.feed(Input::Ended { number, attempt, end, usage });
            }
        }
    }

    /// The first of those at work ends, and the others do not.
    fn first_ends(&mut self) {
        if let Some(Wanted::Dispatch(number, attempt)) = self.session().outstanding().first() {
            let (number, attempt) = (*number, *attempt);
            let end = self.crew.perform(self.engine.session(), number, self.now);
            let usage = self.crew.usage(self.engine.session(), number, &end);
            self.feed(Input::Ended { number, attempt, end, usage });
        }
    }

    /// The last checks come to their end, whether somebody still waits for them or not.
    fn end_checks(&mut self) {
        let last = self.session().checks.iter().next_back();
        let (number, run) = last.map(|(number, run)| (*number, run.clone())).expect("checks ran");
        let results = self.crew.check(&run.commands, &run.purpose);
        let stage = self.session().stage.clone();
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
    fn keep(&mut self, rest: &str) {
        let (name, answer) = rest.split_once(' ').expect("a decision and an answer");
        let (decision, command) = (decision(name), self.command_id());
        let event = Event::AnswerKept { decision, answer: answer.to_owned(), command };
        let mut session = self.session().clone();
        session.follow(self.now, &event).expect("a kept answer follows anything");
        self.journal.push((self.now, event));
        self.engine = Engine::resume(session);
    }

    fn answer(&mut self, rest: &str, again: bool, rounds_ago: u32) {
        let (name, answer) = rest.split_once(' ').unwrap_or((rest, ""));
        let id =
            if again { CommandId::new(format!("c{}", self.commands)) } else { self.command_id() };
        let (decision, answer) = (decision(name), answer.to_owned());
        let round = self.session().round(&decision) - rounds_ago;
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
                    self.session().tasks.iter().map(|t| t.spec.clone()).collect();
                plan.push(task("T-900 docs"));
                plan
            }),
            criteria: None,
        };
        self.feed(Input::Edited(vec![edit]));
    }

    fn drop_task(&mut self, id: &str) {
        let path = "tasks.yaml".to_owned();
        let now = Some(self.crew.artefact(&path));
        let tasks = self.session().tasks.iter().map(|task| task.spec.clone());
        let plan = Some(tasks.filter(|spec| spec.id.as_str() != id).collect());
        let edit = Edit { path, now, errors: Vec::new(), plan, criteria: None };
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
        let journal = &mut self.journal;
        let written: Result<_, ()> = commit.persist(|at, events| {
            journal.extend(events.iter().map(|event| (at, event.clone())));
            Ok(())
        });
        written.expect("memory does not fail");
    }

    fn show(&mut self) {
        let session = self.engine.session();
        let code = session.blocker.as_ref().map(|b| format!(" {}", b.code)).unwrap_or_default();
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
                Wanted::Checks(number) => format!("checks {}", session.checks[number].purpose),
                Wanted::Merge(_) => "merge".to_owned(),
            })
            .collect();
        self.lines.push(format!("at work   {}", names.join(" ")));
    }

    fn digest(&mut self) {
        self.show();
        let session = self.engine.session();
        let mut lines = Vec::new();
        let tasks: Vec<String> =
            session.tasks.iter().map(|t| format!("{} {}", t.spec.id, t.status)).collect();
        if !tasks.is_empty() {
            lines.push(format!("tasks     {}", tasks.join(", ")));
        }
        for decision in &session.decisions {
            let resolution = &decision.resolution;
            let said = resolution.answer.as_ref().or(resolution.reason.as_ref());
            let said = said.map(|text| format!(" {text:?}")).unwrap_or_default();
            let (id, kind) = (&decision.decision_id, decision.kind);
            lines.push(format!("decision  {id} {kind} {}{said}", resolution.status));
        }
        for rejection in &session.rejections {
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
        for finding in &session.findings {
            let report = &finding.report;
            lines.push(format!(
                "finding   {} {}: {} {}",
                finding.source, finding.task, report.severity, finding.status
            ));
        }
        for dispatch in session.dispatches.values().filter(|d| !d.feedback.is_empty()) {
            lines.push(format!("told      {} {}", ran(dispatch), dispatch.feedback.join(" / ")));
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

fn decision(name: &str) -> DecisionId {
    DecisionId::parse(name).expect("a decision id")
}
