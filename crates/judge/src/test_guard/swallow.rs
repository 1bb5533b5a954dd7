//! Failures that lead nowhere: caught and dropped, left in a callback, put into a function that nobody calls.

use super::assertions;
use super::blocks::{self, Block, Kind};
use super::language::Language;
use super::lex::Source;
use super::scan::{part, skip_space, word_at, words};
use std::collections::HashSet;
use std::ops::Range;

/// The handler behind this block takes a failed assertion and says nothing.
pub(super) fn handler_swallows(source: &Source<'_>, blocks: &[Block], tried: &Block) -> bool {
    // What returns from `finally` forgets the error.
    let last = blocks.iter().filter(|b| b.kind == Kind::Finally);
    let mut last = last.filter(|block| block.head.start >= tried.body.end);
    if last.any(|b| words(&source.code[b.body.clone()]).any(|(_, word)| word == "return")) {
        return true;
    }
    let handler = handler_of(blocks, tried);
    handler
        .is_some_and(|handler| handles_all(source, handler) && !tells(source, handler.body.clone()))
}

/// A failed assertion is among what it takes.
fn handles_all(source: &Source<'_>, handler: &Block) -> bool {
    let head = &source.code[handler.head.clone()];
    let names: Vec<&str> = words(head).map(|(_, word)| word).skip(1).collect();
    const ALL: &[&str] = &[
        "AssertionError",
        "Exception",
        "BaseException",
        "Throwable",
        "Error",
        "AssertionFailedError",
        "ExpectationFailedException",
        "XunitException",
        "AssertException",
        "StandardError",
        "Minitest",
        "AssertionFailedException",
        "ExpectationNotMetError",
        "AssertFailedException",
        "failureException",
        "Assertion",
    ];
    names.iter().any(|name| ALL.contains(name))
        || source.language == Language::JavaScript
        || names.is_empty()
        || (source.language == Language::Ruby && head.trim().starts_with("rescue =>"))
}

fn handler_of<'b>(blocks: &'b [Block], tried: &Block) -> Option<&'b Block> {
    let after = blocks.iter().filter(|b| b.kind == Kind::Catch && b.head.start >= tried.body.end);
    let nearest = after.min_by_key(|block| block.head.start);
    // In Ruby the handler stands inside of what `begin` opens.
    let inside =
        blocks.iter().find(|b| b.kind == Kind::Catch && tried.body.contains(&b.head.start));
    inside.or(nearest)
}

fn tells(source: &Source<'_>, range: Range<usize>) -> bool {
    let says = |(_, word): (usize, &str)| {
        matches!(
            word,
            "raise" | "throw" | "panic" | "fail" | "Fail" | "reject" | "exitCode" | "flunk"
        )
    };
    words(&source.code[range.clone()]).any(says)
        || !assertions::sites(source, &HashSet::new(), range).is_empty()
}

/// What a handler asserts is not asserted when no error comes, unless that is a failure.
pub(super) fn is_passed_by(source: &Source<'_>, blocks: &[Block], handler: &Block) -> bool {
    let tried = blocks
        .iter()
        .filter(|b| b.kind == Kind::Try && b.body.start < handler.head.start)
        .max_by_key(|block| block.body.start);
    tried.is_some_and(|tried| !tells(source, tried.body.clone()))
}

/// The block of `contextlib.suppress` and its like.
pub(super) fn suppresses(head: &str) -> bool {
    words(head).any(|(_, word)| matches!(word, "suppress" | "catch_unwind"))
}

/// `expect(…).catch(() => {})`, and `.then(…)` that nobody waits for.
pub(super) fn drops(source: &Source<'_>, statement: Range<usize>) -> bool {
    if source.language != Language::JavaScript {
        return false;
    }
    let code = &source.code[statement];
    code.find(".catch(").is_some_and(|at| {
        let rest = &code[at..];
        !["throw", "fail", "expect", "reject", "next"].iter().any(|word| rest.contains(word))
    })
}

/// `f().then((x) => expect(x)…)` that nobody waits for; what comes before the assertion in its statement.
pub(super) fn comes_later(source: &Source<'_>, before: Range<usize>) -> bool {
    let code = source.code[before].trim_start();
    let is_awaited = code.starts_with("await") || code.starts_with("return");
    source.language == Language::JavaScript
        && code.contains("=>")
        && LATER.iter().any(|name| {
            code.contains(&format!(".{name}(")) || code.starts_with(&format!("{name}("))
        })
        && !is_awaited
}

/// Callbacks that a test does not wait for.
const LATER: &[&str] = &[
    "setTimeout",
    "setInterval",
    "setImmediate",
    "nextTick",
    "then",
    "finally",
    "on",
    "once",
    "addEventListener",
    "queueMicrotask",
    "requestAnimationFrame",
    "submit",
    "execute",
];

/// A function inside the test whose turn may never come before the test is over.
pub(super) fn is_not_run(source: &Source<'_>, body: &Range<usize>, block: &Block) -> bool {
    let head = source.code[block.head.clone()].trim();
    if let Some(name) = declared(source, block) {
        let inside = &source.code[body.clone()];
        let uses = words(inside).filter(|(_, word)| *word == name).count();
        return uses < 2;
    }
    if source.language != Language::JavaScript {
        return head.starts_with("go func");
    }
    let is_awaited = ["await ", "return ", "return await "].iter().any(|w| head.starts_with(w));
    let callee = head.rfind('(').map(|open| {
        let before = head[..open].trim_end_matches([' ', '(']);
        before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
    });
    let is_promise = head.contains("new Promise");
    let later = callee.is_some_and(|name| LATER.contains(&name))
        || LATER.iter().any(|name| {
            head.contains(&format!(".{name}(")) || head.starts_with(&format!("{name}("))
        });
    later && !is_awaited && !is_promise && !is_inside_promise(source, body, block)
}

/// A promise that is waited for ends when its callback says so.
fn is_inside_promise(source: &Source<'_>, body: &Range<usize>, block: &Block) -> bool {
    let before = &source.code[body.start..block.head.start.max(body.start)];
    let waits = before.contains("new Promise") || before.contains("done");
    let code = &source.code[block.body.clone()];
    waits && ["resolve(", "done(", "res(", "reject("].iter().any(|word| code.contains(word))
}

/// The name of a function that is declared here.
fn declared<'s>(source: &'s Source<'_>, block: &Block) -> Option<&'s str> {
    let head = &source.code[block.head.clone()];
    let trimmed = head.trim_start().trim_start_matches("async ").trim_start();
    for keyword in ["def ", "function ", "fn ", "fun ", "const ", "let ", "var "] {
        if let Some(rest) = trimmed.strip_prefix(keyword) {
            let name = word_at(rest, skip_space(rest, 0));
            let is_value = matches!(keyword, "const " | "let " | "var ");
            let is_function = rest.contains("=>") || rest.contains("function");
            let is_called =
                rest.contains("await ") || rest[name.len()..].trim_start().starts_with("= new");
            if is_value && (!is_function || is_called || is_argument(rest)) {
                return None;
            }
            return (!name.is_empty()).then_some(name);
        }
    }
    None
}

/// `const x = f(() => {` gives the function away at once.
fn is_argument(rest: &str) -> bool {
    let Some((_, value)) = rest.split_once('=') else { return false };
    let value = value.trim_start().trim_start_matches("async").trim_start();
    let until = value.find("=>").unwrap_or(value.len());
    let head = &value[..until];
    head.find('(').is_some_and(|open| open > 0 && !head.starts_with("function"))
}

/// In Ruby a method or block may end with a handler for all of it.
pub(super) fn is_rescued(source: &Source<'_>, blocks: &[Block], at: usize) -> bool {
    source.language == Language::Ruby
        && blocks.iter().any(|block| {
            let has_begin =
                blocks.iter().any(|b| b.kind == Kind::Try && b.body.contains(&block.head.start));
            block.kind == Kind::Catch
                && block.head.start > at
                && !has_begin
                && !tells(source, block.body.clone())
        })
}

/// A function that calls what it was given, or the test that it stands around, and says nothing of a failure.
pub(super) fn runs_and_drops(source: &Source<'_>, head: Range<usize>, body: Range<usize>) -> bool {
    const RUNS: &[&str] =
        &["evaluate", "proceed", "runTest", "yield", "call", "Execute", "intercept"];
    let code = source.code.as_str();
    let given: HashSet<&str> = words(part(code, head)).map(|(_, word)| word).skip(1).collect();
    let runs = |range: Range<usize>| {
        let start = range.start;
        words(&code[range]).any(|(at, word)| {
            let is_called = code[start + at + word.len()..].starts_with(['(', '.']);
            RUNS.contains(&word) || (given.contains(word) && is_called)
        })
    };
    let has_handler = |word: &str| matches!(word, "catch" | "except" | "rescue" | "catch_unwind");
    if !words(&code[body.clone()]).any(|(_, word)| has_handler(word)) || !runs(body.clone()) {
        return false;
    }
    let blocks = blocks::of(source, body.clone());
    let drops = blocks.iter().any(|block| match block.kind {
        Kind::Try => runs(block.body.clone()) && handler_swallows(source, &blocks, block),
        // Of a method of Ruby.
        Kind::Catch => source.language == Language::Ruby && handles_all(source, block),
        _ => false,
    });
    let says = |word: &str| matches!(word, "raise" | "throw" | "panic" | "fail" | "Fail");
    let first = blocks.iter().filter(|b| b.kind == Kind::Catch).map(|b| b.head.start).min();
    let handled = first.unwrap_or(body.end).min(body.end)..body.end;
    let returns = words(part(code, handled.clone())).any(|(_, word)| word == "return");
    drops && !returns && !tells(source, handled) && !words(&code[body]).any(|(_, w)| says(w))
}
