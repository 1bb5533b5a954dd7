//! How much is told, and how early: quiet, verbose, the first line, and long work as it continues.

use crate::support::pty::Terminal;
use crate::support::{APPROVE, GOAL, PER_BATCH, Repo, eventually, text};
use serde_json::json;
use std::fs;
use std::process::Stdio;

#[test]
fn r183_quiet_tells_only_questions_errors_and_the_end() {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    repo.write("more.txt", "not committed\n");
    let ran = repo.tollgate(&["-q", "run", "--no-input", GOAL]).exits(3);
    let first = ran.err.trim_start().lines().next().unwrap();
    assert!(first.contains("UD-APPROVE-DESIGN"), "{}", ran.err);
    ran.says("YOUR TURN").does_not_say("estimate").does_not_say("snapshot");
    let mut terminal = Terminal::start(&repo, &["-q", "run", GOAL]);
    terminal.wait_for("? help").wait_for("> ").hangs_up();
    terminal.ends();
    let screen = terminal.plain();
    assert!(!screen.contains("snapshot") && !screen.contains("estimate"), "{screen}");
}

#[test]
fn r183_verbose_tells_everything_that_the_log_has() {
    let repo = Repo::new();
    let told = repo.tollgate(&["-v", "run", "--no-input", GOAL]).exits(3).err;
    let log = repo.tollgate(&["log"]).exits(0).out;
    for line in log.lines() {
        let words = line.split_whitespace().skip(2).collect::<Vec<_>>().join(" ");
        let spaced = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(spaced.contains(&words), "{words:?} is not told:\n{told}");
    }
}

fn continues(repo: &Repo) {
    fs::write(repo.outside("busy.over"), "").unwrap();
}

/// Looking at what is committed comes first, and what git ignores is asked for right before the snapshot.
#[test]
fn r187_the_first_line_comes_before_any_slow_work() {
    for (word, told) in [("ls-tree", "looks at"), ("--ignored", "a snapshot of your checkout")] {
        for term in ["dumb", "xterm"] {
            let repo = Repo::new();
            let path = repo.git_that_stops(word);
            let mut person =
                Terminal::start_with_all(&repo, &["run", GOAL], &[("PATH", &path), ("TERM", term)]);
            eventually("git at work", || repo.outside("busy").exists());
            person.wait_for(told);
            continues(&repo);
            person.wait_for("> ").hangs_up();
            assert_eq!(person.ends(), 3);
        }
        let repo = Repo::new();
        let path = repo.git_that_stops(word);
        let mut command = repo.command(&["run", "--no-input", GOAL]);
        let shown = repo.outside("shown");
        let mut child = command
            .env("PATH", path)
            .stdout(Stdio::null())
            .stderr(fs::File::create(&shown).unwrap())
            .spawn()
            .unwrap();
        eventually("git at work", || repo.outside("busy").exists());
        let early = text(&fs::read(&shown).unwrap());
        continues(&repo);
        child.wait().unwrap();
        assert!(early.contains(told), "{word}: {early}");
    }
}

#[test]
fn r187_a_large_snapshot_says_how_far_it_is() {
    let repo = Repo::new();
    for folder in 0..30 {
        for file in 0..100 {
            repo.write(&format!("many/{folder}/{file}.txt"), &format!("{folder} {file}\n"));
        }
    }
    let mut person = Terminal::start(&repo, &["run", GOAL]);
    person.wait_for("looks at").wait_for("a snapshot of your checkout is taken");
    person.wait_for(" files, ").wait_for("> ").hangs_up();
    assert_eq!(person.ends(), 3);
}

#[test]
fn r187_long_work_before_an_agent_is_told_by_its_parts() {
    for term in ["xterm", "dumb"] {
        let repo = Repo::new();
        repo.settings("[workspace]\nsetup = [\"sleep 4; true\"]");
        let mut person = Terminal::start_with(&repo, &["run", GOAL], "TERM", term);
        person.wait_for("#1 SpecAgent session: its setup runs: sleep 4; true");
        person.wait_for("> ").hangs_up();
        assert_eq!(person.ends(), 3);
    }
}

#[test]
fn r187_without_a_terminal_long_work_is_told_and_short_work_is_not() {
    let repo = Repo::with(json!([
        {"when": {"role": "Architect"}, "do": {"default": true, "sleep_ms": 3500}}
    ]));
    let ran = repo.run().exits(3).says("#2 Architect session\n");
    let told = |words: &str| ran.err.lines().filter(|line| line.contains(words)).count();
    assert_eq!(told("works"), 1, "{}", ran.err);
    ran.says("works #2 Architect session\n");
}

#[test]
fn r183_the_live_line_of_a_command_says_the_last_thing_it_wrote() {
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent", "nth": 1},
        "do": {"stderr": "reads the code\nwrites the tests\n", "hang": true}}]));
    let mut person = Terminal::start(&repo, &["run", GOAL]);
    person.wait_for("#1 SpecAgent session: writes the tests").types_ctrl_c();
    assert_eq!(person.ends(), 130);
}

#[test]
fn r183_a_wait_shows_the_time_left() {
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent", "nth": 1},
        "do": {"exit": 1, "stderr": "overloaded\n"}}]));
    let toml = fs::read_to_string(repo.root().join("tollgate.toml")).unwrap();
    repo.write("tollgate.toml", &toml.replace("\"10ms\"", "\"60s\""));
    let mut person = Terminal::start(&repo, &["run", GOAL]);
    person.wait_for("#1 SpecAgent session: starts again in 5").types_ctrl_c();
    assert_eq!(person.ends(), 130);
    assert!(person.is_as_before());
}

#[test]
fn r183_a_finished_dispatch_is_one_line_and_a_state_has_its_time() {
    let repo = Repo::new();
    let mut person = Terminal::start(&repo, &["run", GOAL]);
    person.wait_for("> ").hangs_up();
    person.ends();
    let screen = person.plain();
    let of_first = |line: &&str| line.starts_with("✓ #1 SpecAgent session  ");
    assert_eq!(screen.split(['\n', '\r']).filter(of_first).count(), 1, "{screen}");
    assert!(screen.contains("state DESIGN  +"), "{screen}");
}
