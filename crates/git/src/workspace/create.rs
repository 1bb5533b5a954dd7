//! Builds a workspace beside its place and renames it there when it is whole.

use super::large::LARGE;
use super::plain::{read_if_there, write};
use super::settings::shadow_config;
use super::{FINISHED, IN_USE, SizeLimits, Workspace, WorkspaceError};
use crate::inside::SESSION_FILE;
use crate::program::status::OWN_FOLDERS;
use crate::repository::Repository;
use rustix::fd::OwnedFd;
use rustix::fs::AtFlags;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::Ordering;
use tollgate_core::id::{CommitId, SessionName};
use tollgate_files::crash;
use tollgate_files::{create_in, make_folder_beneath};

/// Name while it is being built.
const UNFINISHED: &str = "workspace.new";
/// Folder below `home` for what was moved out of the way.
const ASIDE: &str = "aside";
/// Paths of submodules, NUL after each.
const SUBMODULES: &str = "submodules";

impl Workspace {
    /// The workspace below `home`, with the files of `tip` and the ignored files of the checkout named in `copy`.
    /// `base` and `tip` are kept from `git gc` first. Killed at any point, it can be called again: a finished
    /// workspace is opened; half of one is put aside, and one of a repository that was here before.
    pub fn create(
        repository: &Repository,
        home: &Path,
        session: &SessionName,
        base: &CommitId,
        tip: &CommitId,
        copy: &[String],
        limits: SizeLimits,
    ) -> Result<Self, WorkspaceError> {
        if let Some(finished) = Self::open(repository, home)? {
            let finished = finished.bounded_by(limits);
            if finished.is_of_this_repository(tip)? {
                return Ok(finished);
            }
            finished.put_all_aside()?;
        }
        let copy = copy.iter().map(|path| checked_copy(path)).collect::<Result<Vec<_>, _>>()?;
        repository.keep_commits(session, base, tip)?;
        crash::point("create.kept");
        let folder = home.join(UNFINISHED);
        let workspace = Self::at(repository, home, &folder, session.clone())?.bounded_by(limits);
        if folder.symlink_metadata().is_ok() {
            let aside = workspace.place_aside(Path::new("unfinished"))?;
            fs::rename(&folder, aside).map_err(|cause| WorkspaceError::io(&folder, cause))?;
        }
        workspace.write_shadow(tip, &copy)?;
        let session_file = folder.join(SESSION_FILE);
        write(&session_file, session.as_str().as_bytes())?;
        crash::point("create.before_checkout");
        workspace.git_writing(["read-tree", "-u", "--reset", tip.as_str()]).run()?;
        crash::point("create.checked_out");
        workspace.note_submodules(&copy)?;
        workspace.note_restless(&workspace.named_by_git()?)?;
        workspace.note_large()?;
        workspace.renew_clone()?;
        for path in &copy {
            copy_into(repository.root(), &workspace.tree, path)?;
        }
        let place = home.join(FINISHED);
        crash::point("create.before_rename");
        fs::rename(&folder, &place).map_err(|cause| WorkspaceError::io(&place, cause))?;
        crash::point("create.renamed");
        Ok(Self::at(repository, home, &place, session.clone())?.bounded_by(limits))
    }

    /// Whether there is a whole workspace below `home`.
    pub fn is_made(home: &Path) -> bool {
        home.join(FINISHED).exists()
    }

    /// A repository made again in the place of another does not have what was accepted in that one.
    fn is_of_this_repository(&self, tip: &CommitId) -> Result<bool, WorkspaceError> {
        let accepted = self.accepted()?;
        if accepted == *tip {
            return Ok(true);
        }
        let call = self.git(["cat-file", "-e"]).arg(format!("{accepted}^{{commit}}"));
        Ok(call.run_with(&[1, 128])?.1 == 0)
    }

    /// With the notes of what was set up in it. The tree goes last: while it is there, this is done again.
    fn put_all_aside(&self) -> Result<(), WorkspaceError> {
        let failed = |cause| WorkspaceError::io(&self.home, cause);
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.home).map_err(failed)? {
            names.push(entry.map_err(failed)?.file_name());
        }
        let is_lock = |name: &OsString| name.as_bytes().starts_with(IN_USE.as_bytes());
        names.retain(|name| name != ASIDE && name != LARGE && !is_lock(name));
        names.sort_by_key(|name| name == FINISHED);
        for name in names {
            let to = self.place_aside(Path::new(&name))?;
            fs::rename(self.home.join(&name), &to).map_err(failed)?;
        }
        Ok(())
    }

    /// A place of this name in a new numbered folder below `home/aside`; what is moved there stays.
    pub(super) fn place_aside(&self, name: &Path) -> Result<PathBuf, WorkspaceError> {
        let aside = self.home.join(ASIDE);
        let is_free = |number: &u32| aside.join(number.to_string()).symlink_metadata().is_err();
        let first = self.next_aside.load(Ordering::Relaxed);
        let number = (first..).find(is_free).expect("there are fewer folders than numbers");
        self.next_aside.store(number, Ordering::Relaxed);
        let to = aside.join(number.to_string()).join(name);
        fs::create_dir_all(to.parent().unwrap_or(&aside))
            .map_err(|cause| WorkspaceError::io(&to, cause))?;
        Ok(to)
    }

    pub(super) fn submodules(&self) -> Result<Vec<PathBuf>, WorkspaceError> {
        let path = self.shadow.join(SUBMODULES);
        let listing = fs::read(&path).map_err(|cause| WorkspaceError::io(&path, cause))?;
        let names = listing.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect())
    }

    /// A git directory by hand: nothing comes from a template, and `git init` could choose another format.
    fn write_shadow(&self, tip: &CommitId, copy: &[PathBuf]) -> Result<(), WorkspaceError> {
        for folder in [&self.tree, &self.shadow.join("info"), &self.shadow.join("refs")] {
            fs::create_dir_all(folder).map_err(|cause| WorkspaceError::io(folder, cause))?;
        }
        let objects = self.shadow.join("objects");
        fs::create_dir_all(&objects).map_err(|cause| WorkspaceError::io(&objects, cause))?;
        let theirs = self.repository.common_dir();
        let mut exclude = read_if_there(&theirs.join("info/exclude"))?;
        exclude.extend_from_slice(own_excludes(copy).as_bytes());
        let attributes = read_if_there(&theirs.join("info/attributes"))?;
        write(&self.shadow.join("info/exclude"), &exclude)?;
        write(&self.shadow.join("info/attributes"), &attributes)?;
        write(&self.shadow.join("config"), shadow_config(&self.repository)?.as_bytes())?;
        // Without it the history of a shallow repository ends in missing commits.
        let shallow = read_if_there(&theirs.join("shallow"))?;
        if !shallow.is_empty() {
            write(&self.shadow.join("shallow"), &shallow)?;
        }
        self.write_head(tip)
    }

    /// Those whose files are brought along are not watched: nothing of them is accepted, like all that is copied.
    fn note_submodules(&self, copy: &[PathBuf]) -> Result<(), WorkspaceError> {
        let listing = self.git(["ls-files", "--stage", "-z"]).run()?;
        let mut names = Vec::new();
        for record in listing.stdout.split(|byte| *byte == 0) {
            if record.starts_with(b"160000 ")
                && let Some(tab) = record.iter().position(|byte| *byte == b'\t')
                && !copy.iter().any(|path| path.as_os_str().as_bytes() == &record[tab + 1..])
            {
                names.extend_from_slice(&record[tab + 1..]);
                names.push(0);
            }
        }
        write(&self.shadow.join(SUBMODULES), &names)
    }
}

fn own_excludes(copy: &[PathBuf]) -> String {
    let mut text = "\n.[gG][iI][tT]\n".to_owned();
    for folder in OWN_FOLDERS {
        text.push_str(&format!("/{folder}\n"));
    }
    for path in copy {
        for c in path.to_string_lossy().chars() {
            if text.ends_with('\n') {
                text.push('/');
            }
            if matches!(c, '*' | '?' | '[' | ']' | '\\' | ' ') {
                text.push('\\');
            }
            text.push(c);
        }
        text.push('\n');
    }
    text
}

fn checked_copy(path: &str) -> Result<PathBuf, WorkspaceError> {
    let trimmed = Path::new(path.trim_end_matches('/'));
    let is_plain = trimmed.components().all(|part| matches!(part, Component::Normal(_)));
    if path.is_empty()
        || !is_plain
        || path.contains(['\n', '\r'])
        || super::names::is_refused_by_git(trimmed)
    {
        return Err(WorkspaceError::BadCopy { path: path.to_owned() });
    }
    Ok(trimmed.to_owned())
}

/// Copies a file, link or folder of the checkout; what is missing there or already in the tree is left. A link of the
/// tree is not followed: it came with a commit, and could lead anywhere.
fn copy_into(root: &Path, tree: &Path, path: &Path) -> Result<(), WorkspaceError> {
    let from = root.join(path);
    let Ok(metadata) = from.symlink_metadata() else { return Ok(()) };
    let failed = |cause| WorkspaceError::io(&tree.join(path), cause);
    if metadata.is_dir() {
        for entry in fs::read_dir(&from).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // The files of a submodule or of another repository come along, and its git directory does not.
            if !entry.file_name().eq_ignore_ascii_case(".git") {
                copy_into(root, tree, &path.join(entry.file_name()))?;
            }
        }
        return Ok(());
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let folder = make_folder_beneath(tree, folder).map_err(|errno| failed(errno.into()))?;
    if rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
        return Ok(());
    }
    if metadata.is_symlink() {
        let target = fs::read_link(&from).map_err(failed)?;
        rustix::fs::symlinkat(&target, &folder, name).map_err(|errno| failed(errno.into()))
    } else if metadata.is_file() {
        copy_file(&from, &folder, name).map_err(failed)
    } else {
        Ok(())
    }
}

fn copy_file(from: &Path, folder: &OwnedFd, name: &OsStr) -> std::io::Result<()> {
    let mut from = fs::File::open(from)?;
    let mut to = create_in(folder, name, 0o600)?;
    std::io::copy(&mut from, &mut to)?;
    to.set_permissions(from.metadata()?.permissions())
}
