//! Looks at each thing a run needs. What is tried out leaves nothing behind.

mod notify;
mod tracker;

use super::{DoctorCheck, agents, disk, repository, sandbox};
use crate::commands::actions::notices;
use crate::place;
use std::collections::BTreeSet;
use tollgate_files::layout::Layout;
use tollgate_git::repository::{Repository, RepositoryError};
use tollgate_git::{Configuration, Git, GitError};
use tollgate_host::settings::actions::{Form, FoundAction};
use tollgate_host::settings::{self, SettingsError, actions, roles};
use tollgate_process::{Isolation, isolation, restricts_signals};

/// Older ones lack options that workspaces are made with.
/// The first that merges without a working tree (`git merge-tree --write-tree`).
const GIT_MIN: (u32, u32) = (2, 38);

pub(super) fn everything() -> Vec<DoctorCheck> {
    let mut findings = vec![git()];
    let mut repository = None;
    match place::here().map(|here| Repository::discover(&here)) {
        // Told by the line about git already.
        Ok(Err(RepositoryError::Git(GitError::Missing))) => {}
        Ok(Ok(found)) => {
            in_repository(&found, &mut findings);
            repository = Some(found);
        }
        Ok(Err(error)) => findings.push(DoctorCheck::warn(
            "repository",
            error.to_string(),
            "run this in the repository that you want to work in",
        )),
        Err(failure) => {
            findings.push(DoctorCheck::fail("repository", failure.message, "go to another folder"));
        }
    }
    findings.push(process_tree(isolation(), restricts_signals()));
    findings.push(sandbox::enforced());
    findings.extend(sandbox::user());
    findings.extend(disk::findings(repository.as_ref()));
    findings
}

fn git() -> DoctorCheck {
    let install = "install git 2.38 or newer";
    let answer = Git::find()
        .and_then(|git| git.call(Configuration::Ours).args(["--version"]).run())
        .map(|output| output.line());
    let line = match answer {
        Ok(line) => line,
        Err(error) => return DoctorCheck::fail("git", error.to_string(), install),
    };
    match version(&line) {
        Some(found) if found >= GIT_MIN => DoctorCheck::ok("git", line),
        Some(_) => DoctorCheck::fail("git", format!("{line} is too old"), install),
        None => DoctorCheck::warn("git", format!("its version cannot be read: {line}"), install),
    }
}

/// `git version 2.39.5 (Apple Git-154)` is 2.39.
fn version(line: &str) -> Option<(u32, u32)> {
    let mut numbers = line.strip_prefix("git version ")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn in_repository(repository: &Repository, findings: &mut Vec<DoctorCheck>) {
    let layout = Layout::new(repository.root());
    let config = settings::config(&layout);
    findings.extend(repository::findings(repository, config.as_ref().ok()));
    match config {
        Ok(config) => {
            findings.push(settings_found(&layout));
            // Where none can be made, the line on the state folder says why.
            if let Ok(context) = place::context_with(repository.clone(), config.clone()) {
                findings.extend(agents::findings(&context));
            }
            findings.extend(tracker::finding(repository, &config));
            findings.extend(notify::findings(repository, &config));
            findings.extend(sandbox::settings(repository, &layout, &config));
        }
        Err(error) => findings.push(settings_broken(&layout, &error)),
    }
    findings.extend(roles_found(&layout));
    findings.extend(actions_found(&layout));
}

fn roles_found(layout: &Layout) -> Vec<DoctorCheck> {
    let listed = roles::list(layout);
    let mut findings = match listed.iter().find_map(|listed| listed.found.as_ref().err()) {
        None => vec![DoctorCheck::ok("roles", format!("{} roles are OK", listed.len()))],
        Some(missing) => {
            let file = layout.agents().join(&missing.name).join("SKILL.md");
            let fix = match file.exists() {
                true => format!("`tollgate check {}` lists every error", file.display()),
                false => {
                    format!("`tollgate roles {}` says which files were looked for", missing.name)
                }
            };
            vec![DoctorCheck::fail("roles", missing.to_string(), fix)]
        }
    };
    let texts = listed.iter().filter_map(|listed| listed.found.as_ref().ok());
    let notices: BTreeSet<String> = texts
        .flat_map(|found| &found.notices)
        .map(|notice| format!("{}: {}", notice.place(), notice.message))
        .collect();
    let fix = "correct it; until then the rest of the file is used";
    findings.extend(notices.into_iter().map(|notice| DoctorCheck::warn("roles", notice, fix)));
    findings.extend(roles::unused(layout, &listed).into_iter().map(|page| {
        let message = format!("{} is not used: {}", page.path, page.reason);
        DoctorCheck::warn("roles", message, "give it a field `role`")
    }));
    findings
}

/// An action that cannot be used stops only those who ask for it.
fn actions_found(layout: &Layout) -> Vec<DoctorCheck> {
    let fix = "`tollgate actions NAME` lists every error";
    let all = match actions::list(layout) {
        Err(error) => return vec![DoctorCheck::fail("actions", error.to_string(), fix)],
        Ok(all) => all,
    };
    let mut findings = match all.iter().find_map(|found| found.read.as_ref().err()) {
        None => vec![DoctorCheck::ok("actions", format!("{} actions are OK", all.len()))],
        Some(error) => vec![DoctorCheck::warn("actions", error.to_string(), fix)],
    };
    let unused = all.iter().filter(|found| found.unused.is_some());
    findings.extend(unused.filter_map(notices::summary).map(|summary| {
        let fix = "`tollgate check FILE` explains it";
        DoctorCheck::warn("actions", summary, fix)
    }));
    let is_prose = |found: &&FoundAction| found.form == Form::Prose && !found.notices.is_empty();
    let prose: Vec<&str> = all.iter().filter(is_prose).map(|found| found.name.as_str()).collect();
    if !prose.is_empty() {
        let message = format!(
            "no front matter, and not all of it understood or done as written: {}",
            prose.join(", ")
        );
        let fix = "`tollgate actions NAME` lists it";
        findings.push(DoctorCheck::warn("actions", message, fix));
    }
    findings
}

fn settings_found(layout: &Layout) -> DoctorCheck {
    if layout.settings().exists() {
        DoctorCheck::ok("settings", "tollgate.toml is OK")
    } else {
        DoctorCheck::warn("settings", "there is no tollgate.toml", "`tollgate init` writes one")
    }
}

fn settings_broken(layout: &Layout, error: &SettingsError) -> DoctorCheck {
    let first = match error {
        SettingsError::Invalid(report) => report
            .errors()
            .next()
            .map(|fault| format!("; the first: {}: {}", fault.place(), fault.message)),
        _ => None,
    };
    let fix = format!("`tollgate check {}` lists every error", layout.settings().display());
    DoctorCheck::fail("settings", format!("{error}{}", first.unwrap_or_default()), fix)
}

const ALLOW_NAMESPACES: &str = "allow user namespaces: `sysctl kernel.unprivileged_userns_clone=1`";

/// In a namespace an agent sees nobody whom it could signal.
fn process_tree(level: Isolation, signals_are_held: bool) -> DoctorCheck {
    let signals = if signals_are_held {
        ""
    } else {
        "; an agent can kill its supervisor, and after the third time Tollgate asks you"
    };
    match level {
        Isolation::PidNamespace => DoctorCheck::ok(
            "isolation",
            "PID namespace: the kernel stops every process of an agent",
        ),
        Isolation::Cgroup => DoctorCheck::warn(
            "isolation",
            format!(
                "cgroup: the kernel stops every process of an agent at once; Tollgate finds and stops a \
                 process that leaves its cgroup as if there were no cgroup{signals}"
            ),
            ALLOW_NAMESPACES,
        ),
        Isolation::Subreaper => DoctorCheck::warn(
            "isolation",
            format!(
                "subreaper: Tollgate finds and stops the processes of an agent one by one; a process that forks \
                 fast enough can escape{signals}"
            ),
            ALLOW_NAMESPACES,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::Level;

    #[test]
    fn r112_each_way_to_hold_a_tree_is_reported_with_what_would_be_better() {
        let told =
            [Isolation::PidNamespace, Isolation::Cgroup, Isolation::Subreaper].map(|level| {
                let found = process_tree(level, true);
                let fix = found.fix.unwrap_or_default();
                let begins = found.message.split(':').next().unwrap_or_default().to_owned();
                (found.level, begins, fix.contains("user namespaces"))
            });
        let row = |level, words: &str, namespaces| (level, words.to_owned(), namespaces);
        assert_eq!(
            told,
            [
                row(Level::Ok, "PID namespace", false),
                row(Level::Warn, "cgroup", true),
                row(Level::Warn, "subreaper", true),
            ]
        );
    }

    #[test]
    fn versions_of_git_are_read_in_all_their_dresses() {
        assert_eq!(version("git version 2.30.0"), Some((2, 30)));
        assert_eq!(version("git version 2.39.5 (Apple Git-154)"), Some((2, 39)));
        assert_eq!(version("git version 2.47.GIT"), Some((2, 47)));
        assert_eq!(version("hub 2.14"), None);
    }
}
