//! Rules of `decide` that can be broken on purpose, one at a time: the simulator must notice each. Only with the feature
//! `mutants`, which nothing that is shipped turns on; without it every rule holds, and the compiler removes the question.

/// A rule that is wrong, named by what it does then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutant {
    // Commands and answers.
    HearsACommandTwice,
    TakesAnAnswerOfAnEarlierRound,
    LeavesDispatchesOpenAfterACancel,
    ForgetsWhatWasRejected,
    PassesTheReviewForAnotherRole,
    CallsAWaivedCriterionMet,
    // Replies.
    BelievesAnOkWithForbiddenChanges,
    TakesABlockedReviewForAnOk,
    AnswersForThePersonAboutSecurity,
    PassesAReviewOverItsNotes,
    AsksNobodyWhatAnAgentNeedsToKnow,
    BringsNobody,
    // Lean work.
    StaysLeanWithManyFiles,
    StaysLeanOnASensitivePath,
    // Budgets, limits, and who is out of them.
    RepairsTheSameFindingForEver,
    RepairsWithoutABudget,
    RetriesWithoutAStartLeft,
    TakesALimitForAFailure,
    StartsBeyondALimit,
    StartsAnAgentThatIsOut,
    // Gates and corrections.
    KeepsAnApprovalUnderAnotherStage,
    KeepsAnApprovalOfAnotherFile,
    ShowsNothingAtAGate,
    KeepsAStrategyForAnotherPlan,
    SendsACorrectionToEverybody,
    // Severity, and who looks again.
    AcceptsACriticalFinding,
    PassesOverAHighFinding,
    DoesNotLookAgainAfterARepair,
    DoesNotReviewAgainAfterAChange,
    // Findings.
    TakesADesignWithSomethingGrave,
    ForgetsAGraveFindingWithItsTask,
    // Checks.
    ChecksInACloneOfAnOldCommit,
    CallsEveryFailureOld,
    RepairsNothingForARedCheck,
    RepairsACheckThatCannotRun,
    RepairsAnOldFailureUnasked,
    TakesTooLittleCoverage,
    CallsACheckFixedThatDidNotRun,
    // The end.
    ClosesOnUnreviewedWork,
    ForgetsWhoObjected,
    ClosesOnUnauditedWork,
    ClosesWithoutAReport,
    ClosesOverAWeakenedTest,
    // Tasks, alone and beside each other.
    StartsATaskBeforeWhatItBuildsOn,
    LeavesOutTheAuditOfATask,
    IgnoresThatTasksOverlap,
    RunsWhatClashedBesideOthers,
    PassesTheBarrierEarly,
    // Scope.
    ContinuesBesideACoderWithAWiderScope,
    AsksAgainForWhatIsRefused,
    TakesARemarkAboutScopeForAnObjection,
    // Steps.
    SkipsARoleThatIsWanted,
}

#[cfg(not(feature = "mutants"))]
impl Mutant {
    pub(crate) const fn is_planted(self) -> bool {
        false
    }
}

#[cfg(feature = "mutants")]
thread_local! {
    static PLANTED: std::cell::Cell<Option<Mutant>> = const { std::cell::Cell::new(None) };
    static ASKED: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// No life asks for a rule this often.
#[cfg(feature = "mutants")]
const ASKED_MAX: u32 = 30_000;

#[cfg(feature = "mutants")]
impl Mutant {
    pub const ALL: [Self; 52] = [
        Self::HearsACommandTwice,
        Self::TakesAnAnswerOfAnEarlierRound,
        Self::LeavesDispatchesOpenAfterACancel,
        Self::ForgetsWhatWasRejected,
        Self::PassesTheReviewForAnotherRole,
        Self::CallsAWaivedCriterionMet,
        Self::BelievesAnOkWithForbiddenChanges,
        Self::TakesABlockedReviewForAnOk,
        Self::AnswersForThePersonAboutSecurity,
        Self::PassesAReviewOverItsNotes,
        Self::AsksNobodyWhatAnAgentNeedsToKnow,
        Self::BringsNobody,
        Self::StaysLeanWithManyFiles,
        Self::StaysLeanOnASensitivePath,
        Self::RepairsTheSameFindingForEver,
        Self::RepairsWithoutABudget,
        Self::RetriesWithoutAStartLeft,
        Self::TakesALimitForAFailure,
        Self::StartsBeyondALimit,
        Self::StartsAnAgentThatIsOut,
        Self::KeepsAnApprovalUnderAnotherStage,
        Self::KeepsAnApprovalOfAnotherFile,
        Self::ShowsNothingAtAGate,
        Self::KeepsAStrategyForAnotherPlan,
        Self::SendsACorrectionToEverybody,
        Self::AcceptsACriticalFinding,
        Self::PassesOverAHighFinding,
        Self::DoesNotLookAgainAfterARepair,
        Self::DoesNotReviewAgainAfterAChange,
        Self::TakesADesignWithSomethingGrave,
        Self::ForgetsAGraveFindingWithItsTask,
        Self::ChecksInACloneOfAnOldCommit,
        Self::CallsEveryFailureOld,
        Self::RepairsNothingForARedCheck,
        Self::RepairsACheckThatCannotRun,
        Self::RepairsAnOldFailureUnasked,
        Self::TakesTooLittleCoverage,
        Self::CallsACheckFixedThatDidNotRun,
        Self::ClosesOnUnreviewedWork,
        Self::ForgetsWhoObjected,
        Self::ClosesOnUnauditedWork,
        Self::ClosesWithoutAReport,
        Self::ClosesOverAWeakenedTest,
        Self::StartsATaskBeforeWhatItBuildsOn,
        Self::LeavesOutTheAuditOfATask,
        Self::IgnoresThatTasksOverlap,
        Self::RunsWhatClashedBesideOthers,
        Self::PassesTheBarrierEarly,
        Self::ContinuesBesideACoderWithAWiderScope,
        Self::AsksAgainForWhatIsRefused,
        Self::TakesARemarkAboutScopeForAnObjection,
        Self::SkipsARoleThatIsWanted,
    ];

    /// Also says stop to an engine that would decide for ever.
    pub(crate) fn is_planted(self) -> bool {
        let is_it = PLANTED.get() == Some(self);
        if is_it {
            let asked = ASKED.get() + 1;
            assert!(asked < ASKED_MAX, "{self:?} never comes to an end");
            ASKED.set(asked);
        }
        is_it
    }

    /// Breaks this rule on this thread until the closure returns.
    pub fn plant<T>(self, during: impl FnOnce() -> T) -> T {
        PLANTED.set(Some(self));
        ASKED.set(0);
        let value = during();
        PLANTED.set(None);
        value
    }
}
