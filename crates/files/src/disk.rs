//! How much of the disk a folder takes.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

const BLOCK_BYTES: u64 = 512;

/// What is at or below a path takes so many bytes. What cannot be looked at counts as nothing; links are not followed.
pub fn disk_use(path: &Path) -> u64 {
    let Ok(found) = path.symlink_metadata() else { return 0 };
    let own = found.blocks().saturating_mul(BLOCK_BYTES);
    if !found.is_dir() {
        return own;
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| disk_use(&entry.path())).fold(own, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::disk_use;

    #[test]
    fn a_folder_counts_with_all_below_it_and_a_link_leads_nowhere() {
        let temp = tempfile::tempdir().unwrap();
        let (small, large) = (temp.path().join("small"), temp.path().join("large"));
        for folder in [&small, &large] {
            std::fs::create_dir(folder).unwrap();
        }
        std::fs::write(large.join("file"), vec![7; 300_000]).unwrap();
        std::os::unix::fs::symlink(&large, small.join("link")).unwrap();
        assert!(disk_use(&large) >= 300_000);
        assert!(disk_use(&small) < 100_000);
        assert_eq!(disk_use(&temp.path().join("nothing")), 0);
    }
}
