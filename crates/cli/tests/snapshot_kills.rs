//! Taking and restoring, killed before every single change to the disk and run again.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// More steps than anything here takes.
const STEPS_MAX: u32 = 400;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    File(u32, Vec<u8>),
    Symlink(PathBuf),
    Folder(u32),
}

type Tree = BTreeMap<PathBuf, Node>;

/// A repository; in memory where there is such a place, because syncs are not what is tested.
struct World {
    root: PathBuf,
    _temp: TempDir,
}

#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    signal: Option<i32>,
    words: String,
}

impl World {
    fn empty() -> Self {
        let temp = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        Self { root: temp.path().join("repo"), _temp: temp }
    }

    /// A tree, a snapshot of it, and then damage of every kind.
    fn damaged() -> (Self, Tree) {
        let world = Self::empty();
        fs::create_dir(&world.root).unwrap();
        world.must("git", &["init", "--quiet"]);
        let inside = |path: &str| world.root.join(path);
        let mode = |path: &str, mode| {
            fs::set_permissions(inside(path), fs::Permissions::from_mode(mode)).unwrap();
        };
        for path in ["closed/deep", "turns-file/x", "gone", "empty", "turns-link"] {
            fs::create_dir_all(inside(path)).unwrap();
        }
        for path in [
            "a",
            "b",
            "m",
            "closed/deep/a",
            "closed/b",
            "turns-file/x/y",
            "gone/z",
            "turns-link/q",
            "was-file",
        ] {
            fs::write(inside(path), path).unwrap();
        }
        symlink("a", inside("link")).unwrap();
        fs::write(inside("read-only"), "r").unwrap();
        mode("read-only", 0o444);
        mode("closed/deep", 0o555);
        mode("closed", 0o555);
        let whole = world.tree();
        world.tollgate(&["snapshot", "create"], None);
        mode("closed", 0o755);
        fs::write(inside("a"), "edited").unwrap();
        fs::remove_file(inside("b")).unwrap();
        mode("m", 0o700);
        fs::remove_file(inside("closed/b")).unwrap();
        mode("closed", 0o500);
        fs::remove_dir_all(inside("turns-file")).unwrap();
        fs::write(inside("turns-file"), "a file now").unwrap();
        fs::remove_dir_all(inside("gone")).unwrap();
        fs::remove_dir(inside("empty")).unwrap();
        fs::remove_dir_all(inside("turns-link")).unwrap();
        symlink("closed", inside("turns-link")).unwrap();
        fs::remove_file(inside("was-file")).unwrap();
        fs::create_dir_all(inside("was-file/new")).unwrap();
        fs::write(inside("was-file/new/n"), "n").unwrap();
        fs::remove_file(inside("link")).unwrap();
        symlink("b", inside("link")).unwrap();
        fs::write(inside("extra"), "e").unwrap();
        mode("read-only", 0o400);
        (world, whole)
    }

    fn copy(&self) -> Self {
        let copy = Self::empty();
        let copied = Command::new("cp").arg("-a").arg(&self.root).arg(&copy.root).status().unwrap();
        assert!(copied.success());
        copy
    }

    fn must(&self, program: &str, args: &[&str]) {
        assert!(self.command(program, args).status().unwrap().success());
    }

    fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(&self.root)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.root.parent().unwrap())
            .stdin(Stdio::null());
        command
    }

    fn tollgate(&self, args: &[&str], kill_at: Option<u32>) -> Ended {
        let mut command = self.command(env!("CARGO_BIN_EXE_tollgate"), args);
        if let Some(step) = kill_at {
            command.env("TOLLGATE_SNAPSHOT_KILL_AT", step.to_string());
        }
        let output = command.output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        Ended { code: output.status.code(), signal: output.status.signal(), words }
    }

    #[track_caller]
    fn succeeds(&self, args: &[&str]) {
        let ended = self.tollgate(args, None);
        assert_eq!(ended.code, Some(0), "{args:?}: {}", ended.words);
    }

    fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        collect(&self.root, Path::new(""), &mut tree);
        tree
    }

    /// Contents that a manifest names are there and no others; nothing half-made is left.
    #[track_caller]
    fn expect_tidy(&self) {
        let folder = self.root.join(".snapshots");
        let mut wanted = BTreeMap::new();
        let mut found = BTreeMap::new();
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            assert!(!name.starts_with('.'), "{name} was left");
            if !path.join("manifest.json").exists() {
                continue;
            }
            let manifest = fs::read(path.join("manifest.json")).unwrap();
            let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
            for file in manifest["files"].as_array().unwrap() {
                if let Some(hash) = file["sha256"].as_str() {
                    wanted.insert(hash.to_owned(), ());
                }
            }
        }
        for entry in fs::read_dir(folder.join("store")).unwrap() {
            let path = entry.unwrap().path();
            for object in fs::read_dir(&path).unwrap() {
                let name = object.unwrap().file_name().into_string().unwrap();
                found.insert(format!("{}{name}", path.file_name().unwrap().to_str().unwrap()), ());
            }
        }
        assert_eq!(found, wanted);
    }
}

fn collect(root: &Path, below: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(root.join(below)).unwrap() {
        let entry = entry.unwrap();
        let path = below.join(entry.file_name());
        if [".git", ".snapshots"].iter().any(|own| path == Path::new(own)) {
            continue;
        }
        let meta = entry.path().symlink_metadata().unwrap();
        let mode = meta.permissions().mode() & 0o7777;
        let node = if meta.is_dir() {
            collect(root, &path, tree);
            Node::Folder(mode)
        } else if meta.is_symlink() {
            Node::Symlink(fs::read_link(entry.path()).unwrap())
        } else {
            Node::File(mode, fs::read(entry.path()).unwrap())
        };
        tree.insert(path, node);
    }
}

const RESTORE: [&str; 4] = ["snapshot", "restore", "manual", "--yes"];
const UNDO: [&str; 3] = ["snapshot", "undo", "--yes"];

#[test]
fn r110_a_restore_killed_at_every_step_and_run_again_ends_the_same_and_undo_knows_the_beginning() {
    let (template, whole) = World::damaged();
    let damaged = template.tree();
    let mut steps = 0;
    for step in 1..STEPS_MAX {
        let world = template.copy();
        let killed = world.tollgate(&RESTORE, Some(step));
        if killed.signal != Some(9) {
            assert_eq!(killed.code, Some(0), "{}", killed.words);
            break;
        }
        steps = step;
        let other = world.copy();
        world.succeeds(&RESTORE);
        assert_eq!(world.tree(), whole, "killed at step {step} and run again");
        world.expect_tidy();
        world.succeeds(&UNDO);
        assert_eq!(world.tree(), damaged, "undone after step {step}");
        // Straight back, without finishing first.
        if other.tree() != damaged {
            other.succeeds(&UNDO);
            assert_eq!(other.tree(), damaged, "taken back after step {step}");
        }
    }
    assert!(steps > 40, "only {steps} steps were killed at");
}

#[test]
fn r110_an_undo_killed_at_every_step_and_run_again_is_that_undo() {
    let (template, whole) = World::damaged();
    let damaged = template.tree();
    template.succeeds(&RESTORE);
    for step in 1..STEPS_MAX {
        let world = template.copy();
        let killed = world.tollgate(&UNDO, Some(step));
        if killed.signal != Some(9) {
            assert_eq!(killed.code, Some(0), "{}", killed.words);
            assert!(step > 30, "only {step} steps were killed at");
            return;
        }
        // Before it is written down that it is under way, undo still means the restore; after it is done, the undo.
        let is_done =
            world.tree() == damaged && !world.root.join(".snapshots/restoring.json").exists();
        if !is_done {
            world.succeeds(&UNDO);
        }
        assert_eq!(world.tree(), damaged, "killed at step {step} and run again");
        world.succeeds(&UNDO);
        assert_eq!(world.tree(), whole, "the undo undone after step {step}");
    }
    panic!("it never came to its end");
}

#[test]
fn r078_a_snapshot_killed_at_every_step_is_whole_or_not_there() {
    let (template, _) = World::damaged();
    // So that the old one is removed by the new one.
    fs::write(template.root.join("tollgate.toml"), "[snapshot]\nkeep = 1\n").unwrap();
    let damaged = template.tree();
    for step in 1..STEPS_MAX {
        let world = template.copy();
        let killed = world.tollgate(&["snapshot", "create"], Some(step));
        if killed.signal != Some(9) {
            assert_eq!(killed.code, Some(0), "{}", killed.words);
            assert!(step > 15, "only {step} steps were killed at");
            return;
        }
        world.succeeds(&["snapshot", "create"]);
        world.expect_tidy();
        fs::remove_file(world.root.join("a")).unwrap();
        world.succeeds(&["snapshot", "restore", "latest", "--yes"]);
        assert_eq!(world.tree(), damaged, "killed at step {step}");
    }
    panic!("it never came to its end");
}
