//! `tollgate snapshot`: keeps the files of the checkout and goes back to them.

mod restore;
mod words;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place, progress};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::sync::Arc;
use tollgate_core::count::counted;
use tollgate_core::time::Timestamp;
use tollgate_files::{clock, layout};
use tollgate_git::repository::Repository;
use tollgate_host::context::Context;
use tollgate_host::settings;
use tollgate_snapshot::{
    self as snapshot, ReadSoFar, Retention, Snapshot, SnapshotDetails, SnapshotError,
    SnapshotScope, Snapshots,
};

/// Save the files of this checkout, and restore them
///
/// A snapshot contains every file, symlink and folder with its mode, including untracked and ignored ones. It never
/// contains, and a restore never touches, .git, .snapshots, .agents-work, logs and .artifacts-failed. Every action
/// takes a snapshot before it starts.
#[derive(Debug, Args)]
#[command(
    after_help = "ID is a name, a unique prefix of one, or `latest`, which is the newest one that was not made by a restore.\n\n\
Examples:\n  tollgate snapshot create\n  tollgate snapshot list\n  tollgate snapshot show latest\n  \
tollgate snapshot restore latest\n  tollgate snapshot restore build-2026-02-07 --yes\n  tollgate snapshot undo"
)]
pub struct SnapshotCommand {
    #[command(subcommand)]
    what: SnapshotVerb,
}

#[derive(Debug, Subcommand)]
enum SnapshotVerb {
    /// List the snapshots, newest first
    #[command(after_help = "Examples:\n  tollgate snapshot list\n  tollgate snapshot list --json")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take a snapshot of the whole checkout
    ///
    /// Files that did not change since the last one take no space. By default the newest ten of each kind are kept for
    /// thirty days; `[snapshot]` in tollgate.toml changes that.
    #[command(after_help = "Examples:\n  tollgate snapshot create")]
    Create {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what restoring a snapshot would revert, create and delete
    #[command(after_help = "Examples:\n  tollgate snapshot show latest")]
    Show {
        /// A name, a unique prefix of one, or `latest`
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Restore the files to what they were when a snapshot was taken
    ///
    /// What is replaced or deleted is saved in a snapshot first, and `tollgate snapshot undo` brings it back. If it
    /// is killed halfway, run it again to continue.
    #[command(
        after_help = "Examples:\n  tollgate snapshot restore latest\n  tollgate snapshot restore build-2026-02-07-10-30-00 --yes"
    )]
    Restore {
        /// A name, a unique prefix of one, or `latest`
        id: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Undo the last restore
    ///
    /// The files become what they were right before it. A second undo undoes the first one.
    Undo {
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Delete a snapshot, and free the space that only it used
    Delete {
        /// A name, a unique prefix of one, or `latest`
        id: String,
    },
}

impl SnapshotCommand {
    pub fn run(self) -> Result<Exit, Failure> {
        let repository = Repository::discover(&place::here()?)?;
        let snapshots = Snapshots::of(repository.root());
        match self.what {
            SnapshotVerb::List { json } => list(&snapshots, json),
            SnapshotVerb::Create { json } => create(&repository, &snapshots, json),
            SnapshotVerb::Show { id, json } => show(&snapshots, &id, json),
            SnapshotVerb::Restore { id, yes } => {
                let target = snapshots.find(&id).map_err(failure)?;
                restore::restore(&repository, &snapshots, target, yes)
            }
            SnapshotVerb::Undo { yes } => restore::undo(&repository, &snapshots, yes),
            SnapshotVerb::Delete { id } => {
                let snapshot = snapshots.find(&id).map_err(failure)?;
                snapshots.delete(&snapshot).map_err(failure)?;
                output::talk(&format!("{} is gone", snapshot.id));
                Ok(Exit::Ok)
            }
        }
    }
}

/// One snapshot as scripts read it.
#[derive(Debug, Serialize)]
struct SnapshotRow {
    id: String,
    action: String,
    taken_at: Timestamp,
    files: u64,
    bytes: u64,
}

impl From<&Snapshot> for SnapshotRow {
    fn from(snapshot: &Snapshot) -> Self {
        Self {
            id: snapshot.id.to_string(),
            action: snapshot.action.clone(),
            taken_at: snapshot.taken_at,
            files: snapshot.files,
            bytes: snapshot.bytes,
        }
    }
}

fn list(snapshots: &Snapshots, json: bool) -> Result<Exit, Failure> {
    let all = snapshots.list().map_err(failure)?;
    let rows: Vec<SnapshotRow> = all.iter().map(SnapshotRow::from).collect();
    for id in snapshots.damaged().map_err(failure)? {
        let text = format!("{id} is damaged and cannot be used; remove .snapshots/{id} by hand");
        output::marked(output::WARN, "warning:", &text);
    }
    if json {
        output::json(&rows);
        return Ok(Exit::Ok);
    }
    if rows.is_empty() {
        output::talk("there are no snapshots here yet; take one with `tollgate snapshot create`");
        return Ok(Exit::Ok);
    }
    let width = rows.iter().map(|row| row.id.len()).max().unwrap_or(0);
    let mut lines =
        vec![format!("{:<width$}  {:<24}  {:>8}  {:>9}", "ID", "TAKEN", "FILES", "SIZE")];
    for row in &rows {
        let (size, taken_at) = (output::size(row.bytes), row.taken_at.to_string());
        lines.push(format!("{:<width$}  {taken_at:<24}  {:>8}  {size:>9}", row.id, row.files));
    }
    output::data(&lines.join("\n"));
    tell_unfinished(snapshots);
    Ok(Exit::Ok)
}

fn tell_unfinished(snapshots: &Snapshots) {
    if let Some(target) = snapshots.unfinished() {
        let text = format!(
            "the restore of {target} was interrupted; finish it with `tollgate snapshot restore {target}`, or take it back with `tollgate snapshot undo`"
        );
        output::marked(output::WARN, "warning:", &text);
    }
}

fn create(repository: &Repository, snapshots: &Snapshots, json: bool) -> Result<Exit, Failure> {
    let retention = retention(repository);
    let config = settings::config(&layout::Layout::new(repository.root()));
    repository.exclude_own(config.is_ok_and(|config| config.sessions_tracked))?;
    let taken = snapshots
        .take("manual", &SnapshotScope::whole(), clock::now(), retention)
        .map_err(failure)?;
    if json {
        output::json(&SnapshotRow::from(&taken));
        return Ok(Exit::Ok);
    }
    output::data(taken.id.as_str());
    let size = output::size(taken.bytes);
    output::talk(&format!(
        "{} files, {size}; restore them with `tollgate snapshot restore {}`",
        taken.files, taken.id
    ));
    warn_of_large(&taken);
    if taken.left_out > 0 {
        let text = format!(
            "{} paths are not in it; `tollgate snapshot show {}` lists them",
            taken.left_out, taken.id
        );
        output::marked(output::WARN, "warning:", &text);
    }
    Ok(Exit::Ok)
}

/// What the checkout holds before an action, for a rollback; ignored files are left out.
pub fn take(context: &Context, action: &str) -> Result<String, Failure> {
    context.repository.exclude_own(context.config.sessions_tracked)?;
    let keeping = &context.config.snapshot;
    let root = context.repository.root();
    let read = Arc::<ReadSoFar>::default();
    let so_far = read.clone();
    let amount = move || match so_far.files() {
        0 => String::new(),
        files => format!(": {}, {}", counted(files, "file"), output::size(so_far.bytes())),
    };
    let taken = progress::busy("a snapshot of your checkout is taken", amount, || {
        snapshot::take(root, action, &[], clock::now(), keeping.keep, keeping.days, &read)
    });
    let taken = taken.map_err(failure)?;
    warn_of_large(&taken);
    Ok(taken.id.to_string())
}

/// What a restore will not bring back because of its size.
fn warn_of_large(taken: &Snapshot) {
    for path in &taken.large {
        let path = words::path(path.as_bytes());
        let text = format!("{path} is larger than 1 GiB and is not in the snapshot {}", taken.id);
        output::marked(output::WARN, "warning:", &text);
    }
}

fn show(snapshots: &Snapshots, id: &str, json: bool) -> Result<Exit, Failure> {
    let snapshot = snapshots.find(id).map_err(failure)?;
    let shown = snapshots.show(snapshot).map_err(failure)?;
    if json {
        output::json(&words::plan_json(&shown));
        return Ok(Exit::Ok);
    }
    let SnapshotDetails { snapshot, plan, left_out } = &shown;
    let size = output::size(snapshot.bytes);
    output::data(&format!(
        "{}\ntaken at {}, {} files, {size}; their contents are in .snapshots/store by the SHA-256 of the manifest",
        snapshot.id, snapshot.taken_at, snapshot.files
    ));
    output::data(&words::plan(plan, usize::MAX));
    for left in left_out {
        let path = words::path(&left.path);
        output::data(&format!("  not in it   {path} ({})", left.why.as_str()));
    }
    Ok(Exit::Ok)
}

/// What tollgate.toml says; going back must work above all when that file is broken.
fn retention(repository: &Repository) -> Retention {
    match settings::config(&layout::Layout::new(repository.root())) {
        Ok(config) => Retention { keep: config.snapshot.keep, days: config.snapshot.days },
        Err(error) => {
            let Retention { keep, days } = Retention::default();
            let text = format!(
                "tollgate.toml cannot be used ({error}); the newest {keep} snapshots of an action are kept, for {days} days. `tollgate check tollgate.toml` shows what is wrong"
            );
            output::marked(output::WARN, "warning:", &text);
            Retention::default()
        }
    }
}

/// What a person is told when a snapshot cannot be taken or used.
pub fn failure(error: SnapshotError) -> Failure {
    let words = error.to_string();
    match error {
        SnapshotError::Busy => Failure::new(Exit::Owned, "cli.snapshot_busy", words),
        SnapshotError::Io { .. } | SnapshotError::Moved { .. } | SnapshotError::InTheWay { .. } => {
            Failure::new(Exit::Fails, "cli.snapshot_failed", words)
        }
        _ => Failure::usage("cli.snapshot", words),
    }
}
