//! Holds the tests before a change against those after it, over all files of the change at once.

mod judge;

use super::facts::Facts;
use super::found::{self, Found};
use super::lex::Source;
use super::scan::{part, words};
use super::{FileVersion, Kind, Weakening, assertions, cases, doubles, language, tolerance};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

pub(super) fn weakened(changes: &[FileVersion<'_>]) -> Vec<Weakening> {
    let before: Vec<Test> = changes
        .iter()
        .enumerate()
        .flat_map(|(index, change)| {
            tests_of(index, change.old_path.unwrap_or(change.path), change.before, &[])
        })
        .collect();
    let shared = shared_helpers(changes);
    let after: Vec<Test> = changes
        .iter()
        .enumerate()
        .flat_map(|(index, change)| {
            // What the file called before, it called beside its assertions and not in their place.
            let known: HashSet<&str> =
                words(change.before.unwrap_or_default()).map(|(_, word)| word).collect();
            let is_new = |name: &&String| !known.contains(name.as_str());
            let helpers: Vec<&String> = shared.iter().filter(is_new).collect();
            tests_of(index, change.path, change.after, &helpers)
        })
        .collect();
    let mut pairs = Pairs::of(&before, &after);
    pairs.find_rows(&before, &after);
    let mut weakenings = lost(changes, &before, &pairs);
    weakenings.extend(changes.iter().filter_map(out_of_reach));
    let elsewhere = Elsewhere::of(changes);
    for (old, new) in pairs.matched(&before, &after) {
        let worse = judge::worse(old, new, &elsewhere);
        weakenings.extend(worse.map(|(kind, message)| Weakening {
            path: changes[new.file].path.to_owned(),
            line: Some(new.line),
            kind,
            message,
        }));
    }
    weakenings
}

pub(super) struct Test {
    file: usize,
    pub name: String,
    line: u32,
    pub is_skipped: bool,
    pub facts: Facts,
    /// What it puts in place of something, by name.
    pub replaced: BTreeSet<String>,
    pub tolerances: Vec<f64>,
    /// Functions that it calls by their name alone.
    pub calls: BTreeSet<String>,
    /// The error that its attributes ask for.
    pub expects: Option<String>,
    /// What is in quotes, without space.
    quoted: Vec<String>,
    /// Without comments and space.
    body: String,
    tokens: BTreeMap<String, usize>,
    /// Its attributes too, without space.
    whole: String,
    /// The rows of the tables that it names.
    provided: Vec<Rc<Provided>>,
}

#[derive(PartialEq, Eq, Hash)]
struct Provided {
    rows: usize,
    /// Without space.
    text: String,
}

impl Test {
    /// The values that another test works with are all in this one.
    fn holds(&self, other: &Test) -> bool {
        let values =
            other.tokens.keys().filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let has = |text: &String| {
            let mut provided = self.provided.iter();
            self.whole.contains(text.as_str()) || provided.any(|p| p.text.contains(text.as_str()))
        };
        let missing = other.quoted.iter().filter(|text| !has(text)).count();
        // A message of a failed assertion may be another one.
        let is_close = missing <= 1 || missing * 2 <= other.quoted.len();
        is_close && values.into_iter().all(has)
    }

    /// How many cases it runs over, wherever they are in the file.
    pub(super) fn rows(&self) -> usize {
        self.facts.cases + self.provided.iter().map(|provided| provided.rows).sum::<usize>()
    }
}

/// Functions that assert something in files that tests stand on.
fn shared_helpers(changes: &[FileVersion<'_>]) -> BTreeSet<String> {
    let support = changes.iter().filter(|change| language::is_support(change.path));
    let sources = support.filter_map(|change| {
        Some(Source::new(change.after?, language::Language::of(change.path)?))
    });
    let names = |source: Source<'_>| -> Vec<String> {
        assertions::helpers(&source).into_iter().map(str::to_owned).collect()
    };
    sources.flat_map(names).collect()
}

fn tests_of(file: usize, path: &str, text: Option<&str>, shared: &[&String]) -> Vec<Test> {
    let Some(language) = language::of_tests(path) else { return Vec::new() };
    let Some(text) = text else { return Vec::new() };
    let source = Source::new(text, language);
    let mut helpers = assertions::helpers(&source);
    helpers.extend(shared.iter().map(|name| name.as_str()));
    let tests = found::tests(&source, path);
    let ranges: Vec<_> = tests.iter().map(|test| test.head.start..test.body.end).collect();
    let tables = cases::named(&source, &ranges).into_iter().map(|(name, table)| {
        let text = table.text.split_whitespace().collect();
        (name, Rc::new(Provided { rows: table.rows, text }))
    });
    let tables: BTreeMap<&str, Rc<Provided>> = tables.collect();
    let provided = |test: &Found| {
        if tables.is_empty() {
            return Vec::new();
        }
        // PHPUnit also takes its marks from the comment before the function.
        let head = source.text.get(test.head.clone()).unwrap_or_default();
        let named: HashSet<&str> = words(head).map(|(_, word)| word).collect();
        let body = &source.code[test.body.clone()];
        let looped = words(body).filter(|(at, word)| cases::runs_over(body, *at, word));
        let looped: HashSet<&str> = looped.map(|(_, word)| word).collect();
        let is_its = |name: &str| named.contains(name) || looped.contains(name);
        tables.iter().filter(|(name, _)| is_its(name)).map(|(_, table)| table.clone()).collect()
    };
    let patched = doubles::patched(&source, 0..source.code.len());
    let is_outside = |(at, _): &&(usize, &str)| !ranges.iter().any(|range| range.contains(at));
    let patched: Vec<&str> = patched.iter().filter(is_outside).map(|(_, name)| *name).collect();
    let described =
        |test: Found| described(file, &source, &helpers, &patched, provided(&test), test);
    tests.into_iter().map(described).collect()
}

fn described(
    file: usize,
    source: &Source<'_>,
    helpers: &HashSet<&str>,
    patched: &[&str],
    provided: Vec<Rc<Provided>>,
    test: Found,
) -> Test {
    let bare = part(&source.bare, test.body.clone());
    let mut body = bare.split_whitespace().collect::<String>();
    let mut tokens = BTreeMap::new();
    for (_, word) in words(bare) {
        *tokens.entry(word.to_owned()).or_default() += 1;
    }
    // The title is part of a call but not of what the test does.
    let title: String = test.name.split_whitespace().collect();
    if source.language == language::Language::JavaScript {
        body = body.replacen(&title, "", 1);
    }
    Test {
        file,
        line: source.line(test.at),
        is_skipped: test.is_skipped,
        facts: Facts::of(source, helpers, &test),
        replaced: doubles::replaced(source, test.body.clone(), patched),
        tolerances: tolerance::of(bare),
        calls: calls(source, test.body.clone()),
        expects: expects(&source.code[test.head.start..test.at.max(test.head.start)]),
        quoted: quoted(&body, &title),
        whole: part(&source.bare, test.head.start..test.body.end).split_whitespace().collect(),
        name: test.name,
        body,
        tokens,
        provided,
    }
}

/// Of Go, where a function of the package that is tested stands alone.
fn calls(source: &Source<'_>, body: std::ops::Range<usize>) -> BTreeSet<String> {
    if source.language != language::Language::Go {
        return BTreeSet::new();
    }
    let code = &source.code[body];
    let called = words(code).filter(|(at, word)| {
        let is_member = code[..*at].trim_end().ends_with('.');
        code[at + word.len()..].starts_with('(') && !is_member && *word != "func"
    });
    called.map(|(_, word)| word.to_owned()).collect()
}

/// `@Test(expected = X.class)`, `[ExpectedException(typeof(X))]`, `#[should_panic(expected = "x")]`.
fn expects(head: &str) -> Option<String> {
    if let Some((_, rest)) = head.split_once("should_panic") {
        let says_which = rest.trim_start().starts_with(['(', '=']);
        return Some(if says_which { "message" } else { "Error" }.to_owned());
    }
    let at = head
        .find("expected")
        .map(|at| at + 8)
        .or(head.find("ExpectedException").map(|at| at + 17))?;
    let mut names = words(&head[at..]).map(|(_, word)| word);
    names.find(|word| !matches!(*word, "typeof" | "class")).map(str::to_owned)
}

fn quoted(body: &str, title: &str) -> Vec<String> {
    const QUOTED_MAX: usize = 20;
    let texts = body
        .split(['"', '\''])
        .skip(1)
        .step_by(2)
        .filter(|text| !text.is_empty() && *text != title);
    texts.take(QUOTED_MAX).map(str::to_owned).collect()
}

/// For each test before the change the one after it that it became.
struct Pairs {
    became: Vec<Option<usize>>,
    is_taken: Vec<bool>,
    /// Those that are rows of another test now.
    merged: BTreeSet<usize>,
}

impl Pairs {
    fn of(before: &[Test], after: &[Test]) -> Self {
        let mut pairs = Self {
            became: vec![None; before.len()],
            is_taken: vec![false; after.len()],
            merged: BTreeSet::new(),
        };
        pairs.by_key(before, after, |test| format!("{} {}", test.file, test.name));
        pairs.by_key(before, after, |test| test.name.clone());
        pairs.by_key(before, after, |test| test.body.clone());
        pairs.by_likeness(before, after);
        pairs
    }

    fn by_key(&mut self, before: &[Test], after: &[Test], key: impl Fn(&Test) -> String) {
        let mut free: HashMap<String, Vec<usize>> = HashMap::new();
        for index in (0..after.len()).rev().filter(|index| !self.is_taken[*index]) {
            free.entry(key(&after[index])).or_default().push(index);
        }
        for (index, test) in before.iter().enumerate() {
            if self.became[index].is_none()
                && let Some(found) = free.get_mut(&key(test)).and_then(Vec::pop)
            {
                self.take(index, found);
            }
        }
    }

    fn take(&mut self, old: usize, new: usize) {
        self.became[old] = Some(new);
        self.is_taken[new] = true;
    }

    /// A test with a new name and an edited body; only where few are in question.
    fn by_likeness(&mut self, before: &[Test], after: &[Test]) {
        const COMPARED_MAX: usize = 10_000;
        let old: Vec<usize> =
            (0..before.len()).filter(|index| self.became[*index].is_none()).collect();
        let new: Vec<usize> = (0..after.len()).filter(|index| !self.is_taken[*index]).collect();
        if old.len().saturating_mul(new.len()) > COMPARED_MAX {
            return;
        }
        for index in old {
            let free = new.iter().filter(|candidate| !self.is_taken[**candidate]);
            let best = free.max_by_key(|candidate| likeness(&before[index], &after[**candidate]));
            if let Some(best) = best.filter(|best| likeness(&before[index], &after[**best]) >= 60) {
                self.take(index, *best);
            }
        }
    }

    /// Tests that became rows of a table: their words are in a test that has more cases than before.
    fn find_rows(&mut self, before: &[Test], after: &[Test]) {
        let known: HashSet<&Provided> =
            before.iter().flat_map(|test| &test.provided).map(Rc::as_ref).collect();
        let grown = |test: &Test| {
            let new = test.provided.iter().filter(|table| !known.contains(table.as_ref()));
            test.facts.cases + new.map(|table| table.rows).sum::<usize>()
        };
        let mut room: Vec<usize> = after.iter().map(grown).collect();
        for (index, new) in self.became.iter().enumerate() {
            if let Some(new) = new {
                let (old, now) = (&before[index], &after[*new]);
                let is_same = old.whole == now.whole && old.provided == now.provided;
                room[*new] = if is_same { 0 } else { room[*new].saturating_sub(1) };
            }
        }
        for (index, test) in before.iter().enumerate() {
            if self.became[index].is_some() {
                continue;
            }
            let takes = |new: &usize| room[*new] > 0 && after[*new].holds(test);
            if let Some(new) = (0..after.len()).find(takes) {
                room[new] -= 1;
                self.merged.insert(index);
            }
        }
    }

    fn matched<'a>(
        &'a self,
        before: &'a [Test],
        after: &'a [Test],
    ) -> impl Iterator<Item = (&'a Test, &'a Test)> {
        let pairs = before.iter().zip(&self.became);
        pairs.filter_map(|(old, became)| became.map(|new| (old, &after[new])))
    }
}

/// The share of words that two bodies have in common, in percent.
fn likeness(old: &Test, new: &Test) -> usize {
    let size = |tokens: &BTreeMap<String, usize>| tokens.values().sum::<usize>();
    let shared: usize = old
        .tokens
        .iter()
        .map(|(word, count)| new.tokens.get(word).map_or(0, |other| *count.min(other)))
        .sum();
    (shared * 100).checked_div(size(&old.tokens).max(size(&new.tokens))).unwrap_or(0)
}

fn lost(changes: &[FileVersion<'_>], before: &[Test], pairs: &Pairs) -> Vec<Weakening> {
    let mut by_file: BTreeMap<usize, Vec<&Test>> = BTreeMap::new();
    for (index, (test, became)) in before.iter().zip(&pairs.became).enumerate() {
        if became.is_none() && !pairs.merged.contains(&index) {
            by_file.entry(test.file).or_default().push(test);
        }
    }
    let told = |(file, tests): (usize, Vec<&Test>)| {
        let change = &changes[file];
        let names = names(&tests);
        let path = change.old_path.unwrap_or(change.path).to_owned();
        let (kind, message) = match (change.after, change.old_path) {
            (None, _) => (Kind::Deleted, format!("the test file was deleted, and with it {names}")),
            (Some(_), Some(_)) if language::of_tests(change.path).is_none() => {
                let to = change.path;
                (
                    Kind::Deleted,
                    format!(
                        "the test file was moved to {to}, where no test runner looks for {names}"
                    ),
                )
            }
            _ => (Kind::FewerTests, format!("gone from the file: {names}")),
        };
        Weakening { path, line: None, kind, message }
    };
    by_file.into_iter().map(told).collect()
}

/// A runner goes by names: what had one that it knows and has none now is not run any more.
fn out_of_reach(change: &FileVersion<'_>) -> Option<Weakening> {
    let (old, new) = (change.old_path.filter(|old| *old != change.path)?, change.path);
    change.after?;
    let is_lost = language::is_named_as_test(old) && !language::is_named_as_test(new);
    let is_told = language::of_tests(new).is_none();
    let message =
        format!("the test file was moved to {new}, where a test runner does not look by default");
    (is_lost && !is_told).then(|| Weakening {
        path: old.to_owned(),
        line: None,
        kind: Kind::Deleted,
        message,
    })
}

fn names(tests: &[&Test]) -> String {
    const SHOWN_MAX: usize = 5;
    let shown: Vec<String> =
        tests.iter().take(SHOWN_MAX).map(|test| crate::quote(&test.name)).collect();
    let word = if tests.len() == 1 { "the test" } else { "the tests" };
    let more = tests.len().saturating_sub(SHOWN_MAX);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{word} {}{rest}", shown.join(", "))
}

/// All that the change leaves behind, without layout: an assertion that moved is not lost.
pub(super) struct Elsewhere(Vec<String>);

impl Elsewhere {
    fn of(changes: &[FileVersion<'_>]) -> Self {
        let texts = changes.iter().filter(|change| language::Language::of(change.path).is_some());
        Self(texts.filter_map(|c| c.after).map(|t| t.split_whitespace().collect()).collect())
    }

    pub(super) fn has(&self, text: &str) -> bool {
        let is_start = |c: char| !c.is_alphanumeric() && c != '_';
        self.0.iter().any(|all| {
            all.match_indices(text)
                .any(|(at, _)| all[..at].chars().next_back().is_none_or(is_start))
        })
    }
}
