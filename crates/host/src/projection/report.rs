//! The report of a lean session, which no agent writes.

use tollgate_core::task::Check;
use tollgate_core::view::Parts;

pub fn lean_report(parts: Parts<'_>) -> String {
    let view = parts.view();
    let mut done = vec![view.goal];
    done.extend(view.work.tasks.iter().map(|task| format!("{}: {}", task.id, task.title)));
    let changes = view.results.changed_files.iter();
    done.extend(changes.map(|change| format!("{} {}", change.change_type, change.path)));
    let tests: Vec<String> = parts
        .proofs()
        .map(|check| match check {
            Check::Command(command) => format!("`{command}`"),
            Check::Manual(text) => format!("by hand: {text}"),
            Check::Test(path) => format!("the test `{path}`"),
        })
        .collect();
    let by_hand = view.record.manual_steps.iter();
    let by_hand: Vec<String> =
        by_hand.map(|step| format!("{} ({}): {}", step.role, step.task, step.text)).collect();
    let branch = view.branch.name;
    let session = &view.session;
    let run =
        format!("The work is on branch `{branch}`; merge it with `tollgate merge {session}`.");
    format!(
        "# Report\n\n## What was done\n\n{}\n\n## How to run\n\n{run}\n\n## How to test\n\n{}\n\n## Known issues\n\n{}\n\n## Steps by hand\n\n{}\n",
        list(&done),
        list(&tests),
        list(&view.record.known_issues),
        list(&by_hand),
    )
}

fn list(lines: &[String]) -> String {
    if lines.is_empty() {
        return "None.".to_owned();
    }
    lines.iter().map(|line| format!("- {}", line.replace('\n', " "))).collect::<Vec<_>>().join("\n")
}
