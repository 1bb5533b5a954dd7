//! Looks at the session files before work goes on: are they still what was accepted?

use crate::activity::collect::{Document, read_document};
use crate::files::{self, FileError, Stamp};
use crate::layout::SessionLayout;
use std::collections::BTreeMap;
use tollgate_core::input::Edit;
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_core::reply::ReplyError;
use tollgate_core::role::Mode;
use tollgate_core::session::Session;
use tollgate_core::task::TaskSpec;
use tollgate_core::work::Artefact;

/// Remembers what was read, so that a file that did not change is not read again.
#[derive(Debug, Default)]
pub struct Inspector {
    good: BTreeMap<String, Stamp>,
}

impl Inspector {
    /// Every session file that differs from its record.
    pub fn edits(
        &mut self,
        layout: &SessionLayout,
        session: &Session,
    ) -> Result<Vec<Edit>, FileError> {
        let mut edits = Vec::new();
        for (path, record) in &session.artefacts {
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
            let is_same = match path.as_str() {
                // Our statuses stand in it, so only what it plans counts, and nothing once that plan is given up.
                "tasks.yaml" => session.tasks.is_empty() || is_same_plan(session, &bytes),
                _ => sha256 == record.sha256,
            };
            if is_same {
                self.good.extend(stamp.map(|stamp| (path.clone(), stamp)));
                continue;
            }
            let now = Artefact { path: path.clone(), sha256 };
            let is_lean = session.mode == Mode::Lean;
            edits.push(edit(path, &place, now, &bytes, is_lean));
        }
        Ok(edits)
    }
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
    let error = ReplyError::new("file.missing", place, "the file was accepted and is gone");
    Edit { path: path.to_owned(), now: None, errors: vec![error], plan: None, criteria: None }
}

fn is_same_plan(session: &Session, bytes: &[u8]) -> bool {
    let plan: Vec<&TaskSpec> = session.tasks.iter().map(|task| &task.spec).collect();
    match read_document("tasks.yaml", "tasks.yaml", bytes) {
        Ok(Document::Plan(found)) => found.iter().collect::<Vec<_>>() == plan,
        _ => false,
    }
}

fn edit(path: &str, place: &str, now: Artefact, bytes: &[u8], is_lean: bool) -> Edit {
    let mut edit = Edit {
        path: path.to_owned(),
        now: Some(now),
        errors: Vec::new(),
        plan: None,
        criteria: None,
    };
    match read_document(path, place, bytes) {
        Ok(Document::Plan(plan)) if is_lean && plan.len() != 1 => {
            let message = format!("lean mode has exactly one task; the plan has {}", plan.len());
            edit.errors.push(ReplyError::new("tasks.not_lean", place, message));
        }
        Ok(Document::Plan(plan)) => edit.plan = Some(plan),
        Ok(Document::Criteria(criteria)) => edit.criteria = Some(criteria),
        Ok(Document::Text) => {}
        Err(errors) => edit.errors = errors,
    }
    edit
}
