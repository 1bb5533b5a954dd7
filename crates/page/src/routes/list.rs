//! All sessions.

use super::{Trouble, aside, shown};
use crate::html::list;
use crate::server::App;
use axum::extract::State;
use maud::Markup;
use std::sync::Arc;

pub async fn show(State(app): State<Arc<App>>) -> Result<Markup, Trouble> {
    aside(move || {
        let rows = app.sessions.rows();
        Ok(shown(&app, "Sessions", None, "/events".to_owned(), list::all(&rows)))
    })
    .await
}
