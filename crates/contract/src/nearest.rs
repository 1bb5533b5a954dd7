//! "Did you mean": the known name that is nearest to a misspelt one.

/// The nearest of `known`, when it is near enough to be what was meant.
pub fn nearest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const NAME_CHARS_MAX: usize = 64;
    let found = folded(found);
    if found.is_empty() || found.len() > NAME_CHARS_MAX {
        return None;
    }
    let far = (found.len() / 3).max(1);
    known
        .into_iter()
        .map(|name| (distance(&found, &folded(name)), name))
        .filter(|(distance, _)| *distance <= far)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Case and the kind of separator are the commonest slips; they cost nothing.
fn folded(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).map(|c| if c == '-' { '_' } else { c }).collect()
}

/// Edits of one character, swaps of neighbours included.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let mut least =
                (above[j] + usize::from(from != to)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *from == b[j - 1] && a[i - 1] == *to {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let known = ["status", "summary", "recommended_agent", "Coder", "QA"];
        let near = |found: &str| nearest(found, known);
        assert_eq!(near("sumary"), Some("summary"));
        assert_eq!(near("statsu"), Some("status"));
        assert_eq!(near("recommended-agent"), Some("recommended_agent"));
        assert_eq!(near("coder"), Some("Coder"));
        assert_eq!(near("Qa"), Some("QA"));
        assert_eq!(near("weather"), None);
        assert_eq!(near(""), None);
    }
}
