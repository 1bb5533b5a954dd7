//! The rows of tables that tests run over: fewer rows are fewer tests.

use super::language::Language;
use super::lex::Source;
use super::scan::{line_start, part, words};
use std::collections::BTreeMap;
use std::ops::Range;

/// Attributes that stand for one case each.
const BY_ATTRIBUTE: &[&str] =
    &["case", "test_case", "InlineData", "TestCase", "DataRow", "TestWith", "Arguments"];

/// In the attributes of a test and in its body.
pub(super) fn count(source: &Source<'_>, head: Range<usize>, body: Range<usize>) -> usize {
    let attributes = words(&source.code[head.clone()])
        .filter(|(at, word)| {
            let before = source.code[head.start..head.start + at].trim_end();
            BY_ATTRIBUTE.contains(word) && before.ends_with(['[', '@', ',', ':'])
        })
        .count();
    if matches!(source.language, Language::Shell | Language::Bats) {
        return named_tests(&source.code[body]);
    }
    let is_row = |at: usize, end: usize| is_run_over(source, &body, at, end);
    let in_body = lists(source, body.clone(), &is_row);
    attributes + lists(source, head, &|_, _| true) + templates(source, &body) + in_body
}

const RUNS: &[&str] = &[
    ".forEach",
    ".each",
    ".map",
    ".iter",
    ".into_iter",
    ".for_each",
    ".stream",
    ".with_index",
    ".take",
    ".filter",
];

/// A list that a loop runs over, at once or by the name that it is given.
fn is_run_over(source: &Source<'_>, body: &Range<usize>, at: usize, end: usize) -> bool {
    let line = source.code[line_start(&source.code, at)..at].trim();
    let after = source.code[end..].trim_start();
    let starts = || line.starts_with("for").then_some(0);
    let looped = line.rfind("for ").or_else(|| line.rfind("foreach")).or_else(starts);
    let is_looped = looped.is_some_and(|at| is_open(&line[at..]));
    let is_given =
        line.contains(".each(") || line.contains("subTest") || line.contains("parametrize");
    if is_looped || is_given || RUNS.iter().any(|run| after.starts_with(run)) {
        return true;
    }
    let name = line.split(['=', ':']).next().and_then(|left| words(left).last());
    // `tests := []struct {` begins lines above the table itself.
    let name = match name {
        Some((_, name)) => Some(name),
        None => source.code[body.start..at].rfind(":=").and_then(|assign| {
            words(&source.code[body.start..body.start + assign]).last().map(|(_, name)| name)
        }),
    };
    let code = &source.code[body.clone()];
    name.is_some_and(|name| code.match_indices(name).any(|(at, _)| runs_over(code, at, name)))
}

/// A loop runs over what is named here.
pub(super) fn runs_over(code: &str, at: usize, name: &str) -> bool {
    let (before, after) = (&code[..at], &code[at + name.len()..]);
    ["in ", "of ", "range "].iter().any(|word| before.ends_with(word))
        || (before.ends_with(": ") && after.starts_with(')'))
        || RUNS.iter().any(|run| after.starts_with(run))
}

/// `[x for x in all] == [1, 2]` runs over `all`; its loop is over where the second list begins.
fn is_open(line: &str) -> bool {
    line.matches([')', ']']).count() <= line.matches(['(', '[']).count()
}

/// Tests that a script calls by name.
fn named_tests(code: &str) -> usize {
    let lines = code.lines().filter(|line| !line.contains("()"));
    lines.flat_map(str::split_whitespace).filter(|word| word.starts_with("test_")).count()
}

/// Elements of the lists that count and have at least two; of a list in a list only the outer one.
fn lists(source: &Source<'_>, range: Range<usize>, counts: &dyn Fn(usize, usize) -> bool) -> usize {
    let bytes = source.code.as_bytes();
    let mut at = range.start;
    let mut total = 0;
    while at < range.end {
        let is_list = match bytes[at] {
            b'[' => !is_index(source, at),
            b'(' => is_looped_tuple(source, at),
            b'{' => is_braced_list(source, at),
            _ => false,
        };
        if !is_list {
            at += 1;
            continue;
        }
        let end = source.closing(at).min(range.end);
        let elements = elements(source, at + 1..end.saturating_sub(1).max(at + 1));
        if elements > 1 && counts(at, end) {
            total += elements;
            at = end;
        } else {
            at += 1;
        }
    }
    total
}

/// `for text in ("a", "b"):`
fn is_looped_tuple(source: &Source<'_>, at: usize) -> bool {
    let before = source.code[line_start(&source.code, at)..at].trim();
    source.language == Language::Python && before.starts_with("for ") && before.ends_with(" in")
}

fn is_index(source: &Source<'_>, at: usize) -> bool {
    let before = source.code[..at].chars().next_back();
    let is_attribute = source.code[..at].ends_with('#');
    is_attribute || before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ')' | ']'))
}

/// `[]int{1, 2}`, `{"a", "b"}` of an annotation, `new[] {1, 2}`.
fn is_braced_list(source: &Source<'_>, at: usize) -> bool {
    let before = source.code[line_start(&source.code, at)..at].trim_end();
    match source.language {
        Language::Go => {
            let is_type = before.ends_with('}') || before.ends_with(|c: char| c.is_alphanumeric());
            let is_struct = before.ends_with("struct") || before.ends_with("interface");
            let is_list = before.contains("[]") || before.contains("map[") || before.trim() == "}";
            is_list && is_type && !is_struct
        }
        Language::Java | Language::CSharp | Language::Kotlin => {
            before.ends_with(['(', ']', '=']) && !before.ends_with("=>")
                || source.code[..at].trim_end().ends_with("new()")
        }
        _ => false,
    }
}

fn elements(source: &Source<'_>, range: Range<usize>) -> usize {
    let bytes = source.code.as_bytes();
    let (mut at, mut count, mut has_content) = (range.start, 0, false);
    while at < range.end {
        match bytes[at] {
            b',' => {
                count += usize::from(has_content);
                has_content = false;
                at += 1;
            }
            b'(' | b'[' | b'{' => {
                has_content = true;
                at = source.closing(at);
            }
            byte => {
                has_content |= !byte.is_ascii_whitespace();
                at += 1;
            }
        }
    }
    count + usize::from(has_content)
}

/// Rows of a table in a template: `each` of jest, and text blocks of JUnit.
fn templates(source: &Source<'_>, body: &Range<usize>) -> usize {
    let before = part(&source.bare, line_start(&source.bare, body.start)..body.start);
    let is_template = before.trim_end().ends_with('`') || before.contains("\"\"\"");
    let from =
        part(&source.bare, ..body.start)
            .rfind(".each`")
            .or(part(&source.bare, ..body.start).rfind("\"\"\""));
    match from.filter(|_| is_template) {
        Some(from) => part(&source.bare, from..body.start)
            .lines()
            .filter(|l| l.contains('|') || l.contains(','))
            .count(),
        None => 0,
    }
}

/// A variable that holds a table, or a function that hands its rows out.
pub(super) struct Table<'s> {
    pub text: &'s str,
    pub rows: usize,
}

/// Tables outside of tests, by name.
pub(super) fn named<'s>(
    source: &'s Source<'_>,
    tests: &[Range<usize>],
) -> BTreeMap<&'s str, Table<'s>> {
    const NAMED_MAX: usize = 200;
    let code = source.code.as_str();
    let mut all: BTreeMap<&str, Table<'_>> = BTreeMap::new();
    // Functions that seem to nest without end are made to cost time.
    let mut budget = code.len().saturating_mul(4);
    for (at, word) in words(code) {
        if tests.iter().any(|test| test.contains(&at)) || all.len() >= NAMED_MAX {
            continue;
        }
        let rest = code[at + word.len()..].trim_start();
        let line = &code[line_start(code, at)..at];
        let is_assigned = rest.starts_with('=') && !rest.starts_with("==")
            || rest.starts_with(":=")
            || (rest.starts_with(':') && rest.split('\n').next().is_some_and(|l| l.contains("= ")));
        let is_function =
            ["function", "def", "func", "static"].iter().any(|k| line.trim_end().ends_with(k))
                || (rest.starts_with('(') && line.contains("static"));
        if !is_assigned && !is_function {
            continue;
        }
        let from = at + word.len();
        let end = super::blocks::statement_end(source, from);
        let end = if is_function { super::scan::body(source, from).end.max(end) } else { end };
        let range = from..end.min(code.len());
        if range.len() > budget {
            break;
        }
        budget -= range.len();
        let rows = rows(source, range.clone());
        if rows > 1 && all.get(word).is_none_or(|known| known.rows < rows) {
            all.insert(word, Table { text: part(&source.bare, range), rows });
        }
    }
    all
}

/// One for each that is handed out, or the elements of the lists.
fn rows(source: &Source<'_>, range: Range<usize>) -> usize {
    const HANDS_OUT: &[&str] = &["yield", "Arguments", "arguments", "TestCaseData"];
    let given = words(&source.code[range.clone()]).filter(|(_, word)| HANDS_OUT.contains(word));
    match given.count() {
        0 => lists(source, range, &|_, _| true),
        given => given,
    }
}

/// How often a table or a loop over it is cut: `.filter(…)`, `.take(2)`, `[:2]`.
pub(super) fn cuts(head: &str) -> usize {
    const CUTS: &[&str] = &[
        "filter",
        "slice",
        "take",
        "Take",
        "Where",
        "limit",
        "first",
        "skip",
        "Skip",
        "drop",
        "reject",
        "select",
        "filterNot",
    ];
    let called = words(head).filter(|(at, word)| {
        head[..*at].ends_with('.')
            && CUTS.contains(word)
            && head[at + word.len()..].starts_with(['(', ' '])
    });
    let is_slice = |(at, _): &(usize, &str)| {
        let inside = head[at + 1..].split(']').next().unwrap_or_default();
        let is_range = inside.contains(':') || inside.contains("..");
        is_range && inside.chars().all(|c| c.is_ascii_digit() || ":.-=".contains(c))
    };
    called.count() + head.match_indices('[').filter(is_slice).count()
}
