//! Nothing of the person's is touched, nothing of the agent's runs, nothing is lost.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::workspace_support;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use tollgate_git::workspace::ChangeKind::{Added, Modified};
use tollgate_git::workspace::{Workspace, WorkspaceError};
use workspace_support::{
    World, fingerprint, git, git_command, inodes, kinds, make_executable, put, read,
};

#[test]
fn the_workspace_shares_no_inode_with_the_person() {
    let world = World::new(&[("a", "1"), ("b/c", "2")]);
    world.git(&["repack", "-qad"]);
    let workspace = world.workspace();
    workspace.renew_clone().unwrap();
    let theirs = inodes(world.repository.root());
    assert!(theirs.len() > 10);
    for (inode, path) in inodes(&world.home()) {
        assert!(!theirs.contains_key(&inode), "{} is shared", path.display());
    }
    assert_eq!(git(workspace.tree(), &["status", "--porcelain"]), "");
    assert_eq!(git(workspace.tree(), &["remote"]), "");
    git(workspace.tree(), &["fsck"]);
}

#[test]
fn the_person_s_checkout_index_head_and_settings_stay_as_they_are() {
    let world = World::new(&[("a", "1"), ("b", "1")]);
    let root = world.repository.root();
    put(root, "a", "uncommitted");
    put(root, "untracked", "x");
    put(root, "b", "staged");
    world.git(&["add", "b"]);
    let ours = [".git/objects", ".git/refs/tollgate", ".git/refs/heads/tollgate", ".git/logs"];
    let before = fingerprint(root, &ours);
    let workspace = world.workspace();
    put(workspace.tree(), "a", "2");
    put(workspace.tree(), "new", "2");
    workspace.changes().unwrap();
    let commit = world.commit(&workspace, &["a"], &world.base);
    world.repository.promote(&world.session, None, &commit, &world.base).unwrap();
    workspace.rescue("rest", "the rest").unwrap().unwrap();
    workspace.reset(&world.base).unwrap();
    workspace.renew_clone().unwrap();
    world.repository.uncommitted().unwrap();
    assert_eq!(fingerprint(root, &ours), before);
    world.git(&["fsck", "--strict"]);
}

/// Plants whatever git would run, in the agent's `.git`, in the tree and in a nested repository.
fn plant(tree: &Path, fired: &Path) {
    let script = format!("#!/bin/sh\necho \"$0\" >> '{}'\ncat\n", fired.display());
    let tool = fired.with_file_name("tool");
    std::fs::write(&tool, script).unwrap();
    make_executable(&tool);
    let tool = tool.to_str().unwrap();
    put(tree, ".gitattributes", "* filter=evil diff=evil merge=evil\n");
    git(tree, &["init", "-q", "nested"]);
    put(tree, "nested/x", "x");
    let quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
    git(&tree.join("nested"), &[&quiet[..], &["add", "x"]].concat());
    git(&tree.join("nested"), &[&quiet[..], &["commit", "-qm", "inner", "--allow-empty"]].concat());
    put(tree, "nested/x", "y");
    put(tree, "nested/.gitattributes", "* filter=evil\n");
    for repository in [tree.to_owned(), tree.join("nested")] {
        for hook in ["pre-commit", "post-checkout", "reference-transaction", "post-index-change"] {
            let path = repository.join(".git/hooks").join(hook);
            put(&repository, &format!(".git/hooks/{hook}"), "");
            std::fs::copy(tool, &path).unwrap();
            make_executable(&path);
        }
        for key in
            ["filter.evil.clean", "filter.evil.smudge", "diff.evil.command", "core.fsmonitor"]
        {
            git(&repository, &["config", key, tool]);
        }
        git(&repository, &["config", "diff.external", tool]);
        git(&repository, &["config", "core.pager", tool]);
    }
    let _ = std::fs::remove_file(fired);
}

#[test]
fn r117_nothing_planted_in_the_workspace_runs() {
    let world = World::new(&[("a", "1"), ("b", "1")]);
    let workspace = world.workspace();
    let fired = world.folder.path().join("fired");
    plant(workspace.tree(), &fired);
    put(workspace.tree(), "a", "2");
    workspace.changes().unwrap();
    let commit = world.commit(&workspace, &["a", ".gitattributes"], &world.base);
    workspace.diff(&world.base, &commit).unwrap();
    world.repository.promote(&world.session, None, &commit, &world.base).unwrap();
    put(workspace.tree(), "b", "2");
    workspace.rescue("planted", "planted").unwrap().unwrap();
    workspace.renew_clone().unwrap();
    plant(workspace.tree(), &fired);
    workspace.rescue("again", "again").unwrap().unwrap();
    let workspace = Workspace::open(&world.repository, &world.home()).unwrap().unwrap();
    assert!(!fired.exists(), "{}", std::fs::read_to_string(&fired).unwrap());

    let _ = git_command(workspace.tree()).args(["add", "-A"]).output().unwrap();
    assert!(fired.exists(), "the control did not fire");
    std::fs::remove_file(&fired).unwrap();
    workspace.rescue("third", "third").unwrap();
    workspace.reset(&commit).unwrap();
    assert!(!fired.exists(), "{}", std::fs::read_to_string(&fired).unwrap());
}

#[test]
fn r117_a_nested_repository_that_is_already_a_gitlink_does_not_run_either() {
    let world = World::new(&[("a", "1")]);
    let gitlink = format!("160000,{},nested", world.base);
    world.git(&["update-index", "--add", "--cacheinfo", &gitlink]);
    world.git(&["commit", "-qm", "with a submodule"]);
    let world = World::around(world.folder, world.repository.root());
    let workspace = world.workspace();
    let fired = world.folder.path().join("fired");
    std::fs::remove_dir(workspace.tree().join("nested")).unwrap();
    plant(workspace.tree(), &fired);
    put(workspace.tree(), "a", "2");
    workspace.changes().unwrap();
    world.commit(&workspace, &["a"], &world.base);
    let kept = workspace.rescue("nested", "nested").unwrap().unwrap();
    assert!(!fired.exists(), "{}", std::fs::read_to_string(&fired).unwrap());
    let control = git_command(workspace.tree())
        .env("GIT_DIR", workspace.tree().with_file_name("shadow"))
        .env("GIT_WORK_TREE", workspace.tree())
        .env("GIT_OBJECT_DIRECTORY", world.repository.objects_dir())
        .arg("status")
        .output()
        .unwrap();
    assert!(fired.exists(), "the control did not fire: {control:?}");
    std::fs::remove_file(&fired).unwrap();
    workspace.reset(&world.base).unwrap();
    assert!(!fired.exists(), "{}", std::fs::read_to_string(&fired).unwrap());
    assert_eq!(world.git(&["show", &format!("{kept}:nested/x")]), "y");
    assert_eq!(kinds(&workspace), []);
    assert!(workspace.tree().join("nested").is_dir());
}

#[test]
fn r103_what_is_rescued_and_reset_can_be_had_back() {
    let world = World::new(&[("a", "1"), ("gone", "1"), (".gitignore", "built\n")]);
    let workspace = world.workspace();
    let tree = workspace.tree();
    put(tree, "built/cache", "slow to make");
    put(tree, "a", "2");
    put(tree, "new/deep", "3");
    std::fs::write(tree.join(OsStr::from_bytes(b"b\xffd")), "4").unwrap();
    std::fs::remove_file(tree.join("gone")).unwrap();
    put(tree, ".gitignore", "nothing\n");
    git(tree, &["init", "-q", "nested"]);
    put(tree, "nested/work", "5");
    put(tree, "git~1", "6");
    let before = workspace.changes().unwrap();

    let error = workspace.reset(&world.base).unwrap_err();
    assert!(matches!(error, WorkspaceError::NotRescued { .. }), "{error}");
    assert_eq!(read(tree, "new/deep"), "3");
    let kept = workspace.rescue("dispatch-3", "interrupted").unwrap().unwrap();
    assert_eq!(kept, "refs/tollgate/rescue/2026-11-15_login/dispatch-3");
    assert_eq!(workspace.changes().unwrap(), before);
    put(tree, "new/later", "7");
    assert!(matches!(workspace.reset(&world.base), Err(WorkspaceError::NotRescued { .. })));
    std::fs::remove_file(tree.join("new/later")).unwrap();

    workspace.reset(&world.base).unwrap();
    assert_eq!(kinds(&workspace), []);
    let ours = [".git", "built"];
    let clean = [("a", "1"), ("gone", "1"), (".gitignore", "built\n")];
    let clean = clean.map(|(name, text)| (name.as_bytes().to_vec(), text.as_bytes().to_vec()));
    assert_eq!(fingerprint(tree, &ours), clean.into());
    assert!(!tree.join("new").exists());
    assert_eq!(read(tree, "built/cache"), "slow to make");
    for (path, content) in [("a", "2"), ("new/deep", "3"), ("nested/work", "5")] {
        assert_eq!(world.git(&["show", &format!("{kept}:{path}")]), content);
    }
    let aside = fingerprint(&world.home().join("aside"), &[]);
    assert!(aside.keys().any(|path| path.ends_with(b"nested/.git/HEAD")), "{aside:?}");
    assert!(aside.keys().any(|path| path.ends_with(b"git~1")), "{aside:?}");
    let listed = world.git(&["-c", "core.quotePath=true", "ls-tree", "-r", "--name-only", &kept]);
    assert!(listed.contains("b\\377d") && !listed.contains("gone"), "{listed}");
    assert_eq!(workspace.rescue("clean", "clean").unwrap(), None);
}

#[test]
fn r104_what_only_the_agent_s_ignore_rules_hid_is_kept() {
    let world = World::new(&[("a", "1"), (".gitignore", "built\n")]);
    let workspace = world.workspace();
    put(workspace.tree(), ".gitignore", "built\nhidden\nfolder/\n");
    put(workspace.tree(), "hidden", "kept");
    put(workspace.tree(), "folder/whole", "kept");
    let expected = [(".gitignore".to_owned(), Modified), ("hidden".to_owned(), Added)];
    assert_eq!(kinds(&workspace), expected);
    let kept = workspace.rescue("ignore", "ignore").unwrap().unwrap();
    workspace.reset(&world.base).unwrap();
    assert_eq!(kinds(&workspace), []);
    assert_eq!(world.git(&["show", &format!("{kept}:hidden")]), "kept");
    let aside = fingerprint(&world.home().join("aside"), &[]);
    assert!(aside.iter().any(|(path, text)| path.ends_with(b"folder/whole") && text == b"kept"));
}

#[test]
fn r104_the_part_out_of_scope_is_kept_and_the_rest_accepted() {
    let world = World::new(&[("in", "1"), ("out", "1")]);
    let workspace = world.workspace();
    put(workspace.tree(), "in", "2");
    put(workspace.tree(), "out", "2");
    let kept = workspace.rescue("scope", "out of scope").unwrap().unwrap();
    assert_eq!(workspace.rescue("scope", "again").unwrap().as_ref(), Some(&kept));
    let commit = world.commit(&workspace, &["in"], &world.base);
    workspace.reset(&commit).unwrap();
    assert_eq!(
        (read(workspace.tree(), "in"), read(workspace.tree(), "out")),
        ("2".into(), "1".into())
    );
    assert_eq!(world.git(&["show", &format!("{kept}:out")]), "2");

    put(workspace.tree(), "out", "3");
    let second = workspace.rescue("scope", "another").unwrap().unwrap();
    assert_eq!(second, format!("{kept}-2"));
    assert_eq!(world.git(&["show", &format!("{kept}:out")]), "2");
    for name in ["", "a/b", "..", "x y", "a.lock"] {
        let error = workspace.rescue(name, "m").unwrap_err();
        assert!(matches!(error, WorkspaceError::BadRescueName { .. }), "{name}: {error}");
    }
}

#[test]
fn r103_a_creation_that_was_killed_is_made_again() {
    let world = World::new(&[("a", "1"), ("b", "1")]);
    let home = world.home();
    assert!(Workspace::open(&world.repository, &home).unwrap().is_none());
    for leftover in ["shadow", "shadow/index.lock", "tree/a", "tree/.git/HEAD"] {
        put(&home.join("workspace.new"), leftover, "half");
        let workspace = world.workspace();
        assert_eq!(kinds(&workspace), []);
        assert_eq!(read(workspace.tree(), "b"), "1");
        let found = Workspace::open(&world.repository, &home).unwrap().unwrap();
        assert_eq!(found.tree(), workspace.tree());
        std::fs::rename(home.join("workspace"), home.join(leftover.replace('/', "-"))).unwrap();
    }
    let workspace = world.workspace();
    put(workspace.tree(), "a", "work of an agent");
    assert_eq!(kinds(&world.workspace()), [("a".to_owned(), Modified)]);
}

#[test]
fn r103_pruning_by_the_person_loses_nothing_of_the_session() {
    let world = World::new(&[("a", "1")]);
    let workspace = world.workspace();
    put(workspace.tree(), "a", "2");
    let commit = world.commit(&workspace, &["a"], &world.base);
    world.repository.promote(&world.session, None, &commit, &world.base).unwrap();
    put(workspace.tree(), "new", "3");
    let kept = workspace.rescue("new", "new").unwrap().unwrap();
    let prune = || {
        world.git(&["checkout", "-q", "--orphan", "other"]);
        world.git(&["commit", "-qm", "unrelated"]);
        for branch in ["main".to_owned(), format!("tollgate/{}", world.session)] {
            let _ = git_command(world.repository.root()).args(["branch", "-D", &branch]).output();
        }
        world.git(&["reflog", "expire", "--expire=now", "--all"]);
        world.git(&["gc", "-q", "--prune=now"]);
    };
    prune();
    assert_eq!(kinds(&workspace), [("new".to_owned(), Added)]);
    workspace.reset(&commit).unwrap();
    assert_eq!(world.git(&["show", &format!("{kept}:new")]), "3");
    assert_eq!(
        git(workspace.tree(), &["log", "--format=%s", commit.as_str()]),
        "Add a limit\nfirst"
    );
    world.git(&["update-ref", "-d", &format!("refs/tollgate/keep/{}/tip", world.session)]);
    world.git(&["update-ref", "-d", &format!("refs/tollgate/keep/{}/base", world.session)]);
    world.git(&["update-ref", "-d", &kept]);
    world.git(&["gc", "-q", "--prune=now"]);
    assert!(workspace.reset(&commit).is_err(), "without keep refs the objects are gone");
}

#[test]
fn r103_the_workspace_of_a_repository_that_was_here_before_is_put_aside() {
    let world = World::new(&[("a", "1")]);
    let workspace = world.workspace();
    put(workspace.tree(), "a", "work in the old one");
    put(&world.home(), "setup-1.done", "make");
    drop(workspace);
    let root = world.repository.root().to_owned();
    std::fs::remove_dir_all(&root).unwrap();
    put(&root, "a", "another");
    git(&root, &["init", "-q", "-b", "main"]);
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-qm", "made again"]);
    let world = World::around(world.folder, &root);
    let workspace = world.workspace();
    workspace.follow(&world.base).unwrap();
    assert_eq!(kinds(&workspace), []);
    assert_eq!(read(workspace.tree(), "a"), "another");
    assert!(!world.home().join("setup-1.done").exists());
    let aside = fingerprint(&world.home().join("aside"), &[]);
    let is_old = |text: &Vec<u8>| text == b"work in the old one";
    assert!(aside.iter().any(|(path, text)| path.ends_with(b"tree/a") && is_old(text)));
    // A workspace whose work continued elsewhere is the same repository's.
    put(&root, "a", "more");
    git(&root, &["commit", "-qam", "more"]);
    put(workspace.tree(), "b", "kept");
    let world = World::around(world.folder, &root);
    assert_eq!(kinds(&world.workspace()), [("b".to_owned(), Added)]);
}
