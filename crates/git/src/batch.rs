//! Reads the answer of `git cat-file --batch`.

use crate::program::GitError;

/// `<id> blob <size>`, the bytes and a line end; or `<name> missing`.
pub(crate) fn read_batch(
    mut output: &[u8],
    count: usize,
) -> Result<Vec<Option<Vec<u8>>>, GitError> {
    let unexpected = || GitError::Unexpected {
        command: "git cat-file --batch".to_owned(),
        detail: "it ends early".to_owned(),
    };
    let mut contents = Vec::with_capacity(count);
    for _ in 0..count {
        let end = output.iter().position(|byte| *byte == b'\n').ok_or_else(unexpected)?;
        let head = String::from_utf8_lossy(&output[..end]).into_owned();
        output = &output[end + 1..];
        let mut words = head.rsplit(' ');
        let size = words.next().and_then(|size| size.parse::<usize>().ok());
        let Some(size) = size.filter(|_| words.next().is_some_and(|kind| kind != "missing")) else {
            contents.push(None);
            continue;
        };
        let bytes = output.get(..size).ok_or_else(unexpected)?;
        let is_blob = head.rsplit(' ').nth(1) == Some("blob");
        contents.push(is_blob.then(|| bytes.to_vec()));
        output = output.get(size + 1..).ok_or_else(unexpected)?;
    }
    Ok(contents)
}
