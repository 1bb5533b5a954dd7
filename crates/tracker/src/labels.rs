//! Brings the labels of a tracker to what they should be.

use super::{LabelState, Put, Tracker, TrackerError};
use tollgate_contract::labels::{LABELS, Label};

/// What became of each label; nothing that is right is touched.
pub fn sync(tracker: &dyn Tracker) -> Result<Vec<(&'static Label, Put)>, TrackerError> {
    let planned = plan(tracker)?.into_iter();
    let carry_out = |(label, put): (&'static Label, Put)| match put {
        Put::Unchanged => Ok((label, put)),
        Put::Created | Put::Updated => Ok((label, tracker.put_label(label)?)),
    };
    planned.map(carry_out).collect()
}

/// What [`sync`] would do.
pub fn plan(tracker: &dyn Tracker) -> Result<Vec<(&'static Label, Put)>, TrackerError> {
    let found = tracker.labels()?;
    Ok(LABELS.iter().map(|label| (label, needed(label, &found))).collect())
}

/// A tracker may keep one label under two spellings of its case.
fn needed(label: &Label, found: &[LabelState]) -> Put {
    let same = found.iter().find(|state| state.name.eq_ignore_ascii_case(label.name));
    match same {
        Some(state) if state.is(label) => Put::Unchanged,
        Some(_) => Put::Updated,
        None => Put::Created,
    }
}
