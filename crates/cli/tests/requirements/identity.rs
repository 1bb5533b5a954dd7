//! An outcome belongs to one journal, and a journal to one session.

use crate::support::plan::{Planned, planner};
use crate::support::{APPROVE, GOAL, PER_BATCH, Ran, Repo, eventually, files_below, text};
use serde_json::json;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use tollgate_core::event::Event;
use tollgate_core::id::SessionName;
use tollgate_core::time::Timestamp;
use tollgate_host::journal::{self, Journal};

/// A session at its first gate, whose only task has a check that passes while `ok` lies outside the repository.
pub fn at_the_gate() -> Repo {
    let repo = Repo::new();
    let ok = repo.outside("ok");
    fs::write(&ok, "").unwrap();
    let check = format!("[\"cmd: test -e {}\"]", ok.display());
    let checks: &'static str = Box::leak(check.into_boxed_str());
    repo.crew(json!([planner(&[Planned { checks, ..Planned::new("T-001", "app.txt") }])]));
    repo.run().exits(3).says(APPROVE.0);
    repo
}

pub fn finish(repo: &Repo) -> Ran {
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1)
}

/// A whole life up to DONE. Then the journal from before it is put back, and the check fails from now on.
pub fn back_at_the_gate() -> Repo {
    let repo = at_the_gate();
    let backup = repo.session_file("journal.jsonl");
    finish(&repo).exits(0);
    fs::write(repo.session().join("journal.jsonl"), backup).unwrap();
    fs::remove_file(repo.outside("ok")).unwrap();
    repo
}

/// Runs a command that a named crash point kills.
pub fn killed(command: &mut Command) {
    let ended = command.output().unwrap();
    assert_eq!(ended.status.signal(), Some(9), "it was not reached: {}", text(&ended.stderr));
}

pub fn branch(repo: &Repo) -> String {
    format!("tollgate/{}", repo.session_name())
}

/// As if the repository and the state directory came from elsewhere.
pub fn forget_anchors(repo: &Repo) {
    let _there_or_not = fs::remove_dir_all(repo.root().join(".git/tollgate"));
    let _there_or_not = fs::remove_dir_all(repo.outside("state/sessions"));
}

fn passed_outcomes(folder: &Path, mark: &str) -> usize {
    let outcomes = files_below(folder).into_iter().filter(|path| path.ends_with("outcome.json"));
    let of_mark = outcomes.filter(|path| path.display().to_string().contains(mark));
    of_mark.filter(|path| fs::read_to_string(path).unwrap().contains("\"code\": 0")).count()
}

#[test]
fn r165_a_journal_put_back_takes_up_no_outcome_of_its_former_life() {
    let repo = back_at_the_gate();
    forget_anchors(&repo);
    repo.git(&["branch", "-m", &branch(&repo), "former"]);
    let ended = finish(&repo);
    assert!(matches!(ended.code, 3 | 4), "a failing check is not DONE: {ended:?}");
    assert_ne!(repo.status()["state"], "DONE");
    assert!(repo.starts_of("Coder") > 1, "it ran again");
    // What would have been taken up is still there to see, outside of the way.
    let checks = repo.session().join("checks");
    assert!(passed_outcomes(&checks, ".former-1") > 0, "{:?}", files_below(&checks));
    let former = repo.session().join("dispatches");
    assert!(passed_outcomes(&former, "attempt-1.former-1") > 0, "{:?}", files_below(&former));
}

#[test]
fn r165_an_outcome_of_the_same_record_is_taken_up() {
    let repo = Repo::with(json!([
        {"when": {"role": "Architect"}, "do": {"default": true, "sleep_ms": 700}}
    ]));
    let mut engine = repo.start(&["run", "--no-input", GOAL]);
    eventually("the start of Architect", || repo.starts_of("Architect") == 1);
    engine.kill().unwrap();
    engine.wait().unwrap();
    repo.resume().exits(3).says(APPROVE.0);
    assert_eq!(repo.starts_of("Architect"), 1);
    assert!(
        files_below(&repo.session())
            .iter()
            .all(|path| !path.display().to_string().contains("former"))
    );
}

fn only_folder(folder: &Path) -> PathBuf {
    fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn r165_a_session_started_again_under_its_name_inherits_nothing() {
    let repo = at_the_gate();
    finish(&repo).exits(0);
    let (name, branch, session) = (repo.session_name(), branch(&repo), repo.session());
    let homes = only_folder(&repo.outside("state/workspaces"));
    let tree = homes.join(&name).join("workspace/tree");
    fs::write(tree.join("left.tmp"), "of the former life").unwrap();
    let former_tip = repo.git(&["rev-parse", &branch]);
    fs::remove_dir_all(&session).unwrap();
    repo.git(&["branch", "-D", &branch]);

    repo.run().exits(3);
    assert_eq!(repo.session_name(), name, "the same day, the same name");
    finish(&repo).exits(0);
    assert!(!tree.join("left.tmp").exists());
    let kept = homes.join("former/1").join(&name).join("workspace/tree/left.tmp");
    assert_eq!(fs::read_to_string(kept).unwrap(), "of the former life");
    let refs = repo.git(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/tollgate"]);
    let is_kept = |line: &str| {
        line.starts_with(&format!("refs/tollgate/former/{name}/1/keep/"))
            && line.ends_with(former_tip.trim())
    };
    assert!(refs.lines().any(is_kept), "{refs}");
    let now = repo.git(&["rev-parse", &branch]);
    assert!(refs.contains(&format!("refs/tollgate/keep/{name}/tip {}", now.trim())), "{refs}");
}

/// Killed when the first record is on disk and nothing outside the journal tells of it yet.
#[test]
fn r165_r166_a_session_started_again_and_killed_at_its_first_record_continues() {
    let repo = at_the_gate();
    let name = repo.session_name();
    fs::remove_dir_all(repo.session()).unwrap();
    let mut run = repo.command(&["run", "--no-input", GOAL]);
    killed(run.env("TOLLGATE_CRASH_AT", "journal.synced"));
    assert_eq!(repo.session_name(), name, "the same day, the same name");
    repo.tollgate(&["audit", "--verify"]).exits(0);
    repo.resume().exits(3).says(APPROVE.0);
}

#[test]
fn r166_the_journal_of_a_deleted_session_with_the_same_name_is_refused_as_such() {
    let repo = at_the_gate();
    let (name, deleted) = (repo.session_name(), repo.session_file("journal.jsonl"));
    fs::remove_dir_all(repo.session()).unwrap();
    repo.run().exits(3);
    assert_eq!(repo.session_name(), name, "the same day, the same name");
    fs::write(repo.session().join("journal.jsonl"), deleted).unwrap();
    for command in [&["audit", "--verify"][..], &["resume", "--no-input"]] {
        let refused = repo.tollgate(command).exits(6).does_not_say("truncated");
        let refused = refused.says("belongs to another session with the same name");
        refused.says("explain cli.journal_replaced").says("--accept-older-journal");
    }
    repo.tollgate(&["resume", "--no-input", "--accept-older-journal"]).exits(3);
    finish(&repo).exits(0);
}

#[test]
fn r165_a_workspace_that_cannot_be_moved_is_named_with_a_way_out() {
    let repo = at_the_gate();
    let name = repo.session_name();
    let homes = only_folder(&repo.outside("state/workspaces"));
    let in_the_way = homes.join("former");
    fs::write(&in_the_way, "").unwrap();
    fs::remove_dir_all(repo.session()).unwrap();
    let from = homes.join(&name);
    let refused = repo.run().exits(4).says(&format!("cannot move {} to", from.display()));
    refused.says("move it away and resume");
    fs::remove_file(&in_the_way).unwrap();
    repo.resume().exits(3).says(APPROVE.0);
}

/// Everything of the session and its branch, to see that nothing was written.
pub fn everything(repo: &Repo) -> (Vec<(PathBuf, Vec<u8>)>, String) {
    let mut files: Vec<_> = files_below(&repo.session())
        .into_iter()
        .filter(|path| !path.ends_with("lock"))
        .map(|path| (path.clone(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    (files, repo.git(&["for-each-ref"]))
}

/// A record that is written while the journal is read does not mean that the journal was truncated.
#[test]
fn r166_a_journal_is_verified_while_it_is_written() {
    let repo = at_the_gate();
    let name = SessionName::parse(&repo.session_name()).unwrap();
    // In memory where there is such a place, so that records come as fast as they can.
    let folder = TempDir::new_in("/dev/shm").unwrap_or_else(|_| TempDir::new().unwrap());
    let path = folder.path().join("journal.jsonl");
    let anchors = [folder.path().join("anchor")];
    let mut written = Journal::create(&path).unwrap();
    written.anchor_at(&anchors).unwrap();
    let records = journal::read(&repo.session().join("journal.jsonl")).unwrap().records;
    let at = records[0].at;
    let events: Vec<Event> = records.into_iter().map(|record| record.event).collect();
    let note = [Event::AssumptionNoted { text: "another record".to_owned() }];
    let _durable = written.append(at, &events).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for _ in 0..5_000 {
                let _durable = written.append(at, &note).unwrap();
            }
        });
        while !writer.is_finished() {
            journal::verify_session(&path, &name, &anchors).unwrap();
        }
    });
}

#[test]
fn r167_a_session_killed_before_its_first_record_never_began() {
    let repo = at_the_gate();
    let (real, sessions) = (repo.session_name(), repo.root().join(".agents-work"));
    let today = &real[..10];
    let half = &repo.session_file("journal.jsonl")[..300];
    for (slug, journal) in [("none", None), ("empty", Some("")), ("torn", Some(half))] {
        let folder = sessions.join(format!("{today}_z-{slug}"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("lock"), "").unwrap();
        if let Some(journal) = journal {
            fs::write(folder.join("journal.jsonl"), journal).unwrap();
        }
    }
    let listed = repo.tollgate(&["sessions"]).exits(0);
    assert!(!listed.out.contains("_z-") && !listed.err.contains("_z-"), "{listed:?}");
    assert_eq!(repo.status()["session"], real.as_str());
    repo.resume().exits(3).says(APPROVE.0);
    repo.tollgate(&["status", &format!("{today}_z-none")]).exits(2);
    let again = repo.tollgate(&["run", "--no-input", "--slug", "z-empty", "Again"]).exits(3);
    assert!(again.err.contains(APPROVE.0), "{}", again.err);
    let listed = repo.tollgate(&["sessions"]).exits(0);
    let names = listed
        .out
        .lines()
        .filter_map(|line| line.split_whitespace().find(|word| word.contains("_z-")));
    // The folder is there, so its name is taken.
    assert_eq!(names.collect::<Vec<_>>(), [format!("{today}_z-empty-2")], "{}", listed.out);
    // A session that lost its journal has begun: that must be told.
    fs::remove_file(sessions.join(&real).join("journal.jsonl")).unwrap();
    assert!(repo.tollgate(&["sessions"]).exits(0).out.contains(&real));
}

type Mutant = (&'static str, fn(&mut Vec<(Timestamp, Event)>));

/// Journals whose hashes hold and that no engine can have written.
const MUTANTS: [Mutant; 5] = [
    ("a dispatch that was never opened", |events| {
        events.retain(|(_, event)| !matches!(event, Event::DispatchOpened { .. }));
    }),
    ("an end that stands twice", |events| {
        let ends = |(_, event): &(Timestamp, Event)| matches!(event, Event::AttemptEnded { .. });
        let at = events.iter().position(ends).unwrap();
        events.insert(at, events[at].clone());
    }),
    ("a number beyond all", |events| {
        for (_, event) in events {
            if let Event::ChecksStarted { number, .. } = event {
                number.0 = u32::MAX;
            }
        }
    }),
    ("a question that nobody asked", |events| {
        events.retain(|(_, event)| !matches!(event, Event::DecisionAsked { .. }));
    }),
    ("no opening", |events| {
        events.remove(0);
    }),
];

#[test]
fn r178_impossible_records_with_good_hashes_are_damage_for_every_command() {
    let repo = at_the_gate();
    finish(&repo).exits(0);
    let path = repo.session().join("journal.jsonl");
    let records = journal::read(&path).unwrap().records;
    for (what, mutate) in MUTANTS {
        let mut events: Vec<_> = records.iter().map(|one| (one.at, one.event.clone())).collect();
        mutate(&mut events);
        fs::remove_file(&path).unwrap();
        forget_anchors(&repo);
        let mut forged = Journal::create(&path).unwrap();
        for (at, event) in events {
            forged.append(at, &[event]).map(drop).unwrap();
        }
        for command in ["status", "log", "audit", "resume", "audit --verify"] {
            let words: Vec<&str> = command.split(' ').collect();
            let refused = repo.tollgate(&words);
            assert_eq!(refused.code, 6, "{what}, {command}: {refused:?}");
            assert!(refused.err.contains("damaged at line"), "{what}, {command}: {}", refused.err);
        }
    }
}

/// Takes every kind of lock that a descriptor for reading allows on what its arguments name, as the files come, for ever.
const HOLDER: &str = r#"
import fcntl, os, struct, sys, time
lock = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
held = {}
told = False
while True:
    for path in sys.argv[2:]:
        for place in [path] + [f"{path}.{number}" for number in range(1, 9)]:
            if place in held or not os.path.exists(place):
                continue
            fd = os.open(place, os.O_RDONLY)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                fcntl.fcntl(fd, 37, lock)
                held[place] = fd
            except OSError:
                os.close(fd)
    if len(held) >= len(sys.argv) - 2 and not told:
        open(sys.argv[1], "w").close()
        told = True
    time.sleep(0.02)
"#;

#[test]
fn r176_an_agent_that_holds_the_locks_does_not_prevent_a_resume() {
    let repo = Repo::new();
    let ready = repo.open_outside("ready").join("held");
    let holder = repo.outside("holder.py");
    fs::write(&holder, HOLDER).unwrap();
    let locks = repo.outside("locks.txt");
    let script = format!(
        "while [ ! -e {0} ]; do sleep 0.05; done; exec python3 {1} {2} $(cat {0})",
        locks.display(),
        holder.display(),
        ready.display()
    );
    repo.crew(json!([{"when": {"role": "Architect", "attempt": 1},
        "do": {"default": true, "run": ["sh", "-c", script]}}]));
    let mut engine = repo.start(&["run", "--no-input", GOAL]);
    eventually("the start of Architect", || repo.starts_of("Architect") == 1);
    let name = repo.session_name();
    let state = only_folder(&repo.outside("state/sessions")).join(format!("{name}.lock"));
    let in_use = only_folder(&repo.outside("state/workspaces")).join(&name).join("in-use");
    let paths = [repo.session().join("lock"), state, in_use];
    let words: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    engine.kill().unwrap();
    engine.wait().unwrap();
    fs::write(&locks, words.join(" ")).unwrap();
    eventually("the agent to hold every lock", || ready.exists());

    // The control: as locks were taken before, nobody gets in any more.
    for path in &paths {
        let file = fs::File::options().read(true).write(true).open(path).unwrap();
        assert!(file.try_lock().is_err(), "{} is not held", path.display());
    }
    let cancelled = repo.tollgate(&["cancel", "--reason", "it holds on"]).exits(0);
    assert!(!cancelled.err.contains("is running this session"), "{}", cancelled.err);
    assert_eq!(repo.blocker().0, "cancelled");
    let alive = Command::new("pgrep").args(["-f", &holder.display().to_string()]).output().unwrap();
    assert_eq!(text(&alive.stdout), "", "nothing of it runs on");
}
