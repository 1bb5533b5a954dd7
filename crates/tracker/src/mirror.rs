//! Brings a tracker to what a session wants shown: makes, changes and closes items, only where something differs.
//!
//! The session is the truth, so nothing here stops it: what fails is told, and tried again the next time.

use super::{Comment, ItemChange, ItemDraft, ItemState, Tracker, TrackerError, TrackerItem};
use std::collections::BTreeMap;
use tollgate_contract::labels::{self, Category, category_of};
use tollgate_contract::tracked_item::trimmed;
use tollgate_files::redact::Redactor;
use tollgate_files::sanitize::{terminal_line, terminal_text};

/// An item as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedItem {
    pub key: String,
    pub title: String,
    pub body: String,
    /// Labels of other namespaces than ours are a person's own and stay.
    pub labels: Vec<String>,
    pub state: ItemState,
    pub comments: Vec<Comment>,
}

/// What was done for one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    Created,
    Updated,
    Closed,
}

#[derive(Debug, Default)]
pub struct MirrorOutcome {
    /// By key, in the order of what was wanted; what was right is not listed.
    pub done: Vec<(String, Done)>,
    pub failed: Vec<(String, TrackerError)>,
}

/// Remembers what the tracker was brought to, so that each change of a session costs only its own requests.
#[derive(Debug)]
pub struct Mirror<'t> {
    tracker: &'t dyn Tracker,
    redactor: Redactor,
    shown: BTreeMap<String, WantedItem>,
}

impl<'t> Mirror<'t> {
    /// What agents wrote goes out of the house here, so the redactor takes secrets out of it.
    pub fn new(tracker: &'t dyn Tracker, redactor: Redactor) -> Self {
        Self { tracker, redactor, shown: BTreeMap::new() }
    }

    /// Continues after a failure, except where the next item would fail for the same reason.
    pub fn bring(&mut self, wanted: &[WantedItem]) -> MirrorOutcome {
        let mut outcome = MirrorOutcome::default();
        for wanted in wanted {
            let wanted = self.presentable(wanted);
            if self.shown.get(&wanted.key) == Some(&wanted) {
                continue;
            }
            match bring_one(self.tracker, &wanted) {
                Ok(done) => {
                    outcome.done.extend(done.map(|done| (wanted.key.clone(), done)));
                    self.shown.insert(wanted.key.clone(), wanted);
                }
                Err(error) => {
                    let is_for_all = is_for_all(&error);
                    outcome.failed.push((wanted.key, error));
                    if is_for_all {
                        break;
                    }
                }
            }
        }
        outcome
    }

    /// As a tracker keeps it: no secret, no control character, within its limits.
    fn presentable(&self, wanted: &WantedItem) -> WantedItem {
        // Cleaned first: an invisible character in the middle would hide a secret.
        let title = terminal_text(&wanted.title).into_owned();
        let title = terminal_line(&self.redactor.redact(&title), TITLE_CHARS_MAX);
        let body = terminal_text(&wanted.body).into_owned();
        let body = cut(trimmed(&self.redactor.redact(&body)));
        let mut labels: Vec<String> =
            wanted.labels.iter().map(|label| terminal_line(label, LABEL_CHARS_MAX)).collect();
        labels.retain(|label| !label.is_empty());
        labels.sort();
        labels.dedup();
        let title = if title.is_empty() { wanted.key.clone() } else { title };
        let comments = wanted.comments.iter().map(|comment| {
            let text = terminal_text(&comment.text).into_owned();
            Comment { text: cut(trimmed(&self.redactor.redact(&text))), key: comment.key.clone() }
        });
        let comments = comments.collect();
        WantedItem { key: wanted.key.clone(), title, body, labels, state: wanted.state, comments }
    }
}

/// GitHub takes 256, 65,536 and 50 characters; the body gets a marker.
const TITLE_CHARS_MAX: usize = 250;
const BODY_CHARS_MAX: usize = 60_000;
const LABEL_CHARS_MAX: usize = 50;

fn cut(body: &str) -> String {
    match body.char_indices().nth(BODY_CHARS_MAX) {
        Some((at, _)) => format!("{}\n\n(The rest was cut off.)", trimmed(&body[..at])),
        None => body.to_owned(),
    }
}

fn bring_one(tracker: &dyn Tracker, wanted: &WantedItem) -> Result<Option<Done>, TrackerError> {
    let found = tracker.find(&wanted.key)?;
    let is_new = found.is_none();
    let item = match found {
        Some(item) => item,
        // What was given up before anyone saw it needs no item.
        None if wanted.state == ItemState::Dropped => return Ok(None),
        None => {
            let WantedItem { key, title, body, labels, .. } = wanted.clone();
            // Every item begins so and moves from there.
            let labels = with_status(&labels, "status:pending");
            tracker.create(&ItemDraft { key, title, body, labels })?
        }
    };
    let item = move_to(tracker, item, wanted)?;
    let change = difference(&item, wanted);
    if !change.is_empty() {
        tracker.update(&item.id, &change)?;
    }
    for comment in &wanted.comments {
        tracker.comment(&item.id, comment)?;
    }
    Ok(match change.state {
        _ if is_new => Some(Done::Created),
        Some(ItemState::Done | ItemState::Dropped) => Some(Done::Closed),
        _ if change.is_empty() => None,
        _ => Some(Done::Updated),
    })
}

/// Brings the item to the status before the one that is wanted, one move at a time; the last comes with the other changes.
fn move_to(
    tracker: &dyn Tracker,
    item: TrackerItem,
    wanted: &WantedItem,
) -> Result<TrackerItem, TrackerError> {
    let (Some(from), Some(to)) = (status_of(&item.labels), status_of(&wanted.labels)) else {
        return Ok(item);
    };
    let way = labels::way(from, to);
    let between = way.split_last().map(|(_, between)| between).unwrap_or_default();
    let mut item = item;
    for status in between {
        let labels = Some(with_status(&item.labels, status));
        item = tracker.update(&item.id, &ItemChange { labels, ..ItemChange::default() })?;
    }
    Ok(item)
}

fn status_of(labels: &[String]) -> Option<&str> {
    labels.iter().map(String::as_str).find(|label| category_of(label) == Some(Category::Status))
}

fn with_status(labels: &[String], status: &str) -> Vec<String> {
    let has_status = status_of(labels).is_some();
    let others = labels.iter().filter(|label| category_of(label) != Some(Category::Status));
    others.cloned().chain(has_status.then(|| status.to_owned())).collect()
}

fn difference(found: &TrackerItem, wanted: &WantedItem) -> ItemChange {
    let theirs = found.labels.iter().filter(|label| category_of(label).is_none());
    let mut labels: Vec<String> = theirs.chain(&wanted.labels).cloned().collect();
    labels.sort();
    labels.dedup();
    let mut had = found.labels.clone();
    had.sort();
    let is_same_text =
        |a: &str, b: &str| a.lines().map(str::trim_end).eq(b.lines().map(str::trim_end));
    ItemChange {
        title: (found.title.trim() != wanted.title).then(|| wanted.title.clone()),
        body: (!is_same_text(&found.body, &wanted.body)).then(|| wanted.body.clone()),
        labels: (had != labels).then_some(labels),
        state: (found.state != wanted.state).then_some(wanted.state),
    }
}

/// No login, no network, no requests left: nothing will be better for the next item.
pub(super) fn is_for_all(error: &TrackerError) -> bool {
    matches!(
        error,
        TrackerError::NoLogin { .. }
            | TrackerError::LoginRefused { .. }
            | TrackerError::Limited { .. }
            | TrackerError::Unreachable { .. }
            | TrackerError::Moved { .. }
    )
}
