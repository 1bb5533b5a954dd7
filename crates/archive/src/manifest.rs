//! What an archive says of itself.

use serde::{Deserialize, Serialize};
use tollgate_core::id::{CommitId, ContentHash, SessionName};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub format: u32,
    /// The version that wrote it.
    pub tollgate: String,
    pub session: SessionName,
    pub chain: Chain,
    /// None where nothing is accepted yet.
    pub commits: Option<Commits>,
    /// Everything but the manifest and its hash, in the order in which it comes.
    pub entries: Vec<Entry>,
    pub left_out: Vec<LeftOut>,
}

/// How far the journal is, as an anchor notes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    pub records: u64,
    pub last_hash: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commits {
    pub branch: String,
    pub tip: CommitId,
    /// Who takes the commits over must have these.
    pub needs: Vec<CommitId>,
    /// All that are in the bundle; none where it was left out.
    pub holds: Vec<CommitId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub path: String,
    pub bytes: u64,
    pub sha256: ContentHash,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    pub path: String,
    pub why: String,
}

impl Manifest {
    /// It stands for every file of the archive, since the manifest has the hash of each.
    pub fn sha256(&self) -> ContentHash {
        tollgate_files::hash_bytes(&self.bytes())
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("a manifest is plain data");
        bytes.push(b'\n');
        bytes
    }
}

/// The line that `sha256sum --check` reads.
pub(crate) fn sum_line(manifest: &[u8]) -> Vec<u8> {
    let hash = tollgate_files::hash_bytes(manifest);
    format!("{}  {}\n", hash.as_str(), crate::MANIFEST).into_bytes()
}
