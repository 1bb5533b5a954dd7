//! Finds roles by any of their names in the words of a person.

use crate::action::Resolve;
use crate::skill;
use tollgate_core::role::Role;

/// A role as the action calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub called: String,
    pub role: Role,
}

/// Names of roles have no more words than this.
const WORDS_MAX: usize = 4;
/// Whom a text names, it names in its first words.
const TEXT_WORDS_MAX: usize = 60;

/// Every role that is named, in order; the longest name counts. Of two names side by side, as in `Security Reviewer`, the
/// first is meant.
pub(super) fn in_words(text: &str, resolve: &Resolve<'_>) -> Vec<Named> {
    let mut words = words_with_gaps(text);
    words.truncate(TEXT_WORDS_MAX);
    let mut found: Vec<Named> = Vec::new();
    let (mut at, mut after_role) = (0, false);
    while at < words.len() {
        let longest = (1..=WORDS_MAX.min(words.len() - at)).rev();
        let mut named = longest.map(|count| (count, joined(&words[at..at + count])));
        match named.find_map(|(count, name)| Some((count, role(&name, resolve)?))) {
            Some((count, named)) => {
                if !(after_role && words[at].is_close) {
                    found.push(named);
                }
                at += count;
                after_role = true;
            }
            None => {
                at += 1;
                after_role = false;
            }
        }
    }
    found
}

struct Word {
    text: String,
    /// Nothing but blanks before it.
    is_close: bool,
}

fn joined(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join("-")
}

fn words_with_gaps(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let (mut word, mut is_close) = (String::new(), true);
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            words.push(Word { text: std::mem::take(&mut word), is_close });
            is_close = true;
        }
        is_close &= c.is_whitespace();
    }
    words
}

/// The role of a name that stands by itself. The first word of one known name is enough: `Backend`.
pub(super) fn alone(text: &str, resolve: &Resolve<'_>) -> Option<Named> {
    if let Some(named) = in_words(text, resolve).into_iter().next() {
        return Some(named);
    }
    let words = words_of(text);
    let [word] = words.as_slice() else { return None };
    let begins = |name: &str| name.split('-').next() == Some(word);
    let mut known = skill::known_names().filter(|(name, _)| begins(name));
    let (name, role) = known.next()?;
    known.next().is_none().then(|| Named { called: name.to_owned(), role })
}

fn role(name: &str, resolve: &Resolve<'_>) -> Option<Named> {
    if let Some(known) = skill::known_name(name) {
        let role = skill::role_known_as(known)?;
        return Some(Named { called: known.to_owned(), role });
    }
    let role = resolve(name).filter(|_| skill::is_kebab(name))?;
    Some(Named { called: name.to_owned(), role })
}

/// In small letters, without anything between them.
pub(super) fn words_of(text: &str) -> Vec<String> {
    words_with_gaps(text).into_iter().map(|word| word.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let own = |name: &str| (name == "data-scientist").then_some(Role::Coder);
        in_words(text, &own).into_iter().map(|named| named.called).collect()
    }

    #[test]
    fn r147_roles_are_found_by_any_of_their_names() {
        for (text, expected) in [
            ("Execute Product Manager (Phase A)", &["product-manager"][..]),
            ("Architect-Led Assembly Planning", &["architect"]),
            ("SpecAgent, then Spec Agent and DevOps", &["spec-agent", "spec-agent", "devops"]),
            ("Code Reviewer or a second Architect review", &["code-reviewer", "architect"]),
            ("Security Reviewer", &["security"]),
            ("Code Reviewer + Security", &["code-reviewer", "security"]),
            ("1a. Data Scientist", &["data-scientist"]),
            ("Plan the documents", &[]),
        ] {
            assert_eq!(names(text), expected, "{text}");
        }
        let nobody = |_: &str| None;
        assert_eq!(alone("Backend", &nobody).map(|named| named.role), Some(Role::Coder));
        assert_eq!(alone("Somebody", &nobody), None);
    }
}
