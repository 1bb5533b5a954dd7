//! What of a file counts for trust, as the agent says that writes it.

use crate::{Runs, all};

/// None for a file that counts for nothing. What no agent knows counts as it is.
pub fn counted(name: &str, content: Vec<u8>) -> Option<Vec<u8>> {
    match all().map(|agent| agent.runs_of(name, &content)).find(|runs| *runs != Runs::All) {
        None | Some(Runs::All) => Some(content),
        Some(Runs::Part(part)) => Some(part),
        Some(Runs::Nothing) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    fn part(name: &str, content: &str) -> Option<String> {
        let part = counted(name, content.as_bytes().to_vec());
        part.map(|part| String::from_utf8_lossy(&part).into_owned())
    }

    #[test]
    fn counters_do_not_count_and_servers_do() {
        let of = |starts: u32, server: &str| {
            let project =
                format!(r#"{{"lastCost":{starts},"mcpServers":{{"a":{{"command":"{server}"}}}}}}"#);
            let text = format!(
                r#"{{"numStartups":{starts},"mcpServers":{{}},"projects":{{"/p":{project}}}}}"#
            );
            part("~/.claude.json", &text)
        };
        assert_eq!(of(1, "a"), of(2, "a"));
        assert_ne!(of(1, "a"), of(1, "b"));
        let opened =
            r#"{"numStartups":1,"mcpServers":{},"projects":{"/p":{"mcpServers":{},"seen":true}}}"#;
        assert_eq!(part("~/.claude.json", opened), part("~/.claude.json", r#"{"mcpServers":{}}"#));
    }

    #[test]
    fn what_a_program_keeps_for_itself_does_not_count_and_everything_else_does() {
        assert_eq!(part("~/.codex/skills/.system/x/SKILL.md", "x"), None);
        assert_eq!(part("~/.claude/plugins/store/a.json", "x"), None);
        assert_eq!(part("~/.claude/plugins/store/a.js", "x").as_deref(), Some("x"));
        assert_eq!(part(".claude.json", "{\"a\":1}").as_deref(), Some("{\"a\":1}"));
        let (with, without) = (r#"{"$schema":"s","plugin":["a"]}"#, r#"{"plugin":["a"]}"#);
        assert_eq!(part("opencode.json", with), part("opencode.json", without));
        assert_eq!(part("~/.claude.json", "no json").as_deref(), Some("no json"));
    }
}
