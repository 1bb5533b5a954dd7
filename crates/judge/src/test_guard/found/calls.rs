//! Tests that are calls with a title: JavaScript and TypeScript.

use super::{Block, Found, LISTED_MAX, Listing, Mark};
use crate::test_guard::lex::Source;
use crate::test_guard::scan::{skip_space, word_at, words};
use std::ops::Range;

const TESTS: &[&str] = &["it", "test", "specify", "xit", "xtest", "xspecify", "fit"];
const SUITES: &[&str] = &["describe", "context", "suite", "xdescribe", "xcontext", "fdescribe"];
const SKIPS: &[&str] = &["skip", "todo", "skipIf", "runIf", "fixme", "fails", "failing"];
const OTHERS: &[&str] =
    &["each", "only", "concurrent", "sequential", "serial", "parallel", "describe", "for"];

pub(super) fn list(source: &Source<'_>) -> Listing {
    let mut listing = Listing::default();
    let redefined = redefined(source);
    for name in skipped_names(source) {
        for (at, _) in words(&source.code).filter(|(_, word)| *word == name) {
            let open = skip_space(&source.code, at + name.len());
            if source.code[open..].starts_with('(') {
                let range = at..source.closing(open);
                listing.blocks.push(Block { range, mark: Mark::Skipped });
            }
        }
    }
    let is_known = |(_, word): &(usize, &str)| TESTS.contains(word) || SUITES.contains(word);
    for (at, word) in words(&source.code).filter(is_known).take(LISTED_MAX) {
        let is_member = source.code[..at].trim_end().ends_with('.');
        if is_member || redefined.contains(&word) {
            continue;
        }
        if let Some(call) = call(source, at, word) {
            call.list(source, &mut listing);
        }
    }
    listing
}

/// `const it = () => {}` makes no test of what follows.
fn redefined<'s>(source: &'s Source<'_>) -> Vec<&'s str> {
    let code = source.code.as_str();
    let lines = code.lines().filter(|line| !line.contains("require") && !line.contains("import"));
    let named = lines.filter_map(|line| {
        let rest = ["const ", "let ", "var ", "function "]
            .iter()
            .find_map(|k| line.trim().strip_prefix(k))?;
        let name = word_at(rest, 0);
        let follows = rest[name.len()..].trim_start();
        let is_set = follows.starts_with('=') || line.trim().starts_with("function ");
        (is_set
            && !follows.contains("it.")
            && !follows.contains("test.")
            && !follows.contains("base."))
        .then_some(name)
    });
    named.filter(|name| TESTS.contains(name) || SUITES.contains(name)).collect()
}

/// Names that stand for a skipped suite: `const suite = x ? describe : describe.skip`.
fn skipped_names<'s>(source: &'s Source<'_>) -> Vec<&'s str> {
    let lines = source.code.lines().filter(|line| {
        let skips = [".skip", "xit", "xdescribe", ".todo"].iter().any(|skip| line.contains(skip));
        skips
            && line.contains('=')
            && ["const ", "let ", "var "].iter().any(|k| line.trim().starts_with(k))
    });
    lines.filter_map(|line| words(line).nth(1).map(|(_, name)| name)).collect()
}

struct Call<'a> {
    at: usize,
    word: &'a str,
    /// `.skip.each` and the like.
    chain: Vec<&'a str>,
    /// With their brackets.
    arguments: Range<usize>,
}

fn call<'a>(source: &'a Source<'_>, at: usize, word: &'a str) -> Option<Call<'a>> {
    let code = source.code.as_str();
    let mut chain = Vec::new();
    let mut here = skip_space(code, at + word.len());
    while code[here..].starts_with('.') {
        let name = word_at(code, skip_space(code, here + 1));
        if !SKIPS.contains(&name) && !OTHERS.contains(&name) {
            return None;
        }
        here = skip_space(code, skip_space(code, here + 1) + name.len());
        chain.push(name);
        if matches!(name, "each" | "for" | "skipIf" | "runIf") {
            here = skip_space(code, table_end(source, here));
        }
    }
    code[here..].starts_with('(').then(|| Call {
        at,
        word,
        chain,
        arguments: here..source.closing(here),
    })
}

/// The table of `each` is in brackets or in a template.
fn table_end(source: &Source<'_>, at: usize) -> usize {
    let code = &source.code;
    if code[at..].starts_with('(') {
        return source.closing(at);
    }
    let template = code[at..].strip_prefix('`').and_then(|rest| rest.find('`'));
    template.map_or(at, |end| at + end + 2)
}

impl Call<'_> {
    /// What stands between the title and the function, without space.
    fn options(&self, source: &Source<'_>) -> String {
        let code = &source.code[self.arguments.clone()];
        let end = [code.find("=>"), code.find("function")].into_iter().flatten().min();
        let head = &code[..end.unwrap_or(code.len().min(200)).min(code.len())];
        head.chars().filter(|c| !c.is_whitespace()).collect()
    }

    fn list(self, source: &Source<'_>, listing: &mut Listing) {
        let has = |names: &[&str]| self.chain.iter().any(|name| names.contains(name));
        let options = self.options(source);
        let is_set = |key: &str| {
            options.contains(&format!("{key}:")) && !options.contains(&format!("{key}:false"))
        };
        let is_skipped =
            self.word.starts_with('x') || has(SKIPS) || is_set("skip") || is_set("todo");
        let is_only = self.word.starts_with('f') || has(&["only"]) || is_set("only");
        let is_suite = SUITES.contains(&self.word) || has(&["describe"]);
        let range = self.at..self.arguments.end;
        if is_only {
            listing.blocks.push(Block { range: range.clone(), mark: Mark::Only });
        }
        if is_suite && is_skipped {
            listing.blocks.push(Block { range: range.clone(), mark: Mark::Skipped });
        }
        if is_suite {
            return;
        }
        // `test.skip(condition)` in a body speaks of the test around it.
        let Some(name) = title(source, self.arguments.clone()) else { return };
        listing.tests.push(Found {
            name,
            at: self.at,
            head: self.at..self.arguments.start,
            body: self.arguments,
            is_skipped,
        });
    }
}

/// The first argument: text without its quotes, or the expression as it is.
fn title(source: &Source<'_>, arguments: Range<usize>) -> Option<String> {
    let start = skip_space(&source.code, arguments.start + 1);
    let inside = source.code.get(start..arguments.end.saturating_sub(1))?;
    let mut end = start;
    while end < start + inside.len() {
        match source.code.as_bytes()[end] {
            b',' => break,
            b'(' | b'[' | b'{' => end = source.closing(end),
            _ => end += 1,
        }
    }
    let title = source.bare.get(start..end)?.trim();
    let has_more = end < start + inside.len();
    let is_text = title.starts_with(['"', '\'', '`']);
    let title = if is_text { title.trim_matches(['"', '\'', '`']) } else { title };
    ((is_text || has_more) && !title.is_empty()).then(|| title.to_owned())
}
