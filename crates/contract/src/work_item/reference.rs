//! What a work item refers to: documents, sections of them and words of them; and whether they are there.

use super::outline::Section;
use super::{ItemKind, list};
use crate::diagnostic::{Report, work_item as say};
use crate::markdown::Markdown;

/// Which specification an item comes from. What is not said in the usual form is not in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpecReference {
    /// The line of the section's heading.
    pub line: LineNumber,
    /// Paths, from the repository's root or the session's folder.
    pub specs: Vec<Told>,
    /// As written; one may name several.
    pub sections: Vec<Told>,
    pub quotes: Vec<Told>,
}

/// Some words, and the line that they begin in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub text: String,
    pub line: LineNumber,
}

/// Where something stands. That makes it no other: the same item has other lines in a file than in a reply.
#[derive(Debug, Clone, Copy, Default)]
pub struct LineNumber(pub u32);

impl PartialEq for LineNumber {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for LineNumber {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Spec,
    Sections,
    Quote,
}

const FIELDS: [(&str, Field); 5] = [
    ("spec", Field::Spec),
    ("section(s)", Field::Sections),
    ("sections", Field::Sections),
    ("section", Field::Sections),
    ("quote", Field::Quote),
];

/// `Spec: x`, `Section(s): y` and `Quote: z`, as items of a list or as plain lines; each may continue in the lines below.
pub(super) fn read(section: &Section<'_>) -> SpecReference {
    let mut found: Vec<(Field, Told)> = Vec::new();
    let mut is_open = false;
    for line in &section.lines {
        let text = line.text.trim();
        let named =
            FIELDS.iter().find_map(|(name, field)| Some((*field, list::field(text, name)?)));
        if let Some((field, value)) = named {
            found.push((field, Told { text: value.to_owned(), line: LineNumber(line.number) }));
            is_open = true;
        } else if let Some((field, told)) = found.last_mut().filter(|_| is_open) {
            let more = text.trim_start_matches('>').trim();
            let is_item = more.starts_with(['-', '*', '+']);
            // Another item beside the field is about something else.
            if is_item && line.text.starts_with(['-', '*', '+']) {
                is_open = false;
                continue;
            }
            let more = more.trim_start_matches(['-', '*', '+']).trim();
            let between = if *field == Field::Quote || told.text.is_empty() { " " } else { ", " };
            if !more.is_empty() {
                told.text = format!("{}{between}{more}", told.text).trim().to_owned();
            }
        }
    }
    let of = |wanted: Field| -> Vec<Told> {
        let of_kind = found.iter().filter(|(field, _)| *field == wanted);
        let plain = of_kind.map(|(_, told)| match wanted {
            Field::Sections => told.clone(),
            _ => Told { text: list::unquoted(&told.text).to_owned(), line: told.line },
        });
        plain.filter(|told| !told.text.is_empty()).collect()
    };
    SpecReference {
        line: LineNumber(section.line),
        specs: of(Field::Spec).iter().flat_map(paths).collect(),
        sections: of(Field::Sections),
        quotes: of(Field::Quote),
    }
}

/// Several documents may stand in one line. What is no plain path is kept whole, to be found missing by its words.
fn paths(told: &Told) -> Vec<Told> {
    let (named, _) = list::paths(&told.text).unwrap_or((vec![told.text.clone()], ""));
    let one = |path: String| {
        let path = path.split_once('#').map_or(path.as_str(), |(path, _)| path).trim().to_owned();
        Told { text: path, line: told.line }
    };
    named.into_iter().map(one).filter(|told| !told.text.is_empty()).collect()
}

/// Everything that an item refers to and that is not there. `document` gives the text of a file by its path.
pub fn unfound(kind: &ItemKind, path: &str, document: &dyn Fn(&str) -> Option<String>) -> Report {
    let mut report = Report::default();
    let (reference, needs_quote) = match kind {
        ItemKind::Task(task) => (&task.spec_reference, false),
        ItemKind::Refinement(refinement) => (&refinement.spec_reference, true),
    };
    let fields = [
        ("Spec", reference.specs.is_empty()),
        ("Section(s)", reference.sections.is_empty()),
        ("Quote", needs_quote && reference.quotes.is_empty()),
    ];
    for (name, _) in fields.iter().filter(|(_, is_missing)| *is_missing) {
        report.push(say::reference_missing(path, reference.line.0, name));
    }
    let mut texts = Vec::new();
    for spec in &reference.specs {
        match document(&spec.text) {
            Some(text) => texts.push(text),
            None => report.push(say::document_missing(path, spec.line.0, &spec.text)),
        }
    }
    // Without its document nothing can be told about the rest.
    if texts.len() < reference.specs.len() || texts.is_empty() {
        return report;
    }
    let names: Vec<&str> = reference.specs.iter().map(|spec| spec.text.as_str()).collect();
    let names = names.join(", ");
    let headings: Vec<String> = texts.iter().flat_map(|text| headings(text)).collect();
    for told in &reference.sections {
        for name in not_headings(&told.text, &headings, &SEPARATORS) {
            report.push(say::section_unknown(path, told.line.0, (&name, &names), &headings));
        }
    }
    for quote in &reference.quotes {
        if !texts.iter().any(|text| occurs(&quote.text, text)) {
            report.push(say::quote_unknown(path, quote.line.0, &quote.text, &names));
        }
    }
    report
}

/// The titles of a document's headings, as they are written.
fn headings(text: &str) -> Vec<String> {
    let after_front = crate::front_matter::split(text).map_or(text, |(_, body)| body);
    Markdown::of(after_front).headings.into_iter().map(|heading| heading.title).collect()
}

/// The text below each heading that an item names, with its heading; the document's own words.
pub fn sections_of<'a>(names: &str, text: &'a str) -> Vec<&'a str> {
    let body = crate::front_matter::split(text).map_or(text, |(_, body)| body);
    let document = Markdown::of(body);
    let starts: Vec<usize> = line_starts(body);
    let line = |number: u32| starts.get(crate::markdown::index(number)).copied();
    let mut found = Vec::new();
    for (at, heading) in document.headings.iter().enumerate() {
        if !is_named(names, &heading.title, &SEPARATORS) {
            continue;
        }
        let next = document.headings[at + 1..].iter().find(|next| next.level <= heading.level);
        let start = line(heading.line).unwrap_or(body.len());
        let end = next.and_then(|next| line(next.line)).unwrap_or(body.len());
        found.extend(body.get(start..end).map(str::trim_end));
    }
    found
}

fn line_starts(text: &str) -> Vec<usize> {
    let after = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(after).collect()
}

/// What stands between the names of sections. A heading may have each of them in it, so the whole is looked for first.
const SEPARATORS: [&str; 7] = [";", ",", " and ", " & ", " > ", " → ", " / "];

/// The names in a text that are no heading.
fn not_headings(text: &str, headings: &[String], separators: &[&str]) -> Vec<String> {
    let text = text.trim();
    if text.is_empty() || is_heading(text, headings) {
        return Vec::new();
    }
    match separators {
        [] => vec![text.to_owned()],
        [first, rest @ ..] => {
            text.split(first).flat_map(|part| not_headings(part, headings, rest)).collect()
        }
    }
}

fn is_named(text: &str, heading: &String, separators: &[&str]) -> bool {
    is_heading(text, std::slice::from_ref(heading))
        || separators.split_first().is_some_and(|(first, rest)| {
            text.split(first).any(|part| is_named(part.trim(), heading, rest))
        })
}

/// Whether a name means a heading: by its words, its number, both, or its anchor.
fn is_heading(name: &str, headings: &[String]) -> bool {
    let wanted = plain(name);
    let anchor = name.trim().trim_matches('`').strip_prefix('#').map(anchor);
    headings.iter().any(|heading| {
        let whole = plain(heading);
        let (number, words) = numbered(&whole);
        !wanted.is_empty()
            && (wanted == whole
                || wanted == words
                || (!number.is_empty() && wanted.trim_end_matches('.') == number)
                || numbered(&wanted) == (number, words)
                || anchor.as_ref().is_some_and(|wanted| *wanted == self::anchor(heading)))
    })
}

/// In lower case, with single spaces, without marks of emphasis, of code and of sections around it.
fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace(['`', '*', '"', '“', '”'], "");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_start_matches(['#', '§', '_', ' ']);
    let text = text.strip_prefix("section ").unwrap_or(text);
    text.trim_end_matches([':', '_', ' ']).to_owned()
}

/// `2.1. counting` is `2.1` and `counting`.
fn numbered(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    match rest.trim_start_matches([')', ':']).strip_prefix(' ') {
        Some(words) if number.starts_with(|c: char| c.is_ascii_digit()) => {
            (number.trim_end_matches('.'), words.trim_start_matches(['-', '–', '—', ' ']))
        }
        _ => ("", text),
    }
}

/// The name by which links lead to a heading.
fn anchor(text: &str) -> String {
    let kept = plain(text).replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}

/// Whether a document has these words, whatever the white space and marks between them; `…` stands for what was left out.
fn occurs(quote: &str, text: &str) -> bool {
    let text = words(text);
    let mut rest = text.as_str();
    for part in quote.replace("[...]", "…").replace("...", "…").split('…') {
        let part = words(part);
        match rest.find(&part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// With single spaces, plain quotes, and without the marks of Markdown that a reader does not see.
fn words(text: &str) -> String {
    let plain =
        text.replace(['“', '”', '„'], "\"").replace(['‘', '’'], "'").replace(['*', '`'], "");
    let lines = plain.lines().map(|line| line.trim_start().trim_start_matches("> "));
    let joined = lines.collect::<Vec<_>>().join(" ");
    joined.split_whitespace().collect::<Vec<_>>().join(" ")
}
