//! What goes wrong when a script says so, and in whose words.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::support;
use crate::talking;

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::time::{SystemTime, UNIX_EPOCH};
use support::{Reply, always, connect, read_reply, service};
use talking::{Agent, DIALECTS, tool};
use tollgate_standin::{Dialect, Service};

fn asking(dialect: Dialect, stream: bool) -> Agent {
    let mut agent = Agent::new(dialect, stream, vec![tool("write_file", &["path", "content"])]);
    agent.say("Go");
    agent
}

fn answer_to(dialect: Dialect, stream: bool, service: &Service) -> Reply {
    asking(dialect, stream).ask(service)
}

#[test]
fn errors_have_the_type_that_their_dialect_gives_them() {
    let expected = [
        (400, "invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"),
        (401, "authentication_error", "invalid_request_error", "UNAUTHENTICATED"),
        (403, "permission_error", "invalid_request_error", "PERMISSION_DENIED"),
        (404, "not_found_error", "invalid_request_error", "NOT_FOUND"),
        (429, "rate_limit_error", "requests", "RESOURCE_EXHAUSTED"),
        (500, "api_error", "server_error", "INTERNAL"),
        (503, "api_error", "server_error", "UNAVAILABLE"),
        (529, "overloaded_error", "server_error", "INTERNAL"),
    ];
    for (code, anthropic, openai, gemini) in expected {
        let service = always(json!({"fault": {"status": {"code": code}}}));
        for (dialect, stream) in DIALECTS.into_iter().flat_map(|d| [(d, true), (d, false)]) {
            let reply = answer_to(dialect, stream, &service);
            assert_eq!(reply.status, code);
            let error = &reply.json()["error"];
            let (is, wanted) = match dialect {
                Dialect::AnthropicMessages => (&error["type"], anthropic),
                Dialect::Gemini => (&error["status"], gemini),
                _ => (&error["type"], openai),
            };
            assert_eq!(is, wanted, "{dialect:?} {code}");
        }
        assert!(service.requests().iter().all(|request| request.status == Some(code)));
    }
}

#[test]
fn a_script_may_spell_out_an_error() {
    let service = always(json!({"fault": {"status": {
        "code": 418, "retry_after": 7, "headers": {"x-kind": "teapot"}, "body": {"short": "stout"}}}}));
    let reply = answer_to(Dialect::OpenaiChat, true, &service);
    assert_eq!(reply.status, 418);
    assert_eq!(reply.header("retry-after"), Some("7"));
    assert_eq!(reply.header("x-kind"), Some("teapot"));
    assert_eq!(reply.json(), json!({"short": "stout"}));
}

#[test]
fn a_used_up_allowance_is_said_the_way_each_vendor_says_it() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let service = always(json!({"fault": {"usage_limit": {"resets_in_s": 3600}}}));
    let reply = |dialect| answer_to(dialect, true, &service);

    let anthropic = reply(Dialect::AnthropicMessages);
    assert_eq!(anthropic.header("retry-after"), Some("3600"));
    let reset: u64 =
        anthropic.header("anthropic-ratelimit-unified-reset").unwrap().parse().unwrap();
    assert!(reset >= now + 3600);
    assert_eq!(anthropic.json()["error"]["type"], "rate_limit_error");

    let openai = reply(Dialect::OpenaiResponses).json();
    assert_eq!(openai["error"]["type"], "usage_limit_reached");
    assert_eq!(openai["error"]["resets_in_seconds"], 3600);
    assert!(openai["error"]["resets_at"].as_u64().unwrap() >= now + 3600);

    let chat = reply(Dialect::OpenaiChat);
    assert_eq!(chat.header("retry-after"), Some("3600"));
    assert_eq!(chat.json()["error"]["code"], "rate_limit_exceeded");

    let gemini = reply(Dialect::Gemini).json();
    assert_eq!(gemini["error"]["status"], "RESOURCE_EXHAUSTED");
    assert_eq!(gemini["error"]["details"][1]["retryDelay"], "3600s");
    assert!(service.requests().iter().all(|request| request.status == Some(429)));
}

#[test]
fn a_fault_happens_as_often_as_the_script_says() {
    let service = service(json!({"rules": [
        {"name": "down", "times": 2, "then": {"fault": {"status": {"code": 500}}}},
        {"name": "up", "then": {"text": "Hello"}},
    ]}));
    let statuses: Vec<u16> =
        (0..4).map(|_| answer_to(Dialect::Gemini, true, &service).status).collect();
    assert_eq!(statuses, [500, 500, 200, 200]);
    let rules: Vec<_> = service.requests().into_iter().filter_map(|r| r.rule).collect();
    assert_eq!(rules, ["down", "down", "up", "up"]);
}

#[test]
fn a_cut_stream_has_a_beginning_and_no_end() {
    let service = always(json!({"tools": [{"name": "t", "input": {"a": "long"}}], "fault": "cut"}));
    for (dialect, stream) in DIALECTS.into_iter().flat_map(|d| [(d, true), (d, false)]) {
        let reply = answer_to(dialect, stream, &service);
        assert_eq!(reply.status, 200, "{dialect:?}");
        assert!(!reply.whole && !reply.body.is_empty(), "{dialect:?} {stream} {reply:?}");
    }
}

#[test]
fn a_truncated_answer_ends_as_if_it_were_whole() {
    let service =
        always(json!({"tools": [{"name": "t", "input": {"a": "long"}}], "fault": "truncated"}));
    for (dialect, stream) in DIALECTS.into_iter().flat_map(|d| [(d, true), (d, false)]) {
        let reply = answer_to(dialect, stream, &service);
        assert!(reply.whole && !reply.body.is_empty(), "{dialect:?} {stream} {reply:?}");
        for end in ["message_stop", "response.completed", "[DONE]", "STOP\""] {
            assert!(!reply.body.contains(end), "{dialect:?} {stream} {reply:?}");
        }
    }
}

#[test]
fn a_stream_is_interrupted_in_the_words_of_the_vendor() {
    let service = always(json!({"text": "A long story.", "fault": "broken_off"}));
    for dialect in DIALECTS {
        let reply = answer_to(dialect, true, &service);
        let last = reply.events().pop().unwrap();
        let error = match dialect {
            Dialect::OpenaiResponses => &last["response"]["error"],
            _ => &last["error"],
        };
        assert!(reply.whole && error.is_object(), "{dialect:?} {last}");
        assert_eq!(answer_to(dialect, false, &service).status, 500);
    }
    let statuses: Vec<_> = service.requests().iter().filter_map(|r| r.status).collect();
    assert_eq!(statuses, [200, 500].repeat(4));
}

#[test]
fn garbage_is_nothing_a_client_can_read() {
    let service = always(json!({"text": "Never said.", "fault": "garbage"}));
    for (dialect, stream) in DIALECTS.into_iter().flat_map(|d| [(d, true), (d, false)]) {
        let reply = answer_to(dialect, stream, &service);
        assert_eq!(reply.status, 200);
        assert!(serde_json::from_str::<Value>(&reply.body).is_err());
        assert!(!reply.body.contains("Never said."));
    }
}

#[test]
fn a_stalled_or_late_answer_is_whole_in_the_end() {
    for fault in [json!({"stall": {"ms": 5}}), json!({"delay": {"ms": 5}})] {
        let service = always(json!({"text": "At last.", "fault": fault}));
        for (dialect, stream) in DIALECTS.into_iter().flat_map(|d| [(d, true), (d, false)]) {
            let (text, _) = asking(dialect, stream).request(&service);
            assert_eq!(text, "At last.", "{dialect:?} {stream}");
        }
    }
}

#[test]
fn a_hanging_client_is_released_when_the_service_ends() {
    let service = always(json!({"fault": "hang"}));
    let agent = asking(Dialect::OpenaiChat, true);
    let body = agent.body().to_string();
    let mut stream = connect(&service);
    let head = format!("POST {} HTTP/1.1\r\ncontent-length: {}\r\n\r\n", agent.path(), body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    while service.requests().is_empty() {
        std::thread::yield_now();
    }
    assert_eq!(service.requests()[0].status, None);
    drop(service);
    let reply = read_reply(&mut stream);
    assert_eq!((reply.status, reply.head.as_str()), (0, ""), "nothing was ever sent");
}

#[test]
fn a_pause_ends_when_the_service_does() {
    for fault in [json!({"stall": {"ms": 3_600_000}}), json!({"delay": {"ms": u64::MAX}})] {
        let service = always(json!({"text": "Never.", "fault": fault}));
        let agent = asking(Dialect::OpenaiChat, true);
        let body = agent.body().to_string();
        let mut stream = connect(&service);
        let head =
            format!("POST {} HTTP/1.1\r\ncontent-length: {}\r\n\r\n", agent.path(), body.len());
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        while service.requests().is_empty() {
            std::thread::yield_now();
        }
        drop(service);
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(!String::from_utf8_lossy(&rest).contains("[DONE]"));
    }
}

#[test]
fn a_wrong_call_is_followed_by_the_right_one() {
    let write = json!([{"path": "a", "content": "1\n"}]);
    for (fault, name) in [("wrong_arguments", "write_file"), ("unknown_tool", "no_such_tool")] {
        for dialect in DIALECTS {
            let service = service(json!({"rules": [
                {"name": "wrong", "times": 1, "then": {"write": write, "fault": fault}},
                {"name": "right", "then": {"write": write, "text": "Written."}},
            ]}));
            let turn = asking(dialect, true).turn(&service, "Write it");
            assert_eq!(turn.calls.len(), 2, "{dialect:?} {fault}");
            assert_eq!(turn.calls[0].name, name);
            assert!(turn.calls[0].input.get("path").is_none());
            assert_eq!(turn.calls[1].input, json!({"path": "a", "content": "1\n"}));
            assert_eq!(turn.text, "Written.");
        }
    }
}

#[test]
fn a_wrong_call_does_not_count_as_made() {
    let write = json!([{"path": "a", "content": "1"}]);
    let service = service(json!({"rules": [
        {"times": 2, "then": {"write": write, "fault": "wrong_arguments"}},
        {"when": {"tool_results": 2}, "then": {"write": [{"path": "c", "content": "3"}]}},
        {"then": {"write": write}},
    ]}));
    let turn = asking(Dialect::OpenaiChat, true).turn(&service, "Write it");
    let paths: Vec<_> = turn.calls.iter().map(|call| call.input["path"].as_str()).collect();
    assert_eq!(paths, [None, None, Some("c"), Some("a")]);
}

#[test]
fn a_turn_may_end_early() {
    let reasons = |ending: &str| {
        let service = always(json!({"text": "Half", "ending": ending}));
        DIALECTS.map(|dialect| {
            let reply = answer_to(dialect, false, &service).json();
            match dialect {
                Dialect::AnthropicMessages => reply["stop_reason"].clone(),
                Dialect::OpenaiResponses => reply["incomplete_details"]["reason"].clone(),
                Dialect::OpenaiChat => reply["choices"][0]["finish_reason"].clone(),
                Dialect::Gemini => reply["candidates"][0]["finishReason"].clone(),
            }
        })
    };
    assert_eq!(reasons("length"), ["max_tokens", "max_output_tokens", "length", "MAX_TOKENS"]);
    assert_eq!(reasons("refusal"), ["refusal", "content_filter", "content_filter", "SAFETY"]);
}
