//! The folder an agent works in, as it tells the model: some tools take absolute paths only.

use crate::conversation::{Conversation, ConversationEntry};

/// What is in front of the folder in the prompts of the agents.
const MARKS: [&str; 5] = [
    // Claude Code, opencode, Copilot.
    "orking directory: ",
    // Qwen Code.
    "working in the directory: ",
    // goose.
    "<working-directory>",
    // Codex.
    "<cwd>",
    // Gemini CLI.
    "**Workspace Directories:**\n  - ",
];

/// The path in the agent's folder, absolute if the folder is known.
pub fn place(talk: &Conversation, path: &str) -> String {
    match folder(talk) {
        Some(folder) if !path.starts_with('/') => {
            format!("{}/{}", folder.trim_end_matches('/'), path.trim_start_matches("./"))
        }
        _ => path.to_owned(),
    }
}

fn folder(talk: &Conversation) -> Option<&str> {
    let texts = talk.entries.iter().filter_map(|entry| match entry {
        ConversationEntry::Asked(text) | ConversationEntry::Note(text) => Some(text.as_str()),
        _ => None,
    });
    std::iter::once(talk.system.as_str()).chain(texts).find_map(folder_in)
}

fn folder_in(text: &str) -> Option<&str> {
    MARKS.iter().find_map(|mark| {
        let (_, after) = text.split_once(mark)?;
        let folder = after.split(['\n', '\r', '<']).next().unwrap_or_default().trim();
        folder.starts_with('/').then_some(folder)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_found_where_agents_say_it() {
        for said in [
            " - Primary working directory: /x/y\n - Is a git repository: true",
            "I'm currently working in the directory: /x/y\nHere",
            "<turn-context>\n<working-directory>/x/y</working-directory>",
            "<environment_context>\n  <cwd>/x/y</cwd>",
            "- **Workspace Directories:**\n  - /x/y\n- **Directory Structure:**",
        ] {
            let mut talk = Conversation::default();
            talk.push_user(said.to_owned());
            assert_eq!(place(&talk, "a/b.txt"), "/x/y/a/b.txt", "{said}");
            assert_eq!(place(&talk, "/z"), "/z");
        }
        assert_eq!(place(&Conversation::default(), "a"), "a");
    }
}
