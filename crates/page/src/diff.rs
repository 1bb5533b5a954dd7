//! A patch as files with numbered lines.

/// More lines of one patch are not shown on a page.
pub const LINES_MAX: usize = 4_000;
/// Nor more of one file, so that a long one hides no other.
const FILE_LINES_MAX: usize = 1_000;
/// What git says of a file beside its lines.
const NOTES: [&str; 10] = [
    "Binary files",
    "new file",
    "deleted file",
    "old mode",
    "new mode",
    "rename from",
    "rename to",
    "copy from",
    "copy to",
    "similarity index",
];

#[derive(Debug, PartialEq, Eq)]
pub struct FileDiff {
    pub path: String,
    pub lines: Vec<Line>,
    /// Also of those that are left out.
    pub added: usize,
    pub removed: usize,
    /// Lines that are not here because the patch is too long.
    pub left_out: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// Begins a part of the file; what stands behind the numbers.
    Hunk(String),
    Context {
        old: u32,
        new: u32,
        text: String,
    },
    Added {
        new: u32,
        text: String,
    },
    Removed {
        old: u32,
        text: String,
    },
    /// What git says of the file, such as that it is binary.
    Note(String),
}

pub fn files(patch: &str) -> Vec<FileDiff> {
    let mut reader = Reader::default();
    patch.lines().for_each(|line| reader.take(line));
    reader.files
}

#[derive(Default)]
struct Reader {
    files: Vec<FileDiff>,
    /// The next line of the old file and of the new one, and how many of each are left of the hunk.
    at: (u32, u32),
    left: (u32, u32),
    shown: usize,
    /// The head of a file is being read.
    is_begun: bool,
}

impl Reader {
    fn take(&mut self, line: &str) {
        if self.left != (0, 0) {
            return self.in_hunk(line);
        }
        if let Some(rest) = line.strip_prefix("diff --git ") {
            self.begin(named(rest));
        } else if line.starts_with("--- ") && !self.is_begun {
            // Of two files that are in no commit, there is no line before it.
            self.begin(String::new());
            self.take(line);
        } else if let Some(path) = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- ")) {
            // The name of a file that is gone is on the other side.
            if let Some(path) = side(path)
                && let Some(file) = self.files.last_mut()
            {
                file.path = path;
            }
        } else if let Some((old, new, rest)) = hunk(line) {
            (self.at, self.left) = ((old.0, new.0), (old.1, new.1));
            self.is_begun = false;
            self.push(Line::Hunk(rest));
        } else if NOTES.iter().any(|note| line.starts_with(note)) {
            self.push(Line::Note(line.to_owned()));
        }
    }

    fn begin(&mut self, path: String) {
        let lines = Vec::new();
        self.files.push(FileDiff { path, lines, added: 0, removed: 0, left_out: 0 });
        self.is_begun = true;
    }

    fn in_hunk(&mut self, line: &str) {
        let (mark, text) = line.split_at_checked(1).unwrap_or((line, ""));
        let text = text.to_owned();
        let (old, new) = self.at;
        let (takes_old, takes_new, line) = match mark {
            "+" => (0, 1, Line::Added { new, text }),
            "-" => (1, 0, Line::Removed { old, text }),
            // That a file has no line end at its end.
            "\\" => return self.push(Line::Note(text.trim().to_owned())),
            _ => (1, 1, Line::Context { old, new, text }),
        };
        self.at = (old + takes_old, new + takes_new);
        self.left = (self.left.0.saturating_sub(takes_old), self.left.1.saturating_sub(takes_new));
        self.push(line);
    }

    fn push(&mut self, line: Line) {
        let Some(file) = self.files.last_mut() else { return };
        file.added += usize::from(matches!(line, Line::Added { .. }));
        file.removed += usize::from(matches!(line, Line::Removed { .. }));
        match self.shown >= LINES_MAX || file.lines.len() >= FILE_LINES_MAX {
            true => file.left_out += 1,
            false => {
                self.shown += 1;
                file.lines.push(line);
            }
        }
    }
}

/// The name in `a/x b/x`, for files without hunks.
fn named(rest: &str) -> String {
    let half = rest.len() / 2;
    let second = rest.get(half + 1..).and_then(|path| path.strip_prefix("b/"));
    second.unwrap_or(rest).to_owned()
}

/// A name with a tab or a quote in it is quoted by git.
fn side(path: &str) -> Option<String> {
    let path = path.trim_end_matches('\t').trim_matches('"');
    let name = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"))?;
    Some(name.to_owned())
}

type Span = (u32, u32);

/// `@@ -1,2 +3,4 @@ fn main()`.
fn hunk(line: &str) -> Option<(Span, Span, String)> {
    let (spans, rest) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = spans.split_once(" +")?;
    let span = |text: &str| match text.split_once(',') {
        Some((from, count)) => Some((from.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    };
    Some((span(old)?, span(new)?, rest.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{Line, files};

    #[test]
    fn lines_have_the_numbers_of_their_files() {
        let patch = "diff --git a/a.rs b/a.rs\nindex 1..2 100644\n--- a/a.rs\n+++ b/a.rs\n@@ -3,2 +3,3 @@ fn x()\n one\n-two\n+zwei\n+--- a/evil\n";
        let found = files(patch);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "a.rs");
        assert_eq!(
            found[0].lines,
            [
                Line::Hunk("fn x()".to_owned()),
                Line::Context { old: 3, new: 3, text: "one".to_owned() },
                Line::Removed { old: 4, text: "two".to_owned() },
                Line::Added { new: 4, text: "zwei".to_owned() },
                Line::Added { new: 5, text: "--- a/evil".to_owned() },
            ]
        );
    }

    #[test]
    fn a_removed_line_that_looks_like_a_heading_is_a_line() {
        let patch = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,1 @@\n--- a/other\n rest\ndiff --git a/b b/b\nnew file mode 100644\n";
        let found = files(patch);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].lines[1], Line::Removed { old: 1, text: "-- a/other".to_owned() });
        assert_eq!(
            (found[1].path.as_str(), &found[1].lines[..]),
            ("b", &[Line::Note("new file mode 100644".to_owned())][..])
        );
    }

    #[test]
    fn a_long_file_is_counted_whole_and_hides_no_other() {
        let long = "+x\n".repeat(75_000);
        let patch = format!(
            "diff --git a/lock b/lock\n--- a/lock\n+++ b/lock\n@@ -0,0 +1,75000 @@\n{long}\
             diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-a\n+b\n"
        );
        let found = files(&patch);
        assert_eq!((found[0].added, found[0].removed), (75_000, 0));
        assert_eq!(found[0].lines.len() + found[0].left_out, 75_001);
        assert_eq!((found[1].added, found[1].removed, found[1].left_out), (1, 1, 0));
        assert_eq!(found[1].lines[1], Line::Note("new mode 100755".to_owned()));
    }

    #[test]
    fn a_patch_of_plain_files_has_no_first_line() {
        let patch = "--- /dev/null\n+++ b/adr/1.md\n@@ -0,0 +1 @@\n+one\n--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-x\n+y\n";
        let found = files(patch);
        assert_eq!(
            found.iter().map(|file| (file.path.as_str(), file.lines.len())).collect::<Vec<_>>(),
            [("adr/1.md", 2), ("a.md", 3)]
        );
    }

    #[test]
    fn a_file_that_is_gone_keeps_its_name() {
        let found = files(
            "diff --git a/x/y b/x/y\ndeleted file mode 100644\n--- a/x/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n",
        );
        assert_eq!(found[0].path, "x/y");
    }
}
