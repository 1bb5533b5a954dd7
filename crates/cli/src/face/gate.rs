//! What helps a person to judge a question: its files, what changed, an editor for the words, and an explanation.

use super::loan::Asked;
use crate::changes;
use crate::output::{self, BOLD, DIM, NOTE};
use crate::pager;
use anstyle::Style;
use std::path::Path;
use tollgate_core::answer::{AnswerOption, NeedsWords};
use tollgate_core::decision::DecisionKind;
use tollgate_core::view::{Home, QuestionView, ShownFile, View};
use tollgate_files::sanitize::terminal_text;
use tollgate_git::repository::Repository;
use tollgate_host::changes::{Change, all};
use tollgate_host::kept;

/// What a single letter asks for, in place of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Read,
    Difference,
    Editor,
    Explain,
}

impl Key {
    /// A letter that is an option of the question chooses it; with a colon before it, it is this key everywhere.
    pub fn of(line: &str, question: &QuestionView) -> Option<Self> {
        let line = line.trim();
        if lettered(question, line).is_some() {
            return None;
        }
        match line.strip_prefix(':').unwrap_or(line) {
            "v" => Some(Self::Read),
            "d" => Some(Self::Difference),
            "e" => Some(Self::Editor),
            "?" => Some(Self::Explain),
            _ => None,
        }
    }
}

pub fn footer(question: &QuestionView) -> &'static str {
    match question.kind {
        DecisionKind::Info => "  :v read · :d diff · :e editor · :? help",
        _ => "  v read · d diff · e editor · ? help",
    }
}

/// A long text may have moved the question off the screen.
pub fn remind(question: &QuestionView) {
    let answers = question.options.iter().enumerate();
    let answers = answers.map(|(index, option)| format!("{} {}", index + 1, option.answer));
    let answers = answers.collect::<Vec<_>>().join(" · ");
    output::marked(NOTE, "?", &format!("{}: {answers}", question.decision_id));
}

/// The option of a question for information that is this letter, or begins with it as `d)` does.
pub fn lettered<'a>(question: &'a QuestionView, line: &str) -> Option<&'a AnswerOption> {
    let is_letter = line.len() == 1 && question.kind == DecisionKind::Info;
    let is_own = |option: &&AnswerOption| {
        let rest = option.answer.strip_prefix(line);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([')', '.', ':']))
    };
    question.options.iter().find(is_own).filter(|_| is_letter)
}

pub fn explain(question: &QuestionView) {
    let number = question.options.len();
    let what =
        "waits for your decision; nothing continues before it, and no option is taken by itself";
    output::marked(BOLD, question.decision_id.as_str(), what);
    for (key, text) in [
        ("v", "reads the files that the question is about"),
        ("d", "shows what changed: since you were last asked, or all of the work so far"),
        ("e", "opens your editor ($VISUAL or $EDITOR) for an answer of many lines"),
    ] {
        output::marked(BOLD, &format!("  {key}"), text);
    }
    output::marked(
        BOLD,
        "  :",
        "before a letter makes it a key where it could be an answer, as in `:d`",
    );
    output::marked(BOLD, "  1", &format!("to {number} choose an option; so does its word"));
    output::marked(
        DIM,
        "   ",
        "Enter asks again. Ctrl-C leaves; `tollgate resume` comes back here.",
    );
}

/// Lines for a pager, each in its style.
pub type Lines = Vec<(Style, String)>;

/// The files as they were shown.
pub fn read(root: &Path, view: &View, question: &QuestionView) -> Option<Lines> {
    let mut lines = Vec::new();
    for file in &question.shown {
        lines.push((NOTE, format!("── {} ──", file.path)));
        match content(root, view, file) {
            Some(text) if file.path.ends_with(".md") => lines.extend(pager::markdown(&text)),
            Some(text) => lines.extend(text.lines().map(|line| (Style::new(), line.to_owned()))),
            None => lines.push((DIM, "it cannot be read".to_owned())),
        }
        lines.push((Style::new(), String::new()));
    }
    if lines.is_empty() {
        output::talk("the question shows no files; `d` shows what changed on the branch");
        return None;
    }
    Some(lines)
}

fn content(root: &Path, view: &View, file: &ShownFile) -> Option<String> {
    match file.home {
        Home::Session => kept::text(&root.join(&file.path)),
        Home::Branch => {
            let repository = Repository::discover(root).ok()?;
            let bytes = repository.content(&view.branch.tip, &file.path).ok()?;
            Some(terminal_text(&String::from_utf8_lossy(&bytes)).into_owned())
        }
    }
}

/// What changed since the last round where there was one, else what was done.
pub fn difference(root: &Path, view: &View, question: &QuestionView) -> Option<Lines> {
    let found = all(root, view, question);
    if found.is_empty() {
        output::talk(changes::why_none(question));
        return None;
    }
    let mut lines = Vec::new();
    for Change { what, patch } in &found {
        lines.push((NOTE, format!("── {} ──", what.title())));
        lines.extend(pager::patch(patch));
        lines.push((Style::new(), String::new()));
    }
    Some(lines)
}

/// What changed in the files of the question since the person was last asked: their names, and the first lines of it.
pub fn show_changed_since_last_round(root: &Path, view: &View, question: &QuestionView) {
    let names = changes::names_since_last_round(question);
    if names.is_empty() {
        return;
    }
    let text = format!("changed since you were last asked: {}", names.join(", "));
    output::marked(NOTE, "!", &text);
    if changes::show_first_lines(root, view, question) {
        output::styled(DIM, "  `d` shows all of it");
    }
}

/// Above it are the person's words, whatever they begin with; what is below is for them to read.
const SCISSORS: &str = "# ---- >8 ---- everything below this line is left out";

/// What the editor begins with: the words so far, or the option that was chosen, and below them what one can answer.
pub fn draft(asked: &Asked, draft: Option<&str>) -> String {
    let begin = first_words(asked);
    let draft = draft.filter(|text| asked.chosen.is_none() || text.starts_with(begin.trim()));
    format!("{}\n{}", draft.unwrap_or(&begin), template(&asked.question))
}

/// The answer that a person wrote in their editor, with the option that they chose; none when they wrote nothing.
pub fn words(asked: &Asked, text: &str) -> Option<String> {
    let text = above_scissors(text, &asked.question);
    (!text.is_empty() && text != first_words(asked).trim()).then(|| text.to_owned())
}

/// Also where the person took the line out.
fn above_scissors<'a>(text: &'a str, question: &QuestionView) -> &'a str {
    let below = text.rfind(SCISSORS).or_else(|| text.rfind(help(question).trim_end()));
    text[..below.unwrap_or(text.len())].trim()
}

/// The beginning of the option that was chosen, or else of the first one that takes words.
fn first_words(asked: &Asked) -> String {
    let mut options = asked.question.options.iter();
    let taking = || options.find(|option| option.needs_words == NeedsWords::Required);
    let option = asked.chosen.as_ref().or_else(taking);
    let keyword = option.and_then(|option| option.answer.split_once(':'));
    keyword.map(|(keyword, _)| format!("{keyword}: ")).unwrap_or_default()
}

fn template(question: &QuestionView) -> String {
    format!("\n{SCISSORS}\n{}", help(question))
}

fn help(question: &QuestionView) -> String {
    let mut text = format!("# Your answer to {}.\n", question.decision_id);
    for option in &question.options {
        text.push_str(&format!("# {}: {}\n", option.answer, option.label));
    }
    text.push_str("# An empty answer is not sent.\n");
    text
}
