//! The tools that clients see: their names, what they are for, what they take, and what they do.

mod asking;
mod playing;
mod reading;
mod starting;
pub mod waiting;

use crate::arguments::{self, Object};
use crate::refused::Refused;
use crate::room::Room;
use serde_json::Value;

pub type Outcome = Result<Value, Refused>;

/// What a tool may do to a session. There is no way of answering a question among them, and none of ending a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Reads,
    /// Opens a session.
    Starts,
    /// Continues a session from where it stopped.
    Resumes,
    /// Submits the reply of a dispatch that this client plays.
    Submits,
}

#[derive(Clone, Copy)]
pub enum Call {
    Once(fn(&Room, Object) -> Outcome),
    /// Looks again and again.
    Wait,
}

pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    pub about: &'static str,
    pub effect: Effect,
    pub schema: fn() -> Object,
    pub call: Call,
}

pub const TOOLS: [Tool; 12] = [
    Tool {
        name: "start_session",
        title: "Start a session",
        about: "Starts a Tollgate session for a goal, and returns its name at once; it continues by itself. Use `wait` \
            to follow it. It lets agents work, which takes time and may cost money: start one only when the person asked for it.",
        effect: Effect::Starts,
        schema: arguments::schema::<arguments::StartSession>,
        call: Call::Once(starting::start),
    },
    Tool {
        name: "list_sessions",
        title: "List sessions",
        about: "Lists the sessions, those that wait for a person first, with goal, state and how many questions are open.",
        effect: Effect::Reads,
        schema: arguments::schema::<arguments::ListSessions>,
        call: Call::Once(reading::list),
    },
    Tool {
        name: "session_status",
        title: "Status of a session",
        about: "Everything about a session as `tollgate status --json` prints it: state, steps, tasks, dispatches, open \
            questions, findings, changed files, spend.",
        effect: Effect::Reads,
        schema: arguments::schema::<arguments::OfSession>,
        call: Call::Once(reading::status),
    },
    Tool {
        name: "wait",
        title: "Wait for a session",
        about: "Waits until there is something to do: a dispatch for this client to play (then call `next_dispatch`), a \
            question for the person (then tell them), or the end of the session. `reason` says which; `timeout` means: call it again. \
            Once the person was told about a question, give its id as `until_answered`.",
        effect: Effect::Reads,
        schema: arguments::schema::<arguments::Wait>,
        call: Call::Wait,
    },
    Tool {
        name: "findings",
        title: "Findings of a session",
        about: "Lists what reviewers and checks found in a session: severity, file, message and whether it is fixed.",
        effect: Effect::Reads,
        schema: arguments::schema::<arguments::Findings>,
        call: Call::Once(reading::findings),
    },
    Tool {
        name: "diff",
        title: "Changes of a session",
        about: "Shows what the accepted work of a session, or of one of its dispatches, changed: the files and the patch. A long \
            patch comes in parts.",
        effect: Effect::Reads,
        schema: arguments::schema::<arguments::Diff>,
        call: Call::Once(reading::diff),
    },
    Tool {
        name: "log",
        title: "Log of a session",
        about: "Tells what happened in a session, a line for each event. Without `since` it shows the newest lines.",
        effect: Effect::Reads,
        schema: arguments::schema::<arguments::Log>,
        call: Call::Once(reading::log),
    },
    Tool {
        name: "open_questions",
        title: "Questions for the person",
        about: "Lists the questions that wait for the person, each with its options, what they lead to, and the command that the \
            PERSON uses to answer. Put them to the person in your own words. You cannot answer them: no tool does, and you must not run \
            the commands yourself.",
        effect: Effect::Reads,
        schema: arguments::schema::<arguments::OfSession>,
        call: Call::Once(asking::questions),
    },
    Tool {
        name: "next_dispatch",
        title: "Next dispatch to play",
        about: "The next dispatch of a role that this client plays (`adapter = \"manual\"` in tollgate.toml): the prompt with the \
            task, the folder to work in, and the files that must be there at the end. Play it as the prompt says, then call \
            `submit_reply`. `dispatch` is null where nothing waits for you.",
        effect: Effect::Reads,
        schema: arguments::schema::<arguments::NextDispatch>,
        call: Call::Once(playing::next),
    },
    Tool {
        name: "submit_reply",
        title: "Submit the reply of a dispatch",
        about: "Submits the reply of a dispatch that this client played, and continues the session. An invalid reply comes back \
            with every error and uses no attempt: fix it and submit it again. It is no answer to a question.",
        effect: Effect::Submits,
        schema: arguments::schema::<arguments::SubmitReply>,
        call: Call::Once(playing::submit),
    },
    Tool {
        name: "resume_session",
        title: "Resume a session",
        about: "Continues a session that no process runs, from where it stopped. It answers nothing: a session that waits for the \
            person still waits.",
        effect: Effect::Resumes,
        schema: arguments::schema::<arguments::OfSession>,
        call: Call::Once(starting::resume),
    },
    Tool {
        name: "explain",
        title: "Explain a code",
        about: "Explains the code of an error or of a blocker, and what helps.",
        effect: Effect::Reads,
        schema: arguments::schema::<arguments::Explain>,
        call: Call::Once(reading::explain),
    },
];

pub fn named(name: &str) -> Option<&'static Tool> {
    static ALL: [Tool; 12] = TOOLS;
    ALL.iter().find(|tool| tool.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r192_no_tool_answers_a_decision() {
        // Who adds a tool says here what it may do. Answering, cancelling and merging are for people.
        let may: Vec<(&str, Effect)> = TOOLS.iter().map(|tool| (tool.name, tool.effect)).collect();
        assert_eq!(
            may,
            [
                ("start_session", Effect::Starts),
                ("list_sessions", Effect::Reads),
                ("session_status", Effect::Reads),
                ("wait", Effect::Reads),
                ("findings", Effect::Reads),
                ("diff", Effect::Reads),
                ("log", Effect::Reads),
                ("open_questions", Effect::Reads),
                ("next_dispatch", Effect::Reads),
                ("submit_reply", Effect::Submits),
                ("resume_session", Effect::Resumes),
                ("explain", Effect::Reads),
            ]
        );
        for tool in &TOOLS {
            let schema = (tool.schema)();
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
            for field in ["answer", "decision", "decision_id", "round", "option"] {
                let properties = schema["properties"].as_object();
                assert!(properties.is_some_and(|all| !all.contains_key(field)), "{}", tool.name);
            }
        }
    }

    /// `Orders` can answer, and only the file of the deeds holds it.
    #[test]
    fn r192_no_other_file_gives_commands() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut naming = Vec::new();
        for file in sources(&folder) {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
            for word in ["Orders", "std::process", "Command::"] {
                if shipped.contains(word) {
                    naming.push(format!(
                        "{}: {word}",
                        file.file_name().unwrap_or_default().display()
                    ));
                }
            }
        }
        assert_eq!(naming, ["deeds.rs: Orders"]);
        let deeds = std::fs::read_to_string(folder.join("deeds.rs")).unwrap_or_default();
        for deed in [".answer(", ".cancel("] {
            assert!(!deeds.contains(deed), "{deed}");
        }
    }

    fn sources(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => found.extend(sources(&path)),
                false => found.push(path),
            }
        }
        found.sort();
        found
    }
}
