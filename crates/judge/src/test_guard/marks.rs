//! Words in a test file, or in what tests stand on, that end a run, leave tests out or hide what they found.
//!
//! Only what a change adds counts. A word of a whole file's effect counts in a new file too; one that speaks of the
//! tests around it does not, because new tests take nothing away.

mod words_of;

use super::language::{self, Language};
use super::lex::Source;
use super::{FileVersion, Weakening, found};
use std::ops::Range;
use words_of::{In, Word};

pub(super) fn weakened(changes: &[FileVersion<'_>]) -> Vec<Weakening> {
    changes.iter().flat_map(looked_at).collect()
}

fn looked_at(change: &FileVersion<'_>) -> Option<Weakening> {
    let after = change.after?;
    let language = Language::of(change.path)?;
    let new = Lines::of(after, change.path, language)?;
    let old = change.before.map(|text| {
        let path = change.old_path.unwrap_or(change.path);
        Lines::of(text, path, language).unwrap_or_default()
    });
    let is_shared = language::file_name(change.path) == "conftest.py" && after.contains("autouse");
    words_of::of(language).iter().filter(|word| is_shared || !word.only_shared).find_map(|word| {
        let found = added(word, old.as_ref(), &new)?;
        let message = format!("{}: {}", word.says, crate::quote(found.text.trim()));
        let (path, line) = (change.path.to_owned(), Some(found.number));
        Some(Weakening { path, line, kind: word.kind, message })
    })
}

/// The lines of a file that tests are in or stand on, three ways.
#[derive(Debug, Default)]
struct Lines {
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    number: u32,
    /// As it is.
    text: String,
    /// Without comments and space.
    bare: String,
    /// Also without what is in quotes.
    code: String,
    next: String,
}

impl Lines {
    /// None where neither tests are nor what they stand on.
    fn of(text: &str, path: &str, language: Language) -> Option<Self> {
        let source = Source::new(text, language);
        let ranges = ranges(&source, path, language)?;
        let squeeze = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let mut lines = Vec::new();
        let mut at = 0;
        let all: Vec<&str> = text.split_inclusive('\n').collect();
        for (index, line) in all.iter().enumerate() {
            let range = at..at + line.len();
            at = range.end;
            if !ranges.iter().any(|r| r.start < range.end && range.start < r.end) {
                continue;
            }
            lines.push(Line {
                number: source.line(range.start),
                text: (*line).to_owned(),
                bare: squeeze(super::scan::part(&source.bare, range.clone())),
                code: squeeze(&source.code[range]),
                next: all.get(index + 1).map(|next| squeeze(next)).unwrap_or_default(),
            });
        }
        Some(Self { lines })
    }
}

/// The whole file, or only its tests where tests stand among the program.
fn ranges(source: &Source<'_>, path: &str, language: Language) -> Option<Vec<Range<usize>>> {
    let all = 0..source.text.len();
    let is_among =
        matches!(language, Language::Rust | Language::Java | Language::Kotlin | Language::CSharp);
    let is_shared = language::is_support(path) && language != Language::Rust;
    if is_shared || (language::of_tests(path).is_some() && !is_among) {
        return Some(vec![all]);
    }
    if !is_among {
        return (language == Language::Python && source.code.contains("def pytest_"))
            .then_some(vec![all]);
    }
    let tests = found::tests(source, path);
    Some(tests.into_iter().map(|test| test.head.start..test.body.end).collect())
}

/// An end with a code that says failure hides nothing.
fn has(text: &str, mark: &str) -> bool {
    text.find(mark).is_some_and(|at| {
        let next = text[at + mark.len()..].chars().next();
        !(mark.ends_with('(') && next.is_some_and(|c| ('1'..='9').contains(&c)))
    })
}

fn added<'l>(word: &Word, old: Option<&Lines>, new: &'l Lines) -> Option<&'l Line> {
    if old.is_none() && !word.counts_in_new {
        return None;
    }
    let is_in = |line: &&Line| {
        let text = match word.place {
            In::Code => &line.code,
            In::Quoted => &line.bare,
            In::Comment => &line.text,
        };
        word.any_of.iter().any(|mark| has(text, mark))
            && !word.unless.iter().any(|other| text.contains(other))
    };
    let was: Vec<&Line> =
        old.map(|old| old.lines.iter().filter(is_in).collect()).unwrap_or_default();
    let now: Vec<&Line> = new.lines.iter().filter(is_in).collect();
    if now.len() <= was.len() {
        return None;
    }
    // A remark for the type checker speaks of the line after it, which must have been there.
    let is_about_known = |line: &&&Line| {
        !word.about_next
            || old.is_some_and(|old| {
                old.lines.iter().any(|l| {
                    let known: String = l.text.chars().filter(|c| !c.is_whitespace()).collect();
                    known == line.next
                })
            })
    };
    let is_new = |line: &&&Line| !was.iter().any(|known| known.bare == line.bare);
    let mut fresh = now.iter().filter(is_about_known);
    let first = fresh.find(is_new);
    first.or_else(|| now.iter().rfind(is_about_known)).copied()
}
