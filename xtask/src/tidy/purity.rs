//! What the pure crates leave alone in the standard library, and who alone may print.

use super::Problem;
use crate::source::{SourceFile, closing, find_words, is_word, line_of};

/// The world, as far as the core is concerned; time and chance arrive with inputs.
const CORE_LEAVES: [&str; 6] = ["fs", "env", "process", "thread", "time", "net"];

/// Types whose order is chance.
const CORE_LEAVES_TYPES: [&str; 2] = ["HashMap", "HashSet"];

const READERS_LEAVE: [&str; 5] = ["fs", "process", "env", "net", "time::SystemTime"];

/// Surfaces show the view and reach a session through the client: what they know of it is in one place.
const FACES_LEAVE: [(&str, &[&str]); 4] = [
    ("tollgate_core", &["session"]),
    ("tollgate_host", &["journal", "inbox", "lock"]),
    ("tollgate_files", &["crash", "write_lock"]),
    ("tollgate_git", &["workspace"]),
];

/// Files that people read, made from the state: they show the view, as surfaces do.
const PROJECTIONS: [&str; 3] = [
    "crates/host/src/projection/status.rs",
    "crates/host/src/projection/report.rs",
    "crates/host/src/projection/evidence.rs",
];

/// Data to standard output and talk to standard error go through these, and nothing else prints.
/// The scripted agent, the supervisor, the driver and the example are programs of their own: their streams are their protocol.
/// What installs programs for tests is never shipped, and a person waits for it.
const PRINTERS: [&str; 7] = [
    "crates/cli/src/output.rs",
    "crates/cli/src/scripted.rs",
    "crates/cli/src/scripted/act.rs",
    "crates/process/src/supervisor.rs",
    "crates/agents/src/drive.rs",
    "crates/standin/examples/serve.rs",
    "crates/programs/src/say.rs",
];

const PRINTING: [&str; 6] = ["println!", "print!", "eprintln!", "eprint!", "stdout()", "stderr()"];

pub fn check(files: &[SourceFile]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files {
        if file.is_below("crates/core/src") {
            leaves(file, "std", &CORE_LEAVES, "the core touches nothing", &mut problems);
            finds(
                file,
                &CORE_LEAVES_TYPES,
                "its order is chance; use BTreeMap or BTreeSet",
                &mut problems,
            );
        }
        if file.is_below("crates/contract/src") || file.is_below("crates/judge/src") {
            leaves(file, "std", &READERS_LEAVE, "it reads what it is given", &mut problems);
        }
        if file.is_below("crates/cli/src") {
            for (of, banned) in FACES_LEAVE {
                let why = "surfaces use tollgate_core::view and tollgate_host::client";
                leaves(file, of, banned, why, &mut problems);
            }
        }
        if PROJECTIONS.contains(&file.path.as_str())
            || file.is_below("crates/host/src/projection/evidence")
        {
            let why = "status.json, the evidence and the report are made from tollgate_core::view";
            leaves(file, "tollgate_core", &["session"], why, &mut problems);
        }
        if file.is_below("crates") && !PRINTERS.contains(&file.path.as_str()) {
            finds(file, &PRINTING, "only crates/cli/src/output.rs prints", &mut problems);
        }
    }
    problems
}

fn finds(file: &SourceFile, banned: &[&str], why: &str, problems: &mut Vec<Problem>) {
    for word in banned {
        // A method such as `child.stdout()` is someone else's stream.
        for at in find_words(&file.shipped, word).filter(|at| !file.shipped[..*at].ends_with('.')) {
            problems.push(Problem::at(
                file,
                line_of(&file.shipped, at),
                format!("`{word}`: {why}"),
            ));
        }
    }
}

fn leaves(file: &SourceFile, of: &str, banned: &[&str], why: &str, problems: &mut Vec<Problem>) {
    for (at, path) in paths_into(of, &file.shipped) {
        if let Some(module) = banned.iter().find(|banned| covers(banned, &path)) {
            let line = line_of(&file.shipped, at);
            problems.push(Problem::at(file, line, format!("`{of}::{module}`: {why}")));
        }
    }
}

/// `time::SystemTime` is reached by itself, by what lies below it, and by importing `time` as a whole.
fn covers(banned: &str, path: &str) -> bool {
    let below = |long: &str, short: &str| {
        long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    below(path, banned) || below(banned, path.trim_end_matches("::*"))
}

/// Every path into a crate, with braces multiplied out: `std::{fs, io::{self, Read}}`.
fn paths_into(of: &str, code: &str) -> Vec<(usize, String)> {
    let mut paths = Vec::new();
    let root = format!("{of}::");
    for at in find_words(code, &root) {
        expand(code, at + root.len(), String::new(), at, &mut paths);
    }
    paths
}

fn expand(code: &str, from: usize, above: String, at: usize, paths: &mut Vec<(usize, String)>) {
    let rest = code[from..].trim_start();
    let from = code.len() - rest.len();
    if rest.starts_with('{') {
        let inside = from + 1..closing(code, from).saturating_sub(1);
        let mut depth = 0_usize;
        let mut begins = true;
        for (offset, c) in code[inside.clone()].char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => begins = true,
                c if begins && !c.is_whitespace() => {
                    begins = false;
                    expand(code, inside.start + offset, above.clone(), at, paths);
                }
                _ => {}
            }
        }
        return;
    }
    let length =
        if rest.starts_with('*') { 1 } else { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) };
    let name = &rest[..length];
    let path = match (above.is_empty(), name) {
        (_, "self") => above,
        (true, _) => name.to_owned(),
        (false, _) => format!("{above}::{name}"),
    };
    match rest[length..].strip_prefix("::") {
        Some(_) => expand(code, from + length + 2, path, at, paths),
        None => paths.push((at, path)),
    }
}

#[cfg(test)]
mod tests {
    use super::{check, paths_into};
    use crate::source::SourceFile;

    fn bites(path: &str, text: &str) -> bool {
        !check(&[SourceFile::new(path, text)]).is_empty()
    }

    #[test]
    fn braces_are_multiplied_out() {
        let paths =
            paths_into("std", "use std::{fs, io::{self, Read}, time::*}; let x = std::env::var();");
        let paths: Vec<&str> = paths.iter().map(|(_, path)| path.as_str()).collect();
        assert_eq!(paths, ["fs", "io", "io::Read", "time::*", "env::var"]);
    }

    #[test]
    fn the_core_touches_nothing() {
        for module in super::CORE_LEAVES {
            assert!(bites("crates/core/src/x.rs", &format!("use std::{module};")), "{module}");
            assert!(
                bites("crates/core/src/x.rs", &format!("use std::{{fmt, {module}::A}};")),
                "{module}"
            );
        }
        assert!(bites("crates/core/src/x.rs", "fn a(b: HashMap<u8, u8>) {}"));
        assert!(!bites(
            "crates/core/src/x.rs",
            "// std::fs\nuse std::fmt; use crate::time::Timestamp;"
        ));
        assert!(!bites("crates/core/src/x.rs", "#[cfg(test)]\nmod tests { use std::fs; }"));
    }

    #[test]
    fn the_judge_and_the_contract_read_no_file_and_no_clock() {
        for path in
            ["fs::read", "process", "env::var", "net", "time::SystemTime", "time::*", "time"]
        {
            assert!(bites("crates/judge/src/x.rs", &format!("use std::{path};")), "{path}");
            assert!(bites("crates/contract/src/x.rs", &format!("use std::{path};")), "{path}");
        }
        assert!(!bites("crates/contract/src/x.rs", "use std::time::Duration;"));
    }

    #[test]
    fn surfaces_know_the_view_and_the_client_only() {
        for text in [
            "use tollgate_core::session::Session;",
            "use tollgate_core::{id::TaskId, session};",
            "fn a(b: &tollgate_core::session::Dispatch) {}",
            "use tollgate_host::journal;",
            "use tollgate_host::{lock, layout::Layout};",
            "use tollgate_host::inbox::send;",
            "use tollgate_git::workspace::Workspace;",
            "use tollgate_files::write_lock;",
        ] {
            assert!(bites("crates/cli/src/x.rs", text), "{text}");
            assert!(!bites("crates/host/src/x.rs", text), "{text}");
        }
        let text = "use tollgate_core::view::View; use tollgate_host::client::Client;";
        assert!(!bites("crates/cli/src/x.rs", text));
    }

    #[test]
    fn what_people_read_is_made_from_the_view() {
        let text = "use tollgate_core::session::Session;";
        for path in super::PROJECTIONS {
            assert!(bites(path, text), "{path}");
        }
        assert!(bites("crates/host/src/projection/evidence/trace.rs", text));
        assert!(!bites("crates/host/src/projection.rs", text), "it folds the journal");
    }

    #[test]
    fn one_file_prints() {
        for text in
            ["println!()", "eprint!()", "std::io::stdout()", "use std::io::stderr; stderr()"]
        {
            assert!(bites("crates/host/src/x.rs", &format!("fn a() {{ {text} }}")), "{text}");
            assert!(!bites("crates/cli/src/output.rs", &format!("fn a() {{ {text} }}")), "{text}");
        }
        assert!(!bites(
            "crates/host/src/x.rs",
            "fn a() { child.stdout(Stdio::piped()); b.stderr() }"
        ));
    }
}
