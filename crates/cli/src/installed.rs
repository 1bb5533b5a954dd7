//! The agent programs that people may have on this machine.

use crate::place;
use std::cmp::Ordering;
use std::path::PathBuf;
use std::sync::LazyLock;
use tollgate_agents::probe::{self, Person};

pub fn person() -> Person<'static> {
    static HOME: LazyLock<Option<PathBuf>> = LazyLock::new(place::home);
    Person { home: HOME.as_deref(), lookup: |name| std::env::var_os(name) }
}

/// How a version stands to the one that was tested, in words to follow it.
pub fn beside_tested(found: &str, tested: &str) -> (Ordering, String) {
    let stands = probe::compare(found, tested);
    let words = match stands {
        Ordering::Equal => ", as tested".to_owned(),
        Ordering::Greater => format!("; tested with {tested}"),
        Ordering::Less => format!(", older than the tested version {tested}"),
    };
    (stands, words)
}
