//! Every requirement of the release has a test that names it, and docs/claims.md says which.

use super::Problem;
use crate::claims::compliance;
use crate::claims::{self, Claims};
use crate::source::SourceFile;
use xtask::Trouble;

/// The requirements this release stands for.
const REQUIRED: std::ops::RangeInclusive<u32> = 1..=120;

pub fn check(files: &[SourceFile]) -> Result<Vec<Problem>, Trouble> {
    let claims = Claims::find(files)?;
    let mut problems = required(&claims);
    let listed = files.iter().find(|file| file.path == claims::PAGE).map_or("", |file| &file.text);
    problems.extend(listing(&claims, listed));
    problems.extend(compliance(files, &claims));
    Ok(problems)
}

fn required(claims: &Claims) -> Vec<Problem> {
    let missing = REQUIRED.filter_map(|id| {
        let message = match (claims.statement(id), claims.tests(id).is_empty()) {
            (None, _) => format!("R{id:03} has no statement"),
            (_, true) => format!("R{id:03} has no test named r{id:03}_…"),
            _ => return None,
        };
        Some(Problem { place: claims::STATEMENTS.to_owned(), message })
    });
    let unknown = claims.proved().filter(|id| claims.statement(*id).is_none()).map(|id| Problem {
        place: claims::STATEMENTS.to_owned(),
        message: format!("R{id:03} has a test but no statement"),
    });
    missing.chain(unknown).collect()
}

/// The page of clauses is generated too, and every fault of its table is told.
fn compliance(files: &[SourceFile], claims: &Claims) -> Vec<Problem> {
    let listed = files.iter().find(|file| file.path == compliance::PAGE);
    let stale = || Problem {
        place: compliance::PAGE.to_owned(),
        message: "not what the table and the tests say; run `cargo xtask claims`".to_owned(),
    };
    match compliance::page(files, claims) {
        Ok(page) if listed.is_some_and(|file| file.text == page) => Vec::new(),
        Ok(_) => vec![stale()],
        Err(faults) => {
            let problem =
                |fault: compliance::Fault| Problem { place: fault.place, message: fault.message };
            faults.into_iter().map(problem).collect()
        }
    }
}

/// The page is generated, so any difference is a row that is missing, stale or written by hand.
fn listing(claims: &Claims, listed: &str) -> Option<Problem> {
    let page = claims.page();
    if page == listed {
        return None;
    }
    let stale = listed.lines().find(|line| !page.lines().any(|other| other == *line));
    let missing = page.lines().find(|line| !listed.lines().any(|other| other == *line));
    let example = stale.or(missing).unwrap_or("the order of lines");
    Some(Problem {
        place: claims::PAGE.to_owned(),
        message: format!(
            "not what the tests say; run `cargo xtask claims`. First difference: {example}"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::{REQUIRED, check, listing, required};
    use crate::claims::{self, Claims};
    use crate::source::SourceFile;

    fn files(tests: &str) -> Vec<SourceFile> {
        vec![
            SourceFile::new(claims::STATEMENTS, "R001 one thing\nR002 another\n"),
            SourceFile::new("crates/x/tests/a.rs", tests),
        ]
    }

    #[test]
    fn a_required_row_without_a_test_is_a_problem() {
        let found =
            |tests| required(&Claims::find(&files(tests)).expect("statements can be read")).len();
        let all = REQUIRED.count();
        assert_eq!(found(""), all);
        assert_eq!(found("#[test]\nfn r001_a() {}"), all - 1);
        assert_eq!(found("#[test]\nfn r999_a() {}"), all + 1, "a test for a row nobody stated");
    }

    #[test]
    fn the_page_lists_exactly_the_tests_there_are() {
        let claims =
            Claims::find(&files("#[test]\nfn r001_a() {}")).expect("statements can be read");
        assert!(listing(&claims, &claims.page()).is_none());
        let gone = Claims::find(&files("")).expect("statements can be read");
        assert!(listing(&gone, &claims.page()).is_some(), "listed, but no such test");
        assert!(listing(&claims, &gone.page()).is_some(), "a test that is not listed");
    }

    #[test]
    fn statements_that_do_not_read_are_an_error() {
        assert!(check(&[SourceFile::new(claims::STATEMENTS, "R1 short")]).is_err());
        assert!(check(&[SourceFile::new(claims::STATEMENTS, "R001 a\nR001 b")]).is_err());
    }
}
