//! A pager or an editor of the person has the terminal at a gate, and the session continues.

use crate::support::pty::{GATE, Terminal, at_the_gate};
use crate::support::{APPROVE, GOAL, Repo, SINGLE_FINAL, eventually};
use rustix::process::Signal;
use serde_json::json;
use std::fs;
use std::time::Duration;

const STRATEGY: &str = "UD-REVIEW-STRATEGY (strategy)";

/// A program of the person that works beside the repository.
fn program(repo: &Repo, name: &str, lines: &str) -> String {
    let lines = format!("cd {}\n{lines}", repo.outside("").display());
    repo.program(name, &lines).display().to_string()
}

/// The program of the person works until the test lets it continue.
const UNTIL_TOLD: &str =
    "touch begun; for i in $(seq 600); do [ -e go ] && break; sleep 0.05; done";

fn begins(repo: &Repo) {
    eventually("the program of the person works", || repo.outside("begun").exists());
}

fn continues(repo: &Repo) {
    fs::write(repo.outside("go"), "").unwrap();
}

/// At the gate, while a program of the person has the terminal, which works as these lines say.
fn busy_with(repo: &Repo, (variable, key): (&str, &str), lines: &str) -> Terminal {
    let program = program(repo, "program", lines);
    let mut terminal = at_the_gate(repo, &[(variable, &program)]);
    terminal.types(key);
    begins(repo);
    terminal
}

const PAGER: (&str, &str) = ("PAGER", "v");
const EDITOR: (&str, &str) = ("EDITOR", "e");

fn sent_back_with(repo: &Repo) -> String {
    repo.session_file("approve-design-history.jsonl")
}

#[test]
fn r180_an_answer_from_elsewhere_is_taken_while_the_pager_is_open() {
    let repo = Repo::new();
    let mut terminal = busy_with(&repo, PAGER, UNTIL_TOLD);
    let before = terminal.screen();
    repo.tollgate(&["answer", GATE, "approved"]).exits(0);
    eventually("the next gate", || repo.status()["state"] == "REVIEW_STRATEGY");
    assert_eq!(terminal.screen(), before, "the pager has the terminal");
    continues(&repo);
    terminal.wait_for(STRATEGY).wait_for("> ").types("single-final").wait_for("DONE");
    assert_eq!(terminal.ends(), 0);
    assert!(terminal.is_as_before());
}

#[test]
fn r180_words_of_the_editor_answer_no_question_that_was_answered_meanwhile() {
    let repo = Repo::new();
    let words = "changes-requested: Architect: too late";
    let editor = program(&repo, "editor", &format!("{UNTIL_TOLD}; echo '{words}' > \"$1\""));
    let mut terminal = at_the_gate(&repo, &[("EDITOR", &editor)]);
    terminal.types("e");
    begins(&repo);
    repo.tollgate(&["answer", GATE, "approved"]).exits(0);
    eventually("the next gate", || repo.status()["state"] == "REVIEW_STRATEGY");
    continues(&repo);
    terminal.wait_for(STRATEGY).wait_for("was answered elsewhere").wait_for("nothing is sent");
    terminal.wait_for("> ").hangs_up();
    assert_eq!(terminal.ends(), 3);
    assert_eq!(repo.decision(GATE)["answer"], "approved");
    assert_eq!(repo.starts_of("Architect"), 1);
    let screen = terminal.screen();
    let at =
        screen.find("what you wrote is kept in ").unwrap() + "what you wrote is kept in ".len();
    let path: String = screen[at..].chars().take_while(|char| !char.is_whitespace()).collect();
    assert!(fs::read_to_string(&path).unwrap().contains("too late"));
    fs::remove_file(path).unwrap();
}

#[test]
fn r180_a_request_to_end_closes_the_pager_and_gives_the_terminal_back() {
    let repo = Repo::new();
    let lines =
        "trap 'touch ended; exit 0' TERM; touch begun; for i in $(seq 600); do sleep 0.05; done";
    let pager = program(&repo, "pager", lines);
    let mut terminal = at_the_gate(&repo, &[("PAGER", &pager)]);
    terminal.types("v");
    begins(&repo);
    terminal.signals(Signal::TERM);
    assert_eq!(terminal.ends(), 130);
    assert!(repo.outside("ended").exists(), "the pager was asked to end");
    assert!(terminal.is_as_before());
    repo.resume().exits(3).says(GATE);
}

#[test]
fn r180_words_that_are_not_utf8_are_not_lost() {
    let repo = Repo::new();
    let lines = "printf 'changes-requested: Architect: gr\\374n\\n' > \"$1\"";
    let editor = program(&repo, "editor", lines);
    let mut terminal = at_the_gate(&repo, &[("EDITOR", &editor)]);
    terminal.types("e").wait_for("not UTF-8").wait_for(&format!("{GATE} (approve)"));
    terminal.wait_for("> ").hangs_up();
    terminal.ends();
    assert!(sent_back_with(&repo).contains("gr\u{fffd}n"), "{}", sent_back_with(&repo));
}

#[test]
fn r180_pager_and_editor_leave_standard_output_to_the_script() {
    for pager in ["cat", "", "no-such-pager"] {
        let repo = Repo::new();
        let editor = program(&repo, "editor", "echo the editor draws");
        let out = repo.outside("out");
        let variables = [("PAGER", pager), ("EDITOR", editor.as_str())];
        let mut terminal = Terminal::start_printing_to(&repo, &["run", GOAL], &variables, &out);
        terminal.wait_for("? help").wait_for("> ");
        terminal.types("v").wait_for("architecture.md ──").wait_for("> ");
        terminal.types("e").wait_for("the editor draws").wait_for("> ").hangs_up();
        assert_eq!(terminal.ends(), 3);
        let printed = fs::read_to_string(out).unwrap();
        assert_eq!(printed, format!("{}\n", repo.session_name()), "{pager:?}");
    }
}

#[test]
fn r180_ctrl_c_in_the_pager_of_a_difference_is_left_to_the_pager() {
    let repo = Repo::new();
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    let pager =
        program(&repo, "pager", &format!("trap 'touch heard' INT; {UNTIL_TOLD}; touch over"));
    let mut terminal = Terminal::start_with(&repo, &["diff"], "PAGER", &pager);
    begins(&repo);
    terminal.types_ctrl_c().signals(Signal::QUIT);
    eventually("the pager hears it", || repo.outside("heard").exists());
    continues(&repo);
    assert_eq!(terminal.ends(), 0);
    assert!(repo.outside("over").exists(), "it waited for the pager");
}

#[test]
fn r180_a_pager_is_told_to_show_colours_unless_the_person_told_it_something() {
    let repo = Repo::new();
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    let pager = program(&repo, "pager", "echo \"less $LESS lv $LV\"");
    let mut told = Terminal::start_with(&repo, &["diff"], "PAGER", &pager);
    told.wait_for("less FRX lv -c");
    told.ends();
    let variables = [("PAGER", pager.as_str()), ("LESS", "M"), ("LV", "x")];
    let mut kept = Terminal::start_with_all(&repo, &["diff"], &variables);
    kept.wait_for("less M lv x");
    kept.ends();
    for pager in ["cat", "", "no-such-pager"] {
        let mut printed = Terminal::start_with(&repo, &["diff"], "PAGER", pager);
        printed.wait_for("+++ b/app.txt");
        assert_eq!(printed.ends(), 0, "{pager:?}");
    }
}

#[test]
fn r180_stopping_the_program_leaves_the_terminal_to_the_editor() {
    let repo = Repo::new();
    let mut terminal = busy_with(&repo, EDITOR, UNTIL_TOLD);
    let before = terminal.screen();
    terminal.signals(Signal::TSTP);
    std::thread::sleep(Duration::from_millis(200));
    terminal.signals(Signal::CONT);
    std::thread::sleep(Duration::from_millis(300));
    assert!(terminal.is_as_before(), "the editor has it");
    assert_eq!(terminal.screen(), before);
    continues(&repo);
    terminal.wait_for("nothing is sent").wait_for("> ").types("approved").wait_for(STRATEGY);
    terminal.wait_for("> ").hangs_up();
    assert_eq!(terminal.ends(), 3);
}

#[test]
fn r180_a_letter_that_is_an_option_answers_and_the_keys_have_a_colon() {
    for letter in ["d", "e"] {
        let options = json!(["a", "b", "c", "d", "e"]);
        let question = json!({"question": "Which store?", "options": options});
        let reply = json!({"status": "NEEDS_INFO", "artifacts": {"questions": [question]}});
        let rules = json!([{"when": {"role": "SpecAgent", "nth": 1}, "do": {"reply": reply}}]);
        let repo = Repo::with(rules);
        let mut terminal = Terminal::start_with(&repo, &["run", GOAL], "EDITOR", "true");
        terminal.wait_for("UD-1 (info)").wait_for(":d diff").wait_for("> ");
        terminal.types(":?").wait_for("opens your editor").wait_for("> ");
        terminal.types(":d").wait_for("nothing").wait_for("> ");
        terminal.types(":e").wait_for("nothing is sent").wait_for("> ");
        terminal.types(letter).wait_for(&format!("{GATE} (approve)")).wait_for("> ").hangs_up();
        assert_eq!(terminal.ends(), 3);
        assert_eq!(repo.decision("UD-1")["answer"], letter);
    }
}

#[test]
fn r180_the_editor_is_found_behind_an_empty_visual_with_its_arguments_and_blanks() {
    let repo = Repo::new();
    fs::create_dir(repo.outside("my tools")).unwrap();
    let lines = "echo \"changes-requested: Architect: $2 $1\" > \"$3\"";
    let path = program(&repo, "my tools/editor", lines);
    let editor = format!("'{path}' --wait \"two words\"");
    let mut terminal = at_the_gate(&repo, &[("VISUAL", " "), ("EDITOR", &editor)]);
    terminal.types("e").wait_for(&format!("{GATE} (approve)")).wait_for("> ").hangs_up();
    terminal.ends();
    assert!(sent_back_with(&repo).contains("two words --wait"), "{}", sent_back_with(&repo));
    let mut terminal = Terminal::start_with(&repo, &["resume"], "EDITOR", "'vi");
    terminal.wait_for("> ").types("e").wait_for("a quote").wait_for("nothing is sent");
    terminal.wait_for("> ").hangs_up();
    terminal.ends();
}

#[test]
fn r180_words_that_were_not_saved_again_are_not_sent() {
    let repo = Repo::new();
    let lines = "[ -e second ] && exit; touch second; echo 'changes-requested: Architect: mine' > \"$1\"; exit 3";
    let editor = program(&repo, "editor", lines);
    let mut terminal = at_the_gate(&repo, &[("EDITOR", &editor)]);
    terminal.types("e").wait_for("the editor ended with exit code 3; nothing is sent");
    terminal.wait_for("> ");
    terminal.types("e").wait_for("nothing was written, and nothing is sent").wait_for("> ");
    terminal.types("approved").wait_for(STRATEGY).wait_for("> ").hangs_up();
    terminal.ends();
    assert_eq!(repo.decision(GATE)["answer"], "approved");
}

/// A long text has moved the question off the screen.
#[test]
fn r180_after_the_pager_the_answers_are_named_again() {
    let repo = Repo::new();
    let mut terminal = at_the_gate(&repo, &[("PAGER", "cat")]);
    terminal.types("v").wait_for("architecture.md ──");
    terminal.wait_for(&format!("{GATE}: 1 approved · 2 changes-requested: TEXT")).wait_for("> ");
    terminal.hangs_up();
    assert_eq!(terminal.ends(), 3);
}

#[test]
fn r180_an_editor_that_is_left_without_words_keeps_no_file() {
    let repo = Repo::new();
    let editor = program(&repo, "editor", &format!("{UNTIL_TOLD}; echo \"$1\" > path"));
    let mut terminal = at_the_gate(&repo, &[("EDITOR", &editor)]);
    terminal.types("e");
    begins(&repo);
    repo.tollgate(&["answer", GATE, "approved"]).exits(0);
    eventually("the next gate", || repo.status()["state"] == "REVIEW_STRATEGY");
    continues(&repo);
    terminal.wait_for(STRATEGY).wait_for("> ").hangs_up();
    assert_eq!(terminal.ends(), 3);
    assert!(!terminal.screen().contains("is kept in"));
    let path = fs::read_to_string(repo.outside("path")).unwrap();
    assert!(!std::path::Path::new(path.trim()).exists());
}

/// Two of them wait, and the other one is answered elsewhere.
#[test]
fn r180_the_question_of_the_pager_stays_open_while_another_one_is_answered() {
    let questions =
        json!({"status": "NEEDS_INFO", "artifacts": {"questions": ["how fast?", "how big?"]}});
    let rules = json!([{"when": {"role": "SpecAgent", "nth": 1}, "do": {"reply": questions}}]);
    let repo = Repo::with(rules);
    let editor = program(&repo, "editor", &format!("{UNTIL_TOLD}; echo very fast > \"$1\""));
    let mut terminal = Terminal::start_with(&repo, &["run", GOAL], "EDITOR", &editor);
    terminal.wait_for("how fast?").wait_for(":? help").wait_for("> ").types(":e");
    begins(&repo);
    repo.tollgate(&["answer", "UD-2", "small"]).exits(0);
    eventually("the other answer", || repo.decision("UD-2")["status"] == "answered");
    continues(&repo);
    terminal.wait_for(&format!("{GATE} (approve)")).wait_for("> ").hangs_up();
    assert_eq!(terminal.ends(), 3);
    assert_eq!(repo.decision("UD-1")["answer"], "very fast");
}
