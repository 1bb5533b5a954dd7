//! `tollgate gates` against the real binary: which gates run, what they say, and that none outlives its limits.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::reading_support as support;

use expect_test::expect;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::{Seen, World};
use tollgate_process as process;

const GLOSSARY: &str = "planning-mds/domain/glossary.md";

/// A command with its exit code and both streams; how long things took is left out.
fn timeless(world: &World, args: &[&str]) -> Seen {
    let Seen { code, stdout, stderr } = world.run(args);
    let line = |line: &str| match (line.strip_suffix(" ms"), line.split_once("\"duration_ms\": ")) {
        (Some(rest), _) => format!("{} MS\n", rest.trim_end_matches(|c: char| c.is_ascii_digit())),
        (None, Some((rest, _))) => format!("{rest}\"duration_ms\": MS\n"),
        (None, None) => format!("{line}\n"),
    };
    let without = |text: String| text.lines().map(line).collect();
    Seen { code, stdout: without(stdout), stderr: without(stderr) }
}

/// A lifecycle with one stage `now` that requires these gates, and another that requires nothing of them.
fn lifecycle(gates: &[(&str, &str)]) -> String {
    let names: Vec<&str> = gates.iter().map(|(name, _)| *name).collect();
    let gates: String =
        gates.iter().map(|(name, argv)| format!("  {name}: {{command: {argv}}}\n")).collect();
    format!(
        "version: 1\ncurrent_stage: now\nstages:\n  now: {{required_gates: [{}]}}\n  later: {{required_gates: [other]}}\n\
         gates:\n{gates}  other: {{command: [touch, other-ran]}}\n",
        names.join(", ")
    )
}

fn script(world: &World, path: &str, text: &str) {
    world.write(path, &format!("#!/bin/sh\n{text}\n"));
    let path = world.repo().join(path);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn r062_a_blocked_term_fails_in_agents_and_not_in_planning() {
    let world = World::repository();
    world.write(GLOSSARY, "# Glossary\n\n## Blocked terms\n\n- Broker: sells policies\n");
    world.write("planning-mds/BLUEPRINT.md", "# Blueprint\n\nThe broker sells.\n");
    world.write("agents/coder/SKILL.md", "# Coder\n\nWrites code.\n");
    assert_eq!(world.run(&["gates"]).code, 0);
    world.write("agents/coder/SKILL.md", "# Coder\n\nAsks the BROKER first.\n");
    timeless(&world, &["gates"]).shows(expect![[r#"
        failed boundary         MS
        ok     planning-files   MS
        note: there is no lifecycle-stage.yaml; the built-in stages are used
        gate 1 of 2: boundary
        gate 2 of 2: planning-files
        failed: boundary (exit code 1)
          | error[gate.term_blocked] agents/coder/SKILL.md:3: "Broker" is a term of the solution (planning-mds/domain/glossary.md:5)
          |   help: Use general words, or move the text to planning-mds/
          help: fix it, then run it alone: tollgate gates --builtin boundary
        failed: 1 of 2 gates of stage framework-bootstrap failed
        exit 1
    "#]]);
}

#[test]
fn r087_exactly_the_gates_of_the_stage_run_in_their_order_in_the_root() {
    let world = World::repository();
    script(&world, "first.sh", "echo first >> ran; pwd > where");
    let gates = [("b", "[./first.sh]"), ("a", "[sh, -c, \"echo second >> ran\"]")];
    world.write("lifecycle-stage.yaml", &lifecycle(&gates));
    fs::create_dir(world.repo().join("deep")).unwrap();
    let output =
        world.tollgate().arg("gates").current_dir(world.repo().join("deep")).output().unwrap();
    assert_eq!(world.seen(output).code, 0);
    let read = |name: &str| fs::read_to_string(world.repo().join(name)).unwrap();
    assert_eq!(read("ran"), "first\nsecond\n");
    assert_eq!(read("where").trim(), world.repo().to_str().unwrap());
    assert!(!world.repo().join("other-ran").exists());

    assert_eq!(world.run(&["gates", "--stage", "later"]).code, 0);
    assert!(world.repo().join("other-ran").exists());
    assert_eq!(read("ran"), "first\nsecond\n");
}

#[test]
fn r087_an_unknown_stage_or_gate_is_distinguished_from_a_gate_that_fails() {
    let world = World::repository();
    world.write("lifecycle-stage.yaml", &lifecycle(&[("a", "[touch, ran]"), ("b", "[\"false\"]")]));
    timeless(&world, &["gates", "--stage", "latr"]).shows(expect![[r#"
        error: there is no stage "latr"; no gate was run
         help: did you mean "later"?
               for details, run `tollgate explain cli.lifecycle`
        exit 2
    "#]]);
    assert!(!world.repo().join("ran").exists());
    assert_eq!(world.run(&["gates"]).code, 1);
    fs::remove_file(world.repo().join("ran")).unwrap();

    let good = lifecycle(&[("a", "[touch, ran]")]);
    world.write("lifecycle-stage.yaml", &good.replace("[other]", "[othr]"));
    timeless(&world, &["gates"]).shows(expect![[r#"
        error[lifecycle.gate_undefined] lifecycle-stage.yaml:5: stage "later" requires the gate "othr", which is not defined under `gates`
          help: Did you mean "other"?
        error: lifecycle-stage.yaml has 1 error; no gate was run
         help: fix the lines above and run the command again
               for details, run `tollgate explain cli.lifecycle`
        exit 2
    "#]]);
    world
        .write("lifecycle-stage.yaml", &good.replace("current_stage: now", "current_stage: never"));
    timeless(&world, &["gates", "--json"]).shows(expect![[r#"
        error[lifecycle.stage_unknown] lifecycle-stage.yaml:2: the current stage "never" is not one of the stages
          help: Known: now or later.
        error: lifecycle-stage.yaml has 1 error; no gate was run
         help: fix the lines above and run the command again
               for details, run `tollgate explain cli.lifecycle`
        exit 2
    "#]]);
    assert!(!world.repo().join("ran").exists());
}

#[test]
fn r088_one_failing_gate_fails_the_whole_and_the_others_still_run() {
    let world = World::repository();
    let gates = [
        ("good", "[\"true\"]"),
        ("bad", "[sh, -c, \"echo out; printf '\\\\033[31mred\\\\n' >&2; exit 7\"]"),
        ("absent", "[no-such-program, 'a b']"),
        ("last", "[touch, last-ran]"),
    ];
    world.write("lifecycle-stage.yaml", &lifecycle(&gates));
    timeless(&world, &["gates"]).shows(expect![[r#"
        ok     good     MS
        failed bad      MS
        failed absent   MS
        ok     last     MS
        gate 1 of 4: good
        gate 2 of 4: bad
        gate 3 of 4: absent
        gate 4 of 4: last
        failed: bad (exit code 7)
          | out
          | red
          help: fix it, then run it alone: sh -c 'echo out; printf '\''\033[31mred\n'\'' >&2; exit 7'
        failed: absent (could not start no-such-program: not found on PATH)
          help: fix it, then run it alone: no-such-program 'a b'
        failed: 2 of 4 gates of stage now failed
        exit 1
    "#]]);
    assert!(world.repo().join("last-ran").exists());
    let seen = world.run(&["gates", "--json"]);
    let json = seen.json();
    assert_eq!(json["ok"], false);
    assert_eq!(json["stage"], "now");
    let codes: Vec<String> =
        json["gates"].as_array().unwrap().iter().map(|g| g["exit_code"].to_string()).collect();
    assert_eq!(codes, ["0", "7", "null", "0"]);
    for gate in json["gates"].as_array().unwrap() {
        let keys: Vec<&String> = gate.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["duration_ms", "exit_code", "name", "ok"], "{gate}");
    }
}

#[test]
fn a_gate_that_hangs_is_ended_with_everything_it_started() {
    let world = World::repository();
    world.write("tollgate.toml", "[timeout]\ncheck = \"3s\"\n");
    let hanging = "[sh, -c, \"setsid sh -c 'echo $$ > pid; exec sleep 60' & sleep 60\"]";
    world.write("lifecycle-stage.yaml", &lifecycle(&[("hangs", hanging), ("next", "[\"true\"]")]));
    timeless(&world, &["gates"]).shows(expect![[r#"
        failed hangs   MS
        ok     next    MS
        gate 1 of 2: hangs
        gate 2 of 2: next
        failed: hangs (not finished after 3 s, the limit of `[timeout] check` in tollgate.toml)
          help: fix it, then run it alone: sh -c 'setsid sh -c '\''echo $$ > pid; exec sleep 60'\'' & sleep 60'
        failed: 1 of 2 gates of stage now failed
        exit 1
    "#]]);
    assert_gone(&world.repo().join("pid"));
}

/// The number may be that of a namespace, so the process is looked for by what it is.
#[track_caller]
fn assert_gone(pid_file: &Path) {
    assert!(pid_file.exists(), "the gate did not get as far as it should");
    let folder = pid_file.parent().unwrap().canonicalize().unwrap();
    let left: Vec<_> = process::alive().filter(|it| it.cwd.as_ref() == Some(&folder)).collect();
    assert_eq!(left, []);
}

#[test]
fn a_gate_that_floods_its_output_is_stopped_at_its_limit() {
    let world = World::repository();
    world.write("tollgate.toml", "[limits]\noutput_bytes = 100000\n");
    world.write("lifecycle-stage.yaml", &lifecycle(&[("floods", "[\"yes\", words]")]));
    let seen = world.run(&["gates"]);
    assert_eq!(seen.code, 1);
    assert!(
        seen.stderr.contains("floods (more than 100000 bytes of output, the limit of `[limits]"),
        "{seen:?}"
    );
    assert!(seen.stderr.len() < 20_000, "{}", seen.stderr.len());
}

#[test]
fn the_runner_is_put_before_every_gate_but_those_of_this_program() {
    let world = World::repository();
    script(&world, "box.sh", "echo \"boxed $*\" >> boxed; shift; exec \"$@\"");
    world.write("tollgate.toml", "[check]\nrunner = [\"./box.sh\", \"--rm\"]\n");
    let gates =
        [("ours", "[tollgate, gates, --builtin, boundary]"), ("theirs", "[sh, -c, \"exit 3\"]")];
    world.write("lifecycle-stage.yaml", &lifecycle(&gates));
    let seen = world.run(&["gates"]);
    assert_eq!(seen.code, 1);
    assert!(seen.stderr.contains("theirs (exit code 3)"), "{seen:?}");
    assert!(seen.stderr.contains("run it alone: ./box.sh --rm sh -c 'exit 3'"), "{seen:?}");
    let boxed = fs::read_to_string(world.repo().join("boxed")).unwrap();
    assert_eq!(boxed, "boxed --rm sh -c exit 3\n");
}

#[test]
fn a_gate_gets_no_secret_and_shows_none() {
    let world = World::repository();
    let gate = "[sh, -c, \"echo seen: $API_TOKEN; cat token; exit 1\"]";
    world.write("lifecycle-stage.yaml", &lifecycle(&[("leaks", gate)]));
    world.write("token", "hunter2hunter2\n");
    let output = world.tollgate().arg("gates").env("API_TOKEN", "hunter2hunter2").output().unwrap();
    let seen = world.seen(output);
    assert_eq!(seen.code, 1);
    assert!(seen.stderr.contains("seen:\n") && !seen.stderr.contains("hunter2"), "{seen:?}");
}

#[test]
fn an_interrupt_ends_the_gate_that_runs() {
    let world = World::repository();
    let gates = [("waits", "[sh, -c, \"echo $$ > pid; exec sleep 60\"]"), ("next", "[touch, ran]")];
    world.write("lifecycle-stage.yaml", &lifecycle(&gates));
    let child = world
        .tollgate()
        .arg("gates")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while fs::read_to_string(world.repo().join("pid")).map_or(true, |text| text.is_empty()) {
        assert!(Instant::now() < deadline, "the gate does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let seen = world.seen(child.wait_with_output().unwrap());
    assert_eq!(seen.code, 130, "{seen:?}");
    assert!(seen.stderr.contains("interrupted"), "{seen:?}");
    assert!(!world.repo().join("ran").exists());
    assert_gone(&world.repo().join("pid"));
}

#[test]
fn gates_need_no_agents_and_say_where_they_come_from() {
    let world = World::repository();
    timeless(&world, &["gates"]).shows(expect![[r#"
        ok     boundary         MS
        ok     planning-files   MS
        note: there is no lifecycle-stage.yaml; the built-in stages are used
        gate 1 of 2: boundary
        gate 2 of 2: planning-files
        ok: all gates of stage framework-bootstrap pass (2)
        exit 0
    "#]]);
    timeless(&world, &["gates", "--json", "--stage", "framework-bootstrap"]).shows(expect![[r#"
        {
          "ok": true,
          "stage": "framework-bootstrap",
          "gates": [
            {
              "name": "boundary",
              "ok": true,
              "exit_code": 0,
              "duration_ms": MS
            },
            {
              "name": "planning-files",
              "ok": true,
              "exit_code": 0,
              "duration_ms": MS
            }
          ]
        }
        note: there is no lifecycle-stage.yaml; the built-in stages are used
        gate 1 of 2: boundary
        gate 2 of 2: planning-files
        ok: all gates of stage framework-bootstrap pass (2)
        exit 0
    "#]]);
    world.write("own.yaml", &lifecycle(&[("own", "[sh, -c, 'a b']")]));
    timeless(&world, &["gates", "--list", "--config", "own.yaml"]).shows(expect![[r#"
        * now: own
          later: other
        gate own: sh -c 'a b'
        gate other: touch other-ran
        * the selected stage; source: own.yaml
        exit 0
    "#]]);
    let listed = world.run(&["gates", "--list", "--json"]).json();
    assert_eq!(listed["source"], "built-in");
    assert_eq!(listed["stages"].as_array().unwrap().len(), 4);
    assert_eq!(World::empty().run(&["gates"]).code, 2);
}

#[test]
fn r153_the_strict_stages_demand_what_the_early_ones_only_look_at() {
    let world = World::repository();
    timeless(&world, &["gates", "--stage", "implementation"]).shows(expect![[r#"
        ok     boundary-strict            MS
        failed planning-files-strict      MS
        failed api-contract-strict        MS
        failed security-evidence-strict   MS
        failed infrastructure-strict      MS
        failed security-planning-strict   MS
        note: there is no lifecycle-stage.yaml; the built-in stages are used
        gate 1 of 6: boundary-strict
        gate 2 of 6: planning-files-strict
        gate 3 of 6: api-contract-strict
        gate 4 of 6: security-evidence-strict
        gate 5 of 6: infrastructure-strict
        gate 6 of 6: security-planning-strict
        failed: planning-files-strict (exit code 1)
          | error[gate.file_missing] planning-mds/BLUEPRINT.md: the planning document does not exist
          |   help: Write it; `tollgate run --action init` makes a scaffold
          | error[gate.file_missing] planning-mds/domain/glossary.md: the planning document does not exist
          |   help: Write it; `tollgate run --action init` makes a scaffold
          | error[gate.file_missing] planning-mds/architecture/SOLUTION-PATTERNS.md: the planning document does not exist
          |   help: Write it; `tollgate run --action init` makes a scaffold
          help: fix it, then run it alone: tollgate gates --builtin planning-files --strict
        failed: api-contract-strict (exit code 1)
          | error[gate.api_missing] planning-mds/api: there is no API contract
          |   help: Add one as .yaml, .yml or .json, or remove the gate from the stage
          help: fix it, then run it alone: tollgate gates --builtin api-contract --strict
        failed: security-evidence-strict (exit code 1)
          | error[gate.evidence_missing] planning-mds/security: there is no security evidence
          |   help: Add review notes or scan results
          help: fix it, then run it alone: tollgate gates --builtin security-evidence --strict
        failed: infrastructure-strict (exit code 1)
          | error[gate.infrastructure_missing] Dockerfile: nothing defines the image that the application runs in
          |   help: Add one; `tollgate explain gate.infrastructure_missing` lists what counts and where
          | error[gate.infrastructure_missing] compose.yaml: nothing describes what is started together
          |   help: Add one; `tollgate explain gate.infrastructure_missing` lists what counts and where
          | error[gate.infrastructure_missing] .github/workflows: no pipeline builds and tests the application
          |   help: Add one; `tollgate explain gate.infrastructure_missing` lists what counts and where
          | error[gate.infrastructure_missing] .env.example: there is no example of the environment
          |   help: Add one; `tollgate explain gate.infrastructure_missing` lists what counts and where
          help: fix it, then run it alone: tollgate gates --builtin infrastructure --strict
        failed: security-planning-strict (exit code 1)
          | error[gate.security_missing] planning-mds/security/threat-model.md: the security document does not exist
          |   help: Write it, with the line `Status: approved` once it is decided
          | error[gate.security_missing] planning-mds/security/authorization-review.md: the security document does not exist
          |   help: Write it, with the line `Status: approved` once it is decided
          | error[gate.security_missing] planning-mds/security/data-protection.md: the security document does not exist
          |   help: Write it, with the line `Status: approved` once it is decided
          | error[gate.security_missing] planning-mds/security/secrets-management.md: the security document does not exist
          |   help: Write it, with the line `Status: approved` once it is decided
          | error[gate.review_missing] planning-mds/security/reviews: there is no dated security review
          |   help: Write one, named after its day, such as security-review-DATE.md
          help: fix it, then run it alone: tollgate gates --builtin security-planning --strict
        failed: 5 of 6 gates of stage implementation failed
        exit 1
    "#]]);
    world.write("planning-mds/BLUEPRINT.md", "# Blueprint\n");
    world.write(GLOSSARY, "# Glossary\n\n- **Broker**: sells\n");
    world.write("planning-mds/architecture/SOLUTION-PATTERNS.md", "# Patterns\n");
    let contract = "openapi: 3.1.0\ninfo: {title: Shop}\npaths: {/items: {}}\n";
    world.write("planning-mds/api/shop.yaml", contract);
    world.write("planning-mds/security/review.md", "# Review\n\nTBD\n");
    for (stage, code) in [("framework-bootstrap", 0), ("planning", 1), ("implementation", 1)] {
        assert_eq!(world.run(&["gates", "--stage", stage]).code, code, "{stage}");
    }
    world.write("planning-mds/security/review.md", "# Review\n\nNothing was found.\n");
    assert_eq!(world.run(&["gates", "--stage", "planning"]).code, 0);
    let seen = world.run(&["gates", "--stage", "release-readiness"]);
    assert_eq!(seen.code, 1);
    assert!(seen.stderr.contains("2 of 6 gates of stage release-readiness failed"), "{seen:?}");
    world.write("Dockerfile", "FROM alpine\nCOPY app /app\n");
    world.write("compose.yaml", "services: {app: {build: .}}\n");
    world.write(".github/workflows/ci.yml", "jobs: {test: {steps: [{run: make test}]}}\n");
    world.write(".env.example", "PORT=8080\n");
    let plan = "# Plan\n\nStatus: approved\n\n## At stake\n\nMoney.\n\n## Measures\n\nLocks.\n\n## Left\n\nLittle.\n";
    for name in ["threat-model", "authorization-review", "data-protection", "secrets-management"] {
        world.write(&format!("planning-mds/security/{name}.md"), plan);
    }
    world.write(
        "planning-mds/security/reviews/security-review-2026-02-07.md",
        "# Review\n\nAll was read.\n",
    );
    for stage in ["planning", "implementation", "release-readiness"] {
        let seen = world.run(&["gates", "--stage", stage]);
        assert_eq!(seen.code, 0, "{stage} {seen:?}");
    }
}

#[test]
fn unusable_settings_are_reported_and_run_nothing() {
    let world = World::repository();
    world.write("lifecycle-stage.yaml", &lifecycle(&[("a", "[touch, ran]")]));
    world.write("tollgate.toml", "[check]\nrunnr = []\n");
    timeless(&world, &["gates"]).shows(expect![[r#"
        error[shape.field_unknown] tollgate.toml:2: there is no field "runnr" here
          help: Did you mean "runner"?
        error: the settings have 1 error
         help: fix the lines above and run the command again
               for details, run `tollgate explain cli.settings`
        exit 2
    "#]]);
    assert!(!world.repo().join("ran").exists());
    fs::remove_file(world.repo().join("tollgate.toml")).unwrap();

    timeless(&world, &["gates", "--config", "none.yaml"]).shows(expect![[r#"
        error: none.yaml cannot be read: No such file or directory (os error 2)
         help: check the path and your permission to read it
               for details, run `tollgate explain cli.lifecycle`
        exit 2
    "#]]);
    world.write("own.yaml", &lifecycle(&[("own", "[\"true\"]")]));
    timeless(&world, &["gates", "--config", "own.yaml"]).shows(expect![[r#"
        ok     own   MS
        gate 1 of 1: own
        ok: all gates of stage now pass (1)
        exit 0
    "#]]);
    timeless(&world, &["gates", "--builtin", "weather"]).shows(expect![[r#"
        error: there is no built-in gate "weather"
         help: known: boundary, planning-files, api-contract, security-evidence, infrastructure, security-planning
               for details, run `tollgate explain cli.gates`
        exit 2
    "#]]);
    world.write("lifecycle-stage.yaml", &lifecycle(&[("again", "[tollgate, gates]")]));
    timeless(&world, &["gates"]).shows(expect![[r#"
        failed again   MS
        gate 1 of 1: again
        failed: again (exit code 2)
          | error: a gate cannot run all gates again
          |  help: use `tollgate gates --builtin NAME` or another program as its command
          |        for details, run `tollgate explain cli.gates`
          help: fix it, then run it alone: tollgate gates
        failed: 1 of 1 gate of stage now failed
        exit 1
    "#]]);
    timeless(&world, &["check", "lifecycle-stage.yaml"]).shows(expect![[r#"
        ok: 1 document checked, 0 errors, 0 warnings
        exit 0
    "#]]);
}

#[test]
fn r153_a_stage_of_a_running_application_without_its_gates_is_an_error_of_the_file() {
    let world = World::repository();
    let file = |stage: &str, gates: &str| {
        format!(
            "version: 1\ncurrent_stage: now\nstages:\n  now: {{required_gates: []}}\n  {stage}: {{required_gates: [{gates}]}}\ngates:\n  lint: {{command: [touch, ran]}}\n"
        )
    };
    for stage in ["implementation", "release-readiness"] {
        for gates in ["", "lint"] {
            world.write("lifecycle-stage.yaml", &file(stage, gates));
            let words =
                format!("stage \"{stage}\" requires no gate about infrastructure or security");
            for (args, code) in [
                (&["gates"][..], 2),
                (&["gates", "--stage", stage], 2),
                (&["check", "lifecycle-stage.yaml"], 1),
            ] {
                let seen = world.run(args);
                assert_eq!(seen.code, code, "{args:?} {seen:?}");
                let said = format!("{}{}", seen.stdout, seen.stderr);
                assert!(
                    said.contains("lifecycle.no_strict_gate") && said.contains(&words),
                    "{said}"
                );
            }
            assert!(!world.repo().join("ran").exists(), "no gate was run");
        }
    }
    world.write("lifecycle-stage.yaml", &file("later", ""));
    assert_eq!(world.run(&["gates"]).code, 0);
}
