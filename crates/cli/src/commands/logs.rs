//! `tollgate logs`: what an agent itself wrote, as lines for people.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tollgate_agents::OutputReader;
use tollgate_core::id::{Attempt, DispatchNumber};
use tollgate_core::view::{DispatchView, Outcome, View};
use tollgate_files::layout::SessionLayout;

/// How long a follower waits before it looks again.
const PAUSE: Duration = Duration::from_millis(150);

/// Show what an agent wrote: its words, its tools, and the standard error of a command
///
/// Without a number, it shows the dispatches that run, or the last one. A single number is a dispatch of the latest
/// session.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate logs -f\n  tollgate logs latest 5")]
pub struct Logs {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`; then the number of a dispatch
    #[arg(value_names = ["SESSION", "NUMBER"], num_args = 0..=2)]
    pub of: Vec<String>,
    /// Keep printing until the dispatch ends; without a number, until the session stops
    #[arg(long, short)]
    pub follow: bool,
    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Said<'a> {
    dispatch: DispatchNumber,
    attempt: Attempt,
    line: &'a str,
}

/// What was shown so far.
struct Shown {
    layout: SessionLayout,
    json: bool,
    readers: BTreeMap<(DispatchNumber, u32), OutputReader>,
    last: Option<(DispatchNumber, u32)>,
}

impl Logs {
    pub fn run(self) -> Result<Exit, Failure> {
        let place = place::Checkout::find()?;
        let (session, number) = place::session_and_dispatch(&self.of)?;
        let (_, layout) = place.session(&session)?;
        let (mut client, mut view) = place.begun(&session)?;
        let mut shown = Shown { layout, json: self.json, readers: BTreeMap::new(), last: None };
        let mut begin = first(&view, number)?;
        let interrupted = Arc::new(AtomicBool::new(false));
        if self.follow {
            let flag = interrupted.clone();
            signal_hook::flag::register(signal_hook::consts::SIGINT, flag).map_err(|cause| {
                let words = format!("cannot listen for signals: {cause}");
                Failure::new(Exit::Bug, "cli.bug", words)
            })?;
        }
        loop {
            let is_running = client.is_running();
            let wanted = |one: &&DispatchView| match number {
                Some(_) => begin == Some(one.number),
                None => begin.is_some_and(|begin| one.number >= begin),
            };
            let dispatches: Vec<&DispatchView> =
                view.work.dispatches.iter().filter(wanted).collect();
            for dispatch in &dispatches {
                shown.show(dispatch);
            }
            let works = dispatches.iter().any(|one| one.outcome == Outcome::Running);
            let ends = if number.is_some() { !works } else { !is_running };
            if !self.follow || ends || output::reader_is_gone() {
                return Ok(Exit::Ok);
            }
            if interrupted.load(Ordering::Relaxed) {
                return Ok(Exit::Interrupted);
            }
            std::thread::sleep(PAUSE);
            if let Some(now) = client.view().map_err(Failure::reading)? {
                view = now;
            }
            begin = begin.or(first(&view, number)?);
        }
    }
}

/// Where to begin; none when there is no dispatch yet.
fn first(view: &View, number: Option<DispatchNumber>) -> Result<Option<DispatchNumber>, Failure> {
    let all = &view.work.dispatches;
    let Some(number) = number else {
        let running = all.iter().find(|one| one.outcome == Outcome::Running);
        return Ok(running.or(all.last()).map(|one| one.number));
    };
    let found = all.iter().find(|one| one.number == number);
    found.map(|one| Some(one.number)).ok_or_else(|| {
        let words = format!("{} has no dispatch {number}", view.session);
        Failure::usage("cli.dispatch", words).hint("`tollgate status` lists its dispatches")
    })
}

impl Shown {
    fn show(&mut self, dispatch: &DispatchView) {
        for attempt in 1..=dispatch.attempts {
            let key = (dispatch.number, attempt);
            let folder = self.layout.attempt(dispatch.number, Attempt(attempt));
            let begin = || OutputReader::new(&folder.stdout(), &folder.stderr());
            let reader = self.readers.entry(key).or_insert_with(begin);
            let is_over = attempt < dispatch.attempts || dispatch.outcome != Outcome::Running;
            loop {
                let news = reader.news(is_over);
                if news.is_empty() {
                    break;
                }
                if self.last != Some(key) && !self.json {
                    let agent = dispatch.agent.as_deref().unwrap_or("-");
                    let title = &dispatch.title;
                    let text = format!("{title}, attempt {attempt}, {agent}");
                    output::row("", output::BOLD, "==", &text);
                }
                self.last = Some(key);
                for line in &news {
                    match self.json {
                        true => output::json_line(&Said {
                            dispatch: dispatch.number,
                            attempt: Attempt(attempt),
                            line,
                        }),
                        false => output::row("", output::DIM, "│", line),
                    }
                }
            }
        }
    }
}
