//! Stories of settings.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::testing::{Shows, shown};
use expect_test::expect;
use serde_json::json;

fn said(text: &str) -> String {
    let (config, report) = read(text, "tollgate.toml");
    assert_eq!(config.is_some(), report.is_ok());
    shown(&report)
}

/// Every table and key of the public interface.
const ALL: &str = r#"
[roles]
default = "claude"
Coder   = "codex"
QA      = "crew"
[agent.claude]
adapter = "claude"
model   = "sonnet"
env     = ["ANTHROPIC_API_KEY"]
program = "claude"
args    = []
inherit = false
fallback = ["codex"]
[agent.codex]
adapter = "codex"
[agent.crew]
adapter = "command"
command = ["python3", "crew.py"]
[timeout]
Coder = "45m"
silence = "90s"
check = "90s"
[retry]
transient_attempts = 4
transient_base     = "250ms"
invalid_reruns     = 1
repairs            = 2
[limits]
usd = 20.5
tokens = 5000000
wall = "8h"
output_bytes = 1048576
file_bytes = 2048
dispatch_bytes = 4096
parallel_tasks = 2
[workspace]
isolation = "in-place"
setup = ["npm ci"]
copy  = [".env"]
[sandbox]
enforce = "required"
write = ["~/.gradle", "/srv/cache/"]
[notify]
on = ["waiting", "blocked", "done", "cancelled"]
bell = true
desktop = true
command = ["./notify.sh", "--all"]
webhook = "https://hooks.example.com/x"
webhook_header_env = { Authorization = "HOOK_AUTH" }
[telemetry]
otlp = "https://collector.example.com:4318"
header_env = { Authorization = "OTLP_AUTH" }
[security]
sensitive = ["**/pay/**"]
[check]
commands = ["make test"]
runner = ["docker", "run", "--rm", "app"]
[tracker]
kind = "github"
repository = "acme/web.shop"
[coverage]
report  = "lcov.info"
minimum = 80
[snapshot]
keep = 5
days = 7
"#;

#[test]
fn every_key_of_the_interface_is_read() {
    said(ALL).shows(expect![[""]]);
    let config = read(ALL, "tollgate.toml").0.unwrap();
    let agents: String = config.agents.iter().map(|(name, a)| format!("{name} {a:?}\n")).collect();
    expect![[r#"
        claude AgentConfig { adapter: Claude, model: Some("sonnet"), env: ["ANTHROPIC_API_KEY"], program: Some("claude"), args: [], inherit: false, fallback: ["codex"], command: [] }
        codex AgentConfig { adapter: Codex, model: None, env: [], program: None, args: [], inherit: false, fallback: [], command: [] }
        crew AgentConfig { adapter: Command, model: None, env: [], program: None, args: [], inherit: false, fallback: [], command: ["python3", "crew.py"] }
    "#]].assert_eq(&agents);
    let Config { limits, workspace, sensitive, check_runner, .. } = &config;
    expect![[r#"
        Limits { output_bytes: 1048576, file_bytes: 2048, dispatch_bytes: 4096, silence_ms: 90000 }
        WorkspaceConfig { isolation: InPlace, setup: ["npm ci"], copy: [".env"] }
        ["**/pay/**"] ["docker", "run", "--rm", "app"]
    "#]]
    .assert_eq(&format!("{limits:?}\n{workspace:?}\n{sensitive:?} {check_runner:?}\n"));
    let Config { tracker, tracker_repository, coverage, snapshot, sandbox, .. } = &config;
    expect![[r#"
        SandboxTable { enforce: Required, write: ["~/.gradle", "/srv/cache/"] }
        Github Some("acme/web.shop") Some(CoverageTable { report: "lcov.info", minimum: 80.0 }) SnapshotTable { keep: 5, days: 7 }
    "#]].assert_eq(&format!("{sandbox:?}\n{tracker:?} {tracker_repository:?} {coverage:?} {snapshot:?}\n"));
    expect![[r#"
        Policy { transient_attempts: 4, transient_base_ms: 250, invalid_reruns: 1, repairs: 2, timeout_ms: {Coder: 2700000}, check_timeout_ms: 90000, players: {SpecAgent: "claude", Architect: "claude", Planner: "claude", Designer: "claude", Researcher: "claude", Coder: "codex", Reviewer: "claude", QA: "crew", Security: "claude", Integrator: "claude", Docs: "claude"}, fallbacks: {"claude": ["codex"]}, parallel_tasks: 2, coverage_minimum: Some(8000), evidence: ["make test"], micro_usd_max: Some(20500000), tokens_max: Some(5000000), wall_ms_max: Some(28800000) }
    "#]].assert_eq(&format!("{:?}\n", config.policy()));
    assert_eq!(config.agent_for(Role::Coder).unwrap().0, "codex");
    assert_eq!(config.agent_for(Role::Docs).unwrap().0, "claude");
}

#[test]
fn no_settings_are_the_usual_settings() {
    let config = read("", "tollgate.toml").0.unwrap();
    assert_eq!(config, Config::default());
    assert_eq!(config.policy(), Policy::default());
    assert_eq!(config.agent_for(Role::Coder), None);
    assert_eq!(config.sensitive.len(), 4);
    assert_eq!(config.limits.output_bytes, OUTPUT_BYTES_DEFAULT);
    assert_eq!(config.limits.file_bytes, FILE_BYTES_DEFAULT);
    assert_eq!(config.limits.dispatch_bytes, DISPATCH_BYTES_DEFAULT);
}

#[test]
fn the_only_agent_plays_every_role() {
    let config = read("[agent.me]\nadapter = \"manual\"\n", "tollgate.toml").0.unwrap();
    assert_eq!(config.agent_for(Role::Planner).unwrap().1.adapter, Adapter::Manual);
}

#[test]
fn unknown_keys_name_the_nearest_known_one() {
    said("[limit]\nusd = 1\n[retry]\nrepair = 1\n[roles]\ncoder = \"a\"\n[agent.a]\nadapter = \"claud\"\nfallbacks = []\n").shows(expect![[r#"
        error shape.field_unknown tollgate.toml:1: there is no field "limit" here
          help: Did you mean "limits"?
        error shape.field_unknown tollgate.toml:4: there is no field "repair" here
          help: Did you mean "repairs"?
        error shape.field_unknown tollgate.toml:6: there is no field "coder" here
          help: Did you mean "Coder"?
        error shape.value_unknown tollgate.toml:8: `adapter` is "claud", but must be claude, codex, gemini, opencode, copilot, qwen, goose, acp, command or manual
          help: Did you mean "claude"?
        error shape.field_unknown tollgate.toml:9: there is no field "fallbacks" here
          help: Did you mean "fallback"?
    "#]]);
}

#[test]
fn an_agent_that_speaks_acp_needs_its_command() {
    said(r#"[roles]
default = "goose"
[agent.goose]
adapter = "acp"
[agent.other]
adapter = "acp"
command = ["other", "--acp"]
program = "other"
"#).shows(expect![[r#"
        error config.command_missing tollgate.toml:3: agent "goose" has the adapter "acp" but no command
          help: Add the program that speaks ACP, such as command = ["goose", "acp"]
        error config.program_unused tollgate.toml:8: agent "other" has the adapter "acp" and also a program
          help: Remove program; the first of command is started
    "#]]);
}

#[test]
fn every_rule_is_checked_at_once() {
    said(r#"[roles]
default = "claud"
[agent.claude]
adapter = "claude"
command = ["x"]
env = ["KEY=secret", "1X"]
fallback = ["claude", "codx"]
[agent.codex]
adapter = "command"
[timeout]
Coder = "30 minutes"
QA = "0s"
[retry]
transient_attempts = 0
[limits]
usd = 0.0
tokens = -5
wall = "8d"
[workspace]
copy = ["../.env", "/etc/passwd"]
[security]
sensitive = ["src/*{a"]
[coverage]
report = "x"
minimum = 101
"#).shows(expect![[r#"
        error config.agent_undefined tollgate.toml:2: there is no agent "claud"
          help: Did you mean "claude"?
        error config.command_unused tollgate.toml:5: agent "claude" has the adapter "claude" and also a command
          help: Remove command, or set adapter = "command"
        error config.env_name tollgate.toml:6: "KEY" is not the name of an environment variable
          help: List names only, such as "API_KEY"
        error config.env_name tollgate.toml:6: "1X" is not the name of an environment variable
          help: List names only, such as "API_KEY"
        error config.fallback_self tollgate.toml:7: agent "claude" names itself as its fallback
          help: Name another agent
        error config.agent_undefined tollgate.toml:7: there is no agent "codx"
          help: Did you mean "codex"?
        error config.command_missing tollgate.toml:8: agent "codex" has the adapter "command" but no command
          help: Add command = ["program", "argument"]
        error config.duration_invalid tollgate.toml:11: `Coder` is "30 minutes", which is not a duration
          help: Write a number above zero and ms, s, m or h, such as "30m"
        error config.duration_invalid tollgate.toml:12: `QA` is "0s", which is not a duration
          help: Write a number above zero and ms, s, m or h, such as "30m"
        error config.not_positive tollgate.toml:14: `transient_attempts` is 0, but must be more than 0
          help: Remove the key to use the default
        error config.not_positive tollgate.toml:16: `usd` is 0, but must be more than 0
          help: Remove the key to use the default
        error shape.out_of_range tollgate.toml:17: `tokens` is -5, but must be at least 0
        error config.duration_invalid tollgate.toml:18: `wall` is "8d", which is not a duration
          help: Write a number above zero and ms, s, m or h, such as "30m"
        error config.copy_path tollgate.toml:20: "../.env" is not a path inside the repository
          help: Write a relative path such as ".env"
        error config.copy_path tollgate.toml:20: "/etc/passwd" is not a path inside the repository
          help: Write a relative path such as ".env"
        error globs.pattern_invalid tollgate.toml:22: the pattern "src/*{a" cannot be read: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)
          help: Write a path relative to the repository, a glob, or a folder that ends in /
        error config.percent tollgate.toml:25: `minimum` is 101, but must be between 0 and 100
    "#]]);
}

#[test]
fn only_paths_outside_can_be_opened_to_agents() {
    said("[sandbox]\nenforce = \"always\"\nwrite = [\n\"src\",\n\"../x\",\n\"/\",\n\"//.\",\n\"~\",\n\"~/\",\n\"~other/x\",\n\"/a/../b\",\n\"~/a\\nb\",\n\"~/.m2\", \"/srv\"]\n").shows(expect![[r#"
        error shape.value_unknown tollgate.toml:2: `enforce` is "always", but must be auto, off or required
        error config.sandbox_path tollgate.toml:4: "src" cannot be opened to agents: it is neither absolute nor begins with ~/, and agents work in a clone, not in the repository
          help: Name a folder outside the repository, such as "~/.gradle" or "/srv/cache"
        error config.sandbox_path tollgate.toml:5: "../x" cannot be opened to agents: it is neither absolute nor begins with ~/, and agents work in a clone, not in the repository
          help: Name a folder outside the repository, such as "~/.gradle" or "/srv/cache"
        error config.sandbox_path tollgate.toml:6: "/" cannot be opened to agents: that is everything
          help: Name a folder outside the repository, such as "~/.gradle" or "/srv/cache"
        error config.sandbox_path tollgate.toml:7: "//." cannot be opened to agents: that is everything
          help: Name a folder outside the repository, such as "~/.gradle" or "/srv/cache"
        error config.sandbox_path tollgate.toml:8: "~" cannot be opened to agents: that is your whole home folder, with keys and startup files
          help: Name a folder outside the repository, such as "~/.gradle" or "/srv/cache"
        error config.sandbox_path tollgate.toml:9: "~/" cannot be opened to agents: that is your whole home folder, with keys and startup files
          help: Name a folder outside the repository, such as "~/.gradle" or "/srv/cache"
        error config.sandbox_path tollgate.toml:10: "~other/x" cannot be opened to agents: it is neither absolute nor begins with ~/, and agents work in a clone, not in the repository
          help: Name a folder outside the repository, such as "~/.gradle" or "/srv/cache"
        error config.sandbox_path tollgate.toml:11: "/a/../b" cannot be opened to agents: it contains `..`
          help: Name a folder outside the repository, such as "~/.gradle" or "/srv/cache"
        error config.sandbox_path tollgate.toml:12: "~/a\nb" cannot be opened to agents: it contains a line break or a zero byte
          help: Name a folder outside the repository, such as "~/.gradle" or "/srv/cache"
    "#]]);
}

#[test]
fn roles_without_an_agent_are_reported() {
    said("[agent.a]\nadapter=\"manual\"\n[agent.b]\nadapter=\"manual\"\n[roles]\nCoder=\"a\"\n").shows(expect![[r#"
        warning config.roles_unassigned tollgate.toml:5: no agent plays SpecAgent, Architect, Planner, Designer, Researcher, Reviewer, QA, Security, Integrator, Docs
          help: Set default = "NAME" under [roles]
    "#]]);
}

#[test]
fn every_syntax_error_is_reported() {
    said("[roles\ndefault = claude\n[agent.a]\nadapter = \"manual\"\nadapter = \"manual\"\n")
        .shows(expect![[r#"
        error toml.syntax tollgate.toml:1: this is not valid TOML: unclosed table, expected `]`
        error toml.syntax tollgate.toml:5: this is not valid TOML: duplicate key
    "#]]);
}

#[test]
fn the_repository_of_the_tracker_is_an_owner_and_a_name() {
    for wrong in ["shop", "a/b/c", "https://example.com/a/b", "a/..", "a b/c", "/b", "a/b.git", ""]
    {
        let (config, report) =
            read(&format!("[tracker]\nrepository = {wrong:?}\n"), "tollgate.toml");
        assert_eq!(config, None, "{wrong}");
        assert!(shown(&report).starts_with("error config.repository tollgate.toml:2:"), "{wrong}");
    }
}

#[test]
fn so_many_tasks_at_once_are_refused() {
    let shown_for = |number: &str| {
        let (_, report) = read(&format!("[limits]\nparallel_tasks = {number}\n"), "tollgate.toml");
        shown(&report)
    };
    for fine in ["1", "16"] {
        assert_eq!(shown_for(fine), "");
    }
    for many in ["17", "4294967295"] {
        let told = shown_for(many);
        assert!(
            told.contains("config.parallel_tasks tollgate.toml:2") && told.contains(many),
            "{told}"
        );
    }
    assert!(shown_for("0").contains("config.not_positive"));
}

#[test]
fn every_adapter_goes_by_the_name_that_the_settings_have_for_it() {
    let named: Vec<String> =
        Adapter::ALL.iter().map(|adapter| json!(adapter).to_string()).collect();
    let known: Vec<String> = Adapter::ALL.iter().map(|it| format!("{:?}", it.as_str())).collect();
    assert_eq!(named, known);
    let schema = crate::shape::schema_of::<Adapter>();
    assert_eq!(schema["enum"].as_array().unwrap().len(), Adapter::ALL.len());
    assert!(Adapter::ALL.into_iter().all(|it| Adapter::parse(it.as_str()) == Some(it)));
    assert_eq!(Adapter::parse("Claude"), None);
}
