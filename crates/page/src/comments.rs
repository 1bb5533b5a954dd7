//! What a person writes beside a line, until it goes along with their answer. It outlasts this program, and no journal has it.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tollgate_core::id::{DecisionId, SessionName};
use tollgate_desk::Repo;
use tollgate_files as files;

/// More than anybody writes at one gate.
const COMMENTS_MAX: usize = 200;
/// With the quotes and the words beside them they fit into one answer.
const COMMENTS_BYTES_MAX: usize = 40_000;
const FILE_BYTES_MAX: u64 = 1 << 20;
/// So much of the line is quoted.
pub const QUOTE_CHARS: usize = 160;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    pub file: String,
    /// Of the new file, or with a minus before it of the old one.
    pub line: i64,
    /// What stands in the line.
    pub quote: String,
    pub text: String,
}

/// The question that comments are for: one round of it.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    pub repo: &'a Repo,
    pub session: &'a SessionName,
    pub decision: &'a DecisionId,
    pub round: u32,
}

#[derive(Debug)]
pub struct Comments {
    folder: Option<PathBuf>,
    /// Two requests at once lose neither comment.
    writing: Mutex<()>,
}

impl Comments {
    pub fn new(state: Option<&Path>) -> Self {
        Self { folder: state.map(|state| state.join("comments")), writing: Mutex::new(()) }
    }

    /// What cannot be read is not shown; `put` says why.
    pub fn of(&self, asked: &Asked<'_>) -> Vec<Comment> {
        self.read(asked).unwrap_or_default()
    }

    fn read(&self, asked: &Asked<'_>) -> std::io::Result<Vec<Comment>> {
        let Some(path) = self.path(asked) else { return Ok(Vec::new()) };
        match files::read_bounded(&path, FILE_BYTES_MAX) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
            Err(error) if error.is_not_found() => Ok(Vec::new()),
            Err(error) => Err(std::io::Error::other(error)),
        }
    }

    /// In place of an earlier one on the same line; one without text takes it away.
    pub fn put(&self, asked: &Asked<'_>, comment: Comment) -> std::io::Result<()> {
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = self.read(asked)?;
        all.retain(|known| (&known.file, known.line) != (&comment.file, comment.line));
        if !comment.text.trim().is_empty() {
            all.push(comment);
        }
        let bytes: usize = all.iter().map(|one| one.text.len()).sum();
        if all.len() > COMMENTS_MAX || bytes > COMMENTS_BYTES_MAX {
            return Err(std::io::Error::other("your comments are too long for one answer"));
        }
        all.sort_by(|one, other| (&one.file, one.line.abs()).cmp(&(&other.file, other.line.abs())));
        let Some(path) = self.path(asked) else {
            return Err(std::io::Error::other("there is no state directory to keep it in"));
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        files::write_atomic(&path, &serde_json::to_vec(&all)?).map_err(std::io::Error::other)
    }

    /// They were sent.
    pub fn forget(&self, asked: &Asked<'_>) {
        let _was_not_there = self.path(asked).map(std::fs::remove_file);
    }

    fn path(&self, asked: &Asked<'_>) -> Option<PathBuf> {
        let name = format!("{}-{}.json", asked.decision, asked.round);
        Some(self.folder.as_ref()?.join(&asked.repo.id).join(asked.session.as_str()).join(name))
    }
}

/// The words of an answer with the comments below them.
pub fn in_words(words: &str, comments: &[Comment]) -> String {
    let mut all = words.trim().to_owned();
    for Comment { file, line, quote, text } in comments {
        if !all.is_empty() {
            all.push_str("\n\n");
        }
        let line = match line {
            ..0 => format!("removed line {}", line.unsigned_abs()),
            _ => format!("line {line}"),
        };
        let quote =
            if quote.trim().is_empty() { String::new() } else { format!(" (`{}`)", quote.trim()) };
        all.push_str(&format!("{file}, {line}{quote}: {}", text.trim()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Comment, in_words};

    #[test]
    fn comments_follow_the_words() {
        let comment = |line, quote: &str| Comment {
            file: "a.md".to_owned(),
            line,
            quote: quote.to_owned(),
            text: "why?".to_owned(),
        };
        assert_eq!(in_words(" Too long. ", &[]), "Too long.");
        assert_eq!(
            in_words("Too long.", &[comment(3, " x = 1"), comment(-4, "")]),
            "Too long.\n\na.md, line 3 (`x = 1`): why?\n\na.md, removed line 4: why?"
        );
        assert_eq!(in_words("", &[comment(3, "")]), "a.md, line 3: why?");
    }
}
