//! Paths of bytes below the checkout, taken apart and put together.

/// The path of the folder that something is in, and its name there.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}

pub(super) fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    if !folder.is_empty() {
        path.extend_from_slice(folder);
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}
