//! Looks over an agent's shoulder: what it does right now, from its conversation as far as it is written.

use super::event::AgentEvent;
use super::transcript::is_raw;
use super::words::short;
use std::io;
use std::path::Path;
use tollgate_files::GrowingLog;

/// What is read at a look; what was written before that is no news any more.
const LOOK_BYTES: u64 = 256 * 1024;

/// One line of a conversation may be as long.
const READ_BYTES: u64 = 32 * 1024 * 1024;

/// Follows the conversation of one attempt. A look costs no more when much was written.
#[derive(Debug)]
pub struct TranscriptFollower {
    log: GrowingLog,
    /// What a plain command says of itself.
    aside: GrowingLog,
    doing: Option<String>,
}

/// Reads all that an agent wrote, as lines for people. Not yet fit for a terminal.
#[derive(Debug)]
pub struct OutputReader {
    told: GrowingLog,
    aside: GrowingLog,
}

impl OutputReader {
    /// Of one attempt, by its two logs; they need not be there yet.
    pub fn new(stdout: &Path, stderr: &Path) -> Self {
        Self { told: GrowingLog::new(stdout), aside: GrowingLog::new(stderr) }
    }

    /// What came since the last look; empty when nothing did. Once the attempt is over, all that is left.
    pub fn news(&mut self, is_over: bool) -> Vec<String> {
        loop {
            let before = self.told.position();
            let news = self.next(is_over);
            // What is nothing for people is passed over, and more may come after it.
            if !news.is_empty() || self.told.position() == before {
                return news;
            }
        }
    }

    fn next(&mut self, is_over: bool) -> Vec<String> {
        let said = self.aside.text(LOOK_BYTES, is_over).unwrap_or_default();
        let mut news: Vec<String> =
            said.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect();
        let told = self.told.lines(READ_BYTES).unwrap_or_default();
        let told = told.iter().filter(|line| !is_raw(line));
        let events = told.flat_map(|line| serde_json::from_slice::<AgentEvent>(line));
        for event in events {
            match event {
                AgentEvent::Text { text } if !text.trim_start().starts_with('{') => {
                    news.extend(text.trim().lines().map(str::to_owned));
                }
                AgentEvent::ToolEnd { ok: false, .. } => news.push("  failed".to_owned()),
                event => news.extend(in_words(&event)),
            }
        }
        news
    }
}

impl TranscriptFollower {
    /// The conversation need not have begun.
    pub fn new(path: &Path) -> Self {
        let aside = GrowingLog::new(&path.with_file_name("stderr.log"));
        Self { log: GrowingLog::new(path), aside, doing: None }
    }

    /// What it does now, in one short line; none where nothing is known of it. Not yet fit for a terminal.
    pub fn look(&mut self) -> Option<&str> {
        // What cannot be read now is read at the next look.
        let said = self.aside.last_lines(LOOK_BYTES).unwrap_or_default();
        let said = said.iter().rev().map(|line| short(&String::from_utf8_lossy(line)));
        if let Some(last) = said.into_iter().find(|line| !line.is_empty()) {
            self.doing = Some(last);
        }
        let _unread = self.read_on();
        self.doing.as_deref()
    }

    fn read_on(&mut self) -> io::Result<()> {
        let lines = self.log.last_lines(LOOK_BYTES)?;
        // The end of a line whose beginning was left out is no event, and is passed over as anything else that is none.
        let told = lines.iter().filter(|line| !is_raw(line));
        let events = told.flat_map(|line| serde_json::from_slice(line));
        if let Some(doing) = events.filter_map(|event| in_words(&event)).next_back() {
            self.doing = Some(doing);
        }
        Ok(())
    }
}

fn in_words(event: &AgentEvent) -> Option<String> {
    Some(match event {
        AgentEvent::Started { model: Some(model), .. } => format!("begins with {model}"),
        AgentEvent::Started { model: None, .. } | AgentEvent::Resumed { .. } => "begins".to_owned(),
        AgentEvent::Text { text } if text.trim_start().starts_with('{') => "replies".to_owned(),
        AgentEvent::Text { text } => short(text),
        AgentEvent::ToolStart { name, what, .. } => format!("{name} {what}"),
        AgentEvent::Permission { what, granted: false } => format!("may not {what}"),
        AgentEvent::Question { text } => format!("asks: {}", short(text)),
        AgentEvent::Retry { detail, .. } => {
            format!("tries its model service again: {}", short(detail))
        }
        AgentEvent::Finished(_) => "has finished".to_owned(),
        AgentEvent::ToolEnd { .. } | AgentEvent::Permission { .. } | AgentEvent::Usage { .. } => {
            return None;
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::fs::File;
    use std::io::Write;
    use std::path::PathBuf;

    struct Written {
        folder: tempfile::TempDir,
    }

    impl Written {
        fn new() -> Self {
            Self { folder: tempfile::tempdir().unwrap() }
        }

        fn path(&self) -> PathBuf {
            self.folder.path().join("stdout.log")
        }

        fn add(&self, words: &str) {
            let mut file = File::options().create(true).append(true).open(self.path()).unwrap();
            file.write_all(words.as_bytes()).unwrap();
        }
    }

    #[test]
    fn r183_all_that_an_agent_wrote_is_told_also_behind_a_very_long_line() {
        let written = Written::new();
        let aside = written.path().with_file_name("stderr.log");
        let bar = "=".repeat(usize::try_from(LOOK_BYTES).unwrap() + 10);
        std::fs::write(&aside, format!("one\n{bar}\nfatal: no end")).unwrap();
        written.add("{\"event\":\"usage\"}\n{\"event\":\"tool_start\",\"id\":\"1\",\"name\":\"Edit\",\"what\":\"src/a.rs\"}\n");
        written.add("{\"event\":\"tool_end\",\"id\":\"1\",\"ok\":false}\n");
        written.add("{\"event\":\"text\",\"text\":\"Two\\nlines\"}\n");
        let mut reader = OutputReader::new(&written.path(), &aside);
        let mut told = Vec::new();
        loop {
            let news = reader.news(true);
            if news.is_empty() {
                break;
            }
            told.extend(news);
        }
        let short: Vec<&str> = told.iter().map(String::as_str).filter(|l| l.len() < 100).collect();
        for line in ["one", "Edit src/a.rs", "  failed", "Two", "lines", "fatal: no end"] {
            assert!(short.contains(&line), "{line}: {short:?}");
        }
    }

    #[test]
    fn the_last_thing_that_it_did_is_reported_and_a_half_line_waits() {
        let written = Written::new();
        let mut follower = TranscriptFollower::new(&written.path());
        assert_eq!(follower.look(), None, "nothing is written yet");
        written.add(
            "{\"event\":\"started\",\"model\":\"m-1\"}\n{\"event\":\"tool_start\",\"id\":\"1\",",
        );
        assert_eq!(follower.look(), Some("begins with m-1"));
        written.add("\"name\":\"Edit\",\"what\":\"src/a.rs\"}\n");
        assert_eq!(follower.look(), Some("Edit src/a.rs"));
        written.add("{\"event\":\"tool_end\",\"id\":\"1\",\"ok\":true}\n");
        assert_eq!(follower.look(), Some("Edit src/a.rs"), "an end is no news");
        written.add("{\"event\":\"text\",\"text\":\"\\nNow the tests.\\nThen more.\"}\n");
        assert_eq!(follower.look(), Some("Now the tests."));
        written.add("{\"event\":\"text\",\"text\":\"{\\\"status\\\":\\\"OK\\\"}\"}\n");
        assert_eq!(follower.look(), Some("replies"));
    }

    #[test]
    fn what_the_agent_itself_wrote_is_not_taken_for_an_event() {
        let written = Written::new();
        written.add(
            "{\"agent\":{\"event\":\"text\",\"text\":\"mine\"}}\nnoise\n{\"event\":\"text\"}\n",
        );
        assert_eq!(TranscriptFollower::new(&written.path()).look(), None);
    }

    #[test]
    fn much_that_was_written_is_passed_over_and_its_end_is_read() {
        let written = Written::new();
        let mut follower = TranscriptFollower::new(&written.path());
        written.add("{\"event\":\"text\",\"text\":\"first\"}\n");
        assert_eq!(follower.look(), Some("first"));
        written.add(&format!("{{\"agent\":\"{}\"}}\n", "x".repeat(3 * LOOK_BYTES as usize)));
        assert_eq!(follower.look(), Some("first"));
        written.add(&"y".repeat(2 * LOOK_BYTES as usize));
        assert_eq!(follower.look(), Some("first"), "a line without an end");
        written.add("\n{\"event\":\"text\",\"text\":\"last\"}\n");
        assert_eq!(follower.look(), Some("last"));
    }
}
