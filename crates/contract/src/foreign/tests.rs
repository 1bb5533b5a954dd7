//! Session files as users of another orchestrator have them.

use super::*;
use crate::testing::shown;
use expect_test::{Expect, expect};
use std::collections::BTreeMap;

const RENAMED: Renamed<'_> = Renamed { from: ".agents-work/old", to: ".agents-work/new" };

fn status_of(text: &str, expected: Expect) {
    let (status, report) = status(text.as_bytes(), "status.json");
    let decisions = status.decisions.iter().map(|d| {
        let answer = d.answer.as_deref().unwrap_or("-");
        format!("{} {} {:?} {:?}\n", d.id, d.status, d.question, answer)
    });
    let state = status.state.map_or("?", State::as_str);
    let rest = format!("{:?} {:?} {:?}", status.repairs, status.task_statuses, status.blocker);
    let decisions: String = decisions.collect();
    expected.assert_eq(&format!("{state} {rest}\n{decisions}{}", shown(&report)));
}

fn plan_of(text: &str, in_status: &[(&str, TaskStatus)], expected: Expect) {
    let known: BTreeMap<String, TaskStatus> =
        in_status.iter().map(|(id, status)| ((*id).to_owned(), *status)).collect();
    let (plan, report) = plan(text, RENAMED, &known);
    let text = plan.map(|plan| format!("{}{:?}\n", plan.text, plan.statuses)).unwrap_or_default();
    expected.assert_eq(&format!("{text}{}", shown(&report)));
}

#[test]
fn r146_decisions_are_read_whatever_they_look_like() {
    status_of(
        r#"{"current_state": "Ask User", "blocker": {"code": "mandatory_user_decision_missing"},
            "retry_counts": {"T-001": {"fix_review": 2, "FIX_TESTS": 0}, "T-002": 3, "T-003": {"FIX_X": 1}},
            "task_progress": {"T-001": "Done", "T-002": {"status": "in_progress"}},
            "user_decisions": ["Use text files", {"id": "x", "topic": "Port", "choice": "80"},
              {"decision_id": "UD-2", "question": "a", "status": "pending", "answer": "b"},
              {"decision_id": "UD-2", "question": "c", "status": "answered", "answer": "d", "resolved_at": "2020-01-05T10:00:00Z"},
              {"state_context": "APPROVE_DESIGN", "answer": "APPROVED!", "date": "2020-01-05"}, 7, null]}"#,
        expect![[r#"
            ASK_USER {"T-001": {FixReview: 2}, "T-002": {}, "T-003": {}} {"T-001": Completed, "T-002": InProgress} None
            UD-3 answered "What was decided before the import?" "Use text files"
            UD-4 answered "Port" "80"
            UD-2 pending "a" "-"
            UD-5 answered "c" "d"
            UD-APPROVE-DESIGN answered "What was decided before the import?" "approved"
            UD-6 answered "What was decided before the import?" "7"
            UD-7 skipped "What was decided before the import?" "-"
            warning import.state status.json: the state "Ask User" is read as ASK_USER
            warning import.decisions status.json: 3 decisions recorded as plain text: kept as answers
            warning import.decisions status.json: 2 decisions with other fields than the schema: choice, date, id, topic
            warning import.decisions status.json: ids that are no decision ids: x is now UD-4, UD-2 is now UD-5
            warning import.decisions status.json: status and answer contradict each other, so it is asked again: UD-2
            warning import.decisions status.json: 1 decision without the time of the answer: the time of the import is noted
            warning import.counters status.json: these counters of repairs are left out: T-002: 3, T-003 FIX_X
            warning import.task_status status.json: "task_progress" has statuses of tasks
              help: They count only where tasks.yaml has none
        "#]],
    );
    status_of(
        r#"{"user_decisions": {"database": "SQLite"}, "current_state": 7}"#,
        expect![[r#"
        ? {} {} None
        UD-1 answered "database" "SQLite"
        warning import.state status.json: "7" is no state of the workflow
          help: The session continues as far as its documents allow
        warning import.decisions status.json: 1 decision recorded as plain text: kept as answers
        warning import.decisions status.json: ids that are no decision ids: database is now UD-1
    "#]],
    );
    status_of(
        "{",
        expect![[r#"
        ? {} {} None
        warning import.status_unreadable status.json: it cannot be read (line 1: this is not valid JSON: EOF while parsing an object (column 1)): decisions, counters and the state are not known
          help: Fix the file and import again, or continue: the gates ask again
    "#]],
    );
}

#[test]
fn r146_a_plan_is_brought_to_the_form_of_the_schema() {
    plan_of(
        "tasks:\n  T-001:\n    status: Done\n    name: First\n    description: Do it\n    risks: security\n    files: [a.txt]\n    \
         checks: [{cmd: make test}]\n    context_files: [.agents-work/old/spec.md]\n  T-002:\n    title: 'Second: \"x\"'\n    dependencies: T-001\n",
        &[("T-002", TaskStatus::Blocked)],
        expect![[r#"
            tasks:
              - id: "T-001"
                status: "completed"
                title: "First"
                goal: "Do it"
                context_files:
                  - ".agents-work/new/spec.md"
                files_expected:
                  - "a.txt"
                acceptance_checks:
                  - "cmd: make test"
                risk_flags:
                  - "security"
              - id: "T-002"
                status: "blocked"
                title: "Second: \"x\""
                depends_on:
                  - "T-001"
                goal: "Second: \"x\""
                files_expected:
                  - "**"
                acceptance_checks:
                  - "manual: Second: \"x\" is done"
            {TaskId("T-001"): Completed, TaskId("T-002"): Blocked}
            warning import.paths tasks.yaml: paths below .agents-work/old now name .agents-work/new
            warning import.task_status tasks.yaml: statuses as the schema has them: T-001 "Done" is completed, T-002 without one is blocked
            warning import.plan tasks.yaml: its tasks are written as a list below `tasks`
            warning import.plan tasks.yaml: read in another way: checks as acceptance_checks, dependencies as depends_on, depends_on as a list, description as goal, files as files_expected, name as title, risks as risk_flags, title as goal
            warning import.plan tasks.yaml: a task without acceptance_checks is checked by a person
            warning import.plan tasks.yaml: a task without files_expected may change every file
        "#]],
    );
    plan_of(
        "tasks: [{id: T-001, status: x}, {id: T-001}]",
        &[],
        expect![[r#"
            warning import.plan_unreadable tasks.yaml: it is not a plan: the field "goal" is missing; the same on line 8, and 1 more
              help: Fix the file and import again, or continue: the plan is made again
        "#]],
    );
    plan_of(
        "a: [",
        &[],
        expect![[r#"
        warning import.plan_unreadable tasks.yaml:1: it is not a plan: unclosed bracket '['
          help: Fix the file and import again, or continue: the plan is made again
    "#]],
    );
}

#[test]
fn r146_a_plan_that_is_good_stays_as_its_author_wrote_it() {
    let text = "# mine\ntasks:\n  - id: T-001\n    status: completed # yes\n    type: feat\n    title: x\n    goal: y\n    \
                files_expected: [a]\n    acceptance_checks: [make]\n    done_when: [z]\n";
    let (plan, report) = plan(text, RENAMED, &BTreeMap::new());
    assert_eq!(plan.map(|plan| plan.text).as_deref(), Some(text));
    assert_eq!(shown(&report), "");
}

#[test]
fn r146_criteria_are_read_whatever_they_look_like() {
    let read = |text: &str| {
        let (criteria, report) = criteria(text, "acceptance.json");
        let lines = criteria.into_iter().flat_map(|(_, criteria)| criteria);
        let lines: String = lines.map(|c| format!("{} {:?}\n", c.id, c.verify)).collect();
        format!("{lines}{}", shown(&report))
    };
    let all = [
        r#"["It works", {"text": "It is fast", "check": {"cmd": "make bench"}}]"#,
        r#"{"criteria": [{"id": "A1", "title": "x", "verify": []}]}"#,
        r#"{"acceptance_criteria": 7}"#,
        "{",
    ];
    expect![[r#"
        AC-001 [Manual("It works")]
        AC-002 [Command("make bench")]
        warning import.criteria acceptance.json: written as the schema has it, with 2 criteria (the document is the list ["It works",{"check":{"cmd":"make bench"},"text":"It is fast…, but an object is expected)
        --
        A1 [Manual("x")]
        warning import.criteria acceptance.json: written as the schema has it, with 1 criterion (there is no acceptance criterion)
        --
        warning import.criteria_unreadable acceptance.json: it has no criteria that can be read: `acceptance_criteria` is the number 7, but a list is expected
          help: Fix the file and import again, or continue: the criteria are made again
        --
        warning import.criteria_unreadable acceptance.json: it has no criteria that can be read: this is not valid JSON: EOF while parsing an object (column 1)
          help: Fix the file and import again, or continue: the criteria are made again
    "#]].assert_eq(&all.map(read).join("--\n"));
}

#[test]
fn r146_the_goal_is_what_the_specification_says() {
    assert_eq!(goal("# Title\n\n## Goals\n\n- Log in\n").as_deref(), Some("Log in"));
    assert_eq!(goal("# Title\n\nWords\n").as_deref(), Some("Title"));
    assert_eq!(goal("# Title\n\n## Goal\n\n## Next\n").as_deref(), Some("Title"));
    assert_eq!(goal(""), None);
}
