//! The report as one HTML file: inline style and pictures, no script, and nothing that is asked for from anywhere.

use super::{Document, Report, entries};
use crate::html::session::short;
use crate::html::{self, code, evidence, foreign, foreign_line, log, overview};
use crate::{markdown, when};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use tollgate_core::view::{DecisionEntry, DispatchView, FindingView, SpendView, TaskView};
use tollgate_desk::pictures;
use tollgate_files::sanitize::terminal_line;

/// No script and no request, whatever is in it: a browser keeps it so.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
const STYLE: &str = include_str!("../../assets/report.css");

/// A small change is open from the start.
const OPEN_LINES_MAX: u64 = 160;

pub(super) fn render(report: &Report) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(report))
            body {
                header {
                    span.brand { "Tollgate" }
                    span.dim { "Report on a session" }
                    span.fill {}
                    span.dim { "written " (moment(report.made_at)) }
                }
                main #main { (body(report)) }
                footer {
                    "Times are in " (when::zone(report.made_at)) ". This file needs nothing from anywhere: its pictures and its style are in it."
                }
            }
        }
    }
}

fn head(report: &Report) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            meta name="viewport" content="width=device-width,initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            meta name="robots" content="noindex";
            title { (terminal_line(entries::goal(&report.view), 80)) " – Tollgate" }
            link rel="icon" href=(html::ICON);
            style { (PreEscaped(pictures::STYLE)) (PreEscaped(html::STYLE)) (PreEscaped(STYLE)) }
        }
    }
}

fn body(report: &Report) -> Markup {
    let view = &report.view;
    html! {
        (title(report))
        (numbers(report))
        (contents(report))
        section.card aria-label="Workflow" { (pictures::workflow(&view.route)) }
        (waits(report))
        (decisions(report))
        @if !view.work.criteria.is_empty() {
            section.card #criteria { h2 { "Acceptance criteria" } (evidence::criteria(view)) }
        }
        (tasks(report))
        (findings(report))
        (notes(report))
        (changes(report))
        (steps(report))
        section.card #timeline { h2 { "Timeline" } (pictures::timeline(&report.chronicle, report.until())) }
        (spend(report))
        (documents(report))
        (proof(report))
        details.card.fold #log {
            summary { h2 { "Log" } " " span.count { (report.lines.len()) } }
            (log::last(&report.lines, "lines"))
        }
    }
}

fn moment(at: tollgate_core::time::Timestamp) -> Markup {
    when::moment(at)
}

fn title(report: &Report) -> Markup {
    let view = &report.view;
    html! {
        section.head {
            h1 { (foreign(entries::goal(view))) " " (html::standing(Some(view.route.standing), report.is_running)) }
            p.dim {
                (foreign(&report.repository)) " · " (foreign_line(&view.route.action)) " · " code { (view.session) }
                @if let Some(from) = &view.branch.started_from {
                    " · started from " code { (foreign(from)) "@" (short(view.branch.base.as_str())) }
                }
                @if view.branch.has_accepted_work() {
                    " · branch " code { (view.branch.name) "@" (short(view.branch.tip.as_str())) }
                }
            }
        }
    }
}

/// What a person wants to know first.
fn numbers(report: &Report) -> Markup {
    let view = &report.view;
    let spend = &view.costs.spend;
    let cost = spend.money().unwrap_or_else(|| "unknown".to_owned());
    let answered = report.audit.decisions.iter().filter(|one| one.resolved_by.is_some()).count();
    let done = view
        .work
        .tasks
        .iter()
        .filter(|task| task.status == tollgate_core::task::TaskStatus::Completed);
    let (criteria, changed) = (view.work.criteria.len(), &report.changed);
    html! {
        dl.numbers {
            div { dt { "Took" } dd { (when::span(report.until().ms_since(view.opened_at))) } dd.dim { (moment(view.opened_at)) } }
            div { dt { "Cost" } dd { (cost) } dd.dim { (html::counted(spend.attempts as usize, "attempt")) ", " (when::span(spend.wall_ms)) " at work" } }
            div { dt { "Decisions" } dd { (answered) } dd.dim { (html::counted(view.pending_decisions.len(), "open question")) } }
            @if !view.work.tasks.is_empty() {
                div { dt { "Tasks" } dd { (done.count()) " of " (view.work.tasks.len()) } dd.dim { "completed" } }
            }
            @if criteria > 0 {
                div { dt { "Criteria" } dd { (report.criteria_met()) " of " (criteria) } dd.dim { "met" } }
            }
            div { dt { "Findings" } dd { (view.results.findings.len()) } dd.dim { (report.open_findings()) " open" } }
            div { dt { "Files" } dd { (changed.files.len()) } dd.dim {
                @if !changed.is_unknown { span.plus { "+" (changed.added()) } " " span.minus { "−" (changed.removed()) } }
                @else { "changed" }
            } }
            div { dt { "Journal" } dd.good { "verified" } dd.dim { (html::counted(view_records(report), "record")) } }
        }
    }
}

fn view_records(report: &Report) -> usize {
    usize::try_from(report.chain.records).unwrap_or(usize::MAX)
}

fn contents(report: &Report) -> Markup {
    let view = &report.view;
    let parts = [
        ("decisions", "Decisions", true),
        ("criteria", "Criteria", !view.work.criteria.is_empty()),
        ("tasks", "Tasks", !view.work.tasks.is_empty()),
        ("findings", "Findings", true),
        ("changed", "Changes", true),
        ("steps", "Steps", true),
        ("timeline", "Timeline", true),
        ("spend", "Spend", true),
        ("documents", "Documents", !report.documents.is_empty()),
        ("evidence", "Evidence", true),
        ("log", "Log", true),
    ];
    html! {
        nav.tabs aria-label="Parts of the report" {
            @for (id, words, is_there) in parts { @if is_there { a href={ "#" (id) } { (words) } } }
        }
    }
}

fn waits(report: &Report) -> Markup {
    let view = &report.view;
    html! {
        @if let Some(blocker) = &view.blocker {
            section.card.bad {
                h2 { (if view.is_cancelled() { "Cancelled" } else { "Blocked" }) ": " code { (blocker.code) } }
                p.pre { (foreign(&blocker.detail)) }
                p.dim { (foreign(&blocker.remedy)) }
            }
        }
        @for asked in &view.pending_decisions {
            section.card.gate {
                h2 { span."badge wait" { "open" } " " (asked.decision_id) }
                p.pre { (foreign(&asked.question)) }
                p.dim { (asked.kind) " · asked " (moment(asked.asked_at)) }
            }
        }
    }
}

fn decisions(report: &Report) -> Markup {
    let all: Vec<&DecisionEntry> =
        report.audit.decisions.iter().filter(|one| one.resolved_by.is_some()).collect();
    html! {
        section.card #decisions {
            h2 { "Who decided what" }
            @if all.is_empty() { p.dim { "Nothing was decided yet." } }
            @for one in all { (decision(one)) }
        }
    }
}

fn decision(one: &DecisionEntry) -> Markup {
    let (first, rest) = match one.question.trim().split_once('\n') {
        Some((first, rest)) => (first, rest.trim()),
        None => (one.question.trim(), ""),
    };
    html! {
        article.decision {
            p.when { (moment(one.resolved_at.unwrap_or(one.asked_at))) " · " b { (one.decision_id) } " · " (one.kind) " · " (entries::resolved_words(one)) }
            p { (foreign(first)) }
            @if !rest.is_empty() { details { summary.dim { "The whole question" } p.pre { (foreign(rest)) } } }
            @if let Some(answer) = &one.answer { blockquote.pre { (foreign(answer)) } }
            @if let Some(reason) = entries::new_reason(one) { p { span.dim { "Reason: " } (foreign(reason)) } }
            @if !one.shown.is_empty() {
                details {
                    summary.dim { "What was shown: " (html::counted(one.shown.len(), "file")) }
                    ul.hashes { @for file in &one.shown { li { code { (foreign(&file.path)) } " " code.dim { (file.sha256.as_str()) } } } }
                }
            }
        }
    }
}

fn tasks(report: &Report) -> Markup {
    let all = &report.view.work.tasks;
    html! {
        @if !all.is_empty() {
            section.card #tasks {
                h2 { "Tasks" }
                div.wide { table {
                    thead { tr { th { "task" } th { "what" } th { "status" } th { "after" } th { "cost" } } }
                    tbody { @for one in all { (task(one)) } }
                } }
            }
        }
    }
}

fn task(one: &TaskView) -> Markup {
    let after: Vec<String> = one.depends_on.iter().map(ToString::to_string).collect();
    html! {
        tr {
            td { (one.id) } td { (foreign_line(&one.title)) } td { (one.status) } td { (after.join(", ")) }
            td.num { (cost(&one.spend)) }
        }
    }
}

fn cost(spend: &SpendView) -> String {
    match (spend.usd, spend.attempts) {
        (_, 0) => String::new(),
        (Some(usd), _) => format!("${usd:.2} · {}", when::span(spend.wall_ms)),
        (None, _) => when::span(spend.wall_ms),
    }
}

fn findings(report: &Report) -> Markup {
    let all: Vec<&FindingView> = report.view.results.findings.iter().collect();
    html! {
        section.card #findings {
            h2 { "Findings" }
            @if all.is_empty() { p.dim { "Nothing was found." } } @else { (overview::table(&all)) }
        }
    }
}

fn notes(report: &Report) -> Markup {
    let record = &report.view.record;
    let risks = report.accepted_risks();
    let risks: Vec<String> =
        risks.iter().map(|one| format!("{} ({}): {}", one.id, one.severity, one.message)).collect();
    let waived: Vec<String> = report
        .waived()
        .map(|(one, why)| format!("{} {}: {why}", one.id, one.description))
        .collect();
    let by_hand: Vec<String> = record
        .manual_steps
        .iter()
        .map(|step| format!("{} ({}): {}", step.role, step.task, step.text))
        .collect();
    let notices: Vec<String> = record.notices.iter().map(|notice| notice.message.clone()).collect();
    let parts = [
        ("Accepted risks", &risks),
        ("Waived criteria", &waived),
        ("Known issues", &record.known_issues),
        ("Left to be done by hand", &by_hand),
        ("Assumptions", &record.assumptions),
        ("Notices", &notices),
    ];
    html! {
        @if parts.iter().any(|(_, all)| !all.is_empty()) {
            section.card #notes {
                h2 { "To be known" }
                @for (title, all) in parts { (overview::listed(title, all.iter().map(String::as_str))) }
            }
        }
    }
}

fn changes(report: &Report) -> Markup {
    let changed = &report.changed;
    let is_small = changed.added() + changed.removed() <= OPEN_LINES_MAX;
    html! {
        section.card #changed {
            h2 { (html::counted(changed.files.len(), "changed file")) }
            @if changed.files.is_empty() { p.dim { "No work is accepted yet." } }
            @if changed.is_unknown { p.dim { "The commits are not at hand here, so only the names are known." } }
            @for (file, diff) in changed.files.iter().zip(&changed.diffs) {
                details.file open[is_small && diff.is_some()] {
                    summary {
                        code { (foreign(&file.path)) } " "
                        @if let Some(added) = file.added { span.plus { "+" (added) } " " }
                        @if let Some(removed) = file.removed { span.minus { "−" (removed) } }
                    }
                    @match diff {
                        Some(diff) => (code::diff(std::slice::from_ref(diff), None)),
                        None if report.is_apart => p.dim { "It is not shown here." },
                        None => p.dim { "It is not shown here; " code { "tollgate diff " (report.view.session) } " prints it." },
                    }
                }
            }
        }
    }
}

fn steps(report: &Report) -> Markup {
    let all = &report.view.work.dispatches;
    html! {
        section.card #steps {
            h2 { "Steps" }
            @if all.is_empty() { p.dim { "Nobody was sent yet." } }
            ol.log { @for one in all { (step(one)) } }
        }
    }
}

fn step(one: &DispatchView) -> Markup {
    html! {
        li.rule {
            b { (foreign(&one.title)) } " " span.dim { (one.agent.as_deref().map(foreign_line).unwrap_or_default()) }
            span.dots {}
            span { (one.outcome) } " "
            span.dim { @if one.attempts > 1 { (html::counted(one.attempts as usize, "attempt")) " · " } (cost(&one.spend)) }
        }
    }
}

fn spend(report: &Report) -> Markup {
    let costs = &report.view.costs;
    html! {
        section.card #spend {
            h2 { "Spend" }
            p.dim { (costs.spend) }
            (pictures::spend_by_role(&costs.spend_by))
            @if !costs.spend_by.agent.is_empty() {
                h3 { "By agent" }
                div.wide { table {
                    tbody { @for (name, spend) in &costs.spend_by.agent {
                        tr { td { (foreign_line(name)) } td { (spend) } }
                    } }
                } }
            }
        }
    }
}

fn documents(report: &Report) -> Markup {
    html! {
        @if !report.documents.is_empty() {
            section.card #documents {
                h2 { "Documents of the session" }
                @for one in &report.documents { (document(one)) }
            }
        }
    }
}

fn document(one: &Document) -> Markup {
    html! {
        details.file {
            summary {
                code { (foreign(&one.path)) }
                @if one.is_another() { " " span."badge bad" { (one.since_words()) } }
            }
            p.dim { "SHA-256 when it was recorded " code { (one.sha256.as_str()) } " · " (one.since_words()) }
            @match &one.text {
                None => p.dim { "It is gone, or too large to be shown here." },
                Some(text) if one.path.ends_with(".md") && text.len() <= markdown::BYTES_MAX => div.md { (markdown::render(text)) },
                Some(text) => (code::source(&one.path, text, None)),
            }
        }
    }
}

fn proof(report: &Report) -> Markup {
    let (audit, chain) = (&report.audit, &report.chain);
    html! {
        section.card #evidence {
            h2 { "Evidence" }
            p { span."badge ok" { "verified" } " The chain of the journal holds: " (html::counted(view_records(report), "record")) ", last hash" }
            p { code.hash { (chain.last_hash) } }
            p.dim { "Every record names the hash of the one before it. "
                @if report.is_apart { code { "tollgate audit --verify FILE" } " checks the archive" }
                @else { code { "tollgate audit --verify " (report.view.session) } " checks the chain" }
                " again; a last hash that was kept elsewhere shows whether it is the same." }
            @if !audit.commits.is_empty() {
                h3 { "Accepted commits" }
                ol.log { @for one in &audit.commits {
                    li.rule { (moment(one.at)) " " code { (one.commit) } span.dots {} "#" (one.dispatch) " " (foreign_line(&one.called)) " " span.dim { (one.outcome) } }
                } }
            }
            @if !audit.commands.is_empty() {
                h3 { "Commands that Tollgate ran" }
                ol.log { @for one in &audit.commands {
                    li.rule {
                        (moment(one.at)) " " code { (foreign_line(&one.command)) } span.dots {} span.dim { (foreign_line(&one.of)) " · " (when::span(one.duration_ms)) } " "
                        @if one.passed { span."badge ok" { "passed" } } @else { span."badge bad" { "failed" } }
                    }
                } }
            }
        }
    }
}
