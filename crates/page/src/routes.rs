//! Which address shows or does what.

mod events;
mod gate;
mod list;
mod new;
mod session;
mod takeaway;

use crate::html::{self, Frame};
use crate::server::App;
use crate::sessions::Shared;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use maud::Markup;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tollgate_desk::{OpenedError, Refused};

/// The longest answer, twice, with what a form adds to it.
const BODY_BYTES_MAX: usize = 512 << 10;
/// A browser sends a form at once.
pub const FORM_TAKES: Duration = Duration::from_secs(10);

const SCRIPT: &str = include_str!("../assets/page.js");

pub fn all() -> Router<Arc<App>> {
    Router::new()
        .route("/", get(list::show))
        .route("/events", get(events::of_all))
        .route("/new", get(new::show).post(new::start))
        .route("/s/{repo}/{session}", get(session::overview))
        .route("/s/{repo}/{session}/events", get(events::of_session))
        .route("/s/{repo}/{session}/dispatch/{number}", get(session::dispatch))
        .route("/s/{repo}/{session}/dispatch/{number}/events", get(events::of_dispatch))
        .route("/s/{repo}/{session}/prompt/{number}", get(session::prompt))
        .route("/s/{repo}/{session}/answer", post(gate::answer))
        .route("/s/{repo}/{session}/comment", post(gate::comment))
        .route("/s/{repo}/{session}/resume", post(gate::resume))
        .route("/s/{repo}/{session}/cancel", post(gate::cancel))
        .route("/s/{repo}/{session}/report.html", get(takeaway::report))
        .route("/s/{repo}/{session}/archive.tar.gz", get(takeaway::archive))
        .route("/s/{repo}/{session}/{tab}", get(session::tab))
        .route("/style.css", get(style))
        .route("/page.js", get(script))
        .fallback(nothing)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
}

async fn style() -> Response {
    let text = format!("{}\n{}", html::PICTURES, html::STYLE);
    ([(CONTENT_TYPE, "text/css; charset=utf-8")], text).into_response()
}

async fn script() -> Response {
    ([(CONTENT_TYPE, "text/javascript; charset=utf-8")], SCRIPT).into_response()
}

async fn nothing() -> Trouble {
    Trouble::nothing_here()
}

/// Whatever reads a disk or runs a command, away from the thread that answers.
pub async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Trouble> + Send + 'static,
) -> Result<T, Trouble> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(Trouble::bug()))
}

/// A request that cannot be served, as a page says it.
#[derive(Debug)]
pub struct Trouble {
    status: StatusCode,
    title: &'static str,
    message: String,
    hints: Vec<String>,
    code: String,
}

impl Trouble {
    fn new(status: StatusCode, title: &'static str, message: &str) -> Self {
        Self { status, title, message: message.to_owned(), hints: Vec::new(), code: String::new() }
    }

    pub fn nothing_here() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "There is nothing here",
            "The address names no session and no part of one.",
        )
    }

    fn bug() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "A bug in Tollgate",
            "This page could not be made. Sessions are not touched by it.",
        )
    }

    pub fn foreign_form() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "Nothing was done",
            "The form is not of this start of Tollgate. Open the page again and repeat what you did.",
        )
    }

    pub fn too_long() -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "Nothing was done",
            "What you sent is too long. Go back, and put the long part into a file that you name instead.",
        )
    }

    pub fn too_slow() -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "Nothing was done",
            "The form did not arrive in time. Go back and send it again.",
        )
    }

    pub fn too_many() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "Too many pages are open",
            "Close some of them; this one follows then.",
        )
    }

    pub fn refused(refused: Refused) -> Self {
        let Refused { code, message, hints } = refused;
        Self { status: StatusCode::CONFLICT, title: "It was refused", message, hints, code }
    }
}

impl From<OpenedError> for Trouble {
    fn from(error: OpenedError) -> Self {
        match &error {
            OpenedError::NoRepository | OpenedError::NoSession => Self::nothing_here(),
            OpenedError::NotBegun => {
                Self::new(StatusCode::NOT_FOUND, "It has not started yet", &error.to_string())
            }
            OpenedError::Journal(_) | OpenedError::Repository(_) => {
                Self::new(StatusCode::CONFLICT, "The session cannot be read", &error.to_string())
            }
        }
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let Self { status, title, message, hints, code } = self;
        let body = html::trouble(title, &message, &hints, &code);
        (status, html::alone(title, body)).into_response()
    }
}

/// A session, locked for as long as it is read.
pub fn with<T>(shared: &Shared, read: impl FnOnce(&mut tollgate_desk::Opened) -> T) -> T {
    read(&mut shared.lock().unwrap_or_else(PoisonError::into_inner))
}

pub fn see(place: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    if let Ok(place) = HeaderValue::from_str(place) {
        response.headers_mut().insert(LOCATION, place);
    }
    response
}

pub fn shown(
    app: &App,
    title: &str,
    current: Option<(&str, &str)>,
    events: String,
    body: Markup,
) -> Markup {
    let rows = app.sessions.rows();
    let frame = Frame { rows: &rows, events: Some(events), current, is_list: false };
    html::page(&frame, title, body)
}

const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string()
}

/// An address of ours; each part is one level, and `below` may have several.
pub fn address(parts: &[&str], below: &str) -> String {
    let mut address: String = parts.iter().map(|part| format!("/{}", encoded(part))).collect();
    if !below.is_empty() {
        address.push('/');
        address.push_str(below);
    }
    address
}
