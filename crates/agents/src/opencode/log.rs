//! The log of opencode. It tries a failing model service again forever and says nothing of it on its output; only its log tells.

use crate::{Post, words};
use serde_json::json;
use std::io;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};
use tollgate_core::limits::AGENT_WAIT_MS_MAX;
use tollgate_files::GrowingLog;

/// Below its data folder.
pub const LOG: &str = "opencode/log/opencode.log";

/// The keys of the notes: the service failed, with the words for it; and nothing has happened since for long.
pub const FAILED: &str = "failed";
pub const WAITS: &str = "waits";

const LOOK: Duration = Duration::from_millis(500);
const PIECE_BYTES_MAX: u64 = 256 * 1024;

/// Posts what new lines tell, from a thread that ends with the process.
pub fn watch(log: PathBuf, post: Post) {
    let log = GrowingLog::from_its_end(&log);
    thread::spawn(move || {
        let mut watched = Watched { log, failed_at: None };
        loop {
            thread::sleep(LOOK);
            // A log that cannot be read tells nothing.
            let _silent = watched.look(&post);
        }
    });
}

struct Watched {
    log: GrowingLog,
    failed_at: Option<Instant>,
}

impl Watched {
    fn look(&mut self, post: &Post) -> io::Result<()> {
        for line in self.log.lines(PIECE_BYTES_MAX)? {
            if let Some(words) = failure_in(&String::from_utf8_lossy(&line)) {
                self.failed_at = Some(Instant::now());
                post.note(json!({ FAILED: words }));
            }
        }
        let wait = Duration::from_millis(AGENT_WAIT_MS_MAX);
        if self.failed_at.is_some_and(|at| at.elapsed() > wait) {
            self.failed_at = None;
            post.note(json!({ WAITS: true }));
        }
        Ok(())
    }
}

/// The words of a failed request; those for the title of a session do not count.
fn failure_in(line: &str) -> Option<String> {
    let is_failure = line.contains("level=ERROR")
        && line.contains("message=\"stream error\"")
        && line.contains("small=false");
    let (_, said) = line.split_once("error.error=").filter(|_| is_failure)?;
    Some(words::cut(said.trim_matches('"'), 500))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_of_the_work_itself_count() {
        let line = "timestamp=2026-01-01T00:00:00.000Z level=ERROR run=1 message=\"stream error\" providerID=p \
                    session.id=ses_1 small=false agent=build error.error=\"AI_APICallError: slow down\"";
        assert_eq!(failure_in(line).as_deref(), Some("AI_APICallError: slow down"));
        assert_eq!(failure_in(&line.replace("small=false", "small=true")), None);
        assert_eq!(failure_in(&line.replace("ERROR", "INFO")), None);
    }
}
