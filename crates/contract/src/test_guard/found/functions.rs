//! Tests that their names tell: Python, Go, PHP, bats.

use super::{Block, Found, Listing, Mark};
use crate::test_guard::language::Language;
use crate::test_guard::lex::Source;
use crate::test_guard::scan::{
    body, indentation, line_end, line_start, skip_space, word_at, words,
};

pub(super) fn list(source: &Source<'_>) -> Listing {
    match source.language {
        Language::Python => python(source),
        Language::Bats => bats(source),
        _ => by_keyword(source),
    }
}

const PYTHON_SKIPS: &[&str] =
    &["skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure"];

fn python(source: &Source<'_>) -> Listing {
    let code = &source.code;
    let mut listing = Listing::default();
    for (at, word) in words(code) {
        let line = code[line_start(code, at)..at].trim();
        let is_first = line.is_empty() || line == "async";
        if word == "pytestmark" && is_first && is_python_skip(&code[at..line_end(code, at)]) {
            listing.blocks.push(Block { range: 0..code.len(), mark: Mark::Skipped });
        }
        if word == "pytest"
            && is_first
            && indentation(code, at) == 0
            && code[at..].starts_with("pytest.skip(")
        {
            listing.blocks.push(Block { range: 0..code.len(), mark: Mark::Skipped });
        }
        if !is_first || !matches!(word, "def" | "class") || listing.is_full() {
            continue;
        }
        let name_at = skip_space(code, at + word.len());
        let name = word_at(code, name_at);
        let start = decorators_start(code, at);
        let is_skipped = is_python_skip(&code[start..at]);
        let body = body(source, at);
        if word == "class" && is_skipped {
            listing.blocks.push(Block { range: body, mark: Mark::Skipped });
        } else if word == "def" && name.starts_with("test") {
            let (name, head) = (name.to_owned(), start..body.start);
            listing.tests.push(Found { name, at: name_at, head, body, is_skipped });
        }
    }
    listing
}

fn is_python_skip(code: &str) -> bool {
    words(code).any(|(_, word)| PYTHON_SKIPS.contains(&word))
}

/// Upwards over `@…` lines and the lines that they go on over.
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

fn bats(source: &Source<'_>) -> Listing {
    let code = &source.code;
    let mut listing = Listing::default();
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        let name_at = at + line.len() - line.trim_start().len() + "@test".len();
        if line.trim_start().starts_with("@test ") && !listing.is_full() {
            let body = body(source, name_at);
            let name = source.bare[name_at..body.start].trim().trim_matches(['"', '\'']).to_owned();
            let head = at..body.start;
            listing.tests.push(Found { name, at: name_at, head, body, is_skipped: false });
        }
        at += line.len();
    }
    listing
}

fn by_keyword(source: &Source<'_>) -> Listing {
    let code = &source.code;
    let keyword = if source.language == Language::Go { "func" } else { "function" };
    let mut listing = Listing::default();
    let is_build_skipped =
        |line: &str| line.starts_with("//go:build ignore") || line.starts_with("// +build ignore");
    if source.language == Language::Go && source.text.lines().any(is_build_skipped) {
        listing.blocks.push(Block { range: 0..code.len(), mark: Mark::Skipped });
    }
    for (at, word) in words(code) {
        if word != keyword || listing.is_full() {
            continue;
        }
        let mut name_at = skip_space(code, at + word.len());
        if code[name_at..].starts_with('(') && source.language == Language::Go {
            name_at = skip_space(code, source.closing(name_at));
        }
        let name = word_at(code, name_at);
        let is_end = |byte: &u8| b";{}".contains(byte);
        let start = code.as_bytes()[..at].iter().rposition(is_end).map_or(0, |end| end + 1);
        if is_test(source, name, start, at) {
            let body = body(source, name_at + name.len());
            let (name, head) = (name.to_owned(), start..body.start);
            listing.tests.push(Found { name, at: name_at, head, body, is_skipped: false });
        }
    }
    listing
}

fn is_test(source: &Source<'_>, name: &str, start: usize, at: usize) -> bool {
    if source.language == Language::Go {
        let rest = ["Test", "Fuzz", "Example"].iter().find_map(|start| name.strip_prefix(start));
        return rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_lowercase()));
    }
    // PHPUnit also takes its marks from the comment before the function.
    let before = &source.text[start..at];
    let is_marked = || before.contains("@test") || before.contains("#[Test]");
    !name.is_empty() && (name.starts_with("test") || is_marked())
}
