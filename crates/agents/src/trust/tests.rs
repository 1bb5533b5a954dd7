//! What is trusted by its content.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use std::os::unix::ffi::OsStringExt;

fn inherited(files: &[(&str, &str)]) -> Inherited {
    let file = |(name, text): &(&str, &str)| ((*name).to_owned(), text.as_bytes().to_vec());
    Inherited { files: files.iter().map(file).collect() }
}

#[test]
fn a_file_that_is_new_changed_or_gone_is_reported() {
    let agreed = inherited(&[("a", "1"), ("b", "1"), ("~/c", "1")]).hashes();
    let now = inherited(&[("a", "1"), ("b", "2"), ("d", "1")]);
    let changes = now.changes(&agreed);
    assert_eq!(in_words(&changes), "changed b, new d, gone ~/c");
    assert!(inherited(&[("a", "1")]).changes(&inherited(&[("a", "1")]).hashes()).is_empty());
}

#[test]
fn names_and_contents_cannot_be_mistaken_for_each_other() {
    let hash = |files: &[(&str, &str)]| whole(&inherited(files).hashes());
    assert_ne!(hash(&[("a", "b")]), hash(&[("b", "a")]));
    assert_ne!(hash(&[("a", "")]), hash(&[]));
    assert_ne!(hash(&[("a\nb", "")]), hash(&[("a", ""), ("b", "")]));
}

#[test]
fn people_see_names_that_do_not_depend_on_the_tree() {
    let (person, root) = (Path::new("/srv/ann"), Path::new("/srv/ann/app"));
    let show = |path: &str| shown(Path::new(path), person, root);
    assert_eq!(show("/srv/ann/app/.mcp.json"), ".mcp.json");
    assert_eq!(show("/srv/ann/.claude/settings.json"), "~/.claude/settings.json");
    assert_eq!(show("/etc/agent.json"), "/etc/agent.json");
}

#[test]
fn what_cannot_be_looked_through_is_an_error_and_no_empty_list() {
    let dir = tempfile::tempdir().unwrap();
    let taken = || Inherited::default().take(dir.path(), Path::new("/p"), dir.path(), DEPTH_MAX);
    taken().unwrap();
    let odd = dir.path().join(std::ffi::OsString::from_vec(b"a\xff".to_vec()));
    fs::write(&odd, "").unwrap();
    assert!(matches!(taken(), Err(TrustError::Unreadable { .. })), "{:?}", taken());
    fs::remove_file(&odd).unwrap();
    fs::create_dir_all(dir.path().join("d/".repeat(DEPTH_MAX + 1))).unwrap();
    assert!(matches!(taken(), Err(TrustError::TooDeep { .. })), "{:?}", taken());
    fs::remove_dir_all(dir.path().join("d")).unwrap();
    (0..=FILES_MAX).for_each(|n| fs::write(dir.path().join(n.to_string()), "x").unwrap());
    assert!(matches!(taken(), Err(TrustError::TooMany)), "{:?}", taken());
}
