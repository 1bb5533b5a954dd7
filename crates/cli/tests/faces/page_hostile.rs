//! Agents, files and people may write what they like: on no page does any of it run, hide or leave its frame.

use crate::support::page::{Served, at_the_gate, choose, comment, decided, enter, round};
use crate::support::{Repo, eventually};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tollgate_programs::browser::{self, Browser};

/// Ways to run a script, out of whatever it is put into.
pub const SCRIPTS: &str = "<script>window.hacked=1</script><img src=x onerror=\"window.hacked=2\"></textarea></pre></code></style></title>\
    <script>window.hacked=3</script>\"><svg onload=window.hacked=4>' autofocus onfocus=window.hacked=5 x='--><iframe src=javascript:parent.hacked=6></iframe>\
    <base href=https://evil.example/><meta http-equiv=refresh content='0;url=https://evil.example/'><form action=https://evil.example><button>Approve</button></form>\
    {{constructor.constructor('window.hacked=7')()}} </script><style>body{display:none}</style><link rel=stylesheet href=//evil.example/x.css>";

/// Colours, a hidden link, a cleared screen; what turns text around; what nobody sees.
const SIGNS: &str = "\u{1b}[31mred\u{1b}[0m \u{1b}]8;;https://evil.example\u{7}link\u{1b}]8;;\u{7} \u{1b}[2J \u{9b}31m \u{202e}drowssap\u{202c} \u{2066}x\u{2069} \u{200b}\u{feff} \u{8}\u{0}\r";

/// Markdown that leads away or runs.
const MARKDOWN: &str = "# Design <script>window.hacked=10</script>\n\n[click](javascript:window.hacked=11) [data](data:text/html,<script>window.hacked=12</script>) \
    ![picture](https://evil.example/p.png) ![x](x\" onerror=\"window.hacked=13) <javascript:window.hacked=14> <https://evil.example/>\n\n\
    <div onclick=window.hacked=15>raw</div>\n\n```html\"><script>window.hacked=16</script>\n</code></pre><script>window.hacked=17</script>\n```\n\n\
    [ref]: javascript:window.hacked=18 \"x\"\n[ref] [vb](vbscript:x) [file](file:///etc/passwd) [case](JaVaScRiPt:window.hacked=19) [tab](java\tscript:window.hacked=20)\n\n\
    | a | b |\n|---|---|\n| <b onmouseover=window.hacked=21>x</b> | `</td><script>window.hacked=22</script>` |\n\n<!-- --><details open ontoggle=window.hacked=23>\n\n\
    <section class=\"gate\"><button name=answer value=approved>Approve</button></section>\n\n";

/// A file of an agent.
const FILE: &str = "<img src=x onerror=window.hacked=30>.txt";

/// One word that no window is wide enough for.
fn long() -> String {
    "w".repeat(4000)
}

fn hostile() -> String {
    format!("{SCRIPTS} {SIGNS} {}", long())
}

/// A design, a plan, files, output, findings and replies, all of them hostile.
fn crew() -> Value {
    let sections = "# Design\n\n## Overview\n\nHostile.\n\n## Modules/components\n\nAll.\n\n";
    let design = format!("{sections}{MARKDOWN}{}\n", hostile().replace('\u{0}', ""));
    let design_path = ".agents-work/{session}/architecture.md";
    let task = |id: &str, file: &str, after: &[&str]| {
        json!({"id": id, "status": "not-started", "type": "feat", "title": SCRIPTS, "depends_on": after,
               "goal": SCRIPTS, "non_goals": [SCRIPTS], "context_files": [], "files_expected": [file, "notes*"],
               "acceptance_checks": [format!("cmd: echo '{}'", SCRIPTS.replace('\'', "\""))],
               "risk_flags": ["security"], "done_when": [SCRIPTS]})
    };
    let tasks = [task("T-001", FILE, &[]), task("T-002", "app.txt", &["T-001"])];
    // JSON is YAML, too.
    let plan =
        json!({"project": {"name": SCRIPTS, "definition_of_done": [SCRIPTS]}, "tasks": tasks});
    let finding = json!({"severity": "medium", "category": hostile(), "file": "app.txt",
        "description": hostile(), "recommended_fix": hostile()});
    let note = json!({"severity": "minor", "category": "style", "file": "app.txt", "line": 1,
        "message": hostile(), "suggested_fix": hostile()});
    json!([
        {"when": {"role": "Architect"}, "do": {"default": true, "write": {(design_path): design},
            "reply": {"summary": SCRIPTS}}},
        {"when": {"role": "Planner"}, "do": {"default": true,
            "write": {".agents-work/{session}/tasks.yaml": plan.to_string()}}},
        {"when": {"role": "Coder"}, "do": {"default": true, "stderr": hostile() + "\n" + MARKDOWN,
            "write": {"app.txt": format!("one\n{}\n{}\n", hostile().replace('\u{0}', ""), MARKDOWN),
                      (FILE): SCRIPTS,
                      "notes\u{202e}txt.exe": "x\n"},
            "reply": {"summary": SCRIPTS}}},
        {"when": {"role": "Reviewer"}, "do": {"default": true, "reply": {"artifacts": {"review_comments": [note]}}}},
        {"when": {"role": "Security"}, "do": {"default": true,
            "reply": {"status": "NEEDS_DECISION", "artifacts": {"findings": [finding]}}}},
    ])
}

pub fn repo() -> Repo {
    Repo::with(crew())
}

pub fn goal() -> String {
    format!("Add {SCRIPTS} \u{202e}drowssap {}", &long()[..200])
}

/// Looks at every page that a link leads to, from here on.
fn visit_all(browser: &Browser, served: &Served, from: &[String]) -> BTreeSet<String> {
    const PAGES_MAX: usize = 80;
    let mut seen = BTreeSet::new();
    let mut left: Vec<String> = from.to_vec();
    while let Some(address) = left.pop() {
        if seen.len() >= PAGES_MAX || !seen.insert(address.clone()) {
            continue;
        }
        browser.go(&address);
        is_harmless(browser, &address);
        let links = browser.run(
            "return [...document.querySelectorAll('a[href]')].map(a => a.href.split('#')[0])",
            &[],
        );
        for link in links.as_array().unwrap().iter().map(|link| link.as_str().unwrap().to_owned()) {
            // One comment is like another, and there is one for each line.
            let is_another =
                link.contains("comment=") && seen.iter().any(|old| old.contains("comment="));
            if link.starts_with(&served.at("/")) && !is_another {
                left.push(link);
            }
        }
    }
    seen
}

#[track_caller]
fn is_harmless(browser: &Browser, address: &str) {
    let script = r#"
        const own = location.origin;
        const bad = [];
        const all = [...document.querySelectorAll('*')];
        if (window.hacked) bad.push('a script ran: ' + window.hacked);
        for (const e of all) {
            for (const a of e.attributes) {
                if (/^on/i.test(a.name) || a.name === 'style') bad.push('attribute ' + a.name + '=' + a.value.slice(0, 80));
            }
            if (['IFRAME', 'OBJECT', 'EMBED', 'BASE', 'FRAME', 'IMG'].includes(e.tagName)) bad.push(e.outerHTML.slice(0, 80));
            if (e.tagName === 'META' && e.httpEquiv) bad.push(e.outerHTML.slice(0, 80));
            if (e.tagName === 'SCRIPT' && (e.textContent.trim() || !e.src.startsWith(own))) bad.push(e.outerHTML.slice(0, 80));
            if (e.tagName === 'STYLE') bad.push(e.outerHTML.slice(0, 80));
            if (e.tagName === 'LINK' && !e.href.startsWith(own) && !e.href.startsWith('data:')) bad.push(e.href);
            // A field may be called `action`, and then stands in the way of the form's own.
            if (e.tagName === 'FORM' && !new URL(e.getAttribute('action') ?? '', location.href).href.startsWith(own)) bad.push(e.outerHTML.slice(0, 80));
            if (e.tagName === 'A' && e.href) {
                const scheme = e.protocol;
                if (!['http:', 'https:', 'mailto:'].includes(scheme)) bad.push('link ' + e.href.slice(0, 80));
                if (e.target && e.origin !== own && !/noopener|noreferrer/.test(e.rel)) bad.push('link out with an opener ' + e.href.slice(0, 80));
            }
        }
        const signs = document.documentElement.outerHTML.match(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        if (signs) bad.push('sign U+' + signs[0].charCodeAt(0).toString(16) + ' near ' + JSON.stringify(
            document.documentElement.outerHTML.slice(Math.max(0, signs.index - 60), signs.index + 20)));
        if (getComputedStyle(document.body).display === 'none') bad.push('the page is hidden');
        return bad.join('\n');
    "#;
    let bad = browser.run(script, &[]);
    assert_eq!(bad, json!(""), "{address}");
    let complaints = browser.complaints();
    assert!(complaints.is_empty(), "{address}: {complaints:?}");
    browser.expect_no_sideways_scrolling();
}

#[test]
fn r190_nothing_that_agents_files_or_people_write_runs_on_any_page() {
    let Some(browser) = browser::or_skip("hostile_words") else { return };
    let repo = repo();
    repo.tollgate(&["run", "--no-input", &goal()]).exits(3);
    let served = Served::start(&repo);
    browser.phone();
    enter(&browser, &served);
    let session = served.at(&served.visitor().session());
    let starts = [served.at("/"), served.at("/new"), session.clone()];
    visit_all(&browser, &served, &starts);
    // Words of a person, too: as a comment, and sent with an answer.
    browser.go(&session);
    comment(&browser, SCRIPTS);
    assert!(browser.text("section.gate .note").contains("window.hacked=3"));
    is_harmless(&browser, "a comment");
    assert_eq!(browser.count("section.gate"), 1, "no text of an agent is a gate");
    choose(&browser, "changes-requested", Some(SCRIPTS));
    eventually("the answer", || decided(&repo).len() == 1);
    eventually("a second design", || repo.starts_of("Architect") == 2);
    eventually("the gate", || round(&repo) == 2);
    browser.go(&session);
    is_harmless(&browser, "the second round");
    repo.tollgate(&["answer", "latest", "UD-APPROVE-DESIGN", "approved", "--resume"]).exits(3);
    browser.go(&session);
    is_harmless(&browser, "the plan");
    let ran = repo.tollgate(&["answer", "latest", "UD-REVIEW-STRATEGY", "per-batch", "--resume"]);
    assert!(matches!(ran.code, 0 | 3 | 4), "{ran:?}");
    let seen = visit_all(&browser, &served, &starts);
    for tab in ["/log", "/changes", "/evidence", "/tasks", "/dispatch/"] {
        assert!(seen.iter().any(|address| address.contains(tab)), "{tab} in {seen:?}");
    }
    browser.window(1280, 900);
    visit_all(&browser, &served, &starts);
}

#[test]
fn r190_a_folder_with_a_hostile_name_is_shown_as_text() {
    let Some(browser) = browser::or_skip("a_hostile_folder") else { return };
    let repo = Repo::new();
    let folder = repo.outside("<img src=x onerror=window.hacked=1>\u{202e}&amp;\"'");
    std::fs::rename(repo.root(), &folder).unwrap();
    std::os::unix::fs::symlink(&folder, repo.root()).unwrap();
    let (served, _visitor, session) = at_the_gate(&repo);
    enter(&browser, &served);
    let starts = [served.at("/"), served.at("/new"), served.at(&session)];
    visit_all(&browser, &served, &starts);
    browser.go(&served.at("/"));
    assert!(
        browser.text("body").contains("<img src=x onerror=window.hacked=1>"),
        "{}",
        browser.text("body")
    );
}
