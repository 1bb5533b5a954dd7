//! Closing a dispatch with its verdict, and who must look at its work.

use crate::decide::draft::Draft;
use crate::event::{Event, Verdict};
use crate::id::DispatchNumber;

pub fn close(draft: &mut Draft<'_>, number: DispatchNumber, verdict: Verdict) {
    let look_again = Some(draft.who_looks_again(number, verdict).into_iter().collect());
    let unreviewed = Some(draft.leaves_unreviewed(number, verdict));
    draft.emit(Event::DispatchClosed { number, verdict, look_again, unreviewed });
}
