//! A run reaches no terminal but its own, and no device but the few that every program needs.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::print_stderr, reason = "what is not tested here is said aloud")]

use crate::process_support;

use process_support::{Terminal, World, has_program, where_it_works, with_each_isolation};
use rustix::process::geteuid;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tollgate_process::{Isolation, RunEnd, RunSpec, Sandbox, SandboxLevel};

/// A script that may write its working directory. `TERMINAL` is one of another session.
fn held(world: &World, script: &str, terminal: &Terminal) -> RunSpec {
    let mut spec = open(world, script, terminal);
    let writable = vec![world.work().canonicalize().unwrap()];
    spec.sandbox = Some(Sandbox { writable, ..Sandbox::default() });
    spec
}

fn open(world: &World, script: &str, terminal: &Terminal) -> RunSpec {
    let mut spec = world.script(script);
    spec.env.insert("TERMINAL".to_owned(), terminal.name.display().to_string());
    spec
}

fn is_enforced() -> bool {
    let level = SandboxLevel::of_this_machine();
    if level == SandboxLevel::None {
        eprintln!("NOT TESTED: this kernel enforces no sandbox");
    }
    level != SandboxLevel::None
}

/// Each ends well only if it went through.
fn script_of(attempts: &[String]) -> String {
    let attempt = |attempt: &String| {
        let quoted = attempt.replace('\'', "'\\''");
        format!("if ({attempt}) 2>>errors; then echo 'went through: {quoted}'; fi\n")
    };
    attempts.iter().map(attempt).collect()
}

/// Types a letter into a terminal, as if someone sat there: TIOCSTI.
const TYPE: &str = "perl -e 'my $key = \"y\"; ioctl(STDIN, 0x5412, $key) or die $!' < $TERMINAL";

fn at_the_terminal() -> Vec<String> {
    let paint = "printf PAINTED > $TERMINAL".to_owned();
    vec![paint, ": < $TERMINAL".to_owned(), ": <> $TERMINAL".to_owned(), TYPE.to_owned()]
}

/// Every device of this machine but those that each program needs.
fn devices_below(folder: &Path) -> Vec<PathBuf> {
    const NEEDED: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let kind = entry.file_type().unwrap();
        let is_needed = NEEDED.iter().any(|name| entry.file_name() == *name);
        // The way to a terminal of one's own is tried by another test.
        let is_way_in = entry.file_name() == "ptmx";
        if kind.is_dir() {
            found.extend(devices_below(&entry.path()));
        } else if (kind.is_char_device() || kind.is_block_device()) && !is_needed && !is_way_in {
            found.push(entry.path());
        }
    }
    found
}

#[test]
fn r172_no_terminal_of_another_session_and_no_device_can_be_opened() {
    if !is_enforced() {
        return;
    }
    with_each_isolation(|world| {
        let terminal = Terminal::open();
        let mut attempts = at_the_terminal();
        for device in devices_below(Path::new("/dev")) {
            attempts.push(format!(": < {}", device.display()));
            attempts.push(format!(": >> {}", device.display()));
        }
        attempts.push("mknod null c 1 3".to_owned());
        attempts.push("mknod disk b 7 0".to_owned());
        attempts.push(": < /proc/1/fd/0 && test -t 0 < /proc/1/fd/0".to_owned());
        let spec = held(world, &script_of(&attempts), &terminal);
        assert_eq!(world.end(&spec), RunEnd::Exited { code: 0 });
        assert_eq!(world.log("stdout.log"), "");
        assert_eq!(terminal.shown(), "");
        assert!(!terminal.has_input());
    });
}

/// What the test above would see if nothing held the run: it can fail.
#[test]
fn without_a_sandbox_the_terminals_of_others_are_open() {
    with_each_isolation(|world| {
        let terminal = Terminal::open();
        let spec = open(world, "printf PAINTED > $TERMINAL", &terminal);
        assert_eq!(world.end(&spec), RunEnd::Exited { code: 0 });
        assert_eq!(terminal.shown(), "PAINTED");
        let may_type = fs::read_to_string("/proc/sys/dev/tty/legacy_tiocsti");
        if geteuid().is_root()
            && may_type.is_ok_and(|text| text.trim() == "1")
            && has_program("perl")
        {
            let typing = World::new(world.isolation);
            assert_eq!(typing.end(&open(&typing, TYPE, &terminal)), RunEnd::Exited { code: 0 });
            assert!(terminal.has_input());
        }
        if geteuid().is_root() {
            let making = World::new(world.isolation);
            let spec = open(&making, "mknod null c 1 3 && echo x > null", &terminal);
            assert_eq!(making.end(&spec), RunEnd::Exited { code: 0 });
        }
    });
}

#[test]
fn r172_a_device_outside_dev_does_not_count() {
    if !geteuid().is_root() {
        return eprintln!("NOT TESTED: only root makes device nodes");
    }
    where_it_works(Isolation::PidNamespace, |world| {
        let terminal = Terminal::open();
        let node = world.work().join("zero");
        assert!(Command::new("mknod").arg(&node).args(["c", "1", "5"]).status().unwrap().success());
        let spec = held(world, "head -c 1 zero | wc -c", &terminal);
        assert_eq!(world.end(&spec), RunEnd::Exited { code: 0 });
        assert_eq!(world.log("stdout.log").trim(), "0");
        let control = World::new(world.isolation);
        let script = format!("head -c 1 {} | wc -c", node.display());
        assert_eq!(control.end(&open(&control, &script, &terminal)), RunEnd::Exited { code: 0 });
        assert_eq!(control.log("stdout.log").trim(), "1");
    });
}

#[test]
fn what_every_program_needs_is_there() {
    with_each_isolation(|world| {
        let terminal = Terminal::open();
        let script = "set -e; echo x > /dev/null; head -c 4 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c; \
                      head -c 2 /dev/random | wc -c; echo told > /dev/stderr; echo y | cat /dev/stdin; \
                      cat /dev/fd/3 3< /etc/passwd > /dev/null; cat /etc/passwd > /dev/null; ls / > /dev/null; \
                      if echo x > /dev/full; then exit 9; fi; cat /proc/self/stat > /dev/null";
        assert_eq!(world.end(&held(world, script, &terminal)), RunEnd::Exited { code: 0 });
        assert_eq!(
            world.log("stdout.log").split_whitespace().collect::<Vec<_>>(),
            ["4", "3", "2", "y"]
        );
    });
}

/// For programs that run others at a terminal.
#[test]
fn r172_a_run_has_its_own_terminals() {
    if !has_program("script") {
        return eprintln!("NOT TESTED: there is no `script` here");
    }
    where_it_works(Isolation::PidNamespace, |world| {
        let terminal = Terminal::open();
        let script = "script -qec 'tty; echo shown > /dev/tty; test -t 1' /dev/null < /dev/null";
        assert_eq!(world.end(&held(world, script, &terminal)), RunEnd::Exited { code: 0 });
        let said = world.log("stdout.log");
        assert!(said.contains("/dev/pts/0") && said.contains("shown"), "{said}");
        assert_eq!(terminal.shown(), "");
    });
}

/// What the person opens below `/dev` is there too.
#[test]
fn a_device_that_the_settings_open_is_open() {
    if !geteuid().is_root() || !Path::new("/dev/loop-control").exists() {
        return eprintln!("NOT TESTED: there is no device to open");
    }
    with_each_isolation(|world| {
        let terminal = Terminal::open();
        let mut spec = held(world, ": <> /dev/loop-control && ls /dev/shm > /dev/null", &terminal);
        let writable = &mut spec.sandbox.as_mut().unwrap().writable;
        writable.extend(["/dev/loop-control", "/dev/shm"].map(PathBuf::from));
        assert_eq!(world.end(&spec), RunEnd::Exited { code: 0 });
    });
}

#[test]
fn r172_an_agent_of_root_has_what_root_of_a_container_has() {
    const SYS_ADMIN: u64 = 1 << 21;
    const CLOSED: [u64; 6] = [1 << 2, 1 << 16, 1 << 17, 1 << 19, SYS_ADMIN, 1 << 27];
    if !geteuid().is_root() {
        return eprintln!("NOT TESTED: this is not root");
    }
    with_each_isolation(|world| {
        let terminal = Terminal::open();
        let script =
            "sed -n 's/^Cap\\(Prm\\|Eff\\):.//p' /proc/self/status; chown 1 . && chown 0 .";
        assert_eq!(world.end(&held(world, script, &terminal)), RunEnd::Exited { code: 0 });
        for set in world.log("stdout.log").lines() {
            let set = u64::from_str_radix(set, 16).unwrap();
            assert!(CLOSED.iter().all(|power| set & power == 0), "{set:x}");
        }
    });
}
