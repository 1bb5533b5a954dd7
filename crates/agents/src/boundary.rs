//! Whether a role may write a file that its agent names: looked at as written, and again with every symlink followed.

use super::{Access, DriverPlan};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use tollgate_files::layout::Layout;

/// A path that an agent named, absolute or relative to its tree. The error is a reason that the agent can act on.
///
/// The tree may change right after this look; the sandbox and the diff hold where this does not.
pub fn may_write(plan: &DriverPlan, named: &str) -> Result<(), String> {
    if named.is_empty() || named.contains('\0') {
        return Err("it names no file".to_owned());
    }
    let written = plan.tree.join(named);
    // What `..` means depends on the symlinks before it.
    if written.components().any(|part| part == Component::ParentDir) {
        return Err("it has .. in it".to_owned());
    }
    let real_tree = plan.tree.canonicalize().unwrap_or_else(|_| plan.tree.clone());
    let relative = [&plan.tree, &real_tree]
        .into_iter()
        .find_map(|tree| written.strip_prefix(tree).ok())
        .ok_or("it is outside the working tree")?;
    check(plan, relative)?;
    let real = followed(&real_tree.join(relative))
        .map_err(|error| format!("its target cannot be found: {error}"))?;
    let relative = real
        .strip_prefix(&real_tree)
        .map_err(|_| "a symlink points outside the working tree".to_owned())?;
    check(plan, relative)
}

fn check(plan: &DriverPlan, relative: &Path) -> Result<(), String> {
    if relative.as_os_str().is_empty() {
        return Err("it is the working tree itself".to_owned());
    }
    let is_git = |part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
    if relative.components().any(is_git) {
        return Err("agents may not write in .git".to_owned());
    }
    let is_own_session =
        relative.starts_with(&plan.session_folder) && relative != Path::new(&plan.session_folder);
    match plan.access {
        Access::Read => Err("this role writes no files".to_owned()),
        _ if is_own_session => Ok(()),
        Access::Session => Err(format!("this role may write only in {}", plan.session_folder)),
        Access::Tree if relative.starts_with(Layout::SESSIONS) => {
            Err(format!("in the session folders it may write only {}", plan.session_folder))
        }
        Access::Tree => Ok(()),
    }
}

/// What of a path is there is followed to where it leads; the rest will be made. A symlink to nothing is refused, because
/// writing to it would make a file that nobody looked at.
fn followed(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(_) => path.canonicalize(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            match (path.parent(), path.file_name()) {
                (Some(folder), Some(name)) => Ok(followed(folder)?.join(name)),
                _ => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::Stdin;
    use std::os::unix::fs::symlink;
    use tollgate_contract::config::Adapter;
    use tollgate_core::reply::Usage;

    fn plan(tree: &Path, access: Access) -> DriverPlan {
        DriverPlan {
            adapter: Adapter::Claude,
            argv: Vec::new(),
            env: Default::default(),
            stdin: Stdin::Talk,
            prompt: String::new(),
            tree: tree.to_owned(),
            session_folder: ".agents-work/2026-01-01_a".to_owned(),
            access,
            model: None,
            resume: None,
            before: Usage::default(),
            silence_ms: 1,
            output_bytes_max: 1024 * 1024,
        }
    }

    fn tree() -> tempfile::TempDir {
        let tree = tempfile::tempdir().unwrap();
        for folder in
            ["src", ".git/hooks", ".agents-work/2026-01-01_a", ".agents-work/2026-01-01_b"]
        {
            fs::create_dir_all(tree.path().join(folder)).unwrap();
        }
        tree
    }

    fn refused(plan: &DriverPlan, named: &str) -> bool {
        may_write(plan, named).is_err()
    }

    #[test]
    fn r039_a_role_writes_only_within_its_boundary() {
        let tree = tree();
        let session = ".agents-work/2026-01-01_a/spec.md";
        let other = ".agents-work/2026-01-01_b/spec.md";
        let coder = plan(tree.path(), Access::Tree);
        for good in ["src/main.rs", "src/new/deep/file.rs", session] {
            assert_eq!(may_write(&coder, good), Ok(()), "{good}");
            let absolute = tree.path().join(good);
            assert_eq!(may_write(&coder, absolute.to_str().unwrap()), Ok(()), "{good}");
        }
        for bad in [
            other,
            ".agents-work/x",
            ".git/hooks/pre-commit",
            "src/.GIT/config",
            "../x",
            "/etc/passwd",
            "",
            ".",
            "src/../../x",
        ] {
            assert!(refused(&coder, bad), "{bad}");
        }
        let author = plan(tree.path(), Access::Session);
        assert_eq!(may_write(&author, session), Ok(()));
        for bad in [
            "src/main.rs",
            other,
            ".agents-work/2026-01-01_a",
            ".agents-work/2026-01-01_a/../../src/x",
        ] {
            assert!(refused(&author, bad), "{bad}");
        }
        let reader = plan(tree.path(), Access::Read);
        assert!(refused(&reader, session) && refused(&reader, "src/main.rs"));
    }

    #[test]
    fn r039_no_agent_leaves_its_boundary_through_a_symlink() {
        let tree = tree();
        let outside = tempfile::tempdir().unwrap();
        let at = |name: &str| tree.path().join(name);
        symlink(outside.path(), at("out")).unwrap();
        symlink(outside.path().join("nothing"), at("dangling")).unwrap();
        symlink(at(".git"), at("src/history")).unwrap();
        symlink(at("src"), at("inside")).unwrap();
        let coder = plan(tree.path(), Access::Tree);
        for bad in ["out/x", "out", "dangling", "src/history/config", "inside/../out/x"] {
            assert!(refused(&coder, bad), "{bad}");
        }
        assert_eq!(may_write(&coder, "inside/x.rs"), Ok(()));
    }

    #[test]
    fn a_tree_behind_a_symlink_is_known_by_both_names() {
        let tree = tree();
        let elsewhere = tempfile::tempdir().unwrap();
        let link = elsewhere.path().join("tree");
        symlink(tree.path(), &link).unwrap();
        let coder = plan(&link, Access::Tree);
        for named in [link.join("src/a"), tree.path().canonicalize().unwrap().join("src/a")] {
            assert_eq!(may_write(&coder, named.to_str().unwrap()), Ok(()), "{}", named.display());
        }
    }
}
