//! For each kind of question: what can be typed, what it means, and what is kept of it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
/// Answers a question that offers these.
fn answer(
    kind: DecisionKind,
    options: &[AnswerOption],
    given: &str,
    reason: Option<&str>,
) -> Result<Choice, Refusal> {
    read(&Asked { id: &DecisionId::sequential(1), kind, options }, given, reason)
}

fn all_options(kind: DecisionKind) -> Vec<AnswerOption> {
    fn of<W: Way>() -> Vec<AnswerOption> {
        W::ALL.iter().map(|way| AnswerOption::of(*way, "label", "consequence")).collect()
    }
    let mut options = match kind {
        DecisionKind::Approve => of::<ApproveWay>(),
        DecisionKind::Strategy => of::<StrategyWay>(),
        DecisionKind::Notes => of::<NotesWay>(),
        DecisionKind::Repair => of::<RepairWay>(),
        DecisionKind::Security => of::<SecurityWay>(),
        DecisionKind::Justify => of::<JustifyWay>(),
        DecisionKind::Escalation => of::<EscalationWay>(),
        DecisionKind::Info => return of::<InfoWay>(),
        DecisionKind::Scope => of::<ScopeWay>(),
        DecisionKind::ManualCheck => of::<ManualCheckWay>(),
        DecisionKind::Coverage => of::<CoverageWay>(),
        DecisionKind::Check => of::<CheckWay>(),
    };
    options.extend(of::<CancelWay>());
    options
}

fn way_of(choice: &Choice) -> &'static str {
    match choice {
        Choice::Cancel(answer) => answer.way().id(),
        Choice::Approve(answer) => answer.way().id(),
        Choice::Strategy(answer) => answer.way().id(),
        Choice::Notes(answer) => answer.way().id(),
        Choice::Repair(answer) => answer.way().id(),
        Choice::Security(answer) => answer.way().id(),
        Choice::Justify(answer) => answer.way().id(),
        Choice::Escalation(answer) => answer.way().id(),
        Choice::Info(answer) => answer.way().id(),
        Choice::Scope(answer) => answer.way().id(),
        Choice::ManualCheck(answer) => answer.way().id(),
        Choice::Coverage(answer) => answer.way().id(),
        Choice::Check(answer) => answer.way().id(),
    }
}

/// What a person types for an option, with the shortest words that it can have.
fn typed(option: &AnswerOption) -> String {
    let words = match option.id.as_str() {
        "extend" => "1h",
        "lower" => "70 x",
        _ => "x",
    };
    match option.needs_words {
        NeedsWords::No | NeedsWords::Optional => option.answer.clone(),
        NeedsWords::Required => option.with_words(words),
    }
}

#[test]
fn each_text_means_one_way_and_is_kept_in_one_form() {
    use DecisionKind::{
        Approve, Check, Coverage, Escalation, Info, Justify, ManualCheck, Notes, Repair, Scope,
        Security, Strategy,
    };
    // The kind of question, what is typed, the way that it means, and what is kept.
    let table = [
        (Approve, "approved", "approved", "approved"),
        (Approve, " approved with thanks ", "approved", "approved with thanks"),
        (Approve, "approved: go", "approved", "approved: go"),
        (
            Approve,
            "changes-requested:more: now",
            "changes-requested",
            "changes-requested: more: now",
        ),
        (Approve, "cancel : enough", "cancel", "cancel: enough"),
        (Strategy, "per-batch", "per-batch", "per-batch"),
        (Strategy, "Per Batch", "per-batch", "per-batch"),
        (Strategy, "batch review", "per-batch", "per-batch"),
        (Strategy, "per batches", "per-batch", "per-batch"),
        (Strategy, "per task", "per-batch", "per-batch"),
        (Strategy, "single-final", "single-final", "single-final"),
        (Strategy, "single", "single-final", "single-final"),
        (Strategy, "FINAL", "single-final", "single-final"),
        (Strategy, "final only", "single-final", "single-final"),
        (Strategy, "one final review", "single-final", "single-final"),
        (
            Strategy,
            "changes-requested: split it",
            "changes-requested",
            "changes-requested: split it",
        ),
        (Strategy, "cancel: no", "cancel", "cancel: no"),
        (Notes, "accept", "accept", "accept"),
        (Notes, "fix", "fix", "fix"),
        (Notes, "fix:", "fix", "fix"),
        (Notes, "fix: the second", "fix-named", "fix: the second"),
        (Repair, "different-approach: a", "different-approach", "different-approach: a"),
        (
            Repair,
            "accept-with-known-issues: a",
            "accept-with-known-issues",
            "accept-with-known-issues: a",
        ),
        (Repair, "simplify: a", "simplify", "simplify: a"),
        (Repair, "guidance:  a", "guidance", "guidance: a"),
        (Repair, "full: it is more", "full", "full: it is more"),
        (Security, "fix-now", "fix-now", "fix-now"),
        (Security, "fix-later: a", "fix-later", "fix-later: a"),
        (Security, "accept-risk: a", "accept-risk", "accept-risk: a"),
        (Justify, "fix", "fix", "fix"),
        (Justify, "approve: a", "approve", "approve: a"),
        (Escalation, "retry", "retry", "retry"),
        (Escalation, "retry: a", "retry-with-guidance", "retry: a"),
        (Escalation, "retry-with: other", "retry-with", "retry-with: other"),
        (Escalation, "extend: 90s", "extend", "extend: 90s"),
        (Escalation, "skip", "skip", "skip"),
        (Escalation, "manual-fix", "manual-fix", "manual-fix"),
        (Escalation, "full: it is more", "full", "full: it is more"),
        (Info, " any: thing ", "text", " any: thing "),
        (Info, "cancel: not meant so", "text", "cancel: not meant so"),
        (Scope, "allow", "allow", "allow"),
        (Scope, "refuse: a", "refuse", "refuse: a"),
        (ManualCheck, "met", "met", "met"),
        (ManualCheck, "not-met: a", "not-met", "not-met: a"),
        (ManualCheck, "waived: a", "waived", "waived: a"),
        (Coverage, "fix", "fix", "fix"),
        (Coverage, "lower: 72.5 % a", "lower", "lower: 72.5 % a"),
        (Coverage, "override: a", "override", "override: a"),
        (Check, "fix-check: npm run test:unit", "fix-check", "fix-check: npm run test:unit"),
        (Check, "fix-check: cmd: make", "fix-check", "fix-check: make"),
        (Check, "waive: a", "waive", "waive: a"),
        (Check, "repair", "repair", "repair"),
        (Check, "manual-fix", "manual-fix", "manual-fix"),
        (Check, "retry", "retry", "retry"),
    ];
    for (kind, given, way, canonical) in table {
        let choice = answer(kind, &all_options(kind), given, None)
            .unwrap_or_else(|refusal| panic!("{kind} {given:?}: {refusal}"));
        assert_eq!((way_of(&choice), choice.canonical().as_str()), (way, canonical), "{kind}");
        assert_eq!(recall(kind, canonical), Some(choice), "{kind} {canonical:?}");
    }
    for kind in DecisionKind::ALL {
        for option in all_options(*kind).iter().filter(|option| option.id != "cancel") {
            let is_told = table.iter().any(|(of, _, way, _)| of == kind && *way == option.id);
            assert!(is_told, "the table says nothing about {} of {kind}", option.id);
        }
    }
}

#[test]
fn each_option_is_accepted_as_an_answer_and_keeps_its_meaning() {
    for kind in DecisionKind::ALL {
        let options = all_options(*kind);
        for option in &options {
            let choice = answer(*kind, &options, &typed(option), None).unwrap();
            assert_eq!(way_of(&choice), option.id, "{kind} {:?}", typed(option));
            assert_eq!(recall(*kind, &choice.canonical()), Some(choice), "{kind} {}", option.id);
        }
    }
}

#[test]
fn what_a_question_does_not_offer_is_refused() {
    for kind in DecisionKind::ALL.iter().filter(|kind| **kind != DecisionKind::Info) {
        for left_out in all_options(*kind) {
            // Gates always offer what passes them.
            if matches!(kind, DecisionKind::Approve | DecisionKind::Strategy)
                && left_out.id != CancelWay::Cancel.id()
            {
                continue;
            }
            let mut options = all_options(*kind);
            options.retain(|option| option.id != left_out.id);
            let expected: Vec<String> =
                options.iter().map(|option| option.answer.clone()).collect();
            let given = typed(&left_out);
            let refusal = answer(*kind, &options, &given, None).unwrap_err();
            let Refusal::BadAnswer { expected: told, .. } = refusal else {
                panic!("{kind} {given:?}: {refusal}");
            };
            assert_eq!(told, expected, "{kind} {given:?}");
        }
    }
}

#[test]
fn a_refusal_says_what_is_wrong() {
    use DecisionKind::{
        Approve, Check, Coverage, Escalation, Info, Justify, Notes, Scope, Strategy,
    };
    let table = [
        (Approve, "approved?", ""),
        (Approve, "Approved", ""),
        (Approve, "approve", ""),
        (Approve, "changes-requested:", ": it needs text after the colon"),
        (Approve, "cancel", ": it needs text after the colon"),
        (Strategy, "per-batch: now", ": this answer takes no text"),
        (Strategy, "both", ""),
        (Notes, "accept: fine", ": this answer takes no text"),
        (Justify, "approve: \u{200b}", ": it needs text after the colon"),
        (Escalation, "extend: soon", ": that is not a duration"),
        (Escalation, "retry-with-guidance: a", ""),
        (Info, " \u{200b}", ": it is empty"),
        (Scope, "Allow", ""),
        (Coverage, "lower: 70", ": it needs a percentage and a reason"),
        (Check, "fix-check:", ": it needs text after the colon"),
        (Check, "fix-check: manual: look", ": that is not a command"),
        (Check, "waive", ": it needs text after the colon"),
    ];
    for (kind, given, because) in table {
        match answer(kind, &all_options(kind), given, None) {
            Err(Refusal::BadAnswer { why, .. }) => assert_eq!(why, because, "{kind} {given:?}"),
            other => panic!("{kind} {given:?}: {other:?}"),
        }
    }
}

#[test]
fn a_reason_beside_the_answer_stands_for_its_words_where_it_takes_some() {
    let with_reason = |kind: DecisionKind, given: &str| {
        answer(kind, &all_options(kind), given, Some(" so it is ")).map(|c| c.canonical())
    };
    let told = |text: &str| Ok(text.to_owned());
    assert_eq!(with_reason(DecisionKind::Approve, "approved"), told("approved: so it is"));
    assert_eq!(with_reason(DecisionKind::Approve, "approved now"), told("approved now"));
    assert_eq!(with_reason(DecisionKind::Notes, "accept"), told("accept"));
    assert_eq!(with_reason(DecisionKind::Notes, "fix"), told("fix: so it is"));
    assert_eq!(with_reason(DecisionKind::Repair, "guidance"), told("guidance: so it is"));
    assert_eq!(with_reason(DecisionKind::Repair, "guidance: a"), told("guidance: a"));
    assert_eq!(with_reason(DecisionKind::Strategy, "batch"), told("per-batch"));
}

#[test]
fn synonyms_are_not_recalled_and_odd_records_mean_nothing() {
    assert_eq!(recall(DecisionKind::Strategy, "Per Batch"), None);
    assert_eq!(recall(DecisionKind::Approve, "yes"), None);
    assert_eq!(recall(DecisionKind::Escalation, "extend: soon"), None);
}

#[test]
fn options_of_earlier_journals_are_completed() {
    for kind in DecisionKind::ALL {
        let now = all_options(*kind);
        let mut before: Vec<AnswerOption> = now
            .iter()
            .map(|option| {
                let line = serde_json::json!({
                    "answer": option.answer, "label": option.label, "consequence": option.consequence,
                });
                serde_json::from_value(line).unwrap()
            })
            .collect();
        complete(*kind, &mut before);
        assert_eq!(before, now, "{kind}");
    }
}

#[test]
fn ids_stand_once_in_a_question_and_options_say_what_words_they_take() {
    for kind in DecisionKind::ALL {
        let options = all_options(*kind);
        for (at, option) in options.iter().enumerate() {
            let is_double = options[..at].iter().any(|before| before.id == option.id);
            assert!(!is_double, "{kind} has {} twice", option.id);
        }
    }
    let option = AnswerOption::of(EscalationWay::RetryWithGuidance, "l", "c").recommended_if(true);
    assert_eq!(
        serde_json::to_string(&option).unwrap(),
        r#"{"id":"retry-with-guidance","answer":"retry: GUIDANCE","label":"l","consequence":"c","needs_words":"required","recommended":true}"#
    );
    assert_eq!(option.name_of_words(), "GUIDANCE");
    assert_eq!(AnswerOption::of(InfoWay::Text, "l", "c").with_words("a: b"), "a: b");
    assert_eq!(AnswerOption::of(ApproveWay::Approved, "l", "c").needs_words, NeedsWords::Optional);
    assert_eq!(AnswerOption::of(ApproveWay::Approved, "l", "c").with_words("a"), "approved: a");
}
