//! Tests of RSpec, minitest and Rails: lines that open a block, and `def test_…`.

use super::{Block, Found, Listing, Mark};
use crate::test_guard::lex::Source;
use crate::test_guard::scan::{indentation, line_end};
use std::ops::Range;

const TESTS: &[&str] =
    &["it", "specify", "example", "scenario", "test", "xit", "xspecify", "fit", "pending", "skip"];
const SUITES: &[&str] =
    &["describe", "context", "feature", "xdescribe", "xcontext", "fdescribe", "fcontext"];

pub(super) fn list(source: &Source<'_>) -> Listing {
    let mut listing = Listing::default();
    let mut at = 0;
    let mut is_private = false;
    for line in source.code.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        if line.trim_end() == "__END__" {
            break;
        }
        // Methods below are called by nobody from outside.
        is_private = match line.trim() {
            "private" | "protected" => true,
            "public" | "end" if !line.starts_with([' ', '\t']) => false,
            _ => is_private,
        };
        let is_method = line.trim_start().starts_with("def ");
        let is_hidden = is_private && is_method;
        if !line.trim().is_empty() && !listing.is_full() && !is_hidden {
            opened(source, start, line.trim(), &mut listing);
        }
        at += line.len();
    }
    listing
}

fn opened(source: &Source<'_>, at: usize, line: &str, listing: &mut Listing) {
    let line = line.strip_prefix("RSpec.").unwrap_or(line);
    let word = line.split([' ', '(', '{']).next().unwrap_or_default();
    let rest = line[word.len()..].trim_start();
    if word != "def" && !TESTS.contains(&word) && !SUITES.contains(&word) {
        return;
    }
    let block = block(source, at);
    if let Some(name) = rest.strip_prefix("test_").filter(|_| word == "def") {
        let name: String =
            name.chars().take_while(|c| c.is_alphanumeric() || "_?!".contains(*c)).collect();
        listing.tests.push(Found {
            name: format!("test_{name}"),
            at,
            head: at..block.start,
            body: block,
            is_skipped: false,
        });
        return;
    }
    let opens =
        rest.starts_with(['"', '\'', '(', '{']) || rest.starts_with("do") || SUITES.contains(&word);
    let has_block = has_block(line);
    let options: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let by_option =
        [",:skip", "skip:", "pending:", ",:pending"].iter().any(|mark| options.contains(mark));
    if SUITES.contains(&word) && has_block {
        let mark = match word.as_bytes()[0] {
            b'x' => Some(Mark::Skipped),
            b'f' if word != "feature" => Some(Mark::Only),
            _ => by_option.then_some(Mark::Skipped),
        };
        listing.blocks.extend(mark.map(|mark| Block { range: block, mark }));
        return;
    }
    // `skip "why"` without a block is a statement of the test around it.
    if !TESTS.contains(&word) || !opens || (!has_block && matches!(word, "skip" | "pending")) {
        return;
    }
    if word == "fit" {
        listing.blocks.push(Block { range: at..block.end, mark: Mark::Only });
    }
    let is_skipped =
        word.starts_with('x') || by_option || !has_block || matches!(word, "skip" | "pending");
    let name = title(source, at);
    listing.tests.push(Found { name, at, head: at..block.start, body: block, is_skipped });
}

fn has_block(line: &str) -> bool {
    line.ends_with(" do") || line.contains(" do |") || line.contains('{')
}

/// A suite may take a whole file, but not a file without end.
const BLOCK_LINES_MAX: usize = 5_000;

/// To the `end` that stands as deep; the rest of the line where the block is in braces.
fn block(source: &Source<'_>, at: usize) -> Range<usize> {
    let code = &source.code;
    let end = line_end(code, at);
    let line = &code[at..end];
    if let Some(open) = line.find('{').filter(|_| line.trim_end().ends_with('}')) {
        return at + open..end;
    }
    if !line.starts_with("def ") && !has_block(line.trim_end()) {
        return end..end;
    }
    let own = indentation(code, at);
    let mut here = end;
    for line in code[end..].split_inclusive('\n').take(BLOCK_LINES_MAX) {
        let depth = line.len() - line.trim_start().len();
        let is_end =
            depth == own && matches!(line.trim().split(['.', ' ']).next(), Some("end" | "}"));
        if is_end {
            return end..here;
        }
        here += line.len();
    }
    end..here
}

/// What is in quotes on the line, else the line without its block.
fn title(source: &Source<'_>, at: usize) -> String {
    let line = super::super::scan::part(&source.bare, at..line_end(&source.bare, at));
    let quoted = line.find(['"', '\'']).and_then(|open| {
        let quote = line[open..].chars().next()?;
        let inside = &line[open + 1..];
        Some(&inside[..inside.find(quote)?])
    });
    quoted.map_or_else(|| line.trim().trim_end_matches(" do").to_owned(), str::to_owned)
}
