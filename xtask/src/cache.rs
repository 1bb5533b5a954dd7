//! Where things are kept between runs that are not part of the sources: tools, peers, big repositories.

use crate::Trouble;
use std::path::PathBuf;

/// A folder of that name below the person's cache, made if need be; never inside the sources.
pub fn folder(name: &str) -> Result<PathBuf, Trouble> {
    let absolute =
        |variable| std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir);
    let folder = cache.join("tollgate-xtask").join(name);
    std::fs::create_dir_all(&folder).map_err(|e| {
        format!(
            "could not make {}: {e}; set XDG_CACHE_HOME to a folder you can write",
            folder.display()
        )
    })?;
    Ok(folder)
}
