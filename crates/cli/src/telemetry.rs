//! Traces of a session go to the collector that the settings name, whenever the session stops.

use crate::failure::Failure;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use tollgate_contract::config::TelemetryTable;
use tollgate_core::count::counted;
use tollgate_core::notice::NoticeCode;
use tollgate_desk::otlp::{Unsent, unsent};
use tollgate_desk::{Opened, Repo};
use tollgate_files as files;
use tollgate_files::sanitize::terminal_line;
use tollgate_host::serve::{Face, Owner, ServeEnd};
use tollgate_http::{Address, Posted, headers, post};

/// So long the end of a run waits for the collector, with all that is tried again.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same when a person wants it to end.
const PATIENCE_INTERRUPTED: Duration = Duration::from_secs(2);
/// Where collectors take traces.
const PATH: &str = "/v1/traces";
/// Ids of sixteen letters; a longer file is none of ours.
const CACHE_BYTES_MAX: u64 = 16 << 20;
/// Of what a collector says, this much is told.
const WHY_CHARS_MAX: usize = 200;

/// What the collector has. Where it is lost, it gets the same spans once more.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known {
    trace: String,
    sent: BTreeSet<String>,
}

/// Sends what is finished and was not sent. That it fails is a notice, and the session does not depend on it.
pub fn send(owner: &mut Owner, face: &mut dyn Face, ending: ServeEnd) -> Result<(), Failure> {
    let settings = owner.context().config.telemetry.clone();
    let Some(collector) = &settings.otlp else { return Ok(()) };
    let patience = match ending {
        ServeEnd::Interrupted => PATIENCE_INTERRUPTED,
        ServeEnd::Done | ServeEnd::Waiting | ServeEnd::Blocked => PATIENCE,
    };
    let message = match try_to_send(owner, collector, &settings, patience) {
        Ok(rejected) => rejected.map(|Rejected { spans, why }| {
            format!("the collector rejected {spans} of the traces{why}; they are not sent again")
        }),
        Err(why) => Some(format!(
            "the traces could not be sent: {why}; `tollgate resume {}` sends them again",
            owner.parts().name()
        )),
    };
    if let Some(message) = message {
        owner.told_or_unrecorded(face, NoticeCode::TelemetryFailed, message)?;
    }
    Ok(())
}

fn try_to_send(
    owner: &Owner,
    collector: &str,
    settings: &TelemetryTable,
    patience: Duration,
) -> Result<Option<Rejected>, String> {
    let name = owner.parts().name().clone();
    let opened = Opened::open(Repo::at(owner.root()), name).map_err(|error| error.to_string())?;
    let path = opened.layout().traced();
    let known = read(&path);
    let found = unsent(&opened, &known.trace, &known.sent).map_err(|error| error.to_string())?;
    let Some(Unsent { trace, json, ids }) = found else { return Ok(None) };
    let address = Address::parse(&at(collector))
        .map_err(|why| format!("the address of `otlp` cannot be used: {why}"))?;
    let headers = headers(&settings.header_env, |name| std::env::var_os(name))?;
    let posted =
        Posted { content_type: "application/json", headers: &headers, body: json.as_bytes() };
    let answered = post(&address, posted, patience).map_err(|error| error.to_string())?;
    let mut sent = if known.trace == trace { known.sent } else { BTreeSet::new() };
    sent.extend(ids);
    if let Ok(bytes) = serde_json::to_vec(&Known { trace, sent }) {
        // A cache: what cannot be written is sent again.
        let _ = files::write_cache(&path, &bytes);
    }
    Ok(Rejected::read(&answered.body))
}

/// Spans that a collector took and threw away. The protocol forbids to send them again.
struct Rejected {
    /// Such as `2 spans`.
    spans: String,
    /// With a colon before it, where it says why.
    why: String,
}

impl Rejected {
    fn read(body: &[u8]) -> Option<Self> {
        let body: Value = serde_json::from_slice(body).ok()?;
        let said = &body["partialSuccess"];
        // JSON has a 64-bit number of the protocol as a text.
        let count = &said["rejectedSpans"];
        let count = count.as_u64().or_else(|| count.as_str()?.parse().ok())?;
        let why = terminal_line(said["errorMessage"].as_str().unwrap_or_default(), WHY_CHARS_MAX);
        let why = if why.is_empty() { why } else { format!(": {why}") };
        (count > 0).then(|| Self { spans: counted(count, "span"), why })
    }
}

fn read(path: &Path) -> Known {
    let bytes = files::read_bounded(path, CACHE_BYTES_MAX).ok();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// As `OTEL_EXPORTER_OTLP_ENDPOINT` is understood: the path belongs behind it.
fn at(collector: &str) -> String {
    let base = collector.trim_end_matches('/');
    if base.ends_with(PATH) { base.to_owned() } else { format!("{base}{PATH}") }
}

#[cfg(test)]
mod tests {
    use super::at;

    #[test]
    fn a_collector_takes_traces_at_its_path() {
        let whole = "https://c.example:4318/v1/traces";
        for text in ["https://c.example:4318", "https://c.example:4318/", whole] {
            assert_eq!(at(text), whole);
        }
        assert_eq!(at("https://c.example/otlp"), "https://c.example/otlp/v1/traces");
    }
}
