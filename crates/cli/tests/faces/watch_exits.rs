//! The terminal is as before on every way out of the terminal view, and nothing of others reaches it raw.

use crate::support::Repo;
use crate::support::pty::Terminal;
use crate::support::watched::{ENTER, Watched};
use rustix::process::Signal;
use serde_json::json;
use std::fs;
use std::io::Write as _;

/// The modes of a terminal that nobody changed.
fn usual_modes(repo: &Repo) -> [u32; 4] {
    let mut terminal = Terminal::start_wide(repo, &["--version"], 100);
    terminal.ends();
    terminal.modes()
}

fn begun(repo: &Repo) -> Watched {
    let mut watched = Watched::start(repo, &["latest"]);
    watched.shows("UD-APPROVE-DESIGN: press a");
    assert!(watched.parsed().screen().alternate_screen());
    assert!(!watched.terminal.is_as_before(), "keys are read as they are pressed");
    watched
}

#[test]
fn r191_every_key_and_signal_that_ends_it_restores_the_screen() {
    let repo = Repo::new();
    repo.run().exits(3);
    let before = usual_modes(&repo);
    for (keys, code) in [("q", 0), ("\u{3}", 0), ("a2\u{3}", 0), ("?\u{3}", 0)] {
        let mut watched = begun(&repo);
        watched.presses(keys).ends_restored(code, before, keys);
    }
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let mut watched = begun(&repo);
        watched.terminal.signals(signal);
        watched.ends_restored(130, before, &format!("{signal:?}"));
    }
}

#[test]
fn r191_a_panic_is_told_on_a_restored_screen() {
    let repo = Repo::new();
    repo.run().exits(3);
    let before = usual_modes(&repo);
    let mut watched = begun(&repo);
    watched.presses("☠").ends_restored(70, before, "a panic");
    let shown = watched.shown();
    assert!(shown.contains("a bug in Tollgate"), "{shown}");
}

#[test]
fn r191_a_session_that_cannot_be_read_any_more_restores_the_screen() {
    let repo = Repo::new();
    repo.run().exits(3);
    let before = usual_modes(&repo);
    let mut watched = begun(&repo);
    let journal = repo.session().join("journal.jsonl");
    let mut file = fs::OpenOptions::new().append(true).open(&journal).unwrap();
    file.write_all(b"{\"no\":\"record\"}\n").unwrap();
    watched.ends_restored(6, before, "a damaged journal");

    let repo = Repo::new();
    repo.run().exits(3);
    let mut watched = begun(&repo);
    fs::remove_dir_all(repo.session()).unwrap();
    watched.ends_restored(2, before, "a session that was removed");
    assert!(watched.shown().contains("was removed"), "{}", watched.shown());

    // Who came from the list is back there, and is told why.
    let repo = Repo::new();
    repo.run().exits(3);
    let mut watched = Watched::start(&repo, &[]);
    watched.shows("1 waits").presses(ENTER).shows("press a");
    fs::remove_dir_all(repo.session()).unwrap();
    watched.shows("Tollgate: sessions").shows("was removed");
    watched.presses("q").ends_restored(0, before, "back at the list");
}

#[test]
fn r191_it_comes_back_after_it_was_stopped_and_draws_again_when_the_size_changes() {
    let repo = Repo::new();
    repo.run().exits(3);
    let before = usual_modes(&repo);
    let mut watched = begun(&repo);
    // No shell could continue the leader of a session: it does not stop, and stays usable.
    watched.presses("\u{1a}").comes_back(2).shows("press a").presses("?").shows("Keys (any other");
    watched.presses("?");
    watched.terminal.signals(Signal::STOP).signals(Signal::CONT);
    watched.is_resized(60).shows("press a").shows("your turn");
    watched.is_resized(40).shows("too small").is_resized(120).shows("Activity");
    watched.presses("q").ends_restored(0, before, "after it was stopped");
}

#[test]
fn r191_nothing_of_others_reaches_the_terminal_raw() {
    const SIGNS: &str = "\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7} \u{1b}]52;c;eA==\u{7} \u{1b}[2J\u{1b}[?1049l \u{9b}31m \u{202e}drow\u{202c} \u{200b} \u{8}\r世界\t|";
    let design = format!("# Design\n\n## Overview\n\n{SIGNS}\n\n## Modules/components\n\nAll.\n");
    let task = json!({"id": "T-001", "status": "not-started", "type": "feat", "title": SIGNS, "depends_on": [],
        "goal": SIGNS, "non_goals": [], "context_files": [], "files_expected": ["app.txt"],
        "acceptance_checks": ["cmd: true"], "risk_flags": ["none"], "done_when": [SIGNS]});
    let plan = json!({"project": {"name": "x", "definition_of_done": ["y"]}, "tasks": [task]});
    let repo = Repo::with(json!([
        {"when": {"role": "Architect"}, "do": {"default": true,
            "write": {".agents-work/{session}/architecture.md": design}, "reply": {"summary": SIGNS}}},
        {"when": {"role": "Planner"}, "do": {"default": true,
            "write": {".agents-work/{session}/tasks.yaml": escaped(&plan.to_string())}}},
        {"when": {"role": "Coder"}, "do": {"stderr": format!("{SIGNS}\nworks\n"),
            "write": {"app.txt": format!("one\n{SIGNS}\n")}, "reply": {"summary": SIGNS}}},
    ]));
    let goal = format!("Add a line {SIGNS}");
    repo.tollgate(&["run", "--no-input", &goal.replace('\0', "")]).exits(3);
    let mut watched = Watched::start(&repo, &[]);
    watched
        .shows("1 waits")
        .presses(ENTER)
        .shows("press a")
        .presses("a")
        .shows("Tab to your answer");
    watched.presses("v").shows("architecture.md").presses("j").presses(ENTER).shows("Overview");
    watched.shows("世界").presses("qqq").shows("Activity");
    repo.answer("UD-APPROVE-DESIGN", "approved").exits(3);
    repo.answer("UD-REVIEW-STRATEGY", "per-batch");
    watched.shows("Tasks 1/1").presses("d").shows("changed file").presses("q");
    let coder = repo.dispatch_of("Coder", 0);
    for _ in 0..12 {
        watched.presses("j");
    }
    for _ in 0..12 {
        watched.presses(ENTER).shows("Output of");
        let is_it = watched.shown().contains(&format!("#{coder} Coder"));
        watched.presses(if is_it { "G" } else { "q" });
        if is_it {
            break;
        }
        watched.shows("Activity").presses("k");
    }
    watched
        .shows("works")
        .presses("q")
        .shows("Activity")
        .presses("t")
        .shows("was told")
        .presses("ql");
    watched.shows("The log").presses("q\u{3}");
    assert_eq!(watched.terminal.ends(), 0);
    is_ours(&watched.terminal.bytes());
}

/// YAML takes control characters only as escapes.
fn escaped(json: &str) -> String {
    let escape = |char: char| match char.is_ascii() {
        true => char.to_string(),
        false => format!("\\u{:04x}", u32::from(char)),
    };
    json.chars().map(escape).collect()
}

/// Only the sequences that the view itself writes, and no character that changes how others are shown.
#[track_caller]
fn is_ours(bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).expect("whole characters");
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let around = || {
            let from = text[..at].char_indices().rev().nth(20).map_or(0, |(from, _)| from);
            format!("{:?}", text[from..].chars().take(60).collect::<String>())
        };
        if char != '\u{1b}' {
            let is_plain = !char.is_control() || matches!(char, '\r' | '\n');
            assert!(is_plain, "{char:?} in {}", around());
            assert!(!('\u{200b}'..='\u{200f}').contains(&char), "{char:?} in {}", around());
            assert!(!('\u{202a}'..='\u{202e}').contains(&char), "{char:?} in {}", around());
            continue;
        }
        assert_eq!(chars.next().map(|(_, char)| char), Some('['), "{}", around());
        let mut parameters = String::new();
        while let Some((_, char)) = chars.next_if(|(_, char)| !char.is_ascii_alphabetic()) {
            parameters.push(char);
        }
        let last = chars.next().map(|(_, char)| char);
        let is_known = match last {
            Some('m' | 'H') => true,
            Some('J') => parameters == "2",
            Some('h' | 'l') => ["?1049", "?25", "?2004"].contains(&parameters.as_str()),
            _ => false,
        };
        assert!(is_known, "{last:?} in {}", around());
    }
    let left = text.matches("\u{1b}[?1049l").count();
    assert_eq!(left, 1, "the other screen is left once, by us");
}
