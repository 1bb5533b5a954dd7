//! Reading the journal in one pass, whole commits only.

use super::chain::{self, Position, RecordError};
use super::{Anchored, COMMIT_BYTES_MAX, JournalError, Record, TornTail, torn_end};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use tollgate_core::id::SessionName;
use tollgate_files as files;

/// What a reader gets: never writes, and an unfinished tail is perhaps a writer at work.
#[derive(Debug)]
pub struct ReadJournal {
    pub records: Vec<Record>,
    pub torn: Option<TornTail>,
}

pub fn read(path: &Path) -> Result<ReadJournal, JournalError> {
    let scan = scan(&open(path)?, path, Position::START)?;
    let torn = scan.tail.map(|tail| TornTail { bytes: tail.len() as u64, saved_as: None });
    Ok(ReadJournal { records: scan.records, torn })
}

/// Whether a journal has a first commit, without reading further. One that is damaged has begun: that must be told.
pub fn has_begun(path: &Path) -> Result<bool, JournalError> {
    let file = open(path)?;
    let mut reader = BufReader::new(&file);
    let start = Position::START;
    let mut commits =
        Commits { records: Vec::new(), whole: 0, end: start.clone(), next: start.clone() };
    let mut line = Vec::new();
    while commits.whole == 0 {
        line.clear();
        let read = (&mut reader).take(COMMIT_BYTES_MAX).read_until(b'\n', &mut line);
        let size = read.map_err(JournalError::io("read", path))?;
        let taken = line.strip_suffix(b"\n").map(|text| commits.take(text, size));
        match taken {
            Some(Ok(())) => {}
            // A whole line that is no record is damage, as in `scan`.
            Some(Err(_)) if !line.contains(&0) => return Ok(true),
            Some(Err(_)) | None => {
                let tail = read_tail(&file, path, &start)?;
                return Ok(torn_end::expect_torn(&start, &tail).is_err());
            }
        }
    }
    Ok(true)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    pub records: u64,
    pub last_hash: String,
    /// Bytes after the last whole commit.
    pub torn_bytes: u64,
}

/// Checks the whole chain, that every record can follow those before it, and that the journal is the session's own and
/// as long as it was known to be.
pub fn verify_session(
    path: &Path,
    session: &SessionName,
    anchors: &[PathBuf],
) -> Result<Verified, JournalError> {
    // In this order: an engine may be at work, and what it writes meanwhile is not missing.
    let anchored = Anchored::read(anchors);
    let scan = scan(&open(path)?, path, Position::START)?;
    super::expect_session(path, &scan.records, session)?;
    anchored.expect_whole(path, &scan.records)?;
    if !scan.records.is_empty() {
        super::replay(path, &scan.records)?;
    }
    Ok(Verified {
        records: scan.end.seq,
        last_hash: scan.end.hash_text(),
        torn_bytes: scan.tail.map_or(0, |tail| tail.len() as u64),
    })
}

/// The beginning of a journal, to the end of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix {
    pub bytes: u64,
    pub records: u64,
    pub last_hash: String,
}

/// Reads on where it stopped, for `log --follow`.
#[derive(Debug)]
pub struct JournalFollower {
    file: File,
    path: PathBuf,
    end: Position,
}

impl JournalFollower {
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        Ok(Self { file: open(path)?, path: path.to_owned(), end: Position::START })
    }

    /// What it has read.
    pub fn read_so_far(&self) -> Prefix {
        let Position { offset, seq, .. } = self.end;
        Prefix { bytes: offset, records: seq, last_hash: self.end.hash_text() }
    }

    /// The records of all commits that became whole since the last call.
    pub fn poll(&mut self) -> Result<Vec<Record>, JournalError> {
        let size = self.file.metadata().map_err(JournalError::io("look at", &self.path))?.len();
        if size < self.end.offset {
            let why = "the file is shorter than the part that was already read".to_owned();
            let line = self.end.seq;
            return Err(JournalError::Damaged { path: self.path.clone(), line, seq: line, why });
        }
        if size == self.end.offset {
            return Ok(Vec::new());
        }
        let scan = scan(&self.file, &self.path, self.end.clone())?;
        self.end = scan.end;
        Ok(scan.records)
    }
}

pub(super) struct JournalScan {
    pub records: Vec<Record>,
    /// After the last whole commit.
    pub end: Position,
    /// What follows it and is torn.
    pub tail: Option<Vec<u8>>,
}

/// Reads whole commits from `start` to the end of the file.
pub(super) fn scan(file: &File, path: &Path, start: Position) -> Result<JournalScan, JournalError> {
    let io = JournalError::io("read", path);
    let mut reader = BufReader::with_capacity(256 * 1024, file);
    reader.seek(SeekFrom::Start(start.offset)).map_err(&io)?;
    let mut commits = Commits { records: Vec::new(), whole: 0, end: start.clone(), next: start };
    let mut line = Vec::new();
    loop {
        line.clear();
        let size =
            (&mut reader).take(COMMIT_BYTES_MAX).read_until(b'\n', &mut line).map_err(&io)?;
        if size == 0 && commits.is_between() {
            return Ok(commits.finish(None));
        }
        match line.strip_suffix(b"\n") {
            Some(text) => match commits.take(text, size) {
                Ok(()) => continue,
                Err(fault) if line.contains(&0) => drop(fault),
                Err(fault) => return Err(commits.error(path, fault)),
            },
            None if size as u64 == COMMIT_BYTES_MAX => {
                let fault = RecordError::Damaged("the line is longer than any record".to_owned());
                return Err(commits.error(path, fault));
            }
            None => {}
        }
        let tail = read_tail(file, path, &commits.end)?;
        torn_end::expect_torn(&commits.end, &tail)
            .map_err(|why| commits.error(path, RecordError::Damaged(why)))?;
        return Ok(commits.finish(Some(tail)));
    }
}

/// Records so far, of which only those of whole commits count.
struct Commits {
    records: Vec<Record>,
    whole: usize,
    end: Position,
    next: Position,
}

impl Commits {
    fn is_between(&self) -> bool {
        self.records.len() == self.whole
    }

    fn take(&mut self, text: &[u8], size: usize) -> Result<(), RecordError> {
        let record = chain::decode(&self.next.hash, self.next.seq, text)?;
        if !self.is_between() {
            let promised = self.records.last().map_or(0, |last| last.more);
            if record.more.checked_add(1) != Some(promised) {
                return Err(RecordError::Damaged(
                    "it is not the next record of its commit".to_owned(),
                ));
            }
        }
        self.next.offset += size as u64;
        self.next.seq = record.seq;
        self.next.hash.copy_from_slice(record.hash.as_bytes());
        let ends_commit = record.more == 0;
        self.records.push(record);
        if ends_commit {
            self.whole = self.records.len();
            self.end = self.next.clone();
        }
        Ok(())
    }

    fn finish(mut self, tail: Option<Vec<u8>>) -> JournalScan {
        self.records.truncate(self.whole);
        JournalScan { records: self.records, end: self.end, tail }
    }

    fn error(&self, path: &Path, fault: RecordError) -> JournalError {
        let (path, line, seq) = (path.to_owned(), self.next.seq + 1, self.next.seq + 1);
        match fault {
            RecordError::Damaged(why) => JournalError::Damaged { path, line, seq, why },
            RecordError::Unknown { event_type, why } => {
                JournalError::Unknown { path, line, event_type, why }
            }
            RecordError::Newer { format } => JournalError::Newer { path, format },
        }
    }
}

fn read_tail(mut file: &File, path: &Path, end: &Position) -> Result<Vec<u8>, JournalError> {
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(end.offset))
        .and_then(|_| file.take(COMMIT_BYTES_MAX + 1).read_to_end(&mut tail))
        .map_err(JournalError::io("read", path))?;
    Ok(tail)
}

fn open(path: &Path) -> Result<File, JournalError> {
    files::options_nofollow().read(true).open(path).map_err(JournalError::io("open", path))
}
