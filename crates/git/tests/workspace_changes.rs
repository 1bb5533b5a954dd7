//! What is seen of an agent's work, and what is committed of it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::workspace_support;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use tollgate_core::work::{ChangeType, FileChange};
use tollgate_git::workspace::ChangeKind::{
    Added, Deleted, ModeChanged, Modified, NestedRepository, TypeChanged, UnreadablePath,
};
use tollgate_git::workspace::{SizeLimits, Workspace, WorkspaceError, plain_changes};
use workspace_support::{World, at, git, kinds, make_executable, put, read};

fn named<K: Copy>(entries: &[(&str, K)]) -> Vec<(String, K)> {
    entries.iter().map(|(path, kind)| ((*path).to_owned(), *kind)).collect()
}

#[test]
fn r104_every_kind_of_change_is_seen() {
    let world = World::new(&[
        ("edited", "1"),
        ("gone", "1"),
        ("tool", "1"),
        ("link", "1"),
        ("old-name", "a longer text that can be found again\n"),
        (".gitignore", "built/\n"),
    ]);
    let workspace = world.workspace();
    assert_eq!(kinds(&workspace), []);
    let tree = workspace.tree();
    put(tree, "edited", "2");
    std::fs::remove_file(tree.join("gone")).unwrap();
    make_executable(&tree.join("tool"));
    std::fs::remove_file(tree.join("link")).unwrap();
    symlink("edited", tree.join("link")).unwrap();
    std::fs::rename(tree.join("old-name"), tree.join("new-name")).unwrap();
    put(tree, "fresh/deep/file", "x");
    symlink("../../etc", tree.join("fresh/out")).unwrap();
    put(tree, "built/cache", "x");
    put(tree, ".agents-work/2026-11-15_login/spec.md", "x");
    put(tree, "logs/errors/1.json", "x");
    put(tree, ".GIT/config", "x");
    let expected = [
        ("edited", Modified),
        ("fresh/deep/file", Added),
        ("fresh/out", Added),
        ("gone", Deleted),
        ("link", TypeChanged),
        ("new-name", Added),
        ("old-name", Deleted),
        ("tool", ModeChanged),
    ];
    assert_eq!(kinds(&workspace), named(&expected));
    let changes = workspace.changes().unwrap();
    let of = |path: &str| changes.iter().find(|change| change.path == path).unwrap();
    assert!(of("link").is_symlink && !of("link").symlink_escapes);
    assert!(of("fresh/out").is_symlink && of("fresh/out").symlink_escapes);
    assert!(!of("edited").is_symlink);
}

#[test]
fn r114_touching_a_file_without_changing_it_is_not_a_change() {
    let world = World::new(&[("a", "1"), ("b", "1")]);
    let workspace = world.workspace();
    put(workspace.tree(), "a", "1");
    std::fs::create_dir(workspace.tree().join("empty")).unwrap();
    assert_eq!(kinds(&workspace), []);
    let index = std::fs::read(workspace.tree().with_file_name("shadow").join("index")).unwrap();
    assert!(index.windows(4).any(|bytes| bytes == b"UNTR"), "the untracked cache is not in use");
}

#[test]
fn r104_nested_repositories_and_filled_submodules_are_named() {
    let world = World::new(&[("file", "1")]);
    let gitlink = format!("160000,{},lib", world.base);
    world.git(&["update-index", "--add", "--cacheinfo", &gitlink]);
    world.git(&["commit", "-qm", "with a submodule"]);
    let world = World::around(world.folder, world.repository.root());
    let workspace = world.workspace();
    let tree = workspace.tree();
    assert!(tree.join("lib").is_dir());
    assert_eq!(kinds(&workspace), []);
    put(tree, "lib/inside", "x");
    git(tree, &["init", "-q", "unborn"]);
    put(tree, "unborn/x", "x");
    std::fs::remove_file(tree.join("file")).unwrap();
    git(tree, &["init", "-q", "file"]);
    put(tree, "file/x", "x");
    git(&tree.join("file"), &["add", "x"]);
    git(&tree.join("file"), &["commit", "-qm", "inner"]);
    let seen = kinds(&workspace);
    for path in ["lib", "unborn", "file"] {
        assert!(seen.contains(&(path.to_owned(), NestedRepository)), "{path}: {seen:?}");
    }
    for path in ["file", "unborn"] {
        let error =
            workspace.commit(&[path.into()], &world.base, &world.message(), at()).unwrap_err();
        assert!(matches!(error, WorkspaceError::NotCommittable { .. }), "{error}");
    }
    assert_eq!(kinds(&workspace), seen);
}

#[test]
fn odd_names_are_committed_and_impossible_ones_named() {
    let world = World::new(&[("a", "1")]);
    let workspace = world.workspace();
    let odd = ["with space", "qu\"o'te", "new\nline", "ünï/日本", "-dash", ":colon", "tab\there"];
    for name in odd {
        put(workspace.tree(), name, name);
    }
    let commit = world.commit(&workspace, &odd, &world.base);
    assert_eq!(kinds(&workspace), []);
    let mut listed: Vec<String> =
        workspace.diff(&world.base, &commit).unwrap().into_iter().map(|c| c.path).collect();
    listed.sort();
    let mut wanted = odd.map(str::to_owned).to_vec();
    wanted.sort();
    assert_eq!(listed, wanted);

    std::fs::write(workspace.tree().join(OsStr::from_bytes(b"b\xffd")), "x").unwrap();
    put(workspace.tree(), "git~1", "x");
    let expected = [("b\u{fffd}d", UnreadablePath), ("git~1", UnreadablePath)];
    assert_eq!(kinds(&workspace), named(&expected));
    for path in ["git~1", "../outside", "/etc/passwd", "x/.git/config"] {
        let error = workspace.commit(&[path.into()], &commit, &world.message(), at()).unwrap_err();
        assert!(matches!(error, WorkspaceError::NotCommittable { .. }), "{path}: {error}");
    }
}

#[test]
fn r039_a_commit_holds_exactly_the_paths_given() {
    let world = World::new(&[("a", "1"), ("b", "1"), ("c", "1")]);
    let workspace = world.workspace();
    for name in ["a", "b", "new", "other"] {
        put(workspace.tree(), name, "2");
    }
    std::fs::remove_file(workspace.tree().join("c")).unwrap();
    let seen = workspace.changes().unwrap();
    assert_eq!(plain_changes(&seen), None);
    let commit = world.commit(&workspace, &["a", "c", "new"], &world.base);
    let change =
        |path: &str, change_type| FileChange { path: path.into(), change_type, old_path: None };
    let expected = [
        change("a", ChangeType::Modified),
        change("c", ChangeType::Deleted),
        change("new", ChangeType::Added),
    ];
    assert_eq!(workspace.diff(&world.base, &commit).unwrap(), expected);
    assert_eq!(kinds(&workspace), named(&[("b", Modified), ("other", Added)]));
    let seen = plain_changes(&workspace.changes().unwrap());
    let next = world.commit(&workspace, &["b", "other"], &commit);
    assert_eq!(seen, Some(workspace.diff(&commit, &next).unwrap()));
    assert_eq!(world.git(&["show", &format!("{commit}:b")]), "1");
}

#[test]
fn a_commit_names_its_makers_and_is_the_same_when_made_again() {
    let world = World::new(&[("a", "1")]);
    let workspace = world.workspace();
    put(workspace.tree(), "a", "2");
    let commit = world.commit(&workspace, &["a"], &world.base);
    assert_eq!(
        world.git(&["log", "-1", "--format=%an <%ae> %cn %at%n%B", commit.as_str()]),
        "Tollgate <tollgate@localhost> Tollgate 1794777600\n\
         Add a limit\n\nBecause of the many attempts.\n\n\
         Tollgate-Session: 2026-11-15_login\nTollgate-Dispatch: 3\nTollgate-Role: Coder\n\
         Tollgate-Task: T-001\n"
            .trim_end()
    );
    assert_eq!(world.commit(&workspace, &["a"], &world.base), commit);
}

#[test]
fn files_folders_and_links_change_places() {
    let world = World::new(&[("file", "1"), ("folder/a", "1"), ("folder/b", "1"), ("away/x", "1")]);
    let workspace = world.workspace();
    let tree = workspace.tree();
    std::fs::remove_file(tree.join("file")).unwrap();
    put(tree, "file/inside", "2");
    std::fs::remove_dir_all(tree.join("folder")).unwrap();
    put(tree, "folder", "2");
    let outside = world.folder.path().join("outside");
    put(&outside, "x", "secret");
    std::fs::remove_dir_all(tree.join("away")).unwrap();
    symlink(&outside, tree.join("away")).unwrap();
    let seen = workspace.changes().unwrap();
    let paths: Vec<&str> = seen.iter().map(|change| change.path.as_str()).collect();
    let commit = world.commit(&workspace, &paths, &world.base);
    assert_eq!(kinds(&workspace), []);
    let listed = world.git(&["ls-tree", "-r", "--name-only", commit.as_str()]);
    assert_eq!(listed, "away\nfile/inside\nfolder");
    assert!(seen.iter().any(|change| change.path == "away" && change.symlink_escapes));
}

#[test]
fn renames_are_found_between_commits() {
    let world = World::new(&[("old", "a text long enough to be recognised\nagain\n")]);
    let workspace = world.workspace();
    std::fs::rename(workspace.tree().join("old"), workspace.tree().join("new")).unwrap();
    let commit = world.commit(&workspace, &["old", "new"], &world.base);
    let renamed = FileChange {
        path: "new".into(),
        change_type: ChangeType::Renamed,
        old_path: Some("old".into()),
    };
    assert_eq!(workspace.diff(&world.base, &commit).unwrap(), [renamed]);
}

#[test]
fn r103_a_commit_the_journal_never_heard_of_shows_as_changes_again() {
    let world = World::new(&[("a", "1")]);
    let workspace = world.workspace();
    put(workspace.tree(), "a", "2");
    put(workspace.tree(), "new", "2");
    let lost = world.commit(&workspace, &["a", "new"], &world.base);
    assert_eq!(kinds(&workspace), []);
    let workspace = Workspace::open(&world.repository, &world.home()).unwrap().unwrap();
    assert_eq!(workspace.accepted().unwrap(), lost);
    workspace.adopt(&world.base).unwrap();
    assert_eq!(kinds(&workspace), named(&[("a", Modified), ("new", Added)]));
    assert_eq!(world.commit(&workspace, &["a", "new"], &world.base), lost);
}

#[test]
fn r103_an_index_ahead_of_the_last_commit_hides_nothing() {
    let world = World::new(&[("a", "1"), ("b", "1")]);
    let workspace = world.workspace();
    put(workspace.tree(), "a", "2");
    put(workspace.tree(), "b", "2");
    let shadow = workspace.tree().with_file_name("shadow");
    let stage = || {
        git(
            workspace.tree(),
            &["--git-dir", shadow.to_str().unwrap(), "--work-tree", ".", "update-index", "a"],
        );
    };
    std::fs::remove_dir(shadow.join("objects")).unwrap();
    symlink(world.repository.objects_dir(), shadow.join("objects")).unwrap();
    stage();
    assert_eq!(kinds(&workspace), named(&[("a", Modified), ("b", Modified)]));
    // As a kill in the middle of a commit leaves it: the index is ahead, marked, and locked by nobody.
    stage();
    std::fs::write(shadow.join("stale-index"), "").unwrap();
    std::fs::write(shadow.join("index.lock"), "").unwrap();
    drop(workspace);
    tollgate_git::workspace::wait_for_orphans(&world.home()).unwrap();
    let workspace = Workspace::open(&world.repository, &world.home()).unwrap().unwrap();
    let commit = world.commit(&workspace, &["b"], &world.base);
    assert_eq!(world.git(&["show", &format!("{commit}:a")]), "1");
    assert_eq!(kinds(&workspace), named(&[("a", Modified)]));
}

#[test]
fn the_person_s_filters_make_what_is_committed() {
    let world = World::new(&[(".gitattributes", "*.big filter=lfs\n")]);
    let root = world.repository.root();
    world.git(&["config", "filter.lfs.clean", "sed 's/^/pointer to /'"]);
    world.git(&["config", "filter.lfs.smudge", "sed 's/^pointer to //'"]);
    put(root, "a.big", "one\n");
    world.git(&["add", "a.big"]);
    world.git(&["commit", "-qm", "big"]);
    let world = World::around(world.folder, world.repository.root());
    let workspace = world.workspace();
    assert_eq!(read(workspace.tree(), "a.big"), "one\n");
    git(workspace.tree(), &["config", "filter.lfs.clean", "sed 's/^/forged /'"]);
    put(workspace.tree(), "a.big", "two\n");
    let commit = world.commit(&workspace, &["a.big"], &world.base);
    assert_eq!(world.git(&["show", &format!("{commit}:a.big")]), "pointer to two");

    world.git(&["config", "filter.lfs.clean", "./tools/clean.sh"]);
    put(world.repository.root(), "tools/clean.sh", "");
    let elsewhere = world.folder.path().join("elsewhere");
    let (repository, session, base) = (&world.repository, &world.session, &world.base);
    let error =
        Workspace::create(repository, &elsewhere, session, base, base, &[], SizeLimits::default())
            .unwrap_err();
    assert!(matches!(error, WorkspaceError::FilterInTree { .. }), "{error}");
}

#[test]
fn ignored_files_come_along_when_asked_for() {
    let world = World::new(&[(".gitignore", ".env\n"), ("tracked", "committed")]);
    let root = world.repository.root();
    put(root, ".env", "KEY=1");
    put(root, "notes here/a", "not ignored");
    put(root, "tracked", "uncommitted");
    let workspace = world.workspace_with(&[".env", "notes here/", "tracked", "missing"]);
    assert_eq!(read(workspace.tree(), ".env"), "KEY=1");
    assert_eq!(read(workspace.tree(), "notes here/a"), "not ignored");
    assert_eq!(read(workspace.tree(), "tracked"), "committed");
    assert_eq!(kinds(&workspace), []);
    let (repository, session, base) = (&world.repository, &world.session, &world.base);
    for path in ["../x", "/etc/passwd", ".git/config", ""] {
        let home = world.folder.path().join("other");
        let copy = [path.to_owned()];
        let error =
            Workspace::create(repository, &home, session, base, base, &copy, SizeLimits::default())
                .unwrap_err();
        assert!(matches!(error, WorkspaceError::BadCopy { .. }), "{path}: {error}");
    }
}

#[test]
fn a_pipe_in_place_of_a_file_is_named_and_taken_back() {
    let world = World::new(&[("a", "1")]);
    let workspace = world.workspace();
    std::fs::remove_file(workspace.tree().join("a")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(workspace.tree().join("a")).status();
    assert!(made.unwrap().success());
    assert_eq!(kinds(&workspace), named(&[("a", UnreadablePath)]));
    workspace.rescue("pipe", "pipe").unwrap().unwrap();
    workspace.reset(&world.base).unwrap();
    assert_eq!(kinds(&workspace), []);
    assert_eq!(read(workspace.tree(), "a"), "1");
}

#[test]
fn r114_line_ends_that_git_would_normalise_are_not_the_agent_s_change() {
    let world = World::new(&[("a.txt", "one\r\ntwo\r\n"), ("b.txt", "one\r\n")]);
    put(world.repository.root(), ".gitattributes", "*.txt text\n");
    world.git(&["add", ".gitattributes"]);
    world.git(&["commit", "-qm", "attributes"]);
    let world = World::around(world.folder, world.repository.root());
    let workspace = world.workspace();
    assert_eq!(kinds(&workspace), []);
    put(workspace.tree(), "a.txt", "one\r\n2\r\n");
    assert_eq!(kinds(&workspace), named(&[("a.txt", Modified)]));
    workspace.rescue("lines", "lines").unwrap().unwrap();
    workspace.reset(&world.base).unwrap();
    assert_eq!(kinds(&workspace), []);
}
