//! Which session is meant, and what a session or a dispatch changed.

use crate::support::{APPROVE, PER_BATCH, Repo};

#[test]
fn r186_any_part_of_a_name_and_any_number_of_the_list_means_a_session() {
    let repo = Repo::new();
    repo.tollgate(&["run", "--slug", "first-thing", "Add a line"]).exits(3);
    repo.tollgate(&["run", "--slug", "second-thing", "Add a line"]).exits(3);
    for (text, name) in [("second", "second-thing"), ("1", "second-thing"), ("2", "first-thing")] {
        let shown = repo.tollgate(&["status", text]).exits(0);
        assert!(shown.out.contains(name), "{text}: {}", shown.out);
    }
    repo.tollgate(&["status", "thing"]).exits(2).says("matches several sessions");
    let listed = repo.tollgate(&["sessions"]).exits(0);
    assert!(listed.out.lines().nth(1).unwrap().trim_start().starts_with("1  "), "{}", listed.out);
}

#[test]
fn r186_the_session_of_an_answer_can_be_left_out_when_one_asks() {
    let repo = Repo::new();
    repo.tollgate(&["run", "--slug", "one", "Add a line"]).exits(3);
    repo.tollgate(&["answer", "UD-REVIEW-STRATEGY", "per-batch"])
        .exits(2)
        .says("no session here has");
    repo.tollgate(&["run", "--slug", "two", "Add a line"]).exits(3);
    repo.tollgate(&["answer", APPROVE.0, APPROVE.1]).exits(2).says("is open in several sessions");
    repo.tollgate(&["answer", "two", APPROVE.0, APPROVE.1]).exits(0).says("is not running");
    repo.tollgate(&["answer", APPROVE.0, APPROVE.1]).exits(0);
    repo.tollgate(&["answer", APPROVE.0]).exits(2);
    repo.tollgate(&["answer", "one", APPROVE.0, "a", "b"]).exits(2);
}

#[test]
fn r188_the_work_of_a_session_and_of_a_dispatch_can_be_looked_at() {
    let repo = Repo::new();
    repo.run().exits(3);
    let early = repo.tollgate(&["diff"]).exits(0);
    assert_eq!(early.out, "", "nothing is accepted");
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let branch = format!("tollgate/{}", repo.session_name());
    let shown = repo.tollgate(&["diff"]).exits(0);
    assert_eq!(shown.out, repo.git(&["diff", &format!("main..{branch}")]));
    let names = repo.tollgate(&["diff", "latest", "--name-only"]).exits(0);
    assert_eq!(names.out, repo.git(&["diff", "--name-only", &format!("main..{branch}")]));
    let json: serde_json::Value =
        serde_json::from_str(&repo.tollgate(&["diff", "--json"]).exits(0).out).unwrap();
    assert_eq!(json["patch"], shown.out);
    assert_eq!(json["files"][0]["path"], names.out.lines().next().unwrap());
    assert!(json["files"][0]["added"].as_u64() > Some(0), "{json}");
    let coder = repo.dispatch_of("Coder", 0).to_string();
    let of_one = repo.tollgate(&["diff", &coder]).exits(0);
    assert!(of_one.out.starts_with("diff --git "), "{}", of_one.out);
    repo.tollgate(&["diff", "1"]).exits(2).says("has no accepted change");
}
