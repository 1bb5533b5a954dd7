//! The view part by part, for surfaces that follow a running session.

use super::{
    DispatchView, Line, QuestionView, Standing, StatusView, View, dispatch, question, status,
    timeline,
};
use crate::decision::{Blocker, DecisionKind};
use crate::event::Event;
use crate::id::{DecisionId, DispatchNumber, SessionName, TaskRef};
use crate::policy::Policy;
use crate::role::{Role, State};
use crate::session::{Dispatch, Session, Waiting};
use crate::task::Check;
use crate::time::Timestamp;

/// Something that runs.
pub use crate::session::Wanted as AtWork;

/// The state just now. It is passed about freely; a part costs something only when it is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    pub(super) session: &'a Session,
}

/// What a dispatch is given to read, and what it must write.
#[derive(Debug, Clone)]
pub struct Given {
    pub role: Role,
    /// What the action calls the role.
    pub called: String,
    pub task: TaskRef,
    pub reads: Vec<String>,
    pub must_write: Vec<String>,
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

    /// Dispatches that start again at a time that is known.
    pub fn waits(self) -> Vec<(DispatchNumber, Timestamp)> {
        let dispatches = self.session.dispatches.iter();
        let until = |(number, dispatch): (&DispatchNumber, &Dispatch)| match dispatch.waiting()? {
            Waiting::Until(until) | Waiting::Parked(until) => Some((*number, until)),
            Waiting::ForHeadroom | Waiting::ForResume | Waiting::ForPerson => None,
        };
        dispatches.filter_map(until).collect()
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
            AtWork::BaseMerge => format!("merges {}", timeline::base_name(self.session)),
        }
    }

    /// An event of the last commit in words.
    pub fn line(self, event: &Event) -> Line {
        timeline::line(self.session, event)
    }

    /// What status.json shows.
    pub fn status(self) -> StatusView<'a> {
        status::of(self.session)
    }

    pub fn updated_at(self) -> Timestamp {
        self.session.updated_at
    }

    /// Of a step of the action, by its index.
    pub fn state_of_step(self, index: usize) -> Option<State> {
        self.session.route.steps.get(index).map(|step| step.state)
    }

    pub fn role_of(self, number: DispatchNumber) -> Option<Role> {
        self.session.dispatches.get(&number).map(|dispatch| dispatch.role)
    }

    /// Where a dispatch works beside others; none in the session's own tree.
    pub fn lane_of(self, number: DispatchNumber) -> Option<usize> {
        self.session.dispatches.get(&number)?.own_lane()
    }

    /// What the action calls the role of a dispatch.
    pub fn called(self, number: DispatchNumber) -> Option<&'a str> {
        let dispatch = self.session.dispatches.get(&number)?;
        Some(self.session.name_of(dispatch))
    }

    /// The agent that the settings name for a role.
    pub fn agent_of(self, role: Role) -> Option<&'a str> {
        self.session.policy.players.get(&role).map(String::as_str)
    }

    /// What an open dispatch is given, as its agent's input is made from it.
    pub fn given_to(self, number: DispatchNumber) -> Option<Given> {
        let brief = self.session.brief(number)?;
        let instructions = self.session.opening.instructions.iter().cloned();
        Some(Given {
            role: brief.role,
            called: self.called(number).unwrap_or_default().to_owned(),
            task: brief.task.id,
            reads: instructions.chain(brief.task.context_files).collect(),
            must_write: brief.files.outputs,
        })
    }

    /// The limits of the session, and who plays in it.
    pub fn policy(self) -> &'a Policy {
        &self.session.policy
    }

    /// What proves the acceptance criteria.
    pub fn proofs(self) -> impl Iterator<Item = &'a Check> {
        self.session.plan.criteria.iter().flat_map(|criterion| &criterion.verify)
    }

    /// The commands that showed last that the work holds.
    pub fn final_checks(self) -> Vec<String> {
        self.session.checks.final_commands()
    }

    /// All of it.
    pub fn view(self) -> View {
        View::of(self.session)
    }
}
