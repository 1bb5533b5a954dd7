//! Where symbolic links lead.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Of what is no link it says no. By the words of the link, and by where it really ends: another link on the way may turn off.
pub fn leads_out_on_disk(root: &Path, path: &[u8]) -> bool {
    let full = root.join(OsStr::from_bytes(path));
    let Ok(target) = std::fs::read_link(&full) else { return false };
    if leads_out(path, target.as_os_str().as_bytes()) {
        return true;
    }
    let (Ok(end), Ok(root)) = (full.canonicalize(), root.canonicalize()) else { return false };
    end.strip_prefix(&root).map_or(true, is_in_git_dir)
}

/// By its words alone: an absolute target, one above the root, or one inside `.git`.
pub fn leads_out(path: &[u8], target: &[u8]) -> bool {
    let folder = Path::new(OsStr::from_bytes(path)).parent().unwrap_or(Path::new(""));
    let mut end = PathBuf::new();
    for step in folder.join(OsStr::from_bytes(target)).components() {
        match step {
            Component::Normal(name) => end.push(name),
            Component::CurDir => {}
            Component::ParentDir if end.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    is_in_git_dir(&end)
}

fn is_in_git_dir(path: &Path) -> bool {
    let first = path.components().next();
    first.is_some_and(|first| first.as_os_str().eq_ignore_ascii_case(".git"))
}

#[cfg(test)]
mod tests {
    use super::leads_out;

    #[test]
    fn r104_a_link_that_leaves_the_repository_is_known_by_its_words() {
        for (path, target) in [
            ("a", "/etc/passwd"),
            ("a", ".."),
            ("src/a", "../../x"),
            ("src/a", "b/../../../x"),
            ("src/a", "../.git/hooks"),
            ("a", ".GIT"),
        ] {
            assert!(leads_out(path.as_bytes(), target.as_bytes()), "{path} -> {target}");
        }
        for (path, target) in
            [("a", "b"), ("src/a", "../b"), ("src/a", "./x/../y"), ("a", ".github"), ("a", "")]
        {
            assert!(!leads_out(path.as_bytes(), target.as_bytes()), "{path} -> {target}");
        }
    }
}
