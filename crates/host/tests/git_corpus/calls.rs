//! Which git calls stand in the source, and which were seen to be made.

use std::fs;
use std::path::Path;

/// One call as it is written: its words in order, None where the source has something else than a literal.
#[derive(Debug, PartialEq, Eq)]
pub struct Written {
    pub place: String,
    pub words: Vec<Option<String>>,
}

/// All calls in the source of the crates that make any. Panics where a call cannot be understood.
pub fn written() -> Vec<Written> {
    let mut files = Vec::new();
    for source in ["src", "../git/src", "../snapshot/src", "../tracker/src", "../cli/src"] {
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join(source), &mut files);
    }
    let constants: String = files.iter().map(|(_, text)| text.as_str()).collect();
    let mut calls = Vec::new();
    for (place, text) in &files {
        // Repositories that the program has made itself, and whose settings no agent can reach.
        let is_sample = place.ends_with("cli/src/sample_git.rs");
        let goes_past = text.contains("Command::new(\"git") && !is_sample;
        assert!(!goes_past, "{place} calls git past crates/git");
        for start in [".git([", ".git_writing([", ".read(["] {
            for at in ends_of(text, start) {
                calls.push(Written { place: place.clone(), words: list(&text[at..]) });
            }
        }
        for start in ["self.git(", "self.read("] {
            let is_constant =
                |at: &usize| text[*at..].starts_with(|c: char| c.is_ascii_uppercase());
            for at in ends_of(text, start).into_iter().filter(is_constant) {
                let name = text[at..].split(')').next().unwrap();
                calls.push(Written { place: place.clone(), words: constant(&constants, name) });
            }
        }
        for at in ends_of(text, "looking(") {
            let end = text[at..].find(';').map_or(text.len(), |end| at + end);
            let statement = &text[at..end];
            // Its definition has no words, nor has the call of `diff`, whose words come in a statement of their own.
            let words = statement.find(".args([").map(|from| list(&statement[from + 7..]));
            calls.extend(words.map(|words| Written { place: place.clone(), words }));
        }
        for at in ends_of(text, ".call(Configuration::") {
            calls.extend(direct(place, &text[at..]));
        }
    }
    calls
}

/// Whether one of the calls seen begins with these words.
pub fn was_seen(call: &Written, seen: &[Vec<String>]) -> bool {
    let words = without_settings(&call.words, |word| word.as_deref() == Some("-c"));
    seen.iter().any(|made| {
        let made = without_settings(made, |word| word == "-c");
        made.len() >= words.len()
            && words
                .iter()
                .zip(made)
                .all(|(word, made)| word.as_ref().is_none_or(|word| word == made))
    })
}

fn without_settings<T>(words: &[T], is_setting: impl Fn(&T) -> bool) -> &[T] {
    match words {
        [first, _, rest @ ..] if is_setting(first) => without_settings(rest, is_setting),
        _ => words,
    }
}

/// A call that is put together on the spot. The two functions that hand their words on have no list of their own.
fn direct(place: &str, text: &str) -> Option<Written> {
    let end = text.find([';', '}']).unwrap_or(text.len());
    let text = &text[..end];
    // `looking` hands the words of its callers on; they are read where they stand.
    if text.contains(".args(args)") || text.contains("\"GIT_OPTIONAL_LOCKS\", \"0\"") {
        return None;
    }
    let lists = ends_of(text, ".args([").into_iter().flat_map(|at| list(&text[at..]));
    let single = ends_of(text, ".arg(\"").into_iter().map(|at| text[at..].split('"').next());
    let words: Vec<_> = lists.chain(single.map(|word| word.map(str::to_owned))).collect();
    assert!(!words.is_empty(), "a call in {place} cannot be read: {text}");
    Some(Written { place: place.to_owned(), words })
}

fn constant(text: &str, name: &str) -> Vec<Option<String>> {
    let start = text.find(&format!("const {name}:")).unwrap_or_else(|| panic!("no {name}"));
    let value = text[start..].find("= [").unwrap_or_else(|| panic!("{name} is no list"));
    list(&text[start + value + 3..])
}

/// The words up to the bracket that ends the list.
fn list(text: &str) -> Vec<Option<String>> {
    let end = text.find(']').unwrap();
    let items = text[..end].split(',').map(str::trim).filter(|item| !item.is_empty());
    let literal = |item: &str| Some(item.strip_prefix('"')?.strip_suffix('"')?.to_owned());
    items.map(literal).collect()
}

fn ends_of(text: &str, start: &str) -> Vec<usize> {
    text.match_indices(start).map(|(at, _)| at + start.len()).collect()
}

/// What stands above the tests of each file.
fn collect(folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            files.push((path.display().to_string(), text));
        }
    }
}
