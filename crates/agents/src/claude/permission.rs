//! What Claude Code may use: files are written within the boundary of the role, the shell is fenced by the sandbox and the
//! diff, and what nobody knows is refused.

use crate::DriverPlan;
use crate::boundary::may_write;
use crate::claude_lines::{text, what};
use serde_json::Value;

pub enum Leave {
    Given,
    Refused {
        what: String,
        /// For the model.
        why: String,
    },
    NobodyAnswers {
        question: String,
    },
}

pub fn leave(plan: &DriverPlan, tool: &str, input: &Value) -> Leave {
    let refused = |why: String| {
        let what = format!("{tool} {}", what(input, &plan.tree)).trim().to_owned();
        Leave::Refused { what: format!("{what}: {why}"), why: format!("Refused: {why}.") }
    };
    match tool {
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => {
            let named = text(input, "file_path").or(text(input, "notebook_path"));
            match may_write(plan, named.unwrap_or_default()) {
                Ok(()) => Leave::Given,
                Err(why) => refused(why),
            }
        }
        "AskUserQuestion" => Leave::NobodyAnswers { question: questions(input) },
        _ if is_known(tool) => Leave::Given,
        _ => refused("this tool is not known".to_owned()),
    }
}

/// Servers are there only when the settings brought them.
fn is_known(tool: &str) -> bool {
    const KNOWN: [&str; 23] = [
        "Agent",
        "Bash",
        "BashOutput",
        "Glob",
        "Grep",
        "KillShell",
        "LS",
        "LSP",
        "ListAgents",
        "ListMcpResourcesTool",
        "NotebookRead",
        "Read",
        "ReadMcpResourceTool",
        "ReportFindings",
        "SendMessage",
        "Skill",
        "StructuredOutput",
        "Task",
        "TaskOutput",
        "TaskStop",
        "TodoWrite",
        "ToolSearch",
        "WebFetch",
    ];
    KNOWN.contains(&tool) || matches!(tool, "WebSearch" | "Workflow") || tool.starts_with("mcp__")
}

fn questions(input: &Value) -> String {
    let asked = input["questions"].as_array().into_iter().flatten();
    let words: Vec<&str> = asked.filter_map(|question| text(question, "question")).collect();
    words.join("\n")
}
