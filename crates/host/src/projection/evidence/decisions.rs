//! gate-decisions.md: what was asked, what was shown, what was answered and why; gates passed, findings settled.

use super::words::code;
use super::{heading, item};
use tollgate_core::decision::{Decision, Resolution};
use tollgate_core::event::Event;
use tollgate_core::id::DecisionId;
use tollgate_core::time::Timestamp;
use tollgate_core::words;

pub(super) fn entry(at: Timestamp, event: &Event) -> String {
    match event {
        Event::DecisionAsked { decision } => asked(at, decision),
        Event::DecisionResolved { id, resolution } => resolved(at, id, resolution),
        Event::AnswerKept { decision, answer, .. } => {
            heading(at, &format!("{decision} was answered before it was asked"))
                + &item("answer", answer)
        }
        Event::GatePassed { task, role } => {
            format!("\n{at} {role} has no more findings in {task:#}.\n")
        }
        Event::SeverityPassed { step, tracked, justification } => {
            let why = justification.as_deref().map(|text| format!(", justified: {}", code(text)));
            let why = why.unwrap_or_default();
            format!(
                "\n{at} The severity gate of step {} is passed{why}; {} tracked.\n",
                step + 1,
                tollgate_core::count::counted(tracked.len(), "finding")
            )
        }
        Event::CoverageSettled { minimum, reason } => {
            let part = minimum % 100;
            let reason = code(reason);
            format!(
                "\n{at} The minimum coverage for this session is {}.{part:02} %: {reason}\n",
                minimum / 100
            )
        }
        Event::EvidenceNamed { command } => {
            format!("\n{at} A person named a command as evidence: {}\n", code(command))
        }
        Event::EvidenceWaived { reason } => {
            format!("\n{at} A person does without evidence: {}\n", code(reason))
        }
        Event::FindingRecorded { finding } => {
            let report = &finding.report;
            let place = report.file.as_deref().map(code).unwrap_or_else(|| "no file".to_owned());
            format!(
                "\n{at} Finding {} of {} for {:#}: {} at {place}, {}: {}\n",
                finding.id,
                finding.source(),
                finding.task,
                report.severity,
                finding.status,
                code(&report.message),
            )
        }
        Event::FindingSettled { id, status, reason } => {
            let reason = reason.as_deref().map(|reason| format!(", reason {}", code(reason)));
            format!("\n{at} Finding {id} is {status}{}.\n", reason.unwrap_or_default())
        }
        Event::CriterionSettled { id, result } => {
            let (word, why) = words::criterion(result);
            format!("\n{at} Criterion {} is {word}: {}\n", code(id), code(why))
        }
        Event::ManualChecksSettled { checks } => {
            let checks: Vec<String> = checks.iter().map(|check| code(check)).collect();
            format!("\n{at} Manual checks are settled: {}\n", checks.join(", "))
        }
        Event::BudgetExtended => {
            format!("\n{at} A person allowed one more dispatch beyond the limits.\n")
        }
        _ => String::new(),
    }
}

fn asked(at: Timestamp, decision: &Decision) -> String {
    let mut text = heading(at, &format!("{} ({}) is asked", decision.decision_id, decision.kind));
    text.push_str(&item("question", &decision.question));
    text.push_str(&format!("- asked at: {}\n", decision.asked_at));
    text.push_str(&format!("- asked in: {}\n", decision.state_context));
    for artefact in &decision.shown {
        text.push_str(&format!("- shown: {} sha256 {}\n", code(&artefact.path), artefact.sha256));
    }
    for option in &decision.options {
        let consequence = code(&option.consequence);
        text.push_str(&format!("- option: {}, {consequence}\n", code(&option.answer)));
    }
    text.push_str("- status: pending\n");
    text
}

fn resolved(at: Timestamp, id: &DecisionId, resolution: &Resolution) -> String {
    let mut text = heading(at, &format!("{id} is {}", resolution.status));
    text.push_str(&format!("- status: {}\n", resolution.status));
    text.push_str(&item("answer", resolution.answer.as_deref().unwrap_or_default()));
    text.push_str(&item("reason", resolution.reason.as_deref().unwrap_or_default()));
    if let Some(resolved_at) = resolution.resolved_at {
        text.push_str(&format!("- resolved at: {resolved_at}\n"));
    }
    if let Some(stage) = &resolution.stage {
        text.push_str(&item("lifecycle stage", stage));
    }
    let by = if resolution.command.is_some() { "a person" } else { "a rule of Tollgate" };
    text.push_str(&format!("- resolved by: {by}\n"));
    text
}
