//! News as a stream: events of a journal, lines of an agent, or that the list has changed.

use super::{Trouble, aside};
use crate::html::log;
use crate::live::{News, OutputFollower, Place};
use crate::server::{App, Line};
use crate::sessions::Sessions;
use axum::extract::{Extension, Path, Query, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;
use futures_util::stream;
use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tollgate_core::id::DispatchNumber;
use tollgate_files::sanitize::terminal_text;

/// How often the list of sessions is looked at while somebody looks at it.
const LIST: Duration = Duration::from_millis(700);
/// How often is looked at what an agent writes.
const OUTPUT: Duration = Duration::from_millis(120);
/// More lines at once are sent in parts.
const LINES_AT_ONCE: usize = 400;

type Query_ = Query<BTreeMap<String, String>>;

fn streamed<S>(line: &Line, stream: S) -> Response
where
    S: Stream<Item = Result<Event, Infallible>> + Send + 'static,
{
    line.is_a_stream();
    Sse::new(stream).keep_alive(KeepAlive::default()).into_response()
}

/// The number of what was shown already: the browser's own, after a break, or that of the page.
fn from(query: &Query_, headers: &axum::http::HeaderMap) -> usize {
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let given = last.or(query.get("from").map(String::as_str));
    given.and_then(|text| text.parse().ok()).unwrap_or_default()
}

struct Following {
    receiver: Receiver<News>,
    waiting: VecDeque<Event>,
    _place: Place,
}

pub async fn of_session(
    State(app): State<Arc<App>>,
    Extension(line): Extension<Line>,
    Path((repo, session)): Path<(String, String)>,
    query: Query_,
    headers: axum::http::HeaderMap,
) -> Result<Response, Trouble> {
    let place = app.live.place().ok_or_else(Trouble::too_many)?;
    let receiver = app.live.follow(&repo, &session).await?;
    let from = from(&query, &headers);
    let missed = aside(move || {
        let shared = app.sessions.open(&repo, &session)?;
        let opened = shared.lock().unwrap_or_else(PoisonError::into_inner);
        // What was written between the page and this stream.
        Ok(opened.lines().iter().skip(from).map(of_line).collect())
    });
    let begin = Following { receiver, waiting: missed.await?, _place: place };
    let stream = stream::unfold(begin, async |mut at| {
        let event = next(&mut at).await?;
        Some((Ok(event), at))
    });
    Ok(streamed(&line, stream))
}

async fn next(at: &mut Following) -> Option<Event> {
    loop {
        if let Some(event) = at.waiting.pop_front() {
            return Some(event);
        }
        match at.receiver.recv().await {
            Ok(News::Lines(lines)) => at.waiting.extend(lines.iter().map(of_line)),
            Ok(News::Doing(number, text)) => {
                let text = terminal_text(&text).into_owned();
                let value = serde_json::json!({ "number": number, "text": text });
                at.waiting.push_back(Event::default().event("doing").data(value.to_string()));
            }
            // The browser begins again, with a page that has it all.
            Err(RecvError::Lagged(_)) => return Some(Event::default().event("behind").data("")),
            Err(RecvError::Closed) => return None,
        }
    }
}

fn of_line(one: &tollgate_desk::LogLine) -> Event {
    let value = serde_json::json!({ "seq": one.seq, "html": log::line(one).into_string() });
    Event::default().event("line").id(one.seq.to_string()).data(value.to_string())
}

pub async fn of_dispatch(
    State(app): State<Arc<App>>,
    Extension(line): Extension<Line>,
    Path((repo, session, number)): Path<(String, String, u32)>,
    query: Query_,
    headers: axum::http::HeaderMap,
) -> Result<Response, Trouble> {
    let place = app.live.place().ok_or_else(Trouble::too_many)?;
    let from = from(&query, &headers);
    let follower = aside(move || {
        let shared = app.sessions.open(&repo, &session)?;
        Ok(OutputFollower::new(shared, DispatchNumber(number)).skip(from))
    });
    let begin = Some((follower.await?, from, place));
    let stream = stream::unfold(begin, async |at| {
        let (mut follower, mut sent, place) = at?;
        loop {
            let looking = tokio::task::spawn_blocking(move || {
                let news = follower.look();
                (follower, news)
            });
            let (back, news) = looking.await.ok()?;
            follower = back;
            if !news.lines.is_empty() {
                sent += news.lines.len();
                return Some((Ok(of_output(&news.lines, sent)), Some((follower, sent, place))));
            }
            if news.is_over {
                // Without an end the browser would ask again and again.
                return Some((Ok(Event::default().event("over").data("")), None));
            }
            tokio::time::sleep(OUTPUT).await;
        }
    });
    Ok(streamed(&line, stream))
}

fn of_output(lines: &[String], sent: usize) -> Event {
    // Of very much at once the end matters.
    let left_out = lines.len().saturating_sub(LINES_AT_ONCE);
    let text: String =
        lines.iter().skip(left_out).map(|line| format!("{}\n", terminal_text(line))).collect();
    let value = serde_json::json!({ "text": text, "left_out": left_out });
    Event::default().event("output").id(sent.to_string()).data(value.to_string())
}

pub async fn of_all(
    State(app): State<Arc<App>>,
    Extension(line): Extension<Line>,
) -> Result<Response, Trouble> {
    let place = app.live.place().ok_or_else(Trouble::too_many)?;
    let begin = (app.sessions.clone(), None::<u64>, place);
    let stream = stream::unfold(begin, async |(sessions, before, place)| {
        loop {
            let looked_at = sessions.clone();
            let now = tokio::task::spawn_blocking(move || stamp(&looked_at)).await.ok()?;
            if before.is_some_and(|before| before != now) {
                let event = Event::default().event("list").data("");
                return Some((Ok(event), (sessions, Some(now), place)));
            }
            tokio::time::sleep(LIST).await;
            if before.is_none() {
                // The page itself was the first look; a comment shows that the stream is open.
                return Some((Ok(Event::default().comment("")), (sessions, Some(now), place)));
            }
        }
    });
    Ok(streamed(&line, stream))
}

/// What differs when any line of the list does.
fn stamp(sessions: &Sessions) -> u64 {
    let mut hasher = DefaultHasher::new();
    for row in sessions.rows().iter() {
        let summary = &row.listed.summary;
        (row.repo.id.as_str(), summary.session.as_str(), row.listed.is_running).hash(&mut hasher);
        (summary.updated_at, summary.waiting, summary.dispatches).hash(&mut hasher);
    }
    hasher.finish()
}
