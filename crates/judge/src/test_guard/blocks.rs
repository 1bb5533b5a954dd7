//! What stands around a statement of a test: conditions, loops, handlers of errors, functions inside the function.

use super::language::Language;
use super::lex::Source;
use super::scan::{indentation, line_end, line_start, skip_space, words};
use std::ops::Range;

#[derive(Debug, Clone)]
pub(super) struct Block {
    pub head: Range<usize>,
    pub body: Range<usize>,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    If,
    Loop,
    Try,
    Catch,
    Finally,
    Function,
    Other,
}

/// A test with more is made to cost time; what lies deeper is taken for plain.
const BLOCKS_MAX: usize = 300;

/// The blocks inside of this range, the outer ones first.
pub(super) fn of(source: &Source<'_>, range: Range<usize>) -> Vec<Block> {
    let mut blocks = match source.language {
        Language::Python | Language::Ruby => by_depth(source, range),
        Language::Shell | Language::Bats => Vec::new(),
        _ => by_braces(source, range),
    };
    blocks.truncate(BLOCKS_MAX);
    blocks
}

fn by_braces(source: &Source<'_>, range: Range<usize>) -> Vec<Block> {
    let bytes = source.code.as_bytes();
    let opens = (range.start..range.end).filter(|at| bytes[*at] == b'{').take(BLOCKS_MAX);
    opens
        .map(|at| {
            let head = head_before(source, range.start, at);
            let inside = source.inside(at);
            let body = inside.start..inside.end.min(range.end).max(inside.start);
            let kind = kind(source, &source.code[head.clone()]);
            Block { head, body, kind }
        })
        .collect()
}

/// Back to the end of the statement before: a line that is not inside brackets and is not continued by a dot.
fn head_before(source: &Source<'_>, from: usize, open: usize) -> Range<usize> {
    const HEAD_BYTES_MAX: usize = 600;
    let bytes = source.code.as_bytes();
    let floor = from.max(open.saturating_sub(HEAD_BYTES_MAX));
    // The brace may stand on a line of its own.
    let open = source.code[..open].trim_end().len().max(from);
    let (mut at, mut depth) = (open, 0_i32);
    while at > floor {
        match bytes[at - 1] {
            b')' | b']' => depth += 1,
            b'(' | b'[' => depth -= 1,
            // `if err := f(); err != nil {` is one head.
            b';' if depth <= 0 && source.language != Language::Go => break,
            b'{' | b'}' if depth <= 0 => break,
            b'\n' if depth <= 0 && !source.code[at..open].trim_start().starts_with('.') => break,
            _ => {}
        }
        at -= 1;
    }
    at = source.code.ceil_char_boundary(at);
    skip_space(&source.code[..open], at).min(open)..open
}

fn kind(source: &Source<'_>, head: &str) -> Kind {
    let head = head.trim();
    let first = words(head).next().map_or("", |(_, word)| word);
    let ends = |marks: &[&str]| marks.iter().any(|mark| head.ends_with(mark));
    match first {
        _ if ends(&["=>", "->", "|"]) => Kind::Function,
        // `let Some(x) = f() else {`
        _ if ends(&[" else"]) => Kind::If,
        "if" | "else" | "unless" | "elif" | "elsif" | "switch" | "match" | "case" | "when" => {
            Kind::If
        }
        "for" | "foreach" | "while" | "until" | "loop" => Kind::Loop,
        "try" | "begin" => Kind::Try,
        "catch" | "except" | "rescue" => Kind::Catch,
        "finally" | "ensure" => Kind::Finally,
        "def" | "function" | "func" | "fn" | "fun" => Kind::Function,
        "async" if head.contains("def ") || head.contains("function") => Kind::Function,
        _ if source.language.has_braces()
            && words(head).any(|(_, word)| matches!(word, "function" | "func" | "delegate")) =>
        {
            Kind::Function
        }
        _ => Kind::Other,
    }
}

/// Lines that stand deeper than the one before them.
fn by_depth(source: &Source<'_>, range: Range<usize>) -> Vec<Block> {
    let code = source.code.as_str();
    let mut blocks = Vec::new();
    let mut at = range.start;
    while at < range.end && blocks.len() < BLOCKS_MAX {
        let end = line_end(code, at).min(range.end);
        let line = &code[at..end];
        let start = at + line.len() - line.trim_start().len();
        if let Some(block) = opened(source, start, end, range.end) {
            blocks.push(block);
        }
        at = end + 1;
    }
    blocks
}

fn opened(source: &Source<'_>, start: usize, end: usize, until: usize) -> Option<Block> {
    let code = source.code.as_str();
    let line = code.get(start..end)?.trim_end();
    let kind = kind(source, line);
    let opens = match source.language {
        Language::Python => line.ends_with(':') || (kind != Kind::Other && line.contains(": ")),
        _ => kind != Kind::Other || line.ends_with(" do") || line.contains(" do |"),
    };
    let is_with = kind == Kind::Other && line.starts_with("with ");
    if !opens || (kind == Kind::Other && !is_with) || line.is_empty() {
        return None;
    }
    let own = indentation(code, start);
    let mut here = (end + 1).min(until);
    while here < until {
        let next = line_end(code, here).min(until);
        let line = &code[here..next];
        let depth = line.len() - line.trim_start().len();
        if !line.trim().is_empty() && depth <= own {
            break;
        }
        here = next + 1;
    }
    // `if x: return` continues behind its colon.
    let inline = line.find(": ").filter(|_| source.language == Language::Python);
    let from = inline.map_or((end + 1).min(until), |colon| start + colon + 1);
    Some(Block { head: start..end, body: from..here.min(until).max(from), kind })
}

/// The statement from here on, over the lines that it takes.
pub(super) fn statement_end(source: &Source<'_>, at: usize) -> usize {
    let bytes = source.code.as_bytes();
    let mut here = at;
    while here < bytes.len() {
        match bytes[here] {
            b'(' | b'[' | b'{' => here = source.closing(here),
            b';' | b'}' | b')' | b']' => return here,
            b'\n' if !goes_on(source, at, here) => return here,
            _ => here += 1,
        }
    }
    here
}

fn goes_on(source: &Source<'_>, start: usize, line_break: usize) -> bool {
    if source.language == Language::Python {
        return source.code[..line_break].ends_with('\\');
    }
    let before = source.code[start..line_break].trim_end();
    let next = source.code[line_break..].trim_start();
    if source.language == Language::Ruby {
        return before.ends_with([',', '+', '&', '|', '(', '\\']) || next.starts_with(['.', '&']);
    }
    before.ends_with(['=', ',', '+', '|', '&', '.', '(', '?', ':', '>', '<'])
        || before.ends_with("=>")
        || next.starts_with(['.', '?'])
        || next.starts_with("&&")
        || next.starts_with("||")
        || next.starts_with("->")
        || (before.ends_with("new()") && next.starts_with('{'))
}

/// Whether a statement may begin here.
pub(super) fn begins_statement(source: &Source<'_>, at: usize) -> bool {
    let before = source.code[..at].trim_end_matches([' ', '\t']);
    before.is_empty()
        || before.ends_with(['\n', ';', '{', '}', ':'])
        || before.ends_with("=>")
        || before.ends_with("await")
        || before.ends_with("then")
}

/// The line on which this stands, without its indentation.
pub(super) fn line_of<'a>(source: &'a Source<'_>, at: usize) -> &'a str {
    source.code[line_start(&source.code, at)..line_end(&source.code, at)].trim()
}

/// Conditions that never hold, and loops over nothing.
pub(super) fn never_runs(head: &str) -> bool {
    const NEVER: &[&str] = &[
        "if(false)",
        "iffalse",
        "ifFalse",
        "if0",
        "if(0)",
        "whilefalse",
        "whileFalse",
        "while(false)",
        "while0",
        "in[]",
        "of[]",
        "in()",
        "inrange(0)",
        "&&false",
        "andFalse",
        "if!true",
        "if(!true)",
        "ifnotTrue",
        "unlesstrue",
        "ifnil",
        "if(null)",
        "ifNone",
        "in0..0",
        "in{}",
        "[:0]",
        ".take(0)",
        ".slice(0,0)",
        ".Take(0)",
        ".first(0)",
        ".limit(0)",
        "&&(false)",
    ];
    let plain: String = head.chars().filter(|c| !c.is_whitespace()).collect();
    let plain = plain.trim_end_matches([':', '{']);
    NEVER.iter().any(|never| plain.ends_with(never) || plain.contains(&format!("{never})")))
        || plain.contains("__name__==")
}
