//! Actions that are written for people, as a real repository has them: they are listed, understood, run and written down as
//! front matter, and what is not understood is named.

use crate::support::{Ran, Repo, files_below};
use serde_json::{Value, json};
use std::fs;
use tollgate_contract::prompt::below_a_section;

/// An action of the sample as a person meets it.
struct Row {
    action: &'static str,
    inputs: &'static [&'static str],
    /// Who is sent and where it stops, in order; roles side by side have `+` between them.
    flow: &'static [&'static str],
    /// The gates where a person is asked.
    gates: &'static [&'static str],
    /// A folder ends in `/` and holds a file at least.
    outputs: &'static [&'static str],
}

const DEVELOPERS: &str = "backend-developer+frontend-developer+quality-engineer+devops+ai-engineer";

/// In the order in which a project meets them.
const ROWS: [Row; 9] = [
    Row {
        action: "init",
        inputs: &["project=Ledger", "domain=bookkeeping", "users=clerks", "entities=Account"],
        flow: &["product-manager"],
        gates: &[],
        outputs: &[
            "planning-mds/BLUEPRINT.md",
            "planning-mds/README.md",
            "planning-mds/domain/glossary.md",
            "planning-mds/architecture/SOLUTION-PATTERNS.md",
        ],
    },
    Row {
        action: "plan",
        inputs: &[],
        flow: &[
            "product-manager",
            "REQUIREMENTS_CLARIFICATION",
            "APPROVE_PHASE_A_REVIEW",
            "Architect",
            "APPROVE_PHASE_B_REVIEW",
        ],
        gates: &["REQUIREMENTS_CLARIFICATION", "APPROVE_PHASE_A_REVIEW", "APPROVE_PHASE_B_REVIEW"],
        outputs: &[
            "planning-mds/BLUEPRINT.md",
            "planning-mds/features/",
            "planning-mds/features/REGISTRY.md",
            "planning-mds/architecture/decisions/",
            "planning-mds/api/",
        ],
    },
    Row {
        action: "build",
        inputs: &[],
        flow: &[
            "Architect",
            "code-reviewer",
            DEVELOPERS,
            "evidence, lifecycle gates, coverage",
            "code-reviewer",
            "CODE_REVIEW_SEVERITY",
            "APPROVE_CODE_REVIEW",
            "Security",
            "SECURITY_REVIEW_SEVERITY",
            "APPROVE_SECURITY_REVIEW",
        ],
        gates: &["APPROVE_CODE_REVIEW", "APPROVE_SECURITY_REVIEW"],
        outputs: &[
            "planning-mds/architecture/application-assembly-plan.md",
            "planning-mds/architecture/deployment-architecture.md",
            "docker-compose.yml",
            ".env.example",
            "scripts/",
            "planning-mds/build/backend.md",
            "planning-mds/build/frontend.md",
            "planning-mds/build/tests.md",
            "planning-mds/build/ai.md",
            "planning-mds/reviews/code-review.md",
            "planning-mds/reviews/security-review.md",
        ],
    },
    Row {
        action: "feature",
        inputs: &["feature=F0001"],
        flow: &[
            "Architect",
            "code-reviewer",
            "backend-developer+frontend-developer+ai-engineer+quality-engineer+devops",
            "evidence, lifecycle gates, coverage",
            "code-reviewer+Security",
            "FEATURE_REVIEW_SEVERITY",
            "APPROVE_FEATURE_REVIEW",
        ],
        gates: &["APPROVE_FEATURE_REVIEW"],
        outputs: &[
            "planning-mds/architecture/feature-assembly-plan.md",
            "planning-mds/build/feature-backend.md",
            "planning-mds/build/feature-frontend.md",
            "planning-mds/build/feature-tests.md",
            "planning-mds/reviews/feature-review.md",
            "planning-mds/reviews/feature-security.md",
        ],
    },
    Row {
        action: "review",
        inputs: &[],
        flow: &["code-reviewer+Security", "REVIEW_RESULTS_SEVERITY", "APPROVE_REVIEW_RESULTS"],
        gates: &["APPROVE_REVIEW_RESULTS"],
        outputs: &["planning-mds/reviews/code-review.md", "planning-mds/security/reviews/"],
    },
    Row {
        action: "test",
        inputs: &[],
        flow: &["quality-engineer", "evidence, coverage", "TEST_SEVERITY"],
        gates: &[],
        outputs: &["planning-mds/testing/test-plan.md", "planning-mds/testing/defects.md"],
    },
    Row {
        action: "validate",
        inputs: &[],
        flow: &["Architect+product-manager", "planning files, lifecycle gates"],
        gates: &[],
        outputs: &[
            "planning-mds/validation/requirements.md",
            "planning-mds/validation/architecture.md",
        ],
    },
    Row {
        action: "document",
        inputs: &[],
        flow: &["technical-writer"],
        gates: &[],
        outputs: &["README.md", "docs/usage.md", "docs/api.md", "docs/runbook.md"],
    },
    Row {
        action: "blog",
        inputs: &["evidence=app.txt"],
        flow: &["blogger"],
        gates: &[],
        outputs: &["docs/blog/"],
    },
];

const ELEVEN: [&str; 11] = [
    "ai-engineer",
    "architect",
    "backend-developer",
    "blogger",
    "code-reviewer",
    "devops",
    "frontend-developer",
    "product-manager",
    "quality-engineer",
    "security",
    "technical-writer",
];

impl Row {
    fn path(&self) -> String {
        format!("agents/actions/{}.md", self.action)
    }

    fn start(&self, repo: &Repo) -> Ran {
        let mut args = vec!["run", "--no-input", "--slug", self.action, "--action", self.action];
        args.extend(self.inputs.iter().flat_map(|input| ["--input", input]));
        repo.tollgate(&[&args[..], &["Take the next step"]].concat())
    }

    /// Starts it and approves at every gate; its branch is taken over. A gate asks again when what it showed has changed.
    #[track_caller]
    fn runs_through(&self, repo: &Repo) {
        let mut last = self.start(repo);
        let mut asked: Vec<&str> = Vec::new();
        while last.code == 3 && asked.len() < 10 {
            let status = repo.status();
            let [question] = status["pending_decisions"].as_array().unwrap().as_slice() else {
                panic!("{}: not one question in {status:#}", self.action);
            };
            let words = question["question"].as_str().unwrap();
            let gate = self.gates.iter().find(|gate| words.contains(**gate));
            asked.push(gate.unwrap_or_else(|| panic!("{}: {question:#}", self.action)));
            last = repo.answer(question["decision_id"].as_str().unwrap(), "approved");
        }
        last.exits(0);
        let mut once: Vec<&str> = Vec::new();
        for gate in &asked {
            if !once.contains(gate) {
                once.push(gate);
            }
        }
        assert_eq!(once, self.gates, "{}", self.action);
        let status = repo.status();
        assert_eq!((&status["action"], &status["state"]), (&json!(self.action), &json!("DONE")));
        let branch = status["branch"].as_str().unwrap();
        let listed = repo.git(&["ls-tree", "-r", "--name-only", branch]);
        for output in self.outputs {
            let is_it = |path: &str| match output.ends_with('/') {
                true => path.starts_with(output),
                false => path == *output,
            };
            assert!(listed.lines().any(is_it), "{}: {output} is not in\n{listed}", self.action);
        }
        repo.git(&["merge", "--quiet", branch]);
    }
}

/// The sample with settings of its own, and stand-ins for the scripts of its gates that it lacks.
fn sample() -> Repo {
    let repo = Repo::new();
    repo.take_sample("nebula");
    for script in ["validate-genericness", "run-skill-regression"] {
        repo.write(&format!("scripts/{script}.py"), "print('nothing to object')\n");
    }
    // The gates of this stage need Python and nothing beside it.
    let path = repo.root().join("lifecycle-stage.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let stage = "current_stage: framework-bootstrap";
    fs::write(path, text.replace("current_stage: implementation", stage)).unwrap();
    commit(&repo);
    repo
}

fn commit(repo: &Repo) {
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--allow-empty", "--message", "more"]);
}

fn shown(repo: &Repo, action: &str) -> Value {
    let ran = repo.tollgate(&["actions", action, "--json"]).exits(0);
    serde_json::from_str(&ran.out).unwrap()
}

fn listed(repo: &Repo, action: &str) -> Value {
    let ran = repo.tollgate(&["actions", "--json"]).exits(0);
    let all: Value = serde_json::from_str(&ran.out).unwrap();
    let mut rows = all.as_array().unwrap().iter();
    rows.find(|row| row["name"] == action).cloned().unwrap_or(Value::Null)
}

fn subject(of: &Value) -> &str {
    match of.as_str().unwrap() {
        "lifecycle" => "lifecycle gates",
        "planning" => "planning files",
        other => other,
    }
}

/// The steps of an action in few words, without the last.
fn flow(action: &Value) -> Vec<String> {
    let name = |part: &Value| part["called"].as_str().or(part["role"].as_str()).unwrap().to_owned();
    let steps = action["steps"].as_array().unwrap();
    let word = |step: &Value| {
        let kind = &step["kind"];
        if let Some(members) = kind["parallel"]["members"].as_array() {
            return members.iter().map(name).collect::<Vec<_>>().join("+");
        }
        if let Some(part) = kind.get("dispatch") {
            return name(part);
        }
        if let Some(of) = kind["checks"]["of"].as_array() {
            return of.iter().map(subject).collect::<Vec<_>>().join(", ");
        }
        let gate = kind["approve"]["gate"].as_str().or(kind["severity"]["gate"].as_str());
        gate.unwrap_or_else(|| panic!("{step}")).to_owned()
    };
    assert_eq!(steps.last().unwrap()["kind"], "close");
    steps[..steps.len() - 1].iter().map(word).collect()
}

#[test]
fn r147_all_nine_actions_of_a_real_repository_are_listed_and_understood() {
    let repo = sample();
    for row in &ROWS {
        let listed = listed(&repo, row.action);
        assert_eq!((&listed["source"], &listed["form"]), (&json!(row.path()), &json!("prose")));
        assert!(listed.get("problem").is_none(), "{listed}");
        let found = shown(&repo, row.action);
        assert_eq!(flow(&found), row.flow, "{}", row.action);
        repo.tollgate(&["check", &row.path()]).exits(0);
    }
    let all = repo.tollgate(&["actions"]).exits(0).out;
    for row in &ROWS {
        assert!(all.contains(&format!("({})", row.path())), "{all}");
    }
    assert_eq!(listed(&repo, "VALIDATION-ENHANCEMENTS"), Value::Null);
    assert!(!all.contains("cannot be run"), "{all}");
}

#[test]
fn r147_what_was_understood_is_shown_and_what_was_not_is_named_with_its_line() {
    let repo = sample();
    let text = repo.tollgate(&["actions", "build"]).exits(0).out;
    for words in [
        "source:  agents/actions/build.md, read from its headings",
        "inputs:  agents/actions/build.md, planning-mds/architecture/SOLUTION-PATTERNS.md",
        "5 roles at the same time:",
        "devops (Integrator), reads agents/actions/build.md, leaves planning-mds/architecture/deployment-architecture.md",
        "you approve at APPROVE_CODE_REVIEW",
        "not understood, or done in another way:",
        "  line 78: several roles are named; code-reviewer is sent, the other not",
        "  line 207: this gate is inside the work of one role; nobody is asked there",
        "  line 875: this step is for information, and nobody is sent to do it",
        "  line 980: \"User stories have clear acceptance criteria\" names no file",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    let notices = shown(&repo, "build")["notices"].clone();
    let is_named =
        |notice: &Value| notice["line"] == 875 && notice["code"] == "action.prose_not_understood";
    assert!(notices.as_array().unwrap().iter().any(is_named), "{notices:#}");
    let dry = repo.tollgate(&["run", "--dry-run", "--action", "build", "Build it"]).exits(0).out;
    assert!(dry.contains("you approve at APPROVE_SECURITY_REVIEW"), "{dry}");
    assert!(dry.contains("agents/actions/build.md has no front matter"), "{dry}");
    let doctor = repo.tollgate(&["doctor"]).out;
    assert!(doctor.contains("fix: `tollgate actions NAME` lists it"), "{doctor}");
}

#[test]
fn r147_all_nine_actions_of_a_real_repository_run_to_done() {
    let repo = sample();
    for row in &ROWS {
        row.runs_through(&repo);
    }
    // All eleven role files spoke, and each role was given the file that says what it does.
    let prompts: Vec<String> = files_below(&repo.root().join(".agents-work"))
        .into_iter()
        .filter(|path| path.ends_with("prompt.md"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    assert!(prompts.iter().all(|prompt| prompt.contains("agents/actions/")));
    for role in ELEVEN {
        let path = repo.root().join(format!("agents/{role}/SKILL.md"));
        let text = fs::read_to_string(path).unwrap();
        let (_, body) = text[3..].split_once("\n---").unwrap();
        let body = below_a_section(body.trim());
        assert!(prompts.iter().any(|prompt| prompt.contains(&body)), "{role}");
    }
}

#[test]
fn r147_every_action_of_a_real_repository_can_be_written_down_as_front_matter() {
    let repo = sample();
    for row in &ROWS {
        let path = repo.root().join(row.path());
        let before = fs::read_to_string(&path).unwrap();
        let understood = shown(&repo, row.action);
        let dry = repo.tollgate(&["actions", "adopt", row.action, "--dry-run"]).exits(0).out;
        assert_eq!(fs::read_to_string(&path).unwrap(), before, "nothing is written");
        repo.tollgate(&["actions", "adopt", row.action]).exits(0).says(&row.path());
        let after = fs::read_to_string(&path).unwrap();
        assert_eq!(after, format!("{}\n\n{before}", dry.trim_end()), "{}", row.action);
        repo.tollgate(&["check", &row.path()]).exits(0).does_not_say("warning[");
        let adopted = shown(&repo, row.action);
        assert_eq!((&adopted["source"], adopted.get("form")), (&json!(row.path()), None));
        for key in ["name", "description", "intent", "inputs", "outputs", "steps"] {
            assert_eq!(adopted[key], understood[key], "{} {key}", row.action);
        }
        repo.tollgate(&["actions", "adopt", row.action]).exits(2).says("has front matter already");
        assert_eq!(fs::read_to_string(&path).unwrap(), after);
    }
    commit(&repo);
    for row in &ROWS[..2] {
        row.runs_through(&repo);
    }
}

#[test]
fn r147_only_a_file_without_front_matter_can_be_adopted() {
    let repo = Repo::new();
    repo.tollgate(&["actions", "adopt", "review"]).exits(2).says("is built in");
    repo.tollgate(&["actions", "adopt", "reviw"]).exits(2).says("tollgate actions adopt review");
    repo.write("agents/actions/review.md", "# Review\n\nWe look at it together.\n");
    repo.tollgate(&["actions", "adopt", "review"]).exits(2).says("was not understood");
}

/// An action that nothing built in knows, with a role of the repository's own.
const SHIP: &str = "# Ship it\n\n## Intent\n\nBring the *app* to its users. Quickly.\n\n## Agent Flow\n\n\
    Backend Developer (packs) -> Data Scientist + Astrologer [if needed] -> [COMPLIANCE GATE: legal looks at the licence] -> Code Reviewer\n\n\
    ## Prerequisites\n\n- [ ] `app.txt` and `config/ship.yaml` exist\n- [ ] Everybody is awake\n\n\
    ## Inputs\n\n### Required\n- Target region (one word)\n\n\
    ## Outputs\n\n- `dist/notes.md`\n";

fn with_ship() -> Repo {
    let repo = Repo::new();
    repo.write("agents/actions/README.md", "# Ours\n\n## Ship-it\n\nShips.\n");
    repo.write("agents/actions/ship-it.md", SHIP);
    repo.write("agents/data-scientist/SKILL.md", "---\nrole: Coder\n---\n\nCount well.\n");
    repo.write("config/ship.yaml", "x: 1\n");
    commit(&repo);
    repo
}

#[test]
fn r147_an_action_of_any_name_runs_from_its_prose_alone() {
    let repo = with_ship();
    let found = shown(&repo, "ship-it");
    assert_eq!(
        flow(&found),
        [
            "backend-developer",
            "data-scientist",
            "APPROVE_LEGAL_LOOKS_AT_THE",
            "code-reviewer",
            "SHIP_IT_SEVERITY"
        ]
    );
    assert_eq!(found["description"], "Bring the app to its users");
    let path = "agents/actions/ship-it.md";
    assert_eq!(found["inputs"], json!([path, "target-region", "config/ship.yaml"]));
    assert_eq!(found["outputs"], json!(["dist/notes.md"]));
    let text = repo.tollgate(&["actions", "ship-it"]).exits(0).out;
    for words in [
        "  line 9: no role is known as \"Astrologer [if needed]\", so nobody plays it",
        "  line 9: the kind of this gate is not known; you are asked to approve",
        "  line 14: \"Everybody is awake\" names no file, so Tollgate does not check it",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    let run = ["run", "--no-input", "--action", "ship-it", "Ship"];
    repo.tollgate(&run).exits(2).says("--input target-region=VALUE");
    let run = [&run[..], &["--input", "target-region=north"]].concat();
    repo.tollgate(&run).exits(3).says("agents/actions/ship-it.md has no front matter");
    assert_eq!(repo.starts(), ["Coder meta"; 2]);
    repo.answer("UD-1", "approved").exits(0);
    let changed = repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(!changed.contains("dist/notes.md"), "the checkout is not touched");
    let status = repo.status();
    repo.git(&["cat-file", "-e", &format!("{}:dist/notes.md", status["branch"].as_str().unwrap())]);
}

#[test]
fn r147_an_action_file_that_agents_cannot_see_starts_nothing() {
    let repo = with_ship();
    repo.write("agents/actions/later.md", &SHIP.replace("Ship it", "Later"));
    repo.write("agents/actions/README.md", "- [later](later.md)\n");
    let run = ["run", "--no-input", "--action", "later", "--input", "target-region=x", "Go"];
    repo.tollgate(&run)
        .exits(2)
        .says("agents/actions/later.md is in the working tree but not in HEAD");
    assert!(repo.starts().is_empty());
}

#[test]
fn r147_a_file_that_cannot_be_understood_never_hides_the_built_in_action() {
    let repo = Repo::new();
    let path = "agents/actions/review.md";
    for (text, why) in [
        (
            "# Review\n\nWe look at it together.\n",
            "no heading \"Agent Flow\" or \"Execution Steps\"",
        ),
        (
            "# Review\n\n## Agent Flow\n\n```\nOracle → Prophet\n```\n",
            "no known role is in this flow",
        ),
    ] {
        repo.write(path, text);
        commit(&repo);
        let row = listed(&repo, "review");
        assert_eq!((&row["source"], row.get("form")), (&json!("built-in"), None));
        assert!(row["unused"].as_str().unwrap().contains(why), "{row}");
        assert!(repo.tollgate(&["actions", "review"]).exits(0).out.contains(why));
        repo.tollgate(&["check", path]).exits(1).says(why);
        let doctor = repo.tollgate(&["doctor"]).out;
        assert!(doctor.contains(path) && doctor.contains(why), "{doctor}");
        let ran = repo.tollgate(&["run", "--no-input", "--action", "review", "Review the app"]);
        ran.exits(3).says(path).says(why).says("the built-in action review is used");
        repo.answer("UD-1", "approved").exits(0);
    }
}

#[test]
fn r147_pages_beside_the_actions_are_no_actions_and_no_errors() {
    let repo = Repo::new();
    repo.write("agents/actions/NOTES-FOR-PEOPLE.md", "# Notes\n\nNothing.\n");
    repo.write("agents/actions/how-we-work.md", "# How we work\n\nWell.\n");
    repo.write("agents/actions/ship-it.md", SHIP);
    let names = |repo: &Repo| {
        let ran = repo.tollgate(&["actions", "--json"]).exits(0);
        let all: Value = serde_json::from_str(&ran.out).unwrap();
        let names = all.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap());
        names.skip(11).map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(names(&repo), ["ship-it"]);
    let page = "agents/actions/NOTES-FOR-PEOPLE.md";
    repo.tollgate(&["check", page, "agents/actions/ship-it.md"]).exits(0).says("page for people");
    // A list that names none lists none.
    repo.write("agents/actions/README.md", "# Actions\n\nThey are beside this page.\n");
    assert_eq!(names(&repo), ["ship-it"]);
    repo.write("agents/actions/README.md", "| Name | For |\n|---|---|\n| **Ship-It** | users |\n");
    assert_eq!(names(&repo), ["ship-it"]);
    repo.write("agents/actions/README.md", "- [how we work](how-we-work.md)\n");
    assert_eq!(names(&repo), ["how-we-work"]);
    assert!(listed(&repo, "how-we-work")["problem"].as_str().unwrap().contains("Agent Flow"));
}

#[test]
fn r147_faults_of_front_matter_are_met_and_no_other_action_runs() {
    let repo = Repo::new();
    repo.write("agents/actions/review.md", "---\nname: review\n---\n\n## Agent Flow\n\nCoder\n");
    commit(&repo);
    repo.tollgate(&["run", "--no-input", "--action", "review", "Review"]).exits(2);
    assert!(repo.starts().is_empty());
}

#[test]
fn r147_a_gate_whose_script_is_missing_says_so_and_the_others_run() {
    let repo = Repo::new();
    repo.take_sample("nebula");
    for name in [
        "threat-model",
        "authorization-review",
        "data-protection",
        "secrets-management",
        "owasp-top-10-results",
    ] {
        repo.write(
            &format!("planning-mds/security/{name}.md"),
            "# Page\n\nStatus: Draft\n\nIt says this.\n",
        );
    }
    let ran = repo.tollgate(&["gates", "--stage", "planning", "--json"]).exits(1);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    let gate = |name: &str| {
        let mut gates = found["gates"].as_array().unwrap().iter();
        gates.find(|gate| gate["name"] == name).unwrap().clone()
    };
    for (name, script) in [
        ("boundary_genericness", "scripts/validate-genericness.py"),
        ("solution_contract", "planning-mds/testing/validate-nebula-api-contract.py"),
    ] {
        assert_eq!(gate(name)["missing_script"], script);
    }
    assert!(ran.err.contains(
        "boundary_genericness (its script scripts/validate-genericness.py does not exist)"
    ));
    for name in ["infra_non_strict", "security_planning_light"] {
        assert_eq!(gate(name)["ok"], true, "{found:#}");
    }
    assert!(gate("api_contract").get("missing_script").is_none(), "its script is there");
    // The scripts judge for themselves.
    fs::remove_file(repo.root().join("planning-mds/security/threat-model.md")).unwrap();
    let ran = repo.tollgate(&["gates", "--stage", "planning"]).exits(1);
    assert!(ran.err.contains("threat-model.md"), "{}", ran.err);
}
