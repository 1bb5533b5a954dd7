//! Why a file is not in scope, in words for people.

use super::entry::{Entry, Listed};

pub(super) fn excluded(entry: &Entry) -> String {
    let note = entry.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
    format!("listed under Out of Scope as {}{note}", entry.text)
}

/// Names the entry that was perhaps meant: a twin, the same file name, or the one that shares most folders.
pub(super) fn unlisted(path: &str, listed: &Listed) -> String {
    /// A hint is not worth a look at more, for each of many files.
    const LOOKED_AT_MAX: usize = 500;
    for entry in listed.entries().take(LOOKED_AT_MAX) {
        if let Some(likeness) = likeness(path, &entry.text) {
            return format!("not listed in scope; {likeness} {}", entry.text);
        }
    }
    let nearest = listed
        .entries()
        .take(LOOKED_AT_MAX)
        .map(|entry| (closeness(path, &entry.text), &entry.text))
        .filter(|(closeness, _)| *closeness > (false, 0))
        .max_by_key(|(closeness, _)| *closeness);
    match nearest {
        Some((_, entry)) => format!("not listed in scope; nearest entry {entry}"),
        None => "not listed in scope".to_owned(),
    }
}

fn closeness(path: &str, entry: &str) -> (bool, usize) {
    let shared = path.split('/').zip(entry.split('/')).take_while(|(a, b)| a == b).count();
    (path.rsplit('/').next() == entry.rsplit('/').next(), shared)
}

/// How two different paths can look the same on a screen or a disk.
fn likeness(path: &str, entry: &str) -> Option<&'static str> {
    if path == entry || entry.is_empty() {
        return None;
    }
    // Almost all differ in their first letters; the costly looks are for those that do not.
    let near = |a: usize, b: usize| a.abs_diff(b) <= a.max(b) / 2;
    if !near(path.len(), entry.len()) {
        return None;
    }
    const CASE: &str = "it differs only in upper and lower case from";
    if path.is_ascii() && entry.is_ascii() {
        return path.eq_ignore_ascii_case(entry).then_some(CASE);
    }
    if path.to_lowercase() == entry.to_lowercase() {
        return Some(CASE);
    }
    if is_composed(path) != is_composed(entry) && skeleton(path) == skeleton(entry) {
        return Some("it looks the same but its letters are encoded differently from");
    }
    let has_same_length = path.chars().count() == entry.chars().count();
    let differ = || path.chars().zip(entry.chars()).filter(|(a, b)| a != b);
    (has_same_length && differ().all(|(a, b)| !a.is_ascii() || !b.is_ascii()))
        .then_some("it is spelled with different letters from")
}

fn is_composed(text: &str) -> bool {
    text.chars().any(is_mark)
}

/// A combining mark, or a part of a Korean syllable: what a decomposed name is made of.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1100}'..='\u{11ff}' | '\u{3099}' | '\u{309a}')
}

/// A letter outside ASCII, composed or not, becomes the same placeholder, with the marks that follow.
fn skeleton(text: &str) -> String {
    let mut skeleton = String::new();
    for c in text.to_lowercase().chars() {
        if !is_mark(c) {
            skeleton.push(if c.is_ascii() { c } else { '\u{fffd}' });
        } else if matches!(c, '\u{1100}'..='\u{115f}') {
            skeleton.push('\u{fffd}');
        } else if !skeleton.ends_with('\u{fffd}') {
            skeleton.pop();
            skeleton.push('\u{fffd}');
        }
    }
    skeleton
}
