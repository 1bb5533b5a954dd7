//! A reply that was not accepted: the agent is asked again in its own session, and told what is wrong and nothing else.

use crate::sessions::{CLAUDE, CODEX, GEMINI, GOOSE};
use crate::world::{Kind, World};
use serde_json::Value;
use std::fs;
use tollgate_programs::or_skip;
use tollgate_standin::crew::{self, ASKED_AGAIN, ASKED_FIRST};
use tollgate_standin::{Request, Script};

/// Its second reply is a good one, after which nothing more need be played.
fn hasty(session: &str) -> Script {
    let mut script = crew::hasty(session);
    let fixed = script.rules.iter_mut().find(|rule| rule.name == crew::FIXED).unwrap();
    fixed.then.reply = Some(blocked());
    script
}

/// A reply that stops the session.
pub fn blocked() -> Value {
    let mut reply = crew::ok("This is enough.");
    reply["status"] = "BLOCKED".into();
    reply["gates"]["meets_definition_of_done"] = false.into();
    reply
}

fn asked_again(test: &str, kind: Kind) {
    let Some(programs) = or_skip(test) else { return };
    let world = World::new(programs, kind, hasty);
    world.lean().exits(4).says("This is enough.");
    let ended = world.repo.events("attempt_ended");
    let first = ended.iter().filter(|event| event["number"] == 1);
    let ends: Vec<&str> = first.filter_map(|event| event["end"]["end"].as_str()).collect();
    assert_eq!(ends, ["invalid", "replied"], "{ended:#?}");
    let sessions = [1, 2].map(|attempt| agent_session(&world, attempt));
    assert!(sessions[0].is_some() && sessions[0] == sessions[1], "{sessions:?}");
    let asked = world.service.requests();
    let mut again = asked.iter().filter(|request| request.rule.as_deref() == Some(crew::FIXED));
    goes_on(again.next().expect("it was asked again"));
    world.is_quiet();
}

/// The request has the first conversation in it, once, and the new question after it.
#[track_caller]
fn goes_on(request: &Request) {
    assert!(!request.asked.contains(ASKED_FIRST), "the whole prompt again: {}", request.asked);
    let body = request.body.to_string();
    let count = |words: &str| body.matches(words).count();
    assert_eq!((count(ASKED_FIRST), count(ASKED_AGAIN)), (1, 1), "{body}");
    assert!(count(crew::HASTY_SUMMARY) > 0, "what the model replied first is gone: {body}");
}

/// The agent's own name for the session that an attempt of the first dispatch continued in.
fn agent_session(world: &World, attempt: u32) -> Option<String> {
    let path = format!("dispatches/1/attempt-{attempt}/stdout.log");
    let transcript = fs::read_to_string(world.repo.session().join(path)).unwrap();
    let lines = transcript.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut started = lines.filter(|line| line["event"] == "started");
    started.next()?["session"].as_str().map(str::to_owned)
}

macro_rules! asked_again {
    ($($name:ident: $kind:expr;)+) => {
        $(#[test]
        fn $name() {
            asked_again(stringify!($name), $kind);
        })+
    };
}

asked_again! {
    claude_is_asked_again_in_its_session: CLAUDE;
    codex_is_asked_again_in_its_session: CODEX;
    gemini_is_asked_again_in_its_session: GEMINI;
    goose_is_asked_again_in_its_session: GOOSE;
}
