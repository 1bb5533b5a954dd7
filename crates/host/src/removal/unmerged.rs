//! What of a session's work is in no branch of the person.

use super::RemovalError;
use crate::activity::checks;
use crate::landing;
use tollgate_core::id::{CommitId, SessionName};
use tollgate_core::view::{Standing, View};
use tollgate_git::repository::{Aside, Repository};

/// More names than this are counted only.
const NAMED_MAX: usize = 3;

/// Work that would be lost with a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmerged {
    /// Its branches have commits that no branch of the person has.
    pub is_branch_ahead: bool,
    /// The refs that keep changes which were never accepted.
    pub aside: Vec<String>,
}

impl Unmerged {
    /// None when everything is in a branch of the person.
    pub(super) fn of(repository: &Repository, view: &View) -> Result<Option<Self>, RemovalError> {
        let work = Self {
            is_branch_ahead: !are_branches_merged(repository, view)?,
            aside: kept_aside(repository, view)?,
        };
        Ok((work.is_branch_ahead || !work.aside.is_empty()).then_some(work))
    }

    pub(super) fn told(&self, session: &SessionName) -> String {
        let names = self.aside_named();
        match (self.is_branch_ahead, self.aside.is_empty()) {
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
    let aside = repository.kept_aside(&view.session)?;
    let of_somebody = |aside: &Aside| !checks::is_left_by_checks(aside.label());
    let mut aside: Vec<Aside> = aside.into_iter().filter(of_somebody).collect();
    // At the end of a session that is done, the branch has what its members made.
    if view.route.standing == Standing::Cancelled {
        aside.extend(repository.kept_members(&view.session)?);
    }
    if aside.is_empty() {
        return Ok(Vec::new());
    }
    let mut places = places(repository, view)?;
    if landing::is_landed(repository, view)? {
        places.push(view.branch.tip.clone());
    }
    let mut names = Vec::new();
    for one in aside {
        if !is_in_one_of(repository, &places, &one.commit)? {
            names.push(one.name);
        }
    }
    Ok(names)
}

fn is_in_one_of(
    repository: &Repository,
    places: &[CommitId],
    work: &CommitId,
) -> Result<bool, RemovalError> {
    for place in places {
        if repository.contains(place, work)? || repository.has_changes_of(place, work)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// All that the branches of a session have is in a branch of the person.
fn are_branches_merged(repository: &Repository, view: &View) -> Result<bool, RemovalError> {
    if view.branch.has_accepted_work() && !landing::is_landed(repository, view)? {
        return Ok(false);
    }
    // A person may have added commits to it.
    let places = places(repository, view)?;
    for tip in repository.branches_of(&view.session)? {
        let mut is_known = tip == view.branch.tip;
        for place in &places {
            is_known = is_known || repository.contains(place, &tip)?;
        }
        if !is_known {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Where the branches of the person are that count: the one that is checked out, and the one the session started from.
fn places(repository: &Repository, view: &View) -> Result<Vec<CommitId>, RemovalError> {
    let mut places = vec![repository.head()?.commit];
    if let Some(branch) = &view.branch.started_from {
        places.extend(repository.tip_of_branch(branch)?);
    }
    Ok(places)
}
