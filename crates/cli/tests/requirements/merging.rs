//! Finished work is taken over by a command, under the name of the person.

use crate::support::plan::{objection, writes};
use crate::support::{Ran, Repo};
use serde_json::{Value, json};
use std::fs;

/// A lean session that is done; it adds a line to app.txt.
fn done() -> Repo {
    let repo = Repo::new();
    repo.lean().exits(0);
    repo
}

fn head(repo: &Repo) -> String {
    repo.git(&["rev-parse", "main"]).trim().to_owned()
}

fn merge(repo: &Repo, more: &[&str]) -> Ran {
    repo.tollgate(&[&["merge"], more].concat())
}

fn advance_main(repo: &Repo, path: &str, text: &str) {
    repo.write(path, text);
    repo.git(&["add", path]);
    repo.git(&["commit", "--quiet", "--message", "meanwhile"]);
}

#[test]
fn r188_the_branch_moves_forward_and_the_files_of_the_checkout_follow() {
    let repo = done();
    let tip = repo.git(&["rev-parse", &format!("tollgate/{}", repo.session_name())]);
    merge(&repo, &[]).exits(0).says("moved forward").says("tollgate rm");
    assert_eq!(head(&repo), tip.trim());
    let text = fs::read_to_string(repo.root().join("app.txt")).unwrap();
    assert!(text.starts_with("one\nT-001: "), "{text}");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    merge(&repo, &[]).exits(0).says("already");
}

#[test]
fn r188_one_commit_has_all_of_the_work_and_says_what_it_is() {
    let repo = done();
    let before = head(&repo);
    let merged = merge(&repo, &["--squash", "--json"]).exits(0);
    let told: Value = serde_json::from_str(&merged.out).unwrap();
    assert_eq!((told["how"].as_str(), told["branch"].as_str()), (Some("squash"), Some("main")));
    assert_eq!(told["commit"].as_str().unwrap(), head(&repo));
    assert_eq!(repo.git(&["rev-parse", "main^"]).trim(), before);
    let message = repo.git(&["log", "-1", "--format=%B", "main"]);
    assert!(message.starts_with("Add a line to the app\n\n"), "{message}");
    assert!(message.contains("\nAssisted-by: crew\n"), "{message}");
    merge(&repo, &[]).exits(0).says("already");
}

#[test]
fn r188_a_branch_that_moved_is_merged_after_the_checks_ran_on_both() {
    let repo = Repo::new();
    let checked = repo.open_outside("checked");
    let count = format!("sh -c 'cat other.txt >> {}/log 2>&1; true'", checked.display());
    repo.crew(json!([writes("SpecAgent", "tasks.yaml", &plan(&count))]));
    repo.lean().exits(0);
    advance_main(&repo, "other.txt", "from main\n");
    let main = head(&repo);
    let merged = merge(&repo, &["--json"]).exits(0);
    let told: Value = serde_json::from_str(&merged.out).unwrap();
    assert_eq!(told["how"], "merge");
    assert_eq!(told["checks"][0]["passed"], true, "{told}");
    let log = fs::read_to_string(checked.join("log")).unwrap();
    assert!(log.ends_with("from main\n"), "the checks saw the files of both sides: {log}");
    assert_eq!(repo.git(&["rev-parse", "main^1"]).trim(), main);
    assert!(fs::read_to_string(repo.root().join("app.txt")).unwrap().contains("T-001"));
}

#[test]
fn r188_what_fails_on_both_together_is_not_merged() {
    let repo = Repo::new();
    let check = "! { test -e other.txt && grep T-001 app.txt; }";
    repo.crew(json!([writes("SpecAgent", "tasks.yaml", &plan(check))]));
    repo.lean().exits(0);
    advance_main(&repo, "other.txt", "from main\n");
    let main = head(&repo);
    let refused = merge(&repo, &[]).exits(1).says("the checks fail on main with the work in it");
    assert!(refused.err.contains("T-001: dispatch"), "the output is shown: {}", refused.err);
    assert_eq!(head(&repo), main);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    merge(&repo, &[]).exits(1).says("the checks fail");
}

#[test]
fn r188_what_failed_on_the_branch_before_does_not_stop_the_merge() {
    let repo = Repo::new();
    repo.crew(json!([writes("SpecAgent", "tasks.yaml", &plan("! test -e other.txt"))]));
    repo.lean().exits(0);
    advance_main(&repo, "other.txt", "from main\n");
    merge(&repo, &[]).exits(0).says("as it did on main before");
    assert!(repo.git(&["show", "main:app.txt"]).contains("T-001"));
}

#[test]
fn r188_a_conflict_changes_nothing() {
    let repo = done();
    advance_main(&repo, "app.txt", "another one\n");
    let main = head(&repo);
    merge(&repo, &[]).exits(1).says("app.txt").says("git merge");
    assert_eq!(head(&repo), main);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn r188_what_is_not_committed_is_never_overwritten() {
    let repo = done();
    let main = head(&repo);
    repo.write("app.txt", "not committed\n");
    merge(&repo, &[]).exits(2).says("app.txt").says("stash");
    assert_eq!(head(&repo), main);
    assert_eq!(fs::read_to_string(repo.root().join("app.txt")).unwrap(), "not committed\n");
    repo.git(&["checkout", "--quiet", "app.txt"]);
    repo.write("unrelated.txt", "mine\n");
    merge(&repo, &[]).exits(0);
    assert_eq!(fs::read_to_string(repo.root().join("unrelated.txt")).unwrap(), "mine\n");
}

#[test]
fn r188_a_branch_that_is_not_checked_out_moves_without_the_files() {
    let repo = done();
    repo.git(&["switch", "--quiet", "--create", "elsewhere"]);
    merge(&repo, &[]).exits(0);
    assert!(repo.git(&["show", "main:app.txt"]).contains("T-001"));
    assert_eq!(fs::read_to_string(repo.root().join("app.txt")).unwrap(), "one\n");
}

#[test]
fn r188_only_a_session_that_is_done_is_merged() {
    let repo = Repo::new();
    repo.run().exits(3);
    merge(&repo, &[]).exits(2).says("is not done").says("tollgate status");
    repo.tollgate(&["cancel", "--reason", "no"]).exits(0);
    merge(&repo, &[]).exits(2).says("is not done");
}

#[test]
fn r188_commits_carry_the_person_and_name_the_agent() {
    let repo = Repo::new();
    repo.git(&["config", "user.name", "Jane Doe"]);
    repo.git(&["config", "user.email", "jane@example.org"]);
    repo.lean().exits(0);
    let branch = format!("tollgate/{}", repo.session_name());
    let shown = repo.git(&["log", "-1", "--format=%an <%ae> %cn <%ce>%n%B", &branch]);
    assert!(
        shown.starts_with("Jane Doe <jane@example.org> Jane Doe <jane@example.org>\n"),
        "{shown}"
    );
    assert!(shown.contains("\nAssisted-by: crew\n"), "{shown}");
    assert!(shown.contains("\nTollgate-Task: T-001\n"), "{shown}");
}

/// The subjects of the commits on the session's branch, the first one first.
fn subjects(repo: &Repo) -> Vec<String> {
    let range = format!("main..tollgate/{}", repo.session_name());
    let log = repo.git(&["log", "--reverse", "--format=%s", &range]);
    log.lines().map(str::to_owned).collect()
}

#[test]
fn r188_the_subject_of_a_commit_is_the_title_of_its_task_and_a_repair_says_that_it_fixes_it() {
    let plan = writes("SpecAgent", "tasks.yaml", &plan("true"));
    let review =
        json!({"when": {"role": "Reviewer", "nth": 1}, "do": {"reply": objection("wrong")}});
    let repo = Repo::with(json!([plan, review]));
    repo.lean().exits(0);
    assert_eq!(subjects(&repo), ["Change app.txt", "Fix: Change app.txt"]);
}

#[test]
fn r188_the_subject_of_a_repair_of_all_of_the_work_names_what_the_session_is_for() {
    let verify = ["cmd: ! grep -q T-001 app.txt"];
    let criterion = json!({"id": "AC-001", "description": "no task is named", "verify": verify});
    let criteria = json!({"acceptance_criteria": [criterion]}).to_string();
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent"}, "do": {"default": true, "write": {
            ".agents-work/{session}/tasks.yaml": plan("true"),
            ".agents-work/{session}/acceptance.json": criteria
        }}},
        {"when": {"role": "Coder", "nth": 2}, "do": {"write": {"app.txt": "one\ntwo\n"}}},
    ]));
    repo.lean().exits(0);
    let subjects = subjects(&repo);
    assert_eq!(subjects.first().map(String::as_str), Some("Change app.txt"));
    assert!(
        subjects[1..].iter().all(|subject| subject == "Fix: Add a line to the app"),
        "{subjects:?}"
    );
}

#[test]
fn r188_the_settings_say_who_signs_and_whether_agents_are_named() {
    let repo = Repo::new();
    repo.settings("[commit]\nauthor = \"Robot <robot@example.org>\"\ntrailer = false");
    repo.lean().exits(0);
    let branch = format!("tollgate/{}", repo.session_name());
    let shown = repo.git(&["log", "-1", "--format=%an <%ae>%n%B", &branch]);
    assert!(shown.starts_with("Robot <robot@example.org>\n"), "{shown}");
    assert!(!shown.contains("Assisted-by"), "{shown}");
    let bad = Repo::new();
    bad.settings("[commit]\nauthor = \"Robot\"");
    bad.lean().exits(2).says("config.author");
}

fn plan(check: &str) -> String {
    let check = serde_json::to_string(&format!("cmd: {check}")).unwrap();
    format!(
        "project:\n  name: app\n  definition_of_done: [\"every check passes\"]\ntasks:\n  - id: T-001\n    \
         status: not-started\n    type: feat\n    title: Change app.txt\n    depends_on: []\n    \
         goal: app.txt has one line more\n    non_goals: []\n    context_files: []\n    \
         files_expected: [app.txt]\n    acceptance_checks: [{check}]\n    risk_flags: [none]\n    \
         done_when: [\"app.txt has the line\"]\n"
    )
}
