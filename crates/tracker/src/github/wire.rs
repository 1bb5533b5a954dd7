//! What GitHub answers, as far as it is used.

use crate::{ItemState, LabelState, TrackerItem, marker};
use serde::Deserialize;
use serde::de::IgnoredAny;
use tollgate_contract::labels;

#[derive(Debug, Deserialize)]
pub(super) struct WireLabel {
    name: String,
    color: String,
    description: Option<String>,
}

impl From<WireLabel> for LabelState {
    fn from(label: WireLabel) -> Self {
        let WireLabel { name, color, description } = label;
        Self { name, colour: color, description: description.unwrap_or_default() }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Issue {
    pub number: u64,
    title: String,
    body: Option<String>,
    state: String,
    state_reason: Option<String>,
    #[serde(default)]
    labels: Vec<IssueLabel>,
    author_association: Option<String>,
    /// A list of issues has the pull requests in it.
    pull_request: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum IssueLabel {
    Name(String),
    Whole { name: String },
}

impl Issue {
    pub fn is_no_pull_request(&self) -> bool {
        self.pull_request.is_none()
    }

    pub fn key(&self) -> Option<String> {
        marker::split(self.body.as_deref()?).0
    }

    /// Anyone can open an issue on a public repository and write the marker of a key into it. Only members can put a
    /// label on one.
    pub fn may_be_ours(&self) -> bool {
        let has_label = || self.label_names().any(|name| labels::find(name).is_some());
        self.is_no_pull_request() && (is_member(&self.author_association) || has_label())
    }

    fn label_names(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().map(|label| match label {
            IssueLabel::Name(name) | IssueLabel::Whole { name } => name.as_str(),
        })
    }
}

impl From<Issue> for TrackerItem {
    fn from(issue: Issue) -> Self {
        let state = match (issue.state.as_str(), issue.state_reason.as_deref()) {
            ("open", _) => ItemState::Open,
            (_, Some("not_planned" | "duplicate")) => ItemState::Dropped,
            _ => ItemState::Done,
        };
        Self {
            id: issue.number.to_string(),
            labels: issue.label_names().map(str::to_owned).collect(),
            title: issue.title,
            body: marker::split(issue.body.as_deref().unwrap_or_default()).1,
            state,
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct WireComment {
    body: Option<String>,
    author_association: Option<String>,
}

impl WireComment {
    /// A stranger can write the marker of a key too.
    pub fn is_ours(&self, key: &str) -> bool {
        let found = self.body.as_deref().and_then(|body| marker::split(body).0);
        is_member(&self.author_association) && found.as_deref() == Some(key)
    }
}

fn is_member(association: &Option<String>) -> bool {
    matches!(association.as_deref(), Some("OWNER" | "MEMBER" | "COLLABORATOR"))
}
