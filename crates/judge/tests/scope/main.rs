//! The table of scope: diff × work item × declarations → class of every path. To add a case, write it into a file of
//! `cases`; each change line is a diff of its own, and a line that begins with `+` joins the diff of the line before.
//!
//! ```text
//! === what the cases are about
//! in: src/a.ts                    (In Scope; may be repeated, like every line below)
//! out: src/b.ts (owned by T-002)  (Out of Scope)
//! authorized: src/c.ts
//! incidental: path | motive | preserving narrow | reason      (leave out a word or a text to let a criterion fail)
//! correction: listed | actual | reason
//! summary: what the agent says; \n is a new line
//! lines: 5                        (so many may an incidental change have)
//! measure: path | lines | name that it no longer exports | expectation that is gone       (or `unreadable` for the lines)
//! A src/a.ts = primary            (A added, M modified, D deleted, L a link that leads out, S a submodule)
//! M src/c.ts = authorized untold  (the summary does not speak of it; `told` when it does)
//! R src/old.ts > src/a.ts = violation > primary : nearest     (a rename; behind `:` what a reason must contain)
//! ```

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::print_stdout, reason = "the count of cases is worth seeing")]

mod laws;
mod overlap;
mod prose;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use tollgate_core::work::{ChangeType, FileChange, ScopeClass};
use tollgate_judge::scope::{ChangedFile, ScopeRules, ScopedFile, corrections_in, sort_found};
use tollgate_judge::scope::{Incidental, Measure, ScopeCorrection};

const CASES_MIN: usize = 300;
const CASES_OF_A_LANGUAGE_MIN: usize = 12;

#[derive(Debug, Default)]
struct Case {
    place: String,
    rules: ScopeRules,
    measures: BTreeMap<String, Measure>,
    changes: Vec<ChangedFile>,
    expected: Vec<Expected>,
}

#[derive(Debug)]
struct Expected {
    class: ScopeClass,
    is_told: Option<bool>,
    reason: String,
}

#[test]
fn r095_r096_r097_r099_r100_r104_every_case_of_the_table_has_its_class() {
    let cases = cases();
    let mut wrong = Vec::new();
    for case in &cases {
        let sorted = sort_found(&case.rules, &case.changes);
        assert_eq!(sorted.len(), case.expected.len(), "{}", case.place);
        for (file, expected) in sorted.iter().zip(&case.expected) {
            if let Some(fault) = fault(file, expected) {
                wrong.push(format!("{}: {} {fault}", case.place, file.path));
            }
        }
    }
    println!("{} cases of scope", cases.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cases.len() >= CASES_MIN, "only {} cases", cases.len());
}

#[test]
fn every_language_has_its_cases_of_both_kinds() {
    let cases = cases();
    for language in
        ["rust", "typescript", "javascript", "python", "go", "java", "csharp", "ruby", "php"]
    {
        let own: Vec<&Case> = cases
            .iter()
            .filter(|case| case.place.starts_with(&format!("{language}.txt")))
            .collect();
        assert!(own.len() >= CASES_OF_A_LANGUAGE_MIN, "{language}: {}", own.len());
        let classes: BTreeSet<ScopeClass> =
            own.iter().flat_map(|case| case.expected.iter().map(|e| e.class)).collect();
        assert!(classes.contains(&ScopeClass::Test) && classes.contains(&ScopeClass::Violation));
    }
}

fn fault(file: &ScopedFile, expected: &Expected) -> Option<String> {
    let reason = file.reason.as_deref().unwrap_or_default();
    if file.class != expected.class {
        return Some(format!("is {} ({reason}) and not {}", file.class, expected.class));
    }
    if expected.is_told.is_some_and(|is_told| is_told != file.is_told) {
        return Some(format!("told is {}", file.is_told));
    }
    if file.class == ScopeClass::Violation && reason.is_empty() {
        return Some("is a violation without a reason".to_owned());
    }
    (!reason.contains(&expected.reason)).then(|| format!("has the reason {reason:?}"))
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scope/cases");
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
    let mut rules = ScopeRules::default();
    let mut measures = BTreeMap::new();
    let mut title = String::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        let place = || format!("{file}:{}", at + 1);
        if line.is_empty() || line.starts_with('#') {
            continue;
        } else if let Some(new) = line.strip_prefix("=== ") {
            (rules, title) = (ScopeRules::default(), new.to_owned());
            measures.clear();
        } else if let Some(line) = line.strip_prefix("+ ") {
            add(cases.last_mut().unwrap_or_else(|| panic!("{}", place())), line);
        } else if let Some((change, _)) = line.split_once(' ').filter(|(c, _)| c.len() == 1) {
            assert!("AMDRLS".contains(change), "{}", place());
            let place = format!("{} ({title})", place());
            let (rules, measures) = (rules.clone(), measures.clone());
            cases.push(Case { place, rules, measures, ..Case::default() });
            add(cases.last_mut().unwrap(), line);
        } else {
            let (key, value) = line.split_once(':').unwrap_or_else(|| panic!("{}", place()));
            if key == "measure" {
                measures.extend([measure(value)]);
                continue;
            }
            set(&mut rules, key, &unescaped(value.trim()));
        }
    }
    cases
}

fn set(rules: &mut ScopeRules, key: &str, value: &str) {
    let fields: Vec<String> = value.split('|').map(|field| field.trim().to_owned()).collect();
    let field = |at: usize| fields.get(at).cloned().unwrap_or_default();
    match key {
        "in" => rules.in_scope.push(value.to_owned()),
        "out" => rules.out_of_scope.push(value.to_owned()),
        "authorized" => rules.authorized.push(value.to_owned()),
        "incidental" => rules.incidental.push(Incidental {
            path: field(0),
            motivated_by: field(1),
            behaviour_preserving: field(2).contains("preserving"),
            narrow: field(2).contains("narrow"),
            reason: field(3),
        }),
        "correction" => rules.corrections.push(ScopeCorrection {
            listed: field(0),
            actual: field(1),
            reason: field(2),
        }),
        "lines" => rules.incidental_lines_max = Some(value.parse().unwrap()),
        "summary" => {
            rules.corrections.extend(corrections_in(value));
            rules.summary = Some(value.to_owned());
        }
        _ => panic!("unknown line {key}: {value}"),
    }
}

fn measure(value: &str) -> (String, Measure) {
    let fields: Vec<&str> = value.split('|').map(str::trim).collect();
    let list = |at: usize| {
        let texts = fields.get(at).copied().unwrap_or_default().split_whitespace();
        texts.map(str::to_owned).collect()
    };
    let measure = Measure {
        lines: fields[1].parse().unwrap_or_default(),
        lost_names: list(2),
        lost_expectations: list(3),
        is_unreadable: fields[1] == "unreadable",
    };
    (fields[0].to_owned(), measure)
}

fn add(case: &mut Case, line: &str) {
    let (kind, rest) = line.split_once(' ').unwrap();
    let (rest, reason) = rest.split_once(" : ").unwrap_or((rest, ""));
    let (path, classes) = rest.split_once(" = ").unwrap_or_else(|| panic!("{}", case.place));
    let change_type = match kind {
        "A" => ChangeType::Added,
        "D" => ChangeType::Deleted,
        "R" => ChangeType::Renamed,
        _ => ChangeType::Modified,
    };
    let (old_path, path) = match path.split_once(" > ") {
        Some((old, new)) => (Some(unescaped(old.trim())), unescaped(new.trim())),
        None => (None, unescaped(path.trim())),
    };
    let measure = case.measures.get(&path).cloned();
    let change = FileChange { path, change_type, old_path };
    let (is_link_out, is_submodule) = (kind == "L", kind == "S");
    case.changes.push(ChangedFile { change, is_link_out, is_submodule, measure });
    // A rename is written old first and sorted new first.
    for words in classes.split(" > ").collect::<Vec<_>>().into_iter().rev() {
        let (class, told) = words.trim().split_once(' ').unwrap_or((words.trim(), ""));
        case.expected.push(Expected {
            class: ScopeClass::parse(class).unwrap_or_else(|| panic!("{}: {class}", case.place)),
            is_told: (!told.is_empty()).then_some(told == "told"),
            reason: reason.to_owned(),
        });
    }
}

/// `\n`, and `\u301;` for a character that editors hide.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u");
    let mut out = parts.next().unwrap_or_default().replace("\\n", "\n");
    for part in parts {
        let digits: String = part.chars().take_while(char::is_ascii_hexdigit).collect();
        out.push(char::from_u32(u32::from_str_radix(&digits, 16).unwrap()).unwrap());
        let rest = &part[digits.len()..];
        out.push_str(&rest.strip_prefix(';').unwrap_or(rest).replace("\\n", "\n"));
    }
    out
}
