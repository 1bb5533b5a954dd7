//! Files that cannot be written, owners that are there already, and a disk that is full.

use crate::support::{APPROVE, GOAL, Repo, eventually, files_below, ran};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

const STATES: [&str; 16] = [
    "INTAKE",
    "INTAKE_LEAN",
    "DESIGN",
    "APPROVE_DESIGN",
    "PLAN",
    "REVIEW_STRATEGY",
    "IMPLEMENT_LOOP",
    "FIX_REVIEW",
    "FIX_TESTS",
    "FIX_SECURITY",
    "FIX_BUILD",
    "INTEGRATE",
    "RELEASE",
    "ASK_USER",
    "BLOCKED",
    "DONE",
];

#[test]
fn r013_status_json_always_parses_with_a_known_state() {
    let repo = Repo::new();
    repo.run().exits(3);
    let path = repo.session().join("status.json");
    let over = AtomicBool::new(false);
    let looks = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut looks = 0;
            while !over.load(Ordering::Relaxed) {
                let status: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
                let state = status["current_state"].as_str().unwrap().to_owned();
                assert!(STATES.contains(&state.as_str()), "{state}");
                looks += 1;
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            looks
        });
        repo.answer(APPROVE.0, APPROVE.1).exits(3);
        repo.answer("UD-REVIEW-STRATEGY", "per-batch").exits(0);
        over.store(true, Ordering::Relaxed);
        reader.join().unwrap()
    });
    assert!(looks > 20, "{looks}");
}

/// A folder where status.json should be cannot be written, not even by root.
fn obstruct(repo: &Repo) {
    let path = repo.session().join("status.json");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    fs::write(path.join("keep"), "x").unwrap();
}

fn clear(repo: &Repo) {
    fs::remove_dir_all(repo.session().join("status.json")).unwrap();
}

#[test]
fn r027_an_answer_that_was_captured_is_not_asked_for_again() {
    let repo = Repo::new();
    repo.run().exits(3);
    obstruct(&repo);
    repo.answer(APPROVE.0, APPROVE.1).exits(4).says("status.json").says("3");
    clear(&repo);
    repo.resume().exits(3).says("UD-REVIEW-STRATEGY").does_not_say("UD-APPROVE-DESIGN");
    assert_eq!(repo.decision("UD-APPROVE-DESIGN")["answer"], "approved");
}

#[test]
fn r028_what_cannot_be_written_blocks_with_a_way_out() {
    let repo = Repo::new();
    repo.run().exits(3);
    obstruct(&repo);
    let starts = repo.starts();
    let blocked = repo.answer(APPROVE.0, APPROVE.1).exits(4);
    let shown = blocked.err.split_once("\nBLOCKED").unwrap().1;
    expect_test::expect![[r#"
          SESSION (persistence)
        │ DIR/repo/.agents-work/SESSION/status.json could not be written and read back in 3 tries; the last time: cannot write DIR/repo/.agents-work/SESSION/status.json: Is a directory (os error 21)
        remedy: make it readable and writable, then `tollgate resume`; your answers are kept
    "#]].assert_eq(&repo.neutral(shown));
    assert_eq!(repo.blocker().0, "persistence");
    assert_eq!(repo.starts(), starts, "nothing continues");
    repo.resume().exits(4).says("persistence");
    clear(&repo);
    repo.resume().exits(3);
    assert_eq!(repo.status()["blocker"], Value::Null);
}

/// A git that fails is reported as a git problem wherever the session is shown, and not as a disk problem.
#[test]
fn r028_a_git_fault_is_reported_as_one() {
    let repo = Repo::with(json!([
        {"when": {"role": "Architect"}, "do": {"default": true, "sleep_ms": 400}}
    ]));
    let (broken, path) = breakable_git(&repo);
    let mut run = repo.command(&["run", "--no-input", GOAL]);
    let child =
        run.env("PATH", path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the start of Architect", || repo.starts_of("Architect") == 1);
    fs::write(&broken, "").unwrap();
    let output = child.wait_with_output().unwrap();
    fs::remove_file(&broken).unwrap();
    let err = crate::support::text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{err}");
    assert!(err.contains("(git)") && err.contains("fix what git says"), "{err}");
    assert!(err.contains("unable to read tree") && !err.contains("persistence"), "{err}");
    let (code, detail) = repo.blocker();
    assert_eq!(code, "git", "{detail}");
    assert_eq!(repo.status_file()["blocker"]["code"], "git");
    assert_eq!(repo.events("blocked")[0]["fault"]["kind"], "git");
    let reports = files_below(&repo.root().join("logs/errors"));
    let report = reports.iter().find(|path| path.extension().is_some_and(|e| e == "json")).unwrap();
    let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    assert_eq!(report["error_type"]["code"], "git", "{report}");
    assert!(report["remediation"][0].as_str().unwrap().contains("git fsck"), "{report}");
    repo.resume().exits(3).says("UD-APPROVE-DESIGN");
    assert_eq!(repo.starts_of("Architect"), 1, "its outcome was taken up");
}

/// A git that fails as long as a file is there; the file, and the search path with this git.
fn breakable_git(repo: &Repo) -> (PathBuf, String) {
    let path = std::env::var("PATH").unwrap();
    let real = path.split(':').map(|folder| Path::new(folder).join("git")).find(|git| git.exists());
    let (bin, broken) = (repo.outside("bin"), repo.outside("broken"));
    fs::create_dir(&bin).unwrap();
    let script = format!(
        "#!/bin/sh\n[ -e {} ] && {{ echo 'fatal: unable to read tree' >&2; exit 128; }}\nexec {} \"$@\"\n",
        broken.display(),
        real.unwrap().display()
    );
    fs::write(bin.join("git"), script).unwrap();
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    (broken, format!("{}:{path}", bin.display()))
}

#[test]
fn r028_an_obstacle_while_agents_run_blocks_too() {
    let repo = Repo::with(json!([
        {"when": {"role": "Architect"}, "do": {"default": true, "sleep_ms": 400}}
    ]));
    let child = repo.start(&["run", "--no-input", GOAL]);
    eventually("the start of Architect", || repo.starts_of("Architect") == 1);
    obstruct(&repo);
    let output = child.wait_with_output().unwrap();
    let err = crate::support::text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{err}");
    assert!(err.contains("persistence") && err.contains("status.json"), "{err}");
    clear(&repo);
    repo.resume().exits(3).says("UD-APPROVE-DESIGN");
    assert_eq!(repo.starts_of("Architect"), 1, "its outcome was taken up");
}

#[test]
fn r116_a_second_writer_is_refused_and_reading_continues() {
    let repo = Repo::with(
        json!([{"when": {"role": "Architect"}, "do": {"default": true, "sleep_ms": 1500}}]),
    );
    let mut first = repo.start(&["run", "--no-input", GOAL]);
    eventually("the start of Architect", || repo.starts_of("Architect") == 1);
    let second = repo.resume().exits(5);
    assert!(second.err.contains(&format!("pid {}", first.id())), "{}", second.err);
    expect_test::expect![[r#"
        error: another process (OWNER) is running this session. Wait for it, or use `tollgate answer` and `tollgate log --follow`
         help: you can still read the session: `tollgate status`, `tollgate log --follow`
               for details, run `tollgate explain cli.session_owned`
    "#]].assert_eq(&neutral_owner(&second.err));
    assert_eq!(repo.status()["state"], "DESIGN");
    repo.tollgate(&["status"]).exits(0);
    // An answer is handed to the owner, who refuses it as nothing is asked.
    repo.tollgate(&["answer", "latest", "UD-APPROVE-DESIGN", "approved"]).exits(2);
    assert_eq!(first.wait().unwrap().code(), Some(3));
    assert_eq!(repo.decision("UD-APPROVE-DESIGN")["status"], "pending");
    assert_eq!(repo.starts_of("Architect"), 1);
}

fn neutral_owner(text: &str) -> String {
    let (before, rest) = text.split_once("(pid").unwrap();
    let (_, after) = rest.split_once(") ").unwrap();
    format!("{before}(OWNER) {after}")
}

#[test]
fn r116_a_cancel_reaches_the_owner() {
    let repo = Repo::with(json!([{"when": {"role": "Architect"}, "do": {"hang": true}}]));
    let mut first = repo.start(&["run", "--no-input", GOAL]);
    eventually("the start of Architect", || repo.starts_of("Architect") == 1);
    repo.tollgate(&["cancel", "latest", "--reason", "enough"]).exits(0);
    assert_eq!(first.wait().unwrap().code(), Some(4));
    assert_eq!(repo.blocker().0, "cancelled");
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn a_session_folder_that_cannot_be_written() {
    let repo = Repo::new();
    // What holds for root, too: a file where the folder of sessions belongs.
    fs::write(repo.root().join(".agents-work"), "in the way").unwrap();
    repo.run().exits(4).says(".agents-work").says("tollgate");
    fs::remove_file(repo.root().join(".agents-work")).unwrap();
    repo.run().exits(3);
    if is_root() {
        skipped("in part: root may write where permissions forbid it");
        return;
    }
    let folder = repo.session();
    let before = repo.session_file("journal.jsonl");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let ran = repo.answer(APPROVE.0, APPROVE.1);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    ran.exits(4).says("writable");
    assert!(repo.session_file("journal.jsonl").starts_with(&before));
    repo.resume().exits(3);
}

/// Read-only also for root: a mount of the folder upon itself.
#[test]
fn a_read_only_file_system_under_the_session() {
    let Some(unshare) = unshare() else {
        return skipped("this needs a mount namespace");
    };
    let repo = Repo::new();
    repo.run().exits(3);
    let before: Vec<_> = files_below(&repo.session())
        .into_iter()
        .map(|p| (p.clone(), fs::read(p).unwrap()))
        .collect();
    let folder = repo.session();
    let setup = format!("mount --bind {0} {0} && mount -o remount,ro,bind {0}", folder.display());
    let failed =
        in_mount_namespace(unshare, &repo, &setup, &["answer", "latest", APPROVE.0, APPROVE.1]);
    failed.exits(4).says("writable").says("tollgate resume");
    in_mount_namespace(unshare, &repo, &setup, &["status"]).exits(0);
    let after: Vec<_> = files_below(&repo.session())
        .into_iter()
        .map(|p| (p.clone(), fs::read(p).unwrap()))
        .collect();
    assert_eq!(before, after);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
}

#[test]
fn a_full_disk_under_the_sessions() {
    let Some(unshare) = unshare() else {
        return skipped("this needs a mount namespace");
    };
    let repo = Repo::new();
    fs::create_dir(repo.root().join(".agents-work")).unwrap();
    let folder = repo.root().join(".agents-work").display().to_string();
    // The session begins in a small file system, which fills up before the answer; all in one namespace.
    let binary = env!("CARGO_BIN_EXE_tollgate");
    let script = format!(
        "mount -t tmpfs -o size=1m none {folder} || exit 99
         {binary} run --no-input 'Add a line' || true
         head -c 1m /dev/zero > {folder}/filler 2>/dev/null
         echo FULL >&2
         {binary} answer latest UD-APPROVE-DESIGN approved --resume; echo \"exit $?\" >&2
         rm {folder}/filler
         echo FREED >&2
         {binary} answer latest UD-APPROVE-DESIGN approved; {binary} resume --no-input; echo \"exit $?\" >&2"
    );
    let mut command = Command::new("unshare");
    let ran = ran(hermetic_like(&repo, command.args([unshare, "sh", "-c", &script])));
    let (_, full) = ran.err.split_once("FULL").unwrap_or_else(|| panic!("{}", ran.err));
    let (full, freed) = full.split_once("FREED").unwrap();
    assert!(full.contains("exit 4"), "{full}");
    assert!(full.contains("persistence") && full.contains("space"), "{full}");
    assert!(freed.contains("exit 3") && freed.contains("UD-REVIEW-STRATEGY"), "{freed}");
}

/// What opens a mount namespace here: as root, or else with a user namespace around it.
pub fn unshare() -> Option<&'static str> {
    let works = |flags: &&str| {
        Command::new("unshare").args([flags, "true"]).output().is_ok_and(|o| o.status.success())
    };
    ["-m", "-rm"].into_iter().find(|flags| works(flags))
}

#[expect(clippy::print_stderr, reason = "a test that does not run must be seen")]
pub fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}

pub fn hermetic_like<'c>(repo: &Repo, command: &'c mut Command) -> &'c mut Command {
    let model = repo.command(&[]);
    command.env_clear().current_dir(repo.root());
    for (name, value) in model.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command
}

fn in_mount_namespace(
    unshare: &str,
    repo: &Repo,
    setup: &str,
    args: &[&str],
) -> crate::support::Ran {
    let script = format!("{setup} || exit 99\nexec \"$@\"");
    let mut command = Command::new("unshare");
    command.args([unshare, "sh", "-c", &script, "sh", env!("CARGO_BIN_EXE_tollgate")]).args(args);
    ran(hermetic_like(repo, &mut command))
}
