//! Whether what an action is given is worth an agent's time: planning that says something, a feature that exists, evidence
//! that leads somewhere. All of it as HEAD has it, because the work starts there.

use std::collections::BTreeMap;
use tollgate_contract::artefact::{self, RepositoryFiles};
use tollgate_contract::diagnostic::Diagnostic;
use tollgate_core::action::Action;
use tollgate_core::id::CommitId;
use tollgate_git::repository::{Repository, RepositoryError};

const PLANNING: &str = "planning-mds/";
/// The value that names a feature of planning.
const FEATURE: &str = "feature";
/// The value that lists where the facts are.
const EVIDENCE: &str = "evidence";

/// Why an input cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFault {
    /// A file with its line, a folder, or the name of the value.
    pub place: String,
    pub message: String,
    pub help: Option<String>,
}

/// Everything that is wrong with the inputs that are there.
pub fn faults(
    repository: &Repository,
    head: &CommitId,
    action: &Action,
    values: &BTreeMap<String, String>,
) -> Result<Vec<InputFault>, RepositoryError> {
    let mut faults = Vec::new();
    let planning: Vec<&String> =
        action.inputs.iter().filter(|input| input.starts_with(PLANNING)).collect();
    let has_feature = action.inputs.iter().any(|input| input == FEATURE);
    if !planning.is_empty() || has_feature {
        let tree = CommitTree::read(repository, head)?;
        faults.extend(tree.says_nothing(&planning).into_iter().map(InputFault::from));
        if let Some(words) = values.get(FEATURE).filter(|_| has_feature) {
            let unknown = artefact::unknown_features(words, &tree);
            faults.extend(unknown.into_iter().map(InputFault::from));
        }
    }
    if let Some(words) =
        values.get(EVIDENCE).filter(|_| action.inputs.iter().any(|i| i == EVIDENCE))
    {
        for entry in words.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            faults.extend(lost_evidence(repository, head, entry)?);
        }
    }
    Ok(faults)
}

impl From<Diagnostic> for InputFault {
    fn from(diagnostic: Diagnostic) -> Self {
        let place = diagnostic.place();
        Self { place, message: diagnostic.message, help: diagnostic.help }
    }
}

/// A link of the web is not followed, and words with blanks tell something by themselves.
fn lost_evidence(
    repository: &Repository,
    head: &CommitId,
    entry: &str,
) -> Result<Option<InputFault>, RepositoryError> {
    let path = entry.split('#').next().unwrap_or(entry).trim_start_matches("./");
    let is_sentence = entry.contains(char::is_whitespace) && !entry.contains('/');
    if entry.contains("://") || is_sentence || path.is_empty() {
        return Ok(None);
    }
    let is_inside = !path.starts_with('/') && !path.split('/').any(|part| part == "..");
    if is_inside && (repository.has_path(head, path)? || repository.is_revision(path)) {
        return Ok(None);
    }
    let is_there = is_inside && repository.root().join(path).exists();
    let (message, help) = match is_there {
        true => ("it is in the working tree but not in HEAD", "commit it"),
        false => {
            ("it leads nowhere", "name a file, a folder or a commit of this repository, or a link")
        }
    };
    let (message, help) = (message.to_owned(), Some(help.to_owned()));
    Ok(Some(InputFault { place: format!("{EVIDENCE} {entry:?}"), message, help }))
}

/// All of planning as a commit has it.
struct CommitTree(BTreeMap<String, Vec<u8>>);

impl CommitTree {
    fn read(repository: &Repository, commit: &CommitId) -> Result<Self, RepositoryError> {
        let paths = repository.files_at(commit, PLANNING)?;
        let contents = repository.contents(commit, &paths)?;
        let files = paths.into_iter().zip(contents);
        Ok(Self(files.filter_map(|(path, bytes)| Some((path, bytes?))).collect()))
    }

    /// The documents among these files and folders that are nothing but placeholders.
    fn says_nothing(&self, inputs: &[&String]) -> Vec<Diagnostic> {
        let is_given = |path: &str| {
            inputs.iter().any(|input| {
                path == *input || (input.ends_with('/') && path.starts_with(input.as_str()))
            })
        };
        let given = self.0.iter().filter(|(path, _)| is_given(path) && path.ends_with(".md"));
        given.filter_map(|(path, bytes)| artefact::says_nothing(path, bytes)).collect()
    }
}

impl RepositoryFiles for CommitTree {
    fn is_file(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.0.get(path).cloned()
    }

    fn files_below(&self, folder: &str) -> Vec<String> {
        let prefix = format!("{folder}/");
        self.0.keys().filter(|path| path.starts_with(&prefix)).cloned().collect()
    }
}
