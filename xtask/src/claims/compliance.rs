//! The compliance table: what an orchestrator must do, line by line, with the tests that show it.

use crate::claims::Claims;
use crate::source::SourceFile;
use xtask::Trouble;

/// Generated; what `cargo xtask claims` writes.
pub const PAGE: &str = "docs/reference/compliance.md";

const LINES: &str = "xtask/compliance.txt";

/// The page for people. A line whose requirement has no test is an error.
pub fn page(files: &[SourceFile], claims: &Claims) -> Result<String, Trouble> {
    let text = files.iter().find(|file| file.path == LINES).map_or("", |file| &file.text);
    let mut page = String::from(
        "# Compliance\n\nWhat an orchestrator of this kind is measured by, line by line, and the tests that show it. Written\n\
         by `cargo xtask claims` from xtask/compliance.txt; a line without a test is an error.\n",
    );
    for (index, line) in text.lines().enumerate() {
        let wrong = |what: &str| Trouble::from(format!("{LINES}:{}: {what}: {line}", index + 1));
        if let Some(heading) = line.strip_prefix("## ") {
            page.push_str(&format!("\n## {heading}\n\n| what holds | shown by |\n|---|---|\n"));
        } else if !line.is_empty() && !line.starts_with('#') {
            let (statement, ids) = line.split_once(" | ").ok_or_else(|| wrong("no requirement"))?;
            let mut shown = Vec::new();
            for id in ids.split(' ') {
                let number = id.strip_prefix('R').and_then(|digits| digits.parse().ok());
                let tests = number.map_or(&[][..], |number| claims.tests(number));
                if tests.is_empty() {
                    return Err(wrong(&format!("no test names {id}")));
                }
                shown.extend(tests.iter().map(|proof| format!("`{}`", proof.test)));
            }
            page.push_str(&format!("| {statement} | {} |\n", shown.join("<br>")));
        }
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::{LINES, page};
    use crate::claims::{Claims, STATEMENTS};
    use crate::source::SourceFile;

    fn written(lines: &str) -> Result<String, String> {
        let files = [
            SourceFile::new(STATEMENTS, "R001 One thing.\n"),
            SourceFile::new("crates/a/tests/a.rs", "#[test]\nfn r001_a() {}"),
            SourceFile::new(LINES, lines),
        ];
        let claims = Claims::find(&files).expect("statements can be read");
        page(&files, &claims).map_err(|trouble| trouble.to_string())
    }

    #[test]
    fn every_line_has_its_tests() {
        let page = written("# c\n## List\nIt does. | R001\n").expect("all is shown");
        assert!(page.ends_with(
            "## List\n\n| what holds | shown by |\n|---|---|\n| It does. | `r001_a` |\n"
        ));
        assert!(
            written("It does. | R002\n").is_err_and(|words| words.contains("no test names R002"))
        );
        assert!(written("It does.\n").is_err_and(|words| words.contains("no requirement")));
    }
}
