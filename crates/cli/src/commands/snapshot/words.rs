//! A plan in words and as JSON, sizes and paths as people read them.

use serde_json::{Value, json};
use tollgate_snapshot::{RestorePlan, SnapshotDetails};

/// `3 files`, `1 file`.
pub fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// The counts, and of the paths as many as asked for.
pub fn plan(plan: &RestorePlan, paths_max: usize) -> String {
    if plan.is_empty() {
        return "nothing has changed since".to_owned();
    }
    let mut lines = vec![summary(plan)];
    let lists = [
        ("revert", &plan.revert, ""),
        ("create", &plan.create, ""),
        ("delete", &plan.delete, ""),
        ("mode", &plan.mode, ""),
        ("create", &plan.folders_create, "/"),
        ("delete", &plan.folders_delete, "/"),
        ("mode", &plan.folders_mode, "/"),
    ];
    let all = lists.iter().flat_map(|(verb, paths, end)| {
        paths.iter().map(move |bytes| format!("  {verb:<10}  {}{end}", path(bytes)))
    });
    let total: usize = lists.iter().map(|(_, paths, _)| paths.len()).sum();
    lines.extend(all.take(paths_max));
    if total > paths_max {
        lines.push(format!("  and {} more; `tollgate snapshot show` names all", total - paths_max));
    }
    lines.join("\n")
}

fn summary(plan: &RestorePlan) -> String {
    let mut text = format!(
        "this will revert {}, create {} and delete {}",
        count(plan.revert.len(), "file"),
        plan.create.len(),
        plan.delete.len()
    );
    if !plan.mode.is_empty() {
        text.push_str(&format!("; the mode of {} is restored", count(plan.mode.len(), "file")));
    }
    let folders = plan.folders_create.len() + plan.folders_delete.len() + plan.folders_mode.len();
    if folders > 0 {
        text.push_str(&format!("; {} change", count(folders, "folder")));
    }
    text
}

/// Bytes that are no text are replaced; the manifest has them as they are.
pub fn plan_json(shown: &SnapshotDetails) -> Value {
    let SnapshotDetails { snapshot, plan, left_out } = shown;
    let paths = |list: &[Vec<u8>]| -> Vec<String> {
        list.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect()
    };
    let left_out: Vec<Value> = left_out
        .iter()
        .map(|left| json!({"path": String::from_utf8_lossy(&left.path), "why": left.why.as_str()}))
        .collect();
    json!({
        "id": snapshot.id.as_str(),
        "action": snapshot.action,
        "taken_at": snapshot.taken_at,
        "files": snapshot.files,
        "bytes": snapshot.bytes,
        "revert": paths(&plan.revert),
        "create": paths(&plan.create),
        "delete": paths(&plan.delete),
        "mode": paths(&plan.mode),
        "folders": {
            "create": paths(&plan.folders_create),
            "delete": paths(&plan.folders_delete),
            "mode": paths(&plan.folders_mode),
        },
        "left_out": left_out,
    })
}

/// On one line, and so that no two look the same.
pub fn path(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(|c: char| c.is_control() || "\"\\".contains(c)) => {
            text.to_owned()
        }
        Ok(text) => format!("{text:?}"),
        Err(_) => format!("\"{}\"", bytes.escape_ascii()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::size;

    #[test]
    fn sizes_and_paths_are_easy_to_read() {
        assert_eq!(size(0), "0 B");
        assert_eq!(size(1023), "1023 B");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(5 * 1024 * 1024), "5.0 MiB");
        assert_eq!(path("Gr\u{fc}\u{df}e/a b".as_bytes()), "Gr\u{fc}\u{df}e/a b");
        assert_eq!(path(b"a\nb"), "\"a\\nb\"");
        assert_eq!(path(b"\xff\""), "\"\\xff\\\"\"");
    }

    #[test]
    fn a_long_plan_is_cut_and_says_so() {
        let plan = RestorePlan {
            delete: vec![b"a".to_vec(), b"b".to_vec(), b"c".to_vec()],
            ..RestorePlan::default()
        };
        let text = super::plan(&plan, 2);
        assert_eq!(
            text,
            "this will revert 0 files, create 0 and delete 3\n  delete      a\n  delete      b\n  \
             and 1 more; `tollgate snapshot show` names all"
        );
    }
}
