//! A text that is read from top to bottom: lines in their inks, broken to the width of the screen.

use crate::paint::{Ink, Paint};
use crate::text::{lines, width, wrap};
use ratatui::text::{Line, Span};
use tollgate_files::sanitize::terminal_line;

/// Before each line that others wrote: none of them can look like one of ours.
const BAR: &str = "│ ";
/// What a screen cannot show in hours is no help to anybody.
const LINES_MAX: usize = 50_000;
/// So far to the right stands what follows the first line of a paragraph, at most.
const HANG_MAX: usize = 12;
/// A paragraph that is longer would push what follows off the screen; documents have it whole.
const ITEM_CHARS_MAX: usize = 600;

#[derive(Debug, Clone)]
struct DocLine {
    ink: Ink,
    /// What stands before each piece of it.
    before: &'static str,
    text: String,
    /// So far to the right are the pieces after the first.
    hang: usize,
}

#[derive(Debug, Clone, Default)]
pub struct Doc {
    lines: Vec<DocLine>,
    /// Where parts of it begin, by line.
    parts: Vec<usize>,
    shown: Option<Wrapped>,
}

/// The lines as they fit a width.
#[derive(Debug, Clone)]
struct Wrapped {
    columns: usize,
    /// The ink, what stands before, and the text of each row.
    rows: Vec<(Ink, &'static str, String)>,
    parts: Vec<usize>,
}

impl Doc {
    /// Words of ours.
    pub fn say(&mut self, ink: Ink, text: impl Into<String>) -> &mut Self {
        self.push(ink, "", text.into(), 0);
        self
    }

    /// A blank line before it, where anything stands above.
    pub fn head(&mut self, text: impl Into<String>) -> &mut Self {
        if !self.lines.is_empty() {
            self.blank();
        }
        self.say(Ink::Strong, text)
    }

    pub fn blank(&mut self) -> &mut Self {
        self.say(Ink::Plain, "")
    }

    /// A text of others, each line behind a bar.
    pub fn quote(&mut self, ink: Ink, text: &str) -> &mut Self {
        for line in lines(text) {
            self.push(ink, BAR, line, 0);
        }
        self
    }

    /// A word of ours and what it means, which stays beside it.
    pub fn entry(&mut self, word: &str, meaning: &str) -> &mut Self {
        let text = format!("{word}{meaning}");
        self.push(Ink::Plain, "  ", text, width(word));
        self
    }

    /// A text of others as one paragraph below words of ours. Where it is wrapped it stands deeper than any line of ours begins,
    /// so that it cannot look like one.
    pub fn item(&mut self, ink: Ink, mark: &str, text: &str) -> &mut Self {
        let text = terminal_line(text, ITEM_CHARS_MAX);
        self.push(ink, "  ", format!("{mark}{text}"), HANG_MAX);
        self
    }

    /// The next line begins a part of it.
    pub fn part(&mut self) -> &mut Self {
        self.parts.push(self.lines.len());
        self
    }

    /// A difference as git writes it.
    pub fn patch(&mut self, patch: &str) -> &mut Self {
        let mut hunk = Hunk::default();
        let mut has_head = false;
        for line in lines(patch) {
            let in_hunk = hunk.take(&line);
            // Of two files that are in no commit, there is no line before their names.
            let begins = !in_hunk
                && (line.starts_with("diff --git ") || (line.starts_with("--- ") && !has_head));
            if begins {
                if !self.lines.is_empty() {
                    self.blank();
                }
                self.part();
            }
            has_head = !in_hunk && (begins || has_head) && !line.starts_with("@@");
            let ink = match line.as_bytes().first() {
                Some(b'+') if in_hunk => Ink::Good,
                Some(b'-') if in_hunk => Ink::Bad,
                _ if in_hunk => Ink::Plain,
                Some(b'@') => Ink::Note,
                _ => Ink::Strong,
            };
            self.push(ink, BAR, line, 0);
        }
        self
    }

    /// Markdown as it is written: headings stand out, code stands back.
    pub fn markdown(&mut self, text: &str) -> &mut Self {
        let mut is_code = false;
        for line in lines(text) {
            let is_fence = line.trim_start().starts_with("```");
            let ink = match is_code || is_fence {
                true => Ink::Dim,
                false if line.starts_with('#') => Ink::Strong,
                false => Ink::Plain,
            };
            is_code ^= is_fence;
            self.push(ink, BAR, line, 0);
        }
        self
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// How many rows it takes, and where its parts begin.
    pub fn fit(&mut self, columns: usize) -> (usize, &[usize]) {
        let shown = self.wrapped(columns);
        (shown.rows.len(), &shown.parts)
    }

    pub fn rows(
        &mut self,
        paint: Paint,
        columns: usize,
        from: usize,
        count: usize,
    ) -> Vec<Line<'static>> {
        let rows = self.wrapped(columns).rows.iter().skip(from).take(count);
        rows.map(|(ink, before, text)| {
            let text = Span::styled(text.clone(), paint.style(*ink));
            Line::from(vec![Span::styled(*before, paint.style(Ink::Dim)), text])
        })
        .collect()
    }

    fn push(&mut self, ink: Ink, before: &'static str, text: String, hang: usize) {
        if self.lines.len() >= LINES_MAX {
            let half = LINES_MAX / 2;
            self.lines.drain(..half);
            self.parts = self.parts.iter().filter_map(|at| at.checked_sub(half)).collect();
            let text = "… what came before is not shown any more".to_owned();
            self.lines.insert(0, DocLine { ink: Ink::Dim, before: "", text, hang: 0 });
            self.shown = None;
        }
        let line = DocLine { ink, before, text, hang };
        if let Some(shown) = &mut self.shown {
            shown.rows.extend(line.rows(shown.columns));
        }
        self.lines.push(line);
    }

    fn wrapped(&mut self, columns: usize) -> &Wrapped {
        let is_fit = self.shown.as_ref().is_some_and(|shown| shown.columns == columns);
        if !is_fit || self.parts.len() != self.shown.as_ref().map_or(0, |shown| shown.parts.len()) {
            self.shown = None;
        }
        let (lines, parts) = (&self.lines, &self.parts);
        self.shown.get_or_insert_with(|| {
            let mut shown = Wrapped { columns, rows: Vec::new(), parts: Vec::new() };
            for (index, line) in lines.iter().enumerate() {
                if parts.contains(&index) {
                    shown.parts.push(shown.rows.len());
                }
                shown.rows.extend(line.rows(columns));
            }
            shown
        })
    }
}

/// What is left of a part of a difference: a line of it is never taken for a heading, whatever it looks like.
#[derive(Debug, Default)]
struct Hunk {
    old: u32,
    new: u32,
}

impl Hunk {
    /// True where the line belongs to it.
    fn take(&mut self, line: &str) -> bool {
        if (self.old, self.new) == (0, 0) {
            if let Some((old, new)) = sizes(line) {
                (self.old, self.new) = (old, new);
            }
            return false;
        }
        let (old, new) = match line.as_bytes().first() {
            Some(b'+') => (0, 1),
            Some(b'-') => (1, 0),
            // That a file has no line end at its end.
            Some(b'\\') => (0, 0),
            _ => (1, 1),
        };
        (self.old, self.new) = (self.old.saturating_sub(old), self.new.saturating_sub(new));
        true
    }
}

/// How many lines of the old and of the new file: `@@ -1,2 +3,4 @@`.
fn sizes(line: &str) -> Option<(u32, u32)> {
    let (spans, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = spans.split_once(" +")?;
    let size = |span: &str| span.split_once(',').map_or(Some(1), |(_, size)| size.parse().ok());
    Some((size(old)?, size(new)?))
}

/// A line in pieces: the first has all columns, the others those that are left of them.
fn first_and_rest(text: &str, columns: usize, hang: usize) -> (String, Vec<String>) {
    let first = wrap(text, columns).swap_remove(0);
    let rest = text.get(first.len()..).unwrap_or_default();
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let rest = wrap(rest, columns.saturating_sub(hang));
    (first, rest)
}

impl DocLine {
    fn rows(&self, columns: usize) -> impl Iterator<Item = (Ink, &'static str, String)> + use<> {
        let (ink, before) = (self.ink, self.before);
        let hang = self.hang;
        let columns = columns.saturating_sub(width(before));
        let (first, rest) = match width(&self.text) > columns {
            true => first_and_rest(&self.text, columns, hang),
            false => (self.text.clone(), Vec::new()),
        };
        let rest = rest.into_iter().map(move |piece| format!("{}{piece}", " ".repeat(hang)));
        std::iter::once(first).chain(rest).map(move |piece| (ink, before, piece))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r191_a_text_of_others_that_is_wrapped_begins_deeper_than_any_line_of_ours() {
        let words = "every check passes on each of the machines AC-002: no login is weakened ✓ met: run by Tollgate";
        let mut doc = Doc::default();
        doc.item(Ink::Good, "✓ met ", words).item(Ink::Dim, "    ", words);
        let rows = doc.lines.iter().flat_map(|line| line.rows(50));
        let (first, rest): (Vec<String>, Vec<String>) = rows
            .map(|row| row.2)
            .partition(|text| text.chars().take_while(|one| *one == ' ').count() <= 6);
        assert_eq!((first.len(), rest.len() > 2), (2, true), "{first:#?} {rest:#?}");
        doc.item(Ink::Plain, "", &"x".repeat(5_000));
        assert!(doc.lines[2].text.len() < 1_000, "what follows stays on the screen");
    }
}
