//! The page by keyboard only, on a phone, in the dark and in the light; pictures of it are kept, and two are in the README.

use crate::showcase;
use crate::support::page::{Served, at_the_gate, choose, comment, decided, enter, round, unfold};
use crate::support::{APPROVE, GOAL, PER_BATCH, Repo, eventually};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tollgate_programs::browser::{self, Browser, key};

const TABS: [&str; 5] = ["", "/log", "/changes", "/evidence", "/tasks"];

/// An answer that lets the work go on.
const APPROVES: &str = "section.gate [name=answer][value^=approved]";

#[test]
fn r189_a_session_is_started_and_answered_by_keyboard_only() {
    let Some(browser) = browser::or_skip("keyboard_only") else { return };
    let repo = Repo::new();
    let served = Served::start(&repo);
    enter(&browser, &served);
    browser.tab_to("a[href=\"/new\"]").press(key::ENTER).wait_for("textarea[name=goal]");
    browser.tab_to("textarea[name=goal]").keys(GOAL);
    browser.tab_to("main button[type=submit]").press(key::ENTER);
    browser.wait_until("the page of the session", || browser.address().contains("/s/"));

    browser.wait_for(APPROVES);
    assert!(!browser.focus_is(APPROVES), "approve has the focus: {}", browser.focused());
    assert!(
        !browser.has("section.gate input[name=answer]:checked[value^=approved]"),
        "approve is chosen"
    );
    // A person who is still typing words presses Enter, and one who opened the page presses it too.
    browser.press(key::ENTER);
    browser.tab_to("section.gate textarea[name=words]").keys("smaller").press(key::ENTER);
    browser.press_with(key::CONTROL, key::ENTER);
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(decided(&repo).is_empty(), "Enter is no answer: {:?}", decided(&repo));
    // Every step of Tab is seen.
    for _ in 0..12 {
        browser.press(key::TAB);
        let seen = "const e = document.activeElement, s = getComputedStyle(e);
            return e === document.body || (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== 'none'";
        assert_eq!(
            browser.run(seen, &[]),
            json!(true),
            "nobody sees the focus on {}",
            browser.focused()
        );
    }
    browser.tab_to("section.gate [name=answer][value^=changes-requested]").press(key::ENTER);
    eventually("the answer", || decided(&repo).len() == 1);
    assert!(decided(&repo)[0].to_string().contains("smaller"));
    eventually("the second round", || round(&repo) == 2);
    browser.reload().tab_to(APPROVES).press(key::ENTER);
    eventually("the answer", || decided(&repo).len() == 2);
}

#[test]
fn r189_no_answer_is_sent_by_a_form_that_nobody_answered() {
    let Some(browser) = browser::or_skip("implicit_submission") else { return };
    let repo = Repo::new();
    let (served, _visitor, session) = at_the_gate(&repo);
    enter(&browser, &served);
    browser.go(&served.at(&session)).wait_for("section.gate");
    // Enter in a field of one line presses the first button of its form.
    let script = "
        const forms = [...document.querySelectorAll('form')];
        const first = f => [...f.elements].find(e => e.type === 'submit' || e.type === 'image');
        return forms.filter(f => /approved/.test(first(f)?.value ?? '')).map(f => f.outerHTML).join('\\n')";
    assert_eq!(browser.run(script, &[]), json!(""), "approve is the first button of a form");
    browser.run(
        "document.querySelector('section.gate form[action$=\"/answer\"]').requestSubmit()",
        &[],
    );
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(decided(&repo).is_empty());
}

#[test]
fn r189_on_a_phone_every_page_fits_and_the_gate_is_answered() {
    let Some(browser) = browser::or_skip("on_a_phone") else { return };
    let repo = showcase::repo();
    let (served, _visitor, session) = at_the_gate(&repo);
    browser.phone();
    enter(&browser, &served);
    browser.expect_no_sideways_scrolling();
    browser.picture("phone-list");
    for path in TABS.iter().map(|tab| format!("{session}{tab}")).chain(["/new".to_owned()]) {
        browser.go(&served.at(&path)).expect_no_sideways_scrolling();
        assert_eq!(browser.run("return innerWidth", &[]), json!(390), "{path} is made for phones");
    }
    browser.go(&served.at(&session));
    browser.picture("phone-gate");
    let small = "return [...document.querySelectorAll('section.gate button, section.gate textarea')]
        .filter(e => e.offsetParent && e.getBoundingClientRect().height < 32).map(e => e.outerHTML).join('\\n')";
    assert_eq!(browser.run(small, &[]), json!(""), "a finger does not hit these");
    unfold(&browser);
    browser.click("section.gate a.ln").wait_for("form.comment").expect_no_sideways_scrolling();
    comment(&browser, "Why?");
    browser.expect_no_sideways_scrolling();
    choose(&browser, "changes-requested", Some("shorter"));
    eventually("the answer", || decided(&repo).len() == 1);
    assert!(decided(&repo)[0].to_string().contains("Why?"));
    browser.expect_no_complaint();
}

/// Text and what is behind it differ enough to be read, as WCAG 2 counts it; gives what is too faint.
pub fn faint(browser: &Browser) -> Value {
    browser.run(
        r#"
        const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
        const rgba = c => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1);
                            return [...canvas.getImageData(0, 0, 1, 1).data]; };
        const light = ([r, g, b]) => { const f = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
                                       return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
        const over = (top, under) => { const a = top[3] / 255; return [0, 1, 2].map(i => top[i] * a + under[i] * (1 - a)).concat(255); };
        const behind = e => { const all = []; for (; e; e = e.parentElement) all.unshift(rgba(getComputedStyle(e).backgroundColor));
                              const page = matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18, 255] : [255, 255, 255, 255];
                              return all.reduce((under, top) => over(top, under), page); };
        const bad = new Set();
        for (const e of document.querySelectorAll('body *')) {
            const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
            if (!own || !e.offsetParent || e.disabled) continue;
            const style = getComputedStyle(e), back = behind(e), text = over(rgba(style.color), back);
            const [a, b] = [light(text), light(back)].sort((x, y) => y - x);
            const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
            const ratio = (a + 0.05) / (b + 0.05);
            if (ratio < (isLarge ? 3 : 4.5)) bad.add(ratio.toFixed(2) + ' ' + e.tagName + '.' + e.className + ' ' + style.color + ' on ' + back + ': ' + e.textContent.trim().slice(0, 30));
        }
        return [...bad].slice(0, 12).join('\n')"#,
        &[],
    )
}

#[test]
fn r189_every_page_can_be_read_in_the_dark_and_in_the_light() {
    let Some(browser) = browser::or_skip("dark_and_light") else { return };
    let repo = showcase::repo();
    repo.run().exits(3);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(3);
    repo.tollgate(&["run", "--no-input", "Tell people their balance in their own currency"])
        .exits(3);
    let served = Served::start(&repo);
    enter(&browser, &served);
    let sessions = browser.run(
        "return [...document.querySelectorAll('main a.row')].map(a => a.getAttribute('href'))",
        &[],
    );
    let sessions: Vec<String> = serde_json::from_value(sessions).unwrap();
    assert_eq!(sessions.len(), 2);
    let tabs =
        sessions.iter().flat_map(|session| TABS.iter().map(move |tab| format!("{session}{tab}")));
    let pages: Vec<String> = ["/".to_owned(), "/new".to_owned()].into_iter().chain(tabs).collect();
    browser.window(1280, 900);
    let mut colours = Vec::new();
    for dark in [true, false] {
        browser.dark(dark);
        for page in &pages {
            browser.go(&served.at(page));
            assert_eq!(faint(&browser), json!(""), "{page}, dark: {dark}");
            browser.expect_no_sideways_scrolling();
            browser.picture(&picture_name(page, dark));
        }
        browser.go(&served.at("/"));
        colours.push(browser.run("return getComputedStyle(document.documentElement).backgroundColor + getComputedStyle(document.body).backgroundColor", &[]));
    }
    assert_ne!(colours[0], colours[1]);
    browser.expect_no_complaint();
}

fn picture_name(page: &str, dark: bool) -> String {
    let look = if dark { "dark" } else { "light" };
    let page: String = page.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    format!("{look}{page}")
}

/// Where the README finds a picture.
fn in_docs(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

/// `UPDATE_EXPECT=1` writes the pictures of the README again; how they look is for people to judge.
#[test]
fn r189_the_pictures_of_the_readme_can_be_taken_and_are_there() {
    let Some(browser) = browser::or_skip("pictures_of_the_readme") else { return };
    let repo = showcase::repo();
    let signals = repo.open_outside("signals");
    repo.tollgate(&["run", "--no-input", showcase::GOAL]).exits(3);
    let served = Served::start(&repo);
    browser.window(1280, 860).dark(false);
    enter(&browser, &served);
    browser.click("main a.row").wait_for("section.gate");
    let session = browser.address();
    let gate = browser.picture("page-gate");

    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    let mut crew: Value =
        serde_json::from_slice(&fs::read(repo.outside("crew.json")).unwrap()).unwrap();
    let wait = format!("until [ -e {}/go ]; do sleep 0.05; done", signals.display());
    for rule in crew["rules"].as_array_mut().unwrap() {
        if rule["when"]["role"] == "Coder" {
            rule["do"]["run"] = json!(["sh", "-c", wait]);
        }
    }
    fs::write(repo.outside("crew.json"), crew.to_string()).unwrap();
    let engine = repo.start(&["answer", "latest", PER_BATCH.0, PER_BATCH.1, "--resume"]);
    eventually("the Coder", || repo.starts_of("Coder") == 1);
    browser.dark(true).go(&session).wait_for_words("body", "T-002");
    browser.wait_for_words("body", "Coder");
    let work = browser.picture("page-work");
    fs::write(signals.join("go"), "").unwrap();
    let ended = engine.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(3), "{}", crate::support::text(&ended.stderr));
    browser.expect_no_complaint();

    for (picture, name) in [(gate, "page-gate.png"), (work, "page-work.png")] {
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::copy(&picture, in_docs(name)).unwrap();
        }
        assert!(in_docs(name).is_file(), "docs/{name} is missing: UPDATE_EXPECT=1 writes it");
    }
    let readme = fs::read_to_string(in_docs("../README.md")).unwrap();
    for name in ["docs/page-gate.png", "docs/page-work.png"] {
        assert!(readme.contains(name), "{name} is in the README");
    }
}
