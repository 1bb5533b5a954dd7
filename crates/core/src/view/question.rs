//! A question that waits for a person, with what they need to answer it.

use crate::answer::AnswerOption;
use crate::decision::{Decision, DecisionKind};
use crate::id::{Attempt, CommitId, ContentHash, DecisionId, DispatchNumber};
use crate::role::State;
use crate::session::Session;
use crate::time::Timestamp;
use crate::work::Artefact;
use serde::Serialize;

pub use crate::session::Since;

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
    /// The code that it is about; none where there is none yet.
    pub code: Option<CodeView>,
    /// The dispatch that it is about, and how many attempts that had.
    pub dispatch: Option<DispatchNumber>,
    pub attempts: Option<Attempt>,
}

/// A change of code, from one commit to another one. They are the same where nothing was accepted since.
#[derive(Debug, Clone, Serialize)]
pub struct CodeView {
    pub since: Since,
    pub from: CommitId,
    pub to: CommitId,
    /// Only these files are meant; all where there are none.
    pub paths: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct ShownFile {
    /// From the repository's root.
    pub path: String,
    pub sha256: ContentHash,
    /// What the round before had shown, where that was something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256_before: Option<ContentHash>,
    /// The round before did not show it.
    pub is_new: bool,
    pub home: Home,
}

impl ShownFile {
    /// Whoever was asked in the round before has not seen it as it is now.
    pub fn has_changed(&self) -> bool {
        self.is_new || self.sha256_before.is_some()
    }
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
    let dispatch = session.dispatch_asked_about(&decision.subject);
    QuestionView {
        decision_id: decision.decision_id.clone(),
        kind: decision.kind,
        question: decision.question.clone(),
        options: decision.options.clone(),
        state_context: decision.state_context,
        asked_at: decision.asked_at,
        round: session.round(&decision.decision_id),
        shown: decision.shown.iter().map(|artefact| shown(session, decision, artefact)).collect(),
        code: code(session, decision),
        dispatch: dispatch.map(|(number, _)| number),
        attempts: dispatch.map(|(_, dispatch)| dispatch.attempts),
    }
}

/// Work that waits to be taken is looked at by itself.
fn code(session: &Session, decision: &Decision) -> Option<CodeView> {
    let delivered = session.dispatch_asked_about(&decision.subject).and_then(|(_, dispatch)| {
        let to = dispatch.delivered()?.work.code.commit.clone()?;
        let from = dispatch.based_on()?.clone();
        Some(CodeView { since: Since::Attempt, from, to, paths: Vec::new() })
    });
    let accepted = || {
        let compared = session.compared_with(&decision.decision_id)?;
        Some(CodeView {
            since: compared.since,
            from: compared.from.clone(),
            to: session.branch.tip.clone(),
            paths: session.paths_asked_about(&decision.subject),
        })
    };
    delivered.or_else(|| accepted().filter(|_| session.has_accepted_work()))
}

fn shown(session: &Session, decision: &Decision, artefact: &Artefact) -> ShownFile {
    let round_before = session.decisions.shown_before.get(&decision.decision_id);
    let before =
        round_before.and_then(|shown| shown.iter().find(|known| known.path == artefact.path));
    let is_new = round_before.is_some() && before.is_none();
    let sha256_before =
        before.map(|known| known.sha256.clone()).filter(|hash| *hash != artefact.sha256);
    let (path, home) = match session.files.artefacts.contains_key(&artefact.path) {
        true => (session.session_path(&artefact.path), Home::Session),
        false => (artefact.path.clone(), Home::Branch),
    };
    ShownFile { path, sha256: artefact.sha256.clone(), sha256_before, is_new, home }
}
