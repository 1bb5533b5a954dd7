//! What is reviewed and repaired as one: a task, or the session as a whole.

use crate::feedback::Feedback;
use crate::id::DispatchNumber;
use crate::proof::one_line;
use crate::role::{RepairLoop, Role};
use crate::work::{Implementation, Scoped, TaskBlocker};
use crate::worker::Worker;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unit {
    /// Repairs begun, by loop; never more than the policy allows.
    pub repairs: BTreeMap<RepairLoop, u32>,
    /// A repair that has been opened and not dispatched yet.
    pub pending: Option<PendingRepair>,
    /// Its Coder has delivered at least once.
    pub(crate) coded: bool,
    /// Its code changed after its checks last passed.
    pub(crate) needs_checks: bool,
    /// Sensitive code changed outside any task and Security has not seen it.
    pub(crate) needs_audit: bool,
    /// Files outside its scope that a person allowed.
    pub(crate) allowed: BTreeSet<String>,
    /// Files outside its scope that a person does not allow, and why.
    pub(crate) refused: BTreeMap<String, String>,
    /// Changes beyond what its work item lists, as last judged: in scope by another rule, or left out.
    pub(crate) beyond: BTreeMap<String, Scoped>,
    /// What its Coder said about each change that was delivered, the newest last.
    pub(crate) implementations: Vec<Implementation>,
    /// Why its Coder stopped, each time.
    pub blockers: Vec<TaskBlocker>,
    /// Criteria that the last review named as verified; they count while it has passed.
    pub(crate) verified: BTreeSet<String>,
    /// What clashed with another task's work when they were brought together; it is done again alone.
    pub(crate) clash: Vec<String>,
    /// Changes that were left out as out of scope, and the name under which they are kept.
    pub(crate) aside: BTreeMap<String, String>,
    /// Gates that accepted replies asked for, since somebody last changed it.
    pub(crate) wanted: BTreeMap<Gate, WantedLook>,
    pub review: GateState,
    pub test: GateState,
    pub audit: GateState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRepair {
    pub repair: RepairLoop,
    pub feedback: Feedback,
    /// Files that a person names in what they want repaired.
    pub authorized: Vec<String>,
    /// Who makes it, where it is not who usually does.
    pub by: Option<Role>,
    /// Who plays that role, where it is not its agent.
    pub worker: Option<Worker>,
}

/// A look that accepted replies asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedLook {
    pub reasons: Vec<LookReason>,
    /// The last dispatch that was opened before: who was at work by then was not told.
    pub(super) since: DispatchNumber,
    /// Nobody has looked since.
    pub is_open: bool,
}

/// Who asked for a look, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookReason {
    pub by: DispatchNumber,
    /// None where it only asked for the look.
    pub concern: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GateState {
    #[default]
    Open,
    Passed,
}

/// The three gates behind a Coder, in the order they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    Review,
    Test,
    Audit,
}

impl Gate {
    pub const ALL: [Self; 3] = [Self::Review, Self::Test, Self::Audit];

    pub fn role(self) -> Role {
        match self {
            Self::Review => Role::Reviewer,
            Self::Test => Role::QA,
            Self::Audit => Role::Security,
        }
    }

    /// The loop that an objection of this gate opens.
    pub fn repair(self) -> RepairLoop {
        match self {
            Self::Review => RepairLoop::FixReview,
            Self::Test => RepairLoop::FixTests,
            Self::Audit => RepairLoop::FixSecurity,
        }
    }

    pub fn of_role(role: Role) -> Option<Self> {
        Self::ALL.into_iter().find(|gate| gate.role() == role)
    }

    pub fn of_repair(repair: RepairLoop) -> Option<Self> {
        Self::ALL.into_iter().find(|gate| gate.repair() == repair)
    }
}

impl Unit {
    pub fn gate(&self, gate: Gate) -> GateState {
        match gate {
            Gate::Review => self.review,
            Gate::Test => self.test,
            Gate::Audit => self.audit,
        }
    }

    pub(crate) fn set_gate(&mut self, gate: Gate, state: GateState) {
        match gate {
            Gate::Review => self.review = state,
            Gate::Test => self.test = state,
            Gate::Audit => self.audit = state,
        }
    }

    /// Whether a review that passed has named this criterion as verified.
    pub fn has_verified(&self, criterion: &str) -> bool {
        self.review == GateState::Passed && self.verified.contains(&one_line(criterion))
    }

    pub fn repairs_done(&self, repair: RepairLoop) -> u32 {
        self.repairs.get(&repair).copied().unwrap_or(0)
    }
}
