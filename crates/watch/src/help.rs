//! `?`: the keys of the screen that is shown.

use crate::doc::Doc;
use crate::frame;
use crate::keys::Key;
use crate::paint::Paint;
use ratatui::Frame;
use ratatui::layout::Rect;

const MOVES: &[(&str, &str)] =
    &[("↑ ↓ j k", "one line"), ("PgUp PgDn", "one page"), ("g G", "to the top, to the end")];

const LIST: &[(&str, &str)] = &[
    ("Enter", "opens the session"),
    ("/", "shows only sessions with these words; Esc shows all again"),
    ("n", "starts a session in the repository of the chosen one"),
    ("q", "leaves; sessions continue"),
];

const SESSION: &[(&str, &str)] = &[
    ("a", "opens the question that waits for you"),
    ("Tab ← →", "the next pane: tasks, agents, activity"),
    ("Enter", "opens what is chosen: a task, the output of an agent, the log"),
    ("o t", "the output of the chosen agent, and what it was told"),
    ("d", "what the session changed"),
    ("f c", "findings; criteria, checks and notes"),
    ("v l", "files of the session; the whole log"),
    ("r", "continues a session that no process runs"),
    ("x", "cancels the session; you are asked for the reason"),
    ("q", "back; the session continues"),
];

const QUESTION: &[(&str, &str)] = &[
    ("1 to 9", "takes the option; nothing is sent yet"),
    ("Tab", "to the options and back; Enter takes the chosen one"),
    ("v d f", "the files, what changed, the findings"),
    ("n", "the next question, where there are several"),
    ("q", "back; nothing is recorded"),
];

const FORM: &[(&str, &str)] = &[
    ("Tab", "from the words to the buttons and back"),
    ("→ or y", "chooses the button that sends; Enter presses it"),
    ("Ctrl-G", "your words in $VISUAL or $EDITOR"),
    ("Esc", "back; your words are kept until you leave the session"),
];

const READER: &[(&str, &str)] = &[
    ("Space b", "one page"),
    ("n p", "the next file of a difference, the one before"),
    ("G", "the end of an output, which is followed from there"),
    ("q", "back"),
];

const EVERYWHERE: &[(&str, &str)] = &[
    ("Ctrl-C", "leaves; sessions continue"),
    ("Ctrl-Z", "stops this view; `fg` comes back to it"),
    ("Ctrl-L", "draws the screen again"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    List,
    Session,
    Question,
    Form,
    Reader,
}

#[derive(Debug)]
pub struct Help {
    doc: Doc,
    top: usize,
    drawn: (usize, usize),
}

impl Help {
    pub fn of(topic: Topic) -> Self {
        let (title, keys) = match topic {
            Topic::List => ("Sessions", LIST),
            Topic::Session => ("A session", SESSION),
            Topic::Question => ("A question", QUESTION),
            Topic::Form => ("Before something is sent", FORM),
            Topic::Reader => ("Reading", READER),
        };
        let mut doc = Doc::default();
        for (head, keys) in [(title, keys), ("To move", MOVES), ("Everywhere", EVERYWHERE)] {
            doc.head(head);
            for (key, does) in keys {
                doc.entry(&format!("{key:<10} "), does);
            }
        }
        Self { doc, top: 0, drawn: (0, 0) }
    }

    /// True where the key closes it.
    pub fn handle(&mut self, key: &Key) -> bool {
        let last = self.drawn.0.saturating_sub(self.drawn.1);
        match key {
            Key::Down | Key::Char('j') if self.top < last => self.top += 1,
            Key::Up | Key::Char('k') if last > 0 => self.top = self.top.saturating_sub(1),
            Key::PageDown => self.top = (self.top + self.drawn.1).min(last),
            Key::PageUp => self.top = self.top.saturating_sub(self.drawn.1),
            _ => return true,
        }
        false
    }

    pub fn draw(&mut self, frame: &mut Frame<'_>, paint: Paint, area: Rect) {
        let columns = area.width.saturating_sub(4).min(76);
        let (rows, _) = self.doc.fit(usize::from(columns.saturating_sub(2)));
        let height = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2);
        let place = frame::card(frame, area, columns, height);
        let inner = frame::pane(frame, paint, place, "Keys (any other key closes this)", true);
        let fits = usize::from(inner.height);
        self.drawn = (rows, fits);
        self.top = self.top.min(rows.saturating_sub(fits));
        let shown = self.doc.rows(paint, usize::from(inner.width), self.top, fits);
        frame::lines(frame, inner, shown);
    }
}
