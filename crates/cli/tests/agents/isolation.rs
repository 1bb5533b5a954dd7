//! What a repository brings along for an agent, hooks and servers, does not run; and would, if a person had agreed to it.

use crate::again::blocked;
use crate::sessions::{CLAUDE, CODEX, GEMINI, GOOSE, delivers, thoughtful};
use crate::world::{Kind, World};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tollgate_programs::{Programs, or_skip};
use tollgate_standin::{Script, crew};

/// A world whose repository has settings of every agent in it, and the folder where they leave their marks.
fn planted(
    programs: &Programs,
    kind: Kind,
    script: impl FnOnce(&str) -> Script,
) -> (World, PathBuf) {
    let world = World::new(programs, kind, script);
    let marks = world.repo.open_outside("marks");
    let leave = |name: &str| format!("touch {}", marks.join(name).display());
    let hooks = |name: &str| {
        let hook = json!([{ "hooks": [{ "type": "command", "command": leave(name) }] }]);
        json!({ "SessionStart": hook, before_a_tool(name): hook })
    };
    let server =
        |name: &str| json!({ "planted": { "command": "sh", "args": ["-c", leave(name)] } });
    let write = |path: &str, content: Value| world.repo.write(path, &content.to_string());
    write(
        ".claude/settings.json",
        json!({ "hooks": hooks("claude-hook"), "enableAllProjectMcpServers": true }),
    );
    write(".mcp.json", json!({ "mcpServers": server("claude-server") }));
    write(".codex/hooks.json", json!({ "hooks": hooks("codex-hook") }));
    let codex_server = format!(
        "[mcp_servers.planted]\ncommand = \"sh\"\nargs = [\"-c\", {:?}]\n",
        leave("codex-server")
    );
    world.repo.write(".codex/config.toml", &codex_server);
    write(
        ".gemini/settings.json",
        json!({
            "hooksConfig": { "enabled": true },
            "hooks": hooks("gemini-hook"),
            "mcpServers": server("gemini-server"),
            "security": { "auth": { "selectedType": "gemini-api-key" } },
        }),
    );
    write(".agents/plugins/planted/plugin.json", json!({ "name": "planted", "version": "1.0.0" }));
    write(".agents/plugins/planted/hooks/hooks.json", json!({ "hooks": hooks("goose-hook") }));
    world.repo.git(&["add", "--all"]);
    world.repo.git(&["commit", "--quiet", "--message", "settings of agents"]);
    (world, marks)
}

fn before_a_tool(hook: &str) -> &'static str {
    if hook.starts_with("gemini") { "BeforeTool" } else { "PreToolUse" }
}

/// The crew, which stops after the first role has used its tools.
fn brief(session: &str) -> Script {
    let mut script = crew::script(session);
    script.rules[0].then.reply = Some(blocked());
    script
}

/// The places of a person who uses these agents; no agent may make them in a home.
const PERSONS: [&str; 6] =
    [".claude", ".codex", ".gemini", ".config/goose", ".local/share/goose", ".local/state/goose"];

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn delivers_and_runs_nothing_of_the_repository(test: &str, kind: Kind, would_run: &[&str]) {
    let Some(programs) = or_skip(test) else { return };
    let (world, marks) = planted(programs, kind, thoughtful);
    delivers(&world);
    assert!(names_in(&marks).is_empty(), "the repository ran {:?}", names_in(&marks));

    // The same settings run where they are agreed to: it is not for a fault of theirs that they did not.
    let (world, marks) = planted(programs, kind, brief);
    for place in PERSONS {
        fs::create_dir_all(world.repo.outside("home").join(place)).unwrap();
    }
    let settings = world.repo.root().join("tollgate.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(settings, text.replace("[agent.agent]\n", "[agent.agent]\ninherit = true\n"))
        .unwrap();
    world.tollgate(&["agents", "trust", "agent", "--yes"]).exits(0);
    world.lean().exits(4).says("This is enough.");
    assert_eq!(names_in(&marks), would_run);
    world.is_quiet();
}

macro_rules! isolation {
    ($($name:ident: $kind:expr, $would_run:expr;)+) => {
        $(#[test]
        fn $name() {
            delivers_and_runs_nothing_of_the_repository(stringify!($name), $kind, &$would_run);
        })+
    };
}

isolation! {
    claude_delivers_a_lean_session_and_runs_nothing_of_the_repository: CLAUDE, ["claude-hook", "claude-server"];
    codex_delivers_a_lean_session_and_runs_nothing_of_the_repository: CODEX, ["codex-server"];
    gemini_delivers_a_lean_session_and_runs_nothing_of_the_repository: GEMINI, ["gemini-hook", "gemini-server"];
    goose_delivers_a_lean_session_and_runs_nothing_of_the_repository: GOOSE, ["goose-hook"];
}
