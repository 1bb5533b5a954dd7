//! The formats of a report that are for other programs only.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use tollgate_desk::Opened;
use tollgate_desk::formats::CheckHistory;
use tollgate_desk::formats::provenance::{self, BranchNow, ProvenanceError};
use tollgate_files::layout::state_home;

pub fn junit(opened: &mut Opened) -> Result<String, Failure> {
    let history = CheckHistory::read(opened.layout()).map_err(Failure::reading)?;
    Ok(tollgate_desk::formats::junit::junit(&opened.name, &history))
}

/// Of the commit that the session made, wherever its branch is now.
pub fn provenance(opened: &mut Opened) -> Result<String, Failure> {
    let state = state_home(|name| std::env::var_os(name)).ok();
    let made = provenance::provenance(opened, state.as_deref());
    let made = made.map_err(|error| refused(opened, error))?;
    let name = &opened.name;
    let moved = match made.branch_now {
        None => None,
        Some(BranchNow::At(commit)) => Some(format!("is at {commit} now")),
        Some(BranchNow::Gone) => Some("is gone".to_owned()),
    };
    if let Some(how) = moved {
        let text = format!(
            "the branch tollgate/{name} {how}; the provenance is that of the commit which the session made"
        );
        output::marked(output::WARN, "note:", &text);
    }
    Ok(output::as_json(&made.statement))
}

fn refused(opened: &Opened, error: ProvenanceError) -> Failure {
    let name = &opened.name;
    let words = format!("{name} has no provenance: {error}");
    let failure = Failure::new(Exit::Fails, "cli.provenance", words);
    match error {
        ProvenanceError::Opened(error) => error.into(),
        ProvenanceError::NotDone { .. } => {
            failure.hint(format!("`tollgate status {name}` says what it waits for"))
        }
        ProvenanceError::NothingMade => failure,
        ProvenanceError::Apart => failure
            .hint(format!("in the repository, `tollgate report {name} --provenance` makes it")),
        ProvenanceError::Gone { .. } => {
            failure.hint("fetch the branch from where it was pushed to, and ask again")
        }
    }
}
