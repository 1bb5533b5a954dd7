//! What the checks of a session run: their commands, and the scripts that these call, one after the other.

use super::commands::{only_reads, simple_commands, tokens};
use super::make::recipe_lines;
use super::package::script_lines;
use crate::test_guard::language::{Language, file_name};
use std::collections::{BTreeMap, BTreeSet};

/// The commands and the files that they run, as they were before the change.
#[derive(Debug, Clone, Default)]
pub struct Steering {
    pub commands: Vec<String>,
    /// Each with the file that calls it; the first ones are called by a command.
    scripts: BTreeMap<String, Script>,
}

#[derive(Debug, Clone)]
struct Script {
    text: String,
    /// The command, or the path of the script that names it.
    by: String,
}

/// A script that calls one that calls one: what lies deeper is no longer a wrapper of the check.
const DEPTH_MAX: usize = 4;
/// More than a check that a person wrote runs through.
const SCRIPTS_MAX: usize = 200;

impl Steering {
    /// Follows the commands. `read` gives the text of each path before the change, none where there is no such file.
    pub fn find<E>(
        commands: &[String],
        mut read: impl FnMut(&[String]) -> Result<Vec<Option<String>>, E>,
    ) -> Result<Self, E> {
        let mut steering = Self { commands: commands.to_vec(), scripts: BTreeMap::new() };
        let mut wanted: Vec<(String, String)> = commands
            .iter()
            .flat_map(|command| named(command, "").into_iter().map(|path| (path, command.clone())))
            .collect();
        let mut seen = BTreeSet::new();
        for _ in 0..DEPTH_MAX {
            wanted.retain(|(path, _)| seen.insert(path.clone()));
            wanted.truncate(SCRIPTS_MAX.saturating_sub(steering.scripts.len()));
            if wanted.is_empty() {
                break;
            }
            let paths: Vec<String> = wanted.iter().map(|(path, _)| path.clone()).collect();
            let texts = read(&paths)?;
            let mut next = Vec::new();
            for ((path, by), text) in wanted.into_iter().zip(texts) {
                let Some(text) = text else { continue };
                let called = called(&path, &text, commands);
                next.extend(called.into_iter().map(|name| (name, path.clone())));
                steering.scripts.insert(path, Script { text, by });
            }
            wanted = next;
        }
        Ok(steering)
    }

    /// Which command or script runs this file; none where it is not run.
    pub(in crate::test_guard) fn runner_of(&self, path: &str) -> Option<&str> {
        self.scripts.get(path).map(|script| script.by.as_str())
    }

    /// Command lines and scripts, as one text to look for a tool in.
    pub(in crate::test_guard) fn mentions(&self, tool: &str) -> bool {
        let texts = self.commands.iter().chain(self.scripts.values().map(|script| &script.text));
        texts.into_iter().any(|text| {
            text.split(|c: char| !c.is_alphanumeric() && !"-_.".contains(c))
                .any(|word| word == tool)
        })
    }
}

/// What a script calls: other scripts from a shell, the recipes of a Makefile, the scripts of a package.
fn called(path: &str, text: &str, commands: &[String]) -> Vec<String> {
    const TEXT_BYTES_MAX: usize = 256 * 1024;
    if text.len() > TEXT_BYTES_MAX {
        return Vec::new();
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let lines = match file_name(path) {
        "package.json" => script_lines(text),
        name if is_makefile(name) => recipe_lines(text, commands),
        _ if is_shell(path, text) => text.to_owned(),
        _ => return Vec::new(),
    };
    let mut all = named(&lines, "");
    all.extend(named(&lines, folder));
    all.dedup();
    all
}

fn is_makefile(name: &str) -> bool {
    matches!(name, "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile" | ".justfile")
        || name.ends_with(".mk")
}

fn is_shell(path: &str, text: &str) -> bool {
    let by_name = Language::of(path) == Some(Language::Shell);
    let first = text.lines().next().unwrap_or_default();
    by_name || (first.starts_with("#!") && first.contains("sh")) || !file_name(path).contains('.')
}

/// Paths that commands run or source, from the repository's root.
fn named(commands: &str, folder: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut inside = folder.to_owned();
    for line in commands.lines().filter(|line| !line.trim_start().starts_with('#')) {
        for (part, is_piped) in simple_commands(line) {
            let words: Vec<&str> = tokens(part).filter(|w| *w != "!").collect();
            let Some(program) = words.iter().find(|word| !word.contains('=')) else { continue };
            if *program == "cd" {
                let to = words.get(1).copied().unwrap_or_default();
                inside = join(folder, to);
                continue;
            }
            if only_reads(program, &words, is_piped) {
                continue;
            }
            for word in &words {
                all.extend(candidates(word, &inside, folder));
            }
            all.extend(implied(program, &inside));
        }
    }
    all
}

fn candidates(word: &str, inside: &str, folder: &str) -> Vec<String> {
    let word = word.trim_start_matches(['@', '-', '<', '>', '$', '{', '`']);
    let word = word.split_once('=').map_or(word, |(_, value)| value);
    // `"$(dirname "$0")/lib.sh"` names what lies beside the script.
    let word = word.rsplit_once('}').map_or(word, |(_, rest)| rest);
    let word = word.trim_start_matches('/').trim_end_matches(['`', '\\', ',', ')']);
    let is_path = word.len() > 1
        && word.len() < 200
        && word.chars().all(|c| c.is_alphanumeric() || "._-/+@".contains(c))
        && word.chars().any(char::is_alphabetic);
    if !is_path {
        return Vec::new();
    }
    let mut all = vec![join(inside, word)];
    if inside != folder {
        all.push(join(folder, word));
    }
    all
}

/// Files that a program reads without being told.
fn implied(program: &str, folder: &str) -> Vec<String> {
    let names: &[&str] = match file_name(program) {
        "make" | "gmake" => &["GNUmakefile", "makefile", "Makefile"],
        "npm" | "pnpm" | "yarn" | "bun" | "npx" => &["package.json"],
        "just" => &["justfile", "Justfile", ".justfile"],
        _ => &[],
    };
    names.iter().map(|name| join(folder, name)).collect()
}

fn join(folder: &str, path: &str) -> String {
    let mut steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}
