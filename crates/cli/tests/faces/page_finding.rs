//! Finding one's way on the page: the palette, the filters, the steps of a session, the records of its journal.

use crate::support::page::{Served, at_the_gate, enter};
use crate::support::plan::{Planned, planner};
use crate::support::{APPROVE, PER_BATCH, Repo};
use serde_json::json;
use tollgate_programs::browser::{self, Browser, key};
use tollgate_programs::http::Request;

/// What people see of these elements, hidden ones left out.
fn seen(browser: &Browser, css: &str) -> Vec<String> {
    let script = "return [...document.querySelectorAll(arguments[0])].filter(e => e.offsetParent).map(e => e.textContent)";
    serde_json::from_value(browser.run(script, &[json!(css)])).unwrap()
}

#[test]
fn r189_a_session_is_found_by_typing_a_part_of_its_name() {
    let Some(browser) = browser::or_skip("the_palette") else { return };
    let repo = Repo::new();
    for goal in ["Add a line to the app", "Count the visitors"] {
        repo.tollgate(&["run", "--no-input", goal]).exits(3);
    }
    let served = Served::start(&repo);
    browser.window(1280, 900);
    enter(&browser, &served);
    browser.fill("main input[data-filter]", "visitors");
    browser.wait_until("one is left", || seen(&browser, "main a.row").len() == 1);
    browser.click("main a.row:not([hidden])").wait_for("#head");
    assert_eq!(seen(&browser, "#rail a.row").len(), 2);
    browser.fill("#side input[data-filter]", "a line");
    let left = seen(&browser, "#rail a.row");
    assert!(left.len() == 1 && left[0].contains("Add a line"), "{left:?}");

    browser.press(key::ESCAPE).press_with(key::CONTROL, 'k').keys("visi");
    browser.wait_until("one place is left", || seen(&browser, "#places li").len() == 1);
    browser.press(key::ENTER);
    browser.wait_until("its page", || browser.address().contains("count-the-visitors"));
    browser.wait_for_words("h1", "Count the visitors").expect_no_complaint();
}

#[test]
fn r189_what_ran_is_told_step_by_step_with_words_and_what_failed_commands_printed() {
    let Some(browser) = browser::or_skip("steps") else { return };
    let repo = Repo::with(json!([
        planner(&[Planned { checks: r#"["cmd: echo the sum is wrong; test -e fixed"]"#, ..Planned::new("T-001", "app.txt") }]),
        {"when": {"role": "Architect"}, "do": {"default": true, "reply": {"summary": "One file, <b>one</b> line."}}},
    ]));
    let (served, _visitor, session) = at_the_gate(&repo);
    browser.window(1280, 900);
    enter(&browser, &served);
    browser.go(&served.at(&format!("{session}/log"))).wait_for("#steps li");
    let steps = seen(&browser, "#steps li");
    assert_eq!(steps.len(), 3, "two agents and a question: {steps:?}");
    assert!(steps[1].contains("One file, <b>one</b> line."), "{steps:?}");
    assert!(steps[2].contains("waits for you"), "{steps:?}");
    assert_eq!(browser.count("#steps blockquote b"), 0, "the words are no markup");
    assert!(!browser.has("form[action=\"/new\"]"), "it is not over");

    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(3);
    browser.wait_for_words("#steps .printed", "the sum is wrong");
}

#[test]
fn r189_the_records_of_the_journal_are_filtered_without_scripts() {
    let repo = Repo::new();
    let (served, visitor, session) = at_the_gate(&repo);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let all = visitor.page(&format!("{session}/evidence"));
    let rows = |page: &str| page.matches("<td class=\"num\">").count();
    let by_person = visitor.page(&format!("{session}/evidence?by=person&what=&words="));
    assert!(rows(&by_person) >= 3 && rows(&by_person) < rows(&all), "{by_person}");
    assert!(by_person.contains("verified"));
    let words = visitor.page(&format!("{session}/evidence?words=UD-REVIEW-STRATEGY"));
    assert_eq!(rows(&words), 2, "asked and answered: {words}");
    let none = visitor.page(&format!("{session}/evidence?until=1999-01-01T00:00"));
    assert!(none.contains("No record is like that."));
    // A field that nobody knows leaves nothing out, and is shown as text.
    let odd = visitor.page(&format!("{session}/evidence?by=%3Cscript%3E&words=%22%3E%3Cscript%3E"));
    assert!(!odd.contains("<script>"), "{odd}");
    drop(served);
}

#[test]
fn r189_a_session_that_is_over_is_run_again_from_the_filled_in_form() {
    let Some(browser) = browser::or_skip("run_again") else { return };
    let repo = Repo::new();
    let (served, _visitor, session) = at_the_gate(&repo);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    enter(&browser, &served);
    browser.go(&served.at(&session)).click("form[action=\"/new\"] button");
    browser.wait_for("textarea[name=goal]");
    assert_eq!(
        browser.run("return document.querySelector('[name=goal]').value", &[]),
        json!(crate::support::GOAL)
    );
    assert_eq!(
        browser.run("return document.querySelector('[name=action]').value", &[]),
        json!("deliver")
    );
    assert_eq!(
        served.visitor().page("/").matches("class=\"row\"").count(),
        1,
        "nothing starts by opening the form"
    );
    browser.expect_no_complaint();
}

#[test]
fn r194_a_report_and_an_archive_that_verifies_are_taken_from_the_page() {
    let repo = Repo::new();
    let (served, visitor, session) = at_the_gate(&repo);
    let name = session.rsplit('/').next().unwrap();
    let report = visitor.read(&format!("{session}/report.html"));
    assert_eq!(report.status, 200, "{}", report.everything());
    let disposition = report.header("content-disposition").unwrap().to_owned();
    assert_eq!(disposition, format!("attachment; filename=\"{name}.html\""));
    assert!(
        report.text().contains(crate::support::GOAL) && report.text().ends_with("</html>\n"),
        "{}",
        report.text()
    );

    let archive = visitor.read(&format!("{session}/archive.tar.gz"));
    assert_eq!(archive.status, 200, "{}", archive.everything());
    std::fs::write(repo.outside("taken.tar.gz"), &archive.body).unwrap();
    repo.tollgate(&["audit", "--verify", repo.outside("taken.tar.gz").to_str().unwrap()]).exits(0);

    // Nobody else gets them.
    for file in ["report.html", "archive.tar.gz"] {
        let request =
            Request::get(&format!("{session}/{file}")).header("Host", &served.address.to_string());
        assert_eq!(request.send(served.address).unwrap().status, 401);
    }
}
