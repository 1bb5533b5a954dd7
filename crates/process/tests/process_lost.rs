//! An agent that ends or stops its own supervisor gains nothing by it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::print_stderr, reason = "what is not tested here is said aloud")]

use crate::process_support;

use process_support::{World, finished, wait_for, where_it_works};
use std::fs;
use std::process::Command;
use std::thread;
use tollgate_process::{
    Attached, Isolation, RunEnd, RunSpec, Sandbox, StopReason, hold, probe_sandbox,
};

/// In a PID namespace an agent does not see its supervisor.
const SEES_ITS_SUPERVISOR: [Isolation; 2] = [Isolation::Cgroup, Isolation::Subreaper];

/// Left its session, its parent and its variables.
const DAEMON: &str = "(env -i setsid sh -c '(touch daemon_is_up; exec MARKED) &' &); \
                      until [ -e daemon_is_up ]; do sleep 0.01; done;";

fn held(world: &World, script: &str) -> RunSpec {
    let mut spec = world.script(script);
    let writable = vec![world.work().canonicalize().unwrap()];
    spec.sandbox = Some(Sandbox { writable, ..Sandbox::default() });
    spec
}

#[test]
fn r171_a_held_agent_cannot_signal_its_supervisor() {
    const WITH_SCOPES: u32 = 6;
    if probe_sandbox().unwrap().abi.is_none_or(|abi| abi < WITH_SCOPES) {
        return eprintln!("NOT TESTED: this Landlock does not restrict signals");
    }
    for isolation in SEES_ITS_SUPERVISOR {
        where_it_works(isolation, |world| {
            let script = "for signal in KILL STOP TERM; do kill -$signal $PPID 2>>errors && echo $signal; done; \
                          sleep 600 & kill -TERM $! && echo own; exit 3";
            assert_eq!(world.end(&held(world, script)), RunEnd::Exited { code: 3 });
            assert_eq!(world.log("stdout.log"), "own\n");
        });
    }
}

/// What the test above would see without a sandbox; and what is made of it.
#[test]
fn r171_nothing_lives_after_a_supervisor_that_its_agent_killed() {
    for isolation in SEES_ITS_SUPERVISOR {
        where_it_works(isolation, |world| {
            let script = format!("{DAEMON} kill -KILL $PPID; sleep 600");
            assert!(world.engine(&world.script(&script)).status().unwrap().success());
            assert!(!world.marked_process_lives());
            assert!(matches!(world.attach(), Attached::Lost));
        });
    }
}

/// The program is the first process there.
fn in_container(argv: &[&str]) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"]).args(argv);
    command
}

fn has_pid_namespaces() -> bool {
    let works = in_container(&["true"]).output().unwrap().status.success();
    if !works {
        eprintln!("NOT TESTED: this machine does not allow PID namespaces");
    }
    works
}

/// It is given whatever loses its parent in the container, such as a program that a person left in the background.
#[test]
fn r171_the_first_process_of_a_container_ends_what_is_left_of_the_run_and_nothing_else() {
    if !has_pid_namespaces() {
        return;
    }
    where_it_works(Isolation::Subreaper, |world| {
        let daemon = DAEMON.replace("env -i ", "");
        let spec = world.script(&format!("{daemon} kill -KILL $PPID; sleep 600"));
        let engine = world.engine(&spec);
        let mut container = in_container(&["sh", "-c", "setsid sleep 3601 & exec \"$@\"", "sh"]);
        container.arg(engine.get_program()).args(engine.get_args());
        let left = "for p in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $p; echo; done > left";
        container.env("AFTERWARDS", left).current_dir(world.work());
        assert!(container.status().unwrap().success());
        let left = world.work_file("left");
        let lives = |line: &str| left.lines().any(|process| process.trim() == line);
        assert!(lives("sleep 3601"), "{left}");
        assert!(world.work().join("daemon_is_up").exists());
        assert!(!lives(&format!("sleep {}", world.marker)), "{left}");
    });
}

/// As with a session folder that is shared with another container.
#[test]
fn a_supervisor_that_cannot_be_seen_is_not_waited_for_without_end() {
    let world = World::new(Isolation::Subreaper);
    let _lock = hold(&world.run_dir()).unwrap().unwrap();
    let spec = RunSpec { timeout_ms: 100, ..world.script("true") };
    fs::write(world.run_dir().join("run.json"), serde_json::to_string(&spec).unwrap()).unwrap();
    fs::write(world.run_dir().join("started"), r#"{"pid": 4194303, "start_time": 1}"#).unwrap();
    let running = || match world.attach() {
        Attached::Running(run) => run,
        other => panic!("{other:?}"),
    };
    let stopper = running().stopper();
    let stopped = thread::spawn(move || stopper.stop(StopReason::EngineEnds));
    let waited = running().wait().map(|_| ());
    for ended in [waited, stopped.join().unwrap()] {
        let words = ended.unwrap_err().to_string();
        assert!(words.contains("is in another container"), "{words}");
    }
    assert!(!world.run_dir().join("outcome.json").exists());
}

/// As in a container that was entered from outside: the engine's session and process group have no number there.
#[test]
fn r171_nothing_lives_after_it_where_the_own_session_has_no_number() {
    const STORY: &str = "process_lost::r171_nothing_lives_after_a_supervisor_that_its_agent_killed";
    if !has_pid_namespaces() {
        return;
    }
    let session = in_container(&["sh", "-c", "cut -d ' ' -f 6 /proc/self/stat"]).output().unwrap();
    assert_eq!(session.stdout, b"0\n");
    let test = std::env::current_exe().unwrap();
    let told = in_container(&[test.to_str().unwrap(), "--exact", STORY]).output().unwrap();
    let said = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.status.success() && said.contains("1 passed"), "{said}");
}

/// One that another engine started is found by the variable that names its run.
#[test]
fn r171_what_is_left_of_a_run_of_an_earlier_engine_ends_at_the_next_look() {
    where_it_works(Isolation::Subreaper, |world| {
        let daemon = DAEMON.replace("env -i ", "");
        let spec = world.script(&format!("{daemon} touch waiting; kill -KILL $PPID; sleep 600"));
        world.engine(&spec).env("TOLLGATE_CRASH_AT", "process.spawned").status().unwrap();
        world.wait_for_work_file("waiting");
        wait_for("the lock", || matches!(world.attach(), Attached::Lost));
        assert!(!world.marked_process_lives());
    });
}

#[test]
fn r171_the_limit_holds_when_the_supervisor_is_stopped() {
    for isolation in SEES_ITS_SUPERVISOR {
        where_it_works(isolation, |world| {
            let script = format!("{DAEMON} kill -STOP $PPID; sleep 600");
            let mut spec = world.script(&script);
            spec.timeout_ms = 1_000;
            assert!(world.engine(&spec).status().unwrap().success());
            assert!(!world.marked_process_lives());
            let Attached::Finished(outcome) = world.attach() else { panic!("it has ended") };
            assert_eq!(
                outcome.end,
                RunEnd::Stopped { why: StopReason::Deadline { after_ms: 1_000 } }
            );
        });
    }
}

#[test]
fn r171_a_stopped_supervisor_can_be_stopped_for_good() {
    where_it_works(Isolation::Subreaper, |world| {
        let run = world.start(&world.script("kill -STOP $PPID; touch waiting; exec MARKED"));
        world.wait_for_work_file("waiting");
        run.stopper().stop(StopReason::EngineEnds).unwrap();
        assert_eq!(finished(run).end, RunEnd::Stopped { why: StopReason::EngineEnds });
        assert!(!world.marked_process_lives());
    });
}
