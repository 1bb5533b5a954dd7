//! The only truth of a session: a file of JSON lines, chained by SHA-256, written one commit at a time.
//!
//! A commit is one write and one sync. A commit of several records says on each line how many follow,
//! so that half of it is never taken for the whole.

mod anchor;
mod chain;
mod lineage;
mod scan;
mod torn_end;

pub use anchor::Anchored;
pub use lineage::Lineage;
pub use scan::{JournalFollower, Prefix, ReadJournal, Verified, has_begun, read, verify_session};

use anchor::Anchors;
use chain::Position;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tollgate_core::event::Event;
use tollgate_core::id::SessionName;
use tollgate_core::session::{Session, Unfit};
use tollgate_core::time::Timestamp;
use tollgate_files as files;
use tollgate_files::crash;

/// A commit is what one decision wrote; more than this is a runaway, and readers need a bound.
pub const COMMIT_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// What this version writes; the first record of a journal names it. Every format up to this one is read
/// (`tests/journals`), and a newer one is refused before anything is written.
pub const FORMAT: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Counts from 1; also the number of its line.
    pub seq: u64,
    pub at: Timestamp,
    /// How many records of the same commit follow.
    pub more: u32,
    pub event: Event,
    pub hash: String,
}

/// The records that a commit became.
#[derive(Debug, PartialEq, Eq)]
pub struct Written {
    first_seq: u64,
    last_seq: u64,
}

impl Written {
    pub fn first_seq(&self) -> u64 {
        self.first_seq
    }

    /// One less than `first_seq` for a commit without events.
    pub fn last_seq(&self) -> u64 {
        self.last_seq
    }
}

/// Bytes at the end that never became a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornTail {
    pub bytes: u64,
    /// Where they were put; none when only reading.
    pub saved_as: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("cannot {doing} the journal {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error(
        "the journal {} is damaged at line {line} (record {seq}): {why}. \
         Nothing was repaired; the records before it are intact. \
         Restore a copy of the file from before the damage, or start a new session",
        path.display()
    )]
    Damaged { path: PathBuf, line: u64, seq: u64, why: String },
    #[error(
        "line {line} of the journal {} is valid, but this version of Tollgate cannot \
         read its event {event_type:?}: {why}. Use the version that wrote it, or a newer one",
        path.display()
    )]
    Unknown { path: PathBuf, line: u64, event_type: String, why: String },
    #[error(
        "the journal {} was written by a newer version of Tollgate: it has format {format}, and this version reads \
         formats up to {FORMAT}. Nothing was changed. Update Tollgate and run the command again",
        path.display()
    )]
    Newer { path: PathBuf, format: u32 },
    #[error(
        "the journal {} was truncated or restored from an older copy: {why}. \
         The journal itself is valid, and nothing was changed",
        path.display()
    )]
    Older { path: PathBuf, known: u64, why: String },
    #[error(
        "the journal {} is not the one that was written last: it belongs to another session with the same name. \
         The journal itself is valid, and nothing was changed",
        path.display()
    )]
    Replaced { path: PathBuf, known: u64 },
    #[error(
        "the journal {} belongs to session {session}, not to the folder that it \
         is in. Nothing was changed. A copied session folder cannot be used: delete the copy, or rename the folder back to \
         {session}",
        path.display()
    )]
    Foreign { path: PathBuf, session: String },
    #[error(
        "the journal {} is a copy: the session belongs to {}. \
         Nothing was changed. Continue there, or delete the copy",
        path.display(), original.display()
    )]
    Copied { path: PathBuf, original: PathBuf },
    #[error("one commit of {bytes} bytes is too large for the journal {} (the limit is {COMMIT_BYTES_MAX})", path.display())]
    TooBig { path: PathBuf, bytes: u64 },
    #[error(
        "nothing more can be written to the journal {} because an earlier \
         write failed. Fix the cause (a full disk, a lost mount) and resume the session",
        path.display()
    )]
    Poisoned { path: PathBuf },
}

impl JournalError {
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    fn io<'a>(doing: &'static str, path: &'a Path) -> impl Fn(io::Error) -> Self + use<'a> {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }
}

/// The writer. Whoever holds it also holds the session's lock.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    end: Position,
    poisoned: bool,
    lineage: Lineage,
    anchors: Anchors,
}

impl tollgate_core::engine::Journal for Journal {
    type Error = JournalError;

    fn append_and_sync(&mut self, at: Timestamp, events: &[Event]) -> Result<(), JournalError> {
        self.append(at, events).map(drop)
    }
}

impl Journal {
    /// Makes a new, empty journal; one that exists is an error.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        let file = files::options_nofollow()
            .read(true)
            .append(true)
            .create_new(true)
            .open(path)
            .map_err(JournalError::io("create", path))?;
        crash::point("journal.created");
        // Its name must last; it holds nothing yet, and the first commit syncs the file itself.
        sync_folder_of(path)?;
        Ok(Self::at(file, path, Position::START, Lineage::default()))
    }

    /// Reads the whole journal, checks its chain and that its records are what they should be, and sets a torn tail aside.
    /// Nothing is written before all that is known.
    pub fn open_if<E: From<JournalError>>(
        path: &Path,
        check: impl FnOnce(&[Record]) -> Result<(), E>,
    ) -> Result<(Self, Vec<Record>, Option<TornTail>), E> {
        let file = files::options_nofollow()
            .read(true)
            .append(true)
            .open(path)
            .map_err(JournalError::io("open", path))?;
        let scan = scan::scan(&file, path, Position::START)?;
        check(&scan.records)?;
        let torn = match scan.tail {
            None => None,
            Some(tail) => Some(torn_end::set_aside(&file, path, scan.end.offset, &tail)?),
        };
        // Also what a killed writer left unsynced counts from here on, so it must be on disk.
        file.sync_data().map_err(JournalError::io("sync", path))?;
        let lineage = Lineage::of(&scan.records);
        Ok((Self::at(file, path, scan.end, lineage), scan.records, torn))
    }

    fn at(file: File, path: &Path, end: Position, lineage: Lineage) -> Self {
        let anchors = Anchors::default();
        Self { file, path: path.to_owned(), end, poisoned: false, lineage, anchors }
    }

    /// From the next commit on, these places also say how far the journal is. A journal that has not begun forgets what
    /// they say first: it is of another one.
    pub fn anchor_at(&mut self, places: &[PathBuf]) -> Result<(), JournalError> {
        if self.end.seq == 0 {
            anchor::forget(places)?;
        }
        self.anchors = Anchors::open(places);
        Ok(())
    }

    /// Writes to the anchors how far the journal is. For a journal that was found whole: a note may be lost, and the next
    /// commit may never come.
    pub fn renew_anchors(&self) {
        self.anchors.write(self.lineage.first(), self.end.seq, self.end.hash_text());
    }

    pub fn lineage(&self) -> &Lineage {
        &self.lineage
    }

    /// Writes the events as one commit: all of them are durable or none counts.
    ///
    /// After any error of the disk the journal refuses further appends: what the disk holds is then
    /// known only by reading it again.
    pub fn append(&mut self, at: Timestamp, events: &[Event]) -> Result<Written, JournalError> {
        if self.poisoned {
            return Err(JournalError::Poisoned { path: self.path.clone() });
        }
        let first_seq = self.end.seq + 1;
        let mut hashes = Vec::with_capacity(events.len());
        let (bytes, end) = chain::encode(&self.end, at, events, &mut hashes);
        if bytes.len() as u64 > COMMIT_BYTES_MAX {
            return Err(JournalError::TooBig {
                path: self.path.clone(),
                bytes: bytes.len() as u64,
            });
        }
        if !bytes.is_empty() {
            // Only a write that came to its end lifts this again.
            self.poisoned = true;
            self.expect_untouched()?;
            self.write_and_sync(&bytes).inspect_err(|_| self.drop_half_commit())?;
            self.poisoned = false;
        }
        for ((event, hash), seq) in events.iter().zip(&hashes).zip(first_seq..) {
            self.lineage.take(event, seq, hash);
        }
        self.end = end;
        self.renew_anchors();
        Ok(Written { first_seq, last_seq: self.end.seq })
    }

    /// 0 when nothing is written yet.
    pub fn last_seq(&self) -> u64 {
        self.end.seq
    }

    fn write_and_sync(&mut self, bytes: &[u8]) -> Result<(), JournalError> {
        crash::point("journal.before_write");
        self.file.write_all(bytes).map_err(JournalError::io("write to", &self.path))?;
        crash::point("journal.written");
        self.file.sync_data().map_err(JournalError::io("sync", &self.path))?;
        crash::point("journal.synced");
        Ok(())
    }

    /// A file that was removed or changed behind our back would swallow records.
    fn expect_untouched(&self) -> Result<(), JournalError> {
        let meta = self.file.metadata().map_err(JournalError::io("look at", &self.path))?;
        if meta.nlink() == 0 {
            let gone = io::Error::new(io::ErrorKind::NotFound, "it was removed while in use");
            return Err(JournalError::io("write to", &self.path)(gone));
        }
        if meta.len() == self.end.offset {
            return Ok(());
        }
        let (line, seq) = (self.end.seq + 1, self.end.seq + 1);
        let why = format!("it has {} bytes where {} were written", meta.len(), self.end.offset);
        Err(JournalError::Damaged { path: self.path.clone(), line, seq, why })
    }

    /// Cuts what was written of a failed commit off, if the disk lets us; opening fixes it otherwise.
    fn drop_half_commit(&self) {
        // A failure here is part of the failure that the caller is already told about.
        let _ = self.file.set_len(self.end.offset).and_then(|()| self.file.sync_all());
    }
}

/// Refuses a journal that tells of another session than the one whose folder it lies in.
pub fn expect_session(
    path: &Path,
    records: &[Record],
    session: &SessionName,
) -> Result<(), JournalError> {
    match records.first().map(|record| &record.event) {
        Some(Event::SessionOpened(opening)) if opening.session != *session => {
            let session = opening.session.to_string();
            Err(JournalError::Foreign { path: path.to_owned(), session })
        }
        _ => Ok(()),
    }
}

/// The state that a journal tells of. An intact record that cannot follow those before it is damage, too.
pub fn replay(path: &Path, records: &[Record]) -> Result<Session, JournalError> {
    let events = records.iter().map(|record| (record.at, &record.event));
    Session::replay(events).map_err(|Unfit { index, why }| {
        let (path, line) = (path.to_owned(), index as u64 + 1);
        JournalError::Damaged { path, line, seq: line, why }
    })
}

fn sync_folder_of(path: &Path) -> Result<(), JournalError> {
    files::sync_folder(files::folder_of(path)).map_err(JournalError::io("sync the folder of", path))
}
