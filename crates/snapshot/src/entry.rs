//! What a tree is made of: its entries, and the stamps by which a changed one is distinguished from an unchanged one.

use rustix::fs::Stat;
use std::fmt;

/// A path below the root of the checkout with what is there. Paths are bytes, because names need not be text.
#[derive(Debug, Clone)]
pub struct SnapshotEntry {
    pub path: Vec<u8>,
    /// The permission bits; of no meaning for a symlink.
    pub mode: u32,
    pub kind: SnapshotEntryKind,
    /// As it was found in the tree; none for what was read from a manifest.
    pub(super) stamp: Option<EntryStamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SnapshotEntryKind {
    File { size: u64, hash: Hash },
    Symlink { target: Vec<u8> },
    Dir,
}

impl SnapshotEntry {
    pub fn is_dir(&self) -> bool {
        self.kind == SnapshotEntryKind::Dir
    }
}

/// Something that a snapshot does not hold and a restore does not touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub path: Vec<u8>,
    pub why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Git ignores it, and the snapshot was to leave out what git ignores.
    Ignored,
    /// The `.git` of a repository below this one.
    Git,
    /// A pipe, a socket or a device.
    Special,
    Unreadable,
    /// A file that would take minutes to copy, or fill the disk where it is sparse.
    Large,
}

impl Why {
    /// In the order of their numbers in caches.
    pub const ALL: [Self; 5] =
        [Self::Ignored, Self::Git, Self::Special, Self::Unreadable, Self::Large];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ignored => "ignored",
            Self::Git => "git",
            Self::Special => "special",
            Self::Unreadable => "unreadable",
            Self::Large => "large",
        }
    }
}

/// A SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    pub fn to_hex(self) -> String {
        let mut text = String::with_capacity(64);
        self.push_hex(&mut text);
        text
    }

    pub(super) fn push_hex(self, text: &mut String) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        for byte in self.0 {
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }

    pub fn from_hex(text: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            let digit = |c: u8| char::from(c).to_digit(16).filter(|_| !c.is_ascii_uppercase());
            *byte = u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

/// A point of the file system's own clock: seconds and nanoseconds.
pub(super) type Moment = (i64, u32);

/// Two equal stamps mean the same content, unless the later look came in the same instant as a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct EntryStamp {
    pub size: u64,
    pub inode: u64,
    pub modified: Moment,
    /// Set by the kernel at every change, also of the modification time; nobody can set it back.
    pub changed: Moment,
    /// Type and permission bits.
    pub mode: u32,
}

impl EntryStamp {
    pub fn of(stat: &Stat) -> Self {
        Self {
            size: u64::try_from(stat.st_size).unwrap_or(0),
            inode: stat.st_ino,
            modified: (stat.st_mtime, u32::try_from(stat.st_mtime_nsec).unwrap_or(0)),
            changed: (stat.st_ctime, u32::try_from(stat.st_ctime_nsec).unwrap_or(0)),
            mode: stat.st_mode,
        }
    }

    pub fn permissions(&self) -> u32 {
        self.mode & 0o7777
    }

    /// Whether the content is that of the other look. Renaming or unlinking another name of the same file moves
    /// `changed`, so it does not count here.
    pub fn has_same_content(&self, other: &Self) -> bool {
        (self.size, self.inode, self.modified) == (other.size, other.inode, other.modified)
    }
}
