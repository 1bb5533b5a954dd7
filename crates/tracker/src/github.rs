//! The tracker that is the issues of a repository on GitHub, over its REST interface with the person's own login.

mod wire;

use super::http::{Http, WAIT_DEFAULT, path_part};
use super::login::TrackerLogin;
use super::place::{Api, Slug};
use super::{
    Comment, ItemChange, ItemDraft, ItemState, LabelState, Put, Tracker, TrackerError, TrackerItem,
    check_key, marker,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;
use tollgate_contract::labels::Label;
use ureq::http::Method;
use wire::{Issue, WireComment, WireLabel};

/// A hundred issues a page; items of a session are among the newest, so older ones are not looked through.
const PAGES_MAX: usize = 100;

#[derive(Debug)]
pub struct Github {
    http: Http,
    /// The issue of each key, read once: the search of GitHub learns of a new issue too late to be relied upon.
    numbers: Mutex<Option<BTreeMap<String, u64>>>,
}

impl Github {
    pub fn new(api: Api, slug: Slug, login: TrackerLogin) -> Result<Self, TrackerError> {
        Self::with_wait(api, slug, login, WAIT_DEFAULT)
    }

    /// Gives up on a request after this time.
    pub fn with_wait(
        api: Api,
        slug: Slug,
        login: TrackerLogin,
        wait: Duration,
    ) -> Result<Self, TrackerError> {
        let http = Http::new(api, slug, login, wait)?;
        Ok(Self { http, numbers: Mutex::new(None) })
    }

    /// All entries of a list, page by page.
    fn pages<T: serde::de::DeserializeOwned>(
        &self,
        first: String,
        doing: &str,
        mut take: impl FnMut(T),
    ) -> Result<(), TrackerError> {
        let mut next = Some(first);
        for _ in 0..PAGES_MAX {
            let Some(address) = next else { break };
            let page = self.http.get(&address, doing)?;
            page.read::<Vec<T>>(doing)?.into_iter().for_each(&mut take);
            next = page.next;
        }
        Ok(())
    }

    fn number_of(&self, key: &str) -> Result<Option<u64>, TrackerError> {
        let mut numbers = self.numbers.lock().expect("nothing panics while it holds the list");
        if numbers.is_none() {
            *numbers = Some(self.read_numbers()?);
        }
        Ok(numbers.as_ref().and_then(|known| known.get(key).copied()))
    }

    /// The newest first, so that what others make in the meantime moves issues to later pages and hides none.
    fn read_numbers(&self) -> Result<BTreeMap<String, u64>, TrackerError> {
        let list = "/issues?state=all&sort=created&direction=desc&per_page=100";
        let mut found = BTreeMap::new();
        self.pages(self.http.address(list), "the list of issues", |issue: Issue| {
            if let (true, Some(key)) = (issue.may_be_ours(), issue.key()) {
                // The oldest of several is the one that was made first.
                found.insert(key, issue.number);
            }
        })?;
        Ok(found)
    }

    fn remember(&self, key: &str, number: Option<u64>) {
        let mut numbers = self.numbers.lock().expect("nothing panics while it holds the list");
        match (number, numbers.as_mut()) {
            (Some(number), Some(known)) => {
                known.insert(key.to_owned(), number);
            }
            // What became of it is not known: the list is read again.
            _ => *numbers = None,
        }
    }

    fn issue(&self, id: &str) -> Result<Option<Issue>, TrackerError> {
        let doing = format!("issue {id}");
        match self.http.get(&self.issue_address(id, "")?, &doing) {
            Ok(answer) => Ok(Some(answer.read::<Issue>(&doing)?).filter(Issue::is_no_pull_request)),
            Err(TrackerError::NotFound { .. } | TrackerError::Gone { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn issue_address(&self, id: &str, rest: &str) -> Result<String, TrackerError> {
        let number: u64 = id.parse().map_err(|_| TrackerError::NoItem { id: id.to_owned() })?;
        Ok(self.http.address(&format!("/issues/{number}{rest}")))
    }

    fn send_label(&self, method: Method, address: &str, body: &Value) -> Result<(), TrackerError> {
        let name = body["name"].as_str().or(body["new_name"].as_str()).unwrap_or_default();
        self.http.send(method, address, body, &format!("label {name}")).map(drop)
    }
}

impl Tracker for Github {
    fn labels(&self) -> Result<Vec<LabelState>, TrackerError> {
        let mut labels = Vec::new();
        let address = self.http.address("/labels?per_page=100");
        self.pages(address, "the list of labels", |label: WireLabel| labels.push(label.into()))?;
        Ok(labels)
    }

    fn put_label(&self, label: &Label) -> Result<Put, TrackerError> {
        let one = self.http.address(&format!("/labels/{}", path_part(label.name)));
        let doing = format!("label {}", label.name);
        let found = match self.http.get(&one, &doing) {
            Ok(answer) => Some(LabelState::from(answer.read::<WireLabel>(&doing)?)),
            Err(TrackerError::NotFound { .. }) => None,
            Err(error) => return Err(error),
        };
        let change = json!({
            "new_name": label.name, "color": label.colour, "description": label.description,
        });
        match found {
            Some(found) if found.is(label) => Ok(Put::Unchanged),
            Some(_) => self.send_label(Method::PATCH, &one, &change).map(|()| Put::Updated),
            None => {
                let new = json!({
                    "name": label.name, "color": label.colour, "description": label.description,
                });
                match self.send_label(Method::POST, &self.http.address("/labels"), &new) {
                    Ok(()) => Ok(Put::Created),
                    // Someone was faster.
                    Err(TrackerError::Invalid { codes, .. })
                        if codes.iter().any(|code| code == "already_exists") =>
                    {
                        self.send_label(Method::PATCH, &one, &change).map(|()| Put::Updated)
                    }
                    Err(error) => Err(error),
                }
            }
        }
    }

    fn find(&self, key: &str) -> Result<Option<TrackerItem>, TrackerError> {
        check_key(key)?;
        let Some(number) = self.number_of(key)? else { return Ok(None) };
        match self.issue(&number.to_string())? {
            Some(issue) => Ok(Some(issue.into())),
            None => {
                self.remember(key, None);
                Ok(None)
            }
        }
    }

    fn create(&self, draft: &ItemDraft) -> Result<TrackerItem, TrackerError> {
        if let Some(found) = self.find(&draft.key)? {
            return Ok(found);
        }
        let ItemDraft { key, title, body, labels } = draft;
        let new = json!({ "title": title, "body": marker::with_key(body, key), "labels": labels });
        let doing = format!("new issue {title:?}");
        let sent = self.http.send(Method::POST, &self.http.address("/issues"), &new, &doing);
        match sent.and_then(|answer| answer.read::<Issue>(&doing)) {
            Ok(issue) => {
                self.remember(key, Some(issue.number));
                Ok(issue.into())
            }
            Err(error) => {
                self.remember(key, None);
                Err(error)
            }
        }
    }

    fn update(&self, id: &str, change: &ItemChange) -> Result<TrackerItem, TrackerError> {
        let gone = || TrackerError::NoItem { id: id.to_owned() };
        let found = self.issue(id)?.ok_or_else(gone)?;
        if change.is_empty() {
            return Ok(found.into());
        }
        let mut sent = serde_json::Map::new();
        if let Some(title) = &change.title {
            sent.insert("title".to_owned(), json!(title));
        }
        if let Some(body) = &change.body {
            // Its key stays, whoever wrote the new body.
            let body = match found.key() {
                Some(key) => marker::with_key(body, &key),
                None => body.clone(),
            };
            sent.insert("body".to_owned(), json!(body));
        }
        if let Some(labels) = &change.labels {
            sent.insert("labels".to_owned(), json!(labels));
        }
        if let Some(state) = change.state {
            let (state, reason) = match state {
                ItemState::Open => ("open", "reopened"),
                ItemState::Done => ("closed", "completed"),
                ItemState::Dropped => ("closed", "not_planned"),
            };
            sent.insert("state".to_owned(), json!(state));
            sent.insert("state_reason".to_owned(), json!(reason));
        }
        let (address, doing) = (self.issue_address(id, "")?, format!("issue {id}"));
        let answer = self.http.send(Method::PATCH, &address, &Value::Object(sent), &doing)?;
        Ok(answer.read::<Issue>(&doing)?.into())
    }

    /// What was said before a crash is found by its key.
    fn comment(&self, id: &str, comment: &Comment) -> Result<(), TrackerError> {
        check_key(&comment.key)?;
        let doing = format!("comments of issue {id}");
        let mut is_said = false;
        let list = self.issue_address(id, "/comments?per_page=100")?;
        self.pages(list, &doing, |said: WireComment| {
            is_said |= said.is_ours(&comment.key);
        })?;
        if is_said {
            return Ok(());
        }
        let body = json!({ "body": marker::with_key(&comment.text, &comment.key) });
        let address = self.issue_address(id, "/comments")?;
        self.http.send(Method::POST, &address, &body, &doing).map(drop)
    }
}
