//! The files that a person names in their own words.

/// Files that a person names in what they want done, unless they name them to be left alone.
pub fn paths(words: &str) -> Vec<String> {
    let mut named = Vec::new();
    let parts = words.split([';', '\n']).flat_map(|part| part.split(". "));
    for sentence in parts.flat_map(|part| part.split(" but ")) {
        if is_forbidding(sentence) {
            continue;
        }
        for word in sentence.split_whitespace().map(bare) {
            if is_path(word) && named.iter().all(|known| known != word) {
                named.push(word.to_owned());
            }
        }
    }
    named
}

fn bare(word: &str) -> &str {
    let quotes = ['`', '"', '\'', '(', ')', '[', ']', '<', '>', ',', ';', ':', '!', '?', '*'];
    word.trim_matches(quotes).trim_end_matches('.').trim_matches(quotes)
}

fn is_forbidding(sentence: &str) -> bool {
    const WORDS: [&str; 20] = [
        "not",
        "never",
        "without",
        "except",
        "avoid",
        "leave",
        "dont",
        "cannot",
        "no",
        "instead",
        "keep",
        "ignore",
        "skip",
        "unchanged",
        "untouched",
        "alone",
        "stop",
        "revert",
        "nothing",
        "nor",
    ];
    sentence.split_whitespace().any(|word| {
        let word = bare(word).to_lowercase().replace('’', "'");
        WORDS.contains(&word.as_str()) || word.ends_with("n't")
    })
}

/// A plain path from the repository's root: with a folder, or with an extension.
fn is_path(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | '@');
    let has_extension = || {
        let (name, extension) = word.rsplit_once('.').unwrap_or(("", ""));
        let is_code = |c: char| c.is_ascii_alphanumeric();
        !name.is_empty()
            && (1..=8).contains(&extension.len())
            && extension.chars().all(is_code)
            && extension.chars().any(|c| c.is_ascii_alphabetic())
    };
    word.chars().all(plain)
        && !word.starts_with('/')
        && !word.ends_with('/')
        && !word.contains("//")
        && !word.split('/').any(|part| matches!(part, "" | "." | ".."))
        && (word.contains('/') || has_extension())
}

#[cfg(test)]
mod tests {
    use super::paths;

    #[test]
    fn r099_files_that_a_person_names_are_found_and_those_to_leave_alone_are_not() {
        let words =
            "also fix the limit in `src/limits/rate.ts`, and README.md. Do not touch src/auth.ts.";
        assert_eq!(paths(words), ["src/limits/rate.ts", "README.md"]);
        for nothing in [
            "make it faster",
            "see https://example.org/a.html",
            "/etc/passwd",
            "../up/x.ts",
            "never src/a.ts",
            "version 1.2 and 3.14",
            "leave src/a.ts alone",
            "don’t touch src/a.ts",
            "you shouldn't change src/a.ts",
            "keep src/a.ts as it is",
        ] {
            assert_eq!(paths(nothing), Vec::<String>::new(), "{nothing}");
        }
    }
}
