//! Whatever bytes come, every reader answers with a report and in time; it never panics.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use std::collections::BTreeMap;
use tollgate_contract::diagnostic::Report;
use tollgate_contract::document::{DocumentKind, check, guess};
use tollgate_contract::gates::Builtin;
use tollgate_contract::{agent_output, tasks};
use tollgate_core::id::TaskId;
use tollgate_core::role::Role;
use tollgate_core::task::TaskStatus;

/// One good document of each form, to be mutated.
const GOOD: &[(DocumentKind, &str)] = &[
    (
        DocumentKind::AgentOutput,
        r#"{"status":"OK","summary":"é","artifacts":{"notes":["a"],"findings":[{"severity":"low","description":"d"}]},"gates":{"meets_definition_of_done":true},"next":{"recommended_agent":"QA"},"usage":{"usd":0.1}}"#,
    ),
    (
        DocumentKind::PlannerResult,
        r####"{"role":"planner","create":[{"tempID":"a","title":"t","body":"## Objective\no\n## Spec Reference\n- Spec: s\n- Section(s): 1\n### In Scope\n- a\n### Out of Scope\n- b (owned by T-002)\n## Acceptance Criteria\n- [ ] c\n## Context\nc\n## Constraints\nd\n","labels":["task:implement","status:pending","priority:low","complexity:low"],"blockedBy":[]}],"close":[1],"update":[{"workItemID":2,"body":null,"labels":["task:implement","status:pending","priority:low","complexity:low"]}]}"####,
    ),
    (
        DocumentKind::ReviewerResult,
        r#"{"role":"reviewer","review":{"verdict":"approve","summary":"s","comments":[{"path":"p","line":1,"body":"[Warning] w"}]}}"#,
    ),
    (
        DocumentKind::Tasks,
        "# plan\nproject: {name: p}\ntasks:\n  - id: T-001\n    status: not-started # x\n    type: feat\n    title: ü\n    goal: |\n      g\n    depends_on: []\n    done_when: [d]\n    files_expected: [\"a/**\"]\n    acceptance_checks: [\"cmd: x\"]\n",
    ),
    (
        DocumentKind::Acceptance,
        r#"{"acceptance_criteria":[{"id":"AC-001","description":"d","verify":["x"]}]}"#,
    ),
    (
        DocumentKind::Status,
        r#"{"current_state":"DONE","session":"2026-11-15_x","assumptions":[],"user_decisions":[{"decision_id":"UD-1","question":"q","status":"pending","answer":null,"asked_at":"2026-11-15T00:00:00Z","resolved_at":null,"state_context":"PLAN","resolution_reason":null}],"retry_counts":{},"known_issues":[],"last_ci_result":"red","last_update":"2026-11-15T00:00:00Z"}"#,
    ),
    (
        DocumentKind::AgentInput,
        r#"{"task":{"id":"meta","title":"t","goal":"g","non_goals":[],"context_files":["a"],"session_changed_files":[{"path":"a","change_type":"added"}],"constraints":[],"acceptance_checks":[],"risk_flags":[]},"project_type":"cli","repo_state":{"branch":"main","ci_status":"green"},"tools_available":[]}"#,
    ),
    (
        DocumentKind::Config,
        "[roles]\ndefault = \"a\"\n[agent.a]\nadapter = \"command\"\ncommand = [\"x\"]\nenv = [\"K\"]\n[timeout]\nCoder = \"30m\"\n[limits]\nusd = 1.5\n",
    ),
    (
        DocumentKind::Action,
        "---\nname: x\ndescription: d\nsteps:\n  - {dispatch: Planner, outputs: [tasks.yaml], state: PLAN}\n  - {tasks: plan, state: IMPLEMENT_LOOP}\n  - {close: done, state: DONE}\n---\nprose\n",
    ),
    (
        DocumentKind::Lifecycle,
        "version: 1\ncurrent_stage: a\nstages:\n  a: {description: d, required_gates: [g]}\ngates:\n  g: {command: [tollgate, gates, --builtin, boundary]}\n",
    ),
    (DocumentKind::Skill, "---\nname: qa\ndescription: d\nwrites: [\"**/test*/**\"]\n---\n# QA\n"),
    (
        DocumentKind::WorkItem,
        "---\ntitle: ü\nlabels: [task:implement, status:pending, priority:low, complexity:low]\nstate: open\n---\n## Objective\no\n## Spec Reference\n- Spec: s\n- Section(s): 1\n### In Scope\n- `a b`, `c` (é)\n- d/*.rs\n### Out of Scope\n- b (owned by T-002)\n## Acceptance Criteria\n- [ ] Test: c passes\n- [x] cmd: make é\n## Context\n```\n# c\n```\n## Constraints\nd\n",
    ),
    (
        DocumentKind::Spec,
        "# Goals\na\n## 2) Acceptance Criteria\nb\nDefinition of Done\n---\n```\nc\n```\n",
    ),
];

#[test]
fn the_good_documents_are_good() {
    for (kind, text) in GOOD {
        let report = check(*kind, "f", text.as_bytes());
        assert!(report.diagnostics.is_empty(), "{kind:?} {:?}", report.diagnostics);
    }
}

fn check_as_everything(bytes: &[u8]) {
    for (kind, _) in DocumentKind::ALL {
        let report = check(*kind, "f", bytes);
        assert!(report.diagnostics.len() <= 201);
        for diagnostic in &report.diagnostics {
            assert!(tollgate_contract::explain::explain(diagnostic.code).is_some());
            let help = diagnostic.help.as_deref().unwrap_or_default();
            for text in [&diagnostic.message, &diagnostic.path, help] {
                assert!(!text.chars().any(char::is_control), "{text:?}");
            }
        }
    }
    for role in Role::ALL {
        let _ = agent_output::read_reply(bytes, *role);
    }
    let _ = guess("f", bytes);
}

/// Cuts, doubles, swaps and replaces pieces of a document.
fn mutated(text: &str, edits: &[(usize, usize, u8)]) -> Vec<u8> {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "\n",
        "---\n",
        "null",
        "-1",
        "1e999",
        "true",
        "&a ",
        "*a",
        "<<: *a\n",
        "\t",
        "\u{feff}",
        "é",
        "# ",
        "```",
        "<session>",
        "..",
        "\\",
        "!!binary x",
        "status",
        "T-001",
        "|\n",
        "? ",
        "18446744073709551616",
    ];
    let mut bytes = text.as_bytes().to_vec();
    for (at, len, what) in edits {
        let start = at % (bytes.len() + 1);
        let end = (start + len % 12).min(bytes.len());
        let piece = PIECES[usize::from(*what) % PIECES.len()].as_bytes();
        match what % 3 {
            0 => drop(bytes.splice(start..end, piece.iter().copied())),
            1 => drop(bytes.splice(start..end, [])),
            _ => {
                let copy = bytes[start..end].to_vec();
                drop(bytes.splice(start..start, copy));
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        check_as_everything(&bytes);
    }

    #[test]
    fn arbitrary_text_is_answered(text in "\\PC{0,200}") {
        check_as_everything(text.as_bytes());
    }

    #[test]
    fn gates_answer_whatever_is_in_the_repository(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        text in "[ -~\\n|*#<>{}\\[\\]`é]{0,200}",
    ) {
        for gate in Builtin::ALL {
            let mut report = Report::default();
            let mut inspector = gate.inspector(true);
            for place in inspector.places() {
                for path in [(*place).to_owned(), format!("{place}/a.md"), format!("{place}/b.yaml")] {
                    inspector.see(&path, &bytes, &mut report);
                    inspector.see(&path, text.as_bytes(), &mut report);
                }
            }
            inspector.finish(&mut report);
            prop_assert!(report.diagnostics.len() <= 201);
        }
    }

    #[test]
    fn mutated_documents_are_answered(
        which in 0..GOOD.len(),
        edits in proptest::collection::vec((any::<usize>(), any::<usize>(), any::<u8>()), 1..6),
    ) {
        check_as_everything(&mutated(GOOD[which].1, &edits));
    }

    /// Setting statuses in a mutated plan either changes exactly them or refuses.
    #[test]
    fn r034_statuses_are_set_or_refused_but_never_half(
        edits in proptest::collection::vec((any::<usize>(), any::<usize>(), any::<u8>()), 0..4),
        status in proptest::sample::select(TaskStatus::ALL),
    ) {
        let plan = GOOD.iter().find(|(kind, _)| *kind == DocumentKind::Tasks).unwrap().1;
        let bytes = mutated(plan, &edits);
        let Ok(text) = String::from_utf8(bytes) else { return Ok(()) };
        let id = TaskId::parse("T-001").unwrap();
        let wanted = BTreeMap::from([(id.clone(), status)]);
        if let Ok(edited) = tasks::set_statuses(&text, &wanted) {
            let written = tasks::statuses_as_written(&edited).unwrap();
            prop_assert_eq!(written.get(&id).map(String::as_str), Some(status.as_str()));
            prop_assert_eq!(tasks::set_statuses(&edited, &wanted).unwrap(), edited);
        }
    }
}

#[test]
fn r119_control_characters_of_a_document_do_not_get_into_its_report() {
    check_as_everything(b"[agent.\"\\u001b[31m\"]\nx = 1\n[\"\\u0007\"]\n");
    check_as_everything(b"{\"retry_counts\": {\"\\u001b\": {}, \"\\n\": 4}, \"\\u0007\": 1}");
    check_as_everything(b"tasks: [{\"\\e[31m\": {\"\\n\": 1}}]");
}

#[test]
fn bombs_are_refused_in_bounded_time_and_memory() {
    let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let before = level - 1;
        let list = vec![format!("*a{before}"); 10].join(", ");
        laughs.push_str(&format!("a{level}: &a{level} [{list}]\n"));
    }
    laughs.push_str("tasks: *a11\n");
    assert!(!check(DocumentKind::Tasks, "tasks.yaml", laughs.as_bytes()).is_ok());

    let deep_flow = format!("tasks: {}", "[".repeat(200_000));
    assert!(!check(DocumentKind::Tasks, "tasks.yaml", deep_flow.as_bytes()).is_ok());
    let deep_block: String = (0..3_000).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    assert!(!check(DocumentKind::Tasks, "tasks.yaml", deep_block.as_bytes()).is_ok());
    let dashes = "- ".repeat(100_000);
    assert!(!check(DocumentKind::Tasks, "tasks.yaml", dashes.as_bytes()).is_ok());
    let deep_toml = format!("a = {}", "[".repeat(200_000));
    assert!(!check(DocumentKind::Config, "tollgate.toml", deep_toml.as_bytes()).is_ok());
    let dotted = format!("{}a = 1", "a.".repeat(100_000));
    assert!(!check(DocumentKind::Config, "tollgate.toml", dotted.as_bytes()).is_ok());
    let deep_json = "{\"a\":".repeat(100_000);
    assert!(!check(DocumentKind::Acceptance, "acceptance.json", deep_json.as_bytes()).is_ok());
}

#[test]
fn a_document_made_of_faults_is_cut_short() {
    let keys: String = (0..50_000).map(|n| format!("\"k{n}\":1,")).collect();
    let reply = format!("{{{keys}\"status\":\"OK\"}}");
    let report = check(DocumentKind::AgentOutput, "reply.json", reply.as_bytes());
    assert_eq!(report.diagnostics.len(), 201);
    assert_eq!(report.diagnostics.last().map(|d| d.code), Some("report.cut"));

    let ids: Vec<String> = (0..50_000).map(|n| format!("\"unknown-{n}\"")).collect();
    let item = |id: &str| {
        format!(
            r#"{{"tempID":"{id}","title":"t","body":"b","labels":[],"blockedBy":[{}]}}"#,
            ids.join(",")
        )
    };
    let plan = format!(r#"{{"role":"planner","create":[{}],"close":[],"update":[]}}"#, item("a"));
    let report = check(DocumentKind::PlannerResult, "plan.json", plan.as_bytes());
    assert_eq!(report.diagnostics.len(), 201);
}
