//! Files as others may have left them: half written, linked elsewhere, too big, oddly named.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::beneath::READ;
use super::*;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

fn names(folder: &Path) -> Vec<String> {
    list_files(folder, TreeLimits::default()).unwrap().into_iter().map(|entry| entry.path).collect()
}

#[test]
fn r013_a_reader_sees_the_old_content_or_the_new() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("status.json");
    let contents = [vec![b'a'; 100_000], vec![b'b'; 50_000]];
    write_atomic(&path, &contents[0]).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..200 {
                write_atomic(&path, &contents[round % 2]).unwrap();
            }
        });
        while !writer.is_finished() {
            assert!(contents.contains(&std::fs::read(&path).unwrap()));
        }
    });
    assert_eq!(names(folder.path()), ["status.json"]);
}

#[test]
fn r013_the_leftovers_of_a_killed_writer_are_not_session_files() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join(".tollgate-abc.tmp"), "half").unwrap();
    write_durable(&folder.path().join("status.json"), b"{}").unwrap();
    assert_eq!(names(folder.path()), ["status.json"]);
    assert_eq!(remove_temporaries(folder.path()).unwrap(), 1);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn writing_replaces_a_symlink_instead_of_following_it() {
    let folder = TempDir::new().unwrap();
    let victim = folder.path().join("victim");
    std::fs::write(&victim, "precious").unwrap();
    let link = folder.path().join("status.json");
    symlink(&victim, &link).unwrap();
    write_durable(&link, b"{}").unwrap();
    assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
    assert_eq!(read_bounded(&link, 10).unwrap(), b"{}");
}

#[test]
fn r027_a_failed_write_or_read_back_is_tried_again() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("status.json");
    let (mut writes, mut reads) = (0, 0);
    let write = |path: &Path, bytes: &[u8]| {
        writes += 1;
        if writes == 1 {
            return Err(FileError::io("write", path)(io::Error::other("no space")));
        }
        write_atomic(path, bytes)
    };
    let read = |path: &Path| {
        reads += 1;
        if reads == 1 { Ok(b"something else".to_vec()) } else { read_bounded(path, 100) }
    };
    write_checked_by(&path, b"answer", 3, write, read).unwrap();
    assert_eq!((writes, reads), (3, 2));
    assert_eq!(std::fs::read(&path).unwrap(), b"answer");
}

#[test]
fn r027_after_the_last_try_the_error_says_what_failed() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("missing").join("status.json");
    let mut reads = 0;
    let read = |_: &Path| {
        reads += 1;
        Ok(Vec::new())
    };
    let in_place = folder.path().join("status.json");
    let error = write_checked_by(&in_place, b"answer", 3, write_atomic, read).unwrap_err();
    assert_eq!(reads, 3);
    assert!(error.to_string().contains("6 bytes came back as 0 others"), "{error}");
    let error = write_checked(&path, b"answer", 3).unwrap_err().to_string();
    assert!(error.contains("status.json") && error.contains("3 tries"), "{error}");
    write_checked(&in_place, b"answer", 3).unwrap();
}

#[test]
fn only_plain_files_within_the_limit_are_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, "12345").unwrap();
    assert_eq!(read_bounded(&path, 5).unwrap(), b"12345");
    assert!(matches!(read_bounded(&path, 4), Err(FileError::TooBig { max: 4, .. })));
    assert!(matches!(read_bounded(folder.path(), 4), Err(FileError::NotAFile { .. })));
    let link = folder.path().join("link");
    symlink(&path, &link).unwrap();
    assert!(matches!(read_bounded(&link, 5), Err(FileError::Io { .. })));
    let pipe = folder.path().join("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert!(matches!(read_bounded(&pipe, 5), Err(FileError::NotAFile { .. })));
    assert!(read_bounded(&folder.path().join("none"), 5).unwrap_err().is_not_found());
}

#[test]
fn hashes_are_those_of_sha256() {
    let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hash_bytes(b"abc").as_str(), known);
}

/// A root with a file in it, a way out by symlink, and something outside.
fn tricky_root() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("root");
    std::fs::create_dir_all(root.join("adr/deep")).unwrap();
    std::fs::write(root.join("adr/deep/1.md"), "inside").unwrap();
    std::fs::write(folder.path().join("secret"), "outside").unwrap();
    symlink("../secret", root.join("file-link")).unwrap();
    symlink("..", root.join("folder-link")).unwrap();
    symlink("adr", root.join("inner-link")).unwrap();
    (folder, root)
}

const BAD_PATHS: &[&str] = &[
    "",
    "/etc/passwd",
    "../secret",
    "adr/../../secret",
    "adr//deep",
    "./adr",
    "adr/",
    "file-link",
    "folder-link/secret",
    "inner-link/deep/1.md",
    "a\0b",
];

#[test]
fn a_path_below_a_root_never_leaves_it() {
    let (_folder, root) = tricky_root();
    assert_eq!(read_beneath(&root, "adr/deep/1.md", 100).unwrap(), b"inside");
    for path in BAD_PATHS {
        assert!(open_beneath(&root, path).is_err(), "{path:?}");
    }
    let error = open_beneath(&root, "folder-link/secret").unwrap_err();
    assert!(error.to_string().contains("symbolic link"), "{error}");
}

#[test]
fn the_way_without_openat2_is_as_strict() {
    let (_folder, root) = tricky_root();
    let root = Root::open(&root).unwrap();
    let open = |path: &str| root.open_by_steps(path.as_bytes(), READ);
    assert!(open("adr/deep/1.md").is_ok());
    for path in ["file-link", "folder-link/secret", "inner-link/deep/1.md"] {
        assert!(open(path).is_err(), "{path:?}");
    }
}

#[test]
fn writing_below_a_root_never_leaves_it() {
    let (folder, root) = tricky_root();
    write_beneath(&root, "new/folder/file.md", b"x").unwrap();
    write_beneath(&root, "adr/deep/1.md", b"y").unwrap();
    // The link itself is replaced; what it points to stays.
    write_beneath(&root, "file-link", b"z").unwrap();
    for path in BAD_PATHS.iter().filter(|path| **path != "file-link") {
        assert!(write_beneath(&root, path, b"x").is_err(), "{path:?}");
    }
    assert_eq!(std::fs::read(folder.path().join("secret")).unwrap(), b"outside");
    assert_eq!(std::fs::read(root.join("file-link")).unwrap(), b"z");
    assert_eq!(std::fs::read(root.join("new/folder/file.md")).unwrap(), b"x");
}

#[test]
fn a_listing_follows_nothing_and_names_what_is_odd() {
    let (_folder, root) = tricky_root();
    std::fs::write(root.join(std::ffi::OsStr::from_bytes(b"b\xffd")), "").unwrap();
    let listing: Vec<_> = list_files(&root, TreeLimits::default())
        .unwrap()
        .into_iter()
        .map(|entry| format!("{:?} {}", entry.kind, entry.path))
        .collect();
    expect_test::expect![[r#"
        [
            "Dir adr",
            "Dir adr/deep",
            "File adr/deep/1.md",
            "BadName b�d",
            "Symlink file-link",
            "Symlink folder-link",
            "Symlink inner-link",
        ]
    "#]]
    .assert_debug_eq(&listing);
    let few = TreeLimits { entries_max: 3, ..TreeLimits::default() };
    assert!(matches!(list_files(&root, few), Err(FileError::TooMany { max: 3, .. })));
}

#[test]
fn a_copy_takes_regular_files_and_reports_what_it_left_out() {
    let (_folder, root) = tricky_root();
    std::fs::write(root.join("status.json"), "{}").unwrap();
    let to = TempDir::new().unwrap();
    let left_out =
        copy_tree_bounded(&root, to.path(), TreeLimits::default(), |path| path != "status.json")
            .unwrap();
    assert_eq!(names(to.path()), ["adr", "adr/deep", "adr/deep/1.md"]);
    assert_eq!(left_out.len(), 3);
    let small = TreeLimits { file_bytes_max: 2, ..TreeLimits::default() };
    assert!(copy_tree_bounded(&root, to.path(), small, |_| true).is_err());
}

#[test]
fn a_cache_is_replaced_whole_and_leaves_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("status.json");
    for content in [b"first".as_slice(), b"second", b"3"] {
        let before = fs::File::open(&path).ok();
        let old = fs::read(&path).unwrap_or_default();
        write_cache_checked(&path, content, 1).unwrap();
        assert_eq!(fs::read(&path).unwrap(), content);
        let mut seen = Vec::new();
        if let Some(mut before) = before {
            before.read_to_end(&mut seen).unwrap();
        }
        assert_eq!(seen, old, "who opened the old content reads all of it");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_cache_takes_the_place_of_a_link_and_not_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other");
    fs::write(&other, "theirs").unwrap();
    let link = folder.path().join("link");
    symlink(&other, &link).unwrap();
    write_cache(&link, b"ours").unwrap();
    assert!(link.symlink_metadata().unwrap().is_file());
    assert_eq!(fs::read(&other).unwrap(), b"theirs");
    let taken = folder.path().join("taken");
    fs::create_dir(&taken).unwrap();
    assert!(write_cache(&taken, b"ours").is_err());
    assert!(taken.is_dir());
}

#[test]
fn only_a_plain_file_below_the_root_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir_all(root.join("sub/folder")).unwrap();
    fs::write(folder.path().join("theirs"), "theirs").unwrap();
    fs::write(root.join("sub/file"), "ours").unwrap();
    symlink(folder.path().join("theirs"), root.join("sub/link")).unwrap();
    symlink(folder.path(), root.join("out")).unwrap();
    for path in ["sub/file", "sub/file", "sub/folder", "sub/link", "none/file"] {
        remove_file_beneath(&root, path).unwrap();
    }
    assert!(remove_file_beneath(&root, "out/theirs").is_err());
    assert!(remove_file_beneath(&root, "../theirs").is_err());
    assert!(folder.path().join("theirs").exists() && root.join("sub/folder").exists());
    assert!(root.join("sub/link").is_symlink() && !root.join("sub/file").exists());
}
