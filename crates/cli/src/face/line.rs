//! The answer that a person is typing: keys come in as they are read, and a pasted text stays one text.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const ESCAPE: u8 = 0x1b;
const PASTE_BEGINS: &[u8] = b"[200~";
const PASTE_ENDS: &[u8] = b"[201~";
/// The end of the input, Ctrl-D.
const END: u8 = 4;
const TAB: &str = "    ";

#[derive(Debug)]
pub struct InputLine {
    text: String,
    /// The beginning of a key that has not come whole.
    rest: Vec<u8>,
    is_pasting: bool,
}

/// What one burst of keys came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TypedKeys {
    /// To be shown behind what is there.
    pub echo: String,
    /// What is shown does not fit any more: the prompt and the text are shown again.
    pub is_stale: bool,
    pub entered: Option<String>,
    /// The person wants to type nothing more.
    pub has_left: bool,
}

enum Key {
    Char(char),
    Erase,
    EraseWord,
    EraseAll,
    End,
    Paste(bool),
    None,
}

impl InputLine {
    pub const fn new() -> Self {
        Self { text: String::new(), rest: Vec::new(), is_pasting: false }
    }

    /// Takes what came in one burst. Its last line end enters the answer; those before it belong to the text, so that
    /// a paste is whole at terminals that do not mark one, too.
    pub fn hear(&mut self, burst: &[u8], prompt: &str, columns: usize) -> TypedKeys {
        let mut heard = TypedKeys::default();
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
            match key {
                Key::Char('\n') if enter_at == Some(at) && !self.is_pasting => {
                    heard.echo.push('\n');
                    heard.entered = Some(std::mem::take(&mut self.text).trim_end().to_owned());
                }
                Key::Char(char) => {
                    self.text.push(char);
                    heard.echo.push_str(&shown(char));
                }
                Key::Erase => self.erase(prompt, columns, 1, &mut heard),
                Key::EraseWord => self.erase(prompt, columns, self.last_word(), &mut heard),
                Key::EraseAll => {
                    self.erase(prompt, columns, self.text.chars().count(), &mut heard);
                }
                Key::End => heard.has_left |= self.text.is_empty(),
                Key::Paste(begins) => self.is_pasting = begins,
                Key::None => {}
            }
            at += length;
        }
        heard
    }

    /// The text as it is shown.
    pub fn shown(&self) -> String {
        self.text.chars().map(shown).collect()
    }

    fn erase(&mut self, prompt: &str, columns: usize, count: usize, heard: &mut TypedKeys) {
        for _ in 0..count {
            let row = self.text.rsplit('\n').next().unwrap_or_default();
            let before = if row.len() == self.text.len() { prompt.width() } else { 0 };
            let row_width = before + row.chars().map(|char| shown(char).width()).sum::<usize>();
            let Some(char) = self.text.pop() else { return };
            // A terminal does not step back over the beginning of a row.
            heard.is_stale |= char == '\n' || row_width >= columns;
            heard.echo.push_str(&"\u{8} \u{8}".repeat(shown(char).width()));
        }
    }

    /// How many characters Ctrl-W takes away.
    fn last_word(&self) -> usize {
        let without_space = self.text.trim_end();
        let word = without_space.chars().rev().take_while(|char| !char.is_whitespace()).count();
        word + self.text[without_space.len()..].chars().count()
    }
}

/// The first key and how many bytes it has; none when it is not whole.
fn key(bytes: &[u8]) -> Option<(Key, usize)> {
    let first = *bytes.first()?;
    let control = match first {
        ESCAPE => return escape(bytes),
        0x7f | 0x08 => Key::Erase,
        0x17 => Key::EraseWord,
        0x15 => Key::EraseAll,
        END => Key::End,
        b'\n' | b'\r' => Key::Char('\n'),
        b'\t' => Key::Char('\t'),
        0..0x20 => Key::None,
        _ => return char(bytes),
    };
    Some((control, 1))
}

fn char(bytes: &[u8]) -> Option<(Key, usize)> {
    let valid = match std::str::from_utf8(&bytes[..bytes.len().min(4)]) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(error) => return error.error_len().map(|length| (Key::Char('\u{fffd}'), length)),
    };
    let char = valid.chars().next()?;
    Some((Key::Char(char), char.len_utf8()))
}

/// Arrows and the like do nothing; the marks around a paste count.
fn escape(bytes: &[u8]) -> Option<(Key, usize)> {
    match bytes.get(1)? {
        b'[' => {
            let end = bytes[2..].iter().position(|byte| !matches!(byte, 0x20..0x40))? + 3;
            let key = match &bytes[1..end] {
                PASTE_BEGINS => Key::Paste(true),
                PASTE_ENDS => Key::Paste(false),
                _ => Key::None,
            };
            Some((key, end))
        }
        b'O' => bytes.get(2).map(|_| (Key::None, 3)),
        // The Escape key alone, and then something else.
        _ => Some((Key::None, 1)),
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
    use super::*;

    fn hear(line: &mut InputLine, bytes: &[u8]) -> TypedKeys {
        line.hear(bytes, "> ", 80)
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
    fn what_was_erased_disappears() {
        let mut line = InputLine::new();
        assert_eq!(hear(&mut line, "世\x7f".as_bytes()).echo, "世\u{8} \u{8}\u{8} \u{8}");
        assert!(hear(&mut line, b"\x1b[200~a\n\x1b[201~\x7f").is_stale, "it was on the row before");
        assert!(line.hear(b"bc\x7f", "> ", 4).is_stale, "the row was full");
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
