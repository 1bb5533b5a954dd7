//! Workspace and git of a dispatch that changed one file, in repositories of three sizes.
//!
//! The workspaces are kept beside the repositories: deleting a big tree slows down whatever is made next.

use super::{MeasuredRow, announce, changed, ms};
use crate::{repos, timing};
use std::path::Path;
use std::time::{Duration, Instant};
use tollgate_core::id::{CommitId, DispatchNumber, SessionName, TaskRef};
use tollgate_core::role::Role;
use tollgate_files::clock;
use tollgate_files::layout::workspace_home;
use tollgate_git::repository::Repository;
use tollgate_git::workspace::{CommitMessage, SizeLimits, Workspace, plain_changes};
use xtask::{Trouble, cache, run};

/// Files of a repository, how often it is measured, and the aim.
const SIZES: [(u32, usize, &str); 3] =
    [(100, 15, "under 15 ms"), (10_000, 11, "under 25 ms"), (100_000, 7, "under 135 ms")];
const CHANGED: &str = "folder00000/file00.txt";

pub fn measure(program: &Path) -> Result<Vec<MeasuredRow>, Trouble> {
    let mut rows = Vec::new();
    for (files, runs, aim) in SIZES {
        announce(&format!("git with {files} files"));
        let root = repos::with_files(files)?;
        let status = timing::median(runs, || {
            run::read(repos::git(&root).args(["status", "--porcelain"])).map(drop)
        })?;
        let mut session = Dispatches::open(&root)?;
        session.one()?;
        let mut all: Vec<Parts> = Vec::with_capacity(runs);
        for _ in 0..runs {
            all.push(session.one()?);
        }
        let middle = |part: fn(&Parts) -> Duration| {
            timing::middle(&mut all.iter().map(part).collect::<Vec<_>>())
        };
        let parts = format!(
            "{} = look {} + commit {} + diff {} + promote {}",
            ms(middle(Parts::sum)),
            ms(middle(|p| p.look)),
            ms(middle(|p| p.commit)),
            ms(middle(|p| p.diff)),
            ms(middle(|p| p.promote)),
        );
        let before =
            format!("look {} + fresh .git {}", ms(middle(|p| p.clean)), ms(middle(|p| p.renew)));
        let row = |what: &str, measured| {
            MeasuredRow::new(format!("{what}, {files} files"), measured, runs)
        };
        rows.push(row("git after the agent, one file changed", parts).aim(aim));
        rows.push(row("git before the agent", before));
        rows.push(row("plain `git status`", ms(status)));
        rows.push(row(
            "whole dispatch, one file changed",
            ms(changed::measure(program, &root, runs)?),
        ));
    }
    Ok(rows)
}

/// What each part of one dispatch took.
#[derive(Debug)]
struct Parts {
    clean: Duration,
    renew: Duration,
    look: Duration,
    commit: Duration,
    diff: Duration,
    promote: Duration,
}

impl Parts {
    /// What comes after the agent.
    fn sum(&self) -> Duration {
        self.look + self.commit + self.diff + self.promote
    }
}

/// A session that continues from one bench to the next.
struct Dispatches {
    repository: Repository,
    workspace: Workspace,
    session: SessionName,
    base: CommitId,
    tip: CommitId,
    promoted: Option<CommitId>,
}

impl Dispatches {
    fn open(root: &Path) -> Result<Self, Trouble> {
        let repository = Repository::discover(root)?;
        let session = SessionName::parse("2026-11-15_git")?;
        let base = repository.head()?.commit;
        let promoted = repository.branch_tip(&session)?;
        let tip = promoted.clone().unwrap_or_else(|| base.clone());
        let home = workspace_home(&cache::folder("state")?, repository.root(), &session);
        let workspace = Workspace::create(
            &repository,
            &home,
            &session,
            &base,
            &tip,
            &[],
            SizeLimits::default(),
        )?;
        workspace.adopt(&tip)?;
        // What a bench that was interrupted left.
        workspace.rescue("left-over", "work of a broken-off run")?;
        workspace.reset(&tip)?;
        Ok(Self { repository, workspace, session, base, tip, promoted })
    }

    fn one(&mut self) -> Result<Parts, Trouble> {
        let (_, clean) = timed(|| Ok(self.workspace.rescue("before", "before a dispatch")?))?;
        let (_, renew) = timed(|| Ok(self.workspace.renew_clone()?))?;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
        let content = format!("changed at {} ns\n", now.as_nanos());
        std::fs::write(self.workspace.tree().join(CHANGED), content)?;
        let (changes, look) = timed(|| Ok(self.workspace.changes()?))?;
        let paths: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
        if paths != [CHANGED] {
            return Err(format!("{paths:?} changed instead of {CHANGED}").into());
        }
        let (commit, committing) = timed(|| {
            Ok(self.workspace.commit(&paths, &self.tip, &self.message(), clock::now())?)
        })?;
        let (_, diff) = timed(|| match plain_changes(&changes) {
            Some(plain) => Ok(plain),
            None => Ok(self.workspace.diff(&self.tip, &commit)?),
        })?;
        let (_, promote) = timed(|| {
            let old = self.promoted.as_ref();
            Ok(self.repository.promote(&self.session, old, &commit, &self.base)?)
        })?;
        self.tip = commit.clone();
        self.promoted = Some(commit);
        Ok(Parts { clean, renew, look, commit: committing, diff, promote })
    }

    fn message(&self) -> CommitMessage {
        CommitMessage {
            subject: "Change one file".to_owned(),
            body: "Changed one file, ran its tests, and left the rest as it was.".to_owned(),
            session: self.session.clone(),
            dispatch: DispatchNumber::FIRST,
            role: Role::Coder,
            task: TaskRef::Meta,
            assisted_by: None,
        }
    }
}

fn timed<T>(once: impl FnOnce() -> Result<T, Trouble>) -> Result<(T, Duration), Trouble> {
    let begin = Instant::now();
    let value = once()?;
    Ok((value, begin.elapsed()))
}
