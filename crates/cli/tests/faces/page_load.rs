//! Those who ask too much, too slowly or in bad form: the page answers others meanwhile, and lets go of them.

use crate::support::Repo;
use crate::support::page::{SLOW, Visitor, at_the_gate, decided};
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};
use tollgate_programs::http::{Answer, Dripped, Request, Wire, flood};

/// What a person would still call an answer.
const SOON: Duration = Duration::from_secs(5);

/// No server of ours waits longer for a client that says nothing more.
const LETS_GO: Duration = Duration::from_secs(60);

#[track_caller]
fn answers_soon(visitor: &Visitor) {
    let begin = Instant::now();
    assert_eq!(visitor.read("/").status, 200);
    assert!(begin.elapsed() < SOON, "it took {:?}", begin.elapsed());
}

/// What the stream answered, if it did.
fn head(wire: &mut Wire) -> Option<Answer> {
    wire.head(Instant::now() + SOON).ok()
}

#[test]
fn r190_a_flood_of_streams_is_bounded_and_others_are_answered() {
    const STREAMS: usize = 200;
    let repo = Repo::new();
    let (_served, visitor, session) = at_the_gate(&repo);
    let request = visitor.get(&format!("{session}/events"));
    let mut wires = flood(visitor.address, &request, STREAMS);
    answers_soon(&visitor);
    let heads: Vec<Option<u16>> =
        wires.iter_mut().map(|wire| head(wire).map(|answer| answer.status)).collect();
    let open = heads.iter().filter(|status| **status == Some(200)).count();
    assert!(open > 0 && open < STREAMS, "{open} of {STREAMS} streams are open");
    let others = heads.iter().flatten().filter(|status| **status != 200);
    assert!(others.clone().all(|status| matches!(status, 429 | 503)), "{heads:?}");
    answers_soon(&visitor);
    drop(wires);
    // As soon as they are gone there is room again.
    let begin = Instant::now();
    while head(&mut visitor.follow(&session)).is_none_or(|answer| answer.status != 200) {
        assert!(begin.elapsed() < LETS_GO, "no room again");
        thread::sleep(SLOW);
    }
    let fine = visitor.send(&visitor.answer(&session, "approved", ""));
    assert_eq!((fine.status, decided(&repo).len()), (303, 1));
}

#[test]
fn r190_many_silent_connections_keep_nobody_out() {
    let repo = Repo::new();
    let (_served, visitor, session) = at_the_gate(&repo);
    let silent: Vec<Wire> = (0..400).filter_map(|_| Wire::open(visitor.address).ok()).collect();
    assert!(silent.len() > 100, "{}", silent.len());
    answers_soon(&visitor);
    let half = flood(visitor.address, &Request::get("/"), 0);
    assert!(half.is_empty());
    assert_eq!(visitor.read(&session).status, 200);
    drop(silent);
}

#[test]
fn r190_a_slow_client_is_let_go_while_others_are_answered() {
    let repo = Repo::new();
    let (_served, visitor, session) = at_the_gate(&repo);
    let mut head = visitor.get("/").header("X-Long", &"x".repeat(4000)).bytes();
    head.truncate(4000);
    let answer = visitor.answer(&session, "approved", &"x".repeat(4000)).bytes();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let (begin, body) = answer.split_at(end);
    thread::scope(|scope| {
        let drip = |at_once: &[u8], rest: &[u8]| drip(visitor.address, at_once, rest);
        let slow_head = scope.spawn(move || drip(b"", &head));
        let slow_body = scope.spawn(move || drip(begin, &body[..body.len() - 1]));
        let silent = scope.spawn(|| Wire::open(visitor.address).unwrap().hangs_up_within(LETS_GO));
        for _ in 0..5 {
            thread::sleep(SLOW);
            answers_soon(&visitor);
        }
        for (what, dripped) in [("head", slow_head), ("body", slow_body)] {
            let dripped = dripped.join().unwrap();
            assert!(matches!(dripped, Dripped::HungUp { .. }), "the slow {what}: {dripped:?}");
        }
        assert!(silent.join().unwrap(), "who says nothing at all is let go");
    });
    assert!(decided(&repo).is_empty(), "half an answer is none");
    assert_eq!(visitor.send(&visitor.answer(&session, "approved", "")).status, 303);
}

fn drip(to: SocketAddr, at_once: &[u8], rest: &[u8]) -> Dripped {
    let mut wire = Wire::open(to).unwrap();
    wire.write(at_once).unwrap();
    wire.drip(rest, SLOW, LETS_GO)
}

/// What came back; nothing where the connection was closed instead of an answer.
fn status(visitor: &Visitor, request: &Request) -> Option<u16> {
    request.send(visitor.address).ok().map(|answer| answer.status)
}

#[test]
fn r190_what_is_too_large_is_refused() {
    let repo = Repo::new();
    let (_served, visitor, session) = at_the_gate(&repo);
    let large = "x".repeat(8 << 20);
    let words = visitor.answer(&session, "approved", &large);
    let refused = status(&visitor, &words);
    assert!(matches!(refused, None | Some(403 | 413)), "{refused:?}");
    let lied = visitor.answer(&session, "approved", "").header("Content-Length", "99999999999999");
    let refused = status(&visitor, &lied);
    // What never comes is not waited for.
    assert!(matches!(refused, None | Some(400 | 403 | 408 | 413)), "{refused:?}");
    let header = visitor.get("/").header("X-Long", &large[..1 << 20]);
    let refused = status(&visitor, &header);
    assert!(matches!(refused, None | Some(400 | 431)), "{refused:?}");
    let mut many = visitor.get("/");
    for number in 0..2000 {
        many = many.another_header("X-Many", &number.to_string());
    }
    let refused = status(&visitor, &many);
    assert!(matches!(refused, None | Some(400 | 431)), "{refused:?}");
    let address = visitor.get(&format!("/?{}", &large[..200_000]));
    let refused = status(&visitor, &address);
    assert!(matches!(refused, None | Some(400 | 414 | 431)), "{refused:?}");
    answers_soon(&visitor);
    assert!(decided(&repo).is_empty());
    let fine = visitor.send(&visitor.answer(&session, "changes-requested", &"word ".repeat(1000)));
    assert_eq!((fine.status, decided(&repo).len()), (303, 1), "{}", fine.everything());
}

#[test]
fn r190_what_is_no_request_harms_nobody() {
    let repo = Repo::new();
    let (_served, visitor, session) = at_the_gate(&repo);
    let host = visitor.address.to_string();
    let smuggled = visitor.answer(&session, "approved", "");
    let smuggled = String::from_utf8(smuggled.bytes()).unwrap();
    let two_lengths =
        smuggled.replacen("Content-Length: ", "Content-Length: 0\r\nContent-Length: ", 1);
    let both =
        smuggled.replacen("Content-Length: ", "Transfer-Encoding: chunked\r\nContent-Length: ", 1);
    let texts = [
        "\r\n\r\n".to_owned(),
        "GET\r\n\r\n".to_owned(),
        format!("GET / HTTP/9.9\r\nHost: {host}\r\n\r\n"),
        format!("GET  / HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost : {host}\r\n\r\n"),
        "\u{0}\u{1}\u{2}\u{16}\u{3}\u{1}\r\n\r\n".to_owned(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        two_lengths,
        both,
    ];
    for text in &texts {
        let mut wire = Wire::open(visitor.address).unwrap();
        wire.write(text.as_bytes()).unwrap();
        if let Ok(answer) = wire.head(Instant::now() + SOON) {
            assert!(matches!(answer.status, 400..600), "{text:?}: {}", answer.status);
        }
    }
    answers_soon(&visitor);
    assert!(decided(&repo).is_empty());
}
