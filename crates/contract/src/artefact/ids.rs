//! Ids of planning: where features, stories, tasks and criteria are defined, and where they are used.

use super::RepositoryFiles;
use super::document::{self, Document};
use crate::node::{Node, read_json, read_yaml_documents};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, Range};

pub(super) const FOLDER: &str = "planning-mds";

/// What all of planning defines.
#[derive(Default)]
pub(super) struct Index {
    defined: BTreeSet<String>,
    /// Files that say of themselves that they are this feature or story.
    claims: BTreeMap<String, Vec<Claim>>,
}

#[derive(Clone)]
pub(super) struct Claim {
    pub path: String,
    pub line: Option<u32>,
}

impl Index {
    pub fn new(tree: &dyn RepositoryFiles) -> Self {
        let mut index = Self::default();
        for path in tree.files_below(FOLDER) {
            index.names(&path);
            if let Some(text) = super::readable(&path, tree) {
                index.file(&path, &text);
            }
        }
        index
    }

    /// Tasks and criteria often live in a session; they are looked for only where planning defines some.
    pub fn knows(&self, id: &str) -> bool {
        let family = family(id);
        let next = self.defined.range::<str, _>((Bound::Included(family), Bound::Unbounded)).next();
        let has_family = next.is_some_and(|known| known.starts_with(family));
        self.defined.contains(id) || (family != "F" && !has_family)
    }

    pub fn claims(&self, id: &str) -> &[Claim] {
        self.claims.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    pub fn known(&self) -> Vec<&str> {
        self.defined.iter().map(String::as_str).collect()
    }

    /// A file or folder named after an id defines it.
    fn names(&mut self, path: &str) {
        self.defined.extend(path.split('/').filter_map(leading).map(str::to_owned));
    }

    fn file(&mut self, path: &str, text: &str) {
        match super::extension(path) {
            "md" | "markdown" => self.markdown(path, &document::read(text, path)),
            "json" => {
                if let Ok(node) = read_json(text) {
                    self.fields(&node);
                }
            }
            "yaml" | "yml" => {
                read_yaml_documents(text).iter().flatten().for_each(|node| self.fields(node));
            }
            _ => {}
        }
    }

    fn markdown(&mut self, path: &str, document: &Document) {
        if let Some((id, line)) = claimed(path, document) {
            self.claims.entry(id.clone()).or_default().push(Claim { path: path.to_owned(), line });
            self.defined.insert(id);
        }
        for heading in &document.body.headings {
            self.defined.extend(found(&heading.title).map(|(id, _)| id.to_owned()));
        }
        // Tasks and criteria are also defined by the entries of lists and tables.
        for line in document.body.prose.lines() {
            let entry =
                line.trim_start_matches(|c: char| c.is_whitespace() || "-*+|[]x_".contains(c));
            let id = leading(entry).filter(|id| family(id) != "F");
            self.defined.extend(id.map(str::to_owned));
        }
    }

    /// Every field `id` of a structured document, however deep.
    fn fields(&mut self, node: &Node) {
        if let Some(id) = node.get("id").and_then(Node::as_text) {
            self.defined.extend(leading(id).filter(|found| *found == id).map(str::to_owned));
        }
        node.entries().iter().for_each(|entry| self.fields(&entry.node));
        node.items().iter().for_each(|item| self.fields(item));
    }
}

/// The feature or story that a file is: by its front matter, else by its name in its folder.
pub(super) fn claimed(path: &str, document: &Document) -> Option<(String, Option<u32>)> {
    let given = document.front.as_ref().and_then(|front| front.get("id"));
    if let Some((node, text)) = given.and_then(|node| Some((node, node.as_text()?))) {
        let id = leading(text).filter(|id| *id == text && family(id) == "F")?;
        return Some((id.to_owned(), node.line));
    }
    let below = path.strip_prefix(FOLDER)?.strip_prefix('/')?;
    let (folder, name) = below.rsplit_once('/')?;
    let id = leading(name).filter(|id| family(id) == "F")?;
    let is_story = id.contains('-');
    let is_claim = match folder.split('/').next().unwrap_or_default() {
        "features" => is_story || folder == "features",
        "stories" => is_story,
        _ => false,
    };
    is_claim.then(|| (id.to_owned(), None))
}

/// The id that a name begins with: `F0001-S0002` of `F0001-S0002-login.md`.
pub(super) fn leading(name: &str) -> Option<&str> {
    let length = length(name)?;
    let is_whole = !name[length..].starts_with(is_word);
    is_whole.then(|| &name[..length])
}

/// Ids in a text that stand for themselves and are not part of a longer word or path.
pub(super) fn found(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    let starts = text.match_indices(['F', 'T', 'A']).map(|(at, _)| at);
    starts.filter_map(|at| {
        let joins_before = |c: char| is_word(c) || "-/.#\\".contains(c);
        let length = length(&text[at..])?;
        let rest = &text[at + length..];
        let goes_on = |rest: &str| {
            let mut chars = rest.chars();
            let first = chars.next().unwrap_or(' ');
            is_word(first) || ("-/.".contains(first) && chars.next().is_some_and(is_word))
        };
        let stands_alone = !text[..at].ends_with(joins_before) && !goes_on(rest);
        stands_alone.then(|| (&text[at..at + length], at..at + length))
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// How long the id is that a text begins with: `F0001`, `F0001-S0001`, `T-001`, `AC-001`.
fn length(text: &str) -> Option<usize> {
    let digits = |from: usize| {
        text.as_bytes()
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    for mark in ["T-", "AC-"] {
        if text.starts_with(mark) {
            let count = digits(mark.len());
            return (3..=6).contains(&count).then_some(mark.len() + count);
        }
    }
    if !text.starts_with('F') || digits(1) != 4 {
        return None;
    }
    let is_story = text[5..].starts_with("-S") && digits(7) == 4;
    Some(if is_story { 11 } else { 5 })
}

/// What ids of one kind begin with.
fn family(id: &str) -> &str {
    ["T-", "AC-"].into_iter().find(|mark| id.starts_with(mark)).unwrap_or("F")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_where_they_stand_alone() {
        let ids = |text: &'static str| found(text).map(|(id, _)| id).collect::<Vec<_>>();
        assert_eq!(
            ids("F0001, (F0001-S0002) and T-001; **AC-012**."),
            ["F0001", "F0001-S0002", "T-001", "AC-012"]
        );
        assert_eq!(ids("F0001. F0002: F0003\u{2014}x"), ["F0001", "F0002", "F0003"]);
        for text in [
            "F001 F00012 F0001x xF0001 F0001-login stories/F0001.md #F0001 T-01 T-1000000 MAC-001 AC-001a",
            "F0001-S01 T-001-b F0001/README v.T-001",
        ] {
            assert_eq!(ids(text), [""; 0], "{text}");
        }
        assert_eq!(leading("F0001-S0001-login.md"), Some("F0001-S0001"));
        assert_eq!(leading("F0001-login"), Some("F0001"));
        assert_eq!(leading("T-001.md"), Some("T-001"));
        assert_eq!(leading("F00011.md"), None);
    }
}
