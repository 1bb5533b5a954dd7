//! What the page about CI shows is run as it is shown, one script after the other, in a repository with a crew.

use crate::support::{Ran, Repo, ran};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What a person types into the field of a workflow is a goal, whatever it looks like.
const DASHED: &str = "--add a line to the app";

fn page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/ci.md");
    fs::read_to_string(page).unwrap()
}

/// The fenced blocks of a language.
fn blocks<'t>(page: &'t str, language: &str) -> Vec<&'t str> {
    let begin = format!("```{language}\n");
    page.split(begin.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The scripts of a workflow of GitHub, in order.
fn runs(workflow: &str) -> Vec<String> {
    let lines: Vec<&str> = workflow.lines().collect();
    let script = |(index, line): (usize, &&str)| {
        let script = line.trim_start().trim_start_matches("- ").strip_prefix("run: ")?;
        if script != "|" {
            return Some(script.to_owned());
        }
        let column = line.find("run: ").unwrap();
        let body = lines[index + 1..].iter().take_while(|line| indent(line) > column);
        Some(body.map(|line| line.trim_start()).collect::<Vec<_>>().join("\n"))
    };
    lines.iter().enumerate().filter_map(script).collect()
}

/// What a job of GitLab runs, in order.
fn lists(job: &str) -> Vec<String> {
    let lines = job.lines().filter_map(|line| line.trim_start().strip_prefix("- "));
    lines.map(str::to_owned).collect()
}

/// What a pipeline of Jenkins runs, in order.
fn shells(pipeline: &str) -> Vec<String> {
    let pieces = pipeline.split("sh '").skip(1);
    pieces.map(|rest| rest.split('\'').next().unwrap().to_owned()).collect()
}

/// A repository on a branch with a change in the scope of a work item, and an origin.
fn checked_out() -> Repo {
    let repo = Repo::new();
    let item = "## Objective\n\nThe app has a line.\n\n## Spec Reference\n\n- Spec: `docs/app.md`\n- Section(s): All\n\n\
                ## Scope\n\n### In Scope\n\n- app.txt\n\n### Out of Scope\n\n- None\n\n## Acceptance Criteria\n\n- [ ] It is there\n\n\
                ## Context\n\nNone.\n\n## Constraints\n\nNone.\n";
    repo.write("T-001.md", item);
    let stages = "version: 1\ncurrent_stage: s\nstages:\n  s: {description: d, required_gates: [g]}\n\
                  gates:\n  g: {description: d, command: [test, -s, app.txt]}\n";
    repo.write("lifecycle-stage.yaml", stages);
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "ready"]);
    let origin = repo.outside("origin.git");
    repo.git(&["init", "--quiet", "--bare", origin.to_str().unwrap()]);
    repo.git(&["remote", "add", "origin", origin.to_str().unwrap()]);
    repo.git(&["push", "--quiet", "origin", "main"]);
    repo.git(&["checkout", "--quiet", "-b", "work"]);
    repo.write("app.txt", "one\ntwo\n");
    repo.git(&["commit", "--quiet", "--all", "--message", "two"]);
    repo
}

/// As services run a script: the first command that fails ends it.
fn script(repo: &Repo, text: &str) -> Ran {
    let program = Path::new(env!("CARGO_BIN_EXE_tollgate"));
    let template = repo.command(&[]);
    let mut command = Command::new("bash");
    command.args(["-e", "-c", text]).current_dir(repo.root()).env_clear();
    for (name, value) in template.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).env("GOAL", DASHED).env("GITHUB_BASE_REF", "main");
    ran(command
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", repo.outside("summary.md")))
}

#[test]
fn r194_the_workflows_of_the_page_about_ci_run_as_they_are_shown() {
    let page = page();
    let workflows = blocks(&page, "yaml");
    let repo = checked_out();
    let check = runs(workflows[0]);
    assert_eq!(check.len(), 2, "{check:#?}");
    for text in &check {
        script(&repo, text).exits(0);
    }
    repo.write("other.txt", "out of scope\n");
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "three"]);
    script(&repo, &check[0]).exits(1).says("::error file=other.txt,line=1,");
    let session = runs(workflows[1]);
    assert_eq!(session.len(), 3, "{session:#?}");
    for text in &session {
        script(&repo, text).exits(0);
    }
    for file in ["junit.xml", "report.html", "provenance.json"] {
        assert!(repo.root().join("out").join(file).exists(), "{file}");
    }
    let text = fs::read_to_string(repo.root().join("out/provenance.json")).unwrap();
    let statement: Value = serde_json::from_str(&text).unwrap();
    let branch = format!("origin/tollgate/{}", repo.session_name());
    repo.git(&["fetch", "--quiet"]);
    let pushed = repo.git(&["rev-parse", &branch]);
    assert_eq!(statement["subject"][0]["digest"]["gitCommit"], pushed.trim());
    let summary = fs::read_to_string(repo.outside("summary.md")).unwrap();
    assert!(summary.contains("not in scope") || summary.contains("out of scope"), "{summary}");
    assert!(summary.contains("| State | DONE \\(done\\) |"), "{summary}");
}

#[test]
fn r194_the_jobs_of_gitlab_and_jenkins_on_the_page_run_as_they_are_shown() {
    let page = page();
    for scripts in [lists(blocks(&page, "yaml")[2]), shells(blocks(&page, "groovy")[0])] {
        let repo = checked_out();
        assert!(scripts.len() >= 2, "{scripts:#?}");
        for text in &scripts {
            script(&repo, text).exits(0);
        }
        let xml = fs::read_to_string(repo.root().join("junit.xml")).unwrap();
        let run = tollgate_contract::junit::read(&xml, "junit.xml").unwrap();
        assert!(run.tests > 0 && run.failures.is_empty(), "{run:?}");
    }
}
