//! What of a commit is not here: files that a partial clone left out, and submodules.

use super::{Repository, RepositoryError};
use tollgate_core::id::CommitId;

impl Repository {
    /// It is a clone that leaves files out until they are needed.
    pub fn is_partial(&self) -> Result<bool, RepositoryError> {
        let configuration = self.configuration()?;
        let records = configuration.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let is_promised =
            |record: &str| record.starts_with("remote.") && record.contains(".promisor\n");
        Ok(records.into_iter().any(|record| is_promised(&record)))
    }

    /// How many objects of a commit were never fetched. Nothing is fetched by looking.
    pub fn unfetched(&self, commit: &CommitId) -> Result<usize, RepositoryError> {
        let listed = self
            .read(["rev-list", "--objects", "--no-walk", "--missing=print"])
            .arg(commit.as_str())
            .run()?;
        let lines = listed.stdout.split(|byte| *byte == b'\n');
        Ok(lines.filter(|line| line.starts_with(b"?")).count())
    }

    /// The paths of a commit's submodules.
    pub fn submodules_at(&self, commit: &CommitId) -> Result<Vec<String>, RepositoryError> {
        let listed =
            self.read(["ls-tree", "-r", "-z", "--full-tree"]).arg(commit.as_str()).run()?;
        let records = listed.stdout.split(|byte| *byte == 0);
        let links = records.filter(|record| record.starts_with(b"160000 "));
        let path = |record: &[u8]| {
            let tab = record.iter().position(|byte| *byte == b'\t')?;
            Some(String::from_utf8_lossy(&record[tab + 1..]).into_owned())
        };
        Ok(links.filter_map(path).collect())
    }
}
