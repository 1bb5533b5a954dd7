//! What tests stand on, outside of each of them: helpers that assert, tables of cases, modules that are replaced, and
//! names of assertions that are given another meaning.

use super::language::{self, Language};
use super::lex::Source;
use super::scan::{body, part, skip_space, words};
use super::{FileVersion, Kind, Weakening, assertions, cases, doubles, found, swallow};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn weakened(changes: &[FileVersion<'_>]) -> Vec<Weakening> {
    changes.iter().filter_map(looked_at).collect()
}

fn looked_at(change: &FileVersion<'_>) -> Option<Weakening> {
    let language = Language::of(change.path)?;
    let is_among =
        matches!(language, Language::Rust | Language::Java | Language::Kotlin | Language::CSharp);
    let is_test = language::of_tests(change.path).is_some() && !is_among;
    if !is_test && !language::is_support(change.path) && !is_among {
        return None;
    }
    let new = Support::of(change.after?, change.path, language);
    let old = change
        .before
        .map(|text| Support::of(text, change.old_path.unwrap_or(change.path), language));
    // Among the program only what hides an assertion's name counts.
    let is_program = !is_test && !language::is_support(change.path);
    let (line, kind, message) = match is_program {
        true => hidden_macro(old.as_ref(), &new)?,
        false => worse(old.as_ref(), &new)?,
    };
    Some(Weakening { path: change.path.to_owned(), line, kind, message })
}

#[derive(Debug, Default)]
struct Support {
    /// Functions outside of tests, with their line, how often they assert, and of how many words they are.
    functions: BTreeMap<String, (u32, usize, usize)>,
    tables: BTreeMap<String, usize>,
    modules: BTreeSet<String>,
    /// Assertions that are declared here and assert nothing.
    renamed: BTreeMap<String, u32>,
    macros: BTreeMap<String, u32>,
    /// Functions that skip the test that calls or asks for them.
    skipping: BTreeSet<String>,
    /// Functions that run what they are given, and drop its failure.
    swallowing: BTreeMap<String, u32>,
}

impl Support {
    fn of(text: &str, path: &str, language: Language) -> Self {
        let source = Source::new(text, language);
        let tests = found::tests(&source, path);
        let skipping = found::skipping_helpers(&source, &tests);
        let skipping = skipping.into_iter().map(str::to_owned).collect();
        let tests: Vec<_> = tests.into_iter().map(|test| test.head.start..test.body.end).collect();
        let tables = cases::named(&source, &tests);
        let mut swallowing = BTreeMap::new();
        Self {
            functions: functions(&source, &tests, &mut swallowing),
            swallowing,
            tables: tables.into_iter().map(|(name, table)| (name.to_owned(), table.rows)).collect(),
            modules: doubles::modules(&source),
            renamed: renamed(&source),
            macros: macros(&source),
            skipping,
        }
    }
}

fn hidden_macro(old: Option<&Support>, new: &Support) -> Option<Worse> {
    let known = |name: &String| old.is_some_and(|old| old.macros.contains_key(name));
    let (name, line) = new.macros.iter().find(|(name, _)| !known(name))?;
    let message = format!("the macro {name:?} is redefined here");
    Some((Some(*line), Kind::Emptied, message))
}

type Worse = (Option<u32>, Kind, String);

fn worse(old: Option<&Support>, new: &Support) -> Option<Worse> {
    let none = Support::default();
    let known = old.unwrap_or(&none);
    let fresh = new.renamed.iter().find(|(name, _)| !known.renamed.contains_key(*name));
    if let Some((name, line)) = fresh {
        let message = format!("{name:?} is redefined here and asserts nothing");
        return Some((Some(*line), Kind::Emptied, message));
    }
    let fresh = new.swallowing.iter().find(|(name, _)| !known.swallowing.contains_key(*name));
    if let Some((name, line)) = fresh {
        let message = format!("{name:?} runs its argument and ignores failures");
        return Some((Some(*line), Kind::Emptied, message));
    }
    let old = old?;
    // A helper that was rewritten does its work in another way; one that lost it is short.
    for (name, (_, before, before_words)) in &old.functions {
        if let Some((line, after, after_words)) = new.functions.get(name)
            && after < before
            && after_words * 2 <= *before_words
        {
            let message = format!("the helper {name:?} asserts less than before");
            return Some((Some(*line), Kind::Emptied, message));
        }
    }
    let mut skipping = new.skipping.difference(&old.skipping);
    if let Some(name) = skipping.find(|name| old.functions.contains_key(*name)) {
        let message = format!("every test that uses {name:?} is now skipped");
        return Some((new.functions.get(name).map(|f| f.0), Kind::Skipped, message));
    }
    if let Some(module) = new.modules.difference(&old.modules).next() {
        let message =
            format!("the module {module:?}, which is tested here, is replaced by another");
        return Some((None, Kind::Emptied, message));
    }
    let fewer = old.tables.iter().find_map(|(name, before)| {
        let after = new.tables.get(name).copied().unwrap_or(0);
        (after < *before && is_still_used(name, new)).then_some((name, before, after))
    });
    let (name, before, after) = fewer?;
    let message = format!("the table {name:?} has {after} entries; before, it had {before}");
    Some((None, Kind::FewerTests, message))
}

/// A table that is gone with what used it is not cut; one that has less than two entries now is.
fn is_still_used(name: &str, new: &Support) -> bool {
    new.tables.contains_key(name) || new.functions.contains_key(name)
}

const DECLARES: &[&str] =
    &["def", "fn", "function", "func", "fun", "void", "const", "let", "var", "static"];

fn functions(
    source: &Source<'_>,
    tests: &[std::ops::Range<usize>],
    swallowing: &mut BTreeMap<String, u32>,
) -> BTreeMap<String, (u32, usize, usize)> {
    const FUNCTIONS_MAX: usize = 500;
    if matches!(source.language, Language::Shell | Language::Bats) {
        return shell_functions(source);
    }
    let code = source.code.as_str();
    let mut all = BTreeMap::new();
    let mut budget = code.len().saturating_mul(4);
    for (at, word) in words(code).filter(|(_, word)| DECLARES.contains(word)) {
        if tests.iter().any(|test| test.contains(&at)) || all.len() >= FUNCTIONS_MAX {
            continue;
        }
        let name_at = skip_space(code, at + word.len());
        let name = super::scan::word_at(code, name_at);
        if name.is_empty() || name.starts_with("test") || name.starts_with("Test") {
            continue;
        }
        let from = if source.language.has_braces() { name_at + name.len() } else { at };
        let range = body(source, from);
        if range.len() > budget {
            break;
        }
        budget -= range.len();
        if swallow::runs_and_drops(source, name_at.min(range.start)..range.start, range.clone()) {
            swallowing.insert(name.to_owned(), source.line(at));
        }
        let size = words(part(&source.bare, range.clone())).count();
        let count = assertions::sites(source, &Default::default(), range).len();
        all.insert(name.to_owned(), (source.line(at), count, size));
    }
    all
}

fn macros(source: &Source<'_>) -> BTreeMap<String, u32> {
    let code = source.code.as_str();
    let all = code.match_indices("macro_rules!").map(|(at, word)| {
        let name = skip_space(code, at + word.len());
        (super::scan::word_at(code, name), source.line(at))
    });
    all.filter(|(name, _)| ASSERTIONS.contains(name))
        .map(|(name, line)| (name.to_owned(), line))
        .collect()
}

/// `fail() {`: what can make a run fail in it.
fn shell_functions(source: &Source<'_>) -> BTreeMap<String, (u32, usize, usize)> {
    let code = source.code.as_str();
    let declared = code.match_indices("()").filter_map(|(at, _)| {
        let name = words(&code[super::scan::line_start(code, at)..at]).last()?.1;
        let range = body(source, at + 2);
        let fails = words(part(&source.bare, range.clone()))
            .filter(|(_, word)| matches!(*word, "exit" | "return" | "false" | "fail" | "test"))
            .count();
        let calls =
            code[range].lines().filter(|line| line.trim_start().starts_with(['"', '['])).count();
        // A line less can be all of it.
        let size = if fails + calls == 0 { 0 } else { 1 };
        Some((name.to_owned(), (source.line(at), fails + calls, size)))
    });
    declared.collect()
}

/// Names by which libraries call assertions.
const ASSERTIONS: &[&str] = &[
    "assert",
    "expect",
    "assertEqual",
    "assertEquals",
    "assertTrue",
    "assertFalse",
    "assertRaises",
    "assert_eq",
    "assert_ne",
    "assertThat",
    "assertSame",
    "assertNotNull",
    "assert_equal",
    "assert_true",
    "strictEqual",
    "deepEqual",
    "deepStrictEqual",
    "fail",
    "assertIn",
    "assertAlmostEqual",
    "debug_assert",
];

/// The same for what JavaScript expects of a value.
const MATCHERS: &[&str] = &[
    "toBe",
    "toEqual",
    "toStrictEqual",
    "toMatchObject",
    "toContain",
    "toMatch",
    "toThrow",
    "toHaveLength",
    "toHaveProperty",
    "toHaveBeenCalled",
    "toHaveBeenCalledWith",
    "toHaveBeenCalledTimes",
    "toBeCloseTo",
    "toBeTruthy",
    "toBeFalsy",
    "toBeNull",
    "toBeDefined",
    "toBeUndefined",
    "toBeGreaterThan",
    "toBeLessThan",
];

/// `toBe() {` and `toBe: …` in an object.
fn is_member(source: &Source<'_>, at: usize, word: &str) -> bool {
    let code = source.code.as_str();
    let open = skip_space(code, at + word.len());
    let is_method = code[open..].starts_with('(')
        && code[source.closing(open)..].trim_start().starts_with(['{', ':']);
    let is_first =
        code[..at].trim_end().trim_end_matches("async").trim_end().ends_with(['{', ',', '}']);
    is_first && (is_method || code[open..].starts_with(':'))
}

/// A matcher of its own for which whatever comes is right.
fn takes_all(source: &Source<'_>) -> Option<u32> {
    let code = source.code.as_str();
    let at = code.find("expect.extend(")?;
    let matchers = &code[at..source.closing(at + "expect.extend".len())];
    let mut passes = words(matchers).filter(|(_, word)| *word == "pass").peekable();
    let is_true = |(at, word): (usize, &str)| {
        let rest: String = matchers[at + word.len()..].split_whitespace().take(2).collect();
        rest.starts_with(":true")
    };
    (passes.peek().is_some() && passes.all(is_true)).then(|| source.line(at))
}

/// `def assertEqual(self, …): pass`, `const expect = () => …`, `macro_rules! assert_eq`.
fn renamed(source: &Source<'_>) -> BTreeMap<String, u32> {
    let code = source.code.as_str();
    let mut all = BTreeMap::new();
    let is_named = |word: &str| word.starts_with("assert") || word.starts_with("refute");
    let is_known =
        |word: &str| ASSERTIONS.contains(&word) || MATCHERS.contains(&word) || is_named(word);
    for (at, word) in words(code).filter(|(_, word)| is_known(word)) {
        let before = code[..at].trim_end();
        let declares = words(before.rsplit('\n').next().unwrap_or_default()).last();
        let is_declared = declares.is_some_and(|(place, keyword)| {
            let line = before.rsplit('\n').next().unwrap_or_default();
            let is_last = line[place + keyword.len()..].trim().trim_start_matches('!').is_empty();
            is_last && (DECLARES.contains(&keyword) || keyword == "macro_rules")
        });
        let rest = code[at + word.len()..].trim_start();
        let is_assigned =
            rest.starts_with('=') && !rest.starts_with("==") && !before.ends_with(',');
        let is_imported = {
            let line = part(&source.bare, at..).lines().next().unwrap_or_default();
            [
                "require(", "import", "chai", "jest", "vitest", "extend", "assert.", "unittest",
                "pytest",
            ]
            .iter()
            .any(|known| line.contains(known))
        };
        let is_matcher = MATCHERS.contains(&word) && is_member(source, at, word);
        let is_given = match ASSERTIONS.contains(&word) || MATCHERS.contains(&word) {
            true => is_declared || (is_assigned && !before.ends_with('{')),
            // Any function of such a name must be able to fail.
            false => is_declared && rest.starts_with(['(', '<']),
        };
        if is_imported || !(is_given || is_matcher) {
            continue;
        }
        let from = if source.language.has_braces() {
            at + word.len()
        } else {
            super::scan::line_start(code, at)
        };
        let range = body(source, from);
        let own =
            at + word.len()..super::blocks::statement_end(source, at + word.len()).max(range.end);
        let inside = words(&code[own.clone()]);
        let fails = inside.into_iter().any(|(_, w)| {
            matches!(
                w,
                "raise"
                    | "throw"
                    | "panic"
                    | "fail"
                    | "exit"
                    | "Fatalf"
                    | "Errorf"
                    | "Fatal"
                    | "Error"
            ) || w == "super"
        });
        if !fails && assertions::sites(source, &Default::default(), own).is_empty() {
            all.insert(word.to_owned(), source.line(at));
        }
    }
    all.extend(takes_all(source).map(|line| ("expect.extend".to_owned(), line)));
    all
}
