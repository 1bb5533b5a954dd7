//! Programs that leave a mark when anything runs them, and the places where they are planted.

use crate::table::{Entry, entries, hooks};
use crate::workspace_support::make_executable;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// All of it below one folder that no workspace and no repository is in.
pub struct Traps {
    folder: PathBuf,
}

impl Traps {
    pub fn new(folder: &Path) -> Self {
        for name in ["marks", "programs", "files"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        Self { folder: folder.to_owned() }
    }

    /// `place.entry` of all that ran.
    pub fn fired(&self) -> BTreeSet<String> {
        let marks = fs::read_dir(self.folder.join("marks")).unwrap();
        marks.map(|mark| mark.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// Settings in a file of configuration; what is there already stays.
    pub fn configure(&self, file: &Path, place: &str, entries: &[Entry]) {
        let mut text = fs::read_to_string(file).unwrap_or_default();
        text.push('\n');
        text.push_str(&self.settings(place, entries));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A program for every hook that git knows.
    pub fn hooks(&self, folder: &Path, place: &str) {
        for hook in hooks() {
            self.hook(folder, place, hook.name);
        }
    }

    pub fn hook(&self, folder: &Path, place: &str, name: &str) {
        fs::create_dir_all(folder).unwrap();
        self.write_program(&folder.join(name), &format!("{place}.{name}"), "");
    }

    /// A text of the table with its places filled in.
    pub fn filled(&self, text: &str, place: &str, entry: &str) -> String {
        let mark = format!("{place}.{entry}");
        let file = |kind: &str| self.folder.join("files").join(format!("{mark}.{kind}"));
        let mut text = text.to_owned();
        let mut fill = |name: &str, make: &dyn Fn() -> PathBuf| {
            if text.contains(name) {
                text = text.replace(name, make().to_str().unwrap());
            }
        };
        fill("{run}", &|| self.program(&mark, ""));
        fill("{cat}", &|| self.program(&mark, PASS_ON));
        fill("{serve}", &|| self.program(&mark, SERVE));
        fill("{include}", &|| {
            let clean = self.program(&mark, PASS_ON);
            let key = format!("filter.{entry}.clean");
            written(file("include"), &setting(&key, clean.to_str().unwrap()))
        });
        fill("{attributes}", &|| written(file("attributes"), &attribute_line(entry)));
        fill("{hooks}", &|| self.hook_folder(file("hooks"), &mark));
        fill("{template}", &|| {
            self.hook_folder(file("template").join("hooks"), &mark);
            file("template")
        });
        fill("{worktree}", &|| {
            let folder = made(file("worktree"));
            written(folder.join(".gitattributes"), &attribute_line(entry));
            folder
        });
        fill("{bin}", &|| {
            let folder = made(file("bin"));
            self.write_program(&folder.join(format!("git-remote-{entry}")), &mark, "");
            folder
        });
        fill("{global}", &|| {
            let chosen: Vec<Entry> =
                entries().into_iter().filter(|other| other.name == entry).collect();
            written(file("global"), &self.settings(place, &chosen))
        });
        fill("{scratch}", &|| made(file("scratch")));
        text
    }

    fn settings(&self, place: &str, entries: &[Entry]) -> String {
        let mut text = String::new();
        for entry in entries {
            for (key, value) in &entry.settings {
                let key = self.filled(key, place, entry.name);
                let value = self.filled(value, place, entry.name);
                text.push_str(&setting(&key, &value));
            }
        }
        text
    }

    fn program(&self, mark: &str, rest: &str) -> PathBuf {
        let path = self.folder.join("programs").join(mark);
        if !path.exists() {
            self.write_program(&path, mark, rest);
        }
        path
    }

    fn write_program(&self, path: &Path, mark: &str, rest: &str) {
        let mark = self.folder.join("marks").join(mark);
        fs::write(path, format!("#!/bin/sh\n: > '{}'\n{rest}\n", mark.display())).unwrap();
        make_executable(path);
    }

    fn hook_folder(&self, folder: PathBuf, mark: &str) -> PathBuf {
        let folder = made(folder);
        for hook in hooks() {
            self.write_program(&folder.join(hook.name), mark, "");
        }
        folder
    }
}

const PASS_ON: &str = "exec cat";
/// The greeting of a filter that serves many files and can do nothing with any of them.
const SERVE: &str =
    "printf '0016git-filter-server\\n000eversion=2\\n0000'; printf 0000; exec cat > /dev/null";

/// Files that the attributes of a tree give to a driver each, so that no driver hides another.
pub fn driven_files() -> Vec<String> {
    let drivers = DRIVERS.iter().map(|(_, name)| *name).chain(["attributes-file", "worktree"]);
    drivers.map(|name| format!("by-{name}")).collect()
}

pub fn attributes() -> String {
    DRIVERS.iter().map(|(kind, name)| format!("by-{name} {kind}={name}\n")).collect()
}

const DRIVERS: [(&str, &str); 12] = [
    ("filter", "clean"),
    ("filter", "smudge"),
    ("filter", "process"),
    ("filter", "required"),
    ("filter", "include"),
    ("filter", "include-if-gitdir"),
    ("filter", "include-if-onbranch"),
    ("filter", "include-if-remote"),
    ("diff", "diff-command"),
    ("diff", "textconv"),
    ("diff", "textconv-cached"),
    ("merge", "merge-driver"),
];

fn attribute_line(entry: &str) -> String {
    format!("by-{entry} filter={entry}\n")
}

fn setting(key: &str, value: &str) -> String {
    let (section, rest) = key.split_once('.').unwrap();
    let (header, name) = match rest.rsplit_once('.') {
        Some((sub, name)) => (format!("[{section} \"{sub}\"]"), name),
        None => (format!("[{section}]"), rest),
    };
    format!("{header}\n\t{name} = \"{value}\"\n")
}

fn made(folder: PathBuf) -> PathBuf {
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn written(file: PathBuf, text: &str) -> PathBuf {
    fs::write(&file, text).unwrap();
    file
}
