//! What a terminal sends for each key.

const ESCAPE: u8 = 0x1b;
/// The end of the input, Ctrl-D.
pub const END: u8 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Erase,
    EraseWord,
    EraseBefore,
    EraseAfter,
    Delete,
    Move(Motion),
    /// To what was entered before, or back from there.
    Earlier,
    Later,
    End,
    Paste(bool),
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    Left,
    Right,
    WordLeft,
    WordRight,
    RowStart,
    RowEnd,
}

/// The first key and how many bytes it has; none when it is not whole.
pub fn key(bytes: &[u8]) -> Option<(Key, usize)> {
    let first = *bytes.first()?;
    let control = match first {
        ESCAPE => return escape(bytes),
        0x7f | 0x08 => Key::Erase,
        0x01 => Key::Move(Motion::RowStart),
        0x02 => Key::Move(Motion::Left),
        0x05 => Key::Move(Motion::RowEnd),
        0x06 => Key::Move(Motion::Right),
        0x0b => Key::EraseAfter,
        0x0e => Key::Later,
        0x10 => Key::Earlier,
        0x15 => Key::EraseBefore,
        0x17 => Key::EraseWord,
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

/// Keys with a name come as an escape and some letters. What is not known does nothing.
fn escape(bytes: &[u8]) -> Option<(Key, usize)> {
    match bytes.get(1)? {
        b'[' => {
            let end = bytes[2..].iter().position(|byte| !matches!(byte, 0x20..0x40))? + 3;
            Some((named(&bytes[2..end]), end))
        }
        b'O' => bytes.get(2).map(|letter| (named(&[*letter]), 3)),
        b'b' => Some((Key::Move(Motion::WordLeft), 2)),
        b'f' => Some((Key::Move(Motion::WordRight), 2)),
        0x7f | 0x08 => Some((Key::EraseWord, 2)),
        // The Escape key alone, and then something else.
        _ => Some((Key::None, 1)),
    }
}

fn named(letters: &[u8]) -> Key {
    match letters {
        b"200~" => Key::Paste(true),
        b"201~" => Key::Paste(false),
        b"A" => Key::Earlier,
        b"B" => Key::Later,
        b"C" => Key::Move(Motion::Right),
        b"D" => Key::Move(Motion::Left),
        b"1;3C" | b"1;5C" => Key::Move(Motion::WordRight),
        b"1;3D" | b"1;5D" => Key::Move(Motion::WordLeft),
        b"H" | b"1~" | b"7~" => Key::Move(Motion::RowStart),
        b"F" | b"4~" | b"8~" => Key::Move(Motion::RowEnd),
        b"3~" => Key::Delete,
        _ => Key::None,
    }
}
