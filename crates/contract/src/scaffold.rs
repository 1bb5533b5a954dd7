//! Fills a template with values that people give on the command line, so that they stay plain text.

use std::collections::{BTreeMap, BTreeSet};

/// A value is a phrase; what is longer belongs into a document.
const VALUE_CHARS_MAX: usize = 400;
/// Nobody begins a project with more names than this.
const ENTRIES_MAX: usize = 100;

/// `{{name}}` is replaced by the value of that name. A line with `{{each name}}` stands once for every
/// entry of a list with commas. A name without a value stays as it is, for the check to find.
pub fn fill(template: &str, values: &BTreeMap<String, String>) -> String {
    let values: BTreeMap<&str, String> = values
        .iter()
        .map(|(name, value)| (name.as_str(), plain(value)))
        .filter(|(_, value)| !value.is_empty())
        .collect();
    template.split_inclusive('\n').map(|line| filled_line(line, &values)).collect()
}

fn filled_line(line: &str, values: &BTreeMap<&str, String>) -> String {
    for (name, value) in values {
        let mark = format!("{{{{each {name}}}}}");
        if line.contains(&mark) {
            let entries = entries(value);
            let each = entries.iter().map(|entry| line.replace(&mark, entry));
            return each.map(|line| filled(&line, values)).collect();
        }
    }
    filled(line, values)
}

/// One pass from left to right: what a value holds is never taken for a placeholder.
fn filled(line: &str, values: &BTreeMap<&str, String>) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("{{") {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        let named = after[2..].split_once("}}");
        let value = named.and_then(|(name, tail)| Some((values.get(name.trim())?, tail)));
        match value {
            Some((value, tail)) => {
                text.push_str(value);
                rest = tail;
            }
            None => {
                text.push_str("{{");
                rest = &after[2..];
            }
        }
    }
    text + rest
}

/// One line of plain words: nothing in it can begin a heading, a list, a link, code or HTML.
fn plain(value: &str) -> String {
    let is_markup = |c: char| "<>[]{}`|\\*&".contains(c);
    let is_invisible = |c: char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let blanked = |c: char| if c.is_control() || is_markup(c) || is_invisible(c) { ' ' } else { c };
    let text: String = value.chars().map(blanked).collect();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let begins = |c: char| c.is_whitespace() || "#-+=~_:!.".contains(c);
    let short: String = words.trim_start_matches(begins).chars().take(VALUE_CHARS_MAX).collect();
    short.trim_end().to_owned()
}

/// Each entry once, in the order given.
fn entries(value: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let all = value.split([',', ';']).map(plain).filter(|entry| !entry.is_empty());
    all.filter(|entry| seen.insert(entry.to_lowercase())).take(ENTRIES_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, value: &str, expected: &str) {
        let values = BTreeMap::from([("x".to_owned(), value.to_owned())]);
        assert_eq!(fill(template, &values), expected);
    }

    #[test]
    fn r086_values_fill_their_places() {
        check("# {{x}}\nfor {{ x }}, {{y}} {{", "Ledger", "# Ledger\nfor Ledger, {{y}} {{");
        check(
            "a\n- {{each x}}: {{x}}\nb",
            "Order, Invoice; order ,",
            "a\n- Order: Order, Invoice; order ,\n- Invoice: Order, Invoice; order ,\nb",
        );
        check("{{x}}", "", "{{x}}");
        check("{{x}}", " ## ", "{{x}}");
        assert_eq!(
            [" # x", " ## ", "<>\u{200b}"].map(|value| plain(value).is_empty()),
            [false, true, true]
        );
    }

    #[test]
    fn r119_a_value_stays_plain_text() {
        check("{{x}}", "# Heading", "Heading");
        check("{{x}}", "a\n## b\r\n---\nc", "a ## b --- c");
        check(
            "{{x}}",
            "<script>x</script> [l](/etc) `c` {{x}} &lt;",
            "script x /script l (/etc) c x lt;",
        );
        check("{{x}}", "\u{1b}[31mred\u{202e}", "31mred");
        check("- {{each x}}", "- a, > b, [ ] c", "- a- b- c");
        let values = BTreeMap::from([("x".to_owned(), "y".repeat(10_000))]);
        assert_eq!(fill("{{x}}", &values).len(), VALUE_CHARS_MAX);
    }
}
