//! What a snapshot covers, how long it stays, and what is left when taking one fails.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::snapshot_support;

use snapshot_support::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tollgate_snapshot::{self as snapshot, Retention, Snapshot, SnapshotScope, Snapshots};

const TEN: Retention = Retention { keep: 10, days: 30 };

fn take(root: &Path, action: &str, day: u32) -> Snapshot {
    let now = at(&format!("2026-01-{day:02}T12:00:00Z"));
    Snapshots::of(root).take(action, &SnapshotScope::whole(), now, TEN).unwrap()
}

fn ids(root: &Path) -> Vec<String> {
    Snapshots::of(root).list().unwrap().iter().map(|snapshot| snapshot.id.to_string()).collect()
}

/// The contents in the store, as text.
fn store(root: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for folder in fs::read_dir(root.join(".snapshots/store")).unwrap() {
        let folder = folder.unwrap().path();
        if folder.is_dir() {
            let objects = fs::read_dir(folder).unwrap();
            found.extend(objects.map(|o| fs::read_to_string(o.unwrap().path()).unwrap()));
        }
    }
    found
}

#[test]
fn r081_the_eleventh_snapshot_of_an_action_removes_the_oldest_and_what_only_it_held() {
    let temp = scratch();
    let root = temp.path();
    take(root, "plan", 1);
    for day in 1..=11 {
        fs::write(root.join("a"), format!("of day {day}")).unwrap();
        fs::write(root.join("b"), "always the same").unwrap();
        take(root, "build", day);
    }
    let listed = ids(root);
    assert_eq!(listed.len(), 11, "{listed:?}");
    assert_eq!(listed[0], "build-2026-01-11-12-00-00");
    assert_eq!(listed[9], "build-2026-01-02-12-00-00");
    assert_eq!(listed[10], "plan-2026-01-01-12-00-00", "another action has a count of its own");
    let kept = store(root);
    assert!(!kept.contains("of day 1") && kept.contains("of day 2"), "{kept:?}");
    assert!(kept.contains("always the same"));
}

#[test]
fn r081_after_thirty_days_only_the_newest_is_left_and_what_an_undo_needs() {
    let temp = scratch();
    let root = temp.path();
    fs::write(root.join("a"), "first").unwrap();
    let first = take(root, "build", 1);
    fs::write(root.join("a"), "damaged").unwrap();
    let day_two = at("2026-01-02T12:00:00Z");
    let restored = Snapshots::of(root).restore(&first, day_two, TEN).unwrap();
    take(root, "build", 3);
    let much_later = at("2026-06-01T12:00:00Z");
    let newest =
        Snapshots::of(root).take("plan", &SnapshotScope::whole(), much_later, TEN).unwrap();
    let undo = restored.undo.unwrap();
    assert_eq!(ids(root), [newest.id.to_string(), undo.to_string()]);
    Snapshots::of(root).undo(much_later, TEN).unwrap();
    assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "damaged");
    assert_eq!(
        store(root),
        ["first".to_owned()].into(),
        "what undo needs now; the rest is in the tree"
    );
}

#[test]
fn r110_a_snapshot_before_an_action_leaves_out_what_git_ignores_and_so_does_its_restore() {
    let temp = scratch();
    let root = temp.path();
    git(root, &["init", "--quiet"]);
    fs::write(root.join(".gitignore"), "target/\n*.log\n").unwrap();
    fs::create_dir_all(root.join("target/deep")).unwrap();
    fs::write(root.join("target/deep/big"), "built").unwrap();
    fs::write(root.join("a.log"), "then").unwrap();
    fs::write(root.join("code"), "then").unwrap();
    fs::write(root.join("notes"), "untracked").unwrap();
    let id = snapshot::take(root, "build", &[], noon(), 10, 30, &Arc::default()).unwrap().id;
    assert_eq!(id.as_str(), "build-2026-02-07-12-00-00");
    assert!(!store(root).contains("built"));
    // The rules change: what is held comes back all the same, and what was ignored then or is now stays.
    fs::write(root.join(".gitignore"), "notes\nnew.tmp\n").unwrap();
    fs::write(root.join("code"), "now").unwrap();
    fs::write(root.join("notes"), "lost").unwrap();
    fs::write(root.join("a.log"), "now").unwrap();
    fs::write(root.join("new.tmp"), "now").unwrap();
    fs::write(root.join("target/deep/big"), "built again").unwrap();
    fs::write(root.join("extra"), "now").unwrap();
    let snapshots = Snapshots::of(root);
    let target = snapshots.find("latest").unwrap();
    snapshots.restore(&target, noon(), ALWAYS).unwrap();
    let read = |name: &str| fs::read_to_string(root.join(name)).ok();
    assert_eq!(read("code").as_deref(), Some("then"));
    assert_eq!(read("notes").as_deref(), Some("untracked"));
    assert_eq!(read(".gitignore").as_deref(), Some("target/\n*.log\n"));
    assert_eq!(read("extra"), None);
    for left in ["a.log", "new.tmp"] {
        assert_eq!(read(left).as_deref(), Some("now"), "{left}");
    }
    assert_eq!(read("target/deep/big").as_deref(), Some("built again"));
    snapshots.undo(noon(), ALWAYS).unwrap();
    assert_eq!(read("code").as_deref(), Some("now"));
    assert_eq!(read("notes").as_deref(), Some("lost"));
    assert_eq!(read("extra").as_deref(), Some("now"));
}

#[test]
fn r078_patterns_choose_what_a_snapshot_covers() {
    let temp = scratch();
    let root = temp.path();
    for path in ["docs/deep/a.md", "docs/b.txt", "src/c.rs", "README.md"] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), "then").unwrap();
    }
    fs::create_dir(root.join("empty")).unwrap();
    let covers = ["**/*.md".to_owned()];
    snapshot::take(root, "document", &covers, noon(), 10, 30, &Arc::default()).unwrap();
    fs::remove_dir_all(root.join("docs/deep")).unwrap();
    for path in ["docs/b.txt", "src/c.rs", "README.md", "new.md", "new.rs"] {
        fs::write(root.join(path), "now").unwrap();
    }
    fs::remove_dir(root.join("empty")).unwrap();
    let snapshots = Snapshots::of(root);
    let target = snapshots.find("document").unwrap();
    assert_eq!(target.files, 2);
    snapshots.restore(&target, noon(), ALWAYS).unwrap();
    let read = |name: &str| fs::read_to_string(root.join(name)).ok();
    for (path, text) in [
        ("docs/deep/a.md", Some("then")),
        ("README.md", Some("then")),
        ("docs/b.txt", Some("now")),
        ("src/c.rs", Some("now")),
        ("new.rs", Some("now")),
        ("new.md", None),
    ] {
        assert_eq!(read(path).as_deref(), text, "{path}");
    }
    assert!(!root.join("empty").exists(), "a folder without a covered file is not covered");
    snapshots.undo(noon(), ALWAYS).unwrap();
    assert_eq!(read("new.md").as_deref(), Some("now"));
    assert!(!root.join("docs/deep").exists() && root.join("docs/b.txt").exists());
}

#[test]
fn r078_two_processes_take_turns() {
    let temp = scratch();
    let root = temp.path();
    fill(&mut Chance::new(7), root, 0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..5).for_each(|_| drop(create(root))));
        }
    });
    let listed = ids(root);
    assert_eq!(listed.len(), 20);
    assert_eq!(listed.iter().collect::<BTreeSet<_>>().len(), 20);
    assert!(listed[0].ends_with("-20") && listed[19] == "manual-2026-02-07-12-00-00", "{listed:?}");
}

#[test]
fn a_snapshot_that_fails_leaves_nothing_behind() {
    let temp = scratch();
    let root = temp.path();
    fs::write(root.join("a"), "kept").unwrap();
    create(root);
    for number in 0..50 {
        fs::write(root.join(format!("b{number}")), format!("content {number}")).unwrap();
    }
    // No folder can be made where a file is: one of the new contents cannot be written.
    for number in 0..=255 {
        let path = root.join(format!(".snapshots/store/{number:02x}"));
        if number % 4 == 1 && !path.exists() {
            fs::write(path, "in the way").unwrap();
        }
    }
    let failed = Snapshots::of(root).take("manual", &SnapshotScope::whole(), noon(), ALWAYS);
    assert!(failed.unwrap_err().to_string().contains("store"));
    assert_eq!(ids(root).len(), 1);
    assert_eq!(store(root), ["kept".to_owned()].into());
    assert!(!root.join(".snapshots/.making").exists());
}

#[test]
fn a_damaged_cache_costs_time_and_nothing_else() {
    let temp = scratch();
    let root = temp.path();
    fill(&mut Chance::new(3), root, 0);
    fs::write(root.join("a file"), "text").unwrap();
    let first = create(root);
    let cache = root.join(".snapshots").join(first.id.as_str()).join("cache");
    let bytes = fs::read(&cache).unwrap();
    let mut chance = Chance::new(11);
    for round in 0..60 {
        let mut broken = bytes.clone();
        match round % 3 {
            0 => broken.truncate(chance.below(bytes.len())),
            1 => broken.extend([0; 7]),
            // Of the structure, not of the hashes: those it has to believe.
            _ => broken[chance.below(8)] ^= 1,
        }
        fs::write(&cache, &broken).unwrap();
        assert!(Snapshots::of(root).show(first.clone()).unwrap().plan.is_empty(), "round {round}");
    }
}

fn git(root: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    let status =
        command.args(args).current_dir(root).env("GIT_CONFIG_GLOBAL", "/dev/null").status();
    assert!(status.unwrap().success());
}
