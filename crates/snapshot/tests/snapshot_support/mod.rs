//! Trees made from a seed, ways to damage them, and what they look like to the last bit.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use tollgate_core::time::Timestamp;
use tollgate_snapshot::{Retention, Snapshot, SnapshotScope, Snapshots};

/// Numbers from a seed (SplitMix64).
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % (end as u64)).unwrap()
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

/// A folder that goes away, in memory where there is such a place: what syncs cost is not what is tested.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

pub fn noon() -> Timestamp {
    at("2026-02-07T12:00:00Z")
}

pub const ALWAYS: Retention = Retention { keep: 1000, days: 1000 };

pub fn create(root: &Path) -> Snapshot {
    Snapshots::of(root).take("manual", &SnapshotScope::whole(), noon(), ALWAYS).unwrap()
}

/// What stands at a path, with its mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    File(u32, Vec<u8>),
    Symlink(PathBuf),
    Folder(u32),
    Other,
}

pub type Tree = BTreeMap<Vec<u8>, Node>;

/// Everything below a folder but what is ours at its top. Needs the rights of the superuser or open folders.
pub fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    collect(root, b"", &mut tree);
    tree
}

fn collect(folder: &Path, prefix: &[u8], tree: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if prefix.is_empty() && name == ".snapshots" {
            continue;
        }
        let path = [prefix, name.as_bytes()].concat();
        let meta = entry.path().symlink_metadata().unwrap();
        let mode = meta.permissions().mode() & 0o7777;
        let node = if meta.is_dir() {
            collect(&entry.path(), &[&path[..], b"/"].concat(), tree);
            Node::Folder(mode)
        } else if meta.is_symlink() {
            Node::Symlink(fs::read_link(entry.path()).unwrap())
        } else if meta.is_file() {
            Node::File(mode, fs::read(entry.path()).unwrap())
        } else {
            Node::Other
        };
        tree.insert(path, node);
    }
}

const NAMES: [&[u8]; 16] = [
    b"a",
    b"b.txt",
    b"a.b",
    b"a-b",
    b"with space",
    b"quote\"and'tick",
    b"line\nbreak",
    b"tab\tand\\slash",
    b"\xff\xfe not text",
    b"-rf",
    b"$(reboot)",
    "Gr\u{fc}\u{df}e".as_bytes(),
    b".hidden",
    b".gitignore",
    b"target",
    b"*",
];

const MODES: [u32; 8] = [0o644, 0o644, 0o600, 0o755, 0o444, 0o400, 0o777, 0o4755];
const FOLDER_MODES: [u32; 6] = [0o755, 0o755, 0o700, 0o555, 0o500, 0o2775];

pub fn name(chance: &mut Chance) -> Vec<u8> {
    let mut name = chance.pick(&NAMES).to_vec();
    if chance.one_in(2) {
        name.extend(chance.below(6).to_string().bytes());
    }
    name
}

pub fn content(chance: &mut Chance) -> Vec<u8> {
    let length = match chance.below(12) {
        0 => 0,
        1 => 300_000 + chance.below(50_000),
        _ => chance.below(200),
    };
    let byte = u8::try_from(chance.below(256)).unwrap();
    let mut bytes = vec![byte; length];
    bytes.extend(chance.below(50).to_string().bytes());
    bytes
}

/// Puts a random thing at a path where nothing is.
pub fn put(chance: &mut Chance, path: &Path, depth: usize) {
    match chance.below(10) {
        0 => symlink(Path::new("../../elsewhere"), path).unwrap(),
        1 => symlink(path.parent().unwrap(), path).unwrap(),
        2..=4 if depth < 4 => {
            fs::create_dir(path).unwrap();
            fill(chance, path, depth + 1);
            fs::set_permissions(path, fs::Permissions::from_mode(*chance.pick(&FOLDER_MODES)))
                .unwrap();
        }
        _ => {
            fs::write(path, content(chance)).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(*chance.pick(&MODES))).unwrap();
        }
    }
}

pub fn fill(chance: &mut Chance, folder: &Path, depth: usize) {
    for _ in 0..chance.below(7) {
        let path = folder.join(OsStr::from_bytes(&name(chance)));
        if path.symlink_metadata().is_err() {
            put(chance, &path, depth);
        }
    }
}

/// Does some random harm to a tree.
pub fn damage(chance: &mut Chance, root: &Path) {
    for _ in 0..=chance.below(8) {
        let paths: Vec<Vec<u8>> = tree(root)
            .into_keys()
            .filter(|path| path != b".git" && !path.starts_with(b".git/"))
            .collect();
        let inside = |path: &[u8]| root.join(OsStr::from_bytes(path));
        let path = match paths.is_empty() || chance.one_in(4) {
            true => inside(&name(chance)),
            false => inside(chance.pick::<Vec<u8>>(&paths)),
        };
        let meta = path.symlink_metadata();
        match (meta, chance.below(6)) {
            (Err(_), _) => put(chance, &path, 2),
            (Ok(meta), 0) if meta.is_file() => fs::write(&path, content(chance)).unwrap(),
            (Ok(meta), 1) if !meta.is_symlink() => {
                let mode = *chance.pick(&MODES);
                fs::set_permissions(&path, fs::Permissions::from_mode(mode | 0o100)).unwrap();
            }
            (Ok(meta), 2) if meta.is_dir() => fill(chance, &path, 3),
            (Ok(meta), 3) if meta.is_file() => {
                // The same length and time: only the moment of the change tells.
                let bytes = fs::read(&path).unwrap();
                let times = meta.modified().unwrap();
                fs::write(&path, vec![b'!'; bytes.len()]).unwrap();
                fs::File::options().write(true).open(&path).unwrap().set_modified(times).unwrap();
            }
            (Ok(meta), other) => {
                if meta.is_dir() {
                    fs::remove_dir_all(&path).unwrap();
                } else {
                    fs::remove_file(&path).unwrap();
                }
                if other == 4 {
                    put(chance, &path, 2);
                }
            }
        }
    }
}

/// How two trees differ, in words.
#[track_caller]
pub fn expect_same(found: &Tree, expected: &Tree, what: &str) {
    let shown = |path: &Vec<u8>| format!("{:?}", std::ffi::OsString::from_vec(path.clone()));
    let short = |node: Option<&Node>| match node {
        Some(Node::File(mode, bytes)) => format!("file {mode:o} of {} bytes", bytes.len()),
        other => format!("{other:?}"),
    };
    let mut wrong = Vec::new();
    for path in found.keys().chain(expected.keys()) {
        let (is, should) = (found.get(path), expected.get(path));
        if is != should {
            wrong.push(format!("{}: {} instead of {}", shown(path), short(is), short(should)));
        }
    }
    assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
}
