//! What goes wrong between an agent and its model: each fault ends in its class of the failure table, and nothing is left.

use crate::world::{Kind, World};
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;
use tollgate_programs::or_skip;
use tollgate_standin::{Answer, Fault, Script, When, crew};

/// Long enough for the slowest start of a program, short enough for a test.
const SILENCE: &str = "[timeout]\nsilence = \"12s\"\n";

pub fn status(code: u16) -> Fault {
    let (headers, body) = (Default::default(), None);
    Fault::Status { code, retry_after: None, headers, body }
}

/// The crew, with a fault in the way of its first role.
fn faulty(session: &str, fault: Fault, times: Option<u32>) -> Script {
    let mut script = crew::script(session);
    let mut wrong = script.rules[0].clone();
    wrong.name = "fault".to_owned();
    wrong.when = When { asked: Some("# You are SpecAgent\n".to_owned()), ..When::default() };
    wrong.then = Answer { fault: Some(fault), ..wrong.then };
    wrong.times = times;
    script.rules.insert(0, wrong);
    script
}

/// How the attempts of the first dispatch ended.
fn ends(world: &World) -> Vec<String> {
    let ended = world.repo.events("attempt_ended");
    let first = ended.iter().filter(|event| event["number"] == 1);
    first.map(|event| event["end"]["end"].as_str().unwrap_or_default().to_owned()).collect()
}

/// For good: every attempt ends like this, and a person is asked.
pub fn ends_as(test: &str, kind: Kind, fault: Fault, end: &str, attempts: usize) {
    let Some(programs) = or_skip(test) else { return };
    let world = World::new(programs, kind, |session| faulty(session, fault, None));
    world.repo.settings(SILENCE);
    world.lean().exits(4).says("UD-1");
    assert_eq!(ends(&world), vec![end; attempts], "{:#?}", world.repo.events("attempt_ended"));
    world.is_quiet();
}

/// Once: the session comes to its end all the same.
pub fn survives(test: &str, kind: Kind, fault: Fault) {
    let Some(programs) = or_skip(test) else { return };
    let world = World::new(programs, kind, |session| faulty(session, fault, Some(1)));
    world.repo.settings(SILENCE);
    world.lean().exits(0).says("DONE");
    world.is_quiet();
}

/// A limit with a time: the dispatch waits for it, and no retry is spent.
pub fn is_parked(test: &str, kind: Kind, fault: Fault) {
    let Some(programs) = or_skip(test) else { return };
    let world = World::new(programs, kind, |session| faulty(session, fault, None));
    world.repo.settings(SILENCE);
    let args = ["run", "--no-input", "--lean", "--slug", "lines", "Add a line"];
    let mut run = world.command(&args).stderr(Stdio::piped()).spawn().unwrap();
    let is_scheduled = || {
        let journal = world.repo.root().join(".agents-work").join(crate::world::session());
        journal.join("journal.jsonl").exists() && !world.repo.events("retry_scheduled").is_empty()
    };
    // Agents wait and try again by themselves for a while before they give up.
    for _ in 0..600 {
        if is_scheduled() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let scheduled: Vec<Value> = world.repo.events("retry_scheduled");
    assert_eq!(ends(&world), ["parked"]);
    assert_eq!(scheduled[0]["why"], "parked", "{scheduled:?}");
    run.kill().unwrap();
    run.wait().unwrap();
    world.is_quiet();
}

/// The faults of one program, and how each ends; a list of attempts' ends, or DONE.
macro_rules! faults {
    ($($name:ident: $kind:expr, $fault:expr => $check:ident($($argument:expr),*);)+) => {
        $(#[test]
        fn $name() {
            $check(stringify!($name), $kind, $fault $(, $argument)*);
        })+
    };
}

const CLAUDE: Kind = crate::sessions::CLAUDE;

faults! {
    claude_rate_limit: CLAUDE, status(429) => ends_as("unavailable", 3);
    claude_rate_limit_with_a_reset: CLAUDE, limit() => is_parked();
    claude_server_error: CLAUDE, status(500) => ends_as("unavailable", 3);
    claude_no_login: CLAUDE, status(401) => ends_as("permission_refused", 1);
    claude_hang: CLAUDE, Fault::Hang => ends_as("unavailable", 3);
    claude_stall: CLAUDE, Fault::Stall { ms: 600_000 } => ends_as("unavailable", 3);
    claude_garbage: CLAUDE, Fault::Garbage => ends_as("unavailable", 3);
    claude_cut: CLAUDE, Fault::Cut => survives();
    claude_wrong_arguments: CLAUDE, Fault::WrongArguments => survives();
}

fn limit() -> Fault {
    Fault::UsageLimit { resets_in_s: 3_600 }
}
