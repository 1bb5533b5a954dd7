//! What changed between two commits or two files, as a text for people and patches.

use super::{Repository, RepositoryError};
use serde::Serialize;
use std::path::Path;
use tollgate_core::id::{CommitId, SessionName};

/// So many paths fit on a command line.
const PATHS_PER_CALL: usize = 200;

/// How much is told of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// For `git apply`, with all that is no text.
    Patch,
    /// For a person.
    Reading,
    Stat,
    Names,
}

impl Detail {
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Patch => &["--binary", "--unified=3"],
            Self::Reading => &["--unified=3"],
            Self::Stat => &["--stat"],
            Self::Names => &["--name-only"],
        }
    }
}

/// How many lines of a file changed; unknown of a file that is no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedLines {
    pub path: String,
    pub added: Option<u64>,
    pub removed: Option<u64>,
}

/// No program of the repository or the person shows a difference for us, and no setting of theirs changes what it looks like:
/// `git apply` must take it.
const PLAIN: [&str; 11] = [
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--inter-hunk-context=0",
    "--submodule=short",
    "--ws-error-highlight=none",
    "-O/dev/null",
];

impl Repository {
    pub fn difference(
        &self,
        from: &CommitId,
        to: &CommitId,
        detail: Detail,
    ) -> Result<Vec<u8>, RepositoryError> {
        let call = self.read(PLAIN).args(detail.options()).args([from.as_str(), to.as_str(), "--"]);
        Ok(call.run()?.stdout)
    }

    pub fn changed_lines(
        &self,
        from: &CommitId,
        to: &CommitId,
    ) -> Result<Vec<ChangedLines>, RepositoryError> {
        let call = self.read(PLAIN).args(["--numstat", "-z", "--no-renames"]);
        let stdout = call.args([from.as_str(), to.as_str(), "--"]).run()?.stdout;
        let entries = stdout.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
        Ok(entries.filter_map(|entry| counted(&String::from_utf8_lossy(entry))).collect())
    }

    /// What changed in these files only, for a person; in all where none is named.
    pub fn patch_of(
        &self,
        from: &CommitId,
        to: &CommitId,
        paths: &[String],
    ) -> Result<Vec<u8>, RepositoryError> {
        if paths.is_empty() {
            return self.difference(from, to, Detail::Reading);
        }
        let mut patch = Vec::new();
        for some in paths.chunks(PATHS_PER_CALL) {
            let call = self.read(PLAIN).env("GIT_LITERAL_PATHSPECS", "1");
            let call = call.args(Detail::Reading.options());
            let call = call.args([from.as_str(), to.as_str(), "--"]);
            patch.extend(call.args(some).run()?.stdout);
        }
        Ok(patch)
    }

    /// The commit of a rescue of the session, by the end of its name, and its whole name.
    pub fn rescued(
        &self,
        session: &SessionName,
        name: &str,
    ) -> Result<Option<(String, CommitId)>, RepositoryError> {
        let name = format!("refs/tollgate/rescue/{session}/{name}");
        Ok(self.tip_of(&name)?.map(|commit| (name, commit)))
    }

    /// The commit before this one.
    pub fn parent(&self, commit: &CommitId) -> Result<CommitId, RepositoryError> {
        let before = format!("{commit}^");
        let found = self.read(["rev-parse", "--verify", "--end-of-options"]).arg(before).run()?;
        Ok(super::parse_commit("rev-parse", &found.line())?)
    }

    /// Of two files, wherever they are, under the name that people know; of a new file where there is no old one.
    pub fn difference_of_files(
        &self,
        name: &str,
        old: Option<&Path>,
        new: &Path,
    ) -> Result<Vec<u8>, RepositoryError> {
        let nothing = Path::new("/dev/null");
        let call = self.read(PLAIN).args(Detail::Reading.options()).args(["--no-index", "--"]);
        let call = call.arg(old.unwrap_or(nothing)).arg(new);
        // 1: they differ.
        let stdout = call.run_with(&[1])?.0.stdout;
        let from = old.map_or("/dev/null".to_owned(), |_| format!("a/{name}"));
        Ok(renamed(&stdout, &from, &format!("b/{name}")))
    }
}

/// Where the files lie is nothing that a reader of the change wants to know.
fn renamed(patch: &[u8], from: &str, to: &str) -> Vec<u8> {
    let mut lines = patch.split_inclusive(|byte| *byte == b'\n').peekable();
    while lines.next_if(|line| !line.starts_with(b"@@") && !line.starts_with(b"Binary")).is_some() {
    }
    let rest: Vec<u8> = lines.flatten().copied().collect();
    if rest.is_empty() {
        return rest;
    }
    [format!("--- {from}\n+++ {to}\n").as_bytes(), &rest].concat()
}

/// `3\t1\tsrc/a.rs`, or `-\t-\tlogo.png`.
fn counted(entry: &str) -> Option<ChangedLines> {
    let mut fields = entry.splitn(3, '\t');
    let mut number = || fields.next().map(|field| field.parse().ok());
    let (added, removed) = (number()?, number()?);
    Some(ChangedLines { path: fields.next()?.to_owned(), added, removed })
}
