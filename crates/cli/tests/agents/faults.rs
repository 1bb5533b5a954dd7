//! What goes wrong between an agent and its model: each fault ends in its class of the failure table, and nothing is left.

use crate::sessions::{CLAUDE, CODEX, GEMINI, GOOSE};
use crate::world::{World, session};
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::Duration;
use tollgate_programs::or_skip;
use tollgate_standin::crew::{FAULT, faulty};
use tollgate_standin::{Fault, Script};

/// A program that says nothing is given up; where it must wait by itself it gets more time than it needs on a busy machine.
const SHORT: &str = "10s";
const LONG: &str = "30s";

fn status(code: u16) -> Fault {
    Fault::status(code)
}

fn usage_limit() -> Fault {
    Fault::UsageLimit { resets_in_s: 3_600 }
}

fn stall() -> Fault {
    Fault::Stall { ms: 600_000 }
}

/// One attempt of the first role shows where a fault ends; the limit on its time is there so that no defect hangs the tests.
pub fn settings(world: &World, silence: &str, attempts: usize) {
    let path = world.repo.root().join("tollgate.toml");
    let text = fs::read_to_string(&path).unwrap();
    let retry = format!("[retry]\ntransient_attempts = {attempts}\n");
    fs::write(path, text.replace("[retry]\n", &retry)).unwrap();
    world.repo.settings(&format!("[timeout]\nsilence = \"{silence}\"\nSpecAgent = \"120s\"\n"));
}

/// The crew, to which nobody is known.
pub fn no_login(session: &str) -> Script {
    faulty(session, status(401), ALWAYS)
}

/// How the attempts of the first dispatch ended.
fn ends(world: &World) -> Vec<Value> {
    let ended = world.repo.events("attempt_ended");
    ended.iter().filter(|event| event["number"] == 1).map(|event| event["end"].clone()).collect()
}

/// It was really in the way.
#[track_caller]
pub fn met_the_fault(world: &World) {
    let asked = world.service.requests();
    assert!(asked.iter().any(|request| request.rule.as_deref() == Some(FAULT)), "{asked:#?}");
}

/// For good: every attempt ends like this, for this reason, and a person is asked.
#[track_caller]
fn ends_as(world: &World, end: &str, why: &str, attempts: usize) {
    world.lean().exits(4).says("UD-1");
    let ends = ends(world);
    assert_eq!(ends.len(), attempts, "{ends:#?}");
    for ended in &ends {
        assert_eq!(ended["end"], end, "{ended:#}");
        assert!(ended.to_string().contains(why), "{ended:#}");
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

/// The agent takes half an answer for a whole one, and is asked again in vain.
fn invalid(world: &World, why: &str) {
    settings(world, LONG, 1);
    ends_as(world, "invalid", why, 3);
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

/// The agent gets over it by itself, and the session comes to its end.
fn survives(world: &World) {
    settings(world, LONG, 1);
    comes_to_its_end(world, &["replied"]);
}

/// The agent gives up, and is tried again by us.
fn retried(world: &World) {
    settings(world, LONG, 3);
    comes_to_its_end(world, &["unavailable", "replied"]);
}

#[track_caller]
fn comes_to_its_end(world: &World, attempts: &[&str]) {
    world.lean().exits(0).says("DONE");
    let ends = ends(world);
    let kinds: Vec<&str> = ends.iter().filter_map(|end| end["end"].as_str()).collect();
    assert_eq!(kinds, attempts, "{ends:#?}");
    met_the_fault(world);
    world.is_quiet();
}

/// Whose fault, how often it comes, and how it ends.
macro_rules! faults {
    ($($name:ident: $kind:expr, $times:ident $fault:expr => $check:ident($($argument:expr),*);)+) => {
        $(#[test]
        fn $name() {
            let Some(programs) = or_skip(stringify!($name)) else { return };
            let world = World::new(programs, $kind, |session| faulty(session, $fault, $times));
            $check(&world $(, $argument)*);
        })+
    };
}

const ALWAYS: Option<u32> = None;
const ONCE: Option<u32> = Some(1);

faults! {
    claude_rate_limit: CLAUDE, ALWAYS status(429) => unavailable("rate_limit");
    claude_usage_limit: CLAUDE, ALWAYS usage_limit() => parked();
    claude_server_error: CLAUDE, ALWAYS status(500) => unavailable("500: ");
    claude_no_login: CLAUDE, ALWAYS status(401) => refused("status 401");
    claude_hang: CLAUDE, ALWAYS Fault::Hang => silent();
    claude_stall: CLAUDE, ALWAYS stall() => silent();
    claude_garbage: CLAUDE, ALWAYS Fault::Garbage => unavailable_three_times("API Error");
    claude_cut: CLAUDE, ALWAYS Fault::Cut => unavailable("Connection to the API was lost");
    claude_cut_once: CLAUDE, ONCE Fault::Cut => survives();
    claude_truncated: CLAUDE, ALWAYS Fault::Truncated => unavailable("API Error");
    claude_broken_off: CLAUDE, ALWAYS Fault::BrokenOff => unavailable("500: ");
    claude_wrong_arguments: CLAUDE, ONCE Fault::WrongArguments => survives();

    codex_rate_limit: CODEX, ALWAYS status(429) => unavailable_three_times("429 Too Many Requests");
    codex_usage_limit: CODEX, ALWAYS usage_limit() => parked();
    codex_server_error: CODEX, ALWAYS status(500) => unavailable("temporary errors");
    codex_no_login: CODEX, ALWAYS status(401) => refused("status 401");
    codex_hang: CODEX, ALWAYS Fault::Hang => silent();
    codex_stall: CODEX, ALWAYS stall() => silent();
    codex_garbage: CODEX, ALWAYS Fault::Garbage => unavailable("stream disconnected");
    codex_cut: CODEX, ALWAYS Fault::Cut => unavailable("stream disconnected");
    codex_cut_once: CODEX, ONCE Fault::Cut => survives();
    codex_truncated: CODEX, ALWAYS Fault::Truncated => unavailable("stream closed");
    codex_broken_off: CODEX, ALWAYS Fault::BrokenOff => unavailable("The server had an error");
    codex_wrong_arguments: CODEX, ONCE Fault::WrongArguments => survives();

    gemini_rate_limit: GEMINI, ALWAYS status(429) => unavailable("429: ");
    gemini_usage_limit: GEMINI, ALWAYS usage_limit() => parked();
    gemini_server_error: GEMINI, ALWAYS status(500) => unavailable("500: ");
    gemini_no_login: GEMINI, ALWAYS status(401) => refused("status 401");
    gemini_hang: GEMINI, ALWAYS Fault::Hang => silent();
    gemini_stall: GEMINI, ALWAYS stall() => silent();
    gemini_garbage: GEMINI, ALWAYS Fault::Garbage => unavailable("Incomplete JSON");
    gemini_cut: GEMINI, ALWAYS Fault::Cut => unavailable_three_times("terminated");
    // It asks again after an answer that makes no sense, but not after one that was cut.
    gemini_cut_once: GEMINI, ONCE Fault::Cut => retried();
    gemini_truncated: GEMINI, ALWAYS Fault::Truncated => unavailable("Incomplete JSON");
    gemini_broken_off: GEMINI, ALWAYS Fault::BrokenOff => unavailable("API Error");
    gemini_wrong_arguments: GEMINI, ONCE Fault::WrongArguments => survives();

    goose_rate_limit: GOOSE, ALWAYS status(429) => unavailable("429: ");
    goose_usage_limit: GOOSE, ALWAYS usage_limit() => parked();
    goose_server_error: GOOSE, ALWAYS status(500) => unavailable("500: ");
    goose_no_login: GOOSE, ALWAYS status(401) => refused("Status: 401");
    goose_hang: GOOSE, ALWAYS Fault::Hang => silent();
    goose_stall: GOOSE, ALWAYS stall() => silent();
    goose_garbage: GOOSE, ALWAYS Fault::Garbage => unavailable_three_times("Stream decode error");
    goose_cut: GOOSE, ALWAYS Fault::Cut => unavailable("Stream decode error");
    goose_cut_once: GOOSE, ONCE Fault::Cut => survives();
    // It does not look for the end of an answer, nor at an error within.
    goose_truncated: GOOSE, ALWAYS Fault::Truncated => invalid("reply.not_json");
    goose_broken_off: GOOSE, ALWAYS Fault::BrokenOff => invalid("reply.not_json");
    goose_wrong_arguments: GOOSE, ONCE Fault::WrongArguments => survives();
}
