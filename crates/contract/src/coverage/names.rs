//! Which file of the tree a name in a report means, if any.

use super::ReportedFiles;
use std::collections::BTreeMap;

/// No name of a file has more parts; a report that does must not cost its square in time.
const PARTS_MAX: usize = 100;
/// A report has one or two.
const FOLDERS_MAX: usize = 20;

/// Tools name files from the root, from a folder of their own, from where the tree lies on the machine or in a
/// container, or behind the name of a package. Reports name files of others too, and some end like one of ours: what is
/// cut off a name is the same for the whole report.
pub(super) struct ReportNames<'a> {
    folders: &'a [String],
    is_file: &'a dyn Fn(&str) -> bool,
    /// Where the tree lay.
    root: Vec<String>,
    /// The name of the package.
    package: Vec<String>,
}

/// From `/` on, or from a folder that is not known yet.
enum Path {
    Absolute(Vec<String>),
    Relative(Vec<String>),
}

impl<'a> ReportNames<'a> {
    pub fn new(files: &'a ReportedFiles, root: &str, is_file: &'a dyn Fn(&str) -> bool) -> Self {
        let folders = &files.folders[..files.folders.len().min(FOLDERS_MAX)];
        let mut names = Self { folders, is_file, root: parts(root), package: Vec::new() };
        let all = || files.files.keys().flat_map(|name| names.paths(name));
        let absolute = all().filter_map(|path| match path {
            Path::Absolute(parts) => Some(parts),
            Path::Relative(_) => None,
        });
        let absolute: Vec<Vec<String>> = absolute.collect();
        if !absolute.iter().any(|path| names.below(&names.root, path).is_some()) {
            names.root = names.likeliest(&absolute);
        }
        let unknown = files.files.keys().filter(|name| names.find(name).is_none());
        let relative: Vec<Vec<String>> =
            unknown.filter(|name| !is_absolute(name)).map(|name| parts(name)).collect();
        names.package = names.likeliest(&relative);
        names
    }

    pub fn find(&self, name: &str) -> Option<String> {
        let known = self.paths(name).into_iter().find_map(|path| match path {
            Path::Absolute(parts) => self.below(&self.root, &parts),
            Path::Relative(parts) => self.below(&[], &parts),
        });
        let is_behind = !is_absolute(name) && !self.package.is_empty();
        known.or_else(|| self.below(&self.package, &parts(name)).filter(|_| is_behind))
    }

    /// What the name can mean, the likeliest first.
    fn paths(&self, name: &str) -> Vec<Path> {
        if is_absolute(name) {
            return vec![Path::Absolute(parts(name))];
        }
        let below = |folder: &String| {
            let parts = parts(&format!("{folder}/{name}"));
            if is_absolute(folder) { Path::Absolute(parts) } else { Path::Relative(parts) }
        };
        self.folders.iter().map(below).chain([Path::Relative(parts(name))]).collect()
    }

    fn below(&self, folder: &[String], path: &[String]) -> Option<String> {
        let rest = path.strip_prefix(folder)?.join("/");
        (self.is_file)(&rest).then_some(rest)
    }

    /// The beginning that most of them have before the path of a file that is there; of several the shortest.
    fn likeliest(&self, paths: &[Vec<String>]) -> Vec<String> {
        let mut counts: BTreeMap<&[String], usize> = BTreeMap::new();
        for path in paths {
            for cut in (0..path.len()).filter(|cut| self.below(&path[..*cut], path).is_some()) {
                *counts.entry(&path[..cut]).or_default() += 1;
            }
        }
        let best =
            counts.into_iter().max_by_key(|(cut, count)| (*count, std::cmp::Reverse(cut.len())));
        best.map(|(cut, _)| cut.to_vec()).unwrap_or_default()
    }
}

fn is_absolute(name: &str) -> bool {
    name.starts_with(['/', '\\'])
}

fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in name.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| last != "..") => drop(parts.pop()),
            _ => parts.push(part.to_owned()),
        }
        if parts.len() > PARTS_MAX {
            return Vec::new();
        }
    }
    parts
}
