//! What the journal makes of a file that a crash, a disk or a person left behind.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::journal_support;

use journal_support::{at, journal_of, note, opened, quick_folder};
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use tempfile::TempDir;
use tollgate_host::journal::{self, JournalError};

/// Cuts the last commit at each of its bytes; all before it must survive and the journal continue.
fn check_every_cut(commits: &[usize]) {
    let folder = quick_folder();
    let path = journal_of(&folder, commits);
    let whole = fs::read(&path).unwrap();
    let kept_folder = quick_folder();
    let kept = fs::read(journal_of(&kept_folder, &commits[..commits.len() - 1])).unwrap();
    let kept_records: usize = commits[..commits.len() - 1].iter().sum();
    assert!(whole.starts_with(&kept));
    for cut in kept.len() + 1..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let tail = &whole[kept.len()..cut];

        let read = journal::read(&path).unwrap();
        assert_eq!(read.records.len(), kept_records, "cut at {cut}");
        assert_eq!(read.torn.unwrap().bytes, tail.len() as u64);
        assert_eq!(fs::read(&path).unwrap(), &whole[..cut], "reading wrote");

        let (mut journal, records, torn) = opened(&path).unwrap();
        let torn = torn.unwrap();
        let saved_as = torn.saved_as.unwrap();
        assert_eq!((records.len(), torn.bytes), (kept_records, tail.len() as u64));
        assert_eq!(fs::read(&saved_as).unwrap(), tail);
        assert_eq!(fs::read(&path).unwrap(), kept);

        let durable = journal.append(at(99), &[note("on")]).unwrap();
        assert_eq!(durable.first_seq(), kept_records as u64 + 1);
        assert_eq!(journal::read(&path).unwrap().records.len(), kept_records + 1);
        fs::remove_file(saved_as).unwrap();
    }
}

#[test]
fn r115_a_torn_last_record_is_set_aside_and_the_journal_continues() {
    check_every_cut(&[1, 2, 1]);
}

#[test]
fn r115_a_torn_commit_of_several_records_counts_as_a_whole() {
    check_every_cut(&[2, 3]);
}

#[test]
fn r115_the_very_first_commit_may_be_torn() {
    check_every_cut(&[2]);
}

#[test]
fn r115_each_torn_tail_keeps_its_own_file() {
    let folder = quick_folder();
    let path = journal_of(&folder, &[1]);
    for number in 1..=3 {
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend_from_slice(b"{\"seq\":2,\"at");
        fs::write(&path, bytes).unwrap();
        let (_, _, torn) = opened(&path).unwrap();
        let name = format!("journal.torn-{number}");
        assert_eq!(torn.unwrap().saved_as.unwrap(), folder.path().join(name));
    }
}

fn expect_damage(path: &Path, what: &str) {
    let before = fs::read(path).unwrap();
    for error in [journal::read(path).err(), opened(path).err()] {
        match error {
            Some(JournalError::Damaged { line, seq, .. }) => assert_eq!(line, seq),
            other => panic!("{what}: {other:?}"),
        }
    }
    assert_eq!(fs::read(path).unwrap(), before, "{what}: damage was touched");
}

#[test]
fn r115_every_changed_byte_is_found_and_nothing_is_repaired() {
    for commits in [&[1, 2, 1][..], &[1, 3]] {
        let folder = quick_folder();
        let path = journal_of(&folder, commits);
        let whole = fs::read(&path).unwrap();
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        for place in 0..whole.len() {
            for new in [whole[place] ^ 1, whole[place] ^ 0x20, whole[place] ^ 0x80, 0, b'\n', b'}']
            {
                // A zero where a lost block can begin and end is what a torn write leaves.
                if new == whole[place] || (new == 0 && place.is_multiple_of(512)) {
                    continue;
                }
                file.write_all_at(&[new], place as u64).unwrap();
                expect_damage(&path, &format!("byte {place} of {commits:?} became {new}"));
                file.write_all_at(&whole[place..=place], place as u64).unwrap();
            }
        }
    }
}

#[test]
fn r115_damage_names_its_line() {
    let folder = quick_folder();
    let path = journal_of(&folder, &[1, 1, 1]);
    let text = fs::read_to_string(&path).unwrap().replace("1.0", "1.9");
    fs::write(&path, text).unwrap();
    let message = opened(&path).unwrap_err().to_string();
    assert!(message.contains("line 2 (record 2)"), "{message}");
    assert!(message.contains("Nothing was repaired"), "{message}");
}

#[test]
fn r115_lines_taken_out_swapped_or_repeated_are_damage() {
    let folder = quick_folder();
    let path = journal_of(&folder, &[1, 1, 1]);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for order in [&[0, 2][..], &[1, 2], &[0, 2, 1], &[0, 1, 1, 2], &[0, 1, 2, 2]] {
        fs::write(&path, order.iter().map(|n| lines[*n]).collect::<String>()).unwrap();
        expect_damage(&path, &format!("{order:?}"));
    }
}

#[test]
fn r115_text_that_a_person_added_is_damage_not_a_torn_tail() {
    let folder = quick_folder();
    let path = journal_of(&folder, &[1]);
    let whole = fs::read(&path).unwrap();
    for added in ["hello", "hello\n", "\n", "{\"seq\":7,", "{}\n"] {
        fs::write(&path, [&whole[..], added.as_bytes()].concat()).unwrap();
        expect_damage(&path, added);
    }
}

/// A journal whose last commit covers several blocks; gives its content and where that commit begins.
fn journal_with_a_long_commit(folder: &TempDir) -> (std::path::PathBuf, Vec<u8>, usize) {
    let path = journal_of(folder, &[1, 1]);
    let start = fs::metadata(&path).unwrap().len() as usize;
    let (mut journal, _, _) = opened(&path).unwrap();
    let long: Vec<_> = (0..4).map(|n| note(&format!("{n}").repeat(1_500))).collect();
    let _ = journal.append(at(3), &long).unwrap();
    let whole = fs::read(&path).unwrap();
    (path, whole, start)
}

#[test]
fn r115_blocks_that_never_reached_the_disk_are_a_torn_tail() {
    let folder = quick_folder();
    let (path, whole, start) = journal_with_a_long_commit(&folder);
    let page = 4096;
    let zeroed = [start..512, start..page, page..whole.len(), page..page + 512, start..whole.len()];
    for zeros in zeroed {
        let mut bytes = whole.clone();
        bytes[zeros.clone()].fill(0);
        fs::write(&path, &bytes).unwrap();
        let (_, records, torn) = opened(&path).unwrap();
        let saved = fs::read(torn.unwrap().saved_as.unwrap()).unwrap();
        assert_eq!((records.len(), &saved[..]), (2, &bytes[start..]), "{zeros:?}");
        assert_eq!(fs::read(&path).unwrap(), &whole[..start]);
    }
}

#[test]
fn r115_zeros_before_a_later_commit_are_damage() {
    let folder = quick_folder();
    let (path, _, start) = journal_with_a_long_commit(&folder);
    let (mut journal, _, _) = opened(&path).unwrap();
    let _ = journal.append(at(4), &[note("later")]).unwrap();
    let whole = fs::read(&path).unwrap();
    for zeros in [start..512, 1024..1536, 0..512] {
        let mut bytes = whole.clone();
        bytes[zeros.clone()].fill(0);
        fs::write(&path, &bytes).unwrap();
        expect_damage(&path, &format!("{zeros:?}"));
    }
}
