//! The tracker that needs nobody: one Markdown file a work item, in a folder that people can read and edit.

use super::{
    Comment, ItemChange, ItemDraft, ItemState, LabelState, Put, Tracker, TrackerError, TrackerItem,
    check_key,
};
use std::path::PathBuf;
use tollgate_contract::labels::{LABELS, Label};
use tollgate_contract::tracked_item::{self, TrackedItem};
use tollgate_files::{read_beneath, write_beneath};

/// A work item is read by people; a bigger file is a mistake.
const ITEM_BYTES_MAX: u64 = 1024 * 1024;

/// Items by their keys: `<folder>/<key>.md`.
#[derive(Debug, Clone)]
pub struct FileTracker {
    folder: PathBuf,
}

impl FileTracker {
    /// The folder is made with the first item.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    fn read(&self, id: &str) -> Result<Option<TrackedItem>, TrackerError> {
        let path = format!("{id}.md");
        let Some(text) = self.text(&path)? else { return Ok(None) };
        let (item, report) = tracked_item::read(&text, &path);
        let cause = || {
            let first = report.errors().next();
            first.map_or_else(String::new, |fault| format!("{}: {}", fault.place(), fault.message))
        };
        item.map(Some)
            .ok_or_else(|| TrackerError::BadItem { path: self.shown(&path), cause: cause() })
    }

    fn text(&self, path: &str) -> Result<Option<String>, TrackerError> {
        let bytes = match read_beneath(&self.folder, path, ITEM_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.is_not_found() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let bad = |_| TrackerError::BadItem {
            path: self.shown(path),
            cause: "it is not UTF-8 text".to_owned(),
        };
        String::from_utf8(bytes).map(Some).map_err(bad)
    }

    fn write(&self, id: &str, item: TrackedItem) -> Result<TrackerItem, TrackerError> {
        let made = std::fs::create_dir_all(&self.folder);
        made.map_err(tollgate_files::FileError::io("make", &self.folder))?;
        let text = tracked_item::write(&item);
        write_beneath(&self.folder, &format!("{id}.md"), text.as_bytes())?;
        Ok(as_item(id, item))
    }

    fn shown(&self, path: &str) -> String {
        self.folder.join(path).display().to_string()
    }
}

impl Tracker for FileTracker {
    /// The sixteen are built in: a file says which of them an item has, and nothing has to be set up.
    fn labels(&self) -> Result<Vec<LabelState>, TrackerError> {
        let state = |label: &Label| LabelState {
            name: label.name.to_owned(),
            colour: label.colour.to_owned(),
            description: label.description.to_owned(),
        };
        Ok(LABELS.iter().map(state).collect())
    }

    fn put_label(&self, _: &Label) -> Result<Put, TrackerError> {
        Ok(Put::Unchanged)
    }

    fn find(&self, key: &str) -> Result<Option<TrackerItem>, TrackerError> {
        check_key(key)?;
        Ok(self.read(key)?.map(|item| as_item(key, item)))
    }

    fn create(&self, draft: &ItemDraft) -> Result<TrackerItem, TrackerError> {
        if let Some(found) = self.find(&draft.key)? {
            return Ok(found);
        }
        let ItemDraft { key, title, body, labels } = draft;
        let body = tracked_item::trimmed(body).to_owned();
        let (title, labels) = (title.clone(), labels.clone());
        self.write(key, TrackedItem { title, labels, state: ItemState::Open, body })
    }

    fn update(&self, id: &str, change: &ItemChange) -> Result<TrackerItem, TrackerError> {
        check_key(id)?;
        let found = self.read(id)?.ok_or_else(|| TrackerError::NoItem { id: id.to_owned() })?;
        if change.is_empty() {
            return Ok(as_item(id, found));
        }
        let body = change.body.as_deref().map(|body| tracked_item::trimmed(body).to_owned());
        let item = TrackedItem {
            title: change.title.clone().unwrap_or(found.title),
            body: body.unwrap_or(found.body),
            labels: change.labels.clone().unwrap_or(found.labels),
            state: change.state.unwrap_or(found.state),
        };
        self.write(id, item)
    }

    /// Below one another in a file beside the item.
    fn comment(&self, id: &str, comment: &Comment) -> Result<(), TrackerError> {
        check_key(id)?;
        check_key(&comment.key)?;
        self.read(id)?.ok_or_else(|| TrackerError::NoItem { id: id.to_owned() })?;
        let path = format!("{id}.comments.txt");
        let said = self.text(&path)?.unwrap_or_default();
        let mark = mark(&comment.key);
        if said.lines().any(|line| line == mark) {
            return Ok(());
        }
        let text = format!("{said}{mark}\n{}\n\n", tracked_item::trimmed(&comment.text));
        Ok(write_beneath(&self.folder, &path, text.as_bytes())?)
    }
}

/// What stands before each comment; people do not see it.
fn mark(key: &str) -> String {
    format!("<!-- tollgate: {key} -->")
}

fn as_item(id: &str, item: TrackedItem) -> TrackerItem {
    let TrackedItem { title, labels, state, body } = item;
    TrackerItem { id: id.to_owned(), title, body, labels, state }
}
