//! All files changed since the session's base, kept up to date change by change.

use crate::work::{ChangeType, FileChange};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeSet {
    by_path: BTreeMap<String, FileChange>,
}

impl ChangeSet {
    pub fn iter(&self) -> impl Iterator<Item = &FileChange> {
        self.by_path.values()
    }

    pub fn len(&self) -> usize {
        self.by_path.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_path.is_empty()
    }

    /// Takes one more change into account: what counts is the difference from the base.
    pub(crate) fn absorb(&mut self, change: &FileChange) {
        match (change.change_type, &change.old_path) {
            (ChangeType::Renamed, Some(old)) => self.rename(old, &change.path),
            (ChangeType::Deleted, _) => self.delete(&change.path),
            (ChangeType::Added, _) => self.add(&change.path),
            _ => self.modify(&change.path),
        }
    }

    fn add(&mut self, path: &str) {
        let was_deleted =
            self.by_path.get(path).is_some_and(|c| c.change_type == ChangeType::Deleted);
        let change_type = if was_deleted { ChangeType::Modified } else { ChangeType::Added };
        self.put(path, change_type, None);
    }

    fn modify(&mut self, path: &str) {
        // An added or renamed file stays what it is.
        if !self.by_path.contains_key(path) {
            self.put(path, ChangeType::Modified, None);
        }
    }

    fn delete(&mut self, path: &str) {
        match self.by_path.remove(path) {
            Some(FileChange { change_type: ChangeType::Added, .. }) => {}
            Some(FileChange { change_type: ChangeType::Renamed, old_path: Some(old), .. }) => {
                self.put(&old, ChangeType::Deleted, None);
            }
            _ => self.put(path, ChangeType::Deleted, None),
        }
    }

    fn rename(&mut self, old: &str, new: &str) {
        match self.by_path.remove(old) {
            Some(FileChange { change_type: ChangeType::Added, .. }) => self.add(new),
            Some(FileChange {
                change_type: ChangeType::Renamed, old_path: Some(first), ..
            }) => {
                if first == new {
                    self.put(new, ChangeType::Modified, None);
                } else {
                    self.put(new, ChangeType::Renamed, Some(first));
                }
            }
            _ => self.put(new, ChangeType::Renamed, Some(old.to_owned())),
        }
    }

    fn put(&mut self, path: &str, change_type: ChangeType, old_path: Option<String>) {
        let change = FileChange { path: path.to_owned(), change_type, old_path };
        self.by_path.insert(path.to_owned(), change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// `+a` added, `~a` modified, `-a` deleted, `a>b` renamed.
    fn check(story: &str, expected: Expect) {
        let mut set = ChangeSet::default();
        for word in story.split_whitespace() {
            let (change_type, path, old_path) = match word.split_once('>') {
                Some((old, new)) => (ChangeType::Renamed, new, Some(old.to_owned())),
                None => {
                    let change_type = match &word[..1] {
                        "+" => ChangeType::Added,
                        "-" => ChangeType::Deleted,
                        _ => ChangeType::Modified,
                    };
                    (change_type, &word[1..], None)
                }
            };
            set.absorb(&FileChange { path: path.to_owned(), change_type, old_path });
        }
        let shown: Vec<String> = set
            .iter()
            .map(|c| match &c.old_path {
                Some(old) => format!("{} {old}>{}", c.change_type, c.path),
                None => format!("{} {}", c.change_type, c.path),
            })
            .collect();
        expected.assert_eq(&shown.join(", "));
    }

    #[test]
    fn only_the_difference_from_the_base_counts() {
        check("+a ~a", expect!["added a"]);
        check("+a -a", expect![""]);
        check("~a -a", expect!["deleted a"]);
        check("-a +a", expect!["modified a"]);
        check("a>b b>c", expect!["renamed a>c"]);
        check("a>b b>a", expect!["modified a"]);
        check("a>b -b", expect!["deleted a"]);
        check("+a a>b ~b", expect!["added b"]);
        check("~a ~b +c", expect!["modified a, modified b, added c"]);
    }
}
