//! Pictures of a session for HTML: its way, its spend, its time. No picture has a style of its own, so that a page which
//! forbids inline styles can show it.

mod shape;
mod spend;
mod timeline;
mod workflow;

pub use spend::spend_by_role;
pub use timeline::timeline;
pub use workflow::workflow;

/// What the pictures look like, over the colours of the page: `--ink --dim --line --accent --wait --ok --bad --card --bg`.
pub const STYLE: &str = include_str!("pictures/pictures.css");

#[cfg(test)]
mod tests;
