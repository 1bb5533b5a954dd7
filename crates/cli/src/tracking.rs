//! Which tracker a session is shown in, as the settings and the person's login say.

use crate::exit::Exit;
use crate::failure::Failure;
use tollgate_contract::config::TrackerKind;
use tollgate_host::context::Context;
use tollgate_host::serve::{Face, Owner};
use tollgate_tracker::{self as tracker, Tracker, TrackerError};

/// Before anything begins: who wants a tracker and has no login is told at once.
pub fn demanded(context: &Context) -> Result<Option<Box<dyn Tracker>>, Failure> {
    open(context).transpose().map_err(failure)
}

/// For a session that has begun: it continues with a tracker or without.
pub fn follow(owner: &mut Owner, face: &mut dyn Face) -> Result<(), Failure> {
    match open(owner.context()) {
        Some(Ok(tracker)) => owner.follow_with(tracker),
        Some(Err(why)) => owner.cannot_follow(face, why.to_string())?,
        None => {}
    }
    Ok(())
}

/// None with local files: the work items of a session are its tracker.
fn open(context: &Context) -> Option<Result<Box<dyn Tracker>, TrackerError>> {
    let lookup = |name: &str| std::env::var_os(name);
    let is_elsewhere = context.config.tracker == TrackerKind::Github;
    is_elsewhere.then(|| tracker::open(&context.config, &context.repository, &lookup))
}

/// What a person can fix is wrong usage; what may be better in an hour is a failure.
pub fn failure(error: TrackerError) -> Failure {
    let words = error.to_string();
    match error {
        TrackerError::Limited { .. }
        | TrackerError::Server { .. }
        | TrackerError::Unreachable { .. }
        | TrackerError::TooBig { .. }
        | TrackerError::Unreadable { .. }
        | TrackerError::Invalid { .. }
        | TrackerError::File(_) => Failure::new(Exit::Fails, "cli.tracker_failed", words)
            .hint("what was done stays done; run the command again to continue"),
        _ => Failure::usage("cli.tracker", words),
    }
}
