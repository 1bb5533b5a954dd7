//! Sorts changed files by the scope of a work item: the five rules, over what really changed.

mod beside;
mod corrections;
mod declared;
mod entry;
mod language;
mod measure;
mod overlap;
mod pattern;
mod place;
mod reason;
mod told;

pub use corrections::corrections_in;
pub use measure::{INCIDENTAL_LINES_MAX, Measure};
pub use overlap::{Effort, Reach, may_overlap};

use crate::globs::is_protected;
use beside::Subjects;
use declared::Declared;
use entry::{Listed, Standing};
pub use entry::{entry_of, plain_path};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
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
    /// Lines of a file that a change declared incidental may change; none is the usual number.
    pub incidental_lines_max: Option<u32>,
}

/// A change outside the scope that the work could not do without. Empty texts count as missing, yet read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Incidental {
    pub path: String,
    #[serde(default)]
    pub reason: String,
    #[serde(default)]
    pub behaviour_preserving: bool,
    #[serde(default)]
    pub motivated_by: String,
    #[serde(default)]
    pub narrow: bool,
}

/// The work item names one file and the code shows another. Empty texts count as missing, yet read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScopeCorrection {
    #[serde(default)]
    pub listed: String,
    #[serde(default)]
    pub actual: String,
    #[serde(default)]
    pub reason: String,
}

/// What one changed file counts as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopedFile {
    pub path: String,
    pub change_type: ChangeType,
    pub class: ScopeClass,
    pub reason: Option<String>,
    /// The agent spoke of it itself, in its summary or a declaration; what is primary or a test needs no word.
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
    /// How much of it changed; none where nobody looked.
    pub measure: Option<Measure>,
}

impl From<FileChange> for ChangedFile {
    fn from(change: FileChange) -> Self {
        Self { change, is_link_out: false, is_submodule: false, measure: None }
    }
}

/// One entry per changed name, in the order given; a rename is two names.
pub fn sort(rules: &ScopeRules, changes: &[FileChange]) -> Vec<ScopedFile> {
    let found: Vec<ChangedFile> = changes.iter().cloned().map(ChangedFile::from).collect();
    sort_found(rules, &found)
}

/// The same, where links and submodules are known.
pub fn sort_found(rules: &ScopeRules, changes: &[ChangedFile]) -> Vec<ScopedFile> {
    let names: Vec<Name<'_>> = changes.iter().flat_map(names).collect();
    let changed: Vec<&str> = names.iter().map(|name| name.plain).collect();
    let scope = Effective::new(rules, &changed);
    let own: Vec<Option<ScopeClass>> = names.iter().map(|name| scope.class_of(name)).collect();
    // Only what is in scope by itself may be the motive of something that is not.
    let motives: BTreeSet<&str> = (names.iter().zip(&own))
        .filter(|(_, class)| class.is_some())
        .map(|(name, _)| name.plain)
        .collect();
    let declared = Declared::new(rules, &scope, &motives, &changed);
    let lines_max = rules.incidental_lines_max.unwrap_or(INCIDENTAL_LINES_MAX);
    let told = told::Told::new(rules, names.iter().map(|name| name.plain));
    let sorted = |(name, class): (&Name<'_>, Option<ScopeClass>)| {
        let (class, reason, is_declared) = match class {
            Some(class) => (class, scope.reason_in(class, name, &declared), false),
            None => outside(&scope, &declared, name, lines_max),
        };
        // What is in scope by itself needs no word.
        let needs_no_word = matches!(class, ScopeClass::Primary | ScopeClass::Test);
        let is_told = needs_no_word || is_declared || told.mentions(name.plain);
        let reason = match class {
            ScopeClass::Authorized if !is_told => Some(told::UNTOLD.to_owned()),
            _ => reason,
        };
        let (path, change_type) = (name.path.to_owned(), name.change_type);
        ScopedFile { path, change_type, class, reason, is_told }
    };
    names.iter().zip(own).map(sorted).collect()
}

/// A file that no list covers: declared, or a violation with its reason. The last part: a declaration speaks of it.
fn outside(
    scope: &Effective,
    declared: &Declared<'_>,
    name: &Name<'_>,
    lines_max: u32,
) -> (ScopeClass, Option<String>, bool) {
    if let Some(why) = name.refused() {
        return (ScopeClass::Violation, Some(why), false);
    }
    match declared.verdict(name.plain) {
        Some(Ok(reason)) => {
            // What was said about it is held against what was done.
            let faults = name.measure.map(|measure| measure.faults(lines_max)).unwrap_or_default();
            match faults.is_empty() {
                true => (ScopeClass::Incidental, Some(reason.to_owned()), true),
                false => {
                    let why = format!("declared incidental, but {}", faults.join(", and "));
                    (ScopeClass::Violation, Some(why), true)
                }
            }
        }
        Some(Err(why)) => (ScopeClass::Violation, Some(why), true),
        None => (ScopeClass::Violation, Some(scope.reason_outside(name)), false),
    }
}

/// One name that a change touches.
#[derive(Debug)]
struct Name<'a> {
    path: &'a str,
    /// As it is compared: without `./`.
    plain: &'a str,
    change_type: ChangeType,
    is_link_out: bool,
    is_submodule: bool,
    measure: Option<&'a Measure>,
}

fn names(file: &ChangedFile) -> Vec<Name<'_>> {
    let change = &file.change;
    let new = Name::new(&change.path, change.change_type, file);
    let old = change
        .old_path
        .iter()
        .map(|old| Name::new(old, ChangeType::Deleted, file))
        // What is known about the file is about its new name.
        .map(|old| Name { is_link_out: false, measure: None, ..old });
    std::iter::once(new).chain(old).collect()
}

impl<'a> Name<'a> {
    fn new(path: &'a str, change_type: ChangeType, file: &'a ChangedFile) -> Self {
        let (is_link_out, is_submodule) = (file.is_link_out, file.is_submodule);
        let plain = path.strip_prefix("./").unwrap_or(path);
        // git ends the name of an untracked repository so.
        let plain = plain.strip_suffix('/').filter(|_| is_submodule).unwrap_or(plain);
        let measure = file.measure.as_ref();
        Self { path, plain, change_type, is_link_out, is_submodule, measure }
    }

    /// Why no list and no declaration can bring it into scope.
    fn refused(&self) -> Option<String> {
        if !is_plain(self.plain) {
            return Some(
                "no agent may change this file: it is not a plain path inside the repository"
                    .to_owned(),
            );
        }
        if is_protected(self.plain, None) {
            return Some("no agent may change this file".to_owned());
        }
        self.is_link_out.then(|| "the link points outside the repository".to_owned())
    }
}

/// A path as git writes it: relative, without `.`, `..`, empty parts and control characters.
pub fn is_plain(path: &str) -> bool {
    let is_drive = |part: &str| part.len() == 2 && part.ends_with(':');
    !path.chars().any(char::is_control)
        && !path.starts_with('\\')
        && !path.split('/').any(|part| matches!(part, "" | "." | ".."))
        && !path.split(['/', '\\']).next().is_some_and(is_drive)
}

/// What is in scope without a declaration of the agent's, apart from corrections.
#[derive(Debug)]
struct Effective {
    listed: Listed,
    corrected: BTreeSet<String>,
    authorized: BTreeSet<String>,
    subjects: Subjects,
}

impl Effective {
    fn new(rules: &ScopeRules, changed: &[&str]) -> Self {
        let listed = Listed::new(&rules.in_scope, &rules.out_of_scope);
        let corrections = declared::corrections(&rules.corrections, &listed, changed);
        let is_sound = |(_, missing): &(&ScopeCorrection, Vec<String>)| missing.is_empty();
        let sound = corrections.into_iter().filter(is_sound);
        let corrected = sound.map(|(correction, _)| plain_path(&correction.actual)).collect();
        let named = rules.authorized.iter().map(|path| plain_path(path));
        let authorized = named.filter(|path| !path.is_empty()).collect();
        let subjects = Subjects::new(listed.paths().chain(&corrected).chain(&authorized));
        Self { listed, corrected, authorized, subjects }
    }

    /// The class of a file that is in scope by itself.
    fn class_of(&self, name: &Name<'_>) -> Option<ScopeClass> {
        let path = name.plain;
        if name.refused().is_some() {
            return None;
        }
        // A whole repository is not what a pattern means.
        let is_listed = match self.listed.standing(path) {
            Standing::Out(_) => false,
            _ if name.is_submodule => self.listed.names(path),
            standing => matches!(standing, Standing::In),
        };
        if is_listed {
            return Some(ScopeClass::Primary);
        }
        let is_test = || !name.is_submodule && self.is_test(path);
        if !self.listed.excludes(path) && is_test() {
            return Some(ScopeClass::Test);
        }
        if self.corrected.contains(path) {
            return Some(ScopeClass::Corrected);
        }
        self.authorized.contains(path).then_some(ScopeClass::Authorized)
    }

    fn is_test(&self, path: &str) -> bool {
        beside::is_test(path, &self.subjects, &|subject| {
            matches!(self.listed.standing(subject), Standing::In)
        })
    }

    fn reason_in(
        &self,
        class: ScopeClass,
        name: &Name<'_>,
        declared: &Declared<'_>,
    ) -> Option<String> {
        match class {
            ScopeClass::Corrected => declared.why_corrected(name.plain),
            ScopeClass::Authorized => Some("a person allowed it".to_owned()),
            _ => None,
        }
    }

    fn reason_outside(&self, name: &Name<'_>) -> String {
        match self.listed.standing(name.plain) {
            Standing::Out(entry) => reason::excluded(entry),
            Standing::In => {
                "a nested repository counts only if the work item lists its path".to_owned()
            }
            Standing::Unlisted => reason::unlisted(name.plain, &self.listed),
        }
    }
}
