//! What nobody needs any more of sessions that have ended.

use super::{Reason, RemovalError, Unmerged, finish, out_of_sight, view};
use crate::context::Context;
use crate::lock::SessionLock;
use crate::sessions;
use std::path::{Path, PathBuf};
use tollgate_core::id::SessionName;
use tollgate_core::time::Timestamp;
use tollgate_core::view::Standing;
use tollgate_files::crash;
use tollgate_files::disk::disk_use;
use tollgate_files::layout::{self, SessionLayout};
use tollgate_git::repository::ForgetError;
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
        session: String,
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
        count: usize,
    },
    Snapshots {
        count: usize,
    },
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
    let mut found = Freed::default();
    let names = sessions::list(&context.layout)?;
    for session in &names {
        of_session(context, session, now, &mut found)?;
    }
    found.items.extend(of_gone_sessions(context, now)?);
    let count = snapshots(context).outdated(now, retention(context))?;
    if count > 0 {
        found.items.push(Item::Snapshots { count });
    }
    Ok(found)
}

/// Frees what can go. What a running process holds is left to the next time.
pub fn collect(context: &Context, now: Timestamp) -> Result<Freed, RemovalError> {
    finish(context)?;
    let mut found = plan(context, now)?;
    let mut freed = Vec::new();
    for item in found.items {
        if free(context, &item, now)? {
            freed.push(item);
        }
    }
    found.items = freed;
    sessions::forget(&context.state_home, context.repository.root());
    Ok(found)
}

fn of_session(
    context: &Context,
    session: &SessionName,
    now: Timestamp,
    found: &mut Freed,
) -> Result<(), RemovalError> {
    let view = match view(context, session) {
        Ok(Some(view)) => view,
        Ok(None) => return Ok(()),
        Err(error) => {
            let why = Reason::Unreadable(error.to_string());
            found.kept.push(Kept { session: session.clone(), why });
            return Ok(());
        }
    };
    if !matches!(view.route.standing, Standing::Done | Standing::Cancelled) {
        return Ok(());
    }
    let age_ms = now.ms_since(view.updated_at);
    let is_old = |days: u32| age_ms >= u64::from(days) * DAY_MS;
    let gc = &context.config.gc;
    let homes = sessions::homes(&context.state_home, context.repository.root(), session);
    if is_old(gc.workspace_days) && !homes.is_empty() {
        let bytes = homes.iter().map(|home| disk_use(home)).sum();
        found.items.push(Item::Workspaces { session: session.to_string(), homes, bytes });
    }
    let files = transcripts(&context.session_layout(session));
    if is_old(gc.transcript_days) && !files.is_empty() {
        let bytes = files.iter().map(|file| disk_use(file)).sum();
        found.items.push(Item::Transcripts { session: session.clone(), files, bytes });
    }
    let count = context.repository.refs_of_work(session)?;
    if count == 0 {
        return Ok(());
    }
    match Unmerged::of(&context.repository, &view)? {
        Some(work) => {
            found.kept.push(Kept { session: session.clone(), why: Reason::Unmerged(work) });
        }
        None if is_old(gc.ref_days) => {
            found.items.push(Item::Refs { session: session.clone(), count });
        }
        None => {}
    }
    Ok(())
}

/// Workspaces of sessions whose folder somebody deleted by hand.
fn of_gone_sessions(context: &Context, now: Timestamp) -> Result<Vec<Item>, RemovalError> {
    let folder = layout::workspaces(&context.state_home, context.repository.root());
    let mut items = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let session = name.split('~').next().unwrap_or_default();
        let Ok(parsed) = SessionName::parse(session) else { continue };
        let is_gone = !context.has_folder(&parsed)?;
        let changed = entry.metadata().ok().and_then(|found| found.modified().ok());
        let changed = changed.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let changed_ms = changed.map_or(i64::MAX, |at| i64::try_from(at.as_millis()).unwrap_or(0));
        let age_ms = now.ms_since(Timestamp::from_ms(changed_ms));
        if is_gone && age_ms >= u64::from(context.config.gc.workspace_days) * DAY_MS {
            let home = entry.path();
            let bytes = disk_use(&home);
            items.push(Item::Workspaces { session: session.to_owned(), homes: vec![home], bytes });
        }
    }
    Ok(items)
}

/// False when a process holds the session just now.
fn free(context: &Context, item: &Item, now: Timestamp) -> Result<bool, RemovalError> {
    let lock =
        |session: &SessionName| SessionLock::acquire_file(&context.session_lock(session)).ok();
    match item {
        Item::Workspaces { session, homes, .. } => {
            let parsed = SessionName::parse(session).ok();
            let Some(_lock) = parsed.as_ref().and_then(lock) else { return Ok(false) };
            for home in homes {
                let doomed = out_of_sight(home)?;
                crash::point("gc.workspace_renamed");
                workspace::remove(&doomed)?;
            }
        }
        Item::Transcripts { session, files, .. } => {
            let Some(_lock) = lock(session) else { return Ok(false) };
            for file in files {
                workspace::remove(file)?;
                crash::point("gc.transcript_gone");
            }
        }
        Item::Refs { session, .. } => {
            let Some(_lock) = lock(session) else { return Ok(false) };
            match context.repository.forget_work(session) {
                // The person works on it.
                Err(ForgetError::CheckedOut { .. }) => return Ok(false),
                gone => gone?,
            }
            crash::point("gc.refs_gone");
        }
        Item::Snapshots { .. } => {
            snapshots(context).tidy(now, retention(context))?;
        }
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
