//! A model that plays the roles of a Tollgate session: the least that is valid, written with the tools of whichever agent asks.

use crate::script::{File, Rule, Script, ScriptedTurn, ServiceFault, When};
use serde_json::{Value, json};

/// Delivers one line more in `app.txt` for a lean session, and a `lib.txt` beside it for a full one. `session` is the name of
/// the session's folder.
pub fn script(session: &str) -> Script {
    let mut rules = vec![
        rule("SpecAgent", Some("\n  \"mode\": \"lean\","), lean_spec(session)),
        rule("SpecAgent", None, full_spec(session)),
        rule("Architect", None, vec![in_session(session, "architecture.md", ARCHITECTURE)]),
        rule("Planner", None, vec![in_session(session, "tasks.yaml", &plan(&["T-001", "T-002"]))]),
        rule("Coder", Some("\"id\": \"T-002\""), vec![file("lib.txt", "a line of T-002\n")]),
        rule("Coder", None, vec![file("app.txt", "one\na line of T-001\n")]),
        rule("Docs", None, vec![in_session(session, "report.md", REPORT)]),
    ];
    rules.push(Rule {
        name: ANYBODY.to_owned(),
        when: When { contains: Some("# You are ".to_owned()), ..When::default() },
        then: ScriptedTurn {
            reply: Some(ok("Nothing stands in the way.")),
            ..ScriptedTurn::default()
        },
        times: None,
    });
    Script { rules, otherwise: None }
}

/// The crew, whose first reply contradicts itself; told so, it fixes it.
pub fn hasty(session: &str) -> Script {
    let mut script = script(session);
    let mut contradiction = ok(HASTY_SUMMARY);
    contradiction["gates"]["meets_definition_of_done"] = json!(false);
    let wrong = ScriptedTurn { reply: Some(contradiction), ..script.rules[0].then.clone() };
    let first = Rule { name: "contradiction".to_owned(), then: wrong, ..script.rules[0].clone() };
    let mended = Rule {
        name: FIXED.to_owned(),
        when: When { asked: Some(ASKED_AGAIN.to_owned()), ..When::default() },
        then: ScriptedTurn { reply: Some(ok("It is written.")), ..ScriptedTurn::default() },
        times: None,
    };
    script.rules.splice(0..0, [mended, first]);
    script
}

/// What the first role is asked begins so, and what it is asked again.
pub const ASKED_FIRST: &str = "# You are SpecAgent";
pub const ASKED_AGAIN: &str = "# Your reply was not accepted";

/// What the contradiction says of itself, and the rule that answers when it was sent back.
pub const HASTY_SUMMARY: &str = "Nearly all of it is written.";
pub const FIXED: &str = "fixed";

/// The crew, with a fault in the way of its first role, so many times or always.
pub fn faulty(session: &str, fault: ServiceFault, times: Option<u32>) -> Script {
    let mut script = script(session);
    put_in_the_way(&mut script, "SpecAgent", fault, times);
    script
}

/// What the role says otherwise stays, as far as the fault lets it through.
pub fn put_in_the_way(script: &mut Script, role: &str, fault: ServiceFault, times: Option<u32>) {
    let of_role = |rule: &&Rule| rule.name == role || rule.name == ANYBODY;
    let otherwise = script.rules.iter().find(of_role).map(|rule| rule.then.clone());
    let when = When { contains: Some(format!("# You are {role}\n")), ..When::default() };
    let then = ScriptedTurn { fault: Some(fault), ..otherwise.unwrap_or_default() };
    script.rules.insert(0, Rule { name: fault_of(role), when, then, times });
}

/// The name of the rule with a fault in the way of a role.
pub fn fault_of(role: &str) -> String {
    format!("fault of {role}")
}

/// The rule for roles that have nothing of their own to write.
const ANYBODY: &str = "anybody";

fn rule(role: &str, and: Option<&str>, write: Vec<File>) -> Rule {
    Rule {
        name: role.to_owned(),
        when: When {
            asked: Some(format!("# You are {role}\n")),
            contains: and.map(str::to_owned),
            ..When::default()
        },
        then: ScriptedTurn { write, reply: Some(ok("It is written.")), ..ScriptedTurn::default() },
        times: None,
    }
}

/// The reply of a role that has done its part.
pub fn ok(summary: &str) -> Value {
    json!({
        "status": "OK",
        "summary": summary,
        "artifacts": {},
        "gates": {"meets_definition_of_done": true},
        "next": null,
    })
}

fn file(path: &str, content: &str) -> File {
    File { path: path.to_owned(), content: content.to_owned() }
}

fn in_session(session: &str, name: &str, content: &str) -> File {
    file(&format!(".agents-work/{session}/{name}"), content)
}

fn full_spec(session: &str) -> Vec<File> {
    vec![in_session(session, "spec.md", SPEC), in_session(session, "acceptance.json", ACCEPTANCE)]
}

fn lean_spec(session: &str) -> Vec<File> {
    let mut files = full_spec(session);
    files.push(in_session(session, "tasks.yaml", &plan(&["T-001"])));
    files
}

fn plan(ids: &[&str]) -> String {
    let task = |id: &&str| {
        let name = if *id == "T-001" { "app.txt" } else { "lib.txt" };
        format!(
            "  - id: {id}
    status: not-started
    type: feat
    title: Change {name}
    depends_on: []
    goal: {name} has a line of {id}
    non_goals: []
    context_files: []
    files_expected: [{name}]
    acceptance_checks: [\"cmd: grep -q {id} {name}\"]
    risk_flags: [none]
    done_when: [\"{name} has the line\"]
"
        )
    };
    let tasks: String = ids.iter().map(task).collect();
    format!(
        "project:\n  name: app\n  definition_of_done: [\"every check passes\"]\ntasks:\n{tasks}"
    )
}

const SPEC: &str = "# Lines\n\n## Goals\n\nThe app has a line more.\n\n## Acceptance Criteria\n\n- AC-001: the line is there.\n\n\
                    ## Definition of Done\n\n- All acceptance criteria are met.\n";

const ACCEPTANCE: &str = "{\"acceptance_criteria\": [{\"id\": \"AC-001\", \"description\": \"the line is there\", \
                          \"verify\": [\"cmd: grep -q T-001 app.txt\"]}]}\n";

const ARCHITECTURE: &str = "# Architecture\n\n## Overview\n\nPlain text files.\n\n## Modules/components\n\n- app.txt\n- lib.txt\n";

const REPORT: &str = "# Report\n\n## What was done\n\nThe planned files were changed.\n\n## How to run\n\nNothing to run.\n\n\
                      ## How to test\n\nLook for the lines.\n\n## Known issues\n\nNone.\n";
