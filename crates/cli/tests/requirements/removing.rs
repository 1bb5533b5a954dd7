//! What a removal may take, and what it must leave: judged again at the moment it goes.

use crate::cleaning::{AT_ONCE, done, expect_gone, merged};
use crate::support::plan::{Planned, plan, writes};
use crate::support::processes::{alive, expect_gone as expect_ended};
use crate::support::{Ran, Repo, eventually, ran};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use tollgate_files::crash::POINTS_AFTER_THE_END;

fn branch(repo: &Repo) -> String {
    format!("tollgate/{}", repo.session_name())
}

fn rm(repo: &Repo, more: &[&str]) -> Ran {
    repo.tollgate(&[&["rm", "latest"], more].concat())
}

/// A git before the real one: after each call it runs this script, with the words of the call in `$all`.
fn git_that_then(repo: &Repo, script: &str) -> String {
    let path = std::env::var("PATH").unwrap();
    let mut folders = std::env::split_paths(&path);
    let real = folders.find(|folder| folder.join("git").is_file()).unwrap().join("git");
    let folder = repo.outside("bin");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("git");
    let text = format!(
        "#!/bin/sh\nreal={real:?}\nall=\" $* \"\n\"$real\" \"$@\"\ncode=$?\n{script}\nexit $code\n"
    );
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{path}", folder.display())
}

/// Runs a command while the person commits to the branch of the session, just after it was looked at so many times.
fn while_the_branch_moves(repo: &Repo, args: &[&str], looks: u32) -> (Ran, String) {
    let branch = branch(repo);
    let tree = format!("{branch}^{{tree}}");
    let mine = repo.git(&["commit-tree", "-p", &branch, "-m", "mine", &tree]).trim().to_owned();
    let root = repo.root();
    let git = format!("\"$real\" -C {root:?} update-ref refs/heads/{branch} {mine}");
    let (flag, count) = (repo.outside("moved"), repo.outside("looks"));
    let script = format!(
        "case $all in *worktreepath*) echo >> {count:?}; \
         test $(wc -l < {count:?}) = {looks} && mkdir {flag:?} && {git};; esac"
    );
    let path = git_that_then(repo, &script);
    let ended = ran(repo.command(args).env("PATH", path));
    assert!(flag.exists(), "the branch did not move: {ended:?}");
    (ended, mine)
}

#[test]
fn r184_a_new_session_of_the_name_outlives_what_is_left_of_a_removal() {
    let points = POINTS_AFTER_THE_END.iter().filter(|point| point.starts_with("remove."));
    for point in points {
        let repo = merged();
        let mut remove = repo.command(&["rm", "latest"]);
        let killed = remove.env("TOLLGATE_CRASH_AT", point).output().unwrap();
        assert_eq!(killed.status.signal(), Some(9), "{point} was not reached");
        repo.lean().exits(0);
        let name = repo.session_name();
        let tip = repo.git(&["rev-parse", &branch(&repo)]);
        repo.tollgate(&["gc"]).exits(0);
        repo.tollgate(&["gc"]).exits(0);
        assert_eq!(repo.session_name(), name, "{point}");
        assert_eq!(repo.git(&["rev-parse", &branch(&repo)]), tip, "{point}");
        repo.tollgate(&["audit", &name, "--verify"]).exits(0);
        repo.tollgate(&["merge"]).exits(0);
    }
}

/// A folder that came back by hand, beside what is left of its removal.
#[test]
fn r184_a_session_that_is_there_again_loses_nothing_to_its_own_removal() {
    let repo = done();
    let session = repo.session();
    let doomed = session.with_file_name(format!(".removed-1-{}", repo.session_name()));
    fs::create_dir(&doomed).unwrap();
    let tip = repo.git(&["rev-parse", &branch(&repo)]);
    repo.tollgate(&["gc"]).exits(0);
    assert!(!doomed.exists());
    assert_eq!(repo.git(&["rev-parse", &branch(&repo)]), tip);
    repo.tollgate(&["audit", "--verify"]).exits(0);
}

#[test]
fn r184_a_note_of_an_earlier_session_of_the_name_says_nothing_of_the_new_one() {
    let repo = done();
    repo.tollgate(&["merge", "--squash"]).exits(0);
    let name = repo.session_name();
    repo.git(&["branch", "--quiet", "--delete", "--force", &branch(&repo)]);
    fs::remove_dir_all(repo.session()).unwrap();
    repo.lean().exits(0);
    assert_eq!(repo.session_name(), name, "the name was free");
    rm(&repo, &[]).exits(2).says("is not merged");
    repo.tollgate(&["merge"]).exits(0).says("moved forward");
    rm(&repo, &[]).exits(0);
    expect_gone(&repo);
}

#[test]
fn r184_only_a_named_branch_of_the_person_has_work_for_good() {
    let repo = done();
    let branch = branch(&repo);
    repo.git(&["switch", "--quiet", "--detach", &branch]);
    rm(&repo, &[]).exits(2).says("is not merged");
    repo.git(&["switch", "--quiet", "--create", "tollgate/other"]);
    rm(&repo, &[]).exits(2).says("is not merged");
    repo.git(&["switch", "--quiet", "--create", "mine"]);
    rm(&repo, &[]).exits(0);
    assert!(repo.git(&["show", "mine:app.txt"]).contains("T-001"));
}

#[test]
fn r184_what_still_runs_for_a_session_is_ended_before_it_goes() {
    let repo = Repo::new();
    let slow = repo.outside("slow.sh");
    fs::write(&slow, "sleep 120; exit").unwrap();
    repo.crew(json!([{"when": {"role": "Coder"}, "do": {"default": true, "run": ["sh", slow]}}]));
    let mut engine = repo.start(&["run", "--no-input", "--lean", "Add a line"]);
    let marker = slow.display().to_string();
    eventually("the agent works", || !alive(&marker).is_empty());
    engine.kill().unwrap();
    engine.wait().unwrap();
    rm(&repo, &[]).exits(2).says("has not ended");
    assert!(!alive(&marker).is_empty(), "the control: a refused removal ends nothing");
    rm(&repo, &["--force"]).exits(0);
    assert!(alive(&marker).is_empty(), "it is ended before the folder goes");
    expect_ended(&repo.root().display().to_string());
    expect_gone(&repo);
}

#[test]
fn r184_a_session_that_lost_its_journal_is_removed_only_by_force() {
    let repo = done();
    fs::write(repo.session().join("journal.jsonl"), "").unwrap();
    repo.settings(AT_ONCE);
    repo.tollgate(&["gc"]).exits(0).says("kept:").says("journal");
    rm(&repo, &[]).exits(2).says("journal").says("--force");
    assert!(repo.git(&["show", &format!("{}:app.txt", branch(&repo))]).contains("T-001"));
    rm(&repo, &["--force"]).exits(0);
    expect_gone(&repo);
}

#[test]
fn r184_a_commit_that_comes_while_gc_works_is_not_lost() {
    for looks in [1, 2] {
        let repo = done();
        repo.tollgate(&["merge", "--squash"]).exits(0);
        repo.settings(AT_ONCE);
        let (ended, mine) = while_the_branch_moves(&repo, &["gc"], looks);
        ended.exits(0);
        assert_eq!(repo.git(&["rev-parse", &branch(&repo)]).trim(), mine);
        repo.tollgate(&["gc"]).exits(0).says("is not merged");
    }
}

#[test]
fn r184_a_commit_that_comes_while_rm_works_is_not_lost() {
    for (looks, code, words) in [(1, 2, "is not merged"), (2, 0, "so it stays")] {
        let repo = done();
        repo.tollgate(&["merge", "--squash"]).exits(0);
        let branch = branch(&repo);
        let (ended, mine) = while_the_branch_moves(&repo, &["rm", "latest"], looks);
        ended.exits(code).says(words);
        assert_eq!(repo.git(&["rev-parse", &branch]).trim(), mine);
        repo.tollgate(&["gc"]).exits(0);
        assert_eq!(repo.git(&["rev-parse", &branch]).trim(), mine, "nor does it go later");
        if code == 0 {
            repo.git(&["branch", "--quiet", "--delete", "--force", &branch]);
            expect_gone(&repo);
        }
    }
}

#[test]
fn r184_the_state_folder_may_be_new() {
    let forget_state = |repo: &Repo| fs::remove_dir_all(repo.outside("state")).unwrap();
    let repo = done();
    forget_state(&repo);
    repo.tollgate(&["merge"]).exits(0).says("moved forward");
    forget_state(&repo);
    repo.settings(AT_ONCE);
    repo.tollgate(&["gc"]).exits(0).says("freed");
    assert_eq!(repo.git(&["branch", "--list", "tollgate/*"]), "");
    forget_state(&repo);
    rm(&repo, &[]).exits(0);
    expect_gone(&repo);
}

#[test]
fn r184_a_branch_that_is_checked_out_is_named_with_the_way_on() {
    let repo = merged();
    let branch = branch(&repo);
    repo.git(&["switch", "--quiet", &branch]);
    let refused = rm(&repo, &[]).exits(2).says("checked out").says("switch to another branch");
    refused.does_not_say("what is left");
    repo.tollgate(&["audit", "--verify"]).exits(0);
    repo.git(&["switch", "--quiet", "main"]);
    rm(&repo, &[]).exits(0);
}

#[test]
fn r184_a_refusal_names_ways_that_work() {
    let task = Planned { checks: r#"["cmd: false"]"#, ..Planned::new("T-001", "app.txt") };
    let repo = Repo::with(json!([writes("SpecAgent", "tasks.yaml", &plan(&[task]))]));
    assert!(matches!(repo.lean().code, 3 | 4), "the check does not hold");
    rm(&repo, &[]).exits(2).says("tollgate resume").says("tollgate cancel");
    repo.tollgate(&["cancel", "--reason", "no"]).exits(0);
    let by_hand = format!("git merge {}", branch(&repo));
    rm(&repo, &[]).exits(2).says(&by_hand).does_not_say("tollgate merge");
    repo.git(&["merge", "--quiet", &branch(&repo)]);
    rm(&repo, &[]).exits(0);
    let unreadable = done();
    fs::write(unreadable.session().join("journal.jsonl"), "{}\n").unwrap();
    rm(&unreadable, &[]).exits(2).says("--verify").does_not_say("merge");
}

#[test]
fn r184_a_branch_of_a_former_life_that_is_checked_out_is_kept() {
    let repo = merged();
    let former = format!("{}.former-1", branch(&repo));
    let elsewhere = repo.outside("elsewhere").display().to_string();
    repo.git(&["worktree", "add", "--quiet", "-b", &former, &elsewhere, "main"]);
    rm(&repo, &["--force"]).exits(2).says(&former).says("elsewhere");
    repo.settings(AT_ONCE);
    repo.tollgate(&["gc"]).exits(0);
    repo.git(&["rev-parse", &former]);
    fs::remove_dir_all(&elsewhere).unwrap();
    rm(&repo, &[]).exits(0);
    assert_eq!(repo.git(&["branch", "--list", "tollgate/*"]), "");
}

/// One question for all refs, and a few for each session.
#[test]
fn r184_gc_asks_git_little() {
    let repo = Repo::new();
    for slug in ["one", "two", "three", "four"] {
        repo.tollgate(&["run", "--no-input", "--lean", "--slug", slug, "Add a line"]).exits(0);
    }
    let asked = |repo: &Repo| {
        let log: PathBuf = repo.outside("asked");
        let _ = fs::remove_file(&log);
        let path = git_that_then(repo, &format!("echo \"$all\" >> {log:?}"));
        ran(repo.command(&["gc", "--dry-run"]).env("PATH", path)).exits(0);
        fs::read_to_string(log).unwrap().lines().count()
    };
    let of_four = asked(&repo);
    repo.tollgate(&["rm", "one", "two", "three", "--force"]).exits(0);
    let of_one = asked(&repo);
    assert!(of_four - of_one <= 3 * 2, "{of_one} for one session, {of_four} for four");
}
