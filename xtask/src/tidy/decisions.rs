//! Decisions are numbered from 1 without gaps, so that a missing one is noticed.

use super::Problem;
use crate::source::SourceFile;

const FOLDER: &str = "docs/decisions";

pub fn check(files: &[SourceFile]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let decisions = files.iter().filter(|file| file.is_below(FOLDER));
    for (index, file) in decisions.enumerate() {
        let expected = format!("{:04}", index + 1);
        let name = &file.path[FOLDER.len() + 1..];
        let fits = name
            .strip_prefix(&expected)
            .and_then(|rest| rest.strip_prefix('-'))
            .is_some_and(|title| title.len() > ".md".len() && title.ends_with(".md"));
        if !fits {
            problems.push(Problem::in_file(
                file,
                format!("the next decision here is {expected}-title.md"),
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::source::SourceFile;

    fn problems(names: &[&str]) -> usize {
        let files: Vec<SourceFile> = names
            .iter()
            .map(|name| SourceFile::new(&format!("docs/decisions/{name}"), ""))
            .collect();
        check(&files).len()
    }

    #[test]
    fn decisions_have_no_gaps_and_no_doubles() {
        assert_eq!(problems(&["0001-a.md", "0002-b.md"]), 0);
        assert_eq!(problems(&["0001-a.md", "0003-b.md"]), 1);
        assert_eq!(problems(&["0001-a.md", "0001-b.md"]), 1);
        assert_eq!(problems(&["0001.md"]), 1);
        assert_eq!(problems(&["notes.md"]), 1);
    }
}
