//! `tollgate log`: what happened in a session, record by record.

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
use tollgate_core::time::Timestamp;
use tollgate_host::client::{Client, Told};

/// How long a follower waits before it looks again.
const PAUSE: Duration = Duration::from_millis(150);

/// Show what happened in a session, record by record
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate log --follow\n  tollgate log --json | jq -r .event.type"
)]
pub struct Log {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`
    #[arg(default_value = "latest")]
    pub session: String,
    /// Keep printing new records until the session is over
    #[arg(long, short)]
    pub follow: bool,
    /// Print one journal record per line as JSON
    #[arg(long)]
    pub json: bool,
}

impl Log {
    pub fn run(self) -> Result<Exit, Failure> {
        let (name, mut client) = place::Checkout::find()?.client(&self.session)?;
        let json = self.json;
        if self.follow {
            return follow(&mut client, json);
        }
        client.follow(|told| tell(&told, json)).map_err(Failure::reading)?;
        match client.parts() {
            Some(_) => Ok(Exit::Ok),
            None => Err(place::not_begun(&name)),
        }
    }
}

fn follow(client: &mut Client, json: bool) -> Result<Exit, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGINT, interrupted.clone()).map_err(
        |cause| Failure::new(Exit::Bug, "cli.bug", format!("cannot listen for signals: {cause}")),
    )?;
    loop {
        // Asked before reading: what the owner wrote last is then read below.
        let is_running = client.is_running();
        client.follow(|told| tell(&told, json)).map_err(Failure::reading)?;
        if interrupted.load(Ordering::Relaxed) {
            return Ok(Exit::Interrupted);
        }
        let is_over = client.parts().is_some_and(|now| now.is_over());
        if (is_over && !is_running) || output::reader_is_gone() {
            return Ok(Exit::Ok);
        }
        std::thread::sleep(PAUSE);
    }
}

#[derive(Serialize)]
struct Line<'a> {
    seq: u64,
    at: Timestamp,
    hash: &'a str,
    event: &'a Event,
}

fn tell(told: &Told<'_>, json: bool) {
    let Told { seq, at, hash, event, now } = *told;
    if json {
        output::json_line(&Line { seq, at, hash, event });
        return;
    }
    let line = now.line(event);
    let (before, mark) = (format!("{seq:>5}  {at}  "), format!("{:<9}", line.mark));
    output::row(&before, narrate::style(line.tone), &mark, &line.text);
}
