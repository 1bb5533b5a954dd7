//! The spans of a session: the session itself, its steps, and in them each attempt, run of checks and question.

use super::wire::{Attribute, SpanKind};
use crate::chronicle::{AttemptSpan, Chronicle, What};
use crate::{Opened, OpenedError};
use tollgate_contract::config::{Adapter, Config};
use tollgate_core::event::Event;
use tollgate_core::sanitize::terminal_line;
use tollgate_core::time::Timestamp;
use tollgate_core::view::{SpendView, Standing, View};
use tollgate_files::hash_bytes;
use tollgate_host::client::Client;
use tollgate_host::settings;

/// Names and ids of others are cut here.
const NAME_CHARS_MAX: usize = 200;
const TRACE_ID_CHARS: usize = 32;
const SPAN_ID_CHARS: usize = 16;
/// The key of the span that all others are in.
const ROOT: &str = "session";

#[derive(Debug)]
pub(super) struct Trace {
    pub id: String,
    pub repository: String,
    pub spans: Vec<TraceSpan>,
}

#[derive(Debug)]
pub(super) struct TraceSpan {
    /// Names it within the trace, the same however often it is asked.
    pub key: String,
    pub parent: Option<String>,
    pub name: String,
    pub kind: SpanKind,
    pub from: Timestamp,
    pub until: Timestamp,
    pub is_finished: bool,
    pub attributes: Vec<Attribute>,
    pub error: Option<String>,
}

impl Trace {
    /// Reads the journal from its beginning.
    pub fn of(opened: &Opened) -> Result<Self, OpenedError> {
        let mut client = Client::open(opened.layout().clone())?;
        let mut reading = Reading::default();
        client.follow(|told| {
            if told.seq == 1 {
                reading.first = told.hash.to_owned();
            }
            if let Event::StepEntered { index } = told.event {
                let state = told.now.state_of_step(*index).map(|state| state.to_string());
                reading.steps.push((told.at, state.unwrap_or_default()));
            }
            reading.chronicle.take(&told);
            let step = reading.steps.len().checked_sub(1);
            reading.step_of.resize(reading.chronicle.spans.len(), step);
        })?;
        let view = client.seen().ok_or(OpenedError::NotBegun)?;
        let config = settings::config(&opened.repo.layout()).ok();
        let maker = Maker { reading, view, config };
        Ok(Self {
            id: hex(&[maker.view.session.as_str(), &maker.reading.first], TRACE_ID_CHARS),
            repository: terminal_line(&opened.repo.name, NAME_CHARS_MAX),
            spans: maker.spans(),
        })
    }

    pub fn id_of(&self, key: &str) -> String {
        hex(&[&self.id, key], SPAN_ID_CHARS)
    }
}

fn hex(parts: &[&str], chars: usize) -> String {
    hash_bytes(parts.join("\n").as_bytes()).as_str().chars().take(chars).collect()
}

/// What the journal tells.
#[derive(Default)]
struct Reading {
    /// The hash of the first record, which no other session has.
    first: String,
    /// When each step was entered, by its state.
    steps: Vec<(Timestamp, String)>,
    chronicle: Chronicle,
    /// The step that each span of the chronicle began in.
    step_of: Vec<Option<usize>>,
}

struct Maker {
    reading: Reading,
    view: View,
    /// As it is now: the journal has the names of agents, and the settings their models.
    config: Option<Config>,
}

impl Maker {
    fn spans(&self) -> Vec<TraceSpan> {
        let mut spans = vec![self.session()];
        spans.extend((0..self.reading.steps.len()).map(|index| self.step(index)));
        let all = self.reading.chronicle.spans.iter().zip(&self.reading.step_of);
        for (span, step) in all {
            let (until, is_finished) = self.end(span.until);
            let parent = step.map_or_else(|| ROOT.to_owned(), |index| format!("step {index}"));
            let (from, until) = (span.from, until.max(span.from));
            let part = match &span.what {
                What::Attempt(attempt) => self.attempt(attempt),
                What::Checks { number, of, commands, passed, .. } => {
                    checks(number.0, of, commands.len(), *passed)
                }
                What::Question { id, kind, round, status, by_person } => Part {
                    key: format!("question {id} {round}"),
                    name: format!("question {kind}"),
                    kind: SpanKind::Internal,
                    attributes: vec![
                        attribute("tollgate.decision.id", id.as_str()),
                        attribute("tollgate.decision.kind", kind.to_string()),
                        attribute("tollgate.decision.round", u64::from(*round)),
                        attribute("tollgate.decision.by_person", *by_person),
                    ]
                    .into_iter()
                    .chain(status.map(|it| attribute("tollgate.decision.status", it.to_string())))
                    .collect(),
                    error: None,
                },
            };
            let Part { key, name, kind, attributes, error } = part;
            let parent = Some(parent);
            spans.push(TraceSpan {
                key,
                parent,
                name,
                kind,
                from,
                until,
                is_finished,
                attributes,
                error,
            });
        }
        spans
    }

    /// When something ended, and whether it did: with the session everything has.
    fn end(&self, until: Option<Timestamp>) -> (Timestamp, bool) {
        let is_over = self.view.route.standing.is_over();
        (until.unwrap_or(self.view.updated_at), until.is_some() || is_over)
    }

    fn session(&self) -> TraceSpan {
        let View { session, route, costs, .. } = &self.view;
        let (until, is_finished) = self.end(None);
        let mut attributes = vec![
            attribute("gen_ai.operation.name", "invoke_workflow"),
            attribute("gen_ai.workflow.name", line(&route.action)),
            attribute("gen_ai.conversation.id", session.as_str()),
            attribute("tollgate.mode", route.mode.to_string()),
            attribute("tollgate.state", route.state.to_string()),
            attribute("tollgate.standing", route.standing.to_string()),
        ];
        attributes.extend(totals(&costs.spend));
        let code = self.view.blocker.as_ref().map(|blocker| blocker.code.to_string());
        let is_failed = matches!(route.standing, Standing::Blocked | Standing::Cancelled);
        TraceSpan {
            key: ROOT.to_owned(),
            parent: None,
            name: format!("invoke_workflow {}", line(&route.action)),
            kind: SpanKind::Internal,
            from: self.view.opened_at,
            until,
            is_finished,
            attributes,
            error: code.filter(|_| is_failed),
        }
    }

    fn step(&self, index: usize) -> TraceSpan {
        let (from, state) = &self.reading.steps[index];
        let next = self.reading.steps.get(index + 1).map(|(at, _)| *at);
        let (until, is_finished) = self.end(next);
        TraceSpan {
            key: format!("step {index}"),
            parent: Some(ROOT.to_owned()),
            name: format!("step {state}"),
            kind: SpanKind::Internal,
            from: *from,
            until,
            is_finished,
            attributes: vec![attribute("tollgate.state", state.as_str())],
            error: None,
        }
    }

    fn attempt(&self, attempt: &AttemptSpan) -> Part {
        let (number, of) = (attempt.number.0, attempt.attempt.0);
        let role = line(&attempt.called);
        let settings = attempt.agent.as_deref().and_then(|name| self.config.as_ref()?.agent(name));
        let adapter = settings.map(|(_, agent)| agent.adapter);
        let mut attributes = vec![
            attribute("gen_ai.operation.name", "invoke_agent"),
            attribute("gen_ai.agent.name", role.as_str()),
            attribute("gen_ai.provider.name", adapter.map_or("unknown", provider)),
            attribute("gen_ai.conversation.id", self.view.session.as_str()),
            attribute("tollgate.role", attempt.role.as_str()),
            attribute("tollgate.task", attempt.task.to_string()),
            attribute("tollgate.dispatch", u64::from(number)),
            attribute("tollgate.attempt", u64::from(of)),
        ];
        let model = settings.and_then(|(_, agent)| agent.model.as_deref());
        attributes.extend(model.map(|model| attribute("gen_ai.request.model", line(model))));
        let agent = attempt.agent.as_deref();
        attributes.extend(agent.map(|name| attribute("tollgate.agent", line(name))));
        let usage = &attempt.usage;
        let counts = [
            ("gen_ai.usage.input_tokens", usage.input_tokens),
            ("gen_ai.usage.output_tokens", usage.output_tokens),
            ("tollgate.cost.micro_usd", usage.micro_usd),
            ("tollgate.wall_ms", usage.wall_ms),
            ("tollgate.changed_files", attempt.replied.then_some(attempt.changed as u64)),
        ];
        attributes
            .extend(counts.into_iter().filter_map(|(key, count)| Some(attribute(key, count?))));
        attributes.extend(attempt.end.map(|end| attribute("tollgate.end", end)));
        Part {
            key: format!("attempt {number} {of}"),
            name: format!("invoke_agent {role}"),
            // The agent is another process.
            kind: SpanKind::Client,
            attributes,
            error: attempt.end.filter(|end| is_failure(end)).map(str::to_owned),
        }
    }
}

/// What differs between the spans of a step.
struct Part {
    key: String,
    name: String,
    kind: SpanKind,
    attributes: Vec<Attribute>,
    error: Option<String>,
}

fn checks(number: u32, of: &str, commands: usize, passed: Option<bool>) -> Part {
    let mut attributes = vec![
        attribute("tollgate.checks.of", line(of)),
        attribute("tollgate.checks.number", u64::from(number)),
        attribute("tollgate.checks.commands", commands as u64),
    ];
    attributes.extend(passed.map(|passed| attribute("tollgate.checks.passed", passed)));
    Part {
        key: format!("checks {number}"),
        name: format!("checks {}", line(of)),
        kind: SpanKind::Internal,
        attributes,
        error: (passed == Some(false)).then(|| "checks_failed".to_owned()),
    }
}

/// Of all attempts together. The attempts have the names of the conventions, so that nobody counts them twice.
fn totals(spend: &SpendView) -> impl Iterator<Item = Attribute> {
    let counts = [
        ("tollgate.total.input_tokens", spend.input_tokens),
        ("tollgate.total.output_tokens", spend.output_tokens),
        ("tollgate.total.attempts", Some(u64::from(spend.attempts))),
    ];
    counts.into_iter().filter_map(|(key, count)| Some(attribute(key, count?)))
}

/// Whoever was told to stop or waits has not failed.
fn is_failure(end: &str) -> bool {
    !matches!(end, "replied" | "parked" | "stopped" | "interrupted")
}

/// As the conventions name those that they know; the others by their adapter.
fn provider(adapter: Adapter) -> &'static str {
    match adapter {
        Adapter::Claude => "anthropic",
        Adapter::Codex => "openai",
        Adapter::Gemini => "gcp.gemini",
        Adapter::Opencode
        | Adapter::Copilot
        | Adapter::Qwen
        | Adapter::Goose
        | Adapter::Acp
        | Adapter::Command
        | Adapter::Manual => adapter.as_str(),
    }
}

fn attribute(key: &'static str, value: impl Into<super::wire::AnyValue>) -> Attribute {
    Attribute { key, value: value.into() }
}

fn line(text: &str) -> String {
    terminal_line(text, NAME_CHARS_MAX)
}
