//! What a person sends: an answer, a goal, a reason. What came of it, and words that were not sent.

use super::{Over, Screen, Wish};
use crate::doc::Doc;
use crate::form::{Does, Form, Purpose};
use crate::job::Job;
use crate::paint::Ink;
use crate::typing::Typing;
use tollgate_core::answer::{AnswerOption, NeedsWords};
use tollgate_core::id::DecisionId;
use tollgate_desk::{Answer, Refused};

impl Screen {
    pub(super) fn answer_form(
        &self,
        decision: &DecisionId,
        round: u32,
        option: &AnswerOption,
    ) -> Form {
        let mut about = Doc::default();
        about.say(Ink::Plain, format!("You answer {decision} with:"));
        about.quote(Ink::Strong, &option.label);
        about.quote(Ink::Plain, &option.consequence);
        let keyword = option.typed().unwrap_or_default().trim_end_matches(':').to_owned();
        let draft = self.drafts.get(&(decision.to_string(), keyword.clone()));
        let purpose = Purpose::Answer { decision: decision.clone(), round, answer: keyword };
        let form =
            Form::new(purpose, format!("Your answer to {decision}"), about, "Send this answer");
        let label = match option.needs_words {
            NeedsWords::No => return form,
            NeedsWords::Optional => "Your words, if you like",
            NeedsWords::Required => "Your words",
        };
        let words = Typing::new(draft.map(String::as_str).unwrap_or_default());
        form.with_words(words, label, option.needs_words)
    }

    pub(super) fn act(&mut self, does: Does) -> Vec<Wish> {
        let number = self.next_job();
        let which = self.which();
        let Some(Over::Form(form)) = self.over.last_mut() else { return Vec::new() };
        match does {
            Does::Back => {
                self.keep_draft();
                self.over.pop();
                Vec::new()
            }
            Does::Edit => {
                let text = form.words.as_ref().map(Typing::text).unwrap_or_default();
                vec![Wish::Edit(text)]
            }
            Does::Send => {
                let words = form.written();
                let job = match (form.purpose.clone(), which) {
                    (Purpose::Answer { decision, round, answer }, Some(which)) => {
                        Job::Answer(which, Answer { decision, round, answer, words })
                    }
                    (Purpose::Cancel, Some(which)) => Job::Cancel(which, words.unwrap_or_default()),
                    (Purpose::Resume, Some(which)) => Job::Resume(which),
                    (Purpose::Start(repo), _) => Job::Start(repo, words.unwrap_or_default()),
                    (_, None) => return Vec::new(),
                };
                form.sent = Some(number);
                vec![Wish::Do(number, job)]
            }
        }
    }

    /// Nothing that a person wrote is lost when they look at something else first.
    pub(super) fn keep_draft(&mut self) {
        if let Some(Over::Form(form)) = self.over.last()
            && let Purpose::Answer { decision, answer, .. } = &form.purpose
            && form.sent.is_none()
        {
            let key = (decision.to_string(), answer.clone());
            match form.written() {
                Some(words) => self.drafts.insert(key, words),
                None => self.drafts.remove(&key),
            };
        }
    }

    /// What the person wrote in their editor, or why nothing came of it.
    pub fn edited(&mut self, written: Result<String, String>) {
        let Some(Over::Form(form)) = self.over.last_mut() else { return };
        match written {
            Ok(text) => form.rewrite(&text),
            Err(why) => {
                form.refuse(&Refused { code: String::new(), message: why, hints: Vec::new() });
            }
        }
    }

    pub(super) fn form(&mut self, number: u64) -> Option<&mut Form> {
        self.over.iter_mut().find_map(|over| match over {
            Over::Form(form) if form.sent == Some(number) => Some(form.as_mut()),
            _ => None,
        })
    }

    pub(super) fn refuse(&mut self, number: u64, refused: &Refused) {
        match self.form(number) {
            Some(form) => form.refuse(refused),
            None => {
                let message = crate::text::one_line(&refused.message);
                self.notify(format!("Nothing was recorded: {message}"));
            }
        }
    }

    /// An answer closes its question.
    pub(super) fn recorded(&mut self, number: u64, not_continued: Option<&Refused>) {
        let is_answer = match self.form(number).map(|form| form.purpose.clone()) {
            Some(Purpose::Answer { decision, .. }) => {
                self.drafts.retain(|(of, ..), _| *of != decision.as_str());
                true
            }
            _ => false,
        };
        self.close_form(number);
        if is_answer {
            if matches!(self.over.last(), Some(Over::Question(_))) {
                self.over.pop();
            }
            self.notify(match not_continued {
                None => "Your answer is recorded.".to_owned(),
                Some(refused) => format!(
                    "Your answer is recorded, but the session was not continued: {}",
                    refused.message
                ),
            });
        }
    }

    pub(super) fn close_form(&mut self, number: u64) {
        self.over.retain(|over| !matches!(over, Over::Form(form) if form.sent == Some(number)));
    }
}
