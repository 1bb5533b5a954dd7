//! Files as a commit of the person's repository has them.

use super::{Repository, RepositoryError};
use crate::batch::read_batch;
use tollgate_core::id::CommitId;

impl Repository {
    /// Every file of a commit at this path, or below it where it is a folder. Names that are no text are left out.
    pub fn files_at(&self, commit: &CommitId, path: &str) -> Result<Vec<String>, RepositoryError> {
        let path = path.trim_end_matches('/');
        let listed = self.read(["ls-tree", "-r", "--name-only", "-z"]).arg(commit.as_str());
        let listed = listed.args(["--", path]).env("GIT_LITERAL_PATHSPECS", "1").run()?;
        let names = listed.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.filter_map(|name| String::from_utf8(name.to_vec()).ok()).collect())
    }

    /// The content of each of these files; none where the commit has no such file.
    pub fn contents(
        &self,
        commit: &CommitId,
        paths: &[String],
    ) -> Result<Vec<Option<Vec<u8>>>, RepositoryError> {
        // A name with a line break cannot be asked for in this way.
        let asked: Vec<&String> = paths.iter().filter(|path| !path.contains('\n')).collect();
        let lines: String = asked.iter().map(|path| format!("{commit}:{path}\n")).collect();
        let output = self.read(["cat-file", "--batch"]).input(lines.into_bytes()).run()?;
        let mut contents = read_batch(&output.stdout, asked.len())?.into_iter();
        let answer = |path: &String| match path.contains('\n') {
            true => None,
            false => contents.next().flatten(),
        };
        Ok(paths.iter().map(answer).collect())
    }

    /// Whether these words name a commit, as a branch, a tag or its number.
    pub fn is_revision(&self, words: &str) -> bool {
        let asked = self.read(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        asked.arg(format!("{words}^{{commit}}")).run().is_ok()
    }
}
