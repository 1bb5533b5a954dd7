//! At a terminal: one live line per running dispatch, and questions that are answered in place.

use super::at_work::PlainLines;
use super::gate::{self, Key, Lines};
use super::live::Live;
use super::loan::{self, Asked, Loan, Written};
use super::narrate::Narrator;
use super::{command_id, keyboard};
use crate::digest::digest;
use crate::output::{self, BOLD, DIM, NOTE, WARN};
use anstyle::Style;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use tollgate_core::answer::{AnswerOption, ApproveWay, NeedsWords, Way};
use tollgate_core::count::counted;
use tollgate_core::decision::DecisionKind;
use tollgate_core::event::Event;
use tollgate_core::id::DecisionId;
use tollgate_core::input::Command;
use tollgate_core::limits::GATE_ASKS_MAX;
use tollgate_core::refusal::Refusal;
use tollgate_core::view::{Parts, QuestionView, View};
use tollgate_host::serve::{Alert, Face, OwnerMessage, TypedLine};

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
    /// The person has their pager or editor open.
    loan: Option<Loan>,
    owner: Option<Sender<OwnerMessage>>,
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
            loan: None,
            owner: None,
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
        output::styled(DIM, gate::footer(question));
        self.question = Some(keyboard::ask("> "));
    }

    /// Shows what was asked for and asks again, at once or when the person's program has ended.
    fn help_to_judge(&mut self, now: Parts<'_>, question: &QuestionView, key: Key) {
        let asked = Asked { question: question.clone(), chosen: self.half.clone() };
        self.loan = match key {
            Key::Read => self.in_pager(gate::read(&self.root, &now.view(), question), asked),
            Key::Difference => {
                self.in_pager(gate::difference(&self.root, &now.view(), question), asked)
            }
            Key::Editor => self.in_editor(asked),
            Key::Explain => {
                gate::explain(question);
                None
            }
        };
        if self.loan.is_none() {
            keyboard::ask_again(&self.prompt());
        }
    }

    fn in_pager(&self, lines: Option<Lines>, asked: Asked) -> Option<Loan> {
        let question = asked.question.clone();
        let loan = Loan::pager(&lines?, asked, self.owner.clone()?);
        if loan.is_none() {
            gate::remind(&question);
        }
        loan
    }

    fn in_editor(&self, asked: Asked) -> Option<Loan> {
        let text = gate::draft(&asked, self.draft.as_deref());
        let opened = Loan::editor(&text, asked, self.owner.clone()?);
        opened.map_err(|why| output::talk(&format!("{why}; nothing is sent"))).ok()
    }

    /// The words of an editor that did what it should are an answer; others are there again at the next `e`.
    fn take_words(&mut self, asked: &Asked, written: &Written) -> Vec<Command> {
        let words = gate::words(asked, &written.text);
        if let Some(why) = &written.failure {
            self.draft = words.or(self.draft.take());
            let again = if self.draft.is_some() { "; `e` opens your words again" } else { "" };
            output::talk(&format!("{why}; nothing is sent{again}"));
            return Vec::new();
        }
        let Some(answer) = words.filter(|_| written.is_saved) else {
            output::talk("nothing was written, and nothing is sent");
            return Vec::new();
        };
        self.half = None;
        self.draft = Some(answer.clone());
        let (decision, round) = (asked.question.decision_id.clone(), asked.question.round);
        vec![Command::Answer { id: command_id(), decision, round, answer, reason: None }]
    }

    /// Whether this round of the question is what the person is asked now.
    fn is_asked(&self, now: Parts<'_>, question: &QuestionView) -> bool {
        let round = |of: &QuestionView| (of.decision_id.clone(), of.round);
        let asked = Some(round(question));
        self.is_asking && self.asked == asked && now.question().as_ref().map(round) == asked
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
        if let Some(option) = gate::lettered(decision, line.trim()) {
            return Some(option.answer.clone());
        }
        // Where an agent suggests nothing, a number is an answer like any other.
        if decision.kind == DecisionKind::Info && decision.options.len() < 2 {
            return Some(line.to_owned());
        }
        let short = line.trim().to_lowercase();
        if decision.kind == DecisionKind::Approve
            && matches!(short.as_str(), "y" | "yes" | "approve" | "approved")
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
        if self.loan.is_some() {
            let words =
                "text that you typed before your program opened does not count as an answer";
            output::marked(NOTE, "   note", words);
            return Vec::new();
        }
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
        if let Some(key) = Key::of(line, &question) {
            self.help_to_judge(now, &question, key);
            return Vec::new();
        }
        // A stray Enter decides nothing and costs nothing.
        if line.trim().is_empty() {
            self.half = None;
            gate::remind(&question);
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
        if is_mandatory {
            let left = counted(GATE_ASKS_MAX.saturating_sub(self.invalid), "more answer");
            let words = format!("  after {left} like this the session stops as BLOCKED");
            output::styled(DIM, &words);
        }
        keyboard::ask_again("> ");
        None
    }

    fn tick(&mut self, now: Parts<'_>) {
        if self.is_asking || self.loan.is_some() {
            return;
        }
        match &mut self.long_work {
            Some(long_work) => long_work.look(now),
            None => self.live.show(&self.root, now),
        }
    }

    fn alert(&mut self, alert: &Alert) {
        output::alert(alert.rings, alert.shows.as_deref());
    }

    fn can_reach(&mut self, owner: Sender<OwnerMessage>) {
        self.owner = Some(owner);
    }

    fn terminal_is_back(&mut self, now: Parts<'_>) -> Vec<Command> {
        let Some(loan) = self.loan.take() else {
            return Vec::new();
        };
        let (asked, written) = loan.end();
        if loan::is_called_back() {
            keep_unsent("the session was asked to end", &asked, written);
            return Vec::new();
        }
        if !self.is_asked(now, &asked.question) {
            let id = &asked.question.decision_id;
            let why = format!("{id} was answered elsewhere or asked again meanwhile");
            keep_unsent(&why, &asked, written);
            keyboard::show_again();
            return Vec::new();
        }
        let commands = match written {
            Some(written) => self.take_words(&asked, &written),
            None => {
                gate::remind(&asked.question);
                Vec::new()
            }
        };
        if commands.is_empty() {
            keyboard::ask_again(&self.prompt());
        }
        commands
    }

    fn rest(&mut self) {
        if let Some(loan) = self.loan.take() {
            let (asked, written) = loan.end();
            keep_unsent("the session has ended here", &asked, written);
        }
        self.live.clear();
    }
}

fn begins_work(event: &Event) -> bool {
    matches!(event, Event::AttemptStarted { .. } | Event::ChecksStarted { .. })
}

/// Words that nobody asks for any more stay in their file.
fn keep_unsent(why: &str, asked: &Asked, written: Option<Written>) {
    let has_words = |written: &Written| gate::words(asked, &written.text).is_some();
    if let Some(written) = written.filter(has_words) {
        output::talk(&format!("{why}; nothing is sent"));
        written.keep();
    }
}
