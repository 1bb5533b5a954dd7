//! Small things that several agents share.

use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tollgate_core::limits::REPLY_BYTES_MAX;
use tollgate_core::reply::Usage;

/// What a tool works on is told in so many letters.
const WHAT_MAX: usize = 200;

/// More than any conversation can use; sums of such counts stay exact in JSON, too.
const TOKENS_MAX: u64 = 1_000_000_000_000;
const MICRO_USD_MAX: f64 = 1e12;

/// The arguments that say most about a call, the most telling first.
const TELLING: [&str; 9] =
    ["command", "file_path", "path", "dir_path", "pattern", "query", "url", "uri", "name"];

/// What a tool call works on, in a few words: a command or a path.
pub fn of_arguments(arguments: &Value) -> String {
    let found = TELLING.iter().find_map(|name| arguments[*name].as_str());
    short(found.unwrap_or_default())
}

/// The first line, as far as it is told.
pub fn short(text: &str) -> String {
    cut(text.trim().lines().next().unwrap_or_default(), WHAT_MAX)
}

/// At most so many letters, and no word half: half of a secret would not be known for one any more.
pub fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some((end, _)) => without_half_word(&text[..end]).to_owned(),
    }
}

/// A text that continues, without what may be the beginning of a word.
pub fn without_half_word(text: &str) -> &str {
    text.trim_end_matches(is_of_word)
}

/// The end of a longer text, without what may be the end of a word.
pub fn without_first_half(text: &str) -> &str {
    text.trim_start_matches(is_of_word)
}

fn is_of_word(char: char) -> bool {
    char.is_ascii_graphic() && !"\"'`,;()[]{}<>".contains(char)
}

/// A count of tokens; none of what cannot be one.
pub fn tokens(told: &Value) -> Option<u64> {
    told.as_u64().filter(|count| *count <= TOKENS_MAX)
}

/// Of counts of which some may be unknown; none where all are.
pub fn sum(counts: impl IntoIterator<Item = Option<u64>>) -> Option<u64> {
    counts.into_iter().flatten().reduce(u64::saturating_add)
}

/// Input and output, with what only the total knows of: what came from a cache, which is input, and else thinking, which is
/// output.
pub fn with_rest(spent: Usage, total: Option<u64>, cached: Option<u64>) -> Usage {
    let (Some(input), Some(output), Some(total)) = (spent.input_tokens, spent.output_tokens, total)
    else {
        return spent;
    };
    let rest = total.saturating_sub(input.saturating_add(output));
    let from_cache = rest.min(cached.unwrap_or(0));
    Usage {
        input_tokens: Some(input + from_cache),
        output_tokens: Some(output + (rest - from_cache)),
        ..spent
    }
}

/// US dollars in millionths; none of what is no amount.
pub fn micro_usd(told: &Value) -> Option<u64> {
    let micro = (told.as_f64()? * 1_000_000.0).round();
    (0.0..=MICRO_USD_MAX).contains(&micro).then_some(micro as u64)
}

/// Puts a piece of a message to those before it; what no reply can hold is left out.
pub fn add_piece(message: &mut String, piece: &str) {
    if (message.len() + piece.len()) as u64 <= REPLY_BYTES_MAX {
        message.push_str(piece);
    }
}

/// Takes away what an agent may have left in its private folder, a file or a folder. Nothing is reached through a link: one
/// that is in the way goes instead.
pub fn forget(home: &Path, relative: &str) -> io::Result<()> {
    let mut path = home.to_owned();
    for step in relative.split('/') {
        path.push(step);
        match path.symlink_metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return fs::remove_file(&path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    fs::remove_dir_all(&path)
}

/// The folders in a folder, links to folders too, in order; none where there is no folder.
pub fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use serde_json::json;

    #[test]
    fn r106_what_only_the_total_knows_of_is_counted_once() {
        let counted = |input, output, total, cached| {
            let spent = Usage { input_tokens: input, output_tokens: output, ..Usage::default() };
            let spent = with_rest(spent, total, cached);
            (spent.input_tokens, spent.output_tokens)
        };
        let (input, output) = (Some(100), Some(20));
        assert_eq!(counted(input, output, Some(120), Some(90)), (input, output), "all is told");
        assert_eq!(counted(input, output, Some(128), None), (input, Some(28)), "thinking");
        assert_eq!(counted(input, output, Some(168), Some(40)), (Some(140), Some(28)));
        assert_eq!(counted(input, output, Some(10), None), (input, output), "no sum of them");
        assert_eq!(counted(input, output, None, Some(90)), (input, output));
        assert_eq!(counted(input, None, Some(120), None), (input, None), "unknown stays unknown");
    }

    #[test]
    fn what_is_forgotten_is_never_reached_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (home, theirs) = (dir.path().join("home"), dir.path().join("theirs"));
        fs::create_dir_all(home.join("a/b/c")).unwrap();
        fs::create_dir_all(theirs.join("b")).unwrap();
        forget(&home, "a/b").unwrap();
        forget(&home, "a/b").unwrap();
        assert!(home.join("a").exists() && !home.join("a/b").exists());
        fs::remove_dir(home.join("a")).unwrap();
        std::os::unix::fs::symlink(&theirs, home.join("a")).unwrap();
        forget(&home, "a/b").unwrap();
        assert!(theirs.join("b").exists() && !home.join("a").exists());
    }

    #[test]
    fn r113_a_text_is_never_cut_in_the_middle_of_a_word() {
        let words = format!("{} token-1234567890", "a ".repeat(95));
        assert_eq!(short(&words), "a ".repeat(95) + " ");
        assert_eq!(cut("cat key=abcdef0123", 12), "cat ");
        assert_eq!(cut("cat", 12), "cat");
        assert_eq!(without_first_half("0123\"} and more"), "\"} and more");
    }

    #[test]
    fn what_cannot_have_been_spent_is_not_counted() {
        assert_eq!(tokens(&json!(20)), Some(20));
        for odd in [json!(-1), json!(u64::MAX), json!(1.5), json!("3"), json!(null)] {
            assert_eq!(tokens(&odd), None, "{odd}");
        }
        assert_eq!(micro_usd(&json!(0.0006)), Some(600));
        for odd in [json!(-0.5), json!(1e300), json!("1"), json!([1])] {
            assert_eq!(micro_usd(&odd), None, "{odd}");
        }
    }

    #[test]
    fn a_message_without_end_is_kept_to_the_size_of_a_reply() {
        let (mut message, piece) = (String::new(), "x".repeat(1024 * 1024));
        (0..100).for_each(|_| add_piece(&mut message, &piece));
        assert_eq!(message.len() as u64, REPLY_BYTES_MAX);
    }

    #[test]
    fn a_call_is_shown_in_one_short_line() {
        assert_eq!(of_arguments(&json!({"command": "make\nall", "path": "x"})), "make");
        assert_eq!(of_arguments(&json!({"path": "é".repeat(500)})).chars().count(), WHAT_MAX);
        assert_eq!(of_arguments(&json!(["odd"])), "");
    }
}
