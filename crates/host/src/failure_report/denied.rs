//! What the sandbox seems to have refused an agent. The kernel does not tell us, but programs say it: a hint for people, and
//! never a reason for anything.

use crate::sandbox::real;
use rustix::fs::{Access, access};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tollgate_files as files;
use tollgate_files::layout::RunFolder;
use tollgate_process as process;

/// How much of the end of an output is looked through.
const LOOKED_AT_BYTES: usize = 256 * 1024;

/// How programs say that they may not, in small letters.
const REFUSALS: [&str; 3] =
    ["permission denied", "operation not permitted", "read-only file system"];

/// A path that an attempt was refused, which its sandbox closes and the person could write.
pub(super) fn path(folder: &RunFolder) -> Option<String> {
    let open = process::spec_of(folder.folder()).ok()??.sandbox?.writable;
    let is_closed = |path: &Path| {
        let path = real(path);
        !open.iter().any(|place| path.starts_with(place)) && may_be_written(&path)
    };
    // What cannot be read any more gives no hint.
    let said = |log: PathBuf| files::read_tail(&log, LOOKED_AT_BYTES).unwrap_or_default();
    let found = in_text(&said(folder.stderr()), &is_closed);
    found.or_else(|| in_text(&said(folder.stdout()), &is_closed))
}

/// By this process, which is in no sandbox.
fn may_be_written(path: &Path) -> bool {
    let there = path.ancestors().find(|path| path.symlink_metadata().is_ok());
    there.is_some_and(|path| access(path, Access::WRITE_OK).is_ok())
}

/// The last one of a text. Lines of JSON, as agents write them, are read for the texts in them.
fn in_text(text: &str, is_closed: &impl Fn(&Path) -> bool) -> Option<String> {
    text.lines().rev().find_map(|line| match serde_json::from_str(line) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => in_value(&value, is_closed),
        _ => in_line(line, is_closed),
    })
}

fn in_value(value: &Value, is_closed: &impl Fn(&Path) -> bool) -> Option<String> {
    match value {
        Value::String(text) => text.lines().rev().find_map(|line| in_line(line, is_closed)),
        Value::Array(items) => items.iter().rev().find_map(|item| in_value(item, is_closed)),
        Value::Object(fields) => fields.values().find_map(|field| in_value(field, is_closed)),
        _ => None,
    }
}

/// `/x: Permission denied`, or `EACCES: permission denied, open '/x'`.
fn in_line(line: &str, is_closed: &impl Fn(&Path) -> bool) -> Option<String> {
    let small = line.to_ascii_lowercase();
    let at = REFUSALS.iter().find_map(|words| small.find(words))?;
    let (before, after) = line.split_at(at);
    let found = paths(before).last().or_else(|| paths(after).next());
    found.filter(|path| is_closed(Path::new(path))).map(str::to_owned)
}

fn paths(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split([' ', '\t', '"', '\'', '`', '(', ')', ',', '=', '‘', '’']);
    let words = words.map(|word| word.trim_end_matches([':', ';', '.']));
    words.filter(|word| word.len() > 1 && word.starts_with('/') && !word.starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::in_text;
    use std::path::Path;

    fn found(text: &str) -> Option<String> {
        in_text(text, &|path: &Path| path.starts_with("/closed"))
    }

    #[test]
    fn r187_a_refusal_is_found_in_the_words_of_common_programs() {
        for said in [
            "sh: 1: cannot create /closed/a: Permission denied",
            "touch: cannot touch '/closed/a': Read-only file system",
            "rm: cannot remove ‘/closed/a’: Operation not permitted",
            "Error: EACCES: permission denied, open '/closed/a'",
            "EPERM: operation not permitted, unlink '/closed/a'",
            "EROFS: read-only file system, mkdir '/closed/a'",
            "PermissionError: [Errno 13] Permission denied: '/closed/a'",
            "open /closed/a: permission denied",
            r#"{"agent":{"type":"tool_result","is_error":true,"content":"first\nopen /closed/a: permission denied\n"}}"#,
            r#"{"agent":{"part":[{"error":"EACCES: permission denied, open '/closed/a'"}]}}"#,
        ] {
            assert_eq!(found(said).as_deref(), Some("/closed/a"), "{said}");
        }
    }

    #[test]
    fn r187_what_is_open_or_has_no_path_is_no_refusal_of_the_sandbox() {
        for said in [
            "cannot create /open/a: Permission denied",
            "Permission denied (publickey)",
            "wrote /closed/a",
            r#"{"what":"/closed/a","why":"fetch https://x/y: permission denied"}"#,
        ] {
            assert_eq!(found(said), None, "{said}");
        }
    }
}
