//! Where whatever runs for a session may write: its own tree, temporary files, the caches of well-known tools, and what the
//! settings add. What a person would miss is never among it: the checkout, its history, the sessions, their home at large.

mod caches;

use rustix::process::geteuid;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tollgate_contract::config::{Enforce, SandboxTable};
use tollgate_git::repository::Repository;
use tollgate_process::Sandbox;

/// For programs that do not ask `TMPDIR`.
const SHARED_TEMP: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// What must stay closed to agents.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    pub repository: &'a Repository,
    pub state_home: &'a Path,
    /// The person's.
    pub home: Option<&'a Path>,
}

/// Why there is no sandbox; words for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SandboxRefusal {
    /// A path of the settings that stays closed.
    #[error("{text:?}, of `write` under [sandbox], cannot be opened to agents: {why}")]
    Setting { text: String, why: String },
    #[error("cannot create the cache folder {}: {cause}", .place.display())]
    Caches { place: PathBuf, cause: String },
}

/// The sandbox of what runs in a tree; `own` is what its adapter needs. None when the settings switch it off.
pub fn of_tree(
    settings: &SandboxTable,
    around: &Surroundings<'_>,
    tree: &Path,
    own: &[PathBuf],
) -> Result<Option<Sandbox>, SandboxRefusal> {
    if settings.enforce == Enforce::Off {
        return Ok(None);
    }
    let mut writable = Writable::default();
    writable.add(tree);
    own.iter().for_each(|path| writable.add(path));
    // Programs lower their priority or name their threads there. For root it is also a way to have the kernel start
    // a program that nobody holds.
    if !geteuid().is_root() {
        writable.add(Path::new("/proc"));
    }
    let kept = ClosedPaths::of(around);
    let shared = shared(around, &kept);
    shared.open.iter().for_each(|path| writable.add(path));
    for path in added(settings, around)? {
        writable.add(&path);
    }
    let mut env = BTreeMap::new();
    if let Some(home) = around.home {
        let folder = tree.with_file_name(CACHES);
        env = caches::lay_out(home, &folder, &writable).map_err(|cause| {
            SandboxRefusal::Caches { place: folder.clone(), cause: cause.to_string() }
        })?;
        writable.add(&folder);
    }
    let required = settings.enforce == Enforce::Required;
    Ok(Some(Sandbox { writable: writable.real, required, env }))
}

/// The caches of a workspace, beside its tree.
const CACHES: &str = "caches";

/// Temporary folders and caches of the person.
struct SharedFolders {
    open: Vec<PathBuf>,
    closed: BTreeMap<PathBuf, Closed>,
}

/// Why something is closed to agents that would be open otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// A file in it is also one of the checkout, by a hard link.
    SharesAFile,
    /// In it or in the checkout: whether they share a file is not known.
    TooManyFiles,
}

fn shared(around: &Surroundings<'_>, kept: &ClosedPaths) -> SharedFolders {
    let temp = SHARED_TEMP.map(PathBuf::from);
    let caches = around.home.map(caches::of_home).unwrap_or_default();
    let mut open: Vec<PathBuf> = temp.into_iter().chain(caches).collect();
    open.retain(|path| kept.touched_by(path).is_none());
    let closed = caches::closed(around.repository.root(), &open);
    open.retain(|path| !closed.contains_key(path));
    SharedFolders { open, closed }
}

/// What is closed to agents and would be open otherwise.
pub fn closed(around: &Surroundings<'_>) -> BTreeMap<PathBuf, Closed> {
    shared(around, &ClosedPaths::of(around)).closed
}

/// What the settings open, as it is written, with the home put in; refused when it would open what must stay closed.
pub fn added(
    settings: &SandboxTable,
    around: &Surroundings<'_>,
) -> Result<Vec<PathBuf>, SandboxRefusal> {
    let kept = ClosedPaths::of(around);
    settings.write.iter().map(|text| kept.allow(text, around.home)).collect()
}

/// What stays closed, whatever is opened.
struct ClosedPaths {
    places: Vec<(PathBuf, &'static str)>,
    home: Option<PathBuf>,
}

impl ClosedPaths {
    fn of(around: &Surroundings<'_>) -> Self {
        let repository = around.repository;
        let places = [
            (repository.root(), "your checkout with its sessions"),
            (repository.common_dir(), "the repository's git folder"),
            (repository.objects_dir(), "the repository's objects"),
            (around.state_home, "the state of Tollgate, with every workspace"),
            (Path::new("/dev/pts"), "the terminals of this machine"),
        ];
        let places = places.map(|(path, what)| (real(path), what)).to_vec();
        Self { places, home: around.home.map(real) }
    }

    /// What would be opened, wholly or in part. Landlock knows no exceptions: what lies below an open folder is open.
    fn touched_by(&self, path: &Path) -> Option<&'static str> {
        let path = real(path);
        let touches = |kept: &Path| kept.starts_with(&path) || path.starts_with(kept);
        let place = self.places.iter().find(|(kept, _)| touches(kept));
        place.map(|(_, what)| *what).or_else(|| {
            let holds_home = self.home.as_ref().is_some_and(|home| home.starts_with(&path));
            holds_home.then_some("your whole home folder, with keys and startup files")
        })
    }

    fn allow(&self, text: &str, home: Option<&Path>) -> Result<PathBuf, SandboxRefusal> {
        let refused = |why: String| SandboxRefusal::Setting { text: text.to_owned(), why };
        let path = match (text.strip_prefix("~/"), home) {
            (None, _) => PathBuf::from(text),
            (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
            (Some(_), None) => return Err(refused("HOME is not set".to_owned())),
        };
        match self.touched_by(&path) {
            None => Ok(path),
            Some(what) => {
                let path = path.display();
                Err(refused(format!("{path} contains or is inside {what}")))
            }
        }
    }
}

/// What can be written so far.
#[derive(Default)]
struct Writable {
    named: Vec<PathBuf>,
    real: Vec<PathBuf>,
}

impl Writable {
    fn holds(&self, path: &Path) -> bool {
        self.named.iter().chain(&self.real).any(|open| path.starts_with(open))
    }

    /// What lies in a place that is open already needs no rule, and must not have one: an agent may have put a link
    /// there that leads out.
    fn add(&mut self, path: &Path) {
        if self.holds(path) {
            return;
        }
        if let Ok(real) = path.canonicalize() {
            self.named.push(path.to_owned());
            self.real.push(real);
        }
    }
}

/// Without symbolic links, as far as it exists.
pub(crate) fn real(path: &Path) -> PathBuf {
    for folder in path.ancestors() {
        if let Ok(found) = folder.canonicalize() {
            let rest = path.strip_prefix(folder).unwrap_or(Path::new(""));
            return found.components().chain(rest.components()).collect();
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_that_an_agent_planted_in_an_open_place_opens_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("cache")).unwrap();
        fs::create_dir_all(root.join("keys")).unwrap();
        symlink(root.join("keys"), root.join("cache/more")).unwrap();
        let mut writable = Writable::default();
        writable.add(&root.join("cache"));
        writable.add(&root.join("cache/more"));
        writable.add(&root.join("absent"));
        assert_eq!(writable.real, [root.join("cache")]);
    }

    #[test]
    fn a_place_is_touched_from_above_from_below_and_by_a_link() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("home/code/app/src")).unwrap();
        symlink("code/app", root.join("home/link")).unwrap();
        let places = vec![(root.join("home/code/app"), "the app")];
        let kept = ClosedPaths { places, home: Some(root.join("home")) };
        for path in ["home/code", "home/code/app/src/new", "home/link/src"] {
            assert_eq!(kept.touched_by(&root.join(path)), Some("the app"), "{path}");
        }
        assert_eq!(kept.touched_by(&root.join("home/code/application")), None);
        assert_eq!(kept.touched_by(&root.join("home/.gradle")), None);
        let above = ClosedPaths { places: Vec::new(), home: Some(root.join("home")) };
        assert!(above.touched_by(&root).is_some_and(|what| what.contains("home")));
    }
}
