//! The form of an archive in blocks: one way to write each entry, so that a reader can compare block by block.

use tar::{EntryType, Header};

pub(crate) const BLOCK: usize = 512;
/// Longer names are nobody's.
pub(crate) const NAME_BYTES_MAX: u64 = 8_192;
/// Of an entry that holds the name of the next one.
const LONG_NAME: &str = "././@LongLink";
const NAME_FIELD: usize = 100;

/// Everything of an entry that stands before its content.
pub(crate) fn head(path: &str, bytes: u64, mtime: u64) -> Vec<u8> {
    let name = path.as_bytes();
    if name.len() < NAME_FIELD {
        return header(name, bytes, mtime, EntryType::Regular).as_bytes().to_vec();
    }
    let length = name.len() as u64 + 1;
    let long = header(LONG_NAME.as_bytes(), length, mtime, EntryType::GNULongName);
    let mut blocks = long.as_bytes().to_vec();
    blocks.extend_from_slice(name);
    blocks.resize(blocks.len() + padding(name.len() as u64), 0);
    if name.len().is_multiple_of(BLOCK) {
        // The zero that ends the name needs a block of its own.
        blocks.resize(blocks.len() + BLOCK, 0);
    }
    let short = &name[..NAME_FIELD - 1];
    blocks.extend_from_slice(header(short, bytes, mtime, EntryType::Regular).as_bytes());
    blocks
}

/// How many zeros follow a content of this length.
pub(crate) fn padding(bytes: u64) -> usize {
    let over = usize::try_from(bytes % BLOCK as u64).unwrap_or(0);
    if over == 0 { 0 } else { BLOCK - over }
}

fn header(name: &[u8], bytes: u64, mtime: u64, kind: EntryType) -> Header {
    let mut header = Header::new_gnu();
    header.as_old_mut().name[..name.len()].copy_from_slice(name);
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(mtime);
    header.set_size(bytes);
    header.set_cksum();
    header
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::{BLOCK, head, padding};
    use std::io::Read;

    /// Names of any length are read by every reader of tar.
    #[test]
    fn r194_a_name_of_any_length_is_read_back() {
        for length in [1, 99, 100, 101, 511, 512, 513, 1024, 4000] {
            let name = "n".repeat(length);
            let mut tape = head(&name, 3, 7);
            assert_eq!(tape.len() % BLOCK, 0, "{length}");
            tape.extend_from_slice(b"abc");
            tape.resize(tape.len() + padding(3) + 2 * BLOCK, 0);
            let mut archive = tar::Archive::new(tape.as_slice());
            let mut entries = archive.entries().unwrap();
            let mut entry = entries.next().unwrap().unwrap();
            assert_eq!(entry.path_bytes().as_ref(), name.as_bytes(), "{length}");
            let mut content = String::new();
            entry.read_to_string(&mut content).unwrap();
            assert_eq!((content.as_str(), entry.header().mtime().unwrap()), ("abc", 7));
            assert!(entries.next().is_none());
        }
    }
}
