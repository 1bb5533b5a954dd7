//! Test doubles in place of the very thing that a test is about: then it tests the double.

use super::language::Language;
use super::lex::Source;
use super::scan::{is_word, part, word_at, words};
use std::collections::BTreeSet;
use std::ops::Range;

const PATCHES: &[&str] = &[
    "patch",
    "object",
    "setattr",
    "spyOn",
    "stub",
    "mock",
    "spy",
    "receive",
    "replace",
    "stubMethod",
];

/// Names that are replaced in this range, each with its place.
pub(super) fn patched<'s>(source: &'s Source<'_>, range: Range<usize>) -> Vec<(usize, &'s str)> {
    const PATCHED_MAX: usize = 50;
    let start = range.start;
    let found = words(&source.code[range]).filter(|(_, word)| PATCHES.contains(word));
    let named = found.flat_map(|(at, word)| {
        let line = part(&source.bare, start + at + word.len()..).lines().next().unwrap_or_default();
        let is_call = line.trim_start().starts_with(['(', '.']);
        let names = quoted_names(line).chain(symbol(line)).filter(move |_| is_call);
        names.map(move |name| (start + at, name))
    });
    named.take(PATCHED_MAX).collect()
}

/// Names that the test, or what stands around all tests of the file, replaces and that the test calls itself.
pub(super) fn replaced(
    source: &Source<'_>,
    body: Range<usize>,
    outside: &[&str],
) -> BTreeSet<String> {
    let code = &source.code[body.clone()];
    let inside = patched(source, body);
    let names = inside.iter().map(|(_, name)| name).chain(outside);
    let mut all: BTreeSet<String> =
        names.filter(|name| is_called(code, name)).map(|name| (*name).to_owned()).collect();
    if source.language == Language::Bats {
        // `backup() { … }` and then `run backup`.
        let named = code.match_indices("() {").filter_map(|(at, _)| words(&code[..at]).last());
        all.extend(named.map(|(_, n)| n.to_owned()).filter(|n| code.contains(&format!("run {n}"))));
    }
    all.extend(stubbed(code));
    for (at, word) in words(code) {
        let before = code[..at].trim_end();
        // `done = jest.fn()` and then `done()` by the test itself.
        if word == "fn" && (before.ends_with("jest.") || before.ends_with("vi.")) {
            all.extend(assigned(before).filter(|name| is_stated(code, name)).map(str::to_owned));
        }
        if source.language == Language::JavaScript
            && matches!(word, "mockReturnValue" | "mockImplementation")
        {
            all.extend(
                member_before(before).filter(|name| is_called(code, name)).map(str::to_owned),
            );
        }
    }
    all
}

/// `when(cart.total()).thenReturn(3)` and then `cart.total()` by the test itself.
fn stubbed(code: &str) -> impl Iterator<Item = String> {
    const STUBBED_MAX: usize = 50;
    let starts = words(code).filter(|(_, word)| matches!(*word, "when" | "every"));
    let calls = starts.take(STUBBED_MAX).map(|(at, word)| {
        let rest = code[at + word.len()..].trim_start_matches(['(', '{', ' ']);
        rest.split('(').next().unwrap_or_default()
    });
    let is_path = |call: &&str| call.contains('.') && call.bytes().all(|b| is_word(b) || b == b'.');
    let is_used = |call: &&str| {
        let count = |text: &str| code.matches(text).count();
        count(call) > count(&format!("when({call}")) + count(&format!("every {{ {call}"))
    };
    calls.filter(is_path).filter(is_used).map(str::to_owned)
}

/// The last step of each quoted path: `"billing.tax.of"` is `of`.
fn quoted_names(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split(['"', '\'']).skip(1).step_by(2).take(2);
    quoted
        .map(|path| path.rsplit('.').next().unwrap_or(path))
        .filter(|name| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

/// `receive(:total)`.
fn symbol(line: &str) -> Option<&str> {
    let at = line.find("(:")? + 2;
    let name = word_at(line, at);
    (!name.is_empty()).then_some(name)
}

fn assigned(before: &str) -> Option<&str> {
    let line = before.rsplit('\n').next()?;
    let (left, _) = line.split_once('=')?;
    words(left).last().map(|(_, word)| word)
}

fn member_before(before: &str) -> Option<&str> {
    let path = before.strip_suffix('.')?;
    let path = path.strip_suffix(')').map_or(path, |inside| inside);
    words(path).last().map(|(_, word)| word)
}

/// The test calls it, other than through the double.
fn is_called(code: &str, name: &str) -> bool {
    words(code).any(|(at, word)| {
        let after = code[at + word.len()..].trim_start();
        let is_sent = code[..at].ends_with('.') && !code[..at].ends_with("receive(:");
        word == name && (after.starts_with(['(', '<']) || (is_sent && !after.starts_with('=')))
    })
}

fn is_stated(code: &str, name: &str) -> bool {
    code.lines().any(|line| {
        let line = line.trim_start();
        line.strip_prefix(name).is_some_and(|rest| rest.starts_with('('))
    })
}

/// Modules that the file replaces as a whole and whose functions it calls itself.
pub(super) fn modules(source: &Source<'_>) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    if source.language != Language::JavaScript {
        return classes(source);
    }
    for (at, word) in
        words(&source.code).filter(|(_, w)| matches!(*w, "mock" | "doMock" | "rewiremock"))
    {
        let line = part(&source.bare, at + word.len()..).lines().next().unwrap_or_default();
        let Some(module) = line.split(['"', '\'', '`']).nth(1).filter(|_| line.starts_with('('))
        else {
            continue;
        };
        let names = imported(source, module);
        if module.starts_with('.') && names.iter().any(|name| is_called(&source.code, name)) {
            all.insert(module.to_owned());
        }
    }
    all
}

/// `mock(Account.class)` in a class `AccountTest`.
fn classes(source: &Source<'_>) -> BTreeSet<String> {
    const MAKES: &[&str] = &[
        "mock",
        "createMock",
        "createStub",
        "Mock",
        "spy",
        "mockk",
        "getMockBuilder",
        "createPartialMock",
        "Substitute",
        "MagicMock",
        "create_autospec",
        "For",
    ];
    let code = source.code.as_str();
    let made = words(code).filter(|(_, word)| MAKES.contains(word));
    let named = made.filter_map(|(at, word)| {
        let rest = code[at + word.len()..].trim_start_matches(['(', '<', ' ', '\\', '.']);
        let rest = rest.trim_start_matches("spec_set=").trim_start_matches("spec=");
        let name = word_at(rest, 0);
        let tests = [format!("class {name}Test"), format!("class Test{name}")];
        (!name.is_empty() && tests.iter().any(|test| code.contains(test))).then(|| name.to_owned())
    });
    named.collect()
}

fn imported<'s>(source: &'s Source<'_>, module: &str) -> Vec<&'s str> {
    let quoted = [format!("'{module}'"), format!("\"{module}\"")];
    let lines = source.bare.lines().filter(|line| {
        let brings = line.contains("import ") || line.contains("require(");
        brings && !line.contains("mock(") && quoted.iter().any(|module| line.contains(module))
    });
    lines
        .flat_map(|line| words(line.split(['"', '\'']).next().unwrap_or_default()))
        .map(|(_, word)| word)
        .filter(|word| {
            !matches!(
                *word,
                "import" | "from" | "const" | "require" | "let" | "as" | "type" | "var"
            )
        })
        .collect()
}
