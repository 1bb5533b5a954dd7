//! The table of changes that weaken tests and of those that do not. To add one, write it into a file of `cases`:
//!
//! ```text
//! === what the change does
//! expect: skipped, emptied        (or: nothing; in the corpus also: cheat)
//! checks: make test               (a check command; may be left out or repeated)
//! moved: old/path -> new/path     (may be left out)
//! --- before path                 (left out for a new file)
//! --- after path                  (left out for a deleted file; without a `before` of the same text the file changes)
//! ```
//!
//! `corpus` has many more: what a cheat would do, and honest work like it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod case;
mod corpus;
mod mutated;
mod robust;

use case::{Case, read_folder};
use tollgate_judge::test_guard::{FileVersion, Steering, weakened};

fn cases() -> Vec<Case> {
    read_folder("cases")
}

fn steering(commands: &[String]) -> Steering {
    Steering::find(commands, |paths| Ok::<_, ()>(vec![None; paths.len()])).unwrap()
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
            let found = weakened(&[same], &steering(&case.checks));
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
    let found = weakened(&[change], &steering(&[]));
    let lines: Vec<String> =
        found.iter().map(|w| format!("{} {}:{:?} {}", w.kind, w.path, w.line, w.message)).collect();
    assert_eq!(
        lines,
        [
            "fewer-tests test_f.py:None gone from the file: the test \"test_a\"",
            "skipped test_f.py:Some(5) the test \"test_b\" ran before and is now skipped",
        ]
    );
}

/// A file may end anywhere, also with a letter of two bytes where a bracket should close.
#[test]
fn r169_a_file_that_is_cut_off_is_looked_at() {
    for case in cases() {
        for (path, text) in &case.after {
            for (end, _) in text.match_indices([')', '\n']) {
                let cut = format!("{}ü", &text[..end]);
                let (before, after) = (case.before.get(path).map(String::as_str), Some(&*cut));
                let change = FileVersion { path, before, after, old_path: None };
                // It is enough that there is an answer.
                weakened(&[change], &steering(&case.checks));
            }
        }
    }
}

/// Each line that is gone is not held against each new one: that would take minutes.
#[test]
fn r169_settings_with_many_edited_lines_are_asked_about() {
    let lines = |more: u32| (0..8_000).map(|i| format!("min_{i} = {}\n", i + more)).collect();
    let (before, after): (String, String) = (lines(0), lines(1));
    let change = FileVersion {
        path: ".coveragerc",
        before: Some(&before),
        after: Some(&after),
        old_path: None,
    };
    assert_eq!(weakened(&[change], &steering(&[])).len(), 1);
}

/// The name of a function may stand lines below its keyword.
#[test]
fn r169_a_function_with_its_name_on_another_line_is_looked_at() {
    let after = Some("def\n\n\n  broken(x)\n");
    let change = FileVersion { path: "tests/test_a.py", before: Some(""), after, old_path: None };
    assert!(weakened(&[change], &steering(&[])).is_empty());
}

/// A sign of several bytes may stand right before the arguments of a call.
#[test]
fn r169_a_call_after_any_sign_is_looked_at() {
    let text = |value| {
        format!(
            "test('a', () => {{\n  x\u{2028}(() => {{\n    expect(f()).toBe({value})\n  }})\n}})\n"
        )
    };
    let (before, after) = (text(1), text(2));
    let change = FileVersion {
        path: "a.test.js",
        before: Some(&before),
        after: Some(&after),
        old_path: None,
    };
    weakened(&[change], &steering(&[]));
}
