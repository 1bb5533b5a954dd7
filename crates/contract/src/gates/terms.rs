//! The terms of a glossary that are blocked for the generic part of a repository.
//!
//! Where the glossary has a section "Blocked terms", these are the entries of its lists and tables, and nothing else.
//! Where it has none, every term that it defines is blocked: first columns of tables, entries such as `- **Term**: …`, and
//! headings below the title with only prose under them.

pub(super) struct Blocked {
    pub terms: Vec<Term>,
    /// There is a section that says it.
    pub is_explicit: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    pub text: String,
    pub line: u32,
}

pub(super) fn blocked(glossary: &str) -> Blocked {
    let lines = lines(glossary);
    let is_section = |line: &Line<'_>| matches!(line.kind, Kind::Heading { title, .. } if plain(title).eq_ignore_ascii_case("blocked terms"));
    let Some(start) = lines.iter().position(is_section) else {
        return Blocked { terms: defined(&lines), is_explicit: false };
    };
    let Kind::Heading { level, .. } = lines[start].kind else {
        return Blocked { terms: Vec::new(), is_explicit: true };
    };
    let section = lines[start + 1..].iter();
    let section = section.take_while(|line| line.heading_level().is_none_or(|other| other > level));
    let terms = section.filter_map(|line| match line.kind {
        Kind::Row { first } => term(first, line.number),
        Kind::Item { text } => term(before_meaning(text), line.number),
        Kind::Heading { .. } | Kind::Prose => None,
    });
    Blocked { terms: terms.collect(), is_explicit: true }
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

fn defined(lines: &[Line<'_>]) -> Vec<Term> {
    let mut terms = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let found = match line.kind {
            Kind::Row { first } => term(first, line.number),
            Kind::Item { text } => definition(text).and_then(|text| term(text, line.number)),
            Kind::Heading { level, title } if level > 1 && is_leaf(&lines[index + 1..]) => {
                let title = term(title, line.number);
                title.filter(|term| !NO_TERMS.contains(&term.text.to_lowercase().as_str()))
            }
            Kind::Heading { .. } | Kind::Prose => None,
        };
        terms.extend(found.filter(|term| is_short(&term.text)));
    }
    terms
}

/// Only prose stands below the heading; with nothing, or with terms of its own, it is a group.
fn is_leaf(below: &[Line<'_>]) -> bool {
    let section = below.iter().take_while(|line| line.heading_level().is_none());
    let is_group = |line: &Line<'_>| match line.kind {
        Kind::Row { .. } => true,
        Kind::Item { text } => definition(text).is_some(),
        Kind::Heading { .. } | Kind::Prose => false,
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

/// Without emphasis, numbering and a colon or full stop at the end.
fn plain(text: &str) -> String {
    let text = text.trim().trim_start_matches(|c: char| c.is_ascii_digit() || ".) ".contains(c));
    let text: String = text.chars().filter(|c| !matches!(c, '*' | '`')).collect();
    text.trim().trim_matches('_').trim_end_matches([':', '.']).trim().to_owned()
}

struct Line<'t> {
    number: u32,
    kind: Kind<'t>,
}

#[derive(Clone, Copy)]
enum Kind<'t> {
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
    Prose,
}

impl Line<'_> {
    fn heading_level(&self) -> Option<usize> {
        match self.kind {
            Kind::Heading { level, .. } => Some(level),
            _ => None,
        }
    }
}

/// The lines that say something; code and comments do not.
fn lines(text: &str) -> Vec<Line<'_>> {
    let all: Vec<&str> = text.lines().map(str::trim).collect();
    let mut lines = Vec::new();
    let mut fence: Option<&str> = None;
    let mut is_comment = false;
    for (index, line) in all.iter().enumerate() {
        if let Some(mark) = fence {
            fence = Some(mark).filter(|mark| !line.starts_with(mark));
            continue;
        }
        fence = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        is_comment |= line.starts_with("<!--");
        let is_silent = fence.is_some() || is_comment || line.is_empty();
        is_comment &= !line.contains("-->");
        let next = all.get(index + 1).copied().unwrap_or_default();
        if let Some(kind) = kind(line, next).filter(|_| !is_silent) {
            lines.push(Line { number: u32::try_from(index + 1).unwrap_or(u32::MAX), kind });
        }
    }
    lines
}

fn kind<'t>(line: &'t str, next: &str) -> Option<Kind<'t>> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&level) && line[level..].starts_with([' ', '\t']) {
        return Some(Kind::Heading { level, title: line[level..].trim().trim_end_matches('#') });
    }
    if let Some(row) = line.strip_prefix('|') {
        let is_heading = is_rule(next) && !is_rule(line);
        let first = row.split('|').next().unwrap_or_default();
        return (!is_rule(line) && !is_heading).then_some(Kind::Row { first });
    }
    let item = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
    Some(item.map_or(Kind::Prose, |text| Kind::Item { text: text.trim() }))
}

/// The line between the headings of a table and its rows.
fn is_rule(line: &str) -> bool {
    line.starts_with('|') && line.contains('-') && line.chars().all(|c| "|-: ".contains(c))
}
