//! RELEASE: the Integrator is told what it is for, its tags are kept, and Docs answers for the README and the report.

use crate::support::plan::{replies, writes};
use crate::support::{APPROVE, PER_BATCH, Repo};
use serde_json::{Value, json};

/// The second dispatch of the Integrator is the release.
fn at_release(act: Value) -> Value {
    json!({"when": {"role": "Integrator", "nth": 2}, "do": act})
}

fn refs(repo: &Repo, below: &str) -> Vec<String> {
    let listed = repo.git(&["for-each-ref", "--format=%(refname) %(objectname)", below]);
    listed.lines().map(str::to_owned).collect()
}

#[test]
fn r139_the_integrator_is_told_that_it_is_a_release() {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let task = |nth| repo.input(repo.dispatch_of("Integrator", nth), 1)["task"].clone();
    let (integrate, release) = (task(0), task(1));
    assert_eq!(release["title"], "Release: version, changelog and tag");
    assert_ne!(integrate["title"], release["title"]);
    assert_ne!(integrate["goal"], release["goal"]);
    let told = release["constraints"].to_string();
    for word in ["version", "changelog", "git tag", "a person pushes it"] {
        assert!(told.contains(word), "{word}: {told}");
    }
    assert!(!integrate["constraints"].to_string().contains("release:"), "{integrate}");
}

#[test]
fn r139_tags_of_the_release_are_kept_and_named_and_those_of_the_person_stay() {
    let script =
        "git describe --tags && git tag v1.1.0 && git tag -f v1.0.0 HEAD && git tag 'odd!name'";
    let tags = at_release(json!({"run": ["sh", "-c", script]}));
    let repo = Repo::with(json!([tags]));
    repo.git(&["tag", "v1.0.0"]);
    let before = refs(&repo, "refs/tags");
    let session = repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let name = repo.session_name();
    let kept = format!("refs/tollgate/tags/{name}/v1.1.0");
    let session = session
        .says(&format!("v1.1.0 is kept as {kept}"))
        .says(&format!("git push REMOTE {kept}:refs/tags/v1.1.0"));
    assert!(!session.err.contains("v1.0.0 is kept"), "{}", session.err);
    // At the last commit of the session, beside the person's tags, of which none was made or moved.
    let tip = repo.git(&["rev-parse", &format!("tollgate/{name}")]);
    assert_eq!(refs(&repo, "refs/tollgate/tags"), [format!("{kept} {}", tip.trim())]);
    assert_eq!(refs(&repo, "refs/tags"), before);
    let notices = repo.events("noticed");
    let refused: Vec<&Value> =
        notices.iter().filter(|notice| notice["code"] == "release.tag_refused").collect();
    assert_eq!(refused.len(), 2, "{notices:?}");
    // The report names it too: Docs ran again for it.
    assert!(repo.session_file("report.md").contains("v1.1.0"));
    let status = repo.tollgate(&["status"]).exits(0).out;
    assert!(status.contains(&format!("tag       v1.1.0 kept as {kept}")), "{status}");
}

/// A repository with a README, and Docs that replies this.
fn with_readme(docs: Value) -> Repo {
    let repo = Repo::with(json!([docs]));
    repo.write("README.md", "# App\n");
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "readme"]);
    repo
}

#[test]
fn r140_an_unchanged_readme_is_accepted_only_with_a_reason() {
    let silent = json!({"artifacts": {"readme_unchanged": null}});
    let repo = with_readme(replies("Docs", silent));
    repo.through(&[APPROVE, PER_BATCH]).exits(4);
    let errors = repo.errors_of(repo.dispatch_of("Docs", 0), 1);
    assert!(errors.contains("report.readme_unchanged") && errors.contains("README.md"), "{errors}");

    let said = json!({"artifacts": {"readme_unchanged": "no command changed"}});
    with_readme(replies("Docs", said)).through(&[APPROVE, PER_BATCH]).exits(0);

    let changes = json!({"when": {"role": "Docs"}, "do": {"default": true,
        "append": {"README.md": "More.\n"}, "reply": {"artifacts": {"readme_unchanged": null}}}});
    with_readme(changes).through(&[APPROVE, PER_BATCH]).exits(0);
}

const BARE_REPORT: &str = "# Report\n\n## What was done\n\nAll.\n\n## How to run\n\nNothing.\n\n## How to test\n\nRun `true`.\n\n## Known issues\n\nNone.\n";

/// QA tracks a finding, the Coder leaves a step to a person.
fn open_points() -> Vec<Value> {
    let tracks = json!({"artifacts": {"findings": [{"severity": "low", "category": "speed",
        "file": "app.txt", "description": "the list is slow", "recommended_fix": "later"}]}});
    let by_hand = json!({"artifacts": {"manual_steps": ["run the migration"]}});
    let coder = json!({"when": {"role": "Coder"}, "do": {"default": true, "reply": by_hand}});
    vec![replies("QA", tracks), coder]
}

#[test]
fn r140_a_report_that_leaves_out_an_open_point_goes_back_to_docs_with_its_text() {
    let first = json!({"when": {"role": "Docs", "attempt": 1},
        "do": {"write": {".agents-work/{session}/report.md": BARE_REPORT}}});
    let rules: Vec<Value> = open_points().into_iter().chain([first]).collect();
    let repo = Repo::with(Value::Array(rules));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let docs = repo.dispatch_of("Docs", 0);
    let errors = repo.errors_of(docs, 1);
    for words in ["report.point_missing", "the list is slow", "run the migration", "F-1", "MS-1"] {
        assert!(errors.contains(words), "{words}: {errors}");
    }
    // It was told from the start, by id; the second report names each.
    let points = repo.input(docs, 1)["report_points"].clone();
    let ids: Vec<&str> =
        points.as_array().unwrap().iter().map(|point| point["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"F-1") && ids.contains(&"MS-1"), "{ids:?}");
    let report = repo.session_file("report.md");
    assert!(
        report.contains("the list is slow") && report.contains("run the migration"),
        "{report}"
    );
}

#[test]
fn r140_a_report_that_names_nothing_at_all_ends_with_a_person() {
    let bare = writes("Docs", "report.md", BARE_REPORT);
    let rules: Vec<Value> = open_points().into_iter().chain([bare]).collect();
    Repo::with(Value::Array(rules)).through(&[APPROVE, PER_BATCH]).exits(4).says("F-1");
}

#[test]
fn r140_what_comes_up_after_the_report_is_added_to_it() {
    let late =
        at_release(json!({"reply": {"artifacts": {"manual_steps": ["publish the package"]}}}));
    let repo = Repo::with(json!([late]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!(repo.starts_of("Docs"), 2);
    assert!(repo.session_file("report.md").contains("publish the package"));
}

#[test]
fn r140_nothing_open_asks_for_nothing() {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!(repo.starts_of("Docs"), 1);
    assert_eq!(repo.input(repo.dispatch_of("Docs", 0), 1)["report_points"], Value::Null);
}
