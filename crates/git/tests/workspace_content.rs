//! Content that git will not take as it is neither stops us nor gets lost.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::workspace_support;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tollgate_git::workspace::{Workspace, WorkspaceError};
use workspace_support::{World, at, git_command, kinds, make_executable, put, read};

#[test]
fn r103_attributes_that_do_not_fit_the_content_keep_nothing_from_being_rescued() {
    let world = World::new(&[("m1/old.txt", "1\n"), ("m1/folder/x", "1"), ("gone", "1")]);
    let workspace = world.workspace();
    let tree = workspace.tree();
    put(tree, "m1/.gitattributes", "*.txt working-tree-encoding=UTF-16\n");
    put(tree, "m1/a.txt", "plain\r\nmore");
    put(tree, "m1/old.txt", "2\n");
    put(tree, "m1/with\nbreak.txt", "3");
    put(tree, "run.sh", "4");
    make_executable(&tree.join("run.sh"));
    symlink("a.txt", tree.join("m1/link.txt")).unwrap();
    std::fs::remove_file(tree.join("gone")).unwrap();
    std::fs::remove_dir_all(tree.join("m1/folder")).unwrap();
    put(tree, "m1/folder", "a file now");
    let paths = ["m1/.gitattributes".to_owned(), "m1/a.txt".to_owned()];
    let error = workspace.commit(&paths, &world.base, &world.message(), at()).unwrap_err();
    let WorkspaceError::NotStageable { detail } = &error else { panic!("{error}") };
    assert!(detail.contains("m1/a.txt"), "{detail}");

    let kept = workspace.rescue("utf", "utf").unwrap().unwrap();
    for (path, content) in [
        ("m1/a.txt", "plain\r\nmore"),
        ("m1/old.txt", "2"),
        ("m1/with\nbreak.txt", "3"),
        ("m1/folder", "a file now"),
        ("m1/link.txt", "a.txt"),
    ] {
        assert_eq!(world.git(&["show", &format!("{kept}:{path}")]), content);
    }
    let listed = world.git(&["ls-tree", "-r", &kept]);
    assert!(listed.contains("100755") && listed.contains("120000"), "{listed}");
    assert!(!listed.contains("gone"), "{listed}");
    workspace.reset(&world.base).unwrap();
    assert_eq!(kinds(&workspace), []);
    assert_eq!((read(tree, "m1/old.txt"), read(tree, "m1/folder/x")), ("1\n".into(), "1".into()));
    assert!(!tree.join("m1/a.txt").exists());
}

#[test]
fn r103_a_reset_writes_files_as_the_commit_says_and_not_as_the_agent_does() {
    let world = World::new(&[("m1/a.txt", "1\n")]);
    let workspace = world.workspace();
    let tree = workspace.tree();
    put(tree, "m1/.gitattributes", "*.txt text eol=crlf\n");
    std::fs::remove_file(tree.join("m1/a.txt")).unwrap();
    workspace.rescue("lines", "lines").unwrap().unwrap();
    workspace.reset(&world.base).unwrap();
    assert_eq!((kinds(&workspace), read(tree, "m1/a.txt")), (vec![], "1\n".to_owned()));
}

#[test]
fn a_failure_of_our_own_is_not_put_down_to_the_content() {
    let world = World::new(&[("a", "1")]);
    let workspace = world.workspace();
    put(workspace.tree(), "a", "2");
    put(&world.home(), "workspace/shadow/index.lock", "");
    let paths = ["a".to_owned()];
    let error = workspace.commit(&paths, &world.base, &world.message(), at()).unwrap_err();
    assert!(error.to_string().contains("index.lock"), "{error}");
    assert!(matches!(error, WorkspaceError::Git(_)), "{error}");
}

/// So deep that no path leads to its ground.
fn dig(folder: &std::path::Path) {
    let name = "d".repeat(100);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut at = openat(CWD, folder, flags, Mode::empty()).unwrap();
    for _ in 0..60 {
        mkdirat(&at, name.as_str(), Mode::from_raw_mode(0o755)).unwrap();
        at = openat(&at, name.as_str(), flags, Mode::empty()).unwrap();
    }
    let flags = OFlags::WRONLY | OFlags::CREATE;
    openat(&at, "ground", flags, Mode::from_raw_mode(0o644)).unwrap();
}

#[test]
fn r103_a_tree_too_deep_to_list_is_put_aside_when_the_rest_is_kept() {
    let world = World::new(&[("m1/a", "1")]);
    let workspace = world.workspace();
    let tree = workspace.tree();
    put(tree, "m1/deep/x", "x");
    put(tree, "m1/b", "2");
    dig(&tree.join("m1/deep"));
    let error = workspace.changes().unwrap_err();
    assert!(matches!(error, WorkspaceError::Unlistable { .. }), "{error}");
    assert!(error.to_string().len() < 600, "{error}");
    let kept = workspace.rescue("deep", "deep").unwrap().unwrap();
    assert_eq!(world.git(&["show", &format!("{kept}:m1/b")]), "2");
    workspace.reset(&world.base).unwrap();
    assert_eq!(kinds(&workspace), []);
    assert!(world.home().join("aside/1/m1/deep/x").exists());
}

#[test]
fn r103_what_was_closed_to_us_is_opened_again() {
    let world = World::new(&[("m1/a", "1")]);
    let workspace = world.workspace();
    let tree = workspace.tree();
    put(tree, "m1/closed/inner/x", "x");
    put(tree, "m1/closed/secret", "y");
    put(tree, ".git/refs/heads/closed/x", "x");
    for closed in ["m1/closed/secret", "m1/closed/inner", "m1/closed", ".git/refs/heads/closed"] {
        let rights = std::fs::Permissions::from_mode(0o0);
        std::fs::set_permissions(tree.join(closed), rights).unwrap();
    }
    let names: Vec<String> = kinds(&workspace).into_iter().map(|(path, _)| path).collect();
    assert_eq!(names, ["m1/closed/inner/x", "m1/closed/secret"]);
    let kept = workspace.rescue("closed", "closed").unwrap().unwrap();
    assert_eq!(world.git(&["show", &format!("{kept}:m1/closed/secret")]), "y");
    workspace.reset(&world.base).unwrap();
    assert_eq!(kinds(&workspace), []);
    workspace.renew_clone().unwrap();
    workspace.renew_clone().unwrap();
}

/// A workspace in which these files, of two bytes, have a size that git, which keeps 32 bits of it, takes for the old one. A
/// file is in the way of setting them aside, or of putting the old ones back: as if the engine were killed there.
fn interrupted(world: &World, files: &[&str], in_the_way: &str) -> Workspace {
    let workspace = world.workspace();
    for name in files {
        let file = fs::File::options().write(true).open(workspace.tree().join(name)).unwrap();
        file.set_len(2 + 50 * (1 << 32)).unwrap();
    }
    let in_the_way = world.home().join(in_the_way);
    fs::write(&in_the_way, "").unwrap();
    workspace.changes().unwrap_err();
    fs::remove_file(&in_the_way).unwrap();
    workspace
}

#[test]
fn r174_git_reads_no_large_file_when_the_engine_was_killed_before_it_was_set_aside() {
    let world = World::new(&[("a.txt", "a\n")]);
    let workspace = interrupted(&world, &["a.txt"], "large");
    let (sender, receiver) = mpsc::channel();
    let looks = workspace.clone();
    thread::spawn(move || sender.send(kinds(&looks)));
    let found = receiver.recv_timeout(Duration::from_secs(60)).expect("git reads for minutes");
    assert_eq!(found, []);
    assert_eq!(read(workspace.tree(), "a.txt"), "a\n");
    assert_eq!(workspace.set_aside_as_large().unwrap().len(), 1);
}

#[test]
fn r174_a_file_that_is_accepted_no_more_keeps_no_other_from_being_put_back() {
    let world = World::new(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    let workspace = interrupted(&world, &["a.txt", "b.txt"], "workspace/shadow/index.lock");
    world.git(&["rm", "-q", "b.txt"]);
    world.git(&["commit", "-qm", "without b"]);
    workspace.adopt(&world.repository.head().unwrap().commit).unwrap();
    // Whoever settles the index before the next look, git finds no such file any more.
    let mut settle = git_command(workspace.tree());
    settle.env("GIT_DIR", workspace.tree().with_file_name("shadow")).args(["read-tree", "HEAD"]);
    settle.env("GIT_OBJECT_DIRECTORY", world.repository.objects_dir());
    assert!(settle.status().unwrap().success());
    assert_eq!(kinds(&workspace), []);
    assert_eq!(read(workspace.tree(), "a.txt"), "a\n");
    assert_eq!(workspace.set_aside_as_large().unwrap().len(), 2);
}
