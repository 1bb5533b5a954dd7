//! Work that may take a while before there is a session to tell of.

use crate::output::{self, DIM};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::time::Duration;

/// Says what is done.
pub fn say(what: &str) {
    output::aside(DIM, "start", what);
}

/// The same, and shows in a terminal that it is still being done, and how much of it.
pub fn busy<T>(
    what: &str,
    amount: impl Fn() -> String + Clone + Send + Sync + 'static,
    work: impl FnOnce() -> T,
) -> T {
    if !output::is_interactive() || output::is_dumb() || output::is_quiet() {
        say(what);
        return work();
    }
    let bar = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("  {spinner} {elapsed:>3} {msg}{amount}");
    let shown = move |_: &ProgressState, to: &mut dyn Write| {
        let _ = to.write_str(&amount());
    };
    let style = style.map(|style| style.with_key("amount", shown));
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(120));
    let done = work();
    bar.finish_and_clear();
    done
}
