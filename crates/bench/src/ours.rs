//! Our own rows: what is measured of Tollgate alone.

mod changed;
mod crowd;
mod dispatch;
mod git;
mod length;
mod listing;
mod resume;
mod scope;
mod snapshot;
mod start;

use super::table::Table;
use super::timing;
use std::path::Path;
use std::time::Duration;
use xtask::{Trouble, run};

/// One thing measured of Tollgate alone.
#[derive(Debug)]
struct MeasuredRow {
    what: String,
    measured: String,
    /// Of how many measurements it is the median.
    runs: usize,
    aim: &'static str,
}

impl MeasuredRow {
    fn new(what: impl Into<String>, measured: impl Into<String>, runs: usize) -> Self {
        Self { what: what.into(), measured: measured.into(), runs, aim: "" }
    }

    fn aim(self, aim: &'static str) -> Self {
        Self { aim, ..self }
    }
}

/// Measures and prints every row of ours; `program` is the tollgate that is measured.
pub fn alone(program: &Path) -> Result<(), Trouble> {
    let mut rows = start::measure(program)?;
    rows.extend(dispatch::measure(program)?);
    // Before the long journals: a process that has held much memory starts others more slowly.
    rows.extend(git::measure(program)?);
    rows.extend(scope::measure(program)?);
    rows.extend(length::measure()?);
    rows.extend(resume::measure(program)?);
    rows.extend(crowd::measure()?);
    rows.extend(listing::measure(program)?);
    rows.extend(snapshot::measure()?);
    let mut table = Table::new(&["Tollgate alone", "measured", "runs", "aim"]);
    for row in rows {
        table.row(vec![row.what, row.measured, row.runs.to_string(), row.aim.to_owned()]);
    }
    run::say(&format!("{}\n{}", timing::machine(), table.text()));
    Ok(())
}

fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

/// Says what is being measured, so that a long run is not taken for a hanging one.
fn announce(what: &str) {
    run::say(&format!("measuring {what}"));
}
