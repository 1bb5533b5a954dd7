//! A session folder as another orchestrator writes it, good or with the faults that people's folders have.

use super::plan::{Planned, plan};
use super::{Ran, Repo, files_below};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

pub const OLD: &str = ".agents-work/2020-01-05_login";

pub const SPEC: &str = "# Login\n\n## Goals\n\nPeople can log in.\n\n## Acceptance Criteria\n\n- AC-001: it works.\n\n\
                        ## Definition of Done\n\n- All criteria are met.\n";
const ARCHITECTURE: &str =
    "# Architecture\n\n## Overview\n\nText files.\n\n## Modules\n\n- app.txt\n";
pub const REPORT: &str = "# Report\n\n## What was done\n\nAll.\n\n## How to run\n\nNothing.\n\n## How to test\n\nRun `true`.\n\n\
                          ## Known issues\n\nNone.\n";

pub struct Foreign<'a> {
    pub repo: &'a Repo,
    pub path: &'static str,
}

impl<'a> Foreign<'a> {
    /// In the middle of the implement loop: the design approved, the first of two tasks completed.
    pub fn new(repo: &'a Repo) -> Self {
        let folder = Self { repo, path: OLD };
        folder.file("spec.md", SPEC);
        folder.file("architecture.md", ARCHITECTURE);
        let criterion = json!({"id": "AC-001", "description": "it works", "verify": ["cmd: true"]});
        folder.file("acceptance.json", &json!({"acceptance_criteria": [criterion]}).to_string());
        let second = Planned { depends_on: "[T-001]", ..Planned::new("T-002", "lib.txt") };
        let tasks = plan(&[Planned::new("T-001", "app.txt"), second]);
        folder.file("tasks.yaml", &tasks.replacen("not-started", "completed", 1));
        folder.file("status.json", &status().to_string());
        folder
    }

    /// One task, no design, no gates.
    pub fn lean(repo: &'a Repo) -> Self {
        let folder = Self::new(repo);
        folder.without("architecture.md");
        folder.file("tasks.yaml", &plan(&[Planned::new("T-001", "app.txt")]));
        folder.status(|status| status["user_decisions"] = json!([]));
        folder
    }

    pub fn folder(&self) -> PathBuf {
        self.repo.root().join(self.path)
    }

    pub fn file(&self, name: &str, text: &str) -> &Self {
        self.repo.write(&format!("{}/{name}", self.path), text);
        self
    }

    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.folder().join(name)).unwrap()
    }

    pub fn without(&self, name: &str) -> &Self {
        fs::remove_file(self.folder().join(name)).unwrap();
        self
    }

    pub fn status(&self, change: impl FnOnce(&mut Value)) -> &Self {
        let mut status: Value = serde_json::from_str(&self.text("status.json")).unwrap();
        change(&mut status);
        self.file("status.json", &status.to_string())
    }

    /// The statuses of the two tasks.
    pub fn tasks(&self, first: &str, second: &str) -> &Self {
        let text = self.text("tasks.yaml");
        let mut given = [first, second].into_iter();
        let line = |line: &str| match line.trim().starts_with("status:") {
            true => format!("    status: {}\n", given.next().unwrap_or_default()),
            false => format!("{line}\n"),
        };
        let text: String = text.lines().map(line).collect();
        self.file("tasks.yaml", &text)
    }

    pub fn content(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        files_below(&self.folder()).into_iter().map(|f| (f.clone(), fs::read(f).unwrap())).collect()
    }

    pub fn import(&self) -> Ran {
        self.repo.tollgate(&["import", self.path])
    }

    /// Imports it, sees that the folder is as before, and returns what was said about it.
    #[track_caller]
    pub fn imported(&self) -> Value {
        let before = self.content();
        let ran = self.repo.tollgate(&["import", "--json", self.path]).exits(0);
        assert!(self.content() == before, "the original has changed");
        serde_json::from_str(&ran.out).unwrap()
    }

    /// What an import would come to.
    #[track_caller]
    pub fn previewed(&self) -> Value {
        let ran = self.repo.tollgate(&["import", "--dry-run", "--json", self.path]).exits(0);
        serde_json::from_str(&ran.out).unwrap()
    }

    /// Imports it and answers what is asked, until the session is done.
    #[track_caller]
    pub fn imported_to_done(&self, answers: &[(&str, &str)]) -> Value {
        let imported = self.imported();
        let mut last = self.repo.resume();
        for (decision, answer) in answers {
            assert!(matches!(last.code, 3 | 4), "before {decision}: {last:?}");
            last = self.repo.answer(decision, answer);
        }
        last.exits(0);
        assert_eq!(self.repo.status()["state"], "DONE");
        self.repo.tollgate(&["audit", "latest", "--verify"]).exits(0);
        imported
    }
}

fn status() -> Value {
    let decision = |id: &str, answer: &str, context: &str| {
        json!({"decision_id": id, "question": format!("What about {context}?"), "status": "answered", "answer": answer,
               "asked_at": "2020-01-05T09:00:00Z", "resolved_at": "2020-01-05T10:00:00Z", "state_context": context,
               "resolution_reason": null})
    };
    json!({
        "current_state": "IMPLEMENT_LOOP",
        "session": "2020-01-05_login",
        "assumptions": ["one user at a time"],
        "user_decisions": [
            decision("UD-APPROVE-DESIGN", "approved", "APPROVE_DESIGN"),
            decision("UD-REVIEW-STRATEGY", "per-batch", "REVIEW_STRATEGY"),
            decision("UD-1", "port 8080", "DESIGN"),
        ],
        "retry_counts": {"T-001": {"FIX_REVIEW": 1, "FIX_TESTS": 0, "FIX_SECURITY": 0, "FIX_BUILD": 0}},
        "known_issues": ["slow on old disks"],
        "last_ci_result": "unknown",
        "last_update": "2020-01-05T10:00:00Z",
    })
}

/// The codes of what was repaired, in order.
pub fn codes(imported: &Value) -> Vec<String> {
    let found = imported["repaired"].as_array().unwrap().iter();
    found.map(|diagnostic| diagnostic["code"].as_str().unwrap().to_owned()).collect()
}

/// Why the session continues where it does.
pub fn continues(imported: &Value) -> String {
    let mut notices = imported["notices"].as_array().unwrap().iter();
    let found = notices.find(|notice| notice["code"] == "import.continues").unwrap();
    found["message"].as_str().unwrap().to_owned()
}
