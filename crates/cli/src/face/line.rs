//! The answer that a person is typing: keys come in as they are read, the text can be edited anywhere, and a pasted text stays
//! one text.

mod keys;

use keys::{END, Key, Motion, key};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const TAB: &str = "    ";

#[derive(Debug)]
pub struct InputLine {
    text: String,
    /// Where the next character goes, in bytes.
    cursor: usize,
    /// The beginning of a key that has not come whole.
    rest: Vec<u8>,
    is_pasting: bool,
    earlier: Vec<String>,
    /// Which of `earlier` is shown, and what was typed before it was looked for.
    looked_up: Option<(usize, String)>,
}

/// Where a text is shown.
#[derive(Debug, Clone, Copy)]
pub struct Screen<'a> {
    pub prompt: &'a str,
    pub columns: usize,
    /// The terminal can move its cursor. Where it cannot, keys that move do nothing.
    pub can_move: bool,
}

/// What one burst of keys came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TypedKeys {
    /// To be written where the cursor is.
    pub echo: String,
    /// What is shown does not fit any more: the prompt and the text are shown again.
    pub is_stale: bool,
    pub entered: Option<String>,
    /// The person wants to type nothing more.
    pub has_left: bool,
}

/// A row below the prompt, and a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    row: usize,
    column: usize,
}

impl InputLine {
    pub const fn new() -> Self {
        Self {
            text: String::new(),
            cursor: 0,
            rest: Vec::new(),
            is_pasting: false,
            earlier: Vec::new(),
            looked_up: None,
        }
    }

    /// Forgets what is being typed, and keeps what was entered before.
    pub fn clear(&mut self) {
        let earlier = std::mem::take(&mut self.earlier);
        *self = Self { earlier, ..Self::new() };
    }

    /// Takes what came in one burst. Its last line end enters the answer; those before it belong to the text, so that
    /// a paste is whole at terminals that do not mark one, too.
    pub fn hear(&mut self, burst: &[u8], screen: Screen<'_>) -> TypedKeys {
        let mut heard = TypedKeys::default();
        let before = self.place(self.cursor, screen);
        let mut is_inside = false;
        let mut bytes = std::mem::take(&mut self.rest);
        bytes.extend_from_slice(burst);
        let keys_end = bytes.len() - usize::from(bytes.last() == Some(&END));
        let enter_at = keys_end.checked_sub(1).filter(|at| matches!(bytes[*at], b'\n' | b'\r'));
        let mut at = 0;
        while at < bytes.len() {
            let Some((key, length)) = key(&bytes[at..]) else {
                self.rest = bytes[at..].to_vec();
                break;
            };
            if key == Key::Char('\n') && enter_at == Some(at) && !self.is_pasting {
                is_inside |= self.cursor < self.text.len();
                self.cursor = self.text.len();
                heard.echo = self.drawn(before, is_inside, screen, heard.echo) + "\n";
                heard.entered = Some(self.enter());
                is_inside = false;
            } else {
                is_inside |= self.press(key, screen, &mut heard);
            }
            at += length;
        }
        if heard.entered.is_none() {
            heard.echo = self.drawn(before, is_inside, screen, heard.echo);
        }
        heard
    }

    /// The text as it is shown.
    pub fn shown(&self) -> String {
        self.text.chars().map(shown).collect()
    }

    fn enter(&mut self) -> String {
        let text = std::mem::take(&mut self.text).trim_end().to_owned();
        (self.cursor, self.looked_up) = (0, None);
        if !text.is_empty() && self.earlier.last() != Some(&text) {
            self.earlier.push(text.clone());
        }
        text
    }

    /// Whether the text must be drawn again, because something else than its end has changed.
    fn press(&mut self, key: Key, screen: Screen<'_>, heard: &mut TypedKeys) -> bool {
        let is_at_end = self.cursor == self.text.len();
        match key {
            Key::Char(char) => {
                self.text.insert(self.cursor, char);
                self.cursor += char.len_utf8();
                heard.echo.push_str(&shown(char));
                return !is_at_end;
            }
            Key::Erase | Key::EraseWord | Key::EraseBefore => {
                let from = match key {
                    Key::Erase => self.left_of(self.cursor),
                    Key::EraseWord => self.word_left_of(self.cursor),
                    _ => 0,
                };
                if is_at_end {
                    self.erase_end(from, screen, heard);
                    return false;
                }
                self.text.replace_range(from..self.cursor, "");
                self.cursor = from;
            }
            Key::Delete => self.text.replace_range(self.cursor..self.right_of(self.cursor), ""),
            Key::EraseAfter => self.text.replace_range(self.cursor..self.row_end(), ""),
            Key::Move(motion) if screen.can_move => self.cursor = self.after(motion),
            Key::Earlier if screen.can_move => self.look_up(|index| index.checked_sub(1)),
            Key::Later if screen.can_move => self.look_up(|index| Some(index + 1)),
            Key::End => {
                heard.has_left |= self.text.is_empty();
                return false;
            }
            Key::Paste(begins) => {
                self.is_pasting = begins;
                return false;
            }
            Key::Move(_) | Key::Earlier | Key::Later | Key::None => return false,
        }
        true
    }

    fn after(&self, motion: Motion) -> usize {
        match motion {
            Motion::Left => self.left_of(self.cursor),
            Motion::Right => self.right_of(self.cursor),
            Motion::WordLeft => self.word_left_of(self.cursor),
            Motion::WordRight => self.word_right_of(self.cursor),
            Motion::RowStart => self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1),
            Motion::RowEnd => self.row_end(),
        }
    }

    fn row_end(&self) -> usize {
        let rest = &self.text[self.cursor..];
        self.cursor + rest.find('\n').unwrap_or(rest.len())
    }

    /// What has no width belongs to the character before it.
    fn left_of(&self, at: usize) -> usize {
        let mut chars = self.text[..at].char_indices().rev();
        chars.find(|(_, char)| !shown(*char).is_empty()).map_or(0, |(index, _)| index)
    }

    fn right_of(&self, at: usize) -> usize {
        let mut chars = self.text[at..].char_indices().skip(1);
        let next = chars.find(|(_, char)| !shown(*char).is_empty());
        next.map_or(self.text.len(), |(index, _)| at + index)
    }

    fn word_left_of(&self, at: usize) -> usize {
        let without_space = self.text[..at].trim_end();
        without_space.rfind(char::is_whitespace).map_or(0, |space| {
            space + without_space[space..].chars().next().map_or(0, char::len_utf8)
        })
    }

    fn word_right_of(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let word = rest.find(|char: char| !char.is_whitespace()).unwrap_or(rest.len());
        at + word + rest[word..].find(char::is_whitespace).unwrap_or(rest.len() - word)
    }

    /// Shows another of the answers that were entered; after the last one comes what was being typed.
    fn look_up(&mut self, step: impl Fn(usize) -> Option<usize>) {
        let count = self.earlier.len();
        let (index, typed) = self.looked_up.take().unwrap_or((count, self.text.clone()));
        let next = step(index).unwrap_or(0).min(count);
        self.text = self.earlier.get(next).unwrap_or(&typed).clone();
        self.cursor = self.text.len();
        self.looked_up = Some((next, typed)).filter(|(next, _)| *next < count);
    }

    fn erase_end(&mut self, from: usize, screen: Screen<'_>, heard: &mut TypedKeys) {
        while self.text.len() > from {
            let row = self.text.rsplit('\n').next().unwrap_or_default();
            let before = if row.len() == self.text.len() { screen.prompt.width() } else { 0 };
            let row_width = before + row.chars().map(|char| shown(char).width()).sum::<usize>();
            let Some(char) = self.text.pop() else { break };
            // A terminal does not step back over the beginning of a row.
            heard.is_stale |= char == '\n' || row_width >= screen.columns;
            heard.echo.push_str(&"\u{8} \u{8}".repeat(shown(char).width()));
        }
        self.cursor = self.text.len();
    }

    /// What shows the text as it is now. At the end of the text what was typed is enough.
    fn drawn(&self, before: Place, is_inside: bool, screen: Screen<'_>, typed: String) -> String {
        if !is_inside {
            return typed;
        }
        let mut drawn = String::from("\r");
        if before.row > 0 {
            drawn.push_str(&format!("\u{1b}[{}A", before.row));
        }
        if screen.prompt.width() > 0 {
            drawn.push_str(&format!("\u{1b}[{}C", screen.prompt.width()));
        }
        drawn.push_str("\u{1b}[J");
        drawn.push_str(&self.shown());
        let (end, now) = (self.place(self.text.len(), screen), self.place(self.cursor, screen));
        if end != now {
            drawn.push('\r');
            if end.row > now.row {
                drawn.push_str(&format!("\u{1b}[{}A", end.row - now.row));
            }
            if now.column > 0 {
                drawn.push_str(&format!("\u{1b}[{}C", now.column));
            }
        }
        drawn
    }

    /// Where the terminal shows what comes at this byte.
    fn place(&self, at: usize, screen: Screen<'_>) -> Place {
        let columns = screen.columns.max(1);
        let mut place = Place { row: 0, column: screen.prompt.width() };
        for char in self.text[..at].chars() {
            let width = shown(char).width();
            if char == '\n' {
                place = Place { row: place.row + 1, column: 0 };
                continue;
            }
            if place.column + width > columns {
                place = Place { row: place.row + 1, column: 0 };
            }
            place.column += width;
        }
        // Behind a full row the terminal stays where it is until something comes after it.
        if place.column >= columns && at < self.text.len() {
            place = Place { row: place.row + 1, column: 0 };
        }
        place
    }
}

fn shown(char: char) -> String {
    match char {
        '\t' => TAB.to_owned(),
        '\n' => "\n".to_owned(),
        _ if char.width().is_some_and(|width| width > 0) => char.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    const WIDE: Screen<'_> = Screen { prompt: "> ", columns: 80, can_move: true };

    fn hear(line: &mut InputLine, bytes: &[u8]) -> TypedKeys {
        line.hear(bytes, WIDE)
    }

    fn entered(bursts: &[&[u8]]) -> Option<String> {
        let mut line = InputLine::new();
        bursts.iter().fold(None, |_, burst| hear(&mut line, burst).entered)
    }

    #[test]
    fn r179_a_paste_is_one_text_and_enters_nothing() {
        let mut line = InputLine::new();
        let pasted = hear(&mut line, b"\x1b[200~one\ntwo\n\x1b[201~");
        assert_eq!((pasted.entered, pasted.echo.as_str()), (None, "one\ntwo\n"));
        assert_eq!(hear(&mut line, b"\n").entered.as_deref(), Some("one\ntwo"));
    }

    #[test]
    fn r179_a_paste_may_come_in_pieces() {
        let whole = "\u{1b}[200~grün\nzwei\u{1b}[201~\n".as_bytes();
        for cut in 1..whole.len() {
            let (one, two) = whole.split_at(cut);
            assert_eq!(entered(&[one, two]).as_deref(), Some("grün\nzwei"), "cut at {cut}");
        }
    }

    #[test]
    fn r179_lines_of_one_burst_are_one_text() {
        assert_eq!(entered(&[b"one\ntwo\n\nthree\n"]).as_deref(), Some("one\ntwo\n\nthree"));
        assert_eq!(entered(&[b"one\ntwo", b"\n"]).as_deref(), Some("one\ntwo"));
        assert_eq!(entered(&[b"yes\n"]).as_deref(), Some("yes"));
        assert_eq!(entered(&[b"\n"]).as_deref(), Some(""));
    }

    #[test]
    fn enter_enters_at_a_terminal_that_sends_it_as_it_is() {
        assert_eq!(entered(&[b"yes\r"]).as_deref(), Some("yes"));
        assert_eq!(entered(&[b"yes", b"\r"]).as_deref(), Some("yes"));
        assert_eq!(entered(&[b"yes\r\n"]).as_deref(), Some("yes"));
        assert_eq!(entered(&[b"one\rtwo\r"]).as_deref(), Some("one\ntwo"));
    }

    #[test]
    fn keys_that_erase_work_and_others_do_nothing() {
        assert_eq!(entered(&[b"abx\x7fc\x1b[D\x1bOA\x01\n"]).as_deref(), Some("abc"));
        assert_eq!(entered(&["ä世\x7f\x7fo\n".as_bytes()]).as_deref(), Some("o"));
        assert_eq!(entered(&[b"one two  \x17three\n"]).as_deref(), Some("one three"));
        assert_eq!(entered(&[b"wrong\x15right\n"]).as_deref(), Some("right"));
        assert_eq!(entered(&[b"\x1b", b"x\n"]).as_deref(), Some("x"));
        assert_eq!(entered(&[b"\x7f\xff\n"]).as_deref(), Some("\u{fffd}"));
    }

    #[test]
    fn r180_the_text_is_edited_where_the_cursor_is() {
        let cases: [(&[u8], &str); 14] = [
            (b"ac\x1b[Db\n", "abc"),
            (b"bc\x1b[Ha\n", "abc"),
            (b"bc\x01a\x05d\n", "abcd"),
            (b"abc\x1b[D\x1b[D\x1b[3~\n", "ac"),
            (b"abc\x1bOD\x7f\n", "ac"),
            (b"one two\x1bb\x1b[D\x17\n", " two"),
            (b"one two\x1b[1;5Dnew \n", "one new two"),
            (b"one two\x01\x1bf,\n", "one, two"),
            (b"one two\x1b[D\x1b[D\x1b[D\x0b\n", "one"),
            (b"one two\x1bb\x15\n", "two"),
            (b"\x1b[Dx\x1b[Cy\n", "xy"),
            ("a\u{308}b\u{1b}[D\u{1b}[Dx\n".as_bytes(), "xa\u{308}b"),
            ("世界\u{1b}[D大\n".as_bytes(), "世大界"),
            (b"\x1b[200~one\ntwo\x1b[201~\x1b[Hx\n", "one\nxtwo"),
        ];
        for (keys, text) in cases {
            assert_eq!(entered(&[keys]).as_deref(), Some(text), "{keys:?}");
            let single: Vec<&[u8]> = keys.chunks(1).collect();
            assert_eq!(entered(&single).as_deref(), Some(text), "one by one: {keys:?}");
        }
    }

    #[test]
    fn r180_earlier_answers_come_back() {
        let mut line = InputLine::new();
        hear(&mut line, b"first\n");
        hear(&mut line, b"second\n");
        hear(&mut line, b"begun");
        for (key, shows) in [("A", "second"), ("A", "first"), ("A", "first"), ("B", "second")] {
            hear(&mut line, format!("\u{1b}[{key}").as_bytes());
            assert_eq!(line.shown(), shows);
        }
        hear(&mut line, b"\x1b[B");
        assert_eq!(line.shown(), "begun", "what was being typed is not lost");
        line.clear();
        hear(&mut line, b"\x1b[A");
        assert_eq!(line.shown(), "second");
    }

    /// A terminal that knows the few sequences that are written.
    struct Drawn {
        rows: Vec<Vec<char>>,
        at: (usize, usize),
        columns: usize,
    }

    impl Drawn {
        fn new(columns: usize) -> Self {
            let mut drawn = Self { rows: vec![Vec::new()], at: (0, 0), columns };
            drawn.write("> ");
            drawn
        }

        fn write(&mut self, text: &str) {
            let mut rest = text;
            while let Some(char) = rest.chars().next() {
                if let Some(sequence) = rest.strip_prefix("\u{1b}[") {
                    let end = sequence.find(char::is_alphabetic).unwrap();
                    let count = sequence[..end].parse().unwrap_or(1);
                    match &sequence[end..=end] {
                        "A" => self.at.0 -= count,
                        "C" => self.at.1 += count,
                        _ => {
                            self.rows.truncate(self.at.0 + 1);
                            self.rows[self.at.0].truncate(self.at.1);
                        }
                    }
                    rest = &sequence[end + 1..];
                    continue;
                }
                self.put(char);
                rest = &rest[char.len_utf8()..];
            }
        }

        fn put(&mut self, char: char) {
            match char {
                '\r' => self.at.1 = 0,
                '\n' => self.at = (self.at.0 + 1, 0),
                '\u{8}' => self.at.1 = self.at.1.saturating_sub(1),
                _ => {
                    if self.at.1 == self.columns {
                        self.at = (self.at.0 + 1, 0);
                    }
                    self.rows.resize(self.rows.len().max(self.at.0 + 1), Vec::new());
                    let row = &mut self.rows[self.at.0];
                    row.resize(row.len().max(self.at.1 + 1), ' ');
                    row[self.at.1] = char;
                    self.at.1 += 1;
                }
            }
        }

        fn text(&self) -> String {
            let rows = self.rows.iter().map(|row| row.iter().collect::<String>());
            rows.map(|row| row.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
        }
    }

    #[test]
    fn r180_the_screen_shows_the_text_as_it_is_also_over_several_rows() {
        for columns in [6, 7, 10, 40] {
            let mut line = InputLine::new();
            let mut drawn = Drawn::new(columns);
            let keys =
                ["one two three four", "\u{1b}[H", "x", "\u{1b}[3~", "\u{1b}[1;5C", "-", "\u{b}"];
            for key in keys.iter().flat_map(|keys| match keys.starts_with('\u{1b}') {
                true => vec![(*keys).to_owned()],
                false => keys.chars().map(String::from).collect(),
            }) {
                let screen = Screen { prompt: "> ", columns, can_move: true };
                drawn.write(&line.hear(key.as_bytes(), screen).echo);
                let joined: String = drawn.text().replace('\n', "");
                let expected = format!("> {}", line.shown());
                assert_eq!(joined.replace(' ', ""), expected.replace(' ', ""), "{columns} {key:?}");
            }
            assert_eq!(line.shown(), "xne-");
        }
    }

    #[test]
    fn r180_a_terminal_that_cannot_move_its_cursor_is_sent_no_sequence() {
        let mut line = InputLine::new();
        let dumb = Screen { can_move: false, ..WIDE };
        let heard = line.hear(b"abc\x1b[D\x1b[Ax\x7f\n", dumb);
        assert_eq!(heard.entered.as_deref(), Some("abc"));
        assert!(!heard.echo.contains('\u{1b}'), "{:?}", heard.echo);
    }

    #[test]
    fn what_was_erased_disappears() {
        let mut line = InputLine::new();
        assert_eq!(hear(&mut line, "世\x7f".as_bytes()).echo, "世\u{8} \u{8}\u{8} \u{8}");
        assert!(hear(&mut line, b"\x1b[200~a\n\x1b[201~\x7f").is_stale, "it was on the row before");
        assert!(line.hear(b"bc\x7f", Screen { columns: 4, ..WIDE }).is_stale, "the row was full");
        assert_eq!(line.shown(), "ab");
    }

    #[test]
    fn the_end_of_the_input_loses_no_text() {
        let mut line = InputLine::new();
        assert!(!hear(&mut line, b"text\x04").has_left);
        let end = hear(&mut line, b"\n\x04");
        assert_eq!((end.entered.as_deref(), end.has_left), (Some("text"), true));
    }
}
