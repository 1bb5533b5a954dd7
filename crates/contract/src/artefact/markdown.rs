//! A Markdown document as far as it is checked: front matter, headings, and its prose without code.

use crate::node::{Node, Value, read_yaml};
use crate::sections::{atx, closes, fence_of, setext};
use crate::{diagnostic, front_matter};
use diagnostic::{Diagnostic, artefact as say, shape as words};
use std::collections::BTreeMap;
use std::ops::Range;

pub(super) struct Markdown {
    pub front: Option<Node>,
    pub headings: Vec<Heading>,
    /// The text, byte for byte in its place, with blanks for front matter, code and comments.
    pub prose: String,
    /// Code inside a line of text, with its line.
    pub code_words: Vec<(String, u32)>,
    /// One for each line of the text.
    pub lines: Vec<Line>,
    /// What keeps it from being well formed.
    pub faults: Vec<Diagnostic>,
}

pub(super) struct Heading {
    pub title: String,
    pub level: usize,
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    Blank,
    Text,
    Code,
    Heading,
    /// Front matter, comments, and the fences themselves.
    Silent,
}

pub(super) fn read(text: &str, path: &str) -> Markdown {
    let mut faults = Vec::new();
    let (front, front_lines) = front(text, path, &mut faults);
    let mut blocks = Blocks::new(text, front_lines);
    blocks.read();
    if let Some(line) = blocks.open_fence() {
        faults.push(say::fence_open(path, line));
    }
    faults.extend(blocks.conflicts.iter().map(|line| say::conflict_marker(path, *line)));
    let Blocks { kinds, headings, .. } = blocks;
    let silenced = silenced(text, &kinds);
    let (prose, code_words) = without_code_spans(&silenced, &kinds);
    Markdown { front, headings, prose, code_words, lines: kinds, faults }
}

/// The front matter and how many lines it takes. A rule at the top of a text is not front matter.
fn front(text: &str, path: &str, faults: &mut Vec<Diagnostic>) -> (Option<Node>, usize) {
    let mut lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines();
    if lines.next().map(str::trim_end) != Some("---") || !lines.next().is_some_and(is_field) {
        return (None, 0);
    }
    let Ok((yaml, prose)) = front_matter::split(text) else {
        faults.push(say::front_matter_open(path));
        return (None, 0);
    };
    let count = text.lines().count() - prose.lines().count();
    match read_yaml(&yaml) {
        Ok(node) if matches!(node.value, Value::Map(_)) => (Some(node), count),
        Ok(_) => (None, count),
        Err(fault) => {
            faults.push(words::yaml_syntax(path, &fault.message, fault.line));
            (None, count)
        }
    }
}

/// `name: …`, or a comment before the first field.
fn is_field(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default().trim_matches(['"', '\'']);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    line.starts_with('#') || (line.contains(':') && !name.is_empty() && name.chars().all(is_name))
}

/// Goes over the lines and says of each what it is.
struct Blocks<'a> {
    lines: Vec<&'a str>,
    front_lines: usize,
    kinds: Vec<Line>,
    headings: Vec<Heading>,
    conflicts: Vec<u32>,
    fence: Option<Fence<'a>>,
    is_comment: bool,
    is_list: bool,
}

struct Fence<'a> {
    mark: &'a str,
    line: u32,
    is_quoted: bool,
}

impl<'a> Blocks<'a> {
    fn new(text: &'a str, front_lines: usize) -> Self {
        Self {
            lines: text.lines().collect(),
            front_lines,
            kinds: Vec::new(),
            headings: Vec::new(),
            conflicts: Vec::new(),
            fence: None,
            is_comment: false,
            is_list: false,
        }
    }

    fn read(&mut self) {
        self.kinds = vec![Line::Silent; self.front_lines];
        while let Some(line) = self.lines.get(self.kinds.len()).copied() {
            let kind = self.kind(line);
            self.kinds.push(kind);
        }
        self.kinds.truncate(self.lines.len());
    }

    fn open_fence(&self) -> Option<u32> {
        self.fence.as_ref().filter(|fence| !fence.is_quoted).map(|fence| fence.line)
    }

    fn kind(&mut self, line: &'a str) -> Line {
        if let Some(kind) = self.inside(line) {
            return kind;
        }
        if line.trim().is_empty() {
            return Line::Blank;
        }
        let (bare, is_quoted) = without_markers(line);
        if let Some(mark) = fence_of(bare) {
            self.fence = Some(Fence { mark, line: self.number(), is_quoted });
            return Line::Silent;
        }
        if line.trim_start().starts_with("<!--") {
            self.is_comment = !line.contains("-->");
            return Line::Silent;
        }
        if ["<<<<<<<", ">>>>>>>", "|||||||"].iter().any(|mark| is_conflict(line, mark)) {
            self.conflicts.push(self.number());
        }
        if self.is_indented_code(line) {
            return Line::Code;
        }
        self.list(line);
        self.heading(line)
    }

    /// Inside a fence or a comment until it ends.
    fn inside(&mut self, line: &str) -> Option<Line> {
        if let Some(fence) = &self.fence {
            let is_quote = line.trim_start().starts_with('>');
            if fence.is_quoted && !is_quote {
                self.fence = None;
                return None;
            }
            let bare = if fence.is_quoted { without_markers(line).0 } else { line };
            if !closes(bare, fence.mark) {
                return Some(if line.trim().is_empty() { Line::Blank } else { Line::Code });
            }
            self.fence = None;
            return Some(Line::Silent);
        }
        if self.is_comment {
            self.is_comment = !line.contains("-->");
            return Some(Line::Silent);
        }
        None
    }

    /// Four blanks make code after an empty line, but inside a list they make a paragraph of its item.
    fn is_indented_code(&self, line: &str) -> bool {
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        let may_begin = !matches!(self.kinds.last(), Some(Line::Text));
        is_indented && may_begin && !self.is_list
    }

    fn list(&mut self, line: &str) {
        let is_item = without_markers(line).0.len() < line.trim_start().len();
        let ends = !line.starts_with([' ', '\t']) && self.kinds.last() != Some(&Line::Text);
        self.is_list = is_item || (self.is_list && !ends);
    }

    fn heading(&mut self, line: &str) -> Line {
        let next = self.lines.get(self.kinds.len() + 1).copied();
        let found = match atx(line) {
            Some(found) => Some(found),
            None => next.and_then(|next| setext(line, next)).map(|level| (level, line.trim())),
        };
        match found {
            Some((level, title)) => {
                self.headings.push(Heading { title: title.to_owned(), level, line: self.number() });
                Line::Heading
            }
            None if is_rule(line) => Line::Silent,
            None => Line::Text,
        }
    }

    fn number(&self) -> u32 {
        u32::try_from(self.kinds.len() + 1).unwrap_or(u32::MAX)
    }
}

/// The line without the marks of quotes and list items before it, and whether it is quoted.
fn without_markers(line: &str) -> (&str, bool) {
    let mut text = line.trim_start();
    let mut is_quoted = false;
    loop {
        let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let after = if let Some(rest) = text.strip_prefix('>') {
            is_quoted = true;
            Some(rest)
        } else if let Some(rest) = text.strip_prefix(['-', '*', '+']) {
            rest.starts_with([' ', '\t']).then_some(rest)
        } else if digits.len() < text.len() {
            digits.strip_prefix(['.', ')']).filter(|rest| rest.starts_with([' ', '\t']))
        } else {
            None
        };
        match after {
            Some(rest) => text = rest.trim_start(),
            None => return (text, is_quoted),
        }
    }
}

fn is_conflict(line: &str, mark: &str) -> bool {
    line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// A line across the page, or the line below a heading.
fn is_rule(line: &str) -> bool {
    let text: String = line.split_whitespace().collect();
    ["-", "*", "_", "="].iter().any(|mark| text.len() >= 2 && text.replace(mark, "").is_empty())
}

/// Blanks for every line that is no prose.
fn silenced(text: &str, kinds: &[Line]) -> String {
    let mut silenced = String::with_capacity(text.len());
    for (line, kind) in text.split_inclusive('\n').zip(kinds) {
        match kind {
            Line::Text | Line::Heading => silenced.push_str(line),
            _ => {
                silenced.extend(std::iter::repeat_n(' ', line.trim_end_matches('\n').len()));
                silenced.push_str(if line.ends_with('\n') { "\n" } else { "" });
            }
        }
    }
    silenced
}

/// Blanks for code and comments inside paragraphs; and the code, with its lines.
fn without_code_spans(text: &str, kinds: &[Line]) -> (String, Vec<(String, u32)>) {
    let mut prose = String::with_capacity(text.len());
    let mut code_words = Vec::new();
    let mut paragraph = String::new();
    let mut first = 1;
    let mut number = 0;
    for (line, kind) in text.split_inclusive('\n').zip(kinds) {
        number += 1;
        if *kind != Line::Text && !paragraph.is_empty() {
            blank_spans(&std::mem::take(&mut paragraph), first, &mut prose, &mut code_words);
        }
        if paragraph.is_empty() {
            first = number;
        }
        paragraph.push_str(line);
        if *kind != Line::Text {
            blank_spans(&std::mem::take(&mut paragraph), first, &mut prose, &mut code_words);
        }
    }
    blank_spans(&paragraph, first, &mut prose, &mut code_words);
    (prose, code_words)
}

fn blank_spans(paragraph: &str, first: u32, prose: &mut String, words: &mut Vec<(String, u32)>) {
    let mut at = 0;
    let mut line = first;
    for (whole, code) in spans(paragraph) {
        prose.push_str(&paragraph[at..whole.start]);
        line += newlines(&paragraph[at..whole.start]);
        if let Some(code) = code {
            words.push((paragraph[code].trim().to_owned(), line));
        }
        let blanked = &paragraph[whole.clone()];
        prose.extend(blanked.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        line += newlines(blanked);
        at = whole.end;
    }
    prose.push_str(&paragraph[at..]);
}

pub(super) fn newlines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// Code between equal runs of backticks, and comments; of code also what is inside.
fn spans(paragraph: &str) -> Vec<(Range<usize>, Option<Range<usize>>)> {
    let bytes = paragraph.as_bytes();
    let runs = backtick_runs(bytes);
    let mut found = Vec::new();
    let mut has_comment_end = true;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'`' => {
                let length = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
                let inside = at + length;
                let starts = runs.get(&length).map(Vec::as_slice).unwrap_or_default();
                let next = starts.partition_point(|start| *start < inside);
                match starts.get(next) {
                    Some(end) => {
                        found.push((at..end + length, Some(inside..*end)));
                        at = end + length;
                    }
                    None => at = inside,
                }
            }
            b'<' if has_comment_end && paragraph[at..].starts_with("<!--") => {
                match paragraph[at..].find("-->") {
                    Some(end) => {
                        found.push((at..at + end + 3, None));
                        at += end + 3;
                    }
                    None => {
                        has_comment_end = false;
                        at += 1;
                    }
                }
            }
            _ => at += 1,
        }
    }
    found
}

/// Where runs of backticks begin, by their length.
fn backtick_runs(bytes: &[u8]) -> BTreeMap<usize, Vec<usize>> {
    let mut runs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
        if length > 0 {
            runs.entry(length).or_default().push(at);
        }
        at += length.max(1);
    }
    runs
}
