//! Judges names and link targets by their text alone.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};
use tollgate_judge::globs::is_git_name;

/// Whether git will not have a path of this name, because it is none or some file system would take a part of it for
/// `.git`.
pub(super) fn is_refused_by_git(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    // Paths are handed to git with a zero byte behind each: one within would make two of it.
    if bytes.is_empty() || bytes.contains(&0) {
        return true;
    }
    path.components().any(|part| match part {
        Component::Normal(name) => is_git_name(&String::from_utf8_lossy(name.as_bytes())),
        _ => true,
    })
}

/// Whether a link at `link` (below the tree) to `target` may lead out of the tree or into a `.git`. A step up behind a
/// name counts: the name may be a link, now or later, and then the step starts somewhere else than the text says.
pub fn link_escapes(link: &Path, target: &Path) -> bool {
    let mut at: Vec<&std::ffi::OsStr> = Vec::new();
    let folder = link.parent().unwrap_or(Path::new(""));
    let mut is_behind_a_name = false;
    at.extend(folder.iter());
    for part in target.components() {
        match part {
            Component::Normal(name) => {
                is_behind_a_name = true;
                at.push(name);
            }
            Component::CurDir => {}
            Component::ParentDir => {
                if is_behind_a_name || at.pop().is_none() {
                    return true;
                }
            }
            Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    at.iter().any(|name| is_git_name(&name.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_dot_git_is_refused() {
        for name in [
            ".git",
            "a/.GIT/config",
            "git~1",
            ".git.",
            ".git ",
            ".g\u{200c}it",
            ".git::$DATA",
            "",
            "a\0b",
        ] {
            assert!(is_refused_by_git(Path::new(name)), "{name}");
        }
        for name in [".gitignore", "a.git", ".github/x", "git", "..git"] {
            assert!(!is_refused_by_git(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn r104_links_are_followed_by_text() {
        let escapes = |link: &str, target: &str| link_escapes(Path::new(link), Path::new(target));
        for target in [
            "/etc/passwd",
            "../../x",
            "../..",
            "b/../../../x",
            "b/..",
            "../.git/hooks",
            "../nested/.Git/hooks",
        ] {
            assert!(escapes("a/l", target), "{target}");
        }
        for target in ["x", "../x", "./b/c", "..", "", "../.gitignore"] {
            assert!(!escapes("a/l", target), "{target}");
        }
    }
}
