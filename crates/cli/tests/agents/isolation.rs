//! What a repository brings along for an agent, hooks and servers, does not run; and would, if a person had agreed to it.

use crate::faults;
use crate::sessions::{
    CLAUDE, CLAUDE_ACP, CODEX, CODEX_ACP, COPILOT, GEMINI, GOOSE, GOOSE_ACP, OPENCODE, QWEN,
    delivers, thoughtful,
};
use crate::world::{Kind, World};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tollgate_contract::config::Adapter;
use tollgate_programs::{Programs, or_skip};
use tollgate_standin::Script;

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
    write(".mcp.json", json!({ "mcpServers": server("shared-server") }));
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
    write(
        ".qwen/settings.json",
        json!({ "$version": 4, "hooks": hooks("qwen-hook"), "mcpServers": server("qwen-server") }),
    );
    let hook = json!([{ "type": "command", "bash": leave("copilot-hook") }]);
    let hooks = json!({ "sessionStart": hook, "preToolUse": hook });
    write(".github/hooks/planted.json", json!({ "version": 1, "hooks": hooks }));
    write("opencode.json", json!({ "plugins": ["./planted.js"] }));
    let mark = marks.join("opencode-plugin");
    let plugin = format!(
        "import {{ writeFileSync }} from 'fs'\nwriteFileSync({mark:?}, '')\nexport default {{ id: 'planted', setup() {{}} }}\n"
    );
    world.repo.write("planted.js", &plugin);
    world.repo.git(&["add", "--all"]);
    world.repo.git(&["commit", "--quiet", "--message", "settings of agents"]);
    (world, marks)
}

fn before_a_tool(hook: &str) -> &'static str {
    if hook.starts_with("gemini") { "BeforeTool" } else { "PreToolUse" }
}

/// The crew, to which nobody is known after its first tool.
fn brief(session: &str) -> Script {
    let mut script = faults::no_login(session);
    script.rules[0].when.tool_results = Some(1);
    script
}

/// The places of a person who uses these agents; no agent may make them in a home.
const PERSONS: [&str; 12] = [
    ".claude",
    ".codex",
    ".copilot",
    ".gemini",
    ".qwen",
    ".cache/opencode",
    ".config/goose",
    ".config/opencode",
    ".local/share/goose",
    ".local/share/opencode",
    ".local/state/goose",
    ".local/state/opencode",
];

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// In a whole delivery.
fn delivers_apart(test: &str, kind: Kind, would_run: &[&str]) {
    let Some(programs) = or_skip(test) else { return };
    let (world, marks) = planted(programs, kind, thoughtful);
    delivers(&world);
    assert!(names_in(&marks).is_empty(), "the repository ran {:?}", names_in(&marks));
    runs_where_it_is_agreed_to(programs, kind, would_run);
}

/// Up to its first tool, which is as far as a hook or a server needs.
fn works(test: &str, kind: Kind, would_run: &[&str]) {
    let Some(programs) = or_skip(test) else { return };
    let (world, marks) = planted(programs, kind, brief);
    works_once(&world);
    assert!(names_in(&marks).is_empty(), "the repository ran {:?}", names_in(&marks));
    runs_where_it_is_agreed_to(programs, kind, would_run);
}

/// What cannot be kept apart is not started; a person is told why.
fn is_refused(test: &str, kind: Kind, would_run: &[&str]) {
    let Some(programs) = or_skip(test) else { return };
    let (world, marks) = planted(programs, kind, brief);
    let told = world.lean().exits(4).says("tollgate agents trust");
    told.says("the repository has ");
    assert!(world.service.requests().is_empty(), "it was started");
    assert!(names_in(&marks).is_empty(), "the repository ran {:?}", names_in(&marks));
    runs_where_it_is_agreed_to(programs, kind, would_run);
}

/// The same settings run where they are agreed to: it is not for a fault of theirs that they did not.
fn runs_where_it_is_agreed_to(programs: &Programs, kind: Kind, would_run: &[&str]) {
    let (world, marks) = planted(programs, kind, brief);
    for place in PERSONS {
        fs::create_dir_all(world.repo.outside("home").join(place)).unwrap();
    }
    let settings = world.repo.root().join("tollgate.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(settings, text.replace("[agent.agent]\n", "[agent.agent]\ninherit = true\n"))
        .unwrap();
    world.tollgate(&["agents", "trust", "agent", "--yes"]).exits(0);
    works_once(&world);
    assert_eq!(names_in(&marks), would_run);
}

/// No agent may be given up here: some take long to start on a busy machine.
const PATIENCE: &str = "120s";

#[track_caller]
fn works_once(world: &World) {
    faults::settings(world, PATIENCE, 1);
    world.lean().exits(4);
    faults::met_the_fault(world, faults::FIRST);
    world.is_quiet();
}

const GEMINI_ACP: Kind = Kind {
    adapter: Adapter::Acp,
    words: |programs| with(programs.gemini(), &["-m", "gemini-2.5-flash", "--acp"]),
};
const OPENCODE_ACP: Kind =
    Kind { adapter: Adapter::Acp, words: |programs| with(programs.opencode(), &["acp"]) };
const QWEN_ACP: Kind = Kind {
    adapter: Adapter::Acp,
    words: |programs| with(programs.qwen(), &["--auth-type", "openai", "--acp"]),
};
const COPILOT_ACP: Kind = Kind {
    adapter: Adapter::Acp,
    words: |programs| with(programs.copilot(), &["--acp", "--model", "claude-sonnet-4.5"]),
};

fn with(program: Vec<String>, words: &[&str]) -> Vec<String> {
    program.into_iter().chain(words.iter().map(|word| (*word).to_owned())).collect()
}

macro_rules! isolation {
    ($($name:ident: $check:ident($kind:expr), $would_run:expr;)+) => {
        $(#[test]
        fn $name() {
            $check(stringify!($name), $kind, &$would_run);
        })+
    };
}

isolation! {
    claude_delivers_a_lean_session_and_runs_nothing_of_the_repository: delivers_apart(CLAUDE), ["claude-hook", "shared-server"];
    codex_delivers_a_lean_session_and_runs_nothing_of_the_repository: delivers_apart(CODEX), ["codex-server"];
    gemini_delivers_a_lean_session_and_runs_nothing_of_the_repository: delivers_apart(GEMINI), ["gemini-hook", "gemini-server"];
    goose_delivers_a_lean_session_and_runs_nothing_of_the_repository: delivers_apart(GOOSE), ["goose-hook"];
    opencode_is_refused_where_the_repository_has_settings: is_refused(OPENCODE), ["opencode-plugin"];
    copilot_runs_nothing_of_the_repository: works(COPILOT), ["claude-hook", "copilot-hook", "shared-server"];
    qwen_runs_nothing_of_the_repository: works(QWEN), ["qwen-hook"];
    goose_over_acp_runs_nothing_of_the_repository: works(GOOSE_ACP), ["goose-hook"];
    claude_over_acp_runs_nothing_of_the_repository: works(CLAUDE_ACP), ["claude-hook", "shared-server"];
    codex_over_acp_is_refused_where_the_repository_has_settings: is_refused(CODEX_ACP), ["codex-server"];
    gemini_over_acp_runs_nothing_of_the_repository: works(GEMINI_ACP), ["gemini-server"];
    opencode_over_acp_is_refused_where_the_repository_has_settings: is_refused(OPENCODE_ACP), ["opencode-plugin"];
    copilot_over_acp_is_refused_where_the_repository_has_hooks: is_refused(COPILOT_ACP), ["copilot-hook"];
    qwen_over_acp_runs_nothing_of_the_repository: works(QWEN_ACP), ["qwen-hook"];
}
