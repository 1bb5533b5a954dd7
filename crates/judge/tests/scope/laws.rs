//! What holds for every tree, work item and rename.

use proptest::prelude::*;
use tollgate_core::work::{ChangeType, FileChange, ScopeClass};
use tollgate_judge::scope::{Incidental, ScopeCorrection};
use tollgate_judge::scope::{ScopeRules, ScopedFile, corrections_in, may_overlap, sort};

/// The folders of the small world in which these laws are tried.
const FOLDERS: [&str; 11] = [
    "",
    "src/",
    "src/a/",
    "lib/",
    "tests/",
    "src/__tests__/",
    "SRC/",
    "src/a/tests/",
    "spec/",
    "agents/",
    ".git/",
];

fn path() -> impl Strategy<Value = String> {
    let folder = proptest::sample::select(&FOLDERS[..]);
    let name = proptest::sample::select(vec![
        "x.ts",
        "y.ts",
        "x.test.ts",
        "y.spec.ts",
        "x.rs",
        "tests.rs",
        "x.py",
        "test_x.py",
        "x_test.go",
        "X.java",
        "XTest.java",
        "x.rb",
        "x_spec.rb",
        "X.php",
        "README.md",
        "tollgate.toml",
    ]);
    (folder, name).prop_map(|(folder, name)| format!("{folder}{name}"))
}

fn entry() -> impl Strategy<Value = String> {
    let pattern = proptest::sample::select(vec![
        "src/",
        "src/*.ts",
        "**/*.py",
        "lib/**",
        "src/a",
        "tests/",
        "**",
        "src/{x,y}.ts",
        "`src/x.ts`",
        "bad/*{",
    ]);
    prop_oneof![3 => path(), 1 => pattern.prop_map(str::to_owned)]
}

fn change() -> impl Strategy<Value = FileChange> {
    (path(), proptest::option::weighted(0.3, path()), 0..3_u8).prop_map(|(path, old_path, kind)| {
        let change_type = match (kind, &old_path) {
            (_, Some(_)) => ChangeType::Renamed,
            (0, _) => ChangeType::Added,
            (1, _) => ChangeType::Modified,
            _ => ChangeType::Deleted,
        };
        FileChange { path, change_type, old_path }
    })
}

fn incidental() -> impl Strategy<Value = Incidental> {
    (path(), path(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(path, motivated_by, behaviour_preserving, narrow, has_reason)| Incidental {
            path,
            reason: if has_reason { "needed".to_owned() } else { String::new() },
            behaviour_preserving,
            motivated_by,
            narrow,
        },
    )
}

fn correction() -> impl Strategy<Value = ScopeCorrection> {
    (entry(), path(), any::<bool>()).prop_map(|(listed, actual, has_reason)| ScopeCorrection {
        listed,
        actual,
        reason: if has_reason { "it is there".to_owned() } else { String::new() },
    })
}

prop_compose! {
    fn rules()(
        in_scope in proptest::collection::vec(entry(), 0..4),
        out_of_scope in proptest::collection::vec(entry(), 0..3),
        authorized in proptest::collection::vec(path(), 0..3),
        incidental in proptest::collection::vec(incidental(), 0..3),
        corrections in proptest::collection::vec(correction(), 0..3),
        summary in proptest::option::of(path()),
    ) -> ScopeRules {
        ScopeRules {
            in_scope,
            out_of_scope,
            authorized,
            incidental,
            corrections,
            summary,
            incidental_lines_max: None,
        }
    }
}

fn changes() -> impl Strategy<Value = Vec<FileChange>> {
    proptest::collection::vec(change(), 0..8)
}

fn is_in(file: &ScopedFile) -> bool {
    file.class != ScopeClass::Violation
}

/// By name, so that orders can be compared.
fn by_name(mut files: Vec<ScopedFile>) -> Vec<ScopedFile> {
    files.sort_by(|a, b| (&a.path, a.change_type).cmp(&(&b.path, b.change_type)));
    files
}

/// A matcher of its own, for the few forms of entries above.
fn covers(entry: &str, path: &str) -> bool {
    let entry = entry.trim_matches('`');
    if let Some((before, rest)) = entry.split_once('{') {
        let Some((choices, after)) = rest.split_once('}') else { return false };
        return choices.split(',').any(|choice| covers(&format!("{before}{choice}{after}"), path));
    }
    let is_folder = entry.ends_with('/') || !entry.contains(['.', '*']);
    let below = format!("{}/", entry.trim_end_matches('/'));
    fits(entry.as_bytes(), path.as_bytes()) || (is_folder && path.starts_with(&below))
}

fn fits(pattern: &[u8], path: &[u8]) -> bool {
    let ends =
        |skip: fn(&u8) -> bool| (0..=path.len()).take_while(move |at| path[..*at].iter().all(skip));
    match pattern {
        [] => path.is_empty(),
        b"**" => true,
        [b'*', b'*', b'/', rest @ ..] => {
            fits(rest, path)
                || (1..=path.len()).any(|at| path[at - 1] == b'/' && fits(rest, &path[at..]))
        }
        [b'*', rest @ ..] => ends(|c| *c != b'/').any(|at| fits(rest, &path[at..])),
        [first, rest @ ..] => path.first() == Some(first) && fits(rest, &path[1..]),
    }
}

/// A plain reading of the rules, without their exceptions: what nobody spoke of cannot be in scope. A test may be beside any
/// file of its stem, wherever that is.
fn is_spoken_of(rules: &ScopeRules, path: &str) -> bool {
    let is_same = |text: &String| text == path;
    let actual = || rules.corrections.iter().map(|correction| &correction.actual);
    let is_covered = |path: &str| {
        rules.in_scope.iter().any(|entry| covers(entry, path))
            || rules.authorized.iter().chain(actual()).any(|text| text == path)
    };
    is_covered(path)
        || rules.incidental.iter().map(|entry| &entry.path).any(is_same)
        || subjects(path).iter().any(|subject| is_covered(subject))
}

/// Everything that a test may be about, in the folders of this small world.
fn subjects(test: &str) -> Vec<String> {
    let name = test.rsplit('/').next().unwrap_or_default();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let stem = ["Test", "_test", ".test", "_spec", ".spec"]
        .iter()
        .find_map(|mark| stem.strip_suffix(mark))
        .unwrap_or(stem);
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    let mut names = vec![format!("{stem}.{extension}")];
    match extension {
        // Tests of a Rust module bear no name of their own.
        "rs" => {
            names.extend(["x", "a", "mod", "lib", "main", "tests"].map(|name| format!("{name}.rs")))
        }
        "md" | "toml" => names.clear(),
        _ => {}
    }
    FOLDERS
        .iter()
        .flat_map(|folder| names.iter().map(move |name| format!("{folder}{name}")))
        .collect()
}

/// Excluded by an entry that is at least as exact as any that lists it.
fn is_excluded(rules: &ScopeRules, path: &str) -> bool {
    let is_exact = |entry: &String| entry.trim_matches('`') == path;
    let is_out = rules.out_of_scope.iter().any(|entry| covers(entry, path));
    is_out && (rules.out_of_scope.iter().any(is_exact) || !rules.in_scope.iter().any(is_exact))
}

#[test]
fn the_matcher_of_these_laws_matches() {
    for (entry, path) in [
        ("src/", "src/a/x.ts"),
        ("src/*.ts", "src/x.ts"),
        ("**/*.py", "x.py"),
        ("**/*.py", "src/a/x.py"),
        ("lib/**", "lib/x.rs"),
        ("src/a", "src/a/x.rs"),
        ("src/{x,y}.ts", "src/y.ts"),
        ("`src/x.ts`", "src/x.ts"),
        ("**", "a/b"),
    ] {
        assert!(covers(entry, path), "{entry} {path}");
    }
    for (entry, path) in [
        ("src/*.ts", "src/a/x.ts"),
        ("src/", "SRC/x.ts"),
        ("**/*.py", "x.pyc"),
        ("src/a", "src/ab.rs"),
        ("bad/*{", "bad/x"),
        ("x.ts", "x.ts/y"),
    ] {
        assert!(!covers(entry, path), "{entry} {path}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn r104_an_undeclared_change_is_a_violation_and_protected_files_always_are(rules in rules(), changes in changes()) {
        for file in sort(&rules, &changes) {
            prop_assert!(!is_in(&file) || is_spoken_of(&rules, &file.path), "{file:?}");
            let is_by_word = matches!(file.class, ScopeClass::Authorized | ScopeClass::Incidental);
            prop_assert!(!is_in(&file) || is_by_word || !is_excluded(&rules, &file.path), "{file:?}");
            let is_protected = file.path.starts_with(".git/") || file.path.starts_with("agents/") || file.path == "tollgate.toml";
            prop_assert!(!is_protected || !is_in(&file), "{file:?}");
            prop_assert!(is_in(&file) || file.reason.is_some(), "{file:?}");
        }
    }

    #[test]
    fn the_order_of_changes_and_entries_does_not_matter(rules in rules(), changes in changes()) {
        let mut turned = rules.clone();
        turned.in_scope.reverse();
        turned.authorized.reverse();
        let classes = |files: Vec<ScopedFile>| {
            by_name(files).into_iter().map(|f| (f.path, f.class, f.is_told)).collect::<Vec<_>>()
        };
        let backwards: Vec<FileChange> = changes.iter().rev().cloned().collect();
        prop_assert_eq!(classes(sort(&rules, &changes)), classes(sort(&turned, &backwards)));
    }

    #[test]
    fn one_more_entry_in_scope_takes_nothing_away(rules in rules(), more in entry(), changes in changes()) {
        let mut wider = rules.clone();
        wider.in_scope.push(more);
        for (before, after) in sort(&rules, &changes).iter().zip(sort(&wider, &changes)) {
            prop_assert!(!is_in(before) || is_in(&after), "{before:?} {after:?}");
        }
    }

    #[test]
    fn one_more_entry_out_of_scope_lets_nothing_in(rules in rules(), more in entry(), changes in changes()) {
        let mut narrower = rules.clone();
        narrower.out_of_scope.push(more);
        for (before, after) in sort(&rules, &changes).iter().zip(sort(&narrower, &changes)) {
            prop_assert!(is_in(before) || !is_in(&after), "{before:?} {after:?}");
        }
    }

    #[test]
    fn r104_a_rename_is_an_addition_and_a_deletion(rules in rules(), changes in changes()) {
        let apart: Vec<FileChange> = changes.iter().flat_map(|change| {
            let old = change.old_path.clone().map(|path| FileChange { path, change_type: ChangeType::Deleted, old_path: None });
            [Some(FileChange { old_path: None, ..change.clone() }), old].into_iter().flatten()
        }).collect();
        prop_assert_eq!(sort(&rules, &changes), sort(&rules, &apart));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(texts in proptest::collection::vec("\\PC{0,24}|[-a-z/.*?{}\\[\\]`() \\\\]{0,16}", 8)) {
        let rules = ScopeRules {
            in_scope: texts[..2].to_vec(),
            out_of_scope: texts[2..4].to_vec(),
            authorized: texts[4..5].to_vec(),
            incidental: vec![Incidental {
                path: texts[5].clone(), reason: texts[6].clone(), behaviour_preserving: true, motivated_by: texts[7].clone(), narrow: true,
            }],
            corrections: vec![ScopeCorrection { listed: texts[0].clone(), actual: texts[6].clone(), reason: texts[7].clone() }],
            summary: Some(texts[7].clone()),
            incidental_lines_max: None,
        };
        let changes: Vec<FileChange> = texts.iter().map(|path| FileChange {
            path: path.clone(), change_type: ChangeType::Renamed, old_path: Some(texts[0].clone()),
        }).collect();
        prop_assert_eq!(sort(&rules, &changes).len(), 2 * changes.len());
        may_overlap(&texts[..4], &texts[4..]);
        corrections_in(&texts.join("\n## Scope correction\n"));
    }
}
