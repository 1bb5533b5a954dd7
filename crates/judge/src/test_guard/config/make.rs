//! Makefiles and justfiles: the targets that check, what they stand on, and what holds for all of them.

use super::commands::{is_check, run_names};
use std::collections::{BTreeMap, BTreeSet};

/// In words, when a check does something else now.
pub(super) fn changed(before: &str, after: Option<&str>, named: &[String]) -> Option<String> {
    let (old, new) = (Makefile::of(before), Makefile::of(after.unwrap_or_default()));
    let judged = old.judged(named);
    if let Some(name) =
        judged.iter().find(|name| old.recipes.get(**name) != new.recipes.get(**name))
    {
        return Some(format!("the target {name:?} was edited"));
    }
    // What was there for all targets, or is new for all of them.
    let global = new.globals.iter().find(|line| !old.globals.contains(*line));
    let global = global.or_else(|| old.globals.iter().find(|line| !new.globals.contains(*line)));
    if let Some(line) = global {
        let line = crate::quote(line);
        return Some(format!("a line that applies to every target was edited: {line}"));
    }
    if let Some(name) =
        new.variables.keys().find(|name| is_laxer(old.variables.get(*name), &new.variables[*name]))
    {
        return Some(format!("the variable {name:?} makes the compiler less strict"));
    }
    // What a Makefile includes is used there.
    let used = match old.recipes.is_empty() {
        true => old.variables.keys().copied().collect(),
        false => old.variables_of(&judged),
    };
    let name = used.iter().find(|name| old.variables.get(**name) != new.variables.get(**name))?;
    Some(format!("the variable {name:?}, which a check uses, was edited"))
}

/// In a new file: what makes failures count for nothing.
pub(super) fn suspicious(text: &str) -> Option<String> {
    let makefile = Makefile::of(text);
    let of_checks = makefile.recipes.iter().filter(|(name, _)| is_check(name, &[]));
    let mut lines = of_checks.flat_map(|(_, recipe)| recipe.lines().skip(1));
    let ignores = |line: &&str| {
        line.trim_start_matches('@').starts_with('-')
            || line.contains("|| true")
            || line.contains("|| :")
    };
    let harmful = makefile.globals.iter().find(|line| is_harmful(line)).map(String::as_str);
    let line = harmful.or_else(|| lines.find(ignores))?;
    Some(format!("a failure does not count: {}", crate::quote(line)))
}

/// Assertions that are compiled out, and warnings that are not told.
fn is_laxer(before: Option<&String>, after: &str) -> bool {
    let has = |text: &str, flag: &str| text.split_whitespace().any(|word| word == flag);
    let before = before.map(String::as_str).unwrap_or_default();
    let gained =
        ["-DNDEBUG", "-w", "-Wno-error"].iter().any(|flag| has(after, flag) && !has(before, flag));
    let lost = has(before, "-Werror") && !has(after, "-Werror");
    gained || lost
}

fn is_harmful(line: &str) -> bool {
    let is_flag =
        line.contains("-i") || line.contains("-k") || line.contains("-n") || line.contains("true");
    line.starts_with(".IGNORE") || (line.contains("FLAGS") && is_flag) || is_odd_shell(line)
}

fn is_odd_shell(line: &str) -> bool {
    let is_shell = line.starts_with("SHELL");
    is_shell && !["bash", "/bin/sh", "zsh", "/sh"].iter().any(|shell| line.contains(shell))
}

/// The command lines of targets that check.
pub(in crate::test_guard) fn recipe_lines(text: &str, commands: &[String]) -> String {
    let makefile = Makefile::of(text);
    let named = run_names(commands, &["make", "gmake", "just"]);
    let judged = makefile.judged(&named);
    let recipes = judged.iter().filter_map(|name| makefile.recipes.get(*name));
    let lines = recipes.flat_map(|recipe| recipe.lines().skip(1));
    let all: Vec<&str> = lines.map(|line| line.trim_start_matches(['@', '-', '+'])).collect();
    let includes = text.lines().filter_map(|line| {
        line.strip_prefix("include ").or_else(|| line.strip_prefix("-include "))
    });
    let includes = includes.flat_map(str::split_whitespace).map(|path| format!("sh {path}"));
    all.into_iter().map(str::to_owned).chain(includes).collect::<Vec<_>>().join("\n")
}

#[derive(Debug, Default)]
struct Makefile<'t> {
    /// Dependencies on the first line, then the commands.
    recipes: BTreeMap<&'t str, String>,
    variables: BTreeMap<&'t str, String>,
    /// What holds for every target.
    globals: BTreeSet<String>,
}

impl<'t> Makefile<'t> {
    fn of(text: &'t str) -> Self {
        let mut all = Self::default();
        let mut current: Vec<&str> = Vec::new();
        let is_blank = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        for line in text.lines().filter(is_blank) {
            if line.starts_with([' ', '\t']) && !current.is_empty() {
                for name in &current {
                    let recipe = all.recipes.entry(name).or_default();
                    recipe.push('\n');
                    recipe.push_str(line.trim());
                }
                continue;
            }
            current.clear();
            let line = line.trim_end();
            if line.starts_with("export ") && line.contains('=') {
                all.globals.insert(squeezed(line));
            }
            if let Some((name, value)) = assignment(line) {
                all.variable(name, value, line);
            } else if is_for_all(line) {
                all.globals.insert(squeezed(line));
            } else if let Some((names, rest)) = line.split_once(':') {
                current =
                    names.split_whitespace().map(|name| name.trim_start_matches('@')).collect();
                for name in &current {
                    let recipe = all.recipes.entry(name).or_default();
                    // A later rule may only add to what its target stands on.
                    let first = recipe.find('\n').unwrap_or(recipe.len());
                    recipe.insert_str(first, rest.trim());
                }
            }
        }
        all
    }

    fn variable(&mut self, name: &'t str, value: &str, line: &str) {
        const FOR_ALL: &[&str] = &[
            "SHELL",
            ".SHELLFLAGS",
            "MAKEFLAGS",
            "MAKEFILES",
            "GNUMAKEFLAGS",
            "PATH",
            "MAKE",
            "ENV",
            "BASH_ENV",
        ];
        if FOR_ALL.contains(&name) {
            self.globals.insert(squeezed(line));
        }
        self.variables.entry(name).or_default().push_str(value.trim());
    }

    /// Targets that check, and those that do the work of one without commands of its own.
    fn judged(&self, named: &[String]) -> BTreeSet<&str> {
        let mut judged: BTreeSet<&str> =
            self.recipes.keys().copied().filter(|name| is_check(name, named)).collect();
        loop {
            let below: Vec<&str> = judged
                .iter()
                .filter_map(|name| self.recipes.get(name))
                .filter(|recipe| !recipe.contains('\n'))
                .flat_map(|recipe| recipe.split_whitespace())
                .filter_map(|name| self.recipes.get_key_value(name).map(|(name, _)| *name))
                .filter(|name| !judged.contains(name))
                .collect();
            if below.is_empty() {
                return judged;
            }
            judged.extend(below);
        }
    }

    /// Variables in the recipes of these targets, and those that these are made of.
    fn variables_of(&self, targets: &BTreeSet<&str>) -> BTreeSet<&str> {
        let mut used: BTreeSet<&str> = BTreeSet::new();
        let recipes = targets.iter().filter_map(|name| self.recipes.get(name));
        let mut texts: Vec<&str> = recipes.map(String::as_str).collect();
        while let Some(text) = texts.pop() {
            for (name, value) in &self.variables {
                let is_used = [
                    format!("$({name}"),
                    format!("${{{name}"),
                    format!("{{{{{name}"),
                    format!("{{{{ {name}"),
                ];
                if is_used.iter().any(|mark| text.contains(mark)) && used.insert(name) {
                    texts.push(value);
                }
            }
        }
        used
    }
}

fn assignment(line: &str) -> Option<(&str, &str)> {
    let line =
        line.strip_prefix("export ").or_else(|| line.strip_prefix("override ")).unwrap_or(line);
    let (left, value) = line.split_once('=')?;
    let name = left.trim_end_matches([':', '+', '?', '!']).trim();
    let is_name = !name.is_empty()
        && !name.contains(|c: char| c.is_whitespace() || matches!(c, ':' | '(' | '$'));
    is_name.then_some((name, value))
}

fn is_for_all(line: &str) -> bool {
    let starts = [
        ".IGNORE",
        ".SILENT",
        ".DEFAULT",
        ".ONESHELL",
        ".POSIX",
        "include ",
        "-include ",
        "sinclude ",
        "vpath",
    ];
    starts.iter().any(|start| line.starts_with(start))
}

fn squeezed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
