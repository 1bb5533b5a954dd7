//! Lines of nobody, told to an adapter: the first byte chooses it, the rest are its lines, and what is no JSON is said on its
//! standard error.
#![no_main]

#[path = "../../crates/agents/tests/agent_support/properties.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;
use properties::{plan, told};
use tollgate_agents::AgentExit;

fuzz_target!(|input: &[u8]| {
    let Some((first, rest)) = input.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let (mut lines, mut asides) = (Vec::new(), Vec::new());
    for line in text.lines() {
        match serde_json::from_str(line) {
            Ok(value) => lines.push(value),
            Err(_) => asides.push(line),
        }
    }
    let code = asides.last().map(|line| i32::try_from(line.len() % 256).unwrap_or(0));
    let exit = AgentExit { code, signal: None, stderr_tail: asides.join("\n") };
    let agents: Vec<_> = tollgate_agents::all().collect();
    let plan = plan(agents[usize::from(*first) % agents.len()].kind());
    told(&plan, &lines, &asides, &exit);
});
