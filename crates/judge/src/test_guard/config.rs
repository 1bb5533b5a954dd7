//! Edits of what runs or judges the checks: scripts of check commands, their targets, and the files of test runners.

mod commands;
mod make;
mod package;
mod parts;
mod settings;
mod shadow;
mod steering;
mod typescript;

use super::language::{self, Language, file_name, is_below};
use super::{FileVersion, Kind, Weakening};

pub use steering::Steering;

/// At most one for a file, the plainest.
pub(super) fn edited(change: &FileVersion<'_>, steering: &Steering) -> Option<Weakening> {
    let path = change.old_path.unwrap_or(change.path);
    let is_moved = change.old_path.is_some_and(|old| old != change.path);
    let stays = change.after.filter(|_| !is_moved);
    let tell = |path: &str, (kind, message)| {
        Some(Weakening { path: path.to_owned(), line: None, kind, message })
    };
    // Where it comes to lie, a moved file is a new one.
    if change.before.is_none() || is_moved {
        let found = change.after.and_then(|text| added(change.path, text, steering));
        if let Some(found) = found {
            return tell(change.path, found);
        }
    }
    let before = change.before?;
    match part_of(path, steering) {
        Some(part @ Part::Remarks(_)) => {
            if let Some(found) = parts::changed(&part, before, stays) {
                return tell(path, found);
            }
        }
        Some(part) => {
            return parts::changed(&part, before, stays).and_then(|found| tell(path, found));
        }
        None => {}
    }
    let message = run_by_a_check(path, before, stays, steering)?;
    tell(path, (Kind::CheckCommand, message))
}

/// A file that was not there can take over from one that was, or leave tests out.
fn added(path: &str, text: &str, steering: &Steering) -> Option<(Kind, String)> {
    if let Some(message) = shadow::shadows(path, steering) {
        return Some((Kind::GateConfig, message));
    }
    let part = part_of(path, steering)?;
    parts::suspicious(&part, text)
}

/// Whether a file can matter to tests or checks at all; an image that no command names cannot.
pub fn matters(path: &str, steering: &Steering) -> bool {
    let is_source = Language::of(path).is_some();
    is_source
        || language::is_snapshot(path)
        || steering.runner_of(path).is_some()
        || is_judged(path, steering)
}

pub(super) fn is_judged(path: &str, steering: &Steering) -> bool {
    part_of(path, steering).is_some() || shadow::shadows(path, steering).is_some()
}

/// What of a file decides about checks.
#[derive(Debug)]
pub(super) enum Part {
    /// All of it; what is only added counts where it leaves tests out.
    All(Comments, &'static [&'static str]),
    /// `scripts` of package.json or composer.json: those that test, and those that commands name.
    Scripts(Vec<String>),
    /// Targets of a Makefile or justfile.
    Targets(Vec<String>),
    /// Tables whose header begins so.
    Tables(&'static [&'static str], &'static [&'static str]),
    /// Lines that hold one of these words, where they were there before.
    Lines(&'static [&'static str]),
    /// Lines that hold one of these words, in a new file too.
    Words(&'static [&'static str]),
    /// Remarks that switch a linter off, which must not become more.
    Remarks(&'static [&'static str]),
    /// The `test` block of a build configuration.
    TestBlock,
    TypeScript,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Comments {
    Hash,
    Slashes,
    Xml,
}

fn part_of(path: &str, steering: &Steering) -> Option<Part> {
    let name = file_name(path);
    if let Some(part) = settings::of(path) {
        return Some(part);
    }
    let run = |runners: &[&str]| commands::run_names(&steering.commands, runners);
    Some(match name {
        "package.json" => Part::Scripts(run(&["npm", "pnpm", "yarn", "bun"])),
        "composer.json" => Part::Scripts(run(&["composer"])),
        "Makefile" | "makefile" | "GNUmakefile" => Part::Targets(run(&["make", "gmake"])),
        "justfile" | "Justfile" | ".justfile" => Part::Targets(run(&["just"])),
        _ if name.ends_with(".mk") => Part::Targets(run(&["make", "gmake"])),
        _ if name.starts_with("tsconfig") && name.ends_with(".json") => Part::TypeScript,
        _ if name.starts_with("vite.config.") => Part::TestBlock,
        _ => return settings::of_tool(path, steering),
    })
}

/// A test file that a command names is changed by everyday work; how it changed is looked at test by test.
fn run_by_a_check(
    path: &str,
    before: &str,
    after: Option<&str>,
    steering: &Steering,
) -> Option<String> {
    let by = steering.runner_of(path)?;
    let is_test = language::of_tests(path).is_some() && !is_runner(path);
    if is_test || is_program(path) || !parts::is_different(before, after, comments_of(path)) {
        return None;
    }
    let what = if after.is_none() { "is gone" } else { "was edited" };
    Some(format!("the check {} runs this file, and it {what}", crate::quote(by)))
}

/// Rust, Java and the like may contain tests anywhere; a command that names such a file runs it as a program.
fn is_runner(path: &str) -> bool {
    let is_marked =
        matches!(file_name(path).rsplit_once('.'), Some((_, "rs" | "java" | "kt" | "kts" | "cs")));
    is_marked && !is_below(path, &["tests", "test"])
}

/// A check may run the very program that is worked on; what only checks has a name or a place that says so.
fn is_program(path: &str) -> bool {
    const CHECKS: &[&str] =
        &["check", "test", "verify", "valid", "lint", "accept", "ci", "run", "smoke", "gate"];
    const FOLDERS: &[&str] = &["scripts", "script", "tools", "ci", ".ci", "hack", "test", "tests"];
    let is_code = Language::of(path)
        .is_some_and(|language| !matches!(language, Language::Shell | Language::Bats));
    let name = file_name(path).to_ascii_lowercase();
    let is_check =
        CHECKS.iter().any(|word| name.starts_with(word) || name.contains(&format!("_{word}")));
    (is_code || is_below(path, &["bin"])) && !is_check && !is_below(path, FOLDERS)
}

fn comments_of(path: &str) -> Comments {
    match Language::of(path) {
        Some(Language::Python | Language::Ruby | Language::Shell) | None => Comments::Hash,
        Some(_) => Comments::Slashes,
    }
}
