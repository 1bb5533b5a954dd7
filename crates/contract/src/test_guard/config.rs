//! Edits of what runs or judges the checks: scripts of check commands, their targets, and the files of test runners.

mod parts;

use super::language::{self, file_name, is_below};
use super::{FileVersion, Kind, Weakening};

/// At most one for a file, the plainest.
pub(super) fn edited(change: &FileVersion<'_>, commands: &[String]) -> Option<Weakening> {
    let path = change.old_path.unwrap_or(change.path);
    let Some(before) = change.before else { return added(change) };
    let stays = change.after.filter(|_| change.old_path.is_none_or(|old| old == change.path));
    let tell = |kind, message| Some(Weakening { path: path.to_owned(), line: None, kind, message });
    let part = part_of(path, commands);
    let Some(part) = part else {
        return named_in_command(path, before, stays, commands)
            .and_then(|message| tell(Kind::CheckCommand, message));
    };
    let (kind, message) = parts::changed(&part, before, stays)?;
    tell(kind, message)
}

/// What of a file decides about checks.
#[derive(Debug)]
pub(super) enum Part {
    All(Comments),
    /// `scripts` of package.json: those that test, and those that commands name.
    Scripts(Vec<String>),
    /// Targets of a Makefile or justfile.
    Targets(Vec<String>),
    /// Tables whose header begins so.
    Tables(&'static [&'static str]),
    /// Lines that hold one of these words.
    Lines(&'static [&'static str]),
    /// The `test` block of a build configuration.
    TestBlock,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Comments {
    Hash,
    Slashes,
    Xml,
}

/// Words after which fewer tests run, in a file that was not there before or a table that is new.
const FILTERS: &[&str] = &[
    "--ignore",
    "--deselect",
    "testPathIgnorePatterns",
    "collect_ignore",
    "pytest_collection_modifyitems",
];

fn added(change: &FileVersion<'_>) -> Option<Weakening> {
    let after = change.after?;
    let is_judged = part_of(change.path, &[]).is_some();
    let word = FILTERS.iter().find(|word| is_judged && after.contains(**word))?;
    let message = format!("the new file leaves tests out with {word}");
    Some(Weakening { path: change.path.to_owned(), line: None, kind: Kind::GateConfig, message })
}

fn part_of(path: &str, commands: &[String]) -> Option<Part> {
    const WHOLE_HASH: &[&str] = &[
        "pytest.ini",
        "tox.ini",
        ".coveragerc",
        "codecov.yml",
        ".codecov.yml",
        "codecov.yaml",
        ".rspec",
        "nextest.toml",
        "tarpaulin.toml",
        ".tarpaulin.toml",
        "sonar-project.properties",
        ".gitlab-ci.yml",
        "azure-pipelines.yml",
        ".travis.yml",
        "bitbucket-pipelines.yml",
        ".drone.yml",
        "lifecycle-stage.yaml",
        "tollgate.toml",
        ".simplecov",
    ];
    const WHOLE_JS: &[&str] = &[
        "jest.config.",
        "vitest.config.",
        "vitest.workspace.",
        "karma.conf.",
        "playwright.config.",
        "cypress.config.",
        ".nycrc",
        ".c8rc",
        ".mocharc",
        "nyc.config.",
        "Jenkinsfile",
    ];
    let name = file_name(path);
    let is_workflow = path.starts_with(".github/workflows/") || path.starts_with(".circleci/");
    Some(match name {
        _ if is_workflow || WHOLE_HASH.contains(&name) => Part::All(Comments::Hash),
        _ if WHOLE_JS.iter().any(|start| name.starts_with(start)) => Part::All(Comments::Slashes),
        "phpunit.xml" | "phpunit.xml.dist" => Part::All(Comments::Xml),
        "package.json" => Part::Scripts(run_names(commands, &["npm", "pnpm", "yarn", "bun"])),
        "Makefile" | "makefile" | "GNUmakefile" => {
            Part::Targets(run_names(commands, &["make", "gmake"]))
        }
        "justfile" | "Justfile" | ".justfile" => Part::Targets(run_names(commands, &["just"])),
        "pyproject.toml" => Part::Tables(&["tool.pytest", "tool.coverage", "tool.tox"]),
        "setup.cfg" => Part::Tables(&["tool:pytest", "coverage:", "tox", "testenv"]),
        "Cargo.toml" => Part::Lines(&["autotests", "doctest", "harness", "test = false"]),
        "pom.xml" => {
            Part::Lines(&["skipTests", "maven.test.skip", "testFailureIgnore", "<minimum>"])
        }
        "build.gradle" | "build.gradle.kts" => {
            Part::Lines(&["minimum", "ignoreFailures", "excludeTestsMatching", "test.enabled"])
        }
        "conftest.py" => Part::Lines(FILTERS),
        _ if name.starts_with("vite.config.") => Part::TestBlock,
        _ => return None,
    })
}

/// What stands behind `make`, `npm run` and the like in the commands.
fn run_names(commands: &[String], runners: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for command in commands {
        let words: Vec<&str> = tokens(command).collect();
        for (at, _) in words.iter().enumerate().filter(|(_, word)| runners.contains(word)) {
            let rest = words[at + 1..]
                .iter()
                .take_while(|word| !matches!(**word, "&&" | "||" | ";" | "|"));
            let named = rest
                .filter(|word| !word.starts_with('-') && !word.contains('=') && **word != "run");
            names.extend(named.map(|word| (*word).to_owned()));
        }
    }
    names
}

fn tokens(command: &str) -> impl Iterator<Item = &str> {
    let parts =
        command.split(|c: char| c.is_whitespace() || matches!(c, ';' | '"' | '\'' | '(' | ')'));
    parts.filter(|part| !part.is_empty())
}

/// A test file that a command names is changed by everyday work; how it changed is looked at test by test.
fn named_in_command(
    path: &str,
    before: &str,
    after: Option<&str>,
    commands: &[String],
) -> Option<String> {
    let is_test = language::of_tests(path).is_some() && !is_runner(path);
    let command = commands.iter().find(|command| names_file(command, path))?;
    if is_test || !parts::is_different(before, after, comments_of(path)) {
        return None;
    }
    let what = if after.is_none() { "is gone" } else { "was edited" };
    Some(format!("the check {} runs this file, and it {what}", crate::diagnostic::quote(command)))
}

/// Rust, Java and the like may hold tests anywhere; a command that names such a file runs it as a program.
fn is_runner(path: &str) -> bool {
    let is_marked =
        matches!(file_name(path).rsplit_once('.'), Some((_, "rs" | "java" | "kt" | "kts" | "cs")));
    is_marked && !is_below(path, &["tests", "test"])
}

/// Programs that look at the files they are given, or make and remove them, and run none.
const READERS: &[&str] = &[
    "grep", "egrep", "fgrep", "rg", "test", "[", "[[", "cat", "head", "tail", "wc", "ls", "stat",
    "touch", "rm", "mkdir",
];

fn names_file(command: &str, path: &str) -> bool {
    let mut folder = "";
    for (part, is_piped) in simple_commands(command) {
        let words: Vec<&str> = tokens(part).filter(|word| *word != "!").collect();
        let Some(program) = words.first() else { continue };
        if *program == "cd" {
            folder = words.get(1).copied().map_or(folder, plain);
        }
        // What is piped on may be run, and patterns from a file decide as a script does.
        let has_patterns = (program.ends_with("grep") || *program == "rg") && words.contains(&"-f");
        let reads = READERS.contains(program) && !is_piped && !has_patterns;
        let is_it = |word: &&str| {
            let in_folder = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
            plain(word) == path || (!folder.is_empty() && in_folder == Some(plain(word)))
        };
        if !reads && words.iter().any(is_it) {
            return true;
        }
    }
    false
}

/// The commands of a command line, each with whether its output goes into the next one.
fn simple_commands(command: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = Some(command);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find([';', '&', '|', '\n']) else {
            rest = None;
            return Some((text, false));
        };
        let after = &text[end..];
        let is_piped = after.starts_with('|') && !after.starts_with("||");
        rest = Some(after.trim_start_matches([';', '&', '|', '\n']));
        Some((&text[..end], is_piped))
    })
}

fn plain(word: &str) -> &str {
    word.strip_prefix("./").unwrap_or(word).trim_end_matches('/')
}

fn comments_of(path: &str) -> Comments {
    match language::Language::of(path) {
        Some(language::Language::Python | language::Language::Ruby | language::Language::Shell)
        | None => Comments::Hash,
        Some(_) => Comments::Slashes,
    }
}
