//! Where an agent may read and write through us: inside the tree, and what its role allows of that.

use crate::DriverPlan;
use crate::boundary::may_write;
use std::path::{Component, Path, PathBuf};
use tollgate_files::layout::Layout;

#[derive(Debug, Clone)]
pub struct PathBoundary {
    plan: DriverPlan,
    /// The tree without links on the way; some agents resolve it first.
    resolved: PathBuf,
}

impl PathBoundary {
    pub fn new(plan: &DriverPlan) -> Self {
        Self {
            resolved: plan.tree.canonicalize().unwrap_or_else(|_| plan.tree.clone()),
            plan: plan.clone(),
        }
    }

    pub fn tree(&self) -> &Path {
        &self.plan.tree
    }

    /// A path for people: below the tree it need not be told where the tree is.
    pub fn shortened(&self, text: String) -> String {
        let inside = [&self.plan.tree, &self.resolved].into_iter().find_map(|tree| {
            Path::new(&text).strip_prefix(tree).ok()?.to_str().filter(|rest| !rest.is_empty())
        });
        inside.map(str::to_owned).unwrap_or(text)
    }

    /// The path below the tree when it may be read; links are refused when it is opened.
    pub fn readable(&self, path: &str) -> Result<String, String> {
        let inside = self.inside(path)?;
        if inside.is_empty() {
            return Err(format!("{path} is the folder itself"));
        }
        self.refuse_foreign(&inside)?;
        Ok(inside)
    }

    /// The path below the tree when this role may write it, also where links lead on the way.
    pub fn writable(&self, path: &str) -> Result<String, String> {
        may_write(&self.plan, path)?;
        self.inside(path)
    }

    /// A folder to work in.
    pub fn folder(&self, path: &str) -> Result<PathBuf, String> {
        let folder = self.plan.tree.join(self.inside(path)?);
        let resolved = folder.canonicalize().map_err(|error| format!("{path}: {error}"))?;
        if !resolved.starts_with(&self.resolved) {
            return Err(outside(path));
        }
        Ok(folder)
    }

    /// With names only, so that nothing leads up; empty for the tree itself.
    fn inside(&self, path: &str) -> Result<String, String> {
        let given = Path::new(path);
        let rest = if given.is_absolute() {
            let below = given.strip_prefix(&self.plan.tree);
            below.or_else(|_| given.strip_prefix(&self.resolved)).map_err(|_| outside(path))?
        } else {
            given
        };
        let mut names = Vec::new();
        for part in rest.components() {
            match part {
                Component::Normal(name) => names.push(name.to_str().ok_or_else(|| outside(path))?),
                Component::CurDir => {}
                _ => return Err(outside(path)),
            }
        }
        Ok(names.join("/"))
    }

    fn refuse_foreign(&self, inside: &str) -> Result<(), String> {
        if inside.split('/').any(|name| name.eq_ignore_ascii_case(".git")) {
            return Err(format!("{inside} belongs to git"));
        }
        if is_below(inside, Layout::SESSIONS) && !is_below(inside, &self.plan.session_folder) {
            return Err(format!("{inside} belongs to another session"));
        }
        Ok(())
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn outside(path: &str) -> String {
    format!("{path} is outside the workspace")
}

#[cfg(test)]
mod tests {
    use super::super::tests::plan;
    use super::*;
    use crate::Access;

    fn boundary(access: Access) -> PathBoundary {
        let plan = DriverPlan { access, ..plan(Path::new("/srv/tree"), &["agent"]) };
        PathBoundary { plan, resolved: PathBuf::from("/mnt/tree") }
    }

    #[test]
    fn paths_of_the_tree_are_taken_whole_relative_or_resolved() {
        let boundary = boundary(Access::Tree);
        for path in ["/srv/tree/src/a.rs", "/mnt/tree/src/a.rs", "src/a.rs", "./src/./a.rs"] {
            assert_eq!(boundary.readable(path), Ok("src/a.rs".to_owned()), "{path}");
        }
    }

    #[test]
    fn nothing_leads_out_of_the_tree() {
        let boundary = boundary(Access::Tree);
        let outside = [
            "/etc/passwd",
            "/srv/tree/../other/a",
            "../a",
            "src/../../a",
            "/srv/treehouse/a",
            "",
            ".",
            "/srv/tree",
            ".git/config",
            "/srv/tree/.git/hooks/pre-commit",
            "sub/.GIT/config",
            ".agents-work/two/spec.md",
            ".agents-work/onetwo/spec.md",
            ".agents-work",
        ];
        for path in outside {
            assert!(boundary.readable(path).is_err(), "{path}");
            assert!(boundary.writable(path).is_err(), "{path}");
        }
    }

    #[test]
    fn a_role_writes_what_it_may() {
        let session = ".agents-work/one/spec.md";
        let expect = [
            (Access::Read, false, false),
            (Access::Session, true, false),
            (Access::Tree, true, true),
        ];
        for (access, of_session, of_tree) in expect {
            let boundary = boundary(access);
            assert_eq!(boundary.writable(session).is_ok(), of_session);
            assert_eq!(boundary.writable("src/a.rs").is_ok(), of_tree);
            assert!(boundary.readable("src/a.rs").is_ok() && boundary.readable(session).is_ok());
        }
    }
}
