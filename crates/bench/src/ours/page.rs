//! The page: how soon it opens among many sessions, how soon an event is on the screen, and what many open pages cost.

use super::{MeasuredRow, announce, ms};
use crate::{repos, scratch, timing, tollgate};
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tollgate_files::layout::Layout;
use tollgate_programs::browser::{self, Browser};
use tollgate_programs::http::{Request, Wire};
use xtask::{Trouble, run};

const SESSIONS: usize = 1_000;
const RUNS: usize = 9;
/// Sessions whose events are shown one by one; each has about a dozen.
const FOLLOWED: usize = 10;
const BETWEEN_EVENTS: Duration = Duration::from_millis(150);
const OPEN_PAGES: usize = 50;
const WATCHED_FOR: Duration = Duration::from_secs(10);
/// The kernel counts the time of a process in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// Tells when each line of the log came to be on the screen.
const NOTE_LINES: &str = "window.seen = {}; new MutationObserver((all) => { for (const one of all) for (const line of one.addedNodes) \
                          if (line.dataset && line.dataset.seq) window.seen[line.dataset.seq] = Date.now(); })\
                          .observe(document.querySelector('[data-log]'), { childList: true });";

pub fn measure(program: &Path) -> Result<Vec<MeasuredRow>, Trouble> {
    announce(&format!("the page with {SESSIONS} sessions on disk"));
    let folder = scratch()?;
    let repository = repos::fresh(folder.path(), 100)?;
    let sessions = Layout::new(&repository).sessions_folder();
    for number in 0..SESSIONS {
        tollgate::whole(&sessions, number)?;
    }
    let served = Served::start(program, &repository, &folder.path().join("state"))?;
    let visitor = served.let_in()?;
    let answered = timing::median(RUNS, || visitor.get("/").map(drop))?;
    let mut rows = vec![MeasuredRow::new(what("the list is answered"), ms(answered), RUNS)];
    let Some(browser) = browser::or_skip("cargo xtask bench") else {
        return Ok(rows);
    };
    browser.go(&served.entry);
    let opened = opening(&browser, &served)?;
    rows.push(
        MeasuredRow::new(what("a browser has loaded it"), ms(opened), RUNS).aim("under 300 ms"),
    );
    let address = visitor.first_session()?;
    let growing = Growing { sessions: sessions.clone(), made: folder.path().join("made") };
    let mut delays = delays(&browser, &served, &growing, &address)?;
    let count = delays.len();
    let median = timing::middle(&mut delays);
    let last = delays.get(count * 99 / 100).or(delays.last()).copied().unwrap_or_default();
    rows.push(MeasuredRow::new("an event is on the screen", format!("{median} ms"), count));
    rows.push(MeasuredRow::new("the same, p99", format!("{last} ms"), count).aim("under 100 ms"));
    let share = share_of_a_core(&served, &visitor, &growing, &address)?;
    let what = format!("{OPEN_PAGES} open pages, an event each second, share of a core");
    rows.push(MeasuredRow::new(what, format!("{:.1} %", share * 100.0), 1).aim("under 5 %"));
    Ok(rows)
}

fn what(of: &str) -> String {
    format!("the page, {SESSIONS} sessions on disk: {of}")
}

/// `tollgate serve`, until this goes.
struct Served {
    child: Child,
    entry: String,
    address: SocketAddr,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _gone = self.child.kill().and_then(|()| self.child.wait());
    }
}

impl Served {
    fn start(program: &Path, repository: &Path, state: &Path) -> Result<Self, Trouble> {
        let mut command = Command::new(program);
        command.arg("serve").current_dir(repository).env("TOLLGATE_STATE_HOME", state);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let out = child.stdout.take().ok_or("standard output is piped")?;
        let mut entry = String::new();
        BufReader::new(out).read_line(&mut entry)?;
        let entry = entry.trim().to_owned();
        let address = entry.strip_prefix("http://").and_then(|rest| rest.split('/').next());
        let address = address.ok_or("the page has no address")?.parse()?;
        Ok(Self { child, entry, address })
    }

    fn let_in(&self) -> Result<Visitor, Trouble> {
        let token = self.entry.split_once("/?").ok_or("the address has no token")?.1;
        let request = Request::get(&format!("/?{token}")).header("Host", &self.address.to_string());
        let answer = request.send(self.address)?;
        let cookie = answer.header("set-cookie").and_then(|value| value.split(';').next());
        let cookie = cookie.ok_or("the page gives no cookie")?.to_owned();
        Ok(Visitor { address: self.address, cookie })
    }

    fn cpu_seconds(&self) -> Result<f64, Trouble> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let (_, rest) = stat.rsplit_once(") ").ok_or("the kernel tells of no process")?;
        let spent = |at| rest.split(' ').nth(at).and_then(|text| text.parse::<f64>().ok());
        Ok((spent(11).unwrap_or_default() + spent(12).unwrap_or_default()) / TICKS_PER_SECOND)
    }
}

struct Visitor {
    address: SocketAddr,
    cookie: String,
}

impl Visitor {
    fn request(&self, path: &str) -> Request {
        let host = self.address.to_string();
        Request::get(path).header("Host", &host).header("Cookie", &self.cookie)
    }

    fn get(&self, path: &str) -> Result<String, Trouble> {
        let answer = self.request(path).send(self.address)?;
        match answer.status {
            200 => Ok(answer.text()),
            status => Err(format!("{path} was answered with {status}").into()),
        }
    }

    /// The address of any session; others differ in their names only.
    fn first_session(&self) -> Result<String, Trouble> {
        let page = self.get("/")?;
        let address = page.split("href=\"").find(|part| part.starts_with("/s/"));
        let address = address.and_then(|part| part.split('"').next());
        Ok(address.ok_or("the page lists no session")?.to_owned())
    }
}

/// By the browser's own clock, from the click to the end of loading.
fn opening(browser: &Browser, served: &Served) -> Result<Duration, Trouble> {
    let script = "return performance.getEntriesByType('navigation')[0].loadEventEnd";
    let mut times = Vec::new();
    for _ in 0..RUNS {
        browser.go(&format!("http://{}/", served.address));
        times.push(browser.run(script, &[]).as_f64().ok_or("the browser tells no time")?);
    }
    Ok(Duration::from_secs_f64(timing::middle(&mut times) / 1e3))
}

/// Makes sessions that grow by one commit of their journal at a time.
struct Growing {
    sessions: PathBuf,
    made: PathBuf,
}

struct Journal {
    name: String,
    path: PathBuf,
    commits: Vec<Commit>,
}

struct Commit {
    text: String,
    last_seq: u64,
}

impl Growing {
    /// A session with the first commit of its journal.
    fn begin(&self, number: usize) -> Result<Journal, Trouble> {
        tollgate::whole(&self.made, number)?;
        let name = format!("2026-11-15_workflow-{number}");
        let text = fs::read_to_string(self.made.join(&name).join("journal.jsonl"))?;
        let folder = self.sessions.join(&name);
        fs::create_dir_all(&folder)?;
        let mut journal =
            Journal { name, path: folder.join("journal.jsonl"), commits: commits(&text)? };
        let first = journal.commits.remove(0);
        fs::write(&journal.path, first.text)?;
        Ok(journal)
    }
}

impl Journal {
    fn grow(&self, commit: &Commit) -> Result<(), Trouble> {
        let mut file = OpenOptions::new().append(true).open(&self.path)?;
        Ok(file.write_all(commit.text.as_bytes())?)
    }

    /// Of the page of a session that stands beside another one.
    fn beside(&self, address: &str) -> String {
        let folder = address.rsplit_once('/').map_or(address, |(folder, _)| folder);
        format!("{folder}/{}", self.name)
    }
}

/// A record says how many more there are in its commit.
fn commits(text: &str) -> Result<Vec<Commit>, Trouble> {
    let mut commits = Vec::new();
    let mut begun = String::new();
    for line in text.lines() {
        begun.push_str(line);
        begun.push('\n');
        let record: serde_json::Value = serde_json::from_str(line)?;
        if record["more"].as_u64().unwrap_or_default() == 0 {
            let last_seq = record["seq"].as_u64().ok_or("a record has no number")?;
            commits.push(Commit { text: std::mem::take(&mut begun), last_seq });
        }
    }
    Ok(commits)
}

/// Milliseconds from the write of an event to its line on the screen.
fn delays(
    browser: &Browser,
    served: &Served,
    growing: &Growing,
    address: &str,
) -> Result<Vec<u64>, Trouble> {
    let mut delays = Vec::new();
    for number in SESSIONS..SESSIONS + FOLLOWED {
        let journal = growing.begin(number)?;
        browser.go(&format!("http://{}{}", served.address, journal.beside(address)));
        browser.run(NOTE_LINES, &[]);
        std::thread::sleep(BETWEEN_EVENTS * 4);
        let mut written = Vec::new();
        for commit in &journal.commits {
            let at = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as u64;
            journal.grow(commit)?;
            written.push((commit.last_seq, at));
            std::thread::sleep(BETWEEN_EVENTS);
        }
        std::thread::sleep(BETWEEN_EVENTS * 10);
        let seen = browser.run("return window.seen", &[]);
        for (seq, at) in written {
            let shown = seen[seq.to_string()].as_u64();
            let shown =
                shown.ok_or_else(|| format!("event {seq} never came to the screen: {seen}"))?;
            delays.push(shown.saturating_sub(at));
        }
    }
    Ok(delays)
}

/// As browsers do it: each has a stream, and loads the page again when it hears of an event.
fn share_of_a_core(
    served: &Served,
    visitor: &Visitor,
    growing: &Growing,
    address: &str,
) -> Result<f64, Trouble> {
    let journal = growing.begin(SESSIONS + FOLLOWED)?;
    let page = journal.beside(address);
    let mut streams = Vec::new();
    for _ in 0..OPEN_PAGES {
        let mut wire = Wire::open(visitor.address)?;
        wire.write(&visitor.request(&format!("{page}/events?from=0")).bytes())?;
        streams.push(wire);
    }
    let begin = Instant::now();
    let before = served.cpu_seconds()?;
    for commit in &journal.commits {
        if begin.elapsed() >= WATCHED_FOR {
            break;
        }
        journal.grow(commit)?;
        let mut waiting = Vec::new();
        for _ in &streams {
            let mut wire = Wire::open(visitor.address)?;
            wire.write(&visitor.request(&page).bytes())?;
            waiting.push(wire);
        }
        waiting.iter_mut().try_for_each(|wire| wire.answer(true).map(drop))?;
        std::thread::sleep(Duration::from_secs(1));
    }
    let spent = served.cpu_seconds()? - before;
    run::say(&format!("{spent:.2} s in {:.1} s", begin.elapsed().as_secs_f64()));
    Ok(spent / begin.elapsed().as_secs_f64())
}
