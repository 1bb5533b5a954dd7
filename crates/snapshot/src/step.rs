//! Places where a test can kill this process: before every change to a disk that taking or restoring makes.

/// Set to N by a test: the process dies at its Nth step, as by a power cut.
const KILL_AT: &str = "TOLLGATE_SNAPSHOT_KILL_AT";

pub(super) fn step() {
    tollgate_files::crash::step(KILL_AT);
}
