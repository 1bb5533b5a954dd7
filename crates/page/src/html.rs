//! What pages are made of. Every text of an agent, a person or a repository comes through `foreign`, and maud escapes the rest.

pub mod code;
pub mod evidence;
pub mod gate;
pub mod journal;
pub mod list;
pub mod log;
pub mod new;
pub mod output;
pub mod overview;
pub mod session;
pub mod steps;
pub mod tasks;

use crate::access::Denied;
use crate::routes::address;
use crate::when;
use maud::{DOCTYPE, Markup, html};
use tollgate_core::allowance::Allowance;
use tollgate_core::view::{SpendView, Standing};
use tollgate_desk::{ChangedLines, Row, pictures};
use tollgate_files::sanitize::{terminal_line, terminal_text};

/// More of them are on the page with all sessions.
const RAIL_MAX: usize = 40;
const GOAL_CHARS: usize = 160;

pub const PICTURES: &str = pictures::STYLE;
pub const STYLE: &str = include_str!("../assets/style.css");
/// The gate, as a picture that is asked for from nobody.
pub const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 14V5h2v9zM5 6l9-3 .6 1.9L5 8z' fill='%232457d6'/%3E%3C/svg%3E";

/// What surrounds every page.
#[derive(Debug)]
pub struct Frame<'a> {
    pub rows: &'a [Row],
    /// Where the browser hears of news; none for pages that do not change.
    pub events: Option<String>,
    /// The session that is shown, by repository and name.
    pub current: Option<(&'a str, &'a str)>,
    /// It shows all sessions, and needs no list of them beside it.
    pub is_list: bool,
}

/// What it cost so far, and how much it may cost.
pub fn spent(spend: &SpendView, limits: &Allowance) -> Markup {
    let attempts = counted(spend.attempts as usize, "attempt");
    html! {
        (spend.against(limits))
        @if spend.is_near(limits) { " " span."badge bad" { "near the limit" } }
        " · " (attempts) " · " (when::span(spend.wall_ms))
        @if let Some(limit) = limits.wall_ms { " of " (when::span(limit)) }
        " of agent time"
    }
}

/// Another's words, several lines of them.
pub fn foreign(text: &str) -> Markup {
    html! { bdi { (terminal_text(text)) } }
}

/// The same on one line.
pub fn foreign_line(text: &str) -> Markup {
    html! { bdi { (terminal_line(text, GOAL_CHARS)) } }
}

pub fn page(frame: &Frame<'_>, title: &str, body: Markup) -> Markup {
    let waiting = frame.rows.iter().filter(|row| row.waits()).count();
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, true))
            body data-events=[frame.events.as_ref()] {
                a.skip href="#main" { "Skip to the content" }
                header {
                    a.brand href="/" { "Tollgate" }
                    span #waiting data-live {
                        @if waiting > 0 {
                            a."badge wait" href="/" { (waiting) " " (if waiting == 1 { "waits" } else { "wait" }) " for you" }
                        }
                    }
                    span.fill {}
                    button #find type="button" hidden { "Go to… " kbd { "Ctrl K" } }
                    a.button href="/new" { "New session" }
                    button #keys type="button" hidden { kbd { "?" } " keys" }
                }
                div.columns.alone[frame.is_list] {
                    @if !frame.is_list { (rail(frame)) }
                    main #main tabindex="-1" { (body) }
                }
                dialog #help aria-labelledby="help-title" { (keys()) }
                dialog #palette aria-label="Go to" {
                    input type="search" role="combobox" aria-controls="places" aria-expanded="true" aria-label="Go to" placeholder="A session, a tab, a page" autocomplete="off";
                    ul #places role="listbox" {}
                }
                footer {
                    span #today data-live { (today(frame.rows)) }
                    span #connection role="status" aria-live="polite" {}
                }
            }
        }
    }
}

/// Who works on this machine just now, and what the sessions that went on today cost in all.
fn today(rows: &[Row]) -> String {
    let agents = rows.iter().map(|row| row.listed.summary.at_work).sum();
    let date = when::today();
    let is_of_today =
        |row: &&Row| row.listed.summary.updated_at.is_some_and(|at| when::date(at) == date);
    let spent: Vec<f64> =
        rows.iter().filter(is_of_today).filter_map(|row| row.listed.summary.usd).collect();
    let spent = match spent.is_empty() {
        true => String::new(),
        false => format!(" · ${:.2} in today's sessions", spent.iter().sum::<f64>()),
    };
    let waiting = rows.iter().filter(|row| row.waits()).count();
    let all = counted(rows.len(), "session");
    format!("{} at work · {waiting} waiting for you · {all}{spent}", counted(agents, "agent"))
}

fn head(title: &str, has_script: bool) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width,initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (terminal_line(title, 80)) " – Tollgate" }
            link rel="icon" href=(ICON);
            link rel="stylesheet" href="/style.css";
            @if has_script { script src="/page.js" defer {} }
            }
    }
}

fn rail(frame: &Frame<'_>) -> Markup {
    let now = when::now();
    html! {
        nav.card aria-label="Sessions" #side {
            h2 { "Sessions" }
            label.filter hidden { input type="search" data-filter="#rail a.row" aria-label="Filter the sessions" placeholder="Filter" autocomplete="off"; }
            div #rail data-live {
            @for (repo, rows) in by_project(&frame.rows[..frame.rows.len().min(RAIL_MAX)]) {
                h3 { (foreign_line(repo)) }
                @for row in rows { (list::row(row, frame.current, now)) }
            }
            @if frame.rows.len() > RAIL_MAX {
                a.more href="/" { "All " (frame.rows.len()) " sessions" }
            }
            @if frame.rows.is_empty() { p.dim { "There are no sessions yet." } }
            }
        }
    }
}

/// Projects in the order in which their first session is listed.
fn by_project(rows: &[Row]) -> Vec<(&str, Vec<&Row>)> {
    let mut all: Vec<(&str, Vec<&Row>)> = Vec::new();
    for row in rows {
        match all.iter_mut().find(|(_, of)| of.iter().any(|one| one.repo.id == row.repo.id)) {
            Some((_, of)) => of.push(row),
            None => all.push((&row.repo.name, vec![row])),
        }
    }
    all
}

fn keys() -> Markup {
    html! {
        h2 #help-title { "Keys" }
        dl.kv {
            dt { kbd { "j" } " " kbd { "k" } } dd { "the next and the previous session" }
            dt { kbd { "g" } } dd { "the question that waits for you" }
            dt { kbd { "1" } "…" kbd { "5" } } dd { "the tabs of a session" }
            dt { kbd { "w" } } dd { "write your words" }
            dt { kbd { "n" } } dd { "a new session" }
            dt { kbd { "/" } } dd { "filter the sessions" }
            dt { kbd { "Ctrl" } " " kbd { "K" } } dd { "go to a session or a page by its name" }
            dt { kbd { "h" } } dd { "all sessions" }
            dt { kbd { "?" } } dd { "this list" }
        }
        p.dim { "No key sends an answer: a button does, and none is chosen beforehand." }
        form method="dialog" { button { "Close" } }
    }
}

/// A page of ours beside no list: it says what went wrong, whatever the sessions are.
pub fn alone(title: &str, body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, false))
            body {
                header { a.brand href="/" { "Tollgate" } span.fill {} a.button href="/" { "All sessions" } }
                div.columns.alone { main #main tabindex="-1" { (body) } }
            }
        }
    }
}

/// A page without anything of a session on it.
fn bare(title: &str, body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (title) }
            }
            body { main { h1 { (title) } (body) } }
        }
    }
}

/// For whoever is not let in.
pub fn closed(denied: Denied) -> Markup {
    match denied {
        Denied::NoEntry => bare(
            "Tollgate is closed",
            html! {
                p { "This page opens with the address that " code { "tollgate serve" } " printed when it started." }
                p { "An address of an earlier start does not work any more." }
            },
        ),
        Denied::ForeignHost => bare(
            "This is not the address of Tollgate",
            html! {
                p { "Use the address that " code { "tollgate serve" } " printed. A name of this machine is allowed by "
                    code { "tollgate serve --host NAME" } "." }
            },
        ),
        Denied::ForeignOrigin => bare(
            "Nothing was done",
            html! {
                p { "The request did not come from a page of Tollgate. Open the page again and repeat what you did there." }
            },
        ),
    }
}

pub fn no_agents() -> Markup {
    bare(
        "Agents are not let in",
        html! {
            p { "Only people read and answer here. While agents work on this machine, a request must come from a program that is seen to be none of theirs." }
            p { "Does yours come through a tunnel, such as " code { "ssh -L" } "? Start the page with " code { "tollgate serve --tunnel" } "." }
        },
    )
}

/// Why something could not be shown or done, inside the frame.
pub fn trouble(title: &str, message: &str, hints: &[String], code: &str) -> Markup {
    html! {
        section.card.bad role="alert" #trouble {
            h1 { (title) }
            p.pre { (foreign(message)) }
            @for hint in hints { p.dim { (foreign(hint)) } }
            @if !code.is_empty() { p.dim { "More: " code { "tollgate explain " (code) } } }
        }
    }
}

pub fn standing(standing: Option<Standing>, is_running: bool) -> Markup {
    match standing {
        Some(Standing::YourTurn) => html! { span."badge wait" { "your turn" } },
        Some(Standing::Working) if is_running => html! { span."badge run" { "at work" } },
        Some(Standing::Working) => html! { span.badge { "not running" } },
        Some(Standing::Blocked) => html! { span."badge bad" { "blocked" } },
        Some(Standing::Done) => html! { span."badge ok" { "done" } },
        Some(Standing::Cancelled) => html! { span.badge { "cancelled" } },
        None => html! { span."badge bad" { "unreadable" } },
    }
}

pub fn counted(count: usize, what: &str) -> String {
    tollgate_core::count::counted(count, what)
}

/// The address of a session, or of something below it.
pub fn of_session(repo: &str, session: &str, below: &str) -> String {
    address(&["s", repo, session], below)
}

/// The files that a session changed, with their lines.
pub fn changes(files: &[ChangedLines], diffs: &[crate::diff::FileDiff]) -> Markup {
    html! {
        section.card #changed data-live aria-label="Changed files" {
            h2 { (counted(files.len(), "changed file")) }
            @if files.is_empty() { p.dim { "No work is accepted yet." } }
            div.wide { table { tbody {
                @for file in files {
                    tr {
                        td { code { (foreign(&file.path)) } }
                        td.num { @if let Some(added) = file.added { span.plus { "+" (added) } } }
                        td.num { @if let Some(removed) = file.removed { span.minus { "−" (removed) } } }
                    }
                }
            } } }
            (code::diff(diffs, None))
        }
    }
}
