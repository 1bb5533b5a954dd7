//! Sessions: the list, the log and the audit, whole and damaged.

use crate::support::{DONE, SESSIONS, WAITING, World, flip_byte_in_line};
use expect_test::expect;
use serde_json::Value;
use std::fs;
use std::io::Read as _;
use std::process::Stdio;

#[test]
fn sessions_are_listed_the_newest_first() {
    SESSIONS.run(&["sessions"]).shows(expect![[r#"
          #  SESSION                      ACTION      STATE             NOW           UPDATED                         DISK
          1  DATE_add-a-greeting    deliver     APPROVE_DESIGN    your turn     TIME   SIZE
          2  DATE_fix-the-greeting  lean        DONE              done          TIME   SIZE
        exit 0
    "#]]);
    SESSIONS.run(&["sessions", "--json"]).shows(expect![[r#"
        [
          {
            "session": "DATE_add-a-greeting",
            "action": "deliver",
            "state": "APPROVE_DESIGN",
            "standing": "your-turn",
            "updated_at": "TIME",
            "goal": "Add a greeting",
            "waiting": 1,
            "asked": {
              "decision_id": "UD-APPROVE-DESIGN",
              "kind": "approve",
              "asked_at": "TIME"
            },
            "at_work": 0,
            "dispatches": 3,
            "agent_ms": 0,
            "usd": null,
            "running": false,
            "disk_bytes": 0
          },
          {
            "session": "DATE_fix-the-greeting",
            "action": "lean",
            "state": "DONE",
            "standing": "done",
            "updated_at": "TIME",
            "goal": "Fix the greeting",
            "waiting": 0,
            "asked": null,
            "at_work": 0,
            "dispatches": 4,
            "agent_ms": 0,
            "usd": null,
            "running": false,
            "disk_bytes": 0
          }
        ]
        exit 0
    "#]]);
}

#[test]
fn a_repository_without_sessions_is_not_an_error() {
    let world = World::repository();
    world.run(&["sessions"]).shows(expect![[r#"
        there are no sessions here yet; start one with `tollgate run "GOAL"`
        exit 0
    "#]]);
    world.run(&["sessions", "--json"]).shows(expect![[r#"
        []
        exit 0
    "#]]);
    world.run(&["log"]).shows(expect![[r#"
        error: there are no sessions here yet; start one with `tollgate run "GOAL"`
               for details, run `tollgate explain cli.session`
        exit 2
    "#]]);
    world.run(&["audit", "--json"]).shows(expect![[r#"
        error: there are no sessions here yet; start one with `tollgate run "GOAL"`
               for details, run `tollgate explain cli.session`
        exit 2
    "#]]);
}

#[test]
fn outside_a_repository_there_is_a_way_out() {
    World::empty().run(&["sessions"]).shows(expect![[r#"
        error: /world/repo is not in a git repository; go to one, or create one with `git init`
               for details, run `tollgate explain cli.repository`
        exit 2
    "#]]);
    World::empty().run(&["init"]).shows(expect![[r#"
        error: /world/repo is not in a git repository; go to one, or create one with `git init`
               for details, run `tollgate explain cli.repository`
        exit 2
    "#]]);
}

#[test]
fn r115_a_damaged_journal_is_named_and_hides_no_other_session() {
    let world = World::with_sessions();
    let journal = world.session(DONE).join("journal.jsonl");
    flip_byte_in_line(&journal, 3);
    let name = format!("{}", world.session(DONE).file_name().unwrap().display());
    world.run(&["sessions"]).shows(expect![[r#"
          #  SESSION                      ACTION      STATE             NOW           UPDATED                         DISK
          1  DATE_add-a-greeting    deliver     APPROVE_DESIGN    your turn     TIME   SIZE
          2  DATE_fix-the-greeting  -           -                 unreadable    -                                0 B
        warning: DATE_fix-the-greeting: the journal /world/repo/.agents-work/DATE_fix-the-greeting/journal.jsonl is damaged at line 3 (record 3): its hash does not match its content and the record before it. Nothing was repaired; the records before it are intact. Restore a copy of the file from before the damage, or start a new session
        exit 0
    "#]]);
    let listed = world.run(&["sessions", "--json"]).json();
    assert_eq!(listed[1]["state"], Value::Null);
    assert_eq!(listed[0]["state"], "APPROVE_DESIGN");
    world.run(&["log", &name]).shows(expect![[r#"
        error: the journal /world/repo/.agents-work/DATE_fix-the-greeting/journal.jsonl is damaged at line 3 (record 3): its hash does not match its content and the record before it. Nothing was repaired; the records before it are intact. Restore a copy of the file from before the damage, or start a new session
         help: keep the folder as it is; accepted work is on the session's branch
               for details, run `tollgate explain cli.journal_damaged`
        exit 6
    "#]]);
    world.run(&["audit", &name, "--verify"]).shows(expect![[r#"
        error: the journal /world/repo/.agents-work/DATE_fix-the-greeting/journal.jsonl is damaged at line 3 (record 3): its hash does not match its content and the record before it. Nothing was repaired; the records before it are intact. Restore a copy of the file from before the damage, or start a new session
         help: keep the folder as it is; accepted work is on the session's branch
               for details, run `tollgate explain cli.journal_damaged`
        exit 6
    "#]]);
    let verified = world.run(&["audit", &name, "--verify", "--json"]);
    assert_eq!((verified.code, &verified.json()["ok"]), (6, &Value::Bool(false)));
    assert_eq!(world.run(&["audit", &name]).code, 6);
}

#[test]
fn r115_an_unfinished_last_record_is_reported_and_is_not_damage() {
    let world = World::with_sessions();
    let journal = world.session(WAITING).join("journal.jsonl");
    let mut bytes = fs::read(&journal).unwrap();
    bytes.extend_from_slice(b"{\"seq\":");
    fs::write(&journal, bytes).unwrap();
    world.run(&["audit", "latest", "--verify"]).shows(expect![[r#"
        DATE_add-a-greeting: the chain is intact, 28 records, last hash HASH
        after it there is an unfinished record of 7 bytes; a resume sets it aside
        exit 0
    "#]]);
    assert_eq!(world.run(&["log", "latest"]).code, 0);
}

#[test]
fn a_journal_that_opens_no_session_is_refused() {
    let world = World::with_sessions();
    let name = world.session(WAITING).file_name().unwrap().to_str().unwrap().to_owned();
    fs::write(world.session(WAITING).join("journal.jsonl"), "").unwrap();
    world.run(&["audit", &name]).shows(expect![[r#"
        error: DATE_add-a-greeting has not started yet
               for details, run `tollgate explain cli.session`
        exit 2
    "#]]);
    world.run(&["sessions"]).shows(expect![[r#"
          #  SESSION                      ACTION      STATE             NOW           UPDATED                         DISK
          1  DATE_fix-the-greeting  lean        DONE              done          TIME   SIZE
          2  DATE_add-a-greeting    -           -                 not begun     -                                0 B
        warning: DATE_add-a-greeting has not started
        exit 0
    "#]]);
    assert_eq!(world.run(&["log", &name]).code, 2);
    fs::remove_file(world.session(WAITING).join("journal.jsonl")).unwrap();
    world.run(&["log", &name]).shows(expect![[r#"
        error: cannot open the journal /world/repo/.agents-work/DATE_add-a-greeting/journal.jsonl: No such file or directory (os error 2)
         help: check that the file exists and that you may read it
               for details, run `tollgate explain cli.session`
        exit 2
    "#]]);
    assert_eq!(world.run(&["sessions", "--json"]).json()[1]["state"], Value::Null);
    fs::create_dir(world.session(WAITING).join("journal.jsonl")).unwrap();
    for args in [&["log", &name][..], &["audit", &name], &["audit", &name, "--verify"]] {
        let seen = world.run(args);
        assert_eq!(seen.code, 2, "{seen:?}");
        assert!(seen.stderr.contains("Is a directory"), "{seen:?}");
    }
    assert_eq!(world.run(&["sessions"]).code, 0);
}

#[test]
fn a_prefix_must_be_unique_and_known() {
    let date = SESSIONS.session(DONE).file_name().unwrap().to_str().unwrap()[..10].to_owned();
    let ambiguous = SESSIONS.run(&["log", &date]);
    assert_eq!(ambiguous.code, 2);
    let both = "matches several sessions: DATE_add-a-greeting, DATE_fix-the-greeting";
    assert!(ambiguous.stderr.contains(both), "{ambiguous:?}");
    let unique = SESSIONS.run(&["log", &format!("{date}_f")]);
    assert!(unique.stdout.contains("DATE_fix-the-greeting (lean)"), "{unique:?}");
    SESSIONS.run(&["log", "nothing"]).shows(expect![[r#"
        error: no session matches "nothing"; `tollgate sessions` lists them
               for details, run `tollgate explain cli.session`
        exit 2
    "#]]);
}

#[test]
fn r119_the_log_shows_every_record_without_control_sequences() {
    SESSIONS.run(&["log"]).shows(expect![[r#"
            1  TIME  session   DATE_add-a-greeting (deliver)
            2  TIME  state     INTAKE
            3  TIME  dispatch  #1 SpecAgent session for step 1
            4  TIME  start     #1 SpecAgent session
            5  TIME  noted     #1 SpecAgent session: built-in spec-agent
            6  TIME  reply     #1 SpecAgent session: OK – SpecAgent did its part of meta.
            7  TIME  ok        #1 SpecAgent session
            8  TIME  criteria  1 acceptance criteria
            9  TIME  skip      DESIGN: Researcher was not requested
           10  TIME  state     DESIGN
           11  TIME  dispatch  #2 Architect session for step 3
           12  TIME  start     #2 Architect session
           13  TIME  noted     #2 Architect session: built-in architect
           14  TIME  reply     #2 Architect session: OK – done now nimda
           15  TIME  ok        #2 Architect session
           16  TIME  skip      DESIGN: Designer was not requested
           17  TIME  state     APPROVE_DESIGN
           18  TIME  ask       UD-APPROVE-DESIGN: Please review the proposed solution: acceptance.json, architecture.md, spec.md. Do you approve it? Acceptance criteria: - AC-001 every check passes cmd: true <…
           19  TIME  answer    UD-APPROVE-DESIGN: changes-requested: Architect: make it smaller
           20  TIME  correct   the work goes back to Architect
           21  TIME  dispatch  #3 Architect session (correction) to correct what was rejected
           22  TIME  start     #3 Architect session (correction)
           23  TIME  correct   the correction is dispatched (Architect)
           24  TIME  noted     #3 Architect session (correction): built-in architect
           25  TIME  reply     #3 Architect session (correction): OK – done now nimda
           26  TIME  ok        #3 Architect session (correction)
           27  TIME  correct   the correction is completed
           28  TIME  ask       UD-APPROVE-DESIGN: Please review the proposed solution: acceptance.json, architecture.md, spec.md. Do you approve it? Acceptance criteria: - AC-001 every check passes cmd: true <…
        exit 0
    "#]]);
}

#[test]
fn r119_json_of_the_log_is_one_record_a_line_without_control_sequences() {
    let seen = SESSIONS.run(&["log", "--json"]);
    let mut before = 0;
    for line in seen.stdout.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["seq"], before + 1);
        assert!(record["event"]["type"].is_string() && record["at"].is_string());
        assert!(record["hash"].is_string());
        before += 1;
    }
    assert!(before > 20, "{before}");
    let evil = ['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}'];
    assert!(!seen.stdout.contains(evil));
    assert!(seen.stdout.contains("\\u202e"));
}

#[test]
fn following_ends_with_the_session() {
    let world = &*SESSIONS;
    let name = world.session(DONE).file_name().unwrap().to_str().unwrap().to_owned();
    let followed = world.run(&["log", &name, "--follow"]);
    assert_eq!(followed.code, 0);
    assert_eq!(followed.stdout, world.run(&["log", &name]).stdout);
}

#[test]
fn following_shows_what_others_do_in_the_meantime() {
    let world = World::with_sessions();
    let mut follower =
        world.tollgate().args(["log", "--follow"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = follower.stdout.take().unwrap();
    out.read_exact(&mut [0]).unwrap();
    let cancelled = world.run(&["cancel", "latest", "--reason", "enough seen"]);
    assert_eq!(cancelled.code, 0, "{cancelled:?}");
    let mut told = String::new();
    out.read_to_string(&mut told).unwrap();
    assert_eq!(follower.wait().unwrap().code(), Some(0));
    assert!(told.contains("enough seen") && told.contains("ended     cancelled"), "{told}");
    let state = world.run(&["sessions", "--json"]).json()[0]["state"].clone();
    assert_eq!(state, "BLOCKED");
}

#[test]
fn following_ends_by_ctrl_c_and_with_its_reader() {
    let start = || SESSIONS.tollgate().args(["log", "--follow"]).stdout(Stdio::piped()).spawn();
    let mut interrupted = start().unwrap();
    let mut out = interrupted.stdout.take().unwrap();
    // A first byte proves that the signal finds it at work.
    out.read_exact(&mut [0]).unwrap();
    std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
    let pid = rustix::process::Pid::from_child(&interrupted);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(interrupted.wait().unwrap().code(), Some(130));

    let mut left = start().unwrap();
    let mut out = left.stdout.take().unwrap();
    out.read_exact(&mut [0]).unwrap();
    drop(out);
    assert_eq!(left.wait().unwrap().code(), Some(0));
}

#[test]
fn a_reader_that_leaves_causes_no_panic() {
    for args in [&["log"][..], &["schema", "agent-output"], &["explain"], &["man"], &["--help"]] {
        let mut command = SESSIONS.tollgate();
        let mut child =
            command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut words = String::new();
        child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?}");
        assert_eq!(words, "", "{args:?}");
    }
}

#[test]
fn r085_the_record_alone_shows_action_roles_artefacts_and_decisions() {
    SESSIONS.run(&["audit"]).shows(expect![[r#"
        session   DATE_add-a-greeting
        action    deliver (full)
        goal      Add a greeting
        state     APPROVE_DESIGN
        base      HASH
        opened    TIME
        updated   TIME
        journal   28 records, last hash HASH

        roles
          SpecAgent   #1
            by built-in spec-agent HASH
          Architect   #2 #3
            by built-in architect HASH

        read
          #1 SpecAgent session: .agents-work/DATE_fix-the-greeting/
          #2 Architect session: …/spec.md, …/acceptance.json, .agents-work/DATE_fix-the-greeting/
          #3 Architect session: …/spec.md, …/acceptance.json, …/architecture.md, .agents-work/DATE_fix-the-greeting/

        written
          …/acceptance.json HASH by #1 SpecAgent
          …/spec.md HASH by #1 SpecAgent
          …/architecture.md HASH by #2 Architect

        decisions
          UD-APPROVE-DESIGN (approve) asked TIME in APPROVE_DESIGN: Please review the proposed solution: acceptance.json, architecture.md, spec.md. Do you approve it? Acceptance criteria: - AC-001 every check passes cmd: true <- proves nothing: it always passes
            shown acceptance.json HASH
            shown architecture.md HASH
            shown spec.md HASH
            answered TIME by person: changes-requested: Architect: make it smaller
          UD-APPROVE-DESIGN (approve) asked TIME in APPROVE_DESIGN: Please review the proposed solution: acceptance.json, architecture.md, spec.md. Do you approve it? Acceptance criteria: - AC-001 every check passes cmd: true <- proves nothing: it always passes
            shown acceptance.json HASH
            shown architecture.md HASH
            shown spec.md HASH
            open

        commands
          none

        commits
          none

        spend
          in all      cost unknown, 3 attempts, N s of agent time
          SpecAgent   1 attempt, N s of agent time
          Architect   2 attempts, N s of agent time
          session     3 attempts, N s of agent time
          crew        3 attempts, N s of agent time

        evidence
          .agents-work/DATE_add-a-greeting/evidence/action-context.md
          .agents-work/DATE_add-a-greeting/evidence/artifact-trace.md
          .agents-work/DATE_add-a-greeting/evidence/gate-decisions.md
          .agents-work/DATE_add-a-greeting/evidence/commands.log
          .agents-work/DATE_add-a-greeting/evidence/lifecycle-gates.log
        exit 0
    "#]]);
}

#[test]
fn r085_the_record_alone_shows_commands_and_commits() {
    let name = SESSIONS.session(DONE).file_name().unwrap().to_str().unwrap().to_owned();
    SESSIONS.run(&["audit", &name]).shows(expect![[r#"
        session   DATE_fix-the-greeting
        action    lean (lean)
        goal      Fix the greeting
        state     DONE
        base      HASH
        opened    TIME
        updated   TIME
        journal   38 records, last hash HASH

        roles
          SpecAgent   #1
            by built-in spec-agent HASH
          Coder       #2
            by built-in coder HASH
          Reviewer    #3
            by built-in reviewer HASH
          QA          #4
            by built-in qa HASH

        read
          #1 SpecAgent session: no files
          #2 Coder T-001: …/spec.md, …/tasks.yaml
          #3 Reviewer T-001: …/spec.md, …/tasks.yaml
          #4 QA T-001: …/spec.md, …/acceptance.json, …/tasks.yaml

        written
          …/acceptance.json HASH by #1 SpecAgent
          …/spec.md HASH by #1 SpecAgent
          …/tasks.yaml HASH by #1 SpecAgent
          app.txt added by #2 Coder

        decisions
          none

        commands
          ok   T-001 `true`: exit code 0
          ok   acceptance `true`: exit code 0

        commits
          HASH #2 Coder T-001: app.txt

        spend
          in all      cost unknown, 4 attempts, N s of agent time
          SpecAgent   1 attempt, N s of agent time
          Coder       1 attempt, N s of agent time
          Reviewer    1 attempt, N s of agent time
          QA          1 attempt, N s of agent time
          session     1 attempt, N s of agent time
          T-001       3 attempts, N s of agent time
          crew        4 attempts, N s of agent time

        evidence
          .agents-work/DATE_fix-the-greeting/evidence/action-context.md
          .agents-work/DATE_fix-the-greeting/evidence/artifact-trace.md
          .agents-work/DATE_fix-the-greeting/evidence/gate-decisions.md
          .agents-work/DATE_fix-the-greeting/evidence/commands.log
          .agents-work/DATE_fix-the-greeting/evidence/lifecycle-gates.log
        exit 0
    "#]]);
}

#[test]
fn r085_the_record_as_json_has_every_asking_and_whole_hashes() {
    let world = World::with_sessions();
    for gone in ["status.json", "spec.md", "dispatches"] {
        let path = world.session(WAITING).join(gone);
        fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path)).unwrap();
    }
    let audit = world.run(&["audit", "--json"]).json();
    let decisions = audit["decisions"].as_array().unwrap();
    assert_eq!(decisions.len(), 2);
    assert_eq!(decisions[0]["answer"], "changes-requested: Architect: make it smaller");
    assert_eq!(decisions[0]["resolved_by"], "person");
    assert_eq!(decisions[1]["resolved_by"], Value::Null);
    assert_eq!(decisions[0]["shown"].as_array().unwrap().len(), 3);
    assert_eq!(audit["roles"][1]["dispatches"], serde_json::json!([2, 3]));
    assert_eq!(audit["written"][0]["by"]["dispatch"]["role"], "SpecAgent");
}
