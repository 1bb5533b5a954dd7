//! A real browser in the hand of a test: it goes to a page, looks, clicks and types, and waits for what must come.
//!
//! Whatever fails panics, and leaves the page and a picture of it behind: a test uses this, and nobody else.

mod driver;
mod looks;

use crate::chromium;
use driver::{Driver, Refused};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Far more than anything takes; only a test that fails waits so long.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often the page is asked whether it is there yet.
const PAUSE: Duration = Duration::from_millis(20);

/// What an element is called in answers of the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Keys that write nothing.
pub mod key {
    pub const BACKSPACE: char = '\u{e003}';
    pub const TAB: char = '\u{e004}';
    pub const ENTER: char = '\u{e007}';
    pub const SHIFT: char = '\u{e008}';
    pub const CONTROL: char = '\u{e009}';
    pub const ESCAPE: char = '\u{e00c}';
    pub const SPACE: char = ' ';
    pub const LEFT: char = '\u{e012}';
    pub const UP: char = '\u{e013}';
    pub const RIGHT: char = '\u{e014}';
    pub const DOWN: char = '\u{e015}';
}

/// A browser with an empty profile; it ends when this goes.
#[derive(Debug)]
pub struct Browser {
    driver: Driver,
    name: String,
    _turn: Turn,
}

/// A browser for this test, or nothing when the person works without one, which is said aloud. Pictures are named after the test.
///
/// # Panics
///
/// When it cannot be had: a test that proves nothing must not pass.
#[track_caller]
pub fn or_skip(test_name: &str) -> Option<Browser> {
    or_skip_where(test_name, &[])
}

/// The same, where names lead to addresses as whoever owns the names would have it.
///
/// # Panics
///
/// As `or_skip`.
#[track_caller]
pub fn or_skip_where(test_name: &str, names: &[(&str, IpAddr)]) -> Option<Browser> {
    let programs =
        match chromium::wanted().and_then(|wanted| wanted.then(chromium::found).transpose()) {
            Ok(Some(programs)) => programs,
            Ok(None) => {
                let variable = chromium::WITHOUT_VARIABLE;
                crate::say::line(&format!(
                    "SKIPPED {test_name}: {variable} is set, so it proved nothing"
                ));
                return None;
            }
            Err(trouble) => panic!("{test_name} needs a browser\n{trouble}"),
        };
    let turn = Turn::wait();
    match Driver::start(&programs, names) {
        Ok(driver) => Some(Browser { driver, name: test_name.to_owned(), _turn: turn }),
        Err(trouble) => panic!("{test_name} has no browser: {trouble}"),
    }
}

/// An element of the page as it was when it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Element(String);

impl Browser {
    #[track_caller]
    pub fn go(&self, address: &str) -> &Self {
        self.must(&format!("go to {address}"), self.driver.post("url", &json!({"url": address})));
        self
    }

    #[track_caller]
    pub fn reload(&self) -> &Self {
        self.must("reload", self.driver.post("refresh", &json!({})));
        self
    }

    /// The address of the page that is shown.
    #[track_caller]
    pub fn address(&self) -> String {
        text_of(&self.must("read the address", self.driver.get("url")))
    }

    #[track_caller]
    pub fn title(&self) -> String {
        text_of(&self.must("read the title", self.driver.get("title")))
    }

    #[track_caller]
    pub fn source(&self) -> String {
        text_of(&self.must("read the source", self.driver.get("source")))
    }

    /// What a person can read in the element.
    #[track_caller]
    pub fn text(&self, css: &str) -> String {
        let read = |element: &Element| self.driver.get(&format!("element/{}/text", element.0));
        text_of(&self.with(css, "read", read))
    }

    /// What a person can read in each of the elements, be it none.
    #[track_caller]
    pub fn texts(&self, css: &str) -> Vec<String> {
        let script = "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)";
        let found = self.run(script, &[json!(css)]);
        found.as_array().into_iter().flatten().map(text_of).collect()
    }

    #[track_caller]
    pub fn count(&self, css: &str) -> usize {
        self.must("look", self.all(css)).len()
    }

    #[track_caller]
    pub fn has(&self, css: &str) -> bool {
        self.count(css) > 0
    }

    /// An attribute as the page was written.
    #[track_caller]
    pub fn attribute(&self, css: &str, name: &str) -> Option<String> {
        let read =
            |element: &Element| self.driver.get(&format!("element/{}/attribute/{name}", element.0));
        self.with(css, "read", read).as_str().map(str::to_owned)
    }

    /// A property as it is now: the `value` of a field, whether a box is `checked`.
    #[track_caller]
    pub fn property(&self, css: &str, name: &str) -> Value {
        let read =
            |element: &Element| self.driver.get(&format!("element/{}/property/{name}", element.0));
        self.with(css, "read", read)
    }

    /// Brings it to the middle first, as people do: at the edge something may lie over it.
    #[track_caller]
    pub fn click(&self, css: &str) -> &Self {
        let middle = "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})";
        let click = |element: &Element| {
            let scroll = json!({"script": middle, "args": [{ELEMENT: element.0}]});
            let _scripts_may_be_off = self.driver.post("execute/sync", &scroll);
            self.driver.post(&format!("element/{}/click", element.0), &json!({}))
        };
        self.with(css, "click", click);
        self
    }

    /// Replaces what the field has.
    #[track_caller]
    pub fn fill(&self, css: &str, text: &str) -> &Self {
        self.with(css, "fill", |element| {
            self.driver.post(&format!("element/{}/clear", element.0), &json!({}))?;
            self.driver.post(&format!("element/{}/value", element.0), &json!({"text": text}))
        });
        self
    }

    /// Chooses an option of a `select` by its value.
    #[track_caller]
    pub fn choose(&self, css: &str, value: &str) -> &Self {
        self.click(&format!("{css} option[value=\"{value}\"]"))
    }

    /// Types on the keyboard, whatever has the focus.
    #[track_caller]
    pub fn keys(&self, keys: &str) -> &Self {
        let strokes = keys.chars().flat_map(|key| [stroke("keyDown", key), stroke("keyUp", key)]);
        self.strokes(strokes.collect())
    }

    #[track_caller]
    pub fn press(&self, key: char) -> &Self {
        self.keys(&key.to_string())
    }

    /// A key while another one is held.
    #[track_caller]
    pub fn press_with(&self, held: char, key: char) -> &Self {
        self.strokes(vec![
            stroke("keyDown", held),
            stroke("keyDown", key),
            stroke("keyUp", key),
            stroke("keyUp", held),
        ])
    }

    #[track_caller]
    fn strokes(&self, strokes: Vec<Value>) -> &Self {
        let actions = json!({"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]});
        self.must("type", self.driver.post("actions", &actions));
        self
    }

    /// Whether the element that has the focus fits this.
    #[track_caller]
    pub fn focus_is(&self, css: &str) -> bool {
        let script = "return document.activeElement.matches(arguments[0])";
        self.run(script, &[json!(css)]) == json!(true)
    }

    /// The element that has the focus, as HTML without what is in it.
    #[track_caller]
    pub fn focused(&self) -> String {
        text_of(&self.run("return document.activeElement.cloneNode(false).outerHTML", &[]))
    }

    /// Presses Tab until the focus is there.
    #[track_caller]
    pub fn tab_to(&self, css: &str) -> &Self {
        const TABS_MAX: usize = 300;
        self.wait_for(css);
        for _ in 0..TABS_MAX {
            if self.press(key::TAB).focus_is(css) {
                return self;
            }
        }
        self.fail(&format!("Tab does not lead to `{css}`, but at last to {}", self.focused()))
    }

    /// Runs a script as the function's body; it works also where the page's own scripts are off.
    #[track_caller]
    pub fn run(&self, script: &str, arguments: &[Value]) -> Value {
        let body = json!({"script": script, "args": arguments});
        self.must(&format!("run `{script}`"), self.driver.post("execute/sync", &body))
    }

    /// Waits until there is such an element.
    #[track_caller]
    pub fn wait_for(&self, css: &str) -> &Self {
        self.wait_until(&format!("`{css}`"), || self.all(css).is_ok_and(|all| !all.is_empty()))
    }

    /// Waits until no such element is there any more.
    #[track_caller]
    pub fn wait_for_no(&self, css: &str) -> &Self {
        self.wait_until(&format!("no `{css}`"), || self.all(css).is_ok_and(|all| all.is_empty()))
    }

    /// Waits until a person can read these words in such an element.
    #[track_caller]
    pub fn wait_for_words(&self, css: &str, words: &str) -> &Self {
        let script = "return [...document.querySelectorAll(arguments[0])].some(e => e.innerText.includes(arguments[1]))";
        let body = json!({"script": script, "args": [css, words]});
        self.wait_until(&format!("{words:?} in `{css}`"), || {
            self.driver.post("execute/sync", &body).is_ok_and(|found| found == json!(true))
        })
    }

    #[track_caller]
    pub fn wait_until(&self, what: &str, is_so: impl FnMut() -> bool) -> &Self {
        self.wait_at_most(PATIENCE, what, is_so)
    }

    #[track_caller]
    pub fn wait_at_most(
        &self,
        limit: Duration,
        what: &str,
        mut is_so: impl FnMut() -> bool,
    ) -> &Self {
        let begin = Instant::now();
        while !is_so() {
            if begin.elapsed() > limit {
                self.fail(&format!("waited {} s in vain for {what}", limit.as_secs_f32()));
            }
            sleep(PAUSE);
        }
        self
    }

    /// Its folder, which every process of it names.
    pub fn profile(&self) -> PathBuf {
        self.driver.profile()
    }

    /// Cookies of the page's address.
    #[track_caller]
    pub fn cookies(&self) -> Vec<Value> {
        let cookies = self.must("read the cookies", self.driver.get("cookie"));
        cookies.as_array().cloned().unwrap_or_default()
    }

    #[track_caller]
    pub fn forget_cookies(&self) -> &Self {
        self.must("forget the cookies", self.driver.delete("cookie"));
        self
    }

    /// What the console said since it was asked last: errors of scripts, refused content, files that did not come.
    #[track_caller]
    pub fn complaints(&self) -> Vec<String> {
        let entries =
            self.must("read the log", self.driver.post("se/log", &json!({"type": "browser"})));
        let entries = entries.as_array().into_iter().flatten();
        let serious =
            entries.filter(|entry| entry["level"] == "SEVERE" || entry["level"] == "WARNING");
        serious.map(|entry| text_of(&entry["message"])).collect()
    }

    #[track_caller]
    pub fn expect_no_complaint(&self) -> &Self {
        let complaints = self.complaints();
        if !complaints.is_empty() {
            self.fail(&format!("the console complains:\n  {}", complaints.join("\n  ")));
        }
        self
    }

    /// Such elements now, be it none.
    fn all(&self, css: &str) -> Result<Vec<Element>, Refused> {
        let wanted = json!({"using": "css selector", "value": css});
        let found = self.driver.post("elements", &wanted)?;
        let ids = found.as_array().into_iter().flatten().map(|one| text_of(&one[ELEMENT]));
        Ok(ids.map(Element).collect())
    }

    /// Does it to the first such element, as soon as there is one that lets itself be used. A page that is just being
    /// replaced is no failure.
    #[track_caller]
    fn with(
        &self,
        css: &str,
        verb: &str,
        act: impl Fn(&Element) -> Result<Value, Refused>,
    ) -> Value {
        const NOT_YET: [&str; 6] = [
            "no such element",
            "stale element reference",
            "element not interactable",
            "element click intercepted",
            "invalid element state",
            "no such execution context",
        ];
        let begin = Instant::now();
        loop {
            let refused = match self.all(css).map(|all| all.into_iter().next()) {
                Ok(Some(element)) => match act(&element) {
                    Ok(value) => return value,
                    Err(refused) => refused,
                },
                Ok(None) => Refused { code: NOT_YET[0].to_owned(), words: String::new() },
                Err(refused) => refused,
            };
            if !NOT_YET.contains(&refused.code.as_str()) || begin.elapsed() > PATIENCE {
                self.fail(&format!("could not {verb} `{css}`: {refused}"));
            }
            sleep(PAUSE);
        }
    }

    #[track_caller]
    fn must<T>(&self, what: &str, outcome: Result<T, Refused>) -> T {
        match outcome {
            Ok(value) => value,
            Err(refused) => self.fail(&format!("could not {what}: {refused}")),
        }
    }

    #[track_caller]
    fn fail(&self, words: &str) -> ! {
        let address = self.driver.get("url").map(|url| text_of(&url)).unwrap_or_default();
        panic!("{}, at {address}: {words}", self.name);
    }
}

/// Where something failed, the page and its picture are kept.
impl Drop for Browser {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let place = |ending: &str| pictures().join(format!("{}-failed.{ending}", self.name));
        if let Ok(source) = self.driver.get("source") {
            let _ = std::fs::write(place("html"), text_of(&source));
            crate::say::line(&format!("the page is kept in {}", place("html").display()));
        }
        if let Ok(picture) = self.taken()
            && std::fs::write(place("png"), picture).is_ok()
        {
            crate::say::line(&format!("its picture is kept in {}", place("png").display()));
        }
    }
}

/// Where pictures are kept, made if need be.
pub fn pictures() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().nth(2).unwrap_or(here);
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = target.join("pictures");
    // Whoever writes into it tells when it is not there.
    let _ = std::fs::create_dir_all(&folder);
    folder
}

fn stroke(kind: &str, key: char) -> Value {
    json!({"type": kind, "value": key.to_string()})
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// No more browsers at once than cores: each of them would be slower than its test is patient.
#[derive(Debug)]
struct Turn;

static BROWSERS: Mutex<usize> = Mutex::new(0);
static ONE_ENDED: Condvar = Condvar::new();

impl Turn {
    fn wait() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let open = BROWSERS.lock().unwrap_or_else(PoisonError::into_inner);
        let open = ONE_ENDED.wait_while(open, |open| *open >= cores);
        *open.unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *BROWSERS.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ONE_ENDED.notify_one();
    }
}
