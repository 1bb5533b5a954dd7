//! What a script needs of a session: one object, the name, the exit code.

use crate::support::{APPROVE, Ran, Repo};
use serde_json::{Value, json};
use std::fs;

fn object(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {:?}", ran.out))
}

#[test]
fn r185_the_name_of_the_session_is_on_standard_output() {
    let repo = Repo::new();
    let ran = repo.run().exits(3);
    assert_eq!(ran.out, format!("{}\n", repo.session_name()));
    let ran = repo.resume().exits(3);
    assert_eq!(ran.out, format!("{}\n", repo.session_name()));
    let ran = repo.tollgate(&["answer", APPROVE.0, APPROVE.1]).exits(0);
    assert_eq!(ran.out, format!("{}\n", repo.session_name()));
    repo.resume().exits(3);
    let ran = repo.tollgate(&["answer", "UD-REVIEW-STRATEGY", "per-batch", "--resume"]).exits(0);
    assert_eq!(ran.out, format!("{}\n", repo.session_name()), "it is said once");
}

#[test]
fn r185_words_of_any_length_are_taken_whole_or_refused() {
    let repo = Repo::new();
    repo.run().exits(3);
    // Blanks where an answer would be cut must not hide the rest of it.
    let long = format!("{}{}end", "x".repeat(90 << 10), " ".repeat(20 << 10));
    fs::write(repo.outside("long.md"), long).unwrap();
    let file = repo.outside("long.md").display().to_string();
    let args = ["answer", APPROVE.0, "changes-requested", "--reason-file", &file];
    repo.tollgate(&args).exits(2).says("has more than 102400 bytes");
}

#[test]
fn r185_a_run_ends_with_one_object() {
    let repo = Repo::new();
    let ran = repo.tollgate(&["run", "--json", "Add a line to the app"]).exits(3);
    let told = object(&ran);
    assert_eq!(told["session"], repo.session_name());
    assert_eq!(told["state"], "APPROVE_DESIGN");
    assert_eq!(told["exit"], 3);
    assert_eq!(told["branch"], Value::Null, "nothing is accepted yet");
    assert_eq!(told["decisions"][0]["decision_id"], APPROVE.0);
    assert_eq!(told["decisions"][0]["options"][0]["answer"], "approved");

    let told =
        object(&repo.tollgate(&["answer", "latest", APPROVE.0, APPROVE.1, "--json"]).exits(0));
    assert_eq!(told["decisions"], json!([]));
    assert_eq!(told["exit"], 0);
    let told = object(&repo.tollgate(&["resume", "--json"]).exits(3));
    assert_eq!(told["decisions"][0]["kind"], "strategy");
    let answer = ["answer", "latest", "UD-REVIEW-STRATEGY", "per-batch", "--resume", "--json"];
    let told = object(&repo.tollgate(&answer).exits(0));
    assert_eq!(told["state"], "DONE");
    let branch = told["branch"].as_str().unwrap();
    repo.git(&["rev-parse", "--verify", branch]);
}

#[test]
fn r185_a_failure_is_an_object_too() {
    let repo = Repo::new();
    let told = object(&repo.tollgate(&["resume", "--json"]).exits(2));
    assert_eq!(told["exit"], 2);
    assert_eq!(told["error"]["code"], "cli.session");
    repo.run().exits(3);
    let told = object(&repo.tollgate(&["answer", "latest", APPROVE.0, "maybe", "--json"]).exits(2));
    assert_eq!(told["error"]["code"], "cli.refused");
    assert!(told["error"]["message"].as_str().unwrap().contains("maybe"), "{told}");
}

#[test]
fn r182_the_plan_goes_back_to_the_planner_with_words() {
    let repo = Repo::new();
    repo.run().exits(3);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer("UD-REVIEW-STRATEGY", "changes-requested:").exits(2);
    let asked = repo.answer("UD-REVIEW-STRATEGY", "changes-requested: smaller tasks").exits(3);
    assert!(asked.err.contains("UD-REVIEW-STRATEGY"), "{}", asked.err);
    assert_eq!(repo.starts_of("Planner"), 2);
    let second = repo.dispatch_of("Planner", 1).to_string();
    let told = repo.tollgate(&["prompt", &second]).exits(0);
    assert!(told.out.contains("changes of the plan: smaller tasks"), "{}", told.out);
    repo.answer("UD-REVIEW-STRATEGY", "per-batch").exits(0);
    repo.tollgate(&["check", &format!(".agents-work/{}", repo.session_name())]).exits(0);
}
