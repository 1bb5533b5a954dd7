//! What is told of a failure: one value, written as JSON and as text for people, and shown where a person is asked.

mod denied;
mod draft;
mod keep;
mod members;
mod paths;
mod reporter;
mod words;

pub(crate) use keep::{FAILED, KEPT_LIMITS};
pub use reporter::Reporter;
pub use words::{facts, for_people};

use serde::{Deserialize, Serialize};
use tollgate_core::answer::AnswerOption;
use tollgate_core::decision::BlockerCode;
use tollgate_core::given::RoleText;
use tollgate_core::id::{Attempt, DecisionId, DispatchNumber, SessionName, TaskRef};
use tollgate_core::role::Role;
use tollgate_core::time::Timestamp;
use tollgate_core::view::QuestionView;
use tollgate_files as files;
use tollgate_files::layout::{Layout, session_path};

/// A report holds pieces of bounded length; more than this is not one of ours.
const REPORT_BYTES_MAX: u64 = 4 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureReport {
    pub schema_version: u32,
    pub session: SessionName,
    pub action: String,
    /// Counts from 1.
    pub step: usize,
    pub role: Option<Role>,
    /// What the action calls the role.
    #[serde(default)]
    pub called: Option<String>,
    /// The text that told the role what it is for.
    #[serde(default)]
    pub role_file: Option<RoleText>,
    pub agent: Option<String>,
    pub task: Option<TaskRef>,
    pub dispatch: Option<DispatchNumber>,
    pub attempt: Option<Attempt>,
    pub failed_at: Timestamp,
    /// How long the failed attempt ran.
    pub duration_ms: Option<u64>,
    /// What the dispatch cost so far, or the session where it is about all of it.
    #[serde(default)]
    pub spent: String,
    pub error_type: ErrorType,
    pub message: String,
    /// A path that the agent says it was refused and that its sandbox closes: a hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied: Option<String>,
    /// What a repair was to fix: for a check its command, how it ended and the end of its output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to_fix: Vec<String>,
    pub impacted_artifacts: Vec<Impacted>,
    /// Who works beside it in a parallel step, the failed one included.
    #[serde(default)]
    pub members: Vec<Member>,
    /// The last attempts so far, the failed one last.
    pub tried: Vec<Tried>,
    /// How many attempts there were, listed or not.
    #[serde(default)]
    pub tried_count: usize,
    pub remediation: Vec<String>,
    /// What the session does now.
    pub next: String,
    pub decision: Option<DecisionId>,
    pub options: Vec<AnswerOption>,
    /// Where what the agent made is kept.
    pub kept: Vec<String>,
    /// Changes of the repository that were not taken, with the command that shows them.
    #[serde(default)]
    pub set_aside: Vec<SetAsideWork>,
    pub excerpts: Excerpts,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorType {
    /// transient, recoverable, permanent, or blocked where no attempt failed.
    pub class: String,
    /// How the attempt ended, in the journal's word.
    pub end: Option<String>,
    /// Why the session stopped; none when it continues by itself.
    pub code: Option<BlockerCode>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Impacted {
    /// From the repository's root.
    pub path: String,
    #[serde(default)]
    pub line: Option<u32>,
    pub message: String,
    /// The copy of what the attempt left there, from the repository's root.
    #[serde(default)]
    pub kept: Option<String>,
}

/// One of those who work at the same time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub dispatch: DispatchNumber,
    /// What the action calls its role.
    pub called: String,
    pub task: TaskRef,
    pub how: String,
    pub next: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAsideWork {
    /// The ref that keeps it.
    pub name: String,
    /// Shows it, in the repository.
    pub command: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    pub attempt: Attempt,
    pub ended_at: Timestamp,
    pub duration_ms: u64,
    pub how: String,
}

/// Bounded pieces of what went in and came out; the whole is in the folder of the attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpts {
    pub agent_input: String,
    pub agent_output: String,
    pub stack_trace: String,
}

impl FailureReport {
    /// The report that goes with an open question as it lies on disk, and where; none when it is not there.
    pub fn of_question(
        layout: &Layout,
        session: &SessionName,
        question: &QuestionView,
    ) -> Option<(Self, String)> {
        let about = question.dispatch.zip(question.attempts);
        let name = name_of(question.asked_at, session, about);
        folders(session).into_iter().find_map(|folder| {
            let read = |number| {
                let path = format!("{folder}/{}.json", numbered(&name, number));
                let bytes =
                    files::read_beneath(layout.repo_root(), &path, REPORT_BYTES_MAX).ok()?;
                Some((serde_json::from_slice::<Self>(&bytes).ok()?, path))
            };
            let is_asked = |(report, _): &(Self, String)| {
                about.is_some() || report.decision.as_ref() == Some(&question.decision_id)
            };
            (1..=SAME_NAME_MAX).map_while(read).find(is_asked)
        })
    }
}

/// Where reports are, from the repository's root; the second is for a checkout with something else in the place of the
/// first.
fn folders(session: &SessionName) -> [String; 2] {
    ["logs/errors".to_owned(), format!("{}/errors", session_path(session))]
}

/// The same failure has the same name whenever it is written.
fn name_of(
    at: Timestamp,
    session: &SessionName,
    about: Option<(DispatchNumber, Attempt)>,
) -> String {
    let at = at.to_string().replace(':', "-");
    match about {
        Some((dispatch, attempt)) => {
            format!("{at}_{session}_dispatch-{dispatch}-attempt-{attempt}")
        }
        None => format!("{at}_{session}"),
    }
}

/// More reports about the session in one millisecond have no names of their own.
const SAME_NAME_MAX: usize = 100;

/// Reports about the session as a whole, all of one millisecond, are counted.
fn numbered(name: &str, number: usize) -> String {
    if number == 1 { name.to_owned() } else { format!("{name}_{number}") }
}
