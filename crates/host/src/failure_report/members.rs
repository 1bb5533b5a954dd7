//! Those who work beside a failed one: who is done, who failed and why, and who runs again.

use super::Member;
use tollgate_core::event::Purpose;
use tollgate_core::id::DispatchNumber;
use tollgate_core::session::{Dispatch, Session, Waiting};
use tollgate_core::view::Parts;
use tollgate_core::words;

/// Everybody of the same parallel step or wave of tasks, the failed one included; nobody where it worked alone.
pub(super) fn of(session: &Session, number: DispatchNumber) -> Vec<Member> {
    let Some(failed) = session.dispatches.get(&number).filter(|failed| failed.is_member()) else {
        return Vec::new();
    };
    let beside = |other: &Dispatch| match (&failed.purpose, &other.purpose) {
        (Purpose::Step { index, .. }, Purpose::Step { index: of, member }) => {
            index == of && member.is_some()
        }
        // Of a wave of tasks, those that are not taken in yet.
        (_, Purpose::Step { .. }) => false,
        _ => other.lane.is_some() && other.verdict().is_none(),
    };
    let all = session.dispatches.iter().filter(|(_, other)| beside(other));
    let members: Vec<Member> = all.map(|(of, other)| member(session, *of, other)).collect();
    if members.len() > 1 { members } else { Vec::new() }
}

fn member(session: &Session, number: DispatchNumber, dispatch: &Dispatch) -> Member {
    let called = Parts::of(session).called(number).unwrap_or_default();
    let (how, next) = stands(dispatch);
    Member {
        dispatch: number,
        called: called.to_owned(),
        task: dispatch.task.clone(),
        how,
        next: next.to_owned(),
    }
}

/// How it went so far, and what happens to it next.
fn stands(dispatch: &Dispatch) -> (String, &'static str) {
    let failure = dispatch.last_failure().map(words::ended);
    if dispatch.is_ready() || dispatch.verdict().is_some() {
        return ("succeeded".to_owned(), "is kept and not run again");
    }
    if dispatch.running().is_some() {
        return ("is at work".to_owned(), "continues");
    }
    let how = failure.map_or("waits".to_owned(), |why| format!("failed: {why}"));
    let next = match dispatch.waiting() {
        Some(Waiting::Until(_)) => "is run again by itself",
        Some(Waiting::Parked(_)) => "is run again when its usage limit resets",
        Some(Waiting::ForResume) => "is run again when the session is resumed",
        Some(Waiting::ForHeadroom) => "is run again when there is room in the limits",
        Some(Waiting::ForPerson) | None => "waits for your answer",
    };
    (how, next)
}
