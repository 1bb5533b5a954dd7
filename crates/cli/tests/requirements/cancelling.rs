//! What is offered after a cancel, and what happens to a person who follows it to the letter.

use crate::support::plan::{comment, replies};
use crate::support::{Ran, Repo, ran};
use serde_json::json;
use std::fs;
use std::process::Command;

/// A lean session with accepted work that waits for a person, who has kept working meanwhile.
fn at_work() -> Repo {
    let note = json!({"artifacts": {"review_comments": [comment("minor", "short")]}});
    let repo = Repo::with(json!([replies("Reviewer", note)]));
    repo.lean().exits(3).says("UD-1");
    repo.write("app.txt", "one\nmy own line\n");
    repo.write("mine.txt", "mine\n");
    repo
}

/// The same, where the question is whether the work continues at all.
fn given_up() -> Repo {
    let reply = json!({"status": "FAIL", "summary": "it cannot be judged"});
    let repo = Repo::with(json!([replies("Reviewer", reply)]));
    repo.lean().exits(4).says("UD-1");
    repo.write("app.txt", "one\nmy own line\n");
    repo.write("mine.txt", "mine\n");
    repo
}

fn branch(repo: &Repo) -> String {
    format!("tollgate/{}", repo.session_name())
}

/// Runs every command that stands in backticks, as a person would who says yes to all.
fn follows(repo: &Repo, said: &Ran) -> Vec<String> {
    let commands: Vec<String> = said.err.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    for command in &commands {
        let words: Vec<&str> = command.split(' ').collect();
        let (program, args) = words.split_first().unwrap();
        let mut process: Command = match *program {
            "tollgate" => repo.command(args),
            "git" => {
                repo.git(args);
                continue;
            }
            other => panic!("nobody knows {other}"),
        };
        if args.contains(&"restore") {
            process.arg("--yes");
        }
        ran(&mut process);
    }
    commands
}

#[track_caller]
fn expect_own_work(repo: &Repo) {
    let read = |name: &str| fs::read_to_string(repo.root().join(name)).ok();
    assert_eq!(read("app.txt").as_deref(), Some("one\nmy own line\n"));
    assert_eq!(read("mine.txt").as_deref(), Some("mine\n"));
}

#[test]
fn r156_following_the_offer_of_a_cancel_leaves_own_work_and_undoes_the_session() {
    let ways: [(&[&str], Repo); 3] = [
        (&["cancel", "latest", "--reason", "enough"], at_work()),
        (&["answer", "latest", "UD-1", "cancel: enough"], given_up()),
        (&["answer", "latest", "UD-1", "cancel: enough", "--resume"], given_up()),
    ];
    for (way, repo) in ways {
        let said = repo.tollgate(way);
        let followed = follows(&repo, &said);
        expect_own_work(&repo);
        said.says("nothing to undo there");
        assert_eq!(followed, [format!("git branch -D {}", branch(&repo))], "{way:?}");
        assert_eq!(repo.git(&["branch", "--list", "tollgate/*"]), "", "{way:?}");
    }
}

#[test]
fn r156_a_session_without_accepted_work_leaves_nothing_to_undo() {
    let repo = Repo::new();
    repo.run().exits(3);
    repo.write("app.txt", "one\nmy own line\n");
    repo.write("mine.txt", "mine\n");
    let said = repo.tollgate(&["cancel", "latest", "--reason", "enough"]).exits(0);
    let said = said.says("nothing to undo there");
    assert!(follows(&repo, &said).is_empty());
    expect_own_work(&repo);
}

#[test]
fn r156_a_branch_with_own_commits_is_not_offered_for_removal() {
    let repo = at_work();
    let branch = branch(&repo);
    let tree = repo.git(&["rev-parse", &format!("{branch}^{{tree}}")]);
    let tree = tree.trim();
    let own = repo.git(&["commit-tree", tree, "-p", &branch, "-m", "mine"]);
    repo.git(&["update-ref", &format!("refs/heads/{branch}"), own.trim()]);
    let said = repo.tollgate(&["cancel", "latest", "--reason", "enough"]).exits(0);
    let said = said.says("it may contain work of yours");
    assert!(follows(&repo, &said).is_empty());
    assert_eq!(repo.git(&["rev-parse", &branch]), own);
    expect_own_work(&repo);
}
