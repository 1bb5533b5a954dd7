//! `.artifacts-failed/`: what an agent delivered that stayed invalid to the last re-run, with the faults found in it.

use std::path::Path;
use tollgate_core::id::{Attempt, DispatchNumber, SessionName};
use tollgate_core::limits::REPLY_BYTES_MAX;
use tollgate_core::reply::ReplyError;
use tollgate_files::layout::SessionLayout;
use tollgate_files::{self as files, FileError, TreeLimits};

/// The folder beside an attempt's logs with what it left that was refused.
pub const FAILED: &str = "failed";

/// Enough to see what went wrong; the whole of it is under the rescue name.
pub const KEPT_LIMITS: TreeLimits = TreeLimits { entries_max: 2_000, file_bytes_max: 1024 * 1024 };

/// From the repository's root.
pub(super) fn place(session: &SessionName, number: DispatchNumber) -> String {
    format!(".artifacts-failed/{session}/dispatch-{number}/")
}

/// Copies what the attempt staged. Made again it holds the same, so a repetition does no harm.
pub(super) fn keep(
    root: &Path,
    layout: &SessionLayout,
    number: DispatchNumber,
    attempt: Attempt,
    errors: &[ReplyError],
) -> Result<(), FileError> {
    let session = layout.folder().file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = format!(".artifacts-failed/{session}/dispatch-{number}/attempt-{attempt}");
    let report = format!("{folder}/errors.json");
    if files::open_beneath(root, &report).is_ok() {
        return Ok(());
    }
    let run = layout.attempt(number, attempt);
    let staged = run.folder().join(FAILED);
    if staged.is_dir() {
        for entry in files::list_files(&staged, KEPT_LIMITS)? {
            if entry.kind == files::ListingKind::File {
                let bytes = files::read_beneath(&staged, &entry.path, KEPT_LIMITS.file_bytes_max)?;
                files::write_beneath(root, &format!("{folder}/{}", entry.path), &bytes)?;
            }
        }
    }
    if let Ok(reply) = files::read_bounded(&run.stdout(), REPLY_BYTES_MAX) {
        files::write_beneath(root, &format!("{folder}/reply.txt"), &reply)?;
    }
    let lines: String = errors.iter().map(|error| format!("{error}\n")).collect();
    files::write_beneath(root, &format!("{folder}/errors.txt"), lines.as_bytes())?;
    let mut json = serde_json::to_vec_pretty(errors).expect("faults can be written as JSON");
    json.push(b'\n');
    files::write_beneath(root, &report, &json)
}
