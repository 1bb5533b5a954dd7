//! Whether what an action is given says enough to start with: documents with more in them than placeholders, and features
//! that planning knows.

use super::ids::{self, Index};
use super::{RepositoryFiles, document, known};
use crate::diagnostic::{Diagnostic, artefact as say};
use tollgate_core::limits::ARTEFACT_BYTES_MAX;

/// A document that says nothing: it is empty, or all of it is placeholders.
pub fn says_nothing(path: &str, bytes: &[u8]) -> Option<Diagnostic> {
    if bytes.trim_ascii().is_empty() {
        return Some(say::empty(path));
    }
    let is_markdown = matches!(super::extension(path), "md" | "markdown");
    let text = std::str::from_utf8(bytes).ok().filter(|_| is_markdown)?;
    if bytes.len() as u64 > ARTEFACT_BYTES_MAX {
        return None;
    }
    let document = document::read(text, path);
    known::first_placeholder(text, &document.body)
        .map(|line| say::only_placeholders(path, line, None))
}

/// The features of planning that these words do not name: by id, or by a part of the name of a file or folder. Several have
/// commas between them.
pub fn unknown_features(words: &str, tree: &dyn RepositoryFiles) -> Vec<Diagnostic> {
    let index = Index::new(tree);
    let files = tree.files_below(ids::FOLDER);
    let asked = words.split(',').map(str::trim).filter(|word| !word.is_empty());
    let is_known = |word: &str| match ids::leading(last_part(word)) {
        // A story makes its feature known.
        Some(id) => {
            index.knows(id)
                || index.known().iter().any(|known| known.starts_with(&format!("{id}-")))
        }
        None => is_named(word, &files),
    };
    let unknown = asked.filter(|word| !is_known(word));
    let features: Vec<&str> =
        index.known().into_iter().filter(|id| id.starts_with('F') && !id.contains('-')).collect();
    unknown.map(|word| say::feature_unknown(ids::FOLDER, word, &features)).collect()
}

/// A feature may be given by the path of its folder or file.
fn last_part(word: &str) -> &str {
    word.trim_end_matches('/').rsplit('/').next().unwrap_or(word)
}

/// `Customer list` names `planning-mds/features/F0003-customer-list/`.
fn is_named(word: &str, files: &[String]) -> bool {
    let slug = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
    };
    let wanted = slug(word);
    let holds = |part: &str| {
        let part = slug(part.strip_suffix(".md").unwrap_or(part));
        format!("-{part}-").contains(&format!("-{wanted}-"))
    };
    let is_below = |path: &&String| {
        ["features/", "stories/"].iter().any(|folder| {
            path.strip_prefix(ids::FOLDER).is_some_and(|rest| rest[1..].starts_with(folder))
        })
    };
    let mut parts = files.iter().filter(is_below).flat_map(|path| path.split('/').skip(2));
    !wanted.is_empty() && parts.any(holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Files(Vec<&'static str>);

    impl RepositoryFiles for Files {
        fn is_file(&self, path: &str) -> bool {
            self.0.contains(&path)
        }

        fn read(&self, path: &str) -> Option<Vec<u8>> {
            self.is_file(path).then(|| b"# x\n\nwords\n".to_vec())
        }

        fn files_below(&self, folder: &str) -> Vec<String> {
            let below = self.0.iter().filter(|path| path.starts_with(&format!("{folder}/")));
            below.map(|path| (*path).to_owned()).collect()
        }
    }

    #[test]
    fn r158_a_document_of_placeholders_says_nothing() {
        for text in ["", " \n", "# Blueprint\n\n## Vision\n\nTODO\n\n## Users\n\n- TBD\n", "...\n"]
        {
            assert!(
                says_nothing("planning-mds/BLUEPRINT.md", text.as_bytes()).is_some(),
                "{text:?}"
            );
        }
        for text in ["# A\n\nTODO\n\nBut this.\n", "# A\n\n## B\n\nTODO\n\n## C\n\n- real\n"] {
            assert_eq!(
                says_nothing("planning-mds/BLUEPRINT.md", text.as_bytes()),
                None,
                "{text:?}"
            );
        }
        assert_eq!(says_nothing("planning-mds/api/x.yaml", b"TODO"), None);
    }

    #[test]
    fn r158_a_feature_is_known_by_its_id_or_its_name() {
        let tree = Files(vec![
            "planning-mds/features/F0001-customer-list/PRD.md",
            "planning-mds/stories/F0002-S0001-undo.md",
            "planning-mds/domain/glossary.md",
        ]);
        for known in [
            "F0001",
            "F0001-customer-list",
            "customer list",
            "undo",
            "F0002-S0001",
            "F0002",
            "planning-mds/features/F0001-customer-list/",
            "F0001, undo",
        ] {
            assert_eq!(unknown_features(known, &tree), [], "{known}");
        }
        for unknown in
            ["F0009", "glossary", "customers", "F0001, F0009", "planning-mds/features/F0009-x"]
        {
            assert_eq!(unknown_features(unknown, &tree).len(), 1, "{unknown}");
        }
    }
}
