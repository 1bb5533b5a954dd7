//! A session as one file that can be judged anywhere: what `tollgate export` writes and `tollgate audit --verify FILE` reads.
//!
//! The file is a `.tar.gz` in exactly one form: the same session gives the same bytes, and whatever differs from that form was
//! changed. Reading trusts nothing in it: sizes are bounded before they are believed, names are names of ours or nothing, and
//! only the journal, the commits and small documents are ever put on a disk, below a temporary folder.

mod bundle;
mod manifest;
mod open;
mod problem;
mod read;
mod tape;
mod write;

pub use manifest::{Chain, Commits, Entry, LeftOut, Manifest};
pub use open::{Archive, CommitsSeen, OpenError, is_archive_name, open};
pub use problem::Problem;
pub use write::{ExportError, Source, write};

/// What this version writes; a newer one is refused.
const FORMAT: u32 = 1;

/// The files of the session are below this, so that no name of theirs is one of ours.
const SESSION: &str = "session/";
const JOURNAL: &str = "session/journal.jsonl";
const COMMITS: &str = "commits.bundle";
const MANIFEST: &str = "manifest.json";
/// The hash of the manifest, as `sha256sum --check` reads it. The last entry.
const MANIFEST_SUM: &str = "manifest.json.sha256";

/// More is not one session; a bomb has more.
const ENTRIES_MAX: usize = 100_000;
/// The output of one dispatch is far below it.
const ENTRY_BYTES_MAX: u64 = 1 << 30;
const TOTAL_BYTES_MAX: u64 = 4 << 30;
/// What is put on a disk to be judged.
const JOURNAL_BYTES_MAX: u64 = 512 << 20;
const COMMITS_BYTES_MAX: u64 = 512 << 20;
/// What is held in memory.
const MANIFEST_BYTES_MAX: u64 = 64 << 20;
