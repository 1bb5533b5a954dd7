//! `tollgate log`: what happened in a session, record by record.

mod words;

use crate::exit::Exit;
use crate::face::narrate;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tollgate_core::event::Event;
use tollgate_core::session::Session;
use tollgate_core::time::Timestamp;
use tollgate_host::journal::{Follower, Record};
use tollgate_host::layout::SessionLayout;
use tollgate_host::lock;

/// How long a follower waits before it looks again.
const PAUSE: Duration = Duration::from_millis(150);

/// Tell what happened in a session, record by record
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate log --follow\n  tollgate log --json | jq -r .event.type"
)]
pub struct Log {
    /// A name, a unique prefix, or `latest`
    #[arg(default_value = "latest")]
    pub session: String,
    /// Continue as records are written, until the session is over
    #[arg(long, short)]
    pub follow: bool,
    /// Print one journal record a line as JSON
    #[arg(long)]
    pub json: bool,
}

impl Log {
    pub fn run(self) -> Result<Exit, Failure> {
        let place = place::Place::find()?;
        let (name, layout) = place.session(&self.session)?;
        let mut follower = Follower::open(&layout.journal()).map_err(Failure::reading)?;
        let mut teller = Teller { json: self.json, session: None };
        if self.follow {
            return follow(&layout, &mut follower, &mut teller);
        }
        let records = follower.poll().map_err(Failure::reading)?;
        if records.is_empty() {
            return Err(Failure::usage("cli.session", format!("{name} has not begun yet")));
        }
        records.iter().try_for_each(|record| teller.tell(record))?;
        Ok(Exit::Ok)
    }
}

fn follow(
    layout: &SessionLayout,
    follower: &mut Follower,
    teller: &mut Teller,
) -> Result<Exit, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGINT, interrupted.clone()).map_err(
        |cause| Failure::new(Exit::Bug, "cli.bug", format!("cannot listen for signals: {cause}")),
    )?;
    loop {
        // Asked before reading: what the owner wrote last is then read below.
        let is_owned = lock::is_held(layout.folder());
        let records = follower.poll().map_err(Failure::reading)?;
        records.iter().try_for_each(|record| teller.tell(record))?;
        if interrupted.load(Ordering::Relaxed) {
            return Ok(Exit::Interrupted);
        }
        let is_over = teller.session.as_ref().is_some_and(Session::is_over);
        if (is_over && !is_owned) || output::reader_is_gone() {
            return Ok(Exit::Ok);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Follows the state beside the records, because words need it.
struct Teller {
    json: bool,
    session: Option<Session>,
}

#[derive(Serialize)]
struct Line<'a> {
    seq: u64,
    at: Timestamp,
    hash: &'a str,
    event: &'a Event,
}

impl Teller {
    fn tell(&mut self, record: &Record) -> Result<(), Failure> {
        let Record { seq, at, hash, event, .. } = record;
        let json = self.json;
        let session = self.session_after(*seq, *at, event)?;
        if json {
            output::json_line(&Line { seq: *seq, at: *at, hash, event });
            return Ok(());
        }
        let (style, mark, text) = match narrate::line(session, event) {
            Some(line) => (line.style, line.mark.trim(), line.text),
            None => {
                let (mark, text) = words::plain(session, event);
                (output::DIM, mark, text)
            }
        };
        output::row(&format!("{seq:>5}  {at}  "), style, &format!("{mark:<9}"), &text);
        Ok(())
    }

    fn session_after(
        &mut self,
        seq: u64,
        at: Timestamp,
        event: &Event,
    ) -> Result<&Session, Failure> {
        let damaged = |why: String| {
            let message = format!("the journal is damaged at line {seq} (record {seq}): {why}");
            Failure::new(Exit::Damaged, "cli.journal_damaged", message)
        };
        match (&mut self.session, event) {
            (Some(session), event) => session.follow(at, event).map_err(damaged)?,
            (empty, event) => {
                *empty = Some(
                    Session::replay([(at, event)].into_iter())
                        .map_err(|unfit| damaged(unfit.why))?,
                )
            }
        }
        Ok(self.session.as_ref().expect("it was just opened or was there"))
    }
}
