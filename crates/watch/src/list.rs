//! The sessions of all repositories, those that wait for the person first.

use crate::frame::{self, Keys as Footer};
use crate::head::standing;
use crate::keys::Key;
use crate::paint::{Ink, Paint, Words};
use crate::text::one_line;
use crate::typing::Typing;
use crate::when;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use tollgate_core::count::counted;
use tollgate_core::time::Timestamp;
use tollgate_desk::{Repo, Row};
use tollgate_host::sessions::Trouble;

/// What a key on the list asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Picks {
    Open { repo: String, session: String },
    New(Repo),
    Quit,
}

#[derive(Debug, Default)]
pub struct List {
    /// None until they were read once.
    rows: Option<Vec<Row>>,
    here: Option<Repo>,
    chosen: usize,
    filter: Option<Typing>,
    /// The filter takes the keys.
    is_typing: bool,
    page: usize,
}

impl List {
    pub fn new(here: Option<Repo>) -> Self {
        Self { here, ..Self::default() }
    }

    /// What was chosen stays chosen.
    pub fn take(&mut self, rows: Vec<Row>) {
        let name = |row: &Row| (row.repo.id.clone(), row.listed.summary.session.clone());
        let before = self.shown().get(self.chosen).map(|row| name(row));
        self.rows = Some(rows);
        let again = before.and_then(|of| self.shown().iter().position(|row| name(row) == of));
        self.chosen = again.unwrap_or(self.chosen);
    }

    pub fn handle(&mut self, key: &Key) -> Option<Picks> {
        if self.is_typing {
            self.type_filter(key);
            return None;
        }
        let count = self.shown().len();
        let page = self.page.max(1);
        let last = count.saturating_sub(1);
        self.chosen = match key {
            Key::Char('q') => return Some(Picks::Quit),
            Key::Esc if self.filter.is_some() => {
                self.filter = None;
                0
            }
            Key::Esc => return Some(Picks::Quit),
            Key::Enter | Key::Right => return self.chosen().map(open),
            Key::Char('n') => {
                let of_row = self.chosen().map(|row| row.repo.clone());
                return of_row.or_else(|| self.here.clone()).map(Picks::New);
            }
            Key::Char('/') => {
                self.is_typing = true;
                self.filter.get_or_insert_with(Typing::one_line);
                self.chosen
            }
            Key::Up | Key::Char('k') => self.chosen.saturating_sub(1),
            Key::Down | Key::Char('j') => self.chosen + 1,
            Key::PageUp => self.chosen.saturating_sub(page),
            Key::PageDown => self.chosen + page,
            Key::Home | Key::Char('g') => 0,
            Key::End | Key::Char('G') => last,
            _ => self.chosen,
        }
        .min(last);
        None
    }

    pub fn takes_letters(&self) -> bool {
        self.is_typing
    }

    fn type_filter(&mut self, key: &Key) {
        match key {
            Key::Enter | Key::Down | Key::Tab => self.is_typing = false,
            Key::Esc => (self.is_typing, self.filter) = (false, None),
            key => {
                self.filter.get_or_insert_with(Typing::one_line).handle(key);
                self.chosen = 0;
            }
        }
        if self.filter.as_ref().is_some_and(|filter| !self.is_typing && filter.is_empty()) {
            self.filter = None;
        }
    }

    fn chosen(&self) -> Option<&Row> {
        self.shown().get(self.chosen).copied()
    }

    /// Those that have every word of the filter in what is shown of them.
    fn shown(&self) -> Vec<&Row> {
        let words = self.filter.as_ref().map(|filter| filter.text().to_lowercase());
        let fits = |row: &&Row| {
            let summary = &row.listed.summary;
            let (_, standing) = standing(summary.standing, row.listed.is_running);
            let text = format!("{} {} {} {standing}", summary.goal, summary.session, row.repo.name);
            let text = text.to_lowercase();
            words
                .as_ref()
                .is_none_or(|words| words.split_whitespace().all(|word| text.contains(word)))
        };
        self.rows.iter().flatten().filter(fits).collect()
    }

    pub fn draw(&mut self, frame: &mut Frame<'_>, paint: Paint, area: Rect, now: Timestamp) {
        let [title, body, footer] = frame::rows(area, [1, 0, 1]);
        let columns = usize::from(body.width);
        let waiting = self.shown().iter().filter(|row| row.waits()).count();
        let right = match waiting {
            0 => String::new(),
            1 => "1 waits for you".to_owned(),
            count => format!("{count} wait for you"),
        };
        frame::title(frame, paint, title, "Tollgate: sessions", &right);
        let count = self.shown().len();
        self.chosen = self.chosen.min(count.saturating_sub(1));
        self.page = usize::from(body.height).saturating_sub(3).max(1);
        let (lines, at) = self.lines(paint, columns, now);
        let from = frame::window(at + 1, lines.len(), usize::from(body.height), count > 0);
        frame::lines(frame, body, lines.into_iter().skip(from.min(at.saturating_sub(1))).collect());
        match &self.filter {
            Some(filter) => self.draw_filter(frame, paint, footer, filter),
            None => {
                let mut keys: Vec<Footer> = Vec::new();
                if count > 0 {
                    keys.push(("Enter", "open"));
                }
                keys.extend([("↑↓", "choose"), ("/", "filter"), ("n", "new session")]);
                keys.extend([("?", "help"), ("q", "quit")]);
                frame::footer(frame, paint, footer, &keys);
            }
        }
    }

    fn draw_filter(&self, frame: &mut Frame<'_>, paint: Paint, area: Rect, filter: &Typing) {
        let words = "Filter: ";
        let mut text = area;
        let taken = u16::try_from(words.len()).unwrap_or(0).min(area.width);
        (text.x, text.width) = (area.x + taken, area.width - taken);
        frame::lines(
            frame,
            area,
            vec![paint.line(&vec![(Ink::Note, words.to_owned())], words.len())],
        );
        filter.draw(frame, paint, text, self.is_typing);
    }

    /// All lines, and which of them is chosen.
    fn lines(&self, paint: Paint, columns: usize, now: Timestamp) -> (Vec<Line<'static>>, usize) {
        let shown = self.shown();
        let mut lines = Vec::new();
        let mut at = 0;
        let mut is_below = None;
        for (index, row) in shown.iter().enumerate() {
            if is_below != Some(row.waits()) {
                if is_below.is_some() {
                    lines.push(Line::default());
                }
                is_below = Some(row.waits());
                let head = if row.waits() { "Waiting for you" } else { "All others" };
                lines.push(paint.line(&vec![(Ink::Strong, head.to_owned())], columns));
            }
            let line = line(row, paint, columns, now);
            if index == self.chosen {
                at = lines.len();
                lines.push(paint.chosen(line, columns));
            } else {
                lines.push(line);
            }
        }
        if shown.is_empty() {
            let words = match (&self.rows, &self.filter) {
                (None, _) => "Reading…",
                (Some(_), Some(_)) => "No session has these words.",
                (Some(_), None) if self.here.is_some() => {
                    "There are no sessions yet. Press n to start one."
                }
                (Some(_), None) => {
                    "There are no sessions yet; start one with `tollgate run \"GOAL\"` in a repository."
                }
            };
            lines.push(paint.line(&vec![(Ink::Dim, words.to_owned())], columns));
        }
        (lines, at)
    }
}

fn open(row: &Row) -> Picks {
    let session = row.listed.summary.session.to_string();
    Picks::Open { repo: row.repo.id.clone(), session }
}

fn line(row: &Row, paint: Paint, columns: usize, now: Timestamp) -> Line<'static> {
    let summary = &row.listed.summary;
    let (ink, word) = standing(summary.standing, row.listed.is_running);
    let title = match summary.goal.trim() {
        "" => summary.session.to_string(),
        goal => one_line(goal),
    };
    let about = match (&row.listed.trouble, &summary.asked) {
        (Some(Trouble::NotBegun), _) => "has not started yet".to_owned(),
        (Some(Trouble::Unreadable(why)), _) => one_line(why),
        (None, Some(asked)) => asked.decision_id.to_string(),
        (None, None) if summary.at_work > 0 && row.listed.is_running => {
            counted(summary.at_work as u64, "agent")
        }
        (None, None) => summary.state.map(|state| state.to_string()).unwrap_or_default(),
    };
    let when = summary.asked.as_ref().map(|asked| asked.asked_at).or(summary.updated_at);
    let when = when.map(|at| when::ago(at, now)).unwrap_or_default();
    let mut right: Words = Vec::new();
    if columns >= 76 {
        right.push((Ink::Dim, format!("{} · {about} · ", one_line(&row.repo.name))));
    }
    right.push((Ink::Dim, when));
    let left = vec![(ink, format!("  {word:<12}")), (Ink::Plain, title)];
    paint.sides(&left, &right, columns)
}
