//! What an attempt was given to work with, as the host found it when the attempt was prepared.

use crate::id::ContentHash;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenFiles {
    pub role_file: RoleText,
    /// What its input names to be read, from the repository's root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What it must leave behind, from the repository's root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
}

/// The text that told the role what it is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RoleText {
    /// From the repository's root, or `built-in NAME`.
    pub path: String,
    pub sha256: ContentHash,
}
