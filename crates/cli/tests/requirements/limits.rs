//! Money, tokens and time: what is counted, what happens at a limit, and who takes over when an agent is out of its own.

use crate::support::{Repo, scripted};
use serde_json::{Value, json};
use std::fs;

fn costs(role: &str, usd: f64) -> Value {
    let usage = json!({"input_tokens": 100, "output_tokens": 20, "usd": usd});
    json!({"when": {"role": role}, "do": {"default": true, "reply": {"usage": usage}}})
}

#[test]
fn r106_the_ledger_is_shown_by_role_and_dispatch_and_what_is_unknown_is_called_so() {
    let repo = Repo::with(json!([costs("SpecAgent", 0.6)]));
    repo.settings("[limits]\nusd = 5.0");
    repo.run().exits(3).says("crew did not report what it cost");
    let status = repo.status();
    let spend = &status["spend"];
    assert_eq!((&spend["usd"], &spend["usd_unknown"]), (&json!(0.6), &json!(1)));
    assert_eq!((&spend["attempts"], &spend["tokens_unknown"]), (&json!(2), &json!(1)));
    assert_eq!(status["spend_by"]["role"]["SpecAgent"]["output_tokens"], 20);
    assert_eq!(status["spend_by"]["role"]["Architect"]["usd"], Value::Null);
    assert_eq!(status["spend_by"]["agent"]["crew"]["usd"], 0.6);
    assert_eq!(status["dispatches"][0]["spend"]["usd"], 0.6);
    assert_eq!(status["dispatches"][1]["spend"]["usd"], Value::Null);
    let words =
        "usd 0.60 (1 attempt unknown), tokens in 100, out 20 (1 attempt unknown), 2 attempts";
    for command in ["status", "audit"] {
        let shown = repo.tollgate(&[command]).exits(0).out;
        assert!(shown.contains(words), "{shown}");
        assert!(shown.contains("Architect   cost unknown, 1 attempt"), "{shown}");
    }
    let evidence = repo.session_file("evidence/action-context.md");
    assert!(evidence.contains("attempt 1: cost usd 0.60, tokens in 100, out 20"), "{evidence}");
    assert!(evidence.contains("attempt 1: cost usd unknown"), "{evidence}");
    // Nothing is counted again by a new process.
    repo.resume().exits(3);
    assert_eq!(repo.status()["spend"], *spend);
}

#[test]
fn r106_what_is_left_is_given_to_an_attempt_before_it_starts_and_a_used_up_limit_asks() {
    let repo = Repo::with(json!([costs("SpecAgent", 0.6), costs("Architect", 0.6)]));
    repo.settings("[limits]\nusd = 1.0");
    repo.run().exits(3);
    let given: Vec<Value> = repo.events("attempt_started");
    assert_eq!(given[0]["allowance"]["micro_usd"], 1_000_000);
    assert_eq!(given[1]["allowance"]["micro_usd"], 400_000);
    repo.answer("UD-APPROVE-DESIGN", "approved").exits(4).says("1.20 of 1.00 US dollars");
    assert_eq!(repo.blocker().0, "budget");
    assert_eq!(repo.starts_of("Planner"), 0);
    repo.answer("UD-1", "retry").exits(3).says("UD-REVIEW-STRATEGY");
    assert_eq!(repo.starts_of("Planner"), 1);
}

#[test]
fn r106_an_attempt_has_no_more_time_than_is_left_and_then_the_limit_is_asked_about() {
    let repo =
        Repo::with(json!([{"when": {"role": "SpecAgent", "nth": 1}, "do": {"sleep_ms": 600_000}}]));
    repo.settings("[limits]\nwall = \"1s\"");
    repo.run().exits(4).says("budget").says("agents ran for 1 s of 1 s");
    assert_eq!(repo.events("attempt_ended")[0]["end"]["end"], "timed_out");
    repo.answer("UD-1", "retry").exits(4);
    assert_eq!(repo.starts_of("SpecAgent"), 2);
}

#[test]
fn r107_the_next_of_the_list_takes_over_and_no_retry_is_spent() {
    let parked = json!({"exit": 75, "stderr": "limit\nretry-after: 3600\n"});
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent", "nth": 1}, "do": parked}]));
    let other = repo.outside("other.json");
    fs::write(&other, "{}").unwrap();
    let path = repo.root().join("tollgate.toml");
    let settings = fs::read_to_string(&path).unwrap();
    let settings = settings.replace("[agent.crew]\n", "[agent.crew]\nfallback = [\"other\"]\n");
    fs::write(&path, settings).unwrap();
    repo.settings("transient_attempts = 1");
    repo.settings(&scripted("other", &other));
    repo.run().exits(3).says("crew has reached its usage limit until").says("other takes over");
    let started = repo.events("attempt_started");
    let by: Vec<&Value> = started.iter().map(|event| &event["agent"]).collect();
    assert_eq!(by, [&Value::Null, &json!("other"), &json!("other")], "Architect goes to it too");
    assert_eq!(started[1]["stands_in_for"], "crew");
    assert_eq!(repo.events("retry_scheduled")[0]["why"], "fallback");
    let status = repo.status();
    assert_eq!(status["parked"][0]["agent"], "crew");
    assert_eq!(status["spend_by"]["agent"]["other"]["attempts"], 2);
    let shown = repo.tollgate(&["status"]).exits(0).out;
    assert!(shown.contains("parked    crew until "), "{shown}");
    assert!(shown.contains("  agent   other "), "{shown}");
    let evidence = repo.session_file("evidence/action-context.md");
    assert!(evidence.contains("agent `other` in place of `crew`"), "{evidence}");
    repo.tollgate(&["audit", "--verify"]).exits(0);
}
