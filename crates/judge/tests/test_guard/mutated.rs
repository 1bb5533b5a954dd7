//! Text with small accidents in it, for tests that read anything.

pub fn mutated(text: &str, edits: &[(usize, usize, u8)]) -> Vec<u8> {
    const PIECES: &[&str] = &[
        "{", "}", "(", ")", "[", "]", "\"", "'", "`", "<", ">", "/", "*/", "/*", "\n", "é", "#",
        "=", "&", "--", "1", "test", "it(", "\\", "]]>", "<!", ",", ":", "@", "do", "end",
    ];
    let mut bytes = text.as_bytes().to_vec();
    for (at, length, what) in edits {
        let start = at % (bytes.len() + 1);
        let end = (start + length % 12).min(bytes.len());
        let piece = PIECES[usize::from(*what) % PIECES.len()].as_bytes();
        match what % 3 {
            0 => drop(bytes.splice(start..end, piece.iter().copied())),
            1 => drop(bytes.splice(start..end, [])),
            _ => drop(bytes.splice(start..start, piece.iter().copied())),
        }
    }
    bytes
}
