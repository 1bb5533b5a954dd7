//! The files of the built-in pack that carry the nine actions: each is what its row of the contract asks for.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use expect_test::expect;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tollgate_contract::artefact::{RepositoryFiles, check, check_planning};
use tollgate_contract::{scaffold, skill};
use tollgate_core::role::{Role, State};

macro_rules! files {
    ($before:literal, $after:literal, [$($name:literal),+ $(,)?]) => {
        &[$(($name, include_str!(concat!("../packs/", $before, $name, $after)))),+]
    };
}

const ACTIONS: &[(&str, &str)] = files!(
    "actions/",
    ".md",
    [
        "deliver", "lean", "init", "plan", "build", "feature", "review", "validate", "test",
        "document", "blog"
    ]
);

const ROLES: &[(&str, &str)] = files!(
    "roles/",
    "/SKILL.md",
    [
        "product-manager",
        "backend-developer",
        "frontend-developer",
        "ai-engineer",
        "code-reviewer",
        "quality-engineer",
        "blogger",
    ]
);

const TEMPLATES: &[(&str, &str)] = files!(
    "templates/",
    "",
    [
        "planning-mds/BLUEPRINT.md",
        "planning-mds/domain/glossary.md",
        "planning-mds/architecture/SOLUTION-PATTERNS.md",
    ]
);

struct Files(BTreeMap<String, String>);

impl RepositoryFiles for Files {
    fn is_file(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.0.get(path).map(|text| text.clone().into_bytes())
    }

    fn files_below(&self, folder: &str) -> Vec<String> {
        let below = |path: &&String| path.strip_prefix(folder).is_some_and(|p| p.starts_with('/'));
        self.0.keys().filter(below).cloned().collect()
    }
}

fn front_matter(text: &str) -> Value {
    let yaml = text.strip_prefix("---\n").unwrap().split("\n---\n").next().unwrap();
    serde_saphyr::from_str(yaml).unwrap()
}

fn words(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().map(|word| word.as_str().unwrap()).collect()
}

const VERBS: [&str; 8] =
    ["dispatch", "parallel", "approve", "choose", "severity", "checks", "tasks", "close"];

fn verb(step: &Value) -> &'static str {
    let found: Vec<&str> = VERBS.into_iter().filter(|verb| step.get(verb).is_some()).collect();
    assert_eq!(found.len(), 1, "{step}");
    found[0]
}

/// The dispatches of a step, alone or side by side.
fn dispatches(step: &Value) -> Vec<&Value> {
    match step.get("parallel") {
        Some(members) => members.as_array().unwrap().iter().collect(),
        None => step.get("dispatch").map(|_| step).into_iter().collect(),
    }
}

/// A step in short: `backend-developer ∥ qa`, `severity X`, `checks a b`.
fn short(step: &Value) -> String {
    let verb = verb(step);
    let roles = dispatches(step).into_iter().map(|member| member["dispatch"].as_str().unwrap());
    let roles: Vec<&str> = roles.collect();
    match (verb, &step[verb]) {
        ("dispatch" | "parallel", _) => roles.join(" ∥ "),
        (verb, list @ Value::Array(_)) => format!("{verb} {}", words(list).join(" ")),
        (verb, value) => format!("{verb} {}", value.as_str().unwrap()),
    }
}

#[test]
fn r086_each_action_has_the_inputs_outputs_and_gates_of_its_row() {
    let mut shown = String::new();
    for (name, text) in ACTIONS {
        let action = front_matter(text);
        let steps: Vec<String> = action["steps"].as_array().unwrap().iter().map(short).collect();
        let (inputs, outputs) = (words(&action["inputs"]), words(&action["outputs"]));
        shown.push_str(&format!("{name}\n  needs: {}\n", inputs.join(" ")));
        shown.push_str(&format!(
            "  makes: {}\n  steps: {}\n",
            outputs.join(" "),
            steps.join(" → ")
        ));
    }
    expect![[r#"
        deliver
          needs: 
          makes: spec.md acceptance.json architecture.md tasks.yaml report.md
          steps: SpecAgent → Researcher → Architect → Designer → approve APPROVE_DESIGN → Planner → choose REVIEW_STRATEGY → tasks plan → Integrator → checks acceptance coverage lifecycle → Docs → Integrator → close done
        lean
          needs: 
          makes: spec.md acceptance.json tasks.yaml
          steps: SpecAgent → tasks plan → checks acceptance coverage lifecycle → close done
        init
          needs: project domain users entities
          makes: planning-mds/BLUEPRINT.md planning-mds/domain/glossary.md planning-mds/architecture/SOLUTION-PATTERNS.md
          steps: Orchestrator → close done
        plan
          needs: planning-mds/BLUEPRINT.md
          makes: planning-mds/BLUEPRINT.md planning-mds/features/ planning-mds/stories/ planning-mds/personas/ planning-mds/screens/ planning-mds/architecture/SOLUTION-PATTERNS.md planning-mds/architecture/data-model.md planning-mds/api/
          steps: product-manager → approve APPROVE_REQUIREMENTS → architect → approve APPROVE_ARCHITECTURE → close done
        build
          needs: planning-mds/BLUEPRINT.md planning-mds/stories/ planning-mds/architecture/SOLUTION-PATTERNS.md planning-mds/api/
          makes: planning-mds/build/backend.md planning-mds/build/frontend.md planning-mds/build/ai.md planning-mds/build/tests.md planning-mds/build/deployment.md planning-mds/reviews/code-review.md planning-mds/reviews/security-review.md
          steps: backend-developer ∥ frontend-developer ∥ ai-engineer ∥ quality-engineer → devops → checks evidence lifecycle coverage → code-reviewer ∥ security → severity BUILD_SEVERITY → approve APPROVE_BUILD → close done
        feature
          needs: feature planning-mds/stories/ planning-mds/architecture/SOLUTION-PATTERNS.md
          makes: planning-mds/build/feature-backend.md planning-mds/build/feature-frontend.md planning-mds/build/feature-ai.md planning-mds/build/feature-tests.md planning-mds/reviews/feature-review.md planning-mds/reviews/feature-security.md
          steps: backend-developer ∥ frontend-developer ∥ ai-engineer ∥ quality-engineer → checks evidence coverage → code-reviewer ∥ security → severity FEATURE_SEVERITY → approve APPROVE_FEATURE → close done
        review
          needs: 
          makes: planning-mds/reviews/code-review.md planning-mds/reviews/security-review.md
          steps: code-reviewer ∥ security → severity REVIEW_SEVERITY → approve APPROVE_REVIEW → close done
        validate
          needs: planning-mds/BLUEPRINT.md
          makes: planning-mds/validation/requirements.md planning-mds/validation/architecture.md
          steps: product-manager ∥ architect → checks planning lifecycle → close done
        test
          needs: 
          makes: planning-mds/testing/test-plan.md planning-mds/testing/test-results.md planning-mds/testing/defects.md planning-mds/testing/quality-summary.md
          steps: quality-engineer → quality-engineer → checks evidence coverage → severity TEST_SEVERITY → close done
        document
          needs: 
          makes: README.md docs/usage.md docs/api.md docs/runbook.md
          steps: technical-writer → approve APPROVE_DOCUMENTATION → close done
        blog
          needs: evidence
          makes: docs/blog/
          steps: blogger → code-reviewer → severity BLOG_SEVERITY → approve APPROVE_POST → close done
    "#]].assert_eq(&shown);
}

#[test]
fn r086_every_step_names_what_exists() {
    for (name, text) in ACTIONS {
        let action = front_matter(text);
        assert_eq!(action["name"].as_str(), Some(*name));
        assert!(!action["description"].as_str().unwrap().is_empty());
        let steps = action["steps"].as_array().unwrap();
        let mut known: BTreeSet<&str> = BTreeSet::new();
        let mut made: BTreeSet<&str> = BTreeSet::new();
        for step in steps {
            let state = step["state"].as_str().unwrap();
            assert!(State::parse(state).is_some(), "{name}: {state}");
            for member in dispatches(step) {
                let role = member["dispatch"].as_str().unwrap();
                assert!(
                    Role::parse(role).or(skill::role_known_as(role)).is_some(),
                    "{name}: {role}"
                );
                known.insert(role);
                made.extend(words(&member["outputs"]));
            }
            // A role that is named twice would be sent back twice, whatever it is called.
            let of = |name: &&str| Role::parse(name).or(skill::role_known_as(name));
            let corrected = words(&step["corrects"]);
            let roles: BTreeSet<Option<Role>> = corrected.iter().map(of).collect();
            assert_eq!(roles.len(), corrected.len(), "{name}: {corrected:?}");
            for role in corrected {
                assert!(known.contains(role), "{name}: {role} is corrected but never dispatched");
            }
            let is_gate = |gate: &str| gate.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            for verb in ["approve", "severity"] {
                assert!(step[verb].as_str().is_none_or(is_gate), "{name}: {step}");
            }
        }
        assert_eq!(verb(steps.last().unwrap()), "close");
        // What only some runs make is not promised by the action.
        made.retain(|output| !["design-specs/", "research/"].contains(output));
        assert_eq!(words(&action["outputs"]).into_iter().collect::<BTreeSet<_>>(), made, "{name}");
    }
}

#[test]
fn a_verb_belongs_to_one_action() {
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    for (name, text) in ACTIONS {
        for verb in words(&front_matter(text)["intent"]) {
            assert_eq!(verb, verb.to_lowercase());
            assert_eq!(owners.insert(verb.to_owned(), name), None, "{verb} has two owners");
        }
    }
    for verb in ["add", "implement", "fix", "write", "make", "change", "create"] {
        assert!(!owners.contains_key(verb), "{verb} is a plain goal");
    }
    assert_eq!(owners.get("review"), Some(&"review"));
    assert_eq!(owners.get("test"), Some(&"test"));
}

#[test]
fn r086_no_gate_comes_before_what_it_judges() {
    for name in ["build", "feature", "review"] {
        let text = ACTIONS.iter().find(|(known, _)| known == &name).unwrap().1;
        let action = front_matter(text);
        let steps: Vec<&str> = action["steps"].as_array().unwrap().iter().map(verb).collect();
        let at = |wanted: &str| steps.iter().position(|verb| *verb == wanted).unwrap();
        let reviews = steps.iter().rposition(|verb| *verb == "parallel").unwrap();
        assert!(reviews < at("severity") && at("severity") < at("approve"), "{name}: {steps:?}");
    }
}

#[test]
fn the_list_of_actions_names_every_one_and_nothing_else() {
    let readme = include_str!("../packs/actions/README.md");
    let linked: BTreeSet<&str> =
        readme.split("](").skip(1).filter_map(|rest| rest.split(".md)").next()).collect();
    assert_eq!(linked, ACTIONS.iter().map(|(name, _)| *name).collect());
}

#[test]
fn the_role_texts_are_valid_and_match_their_names() {
    for (name, text) in ROLES {
        let (role, report) = skill::read(text, name);
        assert!(report.diagnostics.is_empty(), "{name}: {report:?}");
        let role = role.unwrap();
        assert_eq!(role.name, *name);
        assert_eq!(Some(role.role), skill::role_known_as(name));
    }
}

#[test]
fn the_texts_of_the_pack_pass_their_own_check() {
    let actions = ACTIONS.iter().map(|(name, text)| (format!("agents/actions/{name}.md"), text));
    let roles = ROLES.iter().map(|(name, text)| (format!("agents/{name}/SKILL.md"), text));
    let texts: BTreeMap<String, String> =
        actions.chain(roles).map(|(path, text)| (path, (*text).to_owned())).collect();
    let mut files = Files(texts.clone());
    let readme = include_str!("../packs/actions/README.md");
    files.0.insert("agents/actions/README.md".to_owned(), readme.to_owned());
    for (path, text) in &files.0 {
        let report = check(path, text.as_bytes(), &files);
        assert!(report.diagnostics.is_empty(), "{path}: {report:?}");
    }
}

fn scaffolded(project: &str, domain: &str, users: &str, entities: &str) -> Files {
    let values =
        [("project", project), ("domain", domain), ("users", users), ("entities", entities)];
    let values: BTreeMap<String, String> =
        values.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let filled =
        TEMPLATES.iter().map(|(path, text)| ((*path).to_owned(), scaffold::fill(text, &values)));
    Files(filled.collect())
}

#[test]
fn r086_a_scaffold_passes_the_check_of_planning() {
    let plain =
        scaffolded("Ledger", "bookkeeping", "bookkeepers, owners", "Account, Booking, Sales Order");
    let odd = scaffolded(
        "# <b>C++</b> `x`",
        "a\n# b\n[l](/etc/passwd)",
        "«x»\u{1b}[31m",
        "--- | a |, TODO, {{users}}",
    );
    for files in [plain, odd] {
        let report = check_planning(&files);
        assert!(report.diagnostics.is_empty(), "{report:#?}\n{:#?}", files.0);
    }
    let unfilled =
        Files(TEMPLATES.iter().map(|(p, t)| ((*p).to_owned(), (*t).to_owned())).collect());
    assert!(check_planning(&unfilled).errors().any(|error| error.code == "artefact.placeholder"));
}

#[test]
fn r086_the_glossary_blocks_the_words_of_the_domain() {
    let files = scaffolded("Ledger", "bookkeeping", "owners", "Account, Sales Order; account");
    let glossary = &files.0["planning-mds/domain/glossary.md"];
    let blocked = glossary.split("## Blocked terms").nth(1).unwrap();
    let terms: Vec<&str> = blocked.lines().filter_map(|line| line.strip_prefix("- ")).collect();
    assert_eq!(terms, ["Account", "Sales Order"]);
    assert!(glossary.contains("| Sales Order | an entity of Ledger"));
}
