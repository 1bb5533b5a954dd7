//! The live lines of a terminal: one for each dispatch, and for the checks, that run.

use super::narrate;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use tollgate_core::session::{Session, Wanted};
use tollgate_host::agent::Follower;
use tollgate_host::layout::Layout;
use tollgate_host::sanitize::terminal_line;

/// More than fits any terminal; the line is cut to the width of this one.
const CHARS_MAX: usize = 300;

#[derive(Debug, Default)]
pub struct Live {
    lines: MultiProgress,
    running: BTreeMap<Wanted, Running>,
}

#[derive(Debug)]
struct Running {
    bar: ProgressBar,
    who: String,
    /// None where there is nobody to look at.
    follower: Option<Follower>,
}

impl Live {
    /// A line for everything that runs, with what is done there at the moment.
    pub fn show(&mut self, root: &Path, session: &Session) {
        self.drop_ended(session);
        for one in session.unfinished() {
            let lines = &self.lines;
            let begin = || Running::begin(lines, root, session, one);
            self.running.entry(one).or_insert_with(begin).look();
        }
    }

    /// Takes the lines away of what does not run any more.
    pub fn drop_ended(&mut self, session: &Session) {
        let unfinished = session.unfinished();
        for ended in self.running.extract_if(.., |running, _| !unfinished.contains(running)) {
            take_away(&self.lines, &ended.1.bar);
        }
    }

    pub fn clear(&mut self) {
        for running in std::mem::take(&mut self.running).into_values() {
            take_away(&self.lines, &running.bar);
        }
    }

    /// Prints something above the live lines.
    pub fn above(&self, show: impl FnOnce()) {
        self.lines.suspend(show);
    }
}

impl Running {
    fn begin(lines: &MultiProgress, root: &Path, session: &Session, wanted: Wanted) -> Self {
        let (who, follower) = match wanted {
            Wanted::Dispatch(number, attempt) => {
                let layout = Layout::new(root).session(&session.opening.session);
                let follower = Follower::new(&layout.attempt(number, attempt).stdout());
                (narrate::dispatch(session, number), Some(follower))
            }
            Wanted::Checks(number) => {
                let commands = session.checks.get(&number).map(|run| run.commands.join(" ; "));
                (format!("checks: {}", commands.unwrap_or_default()), None)
            }
            Wanted::Merge(_) => ("brings the work of all together".to_owned(), None),
        };
        let bar = lines.add(ProgressBar::new_spinner());
        let style = ProgressStyle::with_template("  {spinner} {elapsed:>3} {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message(terminal_line(&who, CHARS_MAX));
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar, who, follower }
    }

    fn look(&mut self) {
        if let Some(doing) = self.follower.as_mut().and_then(Follower::look) {
            self.bar.set_message(terminal_line(&format!("{}: {doing}", self.who), CHARS_MAX));
        }
    }
}

/// And forgets it: a session has many of them.
fn take_away(lines: &MultiProgress, bar: &ProgressBar) {
    bar.finish_and_clear();
    lines.remove(bar);
}
