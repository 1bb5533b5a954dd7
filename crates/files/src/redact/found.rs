//! What was found at a place, and which bytes belong to it.

/// Which bytes continue after the beginning of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Alphanumeric,
    Word,
    Hyphenated,
    Credentials,
    Assigned,
    Base64,
    Hash,
    /// Of a header: up to the end of the line or the text.
    Header,
    /// Up to the end of the line, or of the text in JSON.
    Line,
    /// Up to the quote that closes it, with so many backslashes before a quote.
    Quoted {
        quote: u8,
        slashes: usize,
    },
}

/// What was found: hidden from here, to there; with the kind of bytes that would continue.
#[derive(Debug)]
pub(super) struct Found {
    pub hidden_from: usize,
    pub end: usize,
    pub body: Option<Body>,
    /// What is there instead.
    pub mark: &'static [u8],
}

impl Body {
    /// Where the bytes of this kind end.
    pub(super) fn end(self, text: &[u8], from: usize) -> usize {
        if let Self::Quoted { quote, slashes } = self {
            return match closing(text, from, quote, slashes) {
                Closing::At(end) | Closing::Broken(end) => end,
                Closing::Unseen => text.len() - self.open_bytes(text),
            };
        }
        let length = text[from..].iter().position(|byte| !self.contains(*byte));
        length.map_or(text.len(), |length| from + length)
    }

    /// Bytes at the end of the text that only the bytes after it explain: backslashes before a quote.
    pub(super) fn open_bytes(self, text: &[u8]) -> usize {
        let Self::Quoted { slashes, .. } = self else { return 0 };
        let backslashes = text.iter().rev().take_while(|byte| **byte == b'\\').count();
        backslashes % (2 * (slashes + 1))
    }

    pub(super) fn contains(self, byte: u8) -> bool {
        match self {
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Hyphenated => byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
            Self::Credentials => byte.is_ascii_alphanumeric() || b"._~+/=-".contains(&byte),
            Self::Assigned => {
                !byte.is_ascii() || (byte.is_ascii_graphic() && !b"\"'\\&;,<>()`".contains(&byte))
            }
            Self::Base64 => byte.is_ascii_alphanumeric() || b"+/=".contains(&byte),
            Self::Hash => byte.is_ascii_alphanumeric() || b"$./=+,".contains(&byte),
            Self::Header => Self::Line.contains(byte) && byte != b'\'',
            Self::Line | Self::Quoted { .. } => {
                !byte.is_ascii_control() && !b"\"\\".contains(&byte)
            }
        }
    }
}

pub(super) enum Closing {
    At(usize),
    /// The line or a text around this one ends before.
    Broken(usize),
    Unseen,
}

/// The end of a quoted text whose quotes have so many backslashes before them.
pub(super) fn closing(text: &[u8], from: usize, quote: u8, slashes: usize) -> Closing {
    let mut backslashes = 0;
    let mut is_second = false;
    for (index, byte) in text[from..].iter().enumerate() {
        match byte {
            b'\\' => backslashes += 1,
            b'\n' => return Closing::Broken(from + index),
            _ if *byte == quote || *byte == b'"' => {
                let is_whole = backslashes % (2 * (slashes + 1)) == slashes;
                // A text around this one ends here, too.
                let is_outer = slashes > 0 && backslashes % 2 == 0;
                // YAML and SQL write a quote twice.
                let is_doubled = quote == b'\'' && text.get(from + index + 1) == Some(&quote);
                if *byte == b'\'' && (is_doubled || is_second) {
                    is_second = !is_second;
                    continue;
                }
                if is_whole && *byte == quote {
                    return Closing::At(from + index - slashes);
                }
                if is_outer || (quote != b'"' && backslashes % 2 == 0) {
                    return Closing::Broken(from + index);
                }
                backslashes = 0;
            }
            _ => backslashes = 0,
        }
    }
    Closing::Unseen
}
