//! A copy of the index for a git that would write it.

use std::fs::{File, FileTimes};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

#[derive(Debug)]
pub struct IndexCopy {
    folder: TempDir,
}

impl IndexCopy {
    /// Of a checkout without an index the copy is none either, which git takes for an empty one.
    pub fn of(git_dir: &Path) -> std::io::Result<Self> {
        let copy = Self { folder: tempfile::Builder::new().prefix("tollgate-scope-").tempdir()? };
        let mut original = match File::open(git_dir.join("index")) {
            Ok(original) => original,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(copy),
            Err(error) => return Err(error),
        };
        // A file as new as its index may have changed since unseen; a younger copy would hide that from git.
        let modified = original.metadata()?.modified()?;
        let mut written = File::create(copy.path())?;
        std::io::copy(&mut original, &mut written)?;
        written.set_times(FileTimes::new().set_modified(modified))?;
        Ok(copy)
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("index")
    }
}
