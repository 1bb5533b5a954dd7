//! What a Markdown document points to: files, headings and ids must be there.

use super::document::{self, Document};
use super::ids::{self, FOLDER, Index};
use super::target::{Target, joined, resolve};
use super::{RepositoryFiles, exists, extension, readable, slug};
use crate::diagnostic::{Report, artefact as say};
use crate::markdown::{Link, Markdown};
use crate::node::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub(super) fn check(
    path: &str,
    document: &Document,
    tree: &dyn RepositoryFiles,
    index: &Index,
    report: &mut Report,
) {
    let mut checker = Checker {
        path,
        document: &document.body,
        tree,
        existing: BTreeMap::new(),
        anchors: BTreeMap::new(),
        names: BTreeMap::new(),
    };
    for link in &document.body.links {
        if report.is_full() {
            return;
        }
        checker.link(link, report);
    }
    for (label, line) in &document.body.undefined {
        report.push(say::link_label(path, *line, label));
    }
    if let Some(front) = &document.front {
        checker.fields(front, "", report);
    }
    if path.starts_with(FOLDER) {
        let mut uses = used(document);
        uses.retain(|(id, _)| !index.knows(id));
        for (id, line) in uses {
            report.push(say::id_undefined(path, Some(line), &id, &index.known()));
        }
        twice(path, document, index, report);
    }
}

struct Checker<'a> {
    path: &'a str,
    document: &'a Markdown,
    tree: &'a dyn RepositoryFiles,
    /// What was looked up already.
    existing: BTreeMap<String, bool>,
    anchors: BTreeMap<String, Option<BTreeSet<String>>>,
    names: BTreeMap<String, Vec<String>>,
}

impl Checker<'_> {
    fn link(&mut self, link: &Link, report: &mut Report) {
        if link.target.trim().is_empty() {
            report.push(say::link_empty(self.path, link.line));
            return;
        }
        match resolve(self.path, &link.target) {
            Target::External => {}
            Target::Refused(cause) => {
                report.push(say::link_refused(self.path, Some(link.line), &link.target, cause));
            }
            Target::Path { path, anchor } => {
                if !self.exists(&path) {
                    self.broken(Some(link.line), &link.target, &path, report);
                } else if let Some(anchor) = anchor {
                    self.anchor(link.line, &path, &anchor, report);
                }
            }
        }
    }

    fn exists(&mut self, path: &str) -> bool {
        if path == self.path {
            return true;
        }
        let tree = self.tree;
        *self.existing.entry(path.to_owned()).or_insert_with(|| exists(tree, path))
    }

    fn broken(&mut self, line: Option<u32>, written: &str, path: &str, report: &mut Report) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let tree = self.tree;
        let beside = self.names.entry(folder.to_owned()).or_insert_with(|| names_in(folder, tree));
        let near = crate::nearest::nearest(name, beside.iter().map(String::as_str));
        report.push(say::link_broken(self.path, line, written, path, near));
    }

    /// Only headings of Markdown files are known.
    fn anchor(&mut self, line: u32, path: &str, anchor: &str, report: &mut Report) {
        if !matches!(extension(path), "md" | "markdown") {
            return;
        }
        let (own, tree, document) = (self.path, self.tree, self.document);
        let anchors = self.anchors.entry(path.to_owned()).or_insert_with(|| {
            if path == own {
                return Some(slug::anchors(document));
            }
            readable(path, tree).map(|text| slug::anchors(&document::read(&text, path).body))
        });
        let Some(anchors) = anchors else { return };
        let wanted = anchor.to_lowercase();
        let wanted = wanted.strip_prefix("user-content-").unwrap_or(&wanted);
        if !anchors.contains(wanted) {
            let known: Vec<&str> = anchors.iter().map(String::as_str).collect();
            report.push(say::link_anchor(self.path, line, path, anchor, &known));
        }
    }

    /// Paths in the front matter, in those fields that name what is there; others name what shall be.
    fn fields(&mut self, node: &Node, key: &str, report: &mut Report) {
        for entry in node.entries() {
            let key = if PATH_FIELDS.contains(&key) { key } else { &entry.key };
            self.fields(&entry.node, key, report);
        }
        for item in node.items() {
            self.fields(item, key, report);
        }
        let Some(text) = node.as_text().filter(|text| is_path(key, text)) else { return };
        let from_root = match resolve("", text) {
            Target::External => return,
            Target::Refused(cause) => {
                report.push(say::link_refused(self.path, node.line, text, cause));
                return;
            }
            Target::Path { path, .. } => path,
        };
        let beside = joined(self.path, text.split('#').next().unwrap_or_default());
        let is_there = self.exists(&from_root) || beside.is_some_and(|path| self.exists(&path));
        if !is_there {
            self.broken(node.line, text, &from_root, report);
        }
    }
}

/// The files of one folder. The root may be the top of a very large tree, and is not walked for a hint.
fn names_in(folder: &str, tree: &dyn RepositoryFiles) -> Vec<String> {
    if folder.is_empty() {
        return Vec::new();
    }
    let files = tree.files_below(folder);
    let names = files.iter().filter_map(|path| path.strip_prefix(folder)?.strip_prefix('/'));
    names.filter(|name| !name.contains('/')).map(str::to_owned).collect()
}

/// Fields of front matter that hold paths, also deeper down.
const PATH_FIELDS: [&str; 8] =
    ["file", "files", "link", "links", "reference", "references", "evidence", "sources"];

fn is_path(key: &str, text: &str) -> bool {
    let is_one_word = !text.is_empty() && !text.contains(char::is_whitespace);
    let is_pattern = text.contains(['*', '?', '{', '<']);
    PATH_FIELDS.contains(&key) && text.contains(['/', '.']) && is_one_word && !is_pattern
}

/// Every id the document names, once for each line. Targets and addresses are no words of the text.
fn used(document: &Document) -> BTreeSet<(String, u32)> {
    let body = &document.body;
    let mut hidden: Vec<Range<usize>> = body.links.iter().map(|link| link.place.clone()).collect();
    hidden.extend(addresses(&body.prose));
    hidden.sort_by_key(|range| range.start);
    let is_hidden = |place: &Range<usize>| {
        let after = hidden.partition_point(|range| range.start <= place.start);
        hidden[..after].last().is_some_and(|range| place.start < range.end)
    };
    let told = ids::found(&body.prose).filter(|(_, place)| !is_hidden(place));
    let mut used: BTreeSet<(String, u32)> =
        told.map(|(id, place)| (id.to_owned(), body.line_at(place.start))).collect();
    let code = body.code_words.iter().filter(|(code, _)| ids::leading(code) == Some(code));
    used.extend(code.cloned());
    if let Some(front) = &document.front {
        in_fields(front, &mut used);
    }
    used
}

/// Addresses of the network that are in the text as they are.
fn addresses(prose: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    prose.match_indices("://").filter_map(move |(at, _)| {
        if at < end {
            return None;
        }
        let before = &prose[end..at];
        let scheme =
            before.len() - before.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
        end = at + prose[at..].find(char::is_whitespace).unwrap_or(prose.len() - at);
        (scheme > 0).then(|| at - scheme..end)
    })
}

fn in_fields(node: &Node, used: &mut BTreeSet<(String, u32)>) {
    for entry in node.entries().iter().filter(|entry| entry.key != "id") {
        in_fields(&entry.node, used);
    }
    node.items().iter().for_each(|item| in_fields(item, used));
    let ids = node.as_text().into_iter().flat_map(ids::found);
    used.extend(ids.map(|(id, _)| (id.to_owned(), node.line.unwrap_or(1))));
}

/// The document is a feature or story that an earlier file is already, or introduces one twice.
fn twice(path: &str, document: &Document, index: &Index, report: &mut Report) {
    if let Some((id, line)) = ids::claimed(path, document)
        && let Some(first) = index.claims(&id).first().filter(|first| first.path != path)
    {
        let other = match first.line {
            Some(line) => format!("{}:{line}", first.path),
            None => first.path.clone(),
        };
        report.push(say::id_twice(path, line, &id, &other));
    }
    let mut introduced: BTreeMap<(&str, usize), u32> = BTreeMap::new();
    for heading in &document.body.headings {
        let Some(id) = ids::leading(&heading.title) else { continue };
        let rest = heading.title[id.len()..].trim_start();
        let introduces = rest.is_empty() || rest.starts_with([':', '-', '–', '—']);
        if !introduces || !index.claims(id).is_empty() {
            continue;
        }
        if let Some(first) = introduced.insert((id, heading.level), heading.line) {
            let other = format!("{path}:{first}");
            report.push(say::id_twice(path, Some(heading.line), id, &other));
        }
    }
}
