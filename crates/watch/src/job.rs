//! What takes a while: reading files and differences, and giving commands. A thread of its own does it, so that the screen never
//! waits for it.

use crate::doc::Doc;
use crate::facts::below;
use crate::paint::Ink;
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use tollgate_core::count::counted;
use tollgate_core::id::{Attempt, DecisionId, DispatchNumber, SessionName};
use tollgate_core::view::{Standing, View};
use tollgate_desk::{Answer, Desk, NewSession, Opened, OpenedError, Orders, Refused, Repo, Row};

/// A session by its names.
#[derive(Debug, Clone)]
pub struct Which {
    pub repo: Repo,
    pub session: SessionName,
}

#[derive(Debug)]
pub enum Job {
    Rows,
    /// All that the session changed.
    Changes(Which),
    /// What changed for whoever has to answer.
    ChangesAsked(Which, DecisionId),
    /// A file of a question, by its path.
    Shown(Which, DecisionId, String),
    /// A file of the session.
    Artefact(Which, String),
    Prompt(Which, DispatchNumber, Attempt),
    Answer(Which, Answer),
    Cancel(Which, String),
    Resume(Which),
    Start(Repo, String),
}

#[derive(Debug)]
pub enum Done {
    Rows(Vec<Row>),
    Text(Doc),
    /// A command was done, or refused. What was done may still not have been continued.
    Ordered(Result<Option<Refused>, Refused>),
    Started(Repo, Result<SessionName, Refused>),
}

/// Does one job after the other.
#[derive(Debug)]
pub struct Worker {
    jobs: Sender<(u64, Job)>,
    done: Receiver<(u64, Done)>,
}

impl Worker {
    /// A byte on `wake` says that something is done.
    pub fn start(desk: Desk, orders: Orders, wake: UnixStream) -> Self {
        let (jobs, inbox) = channel::<(u64, Job)>();
        let (outbox, done) = channel();
        std::thread::spawn(move || {
            let hands = Hands { desk, orders };
            let mut wake = wake;
            for (number, job) in inbox {
                if outbox.send((number, hands.take(job))).is_err() {
                    return;
                }
                let _it_is_awake = wake.write(&[0]);
            }
        });
        Self { jobs, done }
    }

    pub fn give(&self, number: u64, job: Job) {
        self.jobs.send((number, job)).expect("the worker takes jobs until this is dropped");
    }

    pub fn done(&self) -> Option<(u64, Done)> {
        self.done.try_recv().ok()
    }
}

struct Hands {
    desk: Desk,
    orders: Orders,
}

impl Hands {
    fn take(&self, job: Job) -> Done {
        match job {
            Job::Rows => Done::Rows(self.desk.rows()),
            Job::Changes(which) => text(&which, changes),
            Job::ChangesAsked(which, asked) => {
                text(&which, |opened, view| changes_asked(opened, view, &asked))
            }
            Job::Shown(which, asked, path) => {
                text(&which, |opened, view| Ok(shown(opened, view, &asked, &path)))
            }
            Job::Artefact(which, path) => {
                text(&which, |opened, view| Ok(content(&path, opened.artefact(view, &path))))
            }
            Job::Prompt(which, number, attempt) => {
                text(&which, |opened, _| Ok(content("prompt.md", opened.prompt(number, attempt))))
            }
            Job::Answer(which, answer) => {
                let recorded = self.orders.answer(&which.repo, &which.session, &answer);
                Done::Ordered(recorded.map(|()| self.continue_it(&which)))
            }
            Job::Cancel(Which { repo, session }, reason) => {
                Done::Ordered(self.orders.cancel(&repo, &session, &reason).map(|()| None))
            }
            Job::Resume(Which { repo, session }) => {
                Done::Ordered(self.orders.resume(&repo, &session).map(|()| None))
            }
            Job::Start(repo, goal) => {
                let started =
                    self.orders.start(&repo, &NewSession { goal, ..NewSession::default() });
                Done::Started(repo, started)
            }
        }
    }
}

impl Hands {
    /// Where nobody runs a session that has something to do now, a process of its own does. Why it could not.
    fn continue_it(&self, which: &Which) -> Option<Refused> {
        let mut opened = Opened::open(which.repo.clone(), which.session.clone()).ok()?;
        let standing = opened.view().ok()?.route.standing;
        if standing != Standing::Working || opened.is_running() {
            return None;
        }
        self.orders.resume(&which.repo, &which.session).err()
    }
}

/// What cannot be read says why.
fn text(which: &Which, make: impl FnOnce(&Opened, &View) -> Result<Doc, OpenedError>) -> Done {
    let read = || {
        let mut opened = Opened::open(which.repo.clone(), which.session.clone())?;
        let view = opened.view()?;
        make(&opened, &view)
    };
    Done::Text(read().unwrap_or_else(|error| {
        let mut doc = Doc::default();
        doc.say(Ink::Bad, "It cannot be read.").quote(Ink::Plain, &error.to_string());
        doc
    }))
}

fn changes(opened: &Opened, view: &View) -> Result<Doc, OpenedError> {
    let files = opened.changed_files(view)?;
    let mut doc = Doc::default();
    if files.is_empty() {
        doc.say(Ink::Dim, "No work is accepted yet.");
        return Ok(doc);
    }
    doc.say(
        Ink::Strong,
        format!("{} of accepted work", counted(files.len() as u64, "changed file")),
    );
    for file in &files {
        let lines = match (file.added, file.removed) {
            (Some(added), Some(removed)) => format!("+{added} -{removed} "),
            _ => "binary ".to_owned(),
        };
        doc.item(Ink::Plain, &lines, &file.path);
    }
    let patch = opened.patch(view, &[])?;
    match patch.is_empty() {
        true => doc
            .blank()
            .say(Ink::Dim, "The difference is too long to be shown; `tollgate diff` has it."),
        false => doc.patch(&patch),
    };
    Ok(doc)
}

fn changes_asked(opened: &Opened, view: &View, asked: &DecisionId) -> Result<Doc, OpenedError> {
    let question = view.pending_decisions.iter().find(|one| one.decision_id == *asked);
    let all = question.map(|question| opened.changes(view, question)).unwrap_or_default();
    if all.is_empty() {
        return changes(opened, view);
    }
    let mut doc = Doc::default();
    for change in all {
        doc.head(sentence(&change.what.title())).patch(&change.patch);
    }
    Ok(doc)
}

fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn shown(opened: &Opened, view: &View, asked: &DecisionId, path: &str) -> Doc {
    let question = view.pending_decisions.iter().find(|one| one.decision_id == *asked);
    let file = question.and_then(|question| question.shown.iter().find(|file| file.path == path));
    content(below(view, path), file.and_then(|file| opened.content(view, file)))
}

fn content(path: &str, text: Option<String>) -> Doc {
    let mut doc = Doc::default();
    match text {
        None => doc.say(Ink::Dim, "It cannot be shown: it is gone, or too large."),
        Some(text) if text.is_empty() => doc.say(Ink::Dim, "It is empty."),
        Some(text) if path.ends_with(".md") => doc.markdown(&text),
        Some(text) => doc.quote(Ink::Plain, &text),
    };
    doc
}
