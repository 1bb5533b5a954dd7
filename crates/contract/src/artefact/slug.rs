//! The anchors of a Markdown document: its headings by the rule of GitHub, and those set by hand.

use crate::markdown::Markdown;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn anchors(document: &Markdown) -> BTreeSet<String> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut anchors = BTreeSet::new();
    for heading in &document.headings {
        let slug = slug(&heading.text);
        let count = counts.entry(slug.clone()).or_default();
        anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
        *count += 1;
    }
    for mark in ["id=\"", "name=\"", "id='", "name='"] {
        let quote = mark.chars().last().unwrap_or('"');
        let by_hand =
            document.prose.split(mark).skip(1).filter_map(|rest| rest.split(quote).next());
        anchors.extend(by_hand.map(str::to_lowercase));
    }
    anchors
}

/// Letters and digits stay, blanks become dashes, everything else goes.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.trim().chars() {
        match c {
            ' ' | '-' => slug.push('-'),
            c if c.is_alphanumeric() || c == '_' => slug.extend(c.to_lowercase()),
            _ => {}
        }
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::anchors;
    use crate::markdown::Markdown;

    #[test]
    fn headings_have_the_anchors_that_readers_use() {
        for (title, expected) in [
            ("Blocked terms", "blocked-terms"),
            ("3.2 Personas", "32-personas"),
            ("What's new? (v1.0)", "whats-new-v10"),
            ("`cargo test` & more", "cargo-test--more"),
            ("See [the plan](plan.md)", "see-the-plan"),
            ("_Fast_ and **sure**", "fast-and-sure"),
            ("snake_case", "snake_case"),
            ("Über uns", "über-uns"),
            ("A - B", "a---b"),
            ("A <b>bold</b> word", "a-bold-word"),
        ] {
            let found = anchors(&Markdown::of(&format!("# {title}\n")));
            assert_eq!(found.into_iter().collect::<Vec<_>>(), [expected]);
        }
    }
}
