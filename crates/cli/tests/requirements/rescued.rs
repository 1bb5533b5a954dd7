//! Work that is in no branch, because it was never finished, is kept and named.

use crate::cleaning::expect_gone;
use crate::support::plan::{Planned, plan, writes};
use crate::support::{Repo, eventually, files_below, text};
use serde_json::{Value, json};
use std::fs;
use std::process::Child;

/// Starts a lean session whose Coder changes a file and continues to work; the process that runs it.
fn half_way(repo: &Repo) -> Child {
    let run = repo.start(&["run", "--no-input", "--lean", "Add a line"]);
    eventually("the Coder has changed the file", || {
        let logs = files_below(&repo.root().join(".agents-work"));
        let mut said = logs.iter().filter(|path| path.ends_with("stderr.log"));
        said.any(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("half done")))
    });
    run
}

fn stops_half_way() -> Repo {
    Repo::with(json!([
        {"when": {"role": "Coder"}, "do": {"write": {"app.txt": "one\nhalf done\n"},
            "stderr": "half done\n", "sleep_ms": 60_000}}
    ]))
}

/// A session that was cancelled while its Coder worked: what it had done is kept aside only.
fn cancelled_half_way() -> Repo {
    let repo = stops_half_way();
    let run = half_way(&repo);
    repo.tollgate(&["cancel", "--reason", "no"]).exits(0);
    run.wait_with_output().unwrap();
    repo
}

/// What a command says of the work that it leaves, in one line.
#[track_caller]
fn expect_named(repo: &Repo, said: &str) {
    let rescue = rescues(repo);
    let rescue = rescue.trim();
    assert!(rescue.ends_with("/dispatch-2-attempt-1"), "{rescue:?}");
    let told = format!("unfinished work is kept as {rescue}; `git show {rescue}` shows it");
    assert!(said.contains(&told), "{said}");
}

#[test]
fn r187_a_cancel_from_another_process_names_what_was_left_unfinished_and_so_does_the_run() {
    let repo = stops_half_way();
    let run = half_way(&repo);
    let cancelled = repo.tollgate(&["cancel", "--reason", "no"]).exits(0);
    expect_named(&repo, &cancelled.err);
    let ended = run.wait_with_output().unwrap();
    expect_named(&repo, &text(&ended.stderr));
}

#[test]
fn r187_a_cancel_after_a_kill_keeps_what_was_left_unfinished_and_names_it() {
    let repo = stops_half_way();
    let mut run = half_way(&repo);
    run.kill().unwrap();
    run.wait().unwrap();
    let cancelled = repo.tollgate(&["cancel", "--reason", "no"]).exits(0);
    expect_named(&repo, &cancelled.err);
    repo.tollgate(&["rm", "latest"]).exits(2).says("unfinished work");
}

fn rescues(repo: &Repo) -> String {
    repo.git(&["for-each-ref", "--format=%(refname)", "refs/tollgate/rescue"])
}

#[test]
fn r184_work_that_is_kept_aside_goes_only_when_its_name_is_typed_or_by_force() {
    let repo = cancelled_half_way();
    let rescue = rescues(&repo);
    let rescue = rescue.trim();
    assert!(rescue.ends_with("/dispatch-2-attempt-1"), "{rescue}");
    let refused = repo.tollgate(&["rm", "latest"]).exits(2).says("nothing was removed");
    refused.says(rescue).says(&format!("git show {rescue}")).says("--force");
    assert!(repo.git(&["show", &format!("{rescue}:app.txt")]).contains("half done"));
    repo.tollgate(&["rm", "latest", "--force"]).exits(0);
    expect_gone(&repo);
}

#[test]
fn r184_work_that_is_kept_aside_outlasts_gc_until_a_branch_of_the_person_has_it() {
    let repo = cancelled_half_way();
    repo.settings("[gc]\nworkspace_days = 0\ntranscript_days = 0\nref_days = 0");
    let rescue = rescues(&repo);
    let rescue = rescue.trim();
    let freed = repo.tollgate(&["gc"]).exits(0).says("kept:").says(rescue);
    assert!(!freed.out.contains("merged"), "{}", freed.out);
    assert_eq!(rescues(&repo).trim(), rescue);
    let told: Value = serde_json::from_str(&repo.tollgate(&["gc", "--json"]).out).unwrap();
    assert_eq!(told["kept"][0]["session"], repo.session_name());
    assert_eq!(told["kept"][0]["why"], "unmerged");
    assert!(told["kept"][0]["detail"].as_str().unwrap().contains(rescue), "{told}");
    repo.write("app.txt", "one\nhalf done\n");
    repo.write("more.txt", "and more\n");
    repo.git(&["add", "app.txt", "more.txt"]);
    repo.git(&["commit", "--quiet", "--message", "mine"]);
    repo.tollgate(&["gc"]).exits(0).does_not_say("kept:");
    assert_eq!(rescues(&repo), "", "the branch has all that it held");
}

#[test]
fn r184_what_checks_leave_behind_is_nobodys_work() {
    let task = Planned { checks: r#"["cmd: touch left.txt"]"#, ..Planned::new("T-001", "app.txt") };
    let repo = Repo::with(json!([writes("SpecAgent", "tasks.yaml", &plan(&[task]))]));
    repo.lean().exits(0);
    assert!(rescues(&repo).contains("/checks-"), "{}", rescues(&repo));
    repo.tollgate(&["merge"]).exits(0);
    repo.tollgate(&["rm", "latest"]).exits(0);
    expect_gone(&repo);
}
