//! What goes wrong between an agent and its model: each fault ends in its class of the failure table, and nothing is left.

use crate::sessions::{CLAUDE, CODEX, GEMINI, GOOSE};
use crate::world::{World, session};
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::Duration;
use tollgate_programs::or_skip;
use tollgate_standin::{Answer, Fault, Script, When, crew};

/// A program that says nothing is given up; where it must wait by itself it gets more time than it needs on a busy machine.
const SHORT: &str = "10s";
const LONG: &str = "30s";

fn status(code: u16) -> Fault {
    let (headers, body) = (Default::default(), None);
    Fault::Status { code, retry_after: None, headers, body }
}

fn usage_limit() -> Fault {
    Fault::UsageLimit { resets_in_s: 3_600 }
}

fn stall() -> Fault {
    Fault::Stall { ms: 600_000 }
}

/// One attempt of the first role shows where a fault ends; the limit on its time is there so that no defect hangs the tests.
fn settings(world: &World, silence: &str, attempts: usize) {
    let path = world.repo.root().join("tollgate.toml");
    let text = fs::read_to_string(&path).unwrap();
    let retry = format!("[retry]\ntransient_attempts = {attempts}\n");
    fs::write(path, text.replace("[retry]\n", &retry)).unwrap();
    world.repo.settings(&format!("[timeout]\nsilence = \"{silence}\"\nSpecAgent = \"120s\"\n"));
}

/// The crew, with a fault in the way of its first role.
fn faulty(session: &str, fault: Fault, times: Option<u32>) -> Script {
    let mut script = crew::script(session);
    let mut wrong = script.rules[0].clone();
    wrong.name = FAULT.to_owned();
    wrong.when = When { asked: Some("# You are SpecAgent\n".to_owned()), ..When::default() };
    wrong.then = Answer { fault: Some(fault), ..wrong.then };
    wrong.times = times;
    script.rules.insert(0, wrong);
    script
}

const FAULT: &str = "fault";

/// How the attempts of the first dispatch ended.
fn ends(world: &World) -> Vec<Value> {
    let ended = world.repo.events("attempt_ended");
    ended.iter().filter(|event| event["number"] == 1).map(|event| event["end"].clone()).collect()
}

/// It was really in the way.
#[track_caller]
fn met_the_fault(world: &World) {
    let asked = world.service.requests();
    assert!(asked.iter().any(|request| request.rule.as_deref() == Some(FAULT)), "{asked:#?}");
}

/// For good: every attempt ends like this, for this reason, and a person is asked.
#[track_caller]
fn ends_as(world: &World, end: &str, why: &str, attempts: usize) {
    let ran = world.lean();
    eprintln!("ENDS {} {:?}", world.repo.root().display(), ends(world));
    ran.exits(4).says("UD-1");
    let ends = ends(world);
    assert_eq!(ends.len(), attempts, "{ends:#?}");
    for ended in &ends {
        assert_eq!(ended["end"], end, "{ended:#}");
        assert!(ended["detail"].as_str().is_some_and(|detail| detail.contains(why)), "{ended:#}");
    }
    met_the_fault(world);
    world.is_quiet();
}

fn unavailable(world: &World, why: &str) {
    settings(world, LONG, 1);
    ends_as(world, "unavailable", why, 1);
}

fn unavailable_three_times(world: &World, why: &str) {
    settings(world, LONG, 3);
    ends_as(world, "unavailable", why, 3);
}

/// For a person at once, however many attempts there are.
fn refused(world: &World, why: &str) {
    settings(world, LONG, 3);
    ends_as(world, "permission_refused", why, 1);
}

fn silent(world: &World) {
    settings(world, SHORT, 1);
    ends_as(world, "unavailable", "no sign of life", 1);
}

/// A limit with a time: the dispatch waits for it, and no retry is spent.
fn parked(world: &World) {
    settings(world, LONG, 1);
    let args = ["run", "--no-input", "--lean", "--slug", "lines", "Add a line"];
    let mut run = world.command(&args).stderr(Stdio::piped()).spawn().unwrap();
    let journal = world.repo.root().join(".agents-work").join(session()).join("journal.jsonl");
    let is_scheduled = || journal.exists() && !world.repo.events("retry_scheduled").is_empty();
    // Agents wait and try again by themselves for a while before they give up.
    for _ in 0..1_200 {
        if is_scheduled() || run.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let _gone = run.kill();
    run.wait().unwrap();
    let ends = ends(world);
    assert_eq!(ends.len(), 1, "{ends:#?}");
    assert_eq!(ends[0]["end"], "parked", "{ends:#?}");
    let scheduled = world.repo.events("retry_scheduled");
    assert_eq!(scheduled[0]["why"], "parked", "{scheduled:?}");
    met_the_fault(world);
    world.is_quiet();
}

/// The session comes to its end all the same, without an attempt of ours.
fn survives(world: &World) {
    settings(world, LONG, 1);
    let ran = world.lean();
    eprintln!("ENDS {} {:?}", world.repo.root().display(), ends(world));
    ran.exits(0).says("DONE");
    assert_eq!(ends(world).len(), 1);
    met_the_fault(world);
    world.is_quiet();
}

/// A fault for good, or once, of one program, and how it ends.
macro_rules! faults {
    ($($name:ident: $kind:expr, $fault:expr => $check:ident($($argument:expr),*);)+) => {
        $(#[test]
        fn $name() {
            let Some(programs) = or_skip(stringify!($name)) else { return };
            let times = (stringify!($check) == "survives").then_some(1);
            let world = World::new(programs, $kind, |session| faulty(session, $fault, times));
            $check(&world $(, $argument)*);
        })+
    };
}

faults! {
    claude_rate_limit: CLAUDE, status(429) => unavailable("");
    claude_usage_limit: CLAUDE, usage_limit() => parked();
    claude_server_error: CLAUDE, status(500) => unavailable("");
    claude_no_login: CLAUDE, status(401) => refused("");
    claude_hang: CLAUDE, Fault::Hang => silent();
    claude_stall: CLAUDE, stall() => silent();
    claude_garbage: CLAUDE, Fault::Garbage => unavailable("");
    claude_cut: CLAUDE, Fault::Cut => unavailable("");
    claude_cut_once: CLAUDE, Fault::Cut => survives();
    claude_truncated: CLAUDE, Fault::Truncated => unavailable("");
    claude_truncated_once: CLAUDE, Fault::Truncated => survives();
    claude_broken_off: CLAUDE, Fault::BrokenOff => unavailable("");
    claude_broken_off_once: CLAUDE, Fault::BrokenOff => survives();
    claude_garbage_once: CLAUDE, Fault::Garbage => survives();
    claude_wrong_arguments: CLAUDE, Fault::WrongArguments => survives();

    codex_rate_limit: CODEX, status(429) => unavailable("");
    codex_usage_limit: CODEX, usage_limit() => parked();
    codex_server_error: CODEX, status(500) => unavailable("");
    codex_no_login: CODEX, status(401) => refused("");
    codex_hang: CODEX, Fault::Hang => silent();
    codex_stall: CODEX, stall() => silent();
    codex_garbage: CODEX, Fault::Garbage => unavailable("");
    codex_cut: CODEX, Fault::Cut => unavailable("");
    codex_cut_once: CODEX, Fault::Cut => survives();
    codex_truncated: CODEX, Fault::Truncated => unavailable("");
    codex_truncated_once: CODEX, Fault::Truncated => survives();
    codex_broken_off: CODEX, Fault::BrokenOff => unavailable("");
    codex_broken_off_once: CODEX, Fault::BrokenOff => survives();
    codex_garbage_once: CODEX, Fault::Garbage => survives();
    codex_wrong_arguments: CODEX, Fault::WrongArguments => survives();

    gemini_rate_limit: GEMINI, status(429) => unavailable("");
    gemini_usage_limit: GEMINI, usage_limit() => parked();
    gemini_server_error: GEMINI, status(500) => unavailable("");
    gemini_no_login: GEMINI, status(401) => refused("");
    gemini_hang: GEMINI, Fault::Hang => silent();
    gemini_stall: GEMINI, stall() => silent();
    gemini_garbage: GEMINI, Fault::Garbage => unavailable("");
    gemini_cut: GEMINI, Fault::Cut => unavailable("");
    gemini_cut_once: GEMINI, Fault::Cut => survives();
    gemini_truncated: GEMINI, Fault::Truncated => unavailable("");
    gemini_truncated_once: GEMINI, Fault::Truncated => survives();
    gemini_broken_off: GEMINI, Fault::BrokenOff => unavailable("");
    gemini_broken_off_once: GEMINI, Fault::BrokenOff => survives();
    gemini_garbage_once: GEMINI, Fault::Garbage => survives();
    gemini_wrong_arguments: GEMINI, Fault::WrongArguments => survives();

    goose_rate_limit: GOOSE, status(429) => unavailable("");
    goose_usage_limit: GOOSE, usage_limit() => parked();
    goose_server_error: GOOSE, status(500) => unavailable("");
    goose_no_login: GOOSE, status(401) => refused("");
    goose_hang: GOOSE, Fault::Hang => silent();
    goose_stall: GOOSE, stall() => silent();
    goose_garbage: GOOSE, Fault::Garbage => unavailable("");
    goose_cut: GOOSE, Fault::Cut => unavailable("");
    goose_cut_once: GOOSE, Fault::Cut => survives();
    goose_truncated: GOOSE, Fault::Truncated => unavailable("");
    goose_truncated_once: GOOSE, Fault::Truncated => survives();
    goose_broken_off: GOOSE, Fault::BrokenOff => unavailable("");
    goose_broken_off_once: GOOSE, Fault::BrokenOff => survives();
    goose_garbage_once: GOOSE, Fault::Garbage => survives();
    goose_wrong_arguments: GOOSE, Fault::WrongArguments => survives();
}
