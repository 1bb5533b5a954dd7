//! What a person writes on the page is recorded, or it comes back with the reason.

use crate::support::page::{Served, Visitor, at_the_gate, decided};
use crate::support::{APPROVE, Repo, files_below};
use std::fs;
use tollgate_programs::http::Request;

/// A comment on the first line of the specification, as its form sends it.
fn comment(visitor: &Visitor, session: &str, line: &str, words: &str) -> Request {
    let csrf = visitor.csrf(session);
    let fields = [
        ("decision", APPROVE.0),
        ("round", "1"),
        ("file", "spec.md"),
        ("line", line),
        ("quote", "# Spec"),
        ("comment", words),
    ];
    let form = visitor.form(&format!("{session}/comment"), &csrf, &fields);
    form.header("Origin", &visitor.origin())
}

#[test]
fn r189_an_answer_that_comes_too_late_is_refused_with_its_words() {
    let repo = Repo::new();
    let (_served, visitor, session) = at_the_gate(&repo);
    let late = visitor.answer(&session, "changes-requested", "say what happens <b>at night</b>");
    repo.tollgate(&["answer", "latest", APPROVE.0, APPROVE.1, "--resume"]).exits(3);
    let answer = visitor.send(&late);
    assert_eq!(answer.status, 422);
    let page = answer.text();
    for words in
        ["Nothing was recorded", "answered or asked again", "say what happens &lt;b&gt;at night"]
    {
        assert!(page.contains(words), "{words:?} is not in {page}");
    }
    assert_eq!(decided(&repo).len(), 1);
}

#[test]
fn r189_a_comment_that_cannot_be_kept_comes_back_and_replaces_no_other() {
    let repo = Repo::new();
    let (_served, visitor, session) = at_the_gate(&repo);
    let send = |line: &str, words: &str| visitor.send(&comment(&visitor, &session, line, words));
    assert_eq!(send("1", "a precious remark").status, 303);
    // More than one answer takes.
    let long = "x".repeat(30_000);
    assert_eq!(send("2", &long).status, 303);
    let refused = send("3", &long);
    assert_eq!(refused.status, 409);
    assert!(refused.text().contains("too long for one answer") && refused.text().contains("xxxx"));
    assert!(visitor.page(&session).contains("a precious remark"));
    // What cannot be read is not written over.
    let folder = repo.outside("state/comments");
    let kept = files_below(&folder).pop().unwrap();
    let whole = fs::read(folder.join(&kept)).unwrap();
    fs::write(folder.join(&kept), &whole[..40]).unwrap();
    let refused = send("4", "another remark");
    assert_eq!(refused.status, 409);
    assert!(refused.text().contains("another remark"), "{}", refused.text());
    assert_eq!(fs::read(folder.join(&kept)).unwrap(), &whole[..40]);
}

#[test]
fn r189_what_is_too_long_is_told_apart_from_a_form_of_another_start() {
    let repo = Repo::new();
    let (_served, visitor, session) = at_the_gate(&repo);
    let long = visitor.send(&visitor.answer(&session, "changes-requested", &"x".repeat(600 << 10)));
    assert_eq!(long.status, 413);
    assert!(long.text().contains("too long"), "{}", long.text());
    let unknown = visitor.read("/s/none/none");
    assert_eq!(unknown.status, 404);
    let text = unknown.text();
    assert!(text.contains("There is nothing here") && !text.contains("no sessions yet"), "{text}");
    assert!(decided(&repo).is_empty());
}

#[test]
fn r190_the_token_stays_in_no_address_also_for_who_is_in_already() {
    let repo = Repo::new();
    let (served, visitor, _session) = at_the_gate(&repo);
    let again = visitor.read(&format!("/?token={}", served.token));
    assert_eq!(again.status, 303);
    assert_eq!(again.header("location"), Some("/"));
    assert_eq!(visitor.read("/?token=0000").status, 200, "a wrong one takes nothing away");
}

#[test]
fn r190_who_listens_on_every_address_is_reached_by_each_of_them_and_by_no_name() {
    let repo = Repo::new();
    repo.run().exits(3);
    let served = Served::start_with(&repo, &["--bind", "0.0.0.0"]);
    let visitor = served.visitor();
    let port = served.address.port();
    let asks = |host: &str| {
        let request = Request::get("/").header("Host", host).header("Cookie", &visitor.cookie);
        request.send(served.address).unwrap().status
    };
    for host in [format!("127.0.0.1:{port}"), format!("192.0.2.7:{port}"), format!("[::1]:{port}")]
    {
        assert_eq!(asks(&host), 200, "{host}");
    }
    for host in [format!("evil.example:{port}"), "192.0.2.7:1".to_owned(), "192.0.2.7".to_owned()] {
        assert_eq!(asks(&host), 421, "{host}");
    }
}
