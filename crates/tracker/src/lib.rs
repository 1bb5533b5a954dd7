//! Where work items are kept for people: local files, or issues of GitHub. The session is the truth; a tracker shows it.

mod error;
pub mod files;
pub mod follow;
pub mod github;
mod http;
pub mod labels;
pub mod login;
mod marker;
pub mod mirror;
pub mod place;
pub mod session;

pub use error::TrackerError;
pub use tollgate_contract::tracked_item::ItemState;

use files::FileTracker;
use github::Github;
use login::TrackerLogin;
use place::{Api, Slug};
use std::ffi::OsString;
use tollgate_contract::config::{Config, TrackerKind};
use tollgate_contract::labels::Label;
use tollgate_files::layout::Layout;
use tollgate_git::repository::Repository;

/// A work item as the tracker has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackerItem {
    /// The tracker's own name for it.
    pub id: String,
    pub title: String,
    /// Without line ends around it and without the marker of its key.
    pub body: String,
    pub labels: Vec<String>,
    pub state: ItemState,
}

/// An item to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemDraft {
    /// Stable, such as `<session>/T-001`: what was made for a key is found by it and never made twice.
    pub key: String,
    pub title: String,
    pub body: String,
    pub labels: Vec<String>,
}

/// What should change; the rest stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ItemChange {
    pub title: Option<String>,
    pub body: Option<String>,
    /// All labels that the item has afterwards.
    pub labels: Option<Vec<String>>,
    pub state: Option<ItemState>,
}

impl ItemChange {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Words about an item, below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Stable, such as `<session>/T-001/4-1`.
    pub key: String,
    pub text: String,
}

/// A label as the tracker has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelState {
    pub name: String,
    pub colour: String,
    pub description: String,
}

impl LabelState {
    pub fn is(&self, label: &Label) -> bool {
        self.name == label.name
            && self.colour.eq_ignore_ascii_case(label.colour)
            && self.description == label.description
    }
}

/// What became of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Put {
    Created,
    Updated,
    Unchanged,
}

pub trait Tracker: Send + Sync + std::fmt::Debug {
    fn labels(&self) -> Result<Vec<LabelState>, TrackerError>;

    /// Makes the label what it should be.
    fn put_label(&self, label: &Label) -> Result<Put, TrackerError>;

    /// The item that was made for a key.
    fn find(&self, key: &str) -> Result<Option<TrackerItem>, TrackerError>;

    /// Makes an item, or finds the one that was made for this key before.
    fn create(&self, draft: &ItemDraft) -> Result<TrackerItem, TrackerError>;

    fn update(&self, id: &str, change: &ItemChange) -> Result<TrackerItem, TrackerError>;

    /// Says something about an item, once for each key however often it is asked.
    fn comment(&self, id: &str, comment: &Comment) -> Result<(), TrackerError>;
}

/// The tracker that the settings name. For GitHub a login must be there; nothing is asked of it yet.
/// A session needs none for local files: its own work items are what people read.
pub fn open(
    config: &Config,
    repository: &Repository,
    lookup: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Box<dyn Tracker>, TrackerError> {
    match config.tracker {
        TrackerKind::Files => {
            let folder = Layout::new(repository.root()).sessions_folder().join("tracker");
            Ok(Box::new(FileTracker::at(folder)))
        }
        TrackerKind::Github => {
            let api = Api::from_environment(lookup)?;
            let slug = Slug::of(config.tracker_repository.as_deref(), repository, &api)?;
            let login = TrackerLogin::find(&api, lookup)?;
            Ok(Box::new(Github::new(api, slug, login)?))
        }
    }
}

/// What can be the key of an item: names of letters, digits, `.`, `_` and `-`, with `/` between them.
fn check_key(key: &str) -> Result<(), TrackerError> {
    const KEY_CHARS_MAX: usize = 200;
    let is_name = |name: &str| {
        !name.starts_with('.')
            && !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
    };
    match key.len() <= KEY_CHARS_MAX && key.split('/').all(is_name) {
        true => Ok(()),
        false => Err(TrackerError::BadKey { key: key.to_owned() }),
    }
}
