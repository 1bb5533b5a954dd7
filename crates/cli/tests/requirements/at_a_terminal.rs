//! The other commands at a terminal: removing, following, comparing and merging; and a window that changes.

use crate::support::pty::{Terminal, plain};
use crate::support::{APPROVE, GOAL, Repo, eventually, ran};
use serde_json::json;
use std::fs::{self, File};
use std::process::Stdio;
use std::time::Duration;
use unicode_width::UnicodeWidthStr;

#[test]
fn r184_a_session_goes_when_its_name_is_typed_and_not_before() {
    let repo = Repo::new();
    repo.run().exits(3);
    let name = repo.session_name();
    for typed in ["", "yes", &name[..name.len() - 1]] {
        let mut person = Terminal::start(&repo, &["rm", "latest"]);
        person.wait_for(&format!("type {name} to remove it for good: ")).types(typed);
        person.wait_for("nothing was removed");
        assert_eq!(person.ends(), 2, "{typed:?}");
        assert!(repo.session().exists());
    }
    let folder = repo.session();
    let mut person = Terminal::start(&repo, &["rm", "latest"]);
    person.wait_for("to remove it for good: ").types(&name).wait_for("removed").wait_for("freed");
    assert_eq!(person.ends(), 0);
    assert!(!folder.exists());
}

#[test]
fn r183_what_an_agent_writes_is_followed_while_it_works() {
    let repo = Repo::new();
    let go = repo.counts().join("go");
    let works = format!(
        "echo reads >&2; until [ -e {} ]; do sleep 0.05; done; echo writes >&2",
        go.display()
    );
    repo.crew(json!([{"when": {"role": "SpecAgent"}, "do": {"default": true, "run": ["sh", "-c", works]}}]));
    let mut run = repo.start(&["run", "--no-input", GOAL]);
    eventually("the agent works", || repo.starts_of("SpecAgent") == 1);
    let mut person = Terminal::start(&repo, &["logs", "-f", "latest", "1"]);
    person.wait_for("#1 SpecAgent session, attempt 1").wait_for("reads");
    assert!(!person.screen().contains("writes"), "{}", person.screen());
    assert!(run.try_wait().unwrap().is_none(), "the agent still works");
    fs::write(&go, "").unwrap();
    person.wait_for("writes");
    assert_eq!(person.ends(), 0, "it ends with the dispatch");
    assert_eq!(run.wait().unwrap().code(), Some(3));
}

#[test]
fn r188_the_work_is_read_in_the_pager_and_merged_at_a_terminal() {
    let repo = Repo::new();
    repo.lean().exits(0);
    let seen = repo.outside("seen");
    let pager = repo.program("pager", &format!("cat > {}", seen.display()));
    let mut person = Terminal::start_with(&repo, &["diff"], "PAGER", pager.to_str().unwrap());
    assert_eq!(person.ends(), 0);
    assert_eq!(person.plain(), "", "all of it is in the pager");
    let patch = plain(&fs::read_to_string(seen).unwrap());
    assert!(patch.contains("diff --git a/app.txt") && patch.contains("+T-001"), "{patch}");
    let mut person = Terminal::start(&repo, &["merge"]);
    person.wait_for("merged:").wait_for("main moved forward").wait_for("tollgate rm");
    assert_eq!(person.ends(), 0);
    assert!(repo.git(&["show", "main:app.txt"]).contains("T-001"));
}

#[test]
fn r180_what_is_recommended_is_marked_and_not_taken_by_itself() {
    let repo = Repo::new();
    repo.through(&[APPROVE]).exits(3);
    let mut person = Terminal::start(&repo, &["resume"]);
    person.wait_for("UD-REVIEW-STRATEGY (strategy)").wait_for("? help").wait_for("> ");
    let screen = person.plain();
    let marked: Vec<&str> = screen.lines().filter(|line| line.contains("(recommended)")).collect();
    assert_eq!(marked.len(), 1, "{screen}");
    assert!(marked[0].contains("single-final"), "{screen}");
    for _ in 0..3 {
        person.types("").wait_for("> ");
    }
    assert_eq!(repo.decision("UD-REVIEW-STRATEGY")["status"], "pending");
    person.hangs_up();
    assert_eq!(person.ends(), 3);
}

#[test]
fn r183_the_price_of_a_dispatch_is_told_when_it_is_known() {
    let usage = json!({"input_tokens": 100, "output_tokens": 20, "usd": 0.18});
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent"}, "do": {"default": true, "reply": {"usage": usage}}}
    ]));
    let mut person = Terminal::start(&repo, &["run", GOAL]);
    person.wait_for("> ").hangs_up();
    person.ends();
    let screen = person.plain();
    let line = |who: &str| {
        let mut lines = screen.split(['\n', '\r']).filter(|line| line.starts_with("✓ "));
        lines.find(|line| line.contains(who)).unwrap_or_default().to_owned()
    };
    assert!(line("#1 SpecAgent").contains("  $0.18"), "{screen}");
    assert!(!line("#2 Architect").contains('$'), "{screen}");
}

#[test]
fn r180_a_long_question_fits_a_narrow_terminal() {
    const COLUMNS: u16 = 60;
    let question =
        "Should failures be counted for each user, for each address or for both together? "
            .repeat(8);
    let asks = json!({"status": "NEEDS_INFO", "artifacts": {"questions": [question]}});
    let repo =
        Repo::with(json!([{"when": {"role": "Researcher", "nth": 1}, "do": {"reply": asks}}]));
    let mut person = Terminal::start_wide(&repo, &["run", "--research", GOAL], COLUMNS);
    person.wait_for("UD-1 (info)").wait_for("? help").wait_for("> ");
    let screen = person.plain();
    let asked = &screen[screen.find("? UD-1 (info)").unwrap()..];
    assert!(asked.lines().filter(|line| line.starts_with('│')).count() > 8, "{asked}");
    for line in asked.lines() {
        assert!(line.width() <= usize::from(COLUMNS), "{line}");
    }
    person.types("for both").wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").hangs_up();
    person.ends();
}

#[test]
fn r183_a_window_that_becomes_narrow_keeps_a_live_line_on_one_row() {
    let words =
        "reads every file of the repository, one after the other, because it must know all of them";
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent", "nth": 1},
        "do": {"stderr": format!("{words}\n"), "hang": true}}]));
    let mut person = Terminal::start_wide(&repo, &["run", GOAL], 140);
    person.wait_for(words).is_resized(50);
    // The line is drawn many times a second.
    std::thread::sleep(Duration::from_millis(600));
    let before = person.screen().len();
    person.wait_for("reads every").wait_for("reads every").wait_for("reads every");
    eventually("the line drawn again", || person.screen().len() > before + 500);
    let later = plain(&person.screen()[before..]);
    for row in later.split(['\n', '\r']).skip(1) {
        assert!(row.width() <= 50, "{} columns: {row:?}", row.width());
    }
    person.types_ctrl_c();
    assert_eq!(person.ends(), 130);
    assert!(person.is_as_before());
}

#[test]
fn r179_an_answer_is_read_from_standard_input_as_a_whole() {
    let repo = Repo::new();
    repo.run().exits(3);
    fs::write(repo.outside("words"), "Architect: one\n\n# two\n").unwrap();
    let args = ["answer", APPROVE.0, "changes-requested", "--reason-file", "-"];
    let mut command = repo.command(&args);
    command.stdin(Stdio::from(File::open(repo.outside("words")).unwrap()));
    ran(&mut command).exits(0);
    let history = repo.session_file("approve-design-history.jsonl");
    assert!(history.contains("Architect: one\\n\\n# two"), "{history}");
}
