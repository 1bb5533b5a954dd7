//! A question: all that a person needs to answer it, and below it the options. None is chosen beforehand.

use crate::doc::Doc;
use crate::facts;
use crate::frame::{self, Keys as Footer};
use crate::keys::Key;
use crate::paint::{Ink, Paint, Words};
use crate::seen::Seen;
use crate::text::{one_line, wrap};
use crate::when;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use tollgate_core::answer::{AnswerOption, NeedsWords};
use tollgate_core::id::DecisionId;
use tollgate_core::time::Timestamp;
use tollgate_core::view::QuestionView;

/// The facts keep at least so many rows.
const FACTS_ROWS_MIN: u16 = 4;

/// What a key on this screen asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wants {
    Back,
    /// The option at this place was chosen.
    Option(usize),
    Files,
    Changes,
    Findings,
    /// The question after this one.
    Next,
}

#[derive(Debug)]
pub struct Question {
    pub decision: DecisionId,
    pub round: u32,
    facts: Doc,
    top: usize,
    /// Rows of the facts, and how many fit, when they were drawn last.
    drawn: (usize, usize),
    /// The options take the keys; none of them is chosen until a person moves to it.
    has_options: bool,
    chosen: Option<usize>,
}

impl Question {
    pub fn new(seen: &Seen, asked: &QuestionView) -> Self {
        Self {
            decision: asked.decision_id.clone(),
            round: asked.round,
            facts: facts::question(seen, asked),
            top: 0,
            drawn: (0, 0),
            has_options: false,
            chosen: None,
        }
    }

    /// What is known now; where the person reads stays where it is.
    pub fn refresh(&mut self, seen: &Seen) {
        if let Some(asked) = self.asked(seen) {
            self.facts = facts::question(seen, asked);
        }
    }

    /// The question as it was shown; none where it was answered or asked again.
    pub fn asked<'a>(&self, seen: &'a Seen) -> Option<&'a QuestionView> {
        seen.question(&self.decision).filter(|asked| asked.round == self.round)
    }

    pub fn handle(&mut self, key: &Key, options: usize) -> Option<Wants> {
        match key {
            Key::Esc | Key::Char('q') => return Some(Wants::Back),
            Key::Char('v') => return Some(Wants::Files),
            Key::Char('d') => return Some(Wants::Changes),
            Key::Char('f') => return Some(Wants::Findings),
            Key::Char('n') => return Some(Wants::Next),
            Key::Tab | Key::BackTab => self.has_options = !self.has_options,
            Key::Char(digit @ '1'..='9') => {
                let index = *digit as usize - '1' as usize;
                if index < options {
                    (self.has_options, self.chosen) = (true, Some(index));
                    return Some(Wants::Option(index));
                }
            }
            Key::Enter if self.has_options => return self.chosen.map(Wants::Option),
            key if self.has_options => self.choose(key, options),
            key => self.scroll(key),
        }
        None
    }

    fn choose(&mut self, key: &Key, options: usize) {
        let last = options.saturating_sub(1);
        self.chosen = match (key, self.chosen) {
            (Key::Up | Key::Char('k'), Some(0)) => {
                self.has_options = false;
                None
            }
            (Key::Up | Key::Char('k'), Some(at)) => Some(at - 1),
            (Key::Up | Key::Char('k'), None) => Some(last),
            (Key::Down | Key::Char('j'), at) => Some(at.map_or(0, |at| at + 1).min(last)),
            (_, at) => at,
        };
    }

    fn scroll(&mut self, key: &Key) {
        let (rows, page) = self.drawn;
        let last = rows.saturating_sub(page);
        let step = page.saturating_sub(1).max(1);
        let to = match key {
            Key::Up | Key::Char('k') => self.top.saturating_sub(1),
            Key::PageUp | Key::Char('b') => self.top.saturating_sub(step),
            Key::PageDown | Key::Char(' ') => self.top + step,
            Key::Home | Key::Char('g') => 0,
            Key::End | Key::Char('G') => last,
            // Below the facts are the options.
            Key::Down | Key::Char('j') | Key::Enter if self.top >= last => {
                self.has_options = true;
                self.top
            }
            Key::Down | Key::Char('j') | Key::Enter => self.top + 1,
            _ => self.top,
        };
        self.top = to.min(last);
    }

    pub fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        paint: Paint,
        area: Rect,
        seen: &Seen,
        now: Timestamp,
    ) {
        let [title, body, footer] = frame::rows(area, [1, 0, 1]);
        let Some(asked) = self.asked(seen) else {
            frame::title(frame, paint, title, self.decision.as_str(), "");
            let words =
                "It was answered, or asked again, since you opened it. Nothing was recorded here.";
            frame::lines(
                frame,
                body,
                vec![paint.line(&vec![(Ink::Warning, words.to_owned())], usize::from(body.width))],
            );
            return frame::footer(frame, paint, footer, &[("q", "back")]);
        };
        let head = format!("{} ({})", asked.decision_id, asked.kind);
        frame::title(frame, paint, title, &head, &about(seen, asked, now));
        let columns = usize::from(body.width.saturating_sub(2));
        let rows = options(&asked.options, self.chosen, paint, columns);
        let wanted = u16::try_from(rows.lines.len()).unwrap_or(u16::MAX).saturating_add(2);
        let most = body.height.saturating_sub(FACTS_ROWS_MIN).max(3);
        let height = wanted.min(most);
        let [facts, below] = frame::rows(body, [0, height]);
        self.draw_facts(frame, paint, facts);
        let inner = frame::pane(frame, paint, below, "Your answer", self.has_options);
        let fits = usize::from(inner.height);
        let from = rows.chosen.map_or(0, |(_, end)| end.saturating_sub(fits));
        frame::lines(frame, inner, rows.lines.into_iter().skip(from).collect());
        frame::footer(frame, paint, footer, &self.keys(asked, seen));
    }

    fn draw_facts(&mut self, frame: &mut Frame<'_>, paint: Paint, area: Rect) {
        let columns = usize::from(area.width);
        let (rows, _) = self.facts.fit(columns);
        let height = usize::from(area.height);
        let is_long = rows > height;
        let page = if is_long { height.saturating_sub(1) } else { height };
        self.drawn = (rows, page);
        self.top = self.top.min(rows.saturating_sub(page));
        let mut shown = self.facts.rows(paint, columns, self.top, page);
        if is_long {
            let left = rows.saturating_sub(self.top + page);
            let words = match left {
                0 => "  (end)".to_owned(),
                left => format!("  … {} below", tollgate_core::count::counted(left as u64, "line")),
            };
            shown.push(paint.line(&vec![(Ink::Note, words)], columns));
        }
        frame::lines(frame, area, shown);
    }

    fn keys(&self, asked: &QuestionView, seen: &Seen) -> Vec<Footer> {
        let mut keys: Vec<Footer> = match (self.has_options, self.chosen) {
            (true, Some(_)) => vec![("Enter", "take this option"), ("↑↓", "choose")],
            (true, None) => vec![("↑↓", "choose")],
            (false, _) => vec![("↑↓", "read"), ("Tab", "to your answer")],
        };
        if !asked.shown.is_empty() {
            keys.push(("v", "files"));
        }
        keys.push(("d", "diff"));
        if seen.view.pending_decisions.len() > 1 {
            keys.push(("n", "next question"));
        }
        keys.extend([("q", "back"), ("?", "help")]);
        keys
    }
}

fn about(seen: &Seen, asked: &QuestionView, now: Timestamp) -> String {
    let mut words = String::new();
    let all = &seen.view.pending_decisions;
    if all.len() > 1 {
        let at = all.iter().position(|one| one.decision_id == asked.decision_id).unwrap_or(0);
        words.push_str(&format!("{} of {} · ", at + 1, all.len()));
    }
    if asked.round > 1 {
        words.push_str(&format!("round {} · ", asked.round));
    }
    words.push_str(&format!("asked {}", when::ago(asked.asked_at, now)));
    words
}

struct Options {
    lines: Vec<Line<'static>>,
    /// From which to which line the chosen one reaches.
    chosen: Option<(usize, usize)>,
}

fn options(all: &[AnswerOption], chosen: Option<usize>, paint: Paint, columns: usize) -> Options {
    let mut lines = Vec::new();
    let mut place = None;
    for (index, one) in all.iter().enumerate() {
        let from = lines.len();
        let mut left: Words = vec![
            (Ink::Strong, format!("{} {}", index + 1, one_line(&one.label))),
            (Ink::Dim, format!("  {}", one_line(&one.answer))),
        ];
        if one.recommended {
            left.push((Ink::Note, "  recommended".to_owned()));
        }
        let right: Words = match one.needs_words {
            NeedsWords::Required => vec![(Ink::Dim, "needs your words".to_owned())],
            NeedsWords::Optional | NeedsWords::No => Vec::new(),
        };
        let line = paint.sides(&left, &right, columns);
        lines.push(if chosen == Some(index) { paint.chosen(line, columns) } else { line });
        for piece in wrap(&one_line(&one.consequence), columns.saturating_sub(4)) {
            lines.push(paint.line(&vec![(Ink::Dim, format!("    {piece}"))], columns));
        }
        if chosen == Some(index) {
            place = Some((from, lines.len()));
        }
    }
    Options { lines, chosen: place }
}
