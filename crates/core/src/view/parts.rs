//! The view part by part, for surfaces that follow a running session.

use super::{DispatchView, Line, QuestionView, Standing, View, dispatch, question, timeline};
use crate::decision::{Blocker, DecisionKind};
use crate::event::Event;
use crate::id::{DecisionId, DispatchNumber, SessionName};
use crate::session::Session;

/// Something that runs.
pub use crate::session::Wanted as AtWork;

/// The state just now. It is passed about freely; a part costs something only when it is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    pub(super) session: &'a Session,
}

impl<'a> Parts<'a> {
    pub fn of(session: &'a Session) -> Self {
        Self { session }
    }

    pub fn name(self) -> &'a SessionName {
        &self.session.opening.session
    }

    pub fn standing(self) -> Standing {
        Standing::of(self.session)
    }

    /// Nothing more will ever happen.
    pub fn is_over(self) -> bool {
        self.session.is_over()
    }

    pub fn blocker(self) -> Option<&'a Blocker> {
        self.session.standing.blocker.as_ref()
    }

    /// The question that a person is asked first.
    pub fn question(self) -> Option<QuestionView> {
        question::pending(self.session).next()
    }

    /// Of a question that was asked, whether it is answered or not.
    pub fn kind_of(self, id: &DecisionId) -> Option<DecisionKind> {
        self.session.decision(id).map(|decision| decision.kind)
    }

    /// How often a question was asked; 0 when it was not.
    pub fn round(self, id: &DecisionId) -> u32 {
        self.session.round(id)
    }

    pub fn dispatch(self, number: DispatchNumber) -> Option<DispatchView> {
        let found = self.session.dispatches.get(&number)?;
        Some(dispatch::view(self.session, number, found))
    }

    /// What was started and is still to be finished, also while a question lies over it.
    pub fn at_work(self) -> Vec<AtWork> {
        self.session.unfinished()
    }

    /// Who or what runs.
    pub fn title(self, at_work: AtWork) -> String {
        match at_work {
            AtWork::Dispatch(number, _) => timeline::who(self.session, number),
            AtWork::Checks(number) => {
                let commands =
                    self.session.checks.runs.get(&number).map(|run| run.commands.join(" ; "));
                format!("checks: {}", commands.unwrap_or_default())
            }
            AtWork::Merge(_) => "merges the work of all".to_owned(),
        }
    }

    /// An event of the last commit in words.
    pub fn line(self, event: &Event) -> Line {
        timeline::line(self.session, event)
    }

    /// All of it.
    pub fn view(self) -> View {
        View::of(self.session)
    }
}
