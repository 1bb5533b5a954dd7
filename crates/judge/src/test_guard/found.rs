//! The tests of a file, each with its name, its attributes and its body, by the habits of its language.

mod attributes;
mod calls;
mod functions;
mod pest;
mod python;
mod ruby;

use super::blocks;
use super::language::{self, Language};
use super::lex::Source;
use super::scan::{self, words};
use std::collections::HashSet;
use std::ops::Range;

#[derive(Debug, Clone)]
pub(super) struct Found {
    pub name: String,
    /// Where its name stands.
    pub at: usize,
    /// Attributes, decorators and signature.
    pub head: Range<usize>,
    pub body: Range<usize>,
    pub is_skipped: bool,
}

/// What goes for all tests inside: a suite, a class, a file.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub range: Range<usize>,
    pub mark: Mark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Skipped,
    /// Everything outside is not run.
    Only,
}

#[derive(Debug, Default)]
pub(super) struct Listing {
    pub tests: Vec<Found>,
    pub blocks: Vec<Block>,
}

/// More than any file written by hand has; each may cost a look through the whole file.
const LISTED_MAX: usize = 2_000;

impl Listing {
    fn is_full(&self) -> bool {
        self.tests.len() + self.blocks.len() >= LISTED_MAX
    }
}

pub(super) fn tests(source: &Source<'_>, path: &str) -> Vec<Found> {
    let mut listing = match source.language {
        Language::Rust | Language::Java | Language::Kotlin | Language::CSharp => {
            attributes::list(source)
        }
        Language::JavaScript => calls::list(source),
        Language::Ruby => ruby::list(source),
        Language::Python => python::list(source),
        Language::Php if pest::is_pest(source) => pest::list(source),
        Language::Go | Language::Php | Language::Bats => functions::list(source),
        Language::Shell => whole_script(source, path),
    };
    // Tests do not nest; where they seem to, the text is made to cost time.
    let mut budget = source.text.len();
    for test in &mut listing.tests {
        if test.body.len() > budget {
            test.body.end = test.body.start;
        }
        budget -= test.body.len();
    }
    let only: Vec<Range<usize>> = ranges(&listing.blocks, Mark::Only);
    let mut skipped = ranges(&listing.blocks, Mark::Skipped);
    skipped.extend(conditions(source, &listing.tests));
    let helpers = skipping_helpers(source, &listing.tests);
    for test in &mut listing.tests {
        let is_in = |range: &Range<usize>| range.contains(&test.at);
        let is_hidden = !only.is_empty() && !only.iter().any(is_in);
        let is_inside_skipped = skipped.iter().any(is_in);
        // A fixture is asked for by a parameter.
        let whole = &source.code[test.head.start..test.body.end];
        let by_helper = !helpers.is_empty() && words(whole).any(|(_, word)| helpers.contains(word));
        test.is_skipped |=
            is_hidden || is_inside_skipped || by_helper || is_skipped_in_body(source, &test.body);
    }
    listing.tests
}

/// Tests that are in a condition are there only where it holds.
fn conditions(source: &Source<'_>, tests: &[Found]) -> Vec<Range<usize>> {
    if !matches!(source.language, Language::Python | Language::JavaScript | Language::Ruby) {
        return Vec::new();
    }
    let all = blocks::of(source, 0..source.text.len()).into_iter();
    let ifs = all.filter(|block| matches!(block.kind, blocks::Kind::If));
    let is_inside_test =
        |range: &Range<usize>| tests.iter().any(|test| test.body.contains(&range.start));
    ifs.map(|block| block.body).filter(|range| !is_inside_test(range)).collect()
}

/// Functions of the file that skip the test that calls them.
pub(super) fn skipping_helpers<'s>(source: &'s Source<'_>, tests: &[Found]) -> HashSet<&'s str> {
    const DECLARES: &[&str] = &["func", "def", "function", "void"];
    const HELPERS_MAX: usize = 200;
    let code = source.code.as_str();
    let declared = words(code).filter(|(_, word)| DECLARES.contains(word)).take(HELPERS_MAX);
    let mut all = HashSet::new();
    for (at, word) in declared {
        let name_at = scan::skip_space(code, at + word.len());
        let name = scan::word_at(code, name_at);
        let is_test = tests.iter().any(|test| test.at == name_at || test.body.contains(&at));
        let from = if source.language.has_braces() { name_at + name.len() } else { at };
        let body = scan::body(source, from);
        if !is_test && !name.is_empty() && is_skipped_in_body(source, &body) {
            all.insert(name);
        }
    }
    all
}

fn ranges(blocks: &[Block], mark: Mark) -> Vec<Range<usize>> {
    blocks.iter().filter(|block| block.mark == mark).map(|block| block.range.clone()).collect()
}

fn is_skipped_in_body(source: &Source<'_>, body: &Range<usize>) -> bool {
    let body = &source.code[body.clone()];
    let calls: &[&str] = match source.language {
        Language::Rust | Language::Java | Language::Kotlin => &[],
        Language::Python => &[
            "pytest.skip(",
            "pytest.xfail(",
            ".skipTest(",
            "raise SkipTest",
            "raise unittest.SkipTest",
        ],
        Language::JavaScript => &[
            "this.skip(",
            "ctx.skip(",
            "context.skip(",
            "t.skip(",
            "test.skip(",
            "test.fixme(",
            "test.fail(",
        ],
        Language::Go => &["t.Skip(", "t.Skipf(", "t.SkipNow(", "b.Skip("],
        Language::CSharp => &["Assert.Ignore(", "Assert.Inconclusive(", "Skip.If("],
        Language::Php => &["markTestSkipped(", "markTestIncomplete("],
        Language::Ruby | Language::Bats | Language::Shell => {
            let is_skip = |line: &str| {
                matches!(line.split([' ', '(']).next(), Some("skip" | "pending"))
                    || line.ends_with("|| skip")
                    || line.contains("|| skip ")
                    || line.contains("&& skip")
            };
            return body.lines().any(|line| is_skip(line.trim()));
        }
    };
    calls.iter().any(|call| body.contains(call))
}

/// A script that a runner finds by its name is one test.
fn whole_script(source: &Source<'_>, path: &str) -> Listing {
    let name = language::file_name(path).to_owned();
    let all = 0..source.text.len();
    let lines: Vec<&str> =
        source.code.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let ends_early = lines.iter().position(|line| matches!(*line, "exit 0" | "exit"));
    let is_skipped = ends_early.is_some_and(|at| at + 1 < lines.len());
    let test = Found { name, at: 0, head: 0..0, body: all, is_skipped };
    Listing { tests: vec![test], blocks: Vec::new() }
}
