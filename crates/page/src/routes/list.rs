//! All sessions.

use super::{Trouble, aside};
use crate::html::{self, Frame, list};
use crate::server::App;
use axum::extract::State;
use maud::Markup;
use std::sync::Arc;

pub async fn show(State(app): State<Arc<App>>) -> Result<Markup, Trouble> {
    aside(move || {
        let rows = app.sessions.rows();
        let events = Some("/events".to_owned());
        let frame = Frame { rows: &rows, events, current: None, is_list: true };
        Ok(html::page(&frame, "Sessions", list::all(&rows)))
    })
    .await
}
