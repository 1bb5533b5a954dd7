//! `cargo xtask tidy`: the promises of the crates and the habits of the sources, each one a rule that bites.

mod cycles;
mod decisions;
mod directions;
mod durable;
mod english;
mod proofs;
mod publish;
mod purity;
mod size;
mod words;

use crate::source;
use crate::source::SourceFile;
use std::fmt;
use std::path::Path;
use xtask::{Trouble, run};

pub fn run(root: &Path) -> Result<(), Trouble> {
    let problems = problems(root)?;
    for problem in &problems {
        run::say(&problem.to_string());
    }
    match problems.len() {
        0 => Ok(()),
        1 => Err("tidy: 1 problem".into()),
        count => Err(format!("tidy: {count} problems").into()),
    }
}

/// Something that is not as it should be, and what to do about it.
#[derive(Debug)]
pub struct Problem {
    place: String,
    message: String,
}

impl Problem {
    fn in_file(file: &SourceFile, message: impl Into<String>) -> Self {
        Self { place: file.path.clone(), message: message.into() }
    }

    fn at(file: &SourceFile, line: usize, message: impl Into<String>) -> Self {
        Self { place: format!("{}:{line}", file.path), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

fn problems(root: &Path) -> Result<Vec<Problem>, Trouble> {
    let files = source::load(root)?;
    let metadata = directions::metadata(root)?;
    let mut problems = directions::check(&directions::crates(&metadata));
    problems.extend(publish::check(&metadata));
    problems.extend(directions::check_names(&files));
    problems.extend(cycles::check(&files));
    problems.extend(durable::check(&files));
    problems.extend(purity::check(&files));
    problems.extend(words::check(&files));
    problems.extend(english::check(&files));
    problems.extend(size::check(&files));
    problems.extend(decisions::check(&files));
    problems.extend(proofs::check(&files)?);
    Ok(problems)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_sources_are_tidy() {
        let problems = super::problems(&crate::root()).expect("the sources can be read");
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "{}", lines.join("\n"));
    }
}
