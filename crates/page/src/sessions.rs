//! The sessions that somebody looked at lately. Each is read on from where it was left, not from its beginning.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tollgate_desk::{Desk, Opened, OpenedError, Row};

/// So many are kept in memory; who looks at more reads some of them again.
const KEPT_MAX: usize = 64;
/// A list that is so old is still shown.
const LIST_LASTS: Duration = Duration::from_millis(400);

pub type Shared = Arc<Mutex<Opened>>;
type Key = (String, String);

#[derive(Debug)]
pub struct Sessions {
    desk: Desk,
    kept: Mutex<BTreeMap<Key, (Instant, Shared)>>,
    list: Mutex<Option<(Instant, Arc<Vec<Row>>)>>,
}

impl Sessions {
    pub fn new(desk: Desk) -> Self {
        Self { desk, kept: Mutex::default(), list: Mutex::default() }
    }

    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    pub fn rows(&self) -> Arc<Vec<Row>> {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        match &*list {
            Some((at, rows)) if at.elapsed() < LIST_LASTS => rows.clone(),
            _ => {
                let rows = Arc::new(self.desk.rows());
                *list = Some((Instant::now(), rows.clone()));
                rows
            }
        }
    }

    /// What was done now is in the next list.
    pub fn forget_list(&self) {
        *self.list.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub fn open(&self, repo: &str, session: &str) -> Result<Shared, OpenedError> {
        let key = (repo.to_owned(), session.to_owned());
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, shared)) = kept.get_mut(&key)
            && is_there(shared)
        {
            *at = Instant::now();
            return Ok(shared.clone());
        }
        let shared = Arc::new(Mutex::new(self.desk.open(repo, session)?));
        kept.insert(key, (Instant::now(), shared.clone()));
        if kept.len() > KEPT_MAX {
            let oldest = kept.iter().min_by_key(|(_, (at, _))| *at).map(|(key, _)| key.clone());
            oldest.and_then(|key| kept.remove(&key));
        }
        Ok(shared)
    }
}

/// It may have been removed, and another one of its name may have begun since. One that is being read is there.
fn is_there(shared: &Shared) -> bool {
    match shared.try_lock() {
        Ok(opened) => opened.is_there(),
        Err(_) => true,
    }
}
