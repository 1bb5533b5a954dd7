//! Failures and the ways on: what is tried by itself, what a person can do, what is kept and what is never run again.

use crate::route::{commit, ends_of, go, leaves, nth, on_branch, options_of, prompt, route};
use crate::support::{Repo, files_below, ran};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

const RESEARCH: &str = "{dispatch: Researcher, state: DESIGN, outputs: [research/]}";
const WRITE: &str =
    "{dispatch: Docs, state: PLAN, outputs: [planning-mds/plan.md], writes: ['planning-mds/**']}";
const GATE: &str = "{approve: APPROVE_PLAN, state: PLAN, shows: [planning-mds/plan.md]}";
const PLAN: &str = "planning-mds/plan.md";

fn does(role: &str, act: Value) -> Value {
    json!({"when": {"role": role}, "do": act})
}

fn plans(text: &str) -> Value {
    leaves("Docs", json!({PLAN: text}))
}

#[test]
fn r060_a_declared_output_that_is_missing_fails_at_once_and_is_listed() {
    for (steps, paths) in [
        (
            vec!["{dispatch: Architect, state: DESIGN, outputs: [architecture.md, adr/]}"],
            vec!["architecture.md", "adr/"],
        ),
        (
            vec![
                "{dispatch: Architect, state: DESIGN, outputs: [planning-mds/a.md, planning-mds/b/]}",
            ],
            vec!["planning-mds/a.md", "planning-mds/b/"],
        ),
    ] {
        let repo = route(json!([does("Architect", json!({}))]), &steps);
        let blocked = go(&repo).exits(4);
        for path in &paths {
            assert!(blocked.err.contains(path), "{path}: {}", blocked.err);
        }
        assert_eq!(repo.blocker().0, "missing_output");
        assert_eq!(
            (repo.starts().len(), ends_of(&repo, 1)),
            (1, vec!["missing_output".to_owned()])
        );
        let listed = repo.events("attempt_ended")[0]["end"]["paths"].as_array().unwrap().clone();
        assert!(
            listed.iter().zip(&paths).all(|(found, path)| found.as_str().unwrap().ends_with(path))
        );
        assert_eq!(listed.len(), paths.len(), "{listed:?}");
        assert!(repo.events("retry_scheduled").is_empty());
    }
}

#[test]
fn r061_no_flag_and_no_silence_passes_a_gate() {
    let repo = route(json!([plans("# Plan\n\nOne.\n")]), &[WRITE, GATE, RESEARCH]);
    for flag in ["--yes", "--approve", "--force", "--auto"] {
        repo.tollgate(&["run", "--no-input", "--action", "x", flag, "Make it"]).exits(2);
    }
    repo.settings("[timeout]\ncheck = \"1ms\"\n[limits]\nwall = \"1h\"\n");
    go(&repo).exits(3).says("APPROVE_PLAN");
    for _ in 0..3 {
        repo.resume().exits(3).says("UD-1");
    }
    ran(&mut repo.command(&["resume"])).exits(3);
    for answer in ["yes", "ok", "", "Approved!", "approve", "skip", "retry"] {
        repo.answer("UD-1", answer).exits(2);
    }
    assert_eq!((repo.starts_of("Researcher"), repo.events("decision_resolved").len()), (0, 0));
    repo.answer("UD-1", "approved").exits(0);
    recorded_before_research(&repo);
}

/// What stands behind the gate began only after a person's answer was on record.
fn recorded_before_research(repo: &Repo) {
    let journal = repo.journal();
    let at = |kind: &str, field: &str, value: &str| {
        journal.iter().position(|event| event["type"] == kind && event[field] == value).unwrap()
    };
    let resolved = at("decision_resolved", "id", "UD-1");
    assert!(journal[resolved]["resolution"]["command"].is_string(), "{}", journal[resolved]);
    assert!(resolved < at("dispatch_opened", "role", "Researcher"));
}

#[test]
fn r121_an_early_answer_to_a_gate_of_a_route_is_refused() {
    let repo = route(
        json!([nth("Docs", 1, json!({"exit": 77})), plans("# Plan\n\nOne.\n")]),
        &[WRITE, GATE, RESEARCH],
    );
    go(&repo).exits(4);
    repo.tollgate(&["answer", "latest", "UD-2", "approved"]).exits(2).says("has not been asked");
    repo.answer("UD-1", "retry").exits(3).says("UD-2");
    assert_eq!(repo.starts_of("Researcher"), 0);
    repo.answer("UD-2", "approved").exits(0);
    assert_eq!(repo.decision("UD-2")["answer"], "approved");
}

/// One kind of failure: what the agent does, settings, and what must come of it.
struct Failing {
    act: Value,
    settings: &'static str,
    end: &'static str,
    class: &'static str,
    attempts: usize,
    code: &'static str,
}

fn failing(
    act: Value,
    end: &'static str,
    class: &'static str,
    attempts: usize,
    code: &'static str,
) -> Failing {
    Failing { act, settings: "", end, class, attempts, code }
}

#[test]
fn r063_every_kind_of_failure_has_one_class_and_its_own_handling() {
    let killed = json!({"run": ["sh", "-c", "kill -9 $PPID; sleep 1"]});
    let table = [
        failing(json!({"exit": 1}), "crashed", "transient", 3, "subagent_failure"),
        failing(json!({"exit": 75}), "crashed", "transient", 3, "subagent_failure"),
        failing(killed, "crashed", "transient", 3, "subagent_failure"),
        failing(json!({"stdout": "no JSON"}), "invalid", "recoverable", 3, "subagent_failure"),
        failing(json!({}), "missing_output", "permanent", 1, "missing_output"),
        failing(json!({"exit": 77}), "permission_refused", "permanent", 1, "permission"),
        Failing {
            settings: "[timeout]\nResearcher = \"400ms\"",
            ..failing(json!({"hang": true}), "timed_out", "permanent", 1, "timeout")
        },
        Failing {
            settings: "[limits]\noutput_bytes = 2000",
            ..failing(
                json!({"flood_bytes": 200_000}),
                "output_limit",
                "permanent",
                1,
                "output_limit",
            )
        },
    ];
    for row in table {
        let repo = route(json!([does("Researcher", row.act.clone())]), &[RESEARCH]);
        repo.settings(row.settings);
        go(&repo).exits(4);
        expect_class(&repo, &row);
        assert_eq!(repo.starts().len(), row.attempts, "{}", row.act);
    }
}

fn expect_class(repo: &Repo, row: &Failing) {
    assert_eq!(ends_of(repo, 1), vec![row.end; row.attempts], "{}", row.act);
    assert_eq!(repo.blocker().0, row.code, "{}", row.act);
    let waits = if row.class == "transient" { row.attempts - 1 } else { 0 };
    assert_eq!(repo.events("retry_scheduled").len(), waits, "{}", row.act);
    let classes = classes(repo);
    assert_eq!(classes, vec![row.class; row.attempts], "{}", row.act);
}

/// The class of every reported failure.
fn classes(repo: &Repo) -> Vec<String> {
    let mut files: Vec<PathBuf> = files_below(&repo.root().join("logs/errors"));
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let class = |path: &PathBuf| {
        let report: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        report["error_type"]["class"].as_str().unwrap().to_owned()
    };
    files.iter().map(class).collect()
}

#[test]
fn r063_a_role_without_text_and_a_missing_program_are_distinguished() {
    let repo = route(json!([]), &["{dispatch: Coder, state: IMPLEMENT_LOOP}"]);
    repo.write("agents/coder/SKILL.md", "---\nname: coder\n---\n");
    go(&repo).exits(4);
    expect_class(&repo, &failing(json!("role"), "missing_role", "permanent", 1, "missing_context"));
    assert!(repo.starts().is_empty());

    let repo = route(json!([]), &[RESEARCH]);
    let settings = "[agent.gone]\nadapter = \"command\"\ncommand = [\"no-such-program-here\"]\n[roles]\ndefault = \"gone\"\n[retry]\ntransient_base = \"10ms\"\n";
    repo.write("tollgate.toml", settings);
    go(&repo).exits(4).says("no-such-program-here");
    expect_class(
        &repo,
        &failing(json!("program"), "could_not_start", "transient", 3, "subagent_failure"),
    );
}

#[test]
fn r063_a_limit_with_a_reset_time_is_parked_and_spends_nothing() {
    let parked = nth("Researcher", 1, json!({"exit": 75, "stderr": "retry-after: 1\n"}));
    let repo = route(json!([parked]), &[RESEARCH]);
    // The last table of the settings is [retry].
    repo.settings("transient_attempts = 1");
    go(&repo).exits(0);
    assert_eq!(ends_of(&repo, 1), ["parked", "replied"]);
    assert_eq!(repo.events("retry_scheduled")[0]["why"], "parked");
}

#[test]
fn r067_what_stayed_invalid_is_fixed_by_hand_and_the_session_continues() {
    let broken = json!({"write": {"planning-mds/plan.md": "# Plan\n\nSee [gone](gone.md).\n"}});
    let repo = route(json!([does("Docs", broken)]), &[WRITE, RESEARCH]);
    go(&repo).exits(4).says("gone.md");
    assert_eq!(repo.starts_of("Docs"), 3, "two re-runs");
    let kept =
        repo.root().join(format!(".artifacts-failed/{}/dispatch-1/attempt-3", repo.session_name()));
    assert!(fs::read_to_string(kept.join("changes").join(PLAN)).unwrap().contains("gone.md"));
    assert!(fs::read_to_string(kept.join("errors.txt")).unwrap().contains("gone.md"));
    let options = ["retry", "retry: GUIDANCE", "retry-with: AGENT", "manual-fix", "cancel: TEXT"];
    assert_eq!(options_of(&repo, "UD-1"), options);

    repo.answer("UD-1", "manual-fix").exits(3).says("#1 Docs").says("tollgate submit");
    let told: Value =
        serde_json::from_str(&repo.session_file("dispatches/1/attempt-4/manual.json")).unwrap();
    let workspace = PathBuf::from(told["workspace"].as_str().unwrap());
    let file = workspace.join(PLAN);
    assert!(
        fs::read_to_string(&file).unwrap().contains("gone.md"),
        "it is laid out as the agent left it"
    );
    assert_eq!(repo.starts().len(), 3, "no agent is at work");
    let reply = repo.outside("reply.json");
    let gates = json!({"meets_definition_of_done": true, "needs_review": false, "needs_tests": false, "security_concerns": []});
    let said =
        json!({"status": "OK", "summary": "Fixed.", "artifacts": {}, "gates": gates, "next": null});
    fs::write(&reply, said.to_string()).unwrap();
    let submit = ["submit", "latest", "1", reply.to_str().unwrap(), "--resume"];
    // By hand is no way around the validation.
    fs::write(&file, "# Plan\n\nSee [lost](lost.md).\n").unwrap();
    repo.tollgate(&submit).exits(4).says("lost.md");
    repo.answer("UD-2", "manual-fix").exits(3);
    assert!(fs::read_to_string(&file).unwrap().contains("lost.md"), "their own work is not lost");
    fs::write(&file, "# Plan\n\nMended by hand.\n").unwrap();
    repo.tollgate(&submit).exits(0).says("DONE");
    assert_eq!(on_branch(&repo, PLAN), "# Plan\n\nMended by hand.\n");
    assert_eq!((repo.starts_of("Docs"), repo.starts_of("Researcher")), (3, 1));
    repo.tollgate(&["audit", "--verify"]).exits(0);
}

#[test]
fn r068_every_role_has_its_time_limit_and_settings_change_it() {
    let minutes = [
        ("product-manager", 10),
        ("architect", 15),
        ("backend-developer", 30),
        ("frontend-developer", 30),
        ("ai-engineer", 30),
        ("quality-engineer", 20),
        ("code-reviewer", 10),
        ("security", 10),
        ("devops", 15),
        ("technical-writer", 10),
        ("blogger", 10),
    ];
    let steps: Vec<String> =
        minutes.iter().map(|(role, _)| format!("{{dispatch: {role}, state: INTEGRATE}}")).collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let limits = |repo: &Repo| -> Vec<u64> {
        let started = repo.events("attempt_started");
        started.iter().map(|event| event["timeout_ms"].as_u64().unwrap() / 60_000).collect()
    };
    let repo = route(json!([]), &steps);
    go(&repo).exits(0);
    assert_eq!(limits(&repo), minutes.map(|(_, minutes)| minutes));
    let repo = route(json!([]), &steps[2..4]);
    repo.settings("[timeout]\nCoder = \"45m\"");
    go(&repo).exits(0);
    assert_eq!(limits(&repo), [45, 45]);
}

#[test]
fn r069_what_a_timed_out_agent_left_is_kept_and_more_time_can_be_given() {
    let step = "{dispatch: Coder, state: IMPLEMENT_LOOP, outputs: [src/a.txt]}";
    let rules = json!([
        nth("Coder", 1, json!({"write": {"src/a.txt": "half\n"}, "hang": true})),
        does("Coder", json!({"write": {"src/a.txt": "whole\n"}, "sleep_ms": 700}))
    ]);
    let repo = route(rules, &[step]);
    repo.settings("[timeout]\nCoder = \"400ms\"");
    go(&repo).exits(4).says("timeout");
    assert_eq!(
        options_of(&repo, "UD-1"),
        [
            "retry",
            "retry: GUIDANCE",
            "retry-with: AGENT",
            "extend: DURATION",
            "manual-fix",
            "cancel: TEXT"
        ]
    );
    let ended = repo.events("attempt_ended");
    assert_eq!((&ended[0]["number"], &ended[0]["end"]["after_ms"]), (&json!(1), &json!(400)));
    assert_eq!(repo.starts().len(), 1, "nothing by itself");
    let report = files_below(&repo.root().join("logs/errors"))
        .into_iter()
        .find(|path| path.extension().unwrap() == "json");
    let report: Value = serde_json::from_slice(&fs::read(report.unwrap()).unwrap()).unwrap();
    assert_eq!(
        (&report["role"], &report["agent"], &report["action"]),
        (&json!("Coder"), &json!("crew"), &json!("x"))
    );
    assert!(report["duration_ms"].as_u64().unwrap() >= 400, "{report}");
    repo.answer("UD-1", "extend: 1m").exits(0);
    assert_eq!(repo.events("attempt_started")[1]["timeout_ms"], 60_000);
    assert_eq!(on_branch(&repo, "src/a.txt"), "whole\n");
    // The half of it stands under a name of its own.
    let names = repo.git(&["for-each-ref", "--format=%(refname)"]);
    let rescue =
        names.lines().find(|name| name.contains("rescue")).unwrap_or_else(|| panic!("{names}"));
    assert_eq!(repo.git(&["show", &format!("{rescue}:src/a.txt")]), "half\n");
}

#[test]
fn r069_only_what_is_optional_can_be_skipped() {
    for (optional, offered) in [("true", true), ("false", false)] {
        let step = format!(
            "{{dispatch: Researcher, state: DESIGN, outputs: [research/], optional: {optional}}}"
        );
        let repo = route(json!([does("Researcher", json!({"hang": true}))]), &[&step]);
        repo.settings("[timeout]\nResearcher = \"300ms\"");
        go(&repo).exits(4);
        assert_eq!(options_of(&repo, "UD-1").contains(&"skip".to_owned()), offered);
        repo.answer("UD-1", "skip").exits(if offered { 0 } else { 2 });
    }
}

#[test]
fn r072_steps_before_the_one_that_failed_are_not_run_again() {
    let rules = json!([
        nth("Docs", 1, json!({"exit": 77})),
        nth("Docs", 2, json!({"exit": 77})),
        plans("# Plan\n\nOne.\n")
    ]);
    let repo = route(
        rules,
        &["{dispatch: Architect, state: DESIGN, outputs: [architecture.md]}", WRITE, RESEARCH],
    );
    go(&repo).exits(4);
    let first = repo.session_file("architecture.md");
    assert_eq!(repo.starts(), ["Architect meta", "Docs meta"]);
    repo.answer("UD-1", "retry").exits(4);
    assert_eq!(repo.starts_of("Researcher"), 0, "it has not succeeded yet");
    repo.answer("UD-2", "retry").exits(0);
    assert_eq!(
        repo.starts(),
        ["Architect meta", "Docs meta", "Docs meta", "Docs meta", "Researcher meta"]
    );
    assert_eq!(repo.session_file("architecture.md"), first);
}

fn sha256(repo: &Repo, text: &str) -> String {
    repo.write("hashed", text);
    let output =
        std::process::Command::new("sha256sum").arg(repo.root().join("hashed")).output().unwrap();
    fs::remove_file(repo.root().join("hashed")).unwrap();
    crate::support::text(&output.stdout).split(' ').next().unwrap().to_owned()
}

#[test]
fn r073_a_rejection_needs_words_and_the_same_role_works_until_it_is_approved() {
    const ROUNDS: usize = 5;
    let repo = route(json!([plans("# Plan\n\nRound {dispatch}.\n")]), &[WRITE, GATE, RESEARCH]);
    go(&repo).exits(3);
    for answer in ["changes-requested", "changes-requested:", "changes-requested:  "] {
        repo.answer("UD-1", answer).exits(2).says("needs text");
    }
    assert_eq!(repo.starts().len(), 1);
    for round in 1..=ROUNDS {
        repo.answer("UD-1", &format!("changes-requested: shorter {round}")).exits(3);
        assert!(
            prompt(&repo, repo.dispatch_of("Docs", round)).contains(&format!("shorter {round}"))
        );
    }
    assert_eq!((repo.starts_of("Docs"), repo.starts().len()), (ROUNDS + 1, ROUNDS + 1));
    let resolved = repo.events("decision_resolved");
    assert_eq!(resolved.len(), ROUNDS);
    let times: Vec<&str> =
        resolved.iter().map(|e| e["resolution"]["resolved_at"].as_str().unwrap()).collect();
    assert!(times.is_sorted() && times.iter().all(|time| time.ends_with('Z')), "{times:?}");
    let evidence = repo.session_file("evidence/gate-decisions.md");
    for round in 1..=ROUNDS {
        assert!(evidence.contains(&format!("shorter {round}")), "{evidence}");
    }
    let asked = repo.events("decision_asked");
    assert_eq!(asked.len(), ROUNDS + 1);
    for (round, event) in asked.iter().enumerate() {
        let shown = &event["decision"]["shown"];
        let text = format!("# Plan\n\nRound {}.\n", round + 1);
        assert_eq!(shown, &json!([{"path": PLAN, "sha256": sha256(&repo, &text)}]));
    }
    repo.answer("UD-1", "approved").exits(0);
    assert_eq!(on_branch(&repo, PLAN), format!("# Plan\n\nRound {}.\n", ROUNDS + 1));
}

#[test]
fn r101_a_later_change_of_a_shown_file_of_the_repository_reopens_its_gate() {
    let rules = json!([
        plans("# Plan\n\nOne.\n"),
        leaves("Coder", json!({PLAN: "# Plan\n\nTwo.\n", "src/a.txt": "a\n"}))
    ]);
    let repo = route(
        rules,
        &[WRITE, GATE, "{dispatch: Coder, state: IMPLEMENT_LOOP, outputs: [src/a.txt]}", RESEARCH],
    );
    go(&repo).exits(3);
    repo.answer("UD-1", "approved").exits(3).says(PLAN).says("has changed since");
    assert_eq!(repo.starts_of("Researcher"), 0, "not before it is affirmed");
    let asked = repo.events("decision_asked");
    assert_eq!(
        asked.last().unwrap()["decision"]["shown"][0]["sha256"],
        sha256(&repo, "# Plan\n\nTwo.\n")
    );
    repo.answer("UD-1", "approved").exits(0);
    assert_eq!(repo.starts().len(), 3, "one answer is enough: {:?}", repo.starts());
}

#[test]
fn r101_a_shown_file_that_is_deleted_later_reopens_its_gate_too() {
    let rules = json!([
        plans("# Plan\n\nOne.\n"),
        does("Coder", json!({"write": {"src/a.txt": "a\n"}, "delete": [PLAN]}))
    ]);
    let steps =
        [WRITE, GATE, "{dispatch: Coder, state: IMPLEMENT_LOOP, outputs: [src/a.txt]}", RESEARCH];
    let repo = route(rules, &steps);
    go(&repo).exits(3);
    repo.answer("UD-1", "approved").exits(3).says(PLAN).says("has changed since");
    assert_eq!(repo.starts_of("Researcher"), 0);
    repo.answer("UD-1", "approved").exits(0);
}

#[test]
fn r078_a_run_takes_a_snapshot_first_and_names_it() {
    let repo = route(json!([]), &[RESEARCH, "{approve: LOOK, state: PLAN, shows: [research/]}"]);
    repo.write("mine.txt", "not committed\n");
    commit(&repo);
    repo.write("mine.txt", "changed since\n");
    go(&repo).exits(3);
    let taken: Vec<String> = fs::read_dir(repo.root().join(".snapshots"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("x-"))
        .collect();
    assert_eq!(taken.len(), 1, "{taken:?}");
    let manifest: Value = serde_json::from_slice(
        &fs::read(repo.root().join(".snapshots").join(&taken[0]).join("manifest.json")).unwrap(),
    )
    .unwrap();
    let entries = manifest.to_string();
    assert!(
        entries.contains("mine.txt") && entries.contains(&sha256(&repo, "changed since\n")),
        "{entries}"
    );
    assert!(repo.session_file("evidence/action-context.md").contains(&taken[0]));
    let listed = repo.tollgate(&["snapshot", "list"]).exits(0).out;
    assert!(listed.contains(&taken[0]), "{listed}");
    repo.tollgate(&["cancel", "--reason", "enough"]).exits(0);
    assert_eq!(fs::read_to_string(repo.root().join("mine.txt")).unwrap(), "changed since\n");
}
