//! The terms of a glossary that are blocked for the generic part of a repository.
//!
//! Where the glossary has a section "Blocked terms", these are the entries of its lists and tables, and nothing else.
//! Where it has none, every term that it defines is blocked: first columns of tables, entries such as `- **Term**: …`,
//! paragraphs that begin with `**Term**`, and headings below the title with only prose under them.

use crate::front_matter;
use crate::markdown::{self, Markdown};

pub(super) struct Blocked {
    pub terms: Vec<Term>,
    pub said: Said,
}

/// How a glossary says what is blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    ByDefinition,
    BySection,
    /// The section at this line says something, but not as a list or table.
    Unclear {
        line: u32,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    pub text: String,
    pub line: u32,
}

pub(super) fn blocked(glossary: &str) -> Blocked {
    let lines = lines(glossary);
    for (index, line) in lines.iter().enumerate() {
        if let TermLineKind::Heading { level, title } = line.kind
            && plain(title).eq_ignore_ascii_case("blocked terms")
        {
            let below = lines[index + 1..].iter();
            let is_below = |line: &&TermLine<'_>| line.heading_level().is_none_or(|l| l > level);
            return listed(line.number, below.take_while(is_below));
        }
    }
    Blocked { terms: defined(&lines), said: Said::ByDefinition }
}

fn listed<'l, 't: 'l>(start: u32, section: impl Iterator<Item = &'l TermLine<'t>>) -> Blocked {
    let (mut terms, mut entries, mut others) = (Vec::new(), 0, 0);
    for line in section {
        let text = match line.kind {
            TermLineKind::Row { first } => first,
            TermLineKind::Item { text } => before_meaning(text),
            TermLineKind::Heading { .. } | TermLineKind::Bold { .. } | TermLineKind::Prose => {
                others += 1;
                continue;
            }
        };
        entries += 1;
        terms.extend(term(text, line.number));
    }
    let is_unclear = entries == 0 && others > 0;
    let said = if is_unclear { Said::Unclear { line: start } } else { Said::BySection };
    Blocked { terms, said }
}

/// Headings that group or introduce and are never a term themselves.
const NO_TERMS: &[&str] = &[
    "glossary",
    "terms",
    "definitions",
    "overview",
    "introduction",
    "purpose",
    "scope",
    "references",
    "notes",
    "abbreviations",
    "acronyms",
    "related terms",
    "how to use",
];

fn defined(lines: &[TermLine<'_>]) -> Vec<Term> {
    let mut terms = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let found = match line.kind {
            TermLineKind::Row { first } => term(first, line.number),
            TermLineKind::Item { text } | TermLineKind::Bold { text } => {
                definition(text).and_then(|text| term(text, line.number))
            }
            TermLineKind::Heading { level, title } if level > 1 && is_leaf(&lines[index + 1..]) => {
                let title = term(title, line.number);
                title.filter(|term| !NO_TERMS.contains(&term.text.to_lowercase().as_str()))
            }
            TermLineKind::Heading { .. } | TermLineKind::Prose => None,
        };
        terms.extend(found.filter(|term| is_short(&term.text)));
    }
    terms
}

/// Only prose is below the heading; with nothing, or with terms of its own, it is a group.
fn is_leaf(below: &[TermLine<'_>]) -> bool {
    let section = below.iter().take_while(|line| line.heading_level().is_none());
    let is_group = |line: &TermLine<'_>| match line.kind {
        TermLineKind::Row { .. } => true,
        TermLineKind::Item { text } | TermLineKind::Bold { text } => definition(text).is_some(),
        TermLineKind::Heading { .. } | TermLineKind::Prose => false,
    };
    let mut section = section.peekable();
    section.peek().is_some() && !section.any(is_group)
}

/// The term of an entry that gives its meaning: `**Term** …`, `Term: …`, `Term – …`.
fn definition(item: &str) -> Option<&str> {
    let text = before_meaning(item);
    (text.len() < item.len()).then_some(text)
}

fn before_meaning(item: &str) -> &str {
    for mark in ["**", "__", "`"] {
        if let Some((bold, _)) = item.strip_prefix(mark).and_then(|rest| rest.split_once(mark)) {
            return bold;
        }
    }
    let ends = [": ", " – ", " — ", " - ", " ("];
    let end = ends.iter().filter_map(|end| item.find(end)).min();
    &item[..end.unwrap_or(item.len())]
}

/// None for what is no word or only stands for one.
fn term(text: &str, line: u32) -> Option<Term> {
    let text = plain(text);
    let is_template = text.contains(['<', '>', '{', '}']);
    let is_none = ["none", "n/a"].iter().any(|none| text.eq_ignore_ascii_case(none));
    let is_term = text.chars().any(char::is_alphanumeric) && !is_template && !is_none;
    is_term.then_some(Term { text, line })
}

/// Longer is a sentence.
fn is_short(text: &str) -> bool {
    const WORDS_MAX: usize = 6;
    text.split_whitespace().count() <= WORDS_MAX
}

/// Without emphasis, numbering, the target of a link, and a colon or full stop at the end.
fn plain(text: &str) -> String {
    let text = unnumbered(text.trim());
    let text = match text.strip_prefix('[').and_then(|rest| rest.split_once("](")) {
        Some((shown, _)) => shown,
        None => text,
    };
    let text: String = text.chars().filter(|c| !matches!(c, '*' | '`')).collect();
    text.trim().trim_matches('_').trim_end_matches([':', '.']).trim().to_owned()
}

/// `3. Policy` is a policy; `3D model` stays as it is.
fn unnumbered(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ')');
    let number = &text[..text.len() - rest.len()];
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number.ends_with(['.', ')'])
        && rest.starts_with(' ');
    if is_number { rest.trim_start() } else { text }
}

struct TermLine<'t> {
    number: u32,
    kind: TermLineKind<'t>,
}

#[derive(Clone, Copy)]
enum TermLineKind<'t> {
    Heading {
        level: usize,
        title: &'t str,
    },
    Item {
        text: &'t str,
    },
    /// Of a table, the row of its headings left out.
    Row {
        first: &'t str,
    },
    /// A paragraph that begins with strong emphasis.
    Bold {
        text: &'t str,
    },
    Prose,
}

impl TermLine<'_> {
    fn heading_level(&self) -> Option<usize> {
        match self.kind {
            TermLineKind::Heading { level, .. } => Some(level),
            _ => None,
        }
    }
}

/// The lines that say something; code and comments do not.
fn lines(text: &str) -> Vec<TermLine<'_>> {
    let front = front_matter::split(text).map_or(0, |(_, prose)| text.len() - prose.len());
    let document = Markdown::after(text, front);
    let mut headings = document.headings.iter().peekable();
    let all: Vec<&str> = text.lines().map(str::trim).collect();
    let mut lines = Vec::new();
    for (index, line) in all.iter().enumerate() {
        let next = all.get(index + 1).copied().unwrap_or_default();
        let kind = match document.lines[index] {
            markdown::Line::Heading => {
                headings.next_if(|heading| markdown::index(heading.line) == index).map(|heading| {
                    TermLineKind::Heading { level: heading.level, title: heading_title(line) }
                })
            }
            markdown::Line::Text | markdown::Line::Indented => kind(line, next),
            _ => None,
        };
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        lines.extend(kind.map(|kind| TermLine { number, kind }));
    }
    lines
}

/// Without the marks around it.
fn heading_title(line: &str) -> &str {
    line.trim_start_matches('\u{feff}').trim_matches('#').trim()
}

fn kind<'t>(line: &'t str, next: &str) -> Option<TermLineKind<'t>> {
    if let Some(row) = line.strip_prefix('|') {
        let is_heading = is_rule(next) && !is_rule(line);
        let first = row.split('|').next().unwrap_or_default();
        return (!is_rule(line) && !is_heading).then_some(TermLineKind::Row { first });
    }
    let item = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
    if let Some(text) = item.or_else(|| Some(unnumbered(line)).filter(|text| *text != line)) {
        return Some(TermLineKind::Item { text: text.trim() });
    }
    match line {
        _ if line.chars().all(|c| "-=*_ ".contains(c)) => None,
        text if text.starts_with("**") => Some(TermLineKind::Bold { text }),
        _ => Some(TermLineKind::Prose),
    }
}

/// The line between the headings of a table and its rows.
fn is_rule(line: &str) -> bool {
    line.starts_with('|') && line.contains('-') && line.chars().all(|c| "|-: ".contains(c))
}
