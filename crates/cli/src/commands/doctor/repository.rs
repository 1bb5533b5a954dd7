//! The repository itself: its commit, its files, who signs commits, and whether it can be written.

use super::DoctorCheck;
use super::disk;
use crate::commands::run::whole;
use tollgate_contract::config::Config;
use tollgate_core::count::counted;
use tollgate_files::layout::Layout;
use tollgate_git::repository::{CheckoutHead, Repository, RepositoryError};
use tollgate_git::{IDENTITY_EMAIL, IDENTITY_NAME};

pub(super) fn findings(repository: &Repository, config: Option<&Config>) -> Vec<DoctorCheck> {
    let mut findings = Vec::new();
    match repository.head() {
        Ok(head) => {
            findings.push(stands(repository, &head));
            findings.extend(unfetched(repository, &head));
            findings.extend(
                config.into_iter().flat_map(|config| submodules(repository, config, &head)),
            );
        }
        Err(error) => findings.push(broken(&error)),
    }
    findings.extend(config.and_then(|config| author(repository, config)));
    findings.push(writable(repository));
    findings
}

fn stands(repository: &Repository, head: &CheckoutHead) -> DoctorCheck {
    let left_out = match repository.uncommitted() {
        Err(error) => return broken(&error),
        Ok(0) => String::new(),
        Ok(count) => format!("; a run would leave out {}", counted(count, "uncommitted file")),
    };
    let on = head.branch.as_deref().unwrap_or("a detached HEAD");
    DoctorCheck::ok("repository", format!("{} on {on}{left_out}", repository.root().display()))
}

fn broken(error: &RepositoryError) -> DoctorCheck {
    let fix = match error {
        RepositoryError::NoCommits { .. } => {
            "make a first commit: `git commit --allow-empty -m start`"
        }
        _ => "check that `git status` works here",
    };
    DoctorCheck::fail("repository", error.to_string(), fix)
}

fn unfetched(repository: &Repository, head: &CheckoutHead) -> Option<DoctorCheck> {
    let refused = whole::refuse_unfetched(repository, &head.commit).err()?;
    Some(DoctorCheck::fail("clone", refused.message, refused.hints.concat()))
}

fn submodules(repository: &Repository, config: &Config, head: &CheckoutHead) -> Vec<DoctorCheck> {
    match whole::empty_submodules(repository, config, &head.commit) {
        Ok(empty) => empty
            .iter()
            .map(|one| DoctorCheck::warn("submodule", one.message(), one.fix()))
            .collect(),
        Err(error) => vec![broken(&error)],
    }
}

/// By whom accepted work would be.
fn author(repository: &Repository, config: &Config) -> Option<DoctorCheck> {
    let person = match &config.commit.author {
        Some(author) => Some(author.clone()),
        // Where the configuration cannot be read, other lines say so.
        None => repository.person().ok()?,
    };
    Some(match person {
        Some(who) => DoctorCheck::ok("author", format!("{} <{}>", who.name(), who.email())),
        None => DoctorCheck::warn(
            "author",
            format!(
                "git does not know who you are; commits would be by {IDENTITY_NAME} <{IDENTITY_EMAIL}>"
            ),
            "`git config user.name \"YOUR NAME\"` and `git config user.email YOUR@ADDRESS`",
        ),
    })
}

/// Sessions are in the one folder, their branches in the other.
fn writable(repository: &Repository) -> DoctorCheck {
    let sessions = repository.root().join(Layout::SESSIONS);
    let refused = [sessions.as_path(), repository.common_dir()].into_iter().find_map(disk::refused);
    match refused {
        None => DoctorCheck::ok("writable", "sessions and branches can be written"),
        Some(why) => {
            let fix = format!("see that you may write there: `ls -ld '{}'`", why.place.display());
            DoctorCheck::fail("writable", why.to_string(), fix)
        }
    }
}
