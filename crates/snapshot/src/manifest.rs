//! `manifest.json`: every path of a snapshot with kind, mode, size and SHA-256, one a line. Of two snapshots of an unchanged
//! tree it is the same file, so nothing in it tells one from the other.

use super::coverage::SnapshotScope;
use super::entry::{Hash, LeftOut, SnapshotEntry, SnapshotEntryKind, Why};
use super::scan::SortedTree;
use serde::Deserialize;
use tollgate_files::is_inside;

const VERSION: u32 = 1;

/// What a snapshot holds.
#[derive(Debug)]
pub(super) struct Manifest {
    pub scope: SnapshotScope,
    pub listing: SortedTree,
}

pub(super) fn write(scope: &SnapshotScope, listing: &SortedTree) -> Vec<u8> {
    let mut text = String::with_capacity(listing.entries.len() * 170 + 200);
    let scope = serde_json::to_string(scope).expect("a scope is text and a flag");
    text.push_str(&format!("{{\"version\":{VERSION},\"scope\":{scope},\"files\":["));
    for (index, entry) in listing.entries.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        push_entry(&mut text, entry);
    }
    text.push_str("\n],\"left_out\":[");
    for (index, left_out) in listing.left_out.iter().enumerate() {
        text.push_str(if index == 0 { "\n{" } else { ",\n{" });
        push_bytes(&mut text, "path", &left_out.path);
        text.push_str(&format!(",\"why\":\"{}\"}}", left_out.why.as_str()));
    }
    text.push_str("\n]}\n");
    text.into_bytes()
}

fn push_entry(text: &mut String, entry: &SnapshotEntry) {
    text.push('{');
    push_bytes(text, "path", &entry.path);
    match &entry.kind {
        SnapshotEntryKind::File { size, hash } => {
            text.push_str(",\"kind\":\"file\",\"mode\":\"");
            push_mode(text, entry.mode);
            text.push_str("\",\"size\":");
            text.push_str(&size.to_string());
            text.push_str(",\"sha256\":\"");
            hash.push_hex(text);
            text.push('"');
        }
        SnapshotEntryKind::Symlink { target } => {
            text.push_str(",\"kind\":\"symlink\",");
            push_bytes(text, "target", target);
        }
        SnapshotEntryKind::Dir => {
            text.push_str(",\"kind\":\"dir\",\"mode\":\"");
            push_mode(text, entry.mode);
            text.push('"');
        }
    }
    text.push('}');
}

fn push_mode(text: &mut String, mode: u32) {
    for shift in [9, 6, 3, 0] {
        text.push(char::from_digit(mode >> shift & 7, 8).unwrap_or('0'));
    }
}

/// Names need not be UTF-8: those that are not stand as hex digits under a name of their own, `path_hex`.
fn push_bytes(text: &mut String, key: &str, bytes: &[u8]) {
    text.push('"');
    text.push_str(key);
    match std::str::from_utf8(bytes) {
        Ok(plain) if plain.bytes().all(|b| b >= 0x20 && b != b'"' && b != b'\\') => {
            text.push_str("\":\"");
            text.push_str(plain);
            text.push('"');
        }
        Ok(other) => {
            text.push_str("\":");
            text.push_str(&serde_json::to_string(other).expect("text can be written as JSON"));
        }
        Err(_) => {
            text.push_str("_hex\":\"");
            bytes.iter().for_each(|byte| text.push_str(&format!("{byte:02x}")));
            text.push('"');
        }
    }
}

#[derive(Deserialize)]
struct Wire {
    version: u32,
    scope: SnapshotScope,
    files: Vec<WireEntry>,
    left_out: Vec<WireLeftOut>,
}

#[derive(Deserialize)]
struct WireEntry {
    path: Option<String>,
    path_hex: Option<String>,
    kind: WireKind,
    mode: Option<String>,
    size: Option<u64>,
    sha256: Option<String>,
    target: Option<String>,
    target_hex: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum WireKind {
    File,
    Symlink,
    Dir,
}

#[derive(Deserialize)]
struct WireLeftOut {
    path: Option<String>,
    path_hex: Option<String>,
    why: String,
}

/// Fails in words. What a restore would not be safe with, such as a path that leads out of the checkout, is refused here.
pub(super) fn read(bytes: &[u8]) -> Result<Manifest, String> {
    let wire: Wire = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if wire.version != VERSION {
        return Err(format!(
            "it has version {}; this program reads version {VERSION}",
            wire.version
        ));
    }
    let entries = wire.files.into_iter().map(entry).collect::<Result<Vec<_>, _>>()?;
    let left_out = wire.left_out.into_iter().map(left_out).collect::<Result<_, _>>()?;
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].path >= pair[1].path) {
        return Err(format!("{:?} is out of order", shown(&pair[1].path)));
    }
    Ok(Manifest { scope: wire.scope, listing: SortedTree { entries, left_out } })
}

fn entry(wire: WireEntry) -> Result<SnapshotEntry, String> {
    let path = inside(bytes(wire.path, wire.path_hex))?;
    let lacks = |what: &str| format!("{:?} has no {what}", shown(&path));
    let mode = wire.mode.as_deref().and_then(|mode| u32::from_str_radix(mode, 8).ok());
    let kind = match wire.kind {
        WireKind::Dir => SnapshotEntryKind::Dir,
        WireKind::Symlink => SnapshotEntryKind::Symlink {
            target: bytes(wire.target, wire.target_hex).ok_or_else(|| lacks("target"))?,
        },
        WireKind::File => SnapshotEntryKind::File {
            size: wire.size.ok_or_else(|| lacks("size"))?,
            hash: wire
                .sha256
                .and_then(|hex| Hash::from_hex(hex.as_bytes()))
                .ok_or_else(|| lacks("sha256"))?,
        },
    };
    let mode = match kind {
        SnapshotEntryKind::Symlink { .. } => 0o777,
        _ => mode.filter(|mode| *mode <= 0o7777).ok_or_else(|| lacks("mode"))?,
    };
    Ok(SnapshotEntry { path, mode, kind, stamp: None })
}

fn left_out(wire: WireLeftOut) -> Result<LeftOut, String> {
    let path = inside(bytes(wire.path, wire.path_hex))?;
    let why = Why::ALL.into_iter().find(|why| why.as_str() == wire.why);
    Ok(LeftOut { path, why: why.ok_or_else(|| format!("{:?} is not a known reason", wire.why))? })
}

fn inside(path: Option<Vec<u8>>) -> Result<Vec<u8>, String> {
    let path = path.ok_or("an entry has no path")?;
    let top = path.split(|byte| *byte == b'/').next().unwrap_or_default();
    if !is_inside(&path) || super::coverage::is_never(top) {
        return Err(format!("{:?} is not a path that a snapshot may contain", shown(&path)));
    }
    Ok(path)
}

fn bytes(text: Option<String>, hex: Option<String>) -> Option<Vec<u8>> {
    match (text, hex) {
        (Some(text), None) => Some(text.into_bytes()),
        (None, Some(hex)) if hex.len() % 2 == 0 && hex.is_ascii() => {
            let pairs = (0..hex.len()).step_by(2).map(|at| &hex[at..at + 2]);
            pairs.map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
        }
        _ => None,
    }
}

fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// The hashes of a manifest without reading the rest: a quotation mark in a path is escaped, so no path looks like this.
pub(super) fn hashes(bytes: &[u8]) -> impl Iterator<Item = Hash> {
    const MARK: &[u8] = b",\"sha256\":\"";
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| {
        let line = line.strip_suffix(b",").unwrap_or(line).strip_suffix(b"\"}")?;
        let (rest, hex) = line.split_at_checked(line.len().checked_sub(64)?)?;
        rest.ends_with(MARK).then(|| Hash::from_hex(hex)).flatten()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    fn listing() -> SortedTree {
        let file = |path: &[u8], byte| SnapshotEntry {
            path: path.to_vec(),
            mode: 0o4755,
            kind: SnapshotEntryKind::File { size: 7, hash: Hash([byte; 32]) },
            stamp: None,
        };
        let target = b"\xff\n,\"sha256\":\"".to_vec();
        let mut entries = vec![
            file(b"a", 1),
            file(b"b \"quoted\"\n\t\x7f", 2),
            file(b"c\xff\xfe/x", 3),
            file(",\"sha256\":\"Gr\u{fc}\u{df}e".as_bytes(), 4),
            SnapshotEntry {
                path: b"d".to_vec(),
                mode: 0o555,
                kind: SnapshotEntryKind::Dir,
                stamp: None,
            },
            SnapshotEntry {
                path: b"l".to_vec(),
                mode: 0o777,
                kind: SnapshotEntryKind::Symlink { target },
                stamp: None,
            },
        ];
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let left_out = vec![LeftOut { path: b"pipe\xff".to_vec(), why: Why::Special }];
        SortedTree { entries, left_out }
    }

    #[test]
    fn any_name_comes_back_as_it_was() {
        let written = write(&SnapshotScope::whole(), &listing());
        let value: serde_json::Value = serde_json::from_slice(&written).unwrap();
        assert_eq!(value["files"][1]["mode"], "4755");
        let back = read(&written).unwrap();
        assert_eq!(write(&back.scope, &back.listing), written);
        for (was, is) in listing().entries.iter().zip(&back.listing.entries) {
            assert_eq!((&was.path, was.mode, &was.kind), (&is.path, is.mode, &is.kind));
        }
        let mut found: Vec<Hash> = hashes(&written).collect();
        found.sort();
        assert_eq!(found, [1, 2, 3, 4].map(|byte| Hash([byte; 32])));
    }

    #[test]
    fn a_path_that_leads_elsewhere_is_refused() {
        for path in ["../x", "/etc/passwd", "a/../../x", "", "a//b", ".git/config", ".snapshots/x"]
        {
            let mut listing = listing();
            listing.entries.truncate(1);
            listing.entries[0].path = path.as_bytes().to_vec();
            assert!(read(&write(&SnapshotScope::whole(), &listing)).is_err(), "{path}");
        }
    }
}
