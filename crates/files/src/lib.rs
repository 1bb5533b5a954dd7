//! The one way to read and write files: whole or not at all, bounded, and never through a symlink.

mod beneath;
pub mod clock;
pub mod crash;
pub mod disk;
mod growing;
pub mod layout;
mod listing;
pub mod redact;
pub mod write_lock;

pub use beneath::{
    Root, create_in, is_inside, make_folder_beneath, open_beneath, open_folder,
    open_folder_beneath, open_in, open_or_make_folder, read_beneath, remove_file_beneath,
    write_beneath,
};
pub use growing::GrowingLog;
pub use listing::{ListingEntry, ListingKind, TreeLimits, copy_tree_bounded, list_files};
pub use tollgate_core::sanitize;

use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use tollgate_core::id::ContentHash;

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("cannot {doing} {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("{} has more than {max} bytes, which is the limit", path.display())]
    TooBig { path: PathBuf, max: u64 },
    #[error("{} is not a regular file", path.display())]
    NotAFile { path: PathBuf },
    #[error("{path:?} is refused: {why}")]
    BadPath { path: String, why: &'static str },
    #[error("{} has more than {max} entries, which is the limit", path.display())]
    TooMany { path: PathBuf, max: usize },
    #[error("{} could not be written and read back in {tries} tries; the last time: {last}", path.display())]
    NotPersisted { path: PathBuf, tries: u32, last: String, kind: Option<io::ErrorKind> },
}

/// Whether the person may start it.
pub fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Where a search path finds a program. Relative entries are left out: what is there depends on the folder.
pub fn program_on(path: Option<OsString>, name: &str) -> Option<PathBuf> {
    let path = path.unwrap_or_default();
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|candidate| is_program(candidate))
}

impl FileError {
    pub fn io<'a>(doing: &'static str, path: &'a Path) -> impl Fn(io::Error) -> Self + use<'a> {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }

    pub fn is_too_big(&self) -> bool {
        matches!(self, Self::TooBig { .. })
    }

    /// What the system said, if it is the cause.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io { source, .. } => Some(source.kind()),
            Self::NotPersisted { kind, .. } => *kind,
            Self::TooBig { .. }
            | Self::NotAFile { .. }
            | Self::BadPath { .. }
            | Self::TooMany { .. } => None,
        }
    }

    /// The file, or a folder on the way to it, does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

const TEMP_PREFIX: &str = ".tollgate-";
const TEMP_SUFFIX: &str = ".tmp";
const NEW_FILE_MODE: u32 = 0o644;

/// Replaces a file by rename, so that a reader sees the old content or the new. Not synced.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    replace(path, bytes, false)
}

/// Like [`write_atomic`], for a file of a person: one that exists keeps its mode.
pub fn write_atomic_as_it_is(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let io = FileError::io("write", path);
    let mode = path.metadata().ok().map(|found| found.permissions().mode() & 0o777);
    let temp = written_aside(path, bytes, mode.unwrap_or(NEW_FILE_MODE)).map_err(&io)?;
    if let Some(mode) = mode {
        // The umask of this process may have taken something away.
        temp.as_file().set_permissions(Permissions::from_mode(mode)).map_err(&io)?;
    }
    temp.persist(path).map_err(|error| io(error.error))?;
    Ok(())
}

/// Like [`write_atomic`], and on disk when it returns.
pub fn write_durable(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    replace(path, bytes, true)?;
    sync_folder(folder_of(path)).map_err(FileError::io("sync the folder of", path))
}

fn replace(path: &Path, bytes: &[u8], sync: bool) -> Result<(), FileError> {
    let io = FileError::io("write", path);
    let temp = written_aside(path, bytes, NEW_FILE_MODE).map_err(&io)?;
    if sync {
        temp.as_file().sync_data().map_err(&io)?;
    }
    crash::point("files.before_rename");
    temp.persist(path).map_err(|error| io(error.error))?;
    crash::point("files.renamed");
    Ok(())
}

fn written_aside(path: &Path, bytes: &[u8], mode: u32) -> io::Result<NamedTempFile> {
    let mut temp = tempfile::Builder::new()
        .prefix(TEMP_PREFIX)
        .suffix(TEMP_SUFFIX)
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(folder_of(path))?;
    crash::point("files.before_write");
    temp.write_all(bytes)?;
    Ok(temp)
}

/// Like [`write_atomic`], for a file that can be made again: after a power cut it may be empty. On ext4, exchanging the
/// two files was measured to be cheaper than renaming over the old one.
pub fn write_cache(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let io = FileError::io("write", path);
    let temp = written_aside(path, bytes, NEW_FILE_MODE).map_err(&io)?;
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    crash::point("files.before_exchange");
    let has_changed_places =
        is_file && renameat_with(CWD, temp.path(), CWD, path, RenameFlags::EXCHANGE).is_ok();
    if has_changed_places {
        crash::point("files.exchanged");
        // What is there now is the old content.
        return temp.close().map_err(&io);
    }
    temp.persist(path).map_err(|error| io(error.error))?;
    Ok(())
}

/// [`write_cache`], read back and compared, up to `tries` times.
pub fn write_cache_checked(path: &Path, bytes: &[u8], tries: u32) -> Result<(), FileError> {
    let read_back = |path: &Path| read_bounded(path, bytes.len() as u64);
    write_checked_by(path, bytes, tries, write_cache, read_back)
}

/// Writes, reads back and compares, up to `tries` times.
pub fn write_checked(path: &Path, bytes: &[u8], tries: u32) -> Result<(), FileError> {
    let read_back = |path: &Path| read_bounded(path, bytes.len() as u64);
    write_checked_by(path, bytes, tries, write_atomic, read_back)
}

fn write_checked_by(
    path: &Path,
    bytes: &[u8],
    tries: u32,
    mut write: impl FnMut(&Path, &[u8]) -> Result<(), FileError>,
    mut read_back: impl FnMut(&Path) -> Result<Vec<u8>, FileError>,
) -> Result<(), FileError> {
    let (mut last, mut kind) = ("it was not tried".to_owned(), None);
    for _ in 0..tries {
        match write(path, bytes).and_then(|()| read_back(path)) {
            Ok(found) if found == bytes => return Ok(()),
            Ok(found) => {
                last = format!("{} bytes came back as {} others", bytes.len(), found.len())
            }
            Err(error) => (last, kind) = (error.to_string(), error.io_kind()),
        }
    }
    Err(FileError::NotPersisted { path: path.to_owned(), tries, last, kind })
}

/// Reads a plain file of at most `max` bytes; a symlink, pipe or device is refused.
pub fn read_bounded(path: &Path, max: u64) -> Result<Vec<u8>, FileError> {
    let file = options_nofollow().read(true).open(path).map_err(FileError::io("open", path))?;
    read_open(&file, path, max)
}

fn read_open(file: &File, path: &Path, max: u64) -> Result<Vec<u8>, FileError> {
    let meta = file.metadata().map_err(FileError::io("look at", path))?;
    if !meta.is_file() {
        return Err(FileError::NotAFile { path: path.to_owned() });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len().min(max)).unwrap_or(0));
    file.take(max + 1).read_to_end(&mut bytes).map_err(FileError::io("read", path))?;
    if bytes.len() as u64 > max {
        return Err(FileError::TooBig { path: path.to_owned(), max });
    }
    Ok(bytes)
}

/// The hash of a file below a root; none when it is not there.
pub fn hash_beneath(root: &Path, relative: &str) -> Result<Option<ContentHash>, FileError> {
    match read_beneath(root, relative, tollgate_core::limits::ARTEFACT_BYTES_MAX) {
        Ok(bytes) => Ok(Some(hash_bytes(&bytes))),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The last bytes of a log as text, cut at a line where there is one. A missing log is empty.
pub fn read_tail(path: &Path, max: usize) -> Result<String, FileError> {
    let io = FileError::io("read", path);
    let mut file = match OpenOptions::new().read(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(io(error)),
    };
    let length = file.metadata().map_err(&io)?.len();
    let start = length.saturating_sub(max as u64);
    file.seek(SeekFrom::Start(start)).map_err(&io)?;
    let mut bytes = Vec::with_capacity(max);
    file.take(max as u64).read_to_end(&mut bytes).map_err(&io)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(match text.split_once('\n') {
        Some((_, rest)) if start > 0 => rest.to_owned(),
        _ => text,
    })
}

/// What was written below a root is on disk when this returns.
pub fn sync_beneath(root: &Path, relative: &str) -> Result<(), FileError> {
    let path = root.join(relative);
    let file = open_beneath(root, relative)?;
    file.sync_data().map_err(FileError::io("sync", &path))?;
    let folder = relative.rsplit_once('/').map_or("", |(folder, _)| folder);
    open_folder_beneath(root, Path::new(folder))
        .and_then(rustix::fs::fsync)
        .map_err(|errno| FileError::io("sync the folder of", &path)(errno.into()))
}

/// Syncs everything in a folder of ours, but not the folder's own name.
pub fn sync_tree(folder: &Path) -> Result<(), FileError> {
    let io = FileError::io("sync", folder);
    for entry in std::fs::read_dir(folder).map_err(&io)? {
        let path = entry.map_err(&io)?.path();
        if path.is_dir() {
            sync_tree(&path)?;
        } else {
            File::open(&path).and_then(|file| file.sync_data()).map_err(&io)?;
        }
    }
    sync_folder(folder).map_err(io)
}

/// The first of the names with numbers from 1 that nothing has.
pub fn first_free(name: impl FnMut(u32) -> PathBuf) -> PathBuf {
    let free = (1..).map(name).find(|place| place.symlink_metadata().is_err());
    free.expect("there are fewer files than numbers")
}

/// Removes a folder of ours and everything in it, without following links.
pub fn remove_tree(path: &Path) -> Result<(), FileError> {
    let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
    let removed =
        if is_folder { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    removed.map_err(FileError::io("remove", path))
}

/// What tells a changed file from an unchanged one without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    size: u64,
    inode: u64,
    changed: (i64, i64),
    modified: (i64, i64),
}

pub fn stamp(path: &Path) -> Option<FileStamp> {
    let found = path.symlink_metadata().ok()?;
    Some(FileStamp {
        size: found.size(),
        inode: found.ino(),
        changed: (found.ctime(), found.ctime_nsec()),
        modified: (found.mtime(), found.mtime_nsec()),
    })
}

pub fn hash_bytes(bytes: &[u8]) -> ContentHash {
    content_hash(&Sha256::digest(bytes))
}

fn content_hash(digest: &[u8]) -> ContentHash {
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    ContentHash::parse(&hex).expect("a SHA-256 has 64 hex digits")
}

/// Opens neither through a symlink at the end nor waiting for the other end of a pipe.
pub fn options_nofollow() -> OpenOptions {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits();
    let mut options = OpenOptions::new();
    options.custom_flags(flags.cast_signed());
    options
}

/// Makes names that were created, renamed or removed in a folder durable.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether a name is that of a file that is still being written, or was when its writer died.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMP_PREFIX) && name.ends_with(TEMP_SUFFIX)
}

/// Removes what writers that were killed left in a folder. Only its owner may call this.
pub fn remove_temporaries(folder: &Path) -> Result<usize, FileError> {
    let io = FileError::io("tidy", folder);
    let mut removed = 0;
    for entry in std::fs::read_dir(folder).map_err(&io)? {
        let entry = entry.map_err(&io)?;
        if entry.file_name().to_str().is_some_and(is_temporary) {
            std::fs::remove_file(entry.path()).map_err(&io)?;
            removed += 1;
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests;
