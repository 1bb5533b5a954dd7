//! Work that may take a while before there is a session to tell of.

use crate::output::{self, Verbosity};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Says what is done, and shows in a terminal that it is still being done.
pub fn busy<T>(what: &str, work: impl FnOnce() -> T) -> T {
    if !output::is_interactive() || output::verbosity() == Verbosity::Quiet {
        output::marked(output::DIM, "start", what);
        return work();
    }
    let bar = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("  {spinner} {elapsed:>3} {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(120));
    let done = work();
    bar.finish_and_clear();
    done
}
