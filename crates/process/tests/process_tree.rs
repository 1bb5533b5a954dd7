//! No process of an agent outlives its run.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::process_support;

use process_support::{finished, wait_for, where_it_works, with_each_isolation};
use rustix::process::{Pid, Signal, kill_process};
use std::time::Duration;
use tollgate_process::{Attached, Isolation, RunEnd, StopReason};

/// Leaves its session and its parent, and keeps the pipes open; tells when it is up.
const DAEMON: &str = "(setsid sh -c '(touch daemon_is_up; exec MARKED) &' &); until [ -e daemon_is_up ]; do sleep 0.01; done;";

#[test]
fn r112_a_daemon_ends_with_the_agent() {
    with_each_isolation(|world| {
        assert_eq!(
            world.end(&world.script(&format!("{DAEMON} exit 3"))),
            RunEnd::Exited { code: 3 }
        );
        assert!(world.work().join("daemon_is_up").exists());
        assert!(!world.marked_process_lives());
    });
}

#[test]
fn r112_a_daemon_ends_when_time_is_up() {
    with_each_isolation(|world| {
        let mut spec = world.script(&format!("{DAEMON} touch waiting; sleep 600"));
        spec.timeout_ms = 1_500;
        assert_eq!(
            world.end(&spec),
            RunEnd::Stopped { why: StopReason::Deadline { after_ms: 1_500 } }
        );
        assert!(world.work().join("waiting").exists());
        assert!(!world.marked_process_lives());
    });
}

#[test]
fn r112_a_stop_ends_the_tree() {
    with_each_isolation(|world| {
        let run = world.start(&world.script(&format!("{DAEMON} touch waiting; sleep 600")));
        world.wait_for_work_file("waiting");
        assert!(world.marked_process_lives());
        run.stopper().stop(StopReason::EngineEnds).unwrap();
        assert_eq!(finished(run).end, RunEnd::Stopped { why: StopReason::EngineEnds });
        assert!(!world.marked_process_lives());
    });
}

#[test]
fn r112_many_stubborn_processes_end() {
    with_each_isolation(|world| {
        let stubborn = "i=0; while [ $i -lt 30 ]; do \
            (setsid sh -c 'trap \"\" TERM HUP INT; touch up; MARKED; MARKED' &); i=$((i+1)); done;";
        let mut spec =
            world.script(&format!("trap '' TERM; {stubborn} while :; do sleep 0.05; done"));
        spec.timeout_ms = 500;
        assert_eq!(
            world.end(&spec),
            RunEnd::Stopped { why: StopReason::Deadline { after_ms: 500 } }
        );
        assert!(world.work().join("up").exists());
        assert!(!world.marked_process_lives());
    });
}

#[test]
fn r112_a_daemon_that_ignores_a_closing_terminal_ends() {
    with_each_isolation(|world| {
        let deaf = "nohup sh -c 'touch up; exec MARKED' >/dev/null 2>&1 &";
        let script = format!("{deaf} until [ -e up ]; do sleep 0.01; done");
        assert_eq!(world.end(&world.script(&script)), RunEnd::Exited { code: 0 });
        assert!(!world.marked_process_lives());
    });
}

/// Each process lives just long enough to start the next one, so a list of processes is old when it is read. It stops by
/// itself when its folder is gone.
const HOPPER: &str = "import os
os.setsid()
while os.path.exists('hop.py'):
    with open('hops', 'a') as hops: hops.write('x')
    if os.fork(): os._exit(0)
";

#[test]
fn r112_processes_that_fork_on_and_on_end() {
    for isolation in [Isolation::PidNamespace, Isolation::Cgroup] {
        where_it_works(isolation, |world| {
            std::fs::write(world.work().join("hop.py"), HOPPER).unwrap();
            let script = "for i in 1 2 3 4; do (python3 hop.py &); done; \
                until [ $(wc -c < hops) -gt 100 ]; do sleep 0.01; done; exit 3";
            assert_eq!(world.end(&world.script(script)), RunEnd::Exited { code: 3 });
            let hops = world.work_file("hops").len();
            std::thread::sleep(Duration::from_millis(200));
            assert_eq!(world.work_file("hops").len(), hops);
        });
    }
}

#[test]
fn an_agent_out_of_time_may_tidy_up() {
    with_each_isolation(|world| {
        let mut spec =
            world.script("trap 'echo tidied; exit 0' TERM; while :; do sleep 0.01; done");
        spec.timeout_ms = 500;
        assert_eq!(
            world.end(&spec),
            RunEnd::Stopped { why: StopReason::Deadline { after_ms: 500 } }
        );
        assert_eq!(world.log("stdout.log"), "tidied\n");
    });
}

#[test]
fn r112_a_killed_supervisor_takes_the_agent_along() {
    with_each_isolation(|world| {
        let run = world.start(&world.script("trap '' TERM; touch waiting; exec MARKED"));
        world.wait_for_work_file("waiting");
        wait_for("the agent", || world.marked_process_lives());
        kill_process(Pid::from_raw(world.supervisor_pid()).unwrap(), Signal::KILL).unwrap();
        wait_for("the end of the agent", || !world.marked_process_lives());
        drop(run);
        wait_for("the lock", || matches!(world.attach(), Attached::Lost));
    });
}

#[test]
fn r112_a_killed_supervisor_takes_daemons_along_in_a_namespace() {
    where_it_works(Isolation::PidNamespace, |world| {
        let _run =
            world.start(&world.script(&format!("trap '' TERM; {DAEMON} touch waiting; sleep 600")));
        world.wait_for_work_file("waiting");
        kill_process(Pid::from_raw(world.supervisor_pid()).unwrap(), Signal::KILL).unwrap();
        wait_for("the end of the daemon", || !world.marked_process_lives());
    });
}

#[test]
fn an_agent_that_signals_its_group_hits_only_itself() {
    with_each_isolation(|world| {
        assert_eq!(world.end(&world.script("kill -9 0")), RunEnd::Signalled { signal: 9 });
    });
}

#[test]
fn a_closing_terminal_does_not_reach_the_agent() {
    with_each_isolation(|world| {
        let run = world
            .start(&world.script("touch waiting; until [ -e go ]; do sleep 0.01; done; echo ok"));
        world.wait_for_work_file("waiting");
        let supervisor = Pid::from_raw(world.supervisor_pid()).unwrap();
        kill_process(supervisor, Signal::HUP).unwrap();
        kill_process(supervisor, Signal::INT).unwrap();
        std::fs::write(world.work().join("go"), "").unwrap();
        assert_eq!(finished(run).end, RunEnd::Exited { code: 0 });
        assert_eq!(world.log("stdout.log"), "ok\n");
    });
}

#[test]
fn an_agent_inherits_no_ignored_signal_and_no_open_file() {
    with_each_isolation(|world| {
        let spec = world.script("grep SigIgn /proc/self/status; exec ls /proc/self/fd");
        assert_eq!(world.end(&spec), RunEnd::Exited { code: 0 });
        let log = world.log("stdout.log");
        let mut lines = log.lines();
        let ignored = lines.next().unwrap().trim_start_matches("SigIgn:\t");
        let ignored = u64::from_str_radix(ignored, 16).unwrap();
        for signal in [Signal::HUP, Signal::INT, Signal::PIPE, Signal::TERM, Signal::CHILD] {
            assert_eq!(ignored >> (signal.as_raw() - 1) & 1, 0, "{signal:?} is ignored");
        }
        // Input, output, error, and the folder that `ls` reads.
        assert_eq!(lines.collect::<Vec<_>>(), ["0", "1", "2", "3"]);
    });
}
