//! Traces of a session: what a collector gets, when, and that nothing anybody said is in it.

use crate::notify::receiver::{Manner, Receiver};
use crate::support::{APPROVE, PER_BATCH, Ran, Repo, ran};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::id::SessionName;
use tollgate_desk::{Opened, Repo as DeskRepo, otlp};

/// In the goal, in replies, in guidance: a trace has none of it.
const SAID: &str = "xylophone";

fn crew() -> Repo {
    let usage =
        |tokens: u64| json!({"input_tokens": tokens, "output_tokens": tokens / 10, "usd": 0.25});
    let reply =
        |tokens: u64| json!({"summary": format!("the {SAID} is ready"), "usage": usage(tokens)});
    Repo::with(json!([
        {"when": {"role": "Architect", "nth": 1}, "do": {"exit": 3}},
        {"when": {"role": "Architect"}, "do": {"default": true, "reply": reply(700)}},
        {"when": {"role": "SpecAgent"}, "do": {"default": true, "reply": reply(1_000)}},
        {"when": {"role": "Coder"}, "do": {"default": true, "reply": reply(30_000)}},
    ]))
}

fn run(repo: &Repo) -> Ran {
    let goal = format!("Add the {SAID} to the app");
    repo.tollgate(&["run", "--no-input", "--slug", "music", &goal])
}

/// The spans of a request, after a look at its form.
fn spans(request: &Value) -> Vec<Value> {
    let resource = &request["resourceSpans"][0];
    assert_eq!(text_of(&resource["resource"], "service.name").as_deref(), Some("tollgate"));
    let all = resource["scopeSpans"][0]["spans"].as_array().unwrap().clone();
    for span in &all {
        let hex = |key: &str, chars: usize| {
            let text = span[key].as_str().unwrap();
            assert!(
                text.len() == chars && text.bytes().all(|b| b.is_ascii_hexdigit()),
                "{key}: {text}"
            );
        };
        hex("traceId", 32);
        hex("spanId", 16);
        if span.get("parentSpanId").is_some() {
            hex("parentSpanId", 16);
        }
        let at = |key: &str| span[key].as_str().unwrap().parse::<u64>().unwrap();
        assert!(at("startTimeUnixNano") > 1_600_000_000_000_000_000, "{span}");
        assert!(at("startTimeUnixNano") <= at("endTimeUnixNano"), "{span}");
        assert!(matches!(span["kind"].as_u64(), Some(1 | 3)), "{span}");
        let known = [
            "traceId",
            "spanId",
            "parentSpanId",
            "name",
            "kind",
            "startTimeUnixNano",
            "endTimeUnixNano",
            "attributes",
            "status",
        ];
        assert!(
            span.as_object().unwrap().keys().all(|key| known.contains(&key.as_str())),
            "{span}"
        );
    }
    all
}

fn value<'v>(of: &'v Value, key: &str) -> Option<&'v Value> {
    let mut all = of["attributes"].as_array().unwrap().iter();
    all.find(|attribute| attribute["key"] == key).map(|attribute| &attribute["value"])
}

fn text_of(of: &Value, key: &str) -> Option<String> {
    value(of, key)?["stringValue"].as_str().map(str::to_owned)
}

fn number_of(of: &Value, key: &str) -> Option<u64> {
    Some(value(of, key)?["intValue"].as_str().unwrap().parse().unwrap())
}

fn is_attempt(span: &&Value) -> bool {
    text_of(span, "gen_ai.operation.name").as_deref() == Some("invoke_agent")
}

#[test]
fn a_collector_gets_each_span_once_when_it_is_finished_and_the_sums_are_those_of_the_ledger() {
    let collector = Receiver::new(&[Manner::Answers(200)]);
    let repo = crew();
    repo.settings(&format!("[telemetry]\notlp = \"http://{}\"", collector.address));
    run(&repo).exits(3);
    let first = collector.taken();
    assert_eq!(first.len(), 1);
    assert_eq!(first[0].path, "/v1/traces");
    assert_eq!(first[0].header("content-type"), Some("application/json"));
    // The session is not over, and the question not answered.
    assert!(spans(&first[0].json()).iter().all(|span| span.get("parentSpanId").is_some()));
    repo.resume().exits(3);
    repo.answer(APPROVE.0, &format!("changes-requested: more {SAID}")).exits(3);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let before = collector.taken().len();
    repo.resume().exits(0);
    assert_eq!(collector.taken().len(), before);

    let all: Vec<Value> = collector.taken().iter().flat_map(|one| spans(&one.json())).collect();
    let ids: BTreeSet<&str> = all.iter().map(|span| span["spanId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), all.len(), "a span was sent twice");
    let traces: BTreeSet<&str> = all.iter().map(|span| span["traceId"].as_str().unwrap()).collect();
    assert_eq!(traces.len(), 1);
    let roots: Vec<&Value> = all.iter().filter(|span| span.get("parentSpanId").is_none()).collect();
    assert_eq!(roots.len(), 1);
    assert_eq!(roots[0]["name"], "invoke_workflow deliver");
    assert_eq!(text_of(roots[0], "gen_ai.conversation.id"), Some(repo.session_name()));
    assert_eq!(text_of(roots[0], "tollgate.standing").as_deref(), Some("done"));
    assert!(roots[0].get("status").is_none());
    for span in all.iter().filter(|span| span.get("parentSpanId").is_some()) {
        assert!(ids.contains(span["parentSpanId"].as_str().unwrap()), "{span}");
    }

    let started = repo.events("attempt_started");
    let attempts: Vec<&Value> = all.iter().filter(is_attempt).collect();
    assert_eq!(attempts.len(), started.len());
    for attempt in &started {
        let is_it = |span: &&&Value| {
            number_of(span, "tollgate.dispatch") == attempt["number"].as_u64()
                && number_of(span, "tollgate.attempt") == attempt["attempt"].as_u64()
        };
        assert_eq!(attempts.iter().filter(is_it).count(), 1, "{attempt}");
    }
    let sum = |key: &str| attempts.iter().filter_map(|span| number_of(span, key)).sum::<u64>();
    let spend = &repo.status()["spend"];
    assert_eq!(json!(sum("gen_ai.usage.input_tokens")), spend["input_tokens"]);
    assert_eq!(json!(sum("gen_ai.usage.output_tokens")), spend["output_tokens"]);
    assert_eq!(sum("tollgate.cost.micro_usd") as f64 / 1e6, spend["usd"].as_f64().unwrap());
    assert_eq!(number_of(roots[0], "tollgate.total.attempts"), Some(started.len() as u64));

    // The Architect that crashed.
    let failed: Vec<&&Value> =
        attempts.iter().filter(|span| span.get("status").is_some()).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["status"]["code"], 2);
    assert_eq!(failed[0]["name"], "invoke_agent Architect");
    assert_eq!(text_of(failed[0], "error.type").as_deref(), Some("crashed"));
    assert_eq!(text_of(failed[0], "gen_ai.agent.name").as_deref(), Some("Architect"));
    assert_eq!(text_of(failed[0], "gen_ai.provider.name").as_deref(), Some("command"));

    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    all.iter()
        .for_each(|span| *names.entry(span["name"].as_str().unwrap().to_owned()).or_default() += 1);
    assert_eq!(names.get("question approve"), Some(&2), "{names:?}");
    assert!(names.keys().any(|name| name.starts_with("checks ")), "{names:?}");
    assert!(names.keys().any(|name| name.starts_with("step ")), "{names:?}");

    for one in collector.taken() {
        let body = String::from_utf8(one.body).unwrap();
        assert!(!body.contains(SAID), "{body}");
        assert!(!body.contains(&repo.root().display().to_string()));
    }

    // All of it at once, as a command can write it down, has the same spans under the same ids.
    let name = SessionName::parse(&repo.session_name()).unwrap();
    let opened = Opened::open(DeskRepo::at(&repo.root()), name).unwrap();
    let whole: Value = serde_json::from_str(&otlp::otlp_json(&opened).unwrap()).unwrap();
    let whole = spans(&whole);
    let again: BTreeSet<&str> = whole.iter().map(|span| span["spanId"].as_str().unwrap()).collect();
    assert_eq!(again, ids);
}

#[test]
fn a_collector_that_is_down_or_refuses_holds_nothing_and_gets_it_later() {
    let collector = Receiver::new(&[Manner::Answers(401)]);
    let repo = crew();
    let address = format!("http://{}", collector.address);
    repo.settings(&format!(
        "[telemetry]\notlp = \"{address}\"\nheader_env = {{ X-Key = \"OTLP_KEY\" }}"
    ));
    let goal = ["run", "--no-input", "--lean", "Add a line"];
    ran(repo.command(&goal).env("OTLP_KEY", "Key 7d1f0c"))
        .exits(0)
        .says("status 401")
        .does_not_say("7d1f");
    assert_eq!(collector.taken()[0].header("x-key"), Some("Key 7d1f0c"));
    repo.resume().exits(0).says("OTLP_KEY is not set");
    assert!(repo.tollgate(&["doctor"]).out.contains("OTLP_KEY is not set"));
    let doctor = ran(repo.command(&["doctor"]).env("OTLP_KEY", "Key 7d1f0c"));
    assert!(doctor.out.contains("traces go to 127.0.0.1"), "{}", doctor.out);
    collector.set_manner(Manner::Answers(200));
    ran(repo.command(&["resume", "--no-input"]).env("OTLP_KEY", "Key 7d1f0c")).exits(0);
    let taken = collector.taken();
    let roots = spans(&taken.last().unwrap().json());
    assert_eq!(roots.iter().filter(|span| span.get("parentSpanId").is_none()).count(), 1);
    assert!(!repo.session_file("journal.jsonl").contains("7d1f0c"));

    let hanging = Receiver::new(&[Manner::Hangs]);
    let repo = crew();
    repo.settings(&format!("[telemetry]\notlp = \"http://{}\"", hanging.address));
    run(&repo).exits(3);
    let notices = repo.events("noticed");
    assert_eq!(notices[0]["code"], "telemetry.failed", "{notices:?}");
    repo.tollgate(&["explain", "telemetry.failed"]).exits(0);
}

#[test]
fn r193_spans_that_a_collector_rejects_are_told_and_not_sent_again() {
    let words =
        r#"{"partialSuccess": {"rejectedSpans": "2", "errorMessage": "too\nold\u001b[31m"}}"#;
    let collector =
        Receiver::new(&[Manner::Says(words), Manner::Says(r#"{"partialSuccess": {}}"#)]);
    let repo = crew();
    repo.settings(&format!("[telemetry]\notlp = \"http://{}\"", collector.address));
    run(&repo).exits(3).says("the collector rejected 2 spans of the traces: too old; they are not");
    let notices = repo.events("noticed");
    assert_eq!(notices[0]["code"], "telemetry.failed", "{notices:?}");
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    let sent: Vec<Value> = collector.taken().iter().flat_map(|one| spans(&one.json())).collect();
    let ids: BTreeSet<&str> = sent.iter().map(|span| span["spanId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), sent.len(), "a span was sent twice");
    assert_eq!(repo.events("noticed").len(), notices.len(), "nothing else was rejected");
}

#[test]
fn a_blocked_session_has_no_span_yet_and_a_cancelled_one_ends_in_error() {
    let collector = Receiver::new(&[Manner::Answers(200)]);
    let repo = Repo::with(json!([{"when": {"role": "Coder"}, "do": {"exit": 3}}]));
    repo.settings(&format!("[telemetry]\notlp = \"http://{}/v1/traces\"", collector.address));
    repo.lean().exits(4);
    let sent = collector.taken();
    assert_eq!((sent.len(), sent[0].path.as_str()), (1, "/v1/traces"));
    let name = SessionName::parse(&repo.session_name()).unwrap();
    let opened = Opened::open(DeskRepo::at(&repo.root()), name).unwrap();
    let whole: Value = serde_json::from_str(&otlp::otlp_json(&opened).unwrap()).unwrap();
    let root = &spans(&whole)[0];
    assert_eq!(text_of(root, "error.type").as_deref(), Some("subagent_failure"));
    assert_eq!(value(root, "tollgate.unfinished").unwrap()["boolValue"], true);
    repo.tollgate(&["cancel", "--reason", "enough"]).exits(0);
    let all: Vec<Value> = collector.taken().iter().flat_map(|one| spans(&one.json())).collect();
    let root = all.iter().find(|span| span.get("parentSpanId").is_none()).unwrap();
    assert_eq!(root["status"]["code"], 2);
    assert_eq!(text_of(root, "tollgate.standing").as_deref(), Some("cancelled"));
}

#[test]
fn the_same_traces_are_printed_on_demand_and_nothing_is_sent() {
    let repo = crew();
    repo.run().exits(3);
    let printed = repo.tollgate(&["report", "--otlp"]).exits(0).out;
    let found = spans(&serde_json::from_str(&printed).unwrap());
    assert_eq!(found.iter().filter(is_attempt).count(), repo.starts().len(), "{printed}");
    repo.tollgate(&["report", "--otlp", "--html"]).exits(2);
}
