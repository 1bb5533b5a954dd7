//! Something that is sent only after a person wrote what it needs and said so once more. What sends is never chosen beforehand.

use crate::doc::Doc;
use crate::frame::{self, Keys as Footer};
use crate::keys::Key;
use crate::paint::{Ink, Paint, Words};
use crate::typing::Typing;
use ratatui::Frame;
use ratatui::layout::Rect;
use tollgate_core::answer::NeedsWords;
use tollgate_core::id::DecisionId;
use tollgate_desk::{Refused, Repo};

/// The words have so many rows, with their frame, where there is room for them.
const WORDS_ROWS: u16 = 12;

/// What is sent.
#[derive(Debug, Clone)]
pub enum Purpose {
    Answer { decision: DecisionId, round: u32, answer: String },
    Cancel,
    Resume,
    Start(Repo),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Focus {
    Words,
    Back,
    Send,
}

/// What a key in the form asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    Back,
    Send,
    /// The words in the editor of the person.
    Edit,
}

#[derive(Debug)]
pub struct Form {
    pub purpose: Purpose,
    title: String,
    about: Doc,
    pub words: Option<Typing>,
    /// How the words are called, and whether they must be there.
    label: String,
    needs: NeedsWords,
    send: &'static str,
    focus: Focus,
    /// What was sent has not been answered yet: the number of it.
    pub sent: Option<u64>,
    refused: Option<Doc>,
}

impl Form {
    pub fn new(purpose: Purpose, title: impl Into<String>, about: Doc, send: &'static str) -> Self {
        let (words, label, needs) = (None, String::new(), NeedsWords::No);
        let (focus, sent, refused, title) = (Focus::Back, None, None, title.into());
        Self { purpose, title, about, words, label, needs, send, focus, sent, refused }
    }

    #[must_use]
    pub fn with_words(self, words: Typing, label: &str, needs: NeedsWords) -> Self {
        let label = label.to_owned();
        // Words that may be left out do not catch the keys first.
        let focus = if needs == NeedsWords::Required { Focus::Words } else { Focus::Back };
        Self { words: Some(words), label, needs, focus, ..self }
    }

    /// What was written; none where nothing was.
    pub fn written(&self) -> Option<String> {
        self.words.as_ref().filter(|words| !words.is_empty()).map(Typing::text)
    }

    /// What came out of the editor.
    pub fn rewrite(&mut self, text: &str) {
        (self.words, self.refused) = (Some(Typing::new(text.trim_end())), None);
    }

    pub fn takes_letters(&self) -> bool {
        self.focus == Focus::Words
    }

    pub fn refuse(&mut self, refused: &Refused) {
        let mut doc = Doc::default();
        doc.say(Ink::Bad, "Nothing was recorded.").quote(Ink::Plain, &refused.message);
        for hint in &refused.hints {
            doc.quote(Ink::Dim, hint);
        }
        if !refused.code.is_empty() {
            doc.say(Ink::Dim, format!("`tollgate explain {}` tells more", refused.code));
        }
        (self.refused, self.sent) = (Some(doc), None);
        self.focus = if self.words.is_some() { Focus::Words } else { Focus::Back };
    }

    pub fn handle(&mut self, key: &Key) -> Option<Does> {
        if self.sent.is_some() {
            // It cannot be taken back; who leaves sees on the next screen what came of it.
            return (*key == Key::Esc).then_some(Does::Back);
        }
        match (key, self.focus) {
            (Key::Esc, _) => return Some(Does::Back),
            (Key::Ctrl('g'), _) if self.words.is_some() => return Some(Does::Edit),
            (Key::Ctrl('d'), Focus::Words) => self.focus = Focus::Back,
            (Key::Tab, _) => self.focus = self.next(),
            (Key::BackTab, _) => self.focus = self.next_back(),
            (key, Focus::Words) => {
                let taken = self.words.as_mut().is_some_and(|words| words.handle(key));
                if !taken && matches!(key, Key::Enter | Key::Down) {
                    self.focus = Focus::Back;
                }
            }
            (Key::Enter, Focus::Back) => return Some(Does::Back),
            (Key::Enter, Focus::Send) => return self.send(),
            (Key::Right | Key::Char('y' | 'l'), _) => self.focus = Focus::Send,
            (Key::Left | Key::Char('n' | 'h'), _) => self.focus = Focus::Back,
            (Key::Up | Key::Char('k'), _) if self.words.is_some() => self.focus = Focus::Words,
            _ => {}
        }
        None
    }

    fn send(&mut self) -> Option<Does> {
        if self.needs == NeedsWords::Required && self.written().is_none() {
            let message = "This needs your words: write them first.".to_owned();
            self.refuse(&Refused { code: String::new(), message, hints: Vec::new() });
            return None;
        }
        self.refused = None;
        Some(Does::Send)
    }

    fn next(&self) -> Focus {
        match self.focus {
            Focus::Words => Focus::Back,
            Focus::Back => Focus::Send,
            Focus::Send if self.words.is_some() => Focus::Words,
            Focus::Send => Focus::Back,
        }
    }

    fn next_back(&self) -> Focus {
        match self.focus {
            Focus::Words => Focus::Send,
            Focus::Back if self.words.is_some() => Focus::Words,
            Focus::Back => Focus::Send,
            Focus::Send => Focus::Back,
        }
    }

    pub fn draw(&mut self, frame: &mut Frame<'_>, paint: Paint, area: Rect) {
        let [title, body, footer] = frame::rows(area, [1, 0, 1]);
        frame::title(frame, paint, title, &self.title, "");
        let columns = usize::from(body.width);
        let mut above = self.refused.clone().unwrap_or_default();
        if !above.is_empty() {
            above.blank();
        }
        let (refused, _) = above.fit(columns);
        let (about, _) = self.about.fit(columns);
        let wanted = u16::try_from(refused + about).unwrap_or(u16::MAX);
        // The words keep a few rows and the buttons theirs, whatever stands above them.
        let least = if self.words.is_some() { 6 } else { 2 };
        let most = body.height.saturating_sub(least);
        let [top, _, rest] = frame::rows(body, [wanted.min(most).max(1), 1, 0]);
        let fits = usize::from(top.height);
        let mut lines = above.rows(paint, columns, 0, fits);
        lines.extend(self.about.rows(paint, columns, 0, fits.saturating_sub(lines.len())));
        frame::lines(frame, top, lines);
        let mut buttons = rest;
        if let Some(words) = &self.words {
            let wanted = if words.is_one_line() { 3 } else { WORDS_ROWS };
            let height = rest.height.min(wanted);
            let height = height.min(rest.height.saturating_sub(1)).max(1);
            let [place, below] = frame::rows(rest, [height, 0]);
            buttons = below;
            let has_keys = self.focus == Focus::Words && self.sent.is_none();
            let inner = frame::pane(frame, paint, place, &self.label, has_keys);
            words.draw(frame, paint, inner, has_keys);
        }
        frame::lines(frame, buttons, vec![paint.line(&self.buttons(), columns)]);
        frame::footer(frame, paint, footer, &self.keys());
    }

    fn buttons(&self) -> Words {
        if self.sent.is_some() {
            return vec![(Ink::Note, " Sending…".to_owned())];
        }
        let button = |focus: Focus, text: &str| {
            let is_chosen = self.focus == focus;
            let mark = if is_chosen { "▸" } else { " " };
            let ink = if is_chosen { Ink::Chosen } else { Ink::Plain };
            (ink, format!("{mark} {text} "))
        };
        let gap = (Ink::Plain, "   ".to_owned());
        vec![button(Focus::Back, "Back"), gap, button(Focus::Send, self.send)]
    }

    fn keys(&self) -> Vec<Footer> {
        match self.focus {
            _ if self.sent.is_some() => vec![("Esc", "back; what was sent stays sent")],
            Focus::Words => {
                let mut keys = vec![("Tab", "to the buttons")];
                if !self.words.as_ref().is_some_and(Typing::is_one_line) {
                    keys.extend([("Enter", "new line"), ("Ctrl-G", "editor")]);
                }
                keys.push(("Esc", "back"));
                keys
            }
            Focus::Back => vec![("Tab", "to the next"), ("Enter", "back"), ("Esc", "back")],
            Focus::Send => vec![("Enter", "send"), ("Tab", "to the next"), ("Esc", "back")],
        }
    }
}
