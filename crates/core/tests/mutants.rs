//! Journals that no engine wrote: every one is replayed or refused with a reason, and none ends the program.

use crate::story;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tollgate_core::engine::Engine;
use tollgate_core::event::Event;
use tollgate_core::input::Input;
use tollgate_core::reply::Usage;
use tollgate_core::session::{Session, Wanted};
use tollgate_core::time::Timestamp;
use tollgate_core::view::View;
use tollgate_core::work::DispatchEnd;

const STORIES: [&str; 3] = [
    "gates approved per-batch
     task T-001 feat
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
    show(&session);
    let (now, policy) = (session.updated_at.plus_ms(1_000), session.policy.clone());
    let mut engine = Engine::resume(session);
    let _ = engine.handle(now, vec![Input::Resumed { policy }, Input::Tick]);
    for wanted in engine.session().unfinished() {
        let input = match wanted {
            Wanted::Dispatch(number, attempt) => {
                let end = DispatchEnd::Interrupted { rescue: None };
                Input::Ended { number, attempt, end, usage: Usage::default() }
            }
            Wanted::Checks(number) => Input::Checked { number, results: Vec::new(), stage: None },
            Wanted::Merge(_) => Input::Merged(Vec::new()),
        };
        let _ = engine.handle(now, vec![input]);
    }
    show(engine.session());
    Some(true)
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
