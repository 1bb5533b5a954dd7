//! Lines about checks: what ran, what came of it, and what a person decided about it.

use super::{Line, Tone, about, detail, short, small};
use crate::event::{CheckPurpose, CheckTree};
use crate::words;
use crate::work::CheckResult;

pub(super) fn checking(purpose: &CheckPurpose, count: usize, tree: CheckTree) -> Line {
    let tree_words = match tree {
        CheckTree::Workspace => "",
        CheckTree::Fresh { .. } => ", in a fresh clone",
    };
    match count {
        0 => small("checks", format!("{purpose}: no commands to run")),
        _ => detail(
            Tone::Quiet,
            "checks",
            format!("{} for {purpose}{tree_words}", crate::count::counted(count, "command")),
        ),
    }
}

pub(super) fn checked(results: &[CheckResult]) -> Line {
    let failed: Vec<String> = results
        .iter()
        .filter(|result| !result.passed)
        .map(|result| {
            let how = words::check_ended(result.trouble.as_deref(), result.exit_code);
            format!("`{}`: {how}", result.command)
        })
        .collect();
    match (results.len(), failed.len()) {
        (0, _) => small("checks", "ended with nothing to run"),
        (all, 0) => detail(Tone::Good, "checks", format!("{all} passed")),
        (all, bad) => {
            let text = format!("{bad} of {all} failed: {}", failed.join("; "));
            detail(Tone::Bad, "checks", text)
        }
    }
}

pub(super) fn checked_by_hand(count: usize) -> Line {
    small("manual", format!("{} settled", crate::count::counted(count, "manual check")))
}

pub(super) fn covered(minimum: u32, reason: &str) -> Line {
    small("coverage", format!("{} % is enough: {}", minimum / 100, short(reason)))
}

pub(super) fn waived(command: &str, reason: &str) -> Line {
    detail(Tone::Warning, "waived", about(&format!("`{}`", short(command)), reason))
}

pub(super) fn taken_on(command: &str) -> Line {
    small("check", format!("`{}` is repaired like any other", short(command)))
}

pub(super) fn replaced(command: &str, with: &str) -> Line {
    let text = format!("`{}` takes the place of `{}`", short(with), short(command));
    detail(Tone::Note, "check", text)
}
