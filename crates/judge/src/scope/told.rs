//! Whether the agent's summary speaks of a file.

use super::ScopeRules;
use std::collections::BTreeMap;

pub(super) const UNTOLD: &str = "a person allowed it; the summary does not mention it";

#[derive(Debug)]
pub(super) struct Told<'a> {
    summary: Option<&'a str>,
    /// How many changed names end in this file name.
    names: BTreeMap<&'a str, usize>,
}

impl<'a> Told<'a> {
    pub(super) fn new(rules: &'a ScopeRules, paths: impl Iterator<Item = &'a str>) -> Self {
        let summary = rules.summary.as_deref().map(beginning);
        let mut names = BTreeMap::new();
        if summary.is_some() {
            paths.for_each(|path| *names.entry(file_name(path)).or_default() += 1);
        }
        Self { summary, names }
    }

    /// By its path, or by its file name where no other changed file has the same. Without a summary nothing was left unsaid.
    pub(super) fn mentions(&self, path: &str) -> bool {
        let Some(summary) = self.summary else { return true };
        let name = file_name(path);
        has_word(summary, path)
            || (self.names.get(name).is_none_or(|count| *count < 2) && has_word(summary, name))
    }
}

/// It is searched for every file; nobody reads a longer one.
fn beginning(summary: &str) -> &str {
    const BYTES_MAX: usize = 64 * 1024;
    &summary[..summary.floor_char_boundary(BYTES_MAX)]
}

/// `a.ts` is not in `data.ts`, `lib/a.ts` or `a.tsx`, but at the end of a sentence it is.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            let before = &text[..at];
            let before = before.strip_suffix("./").unwrap_or(before);
            let mut after = text[at + word.len()..].chars();
            let is_open = match after.next() {
                Some('.') => after.next().is_none_or(|c| !is_part(c)),
                Some(c) => !is_part(c),
                None => true,
            };
            is_open && !before.ends_with(|c: char| is_part(c) || c == '.')
        })
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
