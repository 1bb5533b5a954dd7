//! A journal whose last record is cut anywhere continues; one with damage before that is refused and left alone.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::kills_support;

use kills_support::facts::{Facts, expect_sound};
use kills_support::random::Random;
use kills_support::{Next, World, each, ended};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

#[test]
fn r115_a_journal_cut_at_every_byte_of_its_last_record_recovers() {
    const WORLDS: usize = 4;
    let shares: Vec<usize> = (0..WORLDS).collect();
    each(&shares, |share| {
        let world = World::lean();
        world.finish(|_, _| {});
        let (facts, starts) = (Facts::of(&world), world.starts());
        let journal = world.session_layout().unwrap().journal();
        let whole = fs::read(&journal).unwrap();
        let last_line = whole[..whole.len() - 1].iter().rposition(|b| *b == b'\n').unwrap() + 1;
        for cut in (last_line..whole.len()).filter(|cut| cut % WORLDS == *share) {
            fs::write(&journal, &whole[..cut]).unwrap();
            // A record that was cut was never on disk, so it stands nowhere else either.
            for anchors in ["repo/.git/tollgate", "state/sessions"] {
                fs::remove_dir_all(world.path(anchors)).unwrap();
            }
            let status = ended(&world.tollgate(&["status"]).output().unwrap());
            assert_eq!(status.code, Some(0), "cut at {cut}: {}", status.text);
            let resumed = ended(&world.command(&Next::Resume).output().unwrap());
            assert_eq!(resumed.code, Some(0), "cut at {cut}: {}", resumed.text);
            assert_eq!(Facts::of(&world), facts, "cut at {cut}");
            expect_sound(&world);
            assert_eq!(world.starts(), starts, "cut at {cut}");
        }
    });
}

#[test]
fn r103_a_session_that_was_killed_before_its_first_record_is_named_and_can_be_begun() {
    for point in ["journal.created", "journal.before_write"] {
        let world = World::lean();
        let mut killed = world.command(&Next::Run);
        assert_eq!(ended(&killed.env("TOLLGATE_CRASH_AT", point).output().unwrap()).code, None);
        let resumed = ended(&world.command(&Next::Resume).output().unwrap());
        assert_eq!(resumed.code, Some(2), "{}", resumed.text);
        assert!(resumed.text.contains("no sessions here yet"), "{}", resumed.text);
        assert_eq!(ended(&world.command(&Next::Run).output().unwrap()).code, Some(3));
        assert_eq!(ended(&world.tollgate(&["status"]).output().unwrap()).code, Some(0));
    }
}

#[test]
fn r115_a_flipped_byte_before_the_last_record_is_named_and_nothing_is_written() {
    const FLIPS: usize = 60;
    let world = World::lean();
    assert_eq!(ended(&world.command(&Next::Run).output().unwrap()).code, Some(3));
    let layout = world.session_layout().unwrap();
    let whole = fs::read(layout.journal()).unwrap();
    let last_line = whole[..whole.len() - 1].iter().rposition(|b| *b == b'\n').unwrap() + 1;
    let mut random = Random(115);
    for _ in 0..FLIPS {
        let at = usize::try_from(random.below(last_line as u64)).unwrap();
        let bit = 1 << random.below(7);
        let mut damaged = whole.clone();
        damaged[at] ^= bit;
        fs::write(layout.journal(), &damaged).unwrap();
        let before = content(layout.folder());
        for args in [&["resume", "--no-input"][..], &["status"]] {
            let ended = ended(&world.tollgate(args).output().unwrap());
            assert_eq!(ended.code, Some(6), "byte {at}: {}", ended.text);
            let line = whole[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            // A line break that is gone damages the line that it ended.
            assert!(ended.text.contains(&format!("(record {line})")), "byte {at}: {}", ended.text);
        }
        assert_eq!(content(layout.folder()), before, "byte {at}: something was written");
    }
}

/// Every file below a folder, without the lock, which says who looked last.
fn content(folder: &Path) -> BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(content(&entry.path()));
        } else if kind.is_symlink() {
            let target = fs::read_link(entry.path()).unwrap();
            found.insert(entry.path(), target.into_os_string().into_encoded_bytes());
        } else if entry.file_name() != "lock" {
            found.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
    found
}
