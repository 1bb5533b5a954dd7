//! Lists as people write them: items over several lines, paths in backticks or bare, remarks after them.

use super::outline::Line;
use tollgate_judge::globs::is_inside;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub line: u32,
    /// Columns before the mark.
    pub indent: usize,
    /// Without the mark; lines that continue are joined with a space.
    pub text: String,
}

/// The items of all lists, nested ones among them, in their order.
pub(super) fn items(lines: &[Line<'_>]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut is_open = false;
    for line in lines {
        let text = line.text.trim();
        let indent = line.text.len() - line.text.trim_start().len();
        if line.is_code || text.is_empty() {
            is_open = false;
        } else if let Some(rest) = after_mark(text) {
            items.push(Item { line: line.number, indent, text: rest.to_owned() });
            is_open = true;
        } else if let Some(last) = items.last_mut().filter(|last| is_open || indent > last.indent) {
            last.text = format!("{} {text}", last.text).trim().to_owned();
        }
    }
    items
}

/// The lines that are no item and not blank, each with whether it continues with an item by its indent.
pub(super) fn beside<'a>(lines: &[Line<'a>]) -> Vec<(Line<'a>, bool)> {
    let mut found = Vec::new();
    let mut last: Option<usize> = None;
    for line in lines.iter().filter(|line| !line.text.trim().is_empty()) {
        let indent = line.text.len() - line.text.trim_start().len();
        match after_mark(line.text.trim()).filter(|_| !line.is_code) {
            Some(_) => last = Some(indent),
            None => {
                found.push((*line, !line.is_code && last.is_some_and(|last| indent > last)));
            }
        }
    }
    found
}

/// Whether a line outside lists, such as a paragraph or a row of a table, names a file. Of one that continues with an
/// item only a path alone does: an item may speak of other files.
pub(super) fn names_file(line: &str, goes_on: bool) -> bool {
    let text = line.trim();
    if text.starts_with('|') {
        return text.split('|').any(|cell| names_file(cell, false) && !cell.trim().is_empty());
    }
    let text = text.trim_start_matches(['>', '#', '•', '·', '–', '—', ' ', '\t']);
    let text = after_mark(text).unwrap_or(text);
    if says_none(text) {
        return false;
    }
    // A sentence that ends so introduces a list.
    is_path_alone(text) || (!goes_on && !text.ends_with(':') && mentions_path(text))
}

fn is_path_alone(text: &str) -> bool {
    let text = text.trim_end_matches(':').trim_matches('_');
    let bold = text.strip_prefix("**").and_then(|text| text.strip_suffix("**"));
    let text = bold.unwrap_or(text);
    let is_marked = text.starts_with('`') || link(text).is_some();
    paths(text).is_some_and(|(paths, _)| is_marked || paths.iter().any(|path| is_like_path(path)))
}

fn mentions_path(text: &str) -> bool {
    if begins_with_path(text) {
        return true;
    }
    let is_file = |word: &str| {
        let is_open = word.ends_with('/') || word.contains('*');
        word.contains('/') && !word.contains("://") && (is_open || has_extension(word))
    };
    // Every second part is in backticks.
    (text.split('`').enumerate()).any(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(bare).any(is_file),
        _ => is_like_path(part.trim()),
    })
}

/// Whether the first word is meant as a path. A sentence may begin with `Files/modules`; a path begins small.
pub(super) fn begins_with_path(text: &str) -> bool {
    let first = text.split_whitespace().next().map(bare).unwrap_or_default();
    let is_small = !first.starts_with(|c: char| c.is_uppercase());
    text.starts_with('`')
        || (text.starts_with('[') && text.contains("]("))
        || has_extension(first)
        || (first.contains('/') && is_small)
}

/// A word without punctuation around it.
fn bare(word: &str) -> &str {
    let word = word.trim_start_matches(['(', '"', '\'', '_']);
    word.trim_end_matches([',', ';', ':', '.', '!', '?', ')', '"', '\'', '_'])
}

fn is_like_path(text: &str) -> bool {
    text.contains(['/', '*']) || has_extension(text)
}

fn has_extension(text: &str) -> bool {
    const LENGTH_MAX: usize = 10;
    let name = text.rsplit('/').next().unwrap_or_default();
    let Some((_, end)) = name.rsplit_once('.') else { return false };
    let is_word = end.chars().all(char::is_alphanumeric) && end.contains(char::is_alphabetic);
    is_word && end.len() <= LENGTH_MAX && !matches!(name, "e.g" | "i.e")
}

/// What comes after `-`, `*`, `+`, `1.` or `1)`.
fn after_mark(text: &str) -> Option<&str> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mark = match digits {
        0 => text.starts_with(['-', '*', '+']).then_some(1)?,
        1..=9 => text[digits..].starts_with(['.', ')']).then_some(digits + 1)?,
        _ => return None,
    };
    let rest = &text[mark..];
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| rest.trim())
}

/// A heading of a nested list, such as `Backend:`, names nothing itself.
pub(super) fn is_label(items: &[Item], index: usize) -> bool {
    let below = items.get(index + 1).is_some_and(|next| next.indent > items[index].indent);
    below && items[index].text.ends_with(':')
}

/// The paths that an item names, and what is said after them; none where it is not plain which they are.
pub(super) fn paths(text: &str) -> Option<(Vec<String>, &str)> {
    if text.starts_with('`') || link(text).is_some() {
        return marked(text);
    }
    const ENDS: [&str; 6] = [" (", " — ", " – ", " - ", " # ", ": "];
    let cut = ENDS.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    let (path, remark) = text.split_at(cut);
    let is_plain = !path.is_empty() && !path.contains(char::is_whitespace) && !path.contains('`');
    let path = path.strip_suffix([',', ';']).unwrap_or(path);
    is_plain.then(|| (vec![path.to_owned()], remark.trim()))
}

/// "`a`, `b` and [c](c) (remark)".
fn marked(text: &str) -> Option<(Vec<String>, &str)> {
    let mut paths = Vec::new();
    let mut rest = text;
    loop {
        let (path, after) = match (rest.strip_prefix('`'), link(rest)) {
            (Some(inner), _) => inner.split_once('`')?,
            (None, Some((name, target, after))) => (linked_path(name, target)?, after),
            (None, None) => return Some((paths, rest.trim())),
        };
        if path.trim().is_empty() {
            return None;
        }
        paths.push(path.trim().to_owned());
        rest = after;
        let next = after.trim_start();
        let next = next.strip_prefix(',').unwrap_or(next).trim_start();
        let next = next.strip_prefix("and ").unwrap_or(next).trim_start();
        if next.starts_with('`') || link(next).is_some() {
            rest = next;
        }
    }
}

/// Text and target of a link at the beginning, and what follows it.
fn link(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.strip_prefix('[')?.split_once("](")?;
    let mut depth = 1_u32;
    let end = rest.find(|c: char| {
        depth = match c {
            '(' => depth.saturating_add(1),
            ')' => depth - 1,
            _ => depth,
        };
        depth == 0
    })?;
    let after = &rest[end + 1..];
    let is_end = after.is_empty() || after.starts_with([' ', '\t', ',', ';', ':', '.']);
    is_end.then_some((name, &rest[..end], after))
}

/// The path that a link means: its target, or its text where the target leads elsewhere; none where they differ.
fn linked_path<'a>(name: &'a str, target: &'a str) -> Option<&'a str> {
    let plain = |text: &'a str| text.strip_prefix("./").unwrap_or(text);
    let (name, target) = (plain(unquoted(name)), plain(target.trim()));
    let is_words = name.contains(char::is_whitespace) || !is_like_path(name);
    let is_same = name == target || target.ends_with(&format!("/{name}"));
    let is_path =
        is_inside(target) && !target.contains("://") && !target.contains(char::is_whitespace);
    match is_path {
        true => (is_words || is_same).then_some(target),
        false => (name.contains('/') && is_same).then_some(name),
    }
}

/// The value of `- **Name:** value`, whatever the case of the name.
pub(super) fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let text = line.trim();
    let text = after_mark(text).unwrap_or(text).trim_start_matches(['*', '_']);
    let found = text.get(..name.len()).filter(|found| found.eq_ignore_ascii_case(name))?;
    let rest = text[found.len()..].trim_start_matches(['*', '_', ' ']).strip_prefix(':')?;
    Some(rest.trim_start_matches(['*', '_']).trim())
}

/// Without the quotes or backticks that stand around the whole of it.
pub(super) fn unquoted(text: &str) -> &str {
    const PAIRS: [(char, char); 4] = [('`', '`'), ('"', '"'), ('“', '”'), ('\'', '\'')];
    let text = text.trim();
    let inner = PAIRS.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(*open)?.strip_suffix(*close)?;
        (!inner.contains([*open, *close])).then_some(inner)
    });
    inner.unwrap_or(text).trim()
}

/// "None", "n/a", "-": an author who says that there is nothing.
pub(super) fn says_none(text: &str) -> bool {
    let text = text.trim();
    let text = after_mark(text).unwrap_or(text);
    let plain = text.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    // `**` and `.` have no letter either, but mean files.
    let is_dash = text.chars().all(|c| matches!(c, '-' | '–' | '—' | '_' | '`' | '(' | ')'));
    matches!(plain.as_str(), "none" | "nothing" | "n/a" | "na")
        || (plain.is_empty() && is_dash)
        || plain.starts_with("none ")
        || plain.starts_with("none, ")
        || plain.starts_with("none. ")
        || plain.starts_with("nothing ")
}
