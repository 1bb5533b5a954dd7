//! An agent that ends or stops its own supervisor gains nothing by it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::print_stderr, reason = "what is not tested here is said aloud")]

use crate::process_support;

use process_support::{World, finished, wait_for, where_it_works};
use std::process::Command;
use tollgate_host::process::{Attached, Isolation, RunEnd, RunSpec, Sandbox, probe_sandbox};

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

/// As in a container that was entered from outside: the engine's session and process group have no number there.
#[test]
fn r171_nothing_lives_after_it_where_the_own_session_has_no_number() {
    const STORY: &str = "process_lost::r171_nothing_lives_after_a_supervisor_that_its_agent_killed";
    let inside = |argv: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"]);
        command.args(argv).output().unwrap()
    };
    if !inside(&["true"]).status.success() {
        return eprintln!("NOT TESTED: this machine does not allow PID namespaces");
    }
    let session = inside(&["sh", "-c", "cut -d ' ' -f 6 /proc/self/stat"]).stdout;
    assert_eq!(session, b"0\n");
    let test = std::env::current_exe().unwrap();
    let told = inside(&[test.to_str().unwrap(), "--exact", STORY]);
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
            assert_eq!(outcome.end, RunEnd::TimedOut { after_ms: 1_000 });
        });
    }
}

#[test]
fn r171_a_stopped_supervisor_can_be_told_to_stop() {
    where_it_works(Isolation::Subreaper, |world| {
        let run = world.start(&world.script("kill -STOP $PPID; touch waiting; exec MARKED"));
        world.wait_for_work_file("waiting");
        run.stopper().stop().unwrap();
        assert_eq!(finished(run).end, RunEnd::Stopped);
        assert!(!world.marked_process_lives());
    });
}
