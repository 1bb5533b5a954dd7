//! The browser of the tests does what a person does, hears what a page complains about, and ends with its test.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};
use tollgate_programs::browser::{self, Browser, key};

const PAGE: &str = "<!doctype html><meta name=viewport content='width=device-width'><link rel=icon href='data:,'>
<style>@media (prefers-color-scheme: dark) { p { color: rgb(1, 2, 3) } }</style>
<p id=said>nothing</p><noscript><b>no scripts</b></noscript>
<form action=/sent><input name=a><select name=b><option value=1>one<option value=2>two</select><button>go</button></form>
<script>document.querySelector('#said').textContent = 'a script ran'</script>";

/// Serves one page under every path, until the process ends; gives its address.
fn serve(page: &'static str, headers: &'static str) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            // Connections that a browser opens ahead of need say nothing.
            std::thread::spawn(move || {
                let mut stream = stream.unwrap();
                if stream.read(&mut [0; 4096]).is_ok_and(|count| count > 0) {
                    let length = page.len();
                    let head = format!(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
                    );
                    let _ = stream.write_all(format!("{head}{page}").as_bytes());
                }
            });
        }
    });
    address
}

#[test]
fn a_page_is_read_filled_in_and_sent() {
    let Some(browser) = browser::or_skip("a_page_is_read_filled_in_and_sent") else { return };
    let address = serve(PAGE, "");
    browser.go(&address).wait_for_words("#said", "a script ran");
    browser.fill("[name=a]", "x y").choose("[name=b]", "2").click("button");
    browser.wait_until("the form to be sent", || browser.address().contains("/sent"));
    assert!(browser.address().ends_with("/sent?a=x+y&b=2"), "{}", browser.address());
    assert_eq!(browser.attribute("form", "action").unwrap(), "/sent");
    assert_eq!((browser.count("option"), browser.has("table")), (2, false));
    browser.expect_no_complaint();
}

#[test]
fn a_page_is_used_by_keyboard_at_a_phone_in_the_dark_and_without_scripts() {
    let Some(browser) = browser::or_skip("a_page_is_looked_at") else { return };
    let address = serve(PAGE, "");
    browser.go(&address).tab_to("[name=a]").keys("hello").tab_to("button").press(key::ENTER);
    browser.wait_until("the form to be sent", || browser.address().ends_with("/sent?a=hello&b=1"));
    browser.press_with(key::SHIFT, key::TAB);
    browser.phone().reload().expect_no_sideways_scrolling();
    assert_eq!(browser.run("return innerWidth", &[]), json!(390));
    let colour = |browser: &Browser| {
        browser.run("return getComputedStyle(document.querySelector('#said')).color", &[])
    };
    browser.dark(true);
    assert_eq!(colour(&browser), json!("rgb(1, 2, 3)"));
    browser.dark(false);
    assert_eq!(colour(&browser), json!("rgb(0, 0, 0)"));
    browser.scripts(false).reload();
    assert_eq!(
        (browser.text("#said").as_str(), browser.text("b").as_str()),
        ("nothing", "no scripts")
    );
    let picture = std::fs::read(browser.picture("harness")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
}

#[test]
fn what_a_page_may_not_do_is_a_complaint() {
    let Some(browser) = browser::or_skip("what_a_page_may_not_do_is_a_complaint") else { return };
    let address = serve(PAGE, "Content-Security-Policy: default-src 'none'\r\n");
    browser.go(&address);
    assert_eq!(browser.text("#said"), "nothing");
    let complaints = browser.complaints();
    assert!(
        complaints.iter().any(|words| words.contains("Content Security Policy")),
        "{complaints:?}"
    );
}

#[test]
fn a_browser_ends_with_its_test_and_a_failed_one_leaves_the_page() {
    let name = "a_browser_ends_with_its_test";
    let Some(browser) = browser::or_skip(name) else { return };
    let marker = browser.profile().display().to_string();
    assert!(!alive(&marker).is_empty(), "the browser names its profile");
    let address = serve(PAGE, "");
    let kept = browser::pictures().join(format!("{name}-failed.html"));
    let _ = std::fs::remove_file(&kept);
    let ended = std::thread::spawn(move || {
        browser.go(&address).wait_at_most(Duration::from_millis(50), "`#absent`", || false);
    });
    let words = *ended.join().unwrap_err().downcast::<String>().unwrap();
    assert!(words.contains("`#absent`") && words.contains("http://127.0.0.1"), "{words}");
    assert!(std::fs::read_to_string(kept).unwrap().contains("a script ran"));
    let begin = Instant::now();
    while !alive(&marker).is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?} live on", alive(&marker));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Processes whose command line names this.
fn alive(marker: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let words = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    let words = words.map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "));
    words.filter(|line| line.contains(marker)).collect()
}
