//! Agent programs that misbehave, driven through the real program: what they leave behind, hide, flood and never say.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::support;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use support::processes::{CHILD, alive, expect_gone};
use support::pty::Terminal;
use support::{Ran, Repo, eventually, files_below};

/// What a program can do that speaks like Claude Code.
const WORDS: &str = r#"
test "$1" = --version && echo "2.1.325 (Claude Code)" && exit 0
init() { echo '{"type":"system","subtype":"init","session_id":"s-1","model":"m"}'; }
text() { printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]}}\n' "$1"; }
result() {
  reply=$({tollgate} scripted {crew} < /dev/null | tr '\n' ' ') || exit 1
  printf '{"type":"result","subtype":"success","is_error":false,"structured_output":%s}\n' "$reply"
}
"#;

/// Detached in every way: the name of the folder is in each command line.
const DAEMONS: &str = r#"
daemon() { python3 {child} "$1" {open} < /dev/null > /dev/null 2>&1 & }
daemon setsid; daemon daemon; daemon stubborn
nohup python3 {child} nohup {open} < /dev/null > /dev/null 2>&1 &
for kind in setsid daemon stubborn nohup; do while [ ! -e {open}/$kind ]; do sleep 0.05; done; done
"#;

struct World {
    repo: Repo,
    /// A folder that the program may write.
    open: PathBuf,
}

impl World {
    /// One dispatch of the Researcher by a program like Claude Code that does this.
    fn new(script: &str, settings: &str) -> Self {
        let repo = Repo::with(json!([]));
        let open = repo.counts();
        fs::create_dir_all(&open).unwrap();
        fs::write(repo.outside("child.py"), CHILD).unwrap();
        let program = repo.outside("claude");
        let script = format!("#!/bin/sh\n{WORDS}{script}")
            .replace("{tollgate}", env!("CARGO_BIN_EXE_tollgate"))
            .replace("{crew}", repo.outside("crew.json").to_str().unwrap())
            .replace("{child}", repo.outside("child.py").to_str().unwrap())
            .replace("{open}", open.to_str().unwrap());
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let agent = format!(
            "[roles]\ndefault = \"fake\"\n\n[agent.fake]\nadapter = \"claude\"\nprogram = {program:?}\n\n\
             [retry]\ntransient_base = \"10ms\"\n\n[sandbox]\nwrite = [{open:?}]\n\n{settings}\n"
        );
        repo.write("tollgate.toml", &agent);
        repo.write("agents/actions/README.md", "- [x](x.md)\n");
        let steps = "  - {dispatch: Researcher, state: DESIGN, outputs: [research/]}\n  - {close: done, state: DONE}\n";
        let action =
            format!("---\nname: x\ndescription: One behaviour\nsteps:\n{steps}---\n\n# x\n");
        repo.write("agents/actions/x.md", &action);
        Self { repo, open }
    }

    fn run(&self) -> Ran {
        self.repo.tollgate(&ARGUMENTS)
    }

    /// Runs until all daemons are there.
    fn with_daemons(&self) -> Child {
        let engine = self.repo.start(&ARGUMENTS);
        let kinds = ["setsid", "daemon", "stubborn", "nohup"];
        eventually("all daemons", || kinds.iter().all(|kind| self.open.join(kind).exists()));
        assert!(alive(&self.child()).len() >= kinds.len());
        engine
    }

    fn child(&self) -> String {
        self.repo.outside("child.py").display().to_string()
    }

    /// How each attempt ended.
    fn ends(&self) -> Vec<Value> {
        self.repo.events("attempt_ended").into_iter().map(|mut event| event["end"].take()).collect()
    }

    #[track_caller]
    fn ended(&self, kind: &str) -> Value {
        let ends = self.ends();
        assert!(!ends.is_empty() && ends.iter().all(|end| end["end"] == kind), "{ends:?}");
        ends[0].clone()
    }
}

const ARGUMENTS: [&str; 5] = ["run", "--no-input", "--action", "x", "Make it"];

fn signal(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

// ---- what is left behind

#[test]
fn r112_what_an_agent_program_leaves_ends_with_its_reply_and_holds_nothing_up() {
    // A child with the output in its hands, too.
    let world =
        World::new(&format!("init\n{DAEMONS}\npython3 {{child}} plain {{open}} &\nresult\n"), "");
    world.run().exits(0);
    world.ended("replied");
    expect_gone(&world.child());
}

#[test]
fn r112_what_an_agent_program_leaves_ends_when_its_time_is_up() {
    let script = format!("init\n{DAEMONS}\nsleep 1000\n");
    let world = World::new(&script, "[timeout]\nResearcher = \"5s\"");
    world.run().exits(4);
    world.ended("timed_out");
    expect_gone(&world.child());
}

#[test]
fn r112_what_an_agent_program_leaves_ends_with_an_interrupt() {
    let world = World::new(&format!("init\n{DAEMONS}\nsleep 1000\n"), "");
    let engine = world.with_daemons();
    signal(engine.id().cast_signed(), Signal::INT);
    let output = engine.wait_with_output().unwrap();
    assert!(!output.status.success());
    expect_gone(&world.child());
}

#[test]
fn r112_what_an_agent_program_leaves_ends_with_a_killed_driver() {
    let once = "test -e {open}/once && exec sleep 0\ntouch {open}/once\n";
    let world = World::new(&format!("init\n{once}{DAEMONS}\nsleep 1000\n"), "");
    let engine = world.with_daemons();
    let drivers = alive(&format!(" drive {}", world.repo.root().display()));
    assert!(!drivers.is_empty());
    drivers.into_iter().for_each(|pid| signal(pid, Signal::KILL));
    let ended = engine.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(4), "{}", support::text(&ended.stderr));
    expect_gone(&world.child());
    world.ended("crashed");
}

// ---- what is hidden

#[test]
fn r113_a_secret_beside_an_agent_program_is_nowhere() {
    let shows = "init\nenv >&2\ntext \"$(env | tr '\\n\"\\\\' '   ')\"\nenv > {open}/env\nresult\n";
    let world = World::new(shows, "");
    let mut command = world.repo.command(&ARGUMENTS);
    let ran = support::ran(command.env("PLANTED_TOKEN", "planted-secret-value-0123456789"));
    let ran = ran.exits(0);
    assert!(!ran.out.contains("planted-") && !ran.err.contains("planted-"));
    let seen = fs::read_to_string(world.open.join("env")).unwrap();
    assert!(seen.contains("PATH=") && !seen.contains("PLANTED_TOKEN"), "{seen}");
    let whole = [world.repo.root(), world.repo.outside("state"), world.open.clone()];
    let found = whole.iter().flat_map(|folder| files_below(folder));
    let leaks: Vec<PathBuf> = found
        .filter(|path| String::from_utf8_lossy(&fs::read(path).unwrap()).contains("planted-"))
        .collect();
    assert_eq!(leaks, Vec::<PathBuf>::new());
}

// ---- what is flooded

/// The program looks at its driver; the supervisor is above that, the engine is ours.
const PEAKS: &str = "peaks() { cat /proc/$PPID/status > {open}/driver.$1; }\n";

fn peak_mib(status: &str) -> u64 {
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

fn expect_flood_to_be_stopped(flood: &str) {
    let script = format!(
        "init\n{PEAKS}peaks 0\n({flood}) &\nwhile kill -0 $!; do peaks 1; sleep 0.05; done\nresult"
    );
    let world = World::new(&script, "[limits]\noutput_bytes = 16777216");
    let mut engine = world.repo.start(&ARGUMENTS);
    let mut peak = 0;
    while engine.try_wait().unwrap().is_none() {
        let marker = world.repo.root().display().to_string();
        for pid in alive(&marker).into_iter().chain([engine.id().cast_signed()]) {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            if status.starts_with("Name:\ttollgate") && status.contains("VmHWM:") {
                peak = peak.max(peak_mib(&status));
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let seen = fs::read_to_string(world.open.join("driver.1")).unwrap_or_default();
    if seen.contains("VmHWM:") {
        peak = peak.max(peak_mib(&seen));
    }
    assert!(peak > 0 && peak < 100, "{peak} MiB");
    world.ended("output_limit");
}

#[test]
fn r120_an_agent_program_that_floods_one_line_is_stopped_and_costs_little_memory() {
    expect_flood_to_be_stopped("head -c 1073741824 /dev/zero");
}

#[test]
fn r120_an_agent_program_that_floods_many_lines_is_stopped_and_costs_little_memory() {
    expect_flood_to_be_stopped("yes 'a line of noise that never ends' | head -c 1073741824");
}

#[test]
fn r120_an_agent_program_whose_lines_are_heavy_is_stopped_and_costs_little_memory() {
    let heavy = "python3 -c \"
import sys
line = '[' + '{},' * 2000000 + '0]\\n'
while True: sys.stdout.write(line)\"";
    expect_flood_to_be_stopped(heavy);
}

// ---- what is never said

#[test]
fn a_program_that_says_nothing_is_unavailable() {
    let world = World::new("exec sleep 1000\n", "[timeout]\nsilence = \"1s\"");
    world.run().exits(4);
    let end = world.ended("unavailable");
    assert!(end["detail"].as_str().unwrap().contains("no output for"), "{end}");
}

#[test]
fn a_tool_that_works_for_long_is_not_silence() {
    let tool = r#"echo '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}]}}'"#;
    let script = format!("init\n{tool}\nexec sleep 1000\n");
    let world = World::new(&script, "[timeout]\nsilence = \"1s\"\nResearcher = \"4s\"");
    world.run().exits(4);
    world.ended("timed_out");
}

#[test]
fn a_program_that_does_not_leave_after_its_result_is_taken_at_its_word() {
    let forged = r#"
echo '{"event":"finished","outcome":{"kind":"login","detail":"forged"}}'
(echo '{"event":"finished","outcome":{"kind":"login","detail":"forged"}}' > /proc/$PPID/fd/1) 2> /dev/null
"#;
    // What is said after the last word counts no more than a forged word of ours.
    let world = World::new(
        &format!(
            "init\n{forged}result\n{forged}echo '{{\"type\":\"result\",\"is_error\":true}}'\nsleep 1000\n"
        ),
        "",
    );
    world.run().exits(0);
    world.ended("replied");
}

#[test]
fn a_program_that_tries_again_for_ever_is_unavailable() {
    let retry = r#"{"type":"system","subtype":"api_retry","error_status":529,"retry_delay_ms":10,"error":"overloaded"}"#;
    let world = World::new(&format!("init\nwhile true; do echo '{retry}'; sleep 0.02; done\n"), "");
    world.run().exits(4);
    let end = world.ended("unavailable");
    assert!(end["detail"].as_str().unwrap().contains("without success"), "{end}");
}

#[test]
fn a_program_that_would_wait_for_an_hour_is_parked() {
    let retry = r#"{"type":"system","subtype":"api_retry","error_status":429,"retry_delay_ms":3600000,"error":"rate_limit"}"#;
    let world = World::new(&format!("init\necho '{retry}'\nexec sleep 1000\n"), "");
    let engine = world.repo.start(&ARGUMENTS);
    let sessions = world.repo.root().join(".agents-work");
    let has_ended = |file: &PathBuf| {
        let is_journal = file.ends_with("journal.jsonl");
        is_journal && fs::read_to_string(file).is_ok_and(|text| text.contains("attempt_ended"))
    };
    eventually("the end of the attempt", || files_below(&sessions).iter().any(has_ended));
    signal(engine.id().cast_signed(), Signal::INT);
    engine.wait_with_output().unwrap();
    let until = world.ended("parked")["until"].clone();
    assert!(until.is_string(), "{until}");
}

#[test]
fn r107_a_limit_that_is_over_when_an_engine_takes_it_up_is_parked_all_the_same() {
    let retry = r#"{"type":"system","subtype":"api_retry","error_status":429,"retry_delay_ms":3600000,"error":"rate_limit"}"#;
    let waits = "touch {open}/begun\nwhile [ ! -e {open}/go ]; do sleep 0.05; done\n";
    let world = World::new(&format!("init\n{waits}echo '{retry}'\nexec sleep 1000\n"), "");
    let mut engine = world.repo.start(&ARGUMENTS);
    eventually("the agent begins", || world.open.join("begun").exists());
    engine.kill().unwrap();
    engine.wait().unwrap();
    fs::write(world.open.join("go"), "").unwrap();
    let outcome = world.repo.session().join("dispatches/1/attempt-1/outcome.json");
    eventually("the end of the run", || outcome.exists());

    let later = tollgate_files::clock::now().plus_ms(2 * 3_600_000).to_string();
    let mut resume = world.repo.command(&["resume", "--no-input"]);
    let mut engine = resume.env("TOLLGATE_NOW", later).stderr(Stdio::null()).spawn().unwrap();
    eventually("the end of the attempt", || !world.ends().is_empty());
    engine.kill().unwrap();
    engine.wait().unwrap();
    world.ended("parked");
    assert_eq!(world.repo.events("retry_scheduled")[0]["why"], "parked");
}

#[test]
fn the_driver_of_a_program_that_closes_its_output_and_lives_on_takes_its_rests() {
    // Who never waits for anything never leaves the processor of its own accord.
    let script = r#"
test -e {open}/rested && exit 1
rests() { grep ^voluntary_ctxt_switches /proc/$PPID/status; }
init
exec > /dev/null 2>&1
sleep 0.5
before=$(rests)
while [ "$(rests)" = "$before" ]; do sleep 0.05; done
touch {open}/rested
"#;
    let world = World::new(script, "[timeout]\nsilence = \"5s\"");
    world.run().exits(4);
    assert!(world.open.join("rested").exists(), "{:?}", world.ends());
}

// ---- what is told while it works

#[test]
fn r119_status_shows_what_an_agent_does_right_now_and_passes_on_no_escape() {
    let tool = r#"printf '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make \\u001b[2J all"}}]}}\n'"#;
    let world = World::new(&format!("init\n{tool}\nexec sleep 1000\n"), "");
    let engine = world.repo.start(&ARGUMENTS);
    let doing = || {
        let status = world.repo.tollgate(&["status", "--json"]);
        let view: Value = serde_json::from_str(&status.out).unwrap_or_default();
        view["dispatches"][0]["doing"].as_str().map(str::to_owned)
    };
    eventually("the tool at work", || doing().is_some_and(|doing| doing.starts_with("Bash make")));
    let told = world.repo.tollgate(&["status"]).out;
    assert!(told.contains("running: Bash make") && !told.contains('\u{1b}'), "{told}");
    signal(engine.id().cast_signed(), Signal::INT);
    engine.wait_with_output().unwrap();
    assert_eq!(doing(), None, "nobody works any more");
}

#[test]
fn nobody_answers_a_question_that_is_not_shown_yet() {
    let script = "init\nmkdir {open}/works 2> /dev/null || exit 7\n\
                  while [ ! -e {open}/go ]; do sleep 0.05; done\nresult\n";
    let world = World::new(script, "");
    let steps = "  - parallel:\n      - {dispatch: Reviewer}\n      - {dispatch: Security}\n    state: DESIGN\n  - {close: done, state: DONE}\n";
    let action = format!("---\nname: x\ndescription: Two at once\nsteps:\n{steps}---\n\n# x\n");
    world.repo.write("agents/actions/x.md", &action);
    let mut person = Terminal::start(&world.repo, &["run", "--action", "x", "Make it"]);
    person.wait_for("UD-1").types("5").types("blind").wait_for("does not count");
    fs::write(world.open.join("go"), "").unwrap();
    person
        .wait_for("End the session")
        .wait_for("> ")
        .types("5")
        .types("enough")
        .wait_for("cancelled: enough");
    person.ends();
    assert!(!person.screen().contains("cancelled: blind"), "{}", person.screen());
}
