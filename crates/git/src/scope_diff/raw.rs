//! Reads `git diff --raw -z` to the byte, and blobs from `git cat-file --batch`.

use crate::program::GitError;
use tollgate_core::work::ChangeType;

/// Arguments that go with this reader. What is in a submodule is not looked at, only which commit it is at.
pub const DIFF_ARGS: [&str; 8] = [
    "--raw",
    "-z",
    "--no-abbrev",
    "-M",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--ignore-submodules=dirty",
];

/// Modes as git writes them.
const LINK: u32 = 0o120_000;
const COMMIT: u32 = 0o160_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawRecord {
    pub path: Vec<u8>,
    pub change_type: ChangeType,
    pub old_path: Option<Vec<u8>>,
    /// What it was and what it is now.
    modes: [u32; 2],
    /// Its object now; zeros where only the working tree has it.
    pub object: String,
}

impl RawRecord {
    pub fn is_link(&self) -> bool {
        self.modes[1] == LINK
    }

    pub fn is_repository(&self) -> bool {
        self.modes.contains(&COMMIT)
    }
}

pub fn read(output: &[u8]) -> Result<Vec<RawRecord>, GitError> {
    let mut fields = output.split(|byte| *byte == 0);
    let mut records = Vec::new();
    while let Some(head) = fields.next().filter(|head| !head.is_empty()) {
        let record = record(head, &mut fields).ok_or_else(|| unexpected("git diff --raw", head))?;
        records.push(record);
    }
    Ok(records)
}

/// `:100644 100755 <id> <id> M`, then one name, or two for a rename.
fn record<'a>(head: &[u8], fields: &mut impl Iterator<Item = &'a [u8]>) -> Option<RawRecord> {
    let head = std::str::from_utf8(head.strip_prefix(b":")?).ok()?;
    let parts: Vec<&str> = head.split(' ').collect();
    let [old_mode, new_mode, _, object, status] = parts[..] else { return None };
    let first = fields.next().filter(|name| !name.is_empty())?.to_vec();
    let (path, old_path, change_type) = match status.as_bytes().first()? {
        b'R' => (fields.next()?.to_vec(), Some(first), ChangeType::Renamed),
        b'C' => (fields.next()?.to_vec(), None, ChangeType::Added),
        b'A' => (first, None, ChangeType::Added),
        b'D' => (first, None, ChangeType::Deleted),
        _ => (first, None, ChangeType::Modified),
    };
    let mode = |text: &str| u32::from_str_radix(text, 8).ok();
    let modes = [mode(old_mode)?, mode(new_mode)?];
    Some(RawRecord { path, change_type, old_path, modes, object: object.to_owned() })
}

/// The contents of so many objects, of which only the sizes stand before them.
pub fn read_batch(output: &[u8], count: usize) -> Result<Vec<&[u8]>, GitError> {
    let mut rest = output;
    let mut contents = Vec::with_capacity(count);
    for _ in 0..count {
        let (content, after) = one_content(rest).ok_or_else(|| {
            let shown = &rest[..rest.len().min(80)];
            unexpected("git cat-file --batch", shown)
        })?;
        contents.push(content);
        rest = after;
    }
    Ok(contents)
}

/// The content of a file, as `cat-file` gives it after its type and size; none where there is no file.
pub fn read_blob(output: &[u8]) -> Option<Vec<u8>> {
    let sized = output.strip_prefix(b"blob ")?;
    one_content(sized).map(|(content, _)| content.to_vec())
}

fn one_content(output: &[u8]) -> Option<(&[u8], &[u8])> {
    let line_end = output.iter().position(|byte| *byte == b'\n')?;
    let size: usize = std::str::from_utf8(&output[..line_end]).ok()?.parse().ok()?;
    let (content, after) = output[line_end + 1..].split_at_checked(size)?;
    Some((content, after.strip_prefix(b"\n")?))
}

fn unexpected(command: &str, answer: &[u8]) -> GitError {
    let detail = format!("{:?}", String::from_utf8_lossy(answer));
    GitError::Unexpected { command: command.to_owned(), detail }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    #[test]
    fn records_are_read_to_the_byte() {
        let id = "0".repeat(40);
        let mut output = format!(":100644 120000 {id} {id} T\0a b\n\0").into_bytes();
        output.extend(format!(":100644 100644 {id} {id} R087\0old\0new\0").bytes());
        output.extend(format!(":160000 000000 {id} {id} D\0").bytes());
        output.extend(b"\xff\0");
        let records = read(&output).unwrap();
        let names: Vec<&[u8]> = records.iter().map(|record| record.path.as_slice()).collect();
        assert_eq!(names, [b"a b\n".as_slice(), b"new", b"\xff"]);
        assert!(records[0].is_link());
        assert_eq!(records[1].old_path.as_deref(), Some(b"old".as_slice()));
        assert_eq!(records[2].change_type, ChangeType::Deleted);
        assert!(records[2].is_repository() && !records[1].is_repository());
    }

    #[test]
    fn interrupted_input_is_not_an_answer() {
        let id = "0".repeat(40);
        for output in [
            ":100644".to_owned(),
            format!(":100644 100644 {id} {id} M\0"),
            format!(":100644 100644 {id} {id} R100\0old"),
        ] {
            assert!(read(output.as_bytes()).is_err(), "{output:?}");
        }
        assert_eq!(read_batch(b"3\na\nb\n0\n\n", 2).unwrap(), [b"a\nb".as_slice(), b""]);
        assert!(read_batch(b"5\na\n", 1).is_err());
    }
}
