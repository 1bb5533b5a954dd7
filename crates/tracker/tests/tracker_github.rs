//! What can go wrong between us and GitHub, and what a stranger there can try.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::tracker_support;

use expect_test::{Expect, expect};
use serde_json::json;
use tollgate_contract::labels::{LABELS, find};
use tollgate_files::redact::Redactor;
use tollgate_tracker::github::Github;
use tollgate_tracker::login::TrackerLogin;
use tollgate_tracker::mirror::{Mirror, WantedItem};
use tollgate_tracker::place::{Api, Slug};
use tollgate_tracker::{
    Comment, ItemChange, ItemDraft, ItemState, Put, Tracker, TrackerError, labels,
};
use tracker_support::{Fault, StandIn, TOKEN};

const ISSUES: &str = "/repos/acme/shop/issues";
const LABEL_LIST: &str = "/repos/acme/shop/labels";

fn draft(key: &str) -> ItemDraft {
    let labels = vec!["task:implement".to_owned()];
    ItemDraft {
        key: key.to_owned(),
        title: "Limit tries".to_owned(),
        body: "Text.".to_owned(),
        labels,
    }
}

#[track_caller]
fn fails_at_list(server: &StandIn, fault: Fault, words: Expect) -> TrackerError {
    server.fail_next("GET", LABEL_LIST, fault);
    let error = server.tracker().labels().unwrap_err();
    let port = server.root().rsplit(':').next().unwrap().to_owned();
    words.assert_eq(&error.to_string().replace(&port, "PORT"));
    assert!(!format!("{error} {error:?}").contains(TOKEN));
    error
}

#[test]
fn a_creation_that_was_cut_off_is_found_and_not_repeated() {
    let server = StandIn::start();
    for fault in [Fault::CutAfterDoing, Fault::CutAnswer] {
        let makes = server.model().issues.len();
        let key = format!("s/T-00{}", makes + 1);
        let tracker = server.tracker();
        tracker.find("s/T-999").unwrap();
        let is_made = matches!(fault, Fault::CutAfterDoing);
        server.fail_next("POST", ISSUES, fault);
        let error = tracker.create(&draft(&key)).unwrap_err();
        assert!(matches!(error, TrackerError::Unreachable { .. }), "{error}");
        assert_eq!(server.model().issues.len(), makes + usize::from(is_made));
        // The same process, and one that was started after a crash.
        let item = tracker.create(&draft(&key)).unwrap();
        assert_eq!(server.tracker().create(&draft(&key)).unwrap(), item);
        assert_eq!(server.model().issues.len(), makes + 1);
    }
    server.assert_well_asked();
}

#[test]
fn a_mirror_that_was_cut_off_continues_without_doubles() {
    let server = StandIn::start();
    let wanted: Vec<WantedItem> = (1..=4)
        .map(|n| {
            let ItemDraft { key, title, body, labels } = draft(&format!("s/T-00{n}"));
            WantedItem { key, title, body, labels, state: ItemState::Open, comments: Vec::new() }
        })
        .collect();
    server.fail_next("POST", ISSUES, Fault::CutAfterDoing);
    let tracker = server.tracker();
    let mut mirror = Mirror::new(&tracker, Redactor::new([""]));
    let outcome = mirror.bring(&wanted);
    // Without a network the others would fail as well.
    assert_eq!((outcome.done.len(), outcome.failed.len()), (0, 1));
    let outcome = mirror.bring(&wanted);
    assert_eq!((outcome.done.len(), outcome.failed.len()), (3, 0), "{outcome:?}");
    assert_eq!(server.model().issues.len(), 4);
    let before = server.asked().len();
    assert!(mirror.bring(&wanted).done.is_empty());
    assert_eq!(server.asked().len(), before, "what did not change costs no request");
}

#[test]
fn one_bad_item_does_not_stop_the_others() {
    let server = StandIn::start();
    let wanted = ["s/T-001", "s/T-002"].map(|key| {
        let ItemDraft { key, title, body, labels } = draft(key);
        WantedItem { key, title, body, labels, state: ItemState::Open, comments: Vec::new() }
    });
    server.fail_next("POST", ISSUES, Fault::status(422, "Validation Failed"));
    let tracker = server.tracker();
    let outcome = Mirror::new(&tracker, Redactor::new([""])).bring(&wanted);
    assert_eq!((outcome.done.len(), outcome.failed.len()), (1, 1), "{outcome:?}");
}

#[test]
fn refusals_say_what_to_do() {
    let server = StandIn::start();
    fails_at_list(
        &server,
        Fault::status(403, "Resource not accessible by personal access token"),
        expect![
            "GitHub refuses the list of labels (403: Resource not accessible by personal access token); the token needs permission to write issues of acme/shop"
        ],
    );
    fails_at_list(
        &server,
        Fault::status(410, "Issues has been disabled in this repository."),
        expect![
            "GitHub says that the list of labels is gone (410: Issues has been disabled in this repository.); perhaps issues are turned off in acme/shop"
        ],
    );
    fails_at_list(
        &server,
        Fault::status(502, "Bad \u{1b}[31mGateway"),
        expect!["GitHub failed at the list of labels (502: Bad Gateway); try again later"],
    );
    let error = server.tracker_with(TOKEN, "acme/none").labels().unwrap_err();
    expect!["GitHub found nothing for the list of labels (404: Not Found); check the spelling of acme/none and that your login has access to it"]
        .assert_eq(&error.to_string());
    let error = server.tracker_with("ghp_stale", "acme/shop").labels().unwrap_err();
    expect!["GitHub rejects the login from GH_TOKEN (401: Bad credentials); run `gh auth login` again, or set GH_TOKEN to a valid token"]
        .assert_eq(&error.to_string());
    let long = ItemDraft { title: "x".repeat(300), ..draft("s/T-001") };
    let words = server.tracker().create(&long).unwrap_err().to_string();
    assert!(words.ends_with("(422: Validation Failed; title missing_field)"), "{words}");
}

#[test]
fn limits_say_until_when() {
    let server = StandIn::start();
    let now = tollgate_files::clock::now();
    let reset = now.as_ms() / 1000 + 600;
    let used_up = Fault::status(403, "API rate limit exceeded")
        .with("x-ratelimit-remaining", 0)
        .with("x-ratelimit-reset", reset);
    let too_fast = Fault::status(429, "secondary rate limit").with("Retry-After", 60);
    let also = Fault::status(403, "secondary rate limit").with("retry-after", 60);
    for (fault, seconds) in [(used_up, 600), (too_fast, 60), (also, 60)] {
        server.fail_next("GET", LABEL_LIST, fault);
        let error = server.tracker().labels().unwrap_err();
        let TrackerError::Limited { again_at: Some(at) } = error else { panic!("{error}") };
        let wait = at.as_ms() - now.as_ms();
        assert!((seconds * 1000 - 2_000..=seconds * 1000 + 60_000).contains(&wait), "{wait}");
    }
    fails_at_list(
        &server,
        Fault::status(429, "slow down").with("retry-after", "soon"),
        expect!["the rate limit of GitHub is reached; nothing is lost, try again later"],
    );
}

#[test]
fn a_login_follows_no_redirect_and_no_link_to_another_host() {
    let (server, other) = (StandIn::start(), StandIn::start());
    let to = format!("{}/repositories/1/labels", other.root());
    for status in [301, 302, 307, 308] {
        let fault = Fault::status(status, "Moved").with("Location", &to);
        server.fail_next("GET", LABEL_LIST, fault);
        let error = server.tracker().labels().unwrap_err();
        assert!(error.to_string().contains(&to) && error.to_string().contains("[tracker]"));
        assert!(matches!(error, TrackerError::Moved { .. }));
    }
    let link = format!("<{to}?page=2>; rel=\"next\"");
    server.fail_next("GET", LABEL_LIST, Fault::Header("Link".to_owned(), link));
    let error = server.tracker().labels().unwrap_err();
    assert!(matches!(error, TrackerError::Moved { .. }), "{error}");
    assert_eq!(other.asked().len(), 0);
}

#[test]
fn a_server_that_misbehaves_costs_neither_time_nor_memory() {
    let server = StandIn::start();
    fails_at_list(
        &server,
        Fault::Silence,
        expect![
            "127.0.0.1 cannot be reached for the list of labels: it did not respond in time; check the network and try again"
        ],
    );
    let error = fails_at_list(
        &server,
        Fault::Huge(33 * 1024 * 1024),
        expect![
            "the response to the list of labels has more than 33554432 bytes, which is the limit"
        ],
    );
    assert!(matches!(error, TrackerError::TooBig { .. }));
    let answer =
        |body: &str| Fault::Answer { status: 200, headers: Vec::new(), body: body.to_owned() };
    for body in ["", "<html>", "{}", "[{\"name\": 1}]"] {
        server.fail_next("GET", LABEL_LIST, answer(body));
        let error = server.tracker().labels().unwrap_err();
        assert!(matches!(error, TrackerError::Unreadable { .. }), "{body}: {error}");
    }
    server.fail_next("GET", LABEL_LIST, Fault::CutAnswer);
    assert!(matches!(server.tracker().labels(), Err(TrackerError::Unreachable { .. })));
}

#[test]
fn a_network_that_is_down_is_called_so() {
    let server = StandIn::start();
    let tracker = server.tracker();
    drop(server);
    let words = tracker.labels().unwrap_err().to_string();
    assert!(words.starts_with("127.0.0.1 cannot be reached for the list of labels:"), "{words}");
}

#[test]
fn a_server_that_does_not_encrypt_gets_no_login() {
    let server = StandIn::start();
    let api = Api::parse(&server.root().replace("http:", "https:")).unwrap();
    let login = TrackerLogin::new(TOKEN, "GH_TOKEN").unwrap();
    // A machine that trusts nobody says so instead.
    let error = match Github::new(api, Slug::parse("acme/shop").unwrap(), login) {
        Ok(tracker) => tracker.labels().unwrap_err(),
        Err(error) => error,
    };
    let is_refused =
        matches!(error, TrackerError::Unreachable { .. } | TrackerError::NoCertificates);
    assert!(is_refused, "{error}");
    assert!(server.asked().is_empty());
}

#[test]
fn the_token_is_in_no_output_of_ours() {
    let server = StandIn::start();
    let tracker = server.tracker();
    assert!(!format!("{tracker:?} {:#?}", tracker).contains(TOKEN));
    // A server could say it back.
    let said = format!("bad {TOKEN} here");
    for status in [400, 401, 403, 404, 410, 422, 500] {
        server.fail_next("GET", LABEL_LIST, Fault::status(status, &said));
        let error = server.tracker().labels().unwrap_err();
        assert!(!format!("{error} {error:?}").contains(TOKEN), "{error}");
    }
    let fault = Fault::status(302, "x").with("Location", format!("https://example.com/{TOKEN}"));
    server.fail_next("GET", LABEL_LIST, fault);
    let error = server.tracker().labels().unwrap_err();
    assert!(!format!("{error} {error:?}").contains(TOKEN), "{error}");
}

#[test]
fn labels_are_created_updated_and_left_alone() {
    let server = StandIn::start();
    {
        let mut model = server.model();
        for name in ["bug", "area:login", "good first issue", "wontfix"] {
            model.add_label(name, "ededed", json!(null));
        }
        let right = find("priority:low").unwrap();
        model.add_label(right.name, &right.colour.to_uppercase(), json!(right.description));
        model.add_label("Status:Pending", "bfd4f2", json!("Planned; not started"));
        model.add_label("priority:high", "000000", json!(null));
    }
    let tracker = server.tracker();
    let planned = labels::plan(&tracker).unwrap();
    assert_eq!(server.asked_of("POST") + server.asked_of("PATCH"), 0);
    let done = labels::sync(&tracker).unwrap();
    assert_eq!(planned, done);
    let count = |put: Put| done.iter().filter(|(_, found)| *found == put).count();
    assert_eq!((count(Put::Created), count(Put::Updated), count(Put::Unchanged)), (13, 2, 1));
    let found = tracker.labels().unwrap();
    assert_eq!(found.len(), 4 + 16);
    assert!(LABELS.iter().all(|label| found.iter().any(|state| state.is(label))));
    let writes = server.asked_of("POST") + server.asked_of("PATCH");
    labels::sync(&server.tracker()).unwrap();
    assert_eq!(server.asked_of("POST") + server.asked_of("PATCH"), writes);
    server.assert_well_asked();
}

#[test]
fn a_label_that_someone_else_makes_in_the_meantime_is_updated() {
    let server = StandIn::start();
    let label = find("status:ready").unwrap();
    server.model().add_label(label.name, "ededed", json!(null));
    // It was not there a moment ago.
    server.fail_next("GET", LABEL_LIST, Fault::status(404, "Not Found"));
    assert_eq!(server.tracker().put_label(label).unwrap(), Put::Updated);
    assert!(server.tracker().labels().unwrap()[0].is(label));
}

#[test]
fn an_issue_of_a_stranger_is_never_taken_for_ours() {
    let server = StandIn::start();
    let forged = "Do something else.\n\n<!-- tollgate: s/T-001 -->";
    server.model().add_issue("NONE", &["bug"], forged);
    server.model().add_issue("CONTRIBUTOR", &[], forged);
    let pull_request = server.model().add_issue("OWNER", &["task:implement"], forged);
    server.model().issues[pull_request as usize - 1]["pull_request"] = json!({ "url": "x" });
    assert_eq!(server.tracker().find("s/T-001").unwrap(), None);
    let made = server.tracker().create(&draft("s/T-001")).unwrap();
    assert_eq!((made.id.as_str(), made.body.as_str()), ("4", "Text."));
    assert_eq!(server.tracker().find("s/T-001").unwrap().unwrap().id, "4");
    // One that a program made with our labels is ours.
    let body = "By a runner.\n<!-- tollgate: s/T-002 -->";
    let number = server.model().add_issue("NONE", &["task:implement"], body);
    assert_eq!(server.tracker().find("s/T-002").unwrap().unwrap().id, number.to_string());
}

#[test]
fn a_body_cannot_take_the_key_of_another_item() {
    let server = StandIn::start();
    let tracker = server.tracker();
    let body = "Innocent.\n<!-- tollgate: s/T-002 -->\n".to_owned();
    let item = tracker.create(&ItemDraft { body: body.clone(), ..draft("s/T-001") }).unwrap();
    tracker.update(&item.id, &ItemChange { body: Some(body), ..ItemChange::default() }).unwrap();
    let again = server.tracker();
    assert_eq!(again.find("s/T-001").unwrap().unwrap().id, item.id);
    assert_eq!(again.find("s/T-002").unwrap(), None);
}

#[test]
fn an_issue_that_was_deleted_is_made_again() {
    let server = StandIn::start();
    let tracker = server.tracker();
    let item = tracker.create(&draft("s/T-001")).unwrap();
    server.model().issues[0]["number"] = json!(900);
    server.model().issues[0]["body"] = json!("moved elsewhere");
    assert_eq!(tracker.find("s/T-001").unwrap(), None);
    assert_ne!(tracker.create(&draft("s/T-001")).unwrap().id, item.id);
}

#[test]
fn r164_an_issue_begins_as_pending_and_moves_as_the_table_says() {
    let server = StandIn::start();
    let tracker = server.tracker();
    let mut mirror = Mirror::new(&tracker, Redactor::new([""]));
    let wanted = |status: &str| {
        let ItemDraft { key, title, body, .. } = draft("s/T-001");
        let labels = vec!["task:implement".to_owned(), format!("status:{status}")];
        WantedItem { key, title, body, labels, state: ItemState::Open, comments: Vec::new() }
    };
    for status in ["in-progress", "review", "in-progress", "blocked", "in-progress", "approved"] {
        let outcome = mirror.bring(&[wanted(status)]);
        assert!(outcome.failed.is_empty(), "{outcome:?}");
    }
    let moves: Vec<String> =
        server.model().moves.iter().map(|(_, status)| status.replace("status:", "")).collect();
    assert_eq!(
        moves.join(" "),
        "pending ready in-progress review needs-refinement pending ready in-progress blocked pending \
         ready in-progress review approved"
    );
}

#[test]
fn r164_a_comment_is_written_once_also_after_a_crash() {
    let server = StandIn::start();
    let item = server.tracker().create(&draft("s/T-001")).unwrap();
    let comment = Comment { key: "s/T-001/4-1".to_owned(), text: "It stopped.".to_owned() };
    server.fail_next("POST", &format!("{ISSUES}/{}/comments", item.id), Fault::CutAfterDoing);
    server.tracker().comment(&item.id, &comment).unwrap_err();
    // The same process, and one that was started after a crash.
    for _ in 0..2 {
        server.tracker().comment(&item.id, &comment).unwrap();
    }
    let other = Comment { key: "s/T-001/5-1".to_owned(), text: "Again.".to_owned() };
    server.tracker().comment(&item.id, &other).unwrap();
    let said: Vec<String> = server.model().comments.iter().map(|c| c["body"].to_string()).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("It stopped.") && said[1].contains("Again."), "{said:?}");
}
