//! Flows as people write them, and the steps that Tollgate makes of them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use tollgate_core::action::StepKind;
use tollgate_core::role::Role;

fn read(name: &str, text: &str) -> (Option<Action>, Report) {
    let own = |called: &str| {
        skill::role_known_as(called).or((called == "data-scientist").then_some(Role::Coder))
    };
    let path = format!("agents/actions/{name}.md");
    read_prose(text, &path, name, &own)
}

/// Steps in few words, without the last.
fn flow(action: &Action) -> Vec<String> {
    let word = |kind: &StepKind| match kind {
        StepKind::Dispatch(part) => part.name().to_owned(),
        StepKind::Parallel { members } => {
            members.iter().map(|part| part.name()).collect::<Vec<_>>().join("+")
        }
        StepKind::Approve { gate, .. } | StepKind::Severity { gate } => gate.clone(),
        StepKind::Checks { of } => {
            of.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        other => panic!("{other:?}"),
    };
    let steps = &action.steps[..action.steps.len() - 1];
    steps.iter().map(|step| word(&step.kind)).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) -> Report {
    let (action, report) = read("ours", text);
    let action = action.unwrap_or_else(|| panic!("{report:?}"));
    assert_eq!(flow(&action), expected, "{text}");
    report
}

fn lines(report: &Report) -> Vec<(Option<u32>, &str)> {
    report.diagnostics.iter().map(|one| (one.line, one.code)).collect()
}

#[test]
fn r147_a_flow_is_read_from_a_drawing_of_any_shape() {
    for text in [
        "## Agent Flow\n\n```\nArchitect → (Coder + QA) → Docs\n```\n",
        "## Agent Flow\n\n```text\nArchitect\n  |\n  ↓\n(Coder + QA)\n  ↓ [Both]\nDocs (writes)\n  ↓\nAll done\n```\n",
        "## 3. Flow\n\nArchitect => Coder + QA => Docs\n",
        "## Agent Flow\n\n    Architect -> Coder & QA -> Docs\n",
        "# x\n\n## Agent Flow\r\n\r\n```\r\nUser\r\n↓\r\nArchitect\r\n↓\r\nCoder,\r\nQA\r\n↓\r\nDocs\r\n```\r\n",
    ] {
        let text = text.replace("Coder,\r\nQA", "Coder + QA");
        check(&text, &["Architect", "Coder+QA", "Docs", "OURS_SEVERITY"]);
    }
}

#[test]
fn r147_gates_are_never_left_out() {
    let text = "## Agent Flow\n\n```\nCoder\n↓\n[SELF-REVIEW GATE]\n↓\nReviewer\n↓\n[Review Gate: resolve critical findings]\n↓\n\
                [APPROVAL GATE: User reviews code quality]\n↓\n[LEGAL GATE]\n↓\n[CLARIFICATION GATE]\n↓\n[APPROVAL GATE]\n```\n";
    let report = check(
        text,
        &[
            "Coder",
            "evidence, lifecycle gates, coverage",
            "Reviewer",
            "OURS_SEVERITY",
            "APPROVE_CODE_QUALITY",
            "APPROVE_OURS",
            "CLARIFICATION",
            "APPROVE_OURS_2",
        ],
    );
    let told: Vec<u32> = report.diagnostics.iter().filter_map(|one| one.line).collect();
    assert_eq!(told, [6, 14, 16]);
}

#[test]
fn r147_steps_count_unless_they_lack_what_is_drawn() {
    let steps = "## Execution Steps\n\n### Step 1: Do both (Parallel)\n#### 1a. Coder\n#### 1b. Data Scientist\n\
                 ### Step 2: Look\nActivate by reading `agents/reviewer/SKILL.md`.\n### Step 3: APPROVAL GATE (The Whole)\n### Step 4: Complete\n";
    let drawn = "## Agent Flow\n\nCoder -> Reviewer\n\n";
    let told = ["Coder+data-scientist", "Reviewer", "WHOLE_SEVERITY", "APPROVE_WHOLE"];
    check(steps, &told);
    check(&format!("{drawn}{steps}"), &told);
    let drawn = "## Agent Flow\n\nCoder -> Reviewer -> Docs\n\n";
    let report = check(&format!("{drawn}{steps}"), &["Coder", "Reviewer", "Docs", "OURS_SEVERITY"]);
    let told: Vec<&str> = report.diagnostics.iter().map(|one| one.message.as_str()).collect();
    assert!(told.iter().any(|words| words.contains("the flow has docs")), "{told:?}");
    assert!(told.iter().any(|words| words.contains("a step sends data-scientist")), "{told:?}");
}

#[test]
fn r147_roles_one_after_the_other_stay_so_where_nothing_says_parallel() {
    let text = "## Execution Steps\n\n### 1. Work\n#### Coder\n#### QA (optional)\n### 2. Nothing here\n### 3. Docs and Security\n";
    let report = check(text, &["Coder", "QA", "Docs", "Security", "OURS_SEVERITY"]);
    assert_eq!(
        lines(&report),
        [(Some(5), "action.prose_taken_as"), (Some(6), "action.prose_not_understood")]
    );
}

#[test]
fn r147_a_file_without_a_flow_or_a_role_is_refused_with_the_reason() {
    for (text, code) in [
        ("# Notes\n\nWords.\n", "action.prose_without_flow"),
        ("", "action.prose_without_flow"),
        ("```\n## Agent Flow\nCoder\n```\n", "action.prose_without_flow"),
        ("## Agent Flow\n\n```\nOracle\n```\n", "action.prose_without_role"),
        ("## Agent Flow\n", "action.prose_without_role"),
    ] {
        let (action, report) = read("ours", text);
        assert_eq!(action, None);
        assert_eq!(report.errors().map(|one| one.code).collect::<Vec<_>>(), [code], "{text}");
    }
    assert!(!has_flow("# Notes\n") && has_flow("## Execution Steps\n"));
    let (action, report) = read("Not A Name", "## Agent Flow\n\nCoder -> QA\n");
    assert_eq!((action, report.is_ok()), (None, false));
}

#[test]
fn r147_known_actions_are_filled_up_and_others_are_not() {
    let text = "## Agent Flow\n\n```\nQuality Engineer\n```\n";
    let (test, report) = read("test", text);
    let test = test.unwrap();
    assert_eq!(flow(&test), ["quality-engineer", "evidence, coverage", "TEST_SEVERITY"]);
    assert_eq!(test.outputs.len(), 4);
    assert!(lines(&report).iter().all(|(_, code)| *code == "action.prose_supplied"));
    let (ours, _) = read("ours", text);
    let ours = ours.unwrap();
    assert_eq!(flow(&ours), ["quality-engineer", "OURS_SEVERITY"]);
    assert_eq!((ours.outputs.len(), ours.intent), (0, vec!["ours".to_owned()]));
}

#[test]
fn r147_outputs_never_lead_to_what_agents_may_not_write() {
    let text = "## Agent Flow\n\nDocs ->\nCoder\n\n## Outputs\n- `agents/x/SKILL.md`\n- `.git/config`\n- `../out.md`\n- `tollgate.toml`\n- `ok/page.md`\n";
    let (action, _) = read("ours", &text.replace("->\nCoder", "-> Coder"));
    assert_eq!(action.unwrap().outputs, ["ok/page.md"]);
}

#[test]
fn r147_no_text_is_too_odd_to_be_read() {
    let arrows = "→(+[".repeat(3_000);
    for text in [
        format!("## Agent Flow\n\n```\n{arrows}\n```\n"),
        format!("## Agent Flow\n\n```\n{}\n```\n", "Coder → ".repeat(3_000)),
        format!("## Agent Flow\n\n```\n({}\n```\n", "→".repeat(300_000)),
        format!("## Agent Flow\n\n```\nCoder\n{}\n```\n", "(\n".repeat(100_000)),
        format!(
            "## Agent Flow\n\nCoder -> QA\n\n## Outputs\n\n{}",
            "- `a/b.md` `b.md`\n".repeat(20_000)
        ),
        "## Execution Steps\n### \n### Step\n### Step 1:\n#### \n- \n- `\n".to_owned(),
        "## Agent Flow\n\n```\nCoder ((( [[[ +++ ]]]\n".to_owned(),
    ] {
        let (action, _) = read("ours", &text);
        assert!(action.is_none_or(|action| action.steps.len() <= 205));
    }
}
