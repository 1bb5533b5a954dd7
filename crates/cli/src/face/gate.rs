//! What helps a person to judge a question: its files, what changed, an editor for the words, and an explanation.

use super::keyboard;
use crate::changes;
use crate::output::{self, BOLD, DIM, NOTE};
use crate::pager;
use anstyle::Style;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use tollgate_core::answer::{AnswerOption, NeedsWords};
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
    pub fn of(line: &str) -> Option<Self> {
        match line.trim() {
            "v" => Some(Self::Read),
            "d" => Some(Self::Difference),
            "e" => Some(Self::Editor),
            "?" => Some(Self::Explain),
            _ => None,
        }
    }
}

pub const FOOTER: &str = "  v read · d diff · e editor · ? help";

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
    output::marked(BOLD, "  1", &format!("to {number} choose an option; so does its word"));
    output::marked(
        DIM,
        "   ",
        "Enter asks again. Ctrl-C leaves; `tollgate resume` comes back here.",
    );
}

/// The files as they were shown.
pub fn read(root: &Path, view: &View, question: &QuestionView) {
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
        return output::talk("the question shows no files; `d` shows what changed on the branch");
    }
    keyboard::while_lent(|| pager::show(&lines));
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
pub fn difference(root: &Path, view: &View, question: &QuestionView) {
    let found = all(root, view, question);
    if found.is_empty() {
        return output::talk(changes::why_none(question));
    }
    let mut lines = Vec::new();
    for Change { what, patch } in &found {
        lines.push((NOTE, format!("── {} ──", changes::title(what))));
        lines.extend(pager::patch(patch));
        lines.push((Style::new(), String::new()));
    }
    keyboard::while_lent(|| pager::show(&lines));
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

/// What came out of the editor.
pub enum Written {
    Answer(String),
    Nothing,
    /// It ended with an error, as it does when the person gives up: what they wrote is kept for the next time.
    GivenUp {
        draft: String,
    },
}

/// Lets the person write their answer, with the option that they chose.
pub fn words(
    question: &QuestionView,
    chosen: Option<&AnswerOption>,
    draft: Option<&str>,
) -> std::io::Result<Written> {
    let begin = first_words(question, chosen);
    let draft = draft.filter(|text| chosen.is_none() || text.starts_with(begin.trim()));
    let mut file = tempfile::Builder::new().prefix("tollgate-").suffix(".md").tempfile()?;
    write!(file, "{}\n{}", draft.unwrap_or(&begin), template(question))?;
    let ended = keyboard::while_lent(|| editor().arg(file.path()).status())?;
    let text = std::fs::read_to_string(file.path())?;
    let text = above_scissors(&text, question).to_owned();
    Ok(match (text.is_empty() || text == begin.trim(), ended.success()) {
        (true, _) => Written::Nothing,
        (false, true) => Written::Answer(text),
        (false, false) => Written::GivenUp { draft: text },
    })
}

/// Also where the person took the line out.
fn above_scissors<'a>(text: &'a str, question: &QuestionView) -> &'a str {
    let below = text.rfind(SCISSORS).or_else(|| text.rfind(help(question).trim_end()));
    text[..below.unwrap_or(text.len())].trim()
}

/// The beginning of the option that was chosen, or else of the first one that takes words.
fn first_words(question: &QuestionView, chosen: Option<&AnswerOption>) -> String {
    let mut options = question.options.iter();
    let taking = || options.find(|option| option.needs_words == NeedsWords::Required);
    let option = chosen.or_else(taking);
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

fn editor() -> Command {
    let named = ["VISUAL", "EDITOR"].iter().find_map(|name| std::env::var(name).ok());
    let chosen = named.filter(|words| !words.trim().is_empty()).unwrap_or_else(|| "vi".to_owned());
    let mut words = chosen.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("vi"));
    command.args(words);
    command
}
