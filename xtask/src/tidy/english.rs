//! Plain English where people read: words and phrases that must not come back, each with what to write instead.
//! `docs/glossary.md` explains the choice.

use super::Problem;
use crate::source::{SourceFile, find_words, is_word};

/// Lower case. A phrase counts as whole words, in comments, texts, Markdown and the names of functions.
const INSTEAD: [(&str, &str); 31] = [
    ("anew", "again"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("mending", "fixing"),
    ("naught", "nothing"),
    ("whilst", "while"),
    ("purse", "budget"),
    ("mouth", "output"),
    ("errand", "dispatch"),
    ("errands", "dispatches"),
    ("nobody leads", "is not running"),
    ("goes on", "continues"),
    ("go on with", "continue"),
    ("is for a person", "waits for your answer"),
    ("read well", "is valid"),
    ("reads well", "is valid"),
    ("somebody else", "someone else, or another process"),
    ("is to be", "must be"),
    ("are to be", "must be"),
    ("stand there", "are there"),
    ("stands there", "is there"),
    ("none such", "no such"),
    ("handed in", "submitted"),
    ("hands in", "submits"),
    ("as it stands", "as it is"),
    ("becomes of", "happens to"),
    ("in flight", "running"),
    ("without a word", "silently"),
    ("broken off", "interrupted"),
    ("is told as", "is reported as"),
];

/// The list itself, the page that explains it, and what other programs print.
const EXEMPT: [&str; 3] = ["xtask/src/tidy/english.rs", "docs/glossary.md", "docs/reference/"];

/// A heading of work items that people and agents rely on.
const KEPT_PLURAL: &str = "section(s)";

/// A name of fewer words is no sentence, such as `mend` in `mod mend`.
const SENTENCE_WORDS_MIN: usize = 3;

pub fn check(files: &[SourceFile]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| is_read_by_people(&file.path)) {
        let mut code = file.code.lines();
        for (index, line) in file.text.lines().enumerate() {
            for message in found(line, code.next().unwrap_or_default()) {
                problems.push(Problem::at(file, index + 1, message));
            }
        }
    }
    problems
}

fn is_read_by_people(path: &str) -> bool {
    let is_table = path == "xtask/claims.txt" || path.starts_with("xtask/compliance/");
    let is_prose = path.ends_with(".rs") || path.ends_with(".md") || is_table;
    is_prose && !EXEMPT.iter().any(|exempt| path.starts_with(exempt))
}

fn found(line: &str, code: &str) -> Vec<String> {
    let (line, code) = (line.to_lowercase(), code.to_lowercase());
    let name = sentence(&code);
    let mut messages = Vec::new();
    for (phrase, instead) in INSTEAD {
        // An identifier is in both, and no prose.
        let in_prose = find_words(&line, phrase).count() > find_words(&code, phrase).count();
        if in_prose || find_words(&name, phrase).next().is_some() {
            messages.push(format!("`{phrase}` is not plain English here: write `{instead}`"));
        }
    }
    if plurals(&line) > plurals(&code) {
        messages.push("`(s)` is no plural: write one word for one and another for many".to_owned());
    }
    messages
}

/// The name of a function as a sentence; empty unless the line begins one with a long name.
fn sentence(code: &str) -> String {
    let Some((_, rest)) = code.split_once("fn ") else { return String::new() };
    let name: String = rest.chars().take_while(|c| is_word(*c)).collect();
    let words = name.split('_').count();
    if words < SENTENCE_WORDS_MIN { String::new() } else { name.replace('_', " ") }
}

fn plurals(line: &str) -> usize {
    let line = line.replace(KEPT_PLURAL, "");
    let after_letter = |ending: &str| {
        let places = line.match_indices(ending);
        places.filter(|(at, _)| line[..*at].ends_with(|c: char| c.is_ascii_lowercase())).count()
    };
    after_letter("(s)") + after_letter("(es)")
}

#[cfg(test)]
mod tests {
    use super::{INSTEAD, check};
    use crate::source::SourceFile;

    fn bites(path: &str, text: &str) -> bool {
        !check(&[SourceFile::new(path, text)]).is_empty()
    }

    #[test]
    fn every_phrase_is_found_wherever_people_read() {
        for (phrase, _) in INSTEAD {
            assert!(bites("docs/a.md", &format!("It {phrase} here.")), "{phrase}");
            assert!(bites("a.rs", &format!("// It {phrase} here.\n")), "{phrase}");
            assert!(bites("a.rs", &format!("/// {}\n", phrase.to_uppercase())), "{phrase}");
            assert!(bites("a.rs", &format!("let a = \"it {phrase}\";")), "{phrase}");
            let name = phrase.replace(' ', "_");
            assert!(bites("a.rs", &format!("fn r012_it_{name}_here() {{}}")), "{phrase}");
        }
        assert!(bites("a.rs", "let a = \"{count} file(s)\";"));
        assert!(bites("docs/a.md", "2 dispatch(es)"));
        assert!(bites("xtask/claims.txt", "R001 It goes on."));
    }

    #[test]
    fn innocent_text_passes() {
        for text in [
            "// recommended, a tomb is to begin, the amended plan goes only so far\n",
            "mod mend;\nuse super::Errand;\nfn mend() {}\n",
            "let b = of(s); // real code\n",
            "let c = \"- Section(s): 1\";",
        ] {
            assert!(!bites("a.rs", text), "{text}");
        }
        assert!(!bites("docs/glossary.md", "say again, not anew"));
        assert!(!bites("crates/x/recorded.jsonl", "{\"text\": \"anew\"}"));
    }
}
