//! Hostile paths through everything that takes a path from outside: nothing outside is read, made, changed or removed,
//! also while another process swaps links in.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod ground;
mod race;
mod table;
#[path = "../../../git/tests/workspace_support/mod.rs"]
mod workspace_support;

use ground::{Ground, SECRET, has_secret, holds_secret};
use std::io::Read;
use std::path::Path;
use table::Expected::{Git, Inside, Link, Odd, Refused, Special, Twin};
use table::{Hostile, paths};
use tollgate_contract::{config, junit, sarif};
use tollgate_files::{
    FileError, TreeLimits, copy_tree_bounded, hash_beneath, hash_bytes, list_files, open_beneath,
    read_beneath, remove_file_beneath, sync_beneath, write_beneath,
};
use tollgate_git::workspace::{SizeLimits, Workspace, WorkspaceError};
use tollgate_judge::globs::{PathRules, is_protected};
use tollgate_snapshot::{Retention, SnapshotScope, Snapshots};
use workspace_support::{World, at, git_command};

const BYTES_MAX: u64 = 1 << 20;

#[test]
fn r117_no_hostile_path_leads_a_file_function_outside() {
    let ground = Ground::new();
    ground.fill();
    let before = ground.around();
    let paths = paths(&ground.outside());
    assert!(paths.len() >= 200, "{} paths", paths.len());
    for hostile in &paths {
        let root = ground.fill();
        reads(&root, hostile);
        let removed = remove_file_beneath(&root, &hostile.path);
        expect_refusal(hostile, removed.err().as_ref(), "remove");
        assert_eq!(ground.around(), before, "removing {hostile:?}");
        let root = ground.fill();
        let written = write_beneath(&root, &hostile.path, b"by tollgate");
        expect_refusal(hostile, written.err().as_ref(), "write");
        assert_eq!(ground.around(), before, "writing {hostile:?}");
    }
}

fn reads(root: &Path, hostile: &Hostile) {
    let path = &hostile.path;
    let mut bytes = Vec::new();
    let opened = open_beneath(root, path);
    // A pipe is opened without waiting for its other end, and has nothing to say.
    if let Ok(file) = &opened {
        let _ = file.take(BYTES_MAX).read_to_end(&mut bytes);
    }
    let read = read_beneath(root, path, BYTES_MAX);
    bytes.extend(read.as_ref().ok().into_iter().flatten());
    let hash = hash_beneath(root, path).ok().flatten();
    let synced = sync_beneath(root, path);
    if hostile.expected != Twin {
        assert!(!has_secret(&bytes), "{hostile:?} was read");
        assert_ne!(hash, Some(hash_bytes(SECRET.as_bytes())), "{hostile:?} was hashed");
    }
    if matches!(hostile.expected, Link | Special) {
        assert!(read.is_err(), "{hostile:?} was read");
    }
    expect_refusal(hostile, opened.err().as_ref(), "open");
    expect_refusal(hostile, read.err().as_ref(), "read");
    expect_refusal(hostile, synced.err().as_ref(), "sync");
}

/// What is no path at all is refused by its text, before anything is opened.
fn expect_refusal(hostile: &Hostile, error: Option<&FileError>, doing: &str) {
    let has_line_end = hostile.path.contains(['\n', '\r']) && !hostile.path.contains("..");
    if matches!(hostile.expected, Refused | Odd) && !has_line_end {
        assert!(matches!(error, Some(FileError::BadPath { .. })), "{doing} {hostile:?}: {error:?}");
    }
}

#[test]
fn r117_a_tree_of_links_is_listed_copied_and_kept_without_what_is_outside() {
    let ground = Ground::new();
    let root = ground.fill();
    for name in ["hard", "a/hard", "a/b/c/hard", "pipe", "a/pipe", "socket"] {
        std::fs::remove_file(root.join(name)).unwrap();
    }
    let before = ground.around();
    let listed = list_files(&root, TreeLimits::default()).unwrap();
    assert!(listed.iter().all(|entry| !entry.path.starts_with("out/")));
    let copy = root.join("copy");
    std::fs::create_dir(&copy).unwrap();
    copy_tree_bounded(&root, &copy, TreeLimits::default(), |path| !path.starts_with("copy"))
        .unwrap();
    let keeping = Retention { keep: 9, days: 9 };
    let snapshots = Snapshots::of(&root);
    let taken = snapshots.take("manual", &SnapshotScope::whole(), at(), keeping).unwrap();
    assert!(!holds_secret(&root));
    // What was a folder is a link now: putting things back must not go through it.
    for folder in ["inner", "a/b"] {
        std::fs::remove_dir_all(root.join(folder)).unwrap();
        std::os::unix::fs::symlink(ground.outside(), root.join(folder)).unwrap();
    }
    snapshots.restore(&taken, at(), keeping).unwrap();
    assert_eq!(std::fs::read(root.join("inner/file")).unwrap(), b"inside");
    assert!(root.join("inner").symlink_metadata().unwrap().is_dir());
    assert_eq!(ground.around(), before);
}

#[test]
fn r117_a_snapshot_whose_list_was_made_hostile_is_not_restored() {
    let ground = Ground::new();
    let root = ground.root();
    ground::put(&root, "victim-name", "inside");
    let keeping = Retention { keep: 9, days: 9 };
    let snapshots = Snapshots::of(&root);
    let taken = snapshots.take("manual", &SnapshotScope::whole(), at(), keeping).unwrap();
    let manifest = root.join(".snapshots").join(taken.id.as_str()).join("manifest.json");
    let good = std::fs::read_to_string(&manifest).unwrap();
    let before = ground.around();
    for hostile in paths(&ground.outside()).iter().filter(|hostile| hostile.expected == Refused) {
        let path = serde_json::to_string(&hostile.path).unwrap();
        let bad = good.replace("\"victim-name\"", &path);
        assert_ne!(good, bad);
        std::fs::write(&manifest, bad).unwrap();
        let has_line_end = hostile.path.contains(['\n', '\r']) && !hostile.path.contains("..");
        let restored = snapshots.restore(&taken, at(), keeping);
        assert!(restored.is_err() || has_line_end, "{hostile:?}");
        assert_eq!(ground.around(), before, "{hostile:?}");
    }
}

#[test]
fn r117_no_reader_of_files_lets_a_hostile_path_pass() {
    for hostile in &paths(Path::new("/outside")) {
        let path = hostile.path.as_str();
        let is_never_plain = matches!(hostile.expected, Refused | Git);
        assert!(
            is_protected(path, None) == is_never_plain || hostile.expected == Odd,
            "{hostile:?}"
        );
        if hostile.expected == Refused {
            assert!(PathRules::new(&[path]).is_err(), "{hostile:?} is a pattern");
            let text = format!("[workspace]\ncopy = [{}]\n", serde_json::to_string(path).unwrap());
            let (_, report) = config::read(&text, "tollgate.toml");
            let report = format!("{report:?}");
            assert!(report.contains("copy") || report.contains("toml"), "{hostile:?}: {report}");
        }
        for file in reported(path) {
            let steps: Vec<&str> = file.split('/').collect();
            let is_plain = !steps.iter().any(|step| matches!(*step, "" | "." | ".."));
            assert!(is_plain && !file.contains('\0'), "{hostile:?} was taken for {file:?}");
        }
    }
}

/// What readers of other programs' reports make of a path.
fn reported(path: &str) -> Vec<String> {
    let mut xml = String::new();
    for c in path.chars().filter(|c| !c.is_control()) {
        xml.push_str(&format!("&#x{:x};", u32::from(c)));
    }
    let xml = format!(
        "<testsuite name=\"s\" tests=\"1\"><testcase name=\"t\" file=\"{xml}\"/></testsuite>"
    );
    let result = serde_json::json!({ "version": "2.1.0", "runs": [{
        "tool": { "driver": { "name": "x" } },
        "results": [{ "ruleId": "r", "level": "error", "message": { "text": "m" }, "locations": [
            { "physicalLocation": { "artifactLocation": { "uri": path } } }] }] }] });
    let tests = junit::read(&xml, "report.xml").map(|run| format!("{run:?}")).unwrap_or_default();
    let findings = sarif::read(&result.to_string(), "report.sarif").unwrap_or_default();
    let mut files: Vec<String> = findings.into_iter().filter_map(|finding| finding.file).collect();
    let named = tests.split("file: Some(\"").skip(1);
    files.extend(named.filter_map(|rest| Some(rest.split_once("\")")?.0.replace("\\\\", "\\"))));
    files
}

#[test]
fn r117_a_workspace_commits_and_copies_nothing_from_outside() {
    let world = World::new(&[("first", "1"), (".gitignore", "ignored\n")]);
    // On the same disk, so that files can have a second name.
    let ground = Ground::of(tempfile::tempdir_in(world.folder.path()).unwrap());
    let before = ground.around();
    let workspace = world.workspace();
    let tree = workspace.tree();
    let outside = ground.outside();
    let kept = tree.with_file_name("kept");
    std::fs::rename(tree.join(".git"), &kept).unwrap();
    ground::fill(tree, &outside);
    std::fs::rename(kept, tree.join(".git")).unwrap();
    let commit = |path: &[String]| workspace.commit(path, &world.base, &world.message(), at());
    let paths = paths(&outside);
    for hostile in paths.iter().filter(|hostile| matches!(hostile.expected, Refused | Git)) {
        let is_plain_name = hostile.path.contains(['\n', '\r']) && !hostile.path.contains("..");
        let made = commit(std::slice::from_ref(&hostile.path));
        let is_refused = matches!(made, Err(WorkspaceError::NotCommittable { .. }));
        assert!(is_refused || is_plain_name, "{hostile:?}: {made:?}");
        let home = world.folder.path().join("other");
        let copy = [hostile.path.clone()];
        let (session, base) = (&world.session, &world.base);
        let made = Workspace::create(
            &world.repository,
            &home,
            session,
            base,
            base,
            &copy,
            SizeLimits::default(),
        );
        let is_refused = matches!(made, Err(WorkspaceError::BadCopy { .. }));
        assert!(is_refused, "copying {hostile:?}: {made:?}");
    }
    let chosen = |hostile: &&Hostile| matches!(hostile.expected, Link | Inside);
    let fits = |hostile: &&Hostile| hostile.path.len() < 200;
    let chosen: Vec<String> =
        paths.iter().filter(chosen).filter(fits).map(|hostile| hostile.path.clone()).collect();
    let made = commit(&chosen).unwrap();
    let found = git_command(world.repository.root())
        .args(["grep", "-q", SECRET, made.as_str()])
        .status()
        .unwrap();
    assert_eq!(found.code(), Some(1), "the commit holds what is outside");
    workspace.rescue("links", "links").unwrap();
    std::fs::remove_file(tree.join("pipe")).unwrap();
    workspace.reset(&world.base).unwrap();
    assert_eq!(ground.around(), before);
}

#[test]
fn r117_what_is_copied_into_a_workspace_does_not_go_through_a_link_of_a_commit() {
    let ground = Ground::new();
    let world = World::new(&[(".gitignore", "data/env\n"), ("data/first", "1")]);
    let root = world.repository.root().to_owned();
    std::fs::rename(root.join("data"), root.join("real")).unwrap();
    std::os::unix::fs::symlink(ground.outside(), root.join("data")).unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "a link"]);
    std::fs::remove_file(root.join("data")).unwrap();
    ground::put(&root, "data/env", "the person's");
    let world = World::around(world.folder, &root);
    let before = ground.around();
    let copy = ["data/env".to_owned()];
    let (session, base) = (&world.session, &world.base);
    let made = Workspace::create(
        &world.repository,
        &world.home(),
        session,
        base,
        base,
        &copy,
        SizeLimits::default(),
    );
    assert!(made.is_err());
    assert_eq!(ground.around(), before);
}
