//! What helps a person to judge a question: its files, what changed, an editor for the words, and an explanation.

use super::keyboard;
use crate::output::{self, BOLD, DIM, NOTE};
use crate::pager;
use anstyle::Style;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use tollgate_core::answer::NeedsWords;
use tollgate_core::view::{Home, QuestionView, ShownFile, View};
use tollgate_files::layout::Layout;
use tollgate_files::sanitize::terminal_text;
use tollgate_git::repository::{Detail, Repository};
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
    output::talk(&format!(
        "{} waits for your decision; nothing continues before it, and no option is taken by itself.",
        question.decision_id
    ));
    for (key, text) in [
        ("v", "reads the files that the question is about"),
        ("d", "shows what changed: since the last round, or on the branch since its start"),
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

/// Since the last round where there was one, else of the branch since its start.
pub fn difference(root: &Path, view: &View, question: &QuestionView) {
    let Ok(repository) = Repository::discover(root) else { return };
    let mut bytes = Vec::new();
    for file in &question.shown {
        bytes.extend(since_last_round(&repository, root, view, file).unwrap_or_default());
    }
    if bytes.is_empty() && view.branch.has_accepted_work() {
        let (from, tip) = (view.branch.compared_with(), &view.branch.tip);
        bytes = repository.difference(from, tip, Detail::Reading).unwrap_or_default();
    }
    if bytes.is_empty() {
        return output::talk("nothing has changed yet that could be compared; `v` shows the files");
    }
    let text = terminal_text(&String::from_utf8_lossy(&bytes)).into_owned();
    keyboard::while_lent(|| pager::show(&pager::patch(&text)));
}

fn since_last_round(
    repository: &Repository,
    root: &Path,
    view: &View,
    file: &ShownFile,
) -> Option<Vec<u8>> {
    let before = file.sha256_before.as_ref().filter(|_| file.home == Home::Session)?;
    let relative = file.path.strip_prefix(view.folder.as_str())?;
    let session = Layout::new(root).session(&view.session);
    let old = kept::version(&session, relative, before)?;
    repository.difference_of_files(&old, &root.join(&file.path)).ok()
}

/// What changed since the person was last asked, a line for each file.
pub fn changed_since_last_round(question: &QuestionView) -> Option<String> {
    let changed = question.shown.iter().filter(|file| file.sha256_before.is_some());
    let names: Vec<&str> = changed.map(|file| file.path.as_str()).collect();
    let and_how = "`d` shows how";
    match names[..] {
        [] => None,
        _ => Some(format!("changed since you were last asked: {}; {and_how}", names.join(", "))),
    }
}

/// The answer that a person wrote in their editor; none when they wrote nothing.
pub fn words(question: &QuestionView, draft: Option<&str>) -> Option<String> {
    let words = draft.map(str::to_owned).unwrap_or_else(|| first_words(question));
    let mut file = tempfile::Builder::new().prefix("tollgate-").suffix(".md").tempfile().ok()?;
    write!(file, "{words}\n{}", template(question)).ok()?;
    let edited = keyboard::while_lent(|| editor().arg(file.path()).status());
    if let Err(cause) = edited {
        output::talk(&format!("the editor cannot be started: {cause}; set $EDITOR to another one"));
        return None;
    }
    let text = std::fs::read_to_string(file.path()).ok()?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let text = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
    (!text.is_empty() && text != first_words(question).trim()).then_some(text)
}

/// The beginning of the first option that takes words.
fn first_words(question: &QuestionView) -> String {
    let mut options = question.options.iter();
    let taking = options.find(|option| option.needs_words == NeedsWords::Required);
    let keyword = taking.and_then(|option| option.answer.split_once(':'));
    keyword.map(|(keyword, _)| format!("{keyword}: ")).unwrap_or_default()
}

fn template(question: &QuestionView) -> String {
    let mut text = format!(
        "# Your answer to {}. Lines that begin with # do not count.\n",
        question.decision_id
    );
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
