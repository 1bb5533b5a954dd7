//! What changed, in words for a person who has to decide.

use crate::output::{self, DIM};
use crate::pager;
use std::path::Path;
use tollgate_core::count::counted;
use tollgate_core::view::{QuestionView, Since, View};
use tollgate_host::changes;

/// So much of a change is shown in the question itself.
const FIRST_LINES: usize = 30;

/// Why there is nothing to show.
pub fn why_none(question: &QuestionView) -> &'static str {
    let since = question.code.as_ref().map(|code| code.since);
    match (question.dispatch, since) {
        (Some(_), _) => {
            "nothing of this work is accepted yet, and nothing of it is kept aside; if anything was made, it lies in the \
             workspace"
        }
        (None, Some(Since::LastRound)) => {
            "nothing was accepted since you were last asked; `tollgate diff` shows the work so far"
        }
        (None, _) => "nothing has changed yet that could be compared; `v` shows the files",
    }
}

/// The files of the question that are not as they were shown in the round before.
pub fn names_since_last_round(question: &QuestionView) -> Vec<&str> {
    let changed = question.shown.iter().filter(|file| file.has_changed());
    changed.map(|file| file.path.as_str()).collect()
}

/// Shows the beginning of what changed in these files; says whether there is more.
pub fn show_first_lines(root: &Path, view: &View, question: &QuestionView) -> bool {
    if names_since_last_round(question).is_empty() {
        return false;
    }
    let changes = changes::in_shown(root, view, question);
    let lines: Vec<_> = changes.iter().flat_map(|change| pager::patch(&change.patch)).collect();
    for (style, line) in lines.iter().take(FIRST_LINES) {
        output::quoted(*style, line);
    }
    let more = lines.len().saturating_sub(FIRST_LINES);
    if more > 0 {
        output::styled(DIM, &format!("  … {}", counted(more, "more line")));
    }
    more > 0
}
