//! Serves a script until it is killed: `cargo run -p tollgate-standin --example serve -- SCRIPT.json PORT [LOG.jsonl]`.
//!
//! `two-files.json` beside this file is such a script. Prints the address, then one line per request. With a log file,
//! each request goes there as a line of JSON.

#![allow(clippy::print_stdout, reason = "an example talks to whoever started it")]

use std::io::Write;
use std::process::ExitCode;
use tollgate_standin::{Script, Service};

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("serve: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(script), Some(port)) = (arguments.next(), arguments.next()) else {
        return Err("usage: serve SCRIPT.json PORT [LOG.jsonl]".into());
    };
    let script: Script = serde_json::from_slice(&std::fs::read(script)?)?;
    let service = Service::start_on(port.parse()?, script)?;
    let mut log = match arguments.next() {
        Some(path) => Some(std::fs::File::create(path)?),
        None => None,
    };
    println!("{}", service.address());
    let mut seen = 0;
    loop {
        for request in service.requests_after(seen) {
            seen = request.number;
            println!(
                "{} {} {} {:?} results={} rule={} status={:?}",
                request.number,
                request.method,
                request.path,
                request.kind,
                request.tool_results,
                request.rule.as_deref().unwrap_or("-"),
                request.status,
            );
            if let Some(log) = &mut log {
                writeln!(log, "{}", serde_json::to_string(&request)?)?;
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}
