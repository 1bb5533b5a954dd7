//! A session as one file for people to keep: a report, or an archive.

use super::session::Named;
use super::{Trouble, aside, with};
use crate::server::{App, Line};
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use tollgate_desk::Takeaway;

/// So much of a file is in memory at a time.
const PART_BYTES: usize = 64 << 10;

pub async fn report(
    app: State<Arc<App>>,
    line: Extension<Line>,
    of: Path<Named>,
) -> Result<Response, Trouble> {
    file(app, line, of, Takeaway::Report, "text/html; charset=utf-8", "html").await
}

pub async fn archive(
    app: State<Arc<App>>,
    line: Extension<Line>,
    of: Path<Named>,
) -> Result<Response, Trouble> {
    file(app, line, of, Takeaway::Archive, "application/gzip", "tar.gz").await
}

async fn file(
    State(app): State<Arc<App>>,
    Extension(line): Extension<Line>,
    Path(of): Path<Named>,
    what: Takeaway,
    kind: &'static str,
    ending: &'static str,
) -> Result<Response, Trouble> {
    aside(move || {
        let shared = app.sessions.open(&of.0, &of.1)?;
        let (repo, name) = with(&shared, |opened| (opened.repo.clone(), opened.name.clone()));
        let file = app.orders.take_away(&repo, &name, what).map_err(Trouble::refused)?;
        // The name of a session has letters, digits, dashes and an underscore only.
        let disposition = format!("attachment; filename=\"{name}.{ending}\"");
        // It takes as long as the line of the person needs for it.
        line.is_a_stream();
        let headers = [(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, disposition)];
        Ok((headers, Body::from_stream(stream::try_unfold(file, part))).into_response())
    })
    .await
}

async fn part(mut file: File) -> io::Result<Option<(Bytes, File)>> {
    let reading = tokio::task::spawn_blocking(move || {
        let mut bytes = vec![0; PART_BYTES];
        let count = file.read(&mut bytes)?;
        bytes.truncate(count);
        Ok((count > 0).then(|| (Bytes::from(bytes), file)))
    });
    reading.await.map_err(io::Error::other)?
}
