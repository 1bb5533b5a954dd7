//! What of a session's work is in no branch of the person.

use super::RemovalError;
use crate::activity::checks;
use crate::landing;
use tollgate_core::id::{CommitId, SessionName};
use tollgate_core::view::{Standing, View};
use tollgate_git::repository::{Refs, Repository, StoredRef};

/// More names than this are counted only.
const NAMED_MAX: usize = 3;

/// What the branches of a session have that no branch of the person has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ahead {
    Nothing,
    /// Accepted work that `tollgate merge` takes over.
    Finished,
    /// A branch, by its short name, that only `git merge` takes over.
    Branch(String),
}

/// Work that would be lost with a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmerged {
    pub ahead: Ahead,
    /// The refs that keep changes which were never accepted.
    pub aside: Vec<String>,
}

impl Unmerged {
    /// None when everything is in a branch of the person.
    pub(super) fn of(
        repository: &Repository,
        view: &View,
        refs: &Refs,
    ) -> Result<Option<Self>, RemovalError> {
        let places = Places::of(repository, view, refs)?;
        let ahead = places.ahead()?;
        let aside = places.without(aside(view, refs))?;
        let is_merged = ahead == Ahead::Nothing && aside.is_empty();
        Ok((!is_merged).then_some(Self { ahead, aside }))
    }

    pub(super) fn told(&self, session: &SessionName) -> String {
        let names = self.aside_named();
        match (self.ahead != Ahead::Nothing, self.aside.is_empty()) {
            (true, true) => format!("the work of {session} is not merged"),
            (true, false) => {
                format!(
                    "the work of {session} is not merged; unfinished work is kept only as {names}"
                )
            }
            (false, _) => format!("unfinished work of {session} is kept only as {names}"),
        }
    }

    fn aside_named(&self) -> String {
        let more = self.aside.len().saturating_sub(NAMED_MAX);
        let names = self.aside.iter().take(NAMED_MAX).map(String::as_str).collect::<Vec<_>>();
        match more {
            0 => names.join(", "),
            more => format!("{} and {more} more", names.join(", ")),
        }
    }
}

/// The refs that keep work of a session which is in no branch of the person.
pub fn kept_aside(repository: &Repository, view: &View) -> Result<Vec<String>, RemovalError> {
    let refs = repository.refs()?;
    Places::of(repository, view, &refs)?.without(aside(view, &refs))
}

/// Everything that a session keeps aside and that somebody made.
fn aside<'a>(view: &View, refs: &'a Refs) -> Vec<&'a StoredRef> {
    let kept = refs.kept_aside(&view.session).into_iter();
    let mut aside: Vec<_> = kept.filter(|one| !checks::is_left_by_checks(one.label())).collect();
    // At the end of a session that is done, the branch has what its members made.
    if view.route.standing == Standing::Cancelled {
        aside.extend(refs.kept_members(&view.session));
    }
    aside
}

/// Where the branches of the person are that count for a session, and whether they have its accepted work.
struct Places<'a> {
    repository: &'a Repository,
    view: &'a View,
    refs: &'a Refs,
    commits: Vec<&'a CommitId>,
    is_landed: bool,
}

impl<'a> Places<'a> {
    fn of(
        repository: &'a Repository,
        view: &'a View,
        refs: &'a Refs,
    ) -> Result<Self, RemovalError> {
        let commits = refs.places(view.branch.started_from.as_deref());
        let mut is_landed = false;
        for place in &commits {
            is_landed = is_landed || landing::has_work(repository, view, refs, place)?;
        }
        Ok(Self { repository, view, refs, commits, is_landed })
    }

    fn ahead(&self) -> Result<Ahead, RemovalError> {
        let branch = &self.view.branch;
        if branch.has_accepted_work() && !self.is_landed {
            let is_done = self.view.route.standing == Standing::Done;
            return Ok(match is_done && branch.started_from.is_some() {
                true => Ahead::Finished,
                false => Ahead::Branch(branch.name.clone()),
            });
        }
        // A person may have added commits to it.
        for held in self.refs.branches_of(&self.view.session) {
            if held.commit != branch.tip && !self.has_history_of(&held.commit)? {
                return Ok(Ahead::Branch(held.name.trim_start_matches("refs/heads/").to_owned()));
            }
        }
        Ok(Ahead::Nothing)
    }

    fn has_history_of(&self, commit: &CommitId) -> Result<bool, RemovalError> {
        for place in &self.commits {
            if self.repository.contains(place, commit)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The names of those that none of the places has.
    fn without(&self, aside: Vec<&StoredRef>) -> Result<Vec<String>, RemovalError> {
        let mut names = Vec::new();
        for one in aside {
            if !self.has_changes_of(&one.commit)? {
                names.push(one.name.clone());
            }
        }
        Ok(names)
    }

    fn has_changes_of(&self, work: &CommitId) -> Result<bool, RemovalError> {
        let accepted = self.is_landed.then_some(&self.view.branch.tip);
        for place in self.commits.iter().copied().chain(accepted) {
            if self.repository.contains(place, work)?
                || self.repository.has_changes_of(place, work)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
