//! Whether the objective of a task is one sentence.

use super::list;
use super::outline::Section;
use crate::diagnostic::{Report, work_item as say};

/// Words with a full stop that ends no sentence.
const SHORT: [&str; 12] =
    ["e.g", "i.e", "etc", "vs", "cf", "no", "fig", "approx", "resp", "incl", "esp", "st"];

/// Lists and paragraphs are more than a sentence too.
pub(super) fn check(section: &Section<'_>, path: &str, report: &mut Report) {
    let items = list::items(&section.lines);
    if let Some(second) = items.get(1) {
        report.push(say::objective_long(path, second.line, &second.text));
        return;
    }
    let mut text = String::new();
    let mut is_over = false;
    for line in section.lines.iter().skip_while(|line| line.text.trim().is_empty()) {
        let words = line.text.trim();
        if words.is_empty() {
            is_over = true;
        } else if is_over {
            report.push(say::objective_long(path, line.number, words));
            return;
        }
        text = format!("{text} {words}");
        if let Some(second) = second_sentence(&text) {
            report.push(say::objective_long(path, line.number, second));
            return;
        }
    }
}

/// What follows the end of the first sentence. Where it is not plain that a sentence ends, none does.
fn second_sentence(text: &str) -> Option<&str> {
    let mut is_code = false;
    for (at, char) in text.char_indices() {
        is_code ^= char == '`';
        if is_code || !matches!(char, '.' | '!' | '?') {
            continue;
        }
        let before = text[..at].rsplit(char::is_whitespace).next().unwrap_or_default();
        let rest = text[at + 1..].trim_start_matches(['"', '”', ')', '*', '_', '\'']);
        let Some(next) = rest.strip_prefix(char::is_whitespace).map(str::trim_start) else {
            continue;
        };
        let begins = next.trim_start_matches(['"', '“', '(', '*', '_', '`', '\'']);
        if begins.starts_with(char::is_uppercase) && !(char == '.' && is_short(before)) {
            return Some(next);
        }
    }
    None
}

/// An abbreviation, an initial, or the number of an item.
fn is_short(word: &str) -> bool {
    let word = word.trim_start_matches(['(', '"', '*', '_']).to_lowercase();
    word.chars().count() < 2
        || word.chars().all(|c| c.is_ascii_digit() || c == '.')
        || SHORT.contains(&word.as_str())
}

#[cfg(test)]
mod tests {
    use super::second_sentence;

    #[test]
    fn r159_one_sentence_is_told_from_two() {
        for one in [
            "A cart keeps its items when the page is loaded again.",
            "A cart keeps its items",
            "Version 2.1 reads files of version 1.9, e.g. `A. B` and old exports.",
            "The API (v2. see below) answers within 1.5 s, i.e. HTTP 200!",
            "Support J. R. Smith's format etc. in `Foo.Bar. Baz`.",
            "Is it so? yes, it is.",
        ] {
            assert_eq!(second_sentence(one), None, "{one}");
        }
        for (two, second) in [
            ("It counts. It refuses.", "It refuses."),
            ("It works! \"Then\" it ends", "\"Then\" it ends"),
            ("It **counts.** The rest follows.", "The rest follows."),
            ("Really? Yes.", "Yes."),
        ] {
            assert_eq!(second_sentence(two), Some(second), "{two}");
        }
    }
}
