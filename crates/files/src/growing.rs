//! Reads a file that another process still writes: whole lines only, and each one once.

use crate::options_nofollow;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct GrowingLog {
    path: PathBuf,
    /// Everything before it was read, up to the end of a line.
    read: u64,
}

impl GrowingLog {
    /// The file need not exist yet.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), read: 0 }
    }

    /// Passes over what is in it already.
    pub fn from_its_end(path: &Path) -> Self {
        let read = path.metadata().map_or(0, |found| found.len());
        Self { path: path.to_owned(), read }
    }

    /// The whole lines that came since the last look, at most so many bytes of them; the rest comes with the next look. A line
    /// that is longer is passed over piece by piece.
    pub fn lines(&mut self, bytes_max: u64) -> io::Result<Vec<Vec<u8>>> {
        let mut file = options_nofollow().read(true).open(&self.path)?;
        file.seek(SeekFrom::Start(self.read))?;
        let mut news = Vec::new();
        file.take(bytes_max).read_to_end(&mut news)?;
        let end = match news.iter().rposition(|byte| *byte == b'\n') {
            Some(newline) => newline + 1,
            None if news.len() as u64 == bytes_max => {
                self.read += bytes_max;
                return Ok(Vec::new());
            }
            // The line is still being written.
            None => return Ok(Vec::new()),
        };
        self.read += end as u64;
        Ok(news[..end - 1].split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect())
    }

    /// As `lines` for somebody who wants to read all of it: a line that is longer comes in pieces, and once nobody writes any
    /// more, so does a last line without an end.
    pub fn text(&mut self, bytes_max: u64, is_over: bool) -> io::Result<Vec<Vec<u8>>> {
        let before = self.read;
        let lines = self.lines(bytes_max)?;
        let was_passed_over = self.read > before;
        if !lines.is_empty() || !(was_passed_over || is_over) {
            return Ok(lines);
        }
        let mut file = options_nofollow().read(true).open(&self.path)?;
        file.seek(SeekFrom::Start(before))?;
        let mut piece = Vec::new();
        file.take(bytes_max).read_to_end(&mut piece)?;
        self.read = before + piece.len() as u64;
        Ok(if piece.is_empty() { Vec::new() } else { vec![piece] })
    }

    /// How much of it was read.
    pub fn position(&self) -> u64 {
        self.read
    }

    /// As `lines`, of the last bytes only. The first line may lack its beginning.
    pub fn last_lines(&mut self, bytes_max: u64) -> io::Result<Vec<Vec<u8>>> {
        let end = self.path.metadata()?.len();
        self.read = self.read.max(end.saturating_sub(bytes_max));
        self.lines(bytes_max)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::fs::File;
    use std::io::Write;

    fn shown(lines: io::Result<Vec<Vec<u8>>>) -> Vec<String> {
        let lines = lines.unwrap_or_default();
        lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    }

    #[test]
    fn a_line_is_read_once_and_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        let mut log = GrowingLog::new(&path);
        assert!(log.lines(100).is_err(), "there is no file yet");
        let mut file = File::create(&path).unwrap();
        write!(file, "one\ntw").unwrap();
        assert_eq!(shown(log.lines(100)), ["one"]);
        assert_eq!(shown(log.lines(100)), [""; 0]);
        write!(file, "o\n\nthree\n").unwrap();
        assert_eq!(shown(log.lines(100)), ["two", "", "three"]);
        let mut later = GrowingLog::from_its_end(&path);
        writeln!(file, "four").unwrap();
        assert_eq!(shown(later.lines(100)), ["four"]);
    }

    #[test]
    fn r183_a_reader_of_everything_gets_long_lines_in_pieces_and_the_last_one_without_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        std::fs::write(&path, "0123456789abc\nlast").unwrap();
        let mut log = GrowingLog::new(&path);
        assert_eq!(shown(log.text(10, false)), ["0123456789"]);
        assert_eq!(shown(log.text(10, false)), ["abc"]);
        assert_eq!(shown(log.text(10, false)), [""; 0], "somebody may add to it");
        assert_eq!(shown(log.text(10, true)), ["last"]);
        assert_eq!(shown(log.text(10, true)), [""; 0]);
    }

    #[test]
    fn a_line_without_an_end_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        let mut file = File::create(&path).unwrap();
        write!(file, "{}\nlast\n", "x".repeat(25)).unwrap();
        let mut log = GrowingLog::new(&path);
        assert_eq!(shown(log.lines(10)), [""; 0]);
        assert_eq!(shown(log.lines(10)), [""; 0]);
        assert_eq!(shown(log.lines(10)), ["xxxxx"], "its end has no beginning");
        assert_eq!(shown(log.lines(10)), ["last"]);
        assert_eq!(shown(GrowingLog::new(&path).last_lines(7)), ["x", "last"]);
    }
}
