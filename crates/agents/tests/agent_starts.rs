//! How Claude Code and Qwen Code are started: alone with their login, within the role's boundary, and natively.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use tollgate_agents::{Access, AgentStart, Home, Job, adapter};
use tollgate_contract::config::{Adapter, AgentConfig};

fn start(kind: Adapter, access: Access, inherit: bool) -> AgentStart {
    let place = tempfile::tempdir().unwrap();
    let home = Home::create(&place.path().join("home")).unwrap();
    let agent = AgentConfig {
        model: Some("a-model".to_owned()),
        args: vec!["--mine".to_owned()],
        inherit,
        ..AgentConfig::plain(kind)
    };
    let job = Job {
        person_home: None,
        is_confined: true,
        agent: &agent,
        program: vec!["program".to_owned()],
        access,
        tree: Path::new("/srv/tree"),
        session_folder: ".agents-work/2026-01-01_a",
        home: &home,
        resume: Some("a-session"),
        schema: &serde_json::json!({ "type": "object" }),
        micro_usd: Some(2_050_000),
    };
    let start = adapter(kind).unwrap().start(&job).unwrap();
    if !inherit {
        let private = home.folder().display().to_string();
        assert!(start.env.values().any(|value| *value == private), "{:?}", start.env);
    }
    start
}

/// Whether the words stand beside each other.
fn says(start: &AgentStart, words: &[&str]) -> bool {
    start.argv.windows(words.len()).any(|window| window == words)
}

#[test]
fn claude_is_started_alone_with_its_limits() {
    let start = start(Adapter::Claude, Access::Tree, false);
    for words in [
        &["--setting-sources", ""][..],
        &["--strict-mcp-config"],
        &["--permission-prompt-tool", "stdio"],
        &["--model", "a-model"],
        &["--max-budget-usd", "2.050000"],
        &["--resume", "a-session"],
    ] {
        assert!(says(&start, words), "{words:?} in {:?}", start.argv);
    }
    assert_eq!(start.argv.last().unwrap(), "--mine");
    assert!(!start.argv.iter().any(|word| word.contains("dangerously")));
}

#[test]
fn an_inheriting_claude_keeps_the_persons_settings() {
    let start = start(Adapter::Claude, Access::Tree, true);
    assert!(!says(&start, &["--setting-sources", ""]) && !says(&start, &["--strict-mcp-config"]));
    assert!(!start.env.contains_key("CLAUDE_CONFIG_DIR"));
}

#[test]
fn r039_qwen_gets_the_boundary_of_the_role_as_rules() {
    let reader = start(Adapter::Qwen, Access::Read, false);
    assert!(!reader.argv.iter().any(|word| word.starts_with("write_file(/.agents-work")));
    assert!(!says(&reader, &["--allowed-tools", "write_file(/**)"]));
    let author = start(Adapter::Qwen, Access::Session, false);
    let own = "write_file(/.agents-work/2026-01-01_a/**)";
    assert!(says(&author, &["--allowed-tools", own]), "{:?}", author.argv);
    let coder = start(Adapter::Qwen, Access::Tree, false);
    assert!(says(&coder, &["--allowed-tools", "write_file(/**)"]));
    for started in [reader, author, coder] {
        assert!(says(&started, &["--exclude-tools", "write_file(/.git/**)"]));
        assert!(
            says(&started, &["--approval-mode", "default"]) && says(&started, &["--safe-mode"])
        );
    }
}

#[test]
fn claude_is_started_natively_where_npm_left_a_script() {
    let place = tempfile::tempdir().unwrap();
    let modules = place.path().canonicalize().unwrap().join("node_modules");
    let write = |path: &str, content: &[u8]| {
        let path = modules.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let loader = write("@anthropic-ai/claude-code/bin/claude.exe", b"echo not installed\n");
    let link = modules.join("claude");
    symlink(&loader, &link).unwrap();
    let command = |found: &Path| adapter(Adapter::Claude).unwrap().command(found);
    assert_eq!(command(&link), [link.display().to_string()], "nothing better is there");

    for machine in ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"] {
        write(&format!("@anthropic-ai/claude-code-{machine}/claude"), b"\x7fELF and more");
    }
    let started = command(&link).remove(0);
    assert!(
        started.contains("/@anthropic-ai/claude-code-") && started.ends_with("/claude"),
        "{started}"
    );
}
