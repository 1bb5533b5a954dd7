//! Judges names and link targets by their text alone.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

/// Whether git will not have a path of this name, because some file system would take a part of it for `.git`.
pub(super) fn is_refused_by_git(path: &Path) -> bool {
    path.components().any(|part| match part {
        Component::Normal(name) => looks_like_dot_git(&String::from_utf8_lossy(name.as_bytes())),
        _ => true,
    })
}

/// `.git`, also as Windows (case, trailing dots and spaces, streams, short name) and macOS (ignored characters) read it.
fn looks_like_dot_git(name: &str) -> bool {
    let visible: String = name.chars().filter(|c| !is_ignored_on_hfs(*c)).collect();
    let stem = visible.split(':').next().unwrap_or_default();
    let stem = stem.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    stem == ".git" || stem == "git~1"
}

fn is_ignored_on_hfs(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Whether a link at `link` (below the tree) to `target` leads out of the tree or into its `.git`.
pub(super) fn link_escapes(link: &Path, target: &Path) -> bool {
    let mut at: Vec<&std::ffi::OsStr> = Vec::new();
    let folder = link.parent().unwrap_or(Path::new(""));
    for part in folder.components().chain(target.components()) {
        match part {
            Component::Normal(name) => at.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if at.pop().is_none() {
                    return true;
                }
            }
            Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    at.first().is_some_and(|name| looks_like_dot_git(&name.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_dot_git_is_refused() {
        for name in
            [".git", "a/.GIT/config", "git~1", ".git.", ".git ", ".g\u{200c}it", ".git::$DATA"]
        {
            assert!(is_refused_by_git(Path::new(name)), "{name}");
        }
        for name in [".gitignore", "a.git", ".github/x", "git", "..git"] {
            assert!(!is_refused_by_git(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn r104_links_are_followed_by_text() {
        let escapes = |link: &str, target: &str| link_escapes(Path::new(link), Path::new(target));
        for target in ["/etc/passwd", "../../x", "../..", "b/../../../x", "../.git/hooks"] {
            assert!(escapes("a/l", target), "{target}");
        }
        for target in ["x", "../x", "./b/../../c", "..", ""] {
            assert!(!escapes("a/l", target), "{target}");
        }
    }
}
