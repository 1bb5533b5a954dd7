//! The gate `security-evidence`: what lies in planning-mds/security is more than a placeholder.
//!
//! Prose is searched for words that stand for text to come. Results of scanners and pictures only have to hold something.

use super::{Inspector, is_binary, is_blank};
use crate::diagnostic::{Report, gates as say};
use crate::markdown::{Line, Markdown};

const FOLDER: &str = "planning-mds/security";

pub(super) struct SecurityEvidence {
    is_strict: bool,
    files: usize,
}

impl SecurityEvidence {
    pub fn new(is_strict: bool) -> Self {
        Self { is_strict, files: 0 }
    }
}

impl Inspector for SecurityEvidence {
    fn places(&self) -> &'static [&'static str] {
        &[FOLDER]
    }

    /// A README tells what the folder is for, and a hidden file only keeps it in git; neither is evidence.
    fn wants(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or_default();
        !name.starts_with('.') && !name.eq_ignore_ascii_case("README.md")
    }

    fn see(&mut self, path: &str, bytes: &[u8], report: &mut Report) {
        self.files += 1;
        if is_blank(bytes) || matches!(bytes.trim_ascii(), b"{}" | b"[]" | b"null") {
            report.push(say::file_blank(path));
        } else if is_prose(path) && !is_binary(bytes) {
            prose(path, &String::from_utf8_lossy(bytes), report);
        }
    }

    fn finish(&mut self, report: &mut Report) {
        if self.is_strict && self.files == 0 {
            report.push(say::evidence_missing(FOLDER));
        }
    }
}

fn is_prose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    matches!(ending.as_str(), "" | "md" | "markdown" | "txt" | "rst" | "adoc")
}

/// What a text says too little of: words that stand for text to come, and headings with nothing below them.
pub(super) fn prose(path: &str, text: &str, report: &mut Report) {
    let document = Markdown::of(text);
    let mut says_something = false;
    for (index, (line, kind)) in text.lines().map(str::trim).zip(&document.lines).enumerate() {
        if *kind == Line::Fence {
            continue;
        }
        let is_code = *kind == Line::Fenced;
        says_something |= *kind != Line::Heading && line.chars().any(char::is_alphanumeric);
        // Code that was looked at may hold such words for good reasons.
        if let Some(found) = placeholder(line).filter(|_| !is_code) {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            report.push(say::placeholder(path, number, &found));
        }
    }
    if !says_something {
        report.push(say::only_headings(path));
    }
}

/// In any case. The bare word for work to do is also a word of other languages, so it counts in capitals only.
const STAND_INS: &[&str] = &[
    "lorem ipsum",
    "placeholder",
    "to be determined",
    "to be defined",
    "to be done",
    "todo:",
    "tbd",
    "tba",
    "fixme",
];

/// What of a line stands for text to come.
fn placeholder(line: &str) -> Option<String> {
    let plain = without_code(line);
    let small = plain.to_lowercase();
    if let Some(word) = STAND_INS.iter().find(|word| has_word(&small, word)) {
        return Some((*word).to_owned());
    }
    if has_word(&plain, "TODO") {
        return Some("TODO".to_owned());
    }
    template_mark(&plain)
}

/// Inline code is a quotation.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

fn has_word(text: &str, word: &str) -> bool {
    let is_word = |char: char| char.is_alphanumeric();
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
    })
}

/// `{{name}}`, `[insert date]`, `<your name>`, `...` alone in angle brackets.
fn template_mark(line: &str) -> Option<String> {
    if let Some((_, rest)) = line.split_once("{{")
        && let Some((inner, _)) = rest.split_once("}}")
    {
        return Some(format!("{{{{{inner}}}}}"));
    }
    let small = line.to_ascii_lowercase();
    for start in ["[insert ", "[your ", "[add ", "[describe "] {
        if let Some(at) = small.find(start) {
            let end = line[at..].find(']').map_or(line.len(), |end| at + end + 1);
            return Some(line[at..end].to_owned());
        }
    }
    angle_mark(line)
}

fn angle_mark(line: &str) -> Option<String> {
    for (at, _) in line.match_indices('<') {
        // `Vec<String>` is a type.
        if line[..at].ends_with(char::is_alphanumeric) {
            continue;
        }
        let (inner, _) = line[at + 1..].split_once('>')?;
        let is_dots = !inner.is_empty() && inner.chars().all(|c| c == '.' || c == '…');
        let is_words = inner.starts_with(char::is_alphabetic)
            && inner.chars().all(|c| c.is_alphanumeric() || " _-".contains(c));
        if is_dots || (is_words && !HTML.contains(&inner.to_ascii_lowercase().as_str())) {
            return Some(format!("<{inner}>"));
        }
    }
    None
}

/// Markdown may hold these.
const HTML: &[&str] = &[
    "a",
    "abbr",
    "b",
    "blockquote",
    "body",
    "br",
    "center",
    "code",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "li",
    "mark",
    "object",
    "ol",
    "p",
    "pre",
    "s",
    "script",
    "small",
    "span",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
];
