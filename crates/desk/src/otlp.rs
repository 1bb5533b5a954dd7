//! A session as a trace of OpenTelemetry: OTLP in JSON, by the conventions for generative AI. Nothing that anybody said is in it.

mod trace;
mod wire;

use super::{Opened, OpenedError};
use std::collections::BTreeSet;
use trace::Trace;

/// What a collector does not have yet.
#[derive(Debug)]
pub struct Unsent {
    /// The id of the trace.
    pub trace: String,
    pub json: String,
    /// Of the spans in it.
    pub ids: Vec<String>,
}

/// All of a session, as the body of one request to `/v1/traces`. What is not finished ends with the last record.
pub fn otlp_json(opened: &Opened) -> Result<String, OpenedError> {
    let trace = Trace::of(opened)?;
    Ok(wire::request(&trace, trace.spans.iter()))
}

/// What is finished and not among those that were sent of this trace; none where that is nothing. A collector takes each span once,
/// so a span comes when it is finished, and the one of the session when the session is over.
pub fn unsent(
    opened: &Opened,
    sent_of: &str,
    sent: &BTreeSet<String>,
) -> Result<Option<Unsent>, OpenedError> {
    let trace = Trace::of(opened)?;
    let was_sent = |id: &String| trace.id == sent_of && sent.contains(id);
    let new =
        || trace.spans.iter().filter(|span| span.is_finished && !was_sent(&trace.id_of(&span.key)));
    if new().next().is_none() {
        return Ok(None);
    }
    let ids = new().map(|span| trace.id_of(&span.key)).collect();
    let json = wire::request(&trace, new());
    Ok(Some(Unsent { trace: trace.id, json, ids }))
}
