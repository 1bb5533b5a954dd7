//! The table of changes that weaken tests and of those that do not. To add one, write it into a file of `cases`:
//!
//! ```text
//! === what the change does
//! expect: skipped, emptied        (or: nothing)
//! checks: make test               (a check command; may be left out or repeated)
//! moved: old/path -> new/path     (may be left out)
//! --- before path                 (left out for a new file)
//! --- after path                  (left out for a deleted file)
//! ```

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tollgate_contract::test_guard::{FileVersion, weakened};

#[derive(Debug, Default)]
struct Case {
    file: String,
    title: String,
    expected: Vec<String>,
    checks: Vec<String>,
    moved: BTreeMap<String, String>,
    before: BTreeMap<String, String>,
    after: BTreeMap<String, String>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/test_guard/cases");
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
        .iter()
        .flat_map(|path| {
            read(&path.file_name().unwrap().to_string_lossy(), &fs::read_to_string(path).unwrap())
        })
        .collect()
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
    fn changes(&self) -> Vec<FileVersion<'_>> {
        let mut paths: Vec<&String> = self.before.keys().chain(self.after.keys()).collect();
        paths.retain(|path| !self.moved.values().any(|old| old == *path));
        paths.sort();
        paths.dedup();
        paths.iter().map(|path| self.change(path)).collect()
    }

    fn change<'a>(&'a self, path: &'a str) -> FileVersion<'a> {
        let old_path = self.moved.get(path).map(String::as_str);
        let before = self.before.get(old_path.unwrap_or(path)).map(String::as_str);
        FileVersion { path, before, after: self.after.get(path).map(String::as_str), old_path }
    }

    fn fault(&self) -> Option<String> {
        let found = weakened(&self.changes(), &self.checks);
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

#[test]
fn r108_every_case_of_the_table_is_judged_as_it_says() {
    let faults: Vec<String> = cases().iter().filter_map(Case::fault).collect();
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn r108_the_table_speaks_of_false_alarms_as_well() {
    let cases = cases();
    let harmless = cases.iter().filter(|case| case.expected.is_empty()).count();
    assert!(cases.len() >= 80, "{} cases", cases.len());
    assert!(harmless * 3 >= cases.len(), "{harmless} of {} cases are harmless", cases.len());
}

/// A change that goes nowhere weakens nothing, whatever its files hold.
#[test]
fn r108_files_that_stay_as_they_are_raise_nothing() {
    for case in cases() {
        for text in case.before.iter().chain(&case.after) {
            let same = FileVersion {
                path: text.0,
                before: Some(text.1),
                after: Some(text.1),
                old_path: None,
            };
            let found = weakened(&[same], &case.checks);
            assert!(found.is_empty(), "{}: {found:?}", case.title);
        }
    }
}

#[test]
fn r108_a_weakening_says_where_and_what() {
    let before = "def test_a():\n    assert f() == 1\n\n\ndef test_b():\n    assert f() == 2\n";
    let after = "import pytest\n\n\n@pytest.mark.skip\ndef test_b():\n    assert f() == 2\n";
    let change =
        FileVersion { path: "test_f.py", before: Some(before), after: Some(after), old_path: None };
    let found = weakened(&[change], &[]);
    let lines: Vec<String> =
        found.iter().map(|w| format!("{} {}:{:?} {}", w.kind, w.path, w.line, w.message)).collect();
    assert_eq!(
        lines,
        [
            "fewer-tests test_f.py:None gone from the file: the test \"test_a\"",
            "skipped test_f.py:Some(5) the test \"test_b\" ran before and is skipped now",
        ]
    );
}
