//! An agent starts once, whoever dies and whoever tries again.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::process_support;

use process_support::{PROGRAM, World, finished, wait_for, with_each_isolation};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::thread;
use tollgate_files::crash;
use tollgate_process::{
    Attached, Fenced, Isolation, RunEnd, RunSpec, StopReason, Waited, fence, hold,
};

const COUNTED: &str = "echo x >> starts; sleep 0.2; echo done; exit 7";
const DONE: RunEnd = RunEnd::Exited { code: 7 };

#[test]
fn r103_the_outcome_of_a_killed_engine_is_taken_up() {
    with_each_isolation(|world| {
        let spec = world.script("echo x >> starts; until [ -e go ]; do sleep 0.01; done; exit 7");
        let mut engine = world.engine(&spec).spawn().unwrap();
        world.wait_for_work_file("starts");
        engine.kill().unwrap();
        engine.wait().unwrap();
        let Attached::Running(run) = world.attach() else { panic!("the agent did not continue") };
        std::fs::write(world.work().join("go"), "").unwrap();
        assert_eq!(finished(run).end, DONE);
        assert!(matches!(world.attach(), Attached::Finished(outcome) if outcome.end == DONE));
        assert_eq!(world.work_file("starts"), "x\n");
    });
}

/// What an engine does that finds a run in a folder.
fn recover(world: &World, spec: &RunSpec) -> Option<RunEnd> {
    match world.attach() {
        Attached::Finished(outcome) => Some(outcome.end),
        Attached::Running(run) => match run.wait().unwrap() {
            Waited::Finished(outcome) => Some(outcome.end),
            Waited::Lost => None,
        },
        Attached::NeverStarted => Some(finished(world.start(spec)).end),
        Attached::Lost => None,
    }
}

#[test]
fn r103_a_crash_at_any_point_gives_one_agent_at_most() {
    for point in crash::POINTS {
        let place = match point.split_once('.') {
            Some(("process", _)) => "engine",
            Some(("supervisor", _)) => "supervisor",
            _ => continue,
        };
        let world = World::new(tollgate_process::isolation());
        let spec = world.script(COUNTED);
        let status = world
            .engine(&spec)
            .env("TOLLGATE_CRASH_AT", point)
            .env("TOLLGATE_CRASH_IN", place)
            .status()
            .unwrap();
        assert_eq!(status.signal(), (place == "engine").then_some(9), "{point}");
        let expected = match *point {
            // The agent may have begun: only a new run, with a clean workspace, may continue.
            "supervisor.started" | "supervisor.agent_ended" => None,
            _ => Some(DONE),
        };
        assert_eq!(recover(&world, &spec), expected, "{point}");
        let starts = world.work_file("starts");
        assert_eq!(starts, if *point == "supervisor.started" { "" } else { "x\n" }, "{point}");
        assert_eq!(world.log("supervisor.log"), "", "{point}");
    }
}

/// The tree is half made then: an agent must not begin in it, also when the engine that makes it dies.
#[test]
fn r103_a_late_supervisor_finds_nothing_to_run_while_the_run_is_prepared_again() {
    let world = World::new(tollgate_process::isolation());
    let spec = world.script(COUNTED);
    let killed = world.engine(&spec).env("TOLLGATE_CRASH_AT", "process.run_written").status();
    assert_eq!(killed.unwrap().signal(), Some(9));
    let held = hold(&world.run_dir()).unwrap().expect("nothing has begun");
    let mut late = Command::new(PROGRAM).arg("supervise").arg(world.run_dir()).spawn().unwrap();
    drop(held);
    assert!(late.wait().unwrap().success());
    assert!(matches!(world.attach(), Attached::NeverStarted));
    assert_eq!(world.work_file("starts"), "");
    assert_eq!(recover(&world, &spec), Some(DONE));
    assert_eq!(world.work_file("starts"), "x\n");
}

#[test]
fn r103_two_starts_give_one_agent() {
    for _ in 0..10 {
        let world = World::new(tollgate_process::isolation());
        let spec = world.script("echo x >> starts; exit 7");
        let ends = thread::scope(|scope| {
            let starts: Vec<_> = (0..3).map(|_| scope.spawn(|| world.end(&spec))).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(ends, [DONE, DONE, DONE]);
        assert_eq!(world.work_file("starts"), "x\n");
    }
}

#[test]
fn a_finished_run_does_not_start_again() {
    let world = World::new(Isolation::Subreaper);
    let spec = world.script(COUNTED);
    assert_eq!((world.end(&spec), world.end(&spec)), (DONE, DONE));
    assert_eq!(world.work_file("starts"), "x\n");
}

#[test]
fn r103_a_lost_run_does_not_start_again() {
    let world = World::new(Isolation::Subreaper);
    let spec = world.script(COUNTED);
    std::fs::create_dir(world.run_dir()).unwrap();
    std::fs::write(world.run_dir().join("started"), r#"{"pid":1,"start_time":0}"#).unwrap();
    assert!(matches!(world.attach(), Attached::Lost));
    assert!(matches!(world.start(&spec).wait().unwrap(), Waited::Lost));
    assert_eq!(world.work_file("starts"), "");
}

#[test]
fn r103_a_fenced_run_never_starts() {
    let world = World::new(Isolation::Subreaper);
    assert!(matches!(world.attach(), Attached::NeverStarted));
    assert!(matches!(fence(&world.run_dir()).unwrap(), Fenced::Lost));
    assert!(matches!(world.attach(), Attached::Lost));
    assert!(matches!(world.start(&world.script(COUNTED)).wait().unwrap(), Waited::Lost));
    assert!(matches!(fence(&world.run_dir()).unwrap(), Fenced::Lost));
    assert_eq!(world.work_file("starts"), "");
}

#[test]
fn a_fence_respects_a_supervisor_and_its_outcome() {
    let world = World::new(Isolation::Subreaper);
    let run =
        world.start(&world.script("touch waiting; until [ -e go ]; do sleep 0.01; done; exit 7"));
    world.wait_for_work_file("waiting");
    let Fenced::Running(found) = fence(&world.run_dir()).unwrap() else { panic!("not running") };
    std::fs::write(world.work().join("go"), "").unwrap();
    assert_eq!((finished(found).end, finished(run).end), (DONE, DONE));
    assert!(
        matches!(fence(&world.run_dir()).unwrap(), Fenced::Finished(outcome) if outcome.end == DONE)
    );
}

#[test]
fn a_stop_before_the_start_is_a_stop() {
    for _ in 0..10 {
        let world = World::new(Isolation::Subreaper);
        let run = world.start(&world.script("echo x >> starts; exec MARKED"));
        run.stopper().stop(StopReason::EngineEnds).unwrap();
        assert_eq!(finished(run).end, RunEnd::Stopped { why: StopReason::EngineEnds });
        assert!(!world.marked_process_lives());
    }
}

#[test]
fn a_stop_after_the_end_changes_nothing() {
    let world = World::new(Isolation::Subreaper);
    let run = world.start(&world.script("exit 7"));
    let stopper = run.stopper();
    assert_eq!(finished(run).end, DONE);
    stopper.stop(StopReason::EngineEnds).unwrap();
    assert!(matches!(world.attach(), Attached::Finished(outcome) if outcome.end == DONE));
}

#[test]
fn a_stop_never_hits_another_process_of_the_same_number() {
    let world = World::new(Isolation::Subreaper);
    let run =
        world.start(&world.script("touch waiting; until [ -e go ]; do sleep 0.01; done; exit 7"));
    world.wait_for_work_file("waiting");
    let mut bystander =
        std::process::Command::new("sleep").arg("5").stdout(Stdio::null()).spawn().unwrap();
    let started = world.run_dir().join("started");
    let (right, wrong) = (world.run_dir().join("right"), world.run_dir().join("wrong"));
    std::fs::copy(&started, &right).unwrap();
    std::fs::write(&wrong, format!(r#"{{"pid":{},"start_time":1}}"#, bystander.id())).unwrap();
    std::fs::rename(wrong, &started).unwrap();
    let stopper = run.stopper();
    let stop = thread::spawn(move || stopper.stop(StopReason::EngineEnds));
    thread::sleep(std::time::Duration::from_millis(50));
    assert!(bystander.try_wait().unwrap().is_none());
    std::fs::rename(right, &started).unwrap();
    stop.join().unwrap().unwrap();
    assert_eq!(finished(run).end, RunEnd::Stopped { why: StopReason::EngineEnds });
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}

#[test]
fn a_look_does_not_keep_a_supervisor_from_starting() {
    let world = World::new(Isolation::Subreaper);
    let spec = world.script("exit 7");
    thread::scope(|scope| {
        let end = scope.spawn(|| world.end(&spec));
        wait_for("the end", || matches!(world.attach(), Attached::Finished(_)));
        assert_eq!(end.join().unwrap(), DONE);
    });
}
