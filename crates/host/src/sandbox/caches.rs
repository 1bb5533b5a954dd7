//! Which caches of the person are open, and what takes the place of those that stay closed. Some tools put the very files of
//! their cache into a project, as hard links: whoever may write such a cache writes the projects of the person.

use super::Writable;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Caches and the locks of caches, below the home, where they are, so that builds need not fetch everything anew. No place
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

/// Linked from, with a variable of its own that says where it is, and the name of what takes its place.
const LINKED: [(&str, &str, &str); 2] = [
    (".local/share/pnpm", "PNPM_HOME", "pnpm"),
    (".bun/install/cache", "BUN_INSTALL_CACHE_DIR", "bun"),
];

/// Files looked at in the checkout, and in one cache. A look takes a second or two at most.
const FILES_MAX: usize = 400_000;

/// What could be open of a home.
pub(super) fn of_home(home: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.join(COMMON)).into_iter().flatten().flatten();
    let is_linked = |name: &Path| LINKED_IN_COMMON.iter().any(|linked| name.ends_with(linked));
    let common = entries.map(|entry| entry.path()).filter(|path| !is_linked(path));
    COPIED.iter().map(|path| home.join(path)).chain(common).filter(|path| path.exists()).collect()
}

/// Lays the caches of a workspace out in `folder`, for what is closed: the open ones of the person are linked there. The
/// variables that lead tools to it.
pub(super) fn lay_out(
    home: &Path,
    folder: &Path,
    writable: &Writable,
) -> io::Result<BTreeMap<String, String>> {
    let common = folder.join("common");
    fs::create_dir_all(&common)?;
    for entry in fs::read_dir(home.join(COMMON)).into_iter().flatten().flatten() {
        let link = common.join(entry.file_name());
        if writable.holds(&entry.path()) && link.symlink_metadata().is_err() {
            // An agent that was faster has made a cache of its own there.
            let _ = symlink(entry.path(), link);
        }
    }
    let own = LINKED.iter().filter(|(place, ..)| !writable.holds(&home.join(place)));
    let own = own.map(|(_, variable, name)| ((*variable).to_owned(), folder.join(name)));
    let variables = own.chain([(COMMON_VARIABLE.to_owned(), common)]);
    Ok(variables.map(|(name, path)| (name, path.display().to_string())).collect())
}

/// Those of `places` that share a file with the checkout. Each is looked at once: what the person installs later comes from
/// the caches that are known to be linked from.
pub(super) fn linked_with(checkout: &Path, places: &[PathBuf]) -> BTreeSet<PathBuf> {
    static KNOWN: Mutex<BTreeMap<(PathBuf, PathBuf), bool>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = |place: &PathBuf| (checkout.to_owned(), place.clone());
    let new: Vec<PathBuf> =
        places.iter().filter(|place| !known.contains_key(&key(place))).cloned().collect();
    let linked = if new.is_empty() { BTreeSet::new() } else { look_for_links(checkout, &new) };
    known.extend(new.iter().map(|place| (key(place), linked.contains(place))));
    places.iter().filter(|place| known.get(&key(place)) == Some(&true)).cloned().collect()
}

fn look_for_links(checkout: &Path, places: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut seen: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    let is_whole = each_file(checkout, &mut |file| {
        // How many names are yet to be found.
        *seen.entry((file.dev(), file.ino())).or_insert(file.nlink()) -= 1;
        true
    });
    seen.retain(|_, elsewhere| *elsewhere > 0);
    if is_whole.is_some() && seen.is_empty() {
        return BTreeSet::new();
    }
    let shares = |place: &&PathBuf| {
        // Where the checkout could not be looked through, whatever has another name somewhere may have it there.
        let is_elsewhere = |file: &fs::Metadata| {
            is_whole.is_none() || seen.contains_key(&(file.dev(), file.ino()))
        };
        each_file(place, &mut |file| !is_elsewhere(file)) != Some(true)
    };
    places.iter().filter(shares).cloned().collect()
}

/// Shows every file that has more than one name. False when it was enough before the end, none when there are too many.
fn each_file(folder: &Path, look: &mut dyn FnMut(&fs::Metadata) -> bool) -> Option<bool> {
    let mut folders = vec![folder.to_owned()];
    let mut left = FILES_MAX;
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
        assert_eq!(look_for_links(&checkout, &places), BTreeSet::new());
        fs::write(home.join(".cache/odd/deep/file"), "x").unwrap();
        let file = checkout.join("node_modules/a/file");
        fs::hard_link(home.join(".cache/odd/deep/file"), file).unwrap();
        let linked = BTreeSet::from([home.join(".cache/odd")]);
        assert_eq!(look_for_links(&checkout, &places), linked);
        assert_eq!(linked_with(&checkout, &places), linked);
        assert_eq!(linked_with(&checkout, &places), linked, "from what is known");
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
        let names = ["BUN_INSTALL_CACHE_DIR", "PNPM_HOME", "XDG_CACHE_HOME"];
        assert_eq!(variables.keys().collect::<Vec<_>>(), names);
        assert_eq!(fs::read_link(folder.join("common/pip")).unwrap(), home.join(".cache/pip"));
        assert!(!folder.join("common/uv").exists());
        // What the person opens stays where it is.
        writable.add(&home.join(".bun/install/cache"));
        assert!(!lay_out(&home, &folder, &writable).unwrap().contains_key("BUN_INSTALL_CACHE_DIR"));
    }
}
