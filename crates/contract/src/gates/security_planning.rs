//! The gate `security-planning`: the documents that say how the solution is kept safe are there, decided and reviewed.

use super::evidence::prose;
use super::{Inspector, is_blank};
use crate::diagnostic::{Report, gates as say};
use crate::markdown::{Line, Markdown};
use std::collections::BTreeSet;

const FOLDER: &str = "planning-mds/security";
const REVIEWS: &str = "planning-mds/security/reviews";
const REQUIRED: &[&str] = &[
    "planning-mds/security/threat-model.md",
    "planning-mds/security/authorization-review.md",
    "planning-mds/security/data-protection.md",
    "planning-mds/security/secrets-management.md",
];
/// Fewer sections than this cannot say what is at stake, what is done about it and what is left.
const SECTIONS_MIN: usize = 3;

pub(super) struct SecurityPlanning {
    is_strict: bool,
    seen: BTreeSet<String>,
}

impl SecurityPlanning {
    pub fn new(is_strict: bool) -> Self {
        Self { is_strict, seen: BTreeSet::new() }
    }
}

impl Inspector for SecurityPlanning {
    fn places(&self) -> &'static [&'static str] {
        &[FOLDER]
    }

    fn wants(&self, path: &str) -> bool {
        REQUIRED.contains(&path) || is_dated_review(path)
    }

    fn see(&mut self, path: &str, bytes: &[u8], report: &mut Report) {
        self.seen.insert(path.to_owned());
        if is_blank(bytes) {
            return report.push(say::file_blank(path));
        }
        let text = String::from_utf8_lossy(bytes);
        prose(path, &text, report);
        if self.is_strict && !is_dated_review(path) {
            settled(path, &text, report);
        }
    }

    fn finish(&mut self, report: &mut Report) {
        let missing = REQUIRED.iter().filter(|path| !self.seen.contains(**path));
        report.extend(missing.map(|path| say::security_missing(path, self.is_strict)));
        if !self.seen.iter().any(|path| is_dated_review(path)) {
            report.push(say::review_missing(REVIEWS, self.is_strict));
        }
    }
}

/// `reviews/security-review-2026-02-07.md`: the day is in the name.
fn is_dated_review(path: &str) -> bool {
    let Some(name) = path.strip_prefix(REVIEWS).and_then(|rest| rest.strip_prefix('/')) else {
        return false;
    };
    let is_day = |text: &str| {
        let pattern = b"0000-00-00";
        text.len() == pattern.len()
            && text.bytes().zip(pattern).all(|(found, wanted)| match wanted {
                b'0' => found.is_ascii_digit(),
                other => found == *other,
            })
    };
    name.ends_with(".md") && (0..name.len()).any(|at| name.get(at..at + 10).is_some_and(is_day))
}

/// A plan counts once somebody has said that it is one.
fn settled(path: &str, text: &str, report: &mut Report) {
    let status = text.lines().zip(1..).find_map(|(line, number)| Some((status_in(line)?, number)));
    match status {
        None => report.push(say::status_missing(path)),
        Some((word, line)) if is_draft(&word) => report.push(say::status_draft(path, line, &word)),
        Some(_) => {}
    }
    let count = sections_with_text(text);
    if count < SECTIONS_MIN {
        report.push(say::few_sections(path, count, SECTIONS_MIN));
    }
}

/// `Status: approved`, also in bold or as a list entry.
fn status_in(line: &str) -> Option<String> {
    let plain = line.replace(['*', '_', '|'], " ");
    let plain = plain.trim().trim_start_matches(['-', '#']).trim_start();
    let (key, rest) = plain.split_once(':')?;
    let word = rest.trim();
    (key.trim().eq_ignore_ascii_case("status") && !word.is_empty()).then(|| word.to_owned())
}

fn is_draft(status: &str) -> bool {
    const OPEN: &[&str] =
        &["draft", "placeholder", "tbd", "todo", "pending", "proposed", "open", "wip", "unknown"];
    let first = status.to_lowercase();
    let first = first.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned();
    OPEN.contains(&first.as_str()) || status.to_lowercase().starts_with("in progress")
}

fn sections_with_text(text: &str) -> usize {
    let document = Markdown::of(text);
    let (mut count, mut is_counted) = (0, true);
    for (line, kind) in text.lines().map(str::trim).zip(&document.lines) {
        match kind {
            Line::Heading if line.starts_with("##") => is_counted = false,
            Line::Heading | Line::Fence => {}
            _ if !is_counted && line.chars().any(char::is_alphanumeric) => {
                count += 1;
                is_counted = true;
            }
            _ => {}
        }
    }
    count
}
