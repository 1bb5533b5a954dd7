//! Whatever bytes an agent leaves as an output, its check answers with a report and in time.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use std::collections::BTreeMap;
use tollgate_contract::artefact::{RepositoryFiles, check, check_planning};
use tollgate_contract::diagnostic::Report;
use tollgate_contract::scaffold;

struct Files(BTreeMap<String, Vec<u8>>);

impl RepositoryFiles for Files {
    fn is_file(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.0.get(path).cloned()
    }

    fn files_below(&self, folder: &str) -> Vec<String> {
        let below = |path: &&String| path.strip_prefix(folder).is_some_and(|p| p.starts_with('/'));
        self.0.keys().filter(below).cloned().collect()
    }
}

const PATHS: [&str; 7] = [
    "planning-mds/BLUEPRINT.md",
    "planning-mds/stories/F0001-S0001-x.md",
    "planning-mds/api/x.yaml",
    "planning-mds/api/x.json",
    "planning-mds/tasks.yaml",
    "README.md",
    "a.bin",
];

fn is_sound(report: &Report) {
    assert!(report.diagnostics.len() <= 201);
    for diagnostic in &report.diagnostics {
        assert!(tollgate_contract::explain::explain(diagnostic.code).is_some());
        let help = diagnostic.help.as_deref().unwrap_or_default();
        for text in [&diagnostic.message, &diagnostic.path, help] {
            assert!(!text.chars().any(char::is_control), "{text:?}");
        }
    }
}

fn check_everywhere(bytes: &[u8]) {
    let files = Files(PATHS.iter().map(|path| ((*path).to_owned(), bytes.to_vec())).collect());
    for path in PATHS {
        is_sound(&check(path, bytes, &files));
    }
    is_sound(&check_planning(&files));
}

const PIECES: [&str; 40] = [
    "[",
    "]",
    "(",
    ")",
    "](",
    "][",
    "]:",
    "<",
    ">",
    "!",
    "`",
    "``",
    "```\n",
    "~~~\n",
    "    ",
    "\t",
    "\n",
    "\n\n",
    "# ",
    "---\n",
    "===\n",
    "<!--",
    "-->",
    "- ",
    "> ",
    "1. ",
    "| ",
    "{{",
    "}}",
    "F0001",
    "-S0001",
    "T-001",
    "AC-001",
    "x.md",
    "#a",
    "%2e",
    "%ff",
    "\\",
    "é\u{301}",
    "id: ",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        check_everywhere(&bytes);
    }

    #[test]
    fn arbitrary_marks_are_answered(which in proptest::collection::vec(0..PIECES.len(), 0..60)) {
        let text: String = which.iter().map(|at| PIECES[*at]).collect();
        check_everywhere(text.as_bytes());
    }

    /// A value adds no line, and no heading, to what the template has.
    #[test]
    fn arbitrary_values_add_words_only(value in "\\PC{0,80}|[#<>\\[\\]{}`|\\n\\r\\t =~-]{0,40}") {
        let values = BTreeMap::from([("x".to_owned(), value)]);
        let filled = scaffold::fill("# A\n\n{{x}}\n- {{x}}\n", &values);
        prop_assert_eq!(filled.lines().count(), 4);
        prop_assert_eq!(filled.lines().filter(|line| line.starts_with('#')).count(), 1);
        prop_assert!(!filled.contains('<') && !filled.chars().any(|c| c.is_control() && c != '\n'));
    }
}

#[test]
fn large_hostile_documents_are_answered_in_bounded_time() {
    for piece in [
        "[",
        "](",
        "[a](",
        "[a][b",
        "[[a](x)](x)",
        "`",
        "` `` ",
        "<!--",
        "://",
        "F0001 ",
        "{{",
        "> ",
        "- ",
        "[a]:",
    ] {
        check_everywhere(piece.repeat(20_000 / piece.len()).as_bytes());
    }
    let runs: String = (1..400).map(|length| format!("{} ", "`".repeat(length))).collect();
    check_everywhere(runs.as_bytes());
    check_everywhere("# F0001: x\n[x](y.md)\n".repeat(2_000).as_bytes());
    check_everywhere(format!("a: {}", "[".repeat(20_000)).as_bytes());
    let deep: String = (0..500).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    check_everywhere(deep.as_bytes());
}
