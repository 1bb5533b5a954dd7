//! Looks at the session files before work continues: are they still what was accepted?

use crate::activity::collect::{Document, read_document};
use crate::activity::{criteria, plan};
use crate::projection::is_same_but_status;
use std::collections::BTreeMap;
use tollgate_contract::plan::{is_item, is_part};
use tollgate_core::input::Edit;
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_core::reply::ReplyError;
use tollgate_core::role::Mode;
use tollgate_core::session::{ArtefactRecord, Session};
use tollgate_core::task::{ItemTerms, TaskSpec};
use tollgate_core::work::Artefact;
use tollgate_files::layout::SessionLayout;
use tollgate_files::{self as files, FileError, FileStamp};

/// Remembers what was read, so that a file that did not change is not read again.
#[derive(Debug, Default)]
pub struct SessionFileInspector {
    good: BTreeMap<String, FileStamp>,
}

impl SessionFileInspector {
    /// Every session file that differs from its record.
    pub fn edits(
        &mut self,
        layout: &SessionLayout,
        session: &Session,
    ) -> Result<Vec<Edit>, FileError> {
        let mut edits = Vec::new();
        for (path, record) in &session.files.artefacts {
            let stamp = files::stamp(&layout.artefact(path));
            if stamp.is_some() && self.good.get(path) == stamp.as_ref() {
                continue;
            }
            let Some(bytes) = read(layout, path)? else {
                edits.push(gone(session, path));
                continue;
            };
            let sha256 = files::hash_bytes(&bytes);
            let place = session.session_path(path);
            let is_same = is_as_recorded(session, path, record, &bytes);
            if is_rewritten(session, path, &bytes) {
                let now = Artefact { path: path.clone(), sha256 };
                edits.push(Edit { is_ours: true, ..unread(path, now) });
                continue;
            }
            if is_same {
                self.good.extend(stamp.map(|stamp| (path.clone(), stamp)));
                continue;
            }
            let now = Artefact { path: path.clone(), sha256 };
            edits.push(match is_part(path) {
                true => edit_of_plan(layout, session, now, &bytes)?,
                false => edit(session, &place, now, &bytes),
            });
            if let Some(edit) = edits.last_mut().filter(|edit| edit.errors.is_empty()) {
                let written = |name: &str| (name == path).then_some(&*bytes);
                let name = &session.opening.session;
                edit.errors = criteria::one_sided(layout, name, written)?;
            }
        }
        edits.extend(new_items(layout, session, &edits)?);
        Ok(edits)
    }
}

/// What became of a file after the journal recorded it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    AsRecorded,
    /// Statuses of tasks, or checks that a person replaced.
    WrittenByUs,
    Changed,
    Missing,
}

/// None where the journal has no hash of it.
pub fn since(layout: &SessionLayout, session: &Session, path: &str) -> Option<Since> {
    let record = session.files.artefacts.get(path)?;
    Some(match read(layout, path) {
        Ok(None) => Since::Missing,
        Ok(Some(bytes)) if files::hash_bytes(&bytes) == record.sha256 => Since::AsRecorded,
        Ok(Some(bytes))
            if is_as_recorded(session, path, record, &bytes)
                || is_rewritten(session, path, &bytes) =>
        {
            Since::WrittenByUs
        }
        // Such as a link or a folder in its place.
        Ok(Some(_)) | Err(_) => Since::Changed,
    })
}

fn is_as_recorded(session: &Session, path: &str, record: &ArtefactRecord, bytes: &[u8]) -> bool {
    match path {
        // Our statuses stand in it, so only what it plans counts, and nothing once that plan is given up.
        "tasks.yaml" => session.plan.tasks.is_empty() || is_same_plan(session, bytes),
        _ if files::hash_bytes(bytes) == record.sha256 => true,
        path => is_item(path) && is_same_but_status(bytes, &record.sha256),
    }
}

fn is_rewritten(session: &Session, path: &str, bytes: &[u8]) -> bool {
    session.files.rewritten.contains_key(path) && is_as_planned(session, path, bytes)
}

fn read(layout: &SessionLayout, path: &str) -> Result<Option<Vec<u8>>, FileError> {
    match files::read_beneath(layout.folder(), path, ARTEFACT_BYTES_MAX) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

fn gone(session: &Session, path: &str) -> Edit {
    let place = session.session_path(path);
    let error = ReplyError::new("file.missing", place, "the file was accepted earlier and is gone");
    Edit {
        path: path.to_owned(),
        now: None,
        errors: vec![error],
        plan: None,
        criteria: None,
        is_ours: false,
    }
}

/// Whether a file of the plan says what is on record, with the checks that a person replaced.
fn is_as_planned(session: &Session, path: &str, bytes: &[u8]) -> bool {
    match path {
        "tasks.yaml" => is_same_plan(session, bytes),
        path => match read_document(path, path, bytes, session.route.mode) {
            Ok(Document::Criteria(found)) => found == session.plan.criteria,
            _ => false,
        },
    }
}

/// What it plans, without what its work items add: each of them has a record of its own.
fn is_same_plan(session: &Session, bytes: &[u8]) -> bool {
    let bare = |task: &TaskSpec| TaskSpec {
        in_scope: Vec::new(),
        out_of_scope: Vec::new(),
        overlaps: Vec::new(),
        item: ItemTerms::default(),
        ..task.clone()
    };
    let plan: Vec<TaskSpec> = session.plan.tasks.iter().map(|task| bare(&task.spec)).collect();
    match read_document("tasks.yaml", "tasks.yaml", bytes, session.route.mode) {
        Ok(Document::Plan(found)) => found == plan,
        _ => false,
    }
}

fn edit(session: &Session, place: &str, now: Artefact, bytes: &[u8]) -> Edit {
    let path = now.path.clone();
    let mut edit = unread(&path, now);
    match read_document(&path, place, bytes, session.route.mode) {
        Ok(Document::Criteria(criteria)) => edit.criteria = Some(criteria),
        Ok(Document::Plan(_) | Document::Text) => {}
        Err(errors) => edit.errors = errors,
    }
    edit
}

/// tasks.yaml or a work item: the whole plan is read again, with the scope it has now.
fn edit_of_plan(
    layout: &SessionLayout,
    session: &Session,
    now: Artefact,
    bytes: &[u8],
) -> Result<Edit, FileError> {
    let path = now.path.clone();
    let mut edit = unread(&path, now);
    let name = &session.opening.session;
    if is_item(&path)
        && let Err(errors) = plan::item(&path, name, bytes)
    {
        edit.errors = errors;
        return Ok(edit);
    }
    // A plan that was given up stays so, whatever is written to its items.
    if is_item(&path) && session.plan.tasks.is_empty() {
        return Ok(edit);
    }
    match plan::read(layout.folder(), name, &[])? {
        Ok(Some(tasks)) if session.route.mode == Mode::Lean && tasks.len() != 1 => {
            edit.errors.push(plan::not_lean(name, tasks.len()));
        }
        Ok(tasks) => edit.plan = tasks,
        Err(errors) => edit.errors = errors,
    }
    Ok(edit)
}

/// Work items that an edited plan names for the first time get their record with it.
fn new_items(
    layout: &SessionLayout,
    session: &Session,
    edits: &[Edit],
) -> Result<Vec<Edit>, FileError> {
    let planned =
        edits.iter().filter(|edit| edit.errors.is_empty()).filter_map(|e| e.plan.as_ref());
    let named = planned.flatten().filter_map(|task| task.work_item.clone());
    let mut paths: Vec<String> =
        named.map(|path| path.trim_start_matches("./").to_owned()).collect();
    paths.sort();
    paths.dedup();
    paths.retain(|path| !session.files.artefacts.contains_key(path));
    let mut found = Vec::new();
    for path in paths {
        if let Some(bytes) = read(layout, &path)? {
            let sha256 = files::hash_bytes(&bytes);
            found.push(unread(&path, Artefact { path: path.clone(), sha256 }));
        }
    }
    Ok(found)
}

fn unread(path: &str, now: Artefact) -> Edit {
    Edit {
        path: path.to_owned(),
        now: Some(now),
        errors: Vec::new(),
        plan: None,
        criteria: None,
        is_ours: false,
    }
}
