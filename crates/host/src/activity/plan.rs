//! The plan of a session: made from a planner's result, or read from the files somebody wrote, with its work items.

use super::documents::Documents;
use super::session_files::{Differences, Written};
use std::collections::BTreeMap;
use std::path::Path;
use tollgate_contract::agent_output::PlannerResult;
use tollgate_contract::diagnostic::Report;
use tollgate_contract::plan::{self, Existing, TASKS, is_item, is_part};
use tollgate_contract::tasks;
use tollgate_contract::work_item::{self, ItemKind};
use tollgate_core::id::SessionName;
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_core::reply::ReplyError;
use tollgate_core::task::{TaskSpec, TaskStatus};
use tollgate_core::work::Refinement;
use tollgate_files::layout::session_path;
use tollgate_files::{self as files, FileError};

const ITEMS: &str = "work-items";

/// What the engine made of a planner's result.
#[derive(Debug, Default)]
pub struct Made {
    /// Files that are new or other than on record.
    pub files: Vec<Written>,
    pub refinements: Vec<Refinement>,
    /// What the agent wrote in their place; nothing was accepted.
    pub dropped: Vec<String>,
}

/// Makes the files of a result on top of those on record, and sets aside what the agent wrote itself.
pub fn make(
    record: &Path,
    session: &SessionName,
    result: &PlannerResult,
    found: &mut Differences,
) -> Result<Result<Made, Vec<ReplyError>>, FileError> {
    let texts = texts(record)?;
    let applied = match plan::apply(result, &existing(&texts)) {
        Ok(applied) => applied,
        Err(report) => return Ok(Err(errors(&report, session))),
    };
    let own: Vec<Written>;
    (own, found.written) = std::mem::take(&mut found.written)
        .into_iter()
        .partition(|file| is_part(&file.path) || file.path.starts_with("work-items/"));
    found.deleted.retain(|path| !is_part(path));
    let now = applied.items.into_iter().chain(applied.tasks_yaml.map(|t| (TASKS.to_owned(), t)));
    let new = now.filter(|(path, text)| texts.get(path) != Some(text));
    let files = new.map(|(path, text)| {
        let bytes = text.into_bytes();
        Written { path, sha256: files::hash_bytes(&bytes), bytes }
    });
    let dropped = own.iter().map(|file| format!("{}/{}", session_path(session), file.path));
    Ok(Ok(Made {
        files: files.collect(),
        refinements: applied.refinements,
        dropped: dropped.collect(),
    }))
}

fn existing(texts: &BTreeMap<String, String>) -> Existing {
    let tasks_yaml = texts.get(TASKS).cloned();
    let written = tasks_yaml.as_deref().and_then(tasks::statuses_as_written).unwrap_or_default();
    let status = |(id, text): (_, String)| Some((id, TaskStatus::parse(&text)?));
    let item = |(path, text): (&String, &String)| {
        let id = path.strip_prefix("work-items/")?.strip_suffix(".md")?;
        Some((id.to_owned(), text.clone()))
    };
    Existing {
        items: texts.iter().filter_map(item).collect(),
        statuses: written.into_iter().filter_map(status).collect(),
        tasks_yaml,
    }
}

/// The plan as it is with what an attempt wrote: tasks with the scope of their work items. None where there is no plan.
pub fn read(
    record: &Path,
    session: &SessionName,
    written: &[Written],
) -> Result<Result<Option<Vec<TaskSpec>>, Vec<ReplyError>>, FileError> {
    let mut texts = texts(record)?;
    for file in written.iter().filter(|file| is_part(&file.path)) {
        match String::from_utf8(file.bytes.clone()) {
            Ok(text) => texts.insert(file.path.clone(), text),
            Err(_) => return Ok(Err(vec![not_text(session, &file.path)])),
        };
    }
    let Some(text) = texts.get(TASKS) else {
        return Ok(Ok(None));
    };
    let filled = match tasks::read(text, TASKS) {
        (Some(read), _) => plan::with_items(read.tasks, &texts).map(Some),
        (None, report) => Err(report),
    };
    Ok(filled.map_err(|report| errors(&report, session)))
}

/// A work item that an attempt wrote: what is wrong with it, or the question it asks.
pub fn item(
    path: &str,
    session: &SessionName,
    bytes: &[u8],
) -> Result<Option<Refinement>, Vec<ReplyError>> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(vec![not_text(session, path)]);
    };
    let (item, report) = work_item::read(text, path);
    let item = item.ok_or_else(|| errors(&report, session))?;
    let name = path.trim_start_matches("work-items/").trim_end_matches(".md");
    let is_question = matches!(item.kind, ItemKind::Refinement(_)) && !item.is_closed();
    Ok(is_question.then(|| plan::question(name, &item)).flatten())
}

/// What a plan demands of a work item beyond its form: its labels, and that what it refers to is there.
pub fn demanded_of_item(
    (path, bytes): (&str, &[u8]),
    session: &SessionName,
    is_new: bool,
    documents: &Documents<'_>,
) -> Vec<ReplyError> {
    let text = String::from_utf8_lossy(bytes);
    let (Some(item), _) = work_item::read(&text, path) else { return Vec::new() };
    let document = |path: &str| documents.text(path);
    errors(&work_item::demanded(&item, &text, path, is_new, &document), session)
}

/// The same for the items of a planner's result, which has shown its labels already.
pub fn demanded_of_result(
    result: &PlannerResult,
    session: &SessionName,
    documents: &Documents<'_>,
) -> Vec<ReplyError> {
    errors(&plan::unfound(result, &|path| documents.text(path)), session)
}

/// tasks.yaml and the work items on record, by their paths.
fn texts(record: &Path) -> Result<BTreeMap<String, String>, FileError> {
    let mut texts = BTreeMap::new();
    let folder = record.join(ITEMS);
    let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    let mut paths = vec![TASKS.to_owned()];
    if is_folder {
        let listed = std::fs::read_dir(&folder).map_err(FileError::io("list", &folder))?;
        let names = listed.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        paths.extend(names.map(|name| format!("{ITEMS}/{name}")).filter(|path| is_item(path)));
    }
    for path in paths {
        match files::read_beneath(record, &path, ARTEFACT_BYTES_MAX) {
            Ok(bytes) => {
                // What is no text is read as far as it goes, and then found wrong.
                texts.insert(path, String::from_utf8_lossy(&bytes).into_owned());
            }
            // A work item that cannot be read is one that is missing.
            Err(error) if error.is_not_found() || path != TASKS => {}
            Err(error) => return Err(error),
        }
    }
    Ok(texts)
}

/// A lean session does one task.
pub fn not_lean(session: &SessionName, count: usize) -> ReplyError {
    let message = format!("a lean plan has exactly one task; this one has {count}");
    ReplyError::new("tasks.not_lean", format!("{}/{TASKS}", session_path(session)), message)
}

fn not_text(session: &SessionName, path: &str) -> ReplyError {
    let place = format!("{}/{path}", session_path(session));
    ReplyError::new("file.not_utf8", place, "the file is not UTF-8 text")
}

/// Places in files are told from the repository's root; places in the reply stay pointers.
fn errors(report: &Report, session: &SessionName) -> Vec<ReplyError> {
    let place = |mut error: ReplyError| {
        if !error.path.starts_with('/') {
            error.path = format!("{}/{}", session_path(session), error.path);
        }
        error
    };
    report.reply_errors().into_iter().map(place).collect()
}
