//! Lists as people write them: items over several lines, paths in backticks or bare, remarks after them.

use super::outline::Line;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub line: u32,
    /// Columns before the mark.
    pub indent: usize,
    /// Without the mark; lines that go on are joined with a space.
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

/// What stands after `-`, `*`, `+`, `1.` or `1)`.
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
    if text.starts_with('`') {
        return in_backticks(text);
    }
    const ENDS: [&str; 6] = [" (", " — ", " – ", " - ", " # ", ": "];
    let cut = ENDS.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    let (path, remark) = text.split_at(cut);
    let is_plain = !path.is_empty() && !path.contains(char::is_whitespace) && !path.contains('`');
    let path = path.strip_suffix([',', ';']).unwrap_or(path);
    is_plain.then(|| (vec![path.to_owned()], remark.trim()))
}

/// "`a`, `b` and `c` (remark)".
fn in_backticks(text: &str) -> Option<(Vec<String>, &str)> {
    let mut paths = Vec::new();
    let mut rest = text;
    while let Some(inner) = rest.strip_prefix('`') {
        let (path, after) = inner.split_once('`')?;
        if path.trim().is_empty() {
            return None;
        }
        paths.push(path.trim().to_owned());
        rest = after;
        let next = after.trim_start();
        let next = next.strip_prefix(',').unwrap_or(next).trim_start();
        let next = next.strip_prefix("and ").unwrap_or(next).trim_start();
        if next.starts_with('`') {
            rest = next;
        }
    }
    Some((paths, rest.trim()))
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
    matches!(plain.as_str(), "" | "none" | "nothing" | "n/a" | "na")
        || plain.starts_with("none ")
        || plain.starts_with("none,")
        || plain.starts_with("none.")
        || plain.starts_with("nothing ")
}
