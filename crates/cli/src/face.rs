//! What a person sees while a session runs, and how they answer.

mod at_work;
mod gate;
pub mod keyboard;
mod line;
mod live;
pub mod loan;
pub mod narrate;
mod plain;
mod terminal;

pub use keyboard::Keyboard;
pub use plain::PlainFace;
pub use terminal::TerminalFace;

use crate::output;
use std::path::Path;
use tollgate_core::id::CommandId;
use tollgate_host::serve::{Face, Owner, OwnerMessage};

/// The face that fits: a terminal with a person at it, or plain lines.
pub fn fitting(no_input: bool, root: &Path) -> Box<dyn Face> {
    if !no_input && output::is_interactive() {
        Box::new(TerminalFace::new(root))
    } else {
        Box::new(PlainFace::new(root))
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

/// Lines of the person and requests to end reach the loop through these threads. The terminal is the face's while
/// the keyboard is held.
pub fn listen(owner: &Owner, face: &mut dyn Face) -> std::io::Result<Option<Keyboard>> {
    use signal_hook::consts::{SIGCONT, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
    face.can_reach(owner.sender());
    let signals_to = owner.sender();
    let wanted = [SIGINT, SIGTERM, SIGQUIT, SIGTSTP, SIGCONT];
    let mut signals = signal_hook::iterator::Signals::new(wanted)?;
    std::thread::spawn(move || {
        let mut is_ending = false;
        for signal in signals.forever() {
            // Whoever has the keyboard is stopped and continues too, with the terminal as it was.
            if keyboard::is_lent() && matches!(signal, SIGTSTP | SIGCONT) {
                if signal == SIGTSTP {
                    let _ = signal_hook::low_level::emulate_default_handler(SIGTSTP);
                }
                continue;
            }
            if signal == SIGCONT {
                keyboard::take_again();
                continue;
            }
            if signal == SIGTSTP {
                keyboard::lend();
                let _ = signal_hook::low_level::emulate_default_handler(SIGTSTP);
                keyboard::take_again();
                keyboard::show_again();
                continue;
            }
            // Whoever has the keyboard hears it too, and it is meant for them.
            if keyboard::is_lent() && matches!(signal, SIGINT | SIGQUIT) {
                continue;
            }
            if is_ending {
                // Asked twice: leave at once. Supervisors finish what they were told.
                keyboard::give_back();
                std::process::exit(crate::exit::Exit::Interrupted as i32);
            }
            is_ending = true;
            loan::call_back();
            let _ = signals_to.send(OwnerMessage::Interrupt);
        }
    });
    Ok(face.reads_lines().then(|| Keyboard::take(owner.sender())))
}
