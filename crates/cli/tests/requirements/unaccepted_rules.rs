//! Rules about files that an agent writes into its tree: they hide nothing, and what they spoil is told to it.

use crate::route::on_branch;
use crate::support::plan::{Planned, planner};
use crate::support::{APPROVE, PER_BATCH, Repo};
use serde_json::{Value, json};

fn one_task() -> Value {
    planner(&[Planned { kind: "chore", ..Planned::new("T-001", "m1/") }])
}

fn nth(nth: u32, act: Value) -> Value {
    json!({"when": {"role": "Coder", "nth": nth}, "do": act})
}

#[test]
fn r104_what_an_agent_hides_from_git_is_committed_all_the_same() {
    let hide = json!({"write": {
        "m1/impl.txt": "work\n", "m1/x": "x\n", "m1/.gitignore": ".gitignore\nimpl.txt\n"
    }});
    let repo = Repo::with(json!([one_task(), nth(1, hide)]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!(on_branch(&repo, "m1/impl.txt").trim_end(), "work");
}

#[test]
fn r103_attributes_that_spoil_a_commit_come_back_to_their_author() {
    let spoil = json!({"write": {
        "m1/.gitattributes": "*.txt working-tree-encoding=UTF-16\n", "m1/a.txt": "plain\n"
    }});
    let repo = Repo::with(json!([
        one_task(),
        nth(1, spoil),
        nth(2, json!({"write": {"m1/a.txt": "plain\n"}})),
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!(on_branch(&repo, "m1/a.txt").trim_end(), "plain");
    assert_eq!(repo.starts_of("Coder"), 2);
}
