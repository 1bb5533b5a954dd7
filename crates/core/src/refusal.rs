//! Why a command was refused: expected, with words and a way on. Nothing has changed when one is given.

use crate::id::{DecisionId, SessionName};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the session is {state} and takes no more answers")]
    SessionOver { state: String },
    #[error("{session} is done and cannot be cancelled")]
    AlreadyDone { session: SessionName },
    #[error("{id} has not been asked; a question cannot be answered before it is asked")]
    NotAsked { id: DecisionId },
    #[error("{id} was asked again after you answered; answer the new question")]
    AskedAgain { id: DecisionId },
    #[error("{id} is not open: it is {status}")]
    NotPending { id: DecisionId, status: String },
    #[error("{given:?} does not answer {id}{why}")]
    BadAnswer { id: DecisionId, given: String, why: String, expected: Vec<String> },
    #[error("{id} cannot be answered with {answer:?} because of {}", crate::count::counted(*open, "open critical finding"))]
    CriticalOpen { id: DecisionId, answer: String, open: usize },
    #[error("the subject of {id} has changed since; the question was asked again")]
    ShownChanged { id: DecisionId },
    #[error(
        "{id} cannot be approved: the lifecycle gates ran in stage {found:?}, but the declared stage is now {declared:?}"
    )]
    StaleEvidence { id: DecisionId, found: String, declared: String },
    #[error("there is no [agent.{name}] in tollgate.toml")]
    UnknownAgent { name: String, known: Vec<String> },
    #[error("`{command}` cannot be replaced in {path} without changing something else in it")]
    CheckNotWritable { command: String, path: String },
    #[error("{what} needs a reason")]
    ReasonNeeded { what: &'static str },
}

impl Refusal {
    /// How to continue.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::BadAnswer { expected, .. } => {
                Some(format!("answer one of: {}", expected.join(" | ")))
            }
            Self::NotAsked { .. } | Self::NotPending { .. } => {
                Some("`tollgate status` lists the open questions".to_owned())
            }
            Self::CriticalOpen { .. } => {
                Some("a critical finding must be fixed; choose another answer or cancel".to_owned())
            }
            Self::ReasonNeeded { .. } => Some("give it with --reason TEXT".to_owned()),
            Self::UnknownAgent { known, .. } => Some(format!("known agents: {}", known.join(", "))),
            Self::AskedAgain { id } => {
                Some(format!("`tollgate status` shows {id} as it is asked now; then answer it"))
            }
            Self::ShownChanged { .. } => {
                Some("look at the changed file, then answer again".to_owned())
            }
            Self::StaleEvidence { .. } => Some(
                "`tollgate resume` runs the gates of the declared stage and asks again".to_owned(),
            ),
            Self::CheckNotWritable { path, .. } => {
                Some(format!("change the command in {path} yourself, then answer retry"))
            }
            Self::AlreadyDone { session } => Some(format!("`tollgate rm {session}` removes it")),
            Self::SessionOver { .. } => None,
        }
    }
}
