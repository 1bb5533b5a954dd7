//! The end of a journal after a crash: what may be set aside, and how.
//!
//! Only what a write that never finished can leave is set aside. Everything else is damage.

use super::chain::{self, Position};
use super::{COMMIT_BYTES_MAX, JournalError, TornTail, sync_folder_of};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tollgate_files::crash;

/// Blocks that never reached the disk read as zeros from one multiple of this to another.
const SECTOR: u64 = 512;

/// Holds when `tail`, which follows the last whole commit, is the rest of one unfinished write.
pub(super) fn expect_torn(end: &Position, tail: &[u8]) -> Result<(), String> {
    if tail.len() as u64 > COMMIT_BYTES_MAX {
        return Err("what follows is longer than any commit".to_owned());
    }
    if tail.contains(&0) {
        expect_lost_blocks(end.offset, tail)?;
        return expect_one_commit(tail);
    }
    expect_cut(end, tail)
}

/// A write that was cut leaves the beginning of a commit and nothing else.
fn expect_cut(end: &Position, tail: &[u8]) -> Result<(), String> {
    let (mut seq, mut hash) = (end.seq, end.hash);
    let mut lines = tail.split(|byte| *byte == b'\n');
    let unfinished = lines.next_back().unwrap_or_default();
    for line in lines {
        // The scan has read these; they only lead to the record that is unfinished.
        let Ok(record) = chain::decode(&hash, seq, line) else { break };
        seq = record.seq;
        hash.copy_from_slice(record.hash.as_bytes());
    }
    let expected = format!("{{\"seq\":{},", seq + 1);
    let shared = unfinished.len().min(expected.len());
    if unfinished[..shared] != expected.as_bytes()[..shared] {
        return Err("the bytes there are not the beginning of a record".to_owned());
    }
    let is_overwritten = unfinished
        .split_last()
        .is_some_and(|(_, record)| chain::decode(&hash, seq, record).is_ok());
    if is_overwritten {
        return Err("the line break after it was overwritten".to_owned());
    }
    Ok(())
}

fn expect_lost_blocks(offset: u64, tail: &[u8]) -> Result<(), String> {
    let mut at = 0;
    while let Some(start) = tail[at..].iter().position(|byte| *byte == 0).map(|n| at + n) {
        let len = tail[start..].iter().position(|byte| *byte != 0).unwrap_or(tail.len() - start);
        let stop = start + len;
        let is_aligned = |place: usize| (offset + place as u64).is_multiple_of(SECTOR);
        if !(start == 0 || is_aligned(start)) || !(stop == tail.len() || is_aligned(stop)) {
            return Err("it contains zero bytes that a lost block cannot explain".to_owned());
        }
        at = stop;
    }
    Ok(())
}

/// Lines that can still be read must be of one commit: a later one was written after this was synced.
fn expect_one_commit(tail: &[u8]) -> Result<(), String> {
    let mut commit_end = None;
    let mut lines = tail.split(|byte| *byte == b'\n');
    let _unfinished = lines.next_back();
    for line in lines.filter(|line| !line.contains(&0)) {
        let this_end = chain::peek_commit_end(line).ok_or("a line after it is not a record")?;
        if *commit_end.get_or_insert(this_end) != this_end {
            return Err("it contains zero bytes and a later commit follows".to_owned());
        }
    }
    Ok(())
}

/// Keeps the tail beside the journal, byte for byte, and only then cuts it off.
pub(super) fn set_aside(
    file: &File,
    journal: &Path,
    keep: u64,
    tail: &[u8],
) -> Result<TornTail, JournalError> {
    let saved_as =
        save_beside(journal, tail).map_err(JournalError::io("save the torn end of", journal))?;
    crash::point("torn_end.saved");
    sync_folder_of(journal)?;
    let io = JournalError::io("cut the torn end off", journal);
    crash::point("torn_end.before_cut");
    file.set_len(keep).map_err(&io)?;
    crash::point("torn_end.cut");
    file.sync_all().map_err(&io)?;
    Ok(TornTail { bytes: tail.len() as u64, saved_as: Some(saved_as) })
}

fn save_beside(journal: &Path, tail: &[u8]) -> io::Result<PathBuf> {
    for number in 1_u32.. {
        let path = journal.with_extension(format!("torn-{number}"));
        match File::create_new(&path) {
            Ok(mut file) => {
                file.write_all(tail)?;
                file.sync_all()?;
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many torn ends are saved already"))
}
