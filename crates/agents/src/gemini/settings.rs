//! What Gemini CLI is told: its settings, what its tools may do, and how it signs in.

use crate::{Access, Job};
use serde_json::{Value, json};

/// Rounds with the model before it gives up; a guard against running in circles.
const TURNS_MAX: u32 = 500;

/// Read with every conversation. In a workspace that it does not trust it refuses `git`, and reads no files of instructions.
pub const NOTE: &str = "\
Call git as `command git` (`command git diff`); a plain `git` is refused here.
If there is an AGENTS.md or GEMINI.md in the workspace, read it first.
";

pub fn settings(signs_in: Option<&str>) -> Value {
    let mut security = json!({ "folderTrust": { "enabled": false } });
    if let Some(way) = signs_in {
        security["auth"] = json!({ "selectedType": way });
    }
    json!({
        "security": security,
        "general": {
            "enableAutoUpdate": false,
            "enableAutoUpdateNotification": false,
            "maxAttempts": 2,
            "plan": { "enabled": false },
        },
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
        "advanced": { "ignoreLocalEnv": true },
        "hooksConfig": { "enabled": false },
        "experimental": { "enableAgents": false },
        "skills": { "enabled": false },
        "tools": { "useRipgrep": false, "shell": { "enableInteractiveShell": false } },
        "model": { "maxSessionTurns": TURNS_MAX, "skipNextSpeakerCheck": true },
    })
}

/// How it signs in: by what the settings passed on, else by which login the person has; else it finds out itself.
pub fn sign_in(let_through: &[String], is_there: impl Fn(&str) -> bool) -> Option<&'static str> {
    let passes = |name: &str| let_through.iter().any(|passed| passed == name);
    if passes("GOOGLE_GENAI_USE_VERTEXAI") || passes("GOOGLE_GENAI_USE_GCA") {
        return None;
    }
    if passes("GEMINI_API_KEY") {
        return Some("gemini-api-key");
    }
    if passes("GOOGLE_API_KEY") || passes("GOOGLE_APPLICATION_CREDENTIALS") {
        return Some("vertex-ai");
    }
    if passes("GOOGLE_GEMINI_BASE_URL") {
        return None;
    }
    if is_there(".gemini/oauth_creds.json") {
        return Some("oauth-personal");
    }
    is_there(".gemini/gemini-credentials.json").then_some("gemini-api-key")
}

/// Rules for its tools; what no rule allows is refused, because nobody is there to ask.
pub fn policy(job: &Job<'_>) -> String {
    let mut rules = vec![
        "toolName = \"run_shell_command\"\ndecision = \"allow\"\nallowRedirection = true\npriority = 900".to_owned(),
        "toolName = [\"enter_plan_mode\", \"activate_skill\", \"invoke_agent\"]\ndecision = \"deny\"\npriority = 900".to_owned(),
    ];
    if !job.agent.inherit {
        let hint = "Write `command git` instead of `git`.";
        rules.push(format!("toolName = \"run_shell_command\"\ncommandPrefix = \"git\"\ndecision = \"deny\"\ndenyMessage = \"{hint}\"\npriority = 950"));
    }
    rules.extend(writing(job));
    let text = |rule: &String| format!("[[rule]]\n{rule}\n");
    rules.iter().map(text).collect::<Vec<_>>().join("\n")
}

const WRITING: &str = "toolName = [\"write_file\", \"replace\"]";

fn writing(job: &Job<'_>) -> Vec<String> {
    match job.access {
        Access::Tree => vec![format!("{WRITING}\ndecision = \"allow\"\npriority = 900")],
        Access::Read => vec![format!("{WRITING}\ndecision = \"deny\"\npriority = 900")],
        Access::Session => session_folder_only(job),
    }
}

fn session_folder_only(job: &Job<'_>) -> Vec<String> {
    let tree = escaped(&job.tree.display().to_string());
    let folder = escaped(job.session_folder);
    // A part of the arguments begins after a zero byte. One pattern with choices in it is refused as too slow.
    let begins = |path: &str| quoted(&format!(r#"\x00"file_path":"{path}"#));
    let rule = |pattern: String, decision: &str, priority: u32| {
        format!(
            "{WRITING}\nargsPattern = {pattern}\ndecision = \"{decision}\"\npriority = {priority}"
        )
    };
    let inside = [format!("{tree}/{folder}/"), format!("{folder}/"), format!(r"\./{folder}/")];
    let mut rules = vec![rule(begins(r#"[^"]*\.\./"#), "deny", 902)];
    rules.extend(inside.iter().map(|path| rule(begins(path), "allow", 901)));
    let why = quoted(&format!("This role writes only below {}/.", job.session_folder));
    rules.push(format!("{WRITING}\ndecision = \"deny\"\ndenyMessage = {why}\npriority = 900"));
    rules
}

/// Text that is in a JSON string, as a pattern that fits nothing else.
fn escaped(text: &str) -> String {
    let json = Value::from(text).to_string();
    let inner = json.trim_matches('"');
    let mut pattern = String::new();
    for letter in inner.chars() {
        if r"\^$.|?*+()[]{}".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

/// A string of TOML; what JSON escapes TOML understands.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::Home;
    use expect_test::{Expect, expect};
    use std::path::Path;
    use tollgate_contract::config::{Adapter, AgentConfig};

    fn check(access: Access, expected: &Expect) {
        let dir = tempfile::tempdir().unwrap();
        let agent = AgentConfig::plain(Adapter::Gemini);
        let home = Home::create(dir.path()).unwrap();
        let job = Job { access, ..Job::sample(&agent, Path::new("/w/a.b (c)"), &home) };
        expected.assert_eq(&policy(&job));
    }

    #[test]
    fn a_role_of_the_session_writes_only_in_its_folder() {
        check(
            Access::Session,
            &expect![[r#"
            [[rule]]
            toolName = "run_shell_command"
            decision = "allow"
            allowRedirection = true
            priority = 900

            [[rule]]
            toolName = ["enter_plan_mode", "activate_skill", "invoke_agent"]
            decision = "deny"
            priority = 900

            [[rule]]
            toolName = "run_shell_command"
            commandPrefix = "git"
            decision = "deny"
            denyMessage = "Write `command git` instead of `git`."
            priority = 950

            [[rule]]
            toolName = ["write_file", "replace"]
            argsPattern = "\\x00\"file_path\":\"[^\"]*\\.\\./"
            decision = "deny"
            priority = 902

            [[rule]]
            toolName = ["write_file", "replace"]
            argsPattern = "\\x00\"file_path\":\"/w/a\\.b \\(c\\)/\\.agents-work/S/"
            decision = "allow"
            priority = 901

            [[rule]]
            toolName = ["write_file", "replace"]
            argsPattern = "\\x00\"file_path\":\"\\.agents-work/S/"
            decision = "allow"
            priority = 901

            [[rule]]
            toolName = ["write_file", "replace"]
            argsPattern = "\\x00\"file_path\":\"\\./\\.agents-work/S/"
            decision = "allow"
            priority = 901

            [[rule]]
            toolName = ["write_file", "replace"]
            decision = "deny"
            denyMessage = "This role writes only below .agents-work/S/."
            priority = 900
        "#]],
        );
    }

    #[test]
    fn a_reading_role_has_no_tools_to_write() {
        check(
            Access::Read,
            &expect![[r#"
            [[rule]]
            toolName = "run_shell_command"
            decision = "allow"
            allowRedirection = true
            priority = 900

            [[rule]]
            toolName = ["enter_plan_mode", "activate_skill", "invoke_agent"]
            decision = "deny"
            priority = 900

            [[rule]]
            toolName = "run_shell_command"
            commandPrefix = "git"
            decision = "deny"
            denyMessage = "Write `command git` instead of `git`."
            priority = 950

            [[rule]]
            toolName = ["write_file", "replace"]
            decision = "deny"
            priority = 900
        "#]],
        );
    }

    #[test]
    fn the_variables_passed_on_decide_how_it_signs_in() {
        let sign_in = |names: &[&str], file: &str| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            super::sign_in(&names, |path| path == file)
        };
        let oauth = ".gemini/oauth_creds.json";
        assert_eq!(sign_in(&[], oauth), Some("oauth-personal"));
        assert_eq!(sign_in(&["GEMINI_API_KEY"], oauth), Some("gemini-api-key"));
        assert_eq!(sign_in(&["GOOGLE_API_KEY"], oauth), Some("vertex-ai"));
        assert_eq!(sign_in(&["GOOGLE_GENAI_USE_VERTEXAI", "GEMINI_API_KEY"], oauth), None);
        assert_eq!(sign_in(&["PATH"], ".gemini/gemini-credentials.json"), Some("gemini-api-key"));
        assert_eq!(sign_in(&[], ""), None);
    }
}
