//! What all screens have in common: a title above, the keys that count here below.

use crate::paint::{Ink, Paint, Words};
use crate::text::width;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph};

/// A key and what it does.
pub type Keys = (&'static str, &'static str);

/// Rows of these heights from top to bottom; one of height 0 takes what is left.
pub fn rows<const N: usize>(area: Rect, heights: [u16; N]) -> [Rect; N] {
    let constraints = heights.map(|height| match height {
        0 => Constraint::Min(0),
        height => Constraint::Length(height),
    });
    Layout::vertical(constraints).areas(area)
}

pub fn title(frame: &mut Frame<'_>, paint: Paint, area: Rect, text: &str, right: &str) {
    let left = vec![(Ink::Strong, crate::text::one_line(text))];
    let right = vec![(Ink::Dim, right.to_owned())];
    frame.render_widget(paint.sides(&left, &right, usize::from(area.width)), area);
}

/// As many of the keys as fit; the first are the ones that matter most.
pub fn footer(frame: &mut Frame<'_>, paint: Paint, area: Rect, keys: &[Keys]) {
    let mut words: Words = Vec::new();
    let mut used = 0;
    for (key, does) in keys {
        let gap = if words.is_empty() { "" } else { "  " };
        let takes = width(gap) + width(key) + 1 + width(does);
        if used + takes > usize::from(area.width) {
            continue;
        }
        used += takes;
        words.push((Ink::Plain, gap.to_owned()));
        words.push((Ink::Strong, (*key).to_owned()));
        words.push((Ink::Dim, format!(" {does}")));
    }
    frame.render_widget(paint.line(&words, usize::from(area.width)), area);
}

/// A frame with a title; the one that keys go to has a thick line. Returns what is inside.
pub fn pane(frame: &mut Frame<'_>, paint: Paint, area: Rect, title: &str, has_keys: bool) -> Rect {
    let (border, ink) = match has_keys {
        true => (BorderType::Thick, Ink::Strong),
        false => (BorderType::Plain, Ink::Dim),
    };
    let title =
        paint.line(&vec![(ink, format!(" {title} "))], usize::from(area.width.saturating_sub(2)));
    let line = if has_keys { Ink::Note } else { Ink::Dim };
    let block = Block::bordered().border_type(border).border_style(paint.style(line)).title(title);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    inner
}

/// A place in the middle of the screen, cleared.
pub fn card(frame: &mut Frame<'_>, area: Rect, columns: u16, height: u16) -> Rect {
    let (columns, height) = (columns.min(area.width), height.min(area.height));
    let place = Rect {
        x: area.x + (area.width - columns) / 2,
        y: area.y + (area.height - height) / 2,
        width: columns,
        height,
    };
    frame.render_widget(Clear, place);
    place
}

pub fn lines(frame: &mut Frame<'_>, area: Rect, shown: Vec<ratatui::text::Line<'static>>) {
    frame.render_widget(Paragraph::new(shown), area);
}

/// From which one on a list is shown, so that the chosen one is on the screen.
pub fn window(chosen: usize, count: usize, height: usize, has_keys: bool) -> usize {
    let from = if has_keys { (chosen + 1).saturating_sub(height) } else { 0 };
    from.min(count.saturating_sub(height))
}
