//! Going back: first what would happen, then a yes, then the deed.

use super::{failure, retention, words};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use anstyle::Style;
use tollgate_files::clock;
use tollgate_git::repository::Repository;
use tollgate_snapshot::{RestorePlan, Restored, Snapshot, Snapshots};

/// Enough to recognise what is meant, and little enough to read.
const PATHS_SHOWN_MAX: usize = 40;

pub fn restore(
    repository: &Repository,
    snapshots: &Snapshots,
    target: Snapshot,
    yes: bool,
) -> Result<Exit, Failure> {
    let plan = shown_plan(snapshots, &target)?;
    if plan.is_empty() && snapshots.unfinished().is_none() {
        return Ok(Exit::Ok);
    }
    let again = format!("tollgate snapshot restore {} --yes", target.id);
    if !agreed(yes, &again)? {
        return Ok(refused());
    }
    let done = snapshots.restore(&target, clock::now(), retention(repository)).map_err(failure)?;
    tell(&done);
    Ok(Exit::Ok)
}

pub fn undo(repository: &Repository, snapshots: &Snapshots, yes: bool) -> Result<Exit, Failure> {
    let target = snapshots.undoable().map_err(failure)?;
    shown_plan(snapshots, &target)?;
    if !agreed(yes, "tollgate snapshot undo --yes")? {
        return Ok(refused());
    }
    let done = snapshots.undo(clock::now(), retention(repository)).map_err(failure)?;
    tell(&done);
    Ok(Exit::Ok)
}

fn shown_plan(snapshots: &Snapshots, target: &Snapshot) -> Result<RestorePlan, Failure> {
    let plan = snapshots.show(target.clone()).map_err(failure)?.plan;
    output::talk(&format!("{}, taken at {}", target.id, target.taken_at));
    output::quoted(Style::new(), &words::plan(&plan, PATHS_SHOWN_MAX));
    Ok(plan)
}

/// Nobody is asked without a terminal.
fn agreed(yes: bool, again: &str) -> Result<bool, Failure> {
    if yes {
        return Ok(true);
    }
    if !output::is_interactive() {
        let words =
            "files would be replaced, and there is no terminal to ask you; nothing was changed";
        return Err(Failure::usage("cli.snapshot_confirm", words)
            .hint(format!("run `{again}` to do it without a question")));
    }
    output::prompt("Continue? [y/N] ");
    let mut answer = String::new();
    // No answer is no.
    let read = std::io::stdin().read_line(&mut answer).unwrap_or(0);
    Ok(read > 0 && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn refused() -> Exit {
    output::talk("nothing was changed");
    Exit::Fails
}

fn tell(done: &Restored) {
    let Restored { target, plan, undo } = done;
    let text = format!(
        "{target} is restored: {} reverted, {} created, {} deleted",
        plan.revert.len(),
        plan.create.len(),
        plan.delete.len()
    );
    output::marked(output::GOOD, "done:", &text);
    if undo.is_some() {
        output::talk("`tollgate snapshot undo` takes it back");
    }
}
