//! A session in one line, for lists.

use super::{SpendView, Standing};
use crate::decision::{Decision, DecisionKind};
use crate::id::{DecisionId, SessionName};
use crate::role::State;
use crate::session::{Session, Wanted};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A session in one line, as `sessions --json` prints it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Summary {
    pub session: SessionName,
    /// Null, like the rest, where the journal does not tell.
    pub action: Option<String>,
    pub state: Option<State>,
    pub standing: Option<Standing>,
    pub updated_at: Option<Timestamp>,
    /// Empty where the journal does not tell.
    #[serde(default)]
    pub goal: String,
    /// How many questions are open.
    pub waiting: usize,
    /// The question that a person is asked first.
    #[serde(default)]
    pub asked: Option<AskedView>,
    /// Dispatches that are not finished.
    #[serde(default)]
    pub at_work: usize,
    pub dispatches: usize,
    /// How long agents worked, all together.
    pub agent_ms: u64,
    /// What is known of the cost.
    pub usd: Option<f64>,
}

/// An open question in one line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AskedView {
    pub decision_id: DecisionId,
    pub kind: DecisionKind,
    pub asked_at: Timestamp,
}

impl Summary {
    pub fn of(session: &Session) -> Self {
        let is_dispatch = |wanted: &&Wanted| matches!(wanted, Wanted::Dispatch(..));
        Self {
            session: session.opening.session.clone(),
            action: Some(session.action_name().to_owned()),
            state: Some(session.state()),
            standing: Some(Standing::of(session)),
            updated_at: Some(session.updated_at),
            goal: session.opening.goal.clone(),
            waiting: session.pending_decisions().count(),
            asked: session.pending_decisions().next().map(AskedView::of),
            at_work: session.unfinished().iter().filter(is_dispatch).count(),
            dispatches: session.dispatches.len(),
            agent_ms: session.budget.ledger.total.wall_ms,
            usd: SpendView::of(&session.budget.ledger.total).usd,
        }
    }

    /// Of a session whose journal tells nothing.
    pub fn unknown(session: SessionName) -> Self {
        let (action, state, standing, updated_at) = (None, None, None, None);
        let (goal, asked, usd) = (String::new(), None, None);
        let (waiting, at_work, dispatches, agent_ms) = (0, 0, 0, 0);
        Self {
            session,
            action,
            state,
            standing,
            updated_at,
            goal,
            waiting,
            asked,
            at_work,
            dispatches,
            agent_ms,
            usd,
        }
    }

    /// Nothing more will ever happen.
    pub fn is_over(&self) -> bool {
        self.standing.is_some_and(Standing::is_over)
    }
}

impl AskedView {
    fn of(decision: &Decision) -> Self {
        let Decision { decision_id, kind, asked_at, .. } = decision;
        Self { decision_id: decision_id.clone(), kind: *kind, asked_at: *asked_at }
    }
}
