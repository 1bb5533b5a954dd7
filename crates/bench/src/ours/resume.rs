//! Taking up a session with a long journal.

use super::length::changing_a_file;
use super::{MeasuredRow, announce, ms};
use crate::workflow::{self, Flow};
use crate::{repos, scratch, timing};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tollgate_core::engine::Engine;
use tollgate_core::input::{Input, Opening};
use tollgate_core::session::{Session, Wanted};
use tollgate_files::clock;
use tollgate_files::layout::Layout;
use tollgate_host::journal::{Journal, JournalError};
use xtask::{Trouble, run};

/// Events of a journal, how often it is read, and the aim.
const LENGTHS: [(u64, usize, &str); 2] =
    [(10_000, 9, "under 100 ms"), (100_000, 5, "ten times that of 10,000")];
/// A dispatch of this workload writes this many events.
const EVENTS_PER_DISPATCH: u64 = 5;

pub fn measure(program: &Path) -> Result<Vec<MeasuredRow>, Trouble> {
    let mut rows = Vec::new();
    for (events, runs, aim) in LENGTHS {
        announce(&format!("a journal of {events} events"));
        let folder = scratch()?;
        let repository = repos::fresh(folder.path(), 100)?;
        let dispatches = usize::try_from(events / EVENTS_PER_DISPATCH)? + 1;
        let opening = workflow::long("2026-11-15_journal", dispatches)?;
        let session = Layout::new(&repository).session(&opening.session);
        std::fs::create_dir_all(session.folder())?;
        let written = write(&session.journal(), &opening, events)?;

        let read = timing::median(runs, || {
            let (_, records, _) =
                Journal::open_if(&session.journal(), |_| Ok::<(), JournalError>(()))?;
            let replayed = Session::replay(records.iter().map(|r| (r.at, &r.event)));
            replayed.map(drop).map_err(|unfit| unfit.why.into())
        })?;
        let resumed = timing::median(runs, || Flow::resume(session.folder()).map(drop))?;
        let status = status(program, &repository, runs)?;
        let size = session.journal().metadata()?.len() as f64 / f64::from(1 << 20);
        let what = |how: &str| format!("{written} events ({size:.1} MiB), {how}");
        rows.push(MeasuredRow::new(what("read and folded"), ms(read), runs).aim(aim));
        rows.push(MeasuredRow::new(what("taken up again"), ms(resumed), runs));
        rows.push(MeasuredRow::new(what("`tollgate status`, whole process"), ms(status), runs));
    }
    Ok(rows)
}

/// Writes a journal by driving the engine; one commit for each end of a dispatch, as always.
fn write(path: &Path, opening: &Opening, events: u64) -> Result<u64, Trouble> {
    let mut journal = Journal::create(path)?;
    let (mut engine, mut commit) = Engine::open(clock::now(), opening);
    loop {
        let durable = commit.write_to(&mut journal)?;
        let wanted = engine.committed(&durable).into_iter().next();
        match wanted {
            Some(Wanted::Dispatch(number, attempt)) if journal.last_seq() < events => {
                let end = changing_a_file(number);
                let input = Input::Ended { number, attempt, usage: end.claimed_usage(), end };
                commit = engine.handle(clock::now(), vec![input]).0;
            }
            _ => return Ok(journal.last_seq()),
        }
    }
}

fn status(program: &Path, repository: &Path, runs: usize) -> Result<Duration, Trouble> {
    timing::median(runs, || {
        let said = run::read(Command::new(program).arg("status").current_dir(repository))?;
        if said.contains("2026-11-15_journal") {
            Ok(())
        } else {
            Err(format!("tollgate status said {said:?}").into())
        }
    })
}
