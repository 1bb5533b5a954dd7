//! Writes files, with the folders above them.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

pub(super) fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    make_parent(path)?;
    fs::write(path, bytes)
}

pub(super) fn append_file(path: &Path, text: &str) -> io::Result<()> {
    make_parent(path)?;
    append(path, text)
}

pub(super) fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// One write, so that lines of parallel starts do not mix.
pub(super) fn append(path: &Path, line: &str) -> io::Result<()> {
    OpenOptions::new().create(true).append(true).open(path)?.write_all(line.as_bytes())
}
