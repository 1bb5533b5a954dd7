//! What is delivered: the session's branch, and the files that are on record.

use super::{Base, ChangeSet};
use crate::id::{Attempt, CommitId, ContentHash, DispatchNumber};
use crate::input::Edit;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The last accepted commit; the base until there is one.
    pub tip: CommitId,
    /// The accepted commit before that; none while there was none.
    pub tip_before: Option<CommitId>,
    pub changed: ChangeSet,
    /// Changes that no comprehensive review has seen.
    pub(crate) unreviewed: bool,
    /// Ready members whose changes are being brought together.
    pub(crate) merging: Vec<DispatchNumber>,
    /// Where the branch stood before the members that were brought together; one move for all of them.
    pub(crate) before_merge: Option<Option<CommitId>>,
    pub base: Base,
    /// Tags that were made for the release. They follow the tip until the session is done.
    pub tags: Vec<String>,
}

impl Branch {
    pub(super) fn new(base: CommitId) -> Self {
        Self {
            tip: base,
            tip_before: None,
            changed: ChangeSet::default(),
            unreviewed: false,
            merging: Vec::new(),
            before_merge: None,
            base: Base::default(),
            tags: Vec::new(),
        }
    }
}

impl Branch {
    pub(super) fn enter_step(&mut self) {
        self.before_merge = None;
        self.base.tried_in_step = false;
    }
}

/// Files by their path, as last accepted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Files {
    /// Of the session's folder.
    pub artefacts: BTreeMap<String, ArtefactRecord>,
    /// Of the repository, where steps declared them as outputs.
    pub outputs: BTreeMap<String, ContentHash>,
    /// What the report names, by id.
    pub(crate) reported: BTreeSet<String>,
    /// Files of the session's folder that must get checks which a person replaced, until they are found there.
    pub rewritten: BTreeMap<String, Vec<ReplacedCheck>>,
}

/// A command of the plan, and what a person gave in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedCheck {
    pub command: String,
    pub with: String,
}

/// A session file as it was last accepted, and where its content is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtefactRecord {
    pub sha256: ContentHash,
    /// What it replaced; needed to finish a take-over that a crash cut short.
    pub previous: Option<ContentHash>,
    /// None when a person edited the file.
    pub from: Option<(DispatchNumber, Attempt)>,
}

impl Files {
    pub(super) fn take_edits(&mut self, edits: &[Edit]) {
        for edit in edits.iter().filter(|edit| edit.errors.is_empty()) {
            self.rewritten.remove(&edit.path);
            match &edit.now {
                Some(now) => {
                    let record =
                        ArtefactRecord { sha256: now.sha256.clone(), previous: None, from: None };
                    self.artefacts.insert(edit.path.clone(), record);
                }
                None => {
                    self.artefacts.remove(&edit.path);
                }
            }
        }
    }
}
