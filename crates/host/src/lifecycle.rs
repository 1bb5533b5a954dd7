//! The lifecycle of a repository: which stages it has, which gates they require, and running them.

mod inspect;
mod run;

pub use inspect::inspect;
pub use run::{GATE_VARIABLE, GateResult, GateRun, Progress, run_gates};

use std::fmt;
use std::io;
use std::path::Path;
use tollgate_contract::diagnostic::Report;
use tollgate_contract::document::{self, DocumentKind};
use tollgate_contract::lifecycle::{self, Lifecycle};
use tollgate_contract::pack;
use tollgate_files::layout::Layout;
use tollgate_files::{self as files, FileError, FileStamp};

/// A lifecycle file is short; a bigger one is a mistake.
const LIFECYCLE_BYTES_MAX: u64 = 1024 * 1024;

/// Where the stages and gates come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LifecycleSource {
    /// lifecycle-stage.yaml of the repository.
    Repository,
    BuiltIn,
}

impl fmt::Display for LifecycleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Repository => "lifecycle-stage.yaml",
            Self::BuiltIn => "built-in",
        })
    }
}

#[derive(Debug, thiserror::Error)]
pub enum LifecycleError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{path} has {}; no gate was run", tollgate_core::count::counted(report.errors().count(), "error"))]
    Invalid { path: String, report: Report },
    #[error("there is no stage {name:?}; no gate was run")]
    UnknownStage { name: String, known: Vec<String> },
    #[error("the gate {gate:?} could not be run: {cause}")]
    Io { gate: String, cause: io::Error },
}

/// The lifecycle of the repository at `root`, or the built-in one where it has none.
pub fn load(root: &Path) -> Result<(Lifecycle, LifecycleSource), LifecycleError> {
    match read(&Layout::new(root).lifecycle(), "lifecycle-stage.yaml") {
        Ok(lifecycle) => Ok((lifecycle, LifecycleSource::Repository)),
        Err(LifecycleError::File(error)) if error.is_not_found() => {
            let lifecycle = checked(pack::LIFECYCLE.as_bytes(), "the built-in lifecycle")?;
            Ok((lifecycle, LifecycleSource::BuiltIn))
        }
        Err(error) => Err(error),
    }
}

/// A lifecycle file wherever it is; `shown` is its name for people.
pub fn read(path: &Path, shown: &str) -> Result<Lifecycle, LifecycleError> {
    checked(&files::read_bounded(path, LIFECYCLE_BYTES_MAX)?, shown)
}

fn checked(bytes: &[u8], shown: &str) -> Result<Lifecycle, LifecycleError> {
    let lifecycle = std::str::from_utf8(bytes).ok().and_then(|text| lifecycle::read(text, shown).0);
    lifecycle.ok_or_else(|| {
        let report = document::check(DocumentKind::Lifecycle, shown, bytes);
        LifecycleError::Invalid { path: shown.to_owned(), report }
    })
}

/// The stage that the repository declares; none where it has no lifecycle file.
pub fn declared(root: &Path) -> Result<Option<String>, LifecycleError> {
    match read(&Layout::new(root).lifecycle(), "lifecycle-stage.yaml") {
        Ok(lifecycle) => Ok(Some(lifecycle.current_stage)),
        Err(LifecycleError::File(error)) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Sees when another stage is declared, without reading a file that did not change.
#[derive(Debug, Default)]
pub struct StageWatch {
    seen: Option<(Option<FileStamp>, Option<String>)>,
}

impl StageWatch {
    /// What is declared now. A file that cannot be read declares nothing new: `known` stays.
    pub fn look(&mut self, root: &Path, known: &Option<String>) -> Option<String> {
        let stamp = files::stamp(&Layout::new(root).lifecycle());
        if let Some((seen, stage)) = &self.seen
            && *seen == stamp
        {
            return stage.clone();
        }
        let stage = declared(root).unwrap_or_else(|_| known.clone());
        self.seen = Some((stamp, stage.clone()));
        stage
    }
}
