//! Words that a person types, over as many lines as they want.

use crate::keys::Key;
use crate::paint::{Ink, Paint};
use crate::text::{chop, width};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use tollgate_files::sanitize::terminal_text;

/// As much as an answer may have.
const CHARS_MAX: usize = 60_000;

#[derive(Debug, Clone)]
pub struct Typing {
    lines: Vec<String>,
    row: usize,
    /// Characters before the cursor.
    column: usize,
    is_one_line: bool,
}

impl Typing {
    pub fn new(text: &str) -> Self {
        let mut typing = Self { lines: vec![String::new()], row: 0, column: 0, is_one_line: false };
        typing.put(text);
        typing
    }

    pub fn one_line() -> Self {
        Self { is_one_line: true, ..Self::new("") }
    }

    pub fn is_one_line(&self) -> bool {
        self.is_one_line
    }

    pub fn text(&self) -> String {
        self.lines.join("\n")
    }

    pub fn is_empty(&self) -> bool {
        self.lines.iter().all(|line| line.trim().is_empty())
    }

    /// Where the cursor is, from the top.
    pub fn is_on_last_line(&self) -> bool {
        self.row + 1 == self.lines.len()
    }

    /// False where the key is none of writing.
    pub fn handle(&mut self, key: &Key) -> bool {
        match key {
            Key::Char(char) => self.put(char.encode_utf8(&mut [0; 4])),
            Key::Paste(text) => self.put(text),
            Key::Enter if !self.is_one_line => self.put("\n"),
            Key::Backspace => self.backspace(),
            Key::Delete => self.delete(),
            Key::Left => self.left(),
            Key::Right => self.right(),
            Key::Up if self.row > 0 => self.move_to_row(self.row - 1),
            Key::Down if !self.is_on_last_line() => self.move_to_row(self.row + 1),
            Key::Home | Key::Ctrl('a') => self.column = 0,
            Key::End | Key::Ctrl('e') => self.column = self.chars(),
            Key::Ctrl('u') => self.cut_before(),
            Key::Ctrl('k') => {
                let at = self.at();
                self.lines[self.row].truncate(at);
            }
            Key::Ctrl('w') => self.cut_word(),
            _ => return false,
        }
        true
    }

    /// What could change the screen is left out; tabs become blanks.
    fn put(&mut self, text: &str) {
        let room =
            CHARS_MAX.saturating_sub(self.lines.iter().map(|line| line.chars().count() + 1).sum());
        let clean = terminal_text(text).replace('\t', "    ");
        for char in clean.chars().take(room) {
            match char {
                '\n' if self.is_one_line => self.insert(' '),
                '\n' => {
                    let at = self.at();
                    let tail = self.lines[self.row].split_off(at);
                    self.lines.insert(self.row + 1, tail);
                    (self.row, self.column) = (self.row + 1, 0);
                }
                char => self.insert(char),
            }
        }
    }

    fn insert(&mut self, char: char) {
        let at = self.at();
        self.lines[self.row].insert(at, char);
        self.column += 1;
    }

    fn backspace(&mut self) {
        if self.column > 0 {
            self.column -= 1;
            let at = self.at();
            self.lines[self.row].remove(at);
        } else if self.row > 0 {
            let tail = self.lines.remove(self.row);
            self.row -= 1;
            self.column = self.chars();
            self.lines[self.row].push_str(&tail);
        }
    }

    fn delete(&mut self) {
        if self.column < self.chars() {
            let at = self.at();
            self.lines[self.row].remove(at);
        } else if !self.is_on_last_line() {
            let next = self.lines.remove(self.row + 1);
            self.lines[self.row].push_str(&next);
        }
    }

    fn left(&mut self) {
        if self.column > 0 {
            self.column -= 1;
        } else if self.row > 0 {
            self.row -= 1;
            self.column = self.chars();
        }
    }

    fn right(&mut self) {
        if self.column < self.chars() {
            self.column += 1;
        } else if !self.is_on_last_line() {
            (self.row, self.column) = (self.row + 1, 0);
        }
    }

    fn move_to_row(&mut self, row: usize) {
        self.row = row;
        self.column = self.column.min(self.chars());
    }

    fn cut_before(&mut self) {
        let at = self.at();
        self.lines[self.row].drain(..at);
        self.column = 0;
    }

    fn cut_word(&mut self) {
        let at = self.at();
        let before = self.lines[self.row][..at].trim_end();
        let from = before.rfind(' ').map_or(0, |blank| blank + 1);
        self.lines[self.row].drain(from..at);
        self.column = self.lines[self.row][..from].chars().count();
    }

    fn chars(&self) -> usize {
        self.lines[self.row].chars().count()
    }

    /// The cursor as a place in its line.
    fn at(&self) -> usize {
        let line = &self.lines[self.row];
        line.char_indices().nth(self.column).map_or(line.len(), |(at, _)| at)
    }

    /// With the cursor where keys go to it.
    pub fn draw(&self, frame: &mut Frame<'_>, paint: Paint, area: Rect, has_keys: bool) {
        let columns = usize::from(area.width).saturating_sub(1);
        let mut shown: Vec<String> = Vec::new();
        let mut cursor = (0, 0);
        for (index, line) in self.lines.iter().enumerate() {
            let pieces = chop(line, columns);
            if index == self.row {
                let (row, column) = place(&pieces, self.at());
                cursor = (shown.len() + row, column);
            }
            shown.extend(pieces.iter().map(|piece| (*piece).to_owned()));
        }
        let height = usize::from(area.height);
        let top = (cursor.0 + 1).saturating_sub(height);
        let ink = if has_keys { Ink::Plain } else { Ink::Dim };
        let shown = shown.into_iter().skip(top).take(height);
        let shown: Vec<Line<'static>> =
            shown.map(|piece| Line::styled(piece, paint.style(ink))).collect();
        frame.render_widget(Paragraph::new(shown), area);
        if has_keys && area.height > 0 {
            let (row, column) = (cursor.0 - top, cursor.1.min(columns));
            let to_u16 = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
            frame.set_cursor_position(Position::new(area.x + to_u16(column), area.y + to_u16(row)));
        }
    }
}

/// In which of the pieces a place in the line is, and how far to the right.
fn place(pieces: &[&str], at: usize) -> (usize, usize) {
    let mut before = 0;
    for (row, piece) in pieces.iter().enumerate() {
        let is_last = row + 1 == pieces.len();
        if at < before + piece.len() || is_last {
            return (row, width(&piece[..at - before]));
        }
        before += piece.len();
    }
    (0, 0)
}

#[cfg(test)]
mod tests {
    use super::Typing;
    use crate::keys::Key;

    fn typed(keys: &[Key]) -> String {
        let mut typing = Typing::new("");
        for key in keys {
            assert!(typing.handle(key), "{key:?}");
        }
        typing.text()
    }

    fn chars(text: &str) -> Vec<Key> {
        text.chars().map(|char| if char == '\n' { Key::Enter } else { Key::Char(char) }).collect()
    }

    #[test]
    fn lines_are_written_joined_and_split() {
        assert_eq!(typed(&chars("one\ntwo")), "one\ntwo");
        let mut keys = chars("one\ntwo");
        keys.extend([Key::Home, Key::Backspace, Key::Enter, Key::Up, Key::End, Key::Delete]);
        assert_eq!(typed(&keys), "onetwo");
        let mut keys = chars("größe und mehr");
        keys.extend([Key::Ctrl('w'), Key::Left, Key::Left, Key::Backspace, Key::Char('n')]);
        assert_eq!(typed(&keys), "größe und ");
    }

    #[test]
    fn r191_a_paste_is_taken_whole_and_without_sequences() {
        let paste = Key::Paste("a\u{1b}[31m\tb\nc".to_owned());
        assert_eq!(typed(std::slice::from_ref(&paste)), "a    b\nc");
        let mut line = Typing::one_line();
        line.handle(&paste);
        assert_eq!(line.text(), "a    b c");
        assert!(!line.handle(&Key::Enter) && !line.handle(&Key::Up));
    }
}
