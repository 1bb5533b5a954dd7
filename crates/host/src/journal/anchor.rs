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
    /// Of the fields before it: who reads while it is written over gets parts of two. Earlier versions wrote none.
    #[serde(default)]
    sum: Option<String>,
}

/// How often an anchor is read that is being written over.
const READS_MAX: u32 = 100;

const SUM_CHARACTERS: usize = 16;

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
        let mut anchor = Anchor { first: first.to_owned(), seq, hash, sum: None };
        anchor.sum = Some(anchor.summed());
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
        Self(places.iter().filter_map(|place| Anchor::read(place)).collect())
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
    fn read(place: &Path) -> Option<Self> {
        for _ in 0..READS_MAX {
            let bytes = files::read_bounded(place, SIZE as u64).ok()?;
            match serde_json::from_slice::<Self>(&bytes) {
                Ok(anchor) if anchor.sum.as_ref().is_none_or(|sum| *sum == anchor.summed()) => {
                    return Some(anchor);
                }
                _ => std::thread::yield_now(),
            }
        }
        None
    }

    /// Short, because an anchor has a fixed size; it is there against accidents.
    fn summed(&self) -> String {
        let text = format!("{} {} {}", self.first, self.seq, self.hash);
        let hash = files::hash_bytes(text.as_bytes());
        hash.as_str().chars().rev().take(SUM_CHARACTERS).collect()
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    /// An anchor is written over in place: who reads at that moment may get the beginning of one and the end of the other.
    #[test]
    fn r166_half_of_an_old_anchor_and_half_of_a_new_one_are_never_taken_for_an_anchor() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = [folder.path().join("anchor")];
        let [old, new] = [(748, "a1"), (749, "b2")].map(|(seq, hash)| {
            Anchors::open(&place).write(&"0f".repeat(32), seq, hash.repeat(32));
            fs::read(&place[0]).expect("it was written")
        });
        for cut in 0..=SIZE {
            fs::write(&place[0], [&new[..cut], &old[cut..]].concat()).expect("it is written");
            for anchor in Anchored::read(&place).0 {
                let is_whole = matches!((anchor.seq, &anchor.hash[..2]), (748, "a1") | (749, "b2"));
                assert!(
                    is_whole && anchor.hash[2..].starts_with(&anchor.hash[..2]),
                    "{cut}: {anchor:?}"
                );
                assert_eq!(anchor.hash, anchor.hash[..2].repeat(32), "{cut}");
            }
        }
        fs::write(&place[0], &new).expect("it is written");
        assert_eq!(Anchored::read(&place).0.len(), 1);
        // The longest that can be, and one of an earlier version.
        Anchors::open(&place).write(&"0f".repeat(32), u64::MAX, "a1".repeat(32));
        assert_eq!(Anchored::read(&place).0.len(), 1);
        fs::write(&place[0], r#"{"first":"a","seq":7,"hash":"b"}"#).expect("it is written");
        assert_eq!(Anchored::read(&place).0[0].seq, 7);
    }
}
