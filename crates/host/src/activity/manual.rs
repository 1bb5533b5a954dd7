//! A role that a person plays: what they are asked for, where they work, and how their reply comes in.
//!
//! The marker in the attempt's folder says that everything is prepared. From then on the workspace is the person's: it
//! is neither cleaned nor laid out again, however often the engine ends and comes back.

use super::order::{DispatchOrder, rescue_name};
use super::outputs::{self, Declared};
use super::session_files::{GIVEN, Given};
use super::{ActivityError, StopSwitch, failed};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use tollgate_contract::agent_output;
use tollgate_contract::diagnostic::Report;
use tollgate_contract::skill::RoleFile;
use tollgate_core::id::{Attempt, DispatchNumber, TaskRef};
use tollgate_core::limits::REPLY_BYTES_MAX;
use tollgate_core::role::Role;
use tollgate_core::session::Session;
use tollgate_core::time::Timestamp;
use tollgate_core::view;
use tollgate_files::clock;
use tollgate_files::layout::{RunFolder, SessionLayout, session_path};
use tollgate_files::redact::Redactor;
use tollgate_files::{self as files, FileError, ListingKind, TreeLimits};
use tollgate_git::workspace::Workspace;
use tollgate_process::{self as process, Attached, RunOutcome, StopReason};

const MARKER: &str = "manual.json";
/// A marker is a page of text.
const MARKER_BYTES_MAX: u64 = 1024 * 1024;
/// How often the engine looks for a reply while something else keeps it running.
const REPLY_POLL: Duration = Duration::from_millis(100);

/// What stands in the marker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// Where the person works.
    pub workspace: PathBuf,
    /// Files that must be there after an OK, below the workspace.
    pub outputs: Vec<String>,
    pub since: Timestamp,
    /// The commit that the work starts from.
    #[serde(default)]
    pub tip: String,
}

/// An attempt that a person was asked for and that has not ended.
#[derive(Debug, Clone)]
pub struct Assigned {
    pub number: DispatchNumber,
    pub attempt: Attempt,
    pub role: Role,
    pub task: TaskRef,
    pub assignment: Assignment,
    /// With the prompt and the input.
    pub folder: RunFolder,
    /// The reply is there, and the engine has not taken it up yet.
    pub is_submitted: bool,
}

/// Everything that people were asked for and that is under way, whoever owns the session.
pub fn assigned(session: &Session, layout: &SessionLayout) -> Vec<Assigned> {
    if session.is_over() {
        return Vec::new();
    }
    let running = session.dispatches.keys().filter_map(|number| of(session, layout, *number));
    running.collect()
}

/// Nothing happens before a person hands something in.
pub fn waits(session: &Session, layout: &SessionLayout) -> bool {
    let at_work = session.outstanding().len();
    let assigned = assigned(session, layout);
    at_work > 0
        && at_work == assigned.len()
        && assigned.iter().all(|assigned| !assigned.is_submitted)
}

fn of(session: &Session, layout: &SessionLayout, number: DispatchNumber) -> Option<Assigned> {
    let dispatch = session.dispatches.get(&number)?;
    let attempt = dispatch.running()?;
    let folder = layout.attempt(number, attempt);
    Some(Assigned {
        number,
        attempt,
        role: dispatch.role,
        task: dispatch.task.clone(),
        assignment: assignment(&folder)?,
        is_submitted: process::is_ended(folder.folder()).unwrap_or(false),
        folder,
    })
}

/// Whether a person played this attempt.
pub fn is_by_hand(folder: &RunFolder) -> bool {
    folder.folder().join(MARKER).is_file()
}

fn assignment(folder: &RunFolder) -> Option<Assignment> {
    let marker = files::read_bounded(&folder.folder().join(MARKER), MARKER_BYTES_MAX).ok()?;
    serde_json::from_slice(&marker).ok()
}

/// Why no reply is taken for a dispatch; words for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotWaiting {
    #[error("session {session} is over and cannot take a reply")]
    Over { session: String },
    #[error("there is no dispatch {number} in this session")]
    Unknown { number: DispatchNumber },
    #[error("dispatch {number} ({role}) has already ended: {outcome}")]
    Ended { number: DispatchNumber, role: Role, outcome: view::Outcome },
    #[error("dispatch {number} ({role}) is not running: {outcome}")]
    NotUnderWay { number: DispatchNumber, role: Role, outcome: view::Outcome },
    #[error("dispatch {number} ({role}) is played by a program, not by a person")]
    Program { number: DispatchNumber, role: Role },
    #[error("dispatch {number} ({role}) is not prepared yet")]
    NotPrepared { number: DispatchNumber, role: Role },
    #[error("the reply of dispatch {number} ({role}) has already been submitted")]
    Submitted { number: DispatchNumber, role: Role },
}

/// The attempt that a reply would belong to.
pub fn awaited(
    session: &Session,
    layout: &SessionLayout,
    number: DispatchNumber,
) -> Result<Assigned, NotWaiting> {
    let Some(dispatch) = session.dispatches.get(&number) else {
        return Err(NotWaiting::Unknown { number });
    };
    let (role, outcome) = (dispatch.role, view::outcome(dispatch));
    if dispatch.verdict().is_some() {
        return Err(NotWaiting::Ended { number, role, outcome });
    }
    if session.is_over() {
        return Err(NotWaiting::Over { session: session.opening.session.to_string() });
    }
    let Some(attempt) = dispatch.running() else {
        return Err(NotWaiting::NotUnderWay { number, role, outcome });
    };
    match of(session, layout, number) {
        Some(assigned) if assigned.is_submitted => Err(NotWaiting::Submitted { number, role }),
        Some(assigned) => Ok(assigned),
        None => match process::attach(layout.attempt(number, attempt).folder()) {
            Ok(Attached::NeverStarted) => Err(NotWaiting::NotPrepared { number, role }),
            _ => Err(NotWaiting::Program { number, role }),
        },
    }
}

#[derive(Debug, thiserror::Error)]
pub enum HandInError {
    #[error("the reply breaks the contract")]
    Invalid(Report),
    #[error(transparent)]
    NotWaiting(#[from] NotWaiting),
    #[error("the reply cannot be stored: {0}")]
    Io(#[from] io::Error),
}

impl Assigned {
    /// Stores a reply for the engine to take up. One that breaks the contract is refused and spends nothing.
    pub fn hand_in(&self, reply: &[u8], redactor: &Redactor) -> Result<(), HandInError> {
        let mut clean = Vec::with_capacity(reply.len());
        let mut stream = redactor.stream();
        stream.push(reply, &mut clean);
        stream.finish(&mut clean);
        agent_output::read_as(&clean, Some(self.role)).map_err(HandInError::Invalid)?;
        if process::hand_in(self.folder.folder(), &clean)? {
            Ok(())
        } else {
            Err(NotWaiting::Submitted { number: self.number, role: self.role }.into())
        }
    }
}

/// The person may begin: from here on the workspace is theirs.
pub(super) fn assign(
    order: &DispatchOrder,
    role: &RoleFile,
    tree: &Path,
    folder: &RunFolder,
) -> Result<(), FileError> {
    let folder_path = session_path(&order.session);
    let Declared { session: own, repository } = outputs::declared(&order.brief.files, role);
    let own = own.into_iter().map(|output| format!("{folder_path}/{output}"));
    let assignment = Assignment {
        workspace: tree.to_owned(),
        outputs: own.chain(repository).collect(),
        since: clock::now(),
        tip: order.tip.to_string(),
    };
    let text = serde_json::to_vec_pretty(&assignment).expect("an assignment is plain data");
    files::write_durable(&folder.folder().join(MARKER), &text)
}

pub(super) fn is_assigned(folder: &RunFolder) -> bool {
    folder.folder().join(MARKER).exists()
}

/// What the attempt before was given, when a person played it in the same tree: they continue from where they stand.
pub(super) fn carried(
    layout: &SessionLayout,
    order: &DispatchOrder,
    tree: &Path,
) -> Result<Option<Given>, ActivityError> {
    let Some(before) = order.attempt.0.checked_sub(1).filter(|before| *before > 0) else {
        return Ok(None);
    };
    let folder = layout.attempt(order.number, Attempt(before));
    let is_same_place =
        |before: Assignment| before.workspace == tree && before.tip == order.tip.as_str();
    if !assignment(&folder).is_some_and(is_same_place) {
        return Ok(None);
    }
    let given = files::read_bounded(&folder.folder().join(GIVEN), REPLY_BYTES_MAX)?;
    let what = "cannot read the input of the previous attempt";
    serde_json::from_slice(&given).map(Some).map_err(|error| ActivityError::io(what)(error.into()))
}

/// Lays out what the agent left, for the person to fix: its changes, unless they are there, and its session files.
pub(super) fn bring_back(
    layout: &SessionLayout,
    order: &DispatchOrder,
    workspace: &Workspace,
    has_changes: bool,
) -> Result<(), ActivityError> {
    let mut has_changes = has_changes;
    for before in (1..order.attempt.0).rev().map(Attempt) {
        has_changes =
            has_changes || workspace.take_back(&rescue_name(order.number, before), &order.tip)?;
    }
    let Some(left) = failed::left_session_files(layout, order) else {
        return Ok(());
    };
    let limits = TreeLimits::default();
    let session_folder = workspace.tree().join(session_path(&order.session));
    for entry in files::list_files(&left, limits)? {
        if entry.kind == ListingKind::File {
            let bytes = files::read_beneath(&left, &entry.path, limits.file_bytes_max)?;
            files::write_beneath(&session_folder, &entry.path, &bytes)?;
        }
    }
    Ok(())
}

/// Blocks until the reply is there or the attempt is stopped. None when the loop has left it to the person.
pub(super) fn wait(
    folder: &RunFolder,
    stop: &StopSwitch,
) -> Result<Option<RunOutcome>, ActivityError> {
    loop {
        let looked = process::attach(folder.folder());
        let problem = ActivityError::io(format!("cannot look at {}", folder.folder().display()));
        match looked.map_err(problem)? {
            Attached::Finished(outcome) => return Ok(stop.take_up().then_some(outcome)),
            Attached::Lost => return Ok(Some(RunOutcome::stopped(StopReason::Outdated))),
            // Somebody is just handing it in, or nobody has yet.
            Attached::Running(_) | Attached::NeverStarted => {}
        }
        if stop.is_left() {
            return Ok(None);
        }
        if let Some(why) = stop.reason() {
            return Ok(Some(RunOutcome::stopped(why)));
        }
        stop.await_person();
        thread::sleep(REPLY_POLL);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::sync::Arc;
    use tollgate_process::RunEnd;

    const REPLY: &[u8] = br#"{"status": "OK", "summary": "s", "artifacts": {}, "next": null, "gates":
        {"meets_definition_of_done": true, "needs_review": false, "needs_tests": false, "security_concerns": []}}"#;

    fn waiting(folder: &RunFolder) -> Assigned {
        std::fs::create_dir_all(folder.folder()).unwrap();
        let assignment = Assignment {
            workspace: PathBuf::new(),
            outputs: Vec::new(),
            since: clock::now(),
            tip: String::new(),
        };
        Assigned {
            number: DispatchNumber::FIRST,
            attempt: Attempt::FIRST,
            role: Role::Coder,
            task: TaskRef::Meta,
            assignment,
            folder: folder.clone(),
            is_submitted: false,
        }
    }

    fn folder_in(temp: &tempfile::TempDir) -> RunFolder {
        SessionLayout::at(temp.path()).attempt(DispatchNumber::FIRST, Attempt::FIRST)
    }

    #[test]
    fn a_running_engine_takes_up_what_another_process_submits() {
        let temp = tempfile::tempdir().unwrap();
        let folder = folder_in(&temp);
        let assigned = waiting(&folder);
        let stop = Arc::new(StopSwitch::default());
        let engine = {
            let (folder, stop) = (folder.clone(), stop.clone());
            thread::spawn(move || wait(&folder, &stop).unwrap())
        };
        while !stop.awaits_person() {
            thread::yield_now();
        }
        let redactor = Redactor::new(["hunter2"]);
        assigned.hand_in(REPLY, &redactor).unwrap();
        let outcome = engine.join().unwrap().expect("nobody left it");
        assert_eq!(outcome.end, RunEnd::Exited { code: 0 });
        assert!(!stop.leave(), "it is at work now");
        let again = assigned.hand_in(REPLY, &redactor);
        assert!(matches!(again, Err(HandInError::NotWaiting(NotWaiting::Submitted { .. }))));
        assert_eq!(std::fs::read(folder.stdout()).unwrap(), REPLY);
    }

    #[test]
    fn what_the_loop_left_is_not_taken_up_behind_its_back() {
        let temp = tempfile::tempdir().unwrap();
        let folder = folder_in(&temp);
        let assigned = waiting(&folder);
        let stop = StopSwitch::default();
        assert!(!stop.leave(), "it is not waiting yet");
        stop.await_person();
        assert!(stop.leave());
        assigned.hand_in(REPLY, &Redactor::new(["hunter2"])).unwrap();
        assert_eq!(wait(&folder, &stop).unwrap(), None);
    }

    #[test]
    fn a_stop_ends_the_waiting_and_a_closed_attempt_takes_no_reply() {
        let temp = tempfile::tempdir().unwrap();
        let folder = folder_in(&temp);
        let assigned = waiting(&folder);
        let stop = StopSwitch::default();
        stop.await_person();
        stop.stop(StopReason::EngineEnds);
        assert!(!stop.leave(), "it sets aside what is there");
        let why = StopReason::EngineEnds;
        assert_eq!(wait(&folder, &stop).unwrap().unwrap().end, RunEnd::Stopped { why });
        process::fence(folder.folder()).unwrap();
        assert!(assigned.hand_in(REPLY, &Redactor::new(["hunter2"])).is_err());
    }
}
