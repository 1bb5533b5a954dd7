//! The lists of a work item: entries as people write them, and what they say about a path.

use crate::globs::PathRules;
use std::collections::BTreeMap;

/// One line of In Scope or Out of Scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The path, glob or folder.
    pub text: String,
    /// What comes after it in words: `owned by T-002`.
    pub note: Option<String>,
}

/// What the lists say about one path.
#[derive(Debug)]
pub(super) enum Standing<'a> {
    In,
    Out(&'a Entry),
    Unlisted,
}

#[derive(Debug)]
pub(super) struct Listed {
    inside: List,
    outside: List,
}

impl Listed {
    pub(super) fn new(in_scope: &[String], out_of_scope: &[String]) -> Self {
        Self { inside: List::new(in_scope), outside: List::new(out_of_scope) }
    }

    /// An exact path beats a pattern; among equals Out of Scope wins.
    pub(super) fn standing(&self, path: &str) -> Standing<'_> {
        if let Some(entry) = self.outside.exact(path) {
            return Standing::Out(entry);
        }
        if self.inside.exact(path).is_some() {
            return Standing::In;
        }
        match self.outside.pattern(path) {
            Some(entry) => Standing::Out(entry),
            None if self.inside.covers(path) => Standing::In,
            None => Standing::Unlisted,
        }
    }

    pub(super) fn excludes(&self, path: &str) -> bool {
        matches!(self.standing(path), Standing::Out(_))
    }

    /// In Scope lists this very path, perhaps as a folder.
    pub(super) fn names(&self, path: &str) -> bool {
        self.inside.exact(path).is_some() || self.inside.exact(&format!("{path}/")).is_some()
    }

    /// In Scope has this entry, or covers this path.
    pub(super) fn has(&self, text: &str) -> bool {
        let entry = Entry::read(text).text;
        self.inside.entries.iter().any(|known| known.text == entry)
            || self.inside.exact(&entry).is_some()
            || self.inside.covers(&entry)
    }

    pub(super) fn is_excluded_by_name(&self, path: &str) -> bool {
        self.outside.exact(path).is_some()
    }

    /// The entry of Out of Scope that covers a path, whatever In Scope says.
    pub(super) fn exclusion(&self, path: &str) -> Option<&Entry> {
        self.outside.exact(path).or_else(|| self.outside.pattern(path))
    }

    /// The paths of In Scope that are no patterns and not excluded.
    pub(super) fn paths(&self) -> impl Iterator<Item = &String> {
        self.inside.exact.keys().filter(|path| !self.is_excluded_by_name(path))
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.inside.entries.iter()
    }
}

#[derive(Debug)]
struct List {
    entries: Vec<Entry>,
    /// Path to entry; one that may be a pattern too, such as `app/[id].ts`, is in both.
    exact: BTreeMap<String, usize>,
    /// All patterns at once; none where they are too large together, and then each is asked.
    patterns: Option<PathRules>,
    each: Vec<(PathRules, usize)>,
}

impl List {
    fn new(texts: &[String]) -> Self {
        let entries: Vec<Entry> = texts.iter().map(|text| Entry::read(text)).collect();
        let mut exact = BTreeMap::new();
        let (mut each, mut readable) = (Vec::new(), Vec::new());
        for (at, entry) in entries.iter().enumerate() {
            if entry.is_path() {
                exact.entry(entry.text.clone()).or_insert(at);
            }
            for pattern in entry.patterns() {
                // One that cannot be read matches nothing: it never widens what is allowed.
                if let Ok(rules) = PathRules::new(&[&pattern]) {
                    each.push((rules, at));
                    readable.push(pattern);
                }
            }
        }
        // The name of a file may end as a note does.
        for (at, text) in texts.iter().enumerate().filter(|(at, _)| entries[*at].note.is_some()) {
            exact.entry(plain_path(text)).or_insert(at);
        }
        let patterns = PathRules::new(&readable).ok();
        Self { entries, exact, patterns, each }
    }

    fn exact(&self, path: &str) -> Option<&Entry> {
        self.exact.get(path).map(|at| &self.entries[*at])
    }

    fn covers(&self, path: &str) -> bool {
        match &self.patterns {
            Some(patterns) => patterns.matches(path),
            None => self.each.iter().any(|(rules, _)| rules.matches(path)),
        }
    }

    fn pattern(&self, path: &str) -> Option<&Entry> {
        if !self.covers(path) {
            return None;
        }
        let found = self.each.iter().find(|(rules, _)| rules.matches(path));
        found.map(|(_, at)| &self.entries[*at])
    }
}

impl Entry {
    /// Reads `src/a.ts`, `` `src/a.ts` — the handler `` or `src/a.ts (owned by T-002)`.
    pub(super) fn read(text: &str) -> Self {
        let text = text.trim();
        let (path, note) = quoted(text).or_else(|| noted(text)).unwrap_or((text, ""));
        let note = note.trim().trim_start_matches(['—', '–', '-', ':']).trim();
        let note = note.strip_prefix('(').and_then(|n| n.strip_suffix(')')).unwrap_or(note).trim();
        Self { text: plain_path(path), note: (!note.is_empty()).then(|| note.to_owned()) }
    }

    pub(super) fn is_path(&self) -> bool {
        !self.text.is_empty() && !self.text.contains('*')
    }

    /// Its patterns as `PathRules` reads them.
    pub(super) fn patterns(&self) -> Vec<String> {
        let text = &self.text;
        if text.contains(['*', '?', '[', '{', '\\']) || text.ends_with('/') {
            return vec![text.clone()];
        }
        // A name without extension may be that of a folder; then what is below is meant.
        let name = text.rsplit('/').next().unwrap_or_default();
        if name.is_empty() || name.contains('.') { Vec::new() } else { vec![format!("{text}/")] }
    }
}

/// A path that is known to be one, so that no part of it is taken for a note.
pub fn entry_of(path: &str) -> String {
    let is_read_as_written = Entry::read(path).text == plain_path(path);
    if is_read_as_written { path.to_owned() } else { format!("`{path}`") }
}

/// `` `path` `` and the words behind it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let (path, note) = text.strip_prefix('`')?.split_once('`')?;
    (!path.trim().is_empty()).then_some((path, note))
}

/// `path (words)` or `path — words`.
fn noted(text: &str) -> Option<(&str, &str)> {
    let at = if text.ends_with(')') { text.find(" (") } else { None };
    let at = at.or_else(|| text.find(" — ")).or_else(|| text.find(" – "))?;
    let (path, note) = text.split_at(at);
    (!path.trim().is_empty()).then_some((path, note))
}

/// Without spaces around it, backticks, `.` and empty parts; a folder keeps its `/`.
pub fn plain_path(text: &str) -> String {
    let text = text.trim().trim_matches('`').trim();
    if text.starts_with('/') {
        return text.to_owned();
    }
    let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let end = if text.ends_with('/') && !parts.is_empty() { "/" } else { "" };
    format!("{}{end}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r104_patterns_that_are_too_large_together_still_exclude() {
        let texts: Vec<String> = vec!["docs/".to_owned(), "vendor/**/*.c".to_owned()];
        let mut listed = Listed::new(&["**".to_owned()], &texts);
        for is_together in [true, false] {
            if !is_together {
                listed.outside.patterns = None;
                listed.inside.patterns = None;
            }
            assert!(matches!(listed.standing("vendor/a/b.c"), Standing::Out(_)), "{is_together}");
            assert!(matches!(listed.standing("docs/a.md"), Standing::Out(_)), "{is_together}");
            assert!(matches!(listed.standing("src/a.ts"), Standing::In), "{is_together}");
        }
    }
}
