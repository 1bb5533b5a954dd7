//! Starts a session.

use super::gate::fields;
use super::{Trouble, aside, see, shown};
use crate::form::Fields;
use crate::html;
use crate::server::App;
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::Markup;
use std::sync::Arc;
use tollgate_desk::{NewSession, Refused};

/// What the address names is filled in; nothing starts by an address.
pub async fn show(
    State(app): State<Arc<App>>,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<Markup, Trouble> {
    aside(move || Ok(form(&app, &Fields::new(query), None))).await
}

pub async fn start(State(app): State<Arc<App>>, request: Request) -> Result<Response, Trouble> {
    let fields = fields(&app, request).await?;
    aside(move || {
        let Some(repo) = app.sessions.desk().repository(fields.text("repo")) else {
            return Err(Trouble::nothing_here());
        };
        let inputs = fields.given("inputs").unwrap_or_default();
        let new = NewSession {
            goal: fields.given("goal").unwrap_or_default(),
            action: fields.given("action"),
            project_type: fields.given("type"),
            agent: fields.given("agent"),
            inputs: inputs
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect(),
            research: fields.is_set("research"),
            design: fields.is_set("design"),
        };
        match app.orders.start(&repo, &new) {
            Ok(session) => {
                app.sessions.forget_list();
                Ok(see(&html::of_session(&repo.id, session.as_str(), "")))
            }
            Err(refused) => {
                let page = form(&app, &fields, Some(&refused));
                Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
            }
        }
    })
    .await
}

fn form(app: &App, before: &Fields, refused: Option<&Refused>) -> Markup {
    let repos = app.sessions.desk().repositories();
    let actions = repos.first().map(|repo| app.orders.actions(repo)).unwrap_or_default();
    let body = html::new::render(&repos, &actions, app.access.csrf(), before, refused);
    shown(app, "New session", None, "/events".to_owned(), body)
}
