//! The report of a lean session, which no agent writes.

use tollgate_core::session::Session;
use tollgate_core::task::Check;

pub fn lean_report(session: &Session) -> String {
    let mut done = vec![session.opening.goal.clone()];
    done.extend(
        session.plan.tasks.iter().map(|task| format!("{}: {}", task.spec.id, task.spec.title)),
    );
    done.extend(
        session
            .branch
            .changed
            .iter()
            .map(|change| format!("{} {}", change.change_type, change.path)),
    );
    let tests: Vec<String> = session
        .plan
        .criteria
        .iter()
        .flat_map(|criterion| &criterion.verify)
        .map(|check| match check {
            Check::Command(command) => format!("`{command}`"),
            Check::Manual(text) => format!("by hand: {text}"),
        })
        .collect();
    let run = format!(
        "The work is on branch `{}`; merge it with `git merge {}`.",
        session.branch(),
        session.branch()
    );
    format!(
        "# Report\n\n## What was done\n\n{}\n\n## How to run\n\n{run}\n\n## How to test\n\n{}\n\n## Known issues\n\n{}\n",
        list(&done),
        list(&tests),
        list(&session.record.known_issues),
    )
}

fn list(lines: &[String]) -> String {
    if lines.is_empty() {
        return "None.".to_owned();
    }
    lines.iter().map(|line| format!("- {}", line.replace('\n', " "))).collect::<Vec<_>>().join("\n")
}
