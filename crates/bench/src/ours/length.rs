//! Whether the last dispatch of a long session is as cheap as one of the first: engine, journal and projections.

use super::{MeasuredRow, announce, ms};
use crate::workflow::{self, Flow, Parts};
use crate::{scratch, timing};
use std::time::Duration;
use tollgate_core::id::{CommitId, DispatchNumber};
use tollgate_core::work::{ChangeType, CodeWork, DispatchEnd, FileChange, Work};
use xtask::Trouble;

/// Dispatches that lie behind the measured ones.
const BEHIND: [usize; 2] = [10, 1_000];
const RUNS: usize = 41;
/// Files that the dispatches of a session change in turns; all of them have been before anything is measured.
const FILES: u32 = 8;

pub fn measure() -> Result<Vec<MeasuredRow>, Trouble> {
    announce("the last dispatch of a long session");
    let folder = scratch()?;
    let opening = workflow::long("2026-11-15_long", BEHIND[1] + RUNS + 1)?;
    let mut flow = Flow::open(&folder.path().join("session"), &opening)?;
    let mut rows = Vec::new();
    for behind in BEHIND {
        while flow.session().dispatches.len() <= behind {
            flow.step(changing_a_file)?;
        }
        let mut all: Vec<Parts> = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            flow.step(changing_a_file)?;
            all.push(flow.last);
        }
        let middle = |part: fn(&Parts) -> Duration| {
            ms(timing::middle(&mut all.iter().map(part).collect::<Vec<_>>()))
        };
        let parts = format!(
            "{} = look {} + decide {} + journal {} + project {}",
            middle(Parts::sum),
            middle(|p| p.look),
            middle(|p| p.decide),
            middle(|p| p.journal),
            middle(|p| p.project),
        );
        let what = format!("durable step, {behind} dispatches behind it");
        let row = MeasuredRow::new(what, parts, RUNS);
        rows.push(row.aim("the last as cheap as the first"));
    }
    Ok(rows)
}

/// An agent that changed one file, as far as the engine is told.
pub fn changing_a_file(number: DispatchNumber) -> DispatchEnd {
    let path = format!("src/module_{:02}/lib.rs", number.0 % FILES);
    let commit = format!("{:040x}", u64::from(number.0) + 0xbe6c);
    let code = CodeWork {
        changes: vec![FileChange { path, change_type: ChangeType::Modified, old_path: None }],
        commit: Some(CommitId::parse(&commit).expect("forty hex digits are a commit")),
        ..CodeWork::default()
    };
    let work = Work { code, ..Work::default() };
    workflow::replied("Changed one file, ran its tests, and left the rest as it was.", work)
}
