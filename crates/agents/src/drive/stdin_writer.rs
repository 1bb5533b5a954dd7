//! What is said to a program, by a thread of its own: a program that speaks without listening does not stop the driver.

use serde_json::Value;
use std::io::Write;
use std::process::ChildStdin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// What may wait to be listened to.
const WAITING_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Closed when it is dropped and all was said.
#[derive(Debug)]
pub struct StdinWriter {
    lines: Sender<String>,
    waiting: Arc<AtomicUsize>,
}

impl StdinWriter {
    pub fn new(mut stdin: ChildStdin) -> Self {
        let (lines, said) = channel::<String>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&waiting);
        thread::spawn(move || {
            for line in said {
                // A program that no longer listens will be heard to end.
                if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
                left.fetch_sub(line.len(), Ordering::Relaxed);
            }
        });
        Self { lines, waiting }
    }

    /// False when too much is waiting already.
    pub fn say(&self, line: &Value) -> bool {
        let line = format!("{line}\n");
        if self.waiting.load(Ordering::Relaxed) + line.len() > WAITING_BYTES_MAX {
            return false;
        }
        self.waiting.fetch_add(line.len(), Ordering::Relaxed);
        let _gone = self.lines.send(line);
        true
    }
}
