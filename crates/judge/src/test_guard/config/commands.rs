//! Small steps over command lines.

/// What comes after `make`, `npm run` and the like in the commands.
pub(super) fn run_names(commands: &[String], runners: &[&str]) -> Vec<String> {
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

pub(super) fn tokens(command: &str) -> impl Iterator<Item = &str> {
    let parts =
        command.split(|c: char| c.is_whitespace() || matches!(c, ';' | '"' | '\'' | '(' | ')'));
    parts.filter(|part| !part.is_empty())
}

/// Programs that look at the files they are given, or make and remove them, and run none.
const READERS: &[&str] = &[
    "grep", "egrep", "fgrep", "rg", "test", "[", "[[", "cat", "head", "tail", "wc", "ls", "stat",
    "touch", "rm", "mkdir", "echo", "printf", "cp", "mv", "diff", "cmp",
];

/// What is piped on may be run, and patterns from a file decide as a script does.
pub(super) fn only_reads(program: &str, words: &[&str], is_piped: bool) -> bool {
    let has_patterns = (program.ends_with("grep") || program == "rg") && words.contains(&"-f");
    READERS.contains(&program) && !is_piped && !has_patterns
}

/// The commands of a command line, each with whether its output goes into the next one.
pub(super) fn simple_commands(command: &str) -> impl Iterator<Item = (&str, bool)> {
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

const CHECK_WORDS: &[&str] =
    &["test", "check", "lint", "coverage", "ci", "verify", "typecheck", "e2e"];

/// A script or target that checks: by its name, or because a command names it.
pub(super) fn is_check(name: &str, named: &[String]) -> bool {
    let first = name.split([':', '-', '_']).next().unwrap_or_default();
    let is_hook = matches!(name, "pretest" | "posttest");
    CHECK_WORDS.contains(&first) || is_hook || named.iter().any(|wanted| wanted == name)
}
