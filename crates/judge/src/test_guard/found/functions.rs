//! Tests that their names tell: Go, PHP, bats.

use super::{Block, Found, Listing, Mark};
use crate::test_guard::language::Language;
use crate::test_guard::lex::Source;
use crate::test_guard::scan::{body, skip_space, word_at, words};

pub(super) fn list(source: &Source<'_>) -> Listing {
    match source.language {
        Language::Bats => bats(source),
        _ => by_keyword(source),
    }
}

fn bats(source: &Source<'_>) -> Listing {
    let code = &source.code;
    let mut listing = Listing::default();
    for (at, _) in code.match_indices("setup()").chain(code.match_indices("setup_file()")) {
        let range = body(source, at + 7);
        if words(&code[range]).any(|(_, word)| word == "skip") {
            listing.blocks.push(Block { range: 0..code.len(), mark: Mark::Skipped });
        }
    }
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        let name_at = at + line.len() - line.trim_start().len() + "@test".len();
        if line.trim_start().starts_with("@test ") && !listing.is_full() {
            let body = body(source, name_at);
            let name = super::super::scan::part(&source.bare, name_at..body.start)
                .trim()
                .trim_matches(['"', '\''])
                .to_owned();
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
    let is_build_skipped = |line: &str| {
        let tag = line.strip_prefix("//go:build ").or_else(|| line.strip_prefix("// +build "));
        tag.is_some_and(|tag| !matches!(tag.trim(), "linux" | "unix" | "!windows" | "amd64"))
    };
    if source.language == Language::Go && source.text.lines().any(is_build_skipped) {
        listing.blocks.push(Block { range: 0..code.len(), mark: Mark::Skipped });
    }
    if source.language == Language::Php {
        let classes = code.match_indices("abstract class ").map(|(at, _)| body(source, at));
        listing.blocks.extend(classes.map(|range| Block { range, mark: Mark::Skipped }));
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
        let is_taken =
            source.language != Language::Go || is_go_signature(source, name_at + name.len());
        if is_test(source, name, start, at) && is_taken {
            let body = body(source, name_at + name.len());
            let (name, head) = (name.to_owned(), start..body.start);
            listing.tests.push(Found { name, at: name_at, head, body, is_skipped: false });
        }
    }
    listing
}

/// `(t *testing.T)` and nothing else, or nothing at all for an example.
fn is_go_signature(source: &Source<'_>, open: usize) -> bool {
    let code = &source.code;
    if !code[open..].starts_with('(') {
        return false;
    }
    let inside = code.get(open + 1..source.closing(open) - 1).unwrap_or_default().trim();
    inside.is_empty() || (!inside.contains(',') && inside.contains("*testing."))
}

fn is_test(source: &Source<'_>, name: &str, start: usize, at: usize) -> bool {
    if source.language == Language::Go {
        let rest = ["Test", "Fuzz", "Example"].iter().find_map(|start| name.strip_prefix(start));
        return rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_lowercase()));
    }
    // PHPUnit also takes its marks from the comment before the function.
    let before = super::super::scan::part(source.text, start..at);
    let is_marked =
        || ["@test", "#[Test]", "\\Test]", "#[Test,"].iter().any(|mark| before.contains(mark));
    let is_hidden = ["protected ", "private ", "abstract "]
        .iter()
        .any(|word| before.rsplit('\n').next().is_some_and(|line| line.contains(word)));
    !name.is_empty() && !is_hidden && (name.starts_with("test") || is_marked())
}
