//! What a person is told: facts of the session, without secrets, without terminal sequences, without what agents wrote.

use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tollgate_contract::config::NotifyOn;
use tollgate_core::count::counted;
use tollgate_core::sanitize::{terminal_line, terminal_text};
use tollgate_core::time::Timestamp;
use tollgate_core::view::{QuestionView, View};
use tollgate_files::redact::Redactor;

/// A question is told in so many letters; the whole of it is where it is answered.
const QUESTION_CHARS_MAX: usize = 2_000;
/// What fits on one line of a notification.
const LINE_CHARS_MAX: usize = 240;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Waiting,
    Blocked,
    Done,
    Cancelled,
    /// A person tries the means by hand.
    Test,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Test => "test",
        }
    }

    /// Whether the settings want it told.
    pub fn is_on(self, on: &[NotifyOn]) -> bool {
        match self {
            Self::Waiting => on.contains(&NotifyOn::Waiting),
            Self::Blocked => on.contains(&NotifyOn::Blocked),
            Self::Done => on.contains(&NotifyOn::Done),
            Self::Cancelled => on.contains(&NotifyOn::Cancelled),
            Self::Test => true,
        }
    }
}

/// The repository that the session is of.
#[derive(Debug, Clone)]
pub struct Repository {
    pub name: String,
    /// Only a command of the person learns it.
    pub root: PathBuf,
}

impl Repository {
    pub fn at(root: &Path) -> Self {
        let name = root.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        Self { name: terminal_line(&name, LINE_CHARS_MAX), root: root.to_owned() }
    }
}

/// A question that waits, with how to answer it.
#[derive(Debug, Clone, Serialize)]
pub struct ToAnswer {
    pub decision_id: String,
    pub kind: String,
    pub round: u32,
    pub question: String,
    /// The keywords of the options.
    pub options: Vec<String>,
    pub command: String,
}

/// A role that a person plays, with how to hand in the reply.
#[derive(Debug, Clone, Serialize)]
pub struct ToPlay {
    pub dispatch: u32,
    pub title: String,
    pub command: String,
}

#[derive(Debug, Clone, Serialize)]
struct Blocked {
    code: String,
    detail: String,
    remedy: String,
}

/// One notification.
#[derive(Debug, Clone, Serialize)]
pub struct Announcement {
    #[serde(skip)]
    pub id: String,
    #[serde(skip)]
    pub time: Timestamp,
    #[serde(skip)]
    pub repository_root: PathBuf,
    schema_version: u32,
    #[serde(rename = "event")]
    pub kind: Kind,
    pub session: String,
    pub repository: String,
    action: String,
    state: String,
    goal: String,
    /// What happened, and what is needed, each in a line.
    pub title: String,
    pub message: String,
    pub questions: Vec<ToAnswer>,
    pub roles: Vec<ToPlay>,
    blocker: Option<Blocked>,
    /// How to continue in a terminal.
    pub command: String,
}

const SCHEMA_VERSION: u32 = 1;

impl Announcement {
    /// `id` is the same however often the same event is told.
    pub fn of(
        view: &View,
        kind: Kind,
        id: String,
        repository: Repository,
        roles: Vec<ToPlay>,
        redactor: &Redactor,
    ) -> Self {
        let clean = Clean { redactor };
        let is_over = matches!(kind, Kind::Done | Kind::Cancelled);
        let asked = view.pending_decisions.iter().filter(|_| !is_over);
        let session = view.session.to_string();
        let questions: Vec<ToAnswer> = asked.map(|one| clean.question(&session, one)).collect();
        let blocker = view.blocker.as_ref().filter(|_| kind == Kind::Blocked).map(|blocker| {
            let code = blocker.code.to_string();
            let (detail, remedy) = (clean.text(&blocker.detail), clean.text(&blocker.remedy));
            Blocked { code, detail, remedy }
        });
        let mut told = Self {
            id,
            time: view.updated_at,
            repository_root: repository.root,
            schema_version: SCHEMA_VERSION,
            kind,
            title: title(kind, &session),
            message: String::new(),
            repository: clean.line(&repository.name),
            action: clean.line(&view.route.action),
            state: view.route.state.to_string(),
            goal: clean.text(&view.goal),
            command: next(kind, &session),
            session,
            questions,
            roles,
            blocker,
        };
        told.message = clean.line(&told.needed());
        told
    }

    /// To try the means.
    pub fn test(repository: Repository, time: Timestamp) -> Self {
        Self {
            id: format!("test-{}", time.as_ms()),
            time,
            repository_root: repository.root,
            schema_version: SCHEMA_VERSION,
            kind: Kind::Test,
            session: "test".to_owned(),
            repository: repository.name,
            action: String::new(),
            state: String::new(),
            goal: String::new(),
            title: "Tollgate: a test".to_owned(),
            message: "If you can read this, you are told when a session needs you".to_owned(),
            questions: Vec::new(),
            roles: Vec::new(),
            blocker: None,
            command: "tollgate status".to_owned(),
        }
    }

    /// As CloudEvents 1.0 has it, in structured mode.
    pub fn cloud_event(&self) -> Value {
        json!({
            "specversion": "1.0",
            "id": self.id,
            "source": format!("/tollgate/{}", path_part(&self.repository)),
            "type": format!("tollgate.session.{}", self.kind.as_str()),
            "subject": self.session,
            "time": self.time.to_string(),
            "datacontenttype": "application/json",
            "data": self,
        })
    }

    fn needed(&self) -> String {
        let more = |others: usize, name: &str| match others {
            0 => String::new(),
            others => format!(", and {}", counted(others, name)),
        };
        if let Some(blocker) = &self.blocker {
            return format!("{}: {}", blocker.code, blocker.detail);
        }
        if let Some(first) = self.questions.first() {
            let others = more(self.questions.len() - 1, "more question");
            return format!("{} ({}): {}{others}", first.decision_id, first.kind, first.question);
        }
        if let Some(first) = self.roles.first() {
            let others = more(self.roles.len() - 1, "more role");
            return format!("{} waits for you to play it{others}", first.title);
        }
        self.goal.clone()
    }
}

fn title(kind: Kind, session: &str) -> String {
    let what = match kind {
        Kind::Waiting => "waits for you",
        Kind::Blocked => "is blocked",
        Kind::Done => "is done",
        Kind::Cancelled => "is cancelled",
        Kind::Test => "is a test",
    };
    format!("Tollgate: {session} {what}")
}

fn next(kind: Kind, session: &str) -> String {
    match kind {
        Kind::Done => format!("tollgate diff {session}"),
        Kind::Cancelled | Kind::Test => format!("tollgate status {session}"),
        Kind::Waiting | Kind::Blocked => format!("tollgate resume {session}"),
    }
}

/// Text of agents, files and people as it may leave this machine.
struct Clean<'a> {
    redactor: &'a Redactor,
}

impl Clean<'_> {
    fn line(&self, text: &str) -> String {
        terminal_line(&self.redactor.redact(text), LINE_CHARS_MAX)
    }

    fn text(&self, text: &str) -> String {
        let clean = self.redactor.redact(text);
        let clean = terminal_text(&clean);
        match clean.char_indices().nth(QUESTION_CHARS_MAX) {
            Some((cut, _)) => format!("{}…", &clean[..cut]),
            None => clean.into_owned(),
        }
    }

    fn question(&self, session: &str, question: &QuestionView) -> ToAnswer {
        let id = &question.decision_id;
        ToAnswer {
            decision_id: id.to_string(),
            kind: question.kind.to_string(),
            round: question.round,
            question: self.text(&question.question),
            options: question.options.iter().map(|option| self.line(&option.answer)).collect(),
            command: format!("tollgate answer {session} {id} ANSWER --resume"),
        }
    }
}

/// A name as one part of an address.
fn path_part(text: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'~');
    let escaped = |b: u8| if is_plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    text.bytes().map(escaped).collect()
}
