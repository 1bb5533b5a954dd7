//! The recipes of the guide are run as they are printed.

use super::receiver::{Manner, Receiver};
use crate::support::{Repo, ran};
use std::fs;
use std::path::Path;

/// The block of the guide that begins with this comment.
fn recipe(name: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/notifications.md");
    let page = fs::read_to_string(page).unwrap();
    let mut blocks = page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let wanted = format!("# {name}");
    blocks.find(|block| block.contains(&wanted)).expect("the page has the recipe").to_owned()
}

/// A lean session with this recipe as its command, and a goal that no shell and no curl may read as more than text.
fn told_by(name: &str, variable: (&str, &str), path: Option<&str>) -> Repo {
    let repo = Repo::new();
    let program = repo.program(name, &recipe(name));
    repo.settings(&format!("[notify]\ncommand = [{program:?}]"));
    let goal = "@/etc/hostname \"quoted\" $(id) <b>&</b> ü";
    let mut command = repo.command(&["run", "--no-input", "--lean", goal]);
    command.env(variable.0, variable.1);
    if let Some(path) = path {
        command.env("PATH", path);
    }
    ran(&mut command).exits(0).does_not_say("notify");
    repo
}

#[test]
fn r193_the_recipe_for_ntfy_sends_title_and_message() {
    let server = Receiver::new(&[Manner::Answers(200)]);
    let repo = told_by("ntfy.sh", ("NTFY_URL", &server.url()), None);
    let taken = server.taken();
    assert_eq!(taken.len(), 1);
    let title = format!("Tollgate: {} is done", repo.session_name());
    assert_eq!(taken[0].header("title"), Some(title.as_str()));
    let text = String::from_utf8(taken[0].body.clone()).unwrap();
    assert_eq!(text, "@/etc/hostname \"quoted\" $(id) <b>&</b> ü");
}

#[test]
fn r193_the_recipe_for_slack_sends_json_with_escaped_text() {
    let server = Receiver::new(&[Manner::Answers(200)]);
    let repo = told_by("slack.sh", ("SLACK_WEBHOOK_URL", &server.url()), None);
    let text = server.taken()[0].json()["text"].as_str().unwrap().to_owned();
    let name = repo.session_name();
    let expected = format!(
        "Tollgate: {name} is done\n@/etc/hostname \"quoted\" $(id) &lt;b&gt;&amp;&lt;/b&gt; ü\ntollgate diff {name}"
    );
    assert_eq!(text, expected);
}

#[test]
fn r193_the_recipe_for_github_comments_on_the_issue() {
    let other = Repo::new();
    let said = other.outside("said");
    let gh = other.program("gh", &format!("printf '%s\\n' \"$@\" > {}", said.display()));
    let folder = gh.parent().unwrap().display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    let repo = told_by("github.sh", ("ISSUE", "42"), Some(&path));
    let name = repo.session_name();
    let body =
        format!("--body=Tollgate: {name} is done: @/etc/hostname \"quoted\" $(id) <b>&</b> ü");
    let lines = fs::read_to_string(said).unwrap();
    assert_eq!(lines.lines().collect::<Vec<_>>(), ["issue", "comment", "42", &body]);
}

#[test]
fn r193_the_settings_of_the_guides_are_good() {
    for page in ["notifications.md", "telemetry.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide").join(page);
        let text = fs::read_to_string(path).unwrap();
        let block = text.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
        let repo = Repo::new();
        repo.settings(block);
        repo.tollgate(&["check", "tollgate.toml"]).exits(0);
    }
}
