//! Takes finished work over into the branch that the session started from: by moving it forward, by a merge, or as one commit.

mod message;

use crate::activity::checks::{self, CheckOrder};
use crate::activity::{ActivityError, StopSwitch};
use crate::client::{Client, JournalError, LockError};
use crate::context::{Context, WorkspaceId};
use tollgate_core::event::CheckPurpose;
use tollgate_core::id::{CheckNumber, CommitId, SessionName};
use tollgate_core::view::{Standing, View};
use tollgate_core::work::CheckResult;
use tollgate_files::{self as files, FileError, crash};
use tollgate_git::GitError;
use tollgate_git::repository::{Advance, Refs, Repository, RepositoryError};
use tollgate_git::workspace::{BranchMerge, WorkspaceError, remove};

/// How the work came into the branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The branch moved forward to it.
    FastForward,
    /// The branch had moved: a commit has both as its parents.
    Merge,
    /// One commit has all of it.
    Squash,
    /// It was there already.
    Already,
}

impl Way {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FastForward => "fast-forward",
            Self::Merge => "merge",
            Self::Squash => "squash",
            Self::Already => "already",
        }
    }
}

/// What shows that the files of the branch hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// They are those that passed the checks at the end of the session.
    AtTheEnd,
    /// These checks ran on them.
    Now(Vec<CheckResult>),
    /// The session has no checks.
    ByNothing,
}

/// The work as it is in the branch now.
#[derive(Debug)]
pub struct Landed {
    pub branch: String,
    pub commit: CommitId,
    pub way: Way,
    pub shown: Shown,
    /// How many commits of the session's branch are not of the session, and not in the branch.
    pub left_out: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum LandError {
    #[error("{session} is not done, so there is nothing to merge yet")]
    NotDone { session: SessionName },
    #[error("{session} changed no file, so there is nothing to merge")]
    Nothing { session: SessionName },
    #[error(
        "{session} started from a commit that no branch was at, so no branch is known to merge it into"
    )]
    NoBranch { session: SessionName },
    #[error("branch {branch}, from which {session} started, is gone")]
    BranchGone { session: SessionName, branch: String },
    #[error("branch {branch} and the work of {session} have no commit in common")]
    Unrelated { session: SessionName, branch: String },
    #[error("branch {branch} has moved, and these files do not go together with the work: {}", files.join(", "))]
    Conflicts { branch: String, files: Vec<String> },
    #[error("these files of your checkout are not committed, and the merge would change them: {}", files.join(", "))]
    InTheWay { files: Vec<String> },
    /// On the files of both sides together.
    #[error("the checks fail on {branch} with the work in it")]
    Checks { branch: String, results: Vec<CheckResult> },
    #[error("the merge was interrupted; nothing was changed")]
    Interrupted,
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    #[error(transparent)]
    Activity(#[from] ActivityError),
}

impl From<GitError> for LandError {
    fn from(error: GitError) -> Self {
        Self::Activity(error.into())
    }
}

impl From<WorkspaceError> for LandError {
    fn from(error: WorkspaceError) -> Self {
        Self::Activity(error.into())
    }
}

impl From<FileError> for LandError {
    fn from(error: FileError) -> Self {
        Self::Activity(error.into())
    }
}

/// Whether a commit of a person's branch has the accepted work of a session.
pub fn has_work(
    repository: &Repository,
    view: &View,
    refs: &Refs,
    place: &CommitId,
) -> Result<bool, GitError> {
    let tip = &view.branch.tip;
    if repository.contains(place, tip)? {
        return Ok(true);
    }
    // As one commit it has another history.
    match refs.landed(&view.session, tip) {
        Some(noted) => repository.contains(place, noted),
        None => Ok(false),
    }
}

/// The branch, the work, and whether it becomes one commit.
struct Landing<'a> {
    context: &'a Context,
    view: &'a View,
    branch: String,
    /// Where the branch is.
    from: CommitId,
    is_squash: bool,
}

/// Brings the work of a finished session into its branch. Nothing is changed when it does not succeed.
pub fn land(
    context: &Context,
    session: &SessionName,
    is_squash: bool,
    stop: &StopSwitch,
) -> Result<Landed, LandError> {
    let layout = context.session_layout(session);
    let _lock = context.lock_name(session)?.and_folder(layout.folder())?;
    let mut client = Client::open(layout)?;
    let Some(view) = client.view()? else {
        return Err(LandError::NotDone { session: session.clone() });
    };
    let landing = Landing::of(context, &view, is_squash)?;
    let repository = &context.repository;
    if has_work(repository, &view, &repository.refs()?, &landing.from)? {
        return landing.landed(landing.from.clone(), Way::Already, Shown::ByNothing);
    }
    let commands = client.parts().map(|now| now.final_checks()).unwrap_or_default();
    let (commit, way, shown) = match repository.contains(&view.branch.tip, &landing.from)? {
        true => landing.on_unmoved_branch(&commands)?,
        false => landing.on_moved_branch(commands, stop)?,
    };
    if way != Way::Already {
        landing.refuse_to_overwrite(&commit)?;
        repository.advance(landing.advance(&commit))?;
    }
    repository.note_landed(session, &view.branch.tip, &commit)?;
    crash::point("land.noted");
    landing.landed(commit, way, shown)
}

impl<'a> Landing<'a> {
    fn of(context: &'a Context, view: &'a View, is_squash: bool) -> Result<Self, LandError> {
        let session = || view.session.clone();
        if view.route.standing != Standing::Done {
            return Err(LandError::NotDone { session: session() });
        }
        if !view.branch.has_accepted_work() {
            return Err(LandError::Nothing { session: session() });
        }
        let branch = view.branch.started_from.clone();
        let branch = branch.ok_or_else(|| LandError::NoBranch { session: session() })?;
        let Some(from) = context.repository.tip_of_branch(&branch)? else {
            return Err(LandError::BranchGone { session: session(), branch });
        };
        Ok(Self { context, view, branch, from, is_squash })
    }

    fn advance<'b>(&'b self, to: &'b CommitId) -> Advance<'b> {
        Advance { branch: &self.branch, from: &self.from, to }
    }

    fn landed(&self, commit: CommitId, way: Way, shown: Shown) -> Result<Landed, LandError> {
        let (repository, view) = (&self.context.repository, self.view);
        let left_out = match repository.branch_tip(&view.session)? {
            Some(branch) => repository.count_beyond(&branch, [&view.branch.tip, &commit])?,
            None => 0,
        };
        Ok(Landed { branch: self.branch.clone(), commit, way, shown, left_out })
    }

    /// The files are those that the session ended with, so its own checks hold for them.
    fn on_unmoved_branch(&self, commands: &[String]) -> Result<(CommitId, Way, Shown), LandError> {
        let tip = &self.view.branch.tip;
        self.refuse_to_overwrite(tip)?;
        let shown = if commands.is_empty() { Shown::ByNothing } else { Shown::AtTheEnd };
        Ok(match self.is_squash {
            true => (self.as_one_commit(tip)?, Way::Squash, shown),
            false => (tip.clone(), Way::FastForward, shown),
        })
    }

    /// Both sides together are files that nobody has checked yet.
    fn on_moved_branch(
        &self,
        commands: Vec<String>,
        stop: &StopSwitch,
    ) -> Result<(CommitId, Way, Shown), LandError> {
        let (context, view) = (self.context, self.view);
        let (session, branch) = (&view.session, self.branch.clone());
        let at = context.repository.time_of(&view.branch.tip)?;
        let clone = WorkspaceId::Fresh(at.max(context.repository.time_of(&self.from)?));
        let workspace = context.workspace(session, clone, &view.branch.base, &view.branch.tip)?;
        let message = message::of_merge(context, view);
        let merged = match workspace.merge_into(&self.from, &view.branch.tip, &message)? {
            BranchMerge::Clean(commit) => Ok(commit),
            BranchMerge::Conflicts { files, .. } => Err(LandError::Conflicts { branch, files }),
            BranchMerge::AlreadyIn => Ok(self.from.clone()),
            BranchMerge::Unrelated => {
                Err(LandError::Unrelated { session: session.clone(), branch })
            }
        };
        drop(workspace);
        let checked = merged.and_then(|merged| {
            if context.repository.tree_of(&merged)? == context.repository.tree_of(&self.from)? {
                return Ok((self.from.clone(), Way::Already, Shown::ByNothing));
            }
            self.refuse_to_overwrite(&merged)?;
            let shown = match commands.is_empty() {
                true => Shown::ByNothing,
                false => Shown::Now(self.check(clone, &merged, commands, stop)?),
            };
            Ok(match self.is_squash {
                true => (self.as_one_commit(&merged)?, Way::Squash, shown),
                false => (merged, Way::Merge, shown),
            })
        });
        context.repository.keep_commits(session, &view.branch.base, &view.branch.tip)?;
        // After a kill the next merge finds what its checks came to; once it is decided, nobody needs the clone.
        if !matches!(checked, Err(LandError::Interrupted)) {
            remove(&context.workspace_home(session, clone))?;
        }
        checked
    }

    /// Runs what showed at the end of the session that the work holds, on the files of both sides.
    fn check(
        &self,
        clone: WorkspaceId,
        merged: &CommitId,
        commands: Vec<String>,
        stop: &StopSwitch,
    ) -> Result<Vec<CheckResult>, LandError> {
        let last = self.view.work.checks.last().map_or(0, |run| run.number.0);
        let number = CheckNumber(last + 1);
        let order = CheckOrder {
            number,
            opened_by: merged.to_string(),
            purpose: CheckPurpose::Acceptance { step: 0 },
            commands,
            workspace_id: clone,
            timeout_ms: self.context.config.policy().check_timeout_ms,
            session: self.view.session.clone(),
            base: self.from.clone(),
            tip: merged.clone(),
        };
        let checked = checks::run(self.context, &order, stop)?.ok_or(LandError::Interrupted)?;
        // What failed on the branch before is not the work's doing.
        if checked.results.iter().any(|result| !result.passed && !result.failed_on_base) {
            // Another try runs them again: the machine may have been at fault.
            let runs = self.context.session_layout(&self.view.session).checks();
            files::remove_tree(&runs.join(number.to_string()))?;
            let branch = self.branch.clone();
            return Err(LandError::Checks { branch, results: checked.results });
        }
        Ok(checked.results)
    }

    fn as_one_commit(&self, of: &CommitId) -> Result<CommitId, LandError> {
        let repository = &self.context.repository;
        let tree = repository.tree_of(of)?;
        let message = message::of_squash(self.context, self.view);
        let by = self.context.signer()?;
        let signed = (repository.time_of(of)?, by.as_ref());
        Ok(repository.commit_on(&self.from, &tree, &message, signed)?)
    }

    fn refuse_to_overwrite(&self, to: &CommitId) -> Result<(), LandError> {
        let repository = &self.context.repository;
        let Some(checkout) = repository.checkout_of(&self.branch)? else { return Ok(()) };
        let files = repository.in_the_way(&checkout, self.advance(to))?;
        if files.is_empty() { Ok(()) } else { Err(LandError::InTheWay { files }) }
    }
}
