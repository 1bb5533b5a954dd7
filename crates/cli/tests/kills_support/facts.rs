//! What must be the same at the end, whatever happened on the way, and what must hold at the end of every session.

use super::World;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use tollgate_core::event::Event;
use tollgate_core::task::TaskStatus;
use tollgate_files as files;
use tollgate_host::journal;
use tollgate_host::projection::status_json;

/// The end of a session without its times and object names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub state: String,
    pub tasks: Vec<String>,
    pub decisions: Vec<String>,
    pub dispatches: Vec<String>,
    pub changed: Vec<String>,
    pub tree: String,
    pub commits: usize,
    pub session_files: BTreeSet<String>,
    /// Files out of scope with their content, as the rescues of what was left out hold them.
    pub left_out: Vec<String>,
    /// A check whose engine dies passes as it would have passed.
    pub failed_checks: Vec<String>,
}

impl Facts {
    pub fn of(world: &World) -> Self {
        let session = world.session().expect("a session is open");
        let branch = session.branch();
        let base = world.head();
        let decision = |d: &tollgate_core::decision::Decision| {
            format!("{} {:?} {:?}", d.decision_id, d.resolution.status, d.resolution.answer)
        };
        let dispatches = session.dispatches.values();
        Self {
            state: session.state().to_string(),
            tasks: session
                .plan
                .tasks
                .iter()
                .map(|t| format!("{} {}", t.spec.id, t.status))
                .collect(),
            decisions: session.decisions.asked.iter().map(decision).collect(),
            dispatches: dispatches
                .map(|d| format!("{} {} {:?}", d.role, d.task, d.verdict()))
                .collect(),
            changed: session
                .branch
                .changed
                .iter()
                .map(|c| format!("{} {}", c.change_type, c.path))
                .collect(),
            tree: world.git(&["rev-parse", &format!("{branch}^{{tree}}")]),
            commits: world.git(&["rev-list", &format!("{base}..{branch}")]).lines().count(),
            session_files: session_files(world),
            left_out: left_out(world),
            failed_checks: failed_checks(world),
        }
    }
}

/// What people and agents find in the session folder; what the engine keeps for itself varies. A process killed after
/// the session was done leaves its temporary file until somebody resumes.
fn session_files(world: &World) -> BTreeSet<String> {
    let folder = world.session_layout().unwrap().folder().to_owned();
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| !name.starts_with("journal.torn") && !files::is_temporary(name))
        .collect()
}

fn left_out(world: &World) -> Vec<String> {
    let names = world.git(&["for-each-ref", "--format=%(refname)", "refs/tollgate/rescue"]);
    let mut held = Vec::new();
    for name in names.lines().filter(|name| name.ends_with("-left-out")) {
        let listed = world.git(&["ls-tree", "-r", name, "--", "beside"]);
        held.extend(listed.lines().map(str::to_owned));
    }
    held.sort();
    held
}

fn failed_checks(world: &World) -> Vec<String> {
    let mut failed = Vec::new();
    let layout = world.session_layout().unwrap();
    for record in journal::read(&layout.journal()).unwrap().records {
        if let Event::ChecksEnded { results, .. } = record.event {
            let results = results.iter().filter(|result| !result.passed);
            failed.extend(results.map(|result| format!("{result:?}")));
        }
    }
    failed
}

/// Holds at the end of every session that was finished.
pub fn expect_sound(world: &World) {
    let layout = world.session_layout().unwrap();
    let read = journal::read(&layout.journal()).expect("the chain holds");
    assert_eq!(read.torn, None, "the journal ends in a whole record");
    let session = world.session().unwrap();
    let written = fs::read(layout.status()).expect("status.json is there");
    let projected = status_json(tollgate_core::view::Parts::of(&session));
    assert_eq!(
        String::from_utf8_lossy(&written),
        String::from_utf8_lossy(&projected),
        "status.json is what the journal says"
    );
    expect_completed_once(world);
    expect_started_once(world);
    expect_untouched_checkout(world);
    assert_eq!(
        world.git(&["rev-parse", &session.branch()]),
        session.branch.tip.to_string(),
        "the branch is where the journal says"
    );
}

/// No task is promoted twice.
fn expect_completed_once(world: &World) {
    let layout = world.session_layout().unwrap();
    let mut completed = BTreeMap::new();
    for record in journal::read(&layout.journal()).unwrap().records {
        if let Event::TaskMoved { task, status: TaskStatus::Completed } = record.event {
            *completed.entry(task).or_insert(0) += 1;
        }
    }
    assert!(completed.values().all(|times| *times == 1), "completed more than once: {completed:?}");
}

/// No agent is started twice for the same attempt of a dispatch.
fn expect_started_once(world: &World) {
    let mut seen = BTreeSet::new();
    for start in world.starts() {
        assert!(seen.insert(start.clone()), "{start} was started twice");
    }
}

/// The person's files, HEAD and branch are as they were.
fn expect_untouched_checkout(world: &World) {
    assert_eq!(world.git(&["status", "--porcelain"]), "", "the checkout is clean");
    assert_eq!(world.git(&["rev-parse", "HEAD"]), world.head(), "HEAD did not move");
    assert_eq!(world.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
}
