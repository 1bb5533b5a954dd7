//! Snapshots and restores beside what people would use instead, on the same tree in the same run.

use super::{MeasuredRow, announce, ms};
use crate::{repos, scratch, timing};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tollgate_files::clock;
use tollgate_snapshot::{Retention, SnapshotScope, Snapshots, take};
use xtask::{Trouble, run};

/// Files of a tree, and how often the unchanged ones are measured.
const SIZES: [(u32, usize); 2] = [(10_000, 9), (100_000, 5)];
/// How many files are damaged before a restore.
const DAMAGED: u32 = 100;
/// Many enough that nothing is removed while we measure: that is a matter of its own.
const RETENTION: Retention = Retention { keep: 1000, days: 1000 };

pub fn measure() -> Result<Vec<MeasuredRow>, Trouble> {
    let mut rows = Vec::new();
    for (files, runs) in SIZES {
        announce(&format!("snapshots of {files} files"));
        rows.extend(of_size(files, runs)?);
    }
    Ok(rows)
}

fn of_size(files: u32, runs: usize) -> Result<Vec<MeasuredRow>, Trouble> {
    let folder = scratch()?;
    let root = repos::fresh(folder.path(), files)?;
    let status = timing::median(runs, || {
        run::read(repos::git(&root).args(["status", "--porcelain"])).map(drop)
    })?;
    let others = Others::measure(folder.path(), &root, runs)?;
    let snapshots = Snapshots::of(&root);
    let create = || {
        Ok::<_, Trouble>(snapshots.take(
            "bench",
            &SnapshotScope::whole(),
            clock::now(),
            RETENTION,
        )?)
    };
    let first = timed(|| create().map(drop))?;
    let unchanged = timing::median(runs, || create().map(drop))?;
    let before_action = timing::median(runs, || {
        let (now, Retention { keep, days }) = (clock::now(), RETENTION);
        Ok(take(&root, "action", &[], now, keep, days, &Arc::default()).map(drop)?)
    })?;
    let target = create()?;
    let restored = timing::median(3, || {
        damage(&root)?;
        Ok(snapshots.restore(&target, clock::now(), RETENTION).map(drop)?)
    })?;
    for entry in std::fs::read_dir(&root)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("folder")) {
            std::fs::remove_dir_all(path)?;
        }
    }
    let whole = timed(|| Ok(snapshots.restore(&target, clock::now(), RETENTION).map(drop)?))?;
    let row = |what: &str, measured, runs| {
        MeasuredRow::new(format!("{what}, {files} files"), measured, runs)
    };
    Ok(vec![
        row("snapshot, the first", format!("{}; {}", ms(first), others.first(first)), 1),
        row(
            "snapshot, unchanged",
            format!("{}; {}", ms(unchanged), others.again(unchanged, status)),
            runs,
        )
        .aim("at most twice git status, never slower than the others"),
        row(
            "snapshot before an action, unchanged",
            format!("{}; {}", ms(before_action), others.again(before_action, status)),
            runs,
        )
        .aim("at most twice git status, never slower than the others"),
        row("restore, 100 files damaged", ms(restored), 3),
        row("restore, all files gone", format!("{}; {}", ms(whole), others.first(whole)), 1),
    ])
}

/// What the same costs otherwise.
struct Others {
    copy_first: Duration,
    copy_again: Duration,
    /// The first and an unchanged one; none where there is no rsync.
    rsync: Option<(Duration, Duration)>,
    /// Of one untracked file; what is tracked and unchanged costs git nothing here.
    stash: Duration,
}

impl Others {
    fn measure(folder: &Path, root: &Path, runs: usize) -> Result<Self, Trouble> {
        let mut number = 0;
        let mut copy = |program: &str, more: &[String]| {
            number += 1;
            let to = folder.join(format!("copy-{number}"));
            run::must(Command::new(program).args(more).arg(root).arg(&to)).map(|()| to)
        };
        let begin = Instant::now();
        copy("cp", &["-a".to_owned()])?;
        let copy_first = begin.elapsed();
        let copy_again = timed(|| copy("cp", &["-a".to_owned()]).map(drop))?;
        let rsync = if run::succeeds(Command::new("rsync").arg("--version")) {
            let begin = Instant::now();
            let kept = copy("rsync", &["-a".to_owned()])?;
            let first = begin.elapsed();
            let link = format!("--link-dest={}", kept.display());
            let again = timing::median(runs.min(3), || {
                copy("rsync", &["-a".to_owned(), link.clone()]).map(drop)
            })?;
            Some((first, again))
        } else {
            None
        };
        let stash = timing::median(runs.min(3), || {
            std::fs::write(root.join("untracked"), "work in progress")?;
            let identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"];
            let mut git = repos::git(root);
            run::read(git.args(identity).args(["stash", "push", "--quiet", "--include-untracked"]))
                .map(drop)
        })?;
        Ok(Self { copy_first, copy_again, rsync, stash })
    }

    fn first(&self, ours: Duration) -> String {
        let rsync = self.rsync.map(|(first, _)| first);
        let parts = [
            ratio(ours, "cp -a", Some(self.copy_first)),
            ratio(ours, "rsync -a", rsync),
            ratio(ours, "git stash -u", Some(self.stash)),
        ];
        parts.join(", ")
    }

    fn again(&self, ours: Duration, status: Duration) -> String {
        let rsync = self.rsync.map(|(_, again)| again);
        let parts = [
            ratio(ours, "git status", Some(status)),
            ratio(ours, "cp -a", Some(self.copy_again)),
            ratio(ours, "rsync --link-dest", rsync),
            ratio(ours, "git stash -u", Some(self.stash)),
        ];
        parts.join(", ")
    }
}

fn ratio(ours: Duration, what: &str, theirs: Option<Duration>) -> String {
    match theirs {
        Some(theirs) => {
            format!("{:.2} of {what} ({})", ours.as_secs_f64() / theirs.as_secs_f64(), ms(theirs))
        }
        None => format!("{what} is not installed"),
    }
}

fn damage(root: &Path) -> Result<(), Trouble> {
    for number in 0..DAMAGED {
        let folder = root.join(format!("folder{number:05}"));
        match number % 3 {
            0 => std::fs::write(folder.join("file00.txt"), "damaged")?,
            1 => std::fs::remove_file(folder.join("file01.txt"))?,
            _ => std::fs::write(folder.join("new"), "new")?,
        }
    }
    Ok(())
}

fn timed(once: impl FnOnce() -> Result<(), Trouble>) -> Result<Duration, Trouble> {
    let begin = Instant::now();
    once()?;
    Ok(begin.elapsed())
}
