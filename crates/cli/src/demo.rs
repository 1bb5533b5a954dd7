//! The sample project of the demo, its scripted crew, and the answers of the person who is not there.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use tollgate_core::decision::DecisionKind;

pub const GOAL: &str = "Add rate limiting to the login command";

/// What the demo answers where nobody can be asked, and why, in the words of the person it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DemoAnswer {
    pub kind: DecisionKind,
    pub answer: &'static str,
    pub because: &'static str,
}

/// Answers in the order in which questions of their kind come; the last of a kind answers all that follow.
pub fn answers() -> &'static [DemoAnswer] {
    &ANSWERS
}

/// The answer to a question of this kind after `asked_before` others of it; none where the story has no such question.
pub fn answer(kind: DecisionKind, asked_before: usize) -> Option<&'static DemoAnswer> {
    let mut of_kind = answers().iter().filter(|answer| answer.kind == kind);
    of_kind.clone().nth(asked_before).or_else(|| of_kind.next_back())
}

/// Writes the sample project into `dir`, for a crew that `tollgate` plays. Files only: making it a repository is up
/// to the caller. Never overwrites.
pub fn write_sample(dir: &Path, tollgate: &Path) -> io::Result<()> {
    // A JSON string is a TOML string, whatever is in the path.
    let tollgate = serde_json::Value::from(tollgate.display().to_string()).to_string();
    for file in FILES {
        let text = file.text.replace("\"{tollgate}\"", &tollgate);
        let path = dir.join(file.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(if file.is_program { 0o755 } else { 0o644 })
            .open(&path)
            .and_then(|mut out| out.write_all(text.as_bytes()))
            .map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })?;
    }
    Ok(())
}

const ANSWERS: [DemoAnswer; 5] = [
    DemoAnswer {
        kind: DecisionKind::Approve,
        answer: "changes-requested: Architect: one counter for everybody lets a stranger lock all users out; count failures per user",
        because: "the first design locks everybody out after three wrong passwords",
    },
    DemoAnswer {
        kind: DecisionKind::Approve,
        answer: "approved",
        because: "the design counts per user now",
    },
    DemoAnswer {
        kind: DecisionKind::Strategy,
        answer: "per-batch",
        because: "it touches logins, so every task is reviewed at once",
    },
    DemoAnswer {
        kind: DecisionKind::Security,
        answer: "fix-later: the machine has one account; the folder becomes private with the next release",
        because: "the finding is real but harms nobody here today",
    },
    DemoAnswer {
        kind: DecisionKind::Notes,
        answer: "accept",
        because: "the message is good enough for now",
    },
];

struct SampleFile {
    path: &'static str,
    text: &'static str,
    is_program: bool,
}

macro_rules! sample {
    ($path:literal from $asset:literal) => {
        SampleFile {
            path: $path,
            text: include_str!(concat!("../demo/", $asset)),
            is_program: false,
        }
    };
    (program $path:literal from $asset:literal) => {
        SampleFile { is_program: true, ..sample!($path from $asset) }
    };
}

const FILES: &[SampleFile] = &[
    sample!("README.md" from "sample/README.md"),
    sample!(".gitignore" from "sample/gitignore"),
    sample!("tollgate.toml" from "sample/tollgate.toml"),
    sample!(program "bin/login" from "sample/bin/login"),
    sample!("data/users" from "sample/data/users"),
    sample!("tests/expect.sh" from "sample/tests/expect.sh"),
    sample!(program "tests/run.sh" from "sample/tests/run.sh"),
    sample!("tests/test_login.sh" from "sample/tests/test_login.sh"),
    sample!(".demo/crew.json" from "crew/crew.json"),
    sample!(".demo/spec.md" from "crew/spec.md"),
    sample!(".demo/acceptance.json" from "crew/acceptance.json"),
    sample!(".demo/architecture-1.md" from "crew/architecture-1.md"),
    sample!(".demo/architecture-2.md" from "crew/architecture-2.md"),
    sample!(".demo/adr-001.md" from "crew/adr-001.md"),
    sample!(".demo/tasks.yaml" from "crew/tasks.yaml"),
    sample!(".demo/limit-1.sh" from "crew/limit-1.sh"),
    sample!(".demo/limit-2.sh" from "crew/limit-2.sh"),
    sample!(".demo/limit-3.sh" from "crew/limit-3.sh"),
    sample!(".demo/login-1.sh" from "crew/login-1.sh"),
    sample!(".demo/login-2.sh" from "crew/login-2.sh"),
    sample!(".demo/test_limit.sh" from "crew/test_limit.sh"),
    sample!(".demo/test_limit_boundary.sh" from "crew/test_limit_boundary.sh"),
    sample!(".demo/test_login_limit.sh" from "crew/test_login_limit.sh"),
    sample!(".demo/test_login_boundary.sh" from "crew/test_login_boundary.sh"),
    sample!(".demo/README.md" from "crew/README.md"),
    sample!(".demo/report.md" from "crew/report.md"),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::process::{Command, Stdio};

    fn check_passes(dir: &Path) -> bool {
        let status = Command::new("sh")
            .arg("tests/run.sh")
            .current_dir(dir)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.unwrap().success()
    }

    fn put(dir: &Path, asset: &str, path: &str) {
        let path = dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(dir.join(".demo").join(asset), path).unwrap();
    }

    #[test]
    fn the_planted_bug_passes_the_coders_tests_and_fails_those_of_qa() {
        let dir = tempfile::tempdir().unwrap();
        write_sample(dir.path(), Path::new("tollgate")).unwrap();
        assert!(check_passes(dir.path()), "the sample as it is");
        put(dir.path(), "limit-1.sh", "lib/limit.sh");
        put(dir.path(), "test_limit.sh", "tests/test_limit.sh");
        put(dir.path(), "login-1.sh", "bin/login");
        put(dir.path(), "test_login_limit.sh", "tests/test_login_limit.sh");
        assert!(check_passes(dir.path()), "the bug is not seen by the Coder's tests");
        for test in ["test_limit_boundary.sh", "test_login_boundary.sh"] {
            put(dir.path(), test, &format!("tests/{test}"));
            assert!(!check_passes(dir.path()), "{test} sees the bug");
            fs::remove_file(dir.path().join("tests").join(test)).unwrap();
        }
        put(dir.path(), "test_limit_boundary.sh", "tests/test_limit_boundary.sh");
        put(dir.path(), "test_login_boundary.sh", "tests/test_login_boundary.sh");
        for (limit, login) in [("limit-2.sh", "login-1.sh"), ("limit-3.sh", "login-2.sh")] {
            put(dir.path(), limit, "lib/limit.sh");
            put(dir.path(), login, "bin/login");
            assert!(check_passes(dir.path()), "{limit} {login}");
        }
    }

    #[test]
    fn every_file_the_crew_copies_is_in_the_sample() {
        let dir = tempfile::tempdir().unwrap();
        write_sample(dir.path(), Path::new("tollgate")).unwrap();
        let crew = fs::read_to_string(dir.path().join(".demo/crew.json")).unwrap();
        let crew: serde_json::Value = serde_json::from_str(&crew).unwrap();
        for rule in crew["rules"].as_array().unwrap() {
            for source in rule["do"]["copy"].as_object().into_iter().flat_map(|copy| copy.values())
            {
                let source = dir.path().join(".demo").join(source.as_str().unwrap());
                assert!(source.exists(), "{}", source.display());
            }
        }
    }

    #[test]
    fn a_sample_is_never_written_over_files() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("README.md"), "mine").unwrap();
        let error = write_sample(dir.path(), Path::new("tollgate")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert!(error.to_string().contains("README.md"), "{error}");
        assert_eq!(fs::read_to_string(dir.path().join("README.md")).unwrap(), "mine");
    }

    #[test]
    fn the_design_is_rejected_once_and_then_approved() {
        let approve = |asked_before| answer(DecisionKind::Approve, asked_before).unwrap().answer;
        assert!(approve(0).starts_with("changes-requested: Architect: "));
        assert_eq!((approve(1), approve(2)), ("approved", "approved"));
        assert_eq!(answer(DecisionKind::Strategy, 0).unwrap().answer, "per-batch");
        assert_eq!(answer(DecisionKind::Escalation, 0), None);
    }
}
