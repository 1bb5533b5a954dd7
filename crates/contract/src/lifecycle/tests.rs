//! Stories of lifecycle files.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::pack;
use crate::testing::{Shows, shown};
use expect_test::expect;

fn said(text: &str) -> String {
    let (lifecycle, report) = read(text, "lifecycle-stage.yaml");
    assert_eq!(lifecycle.is_some(), report.is_ok());
    let mut told = String::new();
    for stage in lifecycle.iter().flat_map(|l| &l.stages) {
        let mark = if lifecycle.as_ref().unwrap().current_stage == stage.name { "*" } else { "" };
        told.push_str(&format!("{}{mark} {:?}\n", stage.name, stage.required_gates));
    }
    for gate in lifecycle.iter().flat_map(|l| &l.gates) {
        told.push_str(&format!("{}: {:?}\n", gate.name, gate.command));
    }
    format!("{told}{}", shown(&report))
}

#[test]
fn r087_stages_and_gates_are_read_in_the_order_of_the_file() {
    said("version: 1\ncurrent_stage: plan\nstages:\n  ship:\n    required_gates: [unit, lint]\n  plan: {description: d, required_gates: []}\n\
         gates:\n  unit: {command: [npm, test]}\n  lint:\n    command:\n      - ./lint.sh\n      - \"a b; rm *\"\n").shows(expect![[r#"
        ship ["unit", "lint"]
        plan* []
        unit: ["npm", "test"]
        lint: ["./lint.sh", "a b; rm *"]
    "#]]);
}

#[test]
fn r087_unknown_stages_and_gates_are_errors_with_their_lines() {
    said("version: \"1.0\"\ncurrent_stage: planing\nstages:\n  planning:\n    required_gates:\n      - boundry\n      - unit\n      - unit\n      - weather\n\
         gates:\n  boundary: {command: [tollgate, gates, --builtin, boundry]}\n  unit: {command: [\" \", x]}\n").shows(expect![[r#"
        error lifecycle.stage_unknown lifecycle-stage.yaml:2: the current stage "planing" is not one of the stages
          help: Did you mean "planning"?
        error lifecycle.gate_undefined lifecycle-stage.yaml:6: stage "planning" requires the gate "boundry", which is not defined under `gates`
          help: Did you mean "boundary"?
        error lifecycle.gate_twice lifecycle-stage.yaml:8: stage "planning" requires the gate "unit" twice
          help: Remove one of them
        error lifecycle.gate_undefined lifecycle-stage.yaml:9: stage "planning" requires the gate "weather", which is not defined under `gates`
          help: Known: boundary or unit.
        error lifecycle.builtin_unknown lifecycle-stage.yaml:11: there is no built-in gate "boundry"
          help: Did you mean "boundary"?
        error lifecycle.program_blank lifecycle-stage.yaml:12: the command of gate "unit" has no program
          help: Begin it with a program, such as [npm, test]
    "#]]);
}

#[test]
fn every_fault_of_form_is_named_with_its_line() {
    said("version: 2\ncurrent_stages: a\ncurrent_stage: 3\nstages:\n  a:\n    required_gate: [x]\n    required_gates: x\n  \" \": {required_gates: []}\n\
         gates:\n  x:\n    command: npm test\n  y:\n    command: []\n  z: {description: d}\n  zero: {command: [a, \"b\\0c\"]}\n").shows(expect![[r#"
        error lifecycle.version_unknown lifecycle-stage.yaml:1: `version` is "2", but must be 1
          help: Write version: 1
        warning shape.field_ignored lifecycle-stage.yaml:2: the field "current_stages" is unknown and is ignored
          help: Did you mean "current_stage"?
        error shape.wrong_type lifecycle-stage.yaml:3: `current_stage` is the number 3, but a text is expected
        warning shape.field_ignored lifecycle-stage.yaml:6: the field "required_gate" is unknown and is ignored
          help: Did you mean "required_gates"?
        error shape.wrong_type lifecycle-stage.yaml:7: `required_gates` is the text "x", but a list is expected
        error lifecycle.name_invalid lifecycle-stage.yaml:8: " " cannot be used as a name in `stages`
          help: Use letters, digits and dashes, such as unit-tests
        error shape.wrong_type lifecycle-stage.yaml:11: `command` is the text "npm test", but a list is expected
        error shape.empty lifecycle-stage.yaml:13: `command` is empty
        error shape.field_missing lifecycle-stage.yaml:14: the field "command" is missing
          help: Add "command" to `z`
        error lifecycle.zero_byte lifecycle-stage.yaml:15: the command of gate "zero" contains a zero byte
          help: Remove it
    "#]]);
    said("version: 1\ncurrent_stage: a\nstages:\n  a: {required_gates: []}\n  a: {required_gates: []}\ngates: {}\n").shows(expect![[r#"
        error yaml.syntax lifecycle-stage.yaml:5: this is not valid YAML: the key "a" occurs twice
          help: Put quotes around text that contains `: `, `#`, or quotes, and indent with spaces
    "#]]);
    said("").shows(expect![[r#"
        error shape.wrong_type lifecycle-stage.yaml: the document is null, but an object is expected
    "#]]);
}

#[test]
fn the_built_in_lifecycle_has_the_four_stages_and_strict_gates_where_something_runs() {
    let (lifecycle, report) = read(pack::LIFECYCLE, "lifecycle-stage.yaml");
    assert!(report.diagnostics.is_empty(), "{report:?}");
    let lifecycle = lifecycle.unwrap();
    let names = ["framework-bootstrap", "planning", "implementation", "release-readiness"];
    assert_eq!(lifecycle.stage_names(), names);
    let is_strict = |gate: &&LifecycleGate| gate.command.last().unwrap() == "--strict";
    for (name, strict) in names.iter().zip([0, 1, 6, 6]) {
        let gates = lifecycle.required(lifecycle.stage(name).unwrap());
        assert_eq!(gates.iter().filter(|gate| is_strict(gate)).count(), strict, "{name}");
        assert!(gates.iter().all(|gate| gate.command[0] == THIS_PROGRAM));
    }
}

#[test]
fn r153_a_stage_in_which_the_application_runs_requires_gates_about_it() {
    let file = |implementation: &str| {
        format!(
            "version: 1\ncurrent_stage: a\nstages:\n  a: {{required_gates: []}}\n  implementation: {{required_gates: [{implementation}]}}\ngates:\n  \
             lint: {{command: [make, lint]}}\n  Infra_Strict: {{command: [python3, infra.py]}}\n  audit: {{command: [tollgate, gates, --builtin, security-planning, --strict]}}\n  \
             loose: {{command: [tollgate, gates, --builtin, infrastructure]}}\n"
        )
    };
    for none in ["lint", "loose, lint"] {
        assert_eq!(said(&file(none)), said(&file("")));
    }
    said(&file("")).shows(expect![[r#"
        error lifecycle.no_strict_gate lifecycle-stage.yaml:5: stage "implementation" requires no gate about infrastructure or security
          help: Add one, such as command: [tollgate, gates, --builtin, infrastructure, --strict], and one for security-planning
    "#]]);
    said(&file("Infra_Strict, lint")).shows(expect![[r#"
        a* []
        implementation ["Infra_Strict", "lint"]
        lint: ["make", "lint"]
        Infra_Strict: ["python3", "infra.py"]
        audit: ["tollgate", "gates", "--builtin", "security-planning", "--strict"]
        loose: ["tollgate", "gates", "--builtin", "infrastructure"]
        warning lifecycle.no_strict_gate lifecycle-stage.yaml:5: stage "implementation" requires no gate about security
          help: Add one, such as command: [tollgate, gates, --builtin, security-planning, --strict]
    "#]]);
    said(&file("Infra_Strict, audit")).shows(expect![[r#"
        a* []
        implementation ["Infra_Strict", "audit"]
        lint: ["make", "lint"]
        Infra_Strict: ["python3", "infra.py"]
        audit: ["tollgate", "gates", "--builtin", "security-planning", "--strict"]
        loose: ["tollgate", "gates", "--builtin", "infrastructure"]
    "#]]);
}
