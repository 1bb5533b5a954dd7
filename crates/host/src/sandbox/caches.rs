//! Which caches of the person are open, and what takes the place of those that stay closed. Some tools put the very files of
//! their cache into a project, as hard links: whoever may write such a cache writes the projects of the person.

use super::{Closed, Writable};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, readlinkat, renameat, symlinkat, unlinkat};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tollgate_files::open_or_make_folder;

/// Caches and the locks of caches, below the home, where they are, so that builds need not fetch everything again. No place
/// from which a shell or an editor starts programs, and no toolchains. Tools copy from all of them.
const COPIED: [&str; 12] = [
    ".npm",
    ".yarn/berry/cache",
    ".yarn/berry/metadata",
    ".cargo/registry",
    ".cargo/git",
    ".cargo/.package-cache",
    ".cargo/.package-cache-mutate",
    ".cargo/.global-cache",
    "go/pkg/mod",
    "go/pkg/sumdb",
    ".m2/repository",
    ".nuget/packages",
];

/// Where most tools have theirs, each in a folder. They ask `XDG_CACHE_HOME` for it.
const COMMON: &str = ".cache";
const COMMON_VARIABLE: &str = "XDG_CACHE_HOME";

/// Of those, the ones that are linked from.
const LINKED_IN_COMMON: [&str; 3] = ["uv", "deno", "rattler"];

/// With a variable of its own that says where it is, and the name of what takes its place. The first two are linked from.
const MOVABLE: [(&str, &str, &str); 3] = [
    (".local/share/pnpm", "PNPM_HOME", "pnpm"),
    (".bun/install/cache", "BUN_INSTALL_CACHE_DIR", "bun"),
    (".npm", "npm_config_cache", "npm"),
];

/// Files looked at in the checkout, and in one cache. A look takes a second or two at most.
const FILES_MAX: usize = 400_000;

/// What could be open of a home. A link among the common caches may lead anywhere; where it leads to another of them, that
/// one is open by its own name.
pub(super) fn of_home(home: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.join(COMMON)).into_iter().flatten().flatten();
    let is_linked = |name: &Path| LINKED_IN_COMMON.iter().any(|linked| name.ends_with(linked));
    let common = entries.map(|entry| entry.path());
    let common = common.filter(|path| !is_linked(path) && !path.is_symlink());
    COPIED.iter().map(|path| home.join(path)).chain(common).filter(|path| path.exists()).collect()
}

/// Lays the caches of a workspace out in `folder`, for what is closed: the open ones of the person are linked there. The
/// variables that lead tools to it.
pub(super) fn lay_out(
    home: &Path,
    folder: &Path,
    writable: &Writable,
) -> io::Result<BTreeMap<String, String>> {
    const FOR_COMMON: &str = "common";
    let parent = File::open(folder.parent().unwrap_or(folder))?;
    let caches = open_own(parent.as_fd(), folder.file_name().unwrap_or_default())?;
    let links = open_own(caches.as_fd(), FOR_COMMON.as_ref())?;
    link_open_ones(&home.join(COMMON), &links, writable)?;
    let own = MOVABLE.iter().filter(|(place, ..)| !writable.holds(&home.join(place)));
    let own = own.map(|(_, variable, name)| ((*variable).to_owned(), folder.join(name)));
    let variables = own.chain([(COMMON_VARIABLE.to_owned(), folder.join(FOR_COMMON))]);
    Ok(variables.map(|(name, path)| (name, path.display().to_string())).collect())
}

/// Agents write here. Anything that is not a folder, such as a link that leads out, is moved aside and never followed.
fn open_own(parent: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    open_or_make_folder(parent, name).or_else(|refused| {
        // No agent can have taken this name before.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let aside = format!("{}.{}", name.to_string_lossy(), now.as_nanos());
        renameat(parent, name, parent, aside).map_err(|_| refused)?;
        open_or_make_folder(parent, name)
    })
}

/// Links the open caches. A link to a cache that is now closed is removed, so that tools can make their own.
fn link_open_ones(common: &Path, links: &OwnedFd, writable: &Writable) -> io::Result<()> {
    let is_open = |cache: &Path| cache.canonicalize().is_ok_and(|real| writable.holds(&real));
    for entry in Dir::read_from(links)?.flatten() {
        let cache = common.join(OsStr::from_bytes(entry.file_name().to_bytes()));
        let target = readlinkat(links, entry.file_name(), Vec::new());
        let is_ours = target.is_ok_and(|to| to.as_bytes() == cache.as_os_str().as_bytes());
        if is_ours && !is_open(&cache) {
            let _gone_already = unlinkat(links, entry.file_name(), AtFlags::empty());
        }
    }
    for entry in fs::read_dir(common).into_iter().flatten().flatten() {
        if is_open(&entry.path()) {
            // Where there is something already, it is the link, or a cache that an agent has made.
            let _ = symlinkat(entry.path(), links, entry.file_name());
        }
    }
    Ok(())
}

/// Those of `places` that stay closed. Each is looked at once: what the person installs later comes from the caches that are
/// known to be linked from.
pub(super) fn closed(checkout: &Path, places: &[PathBuf]) -> BTreeMap<PathBuf, Closed> {
    static KNOWN: Mutex<BTreeMap<(PathBuf, PathBuf), Option<Closed>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = |place: &PathBuf| (checkout.to_owned(), place.clone());
    let new: Vec<PathBuf> =
        places.iter().filter(|place| !known.contains_key(&key(place))).cloned().collect();
    if !new.is_empty() {
        let found = look_for_links(checkout, &new, FILES_MAX);
        known.extend(new.iter().map(|place| (key(place), found.get(place).copied())));
    }
    let known = |place: &PathBuf| Some((place.clone(), (*known.get(&key(place))?)?));
    places.iter().filter_map(known).collect()
}

fn look_for_links(
    checkout: &Path,
    places: &[PathBuf],
    files_max: usize,
) -> BTreeMap<PathBuf, Closed> {
    let mut seen: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    let is_whole = each_file(checkout, files_max, &mut |file| {
        // How many names are yet to be found. A mount can show one of them twice.
        let elsewhere = seen.entry((file.dev(), file.ino())).or_insert(file.nlink());
        *elsewhere = elsewhere.saturating_sub(1);
        true
    });
    seen.retain(|_, elsewhere| *elsewhere > 0);
    if is_whole.is_some() && seen.is_empty() {
        return BTreeMap::new();
    }
    let why = |place: &PathBuf| {
        // Where the checkout could not be looked through, whatever has another name somewhere may have it there.
        let is_elsewhere = |file: &fs::Metadata| {
            is_whole.is_none() || seen.contains_key(&(file.dev(), file.ino()))
        };
        let why = match each_file(place, files_max, &mut |file| !is_elsewhere(file)) {
            Some(true) => return None,
            Some(false) if is_whole.is_some() => Closed::SharesAFile,
            Some(false) | None => Closed::TooManyFiles,
        };
        Some((place.clone(), why))
    };
    places.iter().filter_map(why).collect()
}

/// Shows every file that has more than one name. False when it was enough before the end, none when there are too many.
fn each_file(
    folder: &Path,
    files_max: usize,
    look: &mut dyn FnMut(&fs::Metadata) -> bool,
) -> Option<bool> {
    let mut folders = vec![folder.to_owned()];
    let mut left = files_max;
    while let Some(folder) = folders.pop() {
        let entries: Vec<_> = match fs::read_dir(&folder) {
            Ok(entries) => entries.flatten().collect(),
            Err(_) => continue,
        };
        for entry in entries {
            left = left.checked_sub(1)?;
            let Ok(found) = entry.metadata() else { continue };
            if found.is_dir() {
                folders.push(entry.path());
            } else if found.is_file() && found.nlink() > 1 && !look(&found) {
                return Some(false);
            }
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn r173_a_cache_that_shares_a_file_with_the_checkout_is_found() {
        let temp = tempfile::tempdir().unwrap();
        let (home, checkout) = (temp.path().join("home"), temp.path().join("checkout"));
        for folder in [".cache/odd/deep", ".cache/plain", ".npm"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        fs::create_dir_all(checkout.join("node_modules/a")).unwrap();
        fs::write(checkout.join("one"), "x").unwrap();
        fs::hard_link(checkout.join("one"), checkout.join("two")).unwrap();
        let places = of_home(&home);
        assert_eq!(places.len(), 3);
        let look = |files_max| look_for_links(&checkout, &places, files_max);
        assert_eq!(look(FILES_MAX), BTreeMap::new());
        fs::write(home.join(".cache/odd/deep/file"), "x").unwrap();
        let file = checkout.join("node_modules/a/file");
        fs::hard_link(home.join(".cache/odd/deep/file"), file).unwrap();
        let linked = BTreeMap::from([(home.join(".cache/odd"), Closed::SharesAFile)]);
        assert_eq!(look(FILES_MAX), linked);
        assert_eq!(closed(&checkout, &places), linked);
        assert_eq!(closed(&checkout, &places), linked, "from what is known");
        // Five entries in the checkout, six in a cache.
        (0..6).for_each(|n| fs::write(home.join(format!(".npm/{n}")), "").unwrap());
        let many = (home.join(".npm"), Closed::TooManyFiles);
        assert_eq!(look(5), linked.clone().into_iter().chain([many.clone()]).collect());
        assert_eq!(look(4)[&home.join(".cache/odd")], Closed::TooManyFiles, "of the checkout");
    }

    #[test]
    fn a_link_among_the_caches_of_the_person_opens_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().canonicalize().unwrap();
        for folder in [".cache/pip", ".cache/uv", ".ssh"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        symlink(home.join(".ssh"), home.join(".cache/x")).unwrap();
        symlink("uv", home.join(".cache/y")).unwrap();
        symlink("pip", home.join(".cache/z")).unwrap();
        assert_eq!(of_home(&home), [home.join(".cache/pip")]);
        // One that leads to an open cache is still found by tools.
        let mut writable = Writable::default();
        writable.add(&home.join(".cache/pip"));
        let folder = home.join("caches");
        lay_out(&home, &folder, &writable).unwrap();
        assert!(folder.join("common/z").is_dir());
        assert!(!folder.join("common/x").exists() && !folder.join("common/y").exists());
    }

    #[test]
    fn r173_a_cache_that_is_linked_from_is_never_open_and_another_takes_its_place() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let home = root.join("home");
        for folder in [".cache/uv", ".cache/pip", ".bun/install/cache", ".local/share/pnpm/store"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        assert_eq!(of_home(&home), [home.join(".cache/pip")]);
        let mut writable = Writable::default();
        writable.add(&home.join(".cache/pip"));
        let folder = root.join("caches");
        let variables = lay_out(&home, &folder, &writable).unwrap();
        let names = ["BUN_INSTALL_CACHE_DIR", "PNPM_HOME", "XDG_CACHE_HOME", "npm_config_cache"];
        assert_eq!(variables.keys().collect::<Vec<_>>(), names);
        assert_eq!(fs::read_link(folder.join("common/pip")).unwrap(), home.join(".cache/pip"));
        assert!(!folder.join("common/uv").exists());
        // One that is closed by now, or gone, is not in the way of a new one. What agents made is left alone.
        fs::create_dir(home.join(".cache/later")).unwrap();
        for name in ["uv", "gone"] {
            symlink(home.join(".cache").join(name), folder.join("common").join(name)).unwrap();
        }
        symlink(home.join(".cache/uv"), folder.join("common/own")).unwrap();
        fs::create_dir(folder.join("common/later")).unwrap();
        writable.add(&home.join(".cache/later"));
        lay_out(&home, &folder, &writable).unwrap();
        let mut left: Vec<_> =
            fs::read_dir(folder.join("common")).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["later", "own", "pip"]);
        assert!(folder.join("common/later").symlink_metadata().unwrap().is_dir());
        // What the person opens stays where it is.
        writable.add(&home.join(".bun/install/cache"));
        fs::create_dir(home.join(".npm")).unwrap();
        writable.add(&home.join(".npm"));
        let variables = lay_out(&home, &folder, &writable).unwrap();
        assert_eq!(variables.keys().collect::<Vec<_>>(), ["PNPM_HOME", "XDG_CACHE_HOME"]);
    }
}
