//! Reads back what the driver wrote about a conversation.

use super::event::{AgentEvent, Finished};
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use tollgate_core::reply::Usage;

/// A line of the driver with what the agent itself wrote begins like this; it need not be read again.
pub(super) const RAW_KEY: &str = "agent";

/// What is taken of one line; a longer one is no event of ours.
const LINE_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// A conversation with an agent, as far as it came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    /// The agent's own name for its session.
    pub session: Option<String>,
    pub usage: Usage,
    /// What the agent's session had cost before.
    pub before: Usage,
    /// What it was not allowed to do.
    pub refused: Vec<String>,
    /// None when the driver did not come to the end.
    pub finished: Option<Finished>,
}

pub fn read_transcript(path: &Path) -> io::Result<Transcript> {
    let mut transcript = Transcript::default();
    let mut lines = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        let count = lines.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
        if count == 0 {
            return Ok(transcript);
        }
        if let Ok(value) = serde_json::from_slice::<Value>(&line)
            && value.get(RAW_KEY).is_none()
            && let Ok(event) = serde_json::from_value(value)
        {
            transcript.take(event);
        }
    }
}

impl Transcript {
    /// What the agent's session has cost up to its end, this conversation included.
    pub fn total(&self) -> Usage {
        let mut total = self.before;
        total.add(&self.usage);
        total
    }

    fn take(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::Started { session: Some(session), .. } => self.session = Some(session),
            AgentEvent::Resumed { before } => self.before = before,
            AgentEvent::Usage { spent } => self.usage.add(&spent),
            AgentEvent::Permission { what, granted: false } => self.refused.push(what),
            AgentEvent::Finished(finished) => self.finished = Some(finished),
            _ => {}
        }
    }
}
