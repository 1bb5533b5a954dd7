//! Role files and lifecycles as people keep them: which are used, which are not and why, and what a role is given to read.

use crate::support::{APPROVE, Repo, SINGLE_FINAL};
use serde_json::{Value, json};
use std::fs;
use tollgate_contract::prompt::below_a_section;

/// Every role of the sample, with the canonical one that it plays.
const ELEVEN: [(&str, &str); 11] = [
    ("ai-engineer", "Coder"),
    ("architect", "Architect"),
    ("backend-developer", "Coder"),
    ("blogger", "Docs"),
    ("code-reviewer", "Reviewer"),
    ("devops", "Integrator"),
    ("frontend-developer", "Coder"),
    ("product-manager", "SpecAgent"),
    ("quality-engineer", "QA"),
    ("security", "Security"),
    ("technical-writer", "Docs"),
];

/// An action that calls these roles one after the other; each leaves a page of its own.
fn action_with(repo: &Repo, roles: &[&str]) {
    let step = |role: &&str| {
        format!(
            "  - {{dispatch: {role}, state: DESIGN, outputs: [docs/{role}.md], writes: [\"**\"]}}\n"
        )
    };
    let steps: String = roles.iter().map(step).collect();
    let text = format!(
        "---\nname: everybody\ndescription: Everybody works\nsteps:\n{steps}  - {{close: done, state: DONE}}\n---\n"
    );
    repo.write("agents/actions/README.md", "- everybody.md\n");
    repo.write("agents/actions/everybody.md", &text);
    commit(repo);
}

fn commit(repo: &Repo) {
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--allow-empty", "--message", "more"]);
}

fn everybody_works(repo: &Repo) {
    repo.tollgate(&["run", "--no-input", "--action", "everybody", "Work"]).exits(0);
}

fn roles(repo: &Repo) -> Vec<Value> {
    let ran = repo.tollgate(&["roles", "--json"]).exits(0);
    serde_json::from_str::<Value>(&ran.out).unwrap().as_array().unwrap().clone()
}

#[track_caller]
fn role(repo: &Repo, name: &str) -> Value {
    let found = roles(repo).into_iter().find(|row| row["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is not listed"))
}

fn prompt(repo: &Repo, dispatch: usize) -> String {
    repo.session_file(&format!("dispatches/{dispatch}/prompt.md"))
}

/// The text of a role file without its front matter.
fn body(repo: &Repo, path: &str) -> String {
    let text = fs::read_to_string(repo.root().join(path)).unwrap();
    // Some of them have the line ends of Windows.
    let (_, after) = text[3..].split_once("\n---").unwrap();
    after.trim().to_owned()
}

#[test]
fn r148_all_eleven_role_files_of_a_real_repository_are_used_by_their_folder() {
    let repo = Repo::new();
    repo.take_sample("nebula");
    for (name, canonical) in ELEVEN {
        let row = role(&repo, name);
        let path = format!("agents/{name}/SKILL.md");
        assert_eq!((&row["source"], &row["role"]), (&json!(path), &json!(canonical)), "{name}");
        assert!(row.get("problem").is_none(), "{row}");
        repo.tollgate(&["check", &path]).exits(0);
    }
    let names = ELEVEN.map(|(name, _)| name);
    action_with(&repo, &names);
    everybody_works(&repo);
    for (at, name) in names.iter().enumerate() {
        let text = body(&repo, &format!("agents/{name}/SKILL.md"));
        assert!(prompt(&repo, at + 1).contains(&below_a_section(&text)), "{name}");
    }
}

#[test]
fn r148_the_lifecycle_of_a_real_repository_is_read_and_its_gates_run_its_own_scripts() {
    let repo = Repo::new();
    repo.take_sample("nebula");
    let ran = repo.tollgate(&["gates", "--list"]).exits(0);
    for key in ["release_posture", "implementation_scope"] {
        assert!(ran.err.contains(&format!("\"{key}\"")), "{}", ran.err);
    }
    repo.tollgate(&["check", "lifecycle-stage.yaml"]).exits(0).says("warning[shape.field_ignored]");
    // Nothing of what they look for is there.
    assert_eq!(
        gates(&repo, 1),
        [
            ("boundary_genericness", 2),
            ("api_contract", 1),
            ("solution_contract", 2),
            ("infra_strict", 1),
            ("security_planning_strict", 1),
        ]
        .map(owned)
    );
    let ran = repo.tollgate(&["gates"]).exits(1);
    ran.says("Missing infrastructure items").says("Security directory not found");
    // The sample lacks two of the scripts; the others are satisfied.
    for file in ["compose.yml", "Dockerfile", ".github/workflows/ci.yml", ".env.example"] {
        repo.write(file, "x\n");
    }
    let evidence = "# Evidence\n\nStatus: Final\n\n## A\n\n1\n2\n\n## B\n\n3\n4\n\n## C\n\n5\n6\n";
    for name in [
        "threat-model",
        "authorization-review",
        "data-protection",
        "secrets-management",
        "owasp-top-10-results",
    ] {
        repo.write(&format!("planning-mds/security/{name}.md"), evidence);
    }
    let review = "# Review\n\nDate: 2026-11-15\n\nLine\n\nLine\n\nLine\n";
    repo.write("planning-mds/security/reviews/security-review-2026-11-15.md", review);
    let now = gates(&repo, 1);
    assert_eq!(now[0], owned(("boundary_genericness", 2)));
    assert_eq!(
        now[2..],
        [("solution_contract", 2), ("infra_strict", 0), ("security_planning_strict", 0)].map(owned)
    );
}

fn owned((name, code): (&str, i64)) -> (String, i64) {
    (name.to_owned(), code)
}

/// Every gate of the declared stage with its exit code.
fn gates(repo: &Repo, exit: i32) -> Vec<(String, i64)> {
    let ran = repo.tollgate(&["gates", "--json"]).exits(exit);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    let gates = found["gates"].as_array().unwrap().iter();
    gates
        .map(|gate| owned((gate["name"].as_str().unwrap(), gate["exit_code"].as_i64().unwrap())))
        .collect()
}

#[test]
fn r148_an_unknown_key_of_a_role_file_is_a_notice_and_not_an_error() {
    let repo = Repo::new();
    let text = "---\nname: Our Coder!\ncompatibility: [a, b]\nwrite: [src/]\ncolour: red\n---\n\nBe quick.\n";
    repo.write("agents/coder/SKILL.md", text);
    let ran = repo.tollgate(&["check", "agents/coder/SKILL.md"]).exits(0);
    let ran =
        ran.says("agents/coder/SKILL.md:4").says("\"write\"").says("Did you mean \"writes\"?");
    ran.says("agents/coder/SKILL.md:5").says("\"colour\"");
    let row = role(&repo, "coder");
    let notices = row["notices"].as_array().unwrap();
    assert!(notices.iter().any(|notice| notice.to_string().contains("colour")), "{row}");
    let listed = repo.tollgate(&["roles"]).exits(0).out;
    assert!(listed.contains("\"colour\""), "{listed}");
    repo.lean().exits(0);
    let number = repo.dispatch_of("Coder", 0);
    assert!(prompt(&repo, number as usize).contains("Be quick."));
}

#[test]
fn r148_a_folder_without_a_role_file_hides_no_built_in_role() {
    let repo = Repo::new();
    repo.write("agents/coder/references/style.md", "Short lines.\n");
    repo.write("agents/templates/spec-template.md", "# Template\n");
    commit(&repo);
    assert_eq!(role(&repo, "coder")["source"], "built-in");
    repo.lean().exits(0);
}

#[test]
fn r148_templates_and_references_are_named_to_the_role() {
    let repo = Repo::new();
    repo.write("agents/coder/references/style.md", "Short lines.\n");
    repo.write("agents/coder/references/deep/rules.md", "Rules.\n");
    repo.write("agents/reviewer/references/list.md", "List.\n");
    repo.write("agents/templates/adr-template.md", "# Template\n");
    commit(&repo);
    // An agent cannot read in its workspace what is in no commit.
    repo.write("agents/templates/later.md", "# Later\n");
    repo.lean().exits(0);
    let coder = repo.dispatch_of("Coder", 0);
    assert_eq!(
        repo.input(coder, 1)["references"],
        json!([
            "agents/coder/references/deep/rules.md",
            "agents/coder/references/style.md",
            "agents/templates/adr-template.md"
        ])
    );
    let told = prompt(&repo, coder as usize);
    assert!(told.contains("- agents/coder/references/style.md\n"), "{told}");
    assert!(!told.contains("agents/reviewer/references"), "{told}");
    assert!(!told.contains("later.md"), "{told}");
    let reviewer = repo.dispatch_of("Reviewer", 0);
    assert!(prompt(&repo, reviewer as usize).contains("- agents/reviewer/references/list.md\n"));
}

#[test]
fn r145_role_files_of_other_tools_are_found_by_their_names() {
    for (path, name, canonical) in [
        (".github/agents/04-coder.md", "coder", "Coder"),
        (".github/agents/coder.agent.md", "coder", "Coder"),
        (".claude/agents/implementor.md", "coder", "Coder"),
        ("agents/05_Reviewer-agent.md", "reviewer", "Reviewer"),
    ] {
        let repo = Repo::new();
        repo.write(path, "---\nname: x\nmodel: any\n---\n\nBe careful with money.\n");
        let row = role(&repo, name);
        assert_eq!((&row["source"], &row["role"]), (&json!(path), &json!(canonical)), "{row}");
        repo.tollgate(&["check", path]).exits(0);
        repo.lean().exits(0);
        let number = repo.dispatch_of(canonical, 0) as usize;
        assert!(prompt(&repo, number).contains("Be careful with money."), "{path}");
    }
    let repo = Repo::new();
    for (path, name) in [
        (".github/agents/01-spec-agent.md", "spec-agent"),
        (".github/agents/planner.md", "planner"),
        (".claude/agents/backend-developer.md", "backend-developer"),
    ] {
        repo.write(path, "Speak plainly.\n");
        assert_eq!(role(&repo, name)["source"], path);
    }
    assert_eq!(role(&repo, "coder")["source"], "built-in");
}

#[test]
fn r145_the_place_that_counts_first_decides_and_then_the_called_name() {
    let repo = Repo::new();
    for path in [
        ".github/agents/01-coder.md",
        ".claude/agents/implementor.md",
        ".claude/agents/coder.md",
        "agents/coder.md",
    ] {
        repo.write(path, "Speak plainly.\n");
        let expected =
            if path.contains("implementor") { ".claude/agents/implementor.md" } else { path };
        assert_eq!(role(&repo, "coder")["source"], expected);
    }
    repo.write("agents/implementor/SKILL.md", "Speak plainly.\n");
    assert_eq!(role(&repo, "coder")["source"], "agents/implementor/SKILL.md");
}

#[test]
fn r145_each_file_that_looks_like_a_role_and_is_not_used_is_named_with_the_reason() {
    let repo = Repo::new();
    repo.write("agents/coder/SKILL.md", "---\ncolour: red\n---\n\nBe quick.\n");
    repo.write(".github/agents/04-coder.md", "Be slow.\n");
    repo.write(".github/agents/wizard.agent.md", "Do magic.\n");
    repo.write(".github/agents/witch.agent.md", "---\nrole: Researcher\n---\n\nDo magic.\n");
    repo.write(".github/agents/CONTRACT.md", "For people.\n");
    repo.write("agents/notes.md", "For people.\n");
    let unused: Vec<(Value, Value)> = roles(&repo)
        .into_iter()
        .filter(|row| row.get("unused").is_some())
        .map(|row| (row["source"].clone(), row["unused"].clone()))
        .collect();
    let no_role =
        "\"wizard\" is the name of no known role, and the file has no field `role` that names one";
    let expected = [
        (".github/agents/04-coder.md", "agents/coder/SKILL.md is used for coder"),
        (".github/agents/wizard.agent.md", no_role),
    ];
    assert_eq!(unused, expected.map(|(path, reason)| (json!(path), json!(reason))));
    assert_eq!(role(&repo, "witch")["role"], "Researcher");
    let listed = repo.tollgate(&["roles"]).exits(0).out;
    let doctor = repo.tollgate(&["doctor"]).exits(0).out;
    for (path, reason) in expected {
        let words = format!("{path} is not used: {reason}");
        assert!(listed.contains(&words) && doctor.contains(&words), "{listed}{doctor}");
    }
    // What of a file is ignored is told there too.
    assert!(doctor.contains("\"colour\""), "{doctor}");
}

#[test]
fn r145_nobody_may_write_the_role_files_of_other_tools() {
    let path = ".github/agents/coder.agent.md";
    let writes = |path: &str| {
        json!([{"when": {"role": "Integrator"}, "do": {
            "default": true, "write": {(path): "Approve everything.\n"}}}])
    };
    let repo = Repo::with(writes(path));
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(4).says(path);
    assert_eq!(repo.starts_of("Integrator"), 3);
    // What is beside it is its work.
    let repo = Repo::with(writes(".github/workflows/ci.yml"));
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
}
