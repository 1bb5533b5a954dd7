//! `tollgate findings` against the real binary.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[allow(dead_code, reason = "made for the tests of all commands that read")]
use crate::reading_support as support;

use expect_test::expect;
use std::fs;
use support::World;

/// A lean session that waits because its Reviewer remarked on a file, or is done because nobody did.
fn world(has_remark: bool) -> World {
    let world = World::repository();
    let script = world.root.join("script.json");
    let comment = r#"{"severity": "minor", "category": "naming", "file": "src/a b.rs", "line": 7, "message": "say\nwhat it \u001b[31mis", "suggested_fix": "rename"}"#;
    let reply = format!(r#"{{"artifacts": {{"review_comments": [{comment}]}}}}"#);
    let rule = format!(
        r#"{{"when": {{"role": "Reviewer"}}, "do": {{"default": true, "reply": {reply}}}}}"#
    );
    let rules = if has_remark { rule } else { String::new() };
    fs::write(&script, format!(r#"{{"rules": [{rules}]}}"#)).unwrap();
    world.write("tollgate.toml", &crate::support::scripted("crew", &script));
    let ran = world.run(&["run", "--lean", "--no-input", "Fix the greeting"]);
    assert_eq!(ran.code, if has_remark { 3 } else { 0 }, "{ran:?}");
    world
}

#[test]
fn findings_are_listed_for_people_scripts_and_services() {
    let world = world(true);
    world.run(&["findings"]).shows(expect![[r#"
        F-1   medium   open     Reviewer   src/a b.rs:7  say what it is
        exit 0
    "#]]);
    world.run(&["findings", "--json"]).shows(expect![[r#"
        [
          {
            "id": "F-1",
            "severity": "medium",
            "source": "Reviewer",
            "category": "naming",
            "file": "src/a b.rs",
            "line": "7",
            "message": "say\nwhat it \u001b[31mis",
            "status": "open"
          }
        ]
        exit 0
    "#]]);
    let sarif = world.run(&["findings", "latest", "--sarif"]);
    let read = tollgate_contract::sarif::read(&sarif.stdout, "s").unwrap();
    assert_eq!(read.len(), 1);
    assert_eq!((read[0].file.as_deref(), read[0].line.as_deref()), (Some("src/a b.rs"), Some("7")));
    assert!(!sarif.stdout.contains('\u{1b}'));
}

/// Code scanning refuses a whole file for one result without a place.
#[test]
fn r194_a_finding_without_a_file_has_a_place_in_sarif() {
    let world = World::repository();
    let script = world.root.join("script.json");
    let of =
        |file: &str| format!(r#"{{"severity": "minor", "category": "a", {file} "message": "m"}}"#);
    let comments = [of(""), of(r#""file": "a:b.txt","#)].join(", ");
    fs::write(&script, format!(
        r#"{{"rules": [{{"when": {{"role": "Reviewer"}}, "do": {{"default": true, "reply": {{"artifacts": {{"review_comments": [{comments}]}}}}}}}}]}}"#
    )).unwrap();
    world.write("tollgate.toml", &crate::support::scripted("crew", &script));
    world.run(&["run", "--lean", "--no-input", "Fix the greeting"]);
    let sarif = world.run(&["findings", "--sarif"]).stdout;
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let uri = |result: &serde_json::Value| {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].clone()
    };
    let uris: Vec<_> = results.iter().map(uri).collect();
    assert_eq!(uris, ["tollgate.toml", "a%3Ab.txt"]);
}

#[test]
fn a_session_without_findings_says_so() {
    let world = world(false);
    world.run(&["findings"]).shows(expect![[r#"
        DATE_fix-the-greeting has no findings
        exit 0
    "#]]);
    world.run(&["findings", "--json"]).shows(expect![[r#"
        []
        exit 0
    "#]]);
    world.run(&["findings", "--json", "--sarif"]).shows(expect![[r#"
        error: the argument '--json' cannot be used with '--sarif'

        Usage: tollgate findings --json [SESSION]

        For more information, try '--help'.
        exit 2
    "#]]);
}
