//! The live lines of a terminal: one for each dispatch, and for the checks, that run.

use super::at_work::BeforeAgent;
use super::narrate::duration;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use tollgate_agents::TranscriptFollower;
use tollgate_core::id::DispatchNumber;
use tollgate_core::view::{AtWork, Parts};
use tollgate_files::clock;
use tollgate_files::sanitize::terminal_line;

/// More than fits any terminal; the line is cut to the width of this one.
const CHARS_MAX: usize = 300;

#[derive(Debug, Default)]
pub struct Live {
    lines: MultiProgress,
    running: BTreeMap<AtWork, Running>,
    waits: BTreeMap<DispatchNumber, ProgressBar>,
}

#[derive(Debug)]
struct Running {
    bar: ProgressBar,
    who: String,
    /// None where there is nobody to look at.
    follower: Option<TranscriptFollower>,
    /// Until there is an agent.
    before: Option<BeforeAgent>,
}

impl Live {
    /// A line for everything that runs, with what is done there at the moment.
    pub fn show(&mut self, root: &Path, now: Parts<'_>) {
        self.drop_ended(now);
        for one in now.at_work() {
            let lines = &self.lines;
            let begin = || Running::begin(lines, root, now, one);
            self.running.entry(one).or_insert_with(begin).look();
        }
        self.show_waits(now);
    }

    /// How long it takes until something starts again.
    fn show_waits(&mut self, now: Parts<'_>) {
        let waits = now.waits();
        let is_over = |number: &DispatchNumber| !waits.iter().any(|(known, _)| known == number);
        for (_, bar) in self.waits.extract_if(.., |number, _| is_over(number)) {
            take_away(&self.lines, &bar);
        }
        for (number, until) in waits {
            let who = now.dispatch(number).map(|found| found.title).unwrap_or_default();
            let left = duration(until.ms_since(clock::now()));
            let text = terminal_line(&format!("{who}: starts again in {left}"), CHARS_MAX);
            let lines = &self.lines;
            self.waits.entry(number).or_insert_with(|| line(lines)).set_message(text);
        }
    }

    /// Takes the lines away of what does not run any more.
    pub fn drop_ended(&mut self, now: Parts<'_>) {
        let at_work = now.at_work();
        for ended in self.running.extract_if(.., |running, _| !at_work.contains(running)) {
            take_away(&self.lines, &ended.1.bar);
        }
    }

    pub fn clear(&mut self) {
        for running in std::mem::take(&mut self.running).into_values() {
            take_away(&self.lines, &running.bar);
        }
        for bar in std::mem::take(&mut self.waits).into_values() {
            take_away(&self.lines, &bar);
        }
    }

    /// Prints something above the live lines.
    pub fn above(&self, show: impl FnOnce()) {
        self.lines.suspend(show);
    }
}

impl Running {
    fn begin(lines: &MultiProgress, root: &Path, now: Parts<'_>, at_work: AtWork) -> Self {
        let who = now.title(at_work);
        let before = BeforeAgent::of(root, now, at_work);
        let bar = line(lines);
        bar.set_message(terminal_line(&who, CHARS_MAX));
        let follower = before.as_ref().map(|before| TranscriptFollower::new(before.output()));
        Self { bar, who, follower, before }
    }

    fn look(&mut self) {
        if let Some(before) = &self.before {
            if let Some(words) = before.words() {
                let text = format!("{}: {words}", self.who);
                return self.bar.set_message(terminal_line(&text, CHARS_MAX));
            }
            self.bar.set_message(terminal_line(&self.who, CHARS_MAX));
            self.before = None;
        }
        if let Some(doing) = self.follower.as_mut().and_then(TranscriptFollower::look) {
            self.bar.set_message(terminal_line(&format!("{}: {doing}", self.who), CHARS_MAX));
        }
    }
}

fn line(lines: &MultiProgress) -> ProgressBar {
    let bar = lines.add(ProgressBar::new_spinner());
    let style = ProgressStyle::with_template("  {spinner} {elapsed:>3} {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// And forgets it: a session has many of them.
fn take_away(lines: &MultiProgress, bar: &ProgressBar) {
    bar.finish_and_clear();
    lines.remove(bar);
}
