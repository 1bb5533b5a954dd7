//! Files that an agent leaves still parse.

use crate::support::plan::{Planned, planner};
use crate::support::{APPROVE, PER_BATCH, Repo};
use serde_json::{Value, json};

/// A Coder that leaves this text in the file; from the given attempt on it leaves the good one.
fn coder(file: &str, bad: &str, good: &str, good_from: u32) -> Vec<Value> {
    let leaves = |text: &str, attempt: u32| {
        json!({"when": {"role": "Coder", "attempt": attempt},
               "do": {"default": true, "write": {file: text}}})
    };
    (1..=4).map(|attempt| leaves(if attempt < good_from { bad } else { good }, attempt)).collect()
}

fn session(file: &'static str, before: &str, bad: &str, good: &str, good_from: u32) -> Repo {
    let mut rules = vec![planner(&[Planned::new("T-001", file)])];
    rules.extend(coder(file, bad, good, good_from));
    let repo = Repo::with(json!(rules));
    if !before.is_empty() {
        repo.write(file, before);
        repo.git(&["add", file]);
        repo.git(&["commit", "-qm", "before"]);
    }
    repo
}

#[test]
fn r151_code_that_does_not_parse_goes_back_with_its_place_and_is_taken_once_it_does() {
    let repo = session("src/lib.rs", "fn a() {}\n", "fn a() {\n    1 +\n}\n", "fn b() {}\n", 2);
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let coder = repo.dispatch_of("Coder", 0);
    let errors = repo.input(coder, 2)["previous_errors"].to_string();
    for words in ["work.syntax", "src/lib.rs:2", "Rust"] {
        assert!(errors.contains(words), "{errors}");
    }
    let kept = repo.git(&["show", &format!("tollgate/{}:src/lib.rs", repo.session_name())]);
    assert!(kept.contains("fn b() {}"), "{kept}");
}

#[test]
fn r151_a_file_that_stays_broken_waits_for_a_person_and_is_in_no_commit() {
    let repo = session("app.json", "", "{\"a\": 1,\n}\n", "{}\n", 9);
    repo.through(&[APPROVE, PER_BATCH]).exits(4).says("app.json:2").says("syntax_except");
    assert_eq!(repo.starts_of("Coder"), 3, "two re-runs");
    assert_eq!(repo.blocker().0, "subagent_failure");
    let options = repo.status()["pending_decisions"][0]["options"].to_string();
    assert!(options.contains("manual-fix"), "{options}");
    repo.tollgate(&["explain", "work.syntax"]).exits(0);
}

#[test]
fn r151_what_was_broken_before_and_what_the_settings_name_is_left_alone() {
    let broken = "fn a( {\n";
    session("src/lib.rs", broken, "fn a( { more\n", "", 9).through(&[APPROVE, PER_BATCH]).exits(0);
    let repo = session("gen.rs", "", broken, "", 9);
    repo.settings("[check]\nsyntax_except = [\"gen.rs\"]\n");
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
}
