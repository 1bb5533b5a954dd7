//! `tollgate scope` on small and large changes of a large repository, side by side with git in the same rounds.
//!
//! `git diff --name-status` is the peer of two revisions. Of a working tree it sees no untracked file, which scope must
//! list, too; there `git status -uall` answers the same question and is beside it.

use super::{MeasuredRow, announce, ms};
use crate::{repos, scratch, timing};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use xtask::{Trouble, run};

const FILES: u32 = 100_000;
/// How many files are changed, and how often that is measured.
const CHANGED: [(u32, usize); 2] = [(10, 11), (10_000, 7)];
const AIM: &str = "at most 1.5 of git diff --name-status";

const WORK_ITEM: &str = "## Objective\n\nChange files.\n\n## Spec Reference\n\n- Spec: `docs/spec.md`\n- Section(s): All\n\n\
    ## Scope\n\n### In Scope\n\n- `**/*.txt`\n\n### Out of Scope\n\n- `docs/`\n\n\
    ## Acceptance Criteria\n\n- [ ] They are changed\n\n## Context\n\nA bench.\n\n## Constraints\n\nNo others.\n";

pub fn measure(program: &Path) -> Result<Vec<MeasuredRow>, Trouble> {
    let root = repos::of_its_own("scope", FILES)?;
    let folder = scratch()?;
    let item = folder.path().join("item.md");
    std::fs::write(&item, WORK_ITEM)?;
    let scope = |more: &[&str]| {
        let mut command = Command::new(program);
        command.args(["scope", "--json", "--work-item"]).arg(&item).args(more).current_dir(&root);
        command
    };
    let mut rows = Vec::new();
    for (changed, runs) in CHANGED {
        announce(&format!("scope with {changed} of {FILES} files changed"));
        // What a broken-off run left goes away, too.
        run::must(repos::git(&root).args(["checkout", "--quiet", "--force", "--detach", "main"]))?;
        change(&root, changed)?;
        let [diff, status, ours] = side_by_side(
            runs,
            [
                repos::git(&root).args(["diff", "--name-status", "HEAD"]),
                repos::git(&root).args(["status", "--porcelain", "--untracked-files=all"]),
                &mut scope(&[]),
            ],
        )?;
        let row = |what: &str, measured| {
            let what = format!("scope, {changed} of {FILES} files changed, {what}");
            MeasuredRow::new(what, measured, runs).aim(AIM)
        };
        let both = [ratio(ours, "git diff", diff), ratio(ours, "git status -uall", status)];
        rows.push(row("working tree", format!("{}; {}", ms(ours), both.join(", "))));
        let identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"];
        run::must(repos::git(&root).args(identity).args(["commit", "--quiet", "-am", "change"]))?;
        let [diff, ours] = side_by_side(
            runs,
            [
                repos::git(&root).args(["diff", "--name-status", "HEAD~1", "HEAD"]),
                &mut scope(&["--base", "HEAD~1", "--head", "HEAD"]),
            ],
        )?;
        rows.push(row("two commits", format!("{}; {}", ms(ours), ratio(ours, "git diff", diff))));
    }
    run::must(repos::git(&root).args(["checkout", "--quiet", "--force", "--detach", "main"]))?;
    Ok(rows)
}

/// So many files, as evenly spread over the folders as they go.
fn change(root: &Path, files: u32) -> Result<(), Trouble> {
    for number in 0..files {
        let at = number * (FILES / files);
        std::fs::write(root.join(repos::path_of(at)), format!("changed {number}\n"))?;
    }
    Ok(())
}

/// The medians of commands that take turns, after one round that warms the caches.
fn side_by_side<const N: usize>(
    runs: usize,
    mut commands: [&mut Command; N],
) -> Result<[Duration; N], Trouble> {
    let mut times: [Vec<Duration>; N] = std::array::from_fn(|_| Vec::with_capacity(runs));
    for round in 0..=runs {
        for (command, times) in commands.iter_mut().zip(&mut times) {
            let begin = Instant::now();
            run::read(command)?;
            if round > 0 {
                times.push(begin.elapsed());
            }
        }
    }
    Ok(times.map(|mut times| timing::middle(&mut times)))
}

fn ratio(ours: Duration, what: &str, theirs: Duration) -> String {
    format!("{:.2} of {what} ({})", ours.as_secs_f64() / theirs.as_secs_f64(), ms(theirs))
}
