//! The content of all snapshots, once each: read-only files named by their SHA-256. No file of the tree is ever linked here,
//! so editing one changes no snapshot.

use super::SnapshotError;
use super::entry::Hash;
use super::step::step;
use rustix::fs::{AtFlags, Mode};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tollgate_files as files;

/// Files up to this size are read once and held in memory; larger ones go through in pieces.
const SMALL_BYTES_MAX: u64 = 256 * 1024;

/// More files than this are synced together with all else on the file system: waiting for someone else's data is then
/// cheaper than one sync for each.
pub(super) const SYNCED_ALONE_MAX: usize = 64;

#[derive(Debug)]
pub(super) struct ContentStore {
    folder: PathBuf,
    fd: OwnedFd,
    /// What is there for sure, or is being written by the thread that put it here.
    present: Mutex<HashSet<Hash>>,
    /// What was not there before, to be given up when the snapshot fails.
    added: Mutex<Vec<Hash>>,
    read: Arc<ReadSoFar>,
}

/// How much was read, for whoever watches while a snapshot is taken. A file that has not changed is not read.
#[derive(Debug, Default)]
pub struct ReadSoFar {
    files: AtomicU64,
    bytes: AtomicU64,
}

impl ReadSoFar {
    fn add(&self, bytes: u64) {
        self.files.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub fn files(&self) -> u64 {
        self.files.load(Ordering::Relaxed)
    }

    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

/// Content that was read from the tree and kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredContent {
    pub hash: Hash,
    pub size: u64,
}

impl ContentStore {
    pub fn open(folder: &Path, read: Arc<ReadSoFar>) -> Result<Self, SnapshotError> {
        let io = SnapshotError::io::<io::Error>("make", folder);
        match std::fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(io(error)),
            _ => {}
        }
        let fd = files::open_folder(rustix::fs::CWD, folder)
            .map_err(SnapshotError::io("open", folder))?;
        let (present, added) = (Mutex::default(), Mutex::default());
        Ok(Self { folder: folder.to_owned(), fd, present, added, read })
    }

    /// Keeps the content of a file of the tree.
    pub fn keep(
        &self,
        file: &mut File,
        scratch: &mut Vec<u8>,
    ) -> Result<StoredContent, SnapshotError> {
        let kept = self.keep_any(file, scratch)?;
        self.read.add(kept.size);
        Ok(kept)
    }

    fn keep_any(
        &self,
        file: &mut File,
        scratch: &mut Vec<u8>,
    ) -> Result<StoredContent, SnapshotError> {
        if let Some(kept) = read_small(file, scratch).map_err(self.io("read a file into"))? {
            self.put(kept.hash, scratch)?;
            return Ok(kept);
        }
        let temporary = self.folder.join(format!("{NEW_PREFIX}{}", next_number()));
        let kept = self.keep_large(file, &temporary);
        if kept.is_err() {
            // The first failure is the one to tell.
            let _ = std::fs::remove_file(&temporary);
        }
        kept
    }

    /// Makes small content part of the store, unless it is.
    fn put(&self, hash: Hash, bytes: &[u8]) -> Result<(), SnapshotError> {
        if !self.claim(hash) {
            return Ok(());
        }
        let name = name_of(hash);
        let made = match self.create(&name) {
            Err(Errno::NOENT) => {
                self.make_folder_of(&name)?;
                self.create(&name)
            }
            made => made,
        };
        let mut object = match made {
            Ok(file) => file,
            Err(Errno::EXIST) if self.has(hash, bytes.len() as u64) => return Ok(()),
            Err(Errno::EXIST) => {
                // A process died while it wrote this.
                step();
                rustix::fs::unlinkat(&self.fd, &name, AtFlags::empty())
                    .map_err(self.io("repair"))?;
                self.create(&name).map_err(self.io("write to"))?
            }
            Err(errno) => return Err(self.io("write to")(errno)),
        };
        self.added.lock().expect("no thread panics with it").push(hash);
        step();
        object.write_all(bytes).map_err(self.io("write to"))
    }

    fn create(&self, name: &str) -> Result<File, Errno> {
        files::create_in(&self.fd, name, 0o444)
    }

    fn make_folder_of(&self, name: &str) -> Result<(), SnapshotError> {
        match rustix::fs::mkdirat(&self.fd, &name[..2], Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(errno) => Err(self.io("make a folder in")(errno)),
        }
    }

    /// A clone shares the blocks where the file system can do that; else the bytes are copied.
    fn keep_large(
        &self,
        file: &mut File,
        temporary: &Path,
    ) -> Result<StoredContent, SnapshotError> {
        let io = |error: io::Error| self.io("write to")(error);
        let options = || File::options().read(true).write(true).create_new(true).open(temporary);
        let mut object = options().map_err(io)?;
        let kept = if rustix::fs::ioctl_ficlone(&object, &*file).is_ok() {
            copy_hashed(&mut object, &mut io::sink()).map_err(io)?
        } else {
            file.rewind().map_err(io)?;
            let known = copy_hashed(file, &mut io::sink()).map_err(io)?;
            if self.has(known.hash, known.size) {
                std::fs::remove_file(temporary).map_err(io)?;
                return Ok(known);
            }
            file.rewind().map_err(io)?;
            // The file may have changed in between; what counts is what was copied.
            copy_hashed(file, &mut object).map_err(io)?
        };
        let name = name_of(kept.hash);
        if !self.claim(kept.hash) || self.has(kept.hash, kept.size) {
            std::fs::remove_file(temporary).map_err(io)?;
            return Ok(kept);
        }
        rustix::fs::fchmod(&object, Mode::from_raw_mode(0o444)).map_err(self.io("write to"))?;
        self.make_folder_of(&name)?;
        step();
        std::fs::rename(temporary, self.folder.join(&name)).map_err(io)?;
        self.added.lock().expect("no thread panics with it").push(kept.hash);
        Ok(kept)
    }

    /// True for the one thread that has to see to it.
    fn claim(&self, hash: Hash) -> bool {
        self.present.lock().expect("no thread panics with it").insert(hash)
    }

    /// Whether the content is there. A file that was cut off by a kill is too short.
    pub fn has(&self, hash: Hash, size: u64) -> bool {
        let found = rustix::fs::statat(&self.fd, name_of(hash), AtFlags::SYMLINK_NOFOLLOW);
        found.is_ok_and(|found| u64::try_from(found.st_size) == Ok(size))
    }

    /// Copies content to a new file and fails unless it is what its name says.
    pub fn copy_out(&self, hash: Hash, to: &mut File) -> Result<(), SnapshotError> {
        let io = |error: io::Error| self.io("read from")(error);
        let mut object = self.open_object(hash)?;
        let kept = if rustix::fs::ioctl_ficlone(&*to, &object).is_ok() {
            copy_hashed(&mut object, &mut io::sink()).map_err(io)?
        } else {
            copy_hashed(&mut object, to).map_err(io)?
        };
        self.expect_same(hash, kept)
    }

    /// Reads content and fails unless it is what its name says.
    pub fn expect_sound(&self, hash: Hash) -> Result<(), SnapshotError> {
        let mut object = self.open_object(hash)?;
        let kept = copy_hashed(&mut object, &mut io::sink()).map_err(self.io("read from"))?;
        self.expect_same(hash, kept)
    }

    fn open_object(&self, hash: Hash) -> Result<File, SnapshotError> {
        files::open_in(&self.fd, name_of(hash)).map_err(self.io("read from"))
    }

    fn expect_same(&self, hash: Hash, kept: StoredContent) -> Result<(), SnapshotError> {
        if kept.hash == hash {
            return Ok(());
        }
        let path = self.folder.join(name_of(hash));
        let source = io::Error::other("its content does not match its name; it is damaged");
        Err(SnapshotError::Io { doing: "use", path, source })
    }

    pub fn has_grown(&self) -> bool {
        !self.added.lock().expect("no thread panics with it").is_empty()
    }

    /// What was added belongs to a snapshot now.
    pub fn settle(&self) {
        self.added.lock().expect("no thread panics with it").clear();
    }

    /// Takes back what was added for a snapshot that failed.
    pub fn give_up(&self) {
        for hash in self.added.lock().expect("no thread panics with it").drain(..) {
            // It is garbage now, and the next sweep takes what cannot be removed here.
            let _ = rustix::fs::unlinkat(&self.fd, name_of(hash), AtFlags::empty());
        }
    }

    /// Every content that is there; what a killed process was still writing is removed.
    pub fn all(&self) -> Result<HashSet<Hash>, SnapshotError> {
        let mut found = HashSet::new();
        for folder in self.entries(&self.folder)? {
            let name = folder.file_name();
            if name.to_string_lossy().starts_with(NEW_PREFIX) {
                std::fs::remove_file(folder.path()).map_err(self.io("clean up"))?;
                continue;
            }
            for object in self.entries(&folder.path())? {
                let text =
                    format!("{}{}", name.to_string_lossy(), object.file_name().to_string_lossy());
                found.extend(Hash::from_hex(text.as_bytes()));
            }
        }
        Ok(found)
    }

    fn entries(&self, folder: &Path) -> Result<Vec<std::fs::DirEntry>, SnapshotError> {
        let listed = std::fs::read_dir(folder).and_then(Iterator::collect);
        listed.map_err(SnapshotError::io("list", folder))
    }

    pub fn remove(&self, hash: Hash) -> Result<(), SnapshotError> {
        step();
        match rustix::fs::unlinkat(&self.fd, name_of(hash), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(self.io("clean up")(errno)),
        }
    }

    /// Everything added is on disk when this returns.
    pub fn sync(&self) -> Result<(), SnapshotError> {
        let added = self.added.lock().expect("no thread panics with it");
        if added.len() > SYNCED_ALONE_MAX {
            return rustix::fs::syncfs(&self.fd).map_err(self.io("sync"));
        }
        let mut folders = BTreeSet::from([self.folder.clone()]);
        for hash in added.iter() {
            let path = self.folder.join(name_of(*hash));
            File::open(&path).and_then(|object| object.sync_data()).map_err(self.io("sync"))?;
            folders.insert(files::folder_of(&path).to_owned());
        }
        folders.iter().try_for_each(|folder| files::sync_folder(folder)).map_err(self.io("sync"))
    }

    fn io<E: Into<io::Error>>(&self, doing: &'static str) -> impl Fn(E) -> SnapshotError {
        SnapshotError::io(doing, &self.folder)
    }
}

/// Reads and hashes without keeping; for a look that changes nothing.
pub(super) fn hash(file: &mut File, scratch: &mut Vec<u8>) -> io::Result<StoredContent> {
    match read_small(file, scratch)? {
        Some(kept) => Ok(kept),
        None => {
            file.rewind()?;
            copy_hashed(file, &mut io::sink())
        }
    }
}

/// None when it is too large to be held.
fn read_small(file: &mut File, scratch: &mut Vec<u8>) -> io::Result<Option<StoredContent>> {
    scratch.clear();
    file.take(SMALL_BYTES_MAX + 1).read_to_end(scratch)?;
    let size = scratch.len() as u64;
    let is_small = size <= SMALL_BYTES_MAX;
    Ok(is_small.then(|| StoredContent { hash: Hash(Sha256::digest(&scratch[..]).into()), size }))
}

fn copy_hashed(from: &mut impl Read, to: &mut impl Write) -> io::Result<StoredContent> {
    let mut hasher = Sha256::new();
    let mut size = 0;
    let mut piece = vec![0; 128 * 1024];
    loop {
        let length = match from.read(&mut piece) {
            Ok(0) => return Ok(StoredContent { hash: Hash(hasher.finalize().into()), size }),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(&piece[..length]);
        to.write_all(&piece[..length])?;
        size += length as u64;
    }
}

const NEW_PREFIX: &str = "new-";

fn next_number() -> u64 {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

/// Below the store: `ab/cdef…`.
fn name_of(hash: Hash) -> String {
    let mut name = String::with_capacity(65);
    hash.push_hex(&mut name);
    name.insert(2, '/');
    name
}
