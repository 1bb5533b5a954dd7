//! The service holds its own against whatever comes over the wire.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::support;

use serde_json::{Value, json};
use std::io::{Read, Write};
use support::{always, connect, get, post, raw, read_reply};
use tollgate_standin::{RequestKind, Service};

fn hello() -> Service {
    always(json!({"text": "Hello", "usage": {"input": 7, "output": 3}}))
}

fn question() -> Value {
    json!({"model": "m", "messages": [{"role": "user", "content": "Hi"}]})
}

#[test]
fn small_requests_have_small_answers() {
    let service = hello();
    assert_eq!(get(&service, "/v1/responses", "upgrade: websocket\r\n").status, 426);
    let head = raw(&service, b"HEAD / HTTP/1.1\r\nconnection: close\r\n\r\n");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    let models = get(&service, "/v1/models?limit=9", "").json();
    assert_eq!(models["data"][0]["id"], "stand-in");
    assert_eq!(models["models"][0]["name"], "models/stand-in");
    let count = |path| post(&service, path, &question()).json();
    assert!(count("/v1/messages/count_tokens")["input_tokens"].is_u64());
    assert!(count("/v1beta/models/m:countTokens")["totalTokens"].is_u64());
    assert_eq!(get(&service, "/nowhere", "").status, 404);
    let kinds: Vec<_> = service.requests().iter().map(|request| request.kind).collect();
    let (count, other) = (RequestKind::CountTokens, RequestKind::Other);
    assert_eq!(kinds, [RequestKind::Upgrade, other, RequestKind::Models, count, count, other]);
}

#[test]
fn usage_is_billed_as_the_script_says() {
    let service = hello();
    let reply = post(&service, "/v1/messages", &question()).json();
    assert_eq!(
        (&reply["usage"]["input_tokens"], &reply["usage"]["output_tokens"]),
        (&json!(7), &json!(3))
    );
    let reply = post(&service, "/v1/responses", &json!({"input": "Hi"})).json();
    assert_eq!(reply["usage"]["total_tokens"], 10);
    let reply = post(&service, "/v1/chat/completions", &question()).json();
    assert_eq!(reply["usage"]["prompt_tokens"], 7);
    let reply = post(&service, "/v1beta/models/m:generateContent", &json!({"contents": []})).json();
    assert_eq!(reply["usageMetadata"]["candidatesTokenCount"], 3);
}

#[test]
fn thinking_is_part_of_the_output_or_separate_as_the_vendor_has_it() {
    let usage = json!({"input": 7, "output": 3, "thinking": 2});
    let service = always(json!({"text": "Hello", "usage": usage}));
    let reply = post(&service, "/v1/responses", &json!({"input": "Hi"})).json();
    assert_eq!(reply["usage"]["output_tokens"], 3);
    assert_eq!(reply["usage"]["output_tokens_details"]["reasoning_tokens"], 2);
    let reply = post(&service, "/v1/chat/completions", &question()).json();
    assert_eq!(reply["usage"]["completion_tokens"], 3);
    assert_eq!(reply["usage"]["completion_tokens_details"]["reasoning_tokens"], 2);
    let reply = post(&service, "/v1beta/models/m:generateContent", &json!({"contents": []})).json();
    let usage = &reply["usageMetadata"];
    assert_eq!(
        (&usage["candidatesTokenCount"], &usage["thoughtsTokenCount"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(usage["totalTokenCount"], 10);
}

#[test]
fn a_body_in_chunks_is_read_and_the_connection_continues() {
    let service = hello();
    let mut stream = connect(&service);
    let body = question().to_string();
    let (first, second) = body.split_at(9);
    let one = format!(
        "POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n{:x};a=b\r\n{first}\r\n{:X}\r\n{second}\r\n0\r\nx: y\r\n\r\n",
        first.len(),
        second.len()
    );
    let two = "GET /v1/models HTTP/1.1\r\nconnection: close\r\n\r\n";
    stream.write_all(format!("{one}{two}").as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert_eq!(text.matches("HTTP/1.1 200").count(), 2, "{text}");
    assert_eq!(service.requests()[0].asked, "Hi");
    assert_eq!(service.requests()[0].body, question());
}

#[test]
fn a_client_that_asks_before_sending_may_continue() {
    let service = hello();
    let mut stream = connect(&service);
    let body = question().to_string();
    let head = "POST /v1/messages HTTP/1.1\r\nexpect: 100-continue\r\nconnection: close";
    write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n", body.len()).unwrap();
    let mut told = [0; 25];
    stream.read_exact(&mut told).unwrap();
    assert_eq!(&told, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(body.as_bytes()).unwrap();
    assert_eq!(read_reply(&mut stream).status, 200);
}

#[test]
fn gemini_streams_an_array_to_whom_asks_for_no_events() {
    let path = "/v1beta/models/m:streamGenerateContent";
    let reply = post(&hello(), path, &json!({"contents": []})).json();
    assert_eq!(reply[0]["candidates"][0]["content"]["parts"][0]["text"], "Hello");
}

#[test]
fn nonsense_is_refused_and_the_service_lives_on() {
    let service = hello();
    let with = |rest: &str| format!("POST /v1/messages HTTP/1.1\r\nconnection: close\r\n{rest}");
    let deep = "[".repeat(100_000);
    let long = "x".repeat(70_000);
    let piece = format!("500000\r\n{}\r\n", "x".repeat(0x50_0000));
    for (bytes, status) in [
        ("\u{1}\u{2}nonsense\r\n\r\n".to_owned(), 400),
        ("GET / HTTP/2\r\n\r\n".to_owned(), 505),
        (with("no colon\r\n\r\n"), 400),
        (with("content-length: many\r\n\r\n"), 400),
        (with("content-length: 99999999999\r\n\r\n"), 413),
        (with("transfer-encoding: chunked\r\n\r\nzz\r\n"), 400),
        (with("transfer-encoding: chunked\r\n\r\nffffffffffffff\r\n"), 413),
        (with(&format!("transfer-encoding: chunked\r\n\r\n{piece}{piece}")), 413),
        (with(&format!("a: {long}\r\n\r\n")), 431),
        (with("content-length: 3\r\n\r\n{x}"), 400),
        (with("content-length: 2\r\n\r\n[]"), 400),
        (with("\r\n"), 400),
        (with(&format!("content-length: {}\r\n\r\n{deep}", deep.len())), 400),
        (with("content-encoding: zstd\r\ncontent-length: 2\r\n\r\n{}"), 415),
    ] {
        let shown: String = bytes.chars().take(90).collect();
        assert_eq!(raw(&service, bytes.as_bytes()).status, status, "{shown}");
    }
    connect(&service).shutdown(std::net::Shutdown::Both).unwrap();
    assert_eq!(post(&service, "/v1/messages", &question()).status, 200);
}

#[test]
fn a_conversation_of_the_wrong_shape_is_answered_all_the_same() {
    let service = always(json!({
        "write": [{"path": "a", "content": "1"}], "run": ["ls"], "reply": {"a": 1}}));
    let odd = [json!(null), json!(1), json!("x"), json!([null, 1, "x", [], {}]), json!({"a": {}})];
    for path in
        ["/v1/messages", "/v1/responses", "/v1/chat/completions", "/v1beta/models/:generateContent"]
    {
        for value in &odd {
            let mut body = json!({});
            let keys =
                "model stream messages input contents tools system instructions systemInstruction";
            for key in keys.split(' ') {
                body[key] = value.clone();
            }
            assert_eq!(post(&service, path, &body).status, 200, "{path} {value}");
            let tools = json!([{"name": value, "type": value, "parameters": value, "function": value,
                "input_schema": value, "functionDeclarations": value}, {"name": "write"}, {"name": "Bash"}]);
            let messages =
                json!([{"role": "user", "content": value, "parts": value}, {"type": value}]);
            let body = json!({"tools": tools, "messages": messages, "input": messages, "contents": messages});
            assert_eq!(post(&service, path, &body).status, 200, "{path} {value}");
        }
    }
}

#[test]
fn many_at_once_are_served() {
    let service = hello();
    std::thread::scope(|scope| {
        for _ in 0..24 {
            scope.spawn(|| assert_eq!(post(&service, "/v1/messages", &question()).status, 200));
        }
    });
    let mut numbers: Vec<_> = service.requests().iter().map(|request| request.number).collect();
    assert_eq!(numbers.len(), 24);
    numbers.dedup();
    assert_eq!(numbers, (1..=24).collect::<Vec<_>>());
    assert_eq!(service.requests_after(20).len(), 4);
}

#[test]
fn the_end_closes_idle_connections_and_the_port() {
    let service = hello();
    let mut idle = connect(&service);
    idle.write_all(b"POST /v1/mess").unwrap();
    let address = service.address();
    drop(service);
    assert_eq!(idle.read(&mut [0; 8]).unwrap_or_default(), 0);
    assert!(std::net::TcpStream::connect(address.strip_prefix("http://").unwrap()).is_err());
}

#[test]
fn a_script_that_cannot_be_sent_is_refused() {
    let script = json!({"rules": [{"name": "a", "then": {"fault": {"status": {"code": 99}}}}]});
    let script: tollgate_standin::Script = serde_json::from_value(script).unwrap();
    let error = Service::start(script).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
}
