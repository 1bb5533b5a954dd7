//! What people write into the settings of their agent programs, and the skill.

use super::client::{Client, hello};
use crate::support::{Repo, ran};
use serde_json::{Value, json};
use std::path::Path;

#[test]
fn r192_the_settings_of_each_client_start_the_server() {
    let repo = Repo::bare();
    let me = env!("CARGO_BIN_EXE_tollgate");
    let printed = |client: &str| repo.tollgate(&["mcp", "--config", client]).exits(0);
    for (client, key) in [
        ("claude", "mcpServers"),
        ("copilot", "mcpServers"),
        ("vscode", "servers"),
        ("gemini", "mcpServers"),
    ] {
        let ran = printed(client).says("it belongs into");
        let settings: Value = serde_json::from_str(&ran.out).unwrap();
        let server = &settings[key]["tollgate"];
        assert_eq!(
            (&server["command"], &server["args"]),
            (&json!(me), &json!(["mcp"])),
            "{client}"
        );
    }
    let codex = printed("codex").out;
    assert!(codex.starts_with("[mcp_servers.tollgate]\ncommand = \""), "{codex}");
    assert!(codex.contains("args = [\"mcp\"]\n"), "{codex}");
    assert!(codex.contains("\nenv = { TOLLGATE_STATE_HOME = \"/"), "{codex}");
    // The client's own command does the same, with the same variables.
    let state = codex.split("TOLLGATE_STATE_HOME = \"").nth(1).unwrap().split('"').next().unwrap();
    let env = format!("--env 'TOLLGATE_STATE_HOME={state}'");
    printed("codex").says(&format!("with: codex mcp add {env} tollgate -- {me} mcp"));
    let claude = format!("with: claude mcp add {env} --transport stdio tollgate -- {me} mcp");
    printed("claude").says(&claude);
    printed("gemini").does_not_say("with:");
    let mut odd = repo.command(&["mcp", "--config", "codex"]);
    ran(odd.env("XDG_STATE_HOME", "/a b'c")).exits(0).says("--env \"XDG_STATE_HOME=/a b'c\"");
    let all = repo.tollgate(&["mcp", "--config", "claude", "--all"]).exits(0).out;
    assert!(all.contains("--all"), "{all}");
    repo.tollgate(&["mcp", "--config", "emacs"]).exits(2);
}

#[test]
fn r192_the_skill_is_a_prompt_and_its_short_form_fits_every_client() {
    let repo = Repo::new();
    let mut client = Client::silent(&mut repo.command(&["mcp"]));
    let answer = client.ask("initialize", hello());
    let short = answer["result"]["instructions"].as_str().unwrap();
    assert!(
        short.len() < 2_000 && short.contains("You never answer a decision"),
        "{}",
        short.len()
    );
    client.tell("notifications/initialized", json!({}));
    let listed = client.ask("prompts/list", json!({}));
    let prompts = listed["result"]["prompts"].as_array().unwrap();
    assert_eq!((prompts.len(), &prompts[0]["name"]), (1, &json!("tollgate")));
    let got = client.ask("prompts/get", json!({"name": "tollgate"}));
    let text = got["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.starts_with("# Working with Tollgate"), "{text}");
    let unknown = client.ask("prompts/get", json!({"name": "approve"}));
    assert!(unknown["error"].is_object(), "{unknown}");
}

#[test]
fn r192_the_skill_says_that_decisions_are_for_the_person() {
    let repo = Repo::bare();
    let skill = repo.tollgate(&["mcp", "--skill"]).exits(0).out;
    assert!(skill.starts_with("---\nname: tollgate\ndescription: "), "{skill}");
    assert!(skill.contains("You never answer a decision."), "{skill}");
    for tool in ["next_dispatch", "submit_reply", "open_questions", "wait", "start_session"] {
        assert!(skill.contains(tool), "{tool}");
    }
}

/// The fenced blocks of a language on the page of the guide.
fn blocks(language: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/mcp.md");
    let page = std::fs::read_to_string(page).unwrap();
    let opened = format!("```{language}\n");
    let after = page.split(&opened).skip(1);
    after.map(|text| text.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn r192_the_guide_shows_what_is_printed() {
    let repo = Repo::bare();
    // As a person has it: the program is on the path, and sessions are in the usual place.
    let me = Path::new(env!("CARGO_BIN_EXE_tollgate"));
    let path = format!("{}:{}", me.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let printed = |args: &[&str]| {
        let mut command = repo.command(args);
        ran(command.env("PATH", &path).env_remove("TOLLGATE_STATE_HOME")).exits(0).out
    };
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(read(&blocks("json")[0]), read(&printed(&["mcp", "--config", "claude"])));
    assert_eq!(blocks("toml")[0], printed(&["mcp", "--config", "codex"]));
    let settings = &blocks("toml")[1];
    repo.write("tollgate.toml", settings);
    repo.write("crew.py", "");
    repo.git(&["init", "--quiet"]);
    let checked = repo.tollgate(&["agents"]);
    assert!(checked.out.contains("me"), "{checked:?}");
    assert!(read(&blocks("json")[1])["permissions"]["deny"][0].is_string());
    for line in blocks("sh").join("").lines().filter(|line| line.starts_with("tollgate")) {
        let words: Vec<&str> = line.split(" > ").next().unwrap().split(' ').skip(1).collect();
        assert!(!printed(&words).is_empty(), "{line}");
    }
}

#[test]
fn r192_the_guide_has_every_tool() {
    let repo = Repo::new();
    let mut client = Client::of(&repo);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/mcp.md");
    let page = std::fs::read_to_string(page).unwrap();
    let listed = client.ask("tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let row = format!("\n| `{}` |", tool["name"].as_str().unwrap());
        assert!(page.contains(&row), "{row}");
    }
}
