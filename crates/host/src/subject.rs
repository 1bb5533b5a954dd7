//! The first line of a commit's message.

/// git and its readers cut a longer one.
const CHARS_MAX: usize = 72;

/// The words that fit it.
pub fn shortened(goal: &str) -> String {
    if goal.chars().count() <= CHARS_MAX {
        return goal.to_owned();
    }
    let start: String = goal.chars().take(CHARS_MAX - 1).collect();
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
