//! Tests of Pest: calls with a title in PHP, with a chain behind them.

use super::{Block, Found, Listing, Mark};
use crate::test_guard::lex::Source;
use crate::test_guard::scan::{skip_space, words};

const TESTS: &[&str] = &["it", "test"];

pub(super) fn is_pest(source: &Source<'_>) -> bool {
    !source.code.contains("class ")
        && words(&source.code).any(|(at, word)| TESTS.contains(&word) && is_call(source, at, word))
}

fn is_call(source: &Source<'_>, at: usize, word: &str) -> bool {
    let before = source.code[..at].trim_end();
    let is_first =
        before.is_empty() || before.ends_with([';', '}', '{']) || before.ends_with("<?php");
    is_first && source.code[at + word.len()..].trim_start().starts_with('(')
}

pub(super) fn list(source: &Source<'_>) -> Listing {
    let code = source.code.as_str();
    let mut listing = Listing::default();
    for (at, word) in words(code).filter(|(_, word)| TESTS.contains(word)) {
        if !is_call(source, at, word) || listing.is_full() {
            continue;
        }
        let open = skip_space(code, at + word.len());
        let end = source.closing(open);
        let chain_end = code[end..].find(';').map_or(code.len(), |offset| end + offset);
        let chain = &code[end..chain_end];
        let has = |names: &[&str]| words(chain).any(|(_, word)| names.contains(&word));
        if has(&["only"]) {
            listing.blocks.push(Block { range: at..chain_end, mark: Mark::Only });
        }
        let title = super::super::scan::part(&source.bare, open + 1..end).trim_start();
        let quote = title.chars().next().unwrap_or_default();
        let name = title.trim_start_matches(quote).split(quote).next().unwrap_or_default();
        listing.tests.push(Found {
            name: name.to_owned(),
            at,
            head: at..open,
            body: open..end,
            is_skipped: has(&["skip", "todo", "skipOnWindows", "fails"]),
        });
    }
    listing
}
