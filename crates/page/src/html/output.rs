//! What an agent writes, as it writes it.

use super::foreign;
use super::session::Head;
use maud::{Markup, html};
use tollgate_core::view::DispatchView;
use tollgate_files::sanitize::terminal_text;

pub fn render(
    head: &Head<'_>,
    dispatch: &DispatchView,
    lines: &[String],
    is_over: bool,
    patch: Markup,
) -> Markup {
    html! {
        section.card aria-labelledby="output-title" {
            h2 #output-title { "Output of " (foreign(&dispatch.title)) }
            p.dim #standing data-live {
                @if let Some(agent) = &dispatch.agent { (foreign(agent)) " · " }
                (dispatch.outcome) " · " (dispatch.spend)
                @if let Some(why) = &dispatch.last_failure { " · " (foreign(why)) }
            }
            pre.output #output tabindex="0" data-number=(dispatch.number) data-lines=(lines.len()) data-over=[is_over.then_some("")] {
                @for line in lines { (terminal_text(line)) "\n" }
            }
            @if lines.is_empty() { p.dim #silent { "It has written nothing yet." } }
            p { a href=(head.link(&format!("prompt/{}", dispatch.number))) { "What it was told" } }
        }
        (patch)
    }
}

pub fn prompt(title: &str, text: Option<&str>) -> Markup {
    html! {
        section.card {
            h2 { "What " (foreign(title)) " was told" }
            @match text {
                Some(text) => pre.output tabindex="0" { (terminal_text(text)) },
                None => p.dim { "The prompt is not there any more, or it is too long to be shown." },
            }
        }
    }
}
