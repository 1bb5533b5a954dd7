//! A person at a terminal: asked in place, asked again, and never asked for what is decided.

use crate::route::{leaves, route};
use crate::support::plan::{Planned, planner, replies, security_question};
use crate::support::pty::{Terminal, plain};
use crate::support::{APPROVE, GOAL, Repo, SINGLE_FINAL, eventually};
use rustix::process::Signal;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use unicode_width::UnicodeWidthStr;

const ASK: &str = "UD-APPROVE-DESIGN";

#[test]
fn a_whole_run_is_answered_in_place() {
    let repo = Repo::new();
    let mut terminal = Terminal::start(&repo, &["run", GOAL]);
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").types("2");
    terminal.wait_for("text> ").types("Architect: smaller");
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").types("approved, thanks");
    terminal.wait_for("answer one of").types("approved");
    terminal.wait_for("UD-REVIEW-STRATEGY (strategy)").wait_for("> ").types("2");
    terminal.wait_for("DONE");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(repo.decision("UD-REVIEW-STRATEGY")["answer"], "single-final");
    assert!(
        repo.session_file("approve-design-history.jsonl")
            .contains("changes-requested: Architect: smaller")
    );
}

#[test]
fn r019_questions_without_an_answer_lapse_and_the_others_are_kept() {
    let asks = json!({"status": "NEEDS_INFO", "artifacts": {"questions": ["how fast?", "how big?", "which colour?"]}});
    let repo =
        Repo::with(json!([{"when": {"role": "Researcher", "nth": 1}, "do": {"reply": asks}}]));
    let mut terminal = Terminal::start(&repo, &["run", "--research", GOAL]);
    terminal.wait_for("how fast?").wait_for("> ").types("very");
    terminal.wait_for("how big?").wait_for("> ").types("small");
    terminal.wait_for("which colour?").wait_for("> ").types("skip");
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").hangs_up();
    assert_eq!(terminal.ends(), 3);
    for (id, answer) in [("UD-1", "very"), ("UD-2", "small")] {
        let record = repo.decision(id);
        assert_eq!((&record["status"], &record["answer"]), (&json!("answered"), &json!(answer)));
    }
    let lapsed = repo.decision("UD-3");
    assert_eq!(lapsed["status"], "cancelled");
    assert_eq!(lapsed["resolution_reason"], "no response provided");
}

#[test]
fn r020_silence_does_not_decide_about_security() {
    let repo = Repo::with(json!([replies("Security", security_question("who reads it?"))]));
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(3);
    let mut terminal = Terminal::start(&repo, &["resume"]);
    terminal.wait_for("who reads it?").wait_for("> ").types("");
    for _ in 0..4 {
        terminal.wait_for("> ").types("");
    }
    assert_eq!(repo.decision("UD-1")["status"], "pending", "asked as often as it takes");
    terminal.wait_for("> ").types("fix-later: next week");
    terminal.wait_for("DONE");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(repo.decision("UD-1")["resolution_reason"], "next week");
}

#[test]
fn r021_three_bad_answers_block_the_gate() {
    let repo = Repo::new();
    let mut terminal = Terminal::start(&repo, &["run", GOAL]);
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").types("maybe");
    terminal.wait_for("answer one of").wait_for("> ").types("later");
    terminal.wait_for("answer one of").wait_for("> ").types("Looks fine");
    terminal.wait_for("mandatory_user_decision_missing").wait_for("resume");
    assert_eq!(terminal.ends(), 4);
    let record = repo.decision(ASK);
    assert_eq!(record["status"], "cancelled");
    assert!(!record["resolution_reason"].as_str().unwrap().is_empty());
    assert_eq!(repo.blocker().0, "mandatory_user_decision_missing");
    assert_eq!(repo.starts_of("Planner"), 0);
}

#[test]
fn r021_the_choice_of_a_strategy_is_a_mandatory_gate_too() {
    let repo = Repo::new();
    repo.through(&[APPROVE]).exits(3);
    let mut terminal = Terminal::start(&repo, &["resume"]);
    terminal.wait_for("UD-REVIEW-STRATEGY (strategy)").wait_for("> ").types("x");
    terminal.wait_for("answer one of").wait_for("> ").types("y");
    terminal.wait_for("answer one of").wait_for("> ").types("z");
    assert_eq!(terminal.ends(), 4);
    assert_eq!(repo.decision("UD-REVIEW-STRATEGY")["status"], "cancelled");
}

#[test]
fn r022_the_count_of_bad_answers_starts_again_after_a_resume() {
    let repo = Repo::new();
    let mut terminal = Terminal::start(&repo, &["run", GOAL]);
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").types("maybe");
    terminal.wait_for("answer one of").wait_for("> ").types("hm");
    terminal.wait_for("answer one of").wait_for("> ").hangs_up();
    assert_eq!(terminal.ends(), 3);
    // Two more are again only two; the same after a gate that was given up.
    for _ in 0..2 {
        let mut terminal = Terminal::start(&repo, &["resume"]);
        terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").types("maybe");
        terminal.wait_for("answer one of").wait_for("> ").types("hm");
        terminal.wait_for("answer one of").wait_for("> ");
        assert_eq!(repo.decision(ASK)["status"], "pending");
        terminal.types("later");
        assert_eq!(terminal.ends(), 4);
        assert_eq!(repo.decision(ASK)["status"], "cancelled");
    }
    let mut terminal = Terminal::start(&repo, &["resume"]);
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").types("approved");
    terminal.wait_for("UD-REVIEW-STRATEGY (strategy)").wait_for("> ").hangs_up();
    assert_eq!(terminal.ends(), 3);
    let records = repo.status_file()["user_decisions"].to_string();
    assert_eq!(records.matches(ASK).count(), 1, "the same id in every round");
}

const MANY: &str = "changes-requested: Architect: first\nsecond\n\nthird";

#[track_caller]
fn expect_one_correction(repo: &Repo) {
    let history = repo.session_file("approve-design-history.jsonl");
    assert!(history.contains(&json!(MANY).to_string()), "{history}");
    assert_eq!(repo.starts_of("Architect"), 2);
    assert_eq!(repo.starts_of("SpecAgent"), 1);
}

#[test]
fn r179_a_pasted_text_of_many_lines_is_one_answer() {
    let repo = Repo::new();
    let mut terminal = Terminal::start(&repo, &["run", GOAL]);
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ");
    terminal.sends(&format!("\u{1b}[200~{}\u{1b}[201~", MANY.replace('\n', "\r")));
    terminal.wait_for("third");
    assert_eq!(repo.decision(ASK)["status"], "pending", "a paste alone answers nothing");
    terminal.sends("\r").wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").hangs_up();
    assert_eq!(terminal.ends(), 3);
    expect_one_correction(&repo);
}

#[test]
fn r179_lines_that_come_in_one_burst_are_one_answer() {
    let repo = Repo::new();
    let mut terminal = Terminal::start(&repo, &["run", GOAL]);
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").types(MANY);
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").hangs_up();
    assert_eq!(terminal.ends(), 3);
    expect_one_correction(&repo);
}

#[test]
fn r119_a_terminal_shows_only_our_colours() {
    let evil = "\u{1b}[2J\u{1b}]0;owned\u{7}harmless";
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent"}, "do": {"default": true, "reply": {"summary": evil, "artifacts": {"notes": [format!("assumption: {evil}")]}}}}
    ]));
    let mut terminal = Terminal::start(&repo, &["run", GOAL]);
    terminal
        .wait_for("harmless")
        .wait_for("UD-APPROVE-DESIGN (approve)")
        .wait_for("harmless")
        .wait_for("> ")
        .hangs_up();
    assert_eq!(terminal.ends(), 3);
    let screen = terminal.screen();
    assert!(!screen.contains("\u{1b}[2J") && !screen.contains("\u{1b}]0"), "{screen:?}");
}

#[test]
fn an_escalation_is_answered_in_place() {
    let repo = Repo::with(
        json!([{"when": {"role": "SpecAgent", "nth": 1}, "do": {"exit": 77, "stderr": "no\n"}}]),
    );
    let mut terminal = Terminal::start(&repo, &["run", GOAL]);
    terminal.wait_for("BLOCKED").wait_for("UD-1 (escalation)").wait_for("> ").types("retry");
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").types("cancel: enough");
    terminal.wait_for("`tollgate cancel` ends the session");
    repo.tollgate(&["cancel", "latest", "--reason", "enough"]).exits(0);
    terminal.wait_for("CANCELLED").wait_for("cancelled: enough");
    assert_eq!(terminal.ends(), 4);
}

#[test]
fn ctrl_c_ends_the_agent_and_a_resume_continues() {
    let repo = Repo::with(json!([{"when": {"role": "Architect", "nth": 1}, "do": {"hang": true}}]));
    let mut child = repo.start(&["run", "--no-input", GOAL]);
    crate::support::eventually("the start of Architect", || repo.starts_of("Architect") == 1);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    repo.resume().exits(3).says(ASK);
    assert_eq!(repo.starts_of("Architect"), 2);
    assert_eq!(repo.starts_of("SpecAgent"), 1);
}

#[test]
fn r179_a_terminal_without_colours_marks_pastes_too() {
    for (variable, value, is_marked) in
        [("NO_COLOR", "1", true), ("TERM", "xterm", true), ("TERM", "dumb", false)]
    {
        let repo = Repo::new();
        let mut terminal = Terminal::start_with(&repo, &["run", GOAL], variable, value);
        terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").hangs_up();
        assert_eq!(terminal.ends(), 3);
        if is_marked {
            terminal.wait_for("\u{1b}[?2004l");
        }
        let screen = terminal.screen();
        assert_eq!(screen.contains("\u{1b}[?2004h"), is_marked, "{variable}={value}: {screen:?}");
    }
}

#[test]
fn stopping_the_program_gives_the_terminal_back() {
    let repo = Repo::new();
    let mut terminal = Terminal::start(&repo, &["run", GOAL]);
    terminal
        .wait_for("UD-APPROVE-DESIGN (approve)")
        .wait_for("> ")
        .sends("appro")
        .wait_for("appro");
    assert!(!terminal.is_as_before());
    terminal.signals(Signal::TSTP).wait_for("\u{1b}[?2004l");
    eventually("the terminal as it was", || terminal.is_as_before());
    terminal.signals(Signal::CONT).wait_for("\u{1b}[?2004h").wait_for("> ").wait_for("appro");
    assert!(!terminal.is_as_before());
    terminal.types("ved").wait_for("UD-REVIEW-STRATEGY (strategy)").wait_for("> ").hangs_up();
    assert_eq!(terminal.ends(), 3);
    assert!(terminal.is_as_before());
}

/// A `git` that stops at one of its commands once a question waits, says so by a file, and waits for `goes_on`.
fn slow_git(repo: &Repo, command: &str) -> String {
    let (bin, busy) = (repo.outside("bin"), repo.outside("busy"));
    std::fs::create_dir(&bin).unwrap();
    let script = format!(
        "#!/bin/sh\nfor word do\n  if [ \"$word\" = {command} ] && grep -q decision_asked {1}/*/journal.jsonl; then touch {0}; until [ -e {0}.over ]; do sleep 0.01; done; fi\ndone\nPATH=${{PATH#*:}} exec git \"$@\"\n",
        busy.display(),
        repo.root().join(".agents-work").display()
    );
    std::fs::write(bin.join("git"), script).unwrap();
    std::fs::set_permissions(bin.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", bin.display(), std::env::var("PATH").unwrap())
}

fn goes_on(repo: &Repo) {
    std::fs::write(repo.outside("busy.over"), "").unwrap();
}

/// Far more than the program takes to read what was typed.
fn let_it_read() {
    std::thread::sleep(std::time::Duration::from_secs(1));
}

/// A terminal at which a gate comes next. Until then the engine is busy with git.
fn busy_before_the_gate() -> (Repo, Terminal) {
    let rules = json!([leaves("Coder", json!({"app.txt": "two\n"}))]);
    let steps = ["{dispatch: Coder, state: INTEGRATE}", "{approve: RELEASE_IT, state: RELEASE}"];
    let repo = route(rules, &steps);
    let path = slow_git(&repo, "update-ref");
    let person = Terminal::start_with(&repo, &["run", "--action", "x", GOAL], "PATH", &path);
    eventually("git at work on the branch", || repo.outside("busy").exists());
    (repo, person)
}

/// The engine is busy with git while the person types, and asks only then.
#[test]
fn r121_a_line_typed_before_the_question_was_shown_answers_nothing() {
    let (repo, mut person) = busy_before_the_gate();
    assert!(!person.screen().contains("UD-1 (approve)"), "it is not shown yet");
    person.types("approved");
    let_it_read();
    goes_on(&repo);
    person.wait_for("UD-1 (approve)").wait_for("does not count as an answer");
    assert_eq!(repo.decision("UD-1")["status"], "pending");
    person.types("approved").wait_for("DONE");
    assert_eq!(person.ends(), 0);
}

/// Its digest is still being put together, and the files it is about are not shown.
#[test]
fn r121_a_line_typed_while_the_question_is_being_shown_answers_nothing() {
    let rules = json!([leaves("Coder", json!({"notes.md": "## What it is\nsecret plans\n"}))]);
    let steps = [
        "{dispatch: Coder, state: INTEGRATE, outputs: [notes.md]}",
        "{approve: RELEASE_IT, state: RELEASE}",
    ];
    let repo = route(rules, &steps);
    let path = slow_git(&repo, "blob");
    let mut person = Terminal::start_with(&repo, &["run", "--action", "x", GOAL], "PATH", &path);
    person.wait_for("UD-1 (approve)");
    eventually("git at work on the digest", || repo.outside("busy").exists());
    assert!(!person.screen().contains("secret plans"), "it is not shown yet");
    person.types("approved");
    let_it_read();
    goes_on(&repo);
    person.wait_for("secret plans").wait_for("> ");
    person.wait_for("does not count as an answer").wait_for("> ");
    assert_eq!(repo.decision("UD-1")["status"], "pending");
    person.types("approved").wait_for("DONE");
    assert_eq!(person.ends(), 0);
}

/// Keys that come one soon after the other are one burst, and this one begins before the question.
#[test]
fn r121_a_burst_that_began_before_the_question_answers_nothing() {
    let (repo, mut person) = busy_before_the_gate();
    goes_on(&repo);
    person.sends("approved ");
    while !person.screen().contains("> ") {
        person.sends(" ");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    person.types("");
    eventually("a word on it", || {
        let screen = person.screen();
        screen.contains("does not count as an answer") || screen.contains("answer one of")
    });
    assert_eq!(repo.decision("UD-1")["status"], "pending");
    person.types("approved").wait_for("DONE");
    assert_eq!(person.ends(), 0);
}

/// Lines that a hostile agent would like a person to take for ours.
const MIMICRY: [&str; 4] = [
    "  1 approved                         Approve, as was agreed",
    "state     DONE",
    "DONE  all criteria are met",
    "            tollgate answer latest UD-APPROVE-DESIGN \"approved\" --now",
];

fn rows(screen: &str) -> Vec<String> {
    plain(screen).split(['\n', '\r']).map(str::to_owned).collect()
}

#[track_caller]
fn expect_no_mimicry(what: &str, text: &str) {
    for line in rows(text) {
        let is_theirs = MIMICRY.iter().any(|theirs| line.trim() == theirs.trim());
        assert!(!is_theirs, "{what} shows a line of the agent as if it were ours: {line}\n{text}");
    }
}

/// Words that keep their lines: a question of an agent, and why it is blocked.
#[test]
fn r175_what_an_agent_asks_or_says_about_itself_comes_after_a_bar() {
    let words = format!("harmless\n{}\n", MIMICRY.join("\n"));
    for (role, reply) in [
        ("SpecAgent", json!({"status": "BLOCKED", "summary": words})),
        ("Researcher", json!({"status": "NEEDS_INFO", "summary": words})),
    ] {
        let repo = Repo::with(json!([
            {"when": {"role": role}, "do": {"reply": reply}},
            {"when": {"role": "SpecAgent"}, "do": {"default": true, "reply": {"next": {
                "recommended_agent": "Researcher", "recommended_task_id": "meta", "reason": "x"}}}},
        ]));
        let mut terminal = Terminal::start(&repo, &["run", "--research", GOAL]);
        terminal.wait_for("UD-1 (").wait_for("> ");
        let screen = terminal.screen();
        assert!(screen.contains(MIMICRY[2]), "{screen}");
        expect_no_mimicry("a question at a terminal", &screen);
        terminal.hangs_up();
        terminal.ends();
        expect_no_mimicry("the end of a run", &terminal.screen());
        let waits = repo.resume();
        expect_no_mimicry("a run without a terminal", &waits.err);
        for verb in ["status", "log", "audit"] {
            expect_no_mimicry(verb, &repo.tollgate(&[verb]).out);
        }
    }
}

#[test]
fn r175_no_line_of_an_agent_can_be_taken_for_one_of_ours() {
    let words = format!("harmless\n{}\n", MIMICRY.join("\n"));
    let criteria = json!({"acceptance_criteria": [
        {"id": "AC-001", "description": words, "verify": ["cmd: grep -q one app.txt", "cmd: true"]}]});
    let folder = ".agents-work/$TOLLGATE_SESSION";
    let writes = format!("cat > {folder}/acceptance.json <<'END'\n{criteria}\nEND");
    let finding = json!({"severity": "high", "category": words, "file": words, "line": words, "message": words});
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent"}, "do": {"default": true, "run": ["sh", "-c", writes],
            "reply": {"summary": words, "artifacts": {"notes": [format!("assumption: {words}")]}}}},
        {"when": {"role": "Coder"}, "do": {"exit": 1, "stderr": words}},
        {"when": {"role": "Reviewer"}, "do": {"reply": {"artifacts": {"findings": [finding]}}}},
    ]));
    let mut terminal = Terminal::start(&repo, &["run", GOAL]);
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ");
    let screen = terminal.screen();
    assert!(screen.contains("cmd: grep -q one app.txt"), "{screen}");
    assert!(screen.contains("cmd: true  <- proves nothing"), "{screen}");
    expect_no_mimicry("a question at a terminal", &screen);
    terminal.hangs_up();
    assert_eq!(terminal.ends(), 3);
    expect_no_mimicry("the end of a run", &terminal.screen());
    expect_no_mimicry("status", &repo.tollgate(&["status"]).out);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    let blocked = repo.answer(SINGLE_FINAL.0, SINGLE_FINAL.1).exits(4);
    expect_no_mimicry("the end of a blocked session", &blocked.err);
    assert!(blocked.err.contains("--now"), "its last words are told: {}", blocked.err);
    for verb in ["status", "log", "findings", "audit"] {
        let ran = repo.tollgate(&[verb]);
        expect_no_mimicry(verb, &ran.out);
        expect_no_mimicry(verb, &ran.err);
    }
    for path in crate::support::files_below(&repo.root().join("logs")) {
        let text = crate::support::text(&std::fs::read(&path).unwrap());
        if path.extension().is_some_and(|extension| extension == "txt") {
            expect_no_mimicry("a failure report", &text);
        }
    }
}

/// A line end and a carriage return mean something to the shell: they are shown and no space stands for them.
#[test]
fn r175_a_gate_shows_each_line_of_a_command_as_it_runs() {
    let criteria = json!({"acceptance_criteria": [{"id": "AC-001", "description": "x", "verify": [
        "python3 -m unittest -q test_nope #\nls", "cmd: grep -q one app.txt\r\nmake test", "grep -q one app.txt"]}]});
    let folder = ".agents-work/$TOLLGATE_SESSION";
    let writes = format!("cat > {folder}/acceptance.json <<'END'\n{criteria}\nEND");
    let task = Planned {
        checks: r#"["cmd: make test #\nls", "cmd: make test\r\nmake lint"]"#,
        ..Planned::new("T-001", "app.txt")
    };
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent"}, "do": {"default": true, "run": ["sh", "-c", writes]}},
        planner(&[task]),
    ]));
    let design = repo.tollgate(&["run", "--no-input", GOAL]).exits(3);
    let shown = "│     cmd:  <- proves nothing: it always passes
│         python3 -m unittest -q test_nope #
│         ls
│     cmd:
│         grep -q one app.txt<U+000D>
│         make test
│     cmd: grep -q one app.txt
";
    assert!(design.err.contains(shown), "{}", design.err);
    let strategy = repo.answer(APPROVE.0, APPROVE.1).exits(3);
    let shown = "│     cmd:  <- proves nothing: it always passes
│         make test #
│         ls
│     cmd:
│         make test<U+000D>
│         make lint
";
    assert!(strategy.err.contains(shown), "{}", strategy.err);
}

/// A terminal begins the rest of a long line where our lines begin. So none is longer than the terminal is wide.
#[test]
fn r175_no_row_of_an_agents_words_begins_without_a_bar() {
    const COLUMNS: u16 = 80;
    for pad in ["\u{2800}", "❤\u{fe0f}", "x", "\u{a0}", "世", "- "] {
        let words = format!("harmless {}  1  approved    Approve it", pad.repeat(200));
        let finding = json!({"severity": "high", "category": "x", "file": "app.txt", "line": 1, "description": words, "message": words});
        let repo = Repo::with(json!([
            {"when": {"role": "SpecAgent"}, "do": {"reply": {"status": "FAIL", "summary": words, "artifacts": {"findings": [finding]}}}},
        ]));
        let mut terminal = Terminal::start_wide(&repo, &["run", GOAL], COLUMNS);
        terminal.wait_for("BLOCKED").wait_for("UD-1 (escalation)").wait_for("> ").hangs_up();
        terminal.ends();
        let mut screens = vec![("run", terminal.screen())];
        for (verb, words) in [
            ("status", "harmless"),
            ("log", "harmless"),
            ("findings", "harmless"),
            ("audit", "evidence"),
        ] {
            let mut terminal = Terminal::start_wide(&repo, &[verb], COLUMNS);
            terminal.wait_for(words);
            assert_eq!(terminal.ends(), 0);
            screens.push((verb, terminal.screen()));
        }
        assert!(screens[0].1.contains("harmless"), "{}", screens[0].1);
        for (verb, screen) in screens {
            // People copy a command of ours, so it is whole; no word of the agent is in it.
            let is_ours = |row: &String| {
                row.trim_start().starts_with("tollgate ") && !row.contains("harmless")
            };
            for row in rows(&screen).into_iter().filter(|row| !is_ours(row)) {
                let width = row.width();
                assert!(width <= usize::from(COLUMNS), "{verb} has a row of {width}: {row}");
            }
        }
    }
}
