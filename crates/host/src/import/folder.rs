//! The folder of another orchestrator's session, read whole and within bounds, without following a link.

use super::ImportError;
use crate::sessions::has_document;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tollgate_contract::diagnostic::Diagnostic;
use tollgate_contract::foreign;
use tollgate_core::id::ContentHash;
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_files::layout::Layout;
use tollgate_files::redact::Redactor;
use tollgate_files::{self as files, FileError, ListingEntry, ListingKind, TreeLimits};

/// More than this is no session.
const ENTRIES_MAX: usize = 5_000;
/// All documents together; what is beyond is left out.
const BYTES_MAX: u64 = 64 * 1024 * 1024;
/// How many names one diagnosis lists.
const NAMES_SHOWN: usize = 5;

#[derive(Debug)]
pub struct ForeignFolder {
    path: PathBuf,
    shown: String,
    /// By their paths from the folder.
    files: BTreeMap<String, Vec<u8>>,
    fingerprint: ContentHash,
    left_out: Vec<Diagnostic>,
}

impl ForeignFolder {
    /// Secrets are taken out of what is read, as they are out of what agents write.
    pub fn read(path: &Path, root: &Path, redactor: &Redactor) -> Result<Self, ImportError> {
        let not_a_folder = |why: String| ImportError::NotAFolder { path: path.to_owned(), why };
        let real = path.canonicalize().map_err(|cause| not_a_folder(cause.to_string()))?;
        if !real.is_dir() {
            return Err(not_a_folder("it is not a folder".to_owned()));
        }
        if real.join("journal.jsonl").symlink_metadata().is_ok() {
            return Err(ImportError::Ours { path: path.to_owned() });
        }
        if !has_document(&real) {
            return Err(ImportError::NotASession { path: path.to_owned() });
        }
        let limits = TreeLimits { entries_max: ENTRIES_MAX, file_bytes_max: ARTEFACT_BYTES_MAX };
        let entries = files::list_files(&real, limits).map_err(|error| match error {
            FileError::TooMany { max, .. } => not_a_folder(format!(
                "it has more than {max} files or folders, or nests too deeply"
            )),
            other => other.into(),
        })?;
        let shown = real.strip_prefix(root).unwrap_or(&real).display().to_string();
        let mut reading = Reading::default();
        for entry in entries {
            reading.take(&real, entry, redactor)?;
        }
        let sums: Vec<String> = reading
            .files
            .iter()
            .map(|(name, bytes)| format!("{} {name}\n", files::hash_bytes(bytes)))
            .collect();
        Ok(Self {
            fingerprint: files::hash_bytes(sums.concat().as_bytes()),
            left_out: reading.diagnostics(),
            files: reading.files,
            path: path.to_owned(),
            shown,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// As a person is shown it: from the repository's root where it lies below.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Its last part.
    pub fn name(&self) -> &str {
        self.shown.rsplit('/').next().unwrap_or_default()
    }

    pub fn fingerprint(&self) -> ContentHash {
        self.fingerprint.clone()
    }

    pub fn left_out(&self) -> &[Diagnostic] {
        &self.left_out
    }

    pub fn files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.files
    }

    /// None where it is missing or is no text.
    pub fn text(&self, name: &str) -> Option<&str> {
        std::str::from_utf8(self.files.get(name)?).ok()
    }
}

/// What is read so far, and what is left out, by the reason.
#[derive(Default)]
struct Reading {
    files: BTreeMap<String, Vec<u8>>,
    bytes: u64,
    left_out: BTreeMap<&'static str, Vec<String>>,
}

impl Reading {
    fn take(
        &mut self,
        root: &Path,
        entry: ListingEntry,
        redactor: &Redactor,
    ) -> Result<(), FileError> {
        let why = match entry.kind {
            ListingKind::Dir => return Ok(()),
            ListingKind::Symlink => "links are not followed",
            ListingKind::Other => "only regular files are copied",
            ListingKind::BadName => "the name is no plain text",
            ListingKind::File if entry.path.chars().any(char::is_control) => {
                "the name is no plain text"
            }
            ListingKind::File if entry.size > ARTEFACT_BYTES_MAX => "it is larger than 8 MiB",
            ListingKind::File if self.bytes + entry.size > BYTES_MAX => {
                "the documents have more than 64 MiB together"
            }
            ListingKind::File if is_of_engine(&entry.path) => "Tollgate uses this name itself",
            ListingKind::File => {
                let bytes = match files::read_beneath(root, &entry.path, ARTEFACT_BYTES_MAX) {
                    Ok(bytes) => bytes,
                    Err(error) if error.is_not_found() => return Ok(()),
                    Err(FileError::Io { .. }) => {
                        self.left_out.entry("it cannot be read").or_default().push(entry.path);
                        return Ok(());
                    }
                    Err(error) => return Err(error),
                };
                self.bytes += bytes.len() as u64;
                self.files.insert(entry.path, without_secrets(bytes, redactor));
                return Ok(());
            }
        };
        self.left_out.entry(why).or_default().push(entry.path);
        Ok(())
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        let told = |(why, names): (&&str, &Vec<String>)| {
            let first: Vec<&str> = names.iter().take(NAMES_SHOWN).map(String::as_str).collect();
            let more = names.len().saturating_sub(NAMES_SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            foreign::left_out(&format!("{}{more}", first.join(", ")), why)
        };
        self.left_out.iter().map(told).collect()
    }
}

fn without_secrets(bytes: Vec<u8>, redactor: &Redactor) -> Vec<u8> {
    let clean = std::str::from_utf8(&bytes).ok().map(|text| redactor.redact(text).into_owned());
    clean.map_or(bytes, String::into_bytes)
}

/// What Tollgate writes at the top of a session's folder.
fn is_of_engine(path: &str) -> bool {
    let top = path.split('/').next().unwrap_or_default();
    let own = ["inbox", "dispatches", "checks", "evidence", "errors", Layout::IMPORTING];
    top.starts_with("lock") || top.starts_with("journal") || own.contains(&top)
}
