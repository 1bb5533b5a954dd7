//! In Scope and Out of Scope: the entries of their lists, and what cannot be one.

use super::list;
use super::outline::{Line, Section};
use crate::diagnostic::action::pattern_invalid;
use crate::diagnostic::{Report, work_item as say};
use std::ops::Range;
use tollgate_judge::globs::{PathRules, is_inside, is_protected};

/// A path that another task owns, or that nobody is to touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excluded {
    pub path: String,
    /// A task's id, or a tempID where the item is being created.
    pub owner: Option<String>,
}

/// The entries of In Scope with their lines.
pub(super) fn in_scope(
    section: &Section<'_>,
    path: &str,
    report: &mut Report,
) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    let lines = listed_lines(section, path, report);
    let mut is_unclear = lines.len() < section.lines.len();
    for item in entries(&lines) {
        match list::paths(&item.text) {
            None => {
                is_unclear = true;
                report.push(say::path_unclear(path, item.line, &item.text));
            }
            Some((paths, _)) => found.extend(paths.into_iter().map(|found| (item.line, found))),
        }
    }
    for (line, pattern) in &found {
        if is_inside(pattern) && is_protected(pattern, None) {
            report.push(say::protected(path, *line, pattern));
        } else if is_sound(path, *line, pattern, report) && takes_everything(pattern) {
            report.push(say::scope_everything(path, *line));
        }
    }
    if found.is_empty() && !is_unclear {
        report.push(say::scope_empty(path, section.line));
    }
    found
}

/// The entries of Out of Scope with their lines.
pub(super) fn excluded(
    section: &Section<'_>,
    path: &str,
    report: &mut Report,
) -> Vec<(u32, Excluded)> {
    let mut found = Vec::new();
    let lines = listed_lines(section, path, report);
    for item in entries(&lines) {
        let Some((paths, remark)) = list::paths(&item.text) else {
            report.push(match list::begins_with_path(&item.text) {
                true => say::path_unclear(path, item.line, &item.text),
                false => say::not_enforced(path, item.line, &item.text),
            });
            continue;
        };
        let owner = owner(remark);
        for pattern in paths {
            is_sound(path, item.line, &pattern, report);
            if let Some(name) = owner.as_deref().filter(|name| Some(*name) == own_name(path)) {
                report.push(say::owned_by_itself(path, item.line, &pattern, name));
            }
            found.push((item.line, Excluded { path: pattern, owner: owner.clone() }));
        }
    }
    if list::items(&lines).is_empty() {
        let is_said = |line: &&Line<'_>| {
            !line.text.trim_end().ends_with(':') && !list::says_none(line.text.trim())
        };
        let said: Vec<&str> = lines.iter().filter(is_said).map(|line| line.text.trim()).collect();
        if !said.is_empty() {
            report.push(say::not_enforced(path, section.line, &said.join(" ")));
        }
    }
    found
}

/// The lines without those that name a file outside a list; they are reported, for nothing would enforce them.
fn listed_lines<'a>(section: &Section<'a>, path: &str, report: &mut Report) -> Vec<Line<'a>> {
    let beside = list::beside(&section.lines);
    let mut lost = Vec::new();
    for (line, goes_on) in beside {
        if list::names_file(line.text, goes_on) {
            report.push(say::not_listed(path, line.number, line.text.trim()));
            lost.push(line.number);
        }
    }
    section.lines.iter().filter(|line| !lost.contains(&line.number)).copied().collect()
}

fn entries(lines: &[Line<'_>]) -> Vec<list::Item> {
    let items = list::items(lines);
    let is_entry =
        |index: usize| !list::is_label(&items, index) && !list::says_none(&items[index].text);
    (0..items.len()).filter(|index| is_entry(*index)).map(|index| items[index].clone()).collect()
}

/// Whether an entry can match a file; says why where it cannot.
fn is_sound(path: &str, line: u32, pattern: &str, report: &mut Report) -> bool {
    if let Some(meant) = with_slashes(pattern) {
        report.push(say::backslash(path, line, pattern, &meant));
        return false;
    }
    if let Some(file) = without_line(pattern) {
        report.push(say::path_with_line(path, line, pattern, file));
        return false;
    }
    let is_elsewhere = pattern.starts_with("~/") || pattern.as_bytes().get(1) == Some(&b':');
    if is_elsewhere {
        let cause = "it points outside the repository";
        report.push(pattern_invalid(path, Some(line), pattern, cause));
        return false;
    }
    let bad = PathRules::new(&[pattern]).err().unwrap_or_default();
    report.extend(bad.iter().map(|bad| pattern_invalid(path, Some(line), pattern, &bad.cause)));
    bad.is_empty()
}

/// The path as it is meant where backslashes stand between names; before a bracket one takes its meaning.
fn with_slashes(pattern: &str) -> Option<String> {
    let is_separator =
        |(at, _): (usize, &str)| !pattern[at + 1..].starts_with(['[', ']', '{', '}']);
    let is_meant = pattern.match_indices('\\').any(is_separator);
    is_meant.then(|| pattern.replace('\\', "/"))
}

/// The file of `file:10`, `file:10-20`, `file:10:5` or `file#L10`.
fn without_line(pattern: &str) -> Option<&str> {
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let mut file = match pattern.split_once("#L") {
        Some((file, number)) if is_number(number) => file,
        _ => pattern,
    };
    let is_place =
        |text: &str| is_number(text) && text.chars().all(|c| c.is_ascii_digit() || c == '-');
    while let Some((before, _)) = file.rsplit_once(':').filter(|(_, place)| is_place(place)) {
        file = before;
    }
    (file.len() < pattern.len() && !file.is_empty()).then_some(file)
}

fn takes_everything(pattern: &str) -> bool {
    // Names that nobody has, so that only a pattern for all matches them.
    const NAMES: [&str; 2] = ["\u{e000}", "\u{e001}/\u{e002}/\u{e003}"];
    PathRules::new(&[pattern]).is_ok_and(|rules| NAMES.iter().all(|name| rules.matches(name)))
}

/// The item's own name, which its file has.
fn own_name(path: &str) -> Option<&str> {
    path.rsplit('/').next()?.strip_suffix(".md")
}

/// The name in `(owned by NAME)`.
fn owner(remark: &str) -> Option<String> {
    owner_span(remark).map(|span| remark[span].to_owned())
}

pub(super) fn owner_span(text: &str) -> Option<Range<usize>> {
    const MARK: &str = "owned by";
    let after = text.to_ascii_lowercase().find(MARK)? + MARK.len();
    let rest = text[after..].trim_start_matches([' ', ':', '`', '"']);
    let start = text.len() - rest.len();
    let ends = |c: char| c.is_whitespace() || matches!(c, ')' | ',' | ';' | '`' | '"');
    let name = rest.split(ends).next()?.trim_end_matches('.');
    (!name.is_empty()).then(|| start..start + name.len())
}
