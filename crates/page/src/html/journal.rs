//! The records of the journal, each with who it comes from and whether the checked chain holds it; filtered on demand.

use super::foreign;
use super::session::{Head, short};
use crate::form::Fields;
use crate::when;
use maud::{Markup, html};
use tollgate_core::view::Actor;
use tollgate_desk::LogLine;

/// Of more records the last ones are shown.
const RECORDS_MAX: usize = 500;

/// What somebody looks for. Empty fields leave nothing out.
#[derive(Debug)]
pub struct Filter<'a>(pub &'a Fields);

impl Filter<'_> {
    fn takes(&self, line: &LogLine) -> bool {
        let text = |name| self.0.text(name).trim();
        let by = Actor::named(text("by"));
        let has = |words: &str| line.text.to_lowercase().contains(&words.to_lowercase());
        let at = when::minute(line.at);
        by.is_none_or(|by| by == line.by)
            && (text("what").is_empty() || text("what") == line.mark)
            && (text("words").is_empty() || has(text("words")))
            && (text("from").is_empty() || at.as_str() >= text("from"))
            && (text("until").is_empty() || at.as_str() <= text("until"))
    }
}

pub fn records(head: &Head<'_>, all: &[LogLine], filter: &Filter<'_>, holds: bool) -> Markup {
    let found: Vec<&LogLine> = all.iter().filter(|line| filter.takes(line)).collect();
    let left_out = found.len().saturating_sub(RECORDS_MAX);
    html! {
        section.card #journal aria-label="Journal" {
            h2 { "Records of the journal " span.count { (found.len()) " of " (all.len()) } }
            (form(head, all, filter.0))
            @if found.is_empty() { p.dim { "No record is like that." } }
            @if left_out > 0 { p.dim { (left_out) " earlier ones are left out; narrow the time to see them." } }
            div.wide { table.records {
                thead { tr { th { "record" } th { "time" } th { "who" } th { "what" } th {} th { "hash" } th { "chain" } } }
                tbody { @for line in found.iter().skip(left_out) { (record(line, holds)) } }
            } }
        }
    }
}

fn record(line: &LogLine, holds: bool) -> Markup {
    html! {
        tr {
            td.num { (line.seq) }
            td { (when::clock(line.at)) }
            td { (line.by) }
            td { (line.mark) }
            td { (foreign(&line.text)) }
            td { code title=(line.hash) { (short(&line.hash)) } }
            td { (super::evidence::verified(holds)) }
        }
    }
}

fn form(head: &Head<'_>, all: &[LogLine], fields: &Fields) -> Markup {
    let mut marks: Vec<&str> = all.iter().map(|line| line.mark).collect();
    marks.sort_unstable();
    marks.dedup();
    html! {
        form.filters method="get" action={ (head.link("evidence")) "#journal" } {
            label { "Who" select name="by" {
                option value="" { "everybody" }
                @for by in Actor::ALL { option value=(by) selected[fields.text("by") == by.as_str()] { (by) } }
            } }
            label { "What" select name="what" {
                option value="" { "everything" }
                @for mark in marks { option value=(mark) selected[fields.text("what") == mark] { (mark) } }
            } }
            label { "From" input type="datetime-local" name="from" value=(fields.text("from")); }
            label { "Until" input type="datetime-local" name="until" value=(fields.text("until")); }
            label { "Words" input type="search" name="words" value=(fields.text("words")) autocomplete="off"; }
            button { "Show these" }
            @if !fields.is_empty() { a href={ (head.link("evidence")) "#journal" } { "Show all" } }
        }
    }
}
