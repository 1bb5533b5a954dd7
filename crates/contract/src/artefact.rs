//! Checks the documents that an action produces: that they are well formed and complete, and that what
//! they point to exists.

mod data;
mod document;
mod ids;
mod known;
mod ready;
mod references;
mod slug;
mod target;

use crate::diagnostic::{Report, artefact as say, shape as words};
use ids::Index;
pub(crate) use known::is_stand_in;
pub use ready::{says_nothing, unknown_features};
use tollgate_core::limits::ARTEFACT_BYTES_MAX;

/// The files of a repository, by paths from its root with `/` between their parts.
pub trait RepositoryFiles {
    fn is_file(&self, path: &str) -> bool;
    fn read(&self, path: &str) -> Option<Vec<u8>>;
    /// Every file at any depth; the folder has no `/` at its end, and "" is the root.
    fn files_below(&self, folder: &str) -> Vec<String>;
}

/// One declared output, as it will stand at `path` of the tree.
pub fn check(path: &str, bytes: &[u8], tree: &dyn RepositoryFiles) -> Report {
    check_outputs(&[(path, bytes)], tree)
}

/// Several outputs of one step; they may refer to each other.
pub fn check_outputs(outputs: &[(&str, &[u8])], tree: &dyn RepositoryFiles) -> Report {
    let tree = Overlay { outputs, tree };
    let index = Index::new(&tree);
    let mut report = Report::default();
    for (path, bytes) in outputs {
        check_file(path, bytes, &tree, &index, &mut report);
    }
    report
}

/// All of planning, as it is in the tree.
pub fn check_planning(tree: &dyn RepositoryFiles) -> Report {
    let index = Index::new(tree);
    let mut report = Report::default();
    let mut paths = tree.files_below(ids::FOLDER);
    paths.sort();
    if paths.is_empty() {
        report.push(say::no_planning());
    }
    for path in paths {
        if report.is_full() {
            break;
        }
        if let Some(bytes) = tree.read(&path) {
            check_file(&path, &bytes, tree, &index, &mut report);
        }
    }
    report
}

fn check_file(
    path: &str,
    bytes: &[u8],
    tree: &dyn RepositoryFiles,
    index: &Index,
    report: &mut Report,
) {
    if bytes.trim_ascii().is_empty() {
        report.push(say::empty(path));
        return;
    }
    let extension = extension(path);
    if !matches!(extension, "md" | "markdown" | "json" | "yaml" | "yml") {
        return;
    }
    if bytes.len() as u64 > ARTEFACT_BYTES_MAX {
        report.push(say::too_large(path, bytes.len(), ARTEFACT_BYTES_MAX));
        return;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            report.push(words::not_utf8(path, error.valid_up_to()));
            return;
        }
    };
    let mut found = Report::default();
    match extension {
        "json" => data::json(path, text, tree, &mut found),
        "yaml" | "yml" => data::yaml(path, text, tree, &mut found),
        _ => check_markdown(path, text, tree, index, &mut found),
    }
    found.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    report.extend(found.diagnostics);
}

fn check_markdown(
    path: &str,
    text: &str,
    tree: &dyn RepositoryFiles,
    index: &Index,
    report: &mut Report,
) {
    let document = document::read(text, path);
    report.extend(document.faults.iter().cloned());
    known::check(path, text, &document.body, report);
    references::check(path, &document, tree, index, report);
}

/// In small letters only: `README.MD` is nothing that tools take for Markdown.
fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// The text of a file, unless it is too large or no text.
fn readable(path: &str, tree: &dyn RepositoryFiles) -> Option<String> {
    let bytes = tree.read(path).filter(|bytes| bytes.len() as u64 <= ARTEFACT_BYTES_MAX)?;
    String::from_utf8(bytes).ok()
}

/// A file, or a folder with something in it. The root always exists.
fn exists(tree: &dyn RepositoryFiles, path: &str) -> bool {
    path.is_empty() || tree.is_file(path) || !tree.files_below(path).is_empty()
}

/// The tree as it will be with the outputs in it.
struct Overlay<'a> {
    outputs: &'a [(&'a str, &'a [u8])],
    tree: &'a dyn RepositoryFiles,
}

impl RepositoryFiles for Overlay<'_> {
    fn is_file(&self, path: &str) -> bool {
        self.outputs.iter().any(|(output, _)| *output == path) || self.tree.is_file(path)
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        match self.outputs.iter().find(|(output, _)| *output == path) {
            Some((_, bytes)) => Some(bytes.to_vec()),
            None => self.tree.read(path),
        }
    }

    fn files_below(&self, folder: &str) -> Vec<String> {
        let mut files = self.tree.files_below(folder);
        let is_below = |path: &str| {
            folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let outputs = self.outputs.iter().map(|(path, _)| *path).filter(|path| is_below(path));
        files.extend(outputs.map(str::to_owned));
        files.sort();
        files.dedup();
        files
    }
}

#[cfg(test)]
mod tests;
