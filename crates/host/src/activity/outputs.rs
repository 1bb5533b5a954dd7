//! What a step declares as its outputs: session files of the role, and files of the repository.

use std::path::Path;
use tollgate_contract::artefact::{self, RepositoryFiles};
use tollgate_contract::diagnostic::Report;
use tollgate_contract::skill::RoleFile;
use tollgate_contract::{junit, sarif};
use tollgate_core::brief::FileRules;
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_core::reply::{ReplyError, ReportedFinding, Severity};
use tollgate_core::role::Role;
use tollgate_core::work::{Artefact, ChangeType, FileChange};
use tollgate_files::{self as files, FileError, ListingKind, TreeLimits};
use tollgate_git::workspace::RawChange;
use tollgate_judge::globs::PathRules;

/// Declared outputs by where they lie.
#[derive(Debug, Default)]
pub struct Declared {
    /// Below the session folder.
    pub session: Vec<String>,
    /// Below the repository's root; a folder ends in `/`.
    pub repository: Vec<String>,
}

/// The role's own session files lie in the session folder, all others in the repository.
pub fn declared(rules: &FileRules, role: &RoleFile) -> Declared {
    let artefacts = PathRules::new(&role.artefacts).unwrap_or_default();
    let is_session_file = |output: &String| {
        // The engine may write every session file, and is asked only for files of the repository.
        // A folder is meant by what lies in it.
        role.role != Role::Orchestrator
            && (artefacts.matches(output) || artefacts.matches(&format!("{output}x")))
    };
    let (session, repository) = rules.outputs.iter().cloned().partition(is_session_file);
    Declared { session, repository }
}

/// What the role may change in this step: what the step says, else its own, and always its outputs.
pub fn writes(rules: &FileRules, role: &RoleFile, declared: &Declared) -> Vec<String> {
    let own = rules.writes.as_ref().unwrap_or(&role.writes);
    own.iter().chain(&declared.repository).cloned().collect()
}

/// Declared files of the repository that are not there.
pub fn missing(tree: &Path, declared: &Declared) -> Vec<String> {
    let is_there = |output: &&String| {
        let path = tree.join(output.trim_end_matches('/'));
        match output.ends_with('/') {
            true => has_file(&path),
            false => path.symlink_metadata().is_ok_and(|found| found.is_file()),
        }
    };
    declared.repository.iter().filter(|output| !is_there(output)).cloned().collect()
}

/// What is wrong with the declared documents: form, required parts, and what they point to.
pub fn faults(tree: &Path, declared: &Declared, changes: &[RawChange]) -> Vec<ReplyError> {
    let work_tree = WorkTree { root: tree };
    let mut paths: Vec<&str> = Vec::new();
    for output in &declared.repository {
        if output.ends_with('/') {
            let changed = changes.iter().map(|change| change.path.as_str());
            paths.extend(changed.filter(|path| path.starts_with(output.as_str())));
        } else {
            paths.push(output);
        }
    }
    let read: Vec<(&str, Vec<u8>)> =
        paths.into_iter().filter_map(|path| Some((path, work_tree.read(path)?))).collect();
    let outputs: Vec<(&str, &[u8])> =
        read.iter().map(|(path, bytes)| (*path, bytes.as_slice())).collect();
    if outputs.is_empty() {
        return Vec::new();
    }
    artefact::check_outputs(&outputs, &work_tree).reply_errors()
}

fn has_file(folder: &Path) -> bool {
    let is_real_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    let entries = std::fs::read_dir(folder).ok().filter(|_| is_real_folder);
    entries.into_iter().flatten().flatten().any(|entry| {
        entry.file_type().is_ok_and(|kind| kind.is_file())
            || (entry.file_type().is_ok_and(|kind| kind.is_dir()) && has_file(&entry.path()))
    })
}

/// Declared or watched files of the repository that were changed or declared, by their content.
pub fn taken(
    tree: &Path,
    declared: &Declared,
    watched: &[String],
    changes: &[FileChange],
) -> Result<Vec<Artefact>, FileError> {
    let is_below = |path: &str, output: &String| {
        path == output || (output.ends_with('/') && path.starts_with(output.as_str()))
    };
    let is_meant = |path: &str| {
        declared.repository.iter().any(|output| is_below(path, output))
            || watched.iter().any(|known| known == path)
    };
    let changed = changes.iter().filter(|change| change.change_type != ChangeType::Deleted);
    let changed = changed.map(|change| change.path.clone()).filter(|path| is_meant(path));
    let single = declared.repository.iter().filter(|output| !output.ends_with('/')).cloned();
    let mut paths: Vec<String> = changed.chain(single).collect();
    paths.sort();
    paths.dedup();
    let mut taken = Vec::with_capacity(paths.len());
    for path in paths {
        if let Some(sha256) = files::hash_beneath(tree, &path)? {
            taken.push(Artefact { path, sha256 });
        }
    }
    Ok(taken)
}

/// Findings that a reviewing role leaves as a report of a tool: SARIF, or test results as JUnit XML; or what is wrong with
/// the reports.
pub fn reported_findings(
    tree: &Path,
    declared: &Declared,
) -> Result<Vec<ReportedFinding>, Vec<ReplyError>> {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    for path in &declared.repository {
        let is_sarif = path.ends_with(".sarif") || path.ends_with(".sarif.json");
        if !is_sarif && !path.ends_with(".xml") {
            continue;
        }
        let Ok(bytes) = files::read_beneath(tree, path, ARTEFACT_BYTES_MAX) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let read = if is_sarif { sarif::read(&text, path) } else { test_failures(&text, path) };
        match read {
            Ok(more) => found.extend(more),
            Err(report) => errors.extend(report.reply_errors()),
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

fn test_failures(text: &str, path: &str) -> Result<Vec<ReportedFinding>, Report> {
    let run = junit::read(text, path)?;
    let finding = |failure: junit::TestFailure| ReportedFinding {
        severity: Severity::High,
        category: "test-failure".to_owned(),
        file: failure.file,
        line: failure.line.map(|line| line.to_string()),
        message: format!("test {} {} fails: {}", failure.class, failure.name, failure.message),
        fix: None,
        is_nit: false,
    };
    Ok(run.failures.into_iter().map(finding).collect())
}

/// The files of a workspace as the readers of documents see them: by plain paths, never through a link that leads out.
#[derive(Debug, Clone, Copy)]
pub struct WorkTree<'a> {
    pub root: &'a Path,
}

/// Planning has hundreds of files; a tree beyond this is not looked through for them.
const LIMITS: TreeLimits = TreeLimits { entries_max: 200_000, file_bytes_max: ARTEFACT_BYTES_MAX };

impl RepositoryFiles for WorkTree<'_> {
    fn is_file(&self, path: &str) -> bool {
        let opened = files::open_beneath(self.root, path);
        opened.is_ok_and(|file| file.metadata().is_ok_and(|found| found.is_file()))
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        files::read_beneath(self.root, path, ARTEFACT_BYTES_MAX).ok()
    }

    fn files_below(&self, folder: &str) -> Vec<String> {
        let is_plain = !folder.split('/').any(|part| part == "..") && !folder.starts_with('/');
        let below = self.root.join(folder);
        let is_real = below.symlink_metadata().is_ok_and(|found| found.is_dir());
        if !is_plain || !is_real {
            return Vec::new();
        }
        let entries = files::list_files(&below, LIMITS).unwrap_or_default();
        let files = entries.into_iter().filter(|entry| entry.kind == ListingKind::File);
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        files.map(|entry| format!("{prefix}{}", entry.path)).collect()
    }
}
