//! What the person's configuration says about the content of files, carried over into our own git directory.
//! It is read once, from the person's repository; the agent's clone is never asked.

use super::WorkspaceError;
use crate::repository::{ObjectFormat, Repository};
use std::path::Path;

/// Settings beside `filter.*` that decide what a file's content is and which files count.
const CARRIED: [&str; 9] = [
    "core.autocrlf",
    "core.eol",
    "core.safecrlf",
    "core.excludesfile",
    "core.attributesfile",
    "core.ignorecase",
    "core.symlinks",
    "core.filemode",
    "core.precomposeunicode",
];

/// Ours: fast detection, objects on disk before the journal speaks of them, no name that any system takes for `.git`.
const OURS: [(&str, &str); 10] = [
    ("core.bare", "false"),
    ("core.logallrefupdates", "false"),
    ("core.untrackedcache", "true"),
    ("core.preloadindex", "true"),
    ("core.protectntfs", "true"),
    ("core.protecthfs", "true"),
    ("core.fsync", "objects"),
    ("index.skiphash", "true"),
    ("status.showuntrackedfiles", "all"),
    ("checkout.workers", "2"),
];

/// The configuration file of our git directory.
pub(super) fn shadow_config(repository: &Repository) -> Result<String, WorkspaceError> {
    let carried = carried_settings(repository)?;
    let mut text = format_lines(repository);
    for (key, value) in OURS {
        push_setting(&mut text, key, value);
    }
    for (key, value) in &carried {
        push_setting(&mut text, key, value);
    }
    if carried.iter().any(|(key, _)| key.starts_with("filter.lfs.")) {
        let storage = repository.common_dir().join("lfs");
        push_setting(&mut text, "lfs.storage", &storage.to_string_lossy());
    }
    Ok(text)
}

/// The configuration file of the agent's own clone.
pub(super) fn clone_config(repository: &Repository) -> Result<String, WorkspaceError> {
    let mut text = format_lines(repository);
    push_setting(&mut text, "core.bare", "false");
    for (key, value) in carried_settings(repository)? {
        if key.starts_with("core.") {
            push_setting(&mut text, &key, &value);
        }
    }
    Ok(text)
}

fn format_lines(repository: &Repository) -> String {
    let mut text = String::new();
    match repository.object_format() {
        ObjectFormat::Sha1 => push_setting(&mut text, "core.repositoryformatversion", "0"),
        ObjectFormat::Sha256 => {
            push_setting(&mut text, "core.repositoryformatversion", "1");
            push_setting(&mut text, "extensions.objectformat", "sha256");
        }
    }
    text
}

fn carried_settings(repository: &Repository) -> Result<Vec<(String, String)>, WorkspaceError> {
    let listing = repository.configuration()?;
    let mut carried = Vec::new();
    for record in listing.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
        let record = String::from_utf8_lossy(record);
        let (key, value) = record.split_once('\n').unwrap_or((&record, "true"));
        if let Some(filter) = filter_of(key) {
            if !key.ends_with(".required") && runs_a_file_of(value, repository.root()) {
                let (filter, command) = (filter.to_owned(), value.to_owned());
                return Err(WorkspaceError::FilterInTree { filter, command });
            }
        } else if !CARRIED.contains(&key) {
            continue;
        }
        carried.push((key.to_owned(), value.to_owned()));
    }
    Ok(carried)
}

/// The driver's name, for the four settings a filter has.
fn filter_of(key: &str) -> Option<&str> {
    let (name, setting) = key.strip_prefix("filter.")?.rsplit_once('.')?;
    matches!(setting, "clean" | "smudge" | "process" | "required").then_some(name)
}

/// Ways in which a line for a shell names the folder it runs in.
const HERE: [&str; 6] = ["--show-toplevel", "--show-cdup", "$PWD", "${PWD", "$(pwd", "`pwd"];

/// Programs that run what a file or a folder of the place says they are started in.
const RUNNERS: [&str; 9] =
    ["npx", "npm", "pnpm", "yarn", "make", "just", "rake", "bundle", "cargo"];

/// A filter runs in the root of the tree: a relative path in its command means a file that the agent can write, whether
/// the checkout has it or not.
fn runs_a_file_of(command: &str, root: &Path) -> bool {
    let is_of_tree = |(at, word): (usize, &str)| {
        let word = word.trim_matches(['"', '\'', '(', ')', ';', '&', '|']);
        if at == 0 && RUNNERS.contains(&word.rsplit('/').next().unwrap_or(word)) {
            return true;
        }
        let is_path_like = at > 0 || word.contains('/');
        is_path_like
            && !word.is_empty()
            && Path::new(word).is_relative()
            && !word.starts_with(['~', '$'])
            && (at == 0 || word.starts_with("./") || root.join(word).is_file())
    };
    HERE.iter().any(|here| command.contains(here))
        || command.split_whitespace().enumerate().any(is_of_tree)
}

fn push_setting(text: &mut String, key: &str, value: &str) {
    let Some((section, name)) = key.rsplit_once('.') else { return };
    let header = match section.split_once('.') {
        Some((section, sub)) => {
            format!("[{section} \"{}\"]", sub.replace('\\', "\\\\").replace('"', "\\\""))
        }
        None => format!("[{section}]"),
    };
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    text.push_str(&format!("{header}\n\t{name} = \"{value}\"\n"));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    #[test]
    fn a_setting_is_quoted() {
        let mut text = String::new();
        push_setting(&mut text, "filter.a \"b\".c.clean", "sh -c \"x\\y\"");
        assert_eq!(text, "[filter \"a \\\"b\\\".c\"]\n\tclean = \"sh -c \\\"x\\\\y\\\"\"\n");
    }

    #[test]
    fn r117_a_filter_that_is_a_file_of_the_tree_is_known() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("tools")).unwrap();
        std::fs::write(root.path().join("tools/clean.py"), "").unwrap();
        std::fs::write(root.path().join("expand"), "").unwrap();
        for command in [
            "tools/clean.py",
            "./tools/clean.py %f",
            "python3 'tools/clean.py'",
            "not/yet/there",
            "sh ./not-yet-there",
            "cat | (tools/clean.py)",
            "\"$(git rev-parse --show-toplevel)\"/x",
            "sh -c \"$PWD/x\"",
            "npx prettier",
            "/usr/bin/make -s clean",
        ] {
            assert!(runs_a_file_of(command, root.path()), "{command}");
        }
        for command in [
            "git-lfs clean -- %f",
            "expand --tabs=4",
            "/usr/bin/python3 -m x",
            "\"/opt/my tools/clean\" %f",
            "sed s/a/b/",
            "~/bin/clean",
            "cargo-sort -",
        ] {
            assert!(!runs_a_file_of(command, root.path()), "{command}");
        }
    }
}
