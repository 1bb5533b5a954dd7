//! Brings the files of a repository to a built-in gate: bounded, and nothing from outside of it.

use std::path::Path;
use tollgate_contract::diagnostic::Report;
use tollgate_contract::gates::{Builtin, Inspector, could_not_look};
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_files::{self as files, FileError, ListingEntry, ListingKind, TreeLimits};

/// What a built-in gate finds in the repository at `root`; it holds when there is no error.
pub fn inspect(root: &Path, gate: Builtin, is_strict: bool) -> Report {
    let mut look = Look { root, inspector: gate.inspector(is_strict), report: Report::default() };
    for place in look.inspector.places() {
        look.place(place);
    }
    look.inspector.finish(&mut look.report);
    look.report
}

struct Look<'a> {
    root: &'a Path,
    inspector: Box<dyn Inspector>,
    report: Report,
}

impl Look<'_> {
    fn place(&mut self, place: &str) {
        let is_folder = files::open_beneath(self.root, place)
            .and_then(|file| file.metadata().map_err(FileError::io("look at", Path::new(place))))
            .map(|found| found.is_dir());
        match is_folder {
            Ok(true) => self.folder(place),
            Ok(false) => self.file(place),
            Err(error) if error.is_not_found() => {}
            Err(error) => could_not_look(place, &error.to_string(), &mut self.report),
        }
    }

    fn folder(&mut self, place: &str) {
        let entries = match files::list_files(&self.root.join(place), TreeLimits::default()) {
            Ok(entries) => entries,
            Err(error) => return could_not_look(place, &error.to_string(), &mut self.report),
        };
        for ListingEntry { path, kind, .. } in entries {
            let path = format!("{place}/{path}");
            match kind {
                ListingKind::Dir => {}
                _ if !self.inspector.wants(&path) => {}
                ListingKind::File => self.file(&path),
                ListingKind::Symlink => self.link(place, &path),
                ListingKind::Other => self.unseen(&path, "it is not a regular file"),
                ListingKind::BadName => self.unseen(&path, "its name is not UTF-8"),
            }
        }
    }

    fn file(&mut self, path: &str) {
        match files::read_beneath(self.root, path, ARTEFACT_BYTES_MAX) {
            Ok(bytes) => self.inspector.see(path, &bytes, &mut self.report),
            // Removed since it was listed.
            Err(error) if error.is_not_found() => {}
            Err(error) => self.unseen(path, &error.to_string()),
        }
    }

    /// What a link leads to inside the same folder is looked at where it lies.
    fn link(&mut self, place: &str, path: &str) {
        let folder = self.root.join(place).canonicalize();
        match (folder, self.root.join(path).canonicalize()) {
            (Ok(folder), Ok(target)) if target.starts_with(&folder) => {}
            (_, Err(_)) => self.unseen(path, "the link is broken"),
            _ => self.unseen(path, &format!("the link points outside {place}")),
        }
    }

    fn unseen(&mut self, path: &str, why: &str) {
        could_not_look(path, why, &mut self.report);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn found(root: &Path, gate: Builtin) -> Vec<String> {
        let report = inspect(root, gate, false);
        report.errors().map(|error| format!("{} {}", error.place(), error.message)).collect()
    }

    #[test]
    fn r062_links_neither_hide_a_term_nor_lead_out() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("repo");
        fs::create_dir_all(root.join("agents/coder")).unwrap();
        fs::create_dir_all(root.join("planning-mds/domain")).unwrap();
        let glossary = "## Blocked terms\n- Broker\n";
        fs::write(root.join("planning-mds/domain/glossary.md"), glossary).unwrap();
        fs::write(root.join("agents/coder/SKILL.md"), "x\nthe broker\n").unwrap();
        fs::write(temp.path().join("secret"), "broker\n").unwrap();
        symlink("coder/SKILL.md", root.join("agents/same.md")).unwrap();
        symlink("../../secret", root.join("agents/out.md")).unwrap();
        symlink("nowhere", root.join("agents/dangling.md")).unwrap();
        let term = "\"Broker\" is a term of the solution (planning-mds/domain/glossary.md:2)";
        assert_eq!(
            found(&root, Builtin::Boundary),
            [
                format!("agents/coder/SKILL.md:2 {term}"),
                "agents/dangling.md it cannot be read: the link is broken".to_owned(),
                "agents/out.md it cannot be read: the link points outside agents".to_owned(),
            ]
        );
        fs::rename(root.join("agents"), temp.path().join("elsewhere")).unwrap();
        symlink("../elsewhere", root.join("agents")).unwrap();
        let errors = found(&root, Builtin::Boundary);
        assert!(errors.len() == 1 && errors[0].starts_with("agents it cannot"), "{errors:?}");
    }

    #[test]
    fn a_file_that_is_too_big_does_not_count_as_good() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("planning-mds/security")).unwrap();
        let file = fs::File::create(temp.path().join("planning-mds/security/scan.bin")).unwrap();
        file.set_len(ARTEFACT_BYTES_MAX + 1).unwrap();
        let errors = found(temp.path(), Builtin::SecurityEvidence);
        assert!(errors.len() == 1 && errors[0].contains("bytes"), "{errors:?}");
    }
}
