//! One session that somebody looks at. It is read on where it was left, and never locked.

use super::Repo;
use super::chronicle::Chronicle;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
pub use tollgate_agents::OutputReader as Output;
use tollgate_core::allowance::Allowance;
use tollgate_core::id::{Attempt, CommitId, DispatchNumber, SessionName};
use tollgate_core::time::Timestamp;
use tollgate_core::view::{Actor, Audit, Home, Level, QuestionView, ShownFile, Tone, View};
use tollgate_files::layout::{SessionLayout, journal_anchors};
use tollgate_files::sanitize::terminal_text;
use tollgate_git::repository::{ChangedLines, Repository, RepositoryError};
use tollgate_host::changes::{self, Change};
use tollgate_host::client::{Client, JournalError, Verified};
use tollgate_host::kept;

/// A change of more bytes than this is not shown whole anywhere.
const TEXT_BYTES_MAX: usize = 2 << 20;

#[derive(Debug, thiserror::Error)]
pub enum OpenedError {
    #[error("there is no repository of this name")]
    NoRepository,
    #[error("there is no session of this name")]
    NoSession,
    #[error("the session has not started yet")]
    NotBegun,
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Repository(#[from] RepositoryError),
}

/// An event in words, as the log shows it.
#[derive(Debug, Clone)]
pub struct LogLine {
    pub seq: u64,
    pub at: Timestamp,
    pub by: Actor,
    /// Of its record in the journal.
    pub hash: String,
    pub level: Level,
    pub tone: Tone,
    pub mark: &'static str,
    pub text: String,
}

#[derive(Debug)]
pub struct Opened {
    pub repo: Repo,
    pub name: SessionName,
    layout: SessionLayout,
    client: Client,
    lines: Vec<LogLine>,
    chronicle: Chronicle,
    /// Of the journal that was opened.
    inode: u64,
    /// It lies in no repository, so nothing outside of it says how far its journal was.
    is_apart: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    inode: u64,
    bytes: u64,
}

impl Opened {
    pub fn open(repo: Repo, name: SessionName) -> Result<Self, OpenedError> {
        let layout = repo.layout().session(&name);
        let inode = layout.journal().symlink_metadata().map_err(|_| OpenedError::NoSession)?.ino();
        let client = Client::open(layout.clone())?;
        Ok(Self {
            repo,
            name,
            layout,
            client,
            lines: Vec::new(),
            chronicle: Chronicle::default(),
            inode,
            is_apart: false,
        })
    }

    /// A session that was taken out of an archive, into a folder that is laid out as a repository and is none.
    pub fn apart(repo: Repo, name: SessionName) -> Result<Self, OpenedError> {
        Ok(Self { is_apart: true, ..Self::open(repo, name)? })
    }

    pub fn is_apart(&self) -> bool {
        self.is_apart
    }

    /// Reads what was written since the last look. True when something was.
    pub fn look(&mut self) -> Result<bool, OpenedError> {
        let before = self.lines.len();
        let (lines, chronicle) = (&mut self.lines, &mut self.chronicle);
        self.client.follow(|told| {
            chronicle.take(&told);
            let line = told.now.line(told.event);
            let (level, tone, mark, text) = (line.level, line.tone, line.mark, line.text);
            let (by, hash) = (Actor::of(told.event), told.hash.to_owned());
            lines.push(LogLine { seq: told.seq, at: told.at, by, hash, level, tone, mark, text });
        })?;
        Ok(self.lines.len() > before)
    }

    /// It may have been removed, and another session of its name may be there now.
    pub fn is_there(&self) -> bool {
        self.stamp().is_some_and(|stamp| stamp.inode == self.inode)
    }

    /// What changes whenever the journal does; none where it is gone.
    pub fn stamp(&self) -> Option<Stamp> {
        let found = self.layout.journal().symlink_metadata().ok()?;
        Some(Stamp { inode: found.ino(), bytes: found.len() })
    }

    /// All of it as it is now, with what its agents do.
    pub fn view(&mut self) -> Result<View, OpenedError> {
        self.look()?;
        self.client.seen().ok_or(OpenedError::NotBegun)
    }

    /// What it may spend in all, as of the last look.
    pub fn limits(&self) -> Allowance {
        self.client.parts().map(|parts| parts.policy().limits()).unwrap_or_default()
    }

    /// The log so far, as of the last look.
    pub fn lines(&self) -> &[LogLine] {
        &self.lines
    }

    /// What ran from when to when, as of the last look.
    pub fn chronicle(&self) -> &Chronicle {
        &self.chronicle
    }

    pub fn client(&self) -> &Client {
        &self.client
    }

    pub fn layout(&self) -> &SessionLayout {
        &self.layout
    }

    pub fn is_running(&self) -> bool {
        self.client.is_running()
    }

    /// What changed, for whoever has to answer this question.
    pub fn changes(&self, view: &View, question: &QuestionView) -> Vec<Change> {
        changes::all(&self.repo.root, view, question)
    }

    /// A file of a question as it was shown, fit for people; none when it is gone or too large.
    pub fn content(&self, view: &View, file: &ShownFile) -> Option<String> {
        match file.home {
            Home::Session => kept::text(&self.repo.root.join(&file.path)),
            Home::Branch => self.on_branch(view, &file.path),
        }
    }

    /// A file of the session by its name there; none when it is none of the view's artefacts.
    pub fn artefact(&self, view: &View, path: &str) -> Option<String> {
        let known = view.results.artefacts.iter().find(|artefact| artefact.path == path)?;
        kept::text(&self.layout.artefact(&known.path))
    }

    fn on_branch(&self, view: &View, path: &str) -> Option<String> {
        let repository = Repository::discover(&self.repo.root).ok()?;
        let bytes = repository.content(&view.branch.tip, path).ok()?;
        let is_short = bytes.len() <= TEXT_BYTES_MAX;
        is_short.then(|| terminal_text(&String::from_utf8_lossy(&bytes)).into_owned())
    }

    /// What the session changed so far, a file at a time.
    pub fn changed_files(&self, view: &View) -> Result<Vec<ChangedLines>, OpenedError> {
        let (from, to) = (view.branch.compared_with(), &view.branch.tip);
        if from == to {
            return Ok(Vec::new());
        }
        Ok(Repository::discover(&self.repo.root)?.changed_lines(from, to)?)
    }

    /// The patch of these files, of all where none is named; empty where it is too long to be shown.
    pub fn patch(&self, view: &View, paths: &[String]) -> Result<String, OpenedError> {
        self.patch_between(view.branch.compared_with(), &view.branch.tip, paths)
    }

    /// What the accepted work of one dispatch changed; none where nothing of it was accepted.
    pub fn patch_of(&self, number: DispatchNumber) -> Result<Option<String>, OpenedError> {
        let audit = self.audit()?;
        let entry = audit.commits.into_iter().rev().find(|entry| entry.dispatch == number);
        let Some(commit) = entry.map(|entry| entry.commit) else {
            return Ok(None);
        };
        let before = Repository::discover(&self.repo.root)?.parent(&commit)?;
        self.patch_between(&before, &commit, &[]).map(Some)
    }

    fn patch_between(
        &self,
        from: &CommitId,
        to: &CommitId,
        paths: &[String],
    ) -> Result<String, OpenedError> {
        let bytes = Repository::discover(&self.repo.root)?.patch_of(from, to, paths)?;
        // A remark on what is cut has the form of git's remarks on a file.
        let (shown, rest) = match bytes.len() > TEXT_BYTES_MAX {
            true => {
                let end = bytes[..TEXT_BYTES_MAX].iter().rposition(|byte| *byte == b'\n');
                (
                    &bytes[..end.map_or(0, |end| end + 1)],
                    "\\ The rest is too long to be shown here\n",
                )
            }
            false => (bytes.as_slice(), ""),
        };
        Ok(terminal_text(&format!("{}{rest}", String::from_utf8_lossy(shown))).into_owned())
    }

    /// What an agent wrote in an attempt, read from its beginning.
    pub fn output(&self, number: DispatchNumber, attempt: Attempt) -> Output {
        let folder = self.layout.attempt(number, attempt);
        Output::new(&folder.stdout(), &folder.stderr())
    }

    /// What an agent was told; none when it is gone or too large.
    pub fn prompt(&self, number: DispatchNumber, attempt: Attempt) -> Option<String> {
        kept::text(&self.layout.attempt(number, attempt).prompt())
    }

    pub fn audit(&self) -> Result<Audit, OpenedError> {
        let audit = Client::open(self.layout.clone())?.audit()?;
        audit.ok_or(OpenedError::NotBegun)
    }

    /// Whether the chain of the journal holds, and nothing of it is missing.
    pub fn verify(&self, state: Option<&std::path::Path>) -> Result<Verified, OpenedError> {
        let anchors: Vec<PathBuf> = match self.is_apart {
            true => Vec::new(),
            false => {
                let repository = Repository::discover(&self.repo.root)?;
                journal_anchors(state, repository.common_dir(), &self.name)
            }
        };
        Ok(Client::verify(&self.layout, &self.name, &anchors)?)
    }
}
