//! What `run`, `resume` and `answer` tell a script: one object at the end, or the session's name.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use serde::Serialize;
use tollgate_core::decision::Blocker;
use tollgate_core::id::SessionName;
use tollgate_core::role::State;
use tollgate_core::view::{QuestionView, View};

/// What standard output has for a script; everything else is on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForScripts {
    /// The command is for people only.
    Nothing,
    /// The name as soon as the session is there, unless a person looks at the output.
    Name,
    /// One object when the command ends.
    Json,
}

impl ForScripts {
    pub fn of(json: bool) -> Self {
        if json { Self::Json } else { Self::Name }
    }

    pub fn begin(self, session: &SessionName) {
        if self == Self::Name && !output::is_read_by_a_person() {
            output::data(session.as_str());
        }
    }

    pub fn end(self, view: &View, exit: Exit) {
        if self == Self::Json {
            output::json(&Outcome::of(view, exit));
        }
    }

    /// A command that fails tells a script why. There is one object in every case.
    pub fn tell_failure(self, failure: &Failure) {
        if self == Self::Json {
            let Failure { exit, code, message, hints, .. } = failure;
            let error = Error { code, message, hints };
            output::json(&Failed { schema_version: SCHEMA_VERSION, exit: *exit as u8, error });
        }
    }
}

const SCHEMA_VERSION: u32 = 1;

/// Where a session is when the command ends.
#[derive(Debug, Serialize)]
struct Outcome<'a> {
    schema_version: u32,
    session: &'a SessionName,
    action: &'a str,
    state: State,
    exit: u8,
    /// Those that wait for an answer.
    decisions: &'a [QuestionView],
    /// None until it exists, which is with the first accepted change.
    branch: Option<&'a str>,
    blocker: Option<&'a Blocker>,
}

impl<'a> Outcome<'a> {
    fn of(view: &'a View, exit: Exit) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            session: &view.session,
            action: &view.route.action,
            state: view.route.state,
            exit: exit as u8,
            decisions: &view.pending_decisions,
            branch: view.branch.has_accepted_work().then_some(view.branch.name.as_str()),
            blocker: view.blocker.as_ref(),
        }
    }
}

#[derive(Debug, Serialize)]
struct Failed<'a> {
    schema_version: u32,
    exit: u8,
    error: Error<'a>,
}

#[derive(Debug, Serialize)]
struct Error<'a> {
    code: &'a str,
    message: &'a str,
    hints: &'a [String],
}
