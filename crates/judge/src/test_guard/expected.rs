//! What the tests of a file expect, and which of it a change takes away.

use super::facts::Facts;
use super::lex::Source;
use super::{assertions, found, language};

/// Assertions before the change that are not there after it, whatever their layout. Of a snapshot every change is one.
pub fn lost_expectations(path: &str, before: &str, after: &str) -> Vec<String> {
    if language::is_snapshot(path) {
        let is_lost = !before.is_empty() && before != after;
        return is_lost.then(|| path.to_owned()).into_iter().collect();
    }
    let mut now = expectations(path, after);
    let mut lost = expectations(path, before);
    lost.retain(|expected| match now.iter().position(|other| other == expected) {
        Some(at) => {
            now.swap_remove(at);
            false
        }
        None => true,
    });
    lost
}

fn expectations(path: &str, text: &str) -> Vec<String> {
    let Some(language) = language::of_tests(path) else { return Vec::new() };
    let source = Source::new(text, language);
    let helpers = assertions::helpers(&source);
    let tests = found::tests(&source, path);
    let facts = tests.iter().flat_map(|test| Facts::of(&source, &helpers, test).asserted);
    facts.map(|asserted| asserted.text).collect()
}
