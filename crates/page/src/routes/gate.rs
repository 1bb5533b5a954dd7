//! What a person decides, given to the program as a command of theirs.

use super::session::{Again, Named, whole};
use super::{FORM_TAKES, Trouble, aside, see, with};
use crate::comments::{Asked, Comment, QUOTE_CHARS, in_words};
use crate::form::Fields;
use crate::html;
use crate::html::gate::keyword;
use crate::server::App;
use axum::extract::{Form, FromRequest, Path, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use tollgate_core::answer::NeedsWords;
use tollgate_core::id::DecisionId;
use tollgate_core::view::{QuestionView, Standing, View};
use tollgate_desk::{Answer, Opened, Refused};

/// The fields of a form of ours.
pub async fn fields(app: &App, request: Request) -> Result<Fields, Trouble> {
    let reading = Form::<Vec<(String, String)>>::from_request(request, &());
    let read = tokio::time::timeout(FORM_TAKES, reading).await.map_err(|_| Trouble::too_slow())?;
    let Form(pairs) = read.map_err(|why| match why.into_response().status() {
        StatusCode::PAYLOAD_TOO_LARGE => Trouble::too_long(),
        _ => Trouble::foreign_form(),
    })?;
    let fields = Fields::new(pairs);
    match app.access.is_own_form(fields.text("_csrf")) {
        true => Ok(fields),
        false => Err(Trouble::foreign_form()),
    }
}

pub async fn answer(
    State(app): State<Arc<App>>,
    Path(of): Path<Named>,
    request: Request,
) -> Result<Response, Trouble> {
    let fields = fields(&app, request).await?;
    aside(move || {
        let shared = app.sessions.open(&of.0, &of.1)?;
        let decision = decision(&fields)?;
        let round = fields.text("round").parse().unwrap_or_default();
        let (repo, name, view) = with(&shared, |opened| {
            let view = opened.view()?;
            Ok::<_, Trouble>((opened.repo.clone(), opened.name.clone(), view))
        })?;
        let asked = Asked { repo: &repo, session: &name, decision: &decision, round };
        let comments = app.comments.of(&asked);
        let typed = fields.given("words").unwrap_or_default();
        let words = in_words(&typed, &comments);
        let given = read(&view, &decision, round, fields.text("answer"), &words);
        let done = given.and_then(|given| app.orders.answer(&repo, &name, &given));
        match done {
            Ok(()) => {
                app.comments.forget(&asked);
                app.sessions.forget_list();
                with(&shared, |opened| go_on(&app, opened))?;
                Ok(see(&html::of_session(&of.0, &of.1, "")))
            }
            Err(refused) => {
                let again = Again { decision: decision.to_string(), words: typed, refused };
                let page = whole(&app, &of, None, Some(&again))?;
                Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
            }
        }
    })
    .await
}

/// Words that an answer does not take are not dropped in silence.
fn read(
    view: &View,
    decision: &DecisionId,
    round: u32,
    given: &str,
    words: &str,
) -> Result<Answer, Refused> {
    let question = view.pending_decisions.iter().find(|one| one.decision_id == *decision);
    let Some(question) = question.filter(|question| question.round == round) else {
        return Err(refused(
            "The question was answered or asked again since you opened this page. Nothing was recorded; look at what is asked now.",
        ));
    };
    let words = (!words.is_empty()).then(|| words.to_owned());
    match (takes_words(question, given), &words) {
        (None, _) => Err(refused("The question does not offer this answer.")),
        (Some((_, true)), None) => {
            Err(refused("This answer needs your words: write them, or comment on a line."))
        }
        (Some((false, _)), Some(_)) => Err(refused(
            "This answer takes no words, and yours would be lost. Take them out, or choose an answer that takes them.",
        )),
        _ => Ok(Answer { decision: decision.clone(), round, answer: given.to_owned(), words }),
    }
}

/// Whether an answer may have words, and whether it must; none where it is not offered. Two options may begin alike.
fn takes_words(question: &QuestionView, given: &str) -> Option<(bool, bool)> {
    let meant: Vec<NeedsWords> = question
        .options
        .iter()
        .filter(|option| keyword(option) == given)
        .map(|option| option.needs_words)
        .collect();
    let may = meant.iter().any(|needs| *needs != NeedsWords::No);
    let must = meant.iter().all(|needs| *needs == NeedsWords::Required);
    (!meant.is_empty()).then_some((may, must))
}

fn refused(message: &str) -> Refused {
    Refused { code: String::new(), message: message.to_owned(), hints: Vec::new() }
}

/// Where nobody runs a session that has something to do now, a process of its own does.
fn go_on(app: &App, opened: &mut Opened) -> Result<(), Trouble> {
    let standing = opened.view()?.route.standing;
    if standing == Standing::Working && !opened.is_running() {
        app.orders.resume(&opened.repo, &opened.name).map_err(Trouble::refused)?;
    }
    Ok(())
}

pub async fn comment(
    State(app): State<Arc<App>>,
    Path(of): Path<Named>,
    request: Request,
) -> Result<Response, Trouble> {
    let fields = fields(&app, request).await?;
    aside(move || {
        let shared = app.sessions.open(&of.0, &of.1)?;
        let decision = decision(&fields)?;
        let round = fields.text("round").parse().unwrap_or_default();
        let (repo, name, is_open) = with(&shared, |opened| {
            let view = opened.view()?;
            let mut asked = view.pending_decisions.iter();
            let is_open = asked.any(|one| one.decision_id == decision && one.round == round);
            Ok::<_, Trouble>((opened.repo.clone(), opened.name.clone(), is_open))
        })?;
        let line = fields.text("line").parse().unwrap_or_default();
        if !is_open || line == 0 {
            let written = fields.given("comment").unwrap_or_default();
            return Err(Trouble::refused(refused(&format!(
                "The question is not open any more; the comment was not kept.\n\nYou wrote:\n{written}"
            ))));
        }
        let comment = Comment {
            file: fields.text("file").to_owned(),
            line,
            quote: fields.text("quote").chars().take(QUOTE_CHARS).collect(),
            text: fields.given("comment").unwrap_or_default(),
        };
        let asked = Asked { repo: &repo, session: &name, decision: &decision, round };
        let written = comment.text.clone();
        let kept = app.comments.put(&asked, comment);
        kept.map_err(|cause| {
            let message = format!("The comment was not kept: {cause}.\n\nYou wrote:\n{written}");
            Trouble::refused(refused(&message))
        })?;
        Ok(see(&format!("{}#gate-{decision}", html::of_session(&of.0, &of.1, ""))))
    })
    .await
}

pub async fn resume(
    State(app): State<Arc<App>>,
    Path(of): Path<Named>,
    request: Request,
) -> Result<Response, Trouble> {
    let _only_its_form = fields(&app, request).await?;
    aside(move || {
        let shared = app.sessions.open(&of.0, &of.1)?;
        with(&shared, |opened| app.orders.resume(&opened.repo, &opened.name))
            .map_err(Trouble::refused)?;
        app.sessions.forget_list();
        Ok(see(&html::of_session(&of.0, &of.1, "")))
    })
    .await
}

pub async fn cancel(
    State(app): State<Arc<App>>,
    Path(of): Path<Named>,
    request: Request,
) -> Result<Response, Trouble> {
    let fields = fields(&app, request).await?;
    aside(move || {
        let shared = app.sessions.open(&of.0, &of.1)?;
        let reason = fields.given("reason").unwrap_or_default();
        let (repo, name) = with(&shared, |opened| (opened.repo.clone(), opened.name.clone()));
        app.orders.cancel(&repo, &name, &reason).map_err(Trouble::refused)?;
        app.sessions.forget_list();
        Ok(see(&html::of_session(&of.0, &of.1, "")))
    })
    .await
}

fn decision(fields: &Fields) -> Result<DecisionId, Trouble> {
    DecisionId::parse(fields.text("decision")).map_err(|_| Trouble::nothing_here())
}
