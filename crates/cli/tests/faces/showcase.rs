//! A crew whose work looks like work, for pictures and for looking at every page.

use crate::support::Repo;
use crate::support::plan::writes;
use serde_json::{Value, json};

const DESIGN: &str = "# Limit failed logins\n\n## Overview\n\nGuessing passwords costs an attacker nothing today: `login.py` takes every attempt. \
Failures are counted per account in a window of 15 minutes. After the **fifth** one, `login` answers *locked* until the window has passed.\n\n\
| Attempt | Answer |\n|---|---|\n| 1–5, wrong | `denied` |\n| 6 and later | `locked` |\n| right, in time | `welcome` |\n\n\
## Modules/components\n\n- `login.py` counts, beside the accounts.\n- A success sets the count back.\n- Nobody learns whether an account exists.\n\n\
```python\ndef login(name, password):\n    if failures.recent(name) >= LIMIT:\n        return LOCKED\n```\n\n## Not part of this\n\nLocking addresses, and telling the owner by mail.\n";

const LOGIN: &str = "\"\"\"Who may come in.\"\"\"\n\nUSERS = {\"ada\": \"lovelace\"}\n\n\ndef login(name, password):\n    if USERS.get(name) == password:\n        return \"welcome\"\n    return \"denied\"\n";

const LIMITED: &str = "\"\"\"Who may come in, and how often they may try.\"\"\"\n\nimport time\n\nUSERS = {\"ada\": \"lovelace\"}\nLIMIT = 5\nWINDOW_S = 15 * 60\n\n_failures = {}\n\n\n\
def recent(name, now):\n    return [at for at in _failures.get(name, []) if now - at < WINDOW_S]\n\n\n\
def login(name, password, now=None):\n    now = time.time() if now is None else now\n    if len(recent(name, now)) >= LIMIT:\n        return \"locked\"\n    if USERS.get(name) == password:\n        _failures.pop(name, None)\n        return \"welcome\"\n    _failures.setdefault(name, []).append(now)\n    return \"denied\"\n";

const TRIED: &str = "import login\n\nassert login.login(\"ada\", \"lovelace\") == \"welcome\"\n\
    assert [login.login(\"bob\", \"x\", second) for second in range(6)][-1] == \"locked\"\n";

pub const GOAL: &str = "Limit failed logins";

const SPEC: &str = "# Limited logins\n\n## Goals\n\nNobody can guess a password by trying.\n\n## Acceptance Criteria\n\n\
- AC-001: Whoever has an account still comes in.\n- AC-002: A wrong password is denied, whether the account exists or not.\n\
- AC-003: The sixth try within 15 minutes is locked.\n\n## Definition of Done\n\n- All criteria are met.\n";

/// Security asks about the first task. Nothing of it needs a network, and the checks are real.
pub fn repo() -> Repo {
    let finding = json!({"severity": "medium", "category": "enumeration", "file": "login.py",
        "description": "Whether an account exists is told by how long the answer takes.",
        "recommended_fix": "Compare in constant time."});
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent"},
         "do": {"default": true, "write": {".agents-work/{session}/spec.md": SPEC,
                ".agents-work/{session}/acceptance.json": format!("{:#}", criteria())},
                "reply": {"summary": "Three criteria, each with a command that proves it.", "usage": cost(0.14, 21_400)}}},
        {"when": {"role": "Architect"},
         "do": {"default": true, "write": {".agents-work/{session}/architecture.md": DESIGN},
                "reply": {"summary": "Failures are counted per account, in a window of 15 minutes.", "usage": cost(0.31, 48_200)}}},
        writes("Planner", "tasks.yaml", &plan().to_string()),
        {"when": {"role": "Coder", "task": "T-001"},
         "do": {"write": {"login.py": LIMITED},
                "stderr": "reads login.py\nruns python3 -c 'import login'\nok: welcome, denied, locked\n",
                "reply": {"summary": "login() locks an account after five failures.", "usage": cost(0.52, 90_100)}}},
        {"when": {"role": "Coder", "task": "T-002"},
         "do": {"write": {"test_login.py": TRIED}, "reply": {"summary": "The sixth try is locked, and a test says so."}}},
        {"when": {"role": "Coder", "task": "T-003"},
         "do": {"write": {"README.md": "# Accounts\n\nFive failed logins lock an account for 15 minutes.\n"},
                "reply": {"summary": "Operators read about the limit."}}},
        {"when": {"role": "Security", "task": "T-001", "nth": 1},
         "do": {"default": true, "reply": {"status": "NEEDS_DECISION", "artifacts": {"findings": [finding]}}}},
    ]));
    repo.write("login.py", LOGIN);
    repo.write("README.md", "# Accounts\n");
    repo.write(
        "test_login.py",
        "import login\n\nassert login.login(\"ada\", \"lovelace\") == \"welcome\"\n",
    );
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "accounts"]);
    repo
}

fn cost(usd: f64, input_tokens: u32) -> Value {
    json!({"usd": usd, "input_tokens": input_tokens, "output_tokens": input_tokens / 12})
}

fn criteria() -> Value {
    let python = |words: &str| json!([format!("cmd: python3 -B -c 'import login; {words}'")]);
    json!({"acceptance_criteria": [
        {"id": "AC-001", "description": "Whoever has an account still comes in.",
         "verify": python("assert login.login(\"ada\", \"lovelace\") == \"welcome\"")},
        {"id": "AC-002", "description": "A wrong password is denied, whether the account exists or not.",
         "verify": python("assert {login.login(n, \"x\") for n in (\"ada\", \"bob\")} == {\"denied\"}")},
        {"id": "AC-003", "description": "The sixth try within 15 minutes is locked.",
         "verify": python("assert [login.login(\"ada\", \"x\", n) for n in range(6)][-1] == \"locked\"")},
    ]})
}

/// JSON is YAML, too.
fn plan() -> Value {
    let task = |id: &str, kind: &str, title: &str, file: &str, after: &[&str], risk: &str| {
        json!({"id": id, "status": "not-started", "type": kind, "title": title, "depends_on": after,
               "goal": title, "non_goals": [], "context_files": ["login.py"], "files_expected": [file],
               "acceptance_checks": ["cmd: python3 -B test_login.py"], "risk_flags": [risk],
               "done_when": [format!("{file} has it")]})
    };
    json!({
        "project": {"name": "accounts", "definition_of_done": ["all checks pass"]},
        "tasks": [
            task("T-001", "feat", "Count failed logins per account", "login.py", &[], "security"),
            task("T-002", "test", "Try the sixth login", "test_login.py", &["T-001"], "none"),
            task("T-003", "docs", "Tell operators about the limit", "README.md", &["T-001"], "none"),
        ],
    })
}
