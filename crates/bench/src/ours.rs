//! Our own rows: what is measured of Tollgate alone.

mod changed;
mod crowd;
mod dispatch;
mod git;
mod length;
mod listing;
mod page;
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

type Measure = fn(&Path) -> Result<Vec<MeasuredRow>, Trouble>;

/// What is measured, by its name on the command line.
const PARTS: [(&str, Measure); 10] = [
    ("start", start::measure),
    ("dispatch", dispatch::measure),
    // Before the long journals: a process that has held much memory starts others more slowly.
    ("git", git::measure),
    ("scope", scope::measure),
    ("length", |_| length::measure()),
    ("resume", resume::measure),
    ("crowd", |_| crowd::measure()),
    ("sessions", listing::measure),
    ("page", page::measure),
    ("snapshot", |_| snapshot::measure()),
];

/// Measures and prints every row of ours; `program` is the tollgate that is measured.
pub fn alone(program: &Path) -> Result<(), Trouble> {
    print(program, PARTS.iter())
}

/// The rows of one part.
pub fn some(program: &Path, name: &str) -> Result<(), Trouble> {
    let known = PARTS.map(|(name, _)| name);
    if !known.contains(&name) {
        return Err(format!("there is no part {name:?}; the parts are {}", known.join(", ")).into());
    }
    print(program, PARTS.iter().filter(|(known, _)| *known == name))
}

fn print<'a>(
    program: &Path,
    parts: impl Iterator<Item = &'a (&'a str, Measure)>,
) -> Result<(), Trouble> {
    let mut table = Table::new(&["Tollgate alone", "measured", "runs", "aim"]);
    for (_, measure) in parts {
        for row in measure(program)? {
            table.row(vec![row.what, row.measured, row.runs.to_string(), row.aim.to_owned()]);
        }
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
