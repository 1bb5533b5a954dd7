//! An action file of prose as pages of it are asked for: sections by their title, the lines below a heading, list items.

use crate::markdown::{Line, Markdown};
use crate::sections::plain_name;
use std::ops::Range;

/// A file beyond these bounds is no action that a person reads; what is beyond them is not looked at.
const LINES_MAX: usize = 20_000;
const LINE_BYTES_MAX: usize = 2_000;
const PATHS_MAX: usize = 2_000;
const ITEMS_MAX: usize = 1_000;

pub(super) struct Page<'t> {
    lines: Vec<&'t str>,
    markdown: Markdown,
}

/// A heading and the lines that belong to it.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub title: String,
    pub line: u32,
    pub below: Range<usize>,
}

/// A line of text that is no code and no heading.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written<'t> {
    pub line: u32,
    pub indent: usize,
    /// Whether it begins with the mark of a list.
    pub is_item: bool,
    /// Without the mark, and without the box of a checklist.
    pub text: &'t str,
}

impl<'t> Page<'t> {
    pub fn of(text: &'t str) -> Self {
        let lines = text.lines().take(LINES_MAX);
        let lines = lines.map(|line| &line[..line.floor_char_boundary(LINE_BYTES_MAX)]).collect();
        Self { lines, markdown: Markdown::of(text) }
    }

    /// The first section with one of these titles, whatever its number.
    pub fn section(&self, titles: &[&str]) -> Option<Section> {
        let is_it = |at: &usize| {
            let name = plain_name(&self.markdown.headings[*at].text);
            titles.contains(&name.as_str())
        };
        (0..self.markdown.headings.len()).find(is_it).map(|at| self.at(at))
    }

    fn at(&self, heading: usize) -> Section {
        let found = &self.markdown.headings[heading];
        let below = self.markdown.below(heading);
        Section {
            title: found.text.clone(),
            line: found.line,
            below: below.start..below.end.min(self.lines.len()).max(below.start),
        }
    }

    /// The sections right below one: those of the highest level in it.
    pub fn parts(&self, of: &Section) -> Vec<Section> {
        let is_inside = |at: &usize| {
            let line = crate::markdown::index(self.markdown.headings[*at].line);
            of.below.contains(&line)
        };
        let inside: Vec<usize> = (0..self.markdown.headings.len()).filter(is_inside).collect();
        let level = inside.iter().map(|at| self.markdown.headings[*at].level).min();
        let is_top = |at: &usize| Some(self.markdown.headings[*at].level) == level;
        inside.into_iter().filter(is_top).map(|at| self.at(at)).collect()
    }

    /// What comes before the first heading inside a section.
    pub fn introduction(&self, of: &Section) -> Range<usize> {
        let first =
            self.parts(of).first().map_or(of.below.end, |part| crate::markdown::index(part.line));
        of.below.start..first
    }

    /// The first block of code in these lines, with the line of each.
    pub fn first_code(&self, range: Range<usize>) -> Vec<(u32, &'t str)> {
        let is_code = |at: &usize| {
            matches!(self.markdown.lines.get(*at), Some(Line::Fenced | Line::Indented))
        };
        let is_break = |at: &usize| matches!(self.markdown.lines.get(*at), Some(Line::Blank));
        let first = range.clone().find(is_code);
        let block = first.into_iter().flat_map(|first| first..range.end);
        let block = block.take_while(|at| is_code(at) || is_break(at));
        block.map(|at| (number(at), self.lines[at])).collect()
    }

    /// The lines of text, without code, headings and comments. An empty line has no text.
    pub fn written(&self, range: Range<usize>) -> Vec<Written<'t>> {
        let is_told =
            |at: &usize| matches!(self.markdown.lines.get(*at), Some(Line::Text | Line::Blank));
        range.filter(is_told).map(|at| written(number(at), self.lines[at])).collect()
    }

    pub fn items(&self, range: Range<usize>) -> Vec<Written<'t>> {
        let items = self.written(range).into_iter().filter(|written| written.is_item);
        items.take(ITEMS_MAX).collect()
    }

    /// Every word of code in the text that looks like a path with folders.
    pub fn paths(&self) -> Vec<&str> {
        let words = self.markdown.code_words.iter().map(|(word, _)| word.as_str());
        words.filter(|word| word.contains('/')).take(PATHS_MAX).collect()
    }

    /// The first paragraph in these lines, as one line.
    pub fn paragraph(&self, range: Range<usize>) -> String {
        let lines = self.written(range).into_iter();
        let lines = lines.skip_while(|written| written.text.is_empty());
        let lines = lines.take_while(|written| !written.text.is_empty() && !written.is_item);
        lines.map(|written| written.text).collect::<Vec<_>>().join(" ")
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

fn written(line: u32, raw: &str) -> Written<'_> {
    let text = raw.trim_start();
    let indent = raw.len() - text.len();
    let text = text.trim_end();
    let after_digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match after_digits.len() < text.len() {
        true => after_digits.strip_prefix(['.', ')']),
        false => text.strip_prefix(['-', '*', '+', '•']),
    };
    // `**bold**` begins with the mark of a list too.
    let rest = rest.filter(|rest| rest.starts_with([' ', '\t']));
    let is_item = rest.is_some();
    let text = rest.unwrap_or(text).trim_start();
    let boxes = ["[ ]", "[x]", "[X]"];
    let text = boxes.iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text).trim_start();
    Written { line, indent, is_item, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_items_and_code_are_found_with_their_lines() {
        let text = "# A\n\n## 2. Agent Flow\n\n```\nOne\n\nTwo\n```\n\n## Steps\nintro\n### One\n- [ ] first\n1. second\n**bold**\n### Two\n";
        let page = Page::of(text);
        let flow = page.section(&["agent flow"]).expect("it is there");
        let code = page.first_code(flow.below);
        assert_eq!(code, [(6, "One"), (7, ""), (8, "Two")]);
        let steps = page.section(&["steps"]).expect("it is there");
        let parts = page.parts(&steps);
        let titles: Vec<(&str, u32)> =
            parts.iter().map(|part| (part.title.as_str(), part.line)).collect();
        assert_eq!(titles, [("One", 13), ("Two", 17)]);
        assert_eq!(page.paragraph(page.introduction(&steps)), "intro");
        let items: Vec<&str> =
            page.items(parts[0].below.clone()).into_iter().map(|item| item.text).collect();
        assert_eq!(items, ["first", "second"]);
    }
}
