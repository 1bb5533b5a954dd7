//! The list of sessions behind the page and the terminal view, looked at again and again.

use crate::support::{APPROVE, Repo, eventually};
use serde_json::json;
use tollgate_core::view::Standing;
use tollgate_desk::{Desk, Row};

/// What a person sees of the list: the session, how it stands, whether it runs, and how many dispatches it had.
type Seen = (String, Option<Standing>, bool, usize);

fn seen(desk: &Desk) -> Vec<Seen> {
    let words = |row: &Row| {
        let summary = &row.listed.summary;
        let name = summary.session.to_string();
        (name, summary.standing, row.listed.is_running, summary.dispatches)
    };
    desk.rows().iter().map(words).collect()
}

#[test]
fn r189_a_list_that_is_kept_says_the_same_as_a_new_one_whatever_happens() {
    let slow = json!({"when": {"role": "Planner"}, "do": {"default": true, "sleep_ms": 1500}});
    let repo = Repo::with(json!([slow]));
    let new = || Desk::new(Some(repo.outside("state")), Some(repo.root()));
    let kept = new();
    let agree = |kept: &Desk| {
        let found = seen(kept);
        assert_eq!(found, seen(&new()));
        found
    };
    assert_eq!(agree(&kept), []);
    repo.run().exits(3);
    let asked = agree(&kept);
    assert_eq!((asked.len(), asked[0].1), (1, Some(Standing::YourTurn)));
    // While some process runs it, its journal grows below the list.
    repo.tollgate(&["answer", "latest", APPROVE.0, APPROVE.1]).exits(0);
    let mut process = repo.start(&["resume", "--no-input"]);
    let mut counts = Vec::new();
    eventually("the Planner and one more role play", || {
        let now = seen(&kept).remove(0);
        counts.extend(now.2.then_some(now.3));
        now.3 > asked[0].3 + 1 || !now.2 && !counts.is_empty()
    });
    assert!(counts.is_sorted() && !counts.is_empty(), "{counts:?}");
    process.wait().unwrap();
    agree(&kept);
    // Another one beside it, and then none of them.
    repo.run().exits(3);
    assert_eq!(agree(&kept).len(), 2);
    for (name, ..) in agree(&kept) {
        repo.tollgate(&["rm", &name, "--force"]).exits(0);
    }
    assert_eq!(agree(&kept), []);
    // One of the same name is not taken for the one that is gone.
    repo.run().exits(3);
    assert_eq!(agree(&kept)[0].3, asked[0].3);
}
