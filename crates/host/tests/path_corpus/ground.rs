//! A folder that somebody hostile has filled, and one outside of it that nobody may reach.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

/// Stands in every file outside.
pub const SECRET: &str = "only to be read outside";

pub struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    pub fn new() -> Self {
        Self::of(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    pub fn of(folder: tempfile::TempDir) -> Self {
        let ground = Self { folder };
        for name in ["secret", "folder/inner", "victim"] {
            put(&ground.outside(), name, SECRET);
        }
        fs::create_dir(ground.outside().join("empty")).unwrap();
        ground
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("ground")
    }

    pub fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    /// Fills `root` again; everything in it is gone.
    pub fn fill(&self) -> PathBuf {
        let root = self.root();
        let _ = fs::remove_dir_all(&root);
        fill(&root, &self.outside());
        root
    }

    /// Everything but `root`: names, modes, times, content.
    pub fn around(&self) -> BTreeMap<PathBuf, String> {
        seen(self.folder.path(), &self.root())
    }
}

/// Links of every kind, pipes, sockets and twins, at several depths.
pub fn fill(root: &Path, outside: &Path) {
    let outside_text = outside.to_str().unwrap();
    for name in ["inner/file", "a/b/c/file", "case/out/secret", "case/OUT2"] {
        put(root, name, "inside");
    }
    let secret = format!("{outside_text}/secret");
    let made = format!("{outside_text}/made");
    let long_way = "a/b/c/../../../a/b/../../../outside";
    for (name, target) in [
        ("out", "../outside"),
        ("out-abs", outside_text),
        ("a/out", "../../outside"),
        ("a/b/out", "../../../outside"),
        ("a/b/c/out", "../../../../outside"),
        ("file-link", "../outside/secret"),
        ("file-link-abs", &secret),
        ("dangling", "../outside/made"),
        ("dangling-abs", &made),
        ("loop-a", "loop-b"),
        ("loop-b", "loop-a"),
        ("self-loop", "self-loop"),
        ("self", "."),
        ("up", ".."),
        ("root-link", "/"),
        ("proc-root", "/proc/self/root"),
        ("proc-cwd", "/proc/self/cwd"),
        ("proc-self", "/proc/self"),
        ("fd", "/dev/fd"),
        ("chain-1", "chain-2"),
        ("chain-2", "a/out"),
        ("chain-file", "file-link"),
        ("inner-link", "inner"),
        ("inner/link-up", "../.."),
        ("inner/file-link", "../../outside/secret"),
        ("inner/out-file", "../out/secret"),
        ("into-git", ".git"),
        ("long-way", long_way),
        ("dot-link", "./."),
        ("null-link", "/dev/null"),
        ("tty-link", "/dev/tty"),
        ("space-link ", "../outside"),
        ("case/OUT", "../../outside"),
        ("case/Out", outside_text),
    ] {
        symlink(target, root.join(name)).unwrap();
    }
    for name in ["hard", "a/hard", "a/b/c/hard"] {
        fs::hard_link(outside.join("secret"), root.join(name)).unwrap();
    }
    for name in ["pipe", "a/pipe"] {
        let mode = rustix::fs::Mode::from_raw_mode(0o644);
        rustix::fs::mknodat(rustix::fs::CWD, root.join(name), rustix::fs::FileType::Fifo, mode, 0)
            .unwrap();
    }
    drop(UnixListener::bind(root.join("socket")).unwrap());
}

pub fn put(root: &Path, name: &str, content: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Everything below a folder but what is at `skip`.
pub fn seen(folder: &Path, skip: &Path) -> BTreeMap<PathBuf, String> {
    let mut seen = BTreeMap::new();
    look(folder, skip, &mut seen);
    seen
}

fn look(folder: &Path, skip: &Path, seen: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path == skip {
            continue;
        }
        let found = path.symlink_metadata().unwrap();
        let mut text = format!("{:o} {}.{}", found.mode(), found.mtime(), found.mtime_nsec());
        if found.is_dir() {
            look(&path, skip, seen);
        } else if !found.is_symlink() {
            text.push_str(&String::from_utf8_lossy(&fs::read(&path).unwrap()));
        }
        seen.insert(path, text);
    }
}

/// Whether a file below a folder, links not followed, holds the secret.
pub fn holds_secret(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        let Ok(found) = path.symlink_metadata() else { return false };
        if found.is_dir() {
            holds_secret(&path)
        } else {
            found.is_file() && has_secret(&fs::read(&path).unwrap_or_default())
        }
    })
}

pub fn has_secret(bytes: &[u8]) -> bool {
    bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
}
