//! A work item that a tracker of local files keeps: front matter with title, labels and state, then the body.

use crate::diagnostic::{Report, shape as words};
use crate::front_matter;
use crate::json_file::typed;
use crate::work_item::quoted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackedItem {
    pub title: String,
    pub labels: Vec<String>,
    pub state: ItemState,
    /// Without line ends around it.
    pub body: String,
}

/// Closed is what is done, and what is dropped without being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum ItemState {
    #[default]
    Open,
    Done,
    Dropped,
}

impl ItemState {
    fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Dropped => "dropped",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ItemFile {
    #[schemars(length(min = 1))]
    title: String,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    state: ItemState,
}

/// The item when there is no error.
pub fn read(text: &str, path: &str) -> (Option<TrackedItem>, Report) {
    let (node, body) = match front_matter::read(text, path) {
        Ok(parts) => parts,
        Err(report) => return (None, report),
    };
    let mut report = Report::default();
    let file = typed::<ItemFile>(&node, path, &mut report, |f| words::fault(path, f));
    let item = file.map(|ItemFile { title, labels, state }| {
        let body = trimmed(body).to_owned();
        TrackedItem { title, labels, state, body }
    });
    (item, report)
}

/// The file of an item, as [`read`] reads it.
pub fn write(item: &TrackedItem) -> String {
    let labels: Vec<String> = item.labels.iter().map(|label| quoted(label)).collect();
    format!(
        "---\ntitle: {}\nlabels: [{}]\nstate: {}\n---\n\n{}\n",
        quoted(&item.title),
        labels.join(", "),
        item.state.as_str(),
        trimmed(&item.body)
    )
}

/// Line ends around a body are layout, not content.
pub fn trimmed(body: &str) -> &str {
    body.trim_matches(['\r', '\n'])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::testing::shown;
    use expect_test::expect;
    use proptest::prelude::*;

    #[test]
    fn what_is_written_is_what_a_person_would_write() {
        let item = TrackedItem {
            title: "Limit \"login\": 5 tries".to_owned(),
            labels: vec!["task:implement".to_owned(), "status:pending".to_owned()],
            state: ItemState::Open,
            body: "## Objective\n\n---\nA line.".to_owned(),
        };
        expect![[r#"
            ---
            title: "Limit \"login\": 5 tries"
            labels: ["task:implement", "status:pending"]
            state: open
            ---

            ## Objective

            ---
            A line.
        "#]]
        .assert_eq(&write(&item));
        assert_eq!(read(&write(&item), "a.md").0, Some(item));
    }

    #[test]
    fn faults_are_named() {
        let (item, report) = read("---\ntitle: x\nstate: closed\nprio: 1\n---\n", "a.md");
        assert_eq!(item, None);
        expect![[r#"
            error shape.value_unknown a.md:3: `state` is "closed", but must be open, done or dropped
            error shape.field_unknown a.md:4: there is no field "prio" here
        "#]]
        .assert_eq(
            &shown(&report)
                .lines()
                .filter(|l| l.starts_with("error"))
                .fold(String::new(), |all, line| all + line + "\n"),
        );
        assert!(read("no front matter", "a.md").0.is_none());
    }

    proptest! {
        #[test]
        fn any_item_survives_its_file(title in "[a-z].*", label in ".*", body in "(?s).*") {
            let body = trimmed(&body).to_owned();
            let item = TrackedItem { title, labels: vec![label], state: ItemState::Done, body };
            let (found, report) = read(&write(&item), "a.md");
            prop_assert_eq!(found, Some(item), "{}", shown(&report));
        }
    }
}
