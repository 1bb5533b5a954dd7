//! The commits of a session as a git bundle, and whether such a file holds what it should.

use crate::{ENTRY_BYTES_MAX, TOTAL_BYTES_MAX};
use flate2::bufread::ZlibDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use tollgate_core::id::CommitId;
use tollgate_git::GitError;
use tollgate_git::repository::{ObjectFormat, objects_in};

/// More is no session's.
const OBJECTS_MAX: u32 = 5_000_000;
const HEAD_BYTES_MAX: u64 = 1 << 20;

/// Commit, tree and blob; what is left as a difference has no size before it is put together.
const WHOLE_OBJECTS: [u8; 3] = [1, 2, 3];

/// What stands before the pack.
pub(crate) fn head(branch: &str, tip: &CommitId, needs: &[CommitId]) -> Vec<u8> {
    let begin = match format_of(tip) {
        ObjectFormat::Sha1 => "# v2 git bundle\n",
        ObjectFormat::Sha256 => "# v3 git bundle\n@object-format=sha256\n",
    };
    let needs: String = needs.iter().map(|commit| format!("-{commit}\n")).collect();
    format!("{begin}{needs}{tip} refs/heads/{branch}\n\n").into_bytes()
}

/// How the names of a repository are made, by one of them.
pub(crate) fn format_of(commit: &CommitId) -> ObjectFormat {
    if commit.as_str().len() == 64 { ObjectFormat::Sha256 } else { ObjectFormat::Sha1 }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum BundleError {
    #[error("{0}")]
    Bad(String),
    /// Nobody is to blame for it but the machine that reads.
    #[error("{0}")]
    NotLookedInto(String),
}

fn bad(why: impl Into<String>) -> BundleError {
    BundleError::Bad(why.into())
}

fn io(error: io::Error) -> BundleError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            bad(format!("its pack is broken: {error}"))
        }
        _ => BundleError::NotLookedInto(error.to_string()),
    }
}

/// The commits in a bundle that must begin with this head. Its pack is put beside it.
pub(crate) fn commits_in(
    bundle: &Path,
    head: &[u8],
    format: ObjectFormat,
) -> Result<Vec<String>, BundleError> {
    let mut reader = BufReader::new(File::open(bundle).map_err(io)?);
    let mut found = Vec::new();
    (&mut reader)
        .take((head.len() as u64).min(HEAD_BYTES_MAX))
        .read_to_end(&mut found)
        .map_err(io)?;
    if found != head {
        return Err(bad("it is not of the commits that the manifest names"));
    }
    let pack = bundle.with_extension("pack");
    let mut out = File::create_new(&pack).map_err(io)?;
    io::copy(&mut reader, &mut out).and_then(|_| out.flush()).map_err(io)?;
    expect_small(&mut BufReader::new(File::open(&pack).map_err(io)?))?;
    let objects = objects_in(&pack, format).map_err(|error| match error {
        GitError::Failed { .. } | GitError::Unexpected { .. } => bad(error.to_string()),
        other => BundleError::NotLookedInto(other.to_string()),
    })?;
    Ok(objects.into_iter().filter(|object| object.is_commit).map(|object| object.name).collect())
}

/// Every object of a pack is whole and of a reasonable size, so that git does not fill the machine with it.
fn expect_small(pack: &mut impl BufRead) -> Result<(), BundleError> {
    let mut begin = [0; 12];
    pack.read_exact(&mut begin).map_err(io)?;
    let (sign, count) = begin.split_at(8);
    let count = u32::from_be_bytes([count[0], count[1], count[2], count[3]]);
    if sign != b"PACK\0\0\0\x02" || count > OBJECTS_MAX {
        return Err(bad("it has no pack that `tollgate export` writes"));
    }
    let mut total = 0_u64;
    for _ in 0..count {
        let (kind, size) = object_head(pack)?;
        total = total.saturating_add(size);
        if !WHOLE_OBJECTS.contains(&kind) || size > ENTRY_BYTES_MAX || total > TOTAL_BYTES_MAX {
            return Err(bad(
                "an object of its pack is larger or of another kind than an export writes",
            ));
        }
        let mut content = ZlibDecoder::new(&mut *pack).take(size + 1);
        if io::copy(&mut content, &mut io::sink()).map_err(io)? != size {
            return Err(bad("an object of its pack does not have the size that it says"));
        }
        // To the end of what is compressed, where its sum is.
        if content.into_inner().read(&mut [0]).map_err(io)? != 0 {
            return Err(bad("an object of its pack does not have the size that it says"));
        }
    }
    Ok(())
}

/// Kind and size: seven bits a byte, of the first only four.
fn object_head(pack: &mut impl Read) -> Result<(u8, u64), BundleError> {
    let mut next = || {
        let mut byte = [0];
        pack.read_exact(&mut byte).map_err(io).map(|()| byte[0])
    };
    let mut byte = next()?;
    let (kind, mut size, mut shift) = ((byte >> 4) & 7, u64::from(byte & 15), 4);
    while byte & 0x80 != 0 {
        if shift > 50 {
            return Err(bad("an object of its pack is larger than any"));
        }
        byte = next()?;
        size |= u64::from(byte & 0x7f) << shift;
        shift += 7;
    }
    Ok((kind, size))
}
