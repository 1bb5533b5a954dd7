//! Many sessions at once, each with its own journal and thread.

use super::{MeasuredRow, announce};
use crate::{scratch, timing, tollgate, workflow};
use std::path::Path;
use std::time::Instant;
use xtask::Trouble;

const SESSIONS: usize = 64;
/// Whole workflows per thread, one after the other.
const WORKFLOWS: usize = 4;
const RUNS: usize = 3;

pub fn measure() -> Result<Vec<MeasuredRow>, Trouble> {
    announce("many sessions at once");
    let mut rates = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let folder = scratch()?;
        let begin = Instant::now();
        at_once(folder.path())?;
        let steps = SESSIONS * WORKFLOWS * workflow::STEPS;
        rates.push(steps as f64 / begin.elapsed().as_secs_f64());
    }
    let rate = format!("{:.0} steps/s", timing::middle(&mut rates));
    Ok(vec![MeasuredRow::new(format!("{SESSIONS} sessions at once, all together"), rate, RUNS)])
}

fn at_once(folder: &Path) -> Result<(), Trouble> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..SESSIONS)
            .map(|thread| {
                let mut numbers = thread * WORKFLOWS..(thread + 1) * WORKFLOWS;
                scope.spawn(move || {
                    numbers.try_for_each(|number| {
                        tollgate::whole(folder, number).map_err(|trouble| trouble.to_string())
                    })
                })
            })
            .collect();
        for thread in threads {
            thread.join().map_err(|_| "a session panicked")??;
        }
        Ok(())
    })
}
