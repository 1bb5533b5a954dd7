//! A person's repository in a temporary folder, and a workspace of it.
#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tollgate_core::id::{CommitId, DispatchNumber, SessionName, TaskRef};
use tollgate_core::role::Role;
use tollgate_core::time::Timestamp;
use tollgate_git::repository::Repository;
use tollgate_git::workspace::{ChangeKind, CommitMessage, SizeLimits, Workspace};

pub struct World {
    pub folder: tempfile::TempDir,
    pub repository: Repository,
    pub session: SessionName,
    pub base: CommitId,
}

impl World {
    /// `files` in one commit on `main`.
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self::with_init(&[], files)
    }

    pub fn with_init(init: &[&str], files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("person");
        std::fs::create_dir(&root).unwrap();
        git(&root, &[&["init", "-q", "-b", "main"], init].concat());
        for (name, content) in files {
            put(&root, name, content);
        }
        git(&root, &["add", "-A"]);
        git(&root, &["commit", "-qm", "first"]);
        Self::around(folder, &root)
    }

    pub fn around(folder: tempfile::TempDir, root: &Path) -> Self {
        let repository = Repository::discover(root).unwrap();
        let base = repository.head().unwrap().commit;
        let session = SessionName::parse("2026-11-15_login").unwrap();
        Self { folder, repository, session, base }
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn workspace(&self) -> Workspace {
        self.workspace_with(&[])
    }

    pub fn workspace_with(&self, copy: &[&str]) -> Workspace {
        let copy: Vec<String> = copy.iter().map(|path| (*path).to_owned()).collect();
        let (repository, home) = (&self.repository, self.home());
        Workspace::create(
            repository,
            &home,
            &self.session,
            &self.base,
            &self.base,
            &copy,
            SizeLimits::default(),
        )
        .unwrap()
    }

    pub fn message(&self) -> CommitMessage {
        CommitMessage {
            subject: "Add a limit".into(),
            body: "Because of the many attempts.".into(),
            session: self.session.clone(),
            dispatch: DispatchNumber(3),
            role: Role::Coder,
            task: TaskRef::from("T-001".to_owned()),
            assisted_by: None,
        }
    }

    pub fn commit(&self, workspace: &Workspace, paths: &[&str], parent: &CommitId) -> CommitId {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        workspace.commit(&paths, parent, &self.message(), at()).unwrap()
    }

    /// git in the person's repository.
    pub fn git(&self, args: &[&str]) -> String {
        git(self.repository.root(), args)
    }
}

pub fn at() -> Timestamp {
    Timestamp::from_ms(1_794_777_600_000)
}

/// The person's own git: their identity, nothing of the machine's settings.
pub fn git(folder: &Path, args: &[&str]) -> String {
    let output = git_command(folder).args(args).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

pub fn git_command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .args(["-c", "user.name=Person", "-c", "user.email=person@example.org"]);
    command
}

pub fn put(root: &Path, name: &str, content: &str) {
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

pub fn read(root: &Path, name: &str) -> String {
    std::fs::read_to_string(root.join(name)).unwrap()
}

pub fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

pub fn kinds(workspace: &Workspace) -> Vec<(String, ChangeKind)> {
    let mut kinds: Vec<_> =
        workspace.changes().unwrap().into_iter().map(|change| (change.path, change.kind)).collect();
    kinds.sort();
    kinds
}

/// Every file below a folder with what it holds, `skip` (by its start) left out.
pub fn fingerprint(root: &Path, skip: &[&str]) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut files = BTreeMap::new();
    visit(root, &mut |path| {
        let name = path.strip_prefix(root).unwrap();
        if skip.iter().any(|start| name.starts_with(start)) {
            return;
        }
        let content = match std::fs::read_link(path) {
            Ok(target) => target.as_os_str().as_bytes().to_vec(),
            Err(_) => std::fs::read(path).unwrap(),
        };
        files.insert(name.as_os_str().as_bytes().to_vec(), content);
    });
    files
}

pub fn inodes(root: &Path) -> BTreeMap<(u64, u64), PathBuf> {
    let mut inodes = BTreeMap::new();
    visit(root, &mut |path| {
        let metadata = path.symlink_metadata().unwrap();
        inodes.insert((metadata.dev(), metadata.ino()), path.to_owned());
    });
    inodes
}

fn visit(folder: &Path, each: &mut dyn FnMut(&Path)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.symlink_metadata().unwrap().is_dir() {
            visit(&path, each);
        } else {
            each(&path);
        }
    }
}
