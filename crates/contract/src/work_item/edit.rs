//! Writes the status label of a work item where it stands, without touching anything else a person wrote.

use crate::front_matter;
use crate::labels::{self, Category, LABELS};
use crate::node::{Node, Value, read_yaml};

/// The text with its status label replaced. One without labels in its front matter, or without a known status among
/// them, stays as it is. The result is read again: none where anything but the label would change.
pub fn set_status(text: &str, label: &str) -> Option<String> {
    let Some(front) = FrontMatter::of(text) else {
        return Some(text.to_owned());
    };
    let before = read_yaml(&front.yaml).ok()?;
    let mut wanted = before.clone();
    let mut places = Vec::new();
    let listed = wanted.get_mut("labels").map(Node::items_mut).unwrap_or_default();
    for entry in listed {
        let Some(found) = entry.as_text().filter(|found| is_status(found)) else { continue };
        places.push((entry.span?, found.to_owned()));
        entry.value = Value::Text(label.to_owned());
    }
    let mut edited = text.to_owned();
    places.sort();
    for ((start, end), found) in places.into_iter().rev() {
        let (start, end) = (front.offset(start)?, front.offset(end)?);
        // Whatever quotes stand around it stay.
        let old = text.get(start..end).filter(|old| old.matches(&found).count() == 1)?;
        edited.replace_range(start..end, &old.replace(&found, label));
    }
    let after = read_yaml(&FrontMatter::of(&edited)?.yaml).ok()?;
    let is_right = after.to_json() == wanted.to_json() && body(&edited) == body(text);
    is_right.then_some(edited)
}

/// The text with each of the known status labels in its place: all that a text may be which differs in its status alone.
pub fn with_each_status(text: &str) -> impl Iterator<Item = String> {
    let statuses = LABELS.iter().filter(|label| label.category == Category::Status);
    statuses.filter_map(|label| set_status(text, label.name))
}

fn is_status(label: &str) -> bool {
    labels::find(label).is_some_and(|label| label.category == Category::Status)
}

/// The front matter, and where in the file it begins.
struct FrontMatter {
    yaml: String,
    start: usize,
}

impl FrontMatter {
    fn of(text: &str) -> Option<Self> {
        let (yaml, _) = front_matter::split(text).ok()?;
        let start = text.find('\n')? + 1;
        Some(Self { yaml, start })
    }

    /// A line end comes before the YAML in place of the line that opens it.
    fn offset(&self, in_yaml: usize) -> Option<usize> {
        Some(self.start + in_yaml.checked_sub(1)?)
    }
}

fn body(text: &str) -> &str {
    front_matter::split(text).map_or(text, |(_, body)| body)
}

#[cfg(test)]
mod tests;
