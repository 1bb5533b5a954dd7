//! What people and agents get wrong: each gets a clear error with a way out, and nothing is lost.

use crate::support::plan::{Planned, plan, writes};
use crate::support::{APPROVE, GOAL, Repo};
use expect_test::expect;
use serde_json::json;

/// The Planner leaves this first and does better after it was told; returns what it was told.
fn told_about_plan(text: &str) -> String {
    let mut rule = writes("Planner", "tasks.yaml", text);
    rule["when"]["attempt"] = json!(1);
    let repo = Repo::with(json!([rule]));
    repo.through(&[APPROVE]).exits(3).says("invalid").says("UD-REVIEW-STRATEGY");
    let errors = repo.input(3, 2)["previous_errors"].as_array().unwrap().clone();
    let word = |error: &serde_json::Value, key: &str| error[key].as_str().unwrap_or("?").to_owned();
    let lines = errors
        .iter()
        .map(|e| format!("{} {}: {}\n", word(e, "code"), word(e, "path"), word(e, "message")))
        .collect::<String>();
    repo.neutral(&lines)
}

#[test]
fn a_plan_that_does_not_parse() {
    expect![[r#"
        yaml.syntax .agents-work/SESSION/tasks.yaml:2: this is not valid YAML: "-" is only valid inside a block. Put quotes around text that contains `: `, `#`, or quotes, and indent with spaces
    "#]].assert_eq(&told_about_plan("tasks: [\n  - id: T-001\n bad"));
    expect![[r#"
        tasks.none .agents-work/SESSION/tasks.yaml: the plan has no tasks. Add at least one task under `tasks:`
    "#]].assert_eq(&told_about_plan(""));
}

#[test]
fn a_plan_with_a_cycle() {
    let tasks = [
        Planned { depends_on: "[T-002]", ..Planned::new("T-001", "a.txt") },
        Planned { depends_on: "[T-001]", ..Planned::new("T-002", "b.txt") },
    ];
    expect![[r#"
        tasks.dependency_cycle .agents-work/SESSION/tasks.yaml:9: these tasks wait for each other: T-001 → T-002 → T-001. Remove one of these dependencies
    "#]].assert_eq(&told_about_plan(&plan(&tasks)));
}

#[test]
fn a_plan_with_unknown_dependencies_and_the_same_id_twice() {
    let tasks = [
        Planned { depends_on: "[T-009]", ..Planned::new("T-001", "a.txt") },
        Planned::new("T-002", "b.txt"),
        Planned::new("T-002", "c.txt"),
    ];
    expect![[r#"
        tasks.dependency_unknown .agents-work/SESSION/tasks.yaml:9: task T-001 depends on "T-009", which is not a task of the plan. Did you mean "T-001"?
        tasks.id_twice .agents-work/SESSION/tasks.yaml:29: the task id "T-002" is used twice. Give each task its own id
    "#]].assert_eq(&told_about_plan(&plan(&tasks)));
}

#[test]
fn a_plan_whose_tasks_have_no_scope() {
    let text = plan(&[Planned::new("T-001", "a.txt")])
        .replace("files_expected: [a.txt]", "files_expected: []");
    expect![[r#"
        tasks.no_scope .agents-work/SESSION/tasks.yaml:13: task T-001 does not say which files it may change. List paths, globs or folders ending in / under files_expected
    "#]].assert_eq(&told_about_plan(&text));
}

#[test]
fn a_plan_that_is_not_utf8_is_refused() {
    let repo = Repo::with(json!([
        {"when": {"role": "Planner", "attempt": 1}, "do": {"default": true,
            "run": ["sh", "-c", "printf '\\377\\376' > .agents-work/{session}/tasks.yaml"]}}
    ]));
    repo.through(&[APPROVE]).exits(3).says("not UTF-8");
}

#[test]
fn an_unknown_key_in_the_settings_names_the_nearest() {
    let repo = Repo::new();
    repo.settings("[limit]\nusd = 1.0\n\n[timeout]\nCodr = \"1m\"\ncheck = \"soon\"");
    let ran = repo.run().exits(2);
    expect![[r#"
        error[shape.field_unknown] tollgate.toml:11: there is no field "limit" here
          help: Did you mean "limits"?
        error[shape.field_unknown] tollgate.toml:15: there is no field "Codr" here
          help: Did you mean "Coder"?
        error[config.duration_invalid] tollgate.toml:16: `check` is "soon", which is not a duration
          help: Write a number above zero and ms, s, m or h, such as "30m"
        error: the settings have 3 errors
         help: fix the lines above and run the command again
               for details, run `tollgate explain cli.settings`
    "#]]
    .assert_eq(&ran.err.replace(&repo.root().display().to_string(), "ROOT"));
    assert!(!repo.root().join(".agents-work").exists(), "nothing was started");
}

#[test]
fn settings_that_do_not_parse() {
    let repo = Repo::new();
    repo.write("tollgate.toml", "[roles\n");
    repo.run().exits(2).says("tollgate.toml").says("error");
    // Reading works all the same.
    let repo = Repo::new();
    repo.run().exits(3);
    repo.write("tollgate.toml", "[roles\n");
    repo.tollgate(&["status"]).exits(0);
}

#[test]
fn an_agent_that_is_not_there() {
    let repo = Repo::new();
    repo.write("tollgate.toml", "[roles]\ndefault = \"ghost\"\n");
    let ran = repo.run().exits(2);
    assert!(ran.err.contains("ghost"), "{}", ran.err);
    repo.write("tollgate.toml", "[roles]\ndefault = \"x\"\n[agent.x]\nadapter = \"command\"\ncommand = [\"no-such-program\"]\n[retry]\ntransient_base = \"10ms\"\n");
    repo.run().exits(4).says("no-such-program could not be started");
    std::fs::remove_file(repo.root().join("tollgate.toml")).unwrap();
    repo.run().exits(2).says("tollgate init");
    repo.tollgate(&["run", "--agent", "nobody", "--no-input", GOAL]).exits(2);
}

#[test]
fn goals_of_every_length() {
    let repo = Repo::new();
    repo.tollgate(&["run", "--no-input", &"word ".repeat(2_000)]).exits(3);
    assert_eq!(repo.status()["goal"].as_str().unwrap().len(), 9_999);
    assert!(repo.session_name().len() < 100, "{}", repo.session_name());
    repo.tollgate(&["run", "--no-input", &"x".repeat(100_000)])
        .exits(2)
        .says("the limit is 65536")
        .says("file");
    repo.tollgate(&["run", "--no-input", "  "]).exits(2).says("empty");
    repo.tollgate(&["run", "--no-input", "äöü 世界"]).exits(3);
}

#[test]
fn a_folder_without_git() {
    let repo = Repo::bare();
    let ran = repo.run().exits(2);
    expect![[r#"
        error: ROOT is not in a git repository; go to one, or create one with `git init`
               for details, run `tollgate explain cli.repository`
    "#]]
    .assert_eq(
        &ran.err.replace(&repo.root().canonicalize().unwrap().display().to_string(), "ROOT"),
    );
    repo.tollgate(&["status"]).exits(2).says("git init");
}

#[test]
fn a_repository_without_commits() {
    let repo = Repo::bare();
    repo.git(&["init", "--quiet", "--initial-branch=main"]);
    let ran = repo.run().exits(2);
    expect![[r#"
        start Tollgate looks at the repository
        error: the repository ROOT has no commits yet; make a first one, because work starts from it
               for details, run `tollgate explain cli.repository`
    "#]]
    .assert_eq(
        &ran.err.replace(&repo.root().canonicalize().unwrap().display().to_string(), "ROOT"),
    );
    assert!(!repo.root().join(".agents-work").exists(), "nothing was started");
}

#[test]
fn a_folder_below_the_root_will_do() {
    let repo = Repo::new();
    repo.write("deep/er/x.txt", "x");
    let ran = crate::support::ran(
        repo.command(&["run", "--no-input", GOAL]).current_dir(repo.root().join("deep/er")),
    );
    ran.exits(3);
    assert!(repo.session().starts_with(repo.root().join(".agents-work")));
}

#[test]
fn a_session_that_is_not_there() {
    let repo = Repo::new();
    repo.tollgate(&["status"]).exits(2).says("tollgate run");
    repo.tollgate(&["resume"]).exits(2).says("tollgate run");
    repo.run().exits(3);
    repo.tollgate(&["status", "2020"]).exits(2).says("2020");
    repo.tollgate(&["status", "../../etc"]).exits(2);
    repo.tollgate(&["status", "latest"]).exits(0);
    repo.tollgate(&["status", &repo.session_name()[..12]]).exits(0);
}

#[test]
fn wrong_usage_is_exit_2() {
    let repo = Repo::new();
    for args in [
        &["run"][..],
        &["nonsense"],
        &["run", "--no-such-flag", "x"],
        &["run", "--project-type", "game", "x"],
        &["cancel"],
        &["answer", "latest"],
    ] {
        repo.tollgate(args).exits(2);
    }
    repo.tollgate(&["--version"]).exits(0);
    assert!(repo.tollgate(&["--help"]).exits(0).out.contains("demo"));
}
