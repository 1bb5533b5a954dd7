//! Which action a goal means, by its verbs and nothing else.

use std::collections::BTreeSet;

/// An action as routing sees it.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub name: &'a str,
    pub intent: &'a [String],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// Every verb of the goal belongs to this action.
    Action(String),
    /// No verb belongs to an action, or not all of them belong to the same one.
    Deliver,
    /// Verbs of several actions.
    Ambiguous(Vec<String>),
}

pub fn route(goal: &str, actions: &[Candidate<'_>]) -> Route {
    let verbs = verbs(goal);
    let owns = |action: &Candidate<'_>, verb: &str| {
        action.intent.iter().any(|word| word.trim().to_lowercase() == verb)
    };
    let owners: Vec<&Candidate<'_>> =
        actions.iter().filter(|action| verbs.iter().any(|verb| owns(action, verb))).collect();
    match owners.as_slice() {
        [] => Route::Deliver,
        [only] if !verbs.iter().all(|verb| owns(only, verb)) => Route::Deliver,
        [only] => Route::Action(only.name.to_owned()),
        several => Route::Ambiguous(several.iter().map(|action| action.name.to_owned()).collect()),
    }
}

/// The first word, and each word right after "and", "then" or a comma; in small letters, without punctuation.
pub fn verbs(goal: &str) -> BTreeSet<String> {
    let mut verbs = BTreeSet::new();
    let mut is_next = true;
    for (index, phrase) in phrases(goal).into_iter().enumerate() {
        is_next |= index > 0;
        for word in phrase.split_whitespace() {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            if word == "and" || word == "then" {
                is_next = true;
            } else if !word.is_empty() {
                if is_next {
                    verbs.insert(word);
                }
                is_next = false;
            }
        }
    }
    verbs
}

/// The goal cut at its commas; one between digits belongs to a number.
fn phrases(goal: &str) -> Vec<&str> {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let mut phrases = Vec::new();
    let mut from = 0;
    for (at, comma) in goal.char_indices().filter(|(_, c)| matches!(c, ',' | '，' | '、')) {
        let after = at + comma.len_utf8();
        let is_number =
            is_digit(goal[..at].chars().next_back()) && is_digit(goal[after..].chars().next());
        if !is_number {
            phrases.push(&goal[from..at]);
            from = after;
        }
    }
    phrases.push(&goal[from..]);
    phrases
}

#[cfg(test)]
mod tests;
