//! What a session's commits brought, as a pack of its own that every git can read.

use super::{ObjectFormat, Repository, RepositoryError, parse_commit};
use crate::program::{Configuration, Git, GitCall, GitError};
use std::path::{Path, PathBuf};
use tollgate_core::id::CommitId;

impl Repository {
    /// The commits in the history of one and of none of the others, the newest first.
    pub fn commits_beyond(
        &self,
        tip: &CommitId,
        without: &[&CommitId],
    ) -> Result<Vec<CommitId>, RepositoryError> {
        let without = without.iter().map(|other| format!("^{other}"));
        let call = self.read(["rev-list", "--topo-order", tip.as_str()]).args(without).arg("--");
        let stdout = call.run()?.stdout;
        let lines = String::from_utf8_lossy(&stdout).into_owned();
        let commits: Result<_, GitError> =
            lines.lines().map(|line| parse_commit("rev-list", line)).collect();
        Ok(commits?)
    }

    /// Writes a pack of what these commits have and the others do not, into the folder. Each object stands by itself, so the
    /// same commits make the same bytes wherever they are, and who reads it can tell before how large everything in it is.
    pub fn pack_beyond(
        &self,
        tip: &CommitId,
        without: &[&CommitId],
        folder: &Path,
    ) -> Result<PathBuf, RepositoryError> {
        let without = without.iter().map(|other| format!("^{other}\n"));
        let revisions: String = std::iter::once(format!("{tip}\n")).chain(without).collect();
        let base = folder.join("pack");
        let call = self.read(["-c", "pack.packSizeLimit=0", "pack-objects", "--revs", "--quiet"]);
        let call = call.args(["--no-reuse-delta", "--no-reuse-object", "--threads=1"]);
        let call = call.args(["--window=0", "--depth=0", "--compression=6"]).arg(&base);
        let name = call.input(revisions.into_bytes()).run()?.line();
        Ok(folder.join(format!("pack-{name}.pack")))
    }
}

/// The objects of a pack that lies in a folder of its own, by name: what they are is computed from what is in them. It
/// needs no repository. The pack must have been looked through before: objects of a reasonable size, and no differences.
pub fn objects_in(pack: &Path, format: ObjectFormat) -> Result<Vec<PackedObject>, GitError> {
    let git = Git::find()?;
    let folder = tollgate_files::folder_of(pack);
    let format = match format {
        ObjectFormat::Sha1 => "--object-format=sha1",
        ObjectFormat::Sha256 => "--object-format=sha256",
    };
    // No repository around the temporary folder has a say.
    let alone = |call: GitCall| {
        let call = call.args(["-c", "core.bigFileThreshold=8m", "-c", "pack.threads=1"]);
        call.env("GIT_CEILING_DIRECTORIES", "/").folder(folder).ending_with_us()
    };
    let (index, beside) = (folder.join("checked.idx"), pack.with_extension("idx"));
    let call = alone(git.call(Configuration::Ours)).args(["index-pack", format, "-o"]);
    call.args([&index, pack]).run()?;
    std::fs::rename(&index, &beside).map_err(|cause| GitError::CouldNotRun {
        command: "git index-pack".to_owned(),
        folder: folder.to_owned(),
        cause,
    })?;
    let call = alone(git.call(Configuration::Ours)).args(["verify-pack", format, "-v"]);
    let listed = call.arg(&beside).run()?.stdout;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    Ok(listed.lines().filter_map(PackedObject::parse).collect())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedObject {
    pub name: String,
    pub is_commit: bool,
}

impl PackedObject {
    /// `NAME TYPE SIZE …`; the lines after the objects begin with words.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let (name, kind) = (words.next()?, words.next()?);
        let is_name = name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_name.then(|| Self { name: name.to_owned(), is_commit: kind == "commit" })
    }
}
