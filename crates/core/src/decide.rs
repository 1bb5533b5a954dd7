//! What follows from an input: one match over what can happen, one small file per theme.

mod accept;
mod base;
mod checks;
mod close;
mod command;
mod correction;
mod coverage;
mod draft;
mod earlier;
mod evidence;
mod failure;
mod files;
mod follow;
mod gate;
pub(crate) mod import;
mod looks;
mod lost;
mod moves;
mod next_task;
mod parallel;
mod parts;
mod plan;
mod questions;
mod reply;
mod report;
mod scope;
mod severity;
mod size;
mod step;
mod take;
mod tasks;
mod unproven;
mod wave;
mod weakened;

use crate::input::Input;
use crate::refusal::Refusal;

pub(crate) use draft::Draft;

pub(crate) fn decide(draft: &mut Draft<'_>, input: Input) -> Result<(), Refusal> {
    match input {
        Input::Command(command) => command::decide(draft, command)?,
        Input::Ended { number, attempt, end, usage } => {
            accept::ended(draft, number, attempt, end, usage)
        }
        Input::Noted { number, attempt, given, kept } => {
            accept::noted(draft, number, attempt, given, kept)
        }
        Input::Checked { number, results, stage } => checks::ended(draft, number, results, stage),
        Input::Merged(merged) => parallel::merged(draft, merged),
        Input::BaseMoved { commit } => base::moved(draft, commit),
        Input::BaseMerged { base, outcome } => base::merged(draft, base, outcome),
        Input::StageSeen { stage } => gate::stage_seen(draft, stage),
        Input::Resumed { policy } => step::resumed(draft, policy),
        Input::Edited(edits) => files::edited(draft, edits),
        Input::PutBack { path } => files::put_back(draft, &path),
        Input::Told { code, message } => files::told(draft, code, message),
        Input::OlderJournalAccepted { records, known, forgotten, branch } => {
            files::older_accepted(draft, records, known, forgotten, branch)
        }
        Input::HostFailed(fault) => files::host_failed(draft, fault),
        Input::Tick => failure::start_due(draft),
    }
    Ok(())
}

/// Continues as far as the state allows: the transition table over steps.
pub(crate) fn settle(draft: &mut Draft<'_>) {
    moves::attempt::start_with_headroom(draft);
    while !draft.is_held() && draft.outstanding().is_empty() && draft.next_deadline().is_none() {
        let before = draft.len();
        step::advance(draft);
        if draft.len() == before {
            break;
        }
    }
}
