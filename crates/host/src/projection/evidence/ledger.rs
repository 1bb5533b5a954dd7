//! A file that only grows: what is new is put at its end, and one that was touched or is gone is written whole again.

use std::io::Write;
use std::path::PathBuf;
use tollgate_core::limits::PERSIST_TRIES;
use tollgate_files::crash;
use tollgate_files::{self as files, FileError};

#[derive(Debug)]
pub(super) struct Ledger {
    path: PathBuf,
    text: String,
    header_bytes: usize,
    /// Stands in for entries while there are none.
    nothing: &'static str,
    /// How much of `text` this process has put on disk.
    written_bytes: Option<usize>,
}

impl Ledger {
    pub(super) fn new(path: PathBuf, header: &str, nothing: &'static str) -> Self {
        let text = header.to_owned();
        Self { path, header_bytes: text.len(), text, nothing, written_bytes: None }
    }

    pub(super) fn add(&mut self, entry: &str) {
        self.text.push_str(entry);
    }

    pub(super) fn write(&mut self) -> Result<(), FileError> {
        if self.text.len() == self.header_bytes {
            let whole = format!("{}{}", self.text, self.nothing);
            return if self.has_length(whole.len()) { Ok(()) } else { self.replace(&whole) };
        }
        match self.written_bytes {
            Some(written) if self.has_length(written) => self.append(written),
            _ => {
                self.replace(&self.text)?;
                self.written_bytes = Some(self.text.len());
                Ok(())
            }
        }
    }

    fn has_length(&self, bytes: usize) -> bool {
        let found = self.path.symlink_metadata();
        found.is_ok_and(|found| found.is_file() && found.len() == bytes as u64)
    }

    fn append(&mut self, written: usize) -> Result<(), FileError> {
        if written == self.text.len() {
            return Ok(());
        }
        let io = FileError::io("write", &self.path);
        let mut file = files::options_nofollow().append(true).open(&self.path).map_err(&io)?;
        file.write_all(&self.text.as_bytes()[written..]).map_err(&io)?;
        crash::point("evidence.appended");
        self.written_bytes = Some(self.text.len());
        Ok(())
    }

    fn replace(&self, whole: &str) -> Result<(), FileError> {
        let folder = files::folder_of(&self.path);
        std::fs::create_dir_all(folder).map_err(FileError::io("make", folder))?;
        crash::point("evidence.before_write");
        files::write_cache_checked(&self.path, whole.as_bytes(), PERSIST_TRIES)
    }
}
