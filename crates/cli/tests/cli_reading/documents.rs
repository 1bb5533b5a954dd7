//! Documents: checked, described by schemas, and explained when they fail.

use crate::support::{DONE, SESSIONS, WAITING, World};
use expect_test::expect;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const GOOD_SPEC: &str = "# Goals\nx\n# Acceptance Criteria\ny\n# Definition of Done\nz\n";

#[test]
fn check_reports_the_location_of_every_error() {
    let world = World::repository();
    world.write("tasks.yaml", "tasks:\n  - id: T-001\n    depends_on: [T-001]\n");
    world.write("spec.md", GOOD_SPEC);
    world.run(&["check", "tasks.yaml", "spec.md"]).shows(expect![[r#"
        error[shape.field_missing] tasks.yaml:2: these fields are missing: "status", "goal", "acceptance_checks"
          help: Add them to entry 0 of `tasks`
        warning[tasks.no_title] tasks.yaml:2: task T-001 has no title; the first line of its goal is used
        warning[tasks.no_done_when] tasks.yaml:2: task T-001 does not say under done_when what makes it done
        warning[tasks.no_type] tasks.yaml:2: task T-001 has no type; it counts as feat
        error[tasks.no_scope] tasks.yaml:2: task T-001 does not say which files it may change
          help: List paths, globs or folders ending in / under files_expected
        error[tasks.dependency_cycle] tasks.yaml:3: these tasks wait for each other: T-001 → T-001
          help: Remove one of these dependencies
        failed: 2 documents checked, 3 errors, 3 warnings
        exit 1
    "#]]);
    world.run(&["check", "spec.md"]).shows(expect![[r#"
        ok: 1 document checked, 0 errors, 0 warnings
        exit 0
    "#]]);
}

#[test]
fn check_answers_programs_in_json() {
    let world = World::repository();
    world.write("spec.md", GOOD_SPEC);
    world.run(&["check", "--json", "spec.md"]).shows(expect![[r#"
        {
          "ok": true,
          "diagnostics": []
        }
        exit 0
    "#]]);
    world.run(&["check", "--as", "architecture", "--json", "spec.md"]).shows(expect![[r###"
        {
          "ok": false,
          "diagnostics": [
            {
              "code": "sections.missing",
              "severity": "error",
              "path": "spec.md",
              "line": null,
              "message": "the section \"Overview\" is missing",
              "help": "Add a heading such as \"## Overview\" with its content below it"
            },
            {
              "code": "sections.missing",
              "severity": "error",
              "path": "spec.md",
              "line": null,
              "message": "the section \"Modules/components\" is missing",
              "help": "Add a heading such as \"## Modules/components\" with its content below it"
            }
          ]
        }
        exit 1
    "###]]);
}

#[test]
fn check_knows_a_session_by_its_folder() {
    let world = World::with_sessions();
    let folder = format!(".agents-work/{}", world.session(DONE).file_name().unwrap().display());
    fs::write(world.session(DONE).join("tasks.yaml"), "tasks: [").unwrap();
    fs::write(world.session(DONE).join("spec.md"), "nothing\n").unwrap();
    fs::write(world.session(DONE).join("status.json"), "{}").unwrap();
    let seen = world.run(&["check", &folder]);
    assert_eq!(seen.code, 1, "{seen:?}");
    for file in ["status.json", "tasks.yaml", "spec.md"] {
        assert!(seen.stderr.contains(&format!("_fix-the-greeting/{file}")), "{file}: {seen:?}");
    }
    fs::remove_file(world.session(DONE).join("status.json")).unwrap();
    let seen = world.run(&["check", "--json", "--as", "session", &folder]);
    assert_eq!(
        (seen.code, &seen.json()["diagnostics"][0]["code"]),
        (1, &"cli.status_missing".into())
    );
}

#[test]
fn check_finds_nothing_wrong_with_a_real_session() {
    let folders = [SESSIONS.session(DONE), SESSIONS.session(WAITING)];
    let paths: Vec<&str> = folders.iter().map(|path| path.to_str().unwrap()).collect();
    let seen = SESSIONS.run(&["check", paths[0], paths[1]]);
    assert_eq!(seen.code, 0, "{seen:?}");
}

/// A repository full of things that are no documents.
fn unreadable() -> World {
    let world = World::repository();
    fs::create_dir(world.repo().join("empty")).unwrap();
    fs::create_dir(world.repo().join("spec.md")).unwrap();
    fs::write(world.repo().join("binary"), [0, 159, 146, 150, 255]).unwrap();
    fs::write(world.repo().join("tasks.yaml"), vec![b'#'; 9 * 1024 * 1024]).unwrap();
    fs::write(world.repo().join("report.md"), [b'#', 0xff, 0xfe]).unwrap();
    std::os::unix::fs::symlink("nowhere", world.repo().join("dangling.json")).unwrap();
    world
}

#[test]
fn check_says_when_it_cannot_look() {
    let world = unreadable();
    world.run(&["check", "missing.json"]).shows(expect![[r#"
        error[cli.unreadable] missing.json: it cannot be read: No such file or directory (os error 2)
          help: Check the path and your permission to read it
        failed: 0 documents checked, 1 error, 0 warnings
        exit 2
    "#]]);
    world.run(&["check", "empty"]).shows(expect![[r#"
        error[cli.kind] empty: this folder contains no session files
          help: Give a document, or the folder of a session below .agents-work
        failed: 0 documents checked, 1 error, 0 warnings
        exit 2
    "#]]);
    world.run(&["check", "binary"]).shows(expect![[r#"
        error[cli.kind] binary: neither its name nor its content shows what kind of document this is
          help: Give the kind with --as, such as `--as tasks`
        failed: 0 documents checked, 1 error, 0 warnings
        exit 2
    "#]]);
    world.run(&["check", "tasks.yaml"]).shows(expect![[r#"
        error[cli.unreadable] tasks.yaml: it cannot be read: it is larger than 8388608 bytes
          help: Check the path and your permission to read it
        failed: 0 documents checked, 1 error, 0 warnings
        exit 2
    "#]]);
    world.run(&["check", "report.md"]).shows(expect![[r#"
        error[text.not_utf8] report.md: byte 1 is not part of UTF-8 text
          help: Save the file as UTF-8
        failed: 1 document checked, 1 error, 0 warnings
        exit 1
    "#]]);
    let all = ["missing.json", "empty", "binary", "tasks.yaml", "report.md", "dangling.json"];
    let seen = world.run(&[&["check", "--json"], &all[..]].concat());
    let found = seen.json();
    assert_eq!((seen.code, found["ok"].as_bool()), (2, Some(false)));
    assert_eq!(found["diagnostics"].as_array().unwrap().len(), all.len());
}

#[test]
fn check_refuses_a_kind_that_does_not_fit() {
    let world = unreadable();
    world.run(&["check", "--as", "spec", "spec.md"]).shows(expect![[r#"
        error[cli.unreadable] spec.md: it cannot be read: it is a folder
          help: Check the path and your permission to read it
        failed: 0 documents checked, 1 error, 0 warnings
        exit 2
    "#]]);
    world.run(&["check", "--as", "session", "binary"]).shows(expect![[r#"
        error[cli.kind] binary: a session is a folder
          help: Give the session's folder
        failed: 0 documents checked, 1 error, 0 warnings
        exit 2
    "#]]);
    world.run(&["check", "--as", "task", "binary"]).shows(expect![[r#"
        error: there is no kind of document called "task"
         help: did you mean `--as tasks`?
               for details, run `tollgate explain cli.kind`
        exit 2
    "#]]);
    world.run(&["check", "--as", "weather", "binary"]).shows(expect![[r#"
        error: there is no kind of document called "weather"
         help: known: session, status, tasks, acceptance, spec, architecture, report, work-item, agent-input, agent-output, planner-result, implementor-result, reviewer-result, action, skill, lifecycle, config
               for details, run `tollgate explain cli.kind`
        exit 2
    "#]]);
}

#[test]
fn check_of_a_file_that_may_not_be_read_says_so() {
    let world = World::repository();
    world.write("spec.md", "# Goals\n");
    let path = world.repo().join("spec.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        // Who may read everything cannot be refused.
        return;
    }
    let seen = world.run(&["check", "spec.md"]);
    assert_eq!(seen.code, 2);
    assert!(seen.stderr.contains("Permission denied"), "{seen:?}");
}

#[test]
fn r119_text_of_checked_files_reaches_the_terminal_clean() {
    let world = World::repository();
    world.write("tollgate.toml", "\"bad\\u001b[31m\\u202ekey\" = 1\n");
    world.write("reply.json", "{\"status\": \"\\u001b]0;x\\u0007\u{9b}2J\", \"summary\": \"s\"}");
    for json in [&["--json"][..], &[]] {
        let args = [&["check", "tollgate.toml", "reply.json"], json].concat();
        let output = world.tollgate().args(args).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}']), "{text:?}");
    }
}

#[test]
fn schemas_are_listed_and_printed() {
    let world = World::empty();
    world.run(&["schema"]).shows(expect![[r#"
        agent-input
        agent-output
        planner-result
        implementor-result
        reviewer-result
        status
        tasks
        acceptance
        lifecycle
        config
        action
        skill
        exit 0
    "#]]);
    for name in world.run(&["schema", "--json"]).json().as_array().unwrap() {
        let schema = world.run(&["schema", name.as_str().unwrap()]);
        assert_eq!((schema.code, schema.json().is_object()), (0, true), "{name}");
    }
    world.run(&["schema", "task"]).shows(expect![[r#"
        error: there is no schema "task"
         help: did you mean `tollgate schema tasks`?
               for details, run `tollgate explain cli.schema`
        exit 2
    "#]]);
}

#[test]
fn codes_are_explained() {
    let world = World::empty();
    world.run(&["explain", "timeout"]).shows(expect![[r#"
        timeout

        An agent, together with every process it started, ran longer than its limit and was stopped. Tollgate does not retry
        a timeout by itself: the same work would probably take just as long again.

        What to do: answer `extend: DURATION` (such as `extend: 45m`) for this dispatch, raise the limit of the role under
        [timeout] in tollgate.toml, or make the task smaller with `retry: GUIDANCE`.
        exit 0
    "#]]);
    world.run(&["explain", "[cli.no_agent]", "--json"]).shows(expect![[r#"
        {
          "code": "cli.no_agent",
          "text": "The run cannot start because an agent is missing: no agent plays one of its roles, the program of an agent or of one\nin its `fallback` list is not installed, or the command line names an agent that tollgate.toml does not define.\nNothing was started.\n\nWhat to do: install the program, or give its path as `program` of its [agent.NAME]; `tollgate agents` shows which\nagents are installed. If a role has no agent, define one as [agent.NAME] in tollgate.toml and name it under [roles]\nas `default` or for the role. `tollgate init` writes a file to start from, `tollgate doctor` checks it."
        }
        exit 0
    "#]]);
    world.run(&["explain", "timeuot"]).shows(expect![[r#"
        error: there is no code "timeuot"
         help: `tollgate explain` lists every code
         help: did you mean `tollgate explain timeout`?
               for details, run `tollgate explain cli.code`
        exit 2
    "#]]);
    world.run(&["explain", "weather"]).shows(expect![[r#"
        error: there is no code "weather"
         help: `tollgate explain` lists every code
               for details, run `tollgate explain cli.code`
        exit 2
    "#]]);
    for page in world.run(&["explain", "--json"]).json().as_array().unwrap() {
        let code = page["code"].as_str().unwrap();
        assert_eq!(page["text"].as_str().map(|text| text.ends_with('.')), Some(true), "{code}");
    }
}
