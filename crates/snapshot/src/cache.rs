//! What was seen of a tree when a snapshot was taken, so that the next one reads only what changed. It lies beside the
//! manifest, goes with it, and can be lost without harm.

use super::entry::{EntryStamp, Hash, Moment, Why};
use std::collections::HashMap;

/// One folder of a tree as it was seen.
#[derive(Debug)]
pub(super) struct CachedFolder {
    pub path: Vec<u8>,
    pub stamp: EntryStamp,
    /// Sorted by name.
    pub children: Vec<Child>,
    /// It could not be listed.
    pub is_closed: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Child {
    pub name: Vec<u8>,
    /// Zero for a folder, which has one of its own, and for what changed while it was read.
    pub stamp: EntryStamp,
    pub what: ChildKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChildKind {
    File { size: u64, hash: Hash },
    Symlink(Vec<u8>),
    Folder,
    LeftOut(Why),
}

/// The cache of one snapshot, read lazily: an unchanged folder is compared without taking it apart.
#[derive(Debug, Default)]
pub(super) struct Cache {
    bytes: Vec<u8>,
    /// By path: where in `bytes` the folder is.
    folders: HashMap<Vec<u8>, FolderIndex>,
    /// When the look began, by the clock of the file system.
    pub since: Moment,
    /// Of the coverage; with another one, names that were passed over then may count now.
    pub coverage: Option<Hash>,
}

#[derive(Debug, Clone, Copy)]
struct FolderIndex {
    stamp: EntryStamp,
    is_closed: bool,
    children: usize,
    start: usize,
    end: usize,
}

const MAGIC: &[u8; 8] = b"tgcache1";

/// A folder of the cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cached<'c> {
    pub stamp: EntryStamp,
    pub is_closed: bool,
    children: usize,
    bytes: &'c [u8],
}

impl Cache {
    /// Anything that is not what we wrote counts as no cache.
    pub fn decode(bytes: Vec<u8>) -> Self {
        match index(&bytes) {
            Some((since, coverage, folders)) => {
                Self { bytes, folders, since, coverage: Some(coverage) }
            }
            None => Self::default(),
        }
    }

    pub fn encode(folders: &[CachedFolder], since: Moment, coverage: Hash) -> Vec<u8> {
        let mut bytes =
            Vec::with_capacity(folders.iter().map(|f| 100 * f.children.len() + 200).sum());
        bytes.extend_from_slice(MAGIC);
        put_moment(&mut bytes, since);
        bytes.extend_from_slice(&coverage.0);
        put_length(&mut bytes, folders.len());
        for folder in folders {
            put_bytes(&mut bytes, &folder.path);
            put_stamp(&mut bytes, &folder.stamp);
            bytes.push(u8::from(folder.is_closed));
            put_length(&mut bytes, folder.children.len());
            let length_at = bytes.len();
            put_length(&mut bytes, 0);
            folder.children.iter().for_each(|child| put_child(&mut bytes, child));
            let length = u32::try_from(bytes.len() - length_at - 4).unwrap_or(u32::MAX);
            bytes[length_at..length_at + 4].copy_from_slice(&length.to_le_bytes());
        }
        bytes
    }

    pub fn folder(&self, path: &[u8]) -> Option<Cached<'_>> {
        let place = self.folders.get(path)?;
        Some(Cached {
            stamp: place.stamp,
            is_closed: place.is_closed,
            children: place.children,
            bytes: self.bytes.get(place.start..place.end)?,
        })
    }

    /// Whether a look at that moment can be trusted: a change in the same instant as the look would not show.
    pub fn is_settled(&self, changed: Moment) -> bool {
        changed < self.since
    }
}

impl<'c> Cached<'c> {
    /// None at the end, also when what follows cannot be read.
    pub fn children(&self) -> Children<'c> {
        Children { reader: Reader { bytes: self.bytes }, left: self.children }
    }
}

/// A child as it lies in the cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChildRef<'c> {
    pub name: &'c [u8],
    pub stamp: EntryStamp,
    pub what: WhatRef<'c>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhatRef<'c> {
    File { size: u64, hash: Hash },
    Symlink(&'c [u8]),
    Folder,
    LeftOut(Why),
}

impl ChildRef<'_> {
    pub fn is(&self, child: &Child) -> bool {
        let is_same_thing = match (&child.what, self.what) {
            (ChildKind::File { size, hash }, known) => {
                known == WhatRef::File { size: *size, hash: *hash }
            }
            (ChildKind::Symlink(target), known) => known == WhatRef::Symlink(target),
            (ChildKind::Folder, known) => known == WhatRef::Folder,
            (ChildKind::LeftOut(why), known) => known == WhatRef::LeftOut(*why),
        };
        is_same_thing && self.name == child.name && self.stamp == child.stamp
    }

    pub fn to_child(self) -> Child {
        let what = match self.what {
            WhatRef::File { size, hash } => ChildKind::File { size, hash },
            WhatRef::Symlink(target) => ChildKind::Symlink(target.to_vec()),
            WhatRef::Folder => ChildKind::Folder,
            WhatRef::LeftOut(why) => ChildKind::LeftOut(why),
        };
        Child { name: self.name.to_vec(), stamp: self.stamp, what }
    }
}

#[derive(Debug)]
pub(super) struct Children<'c> {
    reader: Reader<'c>,
    left: usize,
}

impl<'c> Iterator for Children<'c> {
    type Item = ChildRef<'c>;

    fn next(&mut self) -> Option<ChildRef<'c>> {
        if self.left == 0 {
            return None;
        }
        let kind = self.reader.array::<1>()?[0];
        let name = self.reader.bytes()?;
        let (stamp, what) = match kind {
            FILE => {
                let stamp = self.reader.stamp()?;
                let size = u64::from_le_bytes(self.reader.array()?);
                (stamp, WhatRef::File { size, hash: Hash(self.reader.array()?) })
            }
            SYMLINK => (self.reader.stamp()?, WhatRef::Symlink(self.reader.bytes()?)),
            FOLDER => (EntryStamp::default(), WhatRef::Folder),
            left_out => {
                let why = *Why::ALL.get(usize::from(left_out.checked_sub(LEFT_OUT)?))?;
                (EntryStamp::default(), WhatRef::LeftOut(why))
            }
        };
        self.left -= 1;
        Some(ChildRef { name, stamp, what })
    }
}

impl Children<'_> {
    /// Whether all were read, and not only those before something unreadable.
    pub fn is_at_end(&self) -> bool {
        self.left == 0
    }
}

const FILE: u8 = 0;
const SYMLINK: u8 = 1;
const FOLDER: u8 = 2;
/// And the number of the reason.
const LEFT_OUT: u8 = 3;

fn put_child(bytes: &mut Vec<u8>, child: &Child) {
    let kind = match &child.what {
        ChildKind::File { .. } => FILE,
        ChildKind::Symlink(_) => SYMLINK,
        ChildKind::Folder => FOLDER,
        ChildKind::LeftOut(why) => {
            let at = Why::ALL.iter().position(|known| known == why);
            LEFT_OUT + u8::try_from(at.unwrap_or(0)).unwrap_or(0)
        }
    };
    bytes.push(kind);
    put_bytes(bytes, &child.name);
    match &child.what {
        ChildKind::File { size, hash } => {
            put_stamp(bytes, &child.stamp);
            bytes.extend_from_slice(&size.to_le_bytes());
            bytes.extend_from_slice(&hash.0);
        }
        ChildKind::Symlink(target) => {
            put_stamp(bytes, &child.stamp);
            put_bytes(bytes, target);
        }
        ChildKind::Folder | ChildKind::LeftOut(_) => {}
    }
}

fn put_bytes(bytes: &mut Vec<u8>, text: &[u8]) {
    put_length(bytes, text.len());
    bytes.extend_from_slice(text);
}

fn put_length(bytes: &mut Vec<u8>, length: usize) {
    bytes.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_moment(bytes: &mut Vec<u8>, (seconds, nanoseconds): Moment) {
    bytes.extend_from_slice(&seconds.to_le_bytes());
    bytes.extend_from_slice(&nanoseconds.to_le_bytes());
}

fn put_stamp(bytes: &mut Vec<u8>, stamp: &EntryStamp) {
    bytes.extend_from_slice(&stamp.size.to_le_bytes());
    bytes.extend_from_slice(&stamp.inode.to_le_bytes());
    put_moment(bytes, stamp.modified);
    put_moment(bytes, stamp.changed);
    bytes.extend_from_slice(&stamp.mode.to_le_bytes());
}

type Index = (Moment, Hash, HashMap<Vec<u8>, FolderIndex>);

fn index(bytes: &[u8]) -> Option<Index> {
    let mut reader = Reader { bytes };
    if reader.array::<8>()? != *MAGIC {
        return None;
    }
    let since = reader.moment()?;
    let coverage = Hash(reader.array()?);
    let count = reader.length()?;
    let mut folders = HashMap::with_capacity(count.min(bytes.len() / 64));
    for _ in 0..count {
        let path = reader.bytes()?.to_vec();
        let stamp = reader.stamp()?;
        let is_closed = reader.array::<1>()?[0] != 0;
        let children = reader.length()?;
        let length = reader.length()?;
        let start = bytes.len() - reader.bytes.len();
        reader.take(length)?;
        folders
            .insert(path, FolderIndex { stamp, is_closed, children, start, end: start + length });
    }
    reader.bytes.is_empty().then_some((since, coverage, folders))
}

/// Reads what the functions above put, and nothing beyond the end.
#[derive(Debug)]
struct Reader<'c> {
    bytes: &'c [u8],
}

impl<'c> Reader<'c> {
    fn take(&mut self, length: usize) -> Option<&'c [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.array()?)).ok()
    }

    fn bytes(&mut self) -> Option<&'c [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    fn moment(&mut self) -> Option<Moment> {
        Some((i64::from_le_bytes(self.array()?), u32::from_le_bytes(self.array()?)))
    }

    fn stamp(&mut self) -> Option<EntryStamp> {
        Some(EntryStamp {
            size: u64::from_le_bytes(self.array()?),
            inode: u64::from_le_bytes(self.array()?),
            modified: self.moment()?,
            changed: self.moment()?,
            mode: u32::from_le_bytes(self.array()?),
        })
    }
}
