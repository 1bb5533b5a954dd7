//! Journals that no engine wrote: every one is replayed or refused with a reason, and none ends the program.

use crate::story;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tollgate_core::engine::Engine;
use tollgate_core::event::Event;
use tollgate_core::id::CommandId;
use tollgate_core::input::{Command, Input};
use tollgate_core::reply::Usage;
use tollgate_core::session::{Session, Wanted};
use tollgate_core::time::Timestamp;
use tollgate_core::view::View;
use tollgate_core::work::{BaseMerge, DispatchEnd};

const STORIES: [&str; 3] = [
    "gates approved per-batch
     task T-001 feat | check cmd: t
     task T-002 docs | after T-001 | flag security
     red 1
     Reviewer: blocked high:wrong
     crash
     go",
    "gates approved single-final
     parallel 2
     task T-001 feat
     task T-002 fix
     go until Coder
     crash keeping
     go",
    "task T-001 feat
     go
     answer UD-APPROVE-DESIGN changes-requested: other
     go
     answer UD-APPROVE-DESIGN approved
     go",
];

const MUTANTS_PER_STORY: u64 = 1_000;

#[test]
fn r178_a_journal_with_impossible_content_is_refused_and_never_a_panic() {
    let (mut refused, mut taken) = (0, 0);
    let mut ended = Vec::new();
    for (which, story) in STORIES.into_iter().enumerate() {
        let told = story::tell(story);
        let journal: Vec<(Timestamp, Value)> = told
            .journal()
            .iter()
            .map(|(at, event)| (*at, serde_json::to_value(event).unwrap()))
            .collect();
        assert!(is_taken(&journal).is_some_and(|taken| taken), "the story itself");
        for seed in 0..MUTANTS_PER_STORY {
            let mut dice = Dice::new(which as u64, seed);
            let mut mutant = journal.clone();
            let what = mutate(&mut mutant, &mut dice);
            let lived = catch_unwind(AssertUnwindSafe(|| is_taken(&mutant)));
            match lived {
                Err(_) => ended.push(format!("story {which}, seed {seed}: {what}")),
                Ok(Some(true)) => taken += 1,
                Ok(Some(false)) => refused += 1,
                // No event of this version: the reader of the journal says so.
                Ok(None) => {}
            }
        }
    }
    assert!(ended.is_empty(), "{} end the program:\n{}", ended.len(), ended.join("\n"));
    assert!(refused > 500 && taken > 500, "{refused} refused, {taken} taken");
}

/// Whether the journal can be; what it tells is then shown and taken up. None when a line is no event.
fn is_taken(journal: &[(Timestamp, Value)]) -> Option<bool> {
    let read = |(at, event): &(Timestamp, Value)| {
        serde_json::from_value::<Event>(event.clone()).ok().map(|event| (*at, event))
    };
    let events: Vec<(Timestamp, Event)> = journal.iter().map(read).collect::<Option<_>>()?;
    let Ok(session) = Session::replay(events.iter().map(|(at, event)| (*at, event))) else {
        return Some(false);
    };
    live(&session, None);
    Some(true)
}

/// The session is taken up, perhaps with an answer, and what runs ends.
fn live(session: &Session, answer: Option<Command>) {
    show(session);
    let (now, policy) = (session.updated_at.plus_ms(1_000), session.policy.clone());
    let mut engine = Engine::resume(session.clone());
    let _ = engine.handle(now, vec![Input::Resumed { policy }, Input::Tick]);
    let _ = engine.handle(now, answer.map(Input::Command).into_iter().collect());
    for end in [DispatchEnd::Interrupted { rescue: None }, replied()] {
        for wanted in engine.session().unfinished() {
            let end = end.clone();
            let input = match wanted {
                Wanted::Dispatch(number, attempt) => {
                    Input::Ended { number, attempt, end, usage: Usage::default() }
                }
                Wanted::Checks(number) => {
                    Input::Checked { number, results: Vec::new(), stage: None }
                }
                Wanted::Merge(_) => Input::Merged(Vec::new()),
                Wanted::BaseMerge => {
                    let base = engine.session().base_merging().unwrap().clone();
                    Input::BaseMerged { base, outcome: BaseMerge::AlreadyIn }
                }
            };
            let _ = engine.handle(now, vec![input]);
        }
        show(engine.session());
    }
}

fn replied() -> DispatchEnd {
    let said = json!({"status": "OK", "summary": "done"});
    let (reply, work) = (serde_json::from_value(said).unwrap(), Box::default());
    DispatchEnd::Replied { reply, work }
}

/// Together they ask everything that can be asked.
const ASKING: [&str; 10] = [
    "go
     answer UD-APPROVE-DESIGN changes-requested: other
     go
     answer UD-APPROVE-DESIGN approved
     go",
    "task T-001 feat | waits R-001
     ask Researcher
     gates approved per-batch
     criterion manual: see it
     Researcher: info how?
     Planner: refine which?
     Coder: wants src/b.rs
     Reviewer: ok medium:slow
     Security: ok medium:weak
     go
     answer UD-1 so
     go
     answer UD-2 this
     go
     answer UD-3 allow
     go
     answer UD-4 accept
     go
     answer UD-5 accept-risk: small
     go",
    "gates approved per-batch
     Reviewer: blocked high:a
     Reviewer: blocked high:a
     Reviewer: blocked high:a
     go",
    "Planner: timeout
     SpecAgent: ok high:hard
     gates approved per-batch
     go
     answer UD-1 approve: known
     go",
    "tokens 10
     gates approved per-batch
     go",
    "gates approved per-batch
     go until Coder
     break tasks.yaml",
    "step dispatch Coder
     step checks coverage
     covered 65
     go",
    "step dispatch Coder
     step parallel Reviewer Docs?
     step severity REVIEW
     step approve A
     Reviewer: blocked critical:a
     Reviewer: blocked critical:b
     Reviewer: blocked critical:c
     Reviewer: blocked critical:d
     go
     answer UD-1 guidance: so
     go
     answer UD-2 changes-requested: other
     go
     answer UD-2 approved
     go",
    "step parallel Docs Reviewer
     step severity REVIEW
     Reviewer: ok high:a
     go",
    "parallel 2
     gates approved per-batch
     task T-001 feat
     task T-002 feat
     clash 1
     Coder: ok
     Coder: timeout
     go
     answer UD-1 retry
     go",
];

#[test]
fn r178_no_number_of_a_journal_leads_an_answer_to_a_panic() {
    let (mut subjects, mut ended) = (BTreeSet::new(), Vec::new());
    let (mut refused, mut taken) = (0, 0);
    for (which, story) in ASKING.into_iter().enumerate() {
        let told = story::tell(story);
        let journal = told.journal();
        for (asked, (_, event)) in journal.iter().enumerate() {
            let Event::DecisionAsked { decision } = event else { continue };
            let subject = serde_json::to_value(&decision.subject).unwrap();
            subjects.insert(subject["about"].as_str().unwrap().to_owned());
            for (at, event, what) in with_other_numbers(&journal[..=asked]) {
                let mut mutant = journal[..=asked].to_vec();
                mutant[at].1 = event;
                match catch_unwind(AssertUnwindSafe(|| is_answered(&mutant))) {
                    Err(_) => ended.push(format!("story {which}, question {asked}: {what}")),
                    Ok(true) => taken += 1,
                    Ok(false) => refused += 1,
                }
            }
        }
    }
    assert!(ended.is_empty(), "{} end the program:\n{}", ended.len(), ended.join("\n"));
    assert!(refused > 500 && taken > 500, "{refused} refused, {taken} taken");
    assert_eq!(subjects.len(), 14, "all that can be asked: {subjects:?}");
}

/// Each record of a journal with each of its numbers changed.
fn with_other_numbers(journal: &[(Timestamp, Event)]) -> Vec<(usize, Event, String)> {
    let mut mutants = Vec::new();
    for (at, (_, event)) in journal.iter().enumerate() {
        let before = serde_json::to_value(event).unwrap();
        let mut leaves = Vec::new();
        places(&before, String::new(), &mut leaves);
        leaves.retain(|place| before.pointer(place).is_some_and(Value::is_number));
        for place in leaves {
            let number = before.pointer(&place).and_then(Value::as_u64).unwrap_or(0);
            for other in [0, number + 1, 999, u64::from(u32::MAX)] {
                let mut after = before.clone();
                *after.pointer_mut(&place).unwrap() = json!(other);
                // No event of this version: the reader of the journal says so.
                if let Ok(event) = serde_json::from_value(after) {
                    let what = format!("record {at}, {place} becomes {other}: {before}");
                    mutants.push((at, event, what));
                }
            }
        }
    }
    mutants
}

/// Whether the journal can be; each question that it leaves open is then answered in every way.
fn is_answered(journal: &[(Timestamp, Event)]) -> bool {
    let Ok(session) = Session::replay(journal.iter().map(|(at, event)| (*at, event))) else {
        return false;
    };
    live(&session, None);
    for asked in session.pending_decisions() {
        for option in &asked.options {
            let answer = option.answer.replace("N TEXT", "70 TEXT").replace("DURATION", "1h");
            let (id, decision) = (CommandId::new("c"), asked.decision_id.clone());
            let round = session.round(&decision);
            let answer = Command::Answer { id, decision, round, answer, reason: None };
            live(&session, Some(answer));
        }
    }
    true
}

fn show(session: &Session) {
    let _ = View::of(session);
    let _ = (session.state(), session.outstanding(), session.next_deadline(), session.merging());
    for number in session.dispatches.keys() {
        let _ = session.brief(*number);
    }
}

fn mutate(journal: &mut Vec<(Timestamp, Value)>, dice: &mut Dice) -> String {
    let at = dice.below(journal.len());
    match dice.below(8) {
        0 => {
            let (_, gone) = journal.remove(at);
            format!("record {at} is gone: {gone}")
        }
        1 => {
            let twice = journal[at].clone();
            journal.insert(at, twice);
            format!("record {at} stands twice: {}", journal[at].1)
        }
        2 => {
            let other = dice.below(journal.len());
            journal.swap(at, other);
            format!(
                "records {at} and {other} change places: {} {}",
                journal[at].1, journal[other].1
            )
        }
        _ => {
            let before = journal[at].1.clone();
            let mut leaves = Vec::new();
            places(&before, String::new(), &mut leaves);
            let place = leaves[dice.below(leaves.len())].clone();
            if let Some(value) = journal[at].1.pointer_mut(&place) {
                *value = changed(value, dice);
            }
            format!("record {at}, {place}: {before} becomes {}", journal[at].1)
        }
    }
}

/// Pointers to everything in a value.
fn places(value: &Value, here: String, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(n, item)| places(item, format!("{here}/{n}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, item)| places(item, format!("{here}/{name}"), found));
        }
        _ => {}
    }
    found.push(here);
}

fn changed(value: &Value, dice: &mut Dice) -> Value {
    let numbers = [
        json!(0),
        json!(1),
        json!(-1),
        json!(7),
        json!(u32::MAX),
        json!(u64::MAX),
        json!(i64::MIN),
    ];
    let texts =
        ["", "T-999", "UD-999", "UD-4294967295", "meta", "../..", "9999-12-31T23:59:59.999Z"];
    match value {
        Value::Number(_) => numbers[dice.below(numbers.len())].clone(),
        Value::String(_) => json!(texts[dice.below(texts.len())]),
        Value::Array(items) => match dice.below(3) {
            0 => json!([]),
            1 => items.iter().skip(1).cloned().collect(),
            _ => items.iter().chain(items).cloned().collect(),
        },
        Value::Bool(flag) => json!(!flag),
        Value::Object(fields) => {
            let mut fields = fields.clone();
            if let Some(name) = fields.keys().nth(dice.below(fields.len().max(1))).cloned() {
                fields.remove(&name);
            }
            Value::Object(fields)
        }
        Value::Null => json!(1),
    }
}

struct Dice(u64);

impl Dice {
    fn new(story: u64, seed: u64) -> Self {
        Self((story << 32 | seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % end
    }
}
