//! A question that waits for a person, with what they need to answer it.

use crate::answer::AnswerOption;
use crate::decision::{Decision, DecisionKind, Subject};
use crate::id::{Attempt, ContentHash, DecisionId, DispatchNumber};
use crate::role::State;
use crate::session::Session;
use crate::time::Timestamp;
use crate::work::Artefact;
use serde::Serialize;

#[derive(Debug, Clone, Serialize)]
pub struct QuestionView {
    pub decision_id: DecisionId,
    pub kind: DecisionKind,
    pub question: String,
    pub options: Vec<AnswerOption>,
    pub state_context: State,
    pub asked_at: Timestamp,
    /// How often it was asked. An answer counts for one round only.
    pub round: u32,
    /// What it is about, by content.
    pub shown: Vec<ShownFile>,
    /// The dispatch that it is about, and how many attempts that had.
    pub dispatch: Option<DispatchNumber>,
    pub attempts: Option<Attempt>,
}

#[derive(Debug, Clone, Serialize)]
pub struct ShownFile {
    /// From the repository's root.
    pub path: String,
    pub sha256: ContentHash,
    /// What the round before had shown, where that was something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256_before: Option<ContentHash>,
    pub home: Home,
}

/// Where a file is found as it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Home {
    /// In the session's folder of the checkout.
    Session,
    /// On the session's branch.
    Branch,
}

pub(super) fn pending(session: &Session) -> impl Iterator<Item = QuestionView> {
    session.pending_decisions().map(move |decision| view(session, decision))
}

fn view(session: &Session, decision: &Decision) -> QuestionView {
    let dispatch = match &decision.subject {
        Subject::Dispatch { dispatch } => Some(*dispatch),
        _ => None,
    };
    let attempts = dispatch.and_then(|number| session.dispatches.get(&number));
    QuestionView {
        decision_id: decision.decision_id.clone(),
        kind: decision.kind,
        question: decision.question.clone(),
        options: decision.options.clone(),
        state_context: decision.state_context,
        asked_at: decision.asked_at,
        round: session.round(&decision.decision_id),
        shown: decision.shown.iter().map(|artefact| shown(session, decision, artefact)).collect(),
        dispatch,
        attempts: attempts.map(|dispatch| dispatch.attempts),
    }
}

fn shown(session: &Session, decision: &Decision, artefact: &Artefact) -> ShownFile {
    let before = session.decisions.shown_before.get(&decision.decision_id);
    let before = before.and_then(|shown| shown.iter().find(|known| known.path == artefact.path));
    let sha256_before =
        before.map(|known| known.sha256.clone()).filter(|hash| *hash != artefact.sha256);
    let (path, home) = match session.files.artefacts.contains_key(&artefact.path) {
        true => (session.session_path(&artefact.path), Home::Session),
        false => (artefact.path.clone(), Home::Branch),
    };
    ShownFile { path, sha256: artefact.sha256.clone(), sha256_before, home }
}
