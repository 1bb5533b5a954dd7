//! Watches the events for failures and writes a report of each, once.

use super::draft::Noted;
use super::{FailureReport, Tried, denied, draft, folders, keep, name_of, numbered, paths, words};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use tollgate_core::decision::{Blocker, BlockerCode, DecisionKind, Subject};
use tollgate_core::event::Event;
use tollgate_core::id::{Attempt, DispatchNumber};
use tollgate_core::limits::TAIL_BYTES;
use tollgate_core::reply::ReplyError;
use tollgate_core::role::Role;
use tollgate_core::session::Session;
use tollgate_core::time::Timestamp;
use tollgate_core::words::ended;
use tollgate_core::work::DispatchEnd;
use tollgate_files::layout::SessionLayout;
use tollgate_files::redact::Redactor;
use tollgate_files::{self as files, FileError};

#[derive(Debug)]
pub struct Reporter {
    layout: SessionLayout,
    /// The checkout.
    root: PathBuf,
    redactor: Redactor,
    /// Who plays a role when nobody chose another.
    agents: BTreeMap<Role, String>,
    /// Attempts under way: when they began, and the agent a person chose.
    running: BTreeMap<DispatchNumber, (Timestamp, Option<String>)>,
    /// Of dispatches that are not closed.
    history: BTreeMap<DispatchNumber, History>,
    unwritten: Vec<Unwritten>,
    /// When the last report about the session as a whole failed, and how many did then.
    last_of_session: Option<(Timestamp, usize)>,
}

#[derive(Debug, Default)]
struct History {
    tried: Vec<Tried>,
    /// Attempts whose work broke the contract, each with its faults.
    invalid: Vec<(Attempt, Vec<ReplyError>)>,
    /// Of the last attempt.
    noted: Noted,
}

#[derive(Debug)]
struct Unwritten {
    report: FailureReport,
    /// What goes to `.artifacts-failed/` with it.
    invalid: Vec<(Attempt, Vec<ReplyError>)>,
    /// Among the reports about the session as a whole that failed at the same time.
    number: usize,
}

impl Reporter {
    pub fn new(
        layout: SessionLayout,
        root: PathBuf,
        redactor: Redactor,
        agents: BTreeMap<Role, String>,
    ) -> Self {
        Self {
            layout,
            root,
            redactor,
            agents,
            running: BTreeMap::new(),
            history: BTreeMap::new(),
            unwritten: Vec::new(),
            last_of_session: None,
        }
    }

    /// Takes in the events of one commit; `session` is the state after it.
    pub fn take<'e>(&mut self, session: &Session, events: impl Iterator<Item = &'e Event>) {
        let first_new = self.unwritten.len();
        let mut blocker: Option<Blocker> = None;
        for event in events {
            match event {
                Event::AttemptStarted { number, agent, .. } => {
                    self.history.entry(*number).or_default().noted = Noted::default();
                    self.running.insert(
                        *number,
                        (session.updated_at, agent.as_ref().map(ToString::to_string)),
                    );
                }
                Event::AttemptNoted { number, given, kept, .. } => {
                    let noted = Noted { given: given.clone(), kept: kept.clone() };
                    self.history.entry(*number).or_default().noted = noted;
                }
                Event::AttemptEnded { number, attempt, end, .. } => {
                    self.ended(session, *number, *attempt, end);
                }
                Event::DispatchClosed { number, .. } => {
                    self.history.remove(number);
                    self.running.remove(number);
                }
                Event::Blocked { blocker: found, .. } if found.code != BlockerCode::Cancelled => {
                    blocker = Some(found.clone());
                }
                Event::DecisionAsked { decision } if decision.kind == DecisionKind::Escalation => {
                    let index = self.about(session, &decision.subject, first_new);
                    let found = &mut self.unwritten[index].report;
                    if let Some(blocker) =
                        blocker.take().or_else(|| session.standing.blocker.clone())
                    {
                        draft::add_blocker(found, &blocker);
                    }
                    draft::add_question(found, decision);
                    self.keep_invalid(index);
                }
                _ => {}
            }
        }
        if let Some(blocker) = blocker {
            let mut report = draft::of_session(session);
            draft::add_blocker(&mut report, &blocker);
            self.add(report);
        }
    }

    fn ended(
        &mut self,
        session: &Session,
        number: DispatchNumber,
        attempt: Attempt,
        end: &DispatchEnd,
    ) {
        let (began, chosen) = self.running.remove(&number).unwrap_or((session.updated_at, None));
        let history = self.history.entry(number).or_default();
        history.tried.push(Tried {
            attempt,
            ended_at: session.updated_at,
            duration_ms: session.updated_at.ms_since(began),
            how: ended(end),
        });
        if let DispatchEnd::Invalid { errors, .. } = end {
            history.invalid.push((attempt, errors.clone()));
        }
        if draft::is_failure(end) {
            let agent = chosen.or_else(|| agent_of(&self.agents, session, number));
            let mut report = draft::of_dispatch(session, number, attempt, agent, &history.tried);
            let outputs = history.noted.given.as_ref().map(|given| given.outputs.as_slice());
            draft::add_end(&mut report, outputs.unwrap_or_default(), end);
            draft::add_note(&mut report, &history.noted);
            self.add(report);
        }
    }

    /// Every engine that reads the journal comes to the same numbers.
    fn add(&mut self, report: FailureReport) -> usize {
        let mut number = 1;
        if report.dispatch.is_none() {
            if let Some((at, count)) = self.last_of_session
                && at == report.failed_at
            {
                number = count + 1;
            }
            self.last_of_session = Some((report.failed_at, number));
        }
        self.unwritten.push(Unwritten { report, invalid: Vec::new(), number });
        self.unwritten.len() - 1
    }

    /// The report that a question belongs to: that of its failed attempt, or a new one.
    fn about(&mut self, session: &Session, subject: &Subject, first_new: usize) -> usize {
        let Subject::Dispatch { dispatch: number } = subject else {
            return self.add(draft::of_session(session));
        };
        let new = self.unwritten[first_new..].iter();
        if let Some(index) = new.map(|new| new.report.dispatch).position(|of| of == Some(*number)) {
            return first_new + index;
        }
        let attempt = session.dispatches.get(number).map_or(Attempt(0), |found| found.attempts);
        let agent = agent_of(&self.agents, session, *number);
        let tried = self.history.get(number).map(|found| found.tried.clone()).unwrap_or_default();
        let mut report = draft::of_dispatch(session, *number, attempt, agent, &tried);
        if let Some(history) = self.history.get(number) {
            draft::add_note(&mut report, &history.noted);
        }
        self.add(report)
    }

    /// Out of re-runs: what was delivered is kept where a person finds it.
    fn keep_invalid(&mut self, index: usize) {
        let Unwritten { report, invalid, .. } = &mut self.unwritten[index];
        let of_dispatch = report.dispatch.filter(|_| report.error_type.end.is_some());
        let Some((number, history)) =
            of_dispatch.and_then(|number| Some((number, self.history.get(&number)?)))
        else {
            return;
        };
        if history.invalid.last().map(|(attempt, _)| *attempt) != report.attempt {
            return;
        }
        invalid.clone_from(&history.invalid);
        let place = keep::place(&report.session, number);
        let last = history.invalid.last().map(|(attempt, _)| format!("attempt-{attempt}/"));
        let look = format!("look at {place}{}errors.txt", last.unwrap_or_default());
        report.kept.push(place);
        report.remediation.insert(1.min(report.remediation.len()), look);
    }

    /// Writes what has not been written, by this process or one before it.
    pub fn write(&mut self) -> Result<(), FileError> {
        while let Some(unwritten) = self.unwritten.last() {
            self.write_one(unwritten)?;
            self.unwritten.pop();
        }
        Ok(())
    }

    fn write_one(&self, unwritten: &Unwritten) -> Result<(), FileError> {
        let root = &self.root;
        if let Some(number) = unwritten.report.dispatch {
            for (attempt, errors) in &unwritten.invalid {
                keep::keep(root, &self.layout, number, *attempt, errors)?;
            }
        }
        let report = &unwritten.report;
        let name = name_of(report.failed_at, &report.session, report.dispatch.zip(report.attempt));
        let name = numbered(&name, unwritten.number);
        let places = folders(&report.session).map(|folder| format!("{folder}/{name}"));
        if places.iter().any(|place| files::open_beneath(root, &format!("{place}.json")).is_ok()) {
            return Ok(());
        }
        let report = self.completed(report)?;
        let [first, second] = places;
        write_both(root, &first, &report).or_else(|_| write_both(root, &second, &report))
    }

    /// With what went in and came out, and nothing secret in any of its texts.
    fn completed(&self, report: &FailureReport) -> Result<FailureReport, FileError> {
        let mut report = report.clone();
        paths::resolve(&mut report, &self.root);
        if let Some((number, attempt)) = report.dispatch.zip(report.attempt) {
            let folder = self.layout.attempt(number, attempt);
            report.denied = denied::path(&folder);
            report.excerpts.agent_input = head(&self.redactor, &folder.input());
            report.excerpts.agent_output = files::read_tail(&folder.stdout(), TAIL_BYTES)?;
            report.excerpts.stack_trace = files::read_tail(&folder.stderr(), TAIL_BYTES)?;
        }
        let value = self.redactor.redact_json(serde_json::json!(report));
        Ok(serde_json::from_value(value).expect("cleaned texts are texts"))
    }
}

/// The JSON last: where it stands, both are whole.
fn write_both(root: &Path, place: &str, report: &FailureReport) -> Result<(), FileError> {
    let text = words::for_people(report);
    files::write_beneath(root, &format!("{place}.txt"), text.as_bytes())?;
    let mut json =
        serde_json::to_vec_pretty(report).expect("a report can always be written as JSON");
    json.push(b'\n');
    files::write_beneath(root, &format!("{place}.json"), &json)
}

/// The name that the settings give for the role.
fn agent_of(
    agents: &BTreeMap<Role, String>,
    session: &Session,
    number: DispatchNumber,
) -> Option<String> {
    let dispatch = session.dispatches.get(&number)?;
    let chosen = dispatch.agent().map(ToString::to_string);
    chosen.or_else(|| agents.get(&dispatch.role).cloned())
}

/// The beginning of a file without secrets. Cut is what is clean already: of a secret across the cut nothing stays.
fn head(redactor: &Redactor, path: &Path) -> String {
    let mut clean = Vec::new();
    // What cannot be read is not worth a second failure.
    if let Ok(mut file) = files::options_nofollow().read(true).open(path) {
        let (mut stream, mut piece) = (redactor.stream(), vec![0; TAIL_BYTES]);
        while clean.len() < TAIL_BYTES {
            match file.read(&mut piece) {
                Ok(length) if length > 0 => stream.push(&piece[..length], &mut clean),
                _ => {
                    stream.finish(&mut clean);
                    break;
                }
            }
        }
    }
    clean.truncate(TAIL_BYTES);
    String::from_utf8_lossy(&clean).into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn r083_a_secret_across_the_cut_leaves_nothing_of_itself() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("input.json");
        let redactor = Redactor::new(["hunter2-hunter2"]);
        std::fs::write(&path, "a hunter2-hunter2 b").unwrap();
        assert_eq!(head(&redactor, &path), "a [redacted] b");
        for before in TAIL_BYTES - 20..TAIL_BYTES {
            let text = [&"x ".repeat(TAIL_BYTES)[..before], "hunter2-hunter2", &" y".repeat(999)];
            std::fs::write(&path, text.concat()).unwrap();
            let head = head(&redactor, &path);
            assert!(!head.contains("hunter") && head.len() == TAIL_BYTES, "{before}");
        }
    }

    fn session(at: Timestamp) -> Session {
        let opening = serde_json::json!({
            "session": "2026-01-02_x", "goal": "Do it", "mode": "full", "project_type": "mixed",
            "base": "0".repeat(40), "tollgate_version": "0.1.0",
            "action": {"name": "deliver", "description": "d", "steps": []},
            "policy": tollgate_core::policy::Policy::default(),
        });
        Session::open(at, &serde_json::from_value(opening).unwrap())
    }

    fn reporter(root: &Path) -> Reporter {
        let layout = SessionLayout::at(root.join(".agents-work/2026-01-02_x"));
        let secrets: [&str; 0] = [];
        Reporter::new(layout, root.to_owned(), Redactor::new(secrets), BTreeMap::new())
    }

    fn reports(root: &Path) -> Vec<FailureReport> {
        let found = std::fs::read_dir(root.join("logs/errors")).unwrap();
        let mut paths: Vec<PathBuf> = found.map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
        paths.sort();
        let read = |path: &PathBuf| std::fs::read(path).unwrap();
        paths.iter().map(|path| serde_json::from_slice(&read(path)).unwrap()).collect()
    }

    #[test]
    fn two_failures_of_a_session_in_one_millisecond_are_two_reports() {
        let temp = tempfile::tempdir().unwrap();
        let session = session(Timestamp::from_ms(1_794_777_600_000));
        for _ in 0..2 {
            // The second reporter is that of an engine that resumes.
            let mut reporter = reporter(temp.path());
            for detail in ["the disk is full", "the disk is gone"] {
                let blocker = Blocker {
                    code: BlockerCode::AgentBlocked,
                    detail: detail.to_owned(),
                    remedy: "fix it".to_owned(),
                };
                reporter.take(&session, [Event::Blocked { blocker, fault: None }].iter());
            }
            reporter.write().unwrap();
            let messages: Vec<String> =
                reports(temp.path()).into_iter().map(|report| report.message).collect();
            assert_eq!(messages, ["the disk is full", "the disk is gone"]);
        }
    }

    #[test]
    fn a_report_lists_the_last_ten_attempts_and_counts_all() {
        let temp = tempfile::tempdir().unwrap();
        let session = session(Timestamp::from_ms(1_794_777_600_000));
        let mut reporter = reporter(temp.path());
        let number = DispatchNumber(1);
        let ended = |attempt| Event::AttemptEnded {
            number,
            attempt: Attempt(attempt),
            end: DispatchEnd::OutputLimit { limit_bytes: 7 },
            usage: Default::default(),
            ruling: None,
        };
        reporter.take(&session, (1..=12).map(ended).collect::<Vec<_>>().iter());
        reporter.write().unwrap();
        let reports = reports(temp.path());
        let last = reports.iter().find(|report| report.attempt == Some(Attempt(12))).unwrap();
        let listed: Vec<u32> = last.tried.iter().map(|tried| tried.attempt.0).collect();
        assert_eq!((listed, last.tried_count), ((3..=12).collect(), 12));
        assert!(words::facts(last).contains("the last 10 of 12"));
    }
}
