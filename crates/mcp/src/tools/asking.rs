//! The questions of a session as a client may put them to the person, who alone answers.

use super::Outcome;
use crate::arguments::{self, Object, OfSession};
use crate::room::Room;
use serde_json::{Value, json};
use tollgate_core::id::SessionName;
use tollgate_core::view::{QuestionView, View};
use tollgate_files::sanitize::terminal_line;

/// A longer answer is no command that a person copies.
const ANSWER_CHARS_MAX: usize = 200;

pub const FOR_THE_PERSON: &str = "Put these questions to the person in your own words, with every option and what it leads to. \
    The person answers with the command of the option they choose, in their own terminal. You cannot answer: no tool does, and \
    nothing you say to this server counts as an answer. Do not run the commands yourself. Then call `wait` with `until_answered`.";

pub fn questions(room: &Room, given: Object) -> Outcome {
    let given: OfSession = arguments::read(given)?;
    let (_, view) = room.seen(given.repository.as_deref(), &given.session)?;
    let questions = of(&view);
    let next = if questions.is_empty() { "no question is open" } else { FOR_THE_PERSON };
    Ok(json!({"session": view.session.as_str(), "questions": questions, "next": next}))
}

pub fn of(view: &View) -> Vec<Value> {
    view.pending_decisions.iter().map(|asked| question(&view.session, asked)).collect()
}

fn question(session: &SessionName, asked: &QuestionView) -> Value {
    let options: Vec<Value> = asked
        .options
        .iter()
        .map(|option| {
            json!({
                "answer": option.answer,
                "label": option.label,
                "consequence": option.consequence,
                "the_person_answers_with": command(session, asked, &option.answer),
            })
        })
        .collect();
    let shown: Vec<&str> = asked.shown.iter().map(|file| file.path.as_str()).collect();
    json!({
        "decision_id": asked.decision_id.as_str(),
        "kind": asked.kind,
        "question": asked.question,
        "asked_at": asked.asked_at,
        "options": options,
        "files_to_look_at": shown,
        "the_person_answers_in_own_words_with": command(session, asked, "ANSWER"),
    })
}

/// A line for the person's shell. An answer that an agent proposed stays one word of it.
fn command(session: &SessionName, asked: &QuestionView, answer: &str) -> String {
    let answer = terminal_line(answer, ANSWER_CHARS_MAX).replace('\'', r"'\''");
    format!("tollgate answer {session} {} '{answer}' --resume", asked.decision_id)
}
