//! What goes into an agent and what comes out of it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::process_support;

use process_support::{World, finished, wait_for, with_each_isolation};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tollgate_process::{Attached, RunEnd, RunSpec, StopReason};

const MIB: u64 = 1 << 20;

#[test]
fn r120_a_flood_is_stopped_at_its_limit_and_costs_little_memory() {
    with_each_isolation(|world| {
        let mut spec = world.script(
            "head -c 12582912 /dev/zero; touch flooded; until [ -e go ]; do sleep 0.01; done; \
             head -c 1073741824 /dev/zero; touch never; MARKED",
        );
        spec.output_bytes_max = 16 * MIB;
        let run = world.start(&spec);
        world.wait_for_work_file("flooded");
        let status =
            fs::read_to_string(format!("/proc/{}/status", world.supervisor_pid())).unwrap();
        fs::write(world.work().join("go"), "").unwrap();
        let outcome = finished(run);
        assert_eq!(
            outcome.end,
            RunEnd::Stopped { why: StopReason::OutputLimit { limit_bytes: 16 * MIB } }
        );
        assert_eq!(outcome.stdout_bytes, 16 * MIB);
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak_kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(peak_kib < 16 * 1024, "the supervisor used {peak_kib} KiB");
        assert_eq!(fs::metadata(world.run_dir().join("stdout.log")).unwrap().len(), 16 * MIB);
        assert!(!world.work().join("never").exists() && !world.marked_process_lives());
    });
}

#[test]
fn r120_both_channels_count_together() {
    with_each_isolation(|world| {
        let mut spec = world.script("printf 12345; printf 6789 >&2");
        spec.output_bytes_max = 9;
        assert_eq!(world.end(&spec), RunEnd::Exited { code: 0 });
        let second = World::new(world.isolation);
        spec.cwd = second.work();
        spec.output_bytes_max = 8;
        let outcome = second.run(&spec);
        assert_eq!(
            outcome.end,
            RunEnd::Stopped { why: StopReason::OutputLimit { limit_bytes: 8 } }
        );
        assert_eq!(outcome.stdout_bytes + outcome.stderr_bytes, 8);
    });
}

#[test]
fn both_channels_are_kept_as_they_came() {
    with_each_isolation(|world| {
        let outcome = world.run(&world.script(r"printf 'a\377\376\n'; printf 'warn' >&2"));
        assert_eq!((outcome.stdout_bytes, outcome.stderr_bytes), (4, 4));
        assert_eq!(fs::read(world.run_dir().join("stdout.log")).unwrap(), b"a\xff\xfe\n");
        assert_eq!(world.log("stderr.log"), "warn");
    });
}

#[test]
fn standard_input_is_the_file_or_empty() {
    with_each_isolation(|world| {
        let mut spec = world.script("cat");
        spec.stdin_file = Some("prompt.md".to_owned());
        fs::create_dir(world.run_dir()).unwrap();
        fs::write(world.run_dir().join("prompt.md"), "Do it.\n").unwrap();
        assert_eq!(world.end(&spec), RunEnd::Exited { code: 0 });
        assert_eq!(world.log("stdout.log"), "Do it.\n");

        let second = World::new(world.isolation);
        assert_eq!(second.end(&second.script("cat; echo end")), RunEnd::Exited { code: 0 });
        assert_eq!(second.log("stdout.log"), "end\n");
    });
}

#[test]
fn every_way_to_end_is_distinguished() {
    with_each_isolation(|world| {
        assert_eq!(world.end(&world.script("kill -SEGV $$")), RunEnd::Signalled { signal: 11 });
    });
}

/// Why a command could not be started.
fn cause(world: &World, change: impl Fn(&mut RunSpec)) -> String {
    let world = World::new(world.isolation);
    let script = world.work().join("script");
    fs::write(&script, "#!/nowhere/sh\n").unwrap();
    fs::write(world.work().join("plain"), "text").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let mut spec = world.command(&["sh"]);
    change(&mut spec);
    match world.end(&spec) {
        RunEnd::CouldNotStart { program, cause } => format!("{program}: {cause}"),
        end => panic!("{end:?}"),
    }
}

#[test]
fn a_program_that_cannot_start_is_named_with_the_cause() {
    with_each_isolation(|world| {
        let of = |program: &str| cause(world, |spec| spec.argv = vec![program.to_owned()]);
        assert_eq!(of("no-such-program"), "no-such-program: not found on PATH");
        assert_eq!(of("./absent"), "./absent: not found");
        assert_eq!(of("./plain"), "./plain: it is not executable");
        assert_eq!(of("./script"), "./script: its interpreter was not found");
        assert_eq!(of("/"), "/: it is a folder");
        assert_eq!(cause(world, |spec| spec.argv.clear()), ": the command is empty");
        let gone = cause(world, |spec| spec.cwd = "/nowhere/at/all".into());
        assert_eq!(gone, "sh: the working directory /nowhere/at/all does not exist");
        let no_input = cause(world, |spec| spec.stdin_file = Some("absent.md".to_owned()));
        assert!(no_input.starts_with("sh: its input absent.md cannot be read"), "{no_input}");
    });
}

#[test]
fn a_path_with_a_slash_is_relative_to_the_working_directory() {
    with_each_isolation(|world| {
        let tool = world.work().join("tool");
        fs::write(&tool, "#!/bin/sh\necho \"$0 $1\"").unwrap();
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(world.end(&world.command(&["./tool", "x"])), RunEnd::Exited { code: 0 });
        assert!(world.log("stdout.log").ends_with("/tool x\n"));
    });
}

/// Every file below a folder as one text.
fn all_bytes(folder: &std::path::Path) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            all += &all_bytes(&path);
        } else {
            all += &String::from_utf8_lossy(&fs::read(&path).unwrap());
        }
    }
    all
}

#[test]
fn r113_a_secret_of_the_parent_is_neither_seen_nor_written() {
    with_each_isolation(|world| {
        let planted = "planted-5ecret-value";
        let through = "let-through-5ecret";
        let mut spec = world.script(
            "env | sort; tr '\\0' '\\n' < /proc/1/environ; tr '\\0' '\\n' < /proc/$PPID/environ; \
             printf 'key: let-thro'; sleep 0.1; echo ugh-5ecret; \
             [ \"$MY_API_KEY\" = let-through-5ecret ] && echo got it; echo $TOLLGATE_ROLE $TERM",
        );
        // Without a namespace the parent is the supervisor; root may look at it, others may not.
        if world.isolation != tollgate_process::Isolation::PidNamespace {
            spec.argv[2] = spec.argv[2].replace("tr '\\0' '\\n' < /proc/$PPID/environ;", "");
            spec.argv[2] = spec.argv[2].replace("tr '\\0' '\\n' < /proc/1/environ;", "");
        }
        spec.env_names = vec!["MY_API_KEY".to_owned()];
        spec.env.insert("TOLLGATE_ROLE".to_owned(), "Coder".to_owned());
        let status = world
            .engine(&spec)
            .env("DEPLOY_SECRET", planted)
            .env("NOT_ALLOWED", "harmless-but-foreign")
            .env("MY_API_KEY", through)
            .status()
            .unwrap();
        assert!(status.success());
        let log = world.log("stdout.log");
        assert!(log.contains("got it\nCoder dumb\n"), "{log}");
        assert!(log.contains("key: [redacted]\n"), "{log}");
        assert!(!log.contains("DEPLOY_SECRET") && !log.contains("NOT_ALLOWED"), "{log}");
        let written = all_bytes(&world.run_dir());
        // The script itself, in run.json, spells the value that it compares with.
        let written = written.replace("= let-through-5ecret ]", "");
        assert!(!written.contains(planted) && !written.contains(through), "{written}");
        assert!(matches!(world.attach(), Attached::Finished(_)));
    });
}

#[test]
fn a_complete_line_can_be_read_while_the_agent_runs() {
    with_each_isolation(|world| {
        let run = world.start(&world.script("echo progress; until [ -e go ]; do sleep 0.01; done"));
        let log = world.run_dir().join("stdout.log");
        wait_for("a line", || fs::read_to_string(&log).is_ok_and(|log| log == "progress\n"));
        fs::write(world.work().join("go"), "").unwrap();
        assert_eq!(finished(run).end, RunEnd::Exited { code: 0 });
    });
}
