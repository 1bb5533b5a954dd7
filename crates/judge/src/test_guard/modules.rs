//! Modules of Rust that are compiled only because a line names them, and code that is another one under test.

use super::language::Language;
use super::language::is_support;
use super::lex::Source;
use super::{FileVersion, Kind, Weakening};

pub(super) fn weakened(changes: &[FileVersion<'_>]) -> Vec<Weakening> {
    let rust = changes.iter().filter(|change| Language::of(change.path) == Some(Language::Rust));
    rust.filter_map(|change| {
        let before = Source::new(change.before?, Language::Rust);
        let after = Source::new(change.after?, Language::Rust);
        left_out(change, changes, &before, &after)
            .or_else(|| other_under_test(change, &before, &after))
    })
    .collect()
}

/// `mod transfers;` is gone, and the file is still there.
fn left_out(
    change: &FileVersion<'_>,
    changes: &[FileVersion<'_>],
    before: &Source<'_>,
    after: &Source<'_>,
) -> Option<Weakening> {
    let named = |source: &Source<'_>| -> Vec<String> {
        let lines = source.code.lines().map(str::trim);
        let names = lines.filter_map(|line| {
            let line = line.strip_prefix("pub ").unwrap_or(line);
            line.strip_prefix("mod ")?.strip_suffix(';').map(str::to_owned)
        });
        names.collect()
    };
    let now = named(after);
    let is_gone = |name: &String| {
        let ends = [format!("{name}.rs"), format!("{name}/mod.rs")];
        let is_moved = changes.iter().any(|other| {
            let is_its = |path: &str| ends.iter().any(|end| path.ends_with(end.as_str()));
            (other.after.is_none() && is_its(other.path)) || other.old_path.is_some_and(is_its)
        });
        let is_inline = after.code.contains(&format!("mod {name} {{"));
        let is_elsewhere = changes.iter().any(|other| {
            other.path != change.path
                && other.after.is_some_and(|text| text.contains(&format!("mod {name};")))
        });
        !now.contains(name) && !is_moved && !is_inline && !is_elsewhere
    };
    let holds_tests = |name: &String| is_support(change.path) || name.contains("test");
    let name = named(before).into_iter().find(|name| is_gone(name) && holds_tests(name))?;
    let message = format!("the module {name:?} is no longer compiled, and none of its tests run");
    let (path, kind) = (change.path.to_owned(), Kind::FewerTests);
    Some(Weakening { path, line: None, kind, message })
}

/// `#[cfg(test)]` on a statement, or `cfg!(test)`: the program does something else when it is tested.
fn other_under_test(
    change: &FileVersion<'_>,
    before: &Source<'_>,
    after: &Source<'_>,
) -> Option<Weakening> {
    const ITEMS: &[&str] = &[
        "mod",
        "use",
        "fn",
        "pub",
        "impl",
        "struct",
        "enum",
        "const",
        "static",
        "type",
        "trait",
        "macro_rules!",
        "extern",
        "#",
        "unsafe",
        "async",
        "thread_local!",
        "//",
        "}",
    ];
    let found = |source: &Source<'_>| -> Vec<usize> {
        let code = source.code.as_str();
        let attributes = code.match_indices("#[cfg(test)]").filter(|(at, mark)| {
            let next = code[at + mark.len()..].trim_start();
            !ITEMS.iter().any(|item| next.starts_with(item))
        });
        attributes.chain(code.match_indices("cfg!(test)")).map(|(at, _)| at).collect()
    };
    let now = found(after);
    let at = now.last().filter(|_| now.len() > found(before).len())?;
    let message = "the program behaves differently here when it is tested".to_owned();
    let (path, line) = (change.path.to_owned(), Some(after.line(*at)));
    Some(Weakening { path, line, kind: Kind::GateConfig, message })
}
