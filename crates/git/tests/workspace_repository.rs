//! The person's repository: finding it, reading it, and the only writes we make to it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::workspace_support;

use tollgate_git::repository::{PromoteError, Repository, RepositoryError};
use workspace_support::{World, fingerprint, git, git_command, put};

#[test]
fn a_folder_that_is_not_a_repository_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    std::fs::create_dir(&plain).unwrap();
    let error = Repository::discover(&plain).unwrap_err();
    assert!(matches!(error, RepositoryError::NotARepository { .. }), "{error}");
    let error = Repository::discover(&folder.path().join("nowhere")).unwrap_err();
    assert!(matches!(error, RepositoryError::NotARepository { .. }), "{error}");

    git(folder.path(), &["init", "-q", "--bare", "bare.git"]);
    let error = Repository::discover(&folder.path().join("bare.git")).unwrap_err();
    assert!(matches!(error, RepositoryError::Bare { .. }), "{error}");

    git(folder.path(), &["init", "-q", "empty"]);
    let empty = Repository::discover(&folder.path().join("empty")).unwrap();
    let error = empty.head().unwrap_err();
    assert!(matches!(error, RepositoryError::NoCommits { .. }), "{error}");
}

#[test]
fn an_unborn_branch_beside_others_has_no_commits() {
    let world = World::new(&[("a", "1")]);
    world.git(&["checkout", "-q", "--orphan", "other"]);
    let error = world.repository.head().unwrap_err();
    assert!(matches!(error, RepositoryError::NoCommits { .. }), "{error}");
}

#[test]
fn head_is_a_branch_or_detached() {
    let world = World::new(&[("a", "1"), ("deep/er/b", "2")]);
    let inside = Repository::discover(&world.repository.root().join("deep/er")).unwrap();
    assert_eq!(inside.root(), world.repository.root());
    assert_eq!(inside.head().unwrap().branch.as_deref(), Some("main"));
    world.git(&["checkout", "-q", "--detach"]);
    let head = inside.head().unwrap();
    assert_eq!((head.branch, head.commit), (None, world.base));
}

#[test]
fn uncommitted_counts_paths_but_not_ours() {
    let world = World::new(&[("a", "1"), ("b", "1"), ("touched", "1"), (".gitignore", "built\n")]);
    assert_eq!(world.repository.uncommitted().unwrap(), 0);
    let root = world.repository.root();
    put(root, "a", "changed");
    let touched = std::fs::File::options().write(true).open(root.join("touched")).unwrap();
    touched.set_modified(std::time::UNIX_EPOCH).unwrap();
    put(root, "new/x", "");
    put(root, "new/y", "");
    put(root, "built/z", "");
    put(root, ".agents-work/2026-11-15_login/journal.jsonl", "");
    std::fs::remove_file(root.join("b")).unwrap();
    let before = fingerprint(root, &[]);
    assert_eq!(world.repository.uncommitted().unwrap(), 4);
    assert_eq!(fingerprint(root, &[]), before);
}

#[test]
fn exclude_adds_only_what_is_not_ignored_yet() {
    let world = World::new(&[(".gitignore", ".snapshots\n")]);
    let exclude = world.repository.root().join(".git/info/exclude");
    std::fs::create_dir_all(exclude.parent().unwrap()).unwrap();
    std::fs::write(&exclude, "mine").unwrap();
    for _ in 0..2 {
        world.repository.exclude_own(false).unwrap();
        let text = std::fs::read_to_string(&exclude).unwrap();
        assert_eq!(text, "mine\n/.agents-work/\n/.artifacts-failed/\n/logs/errors/\n");
    }
}

#[test]
fn r103_promote_is_compare_and_swap_and_may_be_repeated() {
    let world = World::new(&[("a", "1")]);
    let workspace = world.workspace();
    let (repository, session, base) = (&world.repository, &world.session, &world.base);
    put(workspace.tree(), "a", "2");
    let second = world.commit(&workspace, &["a"], base);
    put(workspace.tree(), "a", "3");
    let third = world.commit(&workspace, &["a"], &second);

    assert_eq!(repository.branch_tip(session).unwrap(), None);
    for _ in 0..2 {
        repository.promote(session, None, &second, base).unwrap();
        assert_eq!(repository.branch_tip(session).unwrap().as_ref(), Some(&second));
    }
    for _ in 0..2 {
        repository.promote(session, Some(&second), &third, base).unwrap();
        assert_eq!(repository.branch_tip(session).unwrap().as_ref(), Some(&third));
    }
    let keep = format!("refs/tollgate/keep/{session}");
    assert_eq!(world.git(&["rev-parse", &format!("{keep}/tip")]), third.as_str());
    assert_eq!(world.git(&["rev-parse", &format!("{keep}/base")]), base.as_str());

    let branch = format!("tollgate/{session}");
    world.git(&["branch", "-f", &branch, base.as_str()]);
    let error = repository.promote(session, Some(&second), &third, base).unwrap_err();
    assert!(matches!(&error, PromoteError::Moved { found: Some(at), .. } if at == base), "{error}");
    assert_eq!(repository.branch_tip(session).unwrap().as_ref(), Some(base));
    world.git(&["branch", "-D", &branch]);
    let error = repository.promote(session, Some(&second), &third, base).unwrap_err();
    assert!(matches!(error, PromoteError::Moved { found: None, .. }), "{error}");
}

#[test]
fn a_branch_named_tollgate_is_in_the_way_and_said_so() {
    let world = World::new(&[("a", "1")]);
    world.git(&["branch", "tollgate"]);
    let error =
        world.repository.promote(&world.session, None, &world.base, &world.base).unwrap_err();
    assert!(matches!(error, PromoteError::NameTaken { .. }), "{error}");
}

#[test]
fn a_linked_worktree_is_a_repository_like_any() {
    let main = World::new(&[("a", "1")]);
    let linked = main.folder.path().join("linked");
    main.git(&["worktree", "add", "-q", linked.to_str().unwrap(), "-b", "feature"]);
    let world = World::around(tempfile::tempdir().unwrap(), &linked);
    assert_eq!(world.repository.root(), linked);
    assert_eq!(world.repository.head().unwrap().branch.as_deref(), Some("feature"));
    assert_eq!(world.repository.objects_dir(), main.repository.objects_dir());

    let workspace = world.workspace();
    put(workspace.tree(), "a", "2");
    let commit = world.commit(&workspace, &["a"], &world.base);
    world.repository.promote(&world.session, None, &commit, &world.base).unwrap();
    assert_eq!(main.git(&["show", &format!("tollgate/{}:a", world.session)]), "2");
    assert_eq!(git(&linked, &["status", "--porcelain"]), "");
}

#[test]
fn other_formats_of_repository_work_the_same() {
    for format in ["--object-format=sha256", "--ref-format=reftable"] {
        let probe = tempfile::tempdir().unwrap();
        let known = git_command(probe.path()).args(["init", "-q", format]).output().unwrap();
        if known.status.success() {
            whole_round(&World::with_init(&[format], &[("a", "1")]));
        }
    }
}

#[test]
fn a_shallow_clone_works_the_same() {
    let full = World::new(&[("a", "0")]);
    put(full.repository.root(), "a", "1");
    full.git(&["commit", "-qam", "second"]);
    let url = format!("file://{}", full.repository.root().display());
    git(full.folder.path(), &["clone", "-q", "--depth=1", &url, "shallow"]);
    let shallow = full.folder.path().join("shallow");
    let world = World::around(tempfile::tempdir().unwrap(), &shallow);
    whole_round(&world);
}

fn whole_round(world: &World) {
    let workspace = world.workspace();
    put(workspace.tree(), "a", "2");
    let commit = world.commit(&workspace, &["a"], &world.base);
    put(workspace.tree(), "b", "left");
    let kept = workspace.rescue("left", "left over").unwrap().unwrap();
    workspace.reset(&commit).unwrap();
    world.repository.promote(&world.session, None, &commit, &world.base).unwrap();
    assert_eq!(world.git(&["show", &format!("{kept}:b")]), "left");
    let before = world.git(&["log", "--format=%s"]);
    assert_eq!(git(workspace.tree(), &["log", "--format=%s"]), before);
    workspace.renew_clone().unwrap();
    let after = git(workspace.tree(), &["log", "--format=%s"]);
    assert_eq!(after, format!("Add a limit\n{before}"));
    assert_eq!(git(workspace.tree(), &["status", "--porcelain"]), "");
}

#[test]
fn hooks_and_fsmonitor_of_the_person_do_not_run() {
    let world = World::new(&[("a", "1")]);
    let root = world.repository.root();
    let fired = world.folder.path().join("fired");
    let script = format!("#!/bin/sh\necho x >> '{}'\n", fired.display());
    for hook in ["reference-transaction", "post-checkout", "fsmonitor"] {
        put(root, &format!(".git/hooks/{hook}"), &script);
        workspace_support::make_executable(&root.join(".git/hooks").join(hook));
    }
    world.git(&["config", "core.fsmonitor", ".git/hooks/fsmonitor"]);
    let repository = Repository::discover(root).unwrap();
    repository.head().unwrap();
    repository.uncommitted().unwrap();
    repository.exclude_own(false).unwrap();
    repository.promote(&world.session, None, &world.base, &world.base).unwrap();
    world.workspace();
    assert!(!fired.exists());
    world.git(&["status"]);
    assert!(fired.exists(), "the control did not fire");
}
