//! The first line of a commit message.

/// git and its readers cut a longer subject.
const SUBJECT_CHARS_MAX: usize = 72;

/// The words that fit a subject.
pub(crate) fn shortened(goal: &str) -> String {
    if goal.chars().count() <= SUBJECT_CHARS_MAX {
        return goal.to_owned();
    }
    let start: String = goal.chars().take(SUBJECT_CHARS_MAX - 1).collect();
    let words = start.rsplit_once(' ').map_or(start.as_str(), |(words, _)| words);
    format!("{}…", words.trim_end())
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn a_long_goal_becomes_a_subject_of_whole_words() {
        assert_eq!(shortened("Add a line"), "Add a line");
        let long = "word ".repeat(30);
        let subject = shortened(&long);
        assert!(subject.ends_with("word…") && subject.chars().count() <= 72, "{subject}");
        assert_eq!(shortened(&"x".repeat(100)).chars().count(), 72);
    }
}
