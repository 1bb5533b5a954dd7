//! What an action is given must be worth an agent's time: nothing starts with planning that says nothing, a feature that
//! does not exist, or evidence that leads nowhere.

use crate::support::{Ran, Repo};
use serde_json::json;

fn commit(repo: &Repo, files: &[(&str, &str)]) {
    for (path, text) in files {
        repo.write(path, text);
    }
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--allow-empty", "--message", "more"]);
}

fn start(repo: &Repo, action: &str, inputs: &[&str]) -> Ran {
    let mut args = vec!["run", "--no-input", "--action", action, "Take the next step"];
    args.extend(inputs.iter().flat_map(|input| ["--input", input]));
    repo.tollgate(&args)
}

/// Refused with these words, and nothing was started or written.
#[track_caller]
fn refused(repo: &Repo, action: &str, inputs: &[&str], words: &[&str]) {
    let ran = start(repo, action, inputs).exits(2).says("nothing was started");
    for word in words {
        assert!(ran.err.contains(word), "{word:?} is not in\n{}", ran.err);
    }
    assert!(repo.starts().is_empty());
    assert!(!repo.root().join(".agents-work").exists());
    assert!(!repo.root().join(".snapshots").exists());
}

#[test]
fn r158_planning_of_placeholders_is_refused_with_its_place() {
    let repo = Repo::new();
    let blueprint = "# Blueprint\n\n## Vision\n\nTODO\n\n## Users\n\n- TBD\n";
    commit(&repo, &[("planning-mds/BLUEPRINT.md", blueprint)]);
    let words = ["planning-mds/BLUEPRINT.md:5", "contains only placeholders"];
    refused(&repo, "plan", &[], &words);
    refused(&repo, "validate", &[], &words);
    let dry = repo.tollgate(&["run", "--dry-run", "--action", "plan", "Plan"]).exits(0).out;
    assert!(words.iter().all(|word| dry.contains(word)), "{dry}");
    // One line that says something is a beginning, and only what is committed counts.
    repo.write("planning-mds/BLUEPRINT.md", &blueprint.replace("TODO", "An app for clerks."));
    refused(&repo, "plan", &[], &words);
    commit(&repo, &[]);
    start(&repo, "plan", &[]);
    assert_eq!(repo.starts()[0], "SpecAgent meta");
}

#[test]
fn r158_each_document_of_a_folder_must_say_something() {
    let repo = Repo::new();
    let story = "# Story\n\n## Story\n\nAs a clerk I want more.\n";
    commit(
        &repo,
        &[
            ("planning-mds/BLUEPRINT.md", "# Blueprint\n\nAn app for clerks.\n"),
            ("planning-mds/architecture/SOLUTION-PATTERNS.md", "# Patterns\n\n...\n"),
            ("planning-mds/api/openapi.yaml", "openapi: 3.1.0\n"),
            ("planning-mds/stories/F0001-S0001-more.md", story),
            ("planning-mds/stories/F0001-S0002-less.md", "# Less\n\n<describe it>\n"),
            ("planning-mds/stories/F0001-S0003-none.md", "\n"),
        ],
    );
    let words = [
        "planning-mds/architecture/SOLUTION-PATTERNS.md:3",
        "planning-mds/stories/F0001-S0002-less.md:3",
        "planning-mds/stories/F0001-S0003-none.md",
    ];
    refused(&repo, "build", &[], &words);
    let ran = start(&repo, "build", &[]);
    assert!(!ran.err.contains("F0001-S0001-more"), "{}", ran.err);
}

#[test]
fn r158_a_feature_that_planning_does_not_know_is_refused() {
    let repo = Repo::new();
    let patterns = "# Patterns\n\nPlain files.\n";
    let story = "# F0002-S0001 Undo\n\n## Story\n\nAs a clerk I want to undo.\n";
    commit(
        &repo,
        &[
            ("planning-mds/architecture/SOLUTION-PATTERNS.md", patterns),
            ("planning-mds/stories/F0002-S0001-undo-a-booking.md", story),
            ("planning-mds/features/F0001-customer-list/PRD.md", "# Customers\n\nA list.\n"),
        ],
    );
    for (value, missing) in
        [("F0009", "F0009"), ("dashboard", "dashboard"), ("F0001, F0008", "F0008")]
    {
        let words = [format!("there is no feature \"{missing}\""), "planning-mds/".to_owned()];
        let words = words.each_ref().map(String::as_str);
        refused(&repo, "feature", &[&format!("feature={value}")], &words);
    }
    for value in ["F0001", "customer list", "F0002"] {
        start(&repo, "feature", &[&format!("feature={value}")]).exits(3);
        repo.tollgate(&["cancel", "latest", "--reason", "enough"]).exits(0);
    }
}

#[test]
fn r158_evidence_that_leads_nowhere_is_refused() {
    let repo = Repo::new();
    repo.git(&["tag", "v1"]);
    let words = ["evidence \"docs/nowhere.md\"", "it leads nowhere"];
    refused(&repo, "blog", &["evidence=app.txt, docs/nowhere.md"], &words);
    refused(&repo, "blog", &["evidence=../outside.txt"], &["it leads nowhere"]);
    refused(&repo, "blog", &["evidence=/etc/hostname"], &["it leads nowhere"]);
    refused(&repo, "blog", &["evidence=--all"], &["it leads nowhere"]);
    repo.write("later.md", "x\n");
    refused(&repo, "blog", &["evidence=later.md"], &["not in HEAD"]);
    let good = "evidence=app.txt#one, https://example.com/x, v1, what Ann said";
    start(&repo, "blog", &[good]).exits(3);
    assert_eq!(repo.status()["action"], json!("blog"));
}
