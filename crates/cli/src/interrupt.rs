//! Ctrl-C for commands that run checks.

use crate::exit::Exit;
use std::sync::Arc;
use tollgate_host::activity::StopSwitch;

/// Ctrl-C ends what runs, with all its processes; asked twice, this program leaves at once.
pub fn listen(stop: Arc<StopSwitch>) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::spawn(move || {
        for (count, _) in signals.forever().enumerate() {
            if count > 0 {
                std::process::exit(Exit::Interrupted as i32);
            }
            stop.engine_ends();
        }
    });
    Ok(())
}
