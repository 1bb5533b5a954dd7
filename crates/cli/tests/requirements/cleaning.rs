//! Sessions are removed, and what ended ones hold is freed, without losing what nobody has.

use crate::support::{Repo, files_below, ran};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use tollgate_files::crash::POINTS_AFTER_THE_END;

/// A lean session that is done; its work is on its own branch only.
pub fn done() -> Repo {
    let repo = Repo::new();
    repo.lean().exits(0);
    repo
}

pub fn merged() -> Repo {
    let repo = done();
    repo.tollgate(&["merge"]).exits(0);
    repo
}

fn refs(repo: &Repo) -> String {
    repo.git(&["for-each-ref", "--format=%(refname)", "refs/tollgate", "refs/heads/tollgate"])
}

/// Everything that is left in the state directory but locks and what is known of the repository.
fn state(repo: &Repo) -> Vec<PathBuf> {
    let mut files = files_below(&repo.outside("state"));
    let is_small = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.contains(".lock") || path.components().any(|part| part.as_os_str() == "repositories")
    };
    files.retain(|path| !is_small(path));
    files
}

pub fn expect_gone(repo: &Repo) {
    assert_eq!(refs(repo), "");
    assert_eq!(state(repo), Vec::<PathBuf>::new());
    let left = fs::read_dir(repo.root().join(".agents-work")).unwrap().count();
    assert_eq!(left, 0);
    let notes = repo.root().join(".git/tollgate");
    assert_eq!(fs::read_dir(notes).into_iter().flatten().count(), 0);
}

#[test]
fn r184_a_session_that_is_merged_goes_with_all_that_it_holds() {
    let repo = merged();
    assert!(repo.git(&["show", "main:app.txt"]).contains("T-001"));
    repo.tollgate(&["rm", "latest"]).exits(0).says("removed").says("freed");
    expect_gone(&repo);
    assert!(repo.git(&["show", "main:app.txt"]).contains("T-001"));
    repo.tollgate(&["rm", "latest"]).exits(2).says("there are no sessions");
    repo.lean().exits(0);
    assert!(!repo.session_name().ends_with("-2"), "the name is free again");
}

#[test]
fn r184_what_is_not_merged_or_not_over_is_removed_only_by_force() {
    let repo = done();
    let before = refs(&repo);
    repo.tollgate(&["rm", "latest"]).exits(2).says("is not merged").says("--force");
    assert_eq!(refs(&repo), before);
    repo.tollgate(&["rm", "latest", "--force"]).exits(0);
    expect_gone(&repo);
    let waiting = Repo::new();
    waiting.run().exits(3);
    waiting.tollgate(&["rm", "latest"]).exits(2).says("has not ended");
    assert_eq!(waiting.tollgate(&["status"]).code, 0);
}

#[test]
fn r184_one_refusal_keeps_all_that_were_named() {
    let repo = Repo::new();
    repo.tollgate(&["run", "--no-input", "--lean", "--slug", "first", "Add a line"]).exits(0);
    repo.tollgate(&["merge"]).exits(0);
    repo.tollgate(&["run", "--no-input", "--lean", "--slug", "second", "Add a line"]).exits(0);
    repo.tollgate(&["rm", "first", "second"]).exits(2);
    assert_eq!(repo.tollgate(&["sessions", "--json"]).out.matches("\"session\"").count(), 2);
    repo.tollgate(&["rm", "2"]).exits(0);
    repo.tollgate(&["status", "second"]).exits(0);
}

#[test]
fn r184_commits_that_a_person_added_to_the_branch_are_not_merged() {
    let repo = merged();
    let branch = format!("tollgate/{}", repo.session_name());
    repo.git(&["switch", "--quiet", &branch]);
    repo.tollgate(&["rm", "latest"]).exits(2).says("checked out");
    repo.write("mine.txt", "mine\n");
    repo.git(&["add", "mine.txt"]);
    repo.git(&["commit", "--quiet", "--message", "mine"]);
    repo.git(&["switch", "--quiet", "main"]);
    repo.tollgate(&["rm", "latest"]).exits(2).says("is not merged");
    repo.settings(AT_ONCE);
    repo.tollgate(&["gc"]).exits(0).says("is not merged");
    assert!(repo.git(&["show", &format!("{branch}:mine.txt")]).contains("mine"));
}

#[test]
fn r184_a_session_that_runs_is_left_alone() {
    let repo = Repo::with(serde_json::json!([
        {"when": {"role": "SpecAgent"}, "do": {"default": true, "sleep_ms": 20_000}}
    ]));
    let mut run = repo.start(&["run", "--no-input", "--lean", "Add a line"]);
    crate::support::eventually("the agent works", || repo.tollgate(&["status"]).code == 0);
    repo.tollgate(&["rm", "latest", "--force"]).exits(5);
    repo.settings(AT_ONCE);
    let freed = repo.tollgate(&["gc", "--json"]).exits(0);
    assert_eq!(serde_json::from_str::<Value>(&freed.out).unwrap()["items"], serde_json::json!([]));
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn r184_what_ended_sessions_hold_is_freed_after_so_many_days() {
    let repo = merged();
    let young = repo.tollgate(&["gc"]).exits(0).says("nothing to free");
    assert_eq!(young.out, "");
    repo.settings(AT_ONCE);
    let before = (refs(&repo), state(&repo));
    let planned = repo.tollgate(&["gc", "--dry-run"]).exits(0).says("would be freed");
    assert_eq!((refs(&repo), state(&repo)), before, "a dry run changes nothing");
    let freed = repo.tollgate(&["gc"]).exits(0).says("freed");
    assert_eq!(planned.out, freed.out);
    assert!(refs(&repo).lines().all(|name| name.contains("/landed/")), "{}", refs(&repo));
    let logs = files_below(&repo.session());
    assert!(!logs.iter().any(|path| path.ends_with("stdout.log")), "{logs:?}");
    assert!(logs.iter().any(|path| path.ends_with("reply.json")), "what was said stays");
    repo.tollgate(&["status"]).exits(0);
    repo.tollgate(&["audit", "--verify"]).exits(0);
    repo.tollgate(&["gc"]).exits(0).says("nothing to free");
    repo.tollgate(&["rm", "latest"]).exits(0);
    expect_gone(&repo);
}

#[test]
fn r184_snapshots_that_are_too_old_are_freed() {
    let repo = done();
    repo.lean().exits(0);
    let count = || repo.tollgate(&["snapshot", "list", "--json"]).out.matches("\"id\"").count();
    assert_eq!(count(), 2);
    repo.settings("[snapshot]\nkeep = 1");
    let planned = repo.tollgate(&["gc", "--dry-run"]).exits(0).out;
    assert!(planned.contains("snapshots  1 snapshot too old"), "{planned}");
    assert_eq!(count(), 2);
    let freed = repo.tollgate(&["gc"]).exits(0).out;
    assert_eq!(freed, planned);
    assert_eq!(count(), 1);
}

#[test]
fn r184_workspaces_of_a_session_whose_folder_is_gone_are_freed() {
    let repo = done();
    let name = repo.session_name();
    fs::remove_dir_all(repo.session()).unwrap();
    let held = || state(&repo).into_iter().filter(|path| path.ends_with("tree/app.txt")).count();
    assert!(held() > 0);
    repo.tollgate(&["gc"]).exits(0).says("nothing to free");
    repo.settings("[gc]\nworkspace_days = 0");
    let freed = repo.tollgate(&["gc"]).exits(0).out;
    assert!(freed.contains(&format!("{name}  2 workspaces")), "{freed}");
    assert_eq!(held(), 0);
    let branch = repo.git(&["show", &format!("tollgate/{name}:app.txt")]);
    assert!(branch.contains("T-001"), "the work stays on its branch");
}

#[test]
fn r184_the_list_shows_what_a_session_holds_and_who_must_act() {
    let repo = Repo::new();
    repo.tollgate(&["run", "--no-input", "--slug", "waits", "Add a line"]).exits(3);
    repo.tollgate(&["run", "--no-input", "--slug", "ends", "Add a line"]).exits(3);
    repo.tollgate(&["cancel", "ends", "--reason", "no"]).exits(0);
    let listed = repo.tollgate(&["sessions"]).exits(0).out;
    let line = |part: &str| listed.lines().find(|line| line.contains(part)).unwrap();
    assert!(line("waits").contains("your turn") && line("waits").contains("KiB"), "{listed}");
    assert!(line("ends").contains("CANCELLED") && !line("ends").contains("BLOCKED"), "{listed}");
    let again = repo.tollgate(&["sessions"]).exits(0).out;
    assert_eq!(again, listed, "the second look is from memory");
    let json: Value = serde_json::from_str(&repo.tollgate(&["sessions", "--json"]).out).unwrap();
    assert_eq!(json[0]["standing"], "cancelled");
    assert!(json[1]["disk_bytes"].as_u64().unwrap() > 10_000, "{json}");
}

#[test]
fn r186_sessions_of_every_repository_are_listed() {
    let repo = Repo::new();
    repo.run().exits(3);
    let elsewhere = repo.outside("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let mut command = repo.command(&["sessions", "--all"]);
    let listed = ran(command.current_dir(&elsewhere)).exits(0);
    assert!(listed.out.contains(&repo.root().display().to_string()), "{}", listed.out);
    assert!(listed.out.contains(&repo.session_name()), "{}", listed.out);
    let mut command = repo.command(&["sessions", "--all", "--json"]);
    let listed = ran(command.current_dir(&elsewhere)).exits(0);
    let json: Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!(json[0]["repository"], repo.root().display().to_string());

    // A session of an earlier version, or with a new state directory, is found from its next run on.
    fs::remove_dir_all(repo.outside("state/repositories")).unwrap();
    repo.resume().exits(3);
    let mut command = repo.command(&["sessions", "--all"]);
    let listed = ran(command.current_dir(&elsewhere)).exits(0);
    assert!(listed.out.contains(&repo.session_name()), "{}", listed.out);
}

#[test]
fn r184_gc_says_of_every_session_why_it_stays() {
    let repo = Repo::new();
    repo.tollgate(&["run", "--no-input", "--lean", "--slug", "mine", "Add a line"]).exits(0);
    repo.tollgate(&["run", "--no-input", "--lean", "--slug", "torn", "Add a line"]).exits(0);
    let journal = repo.session().join("journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.replacen("session_opened", "session_broken", 1)).unwrap();
    let said = repo.tollgate(&["gc"]).exits(0);
    let said = said.says("_mine is not merged; `tollgate diff");
    let line = said.err.lines().find(|line| line.contains("torn")).unwrap();
    assert!(line.contains("cannot be read: "), "{line}");
    let told: Value = serde_json::from_str(&repo.tollgate(&["gc", "--json"]).out).unwrap();
    let kept = told["kept"].as_array().unwrap();
    let whys: Vec<&str> = kept.iter().map(|kept| kept["why"].as_str().unwrap()).collect();
    assert_eq!(whys, ["unreadable", "unmerged"]);
    assert!(kept.iter().all(|kept| kept["session"].is_string()), "{told}");
}

/// Frees all that it may.
pub const AT_ONCE: &str = "[gc]\nworkspace_days = 0\ntranscript_days = 0\nref_days = 0";

/// A session that was merged, after a `gc` that was killed: it is whole, and two more make an end of it.
fn expect_gc_to_end_well(repo: &Repo) {
    repo.tollgate(&["status"]).exits(0);
    repo.tollgate(&["audit", "--verify"]).exits(0);
    repo.tollgate(&["gc"]).exits(0);
    repo.tollgate(&["gc"]).exits(0).says("nothing to free");
    repo.tollgate(&["rm", "latest"]).exits(0);
    expect_gone(repo);
}

/// Kills `args` at a point, and says whether it got there.
fn killed_at(repo: &Repo, args: &[&str], point: &str) -> bool {
    let output = repo.command(args).env("TOLLGATE_CRASH_AT", point).output().unwrap();
    output.status.signal() == Some(9)
}

#[test]
fn r184_killed_at_any_instant_a_removal_leaves_a_whole_session_or_none() {
    let points = POINTS_AFTER_THE_END.iter().filter(|point| point.starts_with("remove."));
    for point in points {
        let repo = merged();
        let session = repo.session();
        assert!(killed_at(&repo, &["rm", "latest"], point), "{point} was not reached");
        let listed = repo.tollgate(&["sessions", "--json"]).exits(0).out;
        let is_listed = listed.contains("\"session\"");
        assert_eq!(is_listed, session.exists(), "{point}");
        if is_listed {
            repo.tollgate(&["audit", "--verify"]).exits(0);
            repo.tollgate(&["rm", "latest"]).exits(0);
        } else {
            repo.tollgate(&["gc"]).exits(0);
        }
        expect_gone(&repo);
    }
}

#[test]
fn r184_killed_at_any_instant_gc_is_finished_by_the_next_one() {
    let points = POINTS_AFTER_THE_END.iter().filter(|point| point.starts_with("gc."));
    for point in points {
        let repo = merged();
        repo.settings(AT_ONCE);
        assert!(killed_at(&repo, &["gc"], point), "{point} was not reached");
        expect_gc_to_end_well(&repo);
    }
}

/// Kills `args` when it removes the Nth thing of the trees that it removes, and says whether there were so many.
fn killed_removing(repo: &Repo, args: &[&str], nth: u32) -> bool {
    let variable = ("TOLLGATE_CRASH_REMOVING", nth.to_string());
    let output = repo.command(args).env(variable.0, variable.1).output().unwrap();
    output.status.signal() == Some(9)
}

/// Early ones each, later ones further apart.
const NTH: [u32; 8] = [1, 2, 3, 5, 8, 13, 21, 34];

#[test]
fn r184_killed_while_a_tree_is_removed_rm_is_finished_by_the_next_command() {
    for (at, nth) in NTH.into_iter().enumerate() {
        let repo = merged();
        if !killed_removing(&repo, &["rm", "latest"], nth) {
            assert!(at > 4, "only {nth} things were removed");
            return;
        }
        let listed = repo.tollgate(&["sessions", "--json"]).exits(0).out;
        assert!(!listed.contains("\"session\""), "{nth}: {listed}");
        // Either of them finishes it.
        match at % 2 {
            0 => repo.tollgate(&["gc"]).exits(0),
            _ => repo.tollgate(&["rm", "latest"]).exits(2).says("there are no sessions"),
        };
        expect_gone(&repo);
    }
}

#[test]
fn r184_killed_while_a_tree_is_removed_gc_leaves_the_session_as_it_is() {
    for (at, nth) in NTH.into_iter().enumerate() {
        let repo = merged();
        repo.settings(AT_ONCE);
        if !killed_removing(&repo, &["gc"], nth) {
            assert!(at > 1, "only {nth} things were removed");
            return;
        }
        let listed = repo.tollgate(&["sessions", "--json"]).exits(0).out;
        assert_eq!(listed.matches("\"session\"").count(), 1, "{nth}: {listed}");
        expect_gc_to_end_well(&repo);
    }
}

/// Done, while the branch that it began from has moved on: the work is merged in a clone, and checked there.
fn done_on_a_moved_branch() -> Repo {
    let repo = done();
    repo.write("other.txt", "from main\n");
    repo.git(&["add", "other.txt"]);
    repo.git(&["commit", "--quiet", "--message", "meanwhile"]);
    repo
}

#[test]
fn r188_killed_at_any_instant_a_merge_into_a_moved_branch_can_be_made_again() {
    let repo = done_on_a_moved_branch();
    let log = repo.outside("points");
    let merged = repo.command(&["merge"]).env("TOLLGATE_CRASH_LOG", &log).output().unwrap();
    assert!(merged.status.success());
    let reached = fs::read_to_string(log).unwrap();
    // Writing a single file is killed in tests of its own.
    let is_own = |point: &&str| !point.starts_with("files.") && !point.starts_with("beneath.");
    let points: BTreeSet<&str> = reached.lines().filter(is_own).collect();
    for wanted in ["create.renamed", "checks.started", "checks.ended", "land.branch_moved"] {
        assert!(points.contains(wanted), "{points:?}");
    }
    for point in points {
        let repo = done_on_a_moved_branch();
        let before = repo.git(&["rev-parse", "main"]);
        // What runs in the supervisor of a check is not killed here.
        if !killed_at(&repo, &["merge"], point) {
            continue;
        }
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{point}");
        repo.tollgate(&["merge"]).exits(0);
        assert!(repo.git(&["show", "main:app.txt"]).contains("T-001"), "{point}");
        assert_eq!(repo.git(&["show", "main:other.txt"]), "from main\n", "{point}");
        assert_eq!(repo.git(&["rev-parse", "main^1"]), before, "{point}: it is merged once");
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{point}");
        repo.tollgate(&["rm", "latest"]).exits(0);
        expect_gone(&repo);
    }
}

#[test]
fn r188_killed_at_any_instant_a_merge_can_be_made_again() {
    let points = POINTS_AFTER_THE_END.iter().filter(|point| point.starts_with("land."));
    for point in points {
        for how in [&["merge"][..], &["merge", "--squash"]] {
            let repo = done();
            assert!(killed_at(&repo, how, point), "{point} was not reached");
            repo.tollgate(how).exits(0);
            assert!(repo.git(&["show", "main:app.txt"]).contains("T-001"), "{point}");
            assert_eq!(repo.git(&["status", "--porcelain"]), "");
            repo.tollgate(&["rm", "latest"]).exits(0);
        }
    }
}
