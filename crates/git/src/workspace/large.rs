//! What would keep git busy forever: files that are larger than the limits, and pipes in the place of files that git reads.
//! They leave the tree by rename, before anything reads them.

use super::changes::{ChangeKind, FoundChange, Presence};
use super::plain::{read_if_there, write};
use super::rescue::PATHS_PER_CALL;
use super::{Workspace, WorkspaceError};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, FileType};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tollgate_core::limits::{ARTEFACT_BYTES_MAX, DISPATCH_BYTES_DEFAULT, FILE_BYTES_DEFAULT};
use tollgate_core::work::{SetAside, SizeLimit};

/// Folder below `home`: `large/<for whom>/<number>/<path in the tree>`.
pub(super) const LARGE: &str = "large";

/// States of tracked files that are large in the accepted commit already, NUL after each.
const KNOWN: &str = "known-large";

/// Paths whose accepted file comes in the place of one that is set aside, each with the state of that one, NUL after both.
const BEING_PUT_BACK: &str = "being-put-back";

/// Each level holds a folder open; git gives up not far below.
const DEPTH_MAX: usize = 300;

/// How large the files may be that a dispatch leaves changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeLimits {
    pub file_bytes: u64,
    pub dispatch_bytes: u64,
}

impl Default for SizeLimits {
    fn default() -> Self {
        Self { file_bytes: FILE_BYTES_DEFAULT, dispatch_bytes: DISPATCH_BYTES_DEFAULT }
    }
}

impl Workspace {
    pub(super) fn bounded_by(self, limits: SizeLimits) -> Self {
        Self { limits, ..self }
    }

    /// Says for whom large files are set aside from now on.
    pub fn labelled(self, label: &str) -> Self {
        Self { label: label.to_owned(), ..self }
    }

    /// What was set aside for whom this works; ordered by place.
    pub fn set_aside_as_large(&self) -> Result<Vec<SetAside>, WorkspaceError> {
        let mut found = Vec::new();
        let folder = self.home.join(LARGE).join(&self.label);
        for number in names_in(&folder)? {
            let root = folder.join(number);
            self.list_large(&root, &root, &mut found)?;
        }
        Ok(found)
    }

    fn list_large(
        &self,
        root: &Path,
        at: &Path,
        found: &mut Vec<SetAside>,
    ) -> Result<(), WorkspaceError> {
        for name in names_in(at)? {
            let path = at.join(name);
            let metadata = path.symlink_metadata().map_err(|e| WorkspaceError::io(&path, e))?;
            if metadata.is_dir() {
                self.list_large(root, &path, found)?;
                continue;
            }
            let SizeLimits { file_bytes, dispatch_bytes } = self.limits;
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let limit = match name.starts_with(SESSION_FILES) {
                _ if !metadata.is_file() => SizeLimit::NotAFile,
                true => SizeLimit::SessionFile(ARTEFACT_BYTES_MAX),
                false if metadata.len() > file_bytes => SizeLimit::FileBytes(file_bytes),
                false => SizeLimit::DispatchBytes(dispatch_bytes),
            };
            let (size_bytes, kept) = (metadata.len(), path.display().to_string());
            found.push(SetAside { path: name, size_bytes, limit, kept });
        }
        Ok(())
    }

    /// Session files that are too large to be taken; the next dispatch would remove them.
    pub fn set_session_files_aside(&self) -> Result<(), WorkspaceError> {
        let mut paths = Vec::new();
        let is_large = |folder: &OwnedFd, name: &OsStr, kind| {
            kind == FileType::RegularFile && size_at(folder, name) > ARTEFACT_BYTES_MAX
        };
        if let Ok(folder) =
            tollgate_files::open_folder_beneath(&self.tree, Path::new(SESSION_FILES))
        {
            walk(&folder, Path::new(SESSION_FILES), 0, &is_large, &mut paths);
        }
        paths.iter().try_for_each(|path| self.move_to_large(path))
    }

    /// Before git looks at the tree: it waits forever for the other end of a pipe that is named `.gitignore`, and reads
    /// all of a tracked file whose size it takes for unchanged.
    pub(super) fn clear_the_way(&self) -> Result<(), WorkspaceError> {
        self.finish_putting_back()?;
        let max = self.limits.file_bytes;
        let mut in_the_way = Vec::new();
        let is_in_the_way = |folder: &OwnedFd, name: &OsStr, kind| {
            name.as_bytes().starts_with(b".git")
                && match kind {
                    FileType::RegularFile => size_at(folder, name) > max,
                    FileType::Directory | FileType::Symlink => false,
                    _ => true,
                }
        };
        if let Ok(tree) = tollgate_files::open_folder_beneath(&self.tree, Path::new("")) {
            walk(&tree, Path::new(""), 0, &is_in_the_way, &mut in_the_way);
        }
        let known = read_if_there(&self.shadow.join(KNOWN))?;
        let known: BTreeSet<&[u8]> = known.split(|byte| *byte == 0).collect();
        let mut tracked = self.large_tracked()?;
        tracked.retain(|path| !known.contains(&self.state(path)[..]));
        in_the_way.retain(|path| !tracked.contains(path));
        in_the_way.iter().try_for_each(|path| self.move_to_large(path))?;
        self.put_tracked_back(&tracked)
    }

    /// Takes note of tracked files that are large in a tree that we have just written: they are nobody's change.
    pub(super) fn note_large(&self) -> Result<(), WorkspaceError> {
        let mut records = Vec::new();
        for path in self.large_tracked()? {
            records.extend(self.state(&path));
            records.push(0);
        }
        write(&self.shadow.join(KNOWN), &records)
    }

    fn large_tracked(&self) -> Result<Vec<PathBuf>, WorkspaceError> {
        self.settle_index()?;
        let listed = self.git(["ls-files", "-z"]).run()?.stdout;
        let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let paths = names.map(|name| PathBuf::from(OsStr::from_bytes(name)));
        // The way there is looked at for the few that matter.
        let is_large = |path: &PathBuf| {
            let max = self.limits.file_bytes;
            self.size_on_any_way(path) > max && self.size(path) > max
        };
        Ok(paths.filter(is_large).collect())
    }

    /// The changes that stay. Of those that are too much together the largest go first.
    pub(super) fn without_large(
        &self,
        found: Vec<FoundChange>,
    ) -> Result<Vec<FoundChange>, WorkspaceError> {
        let mut sizes: Vec<(u64, &FoundChange)> = found
            .iter()
            .filter(|found| found.kind != ChangeKind::NestedRepository)
            .map(|found| (self.size(&found.path), found))
            .collect();
        sizes.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.path.cmp(&other.path)));
        let mut sum: u64 = sizes.iter().map(|(size, _)| *size).fold(0, u64::saturating_add);
        let (mut gone, mut tracked) = (BTreeSet::new(), Vec::new());
        for (size, large) in sizes {
            if size <= self.limits.file_bytes && sum <= self.limits.dispatch_bytes {
                break;
            }
            sum = sum.saturating_sub(size);
            gone.insert(large.path.clone());
            match large.is_untracked {
                true => self.move_to_large(&large.path)?,
                false => tracked.push(large.path.clone()),
            }
        }
        self.put_tracked_back(&tracked)?;
        Ok(found.into_iter().filter(|found| !gone.contains(&found.path)).collect())
    }

    /// Whether none of these files, and not all of them together, are too large.
    pub(super) fn is_within_limits(&self, paths: &[PathBuf]) -> bool {
        let sizes = || paths.iter().map(|path| self.size(path));
        sizes().all(|size| size <= self.limits.file_bytes)
            && sizes().fold(0, u64::saturating_add) <= self.limits.dispatch_bytes
    }

    /// Sets them aside and puts the accepted files in their place: that they are gone is nobody's change.
    fn put_tracked_back(&self, paths: &[PathBuf]) -> Result<(), WorkspaceError> {
        if paths.is_empty() {
            return Ok(());
        }
        let mut records = Vec::new();
        for path in paths {
            for field in [path.as_os_str().as_bytes(), &self.state(path)] {
                records.extend_from_slice(field);
                records.push(0);
            }
        }
        write(&self.shadow.join(BEING_PUT_BACK), &records)?;
        self.finish_putting_back()
    }

    /// Also for an engine that was killed in the middle of it.
    fn finish_putting_back(&self) -> Result<(), WorkspaceError> {
        let marker = self.shadow.join(BEING_PUT_BACK);
        let records = read_if_there(&marker)?;
        if records.is_empty() {
            return Ok(());
        }
        let fields: Vec<&[u8]> = records.split(|byte| *byte == 0).collect();
        let mut paths = Vec::new();
        for record in fields.chunks_exact(2) {
            let path = Path::new(OsStr::from_bytes(record[0]));
            // Another one is the accepted file, back already.
            if self.state(path) == record[1] {
                self.move_to_large(path)?;
            }
            paths.push(path);
        }
        paths.retain(|path| self.presence(path) == Presence::Missing);
        let accepted = self.accepted()?;
        for some in paths.chunks(PATHS_PER_CALL) {
            // 1: some are accepted no more, and git has restored none.
            if self.restoring(accepted.as_str(), some).run_with(&[1])?.1 == 1 {
                for path in some {
                    self.restoring(accepted.as_str(), &[path]).run_with(&[1])?;
                }
            }
        }
        self.note_large()?;
        fs::remove_file(&marker).map_err(|cause| WorkspaceError::io(&marker, cause))
    }

    fn move_to_large(&self, path: &Path) -> Result<(), WorkspaceError> {
        self.move_out(path, || {
            let folder = self.home.join(LARGE).join(&self.label);
            let place = |number: u32| folder.join(number.to_string()).join(path);
            let is_free = |place: &PathBuf| place.symlink_metadata().is_err();
            let to = (1..).map(place).find(is_free).expect("there are fewer files than numbers");
            fs::create_dir_all(to.parent().unwrap_or(&folder))
                .map_err(|cause| WorkspaceError::io(&to, cause))?;
            Ok(to)
        })
    }

    /// Of a plain file; all else has none.
    fn size(&self, path: &Path) -> u64 {
        let size = self.size_on_any_way(path);
        // A file of this name that is reached through a link is not of this tree.
        match size > 0 && self.presence(path) == Presence::File {
            true => size,
            false => 0,
        }
    }

    fn size_on_any_way(&self, path: &Path) -> u64 {
        let found = self.tree.join(path).symlink_metadata();
        found.ok().filter(fs::Metadata::is_file).map_or(0, |metadata| metadata.len())
    }
}

/// Where agents have their session files.
const SESSION_FILES: &str = tollgate_files::layout::Layout::SESSIONS;

/// The names in a folder, in order; none where it is not there.
fn names_in(folder: &Path) -> Result<Vec<OsString>, WorkspaceError> {
    let failed = |cause| WorkspaceError::io(folder, cause);
    let entries = match fs::read_dir(folder) {
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let names = entries.map(|entry| entry.map(|entry| entry.file_name()));
    let mut names = names.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    names.sort();
    Ok(names)
}

fn size_at(folder: &OwnedFd, name: &OsStr) -> u64 {
    let found = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    found.ok().and_then(|found| u64::try_from(found.st_size).ok()).unwrap_or(0)
}

/// Collects what `is_meant` says below a folder; neither links nor git directories are entered.
fn walk(
    folder: &OwnedFd,
    path: &Path,
    depth: usize,
    is_meant: &impl Fn(&OwnedFd, &OsStr, FileType) -> bool,
    found: &mut Vec<PathBuf>,
) {
    let Ok(entries) = Dir::read_from(folder) else { return };
    for entry in entries.flatten() {
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if matches!(name.as_bytes(), b"." | b".." | b".git") {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => kind_at(folder, name),
            kind => kind,
        };
        if is_meant(folder, name, kind) {
            found.push(path.join(name));
        } else if kind == FileType::Directory
            && depth < DEPTH_MAX
            && let Ok(below) = tollgate_files::open_folder(folder, name)
        {
            walk(&below, &path.join(name), depth + 1, is_meant, found);
        }
    }
}

fn kind_at(folder: &OwnedFd, name: &OsStr) -> FileType {
    let found = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    found.map_or(FileType::Unknown, |found| FileType::from_raw_mode(found.st_mode))
}
