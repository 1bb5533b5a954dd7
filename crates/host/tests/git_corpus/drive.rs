//! Asks of a repository and a workspace everything that Tollgate asks of them, while others plant in between.

use crate::control::scratch;
use crate::trap::{attributes, driven_files};
use crate::workspace_support::{World, at, git, put};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use tollgate_core::id::{CommitId, DispatchNumber};
use tollgate_git::repository::{Advance, Detail, Repository, objects_in};
use tollgate_git::scope_diff::{Compared, scope_diff, scope_versions};
use tollgate_git::workspace::{Workspace, WorkspaceError, wait_for_orphans};
use tollgate_git::{Configuration, Git};
use tollgate_snapshot::{Retention, SnapshotScope, Snapshots};
use tollgate_tracker::place::{Api, Slug};

const KEEPING: Retention = Retention { keep: 9, days: 9 };
/// Without what git ignores, so that git is asked.
const SCOPE: SnapshotScope = SnapshotScope { covers: Vec::new(), with_ignored: false };

const FILLED: &str = "1\n\n\n\n\n\n\n\n1\n";

/// A person's repository with a submodule, files for every driver, and changes whose submodules do not go together.
pub struct Stage {
    pub world: World,
    /// A repository to be found where the submodule is; what the changes say of the submodule is in it.
    pub nested: std::path::PathBuf,
    changes: [CommitId; 2],
    unknown_changes: [CommitId; 2],
    /// With a link more.
    linked: CommitId,
}

impl Stage {
    pub fn set() -> Self {
        let folder = scratch();
        let (root, nested) = (folder.path().join("person"), folder.path().join("nested"));
        let [first, left, right] = make_nested(&nested);
        fs::create_dir(&root).unwrap();
        git(&root, &["init", "-q", "-b", "main", "--template="]);
        put(&root, ".gitignore", "ignored*\n");
        put(&root, ".gitattributes", &attributes());
        for name in driven_files().iter().map(String::as_str).chain(["first", "folder/file"]) {
            put(&root, name, FILLED);
        }
        let link = |commit: &str| format!("160000,{commit},nested");
        git(&root, &["update-index", "--add", "--cacheinfo", &link(&first)]);
        git(&root, &["add", "-A", "--", ":!nested"]);
        git(&root, &["commit", "-qm", "first"]);
        fs::create_dir_all(root.join("nested")).unwrap();
        let change = |commit: &str| {
            git(&root, &["update-index", "--cacheinfo", &link(commit)]);
            let tree = git(&root, &["write-tree"]);
            CommitId::parse(&git(&root, &["commit-tree", "-p", "HEAD", "-m", "x", &tree])).unwrap()
        };
        let changes = [change(&left), change(&right)];
        let target = git(&root, &["hash-object", "-w", "first"]);
        git(&root, &["update-index", "--add", "--cacheinfo", &format!("120000,{target},a-link")]);
        let linked = change(&first);
        git(&root, &["update-index", "--force-remove", "a-link"]);
        let unknown_changes = [change(&"1".repeat(40)), change(&"2".repeat(40))];
        git(&root, &["reset", "-q"]);
        git(&root, &["branch", "other"]);
        put(&root, "ignored.env", "secret");
        let world = World::around(folder, &root);
        Self { world, nested, changes, unknown_changes, linked }
    }

    /// `plant` is called whenever an agent could have been at work in the tree.
    pub fn play(&self, plant: &dyn Fn(&Path)) {
        Git::find().unwrap().call(Configuration::Ours).arg("--version").run().unwrap();
        let repository = self.read_repository();
        let world = &self.world;
        let workspace = world.workspace_with(&["ignored.env"]);
        plant(workspace.tree());
        let commit = self.accept(&repository, &workspace);
        self.move_branch(&repository, &commit);
        plant(workspace.tree());
        // Found again where the accepted commit is another than the one asked for.
        world.workspace_with(&["ignored.env"]);
        self.rescue_and_reset(&workspace, &commit, plant);
        self.merge(&workspace, plant);
        workspace.renew_clone().unwrap();
        plant(workspace.tree());
        wait_for_orphans(&world.folder.path().join("nowhere")).unwrap();
        let workspace = Workspace::open(&repository, &world.home()).unwrap().unwrap();
        workspace.changes().unwrap();
        workspace.in_no_commit().unwrap();
        take_snapshots(repository.root());
        // The files of the checkout follow, by the person's own filters.
        repository.advance(Advance { branch: "main", from: &world.base, to: &commit }).unwrap();
        // Somebody who goes there is not to be hurt either.
        for place in ["", "untracked", "bare", "nested"] {
            look_at(&workspace.tree().join(place));
        }
    }

    fn read_repository(&self) -> Repository {
        let repository = Repository::discover(self.world.repository.root()).unwrap();
        let head = repository.head().unwrap().commit;
        repository.uncommitted().unwrap();
        assert!(repository.has_path(&head, "first").unwrap());
        repository.content(&head, "first").unwrap();
        for detail in [Detail::Patch, Detail::Reading, Detail::Stat, Detail::Names] {
            repository.difference(&head, &self.changes[0], detail).unwrap();
        }
        let _has_none = repository.parent(&head);
        let (one, other) = (repository.root().join("first"), self.nested.join(".git/config"));
        repository.difference_of_files("other", Some(&one), &other).unwrap();
        let files = repository.files_at(&head, "first").unwrap();
        assert!(repository.contents(&head, &files).unwrap().iter().all(Option::is_some));
        assert!(repository.is_revision("HEAD"));
        repository.unfetched(&head).unwrap();
        repository.submodules_at(&head).unwrap();
        repository.exclude(&["scratch"]).unwrap();
        repository.exclude_own(false).unwrap();
        repository.exclude_own(true).unwrap();
        assert_eq!(repository.branch_tip(&self.world.session).unwrap(), None);
        assert_eq!(repository.worktrees().unwrap().len(), 1);
        let api = Api::from_environment(&|_| None).unwrap();
        Slug::of(None, &repository, &api).unwrap_err();
        self.sort_out_repository(repository.root());
        repository
    }

    /// A person asks for scope in their own checkout, also where nothing is committed yet.
    fn sort_out_repository(&self, root: &Path) {
        put(root, "by-clean", "another\n");
        symlink("first", root.join("a-link")).unwrap();
        let (base, link) = (self.world.base.as_str(), self.linked.as_str());
        for (base, head) in [(Some(base), None), (Some(base), Some(link)), (None, None)] {
            scope_diff(root, Compared { base, head, apart: &[] }).unwrap();
            let paths = ["by-clean".to_owned()];
            scope_versions(root, Compared { base, head, apart: &[] }, &paths).unwrap();
        }
        sort_out(root);
        fs::remove_file(root.join("a-link")).unwrap();
        put(root, "by-clean", FILLED);
        let unborn = self.world.folder.path().join("unborn");
        fs::create_dir(&unborn).unwrap();
        git(&unborn, &["init", "-q", "-b", "main", "--template="]);
        sort_out(&unborn);
    }

    /// Changes of every kind, found and committed.
    fn accept(&self, repository: &Repository, workspace: &Workspace) -> CommitId {
        let (world, tree) = (&self.world, workspace.tree());
        change_everything(tree, "2");
        fs::remove_file(tree.join("first")).unwrap();
        fs::remove_dir_all(tree.join("folder")).unwrap();
        symlink("by-clean", tree.join("folder")).unwrap();
        put(tree, "added", "1");
        put(tree, "hidden/.gitignore", "*\n");
        workspace.changes().unwrap();
        assert!(workspace.is_tracked("first").unwrap());
        let mut paths = driven_files();
        paths.extend(["first", "folder/file", "added"].map(str::to_owned));
        let nested = ["nested".to_owned()];
        let refused = workspace.commit(&nested, &world.base, &world.message(), at());
        if tree.join("nested/.git").exists() {
            assert!(matches!(refused, Err(WorkspaceError::NotCommittable { .. })), "{refused:?}");
        }
        self.refuse(workspace);
        let commit = workspace.commit(&paths, &world.base, &world.message(), at()).unwrap();
        assert!(workspace.diff(&world.base, &commit).unwrap().len() > 5);
        let contents = workspace.contents_at(&commit, &["added", "by-clean", "gone"]).unwrap();
        assert_eq!(contents[0].as_deref(), Some(&b"1"[..]));
        repository.keep_commits(&world.session, &world.base, &commit).unwrap();
        pack(repository, &world.base, &commit);
        repository.keep_member(&world.session, DispatchNumber(1), &commit).unwrap();
        repository.keep_merged(&world.session, &commit).unwrap();
        commit
    }

    /// What cannot be committed as its attributes say, and is kept all the same.
    fn refuse(&self, workspace: &Workspace) {
        let (world, tree) = (&self.world, workspace.tree());
        put(tree, "encoded/.gitattributes", "* working-tree-encoding=UTF-16\n");
        put(tree, "encoded/plain", "1");
        let paths = ["encoded/plain".to_owned()];
        let refused = workspace.commit(&paths, &world.base, &world.message(), at());
        assert!(matches!(refused, Err(WorkspaceError::NotStageable { .. })), "{refused:?}");
        workspace.rescue("encoded", "encoded").unwrap().unwrap();
        fs::remove_dir_all(tree.join("encoded")).unwrap();
    }

    fn move_branch(&self, repository: &Repository, commit: &CommitId) {
        let world = &self.world;
        let promote = |old: Option<&CommitId>, new: &CommitId| {
            repository.promote(&world.session, old, new, &world.base)
        };
        promote(None, commit).unwrap();
        promote(None, commit).unwrap();
        promote(Some(&world.base), &self.changes[0]).unwrap_err();
        repository.set_branch_aside(&world.session, Some(&world.base)).unwrap().unwrap();
        promote(Some(&world.base), commit).unwrap();
        self.land(repository, commit);
        assert_eq!(repository.branch_tip(&world.session).unwrap().as_ref(), Some(commit));
    }

    fn land(&self, repository: &Repository, commit: &CommitId) {
        let (base, session) = (&self.world.base, &self.world.session);
        assert!(repository.contains(commit, base).unwrap());
        let tree = repository.tree_of(commit).unwrap();
        let signed = (repository.time_of(commit).unwrap(), repository.person().unwrap());
        let signed = (signed.0, signed.1.as_ref());
        let one = repository.commit_on(base, &tree, "one\n", signed).unwrap();
        let root = repository.root();
        assert_eq!(repository.checkout_of("main").unwrap().as_deref(), Some(root));
        let advance = Advance { branch: "other", from: base, to: &one };
        repository.in_the_way(root, advance).unwrap();
        if repository.tip_of_branch("other").unwrap().as_ref() == Some(base) {
            repository.advance(advance).unwrap();
        }
        repository.note_landed(session, &one, &one).unwrap();
        assert_eq!(repository.refs().unwrap().landed(session, &one), Some(&one));
    }

    fn rescue_and_reset(&self, workspace: &Workspace, commit: &CommitId, plant: &dyn Fn(&Path)) {
        let (base, tree) = (&self.world.base, workspace.tree());
        change_everything(tree, "3");
        let one = workspace.rescue("one", "one").unwrap().unwrap();
        let paths = ["by-merge-driver".to_owned(), "no-such-file".to_owned()];
        assert!(workspace.put_back(&one, &paths).unwrap().is_empty());
        workspace.reset(base).unwrap();
        plant(tree);
        // The work it was kept beside is not accepted here.
        workspace.put_back(&one, &paths).unwrap();
        plant(tree);
        workspace.rescue("planted", "planted").unwrap();
        workspace.reset(base).unwrap();
        workspace.take_back("one", base).unwrap();
        plant(tree);
        workspace.changes().unwrap();
        workspace.follow(commit).unwrap();
        plant(tree);
        // The accepted commit is ahead of what the journal knows.
        workspace.follow(base).unwrap();
        workspace.changes().unwrap();
        workspace.rescue("last", "last").unwrap();
        workspace.reset(base).unwrap();
    }

    fn merge(&self, workspace: &Workspace, plant: &dyn Fn(&Path)) {
        let (world, tree) = (&self.world, workspace.tree());
        plant(tree);
        let side = |text: &str| {
            put(tree, "by-merge-driver", text);
            let path = ["by-merge-driver".to_owned()];
            workspace.commit(&path, &world.base, &world.message(), at()).unwrap()
        };
        let sides = [side("2\n\n\n\n\n\n\n\n1\n"), side("1\n\n\n\n\n\n\n\n3\n")];
        for [onto, change] in [&sides, &self.changes, &self.unknown_changes] {
            // Whether submodules go together is git's to say; that it says so is enough.
            let _ = workspace.put_on_top(onto, change);
            let _ = workspace.merge_branch(onto, "main", change);
            let _ = workspace.merge_into(onto, change, "merged\n");
        }
        let [one, other] = &sides;
        let joined = workspace.join(one, [one, other], &world.message()).unwrap();
        let repository = &world.repository;
        repository.keep_conflict(&world.session, &joined).unwrap();
        repository.tip_of_branch("main").unwrap();
        workspace.rescue("merged", "merged").unwrap();
        workspace.reset(&world.base).unwrap();
    }
}

pub fn change_everything(tree: &Path, text: &str) {
    for name in driven_files() {
        put(tree, &name, &format!("{text}\n\n\n\n\n\n\n\n1\n"));
    }
}

/// As an archive takes the commits of a session along, and as they are looked at where it is judged.
fn pack(repository: &Repository, base: &CommitId, commit: &CommitId) {
    let beyond = repository.commits_beyond(commit, &[base]).unwrap();
    assert_eq!(beyond, std::slice::from_ref(commit));
    let folder = scratch();
    let pack = repository.pack_beyond(commit, &[base], folder.path()).unwrap();
    let format = repository.object_format();
    assert!(objects_in(&pack, format).unwrap().iter().any(|object| object.is_commit));
}

fn take_snapshots(root: &Path) {
    let snapshots = Snapshots::of(root);
    let taken = snapshots.take("manual", &SCOPE, at(), KEEPING).unwrap();
    put(root, "ignored-later", "x");
    snapshots.show(taken.clone()).unwrap();
    snapshots.restore(&taken, at(), KEEPING).unwrap();
}

fn look_at(folder: &Path) {
    sort_out(folder);
    if let Ok(repository) = Repository::discover(folder) {
        let head = repository.head();
        let _ = repository.uncommitted();
        if let Ok(head) = head {
            let _ = repository.has_path(&head.commit, "inner");
            let _ = repository.content(&head.commit, "inner");
            let _ = repository.files_at(&head.commit, "inner");
            let _ = repository.contents(&head.commit, &["inner".to_owned()]);
            let _ = repository.is_revision("inner");
        }
        let _ = Snapshots::of(folder).take("manual", &SCOPE, at(), KEEPING);
    }
}

/// What `tollgate scope` asks, in every way it does; where it stands decides whether there is an answer.
fn sort_out(folder: &Path) {
    let ways =
        [(None, None), (Some("HEAD"), None), (Some("HEAD^"), Some("HEAD")), (Some("no"), None)];
    for (base, head) in ways {
        let _ = scope_diff(folder, Compared { base, head, apart: &[] });
    }
}

/// Three commits, so that two changes of a submodule can clash.
fn make_nested(folder: &Path) -> [String; 3] {
    fs::create_dir(folder).unwrap();
    git(folder, &["init", "-q", "-b", "main", "--template="]);
    put(folder, ".gitattributes", &attributes());
    for name in driven_files().iter().map(String::as_str).chain(["inner"]) {
        put(folder, name, "1\n\n\n\n\n\n\n\n1\n");
    }
    git(folder, &["add", "-A"]);
    let commit = |text: &str| {
        put(folder, "inner", text);
        git(folder, &["commit", "-qam", text]);
        git(folder, &["rev-parse", "HEAD"])
    };
    let first = commit("first");
    let left = commit("left");
    git(folder, &["reset", "-q", "--hard", &first]);
    let right = commit("right");
    [first, left, right]
}
