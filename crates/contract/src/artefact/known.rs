//! What the documents of planning must say: their sections, with more in them than a stand-in.

use super::ids::FOLDER;
use crate::diagnostic::{Report, artefact as say};
use crate::markdown::{Heading, Line, Markdown};
use crate::sections::{self, Required, plain_name};
use std::ops::Range;

/// One section by the name to report and all headings that count as it.
macro_rules! sections {
    ($($name:literal $(| $other:literal)*),+ $(,)?) => {
        &[$(Required { name: $name, headings: &[$($other),*], also: &[] }),+]
    };
}

const BLUEPRINT: &[Required] = sections![
    "Vision" | "vision" | "vision and goals" | "vision & goals",
    "Users" | "users" | "target users" | "personas",
    "Core entities" | "core entities" | "entities" | "domain",
    "Scope" | "scope" | "scope and non-goals",
    "Features" | "features",
    "Architecture" | "architecture",
    "Open questions" | "open questions",
];

const GLOSSARY: &[Required] =
    sections!["Terms" | "terms" | "glossary", "Blocked terms" | "blocked terms"];

const PATTERNS: &[Required] = sections![
    "Structure" | "structure" | "modules",
    "Data" | "data" | "data access",
    "Interfaces" | "interfaces" | "api" | "apis",
    "Errors" | "errors" | "error handling",
    "Security" | "security",
    "Tests" | "tests" | "testing",
];

const FEATURE: &[Required] = sections![
    "Goal" | "goal" | "goals",
    "Scope" | "scope",
    "Stories" | "stories" | "user stories",
];

const STORY: &[Required] = sections![
    "Story" | "story" | "user story",
    "Acceptance criteria" | "acceptance criteria" | "acceptance criterion",
];

const PERSONA: &[Required] = sections![
    "Who" | "who" | "who they are" | "profile",
    "Goals" | "goals" | "goal",
    "Needs" | "needs" | "pains" | "needs and pains",
];

const SCREEN: &[Required] = sections![
    "Purpose" | "purpose",
    "Elements" | "elements" | "content" | "layout",
    "States" | "states",
];

/// Adds what is missing, empty, or nothing but a placeholder.
pub(super) fn check(path: &str, text: &str, document: &Markdown, report: &mut Report) {
    let required = required(path);
    let before = report.diagnostics.len();
    report.extend(sections::check(document, path, required).diagnostics);
    for section in required {
        let is_it =
            |heading: &Heading| section.headings.contains(&plain_name(&heading.title).as_str());
        let found: Vec<usize> =
            (0..document.headings.len()).filter(|at| is_it(&document.headings[*at])).collect();
        let is_stand_in = !found.is_empty()
            && found.iter().all(|at| is_only_stand_in(&lines(text, document, document.below(*at))));
        if let Some(first) = found.first().filter(|_| is_stand_in) {
            let line = document.headings[*first].line;
            report.push(say::only_placeholders(path, line, Some(section.name)));
        }
    }
    let body: Vec<&str> = lines(text, document, 0..document.lines.len());
    if body.is_empty() {
        report.push(say::empty(path));
    } else if is_only_stand_in(&body) && report.diagnostics.len() == before {
        report.push(say::only_placeholders(path, 1, None));
    }
    if !required.is_empty() {
        unfilled(path, document, report);
    }
}

/// The line of the first placeholder where a document has nothing else to say.
pub(super) fn first_placeholder(text: &str, document: &Markdown) -> Option<u32> {
    if !is_only_stand_in(&lines(text, document, 0..document.lines.len())) {
        return None;
    }
    let is_told = |kind: &Line| matches!(kind, Line::Text | Line::Fenced | Line::Indented);
    let at = document.lines.iter().position(is_told)?;
    u32::try_from(at + 1).ok()
}

fn required(path: &str) -> &'static [Required] {
    let Some(below) = path.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/')) else {
        return &[];
    };
    match below {
        "BLUEPRINT.md" => return BLUEPRINT,
        "domain/glossary.md" => return GLOSSARY,
        "architecture/SOLUTION-PATTERNS.md" => return PATTERNS,
        _ => {}
    }
    let (folder, name) = below.rsplit_once('/').unwrap_or(("", below));
    let id = super::ids::leading(name).filter(|id| id.starts_with('F'));
    let is_index = matches!(name.to_ascii_lowercase().as_str(), "readme.md" | "index.md");
    match (folder.split('/').next().unwrap_or_default(), id) {
        ("features" | "stories", Some(id)) if id.contains('-') => STORY,
        ("features", Some(_)) if folder == "features" => FEATURE,
        ("personas", _) if !is_index => PERSONA,
        ("screens", _) if !is_index => SCREEN,
        _ => &[],
    }
}

fn lines<'a>(text: &'a str, document: &Markdown, range: Range<usize>) -> Vec<&'a str> {
    let all = text.lines().zip(&document.lines).skip(range.start).take(range.len());
    all.filter(|(_, kind)| matches!(kind, Line::Text | Line::Fenced | Line::Indented))
        .map(|(line, _)| line)
        .collect()
}

fn is_only_stand_in(lines: &[&str]) -> bool {
    !lines.is_empty() && lines.iter().all(|line| is_stand_in(line))
}

/// A line that says nothing: `- TODO: users`, `...`, `| TBD | TBD |`, `<describe it>`. A sentence that merely
/// begins with such a word says something.
pub(crate) fn is_stand_in(line: &str) -> bool {
    const MARKS: [&str; 5] = ["TODO", "TBD", "TBA", "FIXME", "XXX"];
    const PHRASES: [&str; 7] = [
        "to be defined",
        "to be determined",
        "to be decided",
        "to be done",
        "to be written",
        "coming soon",
        "lorem ipsum",
    ];
    let text = line.trim().trim_start_matches(|c: char| {
        c.is_whitespace() || c.is_ascii_digit() || "-*+>|_#.)([]:".contains(c)
    });
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || "*_|.)]:".contains(c));
    let small = text.to_lowercase();
    let is_mark = |mark: &&str| {
        let after = text.strip_prefix(*mark).map(|rest| !rest.starts_with(char::is_alphanumeric));
        let lower = mark.to_lowercase();
        after == Some(true) || small == lower || small.starts_with(&format!("{lower}:"))
    };
    let is_bracketed = |open: &str, close: &str| small.starts_with(open) && small.ends_with(close);
    // A number or a mark alone is a value of a table or the end of a sentence; dots alone say nothing.
    (text.is_empty() && line.contains("..."))
        || matches!(small.as_str(), "…" | "placeholder")
        || is_bracketed("{{", "}}")
        || (is_bracketed("<", ">") && !small.contains(['/', '=', '@']))
        || MARKS.iter().any(is_mark)
        || PHRASES.iter().any(|phrase| small.starts_with(phrase))
}

/// A template whose values were not put in.
fn unfilled(path: &str, document: &Markdown, report: &mut Report) {
    for (number, line) in (1..).zip(document.prose.lines()) {
        let after = line.split("{{").skip(1).filter_map(|rest| rest.split_once("}}"));
        for (name, _) in after {
            report.push(say::unfilled(path, number, &format!("{{{{{name}}}}}")));
        }
    }
}
