//! Whether a folder is in a workspace: known by the files that lie around its tree.

use std::path::Path;

/// Names the session that a workspace belongs to.
pub(crate) const SESSION_FILE: &str = "session";

/// Whether a folder is the tree of a workspace, or in one. What is there, git's settings included, agents wrote.
pub(crate) fn is_in_workspace(folder: &Path) -> bool {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let is_tree = |at: &Path| {
        at.ends_with("tree")
            && at.with_file_name(SESSION_FILE).is_file()
            && at.with_file_name("shadow").join("HEAD").is_file()
    };
    folder.ancestors().any(is_tree)
}
