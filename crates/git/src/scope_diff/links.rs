//! Where symbolic links lead.

use crate::workspace::link_escapes;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use tollgate_judge::globs::is_git_name;

/// Of what is no link it says no. By the words of the link, and by where it really ends: another link on the way may turn off.
pub fn leads_out_on_disk(root: &Path, path: &[u8]) -> bool {
    let full = root.join(OsStr::from_bytes(path));
    let Ok(target) = std::fs::read_link(&full) else { return false };
    if leads_out(path, target.as_os_str().as_bytes()) {
        return true;
    }
    let (Ok(end), Ok(root)) = (full.canonicalize(), root.canonicalize()) else { return false };
    let is_git = |end: &Path| end.iter().any(|name| is_git_name(&name.to_string_lossy()));
    end.strip_prefix(&root).map_or(true, is_git)
}

/// By its words alone, as for the trees that agents work in.
pub fn leads_out(path: &[u8], target: &[u8]) -> bool {
    link_escapes(Path::new(OsStr::from_bytes(path)), Path::new(OsStr::from_bytes(target)))
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
            ("a", "nested/.git/hooks"),
            ("a", "git~1/hooks"),
            // The name may be a link itself, and then the step up starts elsewhere.
            ("src/a", "b/.."),
            ("src/a", "./x/../y"),
        ] {
            assert!(leads_out(path.as_bytes(), target.as_bytes()), "{path} -> {target}");
        }
        for (path, target) in
            [("a", "b"), ("src/a", "../b"), ("src/a", "./x/y"), ("a", ".github"), ("a", "")]
        {
            assert!(!leads_out(path.as_bytes(), target.as_bytes()), "{path} -> {target}");
        }
    }
}
