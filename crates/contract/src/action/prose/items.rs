//! What the lists of a section say about files: what is read, what is left behind, and what of it is needed.

use super::page::{Page, Written};
use super::stage::is_conditional;
use std::ops::Range;

/// Nobody leaves or reads more files than this in one step.
const PATHS_MAX: usize = 200;

/// A path that a list names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub path: String,
    pub line: u32,
    /// It is read or written under a condition only.
    pub is_conditional: bool,
}

#[derive(Debug, Default)]
pub(super) struct Lists {
    pub reads: Vec<Listed>,
    pub makes: Vec<Listed>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Reads,
    Makes,
    Other,
}

/// The lists below labels such as `Read context:` and `Outputs:`.
pub(super) fn labelled(page: &Page<'_>, range: Range<usize>) -> Lists {
    let mut lists = Lists::default();
    let mut open: Option<(Label, usize, bool)> = None;
    for written in page.written(range) {
        if written.text.is_empty() {
            continue;
        }
        if let Some((label, rest)) = label(written.text) {
            open = Some((label, written.indent, written.is_item));
            lists.take(page, label, &Written { text: rest, ..written });
            continue;
        }
        let Some((label, indent, is_item)) = open else { continue };
        let is_inside = written.indent > indent || (written.is_item && !is_item);
        if !is_inside {
            open = None;
        } else if written.is_item {
            lists.take(page, label, &written);
        }
    }
    lists
}

impl Lists {
    fn take(&mut self, page: &Page<'_>, label: Label, item: &Written<'_>) {
        let list = match label {
            Label::Reads => &mut self.reads,
            Label::Makes => &mut self.makes,
            Label::Other => return,
        };
        if list.len() < PATHS_MAX {
            add(list, paths_of(page, item));
        }
    }
}

/// Each path once.
pub(super) fn add(list: &mut Vec<Listed>, more: impl IntoIterator<Item = Listed>) {
    for listed in more {
        if !list.iter().any(|known| known.path == listed.path) {
            list.push(listed);
        }
    }
}

/// `**Outputs:** rest`, `Read context:`. The label, and what follows it on the line.
fn label(text: &str) -> Option<(Label, &str)> {
    let is_bold = text.starts_with("**");
    let (name, rest) = match is_bold {
        true => text[2..].split_once("**")?,
        false => (text.strip_suffix(':')?, ""),
    };
    let has_colon = !is_bold || name.ends_with(':') || rest.trim_start().starts_with(':');
    if !has_colon || name.contains('`') {
        return None;
    }
    let words = super::names::words_of(name);
    let first = words.first().map(String::as_str).unwrap_or_default();
    let names_output = words.iter().any(|word| {
        matches!(word.as_str(), "output" | "outputs" | "deliverable" | "deliverables" | "artifacts")
    });
    let label = match first {
        "read" | "reads" => Label::Reads,
        "validate" | "present" | "review" | "check" => Label::Other,
        _ if names_output => Label::Makes,
        _ => Label::Other,
    };
    Some((label, rest))
}

/// The paths of a list item. What is in brackets behind it tells of a template or an example.
pub(super) fn paths_of(page: &Page<'_>, item: &Written<'_>) -> Vec<Listed> {
    let is_conditional = is_conditional(item.text);
    let plain = without_brackets(item.text);
    let paths = code_in(&plain).into_iter().filter_map(|word| path(page, word));
    paths.map(|path| Listed { path, line: item.line, is_conditional }).collect()
}

/// Files that are named without being marked as code, where the file names them whole elsewhere.
pub(super) fn named_files(page: &Page<'_>, item: &Written<'_>) -> Vec<Listed> {
    let is_conditional = is_conditional(item.text);
    let words = item.text.split(|c: char| c.is_whitespace() || "(),;`".contains(c));
    let files = words.filter(|word| is_file_name(word));
    let whole = files.filter_map(|word| whole_path(page, word));
    whole.map(|path| Listed { path, line: item.line, is_conditional }).collect()
}

/// What stands between backticks.
pub(super) fn code_in(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|word| !word.is_empty()).collect()
}

fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

/// The path that a word of code means: whole where the file names it whole elsewhere, and up to the first part that
/// stands for many.
fn path(page: &Page<'_>, word: &str) -> Option<String> {
    if word.contains(char::is_whitespace) || word.starts_with('/') || word.contains("://") {
        return None;
    }
    if !word.contains('/') {
        let plain = is_file_name(word) && !stands_for_many(word);
        return plain.then(|| whole_path(page, word).unwrap_or_else(|| word.to_owned()));
    }
    let mut path = String::new();
    let parts: Vec<&str> = word.split('/').collect();
    for (at, part) in parts.iter().enumerate() {
        if stands_for_many(part) {
            break;
        }
        path.push_str(part);
        if at + 1 < parts.len() {
            path.push('/');
        }
    }
    let is_usable = path.len() > 1 && tollgate_judge::globs::is_inside(&path);
    is_usable.then_some(path)
}

fn stands_for_many(part: &str) -> bool {
    part.contains(['{', '}', '*', '<', '>', '[', ']', '?', '$'])
        || part.contains("YYYY")
        || part.contains("NNN")
        || part.contains("...")
}

fn is_file_name(word: &str) -> bool {
    let Some((stem, extension)) = word.rsplit_once('.') else { return false };
    let is_extension = |text: &str| {
        (1..=7).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    let is_stem = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    is_extension(extension)
        && stem.chars().all(is_stem)
        && !extension.starts_with(|c: char| c.is_ascii_digit())
}

/// The one path with folders that ends in this name.
fn whole_path(page: &Page<'_>, name: &str) -> Option<String> {
    let is_it = |path: &&str| path.rsplit('/').next() == Some(name) && !stands_for_many(path);
    let is_of_agents = |path: &&str| path.starts_with("agents/") || path.starts_with("./");
    let mut found: Vec<&str> =
        page.paths().into_iter().filter(is_it).filter(|path| !is_of_agents(path)).collect();
    found.sort_unstable();
    found.dedup();
    match found.as_slice() {
        [only] => path(page, only),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(lists: &[Listed]) -> Vec<(&str, u32, bool)> {
        lists.iter().map(|one| (one.path.as_str(), one.line, one.is_conditional)).collect()
    }

    #[test]
    fn r147_lists_below_labels_name_what_is_read_and_left() {
        let text = "1. **Read context:**\n   - `plan/all.md` (see `other/x.md`)\n   - `plan/more/` (if it exists)\n\
                    2. **Do it:**\n   - `not/this.md`\n3. **Outputs (here):**\n   - `out/F{NNNN}-{slug}/x.md`, `all.md`\n\
                    \x20  - words\n\n**Later Outputs:**\n- `compose.yml`\n- **Output:** `deep/page.md`\n\n**Validate outputs:**\n- `no.md`\n";
        let page = Page::of(text);
        let lists = labelled(&page, 0..15);
        assert_eq!(paths(&lists.reads), [("plan/all.md", 2, false), ("plan/more/", 3, true)]);
        assert_eq!(
            paths(&lists.makes),
            [
                ("out/", 7, false),
                ("plan/all.md", 7, false),
                ("compose.yml", 11, false),
                ("deep/page.md", 12, false)
            ]
        );
    }

    #[test]
    fn words_that_are_no_paths_are_left_alone() {
        let page = Page::of("`docs/a.md`");
        for word in [
            "docker-compose up",
            "/api/{id}",
            "https://x.y/z",
            "*.md",
            "Some.Method",
            "v1.2",
            "../x.md",
        ] {
            assert_eq!(path(&page, word), None, "{word}");
        }
        assert_eq!(path(&page, ".env.example").as_deref(), Some(".env.example"));
        assert_eq!(path(&page, "a.md").as_deref(), Some("docs/a.md"));
    }
}
