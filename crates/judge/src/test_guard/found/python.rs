//! Tests of Python, by the rules of pytest and unittest: which functions and classes a runner takes.

use super::{Block, Found, Listing, Mark};
use crate::test_guard::lex::Source;
use crate::test_guard::scan::{
    body, indentation, line_end, line_start, skip_space, word_at, words,
};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

const SKIPS: &[&str] = &["skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure"];

pub(super) fn list(source: &Source<'_>) -> Listing {
    let code = source.code.as_str();
    let mut listing = Listing::default();
    let declared = declared(source);
    let aliases = aliases(source, &declared);
    let is_skip =
        |code: &str| words(code).any(|(_, word)| SKIPS.contains(&word) || aliases.contains(word));
    let hidden = file_marks(source, &is_skip, &mut listing);
    for one in &declared {
        let decorators = &code[one.start..one.at];
        let is_skipped = is_skip(decorators);
        if one.is_class {
            let is_left_out = is_skipped || is_class_left_out(source, one);
            if is_left_out || hidden.contains(one.name) {
                listing.blocks.push(Block { range: one.body.clone(), mark: Mark::Skipped });
            }
            continue;
        }
        if skips_for_all(source, one) {
            let range = enclosing(&declared, one).map_or(0..code.len(), |c| c.body.clone());
            listing.blocks.push(Block { range, mark: Mark::Skipped });
        }
        if !one.name.starts_with("test") || !is_taken(source, &declared, one) {
            continue;
        }
        let is_generator = words(&code[one.body.clone()]).any(|(_, word)| word == "yield");
        listing.tests.push(Found {
            name: one.name.to_owned(),
            at: one.name_at,
            head: one.start..one.body.start,
            body: one.body.clone(),
            is_skipped: is_skipped
                || is_generator
                || hidden.contains(one.name)
                || is_lost_coroutine(source, &declared, one),
        });
        if listing.is_full() {
            break;
        }
    }
    hide_all_but_the_last(&declared, &mut listing);
    listing
}

struct Declared<'s> {
    is_class: bool,
    name: &'s str,
    /// Of its first decorator.
    start: usize,
    at: usize,
    name_at: usize,
    depth: usize,
    body: Range<usize>,
}

fn declared<'s>(source: &'s Source<'_>) -> Vec<Declared<'s>> {
    const DECLARED_MAX: usize = 4_000;
    let code = source.code.as_str();
    let mut budget = code.len().saturating_mul(8);
    let mut all = Vec::new();
    for (at, word) in words(code).filter(|(_, word)| matches!(*word, "def" | "class")) {
        let line = code[line_start(code, at)..at].trim();
        if !(line.is_empty() || line == "async") || all.len() >= DECLARED_MAX {
            continue;
        }
        let name_at = skip_space(code, at + word.len());
        let body = body(source, at);
        if body.len() > budget {
            break;
        }
        budget -= body.len();
        all.push(Declared {
            is_class: word == "class",
            name: word_at(code, name_at),
            start: decorators_start(code, at),
            at,
            name_at,
            depth: indentation(code, at),
            body,
        });
    }
    all
}

fn enclosing<'d, 's>(declared: &'d [Declared<'s>], one: &Declared<'s>) -> Option<&'d Declared<'s>> {
    let around = declared.iter().filter(|d| d.body.contains(&one.at) && d.depth < one.depth);
    around.max_by_key(|outer| outer.depth)
}

/// A runner takes functions of a module and methods of a class that is a test case, and no others.
fn is_taken(source: &Source<'_>, declared: &[Declared<'_>], one: &Declared<'_>) -> bool {
    let decorators = &source.code[one.start..one.at];
    if words(decorators).any(|(_, word)| word == "fixture") {
        return false;
    }
    match enclosing(declared, one) {
        None => true,
        Some(outer) if !outer.is_class => false,
        Some(class) => {
            let bases = bases(source, class);
            let is_plain = matches!(bases.trim(), "" | "object");
            let wants_case = source.code[one.body.clone()].contains("self.assert");
            !is_plain || (class.name.starts_with("Test") && !wants_case)
        }
    }
}

fn bases<'s>(source: &'s Source<'_>, class: &Declared<'_>) -> &'s str {
    let open = class.name_at + class.name.len();
    match source.code[open..].starts_with('(') {
        true => source.code.get(open + 1..source.closing(open) - 1).unwrap_or_default(),
        false => "",
    }
}

fn is_class_left_out(source: &Source<'_>, class: &Declared<'_>) -> bool {
    let code = &source.code[class.body.clone()];
    let squeezed: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let is_case = !matches!(bases(source, class).trim(), "" | "object");
    let has_constructor = squeezed.contains("def__init__(") && !is_case;
    squeezed.contains("__test__=False")
        || squeezed.contains("__unittest_skip__=True")
        || has_constructor
}

/// `setUp` and its like, where they skip.
fn skips_for_all(source: &Source<'_>, one: &Declared<'_>) -> bool {
    const FIRST: &[&str] = &[
        "setUp",
        "setUpClass",
        "setUpModule",
        "setup_method",
        "setup_class",
        "setup_module",
        "asyncSetUp",
    ];
    let code = &source.code[one.body.clone()];
    let skips = ["SkipTest", "skipTest(", "pytest.skip("];
    FIRST.contains(&one.name) && skips.iter().any(|skip| code.contains(skip))
}

/// A coroutine that unittest never waits for.
fn is_lost_coroutine(source: &Source<'_>, declared: &[Declared<'_>], one: &Declared<'_>) -> bool {
    let line = source.code[line_start(&source.code, one.at)..one.at].trim();
    let class = enclosing(declared, one);
    let bases = class.map_or("", |class| bases(source, class));
    line == "async" && bases.contains("TestCase") && !bases.contains("sync")
}

/// Marks of the whole file; gives the names that it takes back: `del TestX`, `TestX = None`, `test_x.__test__ = False`.
fn file_marks<'s>(
    source: &'s Source<'_>,
    is_skip: &impl Fn(&str) -> bool,
    listing: &mut Listing,
) -> BTreeSet<&'s str> {
    let code = source.code.as_str();
    let mut hidden = BTreeSet::new();
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        let text = line.trim_end();
        let marks = text.starts_with("pytestmark") && is_skip(&code[at..line_end(code, at)]);
        let skips =
            ["pytest.skip(", "raise unittest.SkipTest", "raise SkipTest", "pytest.importorskip("];
        let set = text.split_once('=').map(|(name, value)| (name.trim_end(), value.trim()));
        let is_off = set == Some(("__test__", "False"));
        if marks || is_off || skips.iter().any(|skip| text.starts_with(skip)) {
            listing.blocks.push(Block { range: 0..code.len(), mark: Mark::Skipped });
        }
        hidden.extend(text.strip_prefix("del "));
        hidden.extend(set.map(|(name, value)| match name.strip_suffix(".__test__") {
            Some(name) if value == "False" => name,
            _ => name,
        }));
        at += line.len();
    }
    hidden
}

/// Names that stand for a skip, and decorators of the file's own that hide a failure.
fn aliases<'s>(source: &'s Source<'_>, declared: &[Declared<'s>]) -> BTreeSet<&'s str> {
    let code = source.code.as_str();
    let mut all = BTreeSet::new();
    for line in code.lines().filter(|line| SKIPS.iter().any(|skip| line.contains(skip))) {
        let found: Vec<&str> = words(line).map(|(_, word)| word).collect();
        for three in found.windows(3).filter(|w| SKIPS.contains(&w[0]) && w[1] == "as") {
            all.insert(three[2]);
        }
        let value =
            line.split_once('=').filter(|(name, _)| !line.starts_with(' ') && !name.contains('('));
        if let Some((name, _)) =
            value.filter(|(_, value)| words(value).any(|(_, w)| SKIPS.contains(&w)))
        {
            all.insert(name.trim());
        }
    }
    for one in declared.iter().filter(|one| !one.is_class) {
        let inside = &code[one.body.clone()];
        let hides = inside.contains("except") && !inside.contains("raise");
        if hides && inside.contains("return") {
            all.insert(one.name);
        }
    }
    all
}

/// A second function of the same name in the same place hides the first.
fn hide_all_but_the_last(declared: &[Declared<'_>], listing: &mut Listing) {
    let place = |at: usize| {
        let one = declared.iter().find(|one| one.name_at == at);
        one.and_then(|one| enclosing(declared, one)).map(|outer| outer.at)
    };
    let mut last: HashMap<(String, Option<usize>), usize> = HashMap::new();
    for test in &listing.tests {
        last.insert((test.name.clone(), place(test.at)), test.at);
    }
    for test in &mut listing.tests {
        test.is_skipped |= last.get(&(test.name.clone(), place(test.at))) != Some(&test.at);
    }
}

/// Upwards over `@…` lines and the lines that they continue over.
fn decorators_start(code: &str, at: usize) -> usize {
    let own = indentation(code, at);
    let mut start = line_start(code, at);
    let mut here = start;
    while here > 0 {
        let above = line_start(code, here - 1);
        let line = &code[above..here];
        let depth = line.len() - line.trim_start().len();
        let is_decorator = line.trim_start().starts_with('@');
        let goes_on = depth > own || line.trim_start().starts_with([')', ']', '}']);
        if line.trim().is_empty() || (!is_decorator && !goes_on) {
            break;
        }
        here = above;
        if is_decorator && depth == own {
            start = above;
        }
    }
    start
}
