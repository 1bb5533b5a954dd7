//! A session at a glance: what waits, who works, what was found, what it cost, and what happened last.

use super::session::Head;
use super::{foreign, log};
use maud::{Markup, html};
use tollgate_core::event::FindingStatus;
use tollgate_core::view::{DispatchView, FindingView, Outcome, View};
use tollgate_desk::{LogLine, pictures};

/// So much of the log is on the first page.
const LINES: usize = 14;

pub fn render(head: &Head<'_>, gates: &[Markup], lines: &[LogLine], timeline: &Markup) -> Markup {
    let view = head.view;
    html! {
        (head.workflow())
        @for gate in gates { (gate) }
        div.cols {
            (at_work(head))
            section.card #spend data-live aria-label="Spend" {
                h2 { "Spend" }
                p.dim { (view.costs.spend) }
                (pictures::spend_by_role(&view.costs.spend_by))
            }
        }
        (findings(view))
        (notes(view))
        section.card aria-labelledby="activity" {
            h2 #activity { "Activity" }
            (log::lines(lines.iter().rev().take(LINES).rev(), "log"))
            p { a href=(head.link("log")) { "The whole log" } }
        }
        section.card #timeline data-live aria-label="Timeline" { h2 { "Timeline" } (timeline) }
        (cancel(head))
        (head.again())
    }
}

fn at_work(head: &Head<'_>) -> Markup {
    let all = &head.view.work.dispatches;
    let live: Vec<&DispatchView> = all
        .iter()
        .filter(|one| {
            matches!(
                one.outcome,
                Outcome::Running | Outcome::Waiting | Outcome::Finished | Outcome::Interrupted
            )
        })
        .collect();
    html! {
        section.card #at-work data-live aria-label="At work" {
            h2 { "At work" }
            @if live.is_empty() { p.dim { "Nobody works just now." } }
            @for one in &live { (dispatch(head, one)) }
            @if let Some(last) = all.last().filter(|_| live.is_empty()) {
                p { a href=(head.link(&format!("dispatch/{}", last.number))) { "Output of " (foreign(&last.title)) } }
            }
        }
    }
}

fn dispatch(head: &Head<'_>, one: &DispatchView) -> Markup {
    html! {
        div.live {
            b { (foreign(&one.title)) } " "
            span.dim {
                @if let Some(agent) = &one.agent { (foreign(agent)) " · " }
                (one.outcome)
                @if one.attempts > 1 { " · attempt " (one.attempts) }
            }
            div.dim data-doing=(one.number) { (foreign(one.doing.as_deref().unwrap_or_default())) }
            a href=(head.link(&format!("dispatch/{}", one.number))) { "Follow the output" }
        }
    }
}

fn findings(view: &View) -> Markup {
    let mut all: Vec<&FindingView> = view.results.findings.iter().collect();
    all.sort_by_key(|finding| finding.status != FindingStatus::Open);
    html! {
        section.card #findings data-live aria-label="Findings" {
            h2 { "Findings" }
            @if all.is_empty() { p.dim { "None so far." } } @else { (table(&all)) }
        }
    }
}

pub fn table(all: &[&FindingView]) -> Markup {
    html! {
        div.wide { table {
            thead { tr { th { "id" } th { "severity" } th { "found by" } th { "what" } th { "now" } } }
            tbody {
                @for one in all {
                    tr {
                        td { (one.id) }
                        td { span.sev data-severity=(one.severity) { (one.severity) } }
                        td { (one.source) }
                        td {
                            @if let Some(file) = &one.file {
                                code { (foreign(file)) @if let Some(line) = &one.line { ":" (foreign(line)) } } " "
                            }
                            span.pre { (foreign(&one.message)) }
                        }
                        td { (one.status) }
                    }
                }
            }
        } }
    }
}

fn notes(view: &View) -> Markup {
    let record = &view.record;
    let is_empty = record.assumptions.is_empty()
        && record.known_issues.is_empty()
        && record.manual_steps.is_empty()
        && record.notices.is_empty();
    html! {
        section.card #notes data-live aria-label="Notes" hidden[is_empty] {
            h2 { "Notes" }
            (listed("Assumptions", record.assumptions.iter().map(String::as_str)))
            (listed("Known issues", record.known_issues.iter().map(String::as_str)))
            (listed("Notices", record.notices.iter().map(|notice| notice.message.as_str())))
            (listed("Left to you", record.manual_steps.iter().map(|step| step.text.as_str())))
        }
    }
}

pub fn listed<'a>(title: &str, all: impl Iterator<Item = &'a str>) -> Markup {
    let all: Vec<&str> = all.collect();
    html! {
        @if !all.is_empty() {
            h3 { (title) }
            ul { @for one in all { li { (foreign(one)) } } }
        }
    }
}

fn cancel(head: &Head<'_>) -> Markup {
    html! {
        @if !head.view.route.standing.is_over() {
            details.card {
                summary { "Cancel the session…" }
                form method="post" action=(head.link("cancel")) {
                    (super::session::hidden(head.csrf))
                    label for="why" { "Why do you cancel it? Accepted work stays on its branch." }
                    input #why name="reason" required maxlength="2000" autocomplete="off";
                    button.bad { "Cancel it for good" }
                }
            }
        }
    }
}
