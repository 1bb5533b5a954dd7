//! Engines, supervisors and agents that die while an agent is at work, and engines that meet at one session.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::kills_support;

use kills_support::facts::{Facts, expect_sound};
use kills_support::random::Random;
use kills_support::{FULL, LEAN, Next, PROGRAM, World, each, ended, signal};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tollgate_core::event::{Event, RetryWhy};
use tollgate_core::work::DispatchEnd;
use tollgate_host::journal;
use tollgate_process::{self as process, RunSpec, Waited};

const SLOW_CREW: &str = r#"{"rules": [
    {"when": {"role": "Coder", "task": "T-001"}, "do": {"append": {"app.txt": "one\n"}, "sleep_ms": 300}},
    {"when": {"role": "Coder", "task": "T-002"}, "do": {"append": {"lib.txt": "two\n"}, "sleep_ms": 300}},
    {"do": {"default": true, "sleep_ms": 300}}
]}"#;

/// The first attempt of the Coder leaves half a work and does not come to its end.
const STUCK_CREW: &str = r#"{"rules": [
    {"when": {"role": "Coder", "attempt": 1}, "do": {"append": {"app.txt": "half\n"}, "sleep_ms": 60000}},
    {"when": {"role": "Coder"}, "do": {"append": {"app.txt": "one\n"}}}
]}"#;

#[test]
fn r103_fifty_kills_while_agents_run_start_no_agent_twice() {
    const KILLS: usize = 50;
    let slow = || World::new(FULL, SLOW_CREW);
    let reference = slow();
    reference.finish(|_, _| {});
    let (facts, starts) = (Facts::of(&reference), reference.starts());
    let kills = AtomicUsize::new(0);
    each(&[1, 2, 3, 4], |seed| {
        let world = slow();
        kill_while_agents_run(&world, &mut Random(*seed), &kills);
        world.finish(|_, _| {});
        assert_eq!(Facts::of(&world), facts, "every outcome is taken up");
        expect_sound(&world);
        assert_eq!(world.starts(), starts, "each attempt once, and no attempt more");
    });
    let kills = kills.into_inner();
    assert!(kills >= KILLS, "{kills} kills");
}

/// Every agent sees its engine die once or twice.
fn kill_while_agents_run(world: &World, random: &mut Random, kills: &AtomicUsize) {
    let mut seen = 0;
    loop {
        let next = world.next();
        if next == Next::Nothing {
            return;
        }
        let mut child = world.command(&next).spawn().unwrap();
        while world.starts().len() == seen && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(3));
        }
        // Sometimes the same agent is met again by the next engine.
        if random.below(3) > 0 {
            seen = world.starts().len();
        }
        std::thread::sleep(Duration::from_millis(random.below(150)));
        let is_running = running_attempt(world).is_some();
        signal(&child, Signal::KILL);
        let ended = ended(&child.wait_with_output().unwrap());
        if ended.signal == Some(9) && is_running {
            kills.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The folder of an attempt whose agent has begun and has no outcome.
fn running_attempt(world: &World) -> Option<PathBuf> {
    let dispatches = world.session_layout()?.folder().join("dispatches");
    let below = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
    let attempts = below(dispatches).flat_map(|dispatch| below(dispatch.path()));
    attempts
        .map(|attempt| attempt.path())
        .find(|attempt| attempt.join("started").exists() && !attempt.join("outcome.json").exists())
}

#[test]
fn r103_where_engine_and_supervisor_are_killed_half_made_work_is_kept_and_done_again() {
    let world = World::new(LEAN, STUCK_CREW);
    let engine = engine_at_stuck_coder(&world);
    signal(&engine, Signal::KILL);
    let started = fs::read_to_string(running_attempt(&world).unwrap().join("started")).unwrap();
    let started: serde_json::Value = serde_json::from_str(&started).unwrap();
    let supervisor = i32::try_from(started["pid"].as_i64().unwrap()).unwrap();
    kill_process(Pid::from_raw(supervisor).unwrap(), Signal::KILL).unwrap();
    drop(engine.wait_with_output());
    wait_until_nobody_works(&world);

    world.finish(|_, _| {});
    expect_sound(&world);
    let rescue = interrupted_once(&world).expect("half-made changes have a name");
    assert_eq!(world.git(&["show", &format!("{rescue}:app.txt")]), "half");
    let branch = world.session().unwrap().branch();
    assert_eq!(world.git(&["show", &format!("{branch}:app.txt")]), "one");
    assert_eq!(coder_starts(&world), ["Coder T-001 2 1", "Coder T-001 2 2"]);
}

/// The rescue of the one attempt that was interrupted; that it spent no retry is checked.
fn interrupted_once(world: &World) -> Option<String> {
    let records = journal::read(&world.session_layout().unwrap().journal()).unwrap().records;
    let mut rescues = Vec::new();
    for record in records {
        match record.event {
            Event::AttemptEnded { end: DispatchEnd::Interrupted { rescue }, .. } => {
                rescues.push(rescue);
            }
            Event::RetryScheduled { why: RetryWhy::Transient, .. } => panic!("a retry was spent"),
            _ => {}
        }
    }
    assert_eq!(rescues.len(), 1, "{rescues:?}");
    rescues.remove(0)
}

fn coder_starts(world: &World) -> Vec<String> {
    world.starts().into_iter().filter(|start| start.starts_with("Coder")).collect()
}

#[test]
fn r103_ctrl_c_ends_the_tree_at_once_and_resume_continues() {
    let world = World::new(LEAN, STUCK_CREW);
    let engine = engine_at_stuck_coder(&world);
    assert!(!workers(&world).is_empty());
    signal(&engine, Signal::INT);
    let ended = ended(&engine.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(130), "{}", ended.text);
    wait_until_nobody_works(&world);
    world.finish(|_, _| {});
    expect_sound(&world);
    let branch = world.session().unwrap().branch();
    assert_eq!(world.git(&["show", &format!("{branch}:app.txt")]), "one");
}

#[test]
fn r116_of_two_engines_after_a_kill_one_owns_the_session_and_reading_works() {
    let world = World::new(LEAN, SLOW_CREW);
    let engine = world.command(&Next::Run).spawn().unwrap();
    wait_for("an agent", || !world.starts().is_empty());
    signal(&engine, Signal::KILL);
    drop(engine.wait_with_output());
    let both = [world.command(&Next::Resume).spawn(), world.command(&Next::Resume).spawn()];
    let status = ended(&world.tollgate(&["status"]).output().unwrap());
    assert_eq!(status.code, Some(0), "{}", status.text);
    let both = both.map(|child| ended(&child.unwrap().wait_with_output().unwrap()));
    let refused: Vec<_> = both.iter().filter(|ended| ended.code == Some(5)).collect();
    assert_eq!(refused.len(), 1, "{both:?}");
    assert!(refused[0].text.contains("another process"), "{}", refused[0].text);
    world.finish(|_, _| {});
    expect_sound(&world);
}

#[test]
fn r116_a_second_writer_is_refused_while_one_runs() {
    let world = World::new(LEAN, STUCK_CREW);
    let engine = engine_at_stuck_coder(&world);
    let before = fs::read(world.session_layout().unwrap().journal()).unwrap();
    let second = ended(&world.command(&Next::Resume).output().unwrap());
    assert_eq!(second.code, Some(5), "{}", second.text);
    let pid = format!("pid {}", engine.id());
    assert!(second.text.contains(&pid), "{}", second.text);
    let status = ended(&world.tollgate(&["status"]).output().unwrap());
    assert_eq!(status.code, Some(0), "{}", status.text);
    assert_eq!(fs::read(world.session_layout().unwrap().journal()).unwrap(), before);
    signal(&engine, Signal::INT);
    assert_eq!(ended(&engine.wait_with_output().unwrap()).code, Some(130));
    wait_until_nobody_works(&world);
}

/// Stands for a git that outlives its killed engine: nothing is taken up before it is gone.
#[test]
fn r103_a_session_is_taken_up_after_the_last_git_of_a_killed_engine() {
    let world = World::lean();
    assert_eq!(ended(&world.command(&Next::Run).output().unwrap()).code, Some(3));
    let in_use = find(&world.path("state"), "in-use").expect("the workspace has its lock");
    let orphan = tollgate_files::write_lock::join(&in_use).unwrap();
    let mut answer = world.command(&world.next()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(400));
    assert!(answer.try_wait().unwrap().is_none(), "it did not wait");
    drop(orphan);
    let answer = ended(&answer.wait_with_output().unwrap());
    assert_eq!(answer.code, Some(0), "{}", answer.text);
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.find_map(|path| match path.file_name()? == name {
        true => Some(path),
        false => find(&path, name),
    })
}

/// The supervisor of a killed engine may come while the next engine prepares the same attempt.
#[test]
fn r103_a_late_supervisor_begins_nothing_while_its_run_is_prepared_again() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let hold = process::hold(&run).unwrap().expect("nobody has begun");
    let spec = RunSpec {
        argv: vec!["true".to_owned()],
        cwd: folder.path().to_owned(),
        env_names: Vec::new(),
        env: Default::default(),
        stdin_file: None,
        timeout_ms: 60_000,
        silence_ms: None,
        output_bytes_max: 1_000,
        isolation: None,
        sandbox: None,
        secret_files: Vec::new(),
    };
    let late = process::start(&run, &spec, Path::new(PROGRAM)).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(!run.join("started").exists(), "it began");
    drop(hold);
    assert!(matches!(late.wait().unwrap(), Waited::Finished(_)));
    assert!(process::hold(&run).unwrap().is_none(), "what has ended is not prepared again");
}

fn engine_at_stuck_coder(world: &World) -> Child {
    let engine = world.command(&Next::Run).spawn().unwrap();
    wait_for("half a work", || {
        let text = |tree: &PathBuf| fs::read_to_string(tree.join("app.txt")).unwrap_or_default();
        // A file is there before its text is.
        let is_half = workers(world).first().is_some_and(|tree| text(tree) == "half\n");
        is_half && !coder_starts(world).is_empty()
    });
    engine
}

/// Where processes work in this world's workspaces.
fn workers(world: &World) -> Vec<PathBuf> {
    let state = world.path("state");
    let folders = process::alive().filter_map(|process| process.cwd);
    folders.filter(|folder| folder.starts_with(&state)).collect()
}

fn wait_until_nobody_works(world: &World) {
    wait_for("the end of the agent's tree", || workers(world).is_empty());
}

fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let give_up = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < give_up, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
