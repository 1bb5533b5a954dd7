//! What a mark or word looks like. Nothing is told by colour alone: without colours the same words are shown, bold, dim or
//! reversed.

use crate::text::{fit, width};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use tollgate_core::view::Tone;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    Plain,
    Dim,
    Strong,
    Good,
    Note,
    Warning,
    Bad,
    /// What the next Enter is about.
    Chosen,
    /// What waits for the person.
    Waits,
}

impl From<Tone> for Ink {
    fn from(tone: Tone) -> Self {
        match tone {
            Tone::Strong => Self::Strong,
            Tone::Quiet => Self::Dim,
            Tone::Good => Self::Good,
            Tone::Note => Self::Note,
            Tone::Warning => Self::Warning,
            Tone::Bad => Self::Bad,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Paint {
    pub has_colours: bool,
}

/// Words in one ink each; a line of a screen is made of them.
pub type Words = Vec<(Ink, String)>;

impl Paint {
    pub fn style(self, ink: Ink) -> Style {
        let colour = |colour: Color| match self.has_colours {
            true => Style::new().fg(colour),
            false => Style::new(),
        };
        match ink {
            Ink::Plain => Style::new(),
            Ink::Dim => Style::new().add_modifier(Modifier::DIM),
            Ink::Strong => Style::new().add_modifier(Modifier::BOLD),
            Ink::Good => colour(Color::Green),
            Ink::Note => colour(Color::Cyan),
            Ink::Warning => colour(Color::Yellow),
            Ink::Bad => colour(Color::Red).add_modifier(Modifier::BOLD),
            Ink::Chosen => Style::new().add_modifier(Modifier::REVERSED),
            Ink::Waits => colour(Color::Yellow).add_modifier(Modifier::BOLD),
        }
    }

    /// Words on one line; what does not fit is cut off.
    pub fn line(self, words: &Words, columns: usize) -> Line<'static> {
        let mut left = columns;
        let mut spans = Vec::new();
        for (ink, text) in words {
            let text = fit(text, left);
            left -= width(&text);
            spans.push(Span::styled(text, self.style(*ink)));
        }
        Line::from(spans)
    }

    /// The same with words at the right edge, which stay whole while there is room for them.
    pub fn sides(self, left: &Words, right: &Words, columns: usize) -> Line<'static> {
        let taken: usize = right.iter().map(|(_, text)| width(text)).sum();
        if taken + 1 >= columns {
            return self.line(left, columns);
        }
        let mut line = self.line(left, columns - taken - 1);
        let used = line.width();
        line.spans.push(Span::raw(" ".repeat(columns - taken - used)));
        line.spans.extend(self.line(right, taken).spans);
        line
    }

    /// The whole line is what the next Enter is about.
    pub fn chosen(self, line: Line<'static>, columns: usize) -> Line<'static> {
        let missing = columns.saturating_sub(line.width());
        let mut line = line;
        line.spans.push(Span::raw(" ".repeat(missing)));
        let spans = line.spans.into_iter();
        let style = self.style(Ink::Chosen);
        Line::from(spans.map(|span| Span::styled(span.content, style)).collect::<Vec<_>>())
    }
}
