//! A person at a gate in a terminal: they read, compare, write and decide.

use crate::support::Repo;
use crate::support::pty::{GATE, Terminal, at_the_gate};
use serde_json::json;

#[test]
fn r180_an_empty_line_asks_again_and_a_short_yes_approves() {
    for yes in ["y", "yes", "approve", "approved"] {
        let repo = Repo::new();
        let mut terminal = at_the_gate(&repo, &[("PAGER", "cat")]);
        for _ in 0..5 {
            terminal.types("").wait_for("> ");
        }
        assert_eq!(repo.decision(GATE)["status"], "pending");
        terminal.types(yes).wait_for("UD-REVIEW-STRATEGY (strategy)").wait_for("> ").hangs_up();
        terminal.ends();
        assert_eq!(repo.decision(GATE)["answer"], "approved", "{yes}");
    }
}

#[test]
fn r180_what_only_sounds_like_a_yes_does_not_approve() {
    let repo = Repo::new();
    let mut terminal = at_the_gate(&repo, &[("PAGER", "cat")]);
    terminal.types("Yes please").wait_for("answer one of");
    terminal.wait_for("after 2 more answers like this the session stops").wait_for("> ");
    terminal.types("ok").wait_for("after 1 more answer like this").wait_for("> ").hangs_up();
    terminal.ends();
    assert_eq!(repo.decision(GATE)["status"], "pending");
}

#[test]
fn r180_a_yes_in_capitals_approves_and_an_empty_line_names_the_answers_again() {
    let repo = Repo::new();
    let mut terminal = at_the_gate(&repo, &[("PAGER", "cat")]);
    terminal.types("").wait_for("UD-APPROVE-DESIGN: 1 approved · 2 changes-requested");
    terminal.wait_for("> ").types("YES").wait_for("UD-REVIEW-STRATEGY (strategy)");
    terminal.wait_for("> ").hangs_up();
    terminal.ends();
    assert_eq!(repo.decision(GATE)["answer"], "approved");
}

#[test]
fn r180_the_artefacts_are_read_in_the_pager_and_the_question_stays() {
    let repo = Repo::new();
    let pager = repo.program("pager", &format!("cat > {}", repo.outside("seen").display()));
    let mut terminal = at_the_gate(&repo, &[("PAGER", pager.to_str().unwrap())]);
    terminal.types("v").wait_for("> ");
    terminal.types("?").wait_for("opens your editor").wait_for("> ");
    terminal.types("1").wait_for("UD-REVIEW-STRATEGY (strategy)").wait_for("> ").hangs_up();
    terminal.ends();
    let seen = std::fs::read_to_string(repo.outside("seen")).unwrap();
    assert!(seen.contains("spec.md ──") && seen.contains("architecture.md ──"), "{seen}");
    assert!(!seen.contains("\n# "), "Markdown is shown without its marks: {seen}");
}

#[test]
fn r180_r179_words_of_many_lines_come_from_the_editor() {
    let repo = Repo::new();
    let lines = "printf 'changes-requested: Architect: first\\nsecond\\n\\nlast\\n' > \"$1\"";
    let editor = repo.program("editor", lines);
    let mut terminal = at_the_gate(&repo, &[("EDITOR", editor.to_str().unwrap())]);
    terminal.types("e").wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").hangs_up();
    terminal.ends();
    let history = repo.session_file("approve-design-history.jsonl");
    let record: serde_json::Value = serde_json::from_str(history.trim()).unwrap();
    assert_eq!(record["answer"], "changes-requested: Architect: first\nsecond\n\nlast");
}

#[test]
fn r180_an_editor_that_is_left_without_words_sends_nothing() {
    let repo = Repo::new();
    let mut terminal = at_the_gate(&repo, &[("EDITOR", "true")]);
    terminal.types("e").wait_for("nothing is sent").wait_for("> ");
    terminal.types("y").wait_for("UD-REVIEW-STRATEGY (strategy)").wait_for("> ").hangs_up();
    terminal.ends();
    assert_eq!(repo.decision(GATE)["answer"], "approved");
}

#[test]
fn r181_after_a_correction_the_difference_to_the_last_round_is_shown() {
    let better = json!([{
        "when": {"role": "Architect", "nth": 2},
        "do": {"default": true,
            "append": {".agents-work/{session}/architecture.md": "\nCounts per user now.\n"},
            "write": {".agents-work/{session}/adr/ADR-001.md": "# ADR-001\n\nPer user.\n"}}
    }]);
    let repo = Repo::with(better);
    let pager = repo.program("pager", &format!("cat > {}", repo.outside("seen").display()));
    let mut terminal = at_the_gate(&repo, &[("PAGER", pager.to_str().unwrap())]);
    terminal.types("d").wait_for("nothing has changed yet").wait_for("> ");
    terminal.types("changes-requested: Architect: count per user");
    terminal.wait_for("changed since you were last asked").wait_for("architecture.md");
    terminal.wait_for("> ").types("d").wait_for("> ").hangs_up();
    terminal.ends();
    let seen = std::fs::read_to_string(repo.outside("seen")).unwrap();
    assert!(seen.contains("+Counts per user now."), "{seen}");
    assert!(seen.contains("--- a/architecture.md") && seen.contains("+++ b/architecture.md"));
    assert!(seen.contains("--- /dev/null") && seen.contains("+++ b/adr/ADR-001.md"), "{seen}");
    assert!(!seen.contains("dispatches/"), "where it lies is of no interest: {seen}");
}

#[test]
fn r179_a_pasted_text_of_many_lines_is_one_answer() {
    let repo = Repo::new();
    let mut terminal = at_the_gate(&repo, &[("PAGER", "cat")]);
    terminal.sends("\u{1b}[200~changes-requested: Architect: one\ntwo\nthree\u{1b}[201~\r");
    terminal.wait_for(&format!("{GATE} (approve)")).wait_for("> ").hangs_up();
    terminal.ends();
    let history = repo.session_file("approve-design-history.jsonl");
    assert!(history.contains("one\\ntwo\\nthree"), "{history}");
}

#[test]
fn r179_an_answer_is_read_from_a_file_as_a_whole() {
    let repo = Repo::new();
    repo.run().exits(3);
    let missing = ["answer", GATE, "approved", "--reason-file", "no-such-file"];
    repo.tollgate(&missing).exits(2).says("cannot read the answer from no-such-file");
    std::fs::write(repo.outside("words"), "Architect: one\n\ntwo: more\n").unwrap();
    let file = repo.outside("words");
    let args = ["answer", GATE, "changes-requested", "--reason-file", file.to_str().unwrap()];
    repo.tollgate(&args).exits(0);
    let history = repo.session_file("approve-design-history.jsonl");
    assert!(history.contains("Architect: one\\n\\ntwo: more"), "{history}");
}

#[test]
fn r179_headings_written_in_the_editor_are_kept() {
    let repo = Repo::new();
    let words = "changes-requested: Architect: see below\n\n# Limits\n\n## Per user\n- five";
    std::fs::write(repo.outside("words"), words).unwrap();
    let copy = repo.outside("template");
    let lines = format!(
        "cp \"$1\" {copy}; (cat {words}; echo; grep -A99 -e '>8' \"$1\") > {words}.new; cp {words}.new \"$1\"",
        copy = copy.display(),
        words = repo.outside("words").display()
    );
    let editor = repo.program("editor", &lines);
    let mut terminal = at_the_gate(&repo, &[("EDITOR", editor.to_str().unwrap())]);
    terminal.types("e").wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").hangs_up();
    terminal.ends();
    let history = repo.session_file("approve-design-history.jsonl");
    let record: serde_json::Value = serde_json::from_str(history.trim()).unwrap();
    assert_eq!(record["answer"], words);
    let template = std::fs::read_to_string(copy).unwrap();
    assert!(template.contains("\n# ---- >8 ---- everything below this line is left out\n"));
}

/// The strategy can be sent back with words, and its number alone asks for them.
fn at_text(variable: &str, value: &str) -> (Repo, Terminal) {
    let repo = Repo::new();
    let mut terminal = at_the_gate(&repo, &[(variable, value)]);
    terminal.types("2").wait_for("text> ");
    (repo, terminal)
}

#[test]
fn r180_a_single_letter_helps_also_where_words_are_asked_for() {
    let (repo, mut terminal) = at_text("PAGER", "cat");
    terminal.types("v").wait_for("architecture.md ──").wait_for("text> ");
    terminal.types("d").wait_for("nothing has changed yet").wait_for("text> ");
    terminal.types("?").wait_for("opens your editor").wait_for("text> ");
    assert_eq!(repo.decision(GATE)["status"], "pending");
    terminal.types("Architect: smaller").wait_for(&format!("{GATE} (approve)")).wait_for("> ");
    terminal.hangs_up();
    terminal.ends();
    let history = repo.session_file("approve-design-history.jsonl");
    assert!(history.contains("changes-requested: Architect: smaller"), "{history}");
}

#[test]
fn r180_the_editor_begins_with_the_option_that_was_chosen() {
    let repo = Repo::new();
    let lines = format!("cp \"$1\" {}", repo.outside("seen").display());
    let editor = repo.program("editor", &lines);
    repo.through(&[crate::support::APPROVE]).exits(3);
    let editor = editor.to_str().unwrap();
    let mut terminal = Terminal::start_with(&repo, &["resume"], "EDITOR", editor);
    terminal.wait_for("UD-REVIEW-STRATEGY (strategy)").wait_for("> ").types("3").wait_for("text> ");
    terminal.types("e").wait_for("nothing is sent").wait_for("text> ").hangs_up();
    terminal.ends();
    let seen = std::fs::read_to_string(repo.outside("seen")).unwrap();
    assert!(seen.starts_with("changes-requested: \n"), "{seen}");
}
