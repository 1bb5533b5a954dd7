//! Reads which actions a README lists: links to `name.md`, and list items and table rows that name such a file.

use crate::markdown::{Line, Markdown};

const FOLDER: &str = "agents/actions/";

/// The names in the order they are first listed. Code blocks are examples and list nothing.
pub fn listed(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => {
                for name in names_in(trimmed) {
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
            _ => {}
        }
    }
    names
}

/// Those of the names that a README puts into a heading, at the beginning of a list item, or into a cell of a table.
pub fn mentioned<'n>(text: &str, names: &'n [String]) -> Vec<&'n str> {
    let markdown = Markdown::of(text);
    let mut places: Vec<String> =
        markdown.headings.iter().map(|heading| plain(&heading.text)).collect();
    for (line, kind) in text.lines().zip(&markdown.lines) {
        let line = line.trim_start();
        match kind {
            Line::Text if line.starts_with('|') => places.extend(line.split('|').map(plain)),
            Line::Text if is_list_item(line) => {
                let item = line.trim_start_matches(|c: char| !c.is_alphabetic());
                places
                    .push(plain(item.split([':', ']', '*', '`', ' ']).next().unwrap_or_default()));
            }
            _ => {}
        }
    }
    let is_mentioned = |name: &&String| places.iter().any(|place| place == *name);
    names.iter().filter(is_mentioned).map(String::as_str).collect()
}

/// `**Build** action` and `Action: build` are `build`.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
    let words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
    words.filter(|word| word != "action").collect::<Vec<_>>().join(" ")
}

fn names_in(line: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let is_entry = is_list_item(line) || line.starts_with('|');
    let mut names = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(is_part) {
        let is_link = rest[..start].ends_with("](") || rest[..start].ends_with("](<");
        let from = &rest[start..];
        let end = from.find(|c: char| !is_part(c)).unwrap_or(from.len());
        // A file at the end of a sentence has a dot behind it.
        let name = action_name(from[..end].trim_end_matches('.'));
        names.extend(name.filter(|_| is_link || is_entry));
        rest = &from[end..];
    }
    names
}

fn is_list_item(line: &str) -> bool {
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = after_number.len() < line.len() && after_number.starts_with(['.', ')']);
    is_numbered || line.starts_with(['-', '*', '+'])
}

/// Files in capitals, such as README.md, are for people and no actions.
fn action_name(path: &str) -> Option<&str> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let name = path.strip_prefix(FOLDER).unwrap_or(path).strip_suffix(".md")?;
    let is_name = !name.contains(['/', '.']) && name.bytes().any(|b| b.is_ascii_lowercase());
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r056_a_readme_lists_actions_in_several_ways() {
        let text = "# Actions\n\nSee [quick-fix](quick-fix.md), and deploy.md for later.\n\n\
                    - [release](./release.md): ships it\n- `triage.md`, sorts issues\n* **tidy.md**\n1. first.md.\n\
                    | action | file |\n|---|---|\n| port | agents/actions/port.md |\n\n\
                    - see README.md, CHANGELOG.md, ../docs/guide.md and docs/other.md\n- <action>.md\n- [release](release.md) again\n\
                    ```\n- example.md\n```\n- [angle](<angle.md>)\n";
        assert_eq!(
            listed(text),
            ["quick-fix", "release", "triage", "tidy", "first", "port", "angle"]
        );
        assert!(listed("").is_empty());
        assert!(listed("plain words about review.md").is_empty());
    }

    #[test]
    fn r147_a_readme_mentions_actions_in_headings_lists_and_tables() {
        let names = ["build", "plan", "ship-it", "test", "review", "other"].map(str::to_owned);
        let text = "# Actions\n\n## Action: Build\n\n| Action | Does |\n|---|---|\n| `plan` | plans other things |\n\n\
                    - **ship-it**: ships\n* test the rest\n\nPlain words about other.\n```\n- review\n```\n";
        assert_eq!(mentioned(text, &names), ["build", "plan", "ship-it", "test"]);
    }
}
