//! Each refusal has a control: the same request, as our own page sends it.

use super::{Access, Denied, Entry, without_token};
use axum::http::{HeaderMap, HeaderValue, Method, Uri};

fn access() -> Access {
    Access::new("127.0.0.1:4000".parse().expect("an address"), &["desk.example".to_owned()])
        .expect("chance")
}

fn headers(of: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in of {
        headers.append(*name, HeaderValue::from_str(value).expect("a value"));
    }
    headers
}

fn admit(
    access: &Access,
    method: Method,
    uri: &str,
    of: &[(&'static str, &str)],
) -> Result<Entry, Denied> {
    access.admit(&method, &uri.parse::<Uri>().expect("an address"), &headers(of))
}

#[test]
fn only_the_token_or_the_cookie_lets_in() {
    let access = access();
    let cookie = access.set_cookie();
    let cookie = cookie.split(';').next().expect("a pair");
    let host = ("host", "127.0.0.1:4000");
    let open = |uri: &str, more: &[(&'static str, &str)]| {
        admit(&access, Method::GET, uri, &[&[host], more].concat())
    };
    assert_eq!(open("/", &[]), Err(Denied::NoEntry));
    assert_eq!(open("/?token=00", &[]), Err(Denied::NoEntry));
    assert_eq!(open("/", &[("cookie", "tollgate_4000=00")]), Err(Denied::NoEntry));
    assert_eq!(open("/", &[("cookie", cookie)]), Ok(Entry::Open));
    let token = format!("/?token={}", access.token());
    assert_eq!(open(&token, &[]), Ok(Entry::Exchange));
    // A cookie is no token, and a token no cookie.
    let swapped = format!("tollgate_4000={}", access.token());
    assert_eq!(open("/", &[("cookie", &swapped)]), Err(Denied::NoEntry));
    // A token lets nobody write.
    let origin = ("origin", "http://127.0.0.1:4000");
    assert_eq!(admit(&access, Method::POST, &token, &[host, origin]), Err(Denied::NoEntry));
}

#[test]
fn a_foreign_name_is_refused_whatever_it_brings() {
    let access = access();
    let cookie = access.set_cookie();
    let cookie = ("cookie", cookie.split(';').next().expect("a pair"));
    for host in
        ["127.0.0.1:4000", "localhost:4000", "LocalHost:4000", "desk.example", "desk.example:4000"]
    {
        assert_eq!(
            admit(&access, Method::GET, "/", &[("host", host), cookie]),
            Ok(Entry::Open),
            "{host}"
        );
    }
    for host in
        ["evil.example:4000", "127.0.0.1", "127.0.0.1:4001", "localhost", "evil.desk.example", ""]
    {
        let refused = admit(&access, Method::GET, "/", &[("host", host), cookie]);
        assert_eq!(refused, Err(Denied::ForeignHost), "{host}");
    }
    assert_eq!(admit(&access, Method::GET, "/", &[cookie]), Err(Denied::ForeignHost));
    let two = [("host", "127.0.0.1:4000"), ("host", "127.0.0.1:4000"), cookie];
    assert_eq!(admit(&access, Method::GET, "/", &two), Err(Denied::ForeignHost));
}

#[test]
fn a_write_must_come_from_a_page_of_ours() {
    let access = access();
    let cookie = access.set_cookie();
    let known = [("host", "127.0.0.1:4000"), ("cookie", cookie.split(';').next().expect("a pair"))];
    let write = |more: &[(&'static str, &str)]| {
        admit(&access, Method::POST, "/new", &[&known, more].concat())
    };
    assert_eq!(write(&[("origin", "http://127.0.0.1:4000")]), Ok(Entry::Open));
    assert_eq!(write(&[]), Err(Denied::ForeignOrigin));
    for origin in [
        "null",
        "http://evil.example",
        "http://127.0.0.1:4001",
        "http://localhost:4000",
        "file://",
        "http://127.0.0.1:4000.evil.example",
    ] {
        assert_eq!(write(&[("origin", origin)]), Err(Denied::ForeignOrigin), "{origin}");
    }
    let two = [("origin", "http://127.0.0.1:4000"), ("origin", "http://evil.example")];
    assert_eq!(write(&two), Err(Denied::ForeignOrigin));
}

#[test]
fn the_token_stays_in_no_address() {
    let cut = |uri: &str| without_token(&uri.parse().expect("an address"));
    assert_eq!(cut("/?token=1"), "/");
    assert_eq!(cut("/s/a/b?x=1&token=2&y=3"), "/s/a/b?x=1&y=3");
    assert_eq!(cut("//evil.example/?token=2"), "/evil.example/");
}

#[test]
fn secrets_are_not_printed() {
    let access = access();
    let printed = format!("{access:?}");
    assert!(!printed.contains(access.token()) && !printed.contains(access.csrf()), "{printed}");
}
