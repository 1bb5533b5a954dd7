//! Reads back what the driver wrote about a conversation.

use super::event::{AgentEvent, Finished};
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
    /// The agent's own name for its session; none where it is not fit to be said to the program again.
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
        if !line.ends_with(b"\n") {
            // The rest of a line that is too long is no line of its own.
            lines.skip_until(b'\n')?;
        }
        if !is_raw(&line)
            && let Ok(event) = serde_json::from_slice(&line)
        {
            transcript.take(event);
        }
    }
}

/// What the agent itself wrote, and no event.
pub(super) fn is_raw(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"{\"").and_then(|rest| rest.strip_prefix(RAW_KEY.as_bytes()));
    rest.is_some_and(|rest| rest.starts_with(b"\":"))
}

impl Transcript {
    /// What the agent's session has cost up to its end, this conversation included.
    pub fn total(&self) -> Usage {
        let mut total = self.before;
        total.add(&self.usage);
        total
    }

    pub fn take(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::Started { session: Some(session), .. } if is_plain(&session) => {
                self.session = Some(session);
            }
            AgentEvent::Resumed { before } => self.before = before,
            AgentEvent::Usage { spent } => self.usage.add(&spent),
            AgentEvent::Permission { what, granted: false } => self.refused.push(what),
            AgentEvent::Finished(finished) => self.finished = Some(finished),
            _ => {}
        }
    }
}

/// It becomes an argument of the program, and may become a part of a path there.
fn is_plain(session: &str) -> bool {
    const BYTES_MAX: usize = 200;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    session.len() <= BYTES_MAX
        && session.starts_with(|first: char| first.is_ascii_alphanumeric())
        && session.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn started(session: &str) -> Option<String> {
        let mut transcript = Transcript::default();
        let session = Some(session.to_owned());
        transcript.take(AgentEvent::Started { session, model: None });
        transcript.session
    }

    #[test]
    fn only_a_plain_name_of_a_session_is_said_again() {
        for plain in ["00000000-0000-4000-8000-000000000001", "ses_1", "20260101_1:2.3"] {
            assert_eq!(started(plain).as_deref(), Some(plain));
        }
        let long = "a".repeat(201);
        for odd in ["", "-p", "--resume", "../x", "a/b", "a\\b", "a b", "a\n", "é", "a\0", &long] {
            assert_eq!(started(odd), None, "{odd:?}");
        }
    }

    #[test]
    fn text_of_the_agent_is_not_an_event_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("transcript");
        let finished = r#"{"event":"finished","outcome":{"kind":"done"}}"#;
        let too_long = " ".repeat(usize::try_from(LINE_BYTES_MAX).unwrap());
        let lines = [
            format!(r#"{{"agent":{finished}}}"#),
            format!("{too_long}{finished}"),
            r#"{"event":"usage","input_tokens":7}"#.to_owned(),
        ];
        std::fs::write(&path, lines.join("\n")).unwrap();
        let transcript = read_transcript(&path).unwrap();
        assert_eq!((transcript.usage.input_tokens, transcript.finished), (Some(7), None));
    }
}
