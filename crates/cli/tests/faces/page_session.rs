//! A whole session in a real browser, with scripts and without: started, sent back, approved, followed, answered, done.

use crate::support::page::{Served, choose, comment, decided, enter, reaches, round, unfold};
use crate::support::plan::{Planned, planner, security_question};
use crate::support::{GOAL, Repo, eventually};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tollgate_programs::browser::{self, Browser};

const COMMENT: &str = "Name the file that gets the line";
const WORDS: &str = "Too short to build from";

/// A crew that shows something at every gate: its Coder writes a line, waits until the test continues, and writes another;
/// its Security asks once.
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

/// Starts it from the page; afterwards the page of the session is shown.
#[track_caller]
fn start(browser: &Browser, served: &Served) {
    enter(browser, served);
    browser.go(&served.at("/new"));
    browser.wait_for("select[name=repo]").wait_for("select[name=action]");
    browser.fill("textarea[name=goal]", GOAL).click("main button[type=submit]");
    browser.wait_until("the page of the session", || browser.address().contains("/s/"));
}

/// The address of the present page, which is that of the session.
fn here(browser: &Browser) -> String {
    browser.address().split(['?', '#']).next().unwrap().to_owned()
}

fn state(repo: &Repo) -> Value {
    repo.status()["state"].clone()
}

#[test]
fn r189_a_whole_session_in_the_browser() {
    let Some(browser) = browser::or_skip("a_whole_session_in_the_browser") else { return };
    let repo = Repo::new();
    let go_on = crew(&repo);
    let served = Served::start(&repo);
    browser.window(1280, 900);
    start(&browser, &served);
    let session = here(&browser);

    comment(&browser, COMMENT);
    assert!(browser.text("section.gate").contains(COMMENT));
    assert!(decided(&repo).is_empty(), "a comment answers nothing");
    choose(&browser, "changes-requested", Some(WORDS));
    eventually("the answer", || decided(&repo).len() == 1);
    let told = decided(&repo)[0].to_string();
    assert!(told.contains(COMMENT) && told.contains(WORDS), "{told}");
    eventually("a second design", || repo.starts_of("Architect") == 2);

    // The page comes to the second round by itself.
    browser.wait_for("section.gate [value^=approved]");
    eventually("the second round", || round(&repo) == 2);
    browser.go(&session);
    assert!(!browser.has(".note"), "the comment went with the answer");
    choose(&browser, "approved", None);
    browser.wait_for("section.gate [value=per-batch]");
    choose(&browser, "per-batch", None);
    follow(&repo, &browser, &session, go_on);

    browser.go(&session).wait_for_words("section.gate", "the line is not escaped");
    choose(&browser, "fix-later", Some("after the release"));
    browser.wait_for("#head .badge.ok");
    assert_eq!(state(&repo), "DONE");
    let answers: Vec<String> = decided(&repo).iter().map(ToString::to_string).collect();
    assert_eq!(answers.len(), 4, "{answers:?}");
    assert!(answers[3].contains("after the release"), "{answers:?}");
    browser.go(&session).expect_no_complaint();
}

/// What the Coder writes comes to its page while it is written.
#[track_caller]
fn follow(repo: &Repo, browser: &Browser, session: &str, go_on: impl Fn()) {
    eventually("the Coder", || repo.starts_of("Coder") == 1);
    let number = repo.dispatch_of("Coder", 0);
    browser.go(session).click(&format!("a[href$=\"/dispatch/{number}\"]"));
    browser.wait_for_words("#output", "opens app.txt");
    assert!(!browser.text("#output").contains("closes"), "it waits");
    browser.run("window.same_page = true", &[]);
    go_on();
    browser.wait_for_words("#output", "closes app.txt");
    assert_eq!(
        browser.run("return window.same_page", &[]),
        json!(true),
        "nothing was loaded again"
    );
}

#[test]
fn r189_a_session_is_read_and_answered_without_scripts() {
    let Some(browser) = browser::or_skip("a_session_without_scripts") else { return };
    let repo = Repo::new();
    let go_on = crew(&repo);
    let served = Served::start(&repo);
    browser.scripts(false);
    start(&browser, &served);
    let session = here(&browser);
    let shows = |css: &str| {
        browser.wait_until(&format!("`{css}` after a reload"), || browser.go(&session).has(css));
    };

    shows("section.gate");
    unfold(&browser);
    browser.click("section.gate a.ln").wait_for("form.comment");
    assert!(browser.address().contains("comment="), "{}", browser.address());
    browser.fill("form.comment textarea[name=comment]", COMMENT).click("form.comment button");
    browser.wait_for("section.gate .note");
    choose(&browser, "changes-requested", Some(WORDS));
    eventually("the answer", || decided(&repo).len() == 1);
    let told = decided(&repo)[0].to_string();
    assert!(told.contains(COMMENT) && told.contains(WORDS), "{told}");
    eventually("the second round", || round(&repo) == 2);
    shows("section.gate [value^=approved]");
    choose(&browser, "approved", None);
    shows("section.gate [value=per-batch]");
    choose(&browser, "per-batch", None);

    eventually("the Coder", || repo.starts_of("Coder") == 1);
    let dispatch = format!("{session}/dispatch/{}", repo.dispatch_of("Coder", 0));
    browser.wait_until("what it wrote", || {
        browser.go(&dispatch).text("#output").contains("opens app.txt")
    });
    go_on();
    shows("section.gate [value^=fix-later]");
    choose(&browser, "fix-later", Some("after the release"));
    reaches(&repo, "DONE");
    for tab in ["", "/log", "/changes", "/evidence", "/tasks"] {
        browser.go(&format!("{session}{tab}"));
        assert!(browser.text("main").len() > 40, "{tab}: {}", browser.text("main"));
    }
    browser.go(&session).wait_for("#head .badge.ok");
    browser.expect_no_complaint();
}

#[test]
fn r189_a_refused_answer_says_why_and_how_to_go_on() {
    let Some(browser) = browser::or_skip("a_refused_answer") else { return };
    let repo = Repo::new();
    repo.run().exits(3);
    let served = Served::start(&repo);
    enter(&browser, &served);
    browser.click("main a.row");
    let session = here(&browser);
    // Someone else answers meanwhile, in a terminal.
    browser.wait_for("section.gate [value^=approved]");
    browser.run("window.stop()", &[]);
    repo.tollgate(&[
        "answer",
        "latest",
        "UD-APPROVE-DESIGN",
        "changes-requested: smaller",
        "--resume",
    ])
    .exits(3);
    let stale =
        browser.run("return document.querySelector('section.gate').innerText.length > 0", &[]);
    assert_eq!(stale, json!(true));
    // What an old page sends, whatever the new one shows.
    let answer = "const form = document.querySelector('section.gate form[action$=\"/answer\"]').cloneNode(true);
        form.querySelectorAll('[name=round]').forEach(e => e.value = '1');
        form.querySelectorAll('[name=answer]').forEach(e => e.remove());
        const field = document.createElement('input'); field.type = 'hidden'; field.name = 'answer'; field.value = 'approved';
        form.append(field); document.body.append(form); form.submit()";
    browser.run(answer, &[]);
    browser.wait_for_words("section.gate", "Nothing was recorded");
    assert_eq!(
        decided(&repo).len(),
        1,
        "the answer to a round that nobody sees any more counts for nothing"
    );
    browser.go(&session).wait_for("section.gate");
}

#[test]
fn r189_a_session_of_another_repository_is_listed_and_those_that_wait_come_first() {
    let Some(browser) = browser::or_skip("sessions_of_all_repositories") else { return };
    let repo = Repo::new();
    repo.run().exits(3);
    repo.tollgate(&["run", "--no-input", "--lean", "Add another line"]).exits(0);
    let served = Served::start(&repo);
    enter(&browser, &served);
    let rows = browser.texts("main a.row");
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(rows[0].contains(GOAL), "{rows:?}");
    assert!(rows[1].contains("Add another line"), "{rows:?}");
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(browser.text("body").contains(&name(&repo.root())), "the repository is named");
    browser.expect_no_complaint();
}
