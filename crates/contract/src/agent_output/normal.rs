//! Turns every form of answer into the one reply that the machine knows.

use super::results::{ImplementorResult, ImplementorRole, Outcome, PlannerResult, PlannerRole};
use super::results::{ResultComment, ReviewVerdict, ReviewerResult};
use super::wire::{
    AgentOutput, CommentSeverity, EarlierAnswer, FindingWire, Line, PlanWire, Question,
    ReviewComment, UsageWire,
};
use super::{ReplyKind, ReplyRead, ScopeRequest, requests};
use serde_json::Value;
use tollgate_core::answer::says_something;
use tollgate_core::earlier::EarlierWord;
use tollgate_core::id::FindingId;
use tollgate_core::reply::{
    AgentQuestion, LooksWanted, Reply, ReplyStatus, ReportedFinding, Severity,
};

pub(super) fn universal(output: AgentOutput) -> ReplyRead {
    let artifacts = output.artifacts;
    let comments = artifacts.review_comments.unwrap_or_default().into_iter().map(comment);
    let findings = artifacts.findings.unwrap_or_default().into_iter().map(finding);
    let mut reported: Vec<ReportedFinding> = comments.chain(findings).collect();
    reported.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let looks = LooksWanted {
        review: output.gates.needs_review.unwrap_or_default(),
        tests: output.gates.needs_tests.unwrap_or_default(),
        security: output.gates.security_concerns.iter().flatten().filter_map(concern).collect(),
    };
    let next = output.next.map(|next| (next.recommended_agent, next.reason));
    let (recommended_agent, recommended_why) = next.unwrap_or_default();
    let recommended_agent = recommended_agent.map(|word| word.0);
    let recommended_why = recommended_why.and_then(said);
    let reply = Reply {
        status: output.status.0,
        summary: output.summary,
        findings: reported,
        notes: artifacts.notes.unwrap_or_default(),
        commands: artifacts
            .commands_to_run
            .unwrap_or_default()
            .into_iter()
            .filter_map(said)
            .collect(),
        questions: artifacts
            .questions
            .unwrap_or_default()
            .into_iter()
            .filter_map(question)
            .collect(),
        scope_requests: Vec::new(),
        earlier: artifacts
            .earlier_findings
            .unwrap_or_default()
            .into_iter()
            .filter_map(earlier)
            .collect(),
        recommended_agent,
        recommended_why,
        manual_steps: artifacts
            .manual_steps
            .unwrap_or_default()
            .into_iter()
            .filter_map(said)
            .collect(),
        looks,
        readme_unchanged: artifacts.readme_unchanged.and_then(said),
        verified_criteria: artifacts.verified_criteria.unwrap_or_default(),
        usage: output.usage.unwrap_or_default().into(),
    };
    let planner = output.plan.map(planned);
    let declares = output.incidental.is_some() || output.scope_corrections.is_some();
    let implementor = declares.then(|| ImplementorResult {
        role: ImplementorRole::Implementor,
        outcome: Outcome::Completed,
        summary: reply.summary.clone(),
        incidental: output.incidental,
        scope_corrections: output.scope_corrections,
        usage: None,
        scope_request: None,
    });
    ReplyRead { planner, implementor, ..read(reply, ReplyKind::Universal, output.scope_request) }
}

/// The plan as the typed result has it.
fn planned(plan: PlanWire) -> PlannerResult {
    let PlanWire { create, close, update } = plan;
    let role = PlannerRole::Planner;
    PlannerResult { role, create, close, update, usage: None, scope_request: None }
}

pub(super) fn planner(result: PlannerResult) -> ReplyRead {
    let summary = format!(
        "{} items to create, {} to close, {} to update",
        result.create.len(),
        result.close.len(),
        result.update.len()
    );
    let reply = plain(ReplyStatus::Ok, summary, Vec::new(), result.usage.clone());
    let read = read(reply, ReplyKind::Planner, result.scope_request.clone());
    ReplyRead { planner: Some(result), ..read }
}

pub(super) fn implementor(result: ImplementorResult) -> ReplyRead {
    let status = match result.outcome {
        Outcome::Completed => ReplyStatus::Ok,
        Outcome::Blocked => ReplyStatus::Blocked,
        Outcome::ValidationFailure => ReplyStatus::Fail,
    };
    let reply = plain(status, result.summary.clone(), Vec::new(), result.usage.clone());
    let read = read(reply, ReplyKind::Implementor, result.scope_request.clone());
    ReplyRead { implementor: Some(result), ..read }
}

pub(super) fn reviewer(result: ReviewerResult) -> ReplyRead {
    let status = match result.review.verdict {
        ReviewVerdict::Approve => ReplyStatus::Ok,
        ReviewVerdict::NeedsChanges => ReplyStatus::Blocked,
    };
    let mut findings: Vec<ReportedFinding> =
        result.review.comments.into_iter().map(result_comment).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let reply = Reply {
        verified_criteria: result.review.verified_criteria.unwrap_or_default(),
        ..plain(status, result.review.summary, findings, result.usage)
    };
    read(reply, ReplyKind::Reviewer, result.scope_request)
}

fn plain(
    status: ReplyStatus,
    summary: String,
    findings: Vec<ReportedFinding>,
    usage: Option<UsageWire>,
) -> Reply {
    Reply { findings, usage: usage.unwrap_or_default().into(), ..Reply::plain(status, summary) }
}

fn read(mut reply: Reply, kind: ReplyKind, requests: Option<Vec<ScopeRequest>>) -> ReplyRead {
    reply.scope_requests = requests::merged(requests.unwrap_or_default());
    ReplyRead { reply, kind, planner: None, implementor: None }
}

/// What no finding has for its id says nothing.
fn earlier(answer: EarlierAnswer) -> Option<EarlierWord> {
    let id = answer.id.trim().strip_prefix("F-")?.parse().ok().map(FindingId)?;
    Some(EarlierWord { id, state: answer.state.0, note: answer.note.and_then(said) })
}

/// An entry without words asks nothing.
fn question(question: Question) -> Option<AgentQuestion> {
    let asked = match question {
        Question::Plain(text) => AgentQuestion::plain(text),
        Question::Full(full) => AgentQuestion {
            question: full.question,
            options: full.options.unwrap_or_default().into_iter().filter_map(said).collect(),
            recommended: full.recommended.and_then(said),
        },
    };
    says_something(&asked.question).then_some(asked)
}

fn said(text: String) -> Option<String> {
    says_something(&text).then_some(text)
}

/// A text, or what a value of another form says.
fn concern(value: &Value) -> Option<String> {
    said(concern_text(value))
}

fn concern_text(value: &Value) -> String {
    let joined = |texts: Vec<String>| texts.join(", ");
    match value {
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => joined(items.iter().map(concern_text).collect()),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| format!("{key}: {}", concern_text(value));
            joined(fields.iter().map(field).collect())
        }
    }
}

fn comment(comment: ReviewComment) -> ReportedFinding {
    match comment {
        ReviewComment::Plain(text) => plain_finding(text),
        ReviewComment::Full(full) => {
            let severity = match full.severity {
                Some(CommentSeverity::Blocker) => Severity::Critical,
                Some(CommentSeverity::Major) => Severity::High,
                Some(CommentSeverity::Minor) => Severity::Medium,
                Some(CommentSeverity::Nit) => Severity::Low,
                None => severity_of(&full.message),
            };
            ReportedFinding {
                severity,
                category: full.category.unwrap_or_default(),
                file: given(full.file),
                line: full.line.map(line_text),
                message: full.message,
                fix: given(full.suggested_fix),
                is_nit: full.severity == Some(CommentSeverity::Nit),
            }
        }
    }
}

fn finding(finding: FindingWire) -> ReportedFinding {
    match finding {
        FindingWire::Plain(text) => plain_finding(text),
        FindingWire::Full(full) => ReportedFinding {
            severity: full.severity.map_or_else(|| severity_of(&full.description), |word| word.0),
            category: full.category.unwrap_or_default(),
            file: given(full.file),
            line: full.line.map(line_text),
            message: full.description,
            fix: given(full.recommended_fix),
            is_nit: false,
        },
    }
}

fn result_comment(comment: ResultComment) -> ReportedFinding {
    let file = given(Some(comment.path));
    let line = comment.line.map(line_text);
    ReportedFinding { file, line, ..plain_finding(comment.body) }
}

fn plain_finding(text: String) -> ReportedFinding {
    ReportedFinding {
        severity: severity_of(&text),
        category: String::new(),
        file: None,
        line: None,
        message: text,
        fix: None,
        is_nit: false,
    }
}

/// A complaint without a severity is taken seriously; a warning stops nothing.
pub(super) fn severity_of(text: &str) -> Severity {
    if is_warning(text) { Severity::Low } else { Severity::High }
}

pub(super) fn is_warning(text: &str) -> bool {
    text.trim_start().starts_with("[Warning]")
}

pub(super) fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn line_text(line: Line) -> String {
    match line {
        Line::Number(number) => number.to_string(),
        Line::Text(text) => text,
    }
}
