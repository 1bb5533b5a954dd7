//! What changed, for a person who has to decide: in the files of a question, in its code, and in work that was not taken.

use crate::activity::order::rescue_name;
use crate::kept;
use std::path::Path;
use tollgate_core::id::Attempt;
use tollgate_core::view::{Home, QuestionView, ShownFile, Since, View};
use tollgate_files::layout::Layout;
use tollgate_files::sanitize::terminal_text;
use tollgate_git::repository::{Detail, Repository};

/// A patch and what it is of.
#[derive(Debug)]
pub struct Change {
    pub what: Changed,
    pub patch: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// Files that the person was shown in the round before.
    Shown,
    Code {
        since: Since,
    },
    /// What an attempt left that was not accepted, and the name under which it is kept.
    NotTaken {
        attempt: Attempt,
        kept: String,
    },
}

impl Changed {
    /// What it is, in words for a person who has to decide.
    pub fn title(&self) -> String {
        let words = match self {
            Self::Shown => "what changed in the files since you were last asked",
            Self::Code { since } => match since {
                Since::LastRound => "what changed in the code since you were last asked",
                Since::Task => "the work of this task",
                Since::Session => "the work of the session so far",
                Since::Attempt => "the work that waits for your decision; it is not accepted yet",
            },
            Self::NotTaken { attempt, kept } => {
                return format!(
                    "what attempt {attempt} left; it was not accepted and is kept as {kept}"
                );
            }
        };
        words.to_owned()
    }
}

impl Change {
    fn of(what: Changed, patch: &[u8]) -> Option<Self> {
        let patch = terminal_text(&String::from_utf8_lossy(patch)).into_owned();
        (!patch.is_empty()).then_some(Self { what, patch })
    }
}

/// All that changed, the files of the session first.
pub fn all(root: &Path, view: &View, question: &QuestionView) -> Vec<Change> {
    let Ok(repository) = Repository::discover(root) else { return Vec::new() };
    let asked = Asked { repository, root, view, question };
    let changes = [asked.session_files(), asked.code(), asked.not_taken()];
    changes.into_iter().flatten().collect()
}

/// What changed in the files that the person was shown in the round before.
pub fn in_shown(root: &Path, view: &View, question: &QuestionView) -> Vec<Change> {
    let Ok(repository) = Repository::discover(root) else { return Vec::new() };
    let asked = Asked { repository, root, view, question };
    [asked.session_files(), asked.shown_code()].into_iter().flatten().collect()
}

struct Asked<'a> {
    repository: Repository,
    root: &'a Path,
    view: &'a View,
    question: &'a QuestionView,
}

impl Asked<'_> {
    fn session_files(&self) -> Option<Change> {
        let shown = self.question.shown.iter();
        let patches = shown.filter_map(|file| self.session_file(file));
        let patch: Vec<u8> = patches.flatten().collect();
        Change::of(Changed::Shown, &patch)
    }

    fn session_file(&self, file: &ShownFile) -> Option<Vec<u8>> {
        if !file.has_changed() || file.home != Home::Session {
            return None;
        }
        let relative = file.path.strip_prefix(self.view.folder.as_str())?;
        let session = Layout::new(self.root).session(&self.view.session);
        let old = match &file.sha256_before {
            Some(before) => Some(kept::version(&session, relative, before)?),
            None => None,
        };
        let new = self.root.join(&file.path);
        self.repository.difference_of_files(relative, old.as_deref(), &new).ok()
    }

    fn code(&self) -> Option<Change> {
        let code = self.question.code.as_ref()?;
        let patch = self.repository.patch_of(&code.from, &code.to, &code.paths).ok()?;
        Change::of(Changed::Code { since: code.since }, &patch)
    }

    /// Only those files of the branch that the question shows and that are not as they were.
    fn shown_code(&self) -> Option<Change> {
        let code = self.question.code.as_ref()?;
        let shown = self.question.shown.iter();
        let changed = shown.filter(|file| file.home == Home::Branch && file.has_changed());
        let paths: Vec<String> = changed.map(|file| file.path.clone()).collect();
        if paths.is_empty() {
            return None;
        }
        Change::of(Changed::Shown, &self.repository.patch_of(&code.from, &code.to, &paths).ok()?)
    }

    /// What the newest attempt left that left anything, where nothing of it was accepted.
    fn not_taken(&self) -> Option<Change> {
        let (number, attempts) = (self.question.dispatch?, self.question.attempts?);
        let names = (1..=attempts.0).rev().map(Attempt).flat_map(|attempt| {
            let name = rescue_name(number, attempt);
            let left_out = format!("{name}-left-out");
            [(attempt, name), (attempt, left_out)]
        });
        let mut found = names.filter_map(|(attempt, name)| {
            let (kept, commit) = self.repository.rescued(&self.view.session, &name).ok()??;
            Some((Changed::NotTaken { attempt, kept }, commit))
        });
        let (what, commit) = found.next()?;
        let before = self.repository.parent(&commit).ok()?;
        Change::of(what, &self.repository.difference(&before, &commit, Detail::Patch).ok()?)
    }
}
