//! What nobody needs any more of sessions that have ended.

use super::{Reason, RemovalError, Unmerged, end_all, finish, has_ended, out_of_sight, view};
use crate::client::LockError;
use crate::context::{Context, has_folder};
use crate::sessions;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use tollgate_core::id::SessionName;
use tollgate_core::time::Timestamp;
use tollgate_files::crash;
use tollgate_files::disk::disk_use;
use tollgate_files::layout::{self, Layout, SessionLayout};
use tollgate_git::repository::{ForgetError, Refs, Tips};
use tollgate_git::workspace;
use tollgate_snapshot::{Retention, Snapshots};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// What agents, checks and their supervisors printed.
const TRANSCRIPTS: [&str; 3] = ["stdout.log", "stderr.log", "supervisor.log"];

/// Something that can go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// Of a session that has ended, or that is gone.
    Workspaces {
        session: SessionName,
        homes: Vec<PathBuf>,
        bytes: u64,
    },
    Transcripts {
        session: SessionName,
        files: Vec<PathBuf>,
        bytes: u64,
    },
    /// The branch and the hidden refs of a session whose work is merged.
    Refs {
        session: SessionName,
        tips: Tips,
    },
    Snapshots {
        count: usize,
    },
}

impl Item {
    fn session(&self) -> Option<&SessionName> {
        match self {
            Self::Workspaces { session, .. }
            | Self::Transcripts { session, .. }
            | Self::Refs { session, .. } => Some(session),
            Self::Snapshots { .. } => None,
        }
    }
}

/// A session that holds something, and why it stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub session: SessionName,
    pub why: Reason,
}

/// What was freed, or would be.
#[derive(Debug, Default)]
pub struct Freed {
    pub items: Vec<Item>,
    pub kept: Vec<Kept>,
}

impl Freed {
    pub fn bytes(&self) -> u64 {
        let bytes = |item: &Item| match item {
            Item::Workspaces { bytes, .. } | Item::Transcripts { bytes, .. } => *bytes,
            Item::Refs { .. } | Item::Snapshots { .. } => 0,
        };
        self.items.iter().map(bytes).sum()
    }
}

/// Looks for what can go; nothing is changed.
pub fn plan(context: &Context, now: Timestamp) -> Result<Freed, RemovalError> {
    let look = Look::now(context, now)?;
    let mut found = Freed::default();
    for session in sessions::list(&context.layout)? {
        look.of_session(&session, &mut found)?;
    }
    let gone = look.left_of_gone_sessions().into_iter();
    found.items.extend(gone.map(|(session, homes)| workspaces(&session, homes)));
    let count = snapshots(context).outdated(now, retention(context))?;
    if count > 0 {
        found.items.push(Item::Snapshots { count });
    }
    Ok(found)
}

/// Frees what can go. What a running process holds is left to the next time.
pub fn collect(context: &Context, now: Timestamp) -> Result<Freed, RemovalError> {
    finish(context)?;
    let planned = plan(context, now)?;
    let mut freed = Freed { items: Vec::new(), kept: planned.kept };
    let mut sessions: Vec<&SessionName> = planned.items.iter().filter_map(Item::session).collect();
    // What there is of one session is planned together.
    sessions.dedup();
    for session in sessions {
        free_session(context, session, now, &mut freed)?;
    }
    for item in planned.items.into_iter().filter(|item| item.session().is_none()) {
        snapshots(context).tidy(now, retention(context))?;
        freed.items.push(item);
    }
    sessions::forget_disk_use(&context.state_home, context.repository.root());
    Ok(freed)
}

/// What was planned may have changed by the time that the session is ours: it is looked at again.
fn free_session(
    context: &Context,
    session: &SessionName,
    now: Timestamp,
    freed: &mut Freed,
) -> Result<(), RemovalError> {
    let _lock = match context.lock_name(session) {
        Err(LockError::Held { .. }) => return Ok(()),
        lock => lock?,
    };
    let look = Look::now(context, now)?;
    let mut found = Freed::default();
    if context.session_layout(session).folder().is_dir() {
        look.of_session(session, &mut found)?;
    } else if let Some(homes) = look.left_of_gone_sessions().remove(session) {
        found.items.push(workspaces(session, homes));
    }
    for item in found.items {
        if free(context, &item)? {
            freed.items.push(item);
        }
    }
    found.kept.retain(|kept| !freed.kept.contains(kept));
    freed.kept.extend(found.kept);
    Ok(())
}

/// What is there at one moment.
struct Look<'a> {
    context: &'a Context,
    now: Timestamp,
    refs: Refs,
    worktrees: Vec<Layout>,
}

impl<'a> Look<'a> {
    fn now(context: &'a Context, now: Timestamp) -> Result<Self, RemovalError> {
        let (refs, worktrees) = (context.repository.refs()?, context.worktrees()?);
        Ok(Self { context, now, refs, worktrees })
    }

    fn of_session(&self, session: &SessionName, found: &mut Freed) -> Result<(), RemovalError> {
        let context = self.context;
        let keep = |why| Kept { session: session.clone(), why };
        let view = match view(context, session) {
            Ok(view) => view,
            Err(why) => {
                found.kept.push(keep(why));
                return Ok(());
            }
        };
        if !has_ended(&view) {
            return Ok(());
        }
        let gc = &context.config.gc;
        let is_old = |days| self.is_old(view.updated_at, days);
        let homes = sessions::homes(&context.state_home, context.repository.root(), session);
        if is_old(gc.workspace_days) && !homes.is_empty() {
            found.items.push(workspaces(session, homes));
        }
        let files = transcripts(&context.session_layout(session));
        if is_old(gc.transcript_days) && !files.is_empty() {
            let bytes = files.iter().map(|file| disk_use(file)).sum();
            found.items.push(Item::Transcripts { session: session.clone(), files, bytes });
        }
        let tips = self.refs.of_work(session);
        if tips.is_empty() {
            return Ok(());
        }
        match Unmerged::of(&context.repository, &view, &self.refs)? {
            Some(work) => found.kept.push(keep(Reason::Unmerged(work))),
            None if is_old(gc.ref_days) => {
                found.items.push(Item::Refs { session: session.clone(), tips });
            }
            None => {}
        }
        Ok(())
    }

    /// Workspaces of sessions whose folder somebody deleted by hand.
    fn left_of_gone_sessions(&self) -> BTreeMap<SessionName, Vec<PathBuf>> {
        let context = self.context;
        let folder = layout::workspaces(&context.state_home, context.repository.root());
        let mut left = BTreeMap::<SessionName, Vec<PathBuf>>::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let session = name.split('~').next().unwrap_or_default();
            let Ok(session) = SessionName::parse(session) else { continue };
            if self.is_gone(&session)
                && self.is_old(changed_at(&entry), context.config.gc.workspace_days)
            {
                left.entry(session).or_default().push(entry.path());
            }
        }
        left
    }

    fn is_gone(&self, session: &SessionName) -> bool {
        !has_folder(&self.worktrees, session)
    }

    fn is_old(&self, since: Timestamp, days: u32) -> bool {
        self.now.ms_since(since) >= u64::from(days) * DAY_MS
    }
}

fn changed_at(entry: &std::fs::DirEntry) -> Timestamp {
    let changed = entry.metadata().ok().and_then(|found| found.modified().ok());
    let changed = changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let ms = changed.map_or(i64::MAX, |at| i64::try_from(at.as_millis()).unwrap_or(0));
    Timestamp::from_ms(ms)
}

fn workspaces(session: &SessionName, homes: Vec<PathBuf>) -> Item {
    let bytes = homes.iter().map(|home| disk_use(home)).sum();
    Item::Workspaces { session: session.clone(), homes, bytes }
}

/// Of a session that is ours. False when something of it stays.
fn free(context: &Context, item: &Item) -> Result<bool, RemovalError> {
    match item {
        Item::Workspaces { session, homes, .. } => {
            end_all(context, session)?;
            for home in homes {
                let doomed = out_of_sight(home)?;
                crash::point("gc.workspace_renamed");
                workspace::remove(&doomed)?;
            }
        }
        Item::Transcripts { files, .. } => {
            for file in files {
                workspace::remove(file)?;
                crash::point("gc.transcript_gone");
            }
        }
        Item::Refs { tips, .. } => {
            let stayed = match context.repository.forget(tips) {
                // The person works on it.
                Err(ForgetError::CheckedOut { .. }) => return Ok(false),
                stayed => stayed?,
            };
            crash::point("gc.refs_gone");
            return Ok(stayed.is_empty());
        }
        Item::Snapshots { .. } => {}
    }
    Ok(true)
}

fn snapshots(context: &Context) -> Snapshots {
    Snapshots::of(context.repository.root())
}

fn retention(context: &Context) -> Retention {
    let table = &context.config.snapshot;
    Retention { keep: table.keep, days: table.days }
}

fn transcripts(session: &SessionLayout) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in [session.dispatches(), session.checks()] {
        gather(&folder, &mut found);
    }
    found.sort();
    found
}

/// Links are not followed.
fn gather(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            gather(&entry.path(), found);
        } else if TRANSCRIPTS.iter().any(|name| entry.file_name() == *name) {
            found.push(entry.path());
        }
    }
}
