//! Tasks at the same time: they end in the tree that one after the other makes.

use crate::support::plan::{Planned, planner};
use crate::support::{APPROVE, PER_BATCH, Repo, SINGLE_FINAL};
use serde_json::{Value, json};

const FILES: [(&str, &str, &str); 12] = [
    ("T-001", "out/T-001.txt", "[]"),
    ("T-002", "out/T-002.txt", "[]"),
    ("T-003", "out/T-003.txt", "[T-001]"),
    ("T-004", "out/T-004.txt", "[]"),
    ("T-005", "out/T-005.txt", "[T-002, T-003]"),
    ("T-006", "out/T-006.txt", "[]"),
    ("T-007", "out/T-007.txt", "[]"),
    ("T-008", "out/T-008.txt", "[T-007]"),
    ("T-009", "out/T-009.txt", "[]"),
    ("T-010", "out/T-010.txt", "[T-009]"),
    ("T-011", "out/T-011.txt", "[]"),
    ("T-012", "out/T-012.txt", "[T-011, T-001]"),
];

fn twelve() -> Vec<Planned> {
    let task = |(id, file, depends_on)| Planned {
        depends_on,
        kind: "chore",
        checks: r#"["cmd: test -d out"]"#,
        ..Planned::new(id, file)
    };
    FILES.into_iter().map(task).collect()
}

/// Writes what depends on nothing but the task.
fn coder(sleep_ms: u64) -> Value {
    json!({"when": {"role": "Coder"},
           "do": {"sleep_ms": sleep_ms, "write": {"out/{task}.txt": "made by {task}\n"}}})
}

fn tree_of(parallel: u32, strategy: (&str, &str)) -> (Repo, String) {
    let repo = Repo::with(json!([planner(&twelve()), coder(150)]));
    repo.settings(&format!("[limits]\nparallel_tasks = {parallel}\n"));
    repo.through(&[APPROVE, strategy]).exits(0);
    let branch = format!("tollgate/{}", repo.session_name());
    let tree = repo.git(&["ls-tree", "-r", &branch, "--", "app.txt", "out"]);
    (repo, tree)
}

/// How many agents were at work at most.
fn most_at_once(repo: &Repo) -> i32 {
    let (mut now, mut most) = (0, 0);
    for event in repo.journal() {
        match event["type"].as_str() {
            Some("attempt_started") => now += 1,
            Some("attempt_ended") => now -= 1,
            _ => {}
        }
        most = most.max(now);
    }
    most
}

#[test]
fn twelve_tasks_four_at_a_time_end_in_the_tree_of_one_at_a_time() {
    for strategy in [PER_BATCH, SINGLE_FINAL] {
        let (one, alone) = tree_of(1, strategy);
        let (four, together) = tree_of(4, strategy);
        assert_eq!(alone, together);
        assert_eq!(together.lines().filter(|line| line.contains("out/T-")).count(), 12);
        assert_eq!((most_at_once(&one), most_at_once(&four)), (1, 4));
        assert_eq!(one.starts_of("Coder"), four.starts_of("Coder"), "nobody works twice");
    }
}

/// Both tasks declare a change to one shared line; only one of them can be right.
#[test]
fn a_conflict_sends_the_later_task_back_with_the_conflict_as_its_error() {
    let said = json!({"role": "implementor", "outcome": "completed", "summary": "shared.txt follows",
        "incidental": [{"path": "shared.txt", "reason": "the list", "behaviour_preserving": true,
                        "motivated_by": "out/{task}.txt", "narrow": true}]});
    let act = |text: &str| json!({"sleep_ms": 100, "write": {"out/{task}.txt": "x\n", "shared.txt": text}, "stdout": said.to_string()});
    let tasks = [Planned::new("T-001", "out/T-001.txt"), Planned::new("T-002", "out/T-002.txt")];
    let repo = Repo::with(json!([
        planner(&tasks),
        {"when": {"role": "Coder", "prompt_has": "another task that ran at the same time"}, "do": act("T-001 and T-002\n")},
        {"when": {"role": "Coder"}, "do": act("{task}\n")},
    ]));
    repo.write("shared.txt", "nobody\n");
    crate::route::commit(&repo);
    repo.settings("[limits]\nparallel_tasks = 2\n");
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    assert_eq!(crate::route::on_branch(&repo, "shared.txt"), "T-001 and T-002\n");
    assert_eq!(repo.starts_of("Coder"), 3);
    let told = crate::route::prompt(&repo, repo.dispatch_of("Coder", 2));
    assert!(told.contains("changed the same lines in shared.txt"), "{told}");
}

#[test]
fn tasks_whose_scopes_overlap_never_work_at_the_same_time() {
    let tasks = [
        Planned::new("T-001", "out/"),
        Planned::new("T-002", "out/*.txt"),
        Planned::new("T-003", "lib/x.ts"),
        Planned::new("T-004", "lib/x.test.ts"),
    ];
    let repo = Repo::with(json!([
        planner(&tasks),
        {"when": {"role": "Coder", "task": "T-001"}, "do": {"sleep_ms": 80, "write": {"out/a.txt": "1\n"}}},
        {"when": {"role": "Coder", "task": "T-002"}, "do": {"sleep_ms": 80, "append": {"out/a.txt": "2\n"}}},
        {"when": {"role": "Coder", "task": "T-003"}, "do": {"sleep_ms": 80, "write": {"lib/x.test.ts": "1\n"}}},
        {"when": {"role": "Coder", "task": "T-004"}, "do": {"sleep_ms": 80, "append": {"lib/x.test.ts": "2\n"}}},
    ]));
    repo.settings("[limits]\nparallel_tasks = 4\n");
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    assert_eq!(crate::route::on_branch(&repo, "out/a.txt"), "1\n2\n");
    assert_eq!(crate::route::on_branch(&repo, "lib/x.test.ts"), "1\n2\n");
    assert_eq!((most_at_once(&repo), repo.starts_of("Coder")), (2, 4));
}

/// Of all rescues of changes that were left out: which files they hold beside those of the tasks, and what is in them.
fn left_out(repo: &Repo) -> Vec<String> {
    let names = repo.git(&["for-each-ref", "--format=%(refname)", "refs/tollgate/rescue"]);
    let mut held = Vec::new();
    for name in names.lines().filter(|name| name.ends_with("-left-out")) {
        let listed = repo.git(&["ls-tree", "-r", name, "--", "beside"]);
        held.extend(listed.lines().map(|line| line.split(' ').skip(2).collect::<String>()));
    }
    held.sort();
    held
}

/// Without the name of the rescue, which says which dispatch it was.
fn warnings(repo: &Repo) -> Vec<String> {
    let found = crate::route::findings(repo).into_iter();
    let found = found.map(|text| text.split(" is kept in ").next().unwrap_or_default().to_owned());
    let mut found: Vec<String> = found.collect();
    found.sort();
    found
}

#[test]
fn r177_tasks_that_all_leave_changes_out_of_scope_end_as_one_after_the_other() {
    let ran = |parallel: u32| {
        let coder = json!({"when": {"role": "Coder"}, "do": {"sleep_ms": 100, "write": {
            "out/{task}.txt": "made by {task}\n", "beside/{task}.txt": "beside {task}\n"}}});
        let repo = Repo::with(json!([planner(&twelve()[..8]), coder]));
        repo.settings(&format!("[limits]\nparallel_tasks = {parallel}\n"));
        repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
        let branch = format!("tollgate/{}", repo.session_name());
        let tree = repo.git(&["rev-parse", &format!("{branch}:out")]);
        assert_eq!(repo.git(&["ls-tree", "-r", &branch, "--", "beside"]), "");
        (tree, warnings(&repo), left_out(&repo), most_at_once(&repo))
    };
    let (tree, warned, held, one) = ran(1);
    assert_eq!((warned.len(), held.len(), one), (8, 8, 1), "{warned:?} {held:?}");
    assert_eq!(ran(4), (tree, warned, held, 4));
}
