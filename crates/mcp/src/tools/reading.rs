//! Tools that only read.

use super::Outcome;
use crate::arguments::{self, Diff, Explain, Findings, ListSessions, Log, Object, OfSession};
use crate::fit;
use crate::refused::Refused;
use crate::room::Room;
use serde_json::{Value, json};
use tollgate_core::event::FindingStatus;
use tollgate_core::id::DispatchNumber;
use tollgate_core::view::FindingView;
use tollgate_desk::{LogLine, Row};

const SESSIONS_DEFAULT: u16 = 50;
const LINES_DEFAULT: u16 = 100;
const LINES_MAX: u16 = 500;
const PATCH_BYTES_MAX: usize = 40_000;

pub fn list(room: &Room, given: Object) -> Outcome {
    let given: ListSessions = arguments::read(given)?;
    let rows = room.desk.rows();
    let most = usize::from(given.limit.unwrap_or(SESSIONS_DEFAULT));
    let repositories: Vec<Value> = room
        .desk
        .repositories()
        .iter()
        .map(|repo| json!({"repository": repo.id, "name": repo.name}))
        .collect();
    let sessions: Vec<Value> = rows.iter().take(most).map(row).collect();
    Ok(json!({"sessions": sessions, "of": rows.len(), "repositories": repositories}))
}

fn row(row: &Row) -> Value {
    let summary = &row.listed.summary;
    json!({
        "session": summary.session.as_str(),
        "repository": row.repo.id,
        "goal": summary.goal,
        "action": summary.action,
        "state": summary.state,
        "standing": summary.standing,
        "open_questions": summary.waiting,
        "waits_for_a_person": row.waits(),
        "is_running": row.listed.is_running,
        "updated_at": summary.updated_at,
    })
}

pub fn status(room: &Room, given: Object) -> Outcome {
    let given: OfSession = arguments::read(given)?;
    let (opened, view) = room.seen(given.repository.as_deref(), &given.session)?;
    Ok(json!({"status": view, "is_running": opened.is_running()}))
}

pub fn findings(room: &Room, given: Object) -> Outcome {
    let given: Findings = arguments::read(given)?;
    let (_, view) = room.seen(given.repository.as_deref(), &given.session)?;
    let is_shown =
        |finding: &&FindingView| given.include_fixed || finding.status != FindingStatus::Fixed;
    let shown: Vec<&FindingView> = view.results.findings.iter().filter(is_shown).collect();
    let fixed = view.results.findings.len() - shown.len();
    Ok(json!({"session": view.session.as_str(), "findings": shown, "fixed_and_not_shown": fixed}))
}

pub fn diff(room: &Room, given: Object) -> Outcome {
    let given: Diff = arguments::read(given)?;
    let (opened, view) = room.seen(given.repository.as_deref(), &given.session)?;
    let files = opened.changed_files(&view)?;
    let patch = match (given.dispatch, &given.path) {
        (Some(_), Some(_)) => {
            return Err(Refused::new("", "give `dispatch` or `path`, not both"));
        }
        (Some(number), None) => {
            let patch = opened.patch_of(DispatchNumber(number))?;
            patch.ok_or_else(|| {
                let message = format!("dispatch {number} has no accepted change");
                Refused::new("cli.dispatch", message).hint("session_status lists the dispatches")
            })?
        }
        (None, Some(path)) if !files.iter().any(|file| file.path == *path) => {
            let message = format!("{path:?} is none of the changed files");
            return Err(Refused::new("", message).hint("without `path` they are listed"));
        }
        (None, path) => opened.patch(&view, path.as_slice())?,
    };
    let is_too_long = patch.is_empty() && !files.is_empty();
    let (part, next_offset) = fit::page(&patch, given.offset, PATCH_BYTES_MAX);
    Ok(json!({
        "session": view.session.as_str(),
        "branch": view.branch.name,
        "files": files,
        "patch": part,
        "next_offset": next_offset,
        "patch_bytes": patch.len(),
        "patch_is_too_long_to_show": is_too_long,
    }))
}

pub fn log(room: &Room, given: Object) -> Outcome {
    let given: Log = arguments::read(given)?;
    let mut opened = room.open(given.repository.as_deref(), &given.session)?;
    opened.look()?;
    let all = opened.lines();
    let most = usize::from(given.limit.unwrap_or(LINES_DEFAULT).min(LINES_MAX));
    let shown = match given.since {
        Some(since) => {
            let first = all.partition_point(|line| line.seq <= since);
            &all[first..(first + most).min(all.len())]
        }
        None => &all[all.len().saturating_sub(most)..],
    };
    let last = shown.last().map(|line| line.seq).or(given.since);
    Ok(json!({
        "session": opened.name.as_str(),
        "lines": shown.iter().map(line).collect::<Vec<Value>>(),
        "last_seq": last,
        "more": all.last().map(|line| line.seq) > last,
    }))
}

fn line(line: &LogLine) -> Value {
    json!({"seq": line.seq, "at": line.at, "mark": line.mark, "text": line.text})
}

pub fn explain(room: &Room, given: Object) -> Outcome {
    let given: Explain = arguments::read(given)?;
    match (room.explain)(&given.code) {
        Ok(text) => Ok(json!({"code": given.code, "text": text})),
        Err(why) => Err(Refused::new("cli.code", why)),
    }
}
