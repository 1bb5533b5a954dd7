//! Files that are too large to be read: set aside by name, and no git that is left behind because of them.

use crate::route::{findings, on_branch};
use crate::support::plan::{Planned, planner};
use crate::support::processes::{alive, expect_gone};
use crate::support::{APPROVE, PER_BATCH, Ran, Repo, eventually, files_below, ran, text};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SIZE: u64 = 200 * 1024 * 1024 * 1024;

/// Longer than any of these sessions takes, and far shorter than git needs for such a file.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs the Coder's command; the rest of the crew does its least.
fn coder(command: &str) -> Value {
    json!({"when": {"role": "Coder"}, "do": {"append": {"app.txt": "more\n"}, "run": ["sh", "-c", command],
           "reply": {"status": "OK", "summary": "one line more"}}})
}

fn with(command: &str) -> Repo {
    Repo::with(json!([
        planner(&[Planned { kind: "chore", ..Planned::new("T-001", "app.txt") }]),
        coder(command)
    ]))
}

/// Answers until the Coder is at work; the child that it works for.
fn begin(repo: &Repo) -> Child {
    repo.run().exits(3);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    let mut command = repo.command(&["answer", "latest", PER_BATCH.0, PER_BATCH.1, "--resume"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for its end; one that stalls is killed.
#[track_caller]
fn in_time(mut child: Child) -> Ran {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the session stalls");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

/// All files of this name in the state directory that lie where large files are set aside.
fn kept(repo: &Repo, name: &str) -> Vec<PathBuf> {
    let state = repo.outside("state").canonicalize().unwrap();
    let is_kept = |path: &PathBuf| path.ends_with(name) && path.iter().any(|part| part == "large");
    files_below(&state).into_iter().filter(is_kept).collect()
}

/// What people were told beside the work.
fn told(repo: &Repo) -> String {
    repo.events("noticed").iter().map(ToString::to_string).collect()
}

#[test]
fn r174_a_sparse_file_of_200_gb_is_set_aside_by_name_and_stalls_nothing() {
    // app.txt has a size that git, which keeps 32 bits of it, takes for the old one.
    let repo = with(
        "truncate -s 200G huge.bin; mkdir sub; truncate -s 200G sub/.gitignore; truncate -s 200G .gitattributes",
    );
    in_time(begin(&repo)).exits(0).does_not_say("rescue");
    assert_eq!(on_branch(&repo, "app.txt"), "one\nmore\n");
    let branch = format!("tollgate/{}", repo.session_name());
    let listed = repo.git(&["ls-tree", "-r", "--name-only", &branch]);
    assert!(!listed.contains("huge") && !listed.contains(".git"), "{listed}");
    let found = findings(&repo);
    for name in ["huge.bin", "sub/.gitignore", ".gitattributes"] {
        let [place] = &kept(&repo, name)[..] else { panic!("{name}: {:?}", kept(&repo, name)) };
        assert_eq!(fs::metadata(place).unwrap().len(), SIZE);
        let told = format!(
            "[Warning] {name} has {SIZE} bytes; limits.file_bytes is 52428800; it was left out and is kept in {}",
            place.display()
        );
        assert!(found.iter().any(|text| text.ends_with(&told)), "{told}\n{found:#?}");
    }
    assert_eq!(found.len(), 3, "{found:?}");
}

/// The control: git by itself is at it for as long as anybody waits.
#[test]
fn r174_control_git_reads_all_of_such_a_file() {
    let repo = Repo::new();
    let file = fs::File::create(repo.root().join("huge.bin")).unwrap();
    file.set_len(SIZE).unwrap();
    let mut git = Command::new("git");
    git.args(["hash-object", "huge.bin"]).current_dir(repo.root()).stdout(Stdio::piped());
    let mut git = git.spawn().unwrap();
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(git.try_wait().unwrap(), None, "it has not ended");
    git.kill().unwrap();
    git.wait().unwrap();
}

#[test]
fn r174_a_tracked_file_that_grew_is_set_aside_and_the_accepted_one_is_back() {
    // git keeps 32 bits of a size: this one is the old one to it.
    let repo = with("truncate -s $((3 + 50 * 4294967296)) lib.txt");
    repo.write("lib.txt", "li\n");
    crate::route::commit(&repo);
    in_time(begin(&repo)).exits(0);
    assert_eq!(on_branch(&repo, "lib.txt"), "li\n");
    assert_eq!(kept(&repo, "lib.txt").len(), 1);
    assert!(findings(&repo)[0].contains("lib.txt has 214748364803 bytes"), "{:?}", findings(&repo));
}

#[test]
fn r174_of_too_much_together_the_largest_are_set_aside_and_a_large_file_of_the_repository_is_not_a_change()
 {
    let repo = with(
        "head -c 3000 /dev/zero > big; head -c 2500 /dev/zero > less; head -c 2000 /dev/zero > small",
    );
    repo.write("old.bin", &"x".repeat(9000));
    crate::route::commit(&repo);
    repo.settings("[limits]\nfile_bytes = 4000\ndispatch_bytes = 5000");
    in_time(begin(&repo)).exits(0);
    let found = findings(&repo);
    let told: Vec<&String> =
        found.iter().filter(|text| text.contains("dispatch_bytes (5000)")).collect();
    assert!(told.len() == 1 && told[0].contains("big (3000 bytes)"), "{found:#?}");
    assert_eq!(
        (kept(&repo, "big").len(), kept(&repo, "less").len(), kept(&repo, "old.bin").len()),
        (1, 0, 0)
    );
}

#[test]
fn r174_a_coder_that_leaves_only_a_large_file_gets_the_reason_for_the_refusal() {
    let command = "truncate -s 200G huge.bin";
    let rule = json!({"when": {"role": "Coder"}, "do": {"run": ["sh", "-c", command], "reply": {"status": "OK", "summary": "x"}}});
    let repo = Repo::with(json!([rule]));
    let child = repo.start(&["run", "--no-input", "--lean", "Add a line"]);
    in_time(child).exits(4).says("huge.bin has 214748364800 bytes; limits.file_bytes is 52428800");
    assert_eq!(kept(&repo, "huge.bin").len(), 3, "one of each attempt, none is lost");
}

#[test]
fn r174_a_session_file_without_end_is_refused_and_kept() {
    let spec = ".agents-work/{session}/spec.md";
    let rule = json!({"when": {"role": "SpecAgent"}, "do": {"default": true, "run": ["truncate", "-s", "200G", spec]}});
    let repo = Repo::with(json!([rule]));
    in_time(repo.start(&["run", "--no-input", "--lean", "Add a line"]))
        .exits(4)
        .says("the limit for a session file is");
    assert!(!kept(&repo, "spec.md").is_empty());
    let told = told(&repo);
    assert!(told.contains("spec.md has 214748364800 bytes"), "{told}");
}

/// git waits for the other end of a pipe that it takes for a file of rules.
#[test]
fn r174_pipes_and_sockets_stall_nothing() {
    let repo = with(
        "mkfifo .gitignore .gitattributes pipe; mkdir sub; mkfifo sub/.gitignore; \
        python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")' || true",
    );
    in_time(begin(&repo)).exits(0);
    assert_eq!(on_branch(&repo, "app.txt"), "one\nmore\n");
    let found = findings(&repo);
    for name in [".gitignore", ".gitattributes", "sub/.gitignore"] {
        let told = format!(
            "[Warning] {name} is a pipe, a socket or a device, not a file; it was left out and is kept in "
        );
        assert!(found.iter().any(|text| text.contains(&told)), "{told}\n{found:#?}");
    }
    assert!(found.iter().all(|text| !text.contains("limits.")), "{found:#?}");
}

#[test]
fn r174_a_check_that_leaves_a_large_file_stalls_nothing_and_is_reported() {
    let tasks = [Planned {
        kind: "chore",
        checks: r#"["cmd: truncate -s 200G left.bin"]"#,
        ..Planned::new("T-001", "app.txt")
    }];
    let repo = Repo::with(json!([planner(&tasks), coder("true")]));
    in_time(begin(&repo)).exits(0);
    assert!(!kept(&repo, "left.bin").is_empty());
    let told = told(&repo);
    assert!(told.contains("left.bin has 214748364800 bytes"), "{told}");
}

/// A check that fails in the fresh clone is run in the workspace, too.
#[test]
fn r174_a_large_file_of_a_check_that_passes_only_in_the_workspace_is_reported() {
    let tasks = [Planned {
        checks: "['cmd: test -e cache/built && truncate -s 200G left.bin']",
        ..Planned::new("T-001", "app.txt")
    }];
    let repo = Repo::with(json!([planner(&tasks), coder("mkdir -p cache; touch cache/built")]));
    repo.write(".gitignore", "cache/\n");
    crate::route::commit(&repo);
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("passes in the workspace");
    let told = told(&repo);
    let kept = kept(&repo, "left.bin");
    assert!(kept.len() > 1, "{kept:?}");
    for place in kept {
        assert!(told.contains(&place.display().to_string()), "{place:?}: {told}");
    }
}

#[test]
fn r110_r174_a_huge_file_of_the_checkout_is_not_copied_and_no_restore_touches_it() {
    let repo = Repo::new();
    let huge = repo.root().join("disk.img");
    fs::File::create(&huge).unwrap().set_len(SIZE).unwrap();
    in_time(repo.start(&["run", "--no-input", "Add a line"]))
        .exits(3)
        .says("disk.img is larger than 1 GiB");
    repo.tollgate(&["snapshot", "restore", "latest", "--yes"]).exits(0);
    assert_eq!(fs::metadata(&huge).unwrap().len(), SIZE);
    // A snapshot that has a file of this name: what is there now cannot be kept, so it stays.
    fs::remove_file(&huge).unwrap();
    repo.write("disk.img", "small\n");
    repo.tollgate(&["snapshot", "create"]).exits(0);
    fs::File::create(&huge).unwrap().set_len(SIZE).unwrap();
    in_time(repo.start(&["snapshot", "restore", "latest", "--yes"])).exits(1);
    assert_eq!(fs::metadata(&huge).unwrap().len(), SIZE);
}

/// A git that takes a minute where it would read the files of an agent, and otherwise is git.
fn slow_git(repo: &Repo) -> PathBuf {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|git| git.is_file())
        .unwrap();
    let folder = repo.outside("slow");
    fs::create_dir(&folder).unwrap();
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in *' update-index --add '*) if [ -e {0}/on ]; then echo > {0}/begun; exec tail -f {0}/begun; fi;; esac\nexec {1} \"$@\"\n",
        folder.display(),
        found.display()
    );
    fs::write(folder.join("git"), script).unwrap();
    fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(folder.join("on"), "").unwrap();
    folder
}

fn killed_in_slow_git(signal: Signal) {
    let repo = with("true");
    let slow = slow_git(&repo);
    let path = std::env::join_paths(
        [slow.clone()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let path = path.unwrap();
    repo.run().exits(3);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    let mut command = repo.command(&["answer", "latest", PER_BATCH.0, PER_BATCH.1, "--resume"]);
    let mut engine =
        command.env("PATH", &path).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("git at work", || slow.join("begun").exists());
    let marker = slow.join("begun").display().to_string();
    eventually("git reads", || !alive(&marker).is_empty());
    kill_process(Pid::from_child(&engine), signal).unwrap();
    engine.wait().unwrap();
    expect_gone(&marker);
    fs::remove_file(slow.join("on")).unwrap();
    in_time(repo.start(&["resume", "--no-input"])).exits(0);
    assert_eq!(on_branch(&repo, "app.txt"), "one\nmore\n");
    repo.tollgate(&["audit", "--verify"]).exits(0);
}

#[test]
fn r174_git_ends_with_an_engine_that_is_killed_and_holds_no_resume() {
    killed_in_slow_git(Signal::KILL);
}

#[test]
fn r174_git_ends_with_an_engine_that_is_interrupted() {
    killed_in_slow_git(Signal::INT);
}

/// The git of an engine that could not end it: it holds the lock of the workspace, and reads without end.
#[test]
fn r174_a_git_that_an_earlier_engine_left_is_ended_by_the_next() {
    let repo = with("true");
    repo.run().exits(3);
    let state = repo.outside("state").canonicalize().unwrap();
    let in_use = files_below(&state).into_iter().find(|path| path.ends_with("in-use")).unwrap();
    let lock = tollgate_files::write_lock::join(&in_use).unwrap();
    fs::write(repo.outside("update-index"), "").unwrap();
    let mut left = {
        let mut tail = Command::new("tail");
        tail.args(["-f", "update-index"]).current_dir(repo.outside("")).stdin(Stdio::from(lock));
        tail.spawn().unwrap()
    };
    in_time(repo.start(&["answer", "latest", APPROVE.0, APPROVE.1, "--resume"])).exits(3);
    assert!(!left.wait().unwrap().success(), "it was ended");
    assert_eq!(ran(&mut repo.command(&["status"])).code, 0);
}
