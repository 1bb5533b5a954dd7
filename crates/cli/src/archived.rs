//! A session that lies in an archive, read where no repository is.

use crate::exit::Exit;
use crate::failure::Failure;
use std::path::Path;
use tollgate_archive::{Archive, OpenError, Problem};
use tollgate_core::sanitize::visible_name;
use tollgate_desk::{Opened, Repo};

/// More of them say nothing new.
const PROBLEMS_SHOWN: usize = 20;

/// Whether a person means a file, and not a session.
pub fn is_meant(text: &str) -> bool {
    tollgate_archive::is_archive_name(text)
}

/// There is no such session, but a file of that name.
pub fn or_the_file(failure: Failure, text: &str) -> Failure {
    match Path::new(text).is_file() {
        true => failure.hint(format!("`./{text}` is the file of this name")),
        false => failure,
    }
}

/// Reads the archive, and refuses one that was changed.
pub fn open(text: &str) -> Result<Archive, Failure> {
    tollgate_archive::open(Path::new(text)).map_err(Failure::from)
}

/// The session of an archive with all that surfaces show of it. The file stands for the repository.
pub fn session(archive: &Archive, text: &str) -> Result<Opened, Failure> {
    let file = Path::new(text).file_name().unwrap_or_default().to_string_lossy();
    let repo = Repo { name: visible_name(&file).into_owned(), ..Repo::at(archive.root()) };
    Ok(Opened::apart(repo, archive.manifest.session.clone())?)
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match &error {
            OpenError::Io { .. } => Self::usage("cli.archive", error.to_string())
                .hint("check that the file exists, and that the temporary folder has space"),
            OpenError::Bad { problems, .. } => {
                let message = format!("{error}:{}", listed(problems));
                Self::new(Exit::Damaged, "cli.archive_changed", message)
                    .hint("ask whoever exported it for the file again, and compare the hash of its manifest")
            }
        }
    }
}

fn listed(problems: &[Problem]) -> String {
    let mut text: String =
        problems.iter().take(PROBLEMS_SHOWN).map(|problem| format!("\n{problem}")).collect();
    if problems.len() > PROBLEMS_SHOWN {
        text.push_str(&format!("\nand {} more", problems.len() - PROBLEMS_SHOWN));
    }
    text
}
