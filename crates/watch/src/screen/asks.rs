//! What a key on the list, on a session or on a question asks for: another screen, or something that must be read first.

use super::{FileOf, Over, Screen, Wish};
use crate::doc::Doc;
use crate::facts;
use crate::form::{Form, Purpose};
use crate::job::{Job, Which};
use crate::list::Picks;
use crate::paint::Ink;
use crate::picker::{Picked, Picker};
use crate::question::{Question, Wants};
use crate::reader::Reader;
use crate::session::Asks;
use crate::typing::Typing;
use tollgate_core::answer::NeedsWords;
use tollgate_core::id::{Attempt, DecisionId, TaskId};

impl Screen {
    pub(super) fn pick(&mut self, picks: Picks) -> Vec<Wish> {
        match picks {
            Picks::Quit => vec![Wish::Quit],
            Picks::Open { repo, session } => vec![Wish::Open { repo, session }],
            Picks::New(repo) => {
                let mut about = Doc::default();
                about.say(Ink::Plain, "It runs by itself, and continues when you leave this view.");
                let title = format!("A new session in {}", repo.name);
                let form = Form::new(Purpose::Start(repo), title, about, "Start it");
                let form = form.with_words(Typing::new(""), "Goal", NeedsWords::Required);
                self.over.push(Over::Form(Box::new(form)));
                Vec::new()
            }
        }
    }

    pub(super) fn ask(&mut self, asks: Asks) -> Vec<Wish> {
        let Some(session) = &self.session else { return Vec::new() };
        let seen = &session.seen;
        match asks {
            Asks::Back if self.is_alone => return vec![Wish::Quit],
            Asks::Back => {
                self.session = None;
                self.drafts.clear();
                return vec![Wish::Leave];
            }
            Asks::Answer(id) => self.show_question(&id),
            Asks::Output(number) => {
                let title = facts::output_title(seen, number);
                self.over.push(Over::Reader(Reader::output(title, number)));
                return vec![Wish::Follow(number)];
            }
            Asks::Prompt(number) => {
                let attempt: Attempt = seen.attempts(number);
                let title = format!("What dispatch {number} was told");
                return self.read(title, |which| Job::Prompt(which, number, attempt));
            }
            Asks::Task(id) => self.show_task(&id),
            Asks::Changes => return self.read("What the session changed", Job::Changes),
            Asks::Findings => {
                let doc = facts::findings(&seen.view);
                self.over.push(Over::Reader(Reader::new("Findings", doc)));
            }
            Asks::Criteria => {
                let doc = facts::all_criteria(&seen.view);
                let title = "Criteria, checks and notes";
                self.over.push(Over::Reader(Reader::new(title, doc)));
            }
            Asks::Log => {
                let doc = facts::log(&session.lines, &self.zone);
                self.over.push(Over::Reader(Reader::new("The log", doc).at_its_end()));
            }
            Asks::Files => self.show_files(),
            Asks::Cancel => self.show_cancel(),
            Asks::Resume => self.show_resume(),
        }
        Vec::new()
    }

    pub(super) fn show_question(&mut self, id: &DecisionId) {
        let Some(session) = &self.session else { return };
        if let Some(asked) = session.seen.question(id) {
            self.over.push(Over::Question(Question::new(&session.seen, asked)));
        }
    }

    pub(super) fn show_task(&mut self, id: &TaskId) {
        let Some(session) = &self.session else { return };
        let mut tasks = session.seen.view.work.tasks.iter();
        if let Some(task) = tasks.find(|task| task.id == *id) {
            let doc = facts::task(&session.seen, task);
            self.over.push(Over::Reader(Reader::new(id.to_string(), doc)));
        }
    }

    pub(super) fn show_files(&mut self) {
        let Some(session) = &self.session else { return };
        let files = session.seen.view.results.artefacts.iter();
        let files: Vec<_> = files
            .map(|file| (file.path.clone(), String::new(), FileOf::Session(file.path.clone())))
            .collect();
        match files.is_empty() {
            true => self.notify("The session has no files yet."),
            false => self.over.push(Over::Files(Picker::new("Files of the session", files))),
        }
    }

    pub(super) fn show_cancel(&mut self) {
        let mut about = Doc::default();
        about.say(Ink::Plain, "It ends for good. Accepted work stays on its branch.");
        let form = Form::new(Purpose::Cancel, "Cancel the session", about, "Cancel it for good");
        let form = form.with_words(Typing::one_line(), "Why", NeedsWords::Required);
        self.over.push(Over::Form(Box::new(form)));
    }

    pub(super) fn show_resume(&mut self) {
        let mut about = Doc::default();
        about.say(Ink::Plain, "A process of its own runs the session from where it is, also when you leave this view.");
        let form = Form::new(Purpose::Resume, "Continue the session", about, "Continue it");
        self.over.push(Over::Form(Box::new(form)));
    }

    pub(super) fn which(&self) -> Option<Which> {
        let seen = &self.session.as_ref()?.seen;
        Some(Which { repo: seen.repo.clone(), session: seen.view.session.clone() })
    }

    /// A job that reads a text, and a place for it.
    pub(super) fn read(
        &mut self,
        title: impl Into<String>,
        job: impl FnOnce(Which) -> Job,
    ) -> Vec<Wish> {
        let Some(which) = self.which() else { return Vec::new() };
        let number = self.next_job();
        self.over.push(Over::Waits(number, title.into()));
        vec![Wish::Do(number, job(which))]
    }

    pub(super) fn picked(&mut self, picked: Picked<FileOf>) -> Vec<Wish> {
        match picked {
            Picked::Nothing => Vec::new(),
            Picked::Leave => {
                self.over.pop();
                Vec::new()
            }
            Picked::One(FileOf::Session(path)) => {
                self.read(path.clone(), |which| Job::Artefact(which, path))
            }
            Picked::One(FileOf::Question(id, path)) => {
                self.read(path.clone(), |which| Job::Shown(which, id, path))
            }
        }
    }

    pub(super) fn want(&mut self, wants: Wants) -> Vec<Wish> {
        let Some((Over::Question(question), session)) = self.over.last().zip(self.session.as_ref())
        else {
            return Vec::new();
        };
        let id = question.decision.clone();
        let asked = question.asked(&session.seen).cloned();
        let Some(asked) = asked.filter(|_| wants != Wants::Back) else {
            self.over.pop();
            return Vec::new();
        };
        match wants {
            Wants::Back => {}
            Wants::Changes => {
                return self.read("What changed", |which| Job::ChangesAsked(which, id));
            }
            Wants::Findings => {
                let doc = facts::findings(&session.seen.view);
                self.over.push(Over::Reader(Reader::new("Findings", doc)));
            }
            Wants::Next => {
                let all = &session.seen.view.pending_decisions;
                let at = all.iter().position(|one| one.decision_id == id).unwrap_or(0);
                let next = Question::new(&session.seen, &all[(at + 1) % all.len()]);
                self.over.pop();
                self.over.push(Over::Question(next));
            }
            Wants::Files => {
                let of = |file: &tollgate_core::view::ShownFile| {
                    let beside = if file.is_new {
                        "new"
                    } else if file.has_changed() {
                        "changed"
                    } else {
                        ""
                    };
                    let name = facts::below(&session.seen.view, &file.path).to_owned();
                    (name, beside.to_owned(), FileOf::Question(id.clone(), file.path.clone()))
                };
                let files: Vec<_> = asked.shown.iter().map(of).collect();
                match files.is_empty() {
                    true => self.notify("The question shows no files; d shows what changed."),
                    false => self.over.push(Over::Files(Picker::new(
                        "The files that you are asked about",
                        files,
                    ))),
                }
            }
            Wants::Option(index) => {
                if let Some(option) = asked.options.get(index) {
                    let form = self.answer_form(&id, asked.round, option);
                    self.over.push(Over::Form(Box::new(form)));
                }
            }
        }
        Vec::new()
    }
}
