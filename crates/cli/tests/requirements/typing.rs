//! A person types, edits and interrupts at a terminal.

use crate::support::pty::Terminal;
use crate::support::{APPROVE, GOAL, Repo, eventually};
use serde_json::json;

const LEFT: &str = "\u{1b}[D";
const HOME: &str = "\u{1b}[H";
const STRATEGY: &str = "UD-REVIEW-STRATEGY (strategy)";

fn at_gate(repo: &Repo, columns: u16) -> Terminal {
    let mut terminal = Terminal::start_wide(repo, &["run", GOAL], columns);
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ");
    terminal
}

/// The words that the design was sent back with.
fn sent_back(repo: &Repo) -> String {
    repo.decision(APPROVE.0)["answer"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn r180_an_answer_is_edited_before_it_is_entered() {
    let repo = Repo::new();
    let mut terminal = at_gate(&repo, 100);
    terminal.sends("pproed").sends(LEFT).sends(LEFT).sends("v").sends(HOME).sends("a\n");
    terminal.wait_for(STRATEGY).wait_for("> ").hangs_up();
    assert_eq!(terminal.ends(), 3);
    assert_eq!(sent_back(&repo), "approved");
}

#[test]
fn r180_an_answer_longer_than_the_terminal_is_edited_and_taken_whole() {
    for columns in [60, 40] {
        let repo = Repo::new();
        let mut terminal = at_gate(&repo, columns);
        let long = "count failures per user and not for everybody at once, because else one stranger locks all users out";
        terminal.sends(&format!("changes-requested: {long}")).wait_for("out");
        terminal.sends(HOME).sends("\u{1b}[1;5C").sends(" please").sends("\n");
        terminal
            .wait_for("(correction)")
            .wait_for("UD-APPROVE-DESIGN (approve)")
            .wait_for("> ")
            .hangs_up();
        assert_eq!(terminal.ends(), 3);
        let told = repo.events("decision_resolved")[0].to_string();
        assert!(told.contains(&format!("please {long}")), "{told}");
    }
}

#[test]
fn r180_a_window_that_changes_its_width_loses_no_text() {
    let repo = Repo::new();
    let mut terminal = at_gate(&repo, 100);
    terminal.sends("changes-requested: the first part of a rather long answer").wait_for("answer");
    terminal.is_resized(60).sends(LEFT).sends(", and more").wait_for("more");
    terminal.is_resized(120).sends("\u{5}!\n").wait_for("(correction)");
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").hangs_up();
    assert_eq!(terminal.ends(), 3);
    let told = repo.events("decision_resolved")[0].to_string();
    assert!(told.contains("a rather long answe, and morer!"), "{told}");
}

#[test]
fn r180_without_colours_there_are_none_and_a_dumb_terminal_gets_no_sequence() {
    let repo = Repo::new();
    let mut plain = Terminal::start_with(&repo, &["run", GOAL], "NO_COLOR", "1");
    plain.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").types("approved");
    plain.wait_for(STRATEGY).wait_for("> ").hangs_up();
    assert_eq!(plain.ends(), 3);
    let screen = plain.screen();
    for colour in ["\u{1b}[1m", "\u{1b}[2m", "\u{1b}[3"] {
        assert!(!screen.contains(colour), "{colour:?} in {screen:?}");
    }
    let repo = Repo::new();
    let mut dumb = Terminal::start_with(&repo, &["run", GOAL], "TERM", "dumb");
    dumb.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").types("approved");
    dumb.wait_for(STRATEGY).wait_for("> ").hangs_up();
    assert_eq!(dumb.ends(), 3);
    assert!(!dumb.screen().contains('\u{1b}'), "{:?}", dumb.screen());
}

#[test]
fn r180_ctrl_c_leaves_the_terminal_as_it_was_and_the_session_continues() {
    let working = || {
        let repo =
            Repo::with(json!([{"when": {"role": "SpecAgent", "nth": 1}, "do": {"hang": true}}]));
        let mut terminal = Terminal::start(&repo, &["run", GOAL]);
        terminal.wait_for("#1 SpecAgent");
        eventually("the agent works", || repo.starts_of("SpecAgent") == 1);
        (repo, terminal)
    };
    let asked = |typed: &'static str| {
        move || {
            let repo = Repo::new();
            let mut terminal = at_gate(&repo, 100);
            if !typed.is_empty() {
                terminal.sends(typed).wait_for(typed);
            }
            (repo, terminal)
        }
    };
    type Start = Box<dyn Fn() -> (Repo, Terminal)>;
    let places: [(&str, Start); 3] = [
        ("while an agent works", Box::new(working)),
        ("at a question", Box::new(asked(""))),
        ("with half an answer", Box::new(asked("changes-req"))),
    ];
    for (place, start) in places {
        let (repo, mut terminal) = start();
        terminal.types_ctrl_c();
        assert_eq!(terminal.ends(), 130, "{place}: {}", terminal.screen());
        assert!(terminal.is_as_before(), "{place}");
        let screen = terminal.screen();
        let (on, off) = (screen.rfind("\u{1b}[?2004h"), screen.rfind("\u{1b}[?2004l"));
        assert!(off > on, "{place}: pastes are marked still");
        repo.resume().exits(3).says(APPROVE.0);
    }
}
