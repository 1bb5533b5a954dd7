//! No process of an agent outlives its attempt, however it detached itself.
#![allow(clippy::print_stderr, reason = "what is not tested here is said aloud")]

use crate::route::{ends_of, route};
use crate::support::processes::{CHILD, alive, expect_gone};
use crate::support::{Repo, eventually};
use serde_json::json;
use std::fs;
use std::process::{Child, Command};
use tollgate_process::probe_sandbox;

const KINDS: [&str; 4] = ["plain", "setsid", "daemon", "stubborn"];

/// A session whose agent has four children at work, and what their command lines hold.
fn with_children(settings: &str, ends: bool) -> (Repo, Child, String) {
    let repo = route(json!([]), &["{dispatch: Researcher, state: DESIGN, outputs: [research/]}"]);
    repo.settings(settings);
    let child = repo.outside("child.py").display().to_string();
    let folder = repo.open_outside("ready");
    let ready = folder.display();
    fs::write(&child, CHILD).unwrap();
    let start = |kind| format!("python3 {child} {kind} {ready} </dev/null >/dev/null 2>&1 &\n");
    let wait = |kind| format!("while [ ! -e {ready}/{kind} ]; do sleep 0.05; done\n");
    let script = KINDS.map(start).concat() + &KINDS.map(wait).concat();
    repo.crew(json!([{"when": {"role": "Researcher"},
        "do": {"default": true, "run": ["sh", "-c", script], "hang": !ends, "sleep_ms": 1000}}]));
    let engine = repo.start(&["run", "--no-input", "--action", "x", "Make it"]);
    eventually("all children", || KINDS.iter().all(|kind| folder.join(kind).exists()));
    assert!(alive(&child).len() >= KINDS.len(), "{:?}", alive(&child));
    (repo, engine, child)
}

#[track_caller]
fn exits(engine: Child, code: i32) {
    let ended = engine.wait_with_output().unwrap();
    let words = crate::support::text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(code), "{words}");
}

#[test]
fn r112_after_a_timeout_no_child_of_the_agent_is_alive() {
    let (repo, engine, marker) = with_children("[timeout]\nResearcher = \"3s\"", false);
    exits(engine, 4);
    expect_gone(&marker);
    assert_eq!(ends_of(&repo, 1), ["timed_out"]);
}

#[test]
fn r112_after_a_cancel_no_child_of_the_agent_is_alive() {
    let (repo, engine, marker) = with_children("", false);
    repo.tollgate(&["cancel", "--reason", "enough"]).exits(0);
    expect_gone(&marker);
    exits(engine, 4);
}

#[test]
fn r112_after_its_reply_no_child_of_the_agent_is_alive() {
    let (repo, engine, marker) = with_children("", true);
    exits(engine, 0);
    expect_gone(&marker);
    assert_eq!(ends_of(&repo, 1), ["replied"]);
}

/// The same command on a machine that refuses PID namespaces; none where that cannot be had.
fn where_namespaces_are_refused(command: &Command) -> Option<Command> {
    let refusing = || {
        let mut refusing = Command::new("unshare");
        refusing.args(["--map-root-user", "sh", "-c"]);
        refusing.args(["echo 0 > /proc/sys/user/max_pid_namespaces && exec \"$@\"", "sh"]);
        refusing
    };
    let tried = refusing().arg("true").output();
    tried.ok().filter(|tried| tried.status.success())?;
    let mut refusing = refusing();
    refusing.arg(command.get_program()).args(command.get_args());
    refusing.current_dir(command.get_current_dir()?).env_clear();
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => refusing.env(name, value),
            None => refusing.env_remove(name),
        };
    }
    Some(refusing)
}

/// Leaves a process that hides as well as it can, and ends the supervisor: the parent of what runs this.
fn ends_its_supervisor(marker: &str) -> String {
    format!(
        "(env -i setsid sleep {marker} &); read -r _ _ _ supervisor _ < /proc/$PPID/stat; \
         kill -KILL $supervisor; sleep 600"
    )
}

/// Researcher ends its supervisor whenever it runs.
fn with_a_killer(settings: &str) -> (Repo, String) {
    let repo = route(json!([]), &["{dispatch: Researcher, state: DESIGN, outputs: [research/]}"]);
    repo.settings("transient_attempts = 9");
    repo.settings(settings);
    let marker = format!("3600.{}{:09}", std::process::id(), unique(&repo));
    repo.crew(json!([{"when": {"role": "Researcher"},
        "do": {"default": true, "run": ["sh", "-c", ends_its_supervisor(&marker)]}}]));
    (repo, marker)
}

fn unique(repo: &Repo) -> u64 {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(repo.root()).unwrap().ino()
}

#[test]
fn r171_the_third_supervisor_that_an_agent_ends_is_put_to_a_person_and_nothing_lives() {
    let (repo, marker) = with_a_killer("[sandbox]\nenforce = \"off\"");
    let run = repo.command(&["run", "--no-input", "--action", "x", "Make it"]);
    let Some(mut run) = where_namespaces_are_refused(&run) else {
        return eprintln!("NOT TESTED: this machine cannot be made to refuse PID namespaces");
    };
    crate::support::ran(&mut run).exits(4).says("its supervisor was killed");
    expect_gone(&marker);
    assert_eq!(ends_of(&repo, 1), ["unsupervised"; 3]);
    let (code, _) = repo.blocker();
    assert_eq!(code, "subagent_failure");
}

/// The same agent in a sandbox, or in a namespace, hits nobody.
#[test]
fn r171_a_held_agent_ends_no_supervisor() {
    const SIGNALS_ARE_HELD: u32 = 6;
    let abi = probe_sandbox().unwrap().abi;
    let (repo, marker) = with_a_killer("[timeout]\nResearcher = \"2s\"");
    let run = repo.command(&["run", "--no-input", "--action", "x", "Make it"]);
    let refused = where_namespaces_are_refused(&run);
    let Some(mut run) = refused.filter(|_| abi.is_some_and(|abi| abi >= SIGNALS_ARE_HELD)) else {
        return eprintln!("NOT TESTED: signals are not held here");
    };
    crate::support::ran(&mut run).exits(4);
    expect_gone(&marker);
    assert_eq!(ends_of(&repo, 1), ["timed_out"]);
}
