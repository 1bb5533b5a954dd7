//! What comes into the branch of the person, and what is said of it.

use crate::route::{leaves, route};
use crate::support::plan::{Planned, plan, planner, writes};
use crate::support::{APPROVE, PER_BATCH, Ran, Repo};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

fn done() -> Repo {
    let repo = Repo::new();
    repo.lean().exits(0);
    repo
}

/// A lean session that is done; its work is a new file.
fn done_with(file: &'static str) -> Repo {
    let task = Planned::new("T-001", file);
    let repo = Repo::with(json!([writes("SpecAgent", "tasks.yaml", &plan(&[task]))]));
    repo.lean().exits(0);
    repo
}

fn branch(repo: &Repo) -> String {
    format!("tollgate/{}", repo.session_name())
}

fn at(repo: &Repo, name: &str) -> String {
    repo.git(&["rev-parse", name]).trim().to_owned()
}

fn merge(repo: &Repo, more: &[&str]) -> Ran {
    repo.tollgate(&[&["merge"], more].concat())
}

fn commit(repo: &Repo, path: &str, text: &str) {
    repo.write(path, text);
    repo.git(&["add", "--force", path]);
    repo.git(&["commit", "--quiet", "--message", "meanwhile"]);
}

#[test]
fn r188_the_branch_that_is_checked_out_is_not_taken_for_the_target() {
    let repo = done();
    repo.git(&["switch", "--quiet", &branch(&repo)]);
    merge(&repo, &[]).exits(0).says("main moved forward");
    assert_eq!(at(&repo, "main"), at(&repo, &branch(&repo)));
    merge(&repo, &[]).exits(0).says("already");
}

#[test]
fn r188_the_work_of_a_second_life_is_merged_beside_that_of_the_first() {
    let of_life = |file| json!([planner(&[Planned::new("T-001", file)])]);
    let repo = Repo::with(of_life("one.txt"));
    repo.run().exits(3);
    let older = repo.session_file("journal.jsonl");
    let finish = || {
        repo.answer(APPROVE.0, APPROVE.1).exits(3);
        repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    };
    finish();
    merge(&repo, &["--squash"]).exits(0);
    merge(&repo, &[]).exits(0).says("already");
    fs::write(repo.session().join("journal.jsonl"), older).unwrap();
    repo.crew(of_life("two.txt"));
    repo.tollgate(&["resume", "--no-input", "--accept-older-journal"]).exits(3);
    assert_eq!(repo.git(&["for-each-ref", "refs/tollgate/landed"]), "", "it is of the first life");
    finish();
    repo.tollgate(&["rm", "latest"]).exits(2).says("is not merged");
    merge(&repo, &[]).exits(0).does_not_say("already");
    assert_eq!(
        repo.git(&["ls-tree", "--name-only", "main", "one.txt", "two.txt"]).lines().count(),
        2
    );
}

#[test]
fn r188_merge_options_of_the_branch_do_not_keep_it_where_it_is() {
    for options in ["--squash", "--no-commit --no-ff", "--squash --no-commit"] {
        let repo = done();
        repo.git(&["config", "branch.main.mergeOptions", options]);
        merge(&repo, &[]).exits(0).says("moved forward");
        assert_eq!(at(&repo, "main"), at(&repo, &branch(&repo)), "{options}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
    }
}

#[test]
fn r188_without_checks_nothing_is_said_to_have_passed_any() {
    let write = "{dispatch: Docs, state: PLAN, outputs: [docs/plan.md], writes: ['docs/**']}";
    let repo =
        route(json!([leaves("Docs", json!({"docs/plan.md": "# Plan\n\nOne.\n"}))]), &[write]);
    repo.tollgate(&["run", "--no-input", "--action", "x", "Make it"]).exits(0);
    commit(&repo, "other.txt", "from main\n");
    let said = merge(&repo, &[]).exits(0).says("a merge of both").says("no check");
    said.does_not_say("passed the checks");
    assert_eq!(repo.git(&["show", "main:docs/plan.md"]), "# Plan\n\nOne.\n");
    let checked = done();
    merge(&checked, &[]).exits(0).says("passed the checks at the end");
}

#[test]
fn r188_commits_that_a_person_added_to_the_session_are_named_when_they_are_left_out() {
    let repo = done();
    let branch = branch(&repo);
    repo.git(&["switch", "--quiet", &branch]);
    commit(&repo, "mine.txt", "mine\n");
    repo.git(&["switch", "--quiet", "main"]);
    let said = merge(&repo, &[]).exits(0).says("1 commit").says(&format!("git merge {branch}"));
    drop(said);
    let again = merge(&repo, &["--json"]).exits(0);
    let told: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!((told["how"].as_str(), told["left_out"].as_u64()), (Some("already"), Some(1)));
    repo.git(&["merge", "--quiet", &branch]);
    merge(&repo, &[]).exits(0).does_not_say("git merge");
}

#[test]
fn r188_ignored_files_and_folders_are_never_overwritten() {
    let repo = done_with("docs/new.txt");
    commit(&repo, ".git-info", "so that there is another commit\n");
    repo.git(&["reset", "--quiet", "--hard", "HEAD^"]);
    fs::write(repo.root().join(".git/info/exclude"), "docs\n/.agents-work/\n").unwrap();
    let main = at(&repo, "main");
    let refused = |named: &str| {
        merge(&repo, &[]).exits(2).says(named).says("stash").does_not_say("git merge");
        assert_eq!(at(&repo, "main"), main);
    };
    repo.write("docs/new.txt", "mine\n");
    refused("change them: docs/new.txt");
    assert_eq!(fs::read_to_string(repo.root().join("docs/new.txt")).unwrap(), "mine\n");
    fs::remove_file(repo.root().join("docs/new.txt")).unwrap();
    repo.write("docs/new.txt/inner.txt", "mine\n");
    refused("change them: docs/new.txt/\n");
    fs::remove_dir_all(repo.root().join("docs")).unwrap();
    repo.write("docs", "mine\n");
    refused("change them: docs");
    fs::remove_file(repo.root().join("docs")).unwrap();
    repo.write("docs/other.txt", "mine\n");
    merge(&repo, &[]).exits(0);
    assert_eq!(fs::read_to_string(repo.root().join("docs/other.txt")).unwrap(), "mine\n");
}

#[test]
fn r188_a_worktree_whose_folder_is_gone_stops_nothing() {
    let repo = done();
    repo.git(&["switch", "--quiet", "--create", "mine"]);
    let elsewhere = repo.outside("elsewhere");
    repo.git(&["worktree", "add", "--quiet", &elsewhere.display().to_string(), "main"]);
    fs::remove_dir_all(elsewhere).unwrap();
    merge(&repo, &[]).exits(0).says("moved forward");
    assert_eq!(at(&repo, "main"), at(&repo, &branch(&repo)));
}

#[test]
fn r188_what_others_did_meanwhile_is_not_in_the_difference() {
    let repo = Repo::with(json!([planner(&[Planned::new("T-001", "app.txt")])]));
    repo.through(&[APPROVE]).exits(3);
    commit(&repo, "other.txt", "of main\n");
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    assert_eq!(repo.events("base_merge_ended").len(), 1, "the control: main is in the work");
    let names = repo.tollgate(&["diff", "--name-only"]).exits(0).out;
    assert!(names.contains("app.txt") && !names.contains("other.txt"), "{names}");
    let told = repo.tollgate(&["diff", "--json"]).exits(0).out;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["from"], at(&repo, "main"));
}

/// Settings under which git prints patches that it would not take itself.
const UNUSUAL: [(&str, &str); 8] = [
    ("diff.noprefix", "true"),
    ("diff.mnemonicPrefix", "true"),
    ("diff.orderFile", "order"),
    ("diff.relative", "true"),
    ("diff.context", "0"),
    ("diff.renames", "copies"),
    ("diff.submodule", "log"),
    ("diff.wsErrorHighlight", "all"),
];

#[test]
fn r188_the_printed_patch_applies_whatever_the_settings_and_files_are() {
    let act = json!({"default": true, "run": ["sh", "-c", "printf 'a\\000b\\001' > bin.dat"]});
    let text = plan(&[Planned { risk: "[none]", ..Planned::new("T-001", "app.txt") }]);
    let text = text.replace("files_expected: [app.txt]", "files_expected: [app.txt, bin.dat]");
    let coder = json!({"when": {"role": "Coder"}, "do": act});
    let repo = Repo::with(json!([writes("SpecAgent", "tasks.yaml", &text), coder]));
    repo.lean().exits(0);
    for (name, value) in UNUSUAL {
        repo.git(&["config", name, value]);
    }
    repo.write("order", "zzz\n");
    let printed = repo.tollgate(&["diff"]).exits(0).out;
    let told: Value = serde_json::from_str(&repo.tollgate(&["diff", "--json"]).out).unwrap();
    assert_eq!(told["patch"], printed);
    let patch = repo.outside("work.patch");
    fs::write(&patch, printed).unwrap();
    let clone = repo.outside("clone");
    let git = |folder: &std::path::Path, args: &[&str]| {
        let mut command = Command::new("git");
        let output = command.current_dir(folder).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let (from, to) = (repo.root().display().to_string(), clone.display().to_string());
    git(&repo.root(), &["clone", "--quiet", &from, &to]);
    git(&clone, &["apply", "--index", &patch.display().to_string()]);
    assert_eq!(git(&clone, &["write-tree"]), at(&repo, &format!("{}^{{tree}}", branch(&repo))));
}
