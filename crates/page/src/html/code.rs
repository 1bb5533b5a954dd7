//! Changes and files with numbered lines, each of which a person can comment on while a question is open.

use super::foreign;
use super::session::hidden;
use crate::comments::Comment;
use crate::diff::{FileDiff, Line};
use crate::paint::{self, Painter};
use crate::routes::encoded;
use maud::{Markup, html};
use tollgate_core::id::DecisionId;
use tollgate_files::sanitize::visible_name;

/// Of a longer file only the beginning is shown.
const LINES_MAX: usize = 3_000;

/// Where comments on lines go.
#[derive(Debug)]
pub struct Margin<'a> {
    /// The address of the page, and of what keeps a comment.
    pub page: String,
    pub action: String,
    pub csrf: &'a str,
    pub decision: &'a DecisionId,
    pub round: u32,
    pub comments: &'a [Comment],
    /// The line whose form is open.
    pub open: Option<&'a Spot>,
}

/// A line of a file; below zero it is one that was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    pub file: String,
    pub line: i64,
}

impl Spot {
    /// `FILE:LINE`.
    pub fn parse(text: &str) -> Option<Self> {
        let (file, line) = text.rsplit_once(':')?;
        let line = line.parse().ok().filter(|line| *line != 0)?;
        Some(Self { file: file.to_owned(), line })
    }
}

impl Margin<'_> {
    pub fn is_open_in(&self, file: &str) -> bool {
        self.open.is_some_and(|spot| spot.file == file)
    }

    fn number(&self, file: &str, line: i64) -> Markup {
        let spot = encoded(&format!("{file}:{line}"));
        let label = format!("Comment on line {} of {}", line.unsigned_abs(), visible_name(file));
        let address = format!("{}?comment={spot}#here", self.page);
        html! { a.ln href=(address) aria-label=(label) { (line.unsigned_abs()) } }
    }

    fn below(&self, file: &str, line: i64, text: &str) -> Markup {
        let known = self.comments.iter().find(|one| one.file == file && one.line == line);
        let is_open = self.open.is_some_and(|spot| spot.file == file && spot.line == line);
        html! {
            @if is_open { (self.form(file, line, text, known)) }
            @else if let Some(comment) = known {
                div.note { b { "You: " } span.pre { (foreign(&comment.text)) } }
            }
        }
    }

    fn form(&self, file: &str, line: i64, text: &str, known: Option<&Comment>) -> Markup {
        html! {
            form.comment #here method="post" action=(self.action) {
                (hidden(self.csrf))
                input type="hidden" name="decision" value=(self.decision);
                input type="hidden" name="round" value=(self.round);
                input type="hidden" name="file" value=(file);
                input type="hidden" name="line" value=(line);
                input type="hidden" name="quote" value=(text);
                label for="comment" { "Your comment on line " (line.unsigned_abs()) }
                textarea #comment name="comment" rows="3" maxlength="4000" autofocus { (known.map_or("", |one| one.text.as_str())) }
                div.acts {
                    button { "Keep the comment" }
                    a href=(self.page) { "Leave it" }
                    @if known.is_some() { span.dim { "Without text it is taken away." } }
                }
            }
        }
    }
}

pub fn diff(files: &[FileDiff], margin: Option<&Margin<'_>>) -> Markup {
    html! { @for file in files { (one_file(file, margin)) } }
}

fn one_file(file: &FileDiff, margin: Option<&Margin<'_>>) -> Markup {
    let language = paint::language(&file.path);
    // The two sides of a change are two texts.
    let (mut old, mut new) = (Painter::default(), Painter::default());
    html! {
        div.diff role="region" tabindex="0" aria-label={ "Changes of " (visible_name(&file.path)) } {
            div.f { (foreign(&file.path)) }
            @for line in &file.lines {
                @match line {
                    Line::Hunk(text) => div.h { "⋯ " (foreign(text)) },
                    Line::Note(text) => div.h { (foreign(text)) },
                    Line::Context { new: number, text, .. } => {
                        (row("", " ", &file.path, i64::from(*number), margin, new.line(language, text), text))
                    },
                    Line::Added { new: number, text } => {
                        (row("a", "+", &file.path, i64::from(*number), margin, new.line(language, text), text))
                    },
                    Line::Removed { old: number, text } => {
                        (row("d", "−", &file.path, -i64::from(*number), margin, old.line(language, text), text))
                    },
                }
            }
            @if file.left_out > 0 { div.h { "… " (file.left_out) " more lines" } }
        }
    }
}

/// A file as it is, line by line.
pub fn source(path: &str, text: &str, margin: Option<&Margin<'_>>) -> Markup {
    let language = paint::language(path);
    let mut painter = Painter::default();
    let total = text.lines().count();
    html! {
        div.diff role="region" tabindex="0" aria-label={ "Lines of " (visible_name(path)) } {
            @for (number, line) in (1_i64..).zip(text.lines().take(LINES_MAX)) {
                (row("", " ", path, number, margin, painter.line(language, line), line))
            }
            @if total > LINES_MAX { div.h { "… " (total - LINES_MAX) " more lines" } }
        }
    }
}

fn row(
    class: &str,
    mark: &str,
    path: &str,
    number: i64,
    margin: Option<&Margin<'_>>,
    painted: Markup,
    text: &str,
) -> Markup {
    html! {
        div.l.(class) {
            @match margin {
                Some(margin) => (margin.number(path, number)),
                None => span.ln { (number.unsigned_abs()) },
            }
            span.m aria-hidden="true" { (mark) } code { (painted) }
        }
        @if let Some(margin) = margin { (margin.below(path, number, text)) }
    }
}
