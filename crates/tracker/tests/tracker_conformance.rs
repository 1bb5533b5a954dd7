//! What holds for every tracker, asked of each of them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::tracker_support;

use tollgate_contract::labels::LABELS;
use tollgate_files::redact::Redactor;
use tollgate_tracker::files::FileTracker;
use tollgate_tracker::mirror::{Done, Mirror, WantedItem};
use tollgate_tracker::{
    ItemChange, ItemDraft, ItemState, Put, Tracker, TrackerError, TrackerItem, labels,
};
use tracker_support::StandIn;

/// A tracker with the people around it.
trait World {
    fn start() -> Self;
    /// As a new process would open it.
    fn open(&self) -> Box<dyn Tracker>;
    fn end(self)
    where
        Self: Sized,
    {
    }
}

struct LocalFiles {
    folder: tempfile::TempDir,
}

impl World for LocalFiles {
    fn start() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn open(&self) -> Box<dyn Tracker> {
        Box::new(FileTracker::at(self.folder.path().join("items")))
    }
}

impl World for StandIn {
    fn start() -> Self {
        StandIn::start()
    }

    fn open(&self) -> Box<dyn Tracker> {
        Box::new(self.tracker())
    }

    fn end(self) {
        self.assert_well_asked();
    }
}

macro_rules! conformance {
    ($($rule:ident)+) => {
        mod files { $(#[test] fn $rule() { super::$rule::<super::LocalFiles>(); })+ }
        mod github { $(#[test] fn $rule() { super::$rule::<super::StandIn>(); })+ }
    };
}

conformance! {
    labels_are_what_the_table_says
    an_item_is_made_once_for_its_key
    a_change_touches_only_what_it_names
    an_item_is_closed_and_opened_again
    odd_text_comes_back_as_it_was
    what_is_not_there_is_said
    no_key_leads_out_of_its_place
    a_mirror_does_what_differs_and_then_rests
    a_mirror_brings_what_was_edited_back
}

fn draft(key: &str) -> ItemDraft {
    ItemDraft {
        key: key.to_owned(),
        title: format!("Do {key}"),
        body: "## Objective\n\nLimit tries.".to_owned(),
        labels: vec!["task:implement".to_owned(), "status:pending".to_owned()],
    }
}

fn labels_are_what_the_table_says<W: World>() {
    let world = W::start();
    labels::sync(&*world.open()).unwrap();
    let tracker = world.open();
    let found = tracker.labels().unwrap();
    for label in &LABELS {
        assert!(found.iter().any(|state| state.is(label)), "{}", label.name);
        assert_eq!(tracker.put_label(label).unwrap(), Put::Unchanged);
    }
    let again = labels::sync(&*tracker).unwrap();
    assert!(again.len() == 16 && again.iter().all(|(_, put)| *put == Put::Unchanged));
    world.end();
}

fn an_item_is_made_once_for_its_key<W: World>() {
    let world = W::start();
    let tracker = world.open();
    assert_eq!(tracker.find("s/T-001").unwrap(), None);
    let made: Vec<TrackerItem> =
        (1..=7).map(|n| tracker.create(&draft(&format!("s/T-00{n}"))).unwrap()).collect();
    let mut ids: Vec<&str> = made.iter().map(|item| item.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 7);
    for (n, item) in made.iter().enumerate() {
        let key = format!("s/T-00{}", n + 1);
        assert_eq!(item.title, format!("Do {key}"));
        assert_eq!(item.body, "## Objective\n\nLimit tries.");
        assert_eq!(item.labels, ["task:implement", "status:pending"]);
        assert_eq!(item.state, ItemState::Open);
        // The same process and another one find it, and make no second one.
        for tracker in [&tracker, &world.open()] {
            assert_eq!(tracker.find(&key).unwrap().as_ref(), Some(item));
            let other = ItemDraft { title: "Another title".to_owned(), ..draft(&key) };
            assert_eq!(&tracker.create(&other).unwrap(), item);
        }
    }
    assert_eq!(tracker.find("s/T-00").unwrap(), None);
    assert_eq!(tracker.find("other/T-001").unwrap(), None);
    world.end();
}

fn a_change_touches_only_what_it_names<W: World>() {
    let world = W::start();
    let tracker = world.open();
    let item = tracker.create(&draft("s/T-001")).unwrap();
    assert_eq!(tracker.update(&item.id, &ItemChange::default()).unwrap(), item);
    let labels = vec!["area:login".to_owned(), "status:ready".to_owned()];
    let change = ItemChange { labels: Some(labels.clone()), ..ItemChange::default() };
    assert_eq!(
        tracker.update(&item.id, &change).unwrap(),
        TrackerItem { labels: labels.clone(), ..item.clone() }
    );
    let change = ItemChange { title: Some("New".to_owned()), ..ItemChange::default() };
    tracker.update(&item.id, &change).unwrap();
    let change = ItemChange { body: Some("Other\n\ntext".to_owned()), ..ItemChange::default() };
    tracker.update(&item.id, &change).unwrap();
    let found = world.open().find("s/T-001").unwrap().unwrap();
    let (title, body) = ("New".to_owned(), "Other\n\ntext".to_owned());
    assert_eq!(found, TrackerItem { title, body, labels, ..item });
    world.end();
}

fn an_item_is_closed_and_opened_again<W: World>() {
    let world = W::start();
    let tracker = world.open();
    let item = tracker.create(&draft("s/T-001")).unwrap();
    for state in [ItemState::Done, ItemState::Dropped, ItemState::Open, ItemState::Done] {
        let change = ItemChange { state: Some(state), ..ItemChange::default() };
        assert_eq!(tracker.update(&item.id, &change).unwrap().state, state);
        assert_eq!(
            world.open().find("s/T-001").unwrap().unwrap(),
            TrackerItem { state, ..item.clone() }
        );
    }
    world.end();
}

fn odd_text_comes_back_as_it_was<W: World>() {
    let world = W::start();
    let tracker = world.open();
    let title = "\"Grüße\": [x] #1 --- {y} 世界 \\ 'z'";
    let body = "---\ntitle: no\n---\n\n  indented\n\n<!-- a note -->\n```\n\\u0041 $HOME `x`\n```\n## Comment by me";
    let mut draft = draft("s/T-001");
    (draft.title, draft.body) = (title.to_owned(), format!("\n\n{body}\n\n"));
    draft.labels.push("Größe: a, b".to_owned());
    tracker.create(&draft).unwrap();
    let found = world.open().find("s/T-001").unwrap().unwrap();
    assert_eq!((found.title.as_str(), found.body.as_str()), (title, body));
    assert_eq!(found.labels, draft.labels);
    world.end();
}

fn what_is_not_there_is_said<W: World>() {
    let world = W::start();
    let tracker = world.open();
    let change = ItemChange { title: Some("x".to_owned()), ..ItemChange::default() };
    for id in ["77", "no-such"] {
        let is_said = |error| matches!(error, TrackerError::NoItem { id: said } if said == id);
        assert!(is_said(tracker.update(id, &change).unwrap_err()), "{id}");
    }
    world.end();
}

fn no_key_leads_out_of_its_place<W: World>() {
    let world = W::start();
    let tracker = world.open();
    for key in ["", "/etc/x", "../x", "a/../x", "a//b", "a/", ".git/x", "a b", "a\nb", "a-->", "ä"]
    {
        let refused = |error| matches!(error, TrackerError::BadKey { .. });
        assert!(refused(tracker.find(key).unwrap_err()), "{key:?}");
        assert!(refused(tracker.create(&draft(key)).unwrap_err()), "{key:?}");
    }
    world.end();
}

fn wanted(key: &str, status: &str, state: ItemState) -> WantedItem {
    let ItemDraft { key, title, body, .. } = draft(key);
    let labels = ["task:implement", status, "priority:high", "complexity:low"];
    WantedItem {
        key,
        title,
        body,
        labels: labels.map(str::to_owned).to_vec(),
        state,
        comments: Vec::new(),
    }
}

fn a_mirror_does_what_differs_and_then_rests<W: World>() {
    let world = W::start();
    let tracker = world.open();
    let mut mirror = Mirror::new(&*tracker, Redactor::new(["hunter2-secret"]));
    let mut all = vec![
        wanted("s/T-001", "status:ready", ItemState::Open),
        wanted("s/T-002", "status:pending", ItemState::Open),
        wanted("s/T-003", "status:pending", ItemState::Dropped),
        wanted("s/T-004", "status:approved", ItemState::Done),
    ];
    all[1].title = "  Two\u{1b}[31m \n lines ".to_owned();
    all[1].body = "The password is hunter2-secret\u{1b}[0m.".to_owned();
    let done = mirror.bring(&all);
    // What was given up before anyone saw it is not made; what was done is.
    let made = ["s/T-001", "s/T-002", "s/T-004"].map(|key| (key.to_owned(), Done::Created));
    assert_eq!((done.done.as_slice(), done.failed.len()), (made.as_slice(), 0));
    assert_eq!(tracker.find("s/T-003").unwrap(), None);
    assert_eq!(tracker.find("s/T-004").unwrap().unwrap().state, ItemState::Done);
    let second = tracker.find("s/T-002").unwrap().unwrap();
    assert_eq!(second.title, "Two lines");
    assert!(!second.body.contains("hunter2") && !second.body.contains('\u{1b}'), "{}", second.body);

    all[0] = wanted("s/T-001", "status:approved", ItemState::Done);
    all[1].labels[1] = "status:in-progress".to_owned();
    let done = mirror.bring(&all).done;
    assert_eq!(done, [("s/T-001".to_owned(), Done::Closed), ("s/T-002".to_owned(), Done::Updated)]);
    let first = tracker.find("s/T-001").unwrap().unwrap();
    assert!(first.labels.contains(&"status:approved".to_owned()) && first.labels.len() == 4);

    // Again, and by a process that remembers nothing.
    assert_eq!(mirror.bring(&all).done, []);
    let tracker = world.open();
    let outcome = Mirror::new(&*tracker, Redactor::new(["hunter2-secret"])).bring(&all);
    assert_eq!((outcome.done.len(), outcome.failed.len()), (0, 0), "{outcome:?}");
    world.end();
}

fn a_mirror_brings_what_was_edited_back<W: World>() {
    let world = W::start();
    let tracker = world.open();
    let all = [wanted("s/T-001", "status:ready", ItemState::Open)];
    Mirror::new(&*tracker, Redactor::new([""])).bring(&all);
    let item = tracker.find("s/T-001").unwrap().unwrap();
    let labels = ["status:review", "status:ready", "area:login"].map(str::to_owned).to_vec();
    let change = ItemChange {
        body: Some("edited".to_owned()),
        labels: Some(labels),
        state: Some(ItemState::Dropped),
        ..ItemChange::default()
    };
    tracker.update(&item.id, &change).unwrap();
    let outcome = Mirror::new(&*tracker, Redactor::new([""])).bring(&all);
    assert_eq!(outcome.done, [("s/T-001".to_owned(), Done::Updated)]);
    let found = tracker.find("s/T-001").unwrap().unwrap();
    let mut labels = item.labels.clone();
    labels.push("area:login".to_owned());
    labels.sort();
    assert_eq!(found, TrackerItem { labels, ..item });
    world.end();
}
