//! The messages of commits that take a session over.

use crate::context::Context;
use crate::subject::shortened;
use tollgate_core::proof::one_line;
use tollgate_core::view::View;

pub fn of_merge(context: &Context, view: &View) -> String {
    let subject = format!("Merge {}", view.branch.name);
    message(context, view, subject, vec![one_line(&view.goal)])
}

pub fn of_squash(context: &Context, view: &View) -> String {
    let goal = one_line(&view.goal);
    let subject = shortened(&goal);
    let body = if subject == goal { Vec::new() } else { vec![goal] };
    message(context, view, subject, body)
}

/// Subject, body, the tasks, and trailers in a paragraph of their own.
fn message(context: &Context, view: &View, subject: String, mut paragraphs: Vec<String>) -> String {
    let line = |task: &tollgate_core::view::TaskView| format!("- {}", one_line(&task.title));
    let tasks: Vec<String> = view.work.tasks.iter().map(line).collect();
    if tasks.len() > 1 {
        paragraphs.push(tasks.join("\n"));
    }
    let mut trailers = vec![format!("Tollgate-Session: {}", view.session)];
    let agents = view.work.dispatches.iter().filter_map(|dispatch| dispatch.agent.as_deref());
    for assistant in agents.filter_map(|agent| context.assistant(agent)) {
        let trailer = format!("Assisted-by: {}", one_line(&assistant));
        if !trailers.contains(&trailer) {
            trailers.push(trailer);
        }
    }
    paragraphs.insert(0, subject);
    paragraphs.push(trailers.join("\n"));
    let text = paragraphs.join("\n\n");
    let clean: String = text.chars().filter(|c| !c.is_control() || *c == '\n').collect();
    context.redactor.redact(&format!("{clean}\n")).into_owned()
}
