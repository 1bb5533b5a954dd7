//! Closing a dispatch with its verdict, and who must look at its work again.

use crate::decide::draft::Draft;
use crate::event::{Event, Verdict};
use crate::id::DispatchNumber;

pub fn close(draft: &mut Draft<'_>, number: DispatchNumber, verdict: Verdict) {
    let look_again = Some(draft.who_looks_again(number, verdict).into_iter().collect());
    draft.emit(Event::DispatchClosed { number, verdict, look_again });
}
