//! Who is let in, and what a request must have: each attack beside the same request in good form.

use crate::support::page::{Served, Visitor, at_the_gate, decided};
use crate::support::{APPROVE, GOAL, Repo, files_below};
use std::fs;
use tollgate_programs::http::{Answer, Request};

/// Every page below a session.
const TABS: [&str; 7] = ["", "/log", "/changes", "/evidence", "/tasks", "/dispatch/1", "/events"];

/// Pages that show something of a session.
fn pages(session: &str) -> Vec<String> {
    let tabs = TABS.iter().map(|tab| format!("{session}{tab}"));
    ["/".to_owned(), "/new".to_owned()].into_iter().chain(tabs).collect()
}

/// Answers of streams never end, so only their head is waited for.
fn ask(visitor: &Visitor, request: &Request, path: &str) -> Answer {
    if !path.ends_with("/events") {
        return visitor.send(request);
    }
    let mut wire = tollgate_programs::http::Wire::open(visitor.address).unwrap();
    wire.write(&request.bytes()).unwrap();
    wire.head(std::time::Instant::now() + tollgate_programs::http::PATIENCE).unwrap()
}

#[track_caller]
fn shows_nothing(answer: &Answer, session: &str) {
    let all = answer.everything();
    for secret in [GOAL, session, "set-cookie", APPROVE.0] {
        assert!(!all.contains(secret), "{secret:?} in {all}");
    }
}

#[test]
fn r190_nobody_gets_in_without_the_token_or_its_cookie() {
    let repo = Repo::new();
    let (served, visitor, session) = at_the_gate(&repo);
    let earlier = {
        let earlier = Served::start(&repo);
        earlier.visitor().cookie
    };
    let value = |cookie: &str| cookie.split_once('=').unwrap().1.to_owned();
    let name = visitor.cookie.split_once('=').unwrap().0.to_owned();
    let one_less = served.token[..served.token.len() - 1].to_owned();
    let tokens = ["", "x", "../", one_less.as_str(), &value(&visitor.cookie)];
    let cookies = [
        earlier.clone(),
        format!("{name}={}", value(&earlier)),
        format!("{name}="),
        format!("{name}={}", served.token),
        format!("other={}", value(&visitor.cookie)),
        visitor.cookie.to_ascii_uppercase(),
    ];
    for path in pages(&session) {
        let fine = ask(&visitor, &visitor.get(&path), &path);
        assert_eq!(fine.status, 200, "{path}: {}", fine.everything());
        let refused = |request: &Request| {
            let answer = visitor.send(request);
            assert_eq!(answer.status, 401, "{path} {request:?}");
            shows_nothing(&answer, &session);
            answer
        };
        let words = refused(&visitor.get(&path).without("Cookie")).text();
        assert!(words.contains("tollgate serve"), "it says how to get in: {words}");
        for cookie in &cookies {
            refused(&visitor.get(&path).header("Cookie", cookie));
        }
        for token in tokens {
            let target = format!("{path}?token={token}");
            refused(&visitor.as_ours(Request::get(&target)).without("Cookie"));
        }
    }
}

#[test]
fn r190_the_token_is_exchanged_for_a_strict_cookie_and_leaves_the_address() {
    let repo = Repo::new();
    let (served, visitor, session) = at_the_gate(&repo);
    for (path, rest) in [("/", ""), (session.as_str(), ""), (session.as_str(), "a=b&c=d")] {
        let and = if rest.is_empty() { "" } else { "&" };
        let target = format!("{path}?{rest}{and}token={}", served.token);
        let answer = visitor.send(&visitor.get(&target).without("Cookie"));
        let wanted = if rest.is_empty() { path.to_owned() } else { format!("{path}?{rest}") };
        assert_eq!((answer.status, answer.header("location")), (303, Some(wanted.as_str())));
        let cookie = answer.header("set-cookie").unwrap();
        for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
            assert!(cookie.split("; ").any(|found| found == part), "{part} in {cookie}");
        }
        assert!(!answer.everything().contains(&served.token), "{}", answer.everything());
    }
    // An address that would lead to another server does not.
    for path in ["//evil.example/", "/\\evil.example/", "///evil.example"] {
        let target = format!("{path}?token={}", served.token);
        let answer = visitor.send(&visitor.get(&target).without("Cookie"));
        let location = answer.header("location").unwrap_or("/");
        let leads_away =
            location.starts_with("//") || location.starts_with("/\\") || !location.starts_with('/');
        assert!(!leads_away, "{path} leads to {location}");
    }
    // A token in a write lets nobody in.
    let target = format!("/new?token={}", served.token);
    let write =
        Request::form(&target, &[("goal", "x")]).header("Host", &served.address.to_string());
    let write = write.header("Origin", &visitor.origin());
    assert_eq!(visitor.send(&write).status, 401);
}

#[test]
fn r190_the_token_is_in_no_file_no_page_and_no_second_line_of_output() {
    let repo = Repo::new();
    let (served, visitor, session) = at_the_gate(&repo);
    let value = visitor.cookie.split_once('=').unwrap().1.to_owned();
    for path in pages(&session) {
        let with_token = format!("{path}?token={}", served.token);
        let answers = [
            ask(&visitor, &visitor.get(&path), &path),
            visitor.send(&visitor.get(&with_token).without("Cookie")),
        ];
        for answer in answers {
            let (head, body) = (format!("{:?}", answer.headers), answer.text());
            assert!(!head.contains(&served.token) && !body.contains(&served.token), "{path}");
            assert!(!body.contains(&value), "the cookie is in the page {path}");
            let referrer = answer.header("referrer-policy");
            assert!(
                matches!(referrer, Some("no-referrer" | "same-origin")),
                "{path}: {referrer:?}"
            );
        }
    }
    let spoilt = format!("/{}?token={}", served.token, served.token);
    visitor.send(&visitor.get(&spoilt).header("Host", "evil.example"));
    visitor.send(&visitor.answer(&session, "no such answer", ""));
    assert!(served.said().matches(&served.token).count() <= 1, "only where it says what to open");
    assert!(!served.said().contains(&value));
    for path in files_below(&repo.outside(".")) {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
        let is_in = |secret: &str| text.contains(secret);
        assert!(!is_in(&served.token) && !is_in(&value), "a secret is in {}", path.display());
    }
}

#[test]
fn r190_a_name_that_somebody_pointed_here_is_refused() {
    let repo = Repo::new();
    let (served, visitor, session) = at_the_gate(&repo);
    let (ip, port) = (served.address.ip(), served.address.port());
    let hosts = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("{ip}.evil.example:{port}"),
        format!("evil.example@{ip}:{port}"),
        format!("{ip}:{}", port ^ 1),
        ip.to_string(),
        format!("localhost:{port}"),
        format!("127.0.0.1:{port}"),
        "0.0.0.0".to_owned(),
        String::new(),
    ];
    for path in ["/", session.as_str()] {
        for host in &hosts {
            let answer = visitor.send(&visitor.get(path).header("Host", host));
            assert_eq!(answer.status, 421, "{host}: {}", answer.everything());
            shows_nothing(&answer, &session);
        }
        let answer = visitor.send(&visitor.get(path).without("Host"));
        assert!(matches!(answer.status, 400 | 421), "{}", answer.status);
        let two = visitor.get(path).another_header("Host", "evil.example");
        assert!(matches!(visitor.send(&two).status, 400 | 421));
        let target = format!("http://evil.example{path}");
        let named = visitor.send(&visitor.as_ours(Request::get(&target)));
        assert!(matches!(named.status, 400 | 404 | 421), "{}", named.everything());
    }
    let token = format!("/?token={}", served.token);
    let rebound =
        visitor.get(&token).without("Cookie").header("Host", &format!("evil.example:{port}"));
    let answer = visitor.send(&rebound);
    assert_eq!(answer.status, 421, "not with the token either");
    let mut answered = visitor.answer(&session, "approved", "");
    answered = answered.header("Host", "evil.example").header("Origin", "http://evil.example");
    assert_eq!(visitor.send(&answered).status, 421);
    assert!(decided(&repo).is_empty());
    assert_eq!(visitor.read("/").status, 200);
}

#[test]
fn r190_the_usual_loopback_address_is_also_called_localhost() {
    let repo = Repo::new();
    repo.run().exits(3);
    let served = Served::start_with(&repo, &["--bind", "127.0.0.1"]);
    let visitor = served.visitor();
    let port = served.address.port();
    for host in ["127.0.0.1", "localhost", "LocalHost"] {
        let asked = visitor.get("/").header("Host", &format!("{host}:{port}"));
        assert_eq!(visitor.send(&asked).status, 200, "{host}");
    }
    let asked = visitor.get("/").header("Host", &format!("127.0.0.2:{port}"));
    assert_eq!(visitor.send(&asked).status, 421);
}

#[test]
fn r190_a_name_that_the_person_gave_is_taken() {
    let repo = Repo::new();
    repo.run().exits(3);
    let served = Served::start_with(&repo, &["--host", "desk.example"]);
    let visitor = served.visitor();
    let with = |host: &str| visitor.send(&visitor.get("/").header("Host", host)).status;
    let port = served.address.port();
    assert_eq!((with("desk.example"), with(&format!("desk.example:{port}"))), (200, 200));
    assert_eq!((with("evil.example"), with("desk.example.evil.example")), (421, 421));
}

/// The addresses to which the pages' forms write.
fn writes(visitor: &Visitor, session: &str) -> Vec<String> {
    let mut found = Vec::new();
    for path in
        ["/", "/new", session].map(str::to_owned).into_iter().chain(with_comment(visitor, session))
    {
        let page = visitor.page(&path);
        let forms = page.split("<form").skip(1).map(|rest| rest.split('>').next().unwrap());
        for form in forms.filter(|form| form.to_ascii_lowercase().contains("method=\"post\"")) {
            let action = form.split("action=\"").nth(1).unwrap_or_else(|| panic!("{form}"));
            found.push(action.split('"').next().unwrap().to_owned());
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The page with the form for a comment on the first line that has one.
fn with_comment(visitor: &Visitor, session: &str) -> Option<String> {
    let page = visitor.page(session);
    let query = page.split("comment=").nth(1)?.split(['"', '#']).next()?;
    Some(format!("{session}?comment={query}").replace("&amp;", "&"))
}

#[test]
fn r190_a_write_that_comes_from_elsewhere_changes_nothing() {
    let repo = Repo::new();
    let (served, visitor, session) = at_the_gate(&repo);
    let journal = repo.session_file("journal.jsonl");
    let (ip, port) = (served.address.ip(), served.address.port());
    let origins = [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        format!("http://{ip}:{}", port ^ 1),
        format!("http://{ip}:{port}.evil.example"),
        format!("http://evil.example:{port}"),
        format!("{ip}:{port}"),
        format!("ftp://{ip}:{port}"),
        format!("http://{ip}:{port}/"),
        format!("http://{ip}"),
        String::new(),
    ];
    let csrf = visitor.csrf(&session);
    let routes = writes(&visitor, &session);
    for wanted in ["/new", "/answer", "/comment"] {
        assert!(routes.iter().any(|route| route.ends_with(wanted)), "{wanted} in {routes:?}");
    }
    let fields = [("answer", "approved"), ("goal", "y"), ("comment", "z"), ("reason", "x")];
    for route in &routes {
        let form = visitor.form(route, &csrf, &fields);
        for origin in &origins {
            let answer = visitor.send(&form.clone().header("Origin", origin));
            assert_eq!(answer.status, 403, "{route} from {origin:?}: {}", answer.everything());
        }
        let none = visitor.send(&form.clone().without("Origin"));
        assert_eq!(none.status, 403, "{route} without an origin");
        let two = form.clone().another_header("Origin", "http://evil.example");
        assert_eq!(visitor.send(&two).status, 403, "{route} from two");
        // Its own origin, but no hidden field, or a wrong one, or a body of another form.
        let ours = |request: Request| visitor.as_ours(request).header("Origin", &visitor.origin());
        for request in [
            ours(Request::form(route, &fields)),
            visitor.form(route, "", &fields),
            visitor.form(route, &"0".repeat(csrf.len()), &fields),
            form.clone().header("Content-Type", "text/plain"),
            ours(Request::new("POST", route))
                .header("Content-Type", "application/json")
                .body(format!("{{\"_csrf\":\"{csrf}\",\"answer\":\"approved\"}}").as_bytes()),
        ] {
            let answer = visitor.send(&request);
            let refused = matches!(answer.status, 400 | 403 | 415 | 422);
            assert!(refused, "{request:?}: {}", answer.everything());
        }
        assert_eq!(visitor.send(&form.clone().without("Cookie")).status, 401, "{route}");
    }
    assert_eq!(repo.session_file("journal.jsonl"), journal, "nothing was changed");
    let sessions = fs::read_dir(repo.root().join(".agents-work")).unwrap();
    assert_eq!(sessions.filter(|one| one.as_ref().unwrap().path().is_dir()).count(), 1);
    let fine = visitor.send(&visitor.answer(&session, "approved", ""));
    assert_eq!(fine.status, 303, "{}", fine.everything());
    assert_eq!(decided(&repo).len(), 1, "the same in good form is an answer");
}

#[test]
fn r190_reading_changes_nothing_and_other_methods_do_nothing() {
    let repo = Repo::new();
    let (_served, visitor, session) = at_the_gate(&repo);
    let journal = repo.session_file("journal.jsonl");
    for route in writes(&visitor, &session).iter().chain(&pages(&session)) {
        if !TABS.iter().any(|tab| *route == format!("{session}{tab}")) {
            let read = format!("{route}?answer=approved&_csrf={}", visitor.csrf(&session));
            assert!(visitor.send(&visitor.get(&read)).status < 500, "{read}");
        }
        for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "POSTX"] {
            let request =
                visitor.as_ours(Request::new(method, route)).header("Origin", &visitor.origin());
            let status = visitor.send(&request).status;
            assert!(matches!(status, 400..500), "{method} {route}: {status}");
        }
    }
    assert_eq!(repo.session_file("journal.jsonl"), journal);
}

#[test]
fn r190_every_answer_forbids_what_is_not_ours() {
    let repo = Repo::new();
    let (_served, visitor, session) = at_the_gate(&repo);
    let mut answers: Vec<(String, u16, Answer)> = Vec::new();
    for path in pages(&session) {
        answers.push((path.clone(), 200, ask(&visitor, &visitor.get(&path), &path)));
        answers.push((path.clone(), 401, visitor.send(&visitor.get(&path).without("Cookie"))));
    }
    let page = visitor.page(&session);
    let own: Vec<&str> = page
        .split(['"', ' ', '>'])
        .filter(|word| word.ends_with(".css") || word.ends_with(".js"))
        .collect();
    assert!(own.len() >= 2, "{own:?}");
    for path in own {
        answers.push((path.to_owned(), 200, visitor.read(path)));
    }
    for path in ["/nothing", "/s/x/y", "/s/x", &format!("{session}/nothing"), "/favicon.ico"] {
        let answer = visitor.read(path);
        let status = if path.ends_with(".ico") { answer.status } else { 404 };
        answers.push((path.to_owned(), status, answer));
    }
    answers.push(("host".to_owned(), 421, visitor.send(&visitor.get("/").header("Host", "x"))));
    let write = visitor.answer(&session, "approved", "");
    answers.push(("origin".to_owned(), 403, visitor.send(&write.clone().header("Origin", "null"))));
    answers.push((
        "method".to_owned(),
        405,
        visitor
            .send(&visitor.as_ours(Request::new("PUT", "/")).header("Origin", &visitor.origin())),
    ));
    answers.push(("write".to_owned(), 303, visitor.send(&write)));
    for (what, status, answer) in &answers {
        assert_eq!(answer.status, *status, "{what}: {}", answer.everything());
        let policy = answer.header("content-security-policy").unwrap_or_else(|| panic!("{what}"));
        for rule in [
            "default-src 'none'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
            "form-action 'self'",
        ] {
            assert!(policy.contains(rule), "{what}: {rule} in {policy}");
        }
        assert!(
            !policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"),
            "{what}: {policy}"
        );
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{what}");
        assert!(answer.header("referrer-policy").is_some(), "{what}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{what}");
        assert_eq!(answer.header("server"), None, "{what}");
    }
    for (what, _, answer) in answers.iter().filter(|(what, ..)| pages(&session).contains(what)) {
        assert!(
            answer
                .header("cache-control")
                .is_some_and(|value| value.contains("no-store") || what.ends_with("/events")),
            "{what}"
        );
    }
}

#[test]
fn r190_no_address_leads_out_of_the_sessions() {
    let repo = Repo::new();
    fs::write(repo.outside("secret.txt"), "root:x:0:0").unwrap();
    repo.write("private.txt", "root:x:0:0");
    let (_served, visitor, session) = at_the_gate(&repo);
    let place: Vec<&str> = session.trim_matches('/').split('/').collect();
    let (id, name) = (place[1], place[2]);
    let ways = [
        "..",
        "../..",
        "%2e%2e",
        "%2e%2e%2f%2e%2e",
        "..%2f..%2f..%2f..%2fetc%2fpasswd",
        "....//",
        "%252e%252e",
        "%00",
        "a%00b",
        "%2fetc%2fpasswd",
        "%5c..%5c",
        "con",
        ".",
        "*",
        "%ff%fe",
        "latest",
        "-C",
        "--help",
        "../../../../../../etc/passwd",
    ];
    let mut targets = Vec::new();
    for way in ways {
        targets.extend([
            format!("/{way}"),
            format!("/s/{way}/{name}"),
            format!("/s/{id}/{way}"),
            format!("{session}/{way}"),
            format!("{session}/dispatch/{way}"),
            format!("{session}/changes/{way}"),
            format!("{session}/changes?file={way}"),
            format!("{session}?comment={way}:1"),
            format!("{session}?comment=app.txt:{way}"),
            format!("{session}?file={way}"),
        ]);
    }
    for number in ["0", "-1", "99999999999999999999", "1e3", "+1", "01", "1%20", "4294967296"] {
        targets.push(format!("{session}/dispatch/{number}"));
        targets.push(format!("{session}?comment=app.txt:{number}"));
    }
    for target in targets {
        let answer = visitor.read(&target);
        assert!(matches!(answer.status, 200 | 303 | 400..500), "{target}: {}", answer.everything());
        assert!(!answer.text().contains("root:x:0:0"), "{target} shows a file");
    }
    let csrf = visitor.csrf(&session);
    for way in ways {
        let fields = [("file", way), ("line", "1"), ("at", way), ("comment", "x")];
        let answer = visitor.send(&visitor.form(&format!("{session}/comment"), &csrf, &fields));
        assert!(answer.status < 500, "{way}: {}", answer.everything());
    }
    assert!(!visitor.page(&session).contains("root:x:0:0"));
}
