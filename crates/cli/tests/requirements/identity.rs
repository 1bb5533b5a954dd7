//! An outcome belongs to one journal, and a journal to one session.

use crate::support::plan::{Planned, planner};
use crate::support::processes::alive;
use crate::support::{APPROVE, GOAL, PER_BATCH, Ran, Repo, eventually, files_below, ran, text};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use tollgate_core::event::Event;
use tollgate_core::id::SessionName;
use tollgate_core::time::Timestamp;
use tollgate_host::journal::{self, Journal};

/// A session at its first gate, whose only task has a check that passes while `ok` lies outside the repository.
fn at_the_gate() -> Repo {
    let repo = Repo::new();
    let ok = repo.outside("ok");
    fs::write(&ok, "").unwrap();
    let check = format!("[\"cmd: test -e {}\"]", ok.display());
    let checks: &'static str = Box::leak(check.into_boxed_str());
    repo.crew(json!([planner(&[Planned { checks, ..Planned::new("T-001", "app.txt") }])]));
    repo.run().exits(3).says(APPROVE.0);
    repo
}

fn finish(repo: &Repo) -> Ran {
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1)
}

/// A whole life up to DONE. Then the journal from before it is put back, and the check fails from now on.
fn back_at_the_gate() -> Repo {
    let repo = at_the_gate();
    let backup = repo.session_file("journal.jsonl");
    finish(&repo).exits(0);
    fs::write(repo.session().join("journal.jsonl"), backup).unwrap();
    fs::remove_file(repo.outside("ok")).unwrap();
    repo
}

/// Runs a command that a named crash point kills.
fn killed(command: &mut Command) {
    let ended = command.output().unwrap();
    assert_eq!(ended.status.signal(), Some(9), "it was not reached: {}", text(&ended.stderr));
}

fn branch(repo: &Repo) -> String {
    format!("tollgate/{}", repo.session_name())
}

/// As if the repository and the state directory came from elsewhere.
fn forget_anchors(repo: &Repo) {
    let _there_or_not = fs::remove_dir_all(repo.root().join(".git/tollgate"));
    let _there_or_not = fs::remove_dir_all(repo.outside("state/sessions"));
}

fn passed_outcomes(folder: &Path, mark: &str) -> usize {
    let outcomes = files_below(folder).into_iter().filter(|path| path.ends_with("outcome.json"));
    let of_mark = outcomes.filter(|path| path.display().to_string().contains(mark));
    of_mark.filter(|path| fs::read_to_string(path).unwrap().contains("\"code\": 0")).count()
}

#[test]
fn r165_a_journal_put_back_takes_up_no_outcome_of_its_former_life() {
    let repo = back_at_the_gate();
    forget_anchors(&repo);
    repo.git(&["branch", "-m", &branch(&repo), "former"]);
    let ended = finish(&repo);
    assert!(matches!(ended.code, 3 | 4), "a failing check is not DONE: {ended:?}");
    assert_ne!(repo.status()["state"], "DONE");
    assert!(repo.starts_of("Coder") > 1, "it ran again");
    // What would have been taken up is still there to see, outside of the way.
    let checks = repo.session().join("checks");
    assert!(passed_outcomes(&checks, ".former-1") > 0, "{:?}", files_below(&checks));
    let former = repo.session().join("dispatches");
    assert!(passed_outcomes(&former, "attempt-1.former-1") > 0, "{:?}", files_below(&former));
}

#[test]
fn r165_an_outcome_of_the_same_record_is_taken_up() {
    let repo = Repo::with(json!([
        {"when": {"role": "Architect"}, "do": {"default": true, "sleep_ms": 700}}
    ]));
    let mut engine = repo.start(&["run", "--no-input", GOAL]);
    eventually("the start of Architect", || repo.starts_of("Architect") == 1);
    engine.kill().unwrap();
    engine.wait().unwrap();
    repo.resume().exits(3).says(APPROVE.0);
    assert_eq!(repo.starts_of("Architect"), 1);
    assert!(
        files_below(&repo.session())
            .iter()
            .all(|path| !path.display().to_string().contains("former"))
    );
}

fn only_folder(folder: &Path) -> PathBuf {
    fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn r165_a_session_begun_anew_under_its_name_inherits_nothing() {
    let repo = at_the_gate();
    finish(&repo).exits(0);
    let (name, branch, session) = (repo.session_name(), branch(&repo), repo.session());
    let homes = only_folder(&repo.outside("state/workspaces"));
    let tree = homes.join(&name).join("workspace/tree");
    fs::write(tree.join("left.tmp"), "of the former life").unwrap();
    let former_tip = repo.git(&["rev-parse", &branch]);
    fs::remove_dir_all(&session).unwrap();
    repo.git(&["branch", "-D", &branch]);

    repo.run().exits(3);
    assert_eq!(repo.session_name(), name, "the same day, the same name");
    finish(&repo).exits(0);
    assert!(!tree.join("left.tmp").exists());
    let kept = homes.join("former/1").join(&name).join("workspace/tree/left.tmp");
    assert_eq!(fs::read_to_string(kept).unwrap(), "of the former life");
    let refs = repo.git(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/tollgate"]);
    let is_kept = |line: &str| {
        line.starts_with(&format!("refs/tollgate/former/{name}/1/keep/"))
            && line.ends_with(former_tip.trim())
    };
    assert!(refs.lines().any(is_kept), "{refs}");
    let now = repo.git(&["rev-parse", &branch]);
    assert!(refs.contains(&format!("refs/tollgate/keep/{name}/tip {}", now.trim())), "{refs}");
}

/// Killed when the first record is on disk and nothing outside the journal tells of it yet.
#[test]
fn r165_r166_a_session_begun_anew_and_killed_at_its_first_record_continues() {
    let repo = at_the_gate();
    let name = repo.session_name();
    fs::remove_dir_all(repo.session()).unwrap();
    let mut run = repo.command(&["run", "--no-input", GOAL]);
    killed(run.env("TOLLGATE_CRASH_AT", "journal.synced"));
    assert_eq!(repo.session_name(), name, "the same day, the same name");
    repo.tollgate(&["audit", "--verify"]).exits(0);
    repo.resume().exits(3).says(APPROVE.0);
}

#[test]
fn r166_the_journal_of_a_deleted_session_with_the_same_name_is_refused_as_such() {
    let repo = at_the_gate();
    let (name, deleted) = (repo.session_name(), repo.session_file("journal.jsonl"));
    fs::remove_dir_all(repo.session()).unwrap();
    repo.run().exits(3);
    assert_eq!(repo.session_name(), name, "the same day, the same name");
    fs::write(repo.session().join("journal.jsonl"), deleted).unwrap();
    for command in [&["audit", "--verify"][..], &["resume", "--no-input"]] {
        let refused = repo.tollgate(command).exits(6).does_not_say("truncated");
        let refused = refused.says("belongs to another session with the same name");
        refused.says("explain cli.journal_replaced").says("--accept-older-journal");
    }
    repo.tollgate(&["resume", "--no-input", "--accept-older-journal"]).exits(3);
    finish(&repo).exits(0);
}

#[test]
fn r165_a_workspace_that_cannot_be_moved_is_named_with_a_way_out() {
    let repo = at_the_gate();
    let name = repo.session_name();
    let homes = only_folder(&repo.outside("state/workspaces"));
    let in_the_way = homes.join("former");
    fs::write(&in_the_way, "").unwrap();
    fs::remove_dir_all(repo.session()).unwrap();
    let from = homes.join(&name);
    let refused = repo.run().exits(4).says(&format!("cannot move {} to", from.display()));
    refused.says("move it away and resume");
    fs::remove_file(&in_the_way).unwrap();
    repo.resume().exits(3).says(APPROVE.0);
}

/// Everything of the session and its branch, to see that nothing was written.
fn everything(repo: &Repo) -> (Vec<(PathBuf, Vec<u8>)>, String) {
    let mut files: Vec<_> = files_below(&repo.session())
        .into_iter()
        .filter(|path| !path.ends_with("lock"))
        .map(|path| (path.clone(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    (files, repo.git(&["for-each-ref"]))
}

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
    repo.answer(id, "guidance: look at the file").exits(0);
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

/// A record that comes while the journal is read is no sign of a journal that was longer.
#[test]
fn r166_a_journal_is_verified_while_it_is_written() {
    let repo = at_the_gate();
    let name = SessionName::parse(&repo.session_name()).unwrap();
    // In memory where there is such a place, so that records come as fast as they can.
    let folder = TempDir::new_in("/dev/shm").unwrap_or_else(|_| TempDir::new().unwrap());
    let path = folder.path().join("journal.jsonl");
    let anchors = [folder.path().join("anchor")];
    let mut written = Journal::create(&path).unwrap();
    written.anchor_at(&anchors).unwrap();
    let records = journal::read(&repo.session().join("journal.jsonl")).unwrap().records;
    let at = records[0].at;
    let events: Vec<Event> = records.into_iter().map(|record| record.event).collect();
    let note = [Event::AssumptionNoted { text: "another record".to_owned() }];
    let _durable = written.append(at, &events).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for _ in 0..5_000 {
                let _durable = written.append(at, &note).unwrap();
            }
        });
        while !writer.is_finished() {
            journal::verify_session(&path, &name, &anchors).unwrap();
        }
    });
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
fn r166_a_moved_a_copied_and_a_forgetful_place_go_on() {
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

#[test]
fn r167_a_session_killed_before_its_first_record_never_began() {
    let repo = at_the_gate();
    let (real, sessions) = (repo.session_name(), repo.root().join(".agents-work"));
    let today = &real[..10];
    let half = &repo.session_file("journal.jsonl")[..300];
    for (slug, journal) in [("none", None), ("empty", Some("")), ("torn", Some(half))] {
        let folder = sessions.join(format!("{today}_z-{slug}"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("lock"), "").unwrap();
        if let Some(journal) = journal {
            fs::write(folder.join("journal.jsonl"), journal).unwrap();
        }
    }
    let listed = repo.tollgate(&["sessions"]).exits(0);
    assert!(!listed.out.contains("_z-") && !listed.err.contains("_z-"), "{listed:?}");
    assert_eq!(repo.status()["session"], real.as_str());
    repo.resume().exits(3).says(APPROVE.0);
    repo.tollgate(&["status", &format!("{today}_z-none")]).exits(2);
    let again = repo.tollgate(&["run", "--no-input", "--slug", "z-empty", "Again"]).exits(3);
    assert!(again.err.contains(APPROVE.0), "{}", again.err);
    let listed = repo.tollgate(&["sessions"]).exits(0);
    let names = listed
        .out
        .lines()
        .filter_map(|line| line.split_whitespace().find(|word| word.contains("_z-")));
    // The folder is there, so its name is taken.
    assert_eq!(names.collect::<Vec<_>>(), [format!("{today}_z-empty-2")], "{}", listed.out);
    // A session that lost its journal has begun: that must be told.
    fs::remove_file(sessions.join(&real).join("journal.jsonl")).unwrap();
    assert!(repo.tollgate(&["sessions"]).exits(0).out.contains(&real));
}

type Mutant = (&'static str, fn(&mut Vec<(Timestamp, Event)>));

/// Journals whose hashes hold and that no engine can have written.
const MUTANTS: [Mutant; 5] = [
    ("a dispatch that was never opened", |events| {
        events.retain(|(_, event)| !matches!(event, Event::DispatchOpened { .. }));
    }),
    ("an end that stands twice", |events| {
        let ends = |(_, event): &(Timestamp, Event)| matches!(event, Event::AttemptEnded { .. });
        let at = events.iter().position(ends).unwrap();
        events.insert(at, events[at].clone());
    }),
    ("a number beyond all", |events| {
        for (_, event) in events {
            if let Event::ChecksStarted { number, .. } = event {
                number.0 = u32::MAX;
            }
        }
    }),
    ("a question that nobody asked", |events| {
        events.retain(|(_, event)| !matches!(event, Event::DecisionAsked { .. }));
    }),
    ("no opening", |events| {
        events.remove(0);
    }),
];

#[test]
fn r178_impossible_records_with_good_hashes_are_damage_for_every_command() {
    let repo = at_the_gate();
    finish(&repo).exits(0);
    let path = repo.session().join("journal.jsonl");
    let records = journal::read(&path).unwrap().records;
    for (what, mutate) in MUTANTS {
        let mut events: Vec<_> = records.iter().map(|one| (one.at, one.event.clone())).collect();
        mutate(&mut events);
        fs::remove_file(&path).unwrap();
        forget_anchors(&repo);
        let mut forged = Journal::create(&path).unwrap();
        for (at, event) in events {
            forged.append(at, &[event]).map(drop).unwrap();
        }
        for command in ["status", "log", "audit", "resume", "audit --verify"] {
            let words: Vec<&str> = command.split(' ').collect();
            let refused = repo.tollgate(&words);
            assert_eq!(refused.code, 6, "{what}, {command}: {refused:?}");
            assert!(refused.err.contains("damaged at line"), "{what}, {command}: {}", refused.err);
        }
    }
}

/// Takes every kind of lock that a descriptor for reading allows on what its arguments name, as the files come, for ever.
const HOLDER: &str = r#"
import fcntl, os, struct, sys, time
lock = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
held = {}
told = False
while True:
    for path in sys.argv[2:]:
        for place in [path] + [f"{path}.{number}" for number in range(1, 9)]:
            if place in held or not os.path.exists(place):
                continue
            fd = os.open(place, os.O_RDONLY)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                fcntl.fcntl(fd, 37, lock)
                held[place] = fd
            except OSError:
                os.close(fd)
    if len(held) >= len(sys.argv) - 2 and not told:
        open(sys.argv[1], "w").close()
        told = True
    time.sleep(0.02)
"#;

#[test]
fn r176_an_agent_that_holds_the_locks_keeps_nobody_from_resuming() {
    let repo = Repo::new();
    let ready = repo.open_outside("ready").join("held");
    let holder = repo.outside("holder.py");
    fs::write(&holder, HOLDER).unwrap();
    let locks = repo.outside("locks.txt");
    let script = format!(
        "while [ ! -e {0} ]; do sleep 0.05; done; exec python3 {1} {2} $(cat {0})",
        locks.display(),
        holder.display(),
        ready.display()
    );
    repo.crew(json!([{"when": {"role": "Architect", "attempt": 1},
        "do": {"default": true, "run": ["sh", "-c", script]}}]));
    let mut engine = repo.start(&["run", "--no-input", GOAL]);
    eventually("the start of Architect", || repo.starts_of("Architect") == 1);
    let name = repo.session_name();
    let state = only_folder(&repo.outside("state/sessions")).join(format!("{name}.lock"));
    let in_use = only_folder(&repo.outside("state/workspaces")).join(&name).join("in-use");
    let paths = [repo.session().join("lock"), state, in_use];
    let words: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    engine.kill().unwrap();
    engine.wait().unwrap();
    fs::write(&locks, words.join(" ")).unwrap();
    eventually("the agent to hold every lock", || ready.exists());

    // The control: as locks were taken before, nobody gets in any more.
    for path in &paths {
        let file = fs::File::options().read(true).write(true).open(path).unwrap();
        assert!(file.try_lock().is_err(), "{} is not held", path.display());
    }
    let cancelled = repo.tollgate(&["cancel", "--reason", "it holds on"]).exits(0);
    assert!(!cancelled.err.contains("owns this session"), "{}", cancelled.err);
    assert_eq!(repo.blocker().0, "cancelled");
    let alive = Command::new("pgrep").args(["-f", &holder.display().to_string()]).output().unwrap();
    assert_eq!(text(&alive.stdout), "", "nothing of it runs on");
}
