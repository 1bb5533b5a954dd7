//! A session and its parts.

use super::{Trouble, aside, shown, with};
use crate::comments::Asked;
use crate::form::Fields;
use crate::html::code::{self, Margin, Spot};
use crate::html::gate::Gate;
use crate::html::journal::Filter;
use crate::html::session::{Head, Tab, goal};
use crate::html::{evidence, log, output, overview, tasks};
use crate::live::OutputFollower;
use crate::server::App;
use crate::{diff, html, when};
use axum::extract::{Path, Query, State};
use maud::{Markup, PreEscaped};
use std::collections::BTreeMap;
use std::sync::Arc;
use tollgate_core::id::{Attempt, DispatchNumber};
use tollgate_core::view::{DispatchView, QuestionView, View};
use tollgate_desk::{Opened, Refused, pictures};

pub type Named = (String, String);

/// An answer that was refused, to be shown with the question that it was for.
#[derive(Debug)]
pub struct Again {
    pub decision: String,
    pub words: String,
    pub refused: Refused,
}

pub async fn overview(
    State(app): State<Arc<App>>,
    Path(of): Path<Named>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Trouble> {
    let spot = query.get("comment").and_then(|text| Spot::parse(text));
    aside(move || match spot {
        Some(spot) => whole(&app, &of, Some(&spot), None),
        None => {
            let stamp = with(&app.sessions.open(&of.0, &of.1)?, |opened| opened.stamp());
            let make = || whole(&app, &of, None, None).map(Markup::into_string);
            let html = app.rendered.page(&html::of_session(&of.0, &of.1, ""), stamp, make)?;
            Ok(PreEscaped(html))
        }
    })
    .await
}

/// The first page of a session, with the form of a comment or with what was refused.
pub fn whole(
    app: &App,
    of: &Named,
    spot: Option<&Spot>,
    again: Option<&Again>,
) -> Result<Markup, Trouble> {
    let shared = app.sessions.open(&of.0, &of.1)?;
    with(&shared, |opened| {
        let view = opened.view()?;
        let head = head(app, opened, &view, Some(Tab::Overview));
        let gates: Vec<Markup> = view
            .pending_decisions
            .iter()
            .map(|question| gate(app, opened, &head, question, spot, again))
            .collect();
        let timeline = pictures::timeline(opened.chronicle(), when::now());
        let is_open = |again: &&Again| {
            view.pending_decisions.iter().any(|one| again.decision == one.decision_id.as_str())
        };
        let body = maud::html! {
            @if let Some(gone) = again.filter(|again| !is_open(again)) {
                (html::gate::unheard(&gone.refused, &gone.words))
            }
            (overview::render(&head, &gates, opened.lines(), &timeline))
        };
        Ok(framed(app, of, &head, body))
    })
}

fn gate(
    app: &App,
    opened: &Opened,
    head: &Head<'_>,
    question: &QuestionView,
    spot: Option<&Spot>,
    again: Option<&Again>,
) -> Markup {
    let (view, decision) = (head.view, &question.decision_id);
    let asked =
        Asked { repo: &opened.repo, session: &opened.name, decision, round: question.round };
    let comments = app.comments.of(&asked);
    let again = again.filter(|again| again.decision == decision.as_str());
    let files: Vec<_> =
        question.shown.iter().map(|file| (file.clone(), opened.content(view, file))).collect();
    Gate {
        head,
        question,
        changes: &opened.changes(view, question),
        files: &files,
        margin: Margin {
            page: head.link(""),
            action: head.link("comment"),
            csrf: head.csrf,
            decision,
            round: question.round,
            comments: &comments,
            open: spot,
        },
        words: again.map_or("", |again| &again.words),
        refused: again.map(|again| &again.refused),
    }
    .render()
}

pub async fn tab(
    State(app): State<Arc<App>>,
    Path((repo, session, tab)): Path<(String, String, String)>,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<Markup, Trouble> {
    let tab = Tab::named(&tab).ok_or_else(Trouble::nothing_here)?;
    aside(move || {
        let of = (repo, session);
        let shared = app.sessions.open(&of.0, &of.1)?;
        with(&shared, |opened| {
            let view = opened.view()?;
            let head = head(&app, opened, &view, Some(tab));
            let body = match tab {
                Tab::Overview => return Err(Trouble::nothing_here()),
                Tab::Tasks => tasks::render(&head),
                Tab::Log => log::whole(&head, opened.lines(), opened.chronicle(), when::now()),
                Tab::Changes => changes(opened, &view)?,
                Tab::Evidence => {
                    let chain = opened.verify(app.state.as_deref());
                    let fields = Fields::new(query);
                    let filter = Filter(&fields);
                    evidence::render(&head, &opened.audit()?, &chain, opened.lines(), &filter)
                }
            };
            Ok(framed(&app, &of, &head, body))
        })
    })
    .await
}

fn changes(opened: &Opened, view: &View) -> Result<Markup, Trouble> {
    let files = opened.changed_files(view)?;
    let patch = opened.patch(view, &[])?;
    Ok(html::changes(&files, &diff::files(&patch)))
}

pub async fn dispatch(
    State(app): State<Arc<App>>,
    Path((repo, session, number)): Path<(String, String, u32)>,
) -> Result<Markup, Trouble> {
    aside(move || {
        let (of, number) = ((repo, session), DispatchNumber(number));
        let shared = app.sessions.open(&of.0, &of.1)?;
        let news = OutputFollower::new(shared.clone(), number).look();
        with(&shared, |opened| {
            let view = opened.view()?;
            let head = head(&app, opened, &view, None);
            let dispatch = numbered(&view, number)?;
            let patch = opened.patch_of(number)?.unwrap_or_default();
            let changed = code::diff(&diff::files(&patch), None);
            let body = output::render(&head, dispatch, &news.lines, news.is_over, changed);
            let events = match news.is_over {
                false => head.link(&format!("dispatch/{number}/events?from={}", news.lines.len())),
                true => head.link(&format!("events?from={}", head.lines)),
            };
            let current = Some((of.0.as_str(), of.1.as_str()));
            Ok(shown(&app, goal(&view), current, events, maud::html! { (head.render()) (body) }))
        })
    })
    .await
}

pub async fn prompt(
    State(app): State<Arc<App>>,
    Path((repo, session, number)): Path<(String, String, u32)>,
) -> Result<Markup, Trouble> {
    aside(move || {
        let (of, number) = ((repo, session), DispatchNumber(number));
        let shared = app.sessions.open(&of.0, &of.1)?;
        with(&shared, |opened| {
            let view = opened.view()?;
            let head = head(&app, opened, &view, None);
            let dispatch = numbered(&view, number)?;
            let text = opened.prompt(number, Attempt(dispatch.attempts));
            let body = output::prompt(&dispatch.title, text.as_deref());
            Ok(framed(&app, &of, &head, body))
        })
    })
    .await
}

fn numbered(view: &View, number: DispatchNumber) -> Result<&DispatchView, Trouble> {
    let mut all = view.work.dispatches.iter();
    all.find(|one| one.number == number).ok_or_else(Trouble::nothing_here)
}

fn head<'a>(app: &'a App, opened: &'a Opened, view: &'a View, tab: Option<Tab>) -> Head<'a> {
    Head {
        repo: &opened.repo,
        view,
        is_running: opened.is_running(),
        limits: opened.limits(),
        lines: opened.lines().len(),
        csrf: app.access.csrf(),
        tab,
    }
}

fn framed(app: &App, of: &Named, head: &Head<'_>, body: Markup) -> Markup {
    let events = head.link(&format!("events?from={}", head.lines));
    let current = Some((of.0.as_str(), of.1.as_str()));
    shown(app, goal(head.view), current, events, maud::html! { (head.render()) (body) })
}
