//! The form that starts a session.

use super::foreign;
use super::session::hidden;
use crate::form::Fields;
use maud::{Markup, html};
use tollgate_desk::{Refused, Repo};

const TYPES: [&str; 5] = ["mixed", "web", "api", "cli", "lib"];

pub fn render(
    repos: &[Repo],
    actions: &[String],
    csrf: &str,
    before: &Fields,
    refused: Option<&Refused>,
) -> Markup {
    let is_chosen = |name: &str, value: &str| before.text(name) == value;
    html! {
        h1 { "New session" }
        @if let Some(refused) = refused { (super::trouble("The session was not started", &refused.message, &refused.hints, &refused.code)) }
        @if repos.is_empty() {
            p.card { "No repository is known. Start " code { "tollgate serve" } " in one, or run a session there." }
        } @else {
            form.card.stack method="post" action="/new" {
                (hidden(csrf))
                label { "Repository"
                    select name="repo" { @for repo in repos {
                        option value=(repo.id) selected[is_chosen("repo", &repo.id)] { (foreign(&repo.name)) }
                    } }
                }
                label { "What do you want to achieve?"
                    textarea name="goal" rows="4" { (before.text("goal")) }
                }
                label { "Action"
                    select name="action" {
                        option value="" { "chosen by the words of the goal" }
                        @for action in actions { option value=(action) selected[is_chosen("action", action)] { (foreign(action)) } }
                    }
                }
                details {
                    summary { "More" }
                    label { "Kind of project"
                        select name="type" { @for kind in TYPES { option value=(kind) selected[is_chosen("type", kind)] { (kind) } } }
                    }
                    label { "Agent for every role" input name="agent" value=(before.text("agent")) autocomplete="off"; }
                    label { "Inputs of the action, one NAME=VALUE a line" textarea name="inputs" rows="3" { (before.text("inputs")) } }
                    label.check { input type="checkbox" name="research" value="yes" checked[before.is_set("research")]; " Add the Researcher" }
                    label.check { input type="checkbox" name="design" value="yes" checked[before.is_set("design")]; " Add the Designer" }
                }
                p.dim { "Agents work in a clone. Your checkout is not touched, and nothing passes a gate without you." }
                button type="submit" { "Start the session" }
            }
        }
    }
}
