//! Stories of action files.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::testing::{Shows, shown};
use expect_test::expect;

fn said(text: &str) -> String {
    let (action, report) = read(text, "agents/actions/quick.md");
    assert_eq!(action.is_some(), report.is_ok());
    let steps: String =
        action.iter().flat_map(|action| &action.steps).map(|step| format!("{step:?}\n")).collect();
    format!("{steps}{}", shown(&report))
}

#[test]
fn a_whole_action_is_read() {
    said(r"---
name: deliver
description: From goal to merged work.
intent: [add, build]
outputs: [report.md]
steps:
  - {dispatch: SpecAgent, outputs: [spec.md, acceptance.json], state: INTAKE}
  - {dispatch: Researcher, outputs: [research/], optional: true, when: requested, state: DESIGN}
  - {dispatch: Architect, outputs: [architecture.md], state: DESIGN}
  - {approve: APPROVE_DESIGN, shows: [spec.md], corrects: [SpecAgent, Architect], state: APPROVE_DESIGN}
  - {dispatch: Planner, outputs: [tasks.yaml], state: PLAN}
  - {choose: REVIEW_STRATEGY, state: REVIEW_STRATEGY}
  - {tasks: plan, state: IMPLEMENT_LOOP}
  - {checks: acceptance, state: INTEGRATE}
  - {close: done, state: DONE}
---
Prose.
").shows(expect![[r#"
        Step { state: Intake, kind: Dispatch(Assignment { role: SpecAgent, called: None, inputs: [], outputs: ["spec.md", "acceptance.json"], writes: None, optional: false }), when: None }
        Step { state: Design, kind: Dispatch(Assignment { role: Researcher, called: None, inputs: [], outputs: ["research/"], writes: None, optional: true }), when: Some(Requested) }
        Step { state: Design, kind: Dispatch(Assignment { role: Architect, called: None, inputs: [], outputs: ["architecture.md"], writes: None, optional: false }), when: None }
        Step { state: ApproveDesign, kind: Approve { gate: "APPROVE_DESIGN", shows: ["spec.md"], corrects: [SpecAgent, Architect] }, when: None }
        Step { state: Plan, kind: Dispatch(Assignment { role: Planner, called: None, inputs: [], outputs: ["tasks.yaml"], writes: None, optional: false }), when: None }
        Step { state: ReviewStrategy, kind: Choose { gate: ReviewStrategy }, when: None }
        Step { state: ImplementLoop, kind: Tasks, when: None }
        Step { state: Integrate, kind: Checks { of: [Acceptance] }, when: None }
        Step { state: Done, kind: Close, when: None }
    "#]]);
}

#[test]
fn r009_every_fault_of_an_action_is_named_with_its_line() {
    said(r"---
name: Quick Fix
descripton: x
steps:
  - {dispatch: Codr, outputs: [../x, /y], state: IMPLEMENT}
  - {dispatch: Orchestrator, state: INTAKE}
  - {dispatch: QA, checks: acceptance, state: INTAKE}
  - {state: INTAKE}
  - {parallel: [{dispatch: QA}], state: INTAKE}
  - {severity: how bad?, state: INTAKE}
  - {checks: [acceptance, everything], state: INTAKE}
  - {close: yes, state: DONE}
  - {approve: merge it, shows: [a], corrects: [Designer], state: DESIGN}
  - {approve: APPROVE_DESIGN, corrects: [Designer], state: DESIGN}
  - {tasks: plan, optional: true, when: always, state: IMPLEMENT_LOOP}
---
").shows(expect![[r#"
        error shape.field_missing agents/actions/quick.md:2: the field "description" is missing
          help: Add "description" to the top level
        error action.name_invalid agents/actions/quick.md:2: "Quick Fix" cannot be used as a name
          help: Use lowercase letters, digits and dashes, such as quick-fix
        error shape.field_unknown agents/actions/quick.md:3: there is no field "descripton" here
          help: Did you mean "description"?
        error shape.value_unknown agents/actions/quick.md:5: `state` is "IMPLEMENT", but must be INTAKE, INTAKE_LEAN, DESIGN, APPROVE_DESIGN, PLAN, REVIEW_STRATEGY, IMPLEMENT_LOOP, INTEGRATE, RELEASE, DONE, ASK_USER, FIX_REVIEW, FIX_TESTS, FIX_SECURITY, FIX_BUILD or BLOCKED
        error action.role_unknown agents/actions/quick.md:5: there is no role "Codr"
          help: Did you mean "Coder"?
        error action.output_protected agents/actions/quick.md:5: no agent may write "../x"
          help: Declare another file as the output
        error action.output_protected agents/actions/quick.md:5: no agent may write "/y"
          help: Declare another file as the output
        error action.step_verb agents/actions/quick.md:7: this step does several things at once: dispatch, checks
          help: Give it exactly one of dispatch, parallel, approve, choose, tasks, severity, checks and close
        error action.step_verb agents/actions/quick.md:8: this step does nothing
          help: Give it exactly one of dispatch, parallel, approve, choose, tasks, severity, checks and close
        error action.few_members agents/actions/quick.md:9: a parallel step with 1 member
          help: Give it two members or more, or write a dispatch step
        error action.gate_name agents/actions/quick.md:10: severity is "how bad?", which is not the name of a gate
          help: Use one word, such as SECURITY_REVIEW
        error action.check_unknown agents/actions/quick.md:11: "everything" is not something that can be checked
          help: Use acceptance, lifecycle, coverage, planning, evidence or `cmd: COMMAND`
        error action.step_value agents/actions/quick.md:12: close is "yes", but must be done
          help: Write close: done
        error action.gate_name agents/actions/quick.md:13: approve is "merge it", which is not the name of a gate
          help: Use one word, such as SECURITY_REVIEW
        error action.corrects_nobody agents/actions/quick.md:14: work is sent back to Designer, but no earlier step dispatches it
          help: Dispatch the role earlier, or remove it from corrects
        error action.step_key agents/actions/quick.md:15: "optional" does not belong to a step with tasks
          help: Remove it
        error action.step_key agents/actions/quick.md:15: "when" does not belong to a step with tasks
          help: Remove it
        error action.step_value agents/actions/quick.md:15: when is "always", but must be requested
          help: Write when: requested
        error action.no_close agents/actions/quick.md:15: the action must end with exactly one close step
          help: Make `- {close: done, state: DONE}` the last step and the only one of its kind
    "#]]);
}

#[test]
fn an_action_has_front_matter_and_a_route() {
    said("---\nname: x\ndescription: y\nsteps:\n- {tasks: plan, state: PLAN}\n- {close: done, state: DONE}\n---\n").shows(expect![[r#"
        error action.tasks_without_plan agents/actions/quick.md:5: no step before this one makes a tasks.yaml
          help: Put a dispatch with `outputs: [tasks.yaml]` before it
    "#]]);
    said("---\nname: x\ndescription: y\nsteps: []\n---\n").shows(expect![[r#"
        error shape.empty agents/actions/quick.md:4: `steps` is empty
    "#]]);
    said("---\nname: x\n").shows(expect![[r#"
        error front_matter.missing agents/actions/quick.md:1: the front matter has no line "---" at its end
          help: Begin the file with a line `---`, the fields as YAML, and a line `---`
    "#]]);
    said("---\nname: [\n---\n").shows(expect![[r#"
        error yaml.syntax agents/actions/quick.md:2: this is not valid YAML: unclosed bracket '['
          help: Put quotes around text that contains `: `, `#`, or quotes, and indent with spaces
    "#]]);
}

#[test]
fn inputs_and_outputs_of_an_action_stay_inside_the_repository() {
    said("---\nname: x\ndescription: y\ninputs: [topic, src/, ../other/x.md]\noutputs: [/etc/x]\nsteps:\n- {close: done, state: DONE}\n---\n").shows(expect![[r#"
        error action.path_invalid agents/actions/quick.md:4: "../other/x.md" is not a path inside the repository
          help: Write a relative path such as spec.md or docs/
        error action.path_invalid agents/actions/quick.md:5: "/etc/x" is not a path inside the repository
          help: Write a relative path such as spec.md or docs/
    "#]]);
}
