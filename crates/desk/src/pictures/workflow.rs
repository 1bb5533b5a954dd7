//! The way of a session: a box for each step, with what is done, where it stands, and what lies ahead. The boxes wrap like
//! words, so the picture fits every width.

use super::shape::{box_width, name};
use maud::{Markup, html};
use tollgate_core::role::State;
use tollgate_core::view::{Progress, RouteView, Standing, StepDoes, StepView};

const ARROW: u32 = 22;
const HEIGHT: u32 = 46;

pub fn workflow(route: &RouteView) -> Markup {
    html! {
        div class="pic pic-flow" role="img" aria-label=(in_words(route)) {
            @for (index, step) in route.steps.iter().enumerate() {
                (step_box(step, route.standing, index == 0))
            }
        }
    }
}

fn step_box(step: &StepView, standing: Standing, is_first: bool) -> Markup {
    let (class, mark) = look(step.progress, standing);
    let title = format!("{mark}{}", title(step));
    let below = below(step);
    let (left, width) = (if is_first { 0 } else { ARROW }, box_width(&[&title, &below]));
    let whole = left + width + 2;
    let view_box = format!("0 0 {whole} {HEIGHT}");
    html! {
        svg class=(class) width=(whole) height=(HEIGHT) viewBox=(view_box) {
            @if !is_first {
                path class="pic-arrow" d=(format!("M2 23h{}m-5 -4l5 4l-5 4", ARROW - 4)) {}
            }
            rect class="pic-box" x=(left + 1) y="2" width=(width) height=(HEIGHT - 4) rx="8" {}
            text class="pic-name" x=(left + 13) y="20" { (title) }
            text class="pic-sub" x=(left + 13) y="36" { (below) }
        }
    }
}

/// Its class, and the sign that says the same without colour.
fn look(progress: Progress, standing: Standing) -> (&'static str, &'static str) {
    match (progress, standing) {
        (Progress::Done, _) => ("pic-step pic-done", "✓ "),
        (Progress::Ahead, _) => ("pic-step pic-ahead", ""),
        (Progress::Current, Standing::YourTurn) => ("pic-step pic-wait", "▶ "),
        (Progress::Current, Standing::Blocked | Standing::Cancelled) => ("pic-step pic-stop", "✗ "),
        (Progress::Current, Standing::Working | Standing::Done) => ("pic-step pic-now", "▶ "),
    }
}

fn title(step: &StepView) -> String {
    let known = match step.does {
        StepDoes::Approve => Some("Approval"),
        StepDoes::Choose => Some("Choice"),
        StepDoes::Severity => Some("Severity gate"),
        StepDoes::Close => Some("Done"),
        StepDoes::Tasks => Some("Implement ⇄ review"),
        StepDoes::Dispatch | StepDoes::Parallel | StepDoes::Checks => None,
    };
    known.map_or_else(|| state_words(step.state), str::to_owned)
}

/// Who acts in it.
fn below(step: &StepView) -> String {
    let who = match step.does {
        StepDoes::Dispatch | StepDoes::Parallel => name(&step.roles.join(", ")),
        StepDoes::Approve | StepDoes::Choose => "you".to_owned(),
        StepDoes::Severity => "findings".to_owned(),
        StepDoes::Tasks => "task by task".to_owned(),
        StepDoes::Checks => "checks".to_owned(),
        StepDoes::Close => "ready to merge".to_owned(),
    };
    if step.on_request { format!("{who}, on request") } else { who }
}

/// `Implement loop`.
fn state_words(state: State) -> String {
    let lower = state.as_str().replace('_', " ").to_lowercase();
    let mut chars = lower.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn in_words(route: &RouteView) -> String {
    let standing = match route.standing {
        Standing::Working => "at work",
        Standing::YourTurn => "waits for you",
        Standing::Blocked => "blocked",
        Standing::Cancelled => "cancelled",
        Standing::Done => "done",
    };
    let steps = route.steps.iter().map(|step| {
        let how = match step.progress {
            Progress::Done => "done",
            Progress::Current => standing,
            Progress::Ahead => "ahead",
        };
        format!("{} ({}): {how}", title(step), below(step))
    });
    format!("Workflow, {standing}. {}", steps.collect::<Vec<_>>().join("; "))
}
