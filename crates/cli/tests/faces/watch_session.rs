//! A whole session in the terminal view: read, sent back, approved, followed, answered, done.

use crate::support::page::{decided, reaches, round};
use crate::support::plan::{Planned, planner, security_question};
use crate::support::watched::{ENTER, ESCAPE, Watched};
use crate::support::{Repo, eventually};
use serde_json::json;
use std::fs;

/// Its Coder writes a line, waits until the test continues, and writes another; its Security asks once.
fn crew(repo: &Repo) -> impl Fn() + use<> {
    let signals = repo.open_outside("signals");
    let task = Planned { risk: "[security]", ..Planned::new("T-001", "app.txt") };
    let script = format!(
        "echo opens app.txt; until [ -e {0}/go ]; do sleep 0.05; done; echo closes app.txt",
        signals.display()
    );
    repo.crew(json!([
        planner(&[task]),
        {"when": {"role": "Coder", "nth": 1}, "do": {"default": true, "run": ["sh", "-c", script]}},
        {"when": {"role": "Security", "nth": 1},
         "do": {"default": true, "reply": security_question("the line is not escaped")}},
    ]));
    move || fs::write(signals.join("go"), "").unwrap()
}

#[test]
fn r191_a_whole_session_at_the_terminal() {
    let repo = Repo::new();
    let go_on = crew(&repo);
    repo.run().exits(3);
    let mut watched = Watched::start(&repo, &["latest"]);
    watched.shows("UD-APPROVE-DESIGN: press a").presses("a").shows("Tab to your answer");

    // A file is read.
    watched.presses("v").shows("The files that you are asked about").shows("acceptance.json");
    watched.presses(ENTER).shows("\"acceptance_criteria\"").presses("q").presses("q");
    watched.shows("Tab to your answer");

    // It goes back with words, once there are some.
    watched.takes("changes-requested").confirms().shows("write them first");
    assert!(decided(&repo).is_empty(), "a refused answer is none");
    watched.presses("Too short to build from").presses(ENTER).presses("Name the file");
    watched.confirms().shows("Your answer is recorded");
    eventually("the answer", || decided(&repo).len() == 1);
    let told = decided(&repo)[0].to_string();
    assert!(told.contains(r"Too short to build from\nName the file"), "{told}");

    // The second round comes by itself. Neither Enter nor a number approves it.
    eventually("the second round", || round(&repo) == 2 && repo.starts_of("Architect") == 2);
    watched.shows("UD-APPROVE-DESIGN: press a").presses("a").shows("round 2");
    watched.takes("approved").shows("▸ Back").presses(ENTER).shows("needs your words");
    assert_eq!(decided(&repo).len(), 1, "the button that sends is never chosen beforehand");
    watched.takes("approved").presses("y").shows("▸ Send").presses(ENTER);
    watched.shows("UD-REVIEW-STRATEGY: press a").presses("a").shows("Tab to your answer");
    watched.takes("per-batch").presses("y").shows("▸ Send").presses(ENTER);
    follow(&repo, &mut watched, go_on);

    watched.shows(": press a").presses("a").shows("Tab to your answer");
    watched.shows("the line is not escaped");
    watched.takes("fix-later").presses("after the release").confirms();
    reaches(&repo, "DONE");
    watched.shows("The work is ready").shows("Tasks 1/1");
    assert_eq!(decided(&repo).len(), 4);
    assert!(decided(&repo)[3].to_string().contains("after the release"));
    watched.presses("d").shows("1 changed file").presses("q").presses("f").shows("F-1");
    watched.presses("q").shows("Activity").presses("q");
    assert_eq!(watched.terminal.ends(), 0);
}

/// What the Coder writes comes to the screen while it is written.
#[track_caller]
fn follow(repo: &Repo, watched: &mut Watched, go_on: impl Fn()) {
    eventually("the Coder", || repo.starts_of("Coder") == 1);
    watched.shows("Coder T-001").shows("1 at work").presses(ENTER).shows("Output of");
    watched.shows("opens app.txt").does_not_show("closes");
    go_on();
    watched.shows("closes app.txt").presses("q").shows("Activity");
}

#[test]
fn r191_an_answer_to_a_question_that_was_asked_again_is_refused_and_its_words_are_kept() {
    let repo = Repo::new();
    repo.run().exits(3);
    let mut watched = Watched::start(&repo, &["latest"]);
    watched.shows("press a").presses("a").shows("Tab to your answer");
    watched.takes("changes-requested").presses("use one file").shows("use one file");
    repo.answer("UD-APPROVE-DESIGN", "changes-requested: smaller").exits(3);
    watched.confirms().shows("Nothing was recorded").shows("use one file");
    let args = ["answer", "latest", "UD-APPROVE-DESIGN", "approved", "--round", "1"];
    let said = repo.tollgate(&args).exits(2).err;
    let words: String = said.trim_start_matches("error: ").chars().take(60).collect();
    watched.shows(&format!("│ {words}"));
    assert_eq!(decided(&repo).len(), 1, "only the answer of the other terminal");
    watched.presses(ESCAPE).shows("answered, or asked again").presses("q");
    watched.shows("press a").presses("a").shows("round 2");
    watched.takes("changes-requested").shows("use one file");
}

#[test]
fn r191_a_session_is_started_found_and_cancelled_from_the_list() {
    let repo = Repo::new();
    repo.run().exits(3);
    repo.tollgate(&["run", "--no-input", "--lean", "Add another line"]).exits(0);
    let mut watched = Watched::start(&repo, &[]);
    watched.shows("1 waits for you").shows("Add another line");
    let shown = watched.shown();
    let place = |words: &str| shown.find(words).unwrap();
    assert!(place("Add a line") < place("Add another line"), "what waits comes first:\n{shown}");
    watched.presses("/another").shows("Filter: another").presses(ENTER);
    watched.does_not_show("Add a line").presses(ENTER).shows("The work is ready");
    watched.presses("q").shows("Filter: another").presses(ESCAPE).shows("Add a line");

    watched.presses("n").shows("A new session in").presses("Add a third line").confirms();
    watched.shows("UD-APPROVE-DESIGN: press a").presses("x").shows("Cancel the session");
    watched.confirms().shows("write them first").presses("not needed").confirms();
    watched.shows("cancelled");
    eventually("the end of it", || {
        let listed = repo.tollgate(&["sessions"]).out;
        listed.contains("cancelled") || listed.contains("CANCELLED")
    });
    watched.presses("q").shows("Add a third line").presses("q");
    assert_eq!(watched.terminal.ends(), 0);
}

#[test]
fn r191_words_are_written_in_the_editor_and_a_session_that_nobody_runs_is_continued() {
    let repo = Repo::new();
    repo.run().exits(3);
    let lines = "test \"$(cat \"$1\")\" = begun || exit 7\nprintf 'one\\ntwo\\n' > \"$1\"";
    let editor = repo.program("editor", lines);
    let editor = editor.to_str().unwrap();
    let mut watched = Watched::start_with(&repo, &["latest"], &[("VISUAL", editor)]);
    watched.shows("press a").presses("a").shows("Tab to your answer");
    watched.takes("changes-requested").presses("no").shows("no").presses("\u{7}");
    watched.shows("The editor ended with an error").presses("\u{15}begun").shows("begun");
    watched.presses("\u{7}").shows("┃one").shows("┃two").presses(ESCAPE);
    watched.shows("take this option").presses("q");
    watched.shows("press a");

    // Recorded elsewhere, and nobody continues.
    let args = ["answer", "latest", "UD-APPROVE-DESIGN", "approved"];
    repo.tollgate(&args);
    watched.shows("No process runs this session").presses("r").shows("▸ Back");
    watched.presses("y").hides("▸ Back").presses(ENTER).shows("UD-REVIEW-STRATEGY: press a");
}

#[test]
fn r191_it_needs_a_terminal_and_says_what_does_not() {
    let repo = Repo::new();
    for args in [&["watch"][..], &["watch", "latest"]] {
        let ran = repo.tollgate(args).exits(2);
        assert!(ran.out.is_empty(), "{}", ran.out);
        ran.says("needs a terminal").says("tollgate status").says("tollgate log --follow");
    }
}
