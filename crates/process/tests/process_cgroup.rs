//! A run has a cgroup of its own where that is the best there is; it goes with the run, whoever was killed.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::print_stderr, reason = "what is not tested here is said aloud")]

use crate::process_support;

use process_support::{World, finished, wait_for, where_it_works};
use rustix::process::{Pid, Signal, kill_process};
use std::path::PathBuf;
use tollgate_process::{
    Attached, Fenced, Isolation, RunEnd, Sandbox, SandboxLevel, StopReason, Waited, attach, fence,
};

const DAEMON: &str = "(setsid sh -c '(touch daemon_is_up; exec MARKED) &' &); until [ -e daemon_is_up ]; do sleep 0.01; done;";

fn with_cgroup(story: impl Fn(&World)) {
    where_it_works(Isolation::Cgroup, story);
}

/// The run's cgroup as its processes see it.
fn name(world: &World) -> String {
    world.cgroup().unwrap().file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn r112_the_agent_and_what_it_starts_are_in_a_cgroup_that_goes_with_the_run() {
    with_cgroup(|world| {
        let spec = world.script("grep ^0:: /proc/self/cgroup; setsid grep ^0:: /proc/self/cgroup");
        assert_eq!(world.end(&spec), RunEnd::Exited { code: 0 });
        let log = world.log("stdout.log");
        let inside = log.lines().filter(|line| line.ends_with(&format!("/{}", name(world))));
        assert_eq!(inside.count(), 2, "{log}");
        assert!(!world.cgroup().unwrap().exists());
    });
}

#[test]
fn r112_the_cgroup_goes_however_the_run_ends() {
    with_cgroup(|world| {
        let mut spec = world.script(&format!("{DAEMON} sleep 600"));
        spec.timeout_ms = 700;
        assert_eq!(
            world.end(&spec),
            RunEnd::Stopped { why: StopReason::Deadline { after_ms: 700 } }
        );
        assert!(!world.cgroup().unwrap().exists());
    });
    with_cgroup(|world| {
        let run = world.start(&world.script(&format!("{DAEMON} touch waiting; sleep 600")));
        world.wait_for_work_file("waiting");
        assert!(world.cgroup().unwrap().exists());
        run.stopper().stop(StopReason::EngineEnds).unwrap();
        assert_eq!(finished(run).end, RunEnd::Stopped { why: StopReason::EngineEnds });
        assert!(!world.cgroup().unwrap().exists());
    });
    with_cgroup(|world| {
        let end = world.end(&world.command(&["no-such-program"]));
        assert!(matches!(end, RunEnd::CouldNotStart { .. }), "{end:?}");
        assert!(!world.cgroup().unwrap().exists());
    });
}

/// A daemon that has lost its supervisor; nobody but the next one to look at the run can end it.
fn orphaned(world: &World) -> tollgate_process::SupervisedRun {
    let run = world.start(&world.script(&format!("{DAEMON} touch waiting; sleep 600")));
    world.wait_for_work_file("waiting");
    kill_process(Pid::from_raw(world.supervisor_pid()).unwrap(), Signal::KILL).unwrap();
    run
}

fn nothing_is_left(world: &World) {
    assert!(!world.marked_process_lives());
    assert!(!world.cgroup().unwrap().exists());
}

#[test]
fn r112_what_a_killed_supervisor_leaves_ends_when_its_run_is_found_lost() {
    with_cgroup(|world| {
        let run = orphaned(world);
        assert!(world.marked_process_lives());
        wait_for("the lock", || matches!(world.attach(), Attached::Lost));
        nothing_is_left(world);
        drop(run);
    });
    with_cgroup(|world| {
        assert!(matches!(orphaned(world).wait().unwrap(), Waited::Lost));
        nothing_is_left(world);
    });
    with_cgroup(|world| {
        let run = orphaned(world);
        wait_for("the lock", || matches!(fence(&world.run_dir()).unwrap(), Fenced::Lost));
        nothing_is_left(world);
        drop(run);
    });
}

#[test]
fn r112_an_empty_cgroup_that_a_crash_left_is_removed() {
    with_cgroup(|world| {
        let spec = world.script("echo x >> starts");
        let status = world
            .engine(&spec)
            .env("TOLLGATE_CRASH_AT", "supervisor.started")
            .env("TOLLGATE_CRASH_IN", "supervisor")
            .status()
            .unwrap();
        assert!(status.success());
        let cgroup = world.cgroup().unwrap();
        std::fs::create_dir(&cgroup).unwrap();
        std::fs::create_dir(cgroup.join("nested")).unwrap();
        assert!(matches!(world.attach(), Attached::Lost));
        assert!(!cgroup.exists());
    });
}

#[test]
fn r112_what_moves_itself_out_of_its_cgroup_ends_all_the_same() {
    with_cgroup(|world| {
        let outside = own_cgroup(world).join("cgroup.procs");
        let script =
            format!("echo 0 > {}; grep ^0:: /proc/self/cgroup; {DAEMON} exit 3", outside.display());
        let moved = World::new(Isolation::Cgroup);
        assert_eq!(moved.end(&moved.script(&script)), RunEnd::Exited { code: 3 });
        assert!(!moved.marked_process_lives());
        assert!(!moved.cgroup().unwrap().exists());
    });
}

#[test]
fn r112_a_held_agent_writes_itself_into_no_other_cgroup() {
    if SandboxLevel::of_this_machine() == SandboxLevel::None {
        return eprintln!("NOT TESTED: this kernel enforces no sandbox");
    }
    with_cgroup(|world| {
        let own = own_cgroup(world);
        let held = World::new(Isolation::Cgroup);
        let attempts = format!(
            "echo 0 > {own}/cgroup.procs; mkdir {own}/tollgate-mine; \
             echo threaded > {own}/$(sed -n 's/^0::.*\\///p' /proc/self/cgroup)/cgroup.type; \
             sed -n 's/^0::.*\\///p' /proc/self/cgroup",
            own = own.display()
        );
        let mut spec = held.script(&attempts);
        let writable = vec![held.work().canonicalize().unwrap(), PathBuf::from("/dev/null")];
        spec.sandbox = Some(Sandbox { writable, ..Sandbox::default() });
        assert_eq!(held.end(&spec), RunEnd::Exited { code: 0 });
        assert_eq!(held.log("stdout.log").trim(), name(&held));
        assert_eq!(held.log("stderr.log").matches("ermission denied").count(), 3);
    });
}

/// The one that supervisors of these tests are in.
fn own_cgroup(world: &World) -> PathBuf {
    assert_eq!(world.end(&world.script("true")), RunEnd::Exited { code: 0 });
    assert!(matches!(attach(&world.run_dir()).unwrap(), Attached::Finished(_)));
    world.cgroup().unwrap().parent().unwrap().to_owned()
}
