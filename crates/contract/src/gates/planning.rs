//! The gate `planning-files`: the documents that everything else is planned from.

use super::{Inspector, is_blank};
use crate::diagnostic::{Report, gates as say};
use std::collections::BTreeSet;

const REQUIRED: &[&str] = &[
    "planning-mds/BLUEPRINT.md",
    "planning-mds/domain/glossary.md",
    "planning-mds/architecture/SOLUTION-PATTERNS.md",
];

pub(super) struct PlanningFiles {
    is_strict: bool,
    seen: BTreeSet<String>,
}

impl PlanningFiles {
    pub fn new(is_strict: bool) -> Self {
        Self { is_strict, seen: BTreeSet::new() }
    }
}

impl Inspector for PlanningFiles {
    fn places(&self) -> &'static [&'static str] {
        REQUIRED
    }

    fn wants(&self, path: &str) -> bool {
        REQUIRED.contains(&path)
    }

    fn see(&mut self, path: &str, bytes: &[u8], report: &mut Report) {
        self.seen.insert(path.to_owned());
        if is_blank(bytes) {
            report.push(say::file_blank(path));
        }
    }

    fn finish(&mut self, report: &mut Report) {
        let missing = REQUIRED.iter().filter(|path| !self.seen.contains(**path));
        report.extend(missing.map(|path| say::file_missing(path, self.is_strict)));
    }
}
