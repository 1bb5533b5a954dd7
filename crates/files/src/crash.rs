//! Named places where a test can kill this process. They do nothing without the feature `test-hooks`, which only tests have.

/// Every place, in the order of one run.
pub const POINTS: &[&str] = &[
    "open.folder_made",
    "import.marked",
    "import.documents_copied",
    "journal.created",
    "journal.before_write",
    "journal.written",
    "journal.synced",
    "open.journal_begun",
    "torn_end.saved",
    "torn_end.before_cut",
    "torn_end.cut",
    "aside.kept",
    "inbox.taken",
    "inbox.replied",
    "serve.committed",
    "promote.before_ref",
    "promote.ref_updated",
    "projection.before_take_over",
    "projection.taken_over",
    "projection.before_tasks",
    "projection.after_tasks",
    "projection.before_label",
    "projection.after_label",
    "projection.before_rejections",
    "projection.before_replaced",
    "projection.before_report",
    "evidence.before_write",
    "evidence.appended",
    "projection.before_status",
    "projection.after_status",
    "files.before_write",
    "files.exchanged",
    "files.before_exchange",
    "files.before_rename",
    "files.renamed",
    "beneath.before_rename",
    "beneath.renamed",
    "create.kept",
    "create.before_checkout",
    "create.checked_out",
    "clone.before_rename",
    "create.before_rename",
    "create.renamed",
    "adopt.marked",
    "hold.taken",
    "rescue.before_ref",
    "rescue.ref_written",
    "dispatch.rescued",
    "reset.before_checkout",
    "reset.checked_out",
    "reset.head_written",
    "dispatch.cleaned",
    "dispatch.restored",
    "dispatch.laid_out",
    "dispatch.prepared",
    "dispatch.specified",
    "homes.before_removal",
    "login.listed",
    "login.lent",
    "login.given_back",
    "dispatch.assigned",
    "process.run_unwritten",
    "process.run_written",
    "process.spawned",
    "supervisor.locked",
    "supervisor.started",
    "supervisor.agent_ended",
    "supervisor.outcome_written",
    "dispatch.started",
    "submit.output_written",
    "submit.handed_in",
    "collect.outputs_kept",
    "collect.before_commit",
    "commit.before_stage",
    "commit.staged",
    "commit.tree_written",
    "commit.made",
    "commit.head_written",
    "collect.after_commit",
    "merge.made",
    "merge.kept",
    "base.merged",
    "base.kept",
    "base.joined",
    "checks.before_start",
    "checks.started",
    "checks.ended",
];

/// Places of commands that take finished work over or give it up, in their order.
pub const POINTS_AFTER_THE_END: &[&str] = &[
    "land.before_branch",
    "land.branch_moved",
    "land.noted",
    "gc.workspace_renamed",
    "gc.transcript_gone",
    "gc.refs_gone",
    "remove.before_rename",
    "remove.renamed",
    "remove.refs_gone",
    "remove.workspaces_gone",
    "remove.before_folder",
];

/// Kills this process like a power cut does if `TOLLGATE_CRASH_AT` is `NAME`, or `NAME:N` and this is the Nth time.
/// If `TOLLGATE_CRASH_ONCE` names a file, only the process that can create it dies.
/// If `TOLLGATE_CRASH_LOG` names a file, every point that is reached adds its name there.
#[cfg(feature = "test-hooks")]
pub fn point(name: &'static str) {
    use rustix::process::{Signal, getpid, kill_process};
    use std::sync::atomic::{AtomicU32, Ordering};

    static REACHED: AtomicU32 = AtomicU32::new(0);
    if let Some(log) = std::env::var_os("TOLLGATE_CRASH_LOG") {
        use std::io::Write as _;
        let log = std::fs::OpenOptions::new().create(true).append(true).open(log);
        // A test that finds nothing in its log fails by itself.
        let _ = log.and_then(|mut log| log.write_all(format!("{name}\n").as_bytes()));
    }
    let Ok(wanted) = std::env::var(CRASH_AT) else {
        return;
    };
    let (wanted, nth) = match wanted.split_once(':') {
        Some((wanted, nth)) => (wanted, nth.parse().unwrap_or(1)),
        None => (wanted.as_str(), 1),
    };
    if wanted == name && REACHED.fetch_add(1, Ordering::Relaxed) + 1 == nth {
        // Of several processes with the same order only one shall die.
        let once = std::env::var_os("TOLLGATE_CRASH_ONCE");
        if once.is_some_and(|file| std::fs::File::create_new(file).is_err()) {
            return;
        }
        let _does_not_return = kill_process(getpid(), Signal::KILL);
    }
}

#[cfg(not(feature = "test-hooks"))]
#[inline]
pub fn point(_name: &'static str) {}

/// Kills this process at its Nth call, where the variable says N: before every change to a disk that one thing makes.
#[cfg(feature = "test-hooks")]
pub fn step(variable: &str) {
    use rustix::process::{Signal, getpid, kill_process};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static STEPS: AtomicU64 = AtomicU64::new(0);
    static WANTED: OnceLock<Option<u64>> = OnceLock::new();
    let wanted = WANTED.get_or_init(|| std::env::var(variable).ok()?.parse().ok());
    if *wanted == Some(STEPS.fetch_add(1, Ordering::Relaxed) + 1) {
        let _does_not_return = kill_process(getpid(), Signal::KILL);
    }
}

#[cfg(not(feature = "test-hooks"))]
#[inline]
pub fn step(_variable: &str) {}

/// A supervisor crashes only where a test says that it means the supervisor.
#[cfg(feature = "test-hooks")]
pub fn confine_to_this_process(command: &mut std::process::Command) {
    if std::env::var_os("TOLLGATE_CRASH_IN").is_none_or(|place| place != "supervisor") {
        command.env_remove(CRASH_AT);
    }
}

#[cfg(not(feature = "test-hooks"))]
#[inline]
pub fn confine_to_this_process(_command: &mut std::process::Command) {}

#[cfg(feature = "test-hooks")]
const CRASH_AT: &str = "TOLLGATE_CRASH_AT";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::{POINTS, POINTS_AFTER_THE_END};
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    #[test]
    fn the_list_names_every_point_and_no_other() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut in_sources = BTreeSet::new();
        for folder in fs::read_dir(crates).unwrap() {
            for file in source_files(&folder.unwrap().path().join("src")) {
                let source = fs::read_to_string(file).unwrap();
                for call in source.split("crash::point(\"").skip(1) {
                    in_sources.insert(call.split('"').next().unwrap().to_owned());
                }
            }
        }
        // The marker above is a line of this file, too.
        in_sources.retain(|name| name.contains('.') && !name.contains(')'));
        let names: Vec<&str> = [POINTS, POINTS_AFTER_THE_END].concat();
        let listed: BTreeSet<String> = names.iter().map(ToString::to_string).collect();
        assert_eq!(listed, in_sources);
        assert_eq!(listed.len(), names.len(), "a name is listed twice");
    }

    fn source_files(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries
            .flat_map(|path| if path.is_dir() { source_files(&path) } else { vec![path] })
            .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
            .collect()
    }
}
