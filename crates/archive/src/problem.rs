//! What is wrong with an archive, each by its name.

use tollgate_core::sanitize::visible_name;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("it is no archive of `tollgate export`, or its beginning was changed: {why}")]
    NotAnArchive { why: String },
    #[error("it ends too early, {}", at(.after))]
    Truncated { after: Option<String> },
    #[error("it cannot be read on, {}: {why}", at(.after))]
    Unreadable { after: Option<String>, why: String },
    #[error("something follows where it ends")]
    Trailing,
    #[error("it is larger than any session: {what} is above the limit of {max}")]
    TooLarge { what: &'static str, max: u64 },
    #[error("{}: it is {kind} and no file", name(.path))]
    NotAFile { path: String, kind: &'static str },
    #[error("{}: no export gives such a name", name(.path))]
    BadName { path: String },
    #[error("{}: it is there twice", name(.path))]
    Twice { path: String },
    #[error("{}: what stands around its content was changed", name(.path))]
    Wrapped { path: String },
    #[error("{}: its content was changed", name(.path))]
    Altered { path: String },
    #[error("{}: it was removed", name(.path))]
    Removed { path: String },
    #[error("{}: it was added", name(.path))]
    Added { path: String },
    #[error("{}: it does not stand where it was written", name(.path))]
    Moved { path: String },
    #[error("manifest.json: it cannot be read: {why}")]
    BadManifest { why: String },
    #[error(
        "manifest.json: it has format {format}, which is newer than this version of Tollgate; update it"
    )]
    Newer { format: u32 },
    #[error("the journal does not hold: {why}")]
    Journal { why: String },
    #[error("the journal has {found}, but the manifest says {said}")]
    Chain { found: String, said: String },
    #[error("commits.bundle: {why}")]
    Commits { why: String },
}

fn name(path: &str) -> String {
    visible_name(path).into_owned()
}

fn at(after: &Option<String>) -> String {
    match after {
        Some(path) => format!("after {}", name(path)),
        None => "at its beginning".to_owned(),
    }
}
