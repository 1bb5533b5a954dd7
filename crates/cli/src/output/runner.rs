//! What we print is read by the runner of GitHub Actions, where a command is a step of it: nothing may be a command to the runner
//! that is not meant as one.

use std::borrow::Cow;
use std::sync::LazyLock;
use tollgate_desk::formats::actions::defused;

static IS_STEP: LazyLock<bool> =
    LazyLock::new(|| std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true"));

/// The runner reads what we print.
pub fn is_step() -> bool {
    *IS_STEP
}

pub(super) fn talk_text(text: &str) -> Cow<'_, str> {
    if is_step() { defused(text) } else { Cow::Borrowed(text) }
}

pub(super) fn data_text(text: &str) -> Cow<'_, str> {
    if super::data_is_log() { defused(text) } else { Cow::Borrowed(text) }
}

pub(super) fn bytes_of_data(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !super::data_is_log() {
        return Cow::Borrowed(bytes);
    }
    match defused(&String::from_utf8_lossy(bytes)) {
        Cow::Borrowed(_) => Cow::Borrowed(bytes),
        Cow::Owned(safe) => Cow::Owned(safe.into_bytes()),
    }
}

/// JSON that means the same. No line of it begins with `::`, because none begins within a text.
pub(super) fn harmless_json(json: &str) -> Cow<'_, str> {
    match is_step() && json.contains("##[") {
        true => Cow::Owned(json.replace("##[", "#\\u0023[")),
        false => Cow::Borrowed(json),
    }
}
