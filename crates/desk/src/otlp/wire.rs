//! The words of OTLP in JSON: names in camelCase, ids in hex, whole numbers and times as strings.

use super::trace::{Trace, TraceSpan};
use serde::Serialize;
use tollgate_core::time::Timestamp;

/// What a span is to its parent, as `opentelemetry.proto.trace.v1.Span.SpanKind` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanKind {
    Internal = 1,
    Client = 3,
}

const STATUS_ERROR: u8 = 2;

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(clippy::enum_variant_names, reason = "these are the words of the format")]
pub(super) enum AnyValue {
    StringValue(String),
    /// A string, because JSON has no whole numbers of 64 bits.
    IntValue(String),
    BoolValue(bool),
}

impl From<&str> for AnyValue {
    fn from(text: &str) -> Self {
        Self::StringValue(text.to_owned())
    }
}

impl From<String> for AnyValue {
    fn from(text: String) -> Self {
        Self::StringValue(text)
    }
}

impl From<u64> for AnyValue {
    fn from(number: u64) -> Self {
        Self::IntValue(number.to_string())
    }
}

impl From<bool> for AnyValue {
    fn from(is_so: bool) -> Self {
        Self::BoolValue(is_so)
    }
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Attribute {
    pub key: &'static str,
    pub value: AnyValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExportRequest {
    resource_spans: [ResourceSpans; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans {
    resource: Resource,
    scope_spans: [ScopeSpans; 1],
}

#[derive(Serialize)]
struct Resource {
    attributes: Vec<Attribute>,
}

#[derive(Serialize)]
struct ScopeSpans {
    scope: Scope,
    spans: Vec<WireSpan>,
}

#[derive(Serialize)]
struct Scope {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireSpan {
    trace_id: String,
    span_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<String>,
    name: String,
    kind: u8,
    start_time_unix_nano: String,
    end_time_unix_nano: String,
    attributes: Vec<Attribute>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
}

#[derive(Serialize)]
struct Status {
    code: u8,
}

/// The body of one request.
pub(super) fn request<'t>(trace: &Trace, spans: impl Iterator<Item = &'t TraceSpan>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let attribute = |key, value: &str| Attribute { key, value: value.into() };
    let request = ExportRequest {
        resource_spans: [ResourceSpans {
            resource: Resource {
                attributes: vec![
                    attribute("service.name", "tollgate"),
                    attribute("service.version", version),
                    attribute("tollgate.repository", &trace.repository),
                ],
            },
            scope_spans: [ScopeSpans {
                scope: Scope { name: "tollgate", version },
                spans: spans.map(|span| wire_span(trace, span)).collect(),
            }],
        }],
    };
    serde_json::to_string(&request).expect("plain structs become JSON")
}

fn wire_span(trace: &Trace, span: &TraceSpan) -> WireSpan {
    let mut attributes = span.attributes.clone();
    if let Some(error) = &span.error {
        attributes.push(Attribute { key: "error.type", value: error.as_str().into() });
    }
    if !span.is_finished {
        attributes.push(Attribute { key: "tollgate.unfinished", value: true.into() });
    }
    WireSpan {
        trace_id: trace.id.clone(),
        span_id: trace.id_of(&span.key),
        parent_span_id: span.parent.as_ref().map(|key| trace.id_of(key)),
        name: span.name.clone(),
        kind: span.kind as u8,
        start_time_unix_nano: nanoseconds(span.from),
        end_time_unix_nano: nanoseconds(span.until),
        attributes,
        status: span.error.as_ref().map(|_| Status { code: STATUS_ERROR }),
    }
}

fn nanoseconds(at: Timestamp) -> String {
    (i128::from(at.as_ms()) * 1_000_000).to_string()
}
