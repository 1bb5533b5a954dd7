//! What every command takes, and what an agent was told.

use crate::support::{Repo, ran};
use serde_json::json;

#[test]
fn r185_a_command_works_in_the_folder_that_it_is_given() {
    let repo = Repo::new();
    repo.lean().exits(0);
    let name = repo.session_name();
    let mut elsewhere = repo.command(&["-C", "repo/.agents-work", "status", "latest"]);
    let shown = ran(elsewhere.current_dir(repo.outside("."))).exits(0);
    assert!(shown.out.contains(&name), "{}", shown.out);
    let mut gone = repo.command(&["status", "-C", "nowhere"]);
    ran(&mut gone).exits(2).says("cannot work in nowhere: ");
}

#[test]
fn r185_colours_are_used_as_told() {
    let repo = Repo::new();
    let escape = "\u{1b}[";
    let always = repo.tollgate(&["--color", "always", "status"]).exits(2);
    assert!(always.err.contains(escape), "{}", always.err);
    for quiet in [&["status"][..], &["status", "--color", "never"]] {
        let shown = repo.tollgate(quiet).exits(2);
        assert!(!shown.err.contains(escape), "{}", shown.err);
    }
    repo.tollgate(&["--color", "blue", "status"])
        .exits(2)
        .says("possible values: auto, always, never");
}

#[test]
fn r183_what_a_command_wrote_can_be_read_and_followed() {
    let repo = Repo::with(json!([{
        "when": {"role": "Coder"},
        "do": {"default": true, "stderr": "looks at app.txt\n\u{1b}[31mwrites it\n"}
    }]));
    repo.lean().exits(0);
    let coder = repo.dispatch_of("Coder", 0).to_string();
    let shown = repo.tollgate(&["logs", &coder]).exits(0);
    assert!(shown.out.contains("│ looks at app.txt"), "{}", shown.out);
    assert!(shown.out.contains("writes it") && !shown.out.contains('\u{1b}'), "{}", shown.out);
    let followed = repo.tollgate(&["logs", "latest", &coder, "--follow"]).exits(0);
    assert_eq!(followed.out, shown.out);
    repo.tollgate(&["logs", "latest", "99"]).exits(2).says("has no dispatch 99");
    repo.tollgate(&["logs", "latest", "x"]).exits(2).says("is not the number of a dispatch");
}

#[test]
fn r183_quiet_tells_the_end_and_verbose_every_step() {
    let repo = Repo::new();
    let quiet = repo.tollgate(&["-q", "run", "--lean", "Add a line"]).exits(0);
    assert!(!quiet.err.contains("Coder") && quiet.err.contains("DONE"), "{}", quiet.err);
    let plain = repo.tollgate(&["run", "--lean", "Add a line"]).exits(0);
    assert_eq!(plain.err.matches("Coder T-001").count(), 1, "{}", plain.err);
    assert!(plain.err.contains("✓ #2 Coder T-001"), "{}", plain.err);
    let verbose = repo.tollgate(&["-v", "run", "--lean", "Add a line"]).exits(0);
    assert!(verbose.err.matches("Coder T-001").count() > 2, "{}", verbose.err);
}

#[test]
fn r183_what_an_agent_was_told_can_be_read() {
    let repo = Repo::new();
    repo.lean().exits(0);
    let told = repo.tollgate(&["prompt", "1"]).exits(0);
    let kept = repo.session_file("dispatches/1/attempt-1/prompt.md");
    assert_eq!(told.out.trim_end(), kept.trim_end());
    let first = repo.tollgate(&["prompt", "latest", "1", "--attempt", "1"]).exits(0);
    assert_eq!(first.out, told.out);
    let json = repo.tollgate(&["prompt", "1", "--json"]).exits(0).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["role"], json["prompt"].as_str()), (&"SpecAgent".into(), Some(&*kept)));
    let parts = json["parts"].as_array().unwrap();
    let bytes = |part: &serde_json::Value| part["bytes"].as_u64().unwrap();
    assert_eq!(parts.iter().map(bytes).sum::<u64>(), kept.len() as u64);
    let sizes = repo.tollgate(&["prompt", "1", "--sizes"]).exits(0).out;
    assert!(sizes.contains("Your role") && sizes.contains("in all"), "{sizes}");
    let role = repo.tollgate(&["prompt", "--role", "Reviewer"]).exits(0).out;
    assert!(role.starts_with("# You are Reviewer\n") && role.contains("review_comments"), "{role}");
    repo.tollgate(&["prompt", "--role", "reviewr"])
        .exits(2)
        .says("did you mean `tollgate prompt --role Reviewer`?");
    repo.tollgate(&["prompt"]).exits(2);
    repo.tollgate(&["prompt", "latest"]).exits(2).says("no number of a dispatch");
    repo.tollgate(&["prompt", "1", "--role", "Reviewer"]).exits(2);
    repo.tollgate(&["prompt", "99"]).exits(2).says("has no dispatch 99");
    repo.tollgate(&["prompt", "1", "--attempt", "7"]).exits(2).says("has no prompt");
}
