//! A few things of which a person opens one: files, mostly.

use crate::frame;
use crate::keys::Key;
use crate::paint::{Ink, Paint};
use crate::text::one_line;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

#[derive(Debug)]
pub struct Picker<T> {
    title: String,
    /// What is shown of each, and what stands beside it.
    items: Vec<(String, String, T)>,
    chosen: usize,
    page: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Picked<T> {
    One(T),
    Leave,
    Nothing,
}

impl<T: Clone> Picker<T> {
    pub fn new(title: impl Into<String>, items: Vec<(String, String, T)>) -> Self {
        Self { title: title.into(), items, chosen: 0, page: 1 }
    }

    pub fn handle(&mut self, key: &Key) -> Picked<T> {
        let last = self.items.len().saturating_sub(1);
        let to = match key {
            Key::Esc | Key::Char('q') | Key::Left => return Picked::Leave,
            Key::Enter | Key::Right => {
                let one = self.items.get(self.chosen).map(|(_, _, one)| one.clone());
                return one.map_or(Picked::Nothing, Picked::One);
            }
            Key::Up | Key::Char('k') => self.chosen.saturating_sub(1),
            Key::Down | Key::Char('j') => self.chosen + 1,
            Key::PageUp => self.chosen.saturating_sub(self.page),
            Key::PageDown => self.chosen + self.page,
            Key::Home | Key::Char('g') => 0,
            Key::End | Key::Char('G') => last,
            _ => self.chosen,
        };
        self.chosen = to.min(last);
        Picked::Nothing
    }

    pub fn draw(&mut self, frame: &mut Frame<'_>, paint: Paint, area: Rect) {
        let [title, body, footer] = frame::rows(area, [1, 0, 1]);
        frame::title(frame, paint, title, &self.title, "");
        let columns = usize::from(body.width);
        let height = usize::from(body.height);
        self.page = height.max(1);
        let from = frame::window(self.chosen, self.items.len(), height, true);
        let items = self.items.iter().enumerate().skip(from).take(height);
        let lines: Vec<Line<'static>> = items
            .map(|(index, (name, beside, _))| {
                let left = vec![(Ink::Plain, format!("  {}", one_line(name)))];
                let line = paint.sides(&left, &vec![(Ink::Note, beside.clone())], columns);
                if index == self.chosen { paint.chosen(line, columns) } else { line }
            })
            .collect();
        frame::lines(frame, body, lines);
        let keys = [("Enter", "open"), ("↑↓", "choose"), ("q", "back"), ("?", "help")];
        frame::footer(frame, paint, footer, &keys);
    }
}
