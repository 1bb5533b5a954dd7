//! Another process swaps folders and files for links as fast as it can.

use crate::ground::{Ground, SECRET, has_secret, holds_secret, put, seen};
use crate::workspace_support::at;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use tollgate_files::{
    TreeLimits, copy_tree_bounded, hash_beneath, hash_bytes, list_files, read_beneath,
    remove_file_beneath, sync_beneath, write_beneath,
};
use tollgate_snapshot::{Retention, SnapshotScope, Snapshots};

/// Names the ground to the process that swaps.
const SWAPPER: &str = "PATH_CORPUS_GROUND";
const NAME: &str = "race::r117_nothing_leads_outside_while_another_process_swaps_links_in";
const FOR_HOW_LONG: Duration = Duration::from_millis(2500);
/// Then the swapper ends, whoever forgot it.
const SWAPPER_LIFE: Duration = Duration::from_secs(40);

#[test]
fn r117_nothing_leads_outside_while_another_process_swaps_links_in() {
    if let Some(folder) = std::env::var_os(SWAPPER) {
        return swap(Path::new(&folder));
    }
    let ground = Ground::new();
    let root = ground.root();
    for name in ["folder/secret", "folder/victim", "folder/deep/secret", "file"] {
        put(&root, name, "inside");
    }
    put(&root, "still", "in every snapshot");
    symlink(ground.outside(), root.with_file_name("folder.link")).unwrap();
    let outside = || seen(&ground.outside(), &root);
    let before = outside();
    let mut swapper = start(&root);
    let (mut rounds, mut read) = (0_u64, 0_u64);
    let end = Instant::now() + FOR_HOW_LONG;
    while Instant::now() < end {
        rounds += 1;
        read += u64::from(reads(&root));
        writes(&root);
        if rounds % 50 == 0 {
            copies(&ground, &root);
            assert_eq!(outside(), before, "round {rounds}");
        }
    }
    assert_eq!(outside(), before);
    assert!(rounds > 100 && read > 0, "{rounds} rounds, {read} reads");
    naive_code_escapes(&ground, &root);
    let swaps = stop(&mut swapper, &root);
    assert!(swaps > 1000, "only {swaps} swaps");
}

/// Whether something was there to be read.
fn reads(root: &Path) -> bool {
    let mut was_read = false;
    for path in ["folder/secret", "folder/deep/secret", "file"] {
        if let Ok(bytes) = read_beneath(root, path, 1 << 16) {
            was_read = true;
            assert!(!has_secret(&bytes), "{path} was read outside");
        }
        let hash = hash_beneath(root, path).ok().flatten();
        assert_ne!(hash, Some(hash_bytes(SECRET.as_bytes())), "{path} was hashed outside");
        let _ = sync_beneath(root, path);
    }
    was_read
}

fn writes(root: &Path) {
    for path in ["folder/made", "folder/victim", "folder/new/made", "file"] {
        let _ = write_beneath(root, path, b"by tollgate");
    }
    for path in ["folder/victim", "folder/made"] {
        let _ = remove_file_beneath(root, path);
    }
}

fn copies(ground: &Ground, root: &Path) {
    let to = ground.root().with_file_name("copy");
    fs::create_dir_all(&to).unwrap();
    let listed = list_files(root, TreeLimits::default()).unwrap_or_default();
    assert!(listed.iter().all(|entry| entry.path != "folder/empty"), "outside was listed");
    let _ = copy_tree_bounded(root, &to, TreeLimits::default(), |_| true);
    assert!(!holds_secret(&to), "outside was copied");
    fs::remove_dir_all(&to).unwrap();
    let keeping = Retention { keep: 3, days: 9 };
    let taken = Snapshots::of(root).take("manual", &SnapshotScope::whole(), at(), keeping);
    let kept = root.join(".snapshots");
    let holds = |content: &str| {
        let hash = hash_bytes(content.as_bytes());
        let is_it = |path: &Path| path.to_string_lossy().replace('/', "").contains(hash.as_str());
        any_file(&kept, &is_it)
    };
    assert!(!holds(SECRET), "outside is in a snapshot");
    assert!(taken.is_err() || holds("in every snapshot"), "files are not kept by their hash");
    let _ = fs::remove_dir_all(&kept);
}

/// The control: the same with plain calls is led outside.
fn naive_code_escapes(ground: &Ground, root: &Path) {
    let is_escape = || {
        let read = fs::read(root.join("folder/secret")).unwrap_or_default();
        let _ = fs::write(root.join("folder/naive"), b"naive");
        has_secret(&read) && ground.outside().join("naive").exists()
    };
    let end = Instant::now() + Duration::from_secs(10);
    let mut has_escaped = false;
    while !has_escaped && Instant::now() < end {
        has_escaped = is_escape();
    }
    assert!(has_escaped, "plain calls were never led outside: the swapping is not seen");
}

fn start(root: &Path) -> Child {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME])
        .env(SWAPPER, root)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    while !root.with_file_name("swapping").exists() {
        assert!(Instant::now() < end, "the swapper did not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn stop(swapper: &mut Child, root: &Path) -> u64 {
    fs::write(root.with_file_name("stop"), "").unwrap();
    assert!(swapper.wait().unwrap().success());
    fs::read_to_string(root.with_file_name("swapping")).unwrap().parse().unwrap()
}

/// The swapper's whole life: a folder and a link change places; a file becomes a link and a file again.
fn swap(root: &Path) {
    let beside = |name: &str| root.with_file_name(name);
    let (folder, link) = (root.join("folder"), beside("folder.link"));
    fs::write(beside("swapping"), "0").unwrap();
    let end = Instant::now() + SWAPPER_LIFE;
    let mut swaps = 0_u64;
    while !beside("stop").exists() && Instant::now() < end {
        for _ in 0..2 {
            renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            let _ = symlink("../outside/secret", beside("next"));
            let _ = fs::rename(beside("next"), root.join("file"));
            let _ = fs::write(beside("next"), "inside");
            let _ = fs::rename(beside("next"), root.join("file"));
            swaps += 3;
        }
    }
    fs::write(beside("swapping"), swaps.to_string()).unwrap();
}

fn any_file(folder: &Path, is_it: &dyn Fn(&Path) -> bool) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let path = entry.path();
        is_it(&path) || (path.is_dir() && !path.is_symlink() && any_file(&path, is_it))
    })
}
