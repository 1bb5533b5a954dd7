//! A long text on the whole screen: a file, a difference, findings, the log, what an agent writes.

use crate::doc::Doc;
use crate::frame::{self, Keys as Footer};
use crate::keys::Key;
use crate::paint::{Ink, Paint};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::Paragraph;
use tollgate_core::id::DispatchNumber;

#[derive(Debug)]
pub struct Reader {
    title: String,
    pub doc: Doc,
    top: usize,
    /// The end of it stays on the screen.
    follows: bool,
    /// The dispatch whose output this is.
    pub output_of: Option<DispatchNumber>,
    /// How many rows there were and how many fitted, when it was drawn last.
    drawn: (usize, usize),
    columns: usize,
}

impl Reader {
    pub fn new(title: impl Into<String>, doc: Doc) -> Self {
        let (top, follows, output_of) = (0, false, None);
        Self { title: title.into(), doc, top, follows, output_of, drawn: (0, 0), columns: 0 }
    }

    /// What a dispatch writes, with its end on the screen.
    pub fn output(title: impl Into<String>, number: DispatchNumber) -> Self {
        Self { follows: true, output_of: Some(number), ..Self::new(title, Doc::default()) }
    }

    /// Its end is on the screen, and stays there.
    pub fn at_its_end(self) -> Self {
        Self { follows: true, ..self }
    }

    pub fn retitle(&mut self, title: impl Into<String>) {
        self.title = title.into();
    }

    /// True where the key means to leave.
    pub fn handle(&mut self, key: &Key) -> bool {
        let (rows, page) = self.drawn;
        let last = rows.saturating_sub(page);
        let step = page.saturating_sub(1).max(1);
        let top = if self.follows { last } else { self.top.min(last) };
        let to = match key {
            Key::Esc | Key::Char('q') | Key::Left => return true,
            Key::Up | Key::Char('k') => top.saturating_sub(1),
            Key::Down | Key::Char('j') | Key::Enter => top + 1,
            Key::PageUp | Key::Char('b') => top.saturating_sub(step),
            Key::PageDown | Key::Char(' ') => top + step,
            Key::Home | Key::Char('g') => 0,
            Key::End | Key::Char('G') => last,
            Key::Char('n') => self.part(|at| at > top, false).unwrap_or(top),
            Key::Char('p') => self.part(|at| at < top, true).unwrap_or(top),
            _ => return false,
        };
        self.top = to.min(last);
        let stays_at_end = matches!(key, Key::End | Key::Char('G')) || to >= last;
        self.follows = self.output_of.is_some() && stays_at_end;
        false
    }

    /// The first part that fits, or the last one.
    fn part(&mut self, fits: impl Fn(usize) -> bool, from_end: bool) -> Option<usize> {
        let (_, parts) = self.doc.fit(self.columns);
        let mut fitting = parts.iter().copied().filter(|at| fits(*at));
        if from_end { fitting.next_back() } else { fitting.next() }
    }

    pub fn draw(&mut self, frame: &mut Frame<'_>, paint: Paint, area: Rect) {
        let [title, body, footer] = frame::rows(area, [1, 0, 1]);
        let columns = usize::from(body.width);
        let page = usize::from(body.height);
        let (rows, parts) = self.doc.fit(columns);
        let has_parts = parts.len() > 1;
        let last = rows.saturating_sub(page);
        if self.follows {
            self.top = last;
        }
        self.top = self.top.min(last);
        (self.drawn, self.columns) = ((rows, page), columns);
        frame::title(frame, paint, title, &self.title, &self.place(rows, page));
        let mut shown = self.doc.rows(paint, columns, self.top, page);
        if self.output_of.is_some() && self.doc.is_empty() {
            let words = vec![(Ink::Dim, "It has written nothing yet.".to_owned())];
            shown.push(paint.line(&words, columns));
        }
        frame.render_widget(Paragraph::new(shown), body);
        let mut keys: Vec<Footer> = vec![("↑↓ PgUp PgDn", "scroll")];
        if has_parts {
            keys.push(("n p", "next file"));
        }
        keys.extend([("g G", "top, end"), ("q", "back"), ("?", "help")]);
        frame::footer(frame, paint, footer, &keys);
    }

    fn place(&self, rows: usize, page: usize) -> String {
        let follows = if self.follows { "follows · " } else { "" };
        let end = (self.top + page).min(rows);
        match rows <= page {
            true => follows.trim_end_matches(" · ").to_owned(),
            false => format!("{follows}{}-{end} of {rows}", self.top + 1),
        }
    }
}
