//! Session files that somebody edited, and what failed in the engine's own world.

use super::draft::Draft;
use super::moves::ask;
use super::{gate, lost, plan};
use crate::decision::BlockerCode;
use crate::event::Event;
use crate::fault::HostFault;
use crate::input::Edit;
use crate::notice::NoticeCode;

/// A person may edit session files between dispatches: good content is taken, bad content blocks.
pub(super) fn edited(draft: &mut Draft<'_>, edits: Vec<Edit>) {
    if draft.is_over() || edits.is_empty() {
        return;
    }
    let broken: Vec<String> = edits
        .iter()
        .flat_map(|edit| &edit.errors)
        .map(|error| format!("{}: {}", error.path, error.message))
        .collect();
    let is_gone = edits.iter().any(|edit| edit.now.is_none());
    let code = if is_gone { BlockerCode::MissingContext } else { BlockerCode::InvalidOutput };
    let good = edits.iter().filter(|edit| edit.errors.is_empty());
    // What a person answered is not put to them again.
    let by_others = good.filter(|edit| !edit.is_ours);
    let changed: Vec<String> = by_others.map(|edit| edit.path.clone()).collect();
    let plan = edits.iter().filter(|e| e.errors.is_empty()).find_map(|edit| edit.plan.clone());
    let criteria = edits.iter().filter(|e| e.errors.is_empty()).find_map(|e| e.criteria.clone());
    if draft.standing.blocker.is_some() && !broken.is_empty() {
        return;
    }
    draft.emit(Event::FilesEdited { edits });
    if let Some(criteria) = criteria {
        draft.emit(Event::CriteriaAdopted { criteria });
    }
    if let Some(tasks) = plan {
        plan::adopt(draft, tasks);
    }
    lost::close(draft);
    // Good content is on record from here on and will not be reported again.
    gate::reopen(draft, &changed);
    if !broken.is_empty() {
        ask::broken_files(draft, code, broken.join("; "));
    }
}

pub(super) fn put_back(draft: &mut Draft<'_>, path: &str) {
    if draft.is_over() {
        return;
    }
    let message = format!(
        "{path} was changed by hand, so Tollgate wrote it again from the \
         journal; to change a decision, use `tollgate answer`"
    );
    draft.notice(NoticeCode::ProjectionPutBack, message);
}

pub(super) fn told(draft: &mut Draft<'_>, code: NoticeCode, message: String) {
    if !draft.is_over() {
        draft.notice(code, message);
    }
}

/// Also of a session that is over: whoever looks at what lies on disk must know.
pub(super) fn older_accepted(
    draft: &mut Draft<'_>,
    records: u64,
    known: u64,
    forgotten: Vec<String>,
    branch: Option<String>,
) {
    let kept = match &branch {
        Some(branch) => format!("; the branch that was ahead of it is kept as {branch}"),
        None => String::new(),
    };
    let message = if records < known {
        format!(
            "an older journal was accepted: it has {records} of the {known} records that were written{kept}"
        )
    } else {
        format!(
            "another journal was accepted: it has {}{kept}",
            crate::count::counted(records, "record")
        )
    };
    draft.emit(Event::OlderJournalAccepted { records, known, forgotten, branch });
    draft.notice(NoticeCode::JournalOlderAccepted, message);
}

pub(super) fn host_failed(draft: &mut Draft<'_>, fault: HostFault) {
    if draft.is_over() || draft.standing.blocker.is_some() {
        return;
    }
    draft.emit(Event::Blocked { blocker: fault.blocker(), fault: Some(fault) });
}
