//! Whatever happens to a tree, a restore makes it what it was, and undo brings back what the restore replaced.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::snapshot_support;

use snapshot_support::*;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use tollgate_snapshot::{SnapshotError, SnapshotScope, Snapshots, Why};

#[test]
fn r110_three_hundred_random_trees_are_restored_to_the_bit_and_undone_to_the_bit() {
    std::thread::scope(|scope| {
        for part in 0..4 {
            scope
                .spawn(move || (0..300).filter(|seed| seed % 4 == part).for_each(damaged_and_back));
        }
    });
}

fn damaged_and_back(seed: u64) {
    let temp = scratch();
    let root = temp.path();
    let mut chance = Chance::new(seed);
    fs::create_dir(root.join(".git")).unwrap();
    fs::write(root.join(".git/index"), "git's own").unwrap();
    fs::write(root.join(".gitignore"), "target\n*.txt\n").unwrap();
    fill(&mut chance, root, 0);
    let whole = tree(root);
    let snapshot = create(root);
    // Whether the stamps of the first look are settled or not must not matter.
    if chance.one_in(2) {
        create(root);
    }
    damage(&mut chance, root);
    fs::write(root.join(".git/index"), "git continued").unwrap();
    let damaged = tree(root);
    let snapshots = Snapshots::of(root);
    let restored = snapshots.restore(&snapshot, noon(), ALWAYS).unwrap();
    let mut expected = whole;
    expected.insert(b".git/index".to_vec(), damaged[&b".git/index"[..]].clone());
    expect_same(&tree(root), &expected, &format!("restored, seed {seed}"));
    if restored.undo.is_none() {
        return assert_eq!(expected, damaged, "nothing was done, seed {seed}");
    }
    snapshots.undo(noon(), ALWAYS).unwrap();
    expect_same(&tree(root), &damaged, &format!("undone, seed {seed}"));
    snapshots.undo(noon(), ALWAYS).unwrap();
    expect_same(&tree(root), &expected, &format!("undone twice, seed {seed}"));
}

#[test]
fn r079_a_plan_counts_what_reverts_comes_back_and_goes_and_changes_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    for name in ["edited", "gone", "mode", "link", "same"] {
        fs::write(root.join(name), name).unwrap();
    }
    fs::create_dir_all(root.join("empty/deep")).unwrap();
    let snapshot = create(root);
    fs::write(root.join("edited"), "otherwise").unwrap();
    fs::remove_file(root.join("gone")).unwrap();
    fs::set_permissions(root.join("mode"), fs::Permissions::from_mode(0o700)).unwrap();
    fs::remove_file(root.join("link")).unwrap();
    symlink("same", root.join("link")).unwrap();
    fs::remove_dir_all(root.join("empty")).unwrap();
    fs::create_dir(root.join("new")).unwrap();
    fs::write(root.join("new/file"), "new").unwrap();
    let before = tree(root);
    let plan = Snapshots::of(root).show(snapshot.clone()).unwrap().plan;
    let text = |paths: &[Vec<u8>]| {
        paths.iter().map(|p| String::from_utf8(p.clone()).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(text(&plan.revert), ["edited", "link"]);
    assert_eq!(text(&plan.create), ["gone"]);
    assert_eq!(text(&plan.delete), ["new/file"]);
    assert_eq!(text(&plan.mode), ["mode"]);
    assert_eq!(text(&plan.folders_create), ["empty", "empty/deep"]);
    assert_eq!(text(&plan.folders_delete), ["new"]);
    expect_same(&tree(root), &before, "shown only");
    let restored = Snapshots::of(root).restore(&snapshot, noon(), ALWAYS).unwrap();
    assert_eq!(restored.plan, plan);
    assert!(Snapshots::of(root).show(snapshot).unwrap().plan.is_empty());
}

#[test]
fn r110_editing_a_file_changes_no_snapshot() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    fs::write(root.join("a"), "first").unwrap();
    let snapshot = create(root);
    assert_eq!(root.join("a").metadata().unwrap().nlink(), 1, "nothing shares its inode");
    let mut file = fs::File::options().write(true).open(root.join("a")).unwrap();
    std::io::Write::write_all(&mut file, b"FIRST").unwrap();
    Snapshots::of(root).restore(&snapshot, noon(), ALWAYS).unwrap();
    assert_eq!(fs::read(root.join("a")).unwrap(), b"first");
    assert_eq!(root.join("a").metadata().unwrap().nlink(), 1, "nor after it");
}

/// A change in the same instant as the look leaves the same size and time.
#[test]
fn r110_a_change_right_after_a_snapshot_is_seen_by_the_next() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(100);
    for round in 0..15 {
        let write = |text: &str| {
            fs::write(root.join("a"), text).unwrap();
            fs::File::options()
                .write(true)
                .open(root.join("a"))
                .unwrap()
                .set_modified(past)
                .unwrap();
        };
        write(&format!("{round:04} one"));
        let one = create(root);
        write(&format!("{round:04} two"));
        create(root);
        let snapshots = Snapshots::of(root);
        snapshots.restore(&one, noon(), ALWAYS).unwrap();
        assert_eq!(fs::read_to_string(root.join("a")).unwrap(), format!("{round:04} one"));
        snapshots.undo(noon(), ALWAYS).unwrap();
        assert_eq!(fs::read_to_string(root.join("a")).unwrap(), format!("{round:04} two"));
    }
}

#[test]
fn r110_a_symlink_put_in_place_of_a_folder_leads_no_write_or_delete_out_of_the_checkout() {
    let temp = tempfile::tempdir().unwrap();
    let (root, outside) = (temp.path().join("repo"), temp.path().join("outside"));
    fs::create_dir_all(root.join("src/deep")).unwrap();
    fs::write(root.join("src/deep/a"), "mine").unwrap();
    let snapshot = create(&root);
    fs::create_dir_all(outside.join("deep")).unwrap();
    fs::write(outside.join("deep/a"), "theirs").unwrap();
    fs::write(outside.join("deep/b"), "theirs too").unwrap();
    let theirs = tree(&outside);
    let whole = tree(&root);
    fs::remove_dir_all(root.join("src")).unwrap();
    symlink(&outside, root.join("src")).unwrap();
    let damaged = tree(&root);
    Snapshots::of(&root).restore(&snapshot, noon(), ALWAYS).unwrap();
    expect_same(&tree(&root), &whole, "restored");
    Snapshots::of(&root).undo(noon(), ALWAYS).unwrap();
    expect_same(&tree(&root), &damaged, "undone");
    expect_same(&tree(&outside), &theirs, "outside");
}

#[test]
fn a_store_or_snapshot_folder_that_is_a_symlink_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let (root, outside) = (temp.path().join("repo"), temp.path().join("outside"));
    fs::create_dir_all(&root).unwrap();
    fs::create_dir_all(&outside).unwrap();
    symlink(&outside, root.join(".snapshots")).unwrap();
    let refused = Snapshots::of(&root).take(
        "manual",
        &tollgate_snapshot::SnapshotScope::whole(),
        noon(),
        ALWAYS,
    );
    assert!(matches!(refused, Err(SnapshotError::NotAFolder { .. })), "{refused:?}");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn r110_repositories_below_pipes_and_our_own_folders_are_left_alone() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    for folder in [".git", ".agents-work/s", "logs", ".artifacts-failed", "sub/.git"] {
        fs::create_dir_all(root.join(folder)).unwrap();
        fs::write(root.join(folder).join("x"), "then").unwrap();
    }
    fs::write(root.join("sub/code"), "then").unwrap();
    pipe(&root.join("pipe"));
    let snapshot = create(root);
    assert_eq!((snapshot.files, snapshot.left_out), (1, 2));
    for folder in [".git", ".agents-work/s", "logs", ".artifacts-failed", "sub/.git", "new/.git"] {
        fs::create_dir_all(root.join(folder)).unwrap();
        fs::write(root.join(folder).join("x"), "now").unwrap();
    }
    fs::write(root.join("sub/code"), "now").unwrap();
    fs::write(root.join("new/code"), "now").unwrap();
    let mut expected = tree(root);
    expected.insert(b"sub/code".to_vec(), Node::File(0o644, b"then".to_vec()));
    expected.remove(&b"new/code"[..]);
    let shown = Snapshots::of(root).show(snapshot.clone()).unwrap();
    let why: Vec<Why> = shown.left_out.iter().map(|left| left.why).collect();
    assert_eq!(why, [Why::Special, Why::Git]);
    Snapshots::of(root).restore(&snapshot, noon(), ALWAYS).unwrap();
    expect_same(&tree(root), &expected, "restored");
}

#[test]
fn r110_what_cannot_be_kept_is_not_replaced() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    fs::write(root.join("a"), "a").unwrap();
    fs::write(root.join("b"), "b").unwrap();
    let snapshot = create(root);
    fs::remove_file(root.join("a")).unwrap();
    fs::remove_file(root.join("b")).unwrap();
    pipe(&root.join("b"));
    let before = tree(root);
    let refused = Snapshots::of(root).restore(&snapshot, noon(), ALWAYS).unwrap_err();
    assert!(refused.to_string().contains("\"b\" is in the way"), "{refused}");
    expect_same(&tree(root), &before, "refused");
    assert_eq!(Snapshots::of(root).list().unwrap().len(), 1);
    fs::remove_file(root.join("b")).unwrap();
    fs::create_dir_all(root.join("b/.git")).unwrap();
    let refused = Snapshots::of(root).restore(&snapshot, noon(), ALWAYS).unwrap_err();
    assert!(refused.to_string().contains("\"b\" is in the way"), "{refused}");
}

fn pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn r079_a_damaged_store_or_manifest_is_found_before_anything_is_changed() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    fs::write(root.join("a"), "content").unwrap();
    let snapshot = create(root);
    fs::write(root.join("a"), "otherwise").unwrap();
    fs::write(root.join("new"), "goes before anything comes").unwrap();
    let before = tree(root);
    let snapshots = Snapshots::of(root);
    let object = only_object(root);
    fs::set_permissions(&object, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&object, "CONTENT").unwrap();
    let refused = snapshots.restore(&snapshot, noon(), ALWAYS).unwrap_err();
    assert!(refused.to_string().contains("it is damaged"), "{refused}");
    expect_same(&tree(root), &before, "a content of the same length");
    fs::remove_file(&object).unwrap();
    let refused = snapshots.restore(&snapshot, noon(), ALWAYS).unwrap_err();
    assert!(refused.to_string().contains("\"a\" is missing from the store"), "{refused}");
    expect_same(&tree(root), &before, "a content that is gone");
    let manifest = root.join(".snapshots").join(snapshot.id.as_str()).join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"a\"", "\"b\"")).unwrap();
    let refused = snapshots.restore(&snapshot, noon(), ALWAYS).unwrap_err();
    assert!(refused.to_string().contains("was changed after it was written"), "{refused}");
}

fn only_object(root: &Path) -> std::path::PathBuf {
    let inside = |folder: &Path| fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    inside(&inside(&root.join(".snapshots/store")))
}

#[test]
fn r110_what_git_cannot_tell_to_be_ignored_is_not_deleted() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let git = |args: &[&str]| {
        let status = std::process::Command::new("git").args(args).current_dir(root).status();
        assert!(status.unwrap().success());
    };
    git(&["init", "-q"]);
    fs::write(root.join(".gitignore"), "cache\n").unwrap();
    fs::write(root.join("a"), "first").unwrap();
    let snapshots = Snapshots::of(root);
    let scope = SnapshotScope::default();
    let snapshot = snapshots.take("manual", &scope, noon(), ALWAYS).unwrap();
    fs::write(root.join("cache"), "hours of work").unwrap();
    fs::write(root.join("a"), "second").unwrap();
    fs::write(root.join(".git/index"), "damaged").unwrap();
    let refused = snapshots.restore(&snapshot, noon(), ALWAYS).unwrap_err().to_string();
    assert!(refused.contains("git cannot tell which files are ignored"), "{refused}");
    assert_eq!(fs::read_to_string(root.join("cache")).unwrap(), "hours of work");
    assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "second", "nothing was changed");
    assert!(snapshots.take("manual", &scope, noon(), ALWAYS).is_err());
}
