//! What a person sees while a session runs, and how they answer.

mod digest;
mod live;
pub mod narrate;
mod plain;
mod terminal;

pub use digest::digest;
pub use plain::PlainFace;
pub use terminal::TerminalFace;

use crate::output;
use std::path::Path;
use std::time::Instant;
use tollgate_core::id::CommandId;
use tollgate_host::serve::{Face, Line, Message, Owner};

/// The face that fits: a terminal with a person at it, or plain lines.
pub fn fitting(no_input: bool, root: &Path) -> Box<dyn Face> {
    if !no_input && output::is_interactive() {
        Box::new(TerminalFace::new(root))
    } else {
        Box::new(PlainFace::new())
    }
}

/// A command id that no other command has.
pub fn command_id() -> CommandId {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    CommandId::new(format!("{nanos}-{}-{count}", std::process::id()))
}

/// Lines of the person and requests to end reach the loop through these threads.
pub fn listen(owner: &Owner, face: &dyn Face) -> std::io::Result<()> {
    let signals_to = owner.sender();
    let mut signals = signal_hook::iterator::Signals::new([
        signal_hook::consts::SIGINT,
        signal_hook::consts::SIGTERM,
    ])?;
    std::thread::spawn(move || {
        for (count, _) in signals.forever().enumerate() {
            if count > 0 {
                // Asked twice: leave at once. Supervisors finish what they were told.
                std::process::exit(crate::exit::Exit::Interrupted as i32);
            }
            let _ = signals_to.send(Message::Interrupt);
        }
    });
    if face.reads_lines() {
        let lines_to = owner.sender();
        std::thread::spawn(move || {
            for line in std::io::stdin().lines() {
                let Ok(text) = line else { break };
                let line = Line { text, read_at: Instant::now() };
                if lines_to.send(Message::Line(Some(line))).is_err() {
                    return;
                }
            }
            let _ = lines_to.send(Message::Line(None));
        });
    }
    Ok(())
}
