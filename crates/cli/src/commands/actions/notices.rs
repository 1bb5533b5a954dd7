//! What of an action file is not done as it is written, in words.

use tollgate_contract::diagnostic::Diagnostic;
use tollgate_core::count::counted;
use tollgate_host::settings::actions::{Form, FoundAction};

/// Every notice with its line.
pub fn words(notices: &[Diagnostic]) -> Vec<String> {
    if notices.is_empty() {
        return Vec::new();
    }
    let line = |notice: &Diagnostic| match notice.line {
        Some(line) => format!("  line {line}: {}", notice.message),
        None => format!("  {}", notice.message),
    };
    let first = "not understood, or done in another way:".to_owned();
    std::iter::once(first).chain(notices.iter().map(line)).collect()
}

/// One line for whoever runs the action: which file is not used, or that not all of it was understood.
pub fn summary(found: &FoundAction) -> Option<String> {
    if let Some(unused) = super::unused(found) {
        return Some(format!("{unused}; the built-in action {} is used", found.name));
    }
    let count = found.notices.len();
    (found.form == Form::Prose && count > 0).then(|| {
        format!(
            "{} has no front matter, and {} of it {} not understood or done in another way; `tollgate actions {}` lists {}",
            found.source,
            counted(count, "part"),
            if count == 1 { "is" } else { "are" },
            found.name,
            if count == 1 { "it" } else { "them" },
        )
    })
}
