//! Agents that speak ACP badly: the driver answers, refuses, waits and ends as it should, and nothing is left behind.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const PEER: &str = env!("CARGO_BIN_EXE_acp-test-peer");

struct Played {
    folder: TempDir,
    /// What the driver wrote in our words.
    events: Vec<Value>,
    stderr: String,
}

impl Played {
    fn new(case: &str, silence_ms: u64) -> Self {
        let folder = TempDir::new().unwrap();
        let (tree, run) = (folder.path().join("tree"), folder.path().join("run"));
        prepare(&tree);
        fs::create_dir(&run).unwrap();
        fs::write(run.join("prompt.md"), "Do it").unwrap();
        let plan = json!({
            "adapter": "acp", "argv": [PEER, case], "stdin": "talk", "tree": tree,
            "session_folder": ".agents-work/one", "access": "tree", "silence_ms": silence_ms,
        });
        fs::write(run.join("plan.json"), plan.to_string()).unwrap();
        let output = Command::new(PEER).arg("drive").arg(&run).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{stderr}");
        let lines = String::from_utf8(output.stdout).unwrap();
        let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let events = lines.filter(|line| line.get("agent").is_none()).collect();
        Self { folder, events, stderr }
    }

    fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn finished(&self) -> (&str, &str) {
        let last = self.events.last().unwrap();
        assert_eq!(last["event"], "finished", "{:?}", self.events);
        let text = last["text"].as_str().unwrap_or_default();
        (last["outcome"]["kind"].as_str().unwrap(), text)
    }

    fn all(&self, event: &str) -> Vec<&Value> {
        self.events.iter().filter(|found| found["event"] == event).collect()
    }
}

/// A tree with links that lead out of it, and the folder of another session.
fn prepare(tree: &Path) {
    for folder in ["sub", ".git", ".agents-work/one", ".agents-work/two"] {
        fs::create_dir_all(tree.join(folder)).unwrap();
    }
    let outside = tree.parent().unwrap();
    for path in ["tree/.git/config", "tree/.agents-work/two/spec.md", "outside.txt", "tree/tool.sh"]
    {
        fs::write(outside.join(path), "as it was").unwrap();
    }
    fs::set_permissions(tree.join("tool.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink(outside, tree.join("link")).unwrap();
    symlink(outside.join("outside.txt"), tree.join("linked.txt")).unwrap();
}

#[test]
fn a_line_that_is_not_a_message_is_skipped() {
    let played = Played::new("garbage", 60_000);
    assert_eq!(played.finished(), ("done", "still here"));
    assert_eq!(played.all("usage"), Vec::<&Value>::new());
}

#[test]
fn a_prompt_that_is_never_answered_ends_by_silence() {
    assert_eq!(Played::new("never", 600).finished().0, "silent");
}

#[test]
fn an_agent_that_keeps_asking_for_the_forbidden_is_stopped() {
    let played = Played::new("flood", 60_000);
    assert_eq!(played.finished().0, "denied");
    assert!(played.all("permission").iter().all(|asked| asked["granted"] == false));
    assert!(played.stderr.contains("cancelled after 101"), "{}", played.stderr);
}

#[test]
fn an_agent_that_asks_without_listening_does_not_stop_the_driver() {
    let played = Played::new("deaf", 60_000);
    assert_eq!(played.finished(), ("done", "asked"));
    assert_eq!(played.all("permission").len(), 10_000);
}

#[test]
fn no_file_outside_the_tree_is_read_or_written() {
    let played = Played::new("escape", 60_000);
    assert_eq!(played.finished(), ("done", r#"[] "two\n""#));
    let tree = played.tree();
    let untouched = |path: &str| fs::read_to_string(tree.join(path)).unwrap() == "as it was";
    assert!(untouched(".git/config") && untouched(".agents-work/two/spec.md"));
    assert!(untouched("../outside.txt"));
    assert!(!tree.join("big.txt").exists());
    assert_eq!(fs::read_to_string(tree.join("tool.sh")).unwrap(), "one\ntwo\nthree\n");
    // Who may start it is no part of what was written.
    let mode = fs::metadata(tree.join("tool.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    let refused = played.all("permission");
    assert!(refused.iter().any(|asked| asked["what"].as_str().unwrap().contains("/etc/passwd")));
}

#[test]
fn what_is_not_known_is_refused_and_questions_are_declined() {
    let played = Played::new("unknown", 60_000);
    assert_eq!(played.finished(), ("done", r#"-32601 "decline" -32002"#));
    assert_eq!(played.all("question")[0]["text"], "Which colour?");
}

#[test]
fn a_command_without_end_is_answered_for_and_can_be_ended() {
    let played = Played::new("terminal", 60_000);
    let expected = r#"true 100 {"exitCode":null,"signal":"9"} -32002 -32603"#;
    assert_eq!(played.finished(), ("done", expected));
}

#[test]
fn a_command_does_not_outlive_the_turn() {
    let played = Played::new("left", 60_000);
    let (kind, pid) = played.finished();
    assert_eq!(kind, "done");
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(!state.contains("sleep"), "{state}");
}
