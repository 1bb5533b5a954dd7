//! Does what a rule says: files first, then noise and waiting, then the reply.

use super::script::{Do, Stdout, Stream};
use super::start::Start;
use super::write::{append_file, make_parent, write_file};
use super::{daemon, defaults, leave, to_stderr};
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const FLOOD_CHUNK_BYTES: u64 = 64 * 1024;

/// How the start ends.
#[derive(Debug, PartialEq)]
pub(super) struct ScriptedEnd {
    pub(super) stdout: Option<Stdout>,
    pub(super) exit: u8,
}

pub(super) fn perform(act: &Do, start: &Start, script: &Path) -> Result<ScriptedEnd, String> {
    if act.default {
        defaults::work(start)?;
    }
    change_files(act, start, script)?;
    if !act.run.is_empty() {
        run_command(&act.run, start);
    }
    if act.spawn_daemon {
        daemon::spawn(script).map_err(|error| format!("cannot leave a daemon behind: {error}"))?;
    }
    if let Some(text) = &act.stderr {
        to_stderr(&start.fill(&text.joined()));
    }
    std::thread::sleep(Duration::from_millis(act.sleep_ms));
    if act.flood_bytes > 0 {
        flood(act.flood_bytes, act.flood_stream);
    }
    if act.hang {
        loop {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }
    Ok(ScriptedEnd { stdout: stdout(act, start), exit: act.exit })
}

/// A failing exit code that does not mention output means no output.
fn stdout(act: &Do, start: &Start) -> Option<Stdout> {
    if let Some(stdout) = &act.stdout {
        return Some(match stdout {
            Stdout::Text(text) => Stdout::Text(start.fill(text)),
            other => other.clone(),
        });
    }
    if let Some(hex) = &act.stdout_hex {
        return Some(Stdout::Bytes(hex.0.clone()));
    }
    (act.reply.is_some() || act.exit == 0).then(|| Stdout::Exact(filled(act.reply.as_ref(), start)))
}

/// A reply with everything the contract asks for. A result of another shape names its role and is left as it is.
pub(super) fn filled(reply: Option<&Value>, start: &Start) -> Value {
    let mut reply = reply.cloned().unwrap_or_else(|| json!({}));
    fill_texts(&mut reply, start);
    let Some(fields) = reply.as_object_mut().filter(|fields| !fields.contains_key("role")) else {
        return reply;
    };
    let status = fields.entry("status").or_insert_with(|| json!("OK")).clone();
    let defaults = json!({
        "summary": format!("{} did its part of {}.", start.role, start.task),
        "artifacts": {},
        "gates": {},
        "next": null,
    });
    let mut artifacts = match leave::commands(start) {
        commands if commands.is_empty() || status != "OK" => json!({}),
        commands => json!({ "commands_to_run": commands }),
    };
    if start.role == "Docs" {
        artifacts["readme_unchanged"] = json!("the change needs no words there");
    }
    if let Some(criteria) =
        start.input.pointer("/task/criteria_to_verify").filter(|_| status == "OK")
    {
        artifacts["verified_criteria"] = criteria.clone();
    }
    let gates = json!({
        "meets_definition_of_done": status == "OK",
        "needs_review": false,
        "needs_tests": false,
        "security_concerns": [],
    });
    add_missing(fields, &defaults);
    if let Some(given) = fields.get_mut("artifacts").and_then(Value::as_object_mut) {
        add_missing(given, &artifacts);
    }
    if let Some(given) = fields.get_mut("gates").and_then(Value::as_object_mut) {
        add_missing(given, &gates);
    }
    reply
}

fn add_missing(fields: &mut serde_json::Map<String, Value>, defaults: &Value) {
    for (key, value) in defaults.as_object().into_iter().flatten() {
        fields.entry(key.clone()).or_insert_with(|| value.clone());
    }
}

fn fill_texts(value: &mut Value, start: &Start) {
    match value {
        Value::String(text) => *text = start.fill(text),
        Value::Array(items) => items.iter_mut().for_each(|item| fill_texts(item, start)),
        Value::Object(fields) => fields.values_mut().for_each(|field| fill_texts(field, start)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn change_files(act: &Do, start: &Start, script: &Path) -> Result<(), String> {
    for (path, text) in &act.write {
        let bytes = start.fill(&text.joined());
        told("write", path, write_file(&start.path(path), bytes.as_bytes()))?;
    }
    let beside = script.parent().unwrap_or(Path::new("."));
    for (path, source) in &act.copy {
        let copied =
            fs::read(beside.join(source)).and_then(|bytes| write_file(&start.path(path), &bytes));
        told("copy", path, copied)?;
    }
    for (path, text) in &act.append {
        told("append to", path, append_file(&start.path(path), &start.fill(&text.joined())))?;
    }
    for (from, to) in &act.rename {
        let to = start.path(to);
        told("rename", from, make_parent(&to).and_then(|()| fs::rename(start.path(from), &to)))?;
    }
    for path in &act.delete {
        told("delete", path, delete(&start.path(path)))?;
    }
    for (path, mode) in &act.chmod {
        let mode = u32::from_str_radix(mode, 8)
            .map_err(|_| format!("{mode:?} is not a mode in octal digits"))?;
        told(
            "chmod",
            path,
            fs::set_permissions(start.path(path), fs::Permissions::from_mode(mode)),
        )?;
    }
    for (path, target) in &act.symlink {
        let link = start.path(path);
        told(
            "symlink",
            path,
            make_parent(&link).and_then(|()| symlink(start.fill(target), &link)),
        )?;
    }
    Ok(())
}

fn told(verb: &str, path: &str, result: io::Result<()>) -> Result<(), String> {
    result.map_err(|error| format!("cannot {verb} {path}: {error}"))
}

fn delete(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

/// Standard output belongs to the reply, so what the command says goes to the log.
fn run_command(argv: &[String], start: &Start) {
    let argv: Vec<String> = argv.iter().map(|word| start.fill(word)).collect();
    let ran = Command::new(&argv[0])
        .args(&argv[1..])
        .current_dir(&start.workspace)
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .status();
    match ran {
        Ok(status) if status.success() => {}
        Ok(status) => to_stderr(&format!("scripted agent: {argv:?} ended with {status}\n")),
        Err(error) => to_stderr(&format!("scripted agent: cannot run {argv:?}: {error}\n")),
    }
}

fn flood(bytes: u64, stream: Stream) {
    let chunk = [b'x'; FLOOD_CHUNK_BYTES as usize];
    let mut out: Box<dyn Write> = match stream {
        Stream::Stdout => Box::new(io::stdout().lock()),
        Stream::Stderr => Box::new(io::stderr().lock()),
    };
    let mut left = bytes;
    while left > 0 {
        let now = left.min(FLOOD_CHUNK_BYTES) as usize;
        // Whoever stops listening has seen enough.
        if out.write_all(&chunk[..now]).is_err() {
            return;
        }
        left -= now as u64;
    }
    let _ = out.flush();
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn played(dir: &Path, act: &str) -> Result<ScriptedEnd, String> {
        let act: Do = serde_json::from_str(act).unwrap();
        perform(&act, &Start::sample(dir, "Coder", "T-001"), &dir.join(".demo/crew.json"))
    }

    #[test]
    fn files_are_changed_in_the_order_of_the_table() {
        let dir = tempfile::tempdir().unwrap();
        write_file(&dir.path().join(".demo/limit.sh"), b"echo ${role}\n").unwrap();
        let act = r#"{
            "write": {".agents-work/{session}/a.md": ["{task}", "{role} {attempt} {dispatch}"], "old": "x"},
            "copy": {"lib/limit.sh": "limit.sh"}, "append": {"old": "y"}, "rename": {"old": "b/new"},
            "delete": [".demo/limit.sh"], "chmod": {"lib/limit.sh": "755"}, "symlink": {"link": "b/new"}
        }"#;
        played(dir.path(), act).unwrap();
        let read = |path: &str| fs::read_to_string(dir.path().join(path)).unwrap();
        assert_eq!(read(".agents-work/2026-11-15_demo/a.md"), "T-001\nCoder 1 7\n");
        assert_eq!(read("lib/limit.sh"), "echo ${role}\n", "a copy is verbatim");
        assert_eq!(read("link"), "xy");
        assert!(!dir.path().join(".demo/limit.sh").exists() && !dir.path().join("old").exists());
        assert_eq!(
            fs::metadata(dir.path().join("lib/limit.sh")).unwrap().permissions().mode() & 0o777,
            0o755
        );
    }

    #[test]
    fn a_reply_is_filled_up_and_an_exact_output_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let reply = |act: &str| match played(dir.path(), act).unwrap().stdout {
            Some(Stdout::Exact(value)) => value,
            other => panic!("{other:?}"),
        };
        let full = reply(
            r#"{"reply": {"status": "BLOCKED", "summary": "{task} stops", "gates": {"needs_tests": true}}}"#,
        );
        assert_eq!(full["summary"], "T-001 stops");
        assert_eq!(
            full["gates"],
            json!({"meets_definition_of_done": false, "needs_review": false, "needs_tests": true, "security_concerns": []})
        );
        assert!(full["artifacts"].is_object() && full["next"].is_null());
        assert_eq!(reply("{}")["status"], "OK");
        assert_eq!(reply(r#"{"stdout": {"status": "OK"}}"#), json!({"status": "OK"}));
        let typed = r#"{"role": "implementor", "outcome": "completed", "summary": "done"}"#;
        assert_eq!(
            reply(&format!(r#"{{"reply": {typed}}}"#)),
            serde_json::from_str::<Value>(typed).unwrap()
        );
    }

    #[test]
    fn a_failing_exit_says_nothing_unless_told_to() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(
            played(dir.path(), r#"{"exit": 75}"#).unwrap(),
            ScriptedEnd { stdout: None, exit: 75 }
        );
        let text = played(dir.path(), r#"{"exit": 1, "stdout": "{role} is lost"}"#).unwrap();
        assert_eq!(text.stdout, Some(Stdout::Text("Coder is lost".into())));
    }

    #[test]
    fn what_cannot_be_done_is_reported_with_its_path() {
        let dir = tempfile::tempdir().unwrap();
        let message = played(dir.path(), r#"{"delete": ["nothing.txt"]}"#).unwrap_err();
        assert!(message.contains("nothing.txt"), "{message}");
    }
}
