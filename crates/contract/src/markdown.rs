//! The one reader of Markdown: what each line is, the headings, the prose without code, and the links, all with their
//! places. A kept parser says what is what, so that we and the readers of people agree.

use pulldown_cmark::{BrokenLink, CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};
use std::ops::Range;

#[derive(Debug)]
pub(crate) struct Markdown {
    /// One for each line of the text.
    pub lines: Vec<Line>,
    pub headings: Vec<Heading>,
    /// The text, byte for byte in its place, with blanks for front matter, code and comments.
    pub prose: String,
    /// Code inside a line of text, with its line.
    pub code_words: Vec<(String, u32)>,
    /// Links with their target beside them, and the definitions of references.
    pub links: Vec<Link>,
    /// `[text][label]` whose label nobody defines.
    pub undefined: Vec<(String, u32)>,
    /// The line of a fence that is not closed. A quote ends with its lines and needs no closing fence.
    pub open_fence: Option<u32>,
    starts: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    Blank,
    Text,
    /// A heading, and the line below it that makes it one.
    Heading,
    /// A line across the page.
    Rule,
    /// The line that opens or closes a block of code.
    Fence,
    Fenced,
    /// Code by its indent.
    Indented,
    Comment,
    Front,
}

#[derive(Debug)]
pub(crate) struct Heading {
    /// As it is written, without the marks that make it a heading.
    pub title: String,
    /// As it is read: without emphasis, of a link its text.
    pub text: String,
    pub level: usize,
    pub line: u32,
    /// Not the same as `line` for a heading with a line below it.
    pub last_line: u32,
}

#[derive(Debug)]
pub(crate) struct Link {
    pub target: String,
    pub line: u32,
    /// Where the target stands.
    pub place: Range<usize>,
}

impl Markdown {
    pub fn of(text: &str) -> Self {
        Self::after(text, 0)
    }

    /// What follows the front matter, which ends at this byte. Lines count from the top.
    pub fn after(text: &str, front: usize) -> Self {
        let mark = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
        let start = front.max(mark);
        let mut undefined = Vec::new();
        let mut on_broken = |broken: BrokenLink<'_>| {
            if broken.link_type == LinkType::Reference {
                let span = start + broken.span.start..start + broken.span.end;
                undefined.push((span, broken.reference.to_string()));
            }
            None
        };
        let plain = without_html_blocks(&text[start..]);
        let parser =
            Parser::new_with_broken_link_callback(&plain, Options::empty(), Some(&mut on_broken));
        let mut reader = Reader::new(text, front);
        let definitions = parser.reference_definitions().iter();
        definitions.for_each(|(label, definition)| {
            let span = start + definition.span.start..start + definition.span.end;
            reader.definition(label, &definition.dest, &span);
        });
        for (event, range) in parser.into_offset_iter() {
            reader.take(event, start + range.start..start + range.end);
        }
        for (span, label) in undefined {
            reader.undefined(&span, label);
        }
        reader.finish()
    }

    pub fn line_at(&self, at: usize) -> u32 {
        line_of(&self.starts, at)
    }

    /// The indexes of the lines below a heading, up to the next one that does not belong to it.
    pub fn below(&self, heading: usize) -> Range<usize> {
        let this = &self.headings[heading];
        let next = self.headings[heading + 1..].iter().find(|next| next.level <= this.level);
        let end = next.map_or(self.lines.len(), |next| index(next.line));
        index(this.last_line) + 1..end
    }
}

/// A tag at the beginning of a line makes all lines up to the next empty one HTML, headings among them. Authors do not mean
/// that. So the parser sees another sign in its place.
fn without_html_blocks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let tag = line.trim_start_matches(' ');
        match tag.strip_prefix('<').filter(|rest| !rest.starts_with("!--")) {
            Some(rest) => {
                plain.push_str(&line[..line.len() - tag.len()]);
                plain.push('.');
                plain.push_str(rest);
            }
            None => plain.push_str(line),
        }
    }
    plain
}

/// Lines count from one, indexes from zero.
pub(crate) fn index(line: u32) -> usize {
    usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1)
}

fn line_of(starts: &[usize], at: usize) -> u32 {
    u32::try_from(starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX)
}

struct Reader<'t> {
    text: &'t str,
    found: Markdown,
    /// Places inside lines that are no prose.
    hidden: Vec<Range<usize>>,
    quotes: usize,
    heading: Option<OpenHeading>,
    /// Links whose end has not come, the innermost last.
    links: Vec<OpenLink>,
}

struct OpenHeading {
    level: usize,
    whole: Range<usize>,
    inside: Option<Range<usize>>,
    text: String,
}

struct OpenLink {
    /// None where the target stands elsewhere.
    target: Option<String>,
    /// Where what is read of it ends.
    text_end: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, front: usize) -> Self {
        let ends = text.split_inclusive('\n').scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some(start)
        });
        let starts: Vec<usize> = ends.collect();
        let kind = |(line, start): (&str, &usize)| match () {
            () if *start < front => Line::Front,
            () if line.trim().is_empty() => Line::Blank,
            () => Line::Text,
        };
        let lines = text.lines().zip(&starts).map(kind).collect();
        let found = Markdown {
            lines,
            headings: Vec::new(),
            prose: String::new(),
            code_words: Vec::new(),
            links: Vec::new(),
            undefined: Vec::new(),
            open_fence: None,
            starts,
        };
        Self { text, found, hidden: Vec::new(), quotes: 0, heading: None, links: Vec::new() }
    }

    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, &range),
            Event::Rule => self.paint(&range, Line::Rule),
            Event::Code(code) => {
                let line = self.found.line_at(range.start);
                self.found.code_words.push((code.trim().to_owned(), line));
                self.read(&code, &range);
                self.hidden.push(range);
            }
            Event::InlineHtml(html) => {
                self.read("", &range);
                if html.starts_with("<!--") {
                    self.hidden.push(range);
                }
            }
            Event::Text(text) => self.read(&text, &range),
            Event::SoftBreak | Event::HardBreak => self.read("\n", &range),
            _ => {}
        }
    }

    /// Text that belongs to the heading and the links around it.
    fn read(&mut self, text: &str, range: &Range<usize>) {
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(text);
        }
        self.inside(range);
    }

    fn inside(&mut self, range: &Range<usize>) {
        if let Some(heading) = &mut self.heading {
            let start = heading.inside.as_ref().map_or(range.start, |inside| inside.start);
            heading.inside = Some(start..range.end);
        }
        if let Some(link) = self.links.last_mut() {
            link.text_end = range.end;
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::Heading { level, .. } => {
                let (level, text) = (level as usize, String::new());
                self.heading = Some(OpenHeading { level, whole: range, inside: None, text });
            }
            Tag::CodeBlock(CodeBlockKind::Indented) => self.paint(&range, Line::Indented),
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => self.fenced(&range),
            Tag::HtmlBlock if self.text[range.clone()].trim_start().starts_with("<!--") => {
                self.paint(&range, Line::Comment);
            }
            Tag::Link { link_type, dest_url, .. } => {
                self.open_link(link_type, dest_url.into_string(), range.start + 1);
            }
            Tag::Image { link_type, dest_url, .. } => {
                self.open_link(link_type, dest_url.into_string(), range.start + 2);
            }
            _ => {}
        }
    }

    fn open_link(&mut self, kind: LinkType, target: String, text_end: usize) {
        let target = (kind == LinkType::Inline).then_some(target);
        self.links.push(OpenLink { target, text_end });
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::Heading(_) => {
                if let Some(heading) = self.heading.take() {
                    self.end_heading(heading);
                }
            }
            TagEnd::Link | TagEnd::Image => {
                let closed = self.links.pop();
                if let Some(OpenLink { target: Some(target), text_end }) = closed {
                    let line = self.found.line_at(text_end);
                    self.found.links.push(Link { target, line, place: text_end..range.end });
                }
                self.inside(range);
            }
            _ => {}
        }
    }

    /// One in a quote, or after the mark of a list, is part of what is quoted or listed.
    fn end_heading(&mut self, heading: OpenHeading) {
        let OpenHeading { level, whole, inside, text } = heading;
        let line = self.found.line_at(whole.start);
        let before = &self.text[self.found.starts[index(line)]..whole.start];
        if !before.trim_matches(['\u{feff}', ' ']).is_empty() {
            return;
        }
        // A line below a paragraph makes all of it a heading. Authors mean its last line.
        let inside = inside.unwrap_or(whole.start..whole.start);
        let last = self.text[inside.clone()].rfind('\n').map(|at| inside.start + at + 1);
        let text = text.rsplit('\n').next().unwrap_or_default().to_owned();
        let (inside, whole) = match last {
            Some(start) => (start..inside.end, start..whole.end),
            None => (inside, whole),
        };
        let line = self.found.line_at(whole.start);
        self.paint(&whole, Line::Heading);
        let last_line = self.found.line_at(self.last_byte(&whole));
        let title = self.text[inside].trim().to_owned();
        self.found.headings.push(Heading { title, text, level, line, last_line });
    }

    fn fenced(&mut self, range: &Range<usize>) {
        self.paint(range, Line::Fenced);
        let first = self.found.line_at(range.start);
        self.found.lines[index(first)] = Line::Fence;
        let last = self.found.line_at(self.last_byte(range));
        if is_closed(&self.text[range.clone()]) {
            self.found.lines[index(last)] = Line::Fence;
        } else if self.quotes == 0 && self.found.open_fence.is_none() {
            self.found.open_fence = Some(first);
        }
    }

    /// The last byte of a block that is not a line break.
    fn last_byte(&self, range: &Range<usize>) -> usize {
        let trimmed = self.text[range.clone()].trim_end().len();
        range.start + trimmed.saturating_sub(1)
    }

    fn paint(&mut self, range: &Range<usize>, kind: Line) {
        let (first, last) = (self.found.line_at(range.start), self.last_byte(range));
        let lines = index(first)..=index(self.found.line_at(last));
        for line in self.found.lines.get_mut(lines).into_iter().flatten() {
            if *line != Line::Blank {
                *line = kind;
            }
        }
    }

    fn definition(&mut self, label: &str, target: &str, span: &Range<usize>) {
        let text = &self.text[span.clone()];
        // Footnotes look alike, and what follows them is no target.
        let Some(end) = text.find("]:").filter(|_| !label.starts_with('^')) else { return };
        let place = span.start + end + 2..span.end;
        let line = self.found.line_at(span.start + end);
        self.found.links.push(Link { target: target.to_owned(), line, place });
    }

    /// `rows[i][j]` is no link, and a label has a letter in it.
    fn undefined(&mut self, span: &Range<usize>, label: String) {
        let is_indexed = self.text[..span.start]
            .ends_with(|c: char| c.is_alphanumeric() || matches!(c, ']' | ')' | '_'));
        let Some(end) = self.text[span.clone()].rfind("][") else { return };
        let is_label = label.contains(char::is_alphabetic) && !label.starts_with('^');
        if is_label && !is_indexed && !self.text[span.start + 1..span.start + end].trim().is_empty()
        {
            self.found.undefined.push((label, self.found.line_at(span.start + end)));
        }
    }

    fn finish(mut self) -> Markdown {
        let mut prose = self.text.as_bytes().to_vec();
        let mut blank = |range: Range<usize>| {
            let bytes = prose[range].iter_mut();
            bytes.filter(|byte| !matches!(**byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        };
        for (at, kind) in self.found.lines.iter().enumerate() {
            let end = self.found.starts.get(at + 1).copied().unwrap_or(self.text.len());
            if !matches!(kind, Line::Text | Line::Heading) {
                blank(self.found.starts[at]..end);
            }
        }
        self.hidden.into_iter().for_each(blank);
        // Whole characters were blanked, so this is still text.
        self.found.prose = String::from_utf8(prose).unwrap_or_default();
        self.found.links.sort_by_key(|link| link.place.start);
        self.found
    }
}

/// Whether a block ends with a fence that is at least as long as the one it begins with.
fn is_closed(block: &str) -> bool {
    let mut lines = block.trim_end().lines();
    let first = lines.next().unwrap_or_default().trim_start();
    let mark = first.chars().next().unwrap_or('`');
    let length = first.len() - first.trim_start_matches(mark).len();
    let last = lines.next_back().unwrap_or_default();
    let last = last.trim_start_matches([' ', '\t', '>']).trim_end();
    last.len() >= length && last.chars().all(|c| c == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Line> {
        Markdown::of(text).lines
    }

    #[test]
    fn each_line_has_its_kind() {
        let text = "# A\n\ntext\n- item\n  ```sh\n  # no\n\n  ```\n\n---\n\n    code\n<!-- a\nb -->\nB\n===\n";
        use Line::*;
        assert_eq!(
            kinds(text),
            [
                Heading, Blank, Text, Text, Fence, Fenced, Blank, Fence, Blank, Rule, Blank,
                Indented, Comment, Comment, Heading, Heading
            ]
        );
    }

    #[test]
    fn a_fence_that_is_not_closed_is_named_and_a_quote_needs_none() {
        let open = |text: &str| Markdown::of(text).open_fence;
        assert_eq!(open("a\n```\nb\n"), Some(2));
        assert_eq!(open("````\n```\n"), Some(1));
        assert_eq!(open("```\nb\n```"), None);
        assert_eq!(open("~~~ x\nb\n~~~~\n"), None);
        assert_eq!(open("- ```\n  b\n  ```\n"), None);
        assert_eq!(open("> ```\n> b\n\nc\n"), None);
        assert_eq!(open("> ```\n> b\n> ```\nc\n"), None);
    }

    #[test]
    fn headings_are_read_with_and_without_their_marks() {
        let found =
            Markdown::of("\u{feff}## 2) **Goals:** ##\n\nTwo\nlines\n---\n> # no\n- # no\n");
        let shown: Vec<_> = found
            .headings
            .iter()
            .map(|h| (h.title.as_str(), h.text.as_str(), h.level, h.line, h.last_line))
            .collect();
        assert_eq!(shown, [("2) **Goals:**", "2) Goals:", 2, 1, 1), ("lines", "lines", 2, 4, 5)]);
    }

    #[test]
    fn links_and_definitions_have_the_line_where_their_text_ends() {
        let text = "See [one\nname](a.md \"x\"), [![i](b.png)](c.md), [d][E] and [f][nobody].\n`[x](y)` r[i][j]\n\n[e]: <e f.md>\n[^1]: note\n";
        let found = Markdown::of(text);
        let links: Vec<_> =
            found.links.iter().map(|link| (link.target.as_str(), link.line)).collect();
        assert_eq!(links, [("a.md", 2), ("b.png", 2), ("c.md", 2), ("e f.md", 5)]);
        assert_eq!(found.undefined, [("nobody".to_owned(), 2)]);
        assert_eq!(found.code_words, [("[x](y)".to_owned(), 3)]);
        assert_eq!(found.prose.len(), text.len());
        assert!(!found.prose.contains("[x]"));
    }

    #[test]
    fn deep_nesting_ends() {
        for text in
            ["> ".repeat(5_000), "[".repeat(20_000), "- ".repeat(5_000), "*a ".repeat(20_000)]
        {
            assert_eq!(Markdown::of(&text).prose.len(), text.len());
        }
    }
}
