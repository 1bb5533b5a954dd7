//! Copied and moved session folders, and several worktrees of one repository.

use crate::identity::{at_the_gate, everything, finish, forget_anchors};
use crate::support::{APPROVE, GOAL, PER_BATCH, Ran, Repo, eventually, ran};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn r166_a_journal_in_another_sessions_folder_is_refused() {
    let repo = at_the_gate();
    let copy = repo.root().join(".agents-work/2020-01-01_copy");
    copy_folder(&repo.session(), &copy);
    for command in ["status", "audit", "resume"] {
        let refused = repo.tollgate(&[command, "2020-01-01_copy"]).exits(6);
        assert!(refused.err.contains("belongs to session"), "{command}: {}", refused.err);
    }
    repo.tollgate(&["audit", "--verify", "2020-01-01_copy"]).exits(6);
    let listed = repo.tollgate(&["sessions"]).exits(0);
    assert!(listed.err.contains("2020-01-01_copy") && listed.out.contains("unreadable"));
}

fn copy_folder(from: &Path, to: &Path) {
    assert!(Command::new("cp").args(["-a"]).args([from, to]).status().unwrap().success());
}

#[test]
fn r166_two_engines_never_work_on_one_session_wherever_its_folder_lies() {
    let repo = Repo::with(json!([
        {"when": {"role": "Architect"}, "do": {"default": true, "sleep_ms": 3000}}
    ]));
    let (other, there) = worktree(&repo);
    let mut engine = repo.start(&["run", "--no-input", GOAL]);
    eventually("the start of Architect", || repo.starts_of("Architect") == 1);
    copy_folder(&repo.root().join(".agents-work"), &other.join(".agents-work"));
    let second = there(&["resume", "--no-input"]).exits(5);
    assert!(second.err.contains(&format!("pid {}", engine.id())), "{}", second.err);
    assert_eq!(engine.wait().unwrap().code(), Some(3));
    assert_eq!(repo.starts_of("Architect"), 1);
    // The original continued, so the copy is behind what was written.
    there(&["resume", "--no-input"]).exits(6);
}

/// Names of the sessions whose folders lie in a worktree.
fn sessions_in(worktree: &Path) -> Vec<String> {
    let entries = fs::read_dir(worktree.join(".agents-work")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Another worktree of the repository, and what a command does there.
fn worktree(repo: &Repo) -> (PathBuf, impl Fn(&[&str]) -> Ran) {
    let other = repo.outside("other");
    repo.git(&["worktree", "add", "--quiet", other.to_str().unwrap()]);
    fs::copy(repo.root().join("tollgate.toml"), other.join("tollgate.toml")).unwrap();
    (other.clone(), move |args: &[&str]| ran(repo.command(args).current_dir(&other)))
}

#[test]
fn r166_the_same_goal_in_another_worktree_is_another_session() {
    let repo = at_the_gate();
    let (other, there) = worktree(&repo);
    let name = repo.session_name();
    let refs_of_it = || repo.git(&["for-each-ref", &format!("refs/tollgate/keep/{name}")]);
    let before = (everything(&repo).0, refs_of_it());
    there(&["run", "--no-input", GOAL]).exits(3);
    assert_eq!(sessions_in(&other), [format!("{name}-2")]);
    assert_eq!((everything(&repo).0, refs_of_it()), before);
    repo.tollgate(&["audit", "--verify"]).exits(0);
    finish(&repo).exits(0);
    there(&["answer", "latest", APPROVE.0, APPROVE.1, "--resume"]).exits(3);
    there(&["answer", "latest", PER_BATCH.0, PER_BATCH.1, "--resume"]).exits(0);
}

#[test]
fn r166_the_same_goal_at_the_same_time_in_two_worktrees_is_two_sessions() {
    let repo = Repo::with(json!([
        {"when": {"role": "Architect"}, "do": {"default": true, "sleep_ms": 1000}}
    ]));
    let (other, there) = worktree(&repo);
    let mut engine = repo.start(&["run", "--no-input", GOAL]);
    there(&["run", "--no-input", GOAL]).exits(3);
    assert_eq!(engine.wait().unwrap().code(), Some(3));
    let (here, there_too) = (sessions_in(&repo.root()), sessions_in(&other));
    assert!(here.len() == 1 && there_too.len() == 1, "{here:?} {there_too:?}");
    assert_ne!(here, there_too);
    repo.resume().exits(3).says(APPROVE.0);
    there(&["resume", "--no-input"]).exits(3).says(APPROVE.0);
}

#[test]
fn r166_a_copy_in_another_worktree_is_refused_while_the_original_is_there() {
    let repo = Repo::with(json!([
        {"when": {"role": "Architect"}, "do": {"default": true, "sleep_ms": 2000}}
    ]));
    let (other, there) = worktree(&repo);
    let mut engine = repo.start(&["run", "--no-input", GOAL]);
    eventually("the start of Architect", || repo.starts_of("Architect") == 1);
    engine.kill().unwrap();
    engine.wait().unwrap();
    copy_folder(&repo.root().join(".agents-work"), &other.join(".agents-work"));
    let copied = other.join(".agents-work").join(repo.session_name()).join("journal.jsonl");
    let before = fs::read(&copied).unwrap();
    for command in [
        &["resume", "--no-input"][..],
        &["resume", "--no-input", "--accept-older-journal"],
        &["cancel", "--reason", "enough"],
    ] {
        let refused = there(command).exits(6).says("is a copy");
        refused.says(&repo.session().display().to_string());
    }
    assert_eq!(fs::read(&copied).unwrap(), before);
    assert_eq!(repo.starts_of("Architect"), 1);
    // The original continues, and its agent with it.
    repo.resume().exits(3).says(APPROVE.0);
    assert_eq!(repo.starts_of("Architect"), 1);
}

#[test]
fn r166_a_session_continues_in_a_worktree_that_was_moved() {
    let repo = Repo::new();
    let (other, there) = worktree(&repo);
    there(&["run", "--no-input", GOAL]).exits(3).says(APPROVE.0);
    let moved = repo.outside("moved");
    let (from, to) = (other.to_str().unwrap(), moved.to_str().unwrap());
    repo.git(&["worktree", "move", "--force", from, to]);
    let there = |args: &[&str]| ran(repo.command(args).current_dir(&moved));
    there(&["resume", "--no-input"]).exits(3).says(APPROVE.0);
    there(&["answer", "latest", APPROVE.0, APPROVE.1, "--resume"]).exits(3);
    there(&["answer", "latest", PER_BATCH.0, PER_BATCH.1, "--resume"]).exits(0);
}

#[test]
fn r166_a_moved_a_copied_and_a_forgetful_place_continue() {
    let repo = at_the_gate();
    // A state directory that is lost.
    fs::remove_dir_all(repo.outside("state")).unwrap();
    repo.resume().exits(3);
    forget_anchors(&repo);
    repo.resume().exits(3);
    // A copy of the whole repository has a branch and workspaces of its own: both continue, each for itself.
    let copy = repo.outside("copy");
    copy_folder(&repo.root(), &copy);
    let there = |args: &[&str]| ran(repo.command(args).current_dir(&copy));
    there(&["answer", "latest", APPROVE.0, APPROVE.1, "--resume"]).exits(3);
    there(&["answer", "latest", PER_BATCH.0, PER_BATCH.1, "--resume"]).exits(0);
    repo.resume().exits(3);
    // A repository that was moved.
    let moved = repo.outside("moved");
    fs::rename(repo.root(), &moved).unwrap();
    fs::create_dir(repo.root()).unwrap();
    let there = |args: &[&str]| ran(repo.command(args).current_dir(&moved));
    there(&["audit", "--verify"]).exits(0);
    there(&["answer", "latest", APPROVE.0, APPROVE.1, "--resume"]).exits(3);
    there(&["answer", "latest", PER_BATCH.0, PER_BATCH.1, "--resume"]).exits(0);
}
