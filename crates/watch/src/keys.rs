//! Bytes of a keyboard, as the keys that a person pressed.

/// More bytes of a sequence without an end are none.
const SEQUENCE_BYTES_MAX: usize = 32;
/// A paste that is longer is cut off.
const PASTE_BYTES_MAX: usize = 1 << 20;
const PASTE_ENDS: &[u8] = b"\x1b[201~";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Ctrl(char),
    Enter,
    Tab,
    BackTab,
    Esc,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Backspace,
    Delete,
    /// What a terminal marks as pasted: never keys.
    Paste(String),
}

/// Reads them piece by piece, as they arrive.
#[derive(Debug, Default)]
pub struct Keys {
    pending: Vec<u8>,
    paste: Option<Vec<u8>>,
}

enum Next {
    Key(Key, usize),
    /// Bytes that are no key of ours.
    Nothing(usize),
    Pastes(usize),
    /// The end of it has not arrived.
    Waits,
}

impl Keys {
    pub fn take(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.pending.extend_from_slice(bytes);
        let mut keys = Vec::new();
        loop {
            if self.paste.is_some() {
                match self.pasted() {
                    Some(key) => keys.push(key),
                    None => return keys,
                }
            }
            let used = match next(&self.pending) {
                Next::Key(key, used) => {
                    keys.push(key);
                    used
                }
                Next::Nothing(used) => used,
                Next::Pastes(used) => {
                    self.paste = Some(Vec::new());
                    used
                }
                Next::Waits => return keys,
            };
            self.pending.drain(..used);
        }
    }

    /// The beginning of a sequence was read, or the Esc key by itself.
    pub fn is_in_doubt(&self) -> bool {
        self.paste.is_none() && !self.pending.is_empty()
    }

    /// Nothing follows: Esc was pressed.
    pub fn settle(&mut self) -> Vec<Key> {
        if !self.is_in_doubt() {
            return Vec::new();
        }
        let is_escape = self.pending[0] == 0x1b;
        self.pending.drain(..1);
        let mut keys = if is_escape { vec![Key::Esc] } else { Vec::new() };
        keys.extend(self.take(&[]));
        keys
    }

    fn pasted(&mut self) -> Option<Key> {
        let paste = self.paste.as_mut()?;
        paste.append(&mut self.pending);
        let end = paste.windows(PASTE_ENDS.len()).position(|bytes| bytes == PASTE_ENDS);
        let Some(end) = end else {
            if paste.len() > PASTE_BYTES_MAX {
                // Its end is still looked for.
                let tail = paste.len() - PASTE_ENDS.len();
                paste.drain(PASTE_BYTES_MAX.min(tail)..tail);
            }
            return None;
        };
        let mut paste = self.paste.take()?;
        self.pending = paste.split_off(end + PASTE_ENDS.len());
        paste.truncate(end);
        Some(Key::Paste(String::from_utf8_lossy(&paste).replace("\r\n", "\n").replace('\r', "\n")))
    }
}

fn next(bytes: &[u8]) -> Next {
    match bytes {
        [] | [0x1b] => Next::Waits,
        [0x1b, b'[', ..] => control_sequence(bytes),
        [0x1b, b'O', rest @ ..] => match rest.first() {
            Some(last) => named(&[], *last).map_or(Next::Nothing(3), |key| Next::Key(key, 3)),
            None => Next::Waits,
        },
        // Alt with a key is that key; Esc twice is Esc.
        [0x1b, 0x1b, ..] => Next::Key(Key::Esc, 1),
        [0x1b, ..] => match next(&bytes[1..]) {
            Next::Key(key, used) => Next::Key(key, used + 1),
            Next::Nothing(used) => Next::Nothing(used + 1),
            Next::Pastes(_) | Next::Waits => Next::Waits,
        },
        [b'\r' | b'\n', ..] => Next::Key(Key::Enter, 1),
        [b'\t', ..] => Next::Key(Key::Tab, 1),
        [0x7f | 0x08, ..] => Next::Key(Key::Backspace, 1),
        [0, ..] => Next::Nothing(1),
        [byte @ 0x01..=0x1a, ..] => Next::Key(Key::Ctrl(char::from(byte - 1 + b'a')), 1),
        [0x1c..=0x1f, ..] => Next::Nothing(1),
        _ => character(bytes),
    }
}

fn character(bytes: &[u8]) -> Next {
    let length = match bytes[0] {
        0x00..=0x7f => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => return Next::Nothing(1),
    };
    let Some(first) = bytes.get(..length) else {
        return Next::Waits;
    };
    match std::str::from_utf8(first).ok().and_then(|text| text.chars().next()) {
        Some(char) if !char.is_control() => Next::Key(Key::Char(char), length),
        Some(_) => Next::Nothing(length),
        None => Next::Nothing(1),
    }
}

/// `ESC [`, parameters, a final byte.
fn control_sequence(bytes: &[u8]) -> Next {
    let body = &bytes[2..];
    let Some(end) = body.iter().position(|byte| (0x40..=0x7e).contains(byte)) else {
        return match bytes.len() > SEQUENCE_BYTES_MAX {
            true => Next::Nothing(bytes.len()),
            false => Next::Waits,
        };
    };
    let used = end + 3;
    if &bytes[..used] == b"\x1b[200~" {
        return Next::Pastes(used);
    }
    named(&body[..end], body[end]).map_or(Next::Nothing(used), |key| Next::Key(key, used))
}

fn named(parameters: &[u8], last: u8) -> Option<Key> {
    Some(match last {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' => Key::Right,
        b'D' => Key::Left,
        b'H' => Key::Home,
        b'F' => Key::End,
        b'Z' => Key::BackTab,
        b'M' if parameters.is_empty() => Key::Enter,
        b'~' => match parameters.split(|byte| *byte == b';').next()? {
            b"1" | b"7" => Key::Home,
            b"4" | b"8" => Key::End,
            b"3" => Key::Delete,
            b"5" => Key::PageUp,
            b"6" => Key::PageDown,
            _ => return None,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Key, Keys};

    #[track_caller]
    fn check(bytes: &[u8], expected: &[Key]) {
        assert_eq!(Keys::default().take(bytes), expected);
        // A slow line brings one byte at a time.
        let mut keys = Keys::default();
        let one_by_one: Vec<Key> = bytes.iter().flat_map(|byte| keys.take(&[*byte])).collect();
        assert_eq!(one_by_one, expected);
    }

    #[test]
    fn keys_have_the_names_that_terminals_give_them() {
        check(b"\x1b[A\x1bOB\x1b[1;5C\x1b[D", &[Key::Up, Key::Down, Key::Right, Key::Left]);
        check(b"\x1b[5~\x1b[6~\x1b[1~\x1b[4~", &[Key::PageUp, Key::PageDown, Key::Home, Key::End]);
        check(
            b"\t\x1b[Z\r\x7f\x1b[3~",
            &[Key::Tab, Key::BackTab, Key::Enter, Key::Backspace, Key::Delete],
        );
        check("ä世\u{3}".as_bytes(), &[Key::Char('ä'), Key::Char('世'), Key::Ctrl('c')]);
        check(b"\x1b[?1;2c\x1b[I", &[]);
    }

    #[test]
    fn escape_by_itself_is_a_key_once_nothing_follows() {
        let mut keys = Keys::default();
        assert_eq!(keys.take(b"\x1b"), []);
        assert!(keys.is_in_doubt());
        assert_eq!(keys.settle(), [Key::Esc]);
        assert!(!keys.is_in_doubt());
        assert_eq!(keys.take(b"\x1b\x1b"), [Key::Esc]);
        assert_eq!(keys.settle(), [Key::Esc]);
    }

    #[test]
    fn a_paste_is_never_taken_for_keys() {
        check(
            b"a\x1b[200~1\r\ny\r\x03\x1b[A\x1b[201~b",
            &[Key::Char('a'), Key::Paste("1\ny\n\u{3}\u{1b}[A".to_owned()), Key::Char('b')],
        );
        let mut keys = Keys::default();
        let long = vec![b'x'; 3 << 20];
        assert_eq!(keys.take(b"\x1b[200~"), []);
        assert_eq!(keys.take(&long), []);
        let shown = keys.take(b"\x1b[201~q");
        assert!(matches!(&shown[..], [Key::Paste(text), Key::Char('q')] if text.len() > 1 << 19));
    }

    #[test]
    fn bytes_that_are_no_text_are_passed_over() {
        assert_eq!(Keys::default().take(b"\xff\xc3\x28a\x00"), [Key::Char('('), Key::Char('a')]);
    }
}
