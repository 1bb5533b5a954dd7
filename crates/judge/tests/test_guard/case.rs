//! How a case is written down and judged.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tollgate_judge::test_guard::{FileVersion, Steering, Weakening, weakened};

#[derive(Debug, Default)]
pub struct Case {
    pub file: String,
    pub title: String,
    pub expected: Vec<String>,
    pub checks: Vec<String>,
    moved: BTreeMap<String, String>,
    pub before: BTreeMap<String, String>,
    pub after: BTreeMap<String, String>,
}

/// All cases of the files in a folder beside this one.
pub fn read_folder(folder: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/test_guard").join(folder);
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().flat_map(|path| read_path(path)).collect()
}

/// The cases of one file.
pub fn read_file(file: &str) -> Vec<Case> {
    read_path(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/test_guard").join(file))
}

fn read_path(path: &Path) -> Vec<Case> {
    read(&path.file_name().unwrap().to_string_lossy(), &fs::read_to_string(path).unwrap())
}

fn read(file: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut open: Option<(bool, String)> = None;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("=== ") {
            cases.push(Case { file: file.to_owned(), title: title.to_owned(), ..Case::default() });
            open = None;
            continue;
        }
        let Some(case) = cases.last_mut() else { continue };
        let list = |text: &str| {
            text.split(',')
                .map(|word| word.trim().to_owned())
                .filter(|word| word != "nothing")
                .collect()
        };
        if let Some(path) = line.strip_prefix("--- before ") {
            case.before.insert(path.to_owned(), String::new());
            open = Some((true, path.to_owned()));
        } else if let Some(path) = line.strip_prefix("--- after ") {
            case.after.insert(path.to_owned(), String::new());
            open = Some((false, path.to_owned()));
        } else if let Some((is_before, path)) = &open {
            let texts = if *is_before { &mut case.before } else { &mut case.after };
            let text = texts.get_mut(path).unwrap();
            text.push_str(line);
            text.push('\n');
        } else if let Some(kinds) = line.strip_prefix("expect: ") {
            case.expected = list(kinds);
        } else if let Some(command) = line.strip_prefix("checks: ") {
            case.checks.push(command.to_owned());
        } else if let Some(names) = line.strip_prefix("moved: ") {
            let (old, new) = names.split_once(" -> ").unwrap();
            case.moved.insert(new.to_owned(), old.to_owned());
        } else {
            assert!(line.trim().is_empty(), "{file}: {line:?}");
        }
    }
    cases
}

impl Case {
    /// What the guard says, told of the scripts that the checks run as the engine tells it.
    pub fn found(&self) -> Vec<Weakening> {
        let read = |paths: &[String]| {
            Ok::<_, ()>(paths.iter().map(|path| self.before.get(path).cloned()).collect())
        };
        let steering = Steering::find(&self.checks, read).unwrap();
        weakened(&self.changes(), &steering)
    }

    fn changes(&self) -> Vec<FileVersion<'_>> {
        let mut paths: Vec<&String> = self.before.keys().chain(self.after.keys()).collect();
        paths.retain(|path| !self.moved.values().any(|old| old == *path));
        paths.sort();
        paths.dedup();
        // A file that is only there to be run does not change.
        paths.retain(|path| self.before.get(*path) != self.after.get(*path));
        paths.iter().map(|path| self.change(path)).collect()
    }

    fn change<'a>(&'a self, path: &'a str) -> FileVersion<'a> {
        let old_path = self.moved.get(path).map(String::as_str);
        let before = self.before.get(old_path.unwrap_or(path)).map(String::as_str);
        FileVersion { path, before, after: self.after.get(path).map(String::as_str), old_path }
    }

    pub fn fault(&self) -> Option<String> {
        let found = self.found();
        let mut kinds: Vec<String> =
            found.iter().map(|weakening| weakening.kind.to_string()).collect();
        kinds.sort();
        let mut expected = self.expected.clone();
        expected.sort();
        (kinds != expected).then(|| {
            format!("{}: {}: expected {expected:?}, found {found:#?}", self.file, self.title)
        })
    }
}
