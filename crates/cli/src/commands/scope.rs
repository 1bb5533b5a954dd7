//! `tollgate scope`: sorts what changed by the scope of a work item.

mod documents;
mod step;
mod text;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::place::{self, here};
use clap::Args;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use tollgate_contract::sarif::{self, SarifFinding};
use tollgate_core::event::FindingStatus;
use tollgate_core::reply::Severity;
use tollgate_core::work::{ChangeType, ScopeClass};
use tollgate_git::scope_diff::{Compared, DiffChange, ScopeDiffError, scope_diff, scope_versions};
use tollgate_judge::scope::{self, ChangedFile, INCIDENTAL_LINES_MAX, Measure, ScopeRules};
use tollgate_judge::scope::{ScopedFile, plain_path};

/// Classify changed files by the scope of a work item
///
/// Every path that differs between --base and the working tree, including untracked files, is one of: primary (listed
/// under In Scope), test (beside a listed file), incidental or corrected (declared in --result), authorized (allowed
/// by the owner), or violation. A rename counts for both names. With --head, two revisions are compared directly: use
/// `git merge-base main HEAD` as the base to leave out later changes on main. Ignored files do not count, and neither
/// do untracked files that are named on this command line. The command runs nothing that the repository configures,
/// and writes nothing in it. Exit code 0: everything is in scope; 1: something is out of scope; 2: the scope could
/// not be checked.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate scope --work-item T-001.md\n  \
tollgate scope --work-item T-001.md --base origin/main --head HEAD --json\n  \
tollgate scope --work-item T-001.md --result reply.json --sarif > scope.sarif\n  \
gh issue view 42 --json body --jq .body | tollgate scope --work-item -")]
pub struct Scope {
    /// The work item as a Markdown file, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub work_item: PathBuf,
    /// The revision that the work started from [default: HEAD]
    #[arg(long, value_name = "REV", allow_hyphen_values = true)]
    pub base: Option<String>,
    /// Check this revision instead of the working tree; needs --base
    #[arg(long, value_name = "REV", allow_hyphen_values = true, requires = "base")]
    pub head: Option<String>,
    /// An ImplementorResult with incidental changes and scope corrections
    #[arg(long, value_name = "FILE")]
    pub result: Option<PathBuf>,
    /// A file with paths that the owner allows, one per line; lines that begin with # are comments
    #[arg(long, value_name = "FILE")]
    pub authorized: Option<PathBuf>,
    /// How many lines of a file an incidental change may change
    #[arg(long, value_name = "NUMBER", default_value_t = INCIDENTAL_LINES_MAX)]
    pub incidental_lines: u32,
    /// Print JSON
    #[arg(long, conflicts_with = "sarif")]
    pub json: bool,
    /// Print every violation as SARIF 2.1.0 for code scanning services
    #[arg(long)]
    pub sarif: bool,
}

#[derive(Serialize)]
struct ScopeOutput<'a> {
    ok: bool,
    files: Vec<ScopeRow<'a>>,
}

#[derive(Serialize)]
struct ScopeRow<'a> {
    path: &'a str,
    change_type: ChangeType,
    class: ScopeClass,
    reason: Option<&'a str>,
}

impl Scope {
    pub fn run(self) -> Result<Exit, Failure> {
        let rules = documents::rules(&self)?;
        let named = [Some(&self.work_item), self.result.as_ref(), self.authorized.as_ref()];
        let apart: Vec<PathBuf> = named.into_iter().flatten().cloned().collect();
        let (base, head) = (self.base.as_deref(), self.head.as_deref());
        let compared = Compared { base, head, apart: &apart };
        let changes = scope_diff(&here()?, compared)?;
        let files = sorted(&rules, changes, &measures(&rules, compared)?);
        let ok = files.iter().all(|file| file.class != ScopeClass::Violation);
        let item = self.work_item.display().to_string();
        if self.sarif {
            let root_file = place::root_file(&place::checkout_root().unwrap_or_default());
            let findings = findings(&files, &item);
            output::json(&sarif::document(&findings, env!("CARGO_PKG_VERSION"), &root_file));
        } else if self.json {
            output::json(&ScopeOutput { ok, files: files.iter().map(row).collect() });
        } else {
            text::table(&files);
            text::sum(&files, &item);
        }
        step::tell(&files, &item);
        Ok(if ok { Exit::Ok } else { Exit::Fails })
    }
}

const NOT_TEXT: &str = "its name is not UTF-8, so no work item can list it";

/// Of the files that the result declares incidental.
fn measures(
    rules: &ScopeRules,
    compared: Compared<'_>,
) -> Result<BTreeMap<String, Measure>, Failure> {
    let paths: Vec<String> = rules.incidental.iter().map(|one| plain_path(&one.path)).collect();
    let versions = scope_versions(&here()?, compared, &paths)?;
    let measured = paths.into_iter().zip(versions).map(|(path, version)| {
        let (before, after) = (version.before.as_deref(), version.after.as_deref());
        let measure = Measure::of(&path, before, after);
        (path, Measure { is_unreadable: measure.is_unreadable || version.is_unreadable, ..measure })
    });
    Ok(measured.collect())
}

fn sorted(
    rules: &ScopeRules,
    changes: Vec<DiffChange>,
    measures: &BTreeMap<String, Measure>,
) -> Vec<ScopedFile> {
    let mut odd: BTreeSet<String> = BTreeSet::new();
    let mut found = Vec::with_capacity(changes.len());
    for DiffChange { file, is_link_out, is_repository, is_text, .. } in changes {
        if !is_text {
            odd.insert(file.path.clone());
            odd.extend(file.old_path.clone());
        }
        let measure = measures.get(&file.path).cloned();
        found.push(ChangedFile { change: file, is_link_out, is_submodule: is_repository, measure });
    }
    let mut files = scope::sort_found(rules, &found);
    for file in files.iter_mut().filter(|file| odd.contains(&file.path)) {
        file.class = ScopeClass::Violation;
        file.reason = Some(NOT_TEXT.to_owned());
    }
    files
}

fn row(file: &ScopedFile) -> ScopeRow<'_> {
    let ScopedFile { path, change_type, class, reason, .. } = file;
    ScopeRow { path, change_type: *change_type, class: *class, reason: reason.as_deref() }
}

/// A change out of scope is a warning to whoever reviews it: by itself it rejects nothing.
fn findings(files: &[ScopedFile], item: &str) -> Vec<SarifFinding> {
    let violations = files.iter().filter(|file| file.class == ScopeClass::Violation);
    let finding = |(index, file): (usize, &ScopedFile)| SarifFinding {
        id: format!("S-{}", index + 1),
        severity: Severity::Medium,
        source: "scope".to_owned(),
        category: "scope".to_owned(),
        file: Some(file.path.clone()),
        // Services that show a result beside the code need a line.
        line: (file.change_type != ChangeType::Deleted).then(|| "1".to_owned()),
        message: format!(
            "{} was {}, which the scope of {item} does not allow{}",
            text::shown_path(&file.path),
            file.change_type.as_str(),
            file.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default(),
        ),
        status: FindingStatus::Open,
    };
    violations.enumerate().map(finding).collect()
}

impl From<ScopeDiffError> for Failure {
    fn from(error: ScopeDiffError) -> Self {
        let words = error.to_string();
        match error {
            ScopeDiffError::UnknownRevision { .. } => Self::usage("cli.revision", words)
                .hint("name a commit, branch or tag that `git log` knows")
                .hint("a shallow clone has few: `git fetch --unshallow`, or fetch-depth: 0 in CI"),
            ScopeDiffError::Dash { .. } => Self::usage("cli.revision", words)
                .hint("name a commit, branch or tag, such as `--base origin/main`"),
            ScopeDiffError::Repository(error) => error.into(),
            ScopeDiffError::Git(_) | ScopeDiffError::Index(_) => {
                Self::usage("cli.repository", words)
            }
        }
    }
}
