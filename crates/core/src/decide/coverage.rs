//! Coverage that is not enough: what the person is asked, and what follows from the answer.

use super::draft::Draft;
use super::moves::{ask, repair};
use crate::answer::CoverageAnswer;
use crate::decision::Subject;
use crate::event::Event;
use crate::id::{CheckNumber, TaskRef};
use crate::mutant::Mutant;
use crate::role::RepairLoop;
use crate::work::CheckResult;

/// Asks when coverage is not enough; where it is, there is nothing to say.
pub(super) fn measure(draft: &mut Draft<'_>, number: CheckNumber, result: &CheckResult) {
    if draft.covers_enough(result) || Mutant::TakesTooLittleCoverage.is_planted() {
        return;
    }
    let minimum = per_cent(draft.coverage_minimum().unwrap_or(0));
    let found = match (&result.coverage, &result.trouble) {
        (Some(measured), _) => {
            let note = result.output_tail.lines().next().map(|line| format!(". {line}"));
            format!(
                "{} of the lines are covered ({} of {}); the minimum is {minimum}{}",
                per_cent(measured.percent_hundredths()),
                measured.covered,
                measured.total,
                note.unwrap_or_default()
            )
        }
        (None, Some(trouble)) => {
            let why = result.output_tail.lines().next().map(|line| format!(" ({line})"));
            format!("it could not be measured: {trouble}{}", why.unwrap_or_default())
        }
        (None, None) => "it could not be measured".to_owned(),
    };
    ask::coverage(draft, number, &found);
}

fn per_cent(hundredths: u32) -> String {
    match hundredths % 100 {
        0 => format!("{} %", hundredths / 100),
        part => format!("{}.{part:02} %", hundredths / 100),
    }
}

/// The person decided about coverage that is not enough.
pub(super) fn answered(draft: &mut Draft<'_>, check: CheckNumber, answer: &CoverageAnswer) {
    let (minimum, reason, text) = match answer {
        CoverageAnswer::Fix => return add_tests(draft, check),
        CoverageAnswer::Lower(to) => {
            let share = per_cent(to.hundredths);
            let text = format!("the minimum coverage was lowered to {share}: {}", to.reason);
            (to.hundredths, to.reason.clone(), text)
        }
        CoverageAnswer::Override(reason) => {
            (0, reason.to_string(), format!("coverage was overridden: {}", &**reason))
        }
    };
    draft.emit(Event::CoverageSettled { minimum, reason });
    draft.emit(Event::KnownIssueNoted { text });
}

fn add_tests(draft: &mut Draft<'_>, check: CheckNumber) {
    let asked = draft.decisions.asked.iter().rev();
    let question = asked
        .filter(|d| matches!(d.subject, Subject::Coverage { check: of } if of == check))
        .map(|decision| decision.question.clone())
        .next();
    let feedback = question.into_iter().chain(["add tests that reach more lines".to_owned()]);
    let told = feedback.collect::<Vec<String>>().into();
    repair::open_with_consent(draft, &TaskRef::Meta, RepairLoop::FixTests, told, Vec::new());
}
