//! From the folder of a test to the folders of what it may test.

use super::language::{Id, KINDS, Language, PROJECT_SUFFIXES};

/// A folder in which the tested file may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    /// One part may be `*` when it is loose.
    pub parts: Vec<String>,
    /// The test is in a folder of tests.
    pub is_apart: bool,
    pub is_loose: bool,
}

/// Every folder that the tests of `folder` may be about, itself first.
pub(super) fn tested_folders(language: &Language, folder: &[&str]) -> Vec<Folder> {
    let mut found = vec![Folder { parts: owned(folder), is_apart: false, is_loose: false }];
    add_places(language, &owned(folder), &mut found);
    if language.id == Id::CSharp {
        for (at, part) in folder.iter().enumerate() {
            for project in PROJECT_SUFFIXES.iter().filter_map(|end| part.strip_suffix(end)) {
                let mut renamed = owned(folder);
                renamed[at] = project.to_owned();
                for parts in with_and_without_kind(&renamed, at + 1) {
                    found.push(Folder { parts: parts.clone(), is_apart: true, is_loose: false });
                    add_places(language, &parts, &mut found);
                }
            }
        }
    }
    found
}

fn add_places(language: &Language, folder: &[String], found: &mut Vec<Folder>) {
    for place in language.places {
        for tests in place.tests {
            let tests: Vec<&str> = tests.split('/').collect();
            for at in 0..folder.len() {
                if !starts_with(&folder[at..], &tests) {
                    continue;
                }
                for mirror in with_and_without_kind(&folder[at + tests.len()..], 0) {
                    let tight = place.sources.iter().map(|source| (source, false));
                    let loose = place.loose_sources.iter().map(|source| (source, true));
                    for (source, is_loose) in tight.chain(loose) {
                        add(language, &folder[..at], source, &mirror, is_loose, found);
                    }
                }
            }
        }
    }
}

fn add(
    language: &Language,
    before: &[String],
    source: &str,
    mirror: &[String],
    is_loose: bool,
    found: &mut Vec<Folder>,
) {
    let source = source.split('/').filter(|part| !part.is_empty()).map(str::to_owned);
    let head: Vec<String> = before.iter().cloned().chain(source).collect();
    let mut push = |mirror: Vec<String>| {
        let parts = [head.as_slice(), &mirror].concat();
        found.push(Folder { parts, is_apart: true, is_loose });
    };
    push(mirror.to_vec());
    let is_marked = |part: &String| part.starts_with("test_");
    if language.id == Id::Python && mirror.iter().any(is_marked) {
        let bare = |part: &String| part.strip_prefix("test_").unwrap_or(part).to_owned();
        push(mirror.iter().map(bare).collect());
    }
}

fn with_and_without_kind(folder: &[String], at: usize) -> Vec<Vec<String>> {
    let mut both = vec![folder.to_vec()];
    if folder.get(at).is_some_and(|part| KINDS.contains(&part.as_str())) {
        both.push([&folder[..at], &folder[at + 1..]].concat());
    }
    both
}

fn starts_with(folder: &[String], tests: &[&str]) -> bool {
    folder.len() >= tests.len() && folder.iter().zip(tests).all(|(part, test)| part == test)
}

fn owned(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|part| (*part).to_owned()).collect()
}
