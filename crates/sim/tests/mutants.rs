//! The rules of the engine, broken one at a time: the witness must notice each, and must hold its peace where none is.
#![allow(clippy::print_stderr, reason = "a test tells its story")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tollgate_core::mutant::Mutant;
use tollgate_sim::{Run, Violation, story};

/// A broken rule must show within this many seeds.
const SEEDS_PER_MUTANT: u64 = 4_000;

/// Where each was caught last, and whether with faults: a hint that saves the search. Where it leads nowhere any more, the
/// search finds another one, and the test prints the line to put here.
const HINTS: [(Mutant, u64, bool); 52] = [
    (Mutant::HearsACommandTwice, 15, true),
    (Mutant::TakesAnAnswerOfAnEarlierRound, 1229, true),
    (Mutant::LeavesDispatchesOpenAfterACancel, 1326, true),
    (Mutant::ForgetsWhatWasRejected, 0, true),
    (Mutant::PassesTheReviewForAnotherRole, 82, true),
    (Mutant::CallsAWaivedCriterionMet, 17, true),
    (Mutant::BelievesAnOkWithForbiddenChanges, 8, true),
    (Mutant::TakesABlockedReviewForAnOk, 16, true),
    (Mutant::AnswersForThePersonAboutSecurity, 160, true),
    (Mutant::PassesAReviewOverItsNotes, 186, true),
    (Mutant::AsksNobodyWhatAnAgentNeedsToKnow, 11, true),
    (Mutant::BringsNobody, 18, false),
    (Mutant::StaysLeanWithManyFiles, 45, true),
    (Mutant::StaysLeanOnASensitivePath, 288, true),
    (Mutant::RepairsTheSameFindingForEver, 1281, false),
    (Mutant::RepairsWithoutABudget, 45, true),
    (Mutant::RetriesWithoutAStartLeft, 0, true),
    (Mutant::TakesALimitForAFailure, 0, false),
    (Mutant::StartsBeyondALimit, 0, true),
    (Mutant::StartsAnAgentThatIsOut, 49, true),
    (Mutant::KeepsAnApprovalUnderAnotherStage, 133, true),
    (Mutant::KeepsAnApprovalOfAnotherFile, 76, true),
    (Mutant::ShowsNothingAtAGate, 1, true),
    (Mutant::KeepsAStrategyForAnotherPlan, 2, true),
    (Mutant::SendsACorrectionToEverybody, 8, true),
    (Mutant::AcceptsACriticalFinding, 182, true),
    (Mutant::PassesOverAHighFinding, 0, true),
    (Mutant::DoesNotLookAgainAfterARepair, 77, false),
    (Mutant::DoesNotReviewAgainAfterAChange, 7, true),
    (Mutant::TakesADesignWithSomethingGrave, 32, true),
    (Mutant::ForgetsAGraveFindingWithItsTask, 285, true),
    (Mutant::ChecksInACloneOfAnOldCommit, 1, true),
    (Mutant::CallsEveryFailureOld, 39, true),
    (Mutant::RepairsNothingForARedCheck, 2, true),
    (Mutant::RepairsACheckThatCannotRun, 2, false),
    (Mutant::RepairsAnOldFailureUnasked, 3, false),
    (Mutant::TakesTooLittleCoverage, 24, true),
    (Mutant::CallsACheckFixedThatDidNotRun, 43, true),
    (Mutant::ClosesOnUnreviewedWork, 1, true),
    (Mutant::ForgetsWhoObjected, 312, true),
    (Mutant::ClosesOnUnauditedWork, 697, true),
    (Mutant::ClosesWithoutAReport, 288, true),
    (Mutant::ClosesOverAWeakenedTest, 82, true),
    (Mutant::StartsATaskBeforeWhatItBuildsOn, 1, true),
    (Mutant::LeavesOutTheAuditOfATask, 1, false),
    (Mutant::IgnoresThatTasksOverlap, 1, true),
    (Mutant::RunsWhatClashedBesideOthers, 1, true),
    (Mutant::PassesTheBarrierEarly, 1429, true),
    (Mutant::ContinuesBesideACoderWithAWiderScope, 181, true),
    (Mutant::AsksAgainForWhatIsRefused, 96, true),
    (Mutant::TakesARemarkAboutScopeForAnObjection, 48, true),
    (Mutant::SkipsARoleThatIsWanted, 1, true),
];

#[test]
fn every_mutant_is_caught() {
    let next = AtomicUsize::new(0);
    let missed = Mutex::new(Vec::new());
    let hands = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..hands {
            scope.spawn(|| {
                while let Some(mutant) = Mutant::ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = is_caught(*mutant) {
                        missed.lock().expect("nobody panics with it").push(why);
                    }
                }
            });
        }
    });
    let missed = missed.into_inner().expect("nobody panics with it");
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// `TOLLGATE_SIM_MUTANT=ForgetsWhoObjected cargo test -p tollgate-sim one_mutant -- --nocapture` tells how it is caught.
#[test]
fn one_mutant_of_the_environment_is_told() {
    let Ok(name) = std::env::var("TOLLGATE_SIM_MUTANT") else {
        return;
    };
    let mutant = Mutant::ALL.into_iter().find(|mutant| format!("{mutant:?}") == name);
    let mutant = mutant.unwrap_or_else(|| panic!("there is no mutant {name}"));
    match hunt(mutant) {
        Some((run, violation)) => eprintln!("{}", mutant.plant(|| story(&run, &violation))),
        None => panic!("nobody noticed {name}"),
    }
}

/// The witness notices the broken rule, and nothing in the same world where it is whole.
fn is_caught(mutant: Mutant) -> Result<(), String> {
    let Some((run, violation)) = hunt(mutant) else {
        return Err(format!("nobody noticed {mutant:?}"));
    };
    eprintln!("{mutant:?}: seed {} {}", run.seed, violation.rule);
    match run.live() {
        Ok(_) => Ok(()),
        Err(violation) => Err(format!("{run:?} breaks {violation} without {mutant:?} too")),
    }
}

fn hunt(mutant: Mutant) -> Option<(Run, Violation)> {
    let catch = |run: Run| mutant.plant(|| run.live()).err().map(|violation| (run, violation));
    let hint = HINTS.iter().find(|(of, ..)| *of == mutant);
    let hint = hint.map(|(_, seed, faults)| Run { seed: *seed, faults: *faults, bug: None });
    if let Some(caught) = hint.and_then(catch) {
        return Some(caught);
    }
    let worlds = |seed| [true, false].map(|faults| Run { seed, faults, bug: None });
    let found = (0..SEEDS_PER_MUTANT).flat_map(worlds).find_map(catch);
    if let Some((run, _)) = &found {
        eprintln!("hint: (Mutant::{mutant:?}, {}, {}),", run.seed, run.faults);
    }
    found
}
