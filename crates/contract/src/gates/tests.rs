//! Stories of the built-in gates.

use super::*;
use crate::testing::{Shows, shown};
use expect_test::expect;

fn look(gate: Builtin, is_strict: bool, files: &[(&str, &str)]) -> Report {
    let mut inspector = gate.inspector(is_strict);
    let mut report = Report::default();
    for place in inspector.places() {
        let is_below = |path: &str| {
            path.strip_prefix(place).is_some_and(|p| p.is_empty() || p.starts_with('/'))
        };
        for (path, text) in files.iter().filter(|(path, _)| is_below(path)) {
            if inspector.wants(path) {
                inspector.see(path, text.as_bytes(), &mut report);
            }
        }
    }
    inspector.finish(&mut report);
    report
}

fn said(gate: Builtin, is_strict: bool, files: &[(&str, &str)]) -> String {
    shown(&look(gate, is_strict, files))
}

const GLOSSARY: &str = "planning-mds/domain/glossary.md";

#[test]
fn every_gate_has_a_name_that_reads_back() {
    for gate in Builtin::ALL {
        assert_eq!(Builtin::parse(gate.as_str()), Some(*gate));
    }
    assert_eq!(Builtin::parse("weather"), None);
}

#[test]
fn r062_a_blocked_term_in_agents_is_found_as_a_whole_word_in_any_case() {
    let glossary = "# Glossary\n\n| Term | Meaning |\n|---|---|\n| Broker | sells |\n\n## Blocked terms\n\n- Risk Class: how risky\n- `Carrier`\n\n## Notes\n- Policy: p\n";
    let files = [
        (GLOSSARY, glossary),
        (
            "agents/coder/SKILL.md",
            "A RISK\nclass, a risk_class and Risk-Class.\nCarriers carry. scarrier.\ncarrier_id of the CARRIER\nA broker's policy.\n",
        ),
        ("agents/logo.png", "\0carrier"),
        ("planning-mds/BLUEPRINT.md", "The carrier.\n"),
    ];
    said(Builtin::Boundary, false, &files).shows(expect![[r#"
        error gate.term_blocked agents/coder/SKILL.md:1: "Risk Class" is a term of the solution (planning-mds/domain/glossary.md:9)
          help: Use general words, or move the text to planning-mds/
        error gate.term_blocked agents/coder/SKILL.md:2: "Risk Class" is a term of the solution (planning-mds/domain/glossary.md:9)
          help: Use general words, or move the text to planning-mds/
        error gate.term_blocked agents/coder/SKILL.md:4: "Carrier" is a term of the solution (planning-mds/domain/glossary.md:10)
          help: Use general words, or move the text to planning-mds/
    "#]]);
}

#[test]
fn r062_without_a_list_of_blocked_terms_every_defined_term_is_blocked() {
    let glossary = "---\nfront: matter\n---\n# Glossary\n\nWords.\n\n## Overview\nWhat this is.\n\n## Roles\n\n- **Broker** – sells\n- Adjuster: looks\n- plain remark\n\n## 3. Policy\nA contract.\n\n\
        Deductible\n----------\nWhat is kept.\n\n## More\n**3D Model** of a [thing](x).\n1. [Rider](#r): extra\n\n## Things\n| Term | Meaning |\n|:---|---|\n| Claim | c |\n| <Term> | t |\n\n```\n- **Code**: c\n```\n<!-- - **Hidden**: h -->\n\n## Later\n";
    let all = "broker adjuster policy deductible 3d model rider claim code hidden roles front matter more things later overview term remark glossary\n";
    let report = look(Builtin::Boundary, false, &[(GLOSSARY, glossary), ("agents/a.md", all)]);
    let found: Vec<&str> =
        report.diagnostics.iter().filter_map(|d| d.message.split('"').nth(1)).collect();
    assert_eq!(found, ["Broker", "Adjuster", "Policy", "Deductible", "3D Model", "Rider", "Claim"]);
}

#[test]
fn r062_a_section_of_blocked_terms_without_a_list_does_not_pass_silently() {
    said(Builtin::Boundary, false, &[(GLOSSARY, "# G\n## Blocked terms\nBroker, Policy\n"), ("agents/a.md", "broker\n")]).shows(expect![[r#"
        error gate.terms_unclear planning-mds/domain/glossary.md:2: the section "Blocked terms" has neither a list nor a table
          help: List one term per entry, or `- None`
    "#]]);
}

#[test]
fn a_strict_boundary_needs_terms_where_there_is_an_agents_folder() {
    let agent = ("agents/a.md", "text\n");
    said(Builtin::Boundary, false, &[agent]).shows(expect![[""]]);
    said(Builtin::Boundary, true, &[(GLOSSARY, "# Glossary\n")]).shows(expect![[""]]);
    said(
        Builtin::Boundary,
        true,
        &[(GLOSSARY, "# G\n## Blocked terms\n- None.\n"), ("agents/a.md", "none\n")],
    )
    .shows(expect![[""]]);
    said(Builtin::Boundary, true, &[agent]).shows(expect![[r#"
        error gate.glossary_missing planning-mds/domain/glossary.md: there is no glossary to compare agents/ with
          help: Write it with the terms of the solution
    "#]]);
    said(Builtin::Boundary, true, &[(GLOSSARY, "# Glossary\n"), agent]).shows(expect![[r#"
        error gate.no_terms planning-mds/domain/glossary.md: the glossary defines no term
          help: Add terms, or a section "Blocked terms" that may be empty
    "#]]);
}

#[test]
fn planning_files_are_demanded_by_the_strict_gate_only() {
    let files = [("planning-mds/BLUEPRINT.md", "# B\n"), (GLOSSARY, " \n")];
    said(Builtin::PlanningFiles, false, &files).shows(expect![[r#"
        error gate.file_blank planning-mds/domain/glossary.md: the file is empty
          help: Fill it in, or remove it
        warning gate.file_missing planning-mds/architecture/SOLUTION-PATTERNS.md: the planning document does not exist
          help: Write it; `tollgate run --action init` makes a scaffold
    "#]]);
    assert!(look(Builtin::PlanningFiles, false, &[]).is_ok());
    assert_eq!(look(Builtin::PlanningFiles, true, &[]).errors().count(), 3);
}

#[test]
fn an_api_contract_parses_and_describes_something() {
    let good = "openapi: 3.1.0\ninfo: {title: Shop}\npaths:\n  /items:\n    get:\n      responses:\n        200: {description: ok}\n        default: {description: no}\n";
    let files = [
        ("planning-mds/api/shop.yaml", good),
        (
            "planning-mds/api/v1/events.json",
            r#"{"asyncapi":"3.0.0","info":{"title":"E"},"channels":{"a":{}}}"#,
        ),
        ("planning-mds/api/schemas/item.yml", "type: object\n"),
        ("planning-mds/api/README.md", "TODO"),
    ];
    said(Builtin::ApiContract, true, &files).shows(expect![[""]]);
    said(Builtin::ApiContract, false, &[
            ("planning-mds/api/a.yaml", "openapi: 3.1.0\npaths: {}\n"),
            ("planning-mds/api/b.yaml", "title: x\n"),
            ("planning-mds/api/c.yaml", "openapi: [\n"),
            (
                "planning-mds/api/d.json",
                "{\"swagger\": \"\", \"info\": {\"title\": 3}, \"paths\": []}",
            ),
            ("planning-mds/api/e.yml", ""),
            ("planning-mds/api/v1/part.json", "{"),
        ]).shows(expect![[r#"
        error gate.contract_field planning-mds/api/a.yaml: the API contract has no "info.title"
          help: Add it
        error gate.contract_empty planning-mds/api/a.yaml:2: the API contract describes nothing under paths or webhooks
          help: Describe at least one entry
        error gate.no_contract planning-mds/api/b.yaml: this is not an API contract: it has no openapi, swagger or asyncapi version
          help: Add the version, such as `openapi: 3.1.0`, or move a part into a subfolder
        error yaml.syntax planning-mds/api/c.yaml:1: this is not valid YAML: unclosed bracket '['
          help: Put quotes around text that contains `: `, `#`, or quotes, and indent with spaces
        error gate.contract_field planning-mds/api/d.json: the API contract has no "swagger"
          help: Add it
        error gate.contract_empty planning-mds/api/d.json: the API contract describes nothing under paths
          help: Describe at least one entry
        error gate.file_blank planning-mds/api/e.yml: the file is empty
          help: Fill it in, or remove it
        error json.syntax planning-mds/api/v1/part.json:1: this is not valid JSON: EOF while parsing an object (column 1)
          help: Write the file with a JSON serializer instead of by hand
    "#]]);
    assert!(look(Builtin::ApiContract, false, &[]).is_ok());
    said(Builtin::ApiContract, true, &files[2..]).shows(expect![[r#"
        error gate.api_missing planning-mds/api: there is no API contract
          help: Add one as .yaml, .yml or .json, or remove the gate from the stage
    "#]]);
}

#[test]
fn a_contract_may_nest_deeply_and_one_without_end_is_refused() {
    let nested = |depth: usize| {
        let open: String = (0..depth).map(|_| "{items: ").collect();
        let schema = format!("{open}x{}", "}".repeat(depth));
        format!("openapi: 3.1.0\ninfo: {{title: T}}\npaths: {{/a: {schema}}}\n")
    };
    let path = "planning-mds/api/a.yaml";
    assert!(look(Builtin::ApiContract, true, &[(path, &nested(40))]).is_ok());
    let report = look(Builtin::ApiContract, true, &[(path, &nested(10_000))]);
    let words: Vec<&str> = report.errors().map(|error| error.message.as_str()).collect();
    assert_eq!(words, ["this is not valid YAML: it nests too deeply, or is too large"]);
}

#[test]
fn what_the_pack_came_with_is_generic_whatever_the_glossary_says() {
    let glossary = "# Glossary\n\n- **Account**: holds money\n";
    let ours = crate::pack::text_at("agents/security/SKILL.md").unwrap_or_default();
    assert!(ours.to_lowercase().contains("account"), "the text to stumble over");
    let added = format!("{ours}Every Account has an owner.\n");
    let line = added.lines().count();
    for (text, count) in [(ours, 0), (added.as_str(), 1)] {
        let files = [(GLOSSARY, glossary), ("agents/security/SKILL.md", text)];
        let report = look(Builtin::Boundary, true, &files);
        let lines: Vec<Option<u32>> = report.errors().map(|error| error.line).collect();
        assert_eq!(lines.len(), count, "{report:?}");
        assert!(lines.iter().all(|found| *found == u32::try_from(line).ok()), "{lines:?}");
    }
}

#[test]
fn security_evidence_is_not_a_placeholder() {
    let good = "# Review\n\nLooked at `<script>` and `TODO` handling, Vec<String>, <br> and <https://a.example>.\nTodos are none.\n```\nTODO in code\n```\n";
    let files = [
        ("planning-mds/security/review.md", good),
        ("planning-mds/security/scan.json", "{\"results\": []}"),
        ("planning-mds/security/README.md", "TODO"),
        ("planning-mds/security/.gitkeep", ""),
    ];
    said(Builtin::SecurityEvidence, true, &files).shows(expect![[""]]);
    said(Builtin::SecurityEvidence, false, &[
            (
                "planning-mds/security/a.md",
                "# Review\n\nTODO\nLorem ipsum dolor\nby <your name> on {{date}}\n[Insert findings]\n- <...>\n- TBD.\ntodo: all\nThis is a Placeholder\n",
            ),
            ("planning-mds/security/b.md", "# Review\n## Findings\n"),
            ("planning-mds/security/c.txt", " \n"),
            ("planning-mds/security/d.json", "{}\n"),
        ]).shows(expect![[r#"
        error gate.placeholder planning-mds/security/a.md:3: "TODO" is placeholder text
          help: Write what was found, or remove the file until it is known
        error gate.placeholder planning-mds/security/a.md:4: "lorem ipsum" is placeholder text
          help: Write what was found, or remove the file until it is known
        error gate.placeholder planning-mds/security/a.md:5: "{{date}}" is placeholder text
          help: Write what was found, or remove the file until it is known
        error gate.placeholder planning-mds/security/a.md:6: "[Insert findings]" is placeholder text
          help: Write what was found, or remove the file until it is known
        error gate.placeholder planning-mds/security/a.md:7: "<...>" is placeholder text
          help: Write what was found, or remove the file until it is known
        error gate.placeholder planning-mds/security/a.md:8: "tbd" is placeholder text
          help: Write what was found, or remove the file until it is known
        error gate.placeholder planning-mds/security/a.md:9: "todo:" is placeholder text
          help: Write what was found, or remove the file until it is known
        error gate.placeholder planning-mds/security/a.md:10: "placeholder" is placeholder text
          help: Write what was found, or remove the file until it is known
        error gate.only_headings planning-mds/security/b.md: there is nothing below the headings
          help: Write what was checked and what was found
        error gate.file_blank planning-mds/security/c.txt: the file is empty
          help: Fill it in, or remove it
        error gate.file_blank planning-mds/security/d.json: the file is empty
          help: Fill it in, or remove it
    "#]]);
    assert!(look(Builtin::SecurityEvidence, false, &[]).is_ok());
    said(Builtin::SecurityEvidence, true, &files[2..]).shows(expect![[r#"
        error gate.evidence_missing planning-mds/security: there is no security evidence
          help: Add review notes or scan results
    "#]]);
}

const IMAGE: &str = "FROM alpine\nCOPY app /app\nCMD [\"/app\"]\n";
const COMPOSE: &str = "services:\n  app:\n    build: .\n";
const WORKFLOW: &str =
    "on: push\njobs:\n  test:\n    runs-on: any\n    steps:\n      - run: make test\n";

#[test]
fn r153_infrastructure_is_there_and_does_something() {
    let whole = [
        ("Dockerfile", IMAGE),
        ("compose.yaml", COMPOSE),
        (".github/workflows/ci.yml", WORKFLOW),
        (".env.example", "# the port\nPORT=8080\n"),
    ];
    said(Builtin::Infrastructure, true, &whole).shows(expect![[""]]);
    let other = [
        ("deploy/Containerfile", IMAGE),
        ("k8s/app.yaml", "kind: Deployment\n---\nkind: Service\n"),
        (".gitlab-ci.yml", "test:\n  script:\n    - make test\n"),
        (".env.sample", "PORT=\n"),
    ];
    said(Builtin::Infrastructure, true, &other).shows(expect![[""]]);
    said(Builtin::Infrastructure, true, &[]).shows(expect![[r#"
        error gate.infrastructure_missing Dockerfile: nothing defines the image that the application runs in
          help: Add one; `tollgate explain gate.infrastructure_missing` lists what counts and where
        error gate.infrastructure_missing compose.yaml: nothing describes what is started together
          help: Add one; `tollgate explain gate.infrastructure_missing` lists what counts and where
        error gate.infrastructure_missing .github/workflows: no pipeline builds and tests the application
          help: Add one; `tollgate explain gate.infrastructure_missing` lists what counts and where
        error gate.infrastructure_missing .env.example: there is no example of the environment
          help: Add one; `tollgate explain gate.infrastructure_missing` lists what counts and where
    "#]]);
    let lax = look(Builtin::Infrastructure, false, &[]);
    assert!(lax.is_ok() && lax.warnings().count() == 4, "{lax:?}");
    let hollow = [
        ("Dockerfile", "# FROM alpine\n"),
        ("docker/Dockerfile.dev", "FROM alpine\n"),
        ("compose.yaml", "services:\n  app: {}\n"),
        ("docker-compose.yml", "services: [\n"),
        (".github/workflows/ci.yml", "jobs:\n  test:\n    steps: []\n"),
        ("Jenkinsfile", " \n"),
        (".env.example", "# nothing\n"),
    ];
    assert_eq!(
        said(Builtin::Infrastructure, false, &hollow),
        said(Builtin::Infrastructure, true, &hollow)
    );
    said(Builtin::Infrastructure, true, &hollow).shows(expect![[r#"
        error gate.infrastructure_hollow Dockerfile: it has no FROM
          help: Write what it must do, or remove the file
        error gate.infrastructure_hollow compose.yaml: no service in it has an image or a build
          help: Write what it must do, or remove the file
        error yaml.syntax docker-compose.yml:1: this is not valid YAML: unclosed bracket '['
          help: Put quotes around text that contains `: `, `#`, or quotes, and indent with spaces
        error gate.infrastructure_hollow docker/Dockerfile.dev: it adds nothing to the image that it begins with
          help: Write what it must do, or remove the file
        error gate.infrastructure_hollow .github/workflows/ci.yml: no job in it runs anything
          help: Write what it must do, or remove the file
        error gate.file_blank Jenkinsfile: the file is empty
          help: Fill it in, or remove it
        error gate.infrastructure_hollow .env.example: it names no variable, such as PORT=8080
          help: Write what it must do, or remove the file
    "#]]);
}

const DOCUMENTS: [&str; 4] =
    ["threat-model", "authorization-review", "data-protection", "secrets-management"];

fn security(text: &str, review: &str) -> Vec<(String, String)> {
    let documents = DOCUMENTS.iter().map(|name| (format!("planning-mds/security/{name}.md"), text));
    let review = ("planning-mds/security/reviews/security-review-2026-02-07.md".to_owned(), review);
    documents.chain([review]).map(|(path, text)| (path, text.to_owned())).collect()
}

fn planning(is_strict: bool, files: &[(String, String)]) -> String {
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    said(Builtin::SecurityPlanning, is_strict, &files)
}

#[test]
fn r153_security_is_planned_decided_and_reviewed() {
    let good = "# X\n\n**Status:** Approved\n\n## At stake\n\nMoney.\n\n## Measures\n\n- Locks.\n\n## Left\n\nNothing.\n";
    let review = "# Review\n\nAll four were read; nothing was found.\n";
    planning(true, &security(good, review)).shows(expect![[""]]);
    planning(true, &[]).shows(expect![[r#"
        error gate.security_missing planning-mds/security/threat-model.md: the security document does not exist
          help: Write it, with the line `Status: approved` once it is decided
        error gate.security_missing planning-mds/security/authorization-review.md: the security document does not exist
          help: Write it, with the line `Status: approved` once it is decided
        error gate.security_missing planning-mds/security/data-protection.md: the security document does not exist
          help: Write it, with the line `Status: approved` once it is decided
        error gate.security_missing planning-mds/security/secrets-management.md: the security document does not exist
          help: Write it, with the line `Status: approved` once it is decided
        error gate.review_missing planning-mds/security/reviews: there is no dated security review
          help: Write one, named after its day, such as security-review-2026-02-07.md
    "#]]);
    let lax = look(Builtin::SecurityPlanning, false, &[]);
    assert!(lax.is_ok() && lax.warnings().count() == 5, "{lax:?}");
    let draft =
        "# X\n\nStatus: Draft, to be decided\n\n## At stake\n\nMoney.\n\n## Measures\n\n## Left\n";
    planning(true, &security(draft, "# Review\n\nTBD\n")[3..]).shows(expect![[r#"
        error gate.status_draft planning-mds/security/secrets-management.md:3: the status is "Draft, to be decided"
          help: Decide the document, then change the line
        error gate.few_sections planning-mds/security/secrets-management.md: the document has 1 section with text, but needs 3
          help: Write what is at stake, what is done about it, and what is left
        error gate.placeholder planning-mds/security/reviews/security-review-2026-02-07.md:3: "tbd" is placeholder text
          help: Write what was found, or remove the file until it is known
        error gate.security_missing planning-mds/security/threat-model.md: the security document does not exist
          help: Write it, with the line `Status: approved` once it is decided
        error gate.security_missing planning-mds/security/authorization-review.md: the security document does not exist
          help: Write it, with the line `Status: approved` once it is decided
        error gate.security_missing planning-mds/security/data-protection.md: the security document does not exist
          help: Write it, with the line `Status: approved` once it is decided
    "#]]);
    let thin = security("# X\n\nMoney is at stake.\n", review);
    planning(false, &thin).shows(expect![[""]]);
    planning(true, &thin[..1]).shows(expect![[r#"
        error gate.status_missing planning-mds/security/threat-model.md: the document does not say whether it is decided
          help: Add a line such as `Status: approved`
        error gate.few_sections planning-mds/security/threat-model.md: the document has 0 sections with text, but needs 3
          help: Write what is at stake, what is done about it, and what is left
        error gate.security_missing planning-mds/security/authorization-review.md: the security document does not exist
          help: Write it, with the line `Status: approved` once it is decided
        error gate.security_missing planning-mds/security/data-protection.md: the security document does not exist
          help: Write it, with the line `Status: approved` once it is decided
        error gate.security_missing planning-mds/security/secrets-management.md: the security document does not exist
          help: Write it, with the line `Status: approved` once it is decided
        error gate.review_missing planning-mds/security/reviews: there is no dated security review
          help: Write one, named after its day, such as security-review-2026-02-07.md
    "#]]);
    // A review without its day shows nothing about the plan as it is.
    let undated = [("planning-mds/security/reviews/latest.md", review)];
    assert!(said(Builtin::SecurityPlanning, true, &undated).contains("gate.review_missing"));
}
