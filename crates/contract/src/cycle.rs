//! Finds who waits for whom in a circle.

use std::collections::{BTreeMap, BTreeSet};

/// One cycle, its first name repeated at the end; none when everything can start some day.
pub(crate) fn find_cycle<'a>(waits: &BTreeMap<&'a str, Vec<&'a str>>) -> Option<Vec<&'a str>> {
    let mut settled = BTreeSet::new();
    waits.keys().find_map(|start| from(start, waits, &mut settled))
}

/// A walk with an explicit stack: a plan may chain deeper than a call stack likes.
fn from<'a>(
    start: &'a str,
    waits: &BTreeMap<&'a str, Vec<&'a str>>,
    settled: &mut BTreeSet<&'a str>,
) -> Option<Vec<&'a str>> {
    if settled.contains(start) {
        return None;
    }
    let mut path: Vec<(&str, usize)> = vec![(start, 0)];
    while let Some((name, next)) = path.last_mut() {
        let Some(&below) = waits.get(*name).and_then(|all| all.get(*next)) else {
            settled.insert(*name);
            path.pop();
            continue;
        };
        *next += 1;
        if let Some(begin) = path.iter().position(|(name, _)| *name == below) {
            let names = path[begin..].iter().map(|(name, _)| *name);
            return Some(names.chain([below]).collect());
        }
        if !settled.contains(below) {
            path.push((below, 0));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_named_and_a_diamond_is_none() {
        let diamond = BTreeMap::from([("a", vec!["b", "c"]), ("b", vec!["d"]), ("c", vec!["d"])]);
        assert_eq!(find_cycle(&diamond), None);
        let circle = BTreeMap::from([("a", vec!["b"]), ("b", vec!["c"]), ("c", vec!["b"])]);
        assert_eq!(find_cycle(&circle), Some(vec!["b", "c", "b"]));
        let own = BTreeMap::from([("a", vec!["a"])]);
        assert_eq!(find_cycle(&own), Some(vec!["a", "a"]));
    }
}
