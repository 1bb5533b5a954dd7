//! Reads acceptance.json: the criteria that decide whether the work is done.

mod agree;
mod replace;

pub use agree::agree;
pub use replace::replace_check;

use crate::artefact::is_stand_in;
use crate::diagnostic::tasks::PlanLocation;
use crate::diagnostic::{Diagnostic, Report, tasks as say};
use crate::json_file;
use crate::node::{Node, pointer};
use crate::shape::{ShapeError, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use tollgate_core::task::{Check, Criterion};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AcceptanceFile {
    #[schemars(length(min = 1))]
    pub acceptance_criteria: Vec<CriterionEntry>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CriterionEntry {
    /// Such as AC-001.
    #[schemars(length(min = 1))]
    pub id: String,
    #[schemars(length(min = 1))]
    pub description: String,
    pub verify: Verify,
}

/// Commands, or texts that begin with `manual:`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum Verify {
    One(String),
    Many(Vec<String>),
}

/// The criteria when there is no error.
pub fn read(text: &str, path: &str) -> (Option<Vec<Criterion>>, Report) {
    let (node, mut report) = json_file::parse(text, path);
    let Some(node) = node else { return (None, report) };
    let file = json_file::typed::<AcceptanceFile>(&node, path, &mut report, |f| words(f, path));
    rules(&node, path, &mut report);
    let criteria = file.filter(|_| report.is_ok()).map(criteria);
    (criteria, report)
}

fn words(fault: &ShapeError, path: &str) -> Diagnostic {
    let at = PlanLocation { file: path, pointer: &fault.pointer, line: None, id: "" };
    match (fault.pointer.as_str(), &fault.wrong) {
        ("/acceptance_criteria", Wrong::Empty) => say::no_criteria(&at),
        ("", Wrong::Missing { field }) if field == "acceptance_criteria" => say::no_criteria(&at),
        _ => crate::diagnostic::shape::fault(path, fault),
    }
}

fn rules(root: &Node, path: &str, report: &mut Report) {
    let mut seen = BTreeSet::new();
    let criteria = root.get("acceptance_criteria").map(Node::items).unwrap_or_default();
    for (index, criterion) in criteria.iter().enumerate() {
        let below = pointer("/acceptance_criteria", index);
        let id = criterion.get("id").and_then(Node::as_text).unwrap_or_default();
        let at = PlanLocation { file: path, pointer: &pointer(&below, "id"), line: None, id };
        if !id.is_empty() && !seen.insert(id) {
            report.push(say::criterion_twice(&at));
        }
        let Some(verify) = criterion.get("verify") else { continue };
        let entries: Vec<&Node> = match verify.as_text() {
            Some(_) => vec![verify],
            None => verify.items().iter().collect(),
        };
        let is_blank = |node: &&Node| node.as_text().is_some_and(says_nothing);
        let is_list = matches!(verify.value, crate::node::Value::List(_));
        if (is_list && entries.is_empty()) || entries.iter().any(is_blank) {
            report.push(say::verify_empty(&PlanLocation {
                pointer: &pointer(&below, "verify"),
                ..at
            }));
        }
    }
}

/// No command, or nothing that a person could look at.
fn says_nothing(check: &str) -> bool {
    match Check::from(check.to_owned()) {
        Check::Command(said) => matches!(said.as_str(), "" | "cmd" | "manual"),
        Check::Test(_) => false,
        Check::Manual(said) => !said.contains(char::is_alphanumeric) || is_stand_in(&said),
    }
}

fn criteria(file: AcceptanceFile) -> Vec<Criterion> {
    let entry = |entry: CriterionEntry| Criterion {
        id: entry.id,
        description: entry.description,
        verify: match entry.verify {
            Verify::One(check) => vec![check.into()],
            Verify::Many(checks) => checks.into_iter().map(Into::into).collect(),
        },
    };
    file.acceptance_criteria.into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Shows, shown};
    use expect_test::expect;

    fn said(text: &str) -> String {
        let (criteria, report) = read(text, "acceptance.json");
        assert_eq!(criteria.is_some(), report.is_ok());
        let line = |c: &Criterion| format!("{} {:?} {:?}\n", c.id, c.description, c.verify);
        let criteria: String = criteria.iter().flatten().map(line).collect();
        format!("{criteria}{}", shown(&report))
    }

    #[test]
    fn r037_criteria_are_verified_by_commands_and_people() {
        said(r#"{"acceptance_criteria": [
                {"id": "AC-001", "description": "It works", "verify": ["npm test", "manual: try it"]},
                {"id": "AC-002", "description": "It is fast", "verify": "cmd: make bench", "owner": "me"}]}"#).shows(expect![[r#"
            AC-001 "It works" [Command("npm test"), Manual("try it")]
            AC-002 "It is fast" [Command("make bench")]
        "#]]);
    }

    #[test]
    fn r037_no_criterion_is_refused() {
        said("{}").shows(expect![[r#"
            error acceptance.none acceptance.json: there is no acceptance criterion
              help: Add at least one with id, description and verify
        "#]]);
        said(r#"{"acceptance_criteria": []}"#).shows(expect![[r#"
            error acceptance.none acceptance.json#/acceptance_criteria: there is no acceptance criterion
              help: Add at least one with id, description and verify
        "#]]);
        said("").shows(expect![[r#"
            error json.syntax acceptance.json:1: this is not valid JSON: the file is empty (column 1)
              help: Write the file with a JSON serializer instead of by hand
        "#]]);
        said("{} {}").shows(expect![[r#"
            error json.syntax acceptance.json: after the JSON value comes "{}"
              help: Keep exactly one JSON value
        "#]]);
        said("{\n  \"acceptance_criteria\": [}\n").shows(expect![[r#"
            error json.syntax acceptance.json:2: this is not valid JSON: expected value (column 27)
              help: Write the file with a JSON serializer instead of by hand
        "#]]);
    }

    #[test]
    fn r037_a_criterion_lacking_a_part_is_refused() {
        said(r#"{"acceptance_criteria": [
                {"id": "AC-001", "description": " "},
                {"id": "AC-001", "description": "x", "verify": []},
                {"description": "y", "verify": ["manual:"]},
                {"id": "AC-003", "description": "y", "verify": ["cmd: true", "manual: TBD"]},
                {"id": "AC-004", "description": "y", "verify": "manual"},
                {"id": 4, "description": "z", "verify": {"cmd": "x"}}]}"#).shows(expect![[r#"
            error shape.empty acceptance.json#/acceptance_criteria/0/description: `description` is empty
            error shape.field_missing acceptance.json#/acceptance_criteria/0: the field "verify" is missing
              help: Add "verify" to entry 0 of `acceptance_criteria`
            error shape.field_missing acceptance.json#/acceptance_criteria/2: the field "id" is missing
              help: Add "id" to entry 2 of `acceptance_criteria`
            error shape.wrong_type acceptance.json#/acceptance_criteria/5/id: `id` is the number 4, but a text is expected
            error shape.wrong_type acceptance.json#/acceptance_criteria/5/verify: `verify` is the object {"cmd":"x"}, but a text or a list is expected
            error acceptance.id_twice acceptance.json#/acceptance_criteria/1/id: the criterion id "AC-001" is used twice
              help: Give each its own id
            error acceptance.verify_empty acceptance.json#/acceptance_criteria/1/verify: criterion "AC-001" does not say how to verify it
              help: Give a command, or manual: and what a person has to look at
            error acceptance.verify_empty acceptance.json#/acceptance_criteria/2/verify: a criterion does not say how to verify it
              help: Give a command, or manual: and what a person has to look at
            error acceptance.verify_empty acceptance.json#/acceptance_criteria/3/verify: criterion "AC-003" does not say how to verify it
              help: Give a command, or manual: and what a person has to look at
            error acceptance.verify_empty acceptance.json#/acceptance_criteria/4/verify: criterion "AC-004" does not say how to verify it
              help: Give a command, or manual: and what a person has to look at
        "#]]);
    }
}
