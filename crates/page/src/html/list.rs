//! The list of all sessions, and one line of it.

use super::{counted, foreign_line, of_session, standing};
use crate::when;
use maud::{Markup, html};
use tollgate_core::time::Timestamp;
use tollgate_core::view::Summary;
use tollgate_desk::Row;

pub fn row(row: &Row, current: Option<(&str, &str)>, now: Timestamp) -> Markup {
    let summary = &row.listed.summary;
    let session = summary.session.as_str();
    let is_current = current == Some((row.repo.id.as_str(), session));
    html! {
        a.row href=(of_session(&row.repo.id, session, "")) aria-current=[is_current.then_some("page")] {
            span.t { (title(summary)) (standing(summary.standing, row.listed.is_running)) }
            small {
                @if row.listed.is_running { span.dot title="a process runs it" { "●" } " " }
                @if current.is_none() { (foreign_line(&row.repo.name)) " · " }
                (asked_or_done(row))
                @if let Some(at) = summary.asked.as_ref().map(|asked| asked.asked_at).or(summary.updated_at) {
                    " · " (when::ago(at, now))
                }
            }
        }
    }
}

/// The goal, or the name where there is none.
fn title(summary: &Summary) -> Markup {
    match summary.goal.trim() {
        "" => html! { span { (summary.session) } },
        goal => html! { span { (foreign_line(goal)) } },
    }
}

fn asked_or_done(row: &Row) -> Markup {
    let summary = &row.listed.summary;
    match &summary.asked {
        Some(asked) => html! { (asked.kind) " · " (asked.decision_id) },
        None if summary.at_work > 0 => html! { (counted(summary.at_work, "agent")) },
        None => html! { @if let Some(state) = summary.state { (state) } },
    }
}

pub fn all(rows: &[Row]) -> Markup {
    let now = when::now();
    let waiting: Vec<&Row> = rows.iter().filter(|row| row.waits()).collect();
    let others: Vec<&Row> = rows.iter().filter(|row| !row.waits()).collect();
    html! {
        h1 { "Sessions" }
        label.filter hidden { "Filter " input #filter type="search" data-filter="main a.row" autocomplete="off"; }
        section.card aria-labelledby="wait-title" #waiting-list data-live {
            h2 #wait-title { "Waiting for you" }
            @if waiting.is_empty() { p.dim { "Nothing waits for you." } }
            @for one in &waiting { (row(one, None, now)) }
        }
        section.card aria-labelledby="other-title" #other-list data-live {
            h2 #other-title { "All others" }
            @if rows.is_empty() {
                p.dim { "None yet. " a href="/new" { "Start a session" } " or run " code { "tollgate run \"GOAL\"" } " in a repository." }
            } @else if others.is_empty() { p.dim { "There are no others." } }
            @for one in &others { (line(one, now)) }
        }
    }
}

/// With what it cost, where there is room for it.
fn line(one: &Row, now: Timestamp) -> Markup {
    let summary = &one.listed.summary;
    html! {
        div.line {
            (row(one, None, now))
            small.dim.cost {
                (counted(summary.dispatches, "dispatch"))
                @if let Some(usd) = summary.usd { " · $" (format!("{usd:.2}")) }
            }
        }
    }
}
