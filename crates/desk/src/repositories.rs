//! The repositories that have sessions, each with a short id that stands for its path.

use super::Desk;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tollgate_files::hash_bytes;
use tollgate_files::layout::Layout;
use tollgate_files::sanitize::visible_name;
use tollgate_host::sessions;

/// So much of a hash tells two repositories of one name apart.
const HASH_CHARS: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    /// Fit for an address: letters, digits and dashes.
    pub id: String,
    /// The name of its folder, fit to be shown.
    pub name: String,
    pub root: PathBuf,
}

impl Repo {
    pub fn at(root: &Path) -> Self {
        use std::os::unix::ffi::OsStrExt;
        let name = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy();
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
        let plain: String = name.chars().filter(is_plain).take(40).collect();
        let hash = hash_bytes(root.as_os_str().as_bytes());
        let hash: String = hash.as_str().chars().take(HASH_CHARS).collect();
        Self {
            id: format!("{plain}-{hash}"),
            name: visible_name(&name).into_owned(),
            root: root.to_owned(),
        }
    }

    pub fn layout(&self) -> Layout {
        Layout::new(&self.root)
    }
}

impl Desk {
    /// All of them, the one where the surface was started first.
    pub fn repositories(&self) -> Vec<Repo> {
        let noted = self.state.as_deref().map(sessions::repositories).unwrap_or_default();
        let mut found: BTreeMap<PathBuf, Repo> =
            noted.into_iter().map(|root| (root.clone(), Repo::at(&root))).collect();
        let here = self.here.as_ref().map(|root| Repo::at(root));
        if let Some(here) = &here {
            found.remove(&here.root);
        }
        here.into_iter().chain(found.into_values()).collect()
    }
}
