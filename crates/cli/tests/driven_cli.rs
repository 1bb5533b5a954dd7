//! Agent programs as people use them: the login that they are lent, and what they may inherit. The program is a stand-in that
//! speaks like opencode and lets the scripted crew do the work.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::support;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use support::{Repo, eventually, files_below};

const LOGIN: &str = r#"{"anthropic":{"type":"oauth","access":"planted-access-token-1","refresh":"planted-refresh-token-1","expires":1}}"#;

/// Shows its login wherever it can, renews it, and shows that too.
const SHOWS_ITS_LOGIN: &str = r#"
login="$XDG_DATA_HOME/opencode/auth.json"
token() { sed 's/.*"access":"\([^"]*\)".*/\1/' "$login"; }
words=$(token)
sed -i 's/token-/token-x/g' "$login"
words="$words $(token)"
ls "$XDG_DATA_HOME/../.." | grep -vc login.json >> "{counts}/homes.log"
cat "$login" >&2
if test "$TOLLGATE_ROLE" = SpecAgent; then
  echo "$words" >> "$(echo .agents-work/*/spec.md)"
fi
"#;

/// A repository whose crew is driven through a program like opencode, which does `more` after its work.
fn world(rules: Value, more: &str, settings: &str) -> Repo {
    let repo = Repo::with(rules);
    let more = more.replace("{counts}", &repo.counts().display().to_string());
    let crew = repo.outside("crew.json");
    fs::create_dir_all(repo.counts()).unwrap();
    let program = repo.outside("opencode");
    let tollgate = env!("CARGO_BIN_EXE_tollgate");
    let script = format!(
        r#"#!/bin/sh
test "$1" = --version && echo 1.18.33 && exit 0
words=said
reply=$({tollgate} scripted {crew}) || exit 1
{more}
reply=$(printf '%s' "$reply" | tr '\n' ' ' | sed "s/\"summary\": *\"/&$words /;s/\\\\/\\\\\\\\/g;s/\"/\\\\\"/g")
line() {{ printf '{{"type":"%s","sessionID":"ses_1","part":{{"messageID":"msg_1",%s}}}}\n' "$1" "$2"; }}
line text "\"text\":\"$reply\""
line step_finish '"reason":"stop","tokens":{{"input":100,"output":20,"reasoning":0,"cache":{{"read":0,"write":0}}}},"cost":0.0006'
"#,
        crew = crew.display(),
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    repo.write(
        "tollgate.toml",
        &format!(
            "[roles]\ndefault = \"oc\"\n\n[agent.oc]\nadapter = \"opencode\"\nprogram = {program:?}\n{settings}\n\n\
             [retry]\ntransient_base = \"10ms\"\n\n[sandbox]\nwrite = [{counts:?}]\n",
            counts = repo.counts(),
        ),
    );
    fs::create_dir_all(login(&repo).parent().unwrap()).unwrap();
    fs::write(login(&repo), LOGIN).unwrap();
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "settings"]);
    repo
}

fn login(repo: &Repo) -> PathBuf {
    repo.outside("home/.local/share/opencode/auth.json")
}

/// The login after every agent has renewed it in turn.
fn renewed(repo: &Repo) -> String {
    let marks = "x".repeat(repo.starts().len());
    LOGIN.replace("token-", &format!("token-{marks}"))
}

/// Files of ours with a planted token in them.
fn leaks(repo: &Repo) -> Vec<PathBuf> {
    let ours = [repo.root().join(".agents-work"), repo.outside("state/agents")];
    let found = ours.iter().flat_map(|folder| files_below(folder));
    let has_token =
        |path: &PathBuf| String::from_utf8_lossy(&fs::read(path).unwrap()).contains("planted-");
    found.filter(has_token).collect()
}

#[test]
fn r113_a_login_that_an_agent_shows_is_in_no_file_of_ours_and_comes_back_renewed() {
    let repo = world(json!([]), SHOWS_ITS_LOGIN, "");
    repo.lean().exits(0);
    assert!(repo.session_file("spec.md").contains("[redacted] [redacted]"), "it was written there");
    let replies = files_below(&repo.session());
    let reply = replies.iter().find(|path| path.ends_with("reply.json")).unwrap();
    assert!(fs::read_to_string(reply).unwrap().contains("[redacted]"), "and said there");
    assert_eq!(leaks(&repo), Vec::<PathBuf>::new());
    assert_eq!(fs::read_to_string(login(&repo)).unwrap(), renewed(&repo));
    let homes = repo.outside("state/agents");
    assert_eq!(files_below(&homes), Vec::<PathBuf>::new(), "no private folder is left");
    let seen = fs::read_to_string(repo.counts().join("homes.log")).unwrap();
    assert_eq!(seen, "1\n".repeat(repo.starts().len()), "each agent saw its own alone");
}

#[test]
fn r113_a_login_does_not_stay_behind_a_killed_engine() {
    let slow = json!({"when": {"role": "Coder"}, "do": {"default": true, "sleep_ms": 600}});
    let repo = world(json!([slow]), SHOWS_ITS_LOGIN, "");
    let mut child = repo.start(&["run", "--no-input", "--lean", support::GOAL]);
    eventually("the Coder starts", || repo.starts_of("Coder") == 1);
    let lent = || {
        let files = files_below(&repo.outside("state/agents"));
        files.into_iter().any(|path| path.ends_with("data/opencode/auth.json"))
    };
    assert!(lent());
    child.kill().unwrap();
    child.wait().unwrap();
    repo.resume().exits(0);
    assert_eq!(repo.starts_of("Coder"), 1, "its outcome was taken up");
    assert!(!lent());
    assert_eq!(leaks(&repo), Vec::<PathBuf>::new());
    assert_eq!(fs::read_to_string(login(&repo)).unwrap(), renewed(&repo));
}

#[test]
fn r113_a_login_is_copied_and_removed_once_wherever_the_engine_is_killed() {
    let last_removal = "homes.before_removal:4";
    for point in
        ["login.listed", "login.lent", "login.given_back:2", "homes.before_removal", last_removal]
    {
        let repo = world(json!([]), SHOWS_ITS_LOGIN, "");
        let mut command = repo.command(&["run", "--no-input", "--lean", support::GOAL]);
        let killed = support::ran(command.env("TOLLGATE_CRASH_AT", point));
        assert_eq!(killed.code, -1, "{point} was not reached: {}", killed.err);
        repo.resume().exits(0);
        assert_eq!(leaks(&repo), Vec::<PathBuf>::new(), "{point}");
        assert_eq!(fs::read_to_string(login(&repo)).unwrap(), renewed(&repo), "{point}");
        assert_eq!(files_below(&repo.outside("state/agents")), Vec::<PathBuf>::new(), "{point}");
    }
}

#[test]
fn r113_a_login_is_taken_out_of_an_attempt_that_failed_and_of_a_session_that_is_cancelled() {
    let fails = json!({"when": {"role": "Coder"}, "do": {"exit": 1}});
    let repo = world(json!([fails]), "", "");
    repo.lean().exits(4);
    let homes = repo.outside("state/agents");
    let kept = files_below(&homes);
    assert!(!kept.iter().any(|path| path.ends_with("auth.json")), "{kept:?}");
    repo.tollgate(&["cancel", "latest", "--yes"]);
    assert_eq!(files_below(&homes), Vec::<PathBuf>::new());
}

#[test]
fn what_an_agent_inherits_must_be_agreed_to_by_its_content() {
    let repo = world(json!([]), "", "inherit = true");
    let refusal = "you have not agreed to what it would use";
    repo.lean().exits(2).says(refusal).says("tollgate agents trust oc");
    repo.write("opencode.json", r#"{"mcp":{"a":{"type":"local","command":["a-server"]}}}"#);
    repo.lean().exits(2).does_not_say("opencode.json");
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "a server"]);
    fs::create_dir_all(repo.outside("home/.config/opencode/plugin")).unwrap();
    fs::write(repo.outside("home/.config/opencode/plugin/p.ts"), "export const P = 1").unwrap();
    let ran = repo.lean().exits(2);
    ran.says("new opencode.json").says("new ~/.config/opencode/plugin/p.ts");
    let shown = repo.tollgate(&["agents", "trust", "oc"]).exits(2);
    assert!(shown.out.contains("a-server"), "{}", shown.out);
    shown.says("--yes");
    repo.lean().exits(2);
    repo.tollgate(&["agents", "trust", "oc", "--yes"]).exits(0).says("2 files");
    let kept = repo.outside("state/trust.json").metadata().unwrap();
    assert_eq!(kept.permissions().mode() & 0o777, 0o600);
    repo.lean().exits(0);
    repo.tollgate(&["agents", "trust", "oc"]).exits(0).says("nothing has changed");
    fs::write(repo.outside("home/.config/opencode/plugin/p.ts"), "export const P = 2").unwrap();
    repo.lean().exits(2).says("changed ~/.config/opencode/plugin/p.ts");
    fs::remove_file(repo.outside("home/.config/opencode/plugin/p.ts")).unwrap();
    repo.lean().exits(2).says("gone ~/.config/opencode/plugin/p.ts");
}

#[test]
fn work_that_changes_what_the_next_agent_would_run_stops_it_until_a_person_agrees() {
    let plants = json!({"when": {"role": "Coder"},
        "do": {"default": true, "write": {"opencode.json": "{\"mcp\":{}}"}}});
    let in_scope = r#"
if test "$TOLLGATE_ROLE" = SpecAgent; then
  sed -i 's/\[app.txt\]/[app.txt, opencode.json]/' .agents-work/*/tasks.yaml
fi
"#;
    let repo = world(json!([plants]), in_scope, "inherit = true");
    repo.tollgate(&["agents", "trust", "oc", "--yes"]).exits(0);
    repo.lean().exits(4);
    assert_eq!(repo.starts_of("Reviewer"), 0);
    let (_, words) = repo.blocker();
    let told = format!("{words}{:?}", repo.events("attempt_ended"));
    assert!(told.contains("new opencode.json"), "{told}");
    let (_, rest) = told.split_once("tollgate agents trust oc --in ").unwrap();
    let tree = rest.split('`').next().unwrap();
    let shown = repo.tollgate(&["agents", "trust", "oc", "--in", tree, "--yes"]).exits(0);
    assert!(shown.out.contains("opencode.json"), "{}", shown.out);
}

#[test]
fn agents_are_listed_with_their_programs_versions_roles_and_whether_they_are_trusted() {
    let repo = world(json!([]), "", "inherit = true");
    repo.settings("[agent.gone]\nadapter = \"opencode\"\nprogram = \"/nowhere/opencode\"");
    let listed = || {
        let ran = repo.tollgate(&["agents", "--json"]).exits(0);
        serde_json::from_str::<Value>(&ran.out).unwrap()["agents"].clone()
    };
    let agents = listed();
    assert_eq!(agents[0]["name"], "gone");
    assert!(agents[0]["problem"].as_str().unwrap().contains("/nowhere/opencode"));
    assert_eq!(agents[0]["roles"], json!([]));
    let oc = &agents[1];
    assert_eq!((&oc["adapter"], &oc["version"]), (&json!("opencode"), &json!("1.18.33")));
    assert!(oc["roles"].as_array().unwrap().contains(&json!("Coder")));
    assert_eq!((&oc["inherit"], &oc["trusted"]), (&json!(true), &json!(false)));
    repo.tollgate(&["agents", "trust", "oc", "--yes"]).exits(0);
    assert_eq!(listed()[1]["trusted"], true);
    let table = repo.tollgate(&["agents"]).exits(0).out;
    assert!(table.contains("oc") && table.contains("1.18.33"), "{table}");
    repo.tollgate(&["agents", "trust", "gone"]).exits(2).says("inherits nothing");
    for words in [&["agents", "trust", "nobody"][..], &["agents", "test", "nobody"]] {
        let ran = repo.tollgate(words).exits(2);
        ran.says("cli.no_agent").says("no [agent.nobody]").says("known agents: gone, oc");
    }
    let run = repo.tollgate(&["run", "--no-input", "--agent", "nobody", support::GOAL]).exits(2);
    run.says("cli.no_agent").says("known agents: gone, oc");
}

#[test]
fn without_any_agent_it_is_said_how_to_get_one() {
    let repo = world(json!([]), "", "");
    repo.write("tollgate.toml", "");
    let ran = repo.tollgate(&["agents"]).exits(0).says("`tollgate init` writes one");
    assert_eq!(ran.out, "");
    let ran = repo.tollgate(&["agents", "--json"]).exits(0);
    assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), json!({"agents": []}));
    assert_eq!(ran.err, "");
    let ran = repo.tollgate(&["agents", "trust", "nobody"]).exits(2);
    ran.says("cli.no_agent").says("`tollgate init`").does_not_say("known agents");
}

#[test]
fn settings_that_cannot_be_looked_through_are_the_problem_of_their_agent() {
    let repo = world(json!([]), "", "inherit = true");
    fs::create_dir_all(repo.outside("home/.config/opencode/plugin")).unwrap();
    let large = repo.outside("home/.config/opencode/plugin/large.ts");
    fs::write(large, " ".repeat(1024 * 1024 + 1)).unwrap();
    let ran = repo.tollgate(&["agents", "--json"]).exits(0);
    let oc = &serde_json::from_str::<Value>(&ran.out).unwrap()["agents"][0];
    assert_eq!((&oc["version"], &oc["trusted"]), (&json!("1.18.33"), &json!(false)));
    assert!(oc["problem"].as_str().unwrap().contains("too large"), "{oc:#}");
    let table = repo.tollgate(&["agents"]).exits(0).out;
    assert!(table.contains("broken") && table.contains("large.ts"), "{table}");
}

#[test]
fn asking_for_a_version_shows_no_variable_and_waits_for_no_leftover_process() {
    let repo = world(json!([]), "", "");
    let pid = repo.outside("left.pid");
    let script = format!(
        "#!/bin/sh\nsleep 60 &\necho $! > {}\necho \"${{PLANTED:-1.2.3}}\"\n",
        pid.display()
    );
    fs::write(repo.outside("opencode"), script).unwrap();
    let mut command = repo.command(&["agents", "--json"]);
    let ran = support::ran(command.env("PLANTED", "6.6.6")).exits(0);
    let pid = fs::read_to_string(pid).unwrap();
    let ended = std::process::Command::new("kill").arg(pid.trim()).status().unwrap();
    assert!(ended.success(), "it waited for what was left behind");
    let agents = serde_json::from_str::<Value>(&ran.out).unwrap()["agents"].clone();
    assert_eq!(agents[0]["version"], "1.2.3");
}

#[test]
fn a_run_is_refused_before_it_starts_when_an_agent_or_its_fallback_cannot_start() {
    let repo = world(json!([]), "", "fallback = [\"spare\"]");
    let before = fs::read_to_string(repo.root().join("tollgate.toml")).unwrap();
    let run = |spare: &str| {
        repo.write(
            "tollgate.toml",
            &format!("{before}\n[agent.spare]\nadapter = \"opencode\"\n{spare}\n"),
        );
        repo.tollgate(&["run", "--no-input", "--lean", support::GOAL])
    };
    run("program = \"/nowhere/opencode\"")
        .exits(2)
        .says("cli.no_agent")
        .says("fallback")
        .says("/nowhere/opencode");
    let program = repo.outside("opencode");
    run(&format!("program = {program:?}\ninherit = true"))
        .exits(2)
        .says("cli.untrusted")
        .says("[agent.spare]");
    let alone = before.replace("fallback = [\"spare\"]", "");
    repo.write("tollgate.toml", &alone.replace(program.to_str().unwrap(), "/nowhere/oc"));
    repo.tollgate(&["run", "--no-input", "--lean", support::GOAL])
        .exits(2)
        .says("cli.no_agent")
        .says("/nowhere/oc");
    assert!(!repo.root().join(".agents-work").exists(), "a session was opened");
}

/// Counts what it has spent so far, and gets stuck the first time.
const STUCK_ONCE: &str = r#"
printf '{"type":"step_finish","sessionID":"ses_1","part":{"messageID":"msg_0","reason":"tool-calls","tokens":{"input":70,"output":7,"reasoning":0,"cache":{"read":0,"write":0}},"cost":0.0003}}\n'
test -e "{counts}/once" || { touch "{counts}/once"; exec sleep 300; }
"#;

/// Whether a killed process has let go of its files. Nobody may be there to reap it.
fn is_gone(pid: Pid) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status.is_empty() || status.contains("State:\tZ")
}

#[test]
fn what_a_lost_attempt_is_known_to_have_cost_is_counted() {
    let repo = world(json!([]), STUCK_ONCE, "");
    let mut engine = repo.start(&["run", "--no-input", "--lean", support::GOAL]);
    let attempt = || repo.session().join("dispatches/1/attempt-1");
    eventually("the agent has spent something", || {
        let is_open = repo.root().join(".agents-work").is_dir();
        let told = is_open.then(|| fs::read_to_string(attempt().join("stdout.log")).ok()).flatten();
        told.is_some_and(|text| text.contains(r#""event":"usage""#))
    });
    engine.kill().unwrap();
    engine.wait().unwrap();
    let started: Value =
        serde_json::from_str(&fs::read_to_string(attempt().join("started")).unwrap()).unwrap();
    let supervisor = Pid::from_raw(started["pid"].as_i64().unwrap().try_into().unwrap()).unwrap();
    kill_process(supervisor, Signal::KILL).unwrap();
    eventually("the supervisor is gone", || is_gone(supervisor));
    repo.resume().exits(0);
    let ended = &repo.events("attempt_ended")[0];
    assert_eq!(ended["end"]["end"], "interrupted", "{ended:#}");
    let spent = ["input_tokens", "output_tokens", "micro_usd"].map(|part| &ended["usage"][part]);
    assert_eq!(spent, [70, 7, 300], "{ended:#}");
}

#[test]
fn a_plan_of_an_agent_program_that_never_started_does_not_bind_the_next_agent() {
    let repo = world(json!([]), "", "");
    let mut command = repo.command(&["run", "--no-input", "--lean", support::GOAL]);
    let killed = support::ran(command.env("TOLLGATE_CRASH_AT", "process.run_unwritten"));
    assert_eq!(killed.code, -1, "{}", killed.err);
    let plan = repo.session().join("dispatches/1/attempt-1/plan.json");
    assert!(plan.exists() && repo.starts().is_empty(), "its agent was about to start");
    let settings = fs::read_to_string(repo.root().join("tollgate.toml")).unwrap();
    let crew = repo.outside("crew.json");
    let scripted = support::scripted("crew", &crew);
    repo.write("tollgate.toml", &settings.replace("\"oc\"", "\"crew\""));
    repo.settings(&scripted);
    repo.resume().exits(0);
    let ends: Vec<Value> =
        repo.events("attempt_ended").iter().map(|event| event["end"]["end"].clone()).collect();
    assert!(ends.iter().all(|end| end == "replied"), "{ends:?}");
    assert!(!plan.exists());
}

#[test]
fn r187_what_a_tool_of_a_driven_agent_was_refused_is_told_with_its_path() {
    let tool = r#"printf '{"type":"tool_use","sessionID":"ses_1","part":{"tool":"write","state":{"status":"error","error":"EACCES: permission denied, open %s{counts}/../../../../closed/a%s"}}}\n' "'" "'""#;
    let rule = json!({"when": {"role": "SpecAgent"}, "do": {"reply": {"status": "BLOCKED", "summary": "no"}}});
    let repo = world(json!([rule]), tool, "");
    fs::create_dir(repo.outside("closed")).unwrap();
    let blocked = repo.lean().exits(4);
    let hint = format!("the sandbox does not let agents write {}", repo.counts().display());
    assert!(blocked.err.contains(&hint), "{}", blocked.err);
}

#[test]
fn r188_commits_name_the_program_with_its_model() {
    let repo = world(json!([]), "", "model = \"anthropic/claude-x\"");
    repo.lean().exits(0);
    let branch = format!("tollgate/{}", repo.session_name());
    let message = repo.git(&["log", "-1", "--format=%B", &branch]);
    assert!(message.contains("\nAssisted-by: opencode:anthropic/claude-x\n"), "{message}");
}
