//! What goes wrong between an agent and its model: each fault ends in its class of the failure table, and nothing is left.

use crate::sessions::{CLAUDE, CODEX, GEMINI, GOOSE};
use crate::world::{Kind, World, session};
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;
use std::time::Duration;
use tollgate_core::time::Timestamp;
use tollgate_files::clock;
use tollgate_programs::or_skip;
use tollgate_standin::crew::{self, fault_of, faulty, put_in_the_way};
use tollgate_standin::{Dialect, Script, ServiceFault};

/// A program that says nothing is given up, after more time than it needs to start on a busy machine; where it must wait by
/// itself it gets more.
const SHORT: &str = "10s";
const SHORT_ON_NODE: &str = "20s";
const LONG: &str = "30s";

fn status(code: u16) -> ServiceFault {
    ServiceFault::status(code)
}

/// 429, and when to come back, said the way the vendor says it.
fn retry_after(seconds: u64) -> ServiceFault {
    let (headers, body) = (Default::default(), None);
    ServiceFault::Status { code: 429, retry_after: Some(seconds), headers, body }
}

const AN_HOUR_S: u64 = 3_600;

fn usage_limit() -> ServiceFault {
    ServiceFault::UsageLimit { resets_in_s: AN_HOUR_S }
}

fn stall() -> ServiceFault {
    ServiceFault::Stall { ms: 600_000 }
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
    faulty(session, ServiceFault::status(401), None)
}

pub const FIRST: &str = "SpecAgent";

/// How the attempts of the first dispatch of a role ended.
fn ends(world: &World, role: &str) -> Vec<Value> {
    let number = world.repo.dispatch_of(role, 0);
    let ended = world.repo.events("attempt_ended");
    let of_dispatch = ended.iter().filter(|event| event["number"] == number);
    of_dispatch.map(|event| event["end"].clone()).collect()
}

/// It was really in the way.
#[track_caller]
pub fn met_the_fault(world: &World, role: &str) {
    let (asked, fault) = (world.service.requests(), fault_of(role));
    assert!(asked.iter().any(|request| request.rule.as_ref() == Some(&fault)), "{asked:#?}");
}

/// For good: every attempt ends like this, for this reason, and a person is asked.
#[track_caller]
fn ends_as(world: &World, end: &str, why: &str, attempts: usize) {
    world.lean().exits(4).says("UD-1");
    let ends = ends(world, FIRST);
    assert_eq!(ends.len(), attempts, "{ends:#?}");
    for ended in &ends {
        assert_eq!(ended["end"], end, "{ended:#}");
        assert!(ended.to_string().contains(why), "{ended:#}");
    }
    met_the_fault(world, FIRST);
    world.is_quiet();
}

fn unavailable(world: &World, why: &str) {
    settings(world, LONG, 1);
    ends_as(world, "unavailable", why, 1);
}

/// A limit, and no word on when it ends.
fn limited(world: &World, why: &str) {
    settings(world, LONG, 1);
    ends_as(world, "limited", why, 1);
}

/// As often as the settings say; one agent, which gives up soon, shows it for all.
fn limited_three_times(world: &World, why: &str) {
    settings(world, LONG, 3);
    ends_as(world, "limited", why, 3);
}

/// For a person at once, however many attempts there are.
fn refused(world: &World, why: &str) {
    settings(world, LONG, 3);
    ends_as(world, "permission_refused", why, 1);
}

fn silent(world: &World, silence: &str) {
    settings(world, silence, 1);
    ends_as(world, "unavailable", "no output for", 1);
}

/// The agent takes half an answer for a whole one, and is asked again in vain.
fn invalid(world: &World, why: &str) {
    settings(world, LONG, 1);
    ends_as(world, "invalid", why, 3);
}

/// Some tell their times in whole minutes, and some wait a little longer than they were told.
const ABOUT_AN_HOUR_MS: std::ops::Range<u64> = (AN_HOUR_S - 120) * 1_000..(AN_HOUR_S + 600) * 1_000;

/// A limit that ends in an hour: the dispatch waits until then, and no retry is spent.
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
    let ends = ends(world, FIRST);
    assert_eq!(ends.len(), 1, "{ends:#?}");
    assert_eq!(ends[0]["end"], "parked", "{ends:#?}");
    let until: Timestamp = serde_json::from_value(ends[0]["until"].clone()).unwrap();
    let wait_ms = until.ms_since(clock::now());
    assert!(ABOUT_AN_HOUR_MS.contains(&wait_ms), "it waits for {wait_ms} ms: {ends:#?}");
    let scheduled = world.repo.events("retry_scheduled");
    assert_eq!(scheduled[0]["why"], "parked", "{scheduled:?}");
    met_the_fault(world, FIRST);
    world.is_quiet();
}

/// Once each, in the way of a role of one session, and how the attempts of that role then end. The session comes to its end.
fn goes_on(test: &str, kind: Kind, faults: &[(&str, ServiceFault, &[&str])]) {
    let Some(programs) = or_skip(test) else { return };
    let world = World::new(programs, kind, |session| {
        let mut script = crew::script(session);
        for (role, fault, _) in faults {
            put_in_the_way(&mut script, role, fault.clone(), Some(1));
        }
        script
    });
    settings(&world, LONG, 3);
    world.lean().exits(0).says("DONE");
    for (role, fault, attempts) in faults {
        let ends = ends(&world, role);
        let kinds: Vec<&str> = ends.iter().filter_map(|end| end["end"].as_str()).collect();
        assert_eq!(kinds, *attempts, "{fault:?} in the way of {role}: {ends:#?}");
        met_the_fault(&world, role);
    }
    world.is_quiet();
}

/// Faults that an agent gets over by itself, as a rule.
fn passing(
    after_cut: &'static [&'static str],
) -> [(&'static str, ServiceFault, &'static [&'static str]); 3] {
    [
        ("SpecAgent", ServiceFault::Cut, after_cut),
        ("Coder", ServiceFault::WrongArguments, &["replied"]),
        ("Reviewer", retry_after(1), &["replied"]),
    ]
}

#[test]
fn claude_continues_after_a_cut_wrong_arguments_and_a_short_wait() {
    goes_on("claude_continues", CLAUDE, &passing(&["replied"]));
}

#[test]
fn codex_continues_after_a_cut_wrong_arguments_and_a_short_wait() {
    goes_on("codex_continues", CODEX, &passing(&["replied"]));
}

/// It asks again after an answer that makes no sense, but not after one that was cut: that is for us to do.
#[test]
fn gemini_is_tried_again_after_a_cut_and_continues_after_wrong_arguments_and_a_short_wait() {
    goes_on("gemini_is_tried_again", GEMINI, &passing(&["unavailable", "replied"]));
}

#[test]
fn goose_continues_after_a_cut_wrong_arguments_and_a_short_wait() {
    goes_on("goose_continues", GOOSE, &passing(&["replied"]));
}

/// Whose service fails like this for ever, and how it ends.
macro_rules! faults {
    ($($name:ident: $kind:expr, $fault:expr => $check:ident($($argument:expr),*);)+) => {
        $(#[test]
        fn $name() {
            let Some(programs) = or_skip(stringify!($name)) else { return };
            let world = World::new(programs, $kind, |session| faulty(session, $fault, None));
            $check(&world $(, $argument)*);
        })+
    };
}

faults! {
    claude_rate_limit: CLAUDE, status(429) => limited("rate_limit");
    claude_long_wait: CLAUDE, retry_after(AN_HOUR_S) => parked();
    claude_usage_limit: CLAUDE, usage_limit() => parked();
    claude_server_error: CLAUDE, status(500) => unavailable("500: ");
    claude_no_login: CLAUDE, status(401) => refused("status 401");
    claude_hang: CLAUDE, ServiceFault::Hang => silent(SHORT);
    claude_stall: CLAUDE, stall() => silent(SHORT);
    claude_garbage: CLAUDE, ServiceFault::Garbage => unavailable("API Error");
    claude_cut: CLAUDE, ServiceFault::Cut => unavailable("Connection to the API was lost");
    claude_truncated: CLAUDE, ServiceFault::Truncated => unavailable("API Error");
    claude_broken_off: CLAUDE, ServiceFault::BrokenOff => unavailable("500: ");

    codex_rate_limit: CODEX, status(429) => limited_three_times("429 Too Many Requests");
    codex_long_wait: CODEX, retry_after(AN_HOUR_S) => parked();
    codex_usage_limit: CODEX, usage_limit() => parked();
    codex_server_error: CODEX, status(500) => unavailable("temporary errors");
    codex_no_login: CODEX, status(401) => refused("status 401");
    codex_hang: CODEX, ServiceFault::Hang => silent(SHORT);
    codex_stall: CODEX, stall() => silent(SHORT);
    codex_garbage: CODEX, ServiceFault::Garbage => unavailable("stream disconnected");
    codex_cut: CODEX, ServiceFault::Cut => unavailable("stream disconnected");
    codex_truncated: CODEX, ServiceFault::Truncated => unavailable("stream closed");
    codex_broken_off: CODEX, ServiceFault::BrokenOff => unavailable("The server had an error");

    gemini_rate_limit: GEMINI, status(429) => unavailable("429: ");
    gemini_long_wait: GEMINI, retry_after(AN_HOUR_S) => parked();
    gemini_usage_limit: GEMINI, usage_limit() => parked();
    gemini_server_error: GEMINI, status(500) => unavailable("500: ");
    gemini_no_login: GEMINI, status(401) => refused("status 401");
    gemini_hang: GEMINI, ServiceFault::Hang => silent(SHORT_ON_NODE);
    gemini_stall: GEMINI, stall() => silent(SHORT_ON_NODE);
    gemini_garbage: GEMINI, ServiceFault::Garbage => unavailable("Incomplete JSON");
    gemini_cut: GEMINI, ServiceFault::Cut => unavailable("terminated");
    gemini_truncated: GEMINI, ServiceFault::Truncated => unavailable("Incomplete JSON");
    gemini_broken_off: GEMINI, ServiceFault::BrokenOff => unavailable("API Error");

    goose_rate_limit: GOOSE, status(429) => unavailable("429: ");
    goose_long_wait: GOOSE, retry_after(AN_HOUR_S) => parked();
    goose_usage_limit: GOOSE, usage_limit() => parked();
    goose_server_error: GOOSE, status(500) => unavailable("500: ");
    goose_no_login: GOOSE, status(401) => refused("Status: 401");
    goose_hang: GOOSE, ServiceFault::Hang => silent(SHORT);
    goose_stall: GOOSE, stall() => silent(SHORT);
    goose_garbage: GOOSE, ServiceFault::Garbage => unavailable("Stream decode error");
    goose_cut: GOOSE, ServiceFault::Cut => unavailable("Stream decode error");
    // It does not look for the end of an answer, nor at an error within.
    goose_truncated: GOOSE, ServiceFault::Truncated => invalid("reply.not_json");
    goose_broken_off: GOOSE, ServiceFault::BrokenOff => invalid("reply.not_json");
}

/// The crew, whose allowance with one vendor is used up, and nobody says until when.
fn used_up(session: &str, with: Dialect) -> Script {
    let mut script = faulty(session, without_a_time(), None);
    script.rules[0].when.contains = Some("# You are ".to_owned());
    script.rules[0].when.dialect = Some(with);
    script
}

fn without_a_time() -> ServiceFault {
    let error = json!({"type": "usage_limit_reached", "message": "The usage limit has been reached", "plan_type": "plus"});
    let body = Some(json!({"error": error}));
    ServiceFault::Status { code: 429, retry_after: None, headers: Default::default(), body }
}

#[test]
fn r107_the_next_agent_takes_over_from_one_whose_limit_has_no_time() {
    let test = "r107_the_next_agent_takes_over_from_one_whose_limit_has_no_time";
    let Some(programs) = or_skip(test) else { return };
    let codex_is_out = |session: &str| used_up(session, Dialect::OpenaiResponses);
    let mut world = World::new(programs, CODEX, codex_is_out);
    world.add_agent(programs, "other", GOOSE);
    let path = world.repo.root().join("tollgate.toml");
    let text = fs::read_to_string(&path).unwrap();
    let named = "[agent.agent]\nfallback = [\"other\"]\n";
    fs::write(&path, text.replace("[agent.agent]\n", named)).unwrap();
    world.repo.settings("[roles]\ndefault = \"agent\"\n");
    settings(&world, LONG, 1);
    world.lean().exits(0).says("DONE");
    assert_eq!(world.delivered("app.txt"), "one\na line of T-001\n");
    let ended = world.repo.events("attempt_ended");
    let replied: Vec<_> = ended.iter().filter(|event| event["end"]["end"] == "replied").collect();
    assert!(!replied.is_empty() && replied.len() < ended.len(), "{ended:#?}");
    let status = world.repo.status();
    let first = &status["dispatches"][0];
    assert_eq!((&first["role"], &first["agent"]), (&FIRST.into(), &"other".into()), "{status:#}");
    met_the_fault(&world, FIRST);
    world.is_quiet();
}
