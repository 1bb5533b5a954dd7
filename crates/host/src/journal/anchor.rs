//! How far a journal was, written down outside of it: a journal that was cut or put back from an older copy is intact by
//! itself, and only what stands elsewhere can tell.
//!
//! An anchor is written after the commit is on disk and is never synced. So it may be behind the journal and is never
//! ahead of it, and it costs one small write. One that is missing or does not read says nothing. What an anchor said of
//! another journal is removed before the first record; what it said before an older journal was accepted stands in the
//! record of that.

use super::{JournalError, Record};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use tollgate_core::event::Event;
use tollgate_files as files;

/// Always so many bytes, filled up with spaces: it is written over in place.
const SIZE: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Anchor {
    /// The hash of the first record.
    first: String,
    /// The number of the last record, and its hash.
    seq: u64,
    hash: String,
}

/// The anchors of one journal, open to be written.
#[derive(Debug, Default)]
pub(super) struct Anchors(Vec<File>);

impl Anchors {
    /// A place that cannot be written is left out: an anchor is a help and no part of the truth.
    pub fn open(places: &[PathBuf]) -> Self {
        let open = |place: &PathBuf| {
            fs::create_dir_all(files::folder_of(place)).ok()?;
            let mut options = files::options_nofollow();
            options.write(true).create(true).truncate(false).open(place).ok()
        };
        Self(places.iter().filter_map(open).collect())
    }

    pub fn write(&self, first: &str, seq: u64, hash: String) {
        let anchor = Anchor { first: first.to_owned(), seq, hash };
        let mut text = serde_json::to_vec(&anchor).expect("an anchor is plain data");
        text.resize(SIZE - 1, b' ');
        text.push(b'\n');
        for file in &self.0 {
            let _behind_is_allowed = file.write_all_at(&text, 0);
        }
    }
}

/// Removes what stands at these places, for good: a power cut does not bring it back.
pub(super) fn forget(places: &[PathBuf]) -> Result<(), JournalError> {
    let unless_missing = |done: io::Result<()>| match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    };
    for place in places {
        unless_missing(fs::remove_file(place))
            .and_then(|()| unless_missing(files::sync_folder(files::folder_of(place))))
            .map_err(JournalError::io("remove the old note on", place))?;
    }
    Ok(())
}

/// What stands at the anchors of a journal. While the journal may be written, this is read before the journal is.
#[derive(Debug)]
pub struct Anchored(Vec<Anchor>);

impl Anchored {
    pub fn read(places: &[PathBuf]) -> Self {
        let read = |place: &PathBuf| {
            serde_json::from_slice(&files::read_bounded(place, SIZE as u64).ok()?).ok()
        };
        Self(places.iter().filter_map(read).collect())
    }

    pub fn hashes(&self) -> Vec<String> {
        self.0.iter().map(|anchor| anchor.hash.clone()).collect()
    }

    /// Refuses a journal of which more, or something else, was known.
    pub fn expect_whole(&self, path: &Path, records: &[Record]) -> Result<(), JournalError> {
        let is_forgotten = |anchor: &Anchor| {
            records.iter().any(|record| {
                matches!(&record.event, Event::OlderJournalAccepted { forgotten, .. }
                    if forgotten.contains(&anchor.hash))
            })
        };
        self.0
            .iter()
            .filter(|anchor| !is_forgotten(anchor))
            .try_for_each(|anchor| anchor.expect_in(path, records))
    }
}

impl Anchor {
    fn expect_in(&self, path: &Path, records: &[Record]) -> Result<(), JournalError> {
        let (path, known) = (path.to_owned(), self.seq);
        if records.first().is_some_and(|first| first.hash != self.first) {
            return Err(JournalError::Replaced { path, known });
        }
        let place = usize::try_from(known).ok().and_then(|seq| seq.checked_sub(1));
        let why = match place.and_then(|place| records.get(place)) {
            None if known == 0 => return Ok(()),
            None => format!("it has {} records, but {known} were written", records.len()),
            Some(record) if record.hash == self.hash => return Ok(()),
            Some(_) => format!("its record {known} is not the one that was written"),
        };
        Err(JournalError::Older { path, known, why })
    }
}
