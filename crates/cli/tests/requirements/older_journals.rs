//! A journal that was truncated or restored from an older copy: it is noticed, and a person can accept it.

use crate::identity::{
    at_the_gate, back_at_the_gate, branch, everything, finish, forget_anchors, killed,
};
use crate::support::plan::{Planned, planner};
use crate::support::processes::alive;
use crate::support::{APPROVE, PER_BATCH, Repo, eventually};
use serde_json::{Value, json};
use std::fs;

/// The first records, up to the end of a commit, about four fifths of the file.
fn cut(journal: &str) -> String {
    let lines: Vec<&str> = journal.lines().collect();
    cut_at(&lines, lines.len() * 4 / 5)
}

/// The commits that end before this line.
fn cut_at(lines: &[&str], end: usize) -> String {
    let ends_commit = |line: &&str| serde_json::from_str::<Value>(line).unwrap()["more"].is_null();
    let at = lines[..end].iter().rposition(ends_commit).unwrap();
    lines[..=at].iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_journal_of_a_newer_version_is_refused_and_nothing_is_changed() {
    let repo = at_the_gate();
    let path = repo.session().join("journal.jsonl");
    let newer = repo.session_file("journal.jsonl").replacen("\"format\":1,", "\"format\":99,", 1);
    assert!(newer.contains("\"format\":99,"), "the first record names the format");
    fs::write(&path, &newer).unwrap();
    let before = everything(&repo);
    for command in [
        &["status"][..],
        &["resume", "--no-input"],
        &["answer", "latest", APPROVE.0, "approved"],
        &["audit", "--verify"],
    ] {
        repo.tollgate(command).exits(6).says("newer version of Tollgate").says("update Tollgate");
    }
    assert_eq!(everything(&repo), before);
}

#[test]
fn r166_a_journal_cut_at_a_commit_is_noticed_before_anything_is_written() {
    let repo = at_the_gate();
    finish(&repo).exits(0);
    repo.tollgate(&["audit", "--verify"]).exits(0);
    let path = repo.session().join("journal.jsonl");
    let short = cut(&repo.session_file("journal.jsonl"));
    fs::write(&path, &short).unwrap();
    let before = everything(&repo);
    for command in [
        &["audit", "--verify"][..],
        &["resume", "--no-input"],
        &["answer", "latest", APPROVE.0, "approved"],
        &["cancel", "--reason", "enough"],
    ] {
        let refused =
            repo.tollgate(command).exits(6).says("was truncated or restored from an older copy");
        assert!(refused.err.contains("--accept-older-journal"), "{}", refused.err);
    }
    let told: Value =
        serde_json::from_str(&repo.tollgate(&["audit", "--verify", "--json"]).out).unwrap();
    assert_eq!(told["ok"], false);
    assert_eq!(everything(&repo), before);
    // Without what stands outside, the rest of the chain holds by itself.
    forget_anchors(&repo);
    repo.tollgate(&["audit", "--verify"]).exits(0);
}

#[test]
fn r166_an_older_journal_is_accepted_knowingly_and_nothing_of_its_future_counts() {
    let repo = back_at_the_gate();
    let tip = repo.git(&["rev-parse", &branch(&repo)]);
    repo.resume().exits(6);
    let accepted = repo.tollgate(&["resume", "--no-input", "--accept-older-journal"]).exits(3);
    assert!(accepted.err.contains("an older journal was accepted"), "{}", accepted.err);
    let former = format!("{}.former-1", branch(&repo));
    assert_eq!(repo.git(&["rev-parse", &former]), tip);
    let event = &repo.events("older_journal_accepted")[0];
    assert_eq!(event["branch"], former.as_str());
    assert!(event["known"].as_u64() > event["records"].as_u64(), "{event}");

    assert!(repo.session().join("journal.former-1/report.md").exists());
    repo.tollgate(&["audit", "--verify"]).exits(0);
    let ended = finish(&repo);
    assert!(matches!(ended.code, 3 | 4), "a failing check is not DONE: {ended:?}");
    assert_ne!(repo.status()["state"], "DONE");
    // And with the check in order, it comes to its end.
    fs::write(repo.outside("ok"), "").unwrap();
    let asked = repo.status_file()["user_decisions"].clone();
    let mut open = asked.as_array().unwrap().iter().filter(|one| one["status"] == "pending");
    let id = open.next().unwrap()["decision_id"].as_str().unwrap();
    repo.answer(id, "retry").exits(0);
    assert_eq!(repo.status()["state"], "DONE");
}

#[test]
fn r166_an_older_journal_that_was_accepted_is_not_refused_after_a_kill() {
    let repo = back_at_the_gate();
    let mut accept = repo.command(&["resume", "--no-input", "--accept-older-journal"]);
    killed(accept.env("TOLLGATE_CRASH_AT", "journal.synced"));
    assert_eq!(repo.events("older_journal_accepted").len(), 1);
    let accepted = repo.session_file("journal.jsonl");
    repo.tollgate(&["audit", "--verify"]).exits(0);
    repo.resume().exits(3);
    // The control: a journal that is cut after that is noticed all the same.
    finish(&repo);
    fs::write(repo.session().join("journal.jsonl"), accepted).unwrap();
    repo.tollgate(&["audit", "--verify"]).exits(6);
    repo.resume().exits(6);
}

#[test]
fn r166_an_older_journal_is_still_refused_when_its_acceptance_was_not_written() {
    let repo = back_at_the_gate();
    let accept = ["resume", "--no-input", "--accept-older-journal"];
    killed(repo.command(&accept).env("TOLLGATE_CRASH_AT", "journal.before_write"));
    repo.tollgate(&["audit", "--verify"]).exits(6);
    repo.resume().exits(6);
    repo.tollgate(&accept).exits(3);
}

#[test]
fn r165_no_agent_of_the_former_life_runs_on_when_an_older_journal_is_accepted() {
    let repo = at_the_gate();
    let slow = repo.outside("slow.sh");
    fs::write(&slow, "sleep 120; exit").unwrap();
    let task = Planned::new("T-001", "app.txt");
    let stays = json!({"default": true, "run": ["sh", slow]});
    repo.crew(json!([planner(&[task]), {"when": {"role": "Coder"}, "do": stays}]));
    let backup = repo.session_file("journal.jsonl");
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    let mut engine = repo.start(&["answer", "latest", PER_BATCH.0, PER_BATCH.1, "--resume"]);
    let marker = slow.display().to_string();
    eventually("the agent", || !alive(&marker).is_empty());
    engine.kill().unwrap();
    engine.wait().unwrap();
    fs::write(repo.session().join("journal.jsonl"), backup).unwrap();
    repo.resume().exits(6);
    assert!(!alive(&marker).is_empty(), "the control: a refused resume stops nothing");
    repo.tollgate(&["resume", "--no-input", "--accept-older-journal"]).exits(3);
    assert!(alive(&marker).is_empty(), "it is stopped before the session continues");
}

/// What came later is in both places when it was kept, and in one when it was removed.
#[test]
fn r166_r179_session_files_are_kept_before_they_are_removed() {
    let repo = back_at_the_gate();
    let report = repo.session_file("report.md");
    let accept = ["resume", "--no-input", "--accept-older-journal"];
    killed(repo.command(&accept).env("TOLLGATE_CRASH_AT", "aside.kept"));
    assert_eq!(repo.session_file("report.md"), report);
    assert_eq!(repo.session_file("journal.former-1/report.md"), report);
    repo.tollgate(&accept).exits(3);
    assert!(!repo.session().join("report.md").exists());
    assert_eq!(repo.session_file("journal.former-2/report.md"), report);
}

#[test]
fn r166_an_older_journal_with_accepted_work_continues_from_that_work() {
    let tasks = [Planned::new("T-001", "one.txt"), Planned::new("T-002", "two.txt")];
    let repo = Repo::with(json!([planner(&tasks)]));
    repo.run().exits(3);
    finish(&repo).exits(0);
    let tip = repo.git(&["rev-parse", &branch(&repo)]);
    let journal = repo.session_file("journal.jsonl");
    let lines: Vec<&str> = journal.lines().collect();
    let is_second = |line: &&str| line.contains("dispatch_opened") && line.contains("T-002");
    let at = lines.iter().position(is_second).unwrap();
    fs::write(repo.session().join("journal.jsonl"), cut_at(&lines, at)).unwrap();
    repo.resume().exits(6);
    repo.tollgate(&["resume", "--no-input", "--accept-older-journal"]).exits(0);
    assert_eq!(repo.status()["state"], "DONE");
    let former = format!("{}.former-1", branch(&repo));
    assert_eq!(repo.git(&["rev-parse", &former]), tip);
    repo.git(&["merge-base", "--is-ancestor", &format!("{former}~1"), &branch(&repo)]);
}

#[test]
fn r166_a_branch_that_is_checked_out_is_not_renamed_under_the_person() {
    let repo = back_at_the_gate();
    repo.git(&["checkout", "--quiet", &branch(&repo)]);
    let before = repo.session_file("journal.jsonl");
    let accept = ["resume", "--no-input", "--accept-older-journal"];
    repo.tollgate(&accept)
        .exits(2)
        .says("check out another branch there, then run the same command again");
    assert_eq!(repo.session_file("journal.jsonl"), before);
    repo.git(&["checkout", "--quiet", "main"]);
    repo.tollgate(&accept).exits(3);
}

/// Back to the first gate, and then the journal of the end is put back. Two tasks, so that the branch moved twice.
#[test]
fn r166_a_finished_journal_that_is_accepted_again_has_its_branch() {
    let tasks = [Planned::new("T-001", "one.txt"), Planned::new("T-002", "two.txt")];
    let repo = Repo::with(json!([planner(&tasks)]));
    repo.run().exits(3);
    let path = repo.session().join("journal.jsonl");
    let older = repo.session_file("journal.jsonl");
    finish(&repo).exits(0);
    let tip = repo.git(&["rev-parse", &branch(&repo)]);
    let done = repo.session_file("journal.jsonl");
    let accept = ["resume", "--no-input", "--accept-older-journal"];
    fs::write(&path, older).unwrap();
    let accepted = repo.tollgate(&accept).exits(3).says("an older journal was accepted");
    accepted.does_not_say("was changed by hand");
    assert_eq!(repo.git(&["branch", "--list", &branch(&repo)]), "");
    fs::write(&path, &done).unwrap();
    let accepted = repo.tollgate(&accept).exits(0).says("another journal was accepted");
    accepted.does_not_say("was changed by hand");
    assert_eq!(repo.status()["state"], "DONE");
    assert_eq!(repo.git(&["rev-parse", &branch(&repo)]), tip);
}

#[test]
fn r166_a_finished_journal_whose_commit_is_gone_is_not_accepted_in_silence() {
    let repo = at_the_gate();
    let path = repo.session().join("journal.jsonl");
    let older = repo.session_file("journal.jsonl");
    finish(&repo).exits(0);
    let tip = repo.git(&["rev-parse", &branch(&repo)]);
    let done = repo.session_file("journal.jsonl");
    let accept = ["resume", "--no-input", "--accept-older-journal"];
    fs::write(&path, older).unwrap();
    repo.tollgate(&accept).exits(3);
    for name in repo.git(&["for-each-ref", "--format=%(refname)"]).lines() {
        if name.contains("tollgate") {
            repo.git(&["update-ref", "-d", name]);
        }
    }
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "--quiet", "--prune=now"]);
    fs::write(&path, &done).unwrap();
    let refused = repo.tollgate(&accept).exits(6);
    refused.says(tip.trim()).says("no longer in the repository");
    assert_eq!(repo.session_file("journal.jsonl"), done);
}

#[test]
fn r166_a_note_that_was_lost_is_written_again_when_the_session_is_opened() {
    let repo = at_the_gate();
    let older = repo.session_file("journal.jsonl");
    finish(&repo).exits(0);
    fs::remove_dir_all(repo.root().join(".git/tollgate")).unwrap();
    repo.resume().exits(0);
    fs::remove_dir_all(repo.outside("state")).unwrap();
    repo.tollgate(&["audit", "--verify"]).exits(0);
    fs::write(repo.session().join("journal.jsonl"), older).unwrap();
    repo.tollgate(&["audit", "--verify"]).exits(6);
    repo.resume().exits(6);
}
