//! Whether a changed file is a test beside a file in scope: from the test's path to what it may be about.

use super::language::{DJANGO, Id, Language};
use super::place::{Folder, tested_folders};
use std::collections::{BTreeMap, BTreeSet};

/// Each folder may begin a tree of tests; a file in more of them than people make is nobody's test.
const FOLDERS_MAX: usize = 32;

/// The files in scope by their own path, ready to be asked for.
#[derive(Debug, Default)]
pub(super) struct Subjects {
    paths: BTreeSet<String>,
    by_name: BTreeMap<String, Vec<Vec<String>>>,
}

impl Subjects {
    pub(super) fn new<'a>(paths: impl Iterator<Item = &'a String>) -> Self {
        let mut subjects = Self::default();
        for path in paths {
            let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
            let name = parts.pop().unwrap_or_default();
            subjects.by_name.entry(name).or_default().push(parts);
            subjects.paths.insert(path.clone());
        }
        subjects
    }

    fn has(&self, folder: &Folder, name: &str) -> bool {
        let fits = |known: &Vec<String>| {
            known.len() == folder.parts.len()
                && known
                    .iter()
                    .zip(&folder.parts)
                    .all(|(a, b)| a == b || (folder.is_loose && b == "*"))
        };
        self.by_name.get(name).is_some_and(|known| known.iter().any(fits))
    }
}

/// `is_listed` says whether a pattern covers a path that no list names.
pub(super) fn is_test(path: &str, subjects: &Subjects, is_listed: &dyn Fn(&str) -> bool) -> bool {
    let asked = Asked { subjects, is_listed };
    match path.strip_suffix(".snap").and_then(|path| path.rsplit_once("__snapshots__/")) {
        Some((folder, name)) if folder.is_empty() || folder.ends_with('/') => {
            let test = format!("{folder}{name}");
            asked.has_path(&test) || asked.has_subject_of(&test)
        }
        _ => asked.has_subject_of(path),
    }
}

struct Asked<'a> {
    subjects: &'a Subjects,
    is_listed: &'a dyn Fn(&str) -> bool,
}

impl Asked<'_> {
    fn has_path(&self, path: &str) -> bool {
        self.subjects.paths.contains(path) || (self.is_listed)(path)
    }

    fn has_subject_of(&self, test: &str) -> bool {
        let mut folder: Vec<&str> = test.split('/').collect();
        let name = folder.pop().unwrap_or_default();
        if folder.len() > FOLDERS_MAX {
            return false;
        }
        let Some((stem, extension)) = name.rsplit_once('.') else { return false };
        let Some(language) = Language::of_test(extension) else { return false };
        let marked = language.stems(stem);
        let folders = tested_folders(language, &folder);
        let is_subject = |at: &Folder, stem: &str| self.has_named(language, at, stem);
        let by_name = folders.iter().any(|at| {
            let is_bare = at.is_apart && language.is_bare_in_folder && marked.is_empty();
            let bare = is_bare.then_some(stem);
            marked.iter().map(String::as_str).chain(bare).any(|stem| is_subject(at, stem))
        });
        by_name || self.has_owner(language, &folder, stem)
    }

    /// A file of this stem in this folder, under the names that the language gives it.
    fn has_named(&self, language: &Language, at: &Folder, stem: &str) -> bool {
        if language.tested().any(|extension| self.has(at, &format!("{stem}.{extension}"))) {
            return true;
        }
        let inside = |name: &str| {
            let parts = at.parts.iter().cloned().chain([stem.to_owned()]).collect();
            self.has(&Folder { parts, ..at.clone() }, name)
        };
        match language.id {
            Id::Rust => inside("mod.rs"),
            Id::Script => {
                at.parts.last().is_some_and(|last| last == stem)
                    && language.tested().any(|end| self.has(at, &format!("index.{end}")))
            }
            Id::Python => {
                let hidden = match stem {
                    "init" | "main" => format!("__{stem}__.py"),
                    _ => format!("_{stem}.py"),
                };
                self.has(at, &hidden) || inside("__init__.py")
            }
            Id::Ruby => self.has_controller(at, stem),
            Id::Php => self.has(at, &format!("class-{stem}.php")),
            Id::Go | Id::Java | Id::CSharp => false,
        }
    }

    /// A request spec of Rails is about a controller.
    fn has_controller(&self, at: &Folder, stem: &str) -> bool {
        let Some(requests) = at.parts.iter().position(|part| part == "requests") else {
            return false;
        };
        let mut folder = at.clone();
        folder.parts[requests] = "controllers".to_owned();
        self.has(&folder, &format!("{stem}_controller.rb"))
            || self.has(&folder, &format!("{stem}.rb"))
    }

    /// Tests that bear no name of their own belong to the module that they stand in.
    fn has_owner(&self, language: &Language, folder: &[&str], stem: &str) -> bool {
        let tight = |parts: &[&str]| Folder {
            parts: parts.iter().map(|part| (*part).to_owned()).collect(),
            is_apart: true,
            is_loose: false,
        };
        match language.id {
            Id::Rust => owners_in_rust(folder, stem)
                .iter()
                .any(|(folder, name)| self.has(&tight(folder), &format!("{name}.rs"))),
            Id::Python if stem == "tests" => {
                DJANGO.iter().any(|name| self.has(&tight(folder), &format!("{name}.py")))
            }
            _ => false,
        }
    }

    fn has(&self, at: &Folder, name: &str) -> bool {
        if self.subjects.has(at, name) {
            return true;
        }
        if at.is_loose {
            return false;
        }
        let path = at.parts.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("/");
        (self.is_listed)(&path)
    }
}

/// `src/a/tests.rs` and `src/a/tests/x.rs` belong to `src/a.rs`, `src/tests.rs` to `src/lib.rs`, and the target `tests/a/`
/// to `src/a.rs`.
fn owners_in_rust<'a>(folder: &[&'a str], stem: &str) -> Vec<(Vec<&'a str>, &'a str)> {
    let mut owners = Vec::new();
    let mut add_module = |module: &[&'a str]| match module.split_last() {
        // What is below `src/tests/` belongs to the modules it is named after, and not to the whole crate.
        Some((&"src", _)) if folder == module || stem == "mod" => {
            owners.extend(["lib", "main"].map(|name| (module.to_vec(), name)));
        }
        Some((&"src", _)) | None => {}
        Some((last, above)) => {
            owners.push((above.to_vec(), *last));
            owners.push((module.to_vec(), "mod"));
        }
    };
    if matches!(stem, "tests" | "test") {
        add_module(folder);
    }
    for at in (0..folder.len()).filter(|at| folder[*at] == "tests") {
        add_module(&folder[..at]);
        if let Some(target) = folder.get(at + 1) {
            add_module(&[&folder[..at], &["src", target]].concat());
        }
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_below_very_many_folders_belongs_to_no_file() {
        let subjects = Subjects::new(["src/a.ts".to_owned()].iter());
        let is_test = |path: &str| is_test(path, &subjects, &|_| true);
        assert!(is_test(&format!("{}a.test.ts", "tests/".repeat(8))));
        assert!(!is_test(&format!("{}a.test.ts", "tests/".repeat(600))));
    }
}
