//! What proves the work: criteria, checks, decisions, and the state of the chain.

use super::journal::{self, Filter};
use super::session::{Head, short};
use super::{foreign, foreign_line, overview};
use crate::when;
use maud::{Markup, html};
use tollgate_core::event::CriterionResult;
use tollgate_core::task::Check;
use tollgate_core::view::{Audit, CriterionView, DecisionEntry, View};
use tollgate_desk::{LogLine, OpenedError};
use tollgate_host::client::Verified;

pub fn criteria(view: &View) -> Markup {
    html! {
        div.wide { table {
            thead { tr { th { "id" } th { "criterion" } th { "proved by" } th { "result" } } }
            tbody { @for one in &view.work.criteria { (criterion(one)) } }
        } }
    }
}

fn criterion(one: &CriterionView) -> Markup {
    html! {
        tr {
            td { (one.id) }
            td { (foreign(&one.description)) }
            td {
                @if one.verify.is_empty() { span."badge bad" { "nothing" } }
                @for proof in &one.verify {
                    div {
                        @match &proof.check {
                            Check::Command(command) => code { (foreign(command)) },
                            Check::Manual(text) => { "you: " (foreign(text)) },
                            Check::Test(path) => { "the tests in " code { (foreign(path)) } },
                        }
                        @if proof.proves_nothing { " " span."badge bad" { "proves nothing" } }
                    }
                }
            }
            td {
                @match &one.result {
                    None => span.dim { "open" },
                    Some(CriterionResult::Met { evidence }) => { span."badge ok" { "met" } " " span.dim { (foreign_line(evidence)) } },
                    Some(CriterionResult::Unmet { evidence }) => { span."badge bad" { "not met" } " " span.dim { (foreign_line(evidence)) } },
                    Some(CriterionResult::Waived { reason }) => { span.badge { "waived" } " " span.dim { (foreign_line(reason)) } },
                }
            }
        }
    }
}

pub fn render(
    head: &Head<'_>,
    audit: &Audit,
    chain: &Result<Verified, OpenedError>,
    lines: &[LogLine],
    filter: &Filter<'_>,
) -> Markup {
    let view = head.view;
    let findings: Vec<_> = view.results.findings.iter().collect();
    html! {
        (state_of_chain(head, audit, chain))
        section.card aria-label="Criteria" {
            h2 { "Acceptance criteria" }
            @if view.work.criteria.is_empty() { p.dim { "There are none yet." } } @else { (criteria(view)) }
        }
        section.card aria-label="Decisions" {
            h2 { "Decisions" }
            @if audit.decisions.is_empty() { p.dim { "Nothing was asked yet." } }
            @else { (decisions(&audit.decisions, chain.is_ok())) }
        }
        section.card aria-label="Commands" {
            h2 { "Commands that Tollgate ran" }
            @if audit.commands.is_empty() { p.dim { "None yet." } } @else { (commands(audit, chain.is_ok())) }
        }
        section.card aria-label="Commits" {
            h2 { "Accepted commits" }
            @if audit.commits.is_empty() { p.dim { "None yet." } }
            @else { ol.log { @for one in &audit.commits {
                li.rule { code { (short(one.commit.as_str())) } " #" (one.dispatch) " " (foreign_line(&one.called)) span.dots {} (verified(chain.is_ok())) }
            } } }
        }
        section.card aria-label="Findings" {
            h2 { "Findings" }
            @if findings.is_empty() { p.dim { "None so far." } } @else { (overview::table(&findings)) }
        }
        section.card aria-label="Files" {
            h2 { "The same in files" }
            ul { @for path in &audit.evidence { li { code { (foreign(path)) } } } }
        }
        (journal::records(head, lines, filter, chain.is_ok()))
    }
}

fn state_of_chain(head: &Head<'_>, audit: &Audit, chain: &Result<Verified, OpenedError>) -> Markup {
    html! {
        section.card #chain aria-label="Chain" {
            h2 { "The chain of the journal" }
            @match chain {
                Ok(_) => p { span."badge ok" { "verified" } " " (audit.records) " records, head " code { (short(&audit.last_hash)) }
                    ", checked at " (when::clock(when::now())) },
                Err(why) => { p { span."badge bad" { "broken" } } p.pre { (foreign(&why.to_string())) } },
            }
            p.dim { "Every record names the hash of the one before it. Opening this page checks the whole chain again." }
            form.inline method="get" action=(head.link("evidence")) {
                button { "Verify the chain again" }
                a.button href=(head.link("report.html")) download { "Report as one file" }
                a.button href=(head.link("archive.tar.gz")) download { "Archive" }
            }
        }
    }
}

/// Of what the checked chain holds.
pub fn verified(holds: bool) -> Markup {
    match holds {
        true => html! { span."badge ok" { "verified" } },
        false => html! { span."badge bad" { "not verified" } },
    }
}

fn decisions(all: &[DecisionEntry], holds: bool) -> Markup {
    html! {
        ol.log {
            @for one in all {
                li.rule {
                    (when::clock(one.resolved_at.unwrap_or(one.asked_at))) " " b { (one.decision_id) } " " (one.status)
                    @if let Some(by) = one.resolved_by { " by " (by) }
                    span.dots {} (verified(holds))
                    div.dim { (foreign_line(&one.question)) }
                    @if let Some(answer) = &one.answer { div.pre { (foreign(answer)) } }
                }
            }
        }
    }
}

fn commands(audit: &Audit, holds: bool) -> Markup {
    html! {
        ol.log {
            @for one in &audit.commands {
                li.rule {
                    (when::clock(one.at)) " " code { (foreign_line(&one.command)) } " "
                    @if one.passed { span."badge ok" { "passed" } } @else { span."badge bad" { "failed" } }
                    span.dots {} span.dim { (when::span(one.duration_ms)) } " " (verified(holds))
                }
            }
        }
    }
}
