//! Reads which actions a README lists: links to `name.md`, and list items and table rows that name such a file.

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
}
