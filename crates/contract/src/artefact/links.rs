//! Finds the links of a Markdown text: inline, by reference, and the definitions of references.

use super::markdown::newlines;
use std::collections::BTreeSet;
use std::ops::Range;

#[derive(Default)]
pub(super) struct Links {
    pub links: Vec<Link>,
    /// `[text][label]` whose label nobody defines.
    pub undefined: Vec<(String, u32)>,
    /// Where targets and addresses stand, which are no words of the text.
    pub targets: Vec<Range<usize>>,
}

pub(super) struct Link {
    pub target: String,
    pub line: u32,
}

/// No path is longer; what has no end is no target.
const TARGET_BYTES_MAX: usize = 4096;
/// Parentheses inside a target; readers of Markdown give up at the same number.
const DEPTH_MAX: u32 = 32;
/// The bound that Markdown itself sets.
const LABEL_BYTES_MAX: usize = 999;

/// The prose has no code in it any more.
pub(super) fn find(prose: &str) -> Links {
    let mut scan = Scan { prose, at: 0, line: 1, counted: 0, open: Vec::new(), labels: Vec::new() };
    let mut defined = BTreeSet::new();
    let mut links = Links::default();
    scan.read(&mut links, &mut defined);
    links.undefined = std::mem::take(&mut scan.labels)
        .into_iter()
        .filter(|(label, _)| !defined.contains(&folded(label)))
        .collect();
    links.targets.extend(addresses(prose));
    links
}

struct Scan<'a> {
    prose: &'a str,
    at: usize,
    /// The line of the byte `counted`.
    line: u32,
    counted: usize,
    /// Brackets that wait for their end.
    open: Vec<usize>,
    labels: Vec<(String, u32)>,
}

impl Scan<'_> {
    fn read(&mut self, links: &mut Links, defined: &mut BTreeSet<String>) {
        let bytes = self.prose.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'\\' => self.at += 1,
                b'[' => self.open.push(self.at),
                b'\n' if is_paragraph_end(&bytes[self.at + 1..]) => self.open.clear(),
                b']' => {
                    if let Some(start) = self.open.pop() {
                        self.closed(start, links, defined);
                        continue;
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// After the bracket that ends what began at `start`.
    fn closed(&mut self, start: usize, links: &mut Links, defined: &mut BTreeSet<String>) {
        let end = self.at;
        self.at += 1;
        let text = &self.prose[start + 1..end];
        match self.prose.as_bytes().get(end + 1) {
            Some(b'(') => {
                if let Some((target, range)) = inline_target(self.prose, end + 2) {
                    let line = self.line_of(end);
                    self.at = range.end;
                    links.targets.push(range);
                    links.links.push(Link { target, line });
                }
            }
            Some(b':') if !text.starts_with('^') && begins_line(self.prose, start) => {
                defined.insert(folded(text));
                if let Some((target, range)) = target(self.prose, end + 2) {
                    let line = self.line_of(end);
                    self.at = range.end;
                    links.targets.push(range);
                    links.links.push(Link { target, line });
                }
            }
            Some(b'[') if !text.trim().is_empty() && !is_indexed(self.prose, start) => {
                let rest = &self.prose[end + 2..];
                let label = rest.find([']', '[']).filter(|length| *length <= LABEL_BYTES_MAX);
                let label = label.filter(|length| rest[*length..].starts_with(']'));
                if let Some(label) = label.map(|length| &rest[..length])
                    && label.contains(char::is_alphabetic)
                    && !label.starts_with('^')
                {
                    let line = self.line_of(end);
                    self.labels.push((label.to_owned(), line));
                }
            }
            _ => {}
        }
    }

    /// Counts on from where it stopped: places come in the order of the text.
    fn line_of(&mut self, at: usize) -> u32 {
        self.line += newlines(&self.prose[self.counted..at]);
        self.counted = at;
        self.line
    }
}

fn is_paragraph_end(rest: &[u8]) -> bool {
    rest.iter().take_while(|byte| **byte != b'\n').all(|byte| byte.is_ascii_whitespace())
}

/// Only blanks before it on its line.
fn begins_line(prose: &str, at: usize) -> bool {
    let before = prose[..at].trim_end_matches(' ');
    at - before.len() <= 3 && (before.is_empty() || before.ends_with('\n'))
}

/// `rows[i][j]` is no link.
fn is_indexed(prose: &str, start: usize) -> bool {
    prose[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, ']' | ')' | '_'))
}

/// Labels are the same whatever their case and blanks.
fn folded(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The target in `(target "title")`, and where it stands.
fn inline_target(prose: &str, at: usize) -> Option<(String, Range<usize>)> {
    let (target, range) = target(prose, at)?;
    let after = prose[range.end..].trim_start();
    after.starts_with([')', '"', '\'', '(']).then_some((target, range))
}

fn target(prose: &str, at: usize) -> Option<(String, Range<usize>)> {
    let rest = &prose[at..];
    let start = at + (rest.len() - rest.trim_start().len());
    let rest = &prose[start..];
    if let Some(inside) = rest.strip_prefix('<') {
        let length =
            inside.find(['>', '\n']).filter(|length| inside[*length..].starts_with('>'))?;
        return Some((unescaped(&inside[..length]), start..start + length + 2));
    }
    let length = bare_length(rest)?;
    Some((unescaped(&rest[..length]), start..start + length))
}

/// Up to a blank or a parenthesis that was not opened here.
fn bare_length(rest: &str) -> Option<usize> {
    let mut depth = 0_u32;
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().take_while(|(at, _)| *at <= TARGET_BYTES_MAX) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '(' if depth == DEPTH_MAX => return None,
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            c if c.is_whitespace() => return Some(at),
            _ => {}
        }
    }
    (rest.len() <= TARGET_BYTES_MAX).then_some(rest.len())
}

/// A backslash before punctuation stands for nothing.
fn unescaped(target: &str) -> String {
    let mut plain = String::with_capacity(target.len());
    let mut chars = target.chars().peekable();
    while let Some(c) = chars.next() {
        let is_escape = c == '\\' && chars.peek().is_some_and(char::is_ascii_punctuation);
        match chars.next_if(|_| is_escape) {
            Some(escaped) => plain.push(escaped),
            None => plain.push(c),
        }
    }
    plain
}

/// Addresses of the network that stand in the text as they are.
fn addresses(prose: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    prose.match_indices("://").filter_map(move |(at, _)| {
        if at < end {
            return None;
        }
        let before = &prose[end..at];
        let scheme =
            before.len() - before.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
        end = at + prose[at..].find(char::is_whitespace).unwrap_or(prose.len() - at);
        (scheme > 0).then(|| at - scheme..end)
    })
}
