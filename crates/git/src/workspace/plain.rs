//! Files of ours beside the tree, read and written as a whole.

use super::WorkspaceError;
use std::fs;
use std::path::Path;

pub(super) fn read_if_there(path: &Path) -> Result<Vec<u8>, WorkspaceError> {
    match fs::read(path) {
        Ok(bytes) => Ok(bytes),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(cause) => Err(WorkspaceError::io(path, cause)),
    }
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), WorkspaceError> {
    fs::write(path, bytes).map_err(|cause| WorkspaceError::io(path, cause))
}
