//! The tasks with what they wait for, and every dispatch.

use super::session::Head;
use super::{counted, foreign, foreign_line};
use crate::when;
use maud::{Markup, html};
use tollgate_core::task::TaskStatus;
use tollgate_core::view::{SpendView, TaskView};

const COLUMNS: [(&str, &[TaskStatus]); 4] = [
    ("Not started", &[TaskStatus::NotStarted]),
    ("In progress", &[TaskStatus::InProgress, TaskStatus::Blocked]),
    ("Implemented", &[TaskStatus::Implemented]),
    ("Completed", &[TaskStatus::Completed]),
];

pub fn render(head: &Head<'_>) -> Markup {
    let work = &head.view.work;
    html! {
        section #board data-live aria-label="Tasks" {
            @if work.tasks.is_empty() { p.card.dim { "There is no plan yet." } }
            @else {
                div.board { @for (title, statuses) in COLUMNS { (column(title, statuses, &work.tasks)) } }
            }
        }
        section.card #dispatches data-live aria-label="Dispatches" {
            h2 { "Dispatches" }
            @if work.dispatches.is_empty() { p.dim { "Nobody was sent yet." } }
            @else { (dispatches(head)) }
        }
    }
}

fn column(title: &str, statuses: &[TaskStatus], all: &[TaskView]) -> Markup {
    let of_it: Vec<&TaskView> = all.iter().filter(|task| statuses.contains(&task.status)).collect();
    html! {
        div.column {
            h3 { (title) " " span.count { (of_it.len()) } }
            @for task in of_it {
                div.card.task id=(task.id) {
                    b { (task.id) } " " (foreign_line(&task.title))
                    @if task.status == TaskStatus::Blocked { " " span."badge bad" { "blocked" } }
                    @if !task.depends_on.is_empty() {
                        p.dim { "after " @for (at, id) in task.depends_on.iter().enumerate() {
                            @if at > 0 { ", " } a href={ "#" (id) } { (id) }
                        } }
                    }
                    @if task.spend.attempts > 0 { p.dim { (cost(&task.spend)) } }
                }
            }
        }
    }
}

fn dispatches(head: &Head<'_>) -> Markup {
    html! {
        ol.log {
            @for one in &head.view.work.dispatches {
                li.rule {
                    a href=(head.link(&format!("dispatch/{}", one.number))) { (foreign(&one.title)) }
                    " " span.dim { (one.agent.as_deref().map(foreign_line).unwrap_or_default()) }
                    span.dots {}
                    span { (one.outcome) } " "
                    span.dim { (cost(&one.spend)) }
                    @if let Some(why) = &one.last_failure { p.dim { (foreign_line(why)) } }
                }
            }
        }
    }
}

fn cost(spend: &SpendView) -> String {
    let time = when::span(spend.wall_ms);
    let attempts = counted(spend.attempts as usize, "attempt");
    match spend.usd {
        Some(usd) => format!("{attempts} · {time} · ${usd:.2}"),
        None => format!("{attempts} · {time}"),
    }
}
