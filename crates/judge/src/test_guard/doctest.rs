//! Examples in the documentation of Rust that are run as tests, and those that are marked not to be.

use super::{FileVersion, Kind, Weakening};

pub(super) fn weakened(changes: &[FileVersion<'_>]) -> Vec<Weakening> {
    let rust = changes.iter().filter(|change| change.path.ends_with(".rs"));
    rust.filter_map(|change| {
        let (before, after) = (Examples::of(change.before?), Examples::of(change.after?));
        let line = after
            .marked
            .iter()
            .find(|_| after.run < before.run && after.marked.len() > before.marked.len())?;
        let message = "an example in the documentation no longer runs as a test".to_owned();
        Some(Weakening {
            path: change.path.to_owned(),
            line: Some(*line),
            kind: Kind::Skipped,
            message,
        })
    })
    .collect()
}

#[derive(Debug, Default)]
struct Examples {
    run: usize,
    /// The lines of those that are not run.
    marked: Vec<u32>,
}

impl Examples {
    fn of(text: &str) -> Self {
        let mut all = Self::default();
        let mut is_open = false;
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_start();
            let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            let Some(mark) = comment.and_then(|rest| rest.trim().strip_prefix("```")) else {
                continue;
            };
            if !is_open {
                match mark.split(',').any(|word| {
                    matches!(word.trim(), "ignore" | "no_run" | "text" | "compile_fail")
                }) {
                    true => all.marked.push(number),
                    false => all.run += 1,
                }
            }
            is_open = !is_open;
        }
        all
    }
}
