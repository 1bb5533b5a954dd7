//! `tollgate report`: Markdown as it is, and one HTML file in a real browser, from a disk and from a server that counts.

use crate::page_hostile;
use crate::showcase;
use crate::support::foreign::{Foreign, OLD};
use crate::support::pty::Terminal;
use crate::support::{APPROVE, PER_BATCH, Repo, eventually, files_below};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tollgate_programs::browser::{self, Browser};

fn html(repo: &Repo) -> PathBuf {
    let file = repo.outside("report.html");
    repo.tollgate(&["report", "--html", "-o", file.to_str().unwrap()]).exits(0);
    file
}

fn address(file: &std::path::Path) -> String {
    format!("file://{}", file.display())
}

/// Serves one file to whoever asks, and knows what was asked for.
struct Counted {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Counted {
    fn serve(html: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, asked) = (listener.local_addr().unwrap(), Arc::new(Mutex::new(Vec::new())));
        let noted = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut request = [0; 2048];
                let count = stream.read(&mut request).unwrap_or(0);
                if count == 0 {
                    continue;
                }
                let line = String::from_utf8_lossy(&request[..count])
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                noted.lock().unwrap().push(line);
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    html.len()
                );
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&html));
            }
        });
        Self { address, asked }
    }
}

/// Everything that a session can have: rejected and approved designs, findings, repairs, commits.
fn rich() -> Repo {
    let repo = showcase::repo();
    repo.tollgate(&["run", "--no-input", showcase::GOAL]).exits(3);
    repo.answer(APPROVE.0, "changes-requested: say what happens to an account that is locked")
        .exits(3);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(3);
    let status = repo.status();
    let id = status["pending_decisions"][0]["decision_id"].as_str().unwrap().to_owned();
    repo.answer(&id, "accept-risk: the answer is as slow for everybody next week").exits(0);
    repo
}

#[test]
fn r194_one_html_file_tells_the_whole_session_and_asks_for_nothing() {
    let Some(browser) = browser::or_skip("report_html") else { return };
    let repo = rich();
    let file = html(&repo);
    let text = fs::read_to_string(&file).unwrap();
    for outside in ["<script", "http://", "https://", "url(", "@import", "src="] {
        assert!(
            !text.to_lowercase().replace("xmlns='http://www.w3.org", "").contains(outside),
            "{outside}"
        );
    }
    let served = Counted::serve(text.into_bytes());
    browser.window(1200, 900).dark(false);
    for scripts in [true, false] {
        served.asked.lock().unwrap().clear();
        browser.scripts(scripts).go(&format!("http://{}/", served.address)).expect_no_complaint();
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert_eq!(*served.asked.lock().unwrap(), ["GET / HTTP/1.1"], "scripts: {scripts}");
    }
    // Also where something of it were markup: the policy in the file holds.
    browser.scripts(true).go(&format!("http://{}/", served.address));
    let smuggled = "document.body.insertAdjacentHTML('beforeend', '<img src=/pixel><link rel=stylesheet href=/x.css><form id=smuggled action=/sent method=post></form>');
        const script = document.createElement('script'); script.textContent = 'window.hacked = 1'; document.body.append(script);
        document.getElementById('smuggled').submit(); return new Promise(done => setTimeout(() => done(window.hacked ?? 0), 300))";
    assert_eq!(browser.run(smuggled, &[]), json!(0), "a script ran");
    let asked = served.asked.lock().unwrap().join(" ");
    assert!(
        !asked.contains("/pixel") && !asked.contains("/x.css") && !asked.contains("/sent"),
        "{asked}"
    );
    assert!(!browser.complaints().is_empty(), "the browser refused it aloud");
    browser.go(&address(&file));
    let words = browser.text("body");
    for wanted in [
        showcase::GOAL,
        "UD-APPROVE-DESIGN",
        "changes-requested: say what happens to an account that is locked",
        "accept-risk: the answer is as slow for everybody next week",
        "Accepted risks",
        "Count failed logins per account",
        "The sixth try within 15 minutes is locked.",
        "Whether an account exists is told by how long the answer takes.",
        "login.py",
        "verified",
    ] {
        assert!(words.contains(wanted), "{wanted:?} is not in {words}");
    }
    let head = repo.tollgate(&["audit", "--verify"]).exits(0).out;
    let head = head.trim().rsplit(' ').next().unwrap().to_owned();
    assert!(words.contains(&head), "the last hash");
    // The pictures are there, in the size that they must have.
    for picture in [".pic-flow svg", "#timeline .pic-rows svg", "#spend .pic-rows svg"] {
        let script = "const all = [...document.querySelectorAll(arguments[0])];
            return all.length > 0 && all.every(e => e.getBoundingClientRect().width > 5 && e.getBoundingClientRect().height > 5)";
        assert_eq!(browser.run(script, &[json!(picture)]), json!(true), "{picture}");
    }
    let colour = "return getComputedStyle(document.querySelector('.pic-done .pic-box')).stroke";
    assert_ne!(browser.run(colour, &[]), json!("none"), "the pictures have their style");
    // What is folded unfolds without scripts.
    assert!(!browser.text("#log").contains("opened"));
    browser.click("#log > summary").wait_for_words("#log", "UD-APPROVE-DESIGN");
    assert!(browser.count("#changed .diff .a") > 0 && browser.count("#changed .diff .kw") > 0);
    browser.expect_no_complaint();
}

#[test]
fn r194_the_report_is_read_in_the_dark_on_a_phone_and_on_paper() {
    let Some(browser) = browser::or_skip("report_looks") else { return };
    let repo = rich();
    let file = html(&repo);
    let mut colours = Vec::new();
    for dark in [true, false] {
        browser.window(1200, 900).dark(dark).go(&address(&file));
        browser.run("document.querySelectorAll('details').forEach(e => e.open = true)", &[]);
        assert_eq!(crate::page_looks::faint(&browser), json!(""), "dark: {dark}");
        browser.expect_no_sideways_scrolling();
        browser.picture(if dark { "report-dark" } else { "report-light" });
        colours.push(browser.run("return getComputedStyle(document.body).backgroundColor", &[]));
    }
    assert_ne!(colours[0], colours[1]);
    browser.phone();
    browser.go(&address(&file)).expect_no_sideways_scrolling();
    browser.picture("report-phone");
    browser.run("document.querySelectorAll('details').forEach(e => e.open = true)", &[]);
    browser.expect_no_sideways_scrolling();
    assert_eq!(browser.run("return innerWidth", &[]), json!(390), "it is made for phones");
    // On paper nothing is folded but the log, and no link is there that leads nowhere.
    browser.window(1200, 900).paper(true).go(&address(&file));
    let seen =
        "return [...document.querySelectorAll('#changed details.file .diff, #documents .md')]
        .every(e => e.checkVisibility({contentVisibilityAuto: true}))";
    assert_eq!(browser.run(seen, &[]), json!(true), "a change is not on paper");
    assert_eq!(
        browser.run("return getComputedStyle(document.querySelector('.tabs')).display", &[]),
        json!("none")
    );
    browser.expect_no_complaint();
}

/// Nothing of it runs, leads away or stands for something of ours.
#[track_caller]
fn is_harmless(browser: &Browser) {
    let script = r#"
        const bad = [];
        if (window.hacked) bad.push('a script ran: ' + window.hacked);
        for (const e of document.querySelectorAll('*')) {
            for (const a of e.attributes) {
                if (/^on/i.test(a.name) || a.name === 'style') bad.push('attribute ' + a.name + '=' + a.value.slice(0, 80));
            }
            if (['SCRIPT', 'IFRAME', 'OBJECT', 'EMBED', 'BASE', 'FRAME', 'IMG', 'FORM', 'BUTTON', 'INPUT', 'TEXTAREA'].includes(e.tagName)
                && !(e.tagName === 'INPUT' && e.type === 'checkbox' && e.disabled)) bad.push(e.outerHTML.slice(0, 80));
            if (e.tagName === 'META' && e.httpEquiv && e.httpEquiv !== 'Content-Security-Policy') bad.push(e.outerHTML.slice(0, 80));
            if (e.tagName === 'LINK' && !e.href.startsWith('data:')) bad.push(e.href);
            if (e.tagName === 'A' && !['http:', 'https:', location.protocol].includes(e.protocol)) bad.push('link ' + e.href.slice(0, 80));
            if (e.tagName === 'A' && e.protocol === 'file:' && e.pathname !== location.pathname) bad.push('link ' + e.href.slice(0, 80));
        }
        if (document.querySelectorAll('style').length !== 1) bad.push('styles: ' + document.querySelectorAll('style').length);
        const signs = document.documentElement.outerHTML.match(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        if (signs) bad.push('sign U+' + signs[0].charCodeAt(0).toString(16));
        if (getComputedStyle(document.body).display === 'none') bad.push('the page is hidden');
        return bad.join('\n');
    "#;
    assert_eq!(browser.run(script, &[]), json!(""));
    browser.expect_no_complaint();
    browser.expect_no_sideways_scrolling();
}

#[test]
fn r194_nothing_that_others_write_runs_in_the_report() {
    let Some(browser) = browser::or_skip("report_hostile") else { return };
    let repo = page_hostile::repo();
    repo.tollgate(&["run", "--no-input", &page_hostile::goal()]).exits(3);
    browser.phone();
    let look = || {
        browser.go(&address(&html(&repo)));
        browser.run("document.querySelectorAll('details').forEach(e => e.open = true)", &[]);
        is_harmless(&browser);
        let markdown = repo.tollgate(&["report"]).exits(0).out;
        let is_sign = |c: &char| c.is_control() && *c != '\n';
        assert_eq!(markdown.chars().find(is_sign), None);
        // As a page shows Markdown that may have HTML in it.
        assert!(!markdown.contains("\n<") && !markdown.contains(" <script"), "{markdown}");
    };
    look();
    repo.answer(APPROVE.0, &format!("changes-requested: {}", page_hostile::SCRIPTS)).exits(3);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(3);
    look();
    // What an agent asked, and what a person answered, once it is decided.
    let status = repo.status();
    let asked = &status["pending_decisions"][0];
    let answer = match asked["kind"].as_str().unwrap() {
        "security" => format!("accept-risk: {}", page_hostile::SCRIPTS),
        _ => "accept".to_owned(),
    };
    assert!(asked["question"].as_str().unwrap().contains("<script>"), "{asked}");
    repo.answer(asked["decision_id"].as_str().unwrap(), &answer);
    look();
    assert!(browser.count("#changed details.file") >= 2, "the changes are there");
    browser.window(1200, 900);
    look();
    let json = repo.tollgate(&["report", "--json"]).exits(0).out;
    assert!(serde_json::from_str::<Value>(&json).is_ok());
}

#[test]
fn r194_the_report_as_markdown() {
    let repo = Repo::new();
    let early = repo.tollgate(&["report"]).exits(2);
    early.says("no session");
    repo.run().exits(3);
    let waiting = repo.tollgate(&["report"]).exits(0).out;
    for wanted in [
        "# Add a line to the app",
        "**waits for a person**",
        "## Waits for an answer",
        "`UD-APPROVE-DESIGN`",
    ] {
        assert!(waiting.contains(wanted), "{wanted:?} is not in {waiting}");
    }
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let done = repo.tollgate(&["report"]).exits(0).out;
    let titles: Vec<&str> = done.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(
        titles,
        [
            "## Who decided what",
            "## Steps",
            "## Tasks",
            "## Acceptance criteria",
            "## Changed files",
            "## Commits",
            "## Commands that Tollgate ran",
            "## Spend",
            "## Documents of the session",
            "## Evidence",
        ]
    );
    let neutral = without_numbers(&repo.neutral(&done));
    let begin = neutral.split("## Steps").next().unwrap();
    expect_test::expect![[r#"
        # Add a line to the app

        - **Session:** `SESSION`
        - **Repository:** repo
        - **Action:** deliver (full)
        - **State:** **done** (`DONE`)
        - **Opened:** TIME TIME UTC
        - **Last change:** TIME TIME UTC
        - **Took:** N
        - **Cost:** cost unknown, 14 attempts, N s of agent time
        - **Started from:** `main` at `HASH`
        - **Branch:** `tollgate/SESSION` at `HASH`

        ## Who decided what

        ### `UD-APPROVE-DESIGN`

        TIME TIME UTC, answered by a person.

        > Please review the proposed solution: acceptance.json, architecture.md, spec.md. Do you approve it?
        > Acceptance criteria:
        > \- AC-001 every check passes
        > cmd: true  \<- proves nothing: it always passes

        Answer:

        > approved

        Shown, by SHA-256:

        - `acceptance.json` `HASH`
        - `architecture.md` `HASH`
        - `spec.md` `HASH`

        ### `UD-REVIEW-STRATEGY`

        TIME TIME UTC, answered by a person.

        > The plan has 2 tasks:
        > \- T-001 Change app.txt (feat): app.txt
        > cmd: true  \<- proves nothing: it always passes
        > \- T-002 Change lib.txt (feat): lib.txt
        > cmd: true  \<- proves nothing: it always passes
        > How should the work be reviewed? Recommended: single-final.

        Answer:

        > per-batch

        Shown, by SHA-256:

        - `tasks.yaml` `HASH`

    "#]]
    .assert_eq(begin);
}

/// Times, commits and hashes are other ones each time.
fn without_numbers(text: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_matches(|c| matches!(c, '`' | '.' | ',' | ':'));
        let is_hash = bare.len() >= 40 && bare.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_time = bare.len() >= 8
            && bare.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'-'));
        match (is_hash, is_time) {
            (true, _) => word.replace(bare, "HASH"),
            (_, true) => word.replace(bare, "TIME"),
            _ => word.to_owned(),
        }
    };
    let line = |line: &str| {
        let words: Vec<String> = line.split(' ').map(word).collect();
        let line = words.join(" ");
        match line.strip_prefix("- **Took:** ") {
            Some(_) => "- **Took:** N".to_owned(),
            None => line,
        }
    };
    text.lines().map(|text| format!("{}\n", line(text))).collect()
}

#[test]
fn r194_a_document_that_was_edited_is_not_shown_under_the_hash_of_the_recorded_one() {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let (edited, missing) = ("| **changed after it was recorded** |", "| **missing** |");
    let report = repo.tollgate(&["report"]).exits(0).out;
    assert!(!report.contains(edited) && !report.contains(missing), "{report}");
    // Our own statuses are no edit.
    let of_plan = report.lines().find(|line| line.starts_with("| `tasks.yaml`")).unwrap();
    assert!(of_plan.ends_with("| as recorded, but for what Tollgate wrote into it |"), "{of_plan}");
    fs::write(repo.session().join("spec.md"), "# Another one\n").unwrap();
    fs::remove_file(repo.session().join("architecture.md")).unwrap();
    let archive = repo.outside("edited.tar.gz");
    repo.tollgate(&["export", "-o", archive.to_str().unwrap()]).exits(0);
    for of in ["latest", archive.to_str().unwrap()] {
        let report = repo.tollgate(&["report", of]).exits(0).out;
        let row = |file: &str| report.lines().find(|line| line.starts_with(file)).unwrap();
        assert!(row("| `spec.md` | `").ends_with(edited), "{report}");
        assert!(row("| `architecture.md` | `").ends_with(missing), "{report}");
        assert!(row("| `acceptance.json` | `").ends_with("| as recorded |"), "{report}");
        let html = repo.tollgate(&["report", "--html", of]).exits(0).out;
        assert_eq!(html.matches("badge bad\">changed after it was recorded").count(), 1);
        assert_eq!(html.matches("badge bad\">missing").count(), 1);
        // Commands about the session lead nowhere from an archive.
        let name = repo.session_name();
        for advice in ["tollgate diff ", "tollgate audit --verify "] {
            let advice = format!("{advice}{name}");
            assert_eq!(report.contains(&advice), of == "latest", "{of}: {report}");
            assert!(of == "latest" || !html.contains(&advice), "{of}");
        }
    }
    let refused = repo.tollgate(&["report", "--provenance", archive.to_str().unwrap()]).exits(1);
    refused.says("provenance needs the repository with its commit");
}

#[test]
fn r194_a_report_is_written_where_a_person_says() {
    let repo = Repo::new();
    repo.run().exits(3);
    let folder = repo.outside("reports");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("a.md");
    fs::write(&file, "old").unwrap();
    // It is as private, or as public, as it was.
    for mode in [0o600, 0o666] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        repo.tollgate(&["report", "-o", file.to_str().unwrap()]).exits(0).says("written to");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, mode);
    }
    assert!(fs::read_to_string(&file).unwrap().starts_with("# Add a line"));
    let out = repo.tollgate(&["report", "-o", "-"]).exits(0).out;
    assert!(out.starts_with("# Add a line") && !repo.root().join("-").exists(), "{out}");
    repo.tollgate(&["report", "-o", folder.join("no/a.md").to_str().unwrap()])
        .exits(2)
        .says("no/a.md");
    assert_eq!(files_below(&folder), [file]);
    // What is no file stays what it is.
    repo.tollgate(&["report", "--html", "-o", "/dev/null"]).exits(0);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let out = repo.tollgate(&["report", "--html"]).exits(0).out;
    assert!(out.starts_with("<!DOCTYPE html>"), "{}", &out[..200]);
    repo.tollgate(&["report", "--html", "--json"]).exits(2);
    // At a terminal, HTML goes to a file.
    let name = repo.session_name();
    assert_eq!(Terminal::start(&repo, &["report", "--html"]).ends(), 0);
    let file = repo.root().join(format!("{name}.html"));
    assert!(fs::read_to_string(&file).unwrap().starts_with("<!DOCTYPE html>"));
    let json: Value =
        serde_json::from_str(&repo.tollgate(&["report", "--json"]).exits(0).out).unwrap();
    assert_eq!(json["status"]["session"], json!(name));
    assert!(json["chain"]["records"].as_u64().unwrap() > 3);
}

#[test]
fn r194_a_change_that_is_too_long_is_named_and_not_shown() {
    let repo = Repo::with(json!([
        {"when": {"role": "Coder"}, "do": {"default": true, "write": {"app.txt": "line\n".repeat(2_500), "small.txt": "seen\n"}}},
    ]));
    repo.settings("");
    let ran = repo.through(&[APPROVE, PER_BATCH]);
    assert!(matches!(ran.code, 0 | 3 | 4), "{ran:?}");
    eventually("a commit", || {
        repo.status()["changed_files"].as_array().is_some_and(|all| !all.is_empty())
    });
    let text = fs::read_to_string(html(&repo)).unwrap();
    assert!(text.contains("It is not shown here; <code>tollgate diff "), "no word of it");
    assert!(text.len() < 400_000, "{} bytes", text.len());
}

/// Journals of every version of the program, also such as cannot be there any more: without commits, in the middle of work.
#[test]
fn r194_a_session_of_any_earlier_version_has_a_report_and_an_archive() {
    let kept = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/tests/journals");
    let journals: Vec<PathBuf> = files_below(&kept)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    assert!(journals.len() > 20, "{journals:?}");
    let repo = Repo::new();
    for (index, path) in journals.iter().enumerate() {
        let text = fs::read_to_string(path).unwrap();
        let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        let session = first["event"]["session"].as_str().unwrap();
        let folder = repo.root().join(".agents-work").join(session);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("journal.jsonl"), &text).unwrap();
        let markdown = repo.tollgate(&["report", session]).exits(0).out;
        assert!(
            markdown.contains(session) && markdown.contains("## Evidence"),
            "{path:?}: {markdown}"
        );
        repo.tollgate(&["report", session, "--json"]).exits(0);
        let html = repo.tollgate(&["report", session, "--html"]).exits(0).out;
        assert!(html.trim_end().ends_with("</html>"), "{path:?}");
        let archive = repo.outside(&format!("{index}.tar.gz"));
        repo.tollgate(&["export", session, "-o", archive.to_str().unwrap()]).exits(0);
        repo.tollgate(&["audit", "--verify", archive.to_str().unwrap()]).exits(0);
        repo.tollgate(&["report", archive.to_str().unwrap()]).exits(0);
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn r194_an_imported_session_has_a_report_and_an_archive() {
    let repo = Repo::new();
    Foreign::new(&repo);
    repo.tollgate(&["import", OLD]).exits(0);
    let markdown = repo.tollgate(&["report"]).exits(0).out;
    for wanted in ["T-001", "AC-001", "## Documents of the session"] {
        assert!(markdown.contains(wanted), "{wanted} is not in {markdown}");
    }
    html(&repo);
    let archive = repo.outside("imported.tar.gz");
    repo.tollgate(&["export", "-o", archive.to_str().unwrap()]).exits(0);
    repo.tollgate(&["audit", "--verify", archive.to_str().unwrap()]).exits(0);
}
