//! Instructions of the project: agents are told to read those that are in their tree, and no others.

use crate::support::Repo;
use crate::support::plan::{Planned, plan, writes};
use serde_json::json;

const COPILOT: &str = ".github/copilot-instructions.md";

fn prompt(repo: &Repo, dispatch: u32) -> String {
    repo.session_file(&format!("dispatches/{dispatch}/prompt.md"))
}

#[test]
fn r144_instructions_that_are_not_committed_are_told_and_nobody_is_sent_to_read_them() {
    let repo = Repo::new();
    repo.write(COPILOT, "Use tabs.\n");
    repo.write("AGENTS.md", "Use tabs.\n");
    repo.git(&["add", "AGENTS.md"]);
    repo.git(&["commit", "--quiet", "--message", "instructions"]);
    repo.run().exits(3).says(COPILOT).says("not committed");
    let flags = &repo.status_file()["runtime_flags"];
    assert_eq!(flags["copilot_instructions_exists"], false, "{flags}");
    assert!(prompt(&repo, 1).contains("- AGENTS.md"));
    assert!(!prompt(&repo, 1).contains(COPILOT));
}

#[test]
fn r144_committed_instructions_are_read_until_accepted_work_removes_them() {
    let tasks = [Planned::new("T-001", "AGENTS.md")];
    let remove = json!({"when": {"role": "Coder"}, "do": {"delete": ["AGENTS.md"]}});
    let repo = Repo::with(json!([writes("SpecAgent", "tasks.yaml", &plan(&tasks)), remove]));
    repo.write(COPILOT, "Use tabs.\n");
    repo.write("AGENTS.md", "Use tabs.\n");
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "instructions"]);
    repo.lean();
    assert_eq!(repo.status_file()["runtime_flags"]["copilot_instructions_exists"], true);
    assert!(prompt(&repo, 1).contains(COPILOT) && prompt(&repo, 1).contains("- AGENTS.md"));
    let reviewer = prompt(&repo, repo.dispatch_of("Reviewer", 0));
    assert!(reviewer.contains(COPILOT) && !reviewer.contains("- AGENTS.md\n"), "{reviewer}");
}
