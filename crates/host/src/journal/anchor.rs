//! How far a journal was, written down outside of it: a journal that was cut or put back from an older copy is intact by
//! itself, and only what stands elsewhere can tell.
//!
//! An anchor is written after the commit is on disk and is never synced. So it may be behind the journal and is never
//! ahead of it, and it costs one small write. One that is missing or does not read says nothing.

use super::{JournalError, Record};
use crate::files;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

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
            std::fs::create_dir_all(files::folder_of(place)).ok()?;
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

/// Refuses a journal of which more, or something else, was known at one of these places.
pub fn expect_whole(
    path: &Path,
    records: &[Record],
    places: &[PathBuf],
) -> Result<(), JournalError> {
    for anchor in places.iter().filter_map(|place| read(place)) {
        let older = |why: String| JournalError::Older {
            path: path.to_owned(),
            records: records.len() as u64,
            known: anchor.seq,
            why,
        };
        if records.first().is_some_and(|first| first.hash != anchor.first) {
            return Err(older(
                "it is the journal of another session with the same name".to_owned(),
            ));
        }
        let place = usize::try_from(anchor.seq).ok().and_then(|seq| seq.checked_sub(1));
        match place.and_then(|place| records.get(place)) {
            None if anchor.seq == 0 => {}
            None => {
                let (has, had) = (records.len(), anchor.seq);
                return Err(older(format!("it has {has} records where {had} were written")));
            }
            Some(record) if record.hash != anchor.hash => {
                let seq = anchor.seq;
                return Err(older(format!("its record {seq} is not the one that was written")));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn read(place: &Path) -> Option<Anchor> {
    serde_json::from_slice(&files::read_bounded(place, SIZE as u64).ok()?).ok()
}
