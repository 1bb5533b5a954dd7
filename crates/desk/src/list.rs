//! The sessions of all repositories, those that wait for a person first.

use super::{Desk, Repo};
use std::cmp::Reverse;
use std::sync::PoisonError;
use tollgate_core::time::Timestamp;
use tollgate_core::view::Standing;
use tollgate_host::sessions::{Listed, Measure, Summaries};

/// A session of the list.
#[derive(Debug)]
pub struct Row {
    pub repo: Repo,
    pub listed: Listed,
}

impl Row {
    /// A person must do something before it can continue.
    pub fn waits(&self) -> bool {
        let summary = &self.listed.summary;
        summary.waiting > 0 || summary.standing == Some(Standing::YourTurn)
    }

    /// It has something to do, and no process does it.
    pub fn is_left(&self) -> bool {
        self.listed.summary.standing == Some(Standing::Working) && !self.listed.is_running
    }

    fn order(&self) -> (u8, Reverse<Option<Timestamp>>) {
        let rank = match self.listed.summary.standing {
            _ if self.waits() => 0,
            Some(Standing::Blocked) => 1,
            Some(Standing::YourTurn | Standing::Working) => 2,
            Some(Standing::Done | Standing::Cancelled) | None => 3,
        };
        (rank, Reverse(self.listed.summary.updated_at))
    }
}

impl Desk {
    /// A repository that cannot be read has no rows, and hides no other.
    pub fn rows(&self) -> Vec<Row> {
        let repositories = self.repositories();
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        listed.retain(|id, _| repositories.iter().any(|repo| repo.id == *id));
        let mut rows = Vec::new();
        for repo in repositories {
            let new = || Summaries::of(repo.layout(), self.state.clone());
            let summaries = listed.entry(repo.id.clone()).or_insert_with(new);
            let found = summaries.list(Measure::Nothing).unwrap_or_default();
            rows.extend(found.into_iter().map(|listed| Row { repo: repo.clone(), listed }));
        }
        rows.sort_by_key(Row::order);
        rows
    }
}
