//! Journals of every format so far, kept as the program wrote them: each is read, and tells what it told then.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::journal_support::{journal_of, opened};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tollgate_core::event::Event;
use tollgate_core::view::Parts;
use tollgate_host::journal::{self, FORMAT, JournalError};
use tollgate_host::projection::status_json;

/// The name of each event in a journal. The match is exhaustive, so that a new event gets into the list.
macro_rules! events {
    ($($variant:ident = $name:literal,)*) => {
        const EVENTS: &[&str] = &[$($name),*];

        fn name(event: &Event) -> &'static str {
            match event {
                $(Event::$variant { .. } => $name,)*
            }
        }
    };
}

events! {
    SessionOpened = "session_opened",
    SessionImported = "session_imported",
    PolicyAdopted = "policy_adopted",
    ModeChanged = "mode_changed",
    StepEntered = "step_entered",
    StepSkipped = "step_skipped",
    DispatchOpened = "dispatch_opened",
    AttemptStarted = "attempt_started",
    AttemptEnded = "attempt_ended",
    AttemptNoted = "attempt_noted",
    GuidanceGiven = "guidance_given",
    RetryScheduled = "retry_scheduled",
    DispatchClosed = "dispatch_closed",
    MemberReady = "member_ready",
    MergeStarted = "merge_started",
    MergeEnded = "merge_ended",
    BaseMoved = "base_moved",
    BaseMergeStarted = "base_merge_started",
    BaseMergeEnded = "base_merge_ended",
    PlanAdopted = "plan_adopted",
    CriteriaAdopted = "criteria_adopted",
    TaskMoved = "task_moved",
    RepairOpened = "repair_opened",
    ScopeExtended = "scope_extended",
    ScopeRefused = "scope_refused",
    StepReopened = "step_reopened",
    GatePassed = "gate_passed",
    ChecksStarted = "checks_started",
    ChecksEnded = "checks_ended",
    CheckWaived = "check_waived",
    CheckTakenOn = "check_taken_on",
    CheckReplaced = "check_replaced",
    CoverageSettled = "coverage_settled",
    EvidenceNamed = "evidence_named",
    EvidenceWaived = "evidence_waived",
    SeverityPassed = "severity_passed",
    StageDeclared = "stage_declared",
    FindingRecorded = "finding_recorded",
    FindingSettled = "finding_settled",
    AssumptionNoted = "assumption_noted",
    ManualStepNoted = "manual_step_noted",
    LookWanted = "look_wanted",
    KnownIssueNoted = "known_issue_noted",
    CriterionSettled = "criterion_settled",
    DecisionAsked = "decision_asked",
    DecisionResolved = "decision_resolved",
    AnswerKept = "answer_kept",
    CorrectionMoved = "correction_moved",
    ManualChecksSettled = "manual_checks_settled",
    BudgetExtended = "budget_extended",
    Blocked = "blocked",
    Unblocked = "unblocked",
    FilesEdited = "files_edited",
    Noticed = "noticed",
    OlderJournalAccepted = "older_journal_accepted",
    SessionClosed = "session_closed",
}

fn journals() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journals");
    let below = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let files = below(&folder).into_iter().filter(|path| path.is_dir()).flat_map(|f| below(&f));
    let mut journals: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    journals.sort();
    assert!(journals.len() > 20, "{journals:?}");
    journals
}

#[test]
fn a_journal_of_every_format_tells_what_it_told_when_it_was_written() {
    for path in journals() {
        let read = journal::read(&path).unwrap_or_else(|error| panic!("{error}"));
        assert!(read.torn.is_none(), "{}", path.display());
        let session = journal::replay(&path, &read.records).unwrap();
        let status = String::from_utf8(status_json(Parts::of(&session))).unwrap();
        expect_test::expect_file![path.with_extension("status.json")].assert_eq(&status);
    }
}

#[test]
fn every_event_occurs_in_a_kept_journal() {
    let mut seen = BTreeSet::new();
    for path in journals() {
        for record in journal::read(&path).unwrap().records {
            let tag = serde_json::to_value(&record.event).unwrap()["type"].clone();
            assert_eq!(tag, name(&record.event));
            seen.insert(name(&record.event));
        }
    }
    let missing: Vec<&&str> = EVENTS.iter().filter(|name| !seen.contains(**name)).collect();
    assert!(
        missing.is_empty(),
        "no kept journal has {missing:?}; tests/journals/README.md says how to add one"
    );
}

#[test]
fn the_first_record_names_the_format_and_no_other_does() {
    let folder = TempDir::new().unwrap();
    let text = fs::read_to_string(journal_of(&folder, &[2, 1])).unwrap();
    let formats: Vec<Option<u64>> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["format"].as_u64())
        .collect();
    assert_eq!(formats, [Some(u64::from(FORMAT)), None, None]);
}

#[test]
fn a_journal_of_a_newer_format_is_refused_before_anything_is_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("journal.jsonl");
    // Nothing but the number of the format is as this version knows it, and its tail is torn.
    let newer = format!(
        "{{\"seq\":1,\"at\":\"2030-01-01T00:00:00.000Z\",\"format\":{},\"event\":{{\"kind\":\"begun\"}},\"sum\":\"x\"}}\n{{\"se",
        FORMAT + 1
    );
    fs::write(&path, &newer).unwrap();
    for error in [journal::read(&path).err(), opened(&path).err()] {
        let error = error.expect("it is refused");
        assert!(
            matches!(error, JournalError::Newer { format, .. } if format == FORMAT + 1),
            "{error}"
        );
        assert!(error.to_string().contains("Update Tollgate"), "{error}");
    }
    assert!(journal::has_begun(&path).unwrap());
    assert_eq!(fs::read_to_string(&path).unwrap(), newer);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was set aside");
}
