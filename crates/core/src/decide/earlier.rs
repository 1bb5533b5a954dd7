//! A reviewing role answers for findings that it was told of, by their ids. What it calls open is reported once more, in the
//! words in which it stands on record: a loop that does not converge is noticed, however the role puts it.

use super::draft::Draft;
use crate::earlier::{EarlierState, EarlierWord};
use crate::event::Finding;
use crate::id::DispatchNumber;
use crate::reply::{Reply, ReportedFinding};
use crate::work::DispatchEnd;

/// The end of the attempt with what the reply calls open among its findings.
pub(super) fn answered(
    draft: &Draft<'_>,
    number: DispatchNumber,
    mut end: DispatchEnd,
) -> DispatchEnd {
    if let DispatchEnd::Replied { reply, .. } = &mut end {
        let still: Vec<ReportedFinding> = still_open(draft, number, reply).collect();
        reply.findings.extend(still);
    }
    end
}

fn still_open<'a>(
    draft: &'a Draft<'_>,
    number: DispatchNumber,
    reply: &'a Reply,
) -> impl Iterator<Item = ReportedFinding> + 'a {
    let dispatch = &draft.dispatches[&number];
    let is_open = |word: &&EarlierWord| word.state == EarlierState::Open;
    let known = |word: &EarlierWord| draft.record.findings.iter().find(|f| f.id == word.id);
    let is_its = move |finding: &&Finding| {
        dispatch.role.is_reviewing() && draft.is_judged_by(dispatch, finding)
    };
    let is_said = |finding: &&Finding| {
        !reply.findings.iter().any(|report| report.is_same_as(&finding.report))
    };
    let open = reply.earlier.iter().filter(is_open).filter_map(known);
    open.filter(is_its).filter(is_said).map(|finding| finding.report.clone())
}

/// Why a finding is settled that its role reports no more.
pub(super) fn reason(reply: &Reply, finding: &Finding) -> Option<String> {
    let word = reply.earlier.iter().find(|word| word.id == finding.id)?;
    match (word.state, &word.note) {
        (EarlierState::Withdrawn, Some(note)) => Some(format!("withdrawn: {note}")),
        (EarlierState::Withdrawn, None) => Some("withdrawn".to_owned()),
        (EarlierState::Fixed | EarlierState::Open, note) => note.clone(),
    }
}
