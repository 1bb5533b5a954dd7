//! What only ignore rules of an agent hide. The rules that count are those of the accepted commit and the person's own;
//! a rule that nobody accepted would hide work from the commit while checks see it in the tree.

use super::plain::write;
use super::{Workspace, WorkspaceError};
use crate::program::default_excludes;
use crate::program::status::{PathState, StatusEntry, is_own};
use std::collections::BTreeSet;
use std::path::PathBuf;
use tollgate_files as files;

const IGNORE_FILE: &[u8] = b".gitignore";
/// The ignore rules of the accepted commit, all in one file of our git directory.
const ACCEPTED_RULES: &str = "accepted-rules";
/// An ignore file that is larger than this says more than that its folder is a cache.
const CACHE_RULES_MAX: u64 = 4_096;

impl Workspace {
    /// The files that are hidden for no other reason than an ignore file that is new or changed. Left out are caches,
    /// and, while every such ignore file shows as a change itself, folders that are hidden whole: `target/` and its
    /// like come with the rule that hides them.
    pub(super) fn hidden_by_agents(
        &self,
        entries: &[StatusEntry],
    ) -> Result<Vec<StatusEntry>, WorkspaceError> {
        let mut caches = Vec::new();
        let mut is_suspect = false;
        for entry in entries.iter().filter(|entry| is_ignore_file(&entry.path)) {
            match entry.state {
                PathState::Ignored { .. } if self.is_cache(folder_of(&entry.path))? => {
                    caches.push(folder_of(&entry.path));
                }
                // What is gone hides nothing.
                PathState::Tracked { unstaged: b'.' | b'D', .. } => {}
                _ => is_suspect = true,
            }
        }
        if !is_suspect {
            return Ok(Vec::new());
        }
        let tracked = self.git(["ls-files", "-z"]).run()?.stdout;
        let tracked: Vec<&[u8]> = records(&tracked).collect();
        let listed = self.unknown_to_accepted_rules(&tracked)?;
        let shown: BTreeSet<&[u8]> =
            entries.iter().filter(|entry| is_untracked(entry)).map(|e| e.path.as_slice()).collect();
        let is_hidden = |path: &&[u8]| {
            let name = name_of(path);
            !shown.contains(name) && !is_own(name) && !caches.iter().any(|at| is_below(name, at))
        };
        let mut hidden: Vec<&[u8]> = records(&listed).filter(is_hidden).collect();
        if !hidden.iter().any(|path| is_ignore_file(path)) {
            let whole = whole_folders(entries, &tracked);
            hidden.retain(|path| !whole.iter().any(|folder| is_below(name_of(path), folder)));
        }
        let entry = |path: &[u8]| StatusEntry {
            path: name_of(path).to_vec(),
            state: PathState::Untracked { is_folder: path.ends_with(b"/") },
        };
        Ok(hidden.into_iter().map(entry).collect())
    }

    /// What git ignores in the tree, by name; whole folders end with `/`.
    pub fn in_no_commit(&self) -> Result<Vec<String>, WorkspaceError> {
        let call = self.git(["ls-files", "--others", "--ignored", "--exclude-standard"]);
        let listed = self.listing(call.args(["--directory", "-z"]))?;
        let names = records(&listed).filter(|path| !is_own(name_of(path)));
        Ok(names.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    /// Everything untracked that the accepted rules do not hide, by name; repositories end with `/`.
    fn unknown_to_accepted_rules(&self, tracked: &[&[u8]]) -> Result<Vec<u8>, WorkspaceError> {
        let rules = self.shadow.join(ACCEPTED_RULES);
        write(&rules, &self.accepted_rules(tracked)?)?;
        let theirs = self.git(["config", "--type=path", "--get", "core.excludesfile"]);
        let theirs = match theirs.run_with(&[1])? {
            (output, 0) => Some(PathBuf::from(output.line())),
            _ => default_excludes(),
        };
        let theirs = theirs.filter(|path| path.is_file());
        // The later file wins, as in git.
        let files = theirs.into_iter().chain([self.shadow.join("info/exclude"), rules]);
        let call = files.fold(self.git(["ls-files", "--others", "-z"]), |call, file| {
            call.arg("--exclude-from").arg(file)
        });
        self.listing(call)
    }

    /// Those of every folder, each bound to its folder; the rules of deeper folders come later and so win.
    fn accepted_rules(&self, tracked: &[&[u8]]) -> Result<Vec<u8>, WorkspaceError> {
        let text = |path: &&[u8]| String::from_utf8(path.to_vec()).ok();
        let mut paths: Vec<String> =
            tracked.iter().filter(|path| is_ignore_file(path)).filter_map(text).collect();
        paths.retain(|path| !path.contains('\n'));
        paths.sort_by_key(|path| path.matches('/').count());
        let names: Vec<&str> = paths.iter().map(String::as_str).collect();
        let contents = self.contents_at(&self.accepted()?, &names)?;
        let mut rules = Vec::new();
        for (path, content) in names.iter().zip(contents) {
            let content = content.unwrap_or_default();
            let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&content);
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            for line in content.split(|byte| *byte == b'\n') {
                bind_rule(folder, line.strip_suffix(b"\r").unwrap_or(line), &mut rules);
            }
        }
        Ok(rules)
    }

    /// Tools hide the folder of their cache with an ignore file in it that says `*`, below a comment or in a folder
    /// whose name begins with a dot. Nothing accepted is in it.
    fn is_cache(&self, folder: &[u8]) -> Result<bool, WorkspaceError> {
        let Ok(folder) = std::str::from_utf8(folder) else { return Ok(false) };
        if folder.is_empty() {
            return Ok(false);
        }
        let rules =
            files::read_beneath(&self.tree, &format!("{folder}/.gitignore"), CACHE_RULES_MAX);
        let Ok(rules) = rules else { return Ok(false) };
        let rules = String::from_utf8_lossy(&rules).into_owned();
        let lines = || rules.lines().map(str::trim).filter(|line| !line.is_empty());
        let (comments, rules): (Vec<_>, Vec<_>) = lines().partition(|line| line.starts_with('#'));
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let is_told = name.starts_with('.') || !comments.is_empty();
        Ok(rules == ["*"] && is_told && !self.is_tracked(folder)?)
    }
}

/// Folders that git names as ignored without looking into them, and that have no accepted file.
fn whole_folders<'e>(entries: &'e [StatusEntry], tracked: &[&[u8]]) -> Vec<&'e [u8]> {
    let has_tracked = |folder: &[u8]| {
        let below = [folder, b"/"].concat();
        let at = tracked.partition_point(|path| *path < below.as_slice());
        tracked.get(at).is_some_and(|path| path.starts_with(&below))
    };
    let whole = |entry: &&StatusEntry| entry.state == PathState::Ignored { is_folder: true };
    let folders = entries.iter().filter(whole).map(|entry| entry.path.as_slice());
    folders.filter(|folder| !has_tracked(folder)).collect()
}

/// Writes a line of the ignore file of `folder` so that it means the same in the ignore file of the whole tree.
fn bind_rule(folder: &str, line: &[u8], rules: &mut Vec<u8>) {
    let (not, rule) = match line.strip_prefix(b"!") {
        Some(rule) => (&b"!"[..], rule),
        None => (&b""[..], line),
    };
    if line.starts_with(b"#") || rule.trim_ascii().is_empty() {
        return;
    }
    if folder.is_empty() {
        rules.extend_from_slice(line);
        rules.push(b'\n');
        return;
    }
    rules.extend_from_slice(not);
    rules.push(b'/');
    for byte in folder.bytes() {
        if matches!(byte, b'*' | b'?' | b'[' | b'\\') {
            rules.push(b'\\');
        }
        rules.push(byte);
    }
    let body = rule.trim_ascii_end();
    let is_anchored = body.strip_suffix(b"/").unwrap_or(body).contains(&b'/');
    rules.extend_from_slice(if is_anchored { b"/" } else { b"/**/" });
    rules.extend_from_slice(rule.strip_prefix(b"/").unwrap_or(rule));
    rules.push(b'\n');
}

fn records(listing: &[u8]) -> impl Iterator<Item = &[u8]> {
    listing.split(|byte| *byte == 0).filter(|record| !record.is_empty())
}

fn is_untracked(entry: &StatusEntry) -> bool {
    matches!(entry.state, PathState::Untracked { .. })
}

fn is_ignore_file(path: &[u8]) -> bool {
    path.rsplit(|byte| *byte == b'/').next().is_some_and(|n| n.eq_ignore_ascii_case(IGNORE_FILE))
}

fn folder_of(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(b"", |at| &path[..at])
}

fn name_of(path: &[u8]) -> &[u8] {
    path.strip_suffix(b"/").unwrap_or(path)
}

fn is_below(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_keeps_its_meaning_where_it_is_bound() {
        let bound = |folder: &str, line: &str| {
            let mut rules = Vec::new();
            bind_rule(folder, line.as_bytes(), &mut rules);
            String::from_utf8_lossy(&rules).into_owned()
        };
        assert_eq!(bound("", "/a b"), "/a b\n");
        assert_eq!(bound("s/t", "*.o"), "/s/t/**/*.o\n");
        assert_eq!(bound("s", "built/"), "/s/**/built/\n");
        assert_eq!(bound("s", "/x"), "/s/x\n");
        assert_eq!(bound("s", "x/y"), "/s/x/y\n");
        assert_eq!(bound("s", "!keep"), "!/s/**/keep\n");
        assert_eq!(bound("a[b]*", "x"), "/a\\[b]\\*/**/x\n");
        assert_eq!(bound("s", "# no rule") + &bound("s", " ") + &bound("s", "!"), "");
    }
}
