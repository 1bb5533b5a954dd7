//! At a terminal: one live line per running dispatch, and questions that are answered in place.

use super::at_work::PlainLines;
use super::gate::{self, Key, Written};
use super::live::Live;
use super::narrate::Narrator;
use super::{command_id, keyboard};
use crate::digest::digest;
use crate::output::{self, BOLD, DIM, NOTE, WARN};
use anstyle::Style;
use std::path::{Path, PathBuf};
use tollgate_core::answer::{AnswerOption, ApproveWay, NeedsWords, Way};
use tollgate_core::decision::DecisionKind;
use tollgate_core::event::Event;
use tollgate_core::id::DecisionId;
use tollgate_core::input::Command;
use tollgate_core::limits::GATE_ASKS_MAX;
use tollgate_core::refusal::Refusal;
use tollgate_core::view::{Parts, QuestionView, View};
use tollgate_host::serve::{Face, TypedLine};

/// Leaves a question for information without an answer.
const SKIP: &str = "skip";

#[derive(Debug)]
pub struct TerminalFace {
    /// The repository, to show what a gate is about.
    root: PathBuf,
    live: Live,
    /// Where the terminal cannot draw live lines.
    long_work: Option<PlainLines>,
    narrator: Narrator,
    /// The person is at a prompt, where no live line may come between.
    is_asking: bool,
    /// An option was chosen by its number and still needs its words.
    half: Option<AnswerOption>,
    /// Invalid answers to the question at hand. Kept in memory only: a resume starts again.
    invalid: u32,
    /// What the person wrote in their editor for the question at hand.
    draft: Option<String>,
    /// The question at hand, and which round of it.
    asked: Option<(DecisionId, u32)>,
    /// What the keyboard calls the question at hand.
    question: Option<u64>,
}

impl TerminalFace {
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            live: Live::default(),
            long_work: output::is_dumb().then(|| PlainLines::new(root)),
            narrator: Narrator::default(),
            is_asking: false,
            half: None,
            invalid: 0,
            draft: None,
            asked: None,
            question: None,
        }
    }

    fn show_question(&mut self, view: &View, question: &QuestionView) {
        output::talk("");
        output::marked(NOTE, "?", &format!("{} ({})", question.decision_id, question.kind));
        output::quoted(Style::new(), &question.question);
        for line in digest(&self.root, &view.branch, question) {
            output::quoted(DIM, &line);
        }
        gate::show_changed_since_last_round(&self.root, view, question);
        for (index, option) in question.options.iter().enumerate() {
            let number = format!("  {}", index + 1);
            let mark = if option.recommended { " (recommended)" } else { "" };
            let words = format!("{:<32} {}{mark}", option.answer, option.label);
            output::marked(BOLD, &number, &words);
            output::styled(DIM, &format!("      {}", option.consequence));
        }
        if question.kind == DecisionKind::Info {
            output::styled(DIM, "  skip leaves it without an answer");
        }
        output::styled(DIM, gate::FOOTER);
        self.question = Some(keyboard::ask("> "));
    }

    /// Shows what was asked for and asks again; words from an editor are an answer.
    fn help_to_judge(&mut self, now: Parts<'_>, question: &QuestionView, key: Key) -> Vec<Command> {
        match key {
            Key::Read => gate::read(&self.root, &now.view(), question),
            Key::Difference => gate::difference(&self.root, &now.view(), question),
            Key::Explain => gate::explain(question),
            Key::Editor => {
                if let Some(answer) = self.written(question) {
                    self.half = None;
                    let (decision, round) = (question.decision_id.clone(), question.round);
                    let id = command_id();
                    return vec![Command::Answer { id, decision, round, answer, reason: None }];
                }
            }
        }
        keyboard::ask_again(&self.prompt());
        Vec::new()
    }

    /// What the person wrote in their editor, where it is an answer. It is kept in any case.
    fn written(&mut self, question: &QuestionView) -> Option<String> {
        match gate::words(question, self.half.as_ref(), self.draft.as_deref()) {
            Ok(Written::Answer(answer)) => {
                self.draft = Some(answer.clone());
                return Some(answer);
            }
            Ok(Written::Nothing) => output::talk("nothing was written, and nothing is sent"),
            Ok(Written::GivenUp { draft }) => {
                self.draft = Some(draft);
                output::talk(
                    "the editor ended with an error: nothing is sent; `e` opens your words again",
                );
            }
            Err(cause) => output::talk(&format!(
                "the editor cannot be used: {cause}; set $EDITOR to another one; nothing is sent"
            )),
        }
        None
    }

    /// What is asked for at the moment.
    fn prompt(&self) -> String {
        let words = self.half.as_ref().map(AnswerOption::name_of_words);
        format!("{}> ", words.unwrap_or_default().to_lowercase())
    }

    /// A number stands for its option; what needs words is asked for them.
    fn complete(&mut self, decision: &QuestionView, line: &str) -> Option<String> {
        if let Some(option) = self.half.take() {
            return Some(option.with_words(line));
        }
        // Where an agent suggests nothing, a number is an answer like any other.
        if decision.kind == DecisionKind::Info && decision.options.len() < 2 {
            return Some(line.to_owned());
        }
        if decision.kind == DecisionKind::Approve && matches!(line.trim(), "y" | "yes" | "approve")
        {
            return Some(ApproveWay::Approved.keyword().to_owned());
        }
        let (number, words) = line.trim().split_once('\n').unwrap_or((line, ""));
        let chosen = number.trim().parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let Some(option) = chosen.and_then(|index| decision.options.get(index)) else {
            return Some(line.to_owned());
        };
        match (option.needs_words, words.trim()) {
            (NeedsWords::Required, "") => {
                self.half = Some(option.clone());
                keyboard::ask_again(&self.prompt());
                None
            }
            (NeedsWords::Required, words) => Some(option.with_words(words)),
            (NeedsWords::No | NeedsWords::Optional, "") => Some(option.answer.clone()),
            (NeedsWords::No | NeedsWords::Optional, _) => Some(line.to_owned()),
        }
    }
}

impl Face for TerminalFace {
    fn is_interactive(&self) -> bool {
        true
    }

    fn happened(&mut self, now: Parts<'_>, events: &[Event]) {
        self.live.drop_ended(now);
        // A question is shown as a whole when nothing works any more, and told of until then.
        let is_idle = now.at_work().is_empty();
        for event in events {
            let is_question = is_idle && matches!(event, Event::DecisionAsked { .. });
            if !is_question {
                self.live.above(|| self.narrator.tell(now, event));
            }
            if begins_work(event) {
                self.is_asking = false;
                keyboard::rest();
            }
        }
    }

    fn ask(&mut self, now: Parts<'_>) -> Vec<Command> {
        self.live.clear();
        self.is_asking = true;
        self.half = None;
        let view = now.view();
        let Some(question) = view.pending_decisions.first() else {
            return Vec::new();
        };
        let round = (question.decision_id.clone(), question.round);
        if self.asked.as_ref() != Some(&round) {
            self.invalid = 0;
            self.draft = None;
            self.asked = Some(round);
        }
        crate::summary::blocked(&self.root, &view);
        self.show_question(&view, question);
        Vec::new()
    }

    fn read_line(&mut self, now: Parts<'_>, line: &TypedLine) -> Vec<Command> {
        let Some(question) = now.question() else {
            return Vec::new();
        };
        // Nobody answers what they have not seen.
        let (id, round) = (question.decision_id.clone(), question.round);
        if !self.is_asking || self.asked != Some((id.clone(), round)) {
            let words = format!(
                "{id} will be asked when the running work has ended; text that you type before that does not count"
            );
            self.live.above(|| output::marked(NOTE, "   note", &words));
            return Vec::new();
        }
        // It was typed while the engine was busy, and the question came up meanwhile.
        if self.question != Some(line.question) {
            let words =
                format!("text that you typed before {id} was shown does not count as an answer");
            output::marked(NOTE, "   note", &words);
            keyboard::ask_again("> ");
            return Vec::new();
        }
        let line = line.text.as_str();
        // A letter by itself is never a useful reason.
        if let Some(key) = Key::of(line) {
            return self.help_to_judge(now, &question, key);
        }
        // A stray Enter decides nothing and costs nothing.
        if line.trim().is_empty() {
            self.half = None;
            keyboard::ask_again("> ");
            return Vec::new();
        }
        if line.trim() == SKIP && question.kind == DecisionKind::Info {
            return vec![Command::NoResponse { id: command_id(), decision: id }];
        }
        let Some(answer) = self.complete(&question, line) else {
            return Vec::new();
        };
        vec![Command::Answer { id: command_id(), decision: id, round, answer, reason: None }]
    }

    fn refused(&mut self, now: Parts<'_>, command: &Command, refusal: &Refusal) -> Option<Command> {
        output::marked(WARN, "!", &refusal.to_string());
        if let Some(hint) = refusal.hint() {
            output::marked(NOTE, " help:", &hint);
        }
        let Command::Answer { decision: id, .. } = command else {
            return None;
        };
        let kind = now.kind_of(id)?;
        let is_mandatory = matches!(kind, DecisionKind::Approve | DecisionKind::Strategy);
        if matches!(refusal, Refusal::BadAnswer { .. }) {
            self.invalid += 1;
        }
        if is_mandatory && self.invalid >= GATE_ASKS_MAX {
            return Some(Command::GateExhausted { id: command_id(), decision: id.clone() });
        }
        keyboard::ask_again("> ");
        None
    }

    fn tick(&mut self, now: Parts<'_>) {
        if self.is_asking {
            return;
        }
        match &mut self.long_work {
            Some(long_work) => long_work.look(now),
            None => self.live.show(&self.root, now),
        }
    }

    fn rest(&mut self) {
        self.live.clear();
    }
}

fn begins_work(event: &Event) -> bool {
    matches!(event, Event::AttemptStarted { .. } | Event::ChecksStarted { .. })
}
