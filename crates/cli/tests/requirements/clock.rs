//! A clock that jumps: nothing ends because of it, and nothing waits longer for it than the jump.

use crate::support::{Repo, eventually, ran};
use serde_json::json;
use std::process::Stdio;

const HOUR_MS: i64 = 3_600_000;

/// The clock of the machine, and what is added to it.
fn shifted(repo: &Repo, args: &[&str]) -> std::process::Command {
    let mut command = repo.command(args);
    command.env("TOLLGATE_NOW", format!("shift:{}", repo.outside("shift").display()));
    command
}

fn shift(repo: &Repo, ms: i64) {
    std::fs::write(repo.outside("shift"), ms.to_string()).unwrap();
}

/// A lean session whose Coder is out of its usage limit for two seconds.
fn parks() -> Repo {
    let out = json!({"exit": 75, "stderr": "retry-after: 2\n"});
    Repo::with(json!([{"when": {"role": "Coder", "nth": 1}, "do": out}]))
}

fn is_parked(repo: &Repo) -> bool {
    repo.events("retry_scheduled").iter().any(|event| event["why"] == "parked")
}

#[test]
fn r178_a_clock_set_back_holds_no_deadline() {
    let repo = parks();
    shift(&repo, 0);
    let run = ["run", "--no-input", "--lean", "Add a line"];
    let mut engine = shifted(&repo, &run).stderr(Stdio::null()).spawn().unwrap();
    eventually("the parking", || repo.starts_of("Coder") == 1 && is_parked(&repo));
    shift(&repo, -HOUR_MS);
    eventually("the second start", || repo.starts_of("Coder") == 2);
    assert_eq!(engine.wait().unwrap().code(), Some(0));
}

#[test]
fn r178_a_clock_that_was_ahead_in_an_earlier_life_holds_no_deadline() {
    let repo = Repo::with(json!([{"when": {"role": "Coder", "nth": 1}, "do": {"exit": 1}}]));
    let settings = std::fs::read_to_string(repo.root().join("tollgate.toml")).unwrap();
    repo.write("tollgate.toml", &settings.replace("\"10ms\"", "\"2s\""));
    // The times of this life are an hour ahead, and so is the time that it waits for.
    shift(&repo, HOUR_MS);
    let run = ["run", "--no-input", "--lean", "Add a line"];
    let mut engine = shifted(&repo, &run).stderr(Stdio::null()).spawn().unwrap();
    eventually("the first start", || repo.starts_of("Coder") == 1);
    eventually("the wait", || !repo.events("retry_scheduled").is_empty());
    engine.kill().unwrap();
    engine.wait().unwrap();
    shift(&repo, 0);
    let mut engine =
        shifted(&repo, &["resume", "--no-input"]).stderr(Stdio::null()).spawn().unwrap();
    eventually("the second start", || repo.starts_of("Coder") == 2);
    assert_eq!(engine.wait().unwrap().code(), Some(0));
}

#[test]
fn r178_a_year_that_cannot_be_written_does_not_end_the_engine() {
    let repo = parks();
    shift(&repo, 8_500 * 365 * 24 * HOUR_MS);
    let run = ["run", "--no-input", "--lean", "Add a line"];
    ran(&mut shifted(&repo, &run)).exits(0).says("DONE");
    assert_eq!(repo.starts_of("Coder"), 2);
    repo.tollgate(&["status"]).exits(0);
    repo.tollgate(&["audit", "latest", "--verify"]).exits(0);
    // The clock is right again: what is on record lies ahead, and a new session begins today.
    repo.lean().exits(0);
}

/// At most a jump too early, never later.
#[test]
fn r178_a_clock_set_ahead_ends_the_wait() {
    let out = json!({"exit": 75, "stderr": "retry-after: 3000\n"});
    let repo = Repo::with(json!([{"when": {"role": "Coder", "nth": 1}, "do": out}]));
    shift(&repo, 0);
    let run = ["run", "--no-input", "--lean", "Add a line"];
    let mut engine = shifted(&repo, &run).stderr(Stdio::null()).spawn().unwrap();
    eventually("the parking", || repo.starts_of("Coder") == 1 && is_parked(&repo));
    shift(&repo, HOUR_MS);
    eventually("the second start", || repo.starts_of("Coder") == 2);
    assert_eq!(engine.wait().unwrap().code(), Some(0));
}
