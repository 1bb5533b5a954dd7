//! Files that follow from the journal: status.json, statuses in tasks.yaml and in work items, the history of rejections, the report, the
//! evidence and the reports of failures.
//! Delete them and they come back.

mod comments;
pub mod evidence;
mod labels;
mod replaced;
mod report;
mod status;

use crate::failure_report::Reporter;
use crate::journal::Record;
use evidence::Evidence;
use std::collections::BTreeMap;
use tollgate_contract::plan::is_item;
use tollgate_core::event::Event;
use tollgate_core::id::{Attempt, DispatchNumber, TaskId};
use tollgate_core::limits::{ARTEFACT_BYTES_MAX, PERSIST_TRIES};
use tollgate_core::role::Mode;
use tollgate_core::session::{ArtefactRecord, Session};
use tollgate_core::task::TaskStatus;
use tollgate_core::time::Timestamp;
use tollgate_core::view::Parts;
use tollgate_files::crash;
use tollgate_files::layout::SessionLayout;
use tollgate_files::{self as files, FileError};

pub use labels::is_same_but_status;
pub use replaced::can_be_written as can_replace_check;
pub use status::status_json;

/// Writes projections, each only when it changes.
#[derive(Debug)]
pub struct Projector {
    layout: SessionLayout,
    /// What this process wrote last to status.json.
    status: Option<Vec<u8>>,
    statuses: BTreeMap<TaskId, TaskStatus>,
    /// The status label that every work item got last.
    labels: BTreeMap<String, &'static str>,
    rejections_written: Option<usize>,
    /// Which dispatch every session file was last copied from.
    taken_over: BTreeMap<String, (DispatchNumber, Attempt)>,
    evidence: Evidence,
    reporter: Reporter,
}

impl Projector {
    pub fn new(layout: SessionLayout, reporter: Reporter) -> Self {
        Self {
            evidence: Evidence::new(&layout),
            reporter,
            layout,
            status: None,
            statuses: BTreeMap::new(),
            labels: BTreeMap::new(),
            rejections_written: None,
            taken_over: BTreeMap::new(),
        }
    }

    /// Takes in the events of one commit; `session` is the state after it.
    pub fn take<'e>(&mut self, session: &Session, events: impl Iterator<Item = &'e Event> + Clone) {
        self.evidence.take(Parts::of(session), events.clone());
        self.reporter.take(session, events);
    }

    /// Takes in a whole journal, commit by commit, as it was taken in when it was written.
    pub fn take_all(&mut self, records: &[Record]) {
        let mut session: Option<Session> = None;
        for commit in records.split_inclusive(|record| record.more == 0) {
            for Record { at, event, .. } in commit {
                match (&mut session, event) {
                    (Some(session), event) => {
                        // What does not fit was refused before anything is projected.
                        let _fits = session.follow(*at, event);
                    }
                    (None, Event::SessionOpened(opening)) => {
                        session = Some(Session::open(*at, opening));
                    }
                    (None, _) => return,
                }
            }
            if let Some(session) = &session {
                self.take(session, commit.iter().map(|record| &record.event));
            }
        }
    }

    /// Brings every projection up to date. Called after each commit, and once on resume.
    pub fn project(&mut self, session: &Session) -> Result<(), FileError> {
        self.take_over(session)?;
        replaced::write(&self.layout, session)?;
        self.set_lean_plan_aside(session)?;
        self.tasks(session)?;
        self.labels(session)?;
        self.comments(session)?;
        self.rejections(session)?;
        if session.standing.closed && session.route.mode == Mode::Lean {
            self.lean_report(session)?;
        }
        self.evidence.write()?;
        self.reporter.write()?;
        self.status(session)
    }

    fn status(&mut self, session: &Session) -> Result<(), FileError> {
        let bytes = status_json(Parts::of(session));
        if self.status.as_ref() != Some(&bytes) {
            crash::point("projection.before_status");
            files::write_cache_checked(&self.layout.status(), &bytes, PERSIST_TRIES)?;
            crash::point("projection.after_status");
            self.status = Some(bytes);
        }
        Ok(())
    }

    /// True when someone else changed status.json; it is then written again.
    pub fn put_back_status(&mut self, session: &Session) -> Result<bool, FileError> {
        let bytes = status_json(Parts::of(session));
        let is_ours = files::read_bounded(&self.layout.status(), bytes.len() as u64)
            .is_ok_and(|found| found == bytes);
        if is_ours {
            return Ok(false);
        }
        self.status = None;
        self.status(session)?;
        Ok(true)
    }

    /// Copies the session files of newly accepted dispatches out of those dispatches' folders.
    fn take_over(&mut self, session: &Session) -> Result<(), FileError> {
        for (path, record) in &session.files.artefacts {
            let Some(from) = record.from else {
                // A person's edit took the file out of the record; what they replaced is not copied again.
                continue;
            };
            if self.taken_over.get(path) != Some(&from) {
                self.copy(path, record)?;
                self.taken_over.insert(path.clone(), from);
            }
        }
        Ok(())
    }

    /// After a crash: finishes a take-over that was cut short, and writes checks that were replaced. A file that holds something else than
    /// before or after was edited by a person and is left to them.
    pub fn finish_take_over(&mut self, session: &Session) -> Result<(), FileError> {
        for (path, record) in &session.files.artefacts {
            let Some(from) = record.from else {
                continue;
            };
            self.taken_over.insert(path.clone(), from);
            if !is_of_last_take_over(session, from.0) {
                continue;
            }
            let is_before = self.is_before(path, record)?;
            if is_before || (path == "tasks.yaml" && self.is_plan_before(session, record)?) {
                self.copy(path, record)?;
            }
        }
        replaced::write(&self.layout, session)
    }

    /// Whether nothing has taken the place of what stood there before.
    fn is_before(&self, path: &str, record: &ArtefactRecord) -> Result<bool, FileError> {
        let current = files::hash_beneath(self.layout.folder(), path)?;
        if current.is_none() || current == record.previous {
            return Ok(true);
        }
        let Some(previous) = record.previous.as_ref().filter(|_| is_item(path)) else {
            return Ok(false);
        };
        let now = files::read_beneath(self.layout.folder(), path, ARTEFACT_BYTES_MAX)?;
        Ok(is_same_but_status(&now, previous))
    }

    /// Whether tasks.yaml plans what the accepted file before planned: our statuses stand in it, so its hash is another.
    fn is_plan_before(
        &self,
        session: &Session,
        record: &ArtefactRecord,
    ) -> Result<bool, FileError> {
        let now = files::read_bounded(&self.layout.tasks(), ARTEFACT_BYTES_MAX)?;
        for (number, dispatch) in session.dispatches.iter() {
            for attempt in 1..=dispatch.attempts.0 {
                let outputs = self.layout.attempt(*number, Attempt(attempt)).outputs();
                let kept = match files::read_beneath(&outputs, "tasks.yaml", ARTEFACT_BYTES_MAX) {
                    Ok(kept) => kept,
                    Err(error) if error.is_not_found() => continue,
                    Err(error) => return Err(error),
                };
                if Some(files::hash_bytes(&kept)) == record.previous {
                    return Ok(is_same_plan(&now, &kept));
                }
            }
        }
        Ok(false)
    }

    fn copy(&mut self, path: &str, record: &ArtefactRecord) -> Result<(), FileError> {
        let Some((number, attempt)) = record.from else {
            return Ok(());
        };
        let outputs = self.layout.attempt(number, attempt).outputs();
        let bytes = files::read_beneath(&outputs, path, ARTEFACT_BYTES_MAX)?;
        // What it replaces may hold words of a person; it stays beside the attempt that replaced it.
        if let Ok(replaced) = files::read_beneath(self.layout.folder(), path, ARTEFACT_BYTES_MAX) {
            let aside = self.layout.attempt(number, attempt).folder().join("replaced");
            std::fs::create_dir_all(&aside).map_err(FileError::io("make", &aside))?;
            files::write_beneath(&aside, path, &replaced)?;
        }
        crash::point("projection.before_take_over");
        files::write_beneath(self.layout.folder(), path, &bytes)?;
        crash::point("projection.taken_over");
        if path == "tasks.yaml" {
            self.statuses.clear();
        }
        self.labels.remove(path);
        Ok(())
    }

    /// The plan of lean work that became full no longer counts. It stays beside the new one, whoever edited it.
    fn set_lean_plan_aside(&self, session: &Session) -> Result<(), FileError> {
        let is_planned = session.files.artefacts.contains_key("tasks.yaml");
        if !session.has_become_full() || is_planned || self.layout.lean_tasks().exists() {
            return Ok(());
        }
        let (from, to) = (self.layout.tasks(), self.layout.lean_tasks());
        match std::fs::rename(&from, &to) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(FileError::io("rename", &from)(error))
            }
            _ => Ok(()),
        }
    }

    /// Writes the statuses of tasks into tasks.yaml, in place.
    fn tasks(&mut self, session: &Session) -> Result<(), FileError> {
        let statuses: BTreeMap<TaskId, TaskStatus> =
            session.plan.tasks.iter().map(|task| (task.spec.id.clone(), task.status)).collect();
        if statuses.is_empty() || statuses == self.statuses {
            return Ok(());
        }
        let path = self.layout.tasks();
        let text = match files::read_bounded(&path, ARTEFACT_BYTES_MAX) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.is_not_found() => return Ok(()),
            Err(error) => return Err(error),
        };
        // A plan that somebody broke meanwhile is left alone; it is reported before the next dispatch.
        if let Ok(edited) = tollgate_contract::tasks::set_statuses(&text, &statuses) {
            if edited != text {
                crash::point("projection.before_tasks");
                files::write_checked(&path, edited.as_bytes(), PERSIST_TRIES)?;
                crash::point("projection.after_tasks");
            }
            self.statuses = statuses;
        }
        Ok(())
    }

    /// Forgets what was written to tasks.yaml and work items, so that the next projection looks again.
    pub fn distrust_tasks(&mut self) {
        self.statuses.clear();
        self.labels.clear();
    }

    /// One JSON line per rejected design; lines once written never change.
    fn rejections(&mut self, session: &Session) -> Result<(), FileError> {
        if self.rejections_written == Some(session.decisions.rejections.len()) {
            return Ok(());
        }
        let mut text = String::new();
        for rejection in &session.decisions.rejections {
            let line = serde_json::json!({
                "at": rejection.at,
                "decision_id": rejection.decision_id,
                "answer": rejection.answer,
                "state_context": rejection.state_context,
            });
            text.push_str(&format!("{line}\n"));
        }
        let path = self.layout.approve_design_history();
        if !text.is_empty() && !is_file_with(&path, text.as_bytes()) {
            crash::point("projection.before_rejections");
            files::write_checked(&path, text.as_bytes(), PERSIST_TRIES)?;
        }
        self.rejections_written = Some(session.decisions.rejections.len());
        Ok(())
    }

    /// Lean work has no Docs role: the engine writes the report.
    fn lean_report(&self, session: &Session) -> Result<(), FileError> {
        let text = report::lean_report(Parts::of(session));
        let path = self.layout.report();
        if is_file_with(&path, text.as_bytes()) {
            return Ok(());
        }
        crash::point("projection.before_report");
        files::write_checked(&path, text.as_bytes(), PERSIST_TRIES)
    }
}

/// True when status.json tells something that the journal never said. One that is only behind, because the last
/// process was killed before it wrote, was not edited.
pub fn was_edited<'a>(
    layout: &SessionLayout,
    session: &Session,
    mut events: impl Iterator<Item = (Timestamp, &'a Event)>,
) -> bool {
    let Ok(found) = files::read_bounded(&layout.status(), ARTEFACT_BYTES_MAX) else {
        return false;
    };
    if found == status_json(Parts::of(session)) {
        return false;
    }
    let last_update = serde_json::from_slice::<serde_json::Value>(&found)
        .ok()
        .and_then(|status| Timestamp::parse(status["last_update"].as_str()?));
    let (Some(last_update), Some((at, Event::SessionOpened(opening)))) =
        (last_update, events.next())
    else {
        return true;
    };
    let mut earlier = Session::open(at, opening);
    for (at, event) in events.take_while(|(at, _)| *at <= last_update) {
        let _fits = earlier.follow(at, event);
        if at == last_update && found == status_json(Parts::of(&earlier)) {
            return false;
        }
    }
    true
}

/// Only the last take-over can have been cut short: that of one dispatch, or of all members of a parallel step.
fn is_of_last_take_over(session: &Session, number: DispatchNumber) -> bool {
    let from = session.files.artefacts.values().filter_map(|record| record.from);
    let Some(last) = from.map(|(number, _)| number).max() else {
        return false;
    };
    let step = |number: &DispatchNumber| {
        let dispatch = session.dispatches.get(number).filter(|dispatch| dispatch.is_member());
        dispatch.and_then(|dispatch| dispatch.part_index()).map(|part| part.step)
    };
    number == last || (step(&number).is_some() && step(&number) == step(&last))
}

fn is_file_with(path: &std::path::Path, bytes: &[u8]) -> bool {
    files::read_bounded(path, ARTEFACT_BYTES_MAX).is_ok_and(|found| found == bytes)
}

fn is_same_plan(one: &[u8], other: &[u8]) -> bool {
    let plan = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).ok()?;
        tollgate_contract::tasks::read(text, "tasks.yaml").0.map(|read| read.tasks)
    };
    plan(one).is_some_and(|tasks| plan(other) == Some(tasks))
}
