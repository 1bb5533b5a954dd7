//! What this start was told: environment, input, prompt and workspace.

use serde_json::Value;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub(super) struct Start {
    pub(super) workspace: PathBuf,
    pub(super) session: String,
    pub(super) role: String,
    pub(super) task: String,
    pub(super) dispatch: u32,
    pub(super) attempt: u32,
    pub(super) input: Value,
    pub(super) input_text: String,
    pub(super) prompt: String,
}

impl Start {
    pub(super) fn from_process() -> Result<Self, String> {
        let workspace =
            std::env::current_dir().map_err(|error| format!("no working directory: {error}"))?;
        let mut prompt = Vec::new();
        std::io::stdin()
            .lock()
            .read_to_end(&mut prompt)
            .map_err(|error| format!("cannot read the prompt from standard input: {error}"))?;
        let input_path = variable("TOLLGATE_INPUT")?;
        let input_text = std::fs::read_to_string(&input_path)
            .map_err(|error| format!("cannot read the input {input_path}: {error}"))?;
        Ok(Self {
            workspace,
            session: variable("TOLLGATE_SESSION")?,
            role: variable("TOLLGATE_ROLE")?,
            task: variable("TOLLGATE_TASK")?,
            dispatch: number("TOLLGATE_DISPATCH")?,
            attempt: number("TOLLGATE_ATTEMPT")?,
            input: serde_json::from_str(&input_text)
                .map_err(|error| format!("the input {input_path} is not JSON: {error}"))?,
            input_text,
            prompt: String::from_utf8_lossy(&prompt).into_owned(),
        })
    }

    pub(super) fn mode(&self) -> &str {
        self.input.get("mode").and_then(Value::as_str).unwrap_or("full")
    }

    /// The session folder inside the workspace.
    pub(super) fn session_folder(&self) -> PathBuf {
        self.workspace.join(".agents-work").join(&self.session)
    }

    pub(super) fn path(&self, relative: &str) -> PathBuf {
        self.workspace.join(Path::new(&self.fill(relative)))
    }

    /// What the input wants the report to name, a line each.
    pub(super) fn report_points(&self) -> String {
        let points = self.input["report_points"].as_array().into_iter().flatten();
        let text = |point: &Value, key: &str| point[key].as_str().unwrap_or_default().to_owned();
        let line = |point: &Value| {
            let (id, kind) = (text(point, "id"), text(point, "kind").replace("-", " "));
            format!("- {id} ({kind}): {}", text(point, "text"))
        };
        match points.map(line).collect::<Vec<_>>() {
            lines if lines.is_empty() => "None.".to_owned(),
            lines => lines.join("\n"),
        }
    }

    /// Puts this start's facts where a script names them in braces.
    pub(super) fn fill(&self, text: &str) -> String {
        text.replace("{session}", &self.session)
            .replace("{task}", &self.task)
            .replace("{role}", &self.role)
            .replace("{attempt}", &self.attempt.to_string())
            .replace("{dispatch}", &self.dispatch.to_string())
            .replace("{report_points}", &self.report_points())
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} dispatch {} attempt {}", self.role, self.task, self.dispatch, self.attempt)
    }
}

fn variable(name: &str) -> Result<String, String> {
    std::env::var(name)
        .map_err(|_| format!("{name} is not set; this program is started by tollgate as an agent"))
}

fn number(name: &str) -> Result<u32, String> {
    let text = variable(name)?;
    text.parse().map_err(|_| format!("{name} is {text:?}, not a number"))
}

#[cfg(test)]
impl Start {
    /// A start in an empty folder, for tests.
    pub(super) fn sample(workspace: &Path, role: &str, task: &str) -> Self {
        let input = serde_json::json!({"mode": "full", "task": {"id": task, "goal": "Count failed logins"}});
        Self {
            workspace: workspace.to_owned(),
            session: "2026-11-15_demo".to_owned(),
            role: role.to_owned(),
            task: task.to_owned(),
            dispatch: 7,
            attempt: 1,
            input_text: input.to_string(),
            input,
            prompt: "You are the agent. changes-requested: per user".to_owned(),
        }
    }
}
