//! The branch and the tags in the agent's clone, and the tags that an agent makes there. They are read as files: the agent's `.git` is
//! never asked.

use super::plain::write;
use super::{Workspace, WorkspaceError};
use crate::GitError;
use crate::repository::Repository;
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::id::{CommitId, SessionName};
use tollgate_files::{ListingKind, TreeLimits, list_files, open_beneath, read_beneath};

/// More tags than a release has.
const TAGS_MAX: usize = 20;
const NAME_CHARS_MAX: usize = 100;
const PACKED_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Tags that an agent made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MadeTags {
    pub new: Vec<String>,
    /// The repository has them, or their names cannot be used.
    pub refused: Vec<String>,
}

impl Workspace {
    /// Lays a branch of this name at the accepted commit into the agent's fresh clone, and the person's tags beside it.
    pub fn give_refs(&self, branch: &str, with_tags: bool) -> Result<(), WorkspaceError> {
        let tags = if with_tags { self.repository.tags()? } else { BTreeMap::new() };
        let lines = tags.iter().map(|(name, target)| format!("{target} refs/tags/{name}\n"));
        let branch = format!("{} refs/heads/{branch}\n", self.accepted()?);
        let text: String = std::iter::once(branch).chain(lines).collect();
        write(&self.tree.join(".git/packed-refs"), text.as_bytes())
    }

    /// The tags in the agent's clone that the person's repository does not have like this.
    pub fn made_tags(&self) -> Result<MadeTags, WorkspaceError> {
        let theirs = self.repository.tags()?;
        let mut made = MadeTags::default();
        for (name, target) in self.tags_in_clone() {
            match theirs.get(&name) {
                Some(known) if *known == target => {}
                Some(_) => made.refused.push(shown(&name)),
                None if is_plain(&name) && made.new.len() < TAGS_MAX => made.new.push(name),
                None => made.refused.push(shown(&name)),
            }
        }
        made.refused.truncate(TAGS_MAX);
        Ok(made)
    }

    /// What cannot be read is no tag.
    fn tags_in_clone(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let packed = read_beneath(&self.tree, ".git/packed-refs", PACKED_BYTES_MAX);
        let packed = packed.unwrap_or_default();
        for line in String::from_utf8_lossy(&packed).lines() {
            if let Some((target, name)) = line.split_once(" refs/tags/") {
                found.insert(name.to_owned(), target.to_owned());
            }
        }
        const LOOSE: &str = ".git/refs/tags";
        let is_folder = open_beneath(&self.tree, LOOSE)
            .is_ok_and(|folder| folder.metadata().is_ok_and(|meta| meta.is_dir()));
        if !is_folder {
            return found;
        }
        let loose = list_files(&self.tree.join(LOOSE), TreeLimits::default()).unwrap_or_default();
        for entry in loose.into_iter().filter(|entry| entry.kind == ListingKind::File) {
            let path = format!("{LOOSE}/{}", entry.path);
            let target = read_beneath(&self.tree, &path, 100).unwrap_or_default();
            let target = String::from_utf8_lossy(&target).trim().to_owned();
            found.insert(entry.path, target);
        }
        found
    }
}

impl Repository {
    /// The person's tags, each with what it points at.
    fn tags(&self) -> Result<BTreeMap<String, String>, GitError> {
        let stored = self.refs_below("refs/tags")?.into_iter();
        let named = |stored: crate::repository::StoredRef| {
            let name = stored.name.strip_prefix("refs/tags/")?.to_owned();
            Some((name, stored.commit.to_string()))
        };
        Ok(stored.filter_map(named).collect())
    }

    /// Keeps the tags of a release for a person to push: hidden refs at the last commit of the session.
    pub fn keep_tags(
        &self,
        session: &SessionName,
        tags: &[String],
        tip: &CommitId,
    ) -> Result<(), GitError> {
        let names: BTreeSet<&String> = tags.iter().filter(|name| is_plain(name)).collect();
        let line = |name: &&String| format!("update refs/tollgate/tags/{session}/{name} {tip}\n");
        self.update_refs(names.iter().map(line).collect())
    }
}

/// A name that git takes and that no shell or terminal reads as something else.
fn is_plain(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && !part.ends_with('.')
            && !part.ends_with(".lock")
    };
    name.chars().all(|c| c.is_ascii_alphanumeric() || "._+-/".contains(c))
        && name.len() <= NAME_CHARS_MAX
        && !name.contains("..")
        && name.split('/').all(is_part)
}

fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn r139_a_tag_has_a_plain_name() {
        for name in ["v1.2.0", "release/2026-11", "app_1.0+build.7"] {
            assert!(is_plain(name), "{name}");
        }
        let long = "v".repeat(101);
        for name in
            ["", "-v1", "v 1", "v..1", "a/", "/a", "a/.b", "v1.lock", "v1~1", "v\u{1b}[1m", &long]
        {
            assert!(!is_plain(name), "{name}");
        }
    }
}
