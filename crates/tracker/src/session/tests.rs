//! What sessions want shown, from the events that made them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use serde_json::{Value, json};
use tollgate_core::time::Timestamp;

const FRONT: &str = "---\ntitle: \"Limit the tries\"\nlabels: [\"task:implement\", \"status:pending\", \"priority:high\", \
                     \"complexity:low\", \"area:login\"]\nstate: open\n---\n\n";
const BODY: &str = "## Objective\n\nCount.\n\n## Spec Reference\n\n- Spec: `spec.md`\n- Section(s): 1\n\n## Scope\n\n\
                    ### In Scope\n\n- app.txt\n\n### Out of Scope\n\nNone\n\n## Acceptance Criteria\n\n\
                    - [ ] cmd: true\n\n## Context\n\nNone\n\n## Constraints\n\n- None\n";

struct World {
    temp: tempfile::TempDir,
    session: Session,
    items: Items,
}

impl World {
    fn new() -> Self {
        let opening = json!({
            "session": "2026-01-02_x", "goal": "Do it", "mode": "full", "project_type": "mixed",
            "base": "0".repeat(40), "tollgate_version": "0.1.0",
            "action": {"name": "deliver", "description": "d", "steps": []},
            "policy": tollgate_core::policy::Policy::default(),
        });
        let session = Session::open(now(), &serde_json::from_value(opening).unwrap());
        Self { temp: tempfile::tempdir().unwrap(), session, items: Items::default() }
    }

    fn take(&mut self, event: Value) {
        let event: Event = serde_json::from_value(event).unwrap();
        assert!(concerns(&event), "{event:?}");
        self.items.take(&event);
        self.session.follow(now(), &event).unwrap();
    }

    /// T-001 with a work item and T-002 without, which builds on it.
    fn plan(&mut self, names: &[&str]) {
        let task = |name: &&str| {
            let waits: &[&str] = if *name == "T-002" { &["T-001"] } else { &[] };
            let item = (*name == "T-001").then_some("work-items/T-001.md");
            json!({"id": name, "kind": "feat", "title": format!("Do {name}"), "goal": "it is done",
                "depends_on": waits, "files_expected": ["lib.txt"], "acceptance_checks": ["cmd: make test"],
                "non_goals": ["more"], "done_when": ["it holds"], "work_item": item})
        };
        let tasks: Vec<Value> = names.iter().map(task).collect();
        self.take(json!({"type": "plan_adopted", "tasks": tasks}));
    }

    /// A person wrote a work item.
    fn item(&mut self, name: &str, text: &str) {
        let path = item_path(name);
        files::write_beneath(self.temp.path(), &path, text.as_bytes()).unwrap();
        let sha256 = files::hash_bytes(text.as_bytes());
        let now = json!({"path": path, "sha256": sha256});
        self.take(json!({"type": "files_edited", "edits": [{"path": path, "now": now}]}));
    }

    fn moves(&mut self, task: &str, status: &str) {
        self.take(json!({"type": "task_moved", "task": task, "status": status}));
    }

    fn wanted(&mut self) -> Vec<WantedItem> {
        let layout = SessionLayout::at(self.temp.path());
        self.items.wanted(&self.session, &layout)
    }

    /// `T-001 Open status:ready`
    fn shown(&mut self) -> Vec<String> {
        let line = |wanted: WantedItem| {
            let name = wanted.key.strip_prefix("2026-01-02_x/").unwrap().to_owned();
            let is_status = |label: &&String| label.starts_with("status:");
            let statuses: Vec<&String> = wanted.labels.iter().filter(is_status).collect();
            assert_eq!(statuses.len(), 1, "{wanted:?}");
            format!("{name} {:?} {}", wanted.state, statuses[0])
        };
        self.wanted().into_iter().map(line).collect()
    }
}

fn now() -> Timestamp {
    Timestamp::parse("2026-01-02T03:04:05.000Z").unwrap()
}

#[test]
fn a_task_is_shown_as_its_work_item_says_or_else_as_the_plan_does() {
    let mut world = World::new();
    assert_eq!(world.wanted(), []);
    world.item("T-001", &format!("{FRONT}{BODY}"));
    world.plan(&["T-001", "T-002"]);
    let wanted = world.wanted();
    assert_eq!(wanted[0].title, "Limit the tries");
    assert_eq!(wanted[0].body, BODY.trim_end());
    let labels =
        ["task:implement", "priority:high", "complexity:low", "area:login", "status:ready"];
    assert_eq!(wanted[0].labels, labels);
    assert_eq!(wanted[1].title, "Do T-002");
    let labels = ["task:implement", "status:pending", "priority:medium", "complexity:medium"];
    assert_eq!(wanted[1].labels, labels);
    let body = &wanted[1].body;
    assert!(
        body.contains("## Objective\n\nit is done\n") && body.contains("- lib.txt\n"),
        "{body}"
    );
    assert!(body.contains("- [ ] it holds\n- [ ] cmd: make test\n"), "{body}");
    // The same sections as a work item has, so that it can be read as one.
    let whole = format!("{body}\n## Spec Reference\n\n- Spec: `spec.md`\n- Section(s): 1\n");
    let (read, report) = work_item::read(&whole, "T-002.md");
    assert!(read.is_some(), "{report:?}");
}

#[test]
fn the_status_follows_the_task_to_its_end() {
    let mut world = World::new();
    world.plan(&["T-001", "T-002"]);
    let steps = [
        ("in-progress", "T-001 Open status:in-progress", "T-002 Open status:pending"),
        ("implemented", "T-001 Open status:review", "T-002 Open status:pending"),
        ("blocked", "T-001 Open status:blocked", "T-002 Open status:pending"),
        ("completed", "T-001 Done status:approved", "T-002 Open status:ready"),
    ];
    for (status, first, second) in steps {
        world.moves("T-001", status);
        assert_eq!(world.shown(), [first, second]);
    }
}

#[test]
fn what_leaves_the_plan_is_dropped_and_may_come_back() {
    let mut world = World::new();
    world.item("T-001", &format!("{FRONT}{BODY}"));
    world.plan(&["T-001", "T-002", "T-003"]);
    world.plan(&["T-003"]);
    // The work item of T-001 is open: it waits, for a question perhaps.
    let all =
        ["T-003 Open status:ready", "T-001 Open status:pending", "T-002 Dropped status:pending"];
    assert_eq!(world.shown(), all);
    world.item("T-001", &format!("{}{BODY}", FRONT.replace("open", "closed")));
    assert_eq!(world.shown()[1], "T-001 Dropped status:pending");
    world.plan(&["T-002"]);
    assert_eq!(world.shown()[0], "T-002 Open status:pending");
    assert!(world.shown().contains(&"T-003 Dropped status:pending".to_owned()));
}

#[test]
fn what_a_session_leaves_undone_is_dropped() {
    let mut world = World::new();
    world.plan(&["T-001", "T-002"]);
    world.moves("T-001", "in-progress");
    world.moves("T-001", "implemented");
    world.moves("T-001", "completed");
    let blocker = json!({"code": "cancelled", "detail": "no", "remedy": "none"});
    world.take(json!({"type": "blocked", "blocker": blocker}));
    assert_eq!(world.shown(), ["T-001 Done status:approved", "T-002 Dropped status:ready"]);
}

#[test]
fn a_question_is_open_until_it_is_answered() {
    let mut world = World::new();
    let asker = json!({"type": "dispatch_opened", "number": 1, "role": "Planner", "task": "meta",
        "purpose": {"why": "implement"}});
    world.session.follow(now(), &serde_json::from_value(asker).unwrap()).unwrap();
    let decision = json!({"decision_id": "UD-1", "kind": "info", "question": "Which?\n\n1. a\n2. b", "options": [],
        "asked_at": now(), "state_context": "PLAN",
        "subject": {"about": "refinement", "dispatch": 1, "item": "R-001"},
        "resolution": {"status": "pending", "answer": null, "resolved_at": null, "reason": null}});
    world.take(json!({"type": "decision_asked", "decision": decision}));
    let wanted = &world.wanted()[0];
    assert_eq!((wanted.title.as_str(), wanted.body.as_str()), ("Which?", "1. a\n2. b"));
    assert_eq!(wanted.labels, ["task:refinement", "status:needs-refinement", "priority:high"]);
    assert_eq!(world.shown(), ["R-001 Open status:needs-refinement"]);
    let resolution =
        json!({"status": "answered", "answer": "a", "resolved_at": now(), "reason": null});
    world.take(json!({"type": "decision_resolved", "id": "UD-1", "resolution": resolution}));
    assert_eq!(world.shown(), ["R-001 Done status:approved"]);
}
