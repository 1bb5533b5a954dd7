//! Whole turns in every dialect, as a stream and not.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::support;
use crate::talking;

use serde_json::{Value, json};
use support::{always, post, service};
use talking::{Agent, DIALECTS, tool};
use tollgate_standin::{Dialect, RequestKind, Service};

fn usual_tools() -> Vec<Value> {
    vec![tool("write_file", &["file_path", "content"]), tool("run_shell_command", &["command"])]
}

fn two_files() -> Service {
    service(json!({"rules": [{"name": "two", "when": {"asked": "Do the work"}, "then": {
        "thinking": "Hm.", "aside": "On it.",
        "write": [{"path": "a", "content": "1\n"}, {"path": "b/c", "content": "ä \"2\"\n"}],
        "run": ["true"],
        "tools": [{"name": "x", "input": {"y": 1}}, {"name": "z"}],
        "reply": {"verdict": "pass"},
    }}]}))
}

#[test]
fn files_commands_calls_and_the_reply_come_in_this_order_in_every_dialect() {
    for (dialect, stream) in DIALECTS.into_iter().flat_map(|d| [(d, true), (d, false)]) {
        let service = two_files();
        let mut agent = Agent::new(dialect, stream, usual_tools());
        let turn = agent.turn(&service, "Do the work, please.");
        let calls: Vec<_> = turn.calls.iter().map(|c| (c.name.as_str(), c.input.clone())).collect();
        let expected = [
            ("write_file", json!({"file_path": "a", "content": "1\n"})),
            ("write_file", json!({"file_path": "b/c", "content": "ä \"2\"\n"})),
            ("run_shell_command", json!({"command": "true"})),
            ("x", json!({"y": 1})),
            ("z", json!({})),
        ];
        assert_eq!(calls, expected, "{dialect:?} {stream}");
        assert_eq!(turn.text, r#"{"verdict":"pass"}"#, "{dialect:?} {stream}");
        let log = service.requests();
        assert_eq!(log.iter().map(|r| r.tool_results).collect::<Vec<_>>(), [0, 1, 2, 3, 5]);
        assert!(log.iter().all(|r| r.rule.as_deref() == Some("two") && r.status == Some(200)));
        assert!(log.iter().all(|r| r.dialect == Some(dialect) && r.model == "m"));
        assert_eq!(log[0].tools, ["write_file", "run_shell_command"]);
        assert!(log.iter().all(|r| !r.path.contains('?')), "a query may hold a key");
    }
}

#[test]
fn a_second_turn_starts_again() {
    for dialect in DIALECTS {
        let service = two_files();
        let mut agent = Agent::new(dialect, true, usual_tools());
        let first = agent.turn(&service, "Do the work");
        let second = agent.turn(&service, "Do the work again");
        assert_eq!(first.calls.len(), second.calls.len(), "{dialect:?}");
        let third = agent.turn(&service, "Thanks");
        assert_eq!((third.calls.len(), third.text.as_str()), (0, "Understood."), "{dialect:?}");
    }
}

#[test]
fn a_repeated_request_gets_the_same_answer() {
    let service = two_files();
    let mut agent = Agent::new(Dialect::OpenaiChat, true, usual_tools());
    agent.say("Do the work");
    let (_, first) = agent.request(&service);
    let (_, again) = agent.request(&service);
    assert_eq!((&first[0].name, &first[0].input), (&again[0].name, &again[0].input));
}

#[test]
fn the_reply_is_submitted_where_there_is_a_tool_for_it() {
    for (dialect, name) in [
        (Dialect::AnthropicMessages, "StructuredOutput"),
        (Dialect::OpenaiChat, "structured_output"),
        (Dialect::AnthropicMessages, "recipe__final_output"),
    ] {
        let service = always(json!({"reply": {"verdict": "pass"}}));
        let mut agent = Agent::new(dialect, true, vec![tool(name, &["verdict"])]);
        let turn = agent.turn(&service, "Judge");
        assert_eq!(turn.calls.len(), 1);
        assert_eq!(turn.calls[0].name, name);
        assert_eq!(turn.calls[0].input, json!({"verdict": "pass"}));
        assert_eq!(turn.text, "Done.");
    }
}

#[test]
fn requests_on_the_side_do_not_take_part() {
    let service = service(json!({"rules": [
        {"name": "title", "when": {"side": true}, "then": {"text": "A title"}},
        {"name": "turn", "then": {"text": "An answer"}, "times": 1},
    ]}));
    let mut agent = Agent::new(Dialect::OpenaiChat, true, Vec::new());
    agent
        .messages
        .push(json!({"role": "system", "content": "You are a title generator. Be brief."}));
    assert_eq!(agent.turn(&service, "Do the work").text, "A title");
    agent.messages.clear();
    assert_eq!(agent.turn(&service, "Do the work").text, "An answer");
    let kinds: Vec<_> = service.requests().iter().map(|r| r.kind).collect();
    assert_eq!(kinds, [RequestKind::Side, RequestKind::Turn]);
}

#[test]
fn what_a_tool_wants_before_it_overwrites_is_done() {
    let answer = json!({"write": [{"path": "a", "content": "new\n"}]});
    let read = tool("read_file", &["file_path"]);
    let mut tools = usual_tools();
    tools.push(read);
    let names = |refusal: &str, tools: Vec<Value>| {
        let service = always(answer.clone());
        let mut agent = Agent::new(Dialect::OpenaiChat, false, tools);
        agent.say("Go");
        let mut names = Vec::new();
        loop {
            let (_, calls) = agent.request(&service);
            let Some(call) = calls.first() else { return names };
            let words = if names.is_empty() { refusal } else { "old\n" };
            agent.add_result(call, words, false);
            names.push(call.name.clone());
        }
    };
    assert_eq!(names("It has not been read.", tools), ["write_file", "read_file", "write_file"]);
    assert_eq!(names("You need to create it", usual_tools()), ["write_file", "run_shell_command"]);
    let copilot = vec![
        tool("create", &["path", "file_text"]),
        tool("view", &["path"]),
        tool("edit", &["path", "old_str", "new_str"]),
    ];
    assert_eq!(names("Path already exists", copilot), ["create", "view", "edit"]);
}

#[test]
fn a_file_that_was_not_written_is_left_to_the_shell() {
    for dialect in [Dialect::AnthropicMessages, Dialect::Gemini] {
        let service = always(json!({"write": [{"path": "a", "content": "new"}]}));
        let mut agent = Agent::new(dialect, true, usual_tools());
        agent.say("Go");
        for name in ["write_file", "run_shell_command"] {
            let (_, calls) = agent.request(&service);
            assert_eq!(calls[0].name, name, "{dialect:?}");
            agent.add_result(&calls[0], "no", true);
        }
        assert_eq!(agent.request(&service).0, "Done.", "{dialect:?}");
    }
}

#[test]
fn codex_gets_patches_and_programs_in_its_own_tongue() {
    let answer = json!({"write": [{"path": "a", "content": "1\n2\n"}], "run": ["ls 'x'"]});
    let patch = "*** Begin Patch\n*** Add File: a\n+1\n+2\n*** End Patch\n";
    let mut agent = Agent::new(
        Dialect::OpenaiResponses,
        true,
        vec![json!({"type": "custom", "name": "apply_patch"}), tool("exec_command", &["cmd"])],
    );
    let turn = agent.turn(&always(answer.clone()), "Go");
    assert_eq!(turn.calls[0].input, json!(patch));
    assert_eq!(turn.calls[1].input, json!({"cmd": "ls 'x'"}));

    let mut agent = Agent::new(Dialect::OpenaiResponses, true, Vec::new());
    agent.messages.push(json!({"type": "additional_tools", "role": "developer", "tools": [
        {"type": "namespace", "name": "functions", "tools": [{"type": "custom", "name": "exec"}]}]}));
    let turn = agent.turn(&always(answer), "Go");
    let program = format!("text(await tools.apply_patch({}));\n", json!(patch));
    assert_eq!(turn.calls[0].input, json!(program));
    let program = turn.calls[1].input.as_str().unwrap();
    assert!(program.starts_with(r#"text(await tools.exec_command({"cmd":"ls 'x'","#), "{program}");
}

#[test]
fn a_tool_of_a_server_is_found_by_its_own_name() {
    let answer = json!({"tools": [{"name": "report_verdict", "input": {"a": "b"}}]});
    for name in ["mcp__orc__report_verdict", "mcp_orc_report_verdict", "orc-report_verdict"] {
        let tools = vec![tool("my_report", &[]), tool(name, &["a"])];
        let turn = Agent::new(Dialect::OpenaiChat, true, tools).turn(&always(answer.clone()), "Go");
        assert_eq!(turn.calls[0].name, name);
    }
    let group = json!({"type": "namespace", "name": "mcp__orc",
        "tools": [{"type": "function", "name": "report_verdict", "parameters": {}}]});
    let body = json!({"input": "Go", "tools": [group]});
    let reply = post(&always(answer), "/v1/responses", &body).json();
    assert_eq!(reply["output"][0]["namespace"], "mcp__orc");
    assert_eq!(reply["output"][0]["name"], "report_verdict");
}

#[test]
fn conditions_hold_together() {
    let service = service(json!({"rules": [
        {"name": "path", "when": {"path": "/s/one/"}, "then": {"text": "path"}},
        {"name": "model", "when": {"model": "other"}, "then": {"text": "model"}},
        {"name": "dialect", "when": {"dialect": "gemini", "has_tools": false}, "then": {"text": "dialect"}},
        {"name": "offers", "when": {"offers": "special"}, "then": {"text": "offers"}},
        {"name": "results", "when": {"tool_results": 0, "contains": "needle"}, "then": {"tools": [{"name": "t"}]}},
        {"name": "last", "when": {"last_contains": "done"}, "then": {"text": "last"}},
    ]}));
    let text =
        |dialect, tools, asked: &str| Agent::new(dialect, true, tools).turn(&service, asked).text;
    assert_eq!(text(Dialect::OpenaiChat, Vec::new(), "x"), "path");
    assert_eq!(text(Dialect::Gemini, Vec::new(), "x"), "dialect");
    assert_eq!(text(Dialect::Gemini, vec![tool("special", &[])], "x"), "offers");
    assert_eq!(text(Dialect::AnthropicMessages, vec![tool("t", &[])], "a needle"), "last");
    assert_eq!(text(Dialect::AnthropicMessages, vec![tool("t", &[])], "x"), "Understood.");
}

#[test]
fn a_script_with_an_unknown_word_is_refused() {
    for text in [
        r#"{"rules": [], "steps": []}"#,
        r#"{"rules": [{"when": {"containz": "x"}, "then": {}}]}"#,
        r#"{"rules": [{"then": {"fault": {"stall": {"s": 1}}}}]}"#,
    ] {
        assert!(serde_json::from_str::<tollgate_standin::Script>(text).is_err(), "{text}");
    }
}

#[test]
fn the_example_script_does_what_it_says() {
    let script = serde_json::from_str(include_str!("../examples/two-files.json")).unwrap();
    let service = Service::start(script).unwrap();
    let mut agent = Agent::new(Dialect::AnthropicMessages, true, usual_tools());
    agent.say("Do the work");
    assert_eq!(agent.ask(&service).status, 503);
    let turn = agent.turn(&service, "Do the work");
    assert_eq!((turn.calls.len(), turn.text.as_str()), (3, r#"{"verdict":"pass"}"#));
}
