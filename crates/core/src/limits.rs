//! Every bound in one place, each with its reason.

/// A goal longer than this is a document; it belongs in a file that the goal names.
pub const GOAL_BYTES_MAX: usize = 64 * 1024;

/// A reply is a report, not a payload; more than this is a runaway agent.
pub const REPLY_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// A session file that a role writes; a bigger one would not be read by anybody.
pub const ARTEFACT_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// Output of one dispatch before its tree is stopped, unless the settings say otherwise.
pub const OUTPUT_BYTES_DEFAULT: u64 = 64 * 1024 * 1024;

/// A changed file; hosts of repositories warn of a larger one, and git reads all of it.
pub const FILE_BYTES_DEFAULT: u64 = 50 * 1024 * 1024;

/// All changed files of one dispatch together.
pub const DISPATCH_BYTES_DEFAULT: u64 = 500 * 1024 * 1024;

/// A model that thinks hard is silent for minutes; one that says nothing for longer than this is gone.
pub const SILENCE_MS_DEFAULT: u64 = 10 * 60_000;

/// An agent that means to wait longer than this for its model service is ended, and the engine waits in its place.
pub const AGENT_WAIT_MS_MAX: u64 = 2 * 60_000;

/// An agent that asks its model service again this often in a row, without output in between, gets nowhere.
pub const AGENT_RETRIES_MAX: u32 = 30;

/// Supervisors of one dispatch that end under a living engine. Twice is a machine in trouble, more often is the agent.
pub const SUPERVISORS_LOST_MAX: u32 = 3;

/// What is kept of standard error or of a check's output for feedback.
pub const TAIL_BYTES: usize = 4 * 1024;

/// A usage limit resets within days; a later time is a mistake, and waiting for it would be one too.
pub const PARK_MS_MAX: u64 = 31 * 24 * 3_600_000;

/// A usage limit that resets sooner than this and is met again at once was not one.
pub const SHORT_PARK_MS: u64 = 60_000;

/// An agent that told no time is left alone for this long while another one takes over.
pub const UNTOLD_PARK_MS: u64 = 3_600_000;

/// Short waits for a usage limit in a row, after which a person is asked.
pub const SHORT_PARKS_MAX: u32 = 10;

/// Waits for usage limits in a row double up to this.
pub const PARK_BACKOFF_MS_MAX: u64 = 5 * 60_000;

/// What of an agent's words goes into a question or a blocker; the whole reply is in the dispatch's folder.
pub const QUESTION_BYTES_MAX: usize = 16 * 1024;

/// Findings, questions or notes of one reply; more than this is not meant to be read.
pub const REPLY_ITEMS_MAX: usize = 200;

/// A person gets this many tries at a mandatory gate before the session blocks.
pub const GATE_ASKS_MAX: u32 = 3;

/// The same finding this often means that the loop does not converge.
pub const SAME_FINDING_MAX: u32 = 3;

/// Lean work that touches more files than this is not lean.
pub const LEAN_FILES_MAX: usize = 3;

/// From this many tasks on, reviewing each batch is recommended.
pub const MANY_TASKS: usize = 5;

/// A write of a projection, and its reading back, is tried this often.
pub const PERSIST_TRIES: u32 = 3;

/// A plan with more tasks than this is a mistake of its author.
pub const TASKS_MAX: usize = 500;

/// Files beyond a scope or a size that are each told by name: more than this are a folder that nobody meant to change.
pub const SCOPE_WARNINGS_MAX: usize = 50;

/// A Reviewer reads what the Coder said about its last changes to a task; what came of earlier ones is in the code.
pub const IMPLEMENTATIONS_MAX: usize = 4;

/// Findings of before that an agent is told by their ids; more than these no repair deals with.
pub const EARLIER_FINDINGS_MAX: usize = 60;

/// Characters of a reason for a file out of scope in a question: all files must fit into it.
pub const SCOPE_REASON_CHARS: usize = 200;

/// Questions of one reply that are asked one by one; more than a person answers in one go are put together.
pub const QUESTIONS_APART_MAX: usize = 10;

/// Answers that an agent may suggest to one question: a list that fits on a screen.
pub const SUGGESTIONS_MAX: usize = 12;

/// Decisions from before an import that agents are told, the latest: a prompt is read whole.
pub const IMPORTED_ANSWERS_MAX: usize = 30;
