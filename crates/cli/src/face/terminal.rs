//! At a terminal: one live line per running dispatch, and questions that are answered in place.

use super::live::Live;
use super::{command_id, digest, keyboard, narrate};
use crate::output::{self, BOLD, DIM, NOTE, WARN};
use anstyle::Style;
use std::path::{Path, PathBuf};
use tollgate_core::decision::{Decision, DecisionKind};
use tollgate_core::event::Event;
use tollgate_core::id::DecisionId;
use tollgate_core::input::Command;
use tollgate_core::limits::GATE_ASKS_MAX;
use tollgate_core::refusal::Refusal;
use tollgate_core::session::Session;
use tollgate_host::serve::{Face, Line};

#[derive(Debug)]
pub struct TerminalFace {
    /// The repository, to show what a gate is about.
    root: PathBuf,
    live: Live,
    /// The person is at a prompt, where no live line may come between.
    is_asking: bool,
    /// An option was chosen by its number and still needs its words.
    half: Option<String>,
    /// Invalid answers to the question at hand. Kept in memory only: a resume starts anew.
    invalid: u32,
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
            is_asking: false,
            half: None,
            invalid: 0,
            asked: None,
            question: None,
        }
    }

    fn show_question(&mut self, session: &Session, decision: &Decision) {
        output::talk("");
        output::marked(NOTE, "?", &format!("{} ({})", decision.decision_id, decision.kind));
        output::quoted(Style::new(), &decision.question);
        for line in digest(&self.root, session, decision) {
            output::quoted(DIM, &line);
        }
        for (index, option) in decision.options.iter().enumerate() {
            let number = format!("  {}", index + 1);
            output::marked(BOLD, &number, &format!("{:<32} {}", option.answer, option.label));
            output::styled(DIM, &format!("      {}", option.consequence));
        }
        self.question = Some(keyboard::ask("> "));
    }

    /// A number stands for its option; what needs words is asked for them.
    fn complete(&mut self, decision: &Decision, line: &str) -> Option<String> {
        if let Some(keyword) = self.half.take() {
            return Some(format!("{keyword}: {line}"));
        }
        if decision.kind == DecisionKind::Info {
            return Some(line.to_owned());
        }
        let (number, words) = line.trim().split_once('\n').unwrap_or((line, ""));
        let chosen = number.trim().parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let Some(option) = chosen.and_then(|index| decision.options.get(index)) else {
            return Some(line.to_owned());
        };
        match option.answer.split_once(':') {
            Some((keyword, _)) if !words.trim().is_empty() => {
                Some(format!("{keyword}: {}", words.trim()))
            }
            Some((keyword, what)) => {
                keyboard::ask_again(&format!("{}> ", what.trim().to_lowercase()));
                self.half = Some(keyword.to_owned());
                None
            }
            None if words.trim().is_empty() => Some(option.answer.clone()),
            None => Some(line.to_owned()),
        }
    }
}

impl Face for TerminalFace {
    fn is_interactive(&self) -> bool {
        true
    }

    fn happened(&mut self, session: &Session, events: &[Event]) {
        self.live.drop_ended(session);
        // A question is shown as a whole when nothing works any more, and told of until then.
        let is_idle = session.unfinished().is_empty();
        for event in events {
            let is_question = is_idle && matches!(event, Event::DecisionAsked { .. });
            if let Some(line) = narrate::line(session, event).filter(|_| !is_question) {
                self.live.above(|| output::marked(line.style, line.mark, &line.text));
            }
            if begins_work(event) {
                self.is_asking = false;
                keyboard::rest();
            }
        }
    }

    fn ask(&mut self, session: &Session) -> Vec<Command> {
        self.live.clear();
        self.is_asking = true;
        self.half = None;
        let Some(decision) = session.pending_decisions().next() else {
            return Vec::new();
        };
        let round = (decision.decision_id.clone(), session.round(&decision.decision_id));
        if self.asked.as_ref() != Some(&round) {
            self.invalid = 0;
            self.asked = Some(round);
        }
        if let Some(blocker) = &session.blocker {
            crate::summary::blocked(&self.root, session, blocker);
        }
        self.show_question(session, decision);
        Vec::new()
    }

    fn read_line(&mut self, session: &Session, line: &Line) -> Vec<Command> {
        let Some(decision) = session.pending_decisions().next().cloned() else {
            return Vec::new();
        };
        let id = decision.decision_id.clone();
        // Nobody answers what they have not seen.
        let round = session.round(&id);
        if !self.is_asking || self.asked != Some((id.clone(), round)) {
            let words = format!(
                "{id} will be asked when the running work has ended; what you type before that is not an answer"
            );
            self.live.above(|| output::marked(NOTE, "   note", &words));
            return Vec::new();
        }
        // It was typed while the engine was busy, and the question came up meanwhile.
        if self.question != Some(line.question) {
            let words = format!("what was typed before {id} was shown is not taken for an answer");
            output::marked(NOTE, "   note", &words);
            keyboard::ask_again("> ");
            return Vec::new();
        }
        let line = line.text.as_str();
        if line.trim().is_empty() && decision.kind == DecisionKind::Info {
            return vec![Command::NoResponse { id: command_id(), decision: id }];
        }
        let Some(answer) = self.complete(&decision, line) else {
            return Vec::new();
        };
        vec![Command::Answer { id: command_id(), decision: id, round, answer, reason: None }]
    }

    fn refused(
        &mut self,
        session: &Session,
        command: &Command,
        refusal: &Refusal,
    ) -> Option<Command> {
        output::marked(WARN, "!", &refusal.to_string());
        if let Some(hint) = refusal.hint() {
            output::marked(NOTE, " help:", &hint);
        }
        let Command::Answer { decision: id, .. } = command else {
            return None;
        };
        let decision = session.decision(id)?;
        let is_mandatory = matches!(decision.kind, DecisionKind::Approve | DecisionKind::Strategy);
        if matches!(refusal, Refusal::BadAnswer { .. }) {
            self.invalid += 1;
        }
        if is_mandatory && self.invalid >= GATE_ASKS_MAX {
            return Some(Command::GateExhausted { id: command_id(), decision: id.clone() });
        }
        keyboard::ask_again("> ");
        None
    }

    fn tick(&mut self, session: &Session) {
        if !self.is_asking {
            self.live.show(&self.root, session);
        }
    }

    fn rest(&mut self) {
        self.live.clear();
    }
}

fn begins_work(event: &Event) -> bool {
    matches!(event, Event::AttemptStarted { .. } | Event::ChecksStarted { .. })
}
