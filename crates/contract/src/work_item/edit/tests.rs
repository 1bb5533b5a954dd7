//! Stories of status labels that are written in place.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::testing::{TASK, shown};
use crate::work_item::{WorkItem, read};
use proptest::prelude::*;

fn good(text: &str) -> WorkItem {
    let (item, report) = read(text, "T-001.md");
    assert_eq!(shown(&report), "");
    item.unwrap()
}

/// A task with this front matter.
fn with_front(front: &str) -> String {
    format!("---\n{front}---\n\n{TASK}")
}

#[test]
fn a_status_label_is_replaced_in_place_and_nothing_else_changes() {
    for front in [
        "labels: [\"task:implement\", \"status:pending\", \"priority:high\", \"complexity:low\"]\nstate: open\n",
        "# mine: status:pending\ntitle: status:pending\nlabels: [task:implement, status:pending , 'priority:high',complexity:low] # status:pending\n",
        "labels:\n  - task:implement\n  - status:pending   # now\n  - priority:high\n  - complexity:low\nblocked_by: ['é']\n",
        "title: 'ü — ü'\nlabels: ['status:pending', task:implement, \"area:status:pending\", priority:low, complexity:high]\n",
    ] {
        let text = with_front(front);
        let set = set_status(&text, "status:in-progress").unwrap();
        assert_eq!(set.len(), text.len() + "in-progress".len() - "pending".len(), "{set}");
        let (before, after) = (good(&text), good(&set));
        assert!(after.labels.contains(&"status:in-progress".to_owned()), "{set}");
        assert!(!after.labels.contains(&"status:pending".to_owned()), "{set}");
        assert_eq!(WorkItem { labels: before.labels.clone(), ..after }, before);
        assert_eq!(set_status(&set, "status:pending").unwrap(), text);
        assert!(with_each_status(&set).any(|one| one == text));
    }
}

#[test]
fn line_ends_of_windows_and_a_byte_order_mark_stay() {
    let text = with_front("labels: [task:implement, status:ready, priority:low, complexity:low]\n");
    let text = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let set = set_status(&text, "status:review").unwrap();
    assert_eq!(set, text.replacen("status:ready", "status:review", 1));
}

#[test]
fn what_has_no_status_label_is_left_alone_and_what_is_unsafe_is_not_done() {
    for front in ["title: x\n", "labels: []\n", "labels: [area:login]\n", "labels: [status:odd]\n"]
    {
        let text = with_front(front);
        assert_eq!(set_status(&text, "status:ready").as_ref(), Some(&text));
    }
    assert_eq!(set_status(TASK, "status:ready").as_deref(), Some(TASK));
    for front in [
        "title: &s status:pending\nlabels: [*s]\n",
        "labels: [\"status\\u003apending\"]\n",
        "labels: [status:pending\n",
    ] {
        assert_eq!(set_status(&with_front(front), "status:ready"), None, "{front}");
    }
}

proptest! {
    #[test]
    fn setting_a_status_never_panics_and_is_undone_by_setting_it_back(
        front in "(labels: ?\\[)?[ a-z:,'\"#\\[\\]&*\n-]{0,40}(status:ready)?[ \\],'\"\n]{0,6}",
        body in "[ -~\n]{0,40}",
    ) {
        let text = format!("---\n{front}\n---\n{body}");
        if let Some(set) = set_status(&text, "status:blocked") {
            let back = set_status(&set, "status:ready").unwrap();
            prop_assert!(back == text || !text.contains("status:ready") || set == text);
        }
    }
}
