//! What holds of every conversation, whatever a program says. Also for the fuzzer, which has no other part of the tests.

use serde_json::Value;
use tollgate_agents::event::{AgentEvent, Finished, TurnOutcome};
use tollgate_agents::{Access, AgentExit, DriverPlan, Post, Stdin, Transcript, Turn, adapter};
use tollgate_contract::config::Adapter;
use tollgate_core::limits::REPLY_BYTES_MAX;
use tollgate_core::reply::Usage;

/// More than anyone can spend in one line.
const SPENT_MAX: u64 = 1_000_000_000_000_000;

/// For words that people read in one line of a table.
const WHAT_BYTES_MAX: usize = 8 * 1024;

pub fn plan(adapter: Adapter) -> DriverPlan {
    DriverPlan {
        adapter,
        argv: Vec::new(),
        env: Default::default(),
        stdin: Stdin::Talk,
        prompt: "Write hello.txt".to_owned(),
        tree: "/srv/tree".into(),
        session_folder: ".agents-work/2026-01-01_a".to_owned(),
        access: Access::Tree,
        model: None,
        resume: None,
        before: Usage::default(),
        silence_ms: 60_000,
        output_bytes_max: 1024 * 1024,
    }
}

/// Tells the lines as the driver would, and checks all that comes of them.
pub fn told(
    plan: &DriverPlan,
    lines: &[Value],
    asides: &[&str],
    exit: &AgentExit,
) -> (Transcript, Finished) {
    let longest = lines.iter().map(|line| line.to_string().len()).max().unwrap_or(0);
    let text_max = longest.max(REPLY_BYTES_MAX as usize);
    let mut talk = adapter(plan.adapter).expect("it is driven").talk(plan);
    let mut transcript = Transcript::default();
    let mut turn = Turn::default();
    talk.open(Post::to_nobody(), &mut turn);
    let mut is_over = follow(turn, text_max, &mut transcript);
    for line in lines.iter().filter(|line| !starts_a_command(line)) {
        if is_over {
            break;
        }
        let mut turn = Turn::default();
        talk.heard(line, &mut turn);
        is_over |= follow(turn, text_max, &mut transcript);
    }
    for line in asides {
        let mut turn = Turn::default();
        talk.aside(line, &mut turn);
        follow(turn, text_max.max(line.len()), &mut transcript);
    }
    let finished = talk.ended(exit);
    let words = finished.text.as_deref().unwrap_or_default();
    assert!(words.len() <= text_max, "a last word of {} bytes", words.len());
    assert!(!matches!(finished.outcome, TurnOutcome::Silent { .. }), "only the driver knows");
    survives(&AgentEvent::Finished(finished.clone()));
    is_safe(&transcript);
    (transcript, finished)
}

/// Nothing that a test makes up is run.
fn starts_a_command(line: &Value) -> bool {
    line["method"] == "terminal/create"
}

fn follow(turn: Turn, text_max: usize, transcript: &mut Transcript) -> bool {
    for said in &turn.say {
        assert!(!said.to_string().contains('\n'), "a line is one line");
    }
    for event in turn.events {
        survives(&event);
        match &event {
            AgentEvent::Text { text } | AgentEvent::Question { text } => {
                assert!(text.len() <= text_max, "a text of {} bytes", text.len());
            }
            AgentEvent::ToolStart { what, .. } | AgentEvent::Permission { what, .. } => {
                assert!(what.len() <= WHAT_BYTES_MAX, "{} bytes about a tool", what.len());
            }
            AgentEvent::Usage { spent } => {
                let Usage { input_tokens, output_tokens, micro_usd, wall_ms } = spent;
                let counts = [input_tokens, output_tokens, micro_usd, wall_ms];
                assert!(counts.iter().all(|count| count.unwrap_or(0) <= SPENT_MAX), "{spent:?}");
            }
            _ => {}
        }
        transcript.take(event);
    }
    turn.is_over
}

/// What the driver writes is what the engine reads.
fn survives(event: &AgentEvent) {
    let line = serde_json::to_string(event).expect("an event can be written");
    let read: AgentEvent = serde_json::from_str(&line)
        .unwrap_or_else(|error| panic!("{error}: {}", line.chars().take(500).collect::<String>()));
    // A reply may hold fractions, which are read back to the last digit but one.
    let has_reply = matches!(event, AgentEvent::Finished(Finished { reply: Some(_), .. }));
    assert!(has_reply || read == *event, "{event:?} became {read:?}");
}

fn is_safe(transcript: &Transcript) {
    if let Some(session) = &transcript.session {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
        let is_safe = session.len() <= 200 && session.chars().all(is_plain);
        assert!(is_safe && !session.starts_with(['-', '.']), "{session:?}");
    }
}
