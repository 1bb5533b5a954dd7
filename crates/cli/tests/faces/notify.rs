//! A person who is needed is told so, by each means, once, whatever the receiver does and however the engine ends.

pub mod receiver;
mod recipes;

use crate::support::plan::{Planned, planner};
use crate::support::pty::{GATE, Terminal};
use crate::support::{APPROVE, GOAL, PER_BATCH, Ran, Repo, SINGLE_FINAL, eventually, ran};
use receiver::{Manner, Receiver};
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;

/// A command that keeps what it gets, a line for each event.
fn keeps(repo: &Repo) -> String {
    let file = repo.outside("told.jsonl");
    let program = repo.program("keep", &format!("cat >> {}", file.display()));
    format!("command = [{program:?}]")
}

fn told(repo: &Repo) -> Vec<Value> {
    let text = fs::read_to_string(repo.outside("told.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `waiting UD-APPROVE-DESIGN`, for each event.
fn short(events: &[Value]) -> Vec<String> {
    let one = |event: &Value| {
        let data = &event["data"];
        let questions = data["questions"].as_array().unwrap().iter();
        let ids = questions.map(|one| one["decision_id"].as_str().unwrap().to_owned());
        let kind = data["event"].as_str().unwrap().to_owned();
        [kind].into_iter().chain(ids).collect::<Vec<_>>().join(" ")
    };
    events.iter().map(one).collect()
}

fn notifying(more: &str) -> Repo {
    let repo = Repo::new();
    repo.settings(&format!("[notify]\n{more}"));
    repo
}

#[test]
fn r193_a_command_is_told_of_each_question_once_and_of_the_end() {
    let repo = Repo::new();
    repo.settings(&format!("[notify]\n{}", keeps(&repo)));
    repo.run().exits(3);
    assert_eq!(short(&told(&repo)), ["waiting UD-APPROVE-DESIGN"]);
    // Whoever continues without an answer knows that it waits.
    repo.resume().exits(3);
    repo.resume().exits(3);
    assert_eq!(told(&repo).len(), 1);
    repo.answer(APPROVE.0, "changes-requested: shorter").exits(3);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    repo.resume().exits(0);
    let all = ["UD-APPROVE-DESIGN", "UD-APPROVE-DESIGN", "UD-REVIEW-STRATEGY"];
    let mut expected: Vec<String> = all.iter().map(|id| format!("waiting {id}")).collect();
    expected.push("done".to_owned());
    let events = told(&repo);
    assert_eq!(short(&events), expected);
    let rounds: Vec<&Value> =
        events[..2].iter().map(|event| &event["data"]["questions"][0]["round"]).collect();
    assert_eq!(rounds, [&json!(1), &json!(2)]);
    let ids: std::collections::BTreeSet<&str> =
        events.iter().map(|event| event["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), events.len(), "{ids:?}");
}

#[test]
fn r193_the_event_says_what_is_needed_and_how_to_answer_and_the_command_has_variables() {
    let repo = Repo::new();
    let seen = repo.outside("variables");
    let program = repo.program(
        "notify",
        &format!(
            "env | grep ^TOLLGATE_ | sort > {0}; pwd >> {0}; cat >> {1}",
            seen.display(),
            repo.outside("told.jsonl").display()
        ),
    );
    repo.settings(&format!("[notify]\ncommand = [{program:?}]"));
    repo.run().exits(3);
    let name = repo.session_name();
    let event = &told(&repo)[0];
    assert_eq!(event["specversion"], "1.0");
    assert_eq!(event["type"], "tollgate.session.waiting");
    assert_eq!(event["source"], "/tollgate/repo");
    assert_eq!(event["subject"], json!(name));
    assert_eq!(event["datacontenttype"], "application/json");
    let data = &event["data"];
    assert_eq!(data["session"], json!(name));
    assert_eq!(data["repository"], "repo");
    assert_eq!(data["goal"], GOAL);
    let question = &data["questions"][0];
    assert_eq!(question["kind"], "approve");
    assert_eq!(question["options"][0], "approved");
    let command = format!("tollgate answer {name} UD-APPROVE-DESIGN ANSWER --resume");
    assert_eq!(question["command"], json!(command));
    // It is no copy of the folder, and nothing that an agent wrote but the question.
    assert!(!event.to_string().contains(&repo.root().display().to_string()));
    let variables = fs::read_to_string(seen).unwrap();
    let root = repo.root().canonicalize().unwrap().display().to_string();
    for line in [
        "TOLLGATE_EVENT=waiting".to_owned(),
        format!("TOLLGATE_SESSION={name}"),
        "TOLLGATE_REPOSITORY=repo".to_owned(),
        format!("TOLLGATE_ROOT={root}"),
        "TOLLGATE_DECISION=UD-APPROVE-DESIGN".to_owned(),
        format!("TOLLGATE_COMMAND={command}"),
        format!("TOLLGATE_TITLE=Tollgate: {name} waits for you"),
        root.clone(),
    ] {
        assert!(variables.lines().any(|found| found == line), "{line} is not in\n{variables}");
    }
}

#[test]
fn r193_a_webhook_gets_cloud_events_with_a_secret_header_that_is_written_nowhere() {
    let server = Receiver::new(&[Manner::Answers(204)]);
    let repo = notifying(&format!(
        "webhook = \"{}\"\nwebhook_header_env = {{ Authorization = \"HOOK_AUTH\" }}",
        server.url()
    ));
    const SECRET: &str = "Bearer hook-9f2c71d0";
    let run = ran(repo.command(&["run", "--no-input", GOAL]).env("HOOK_AUTH", SECRET)).exits(3);
    let taken = server.taken();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].path, "/hook");
    assert_eq!(
        taken[0].header("content-type"),
        Some("application/cloudevents+json; charset=utf-8")
    );
    assert_eq!(taken[0].header("authorization"), Some(SECRET));
    assert_eq!(short(&[taken[0].json()]), ["waiting UD-APPROVE-DESIGN"]);
    assert!(!(run.out + &run.err).contains("hook-9f2c"));
    for file in crate::support::files_below(&repo.outside(".")) {
        let bytes = fs::read(&file).unwrap_or_default();
        assert!(!bytes.windows(9).any(|part| part == b"hook-9f2c"), "{}", file.display());
    }
}

#[test]
fn r193_a_server_out_of_order_is_tried_again_with_the_same_event_and_a_redirect_is_not_followed() {
    let server = Receiver::new(&[Manner::Answers(503), Manner::BreaksOff, Manner::Answers(200)]);
    let repo = notifying(&format!("webhook = \"{}\"", server.url()));
    repo.run().exits(3).does_not_say("notify");
    let ids: Vec<Value> = server.taken().iter().map(|one| one.json()["id"].clone()).collect();
    assert_eq!(ids.len(), 3);
    assert!(ids.iter().all(|id| *id == ids[0] && id.is_string()), "{ids:?}");

    let other = Receiver::new(&[Manner::Answers(200)]);
    let server = Receiver::new(&[Manner::RedirectsTo(other.address)]);
    let repo = notifying(&format!("webhook = \"{}\"", server.url()));
    repo.run().exits(3).says("redirects to 127.0.0.1");
    assert_eq!((server.taken().len(), other.taken().len()), (1, 0));
}

#[test]
fn r193_receivers_that_hang_or_fail_hold_no_session_and_are_named_once() {
    let hanging = Receiver::new(&[Manner::Hangs]);
    let repo = notifying("");
    let pid = repo.outside("pid");
    let program = repo.program("hang", &format!("sleep 600 & echo $! > {}; wait", pid.display()));
    repo.settings(&format!("command = [{program:?}]\nwebhook = \"{}\"", hanging.url()));
    let run = repo.run().exits(3);
    let words =
        run.err.matches("notify.failed").count() + run.err.matches("you could not be told").count();
    assert!(words >= 2, "{}", run.err);
    let notices = repo.events("noticed");
    assert_eq!(notices.len(), 2, "{notices:?}");
    assert!(notices.iter().all(|one| one["code"] == "notify.failed"), "{notices:?}");
    let said = json!(notices).to_string();
    assert!(
        said.contains("command of [notify]") && said.contains("did not end within 10 seconds"),
        "{said}"
    );
    assert!(said.contains("webhook of [notify]") && said.contains("respond in time"), "{said}");
    // Nothing of it runs on.
    let child = fs::read_to_string(pid).unwrap().trim().to_owned();
    eventually("what the command started is gone", || {
        let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    });
    // The next resume tries again, because nobody was told; then the person is told by one of them.
    hanging.set_manner(Manner::Answers(200));
    repo.program("hang", "exit 3");
    repo.resume().exits(3).says("ended with exit code 3");
    assert_eq!(hanging.taken().len(), 2);
    repo.resume().exits(3).does_not_say("exit code 3");
    assert_eq!(hanging.taken().len(), 2);
    repo.tollgate(&["explain", "notify.failed"]).exits(0);
}

/// A process group of its own, or a session, hides nothing of what a command started.
#[test]
fn r193_nothing_of_a_command_stays_whatever_group_it_went_into() {
    let repo = Repo::new();
    let pids = repo.outside("pids");
    let lines = format!(
        "setsid sh -c 'echo $$ >> {0}; sleep 600 & echo $! >> {0}; wait' &\n\
         (setsid sleep 600 & echo $! >> {0}) &\n\
         until [ \"$(wc -l < {0})\" = 3 ]; do sleep 0.01; done",
        pids.display()
    );
    fs::write(&pids, "").unwrap();
    let program = repo.program("hide", &lines);
    repo.settings(&format!("[notify]\ncommand = [{program:?}]"));
    repo.tollgate(&["notify", "--test"]).exits(0);
    for pid in fs::read_to_string(&pids).unwrap().lines() {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    }
}

#[test]
fn r193_what_fails_at_the_end_is_told_although_the_session_is_over() {
    let repo = notifying("on = [\"done\"]\ncommand = [\"./missing.sh\"]");
    repo.lean().exits(0).says("you could not be told by command").says("no program there");
    assert_eq!(repo.events("noticed").len(), 0);
}

#[test]
fn r193_after_a_kill_a_question_that_nobody_was_told_of_is_told_and_one_that_was_is_not() {
    let repo = notifying("");
    let begun = repo.outside("begun");
    let program = repo.program("hang", &format!("touch {}; sleep 5", begun.display()));
    repo.settings(&format!("command = [{program:?}]"));
    let mut engine = repo.start(&["run", "--no-input", GOAL]);
    eventually("the command has begun", || begun.exists());
    engine.kill().unwrap();
    engine.wait().unwrap();
    assert!(told(&repo).is_empty());
    repo.program("hang", &format!("cat >> {}", repo.outside("told.jsonl").display()));
    repo.resume().exits(3);
    assert_eq!(short(&told(&repo)), ["waiting UD-APPROVE-DESIGN"]);
    repo.resume().exits(3);
    assert_eq!(told(&repo).len(), 1);
    // Where it is not known, it is told once more, as the same event.
    fs::remove_file(repo.session().join("notified.json")).unwrap();
    repo.resume().exits(3);
    let events = told(&repo);
    assert_eq!(short(&events), ["waiting UD-APPROVE-DESIGN", "waiting UD-APPROVE-DESIGN"]);
    assert_eq!(events[0]["id"], events[1]["id"]);
}

#[test]
fn r193_questions_that_are_asked_at_once_make_one_notification() {
    let asks =
        json!({"status": "NEEDS_INFO", "artifacts": {"questions": ["how fast?", "how big?"]}});
    let repo =
        Repo::with(json!([{"when": {"role": "SpecAgent", "nth": 1}, "do": {"reply": asks}}]));
    repo.settings(&format!("[notify]\n{}", keeps(&repo)));
    repo.run().exits(3);
    let events = told(&repo);
    assert_eq!(short(&events), ["waiting UD-1 UD-2"]);
    let message = events[0]["data"]["message"].as_str().unwrap();
    assert!(message.contains("how fast?") && message.ends_with("and 1 more question"), "{message}");
    // The second one is known already.
    repo.answer("UD-1", "fast").exits(3);
    assert_eq!(told(&repo).len(), 1);
}

#[test]
fn r193_a_question_is_told_while_others_still_work_and_can_be_answered_then() {
    let asks = json!({"status": "NEEDS_INFO", "artifacts": {"questions": ["how fast?"]}});
    let tasks = [Planned::new("T-001", "out/a.txt"), Planned::new("T-002", "out/b.txt")];
    let repo = Repo::new();
    let folder = repo.open_outside("go");
    let waits =
        format!("touch {0}/works; until [ -e {0}/go ]; do sleep 0.05; done", folder.display());
    repo.crew(json!([
        planner(&tasks),
        {"when": {"role": "Coder", "task": "T-001", "nth": 1}, "do": {"reply": asks}},
        {"when": {"role": "Coder", "task": "T-002"}, "do": {"default": true, "run": ["sh", "-c", waits]}},
    ]));
    repo.settings(&format!(
        "[limits]\nparallel_tasks = 2\n[notify]\non = [\"waiting\"]\n{}",
        keeps(&repo)
    ));
    repo.through(&[APPROVE]).exits(3);
    let before = told(&repo).len();
    let (id, answer) = SINGLE_FINAL;
    let mut engine = repo.start(&["answer", "latest", id, answer, "--resume"]);
    let is_told = || told(&repo).len() > before;
    eventually("the question is told while another works", || {
        is_told() && folder.join("works").exists()
    });
    assert!(engine.try_wait().unwrap().is_none());
    let asked = short(&told(&repo)).pop().unwrap();
    let id = asked.strip_prefix("waiting ").unwrap();
    repo.tollgate(&["answer", "latest", id, "fast"]).exits(0);
    std::fs::write(folder.join("go"), "").unwrap();
    assert_eq!(engine.wait().unwrap().code(), Some(0));
    assert_eq!(told(&repo).len(), before + 1);
}

#[test]
fn r193_a_hostile_goal_is_text_and_secrets_stay_here() {
    let repo = Repo::new();
    repo.settings(&format!("[notify]\n{}", keeps(&repo)));
    let goal = "Add \u{1b}]0;x\u{7}\u{1b}[2J a line $(touch pwned) `touch pwned`; touch pwned | \"'\n--help <b>&amp; ghp_0123456789abcdefghijklmnopqrstuvwxyz12 to app.txt";
    let mut command = repo.command(&["run", "--no-input", "--lean", goal]);
    command.env("SHOP_PASSWORD", "correct-horse-battery");
    ran(&mut command).exits(0);
    let events = told(&repo);
    assert_eq!(short(&events), ["done"]);
    let said = events[0]["data"]["goal"].as_str().unwrap();
    assert!(said.contains("$(touch pwned) `touch pwned`"), "{said}");
    assert!(!said.contains(['\u{1b}', '\u{7}']), "{said:?}");
    assert!(said.contains("[redacted]") && !events[0].to_string().contains("ghp_0123"), "{said}");
    assert!(!repo.root().join("pwned").exists() && !repo.outside("pwned").exists());
}

/// A notify-send that keeps its arguments, one a line, and the PATH that has it first.
fn notify_send(repo: &Repo) -> (std::path::PathBuf, String) {
    let bin = repo.outside("bin");
    fs::create_dir(&bin).unwrap();
    let shown = repo.outside("shown");
    let program =
        repo.program("notify-send", &format!("printf '%s\\n' \"$@\" >> {}", shown.display()));
    fs::rename(program, bin.join("notify-send")).unwrap();
    (shown, format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()))
}

#[test]
fn r193_the_desktop_shows_it_as_text_and_not_as_options_or_markup() {
    let repo = notifying("desktop = true");
    let (shown, path) = notify_send(&repo);
    let goal = "--urgency=critical <b>bold</b> & more";
    let mut command = repo.command(&["run", "--no-input", "--lean", "--", goal]);
    ran(command.env("PATH", path).env("DISPLAY", ":9")).exits(0);
    let lines = fs::read_to_string(shown).unwrap();
    let name = repo.session_name();
    let title = format!("Tollgate: {name} is done");
    let body = "--urgency=critical &lt;b&gt;bold&lt;/b&gt; &amp; more";
    assert_eq!(lines.lines().collect::<Vec<_>>(), ["--app-name=Tollgate", "--", &title, body]);
}

#[test]
fn r193_a_terminal_rings_and_shows_it_and_the_desktop_of_who_sits_there_is_left_alone() {
    let repo = notifying("bell = true\ndesktop = true");
    let (shown, path) = notify_send(&repo);
    let variables = [("DISPLAY", ":9"), ("PATH", path.as_str())];
    let mut terminal = Terminal::start_with_all(&repo, &["run", GOAL], &variables);
    let name = "\u{1b}]9;Tollgate: ";
    terminal
        .wait_for(name)
        .wait_for("waits for you: UD-APPROVE-DESIGN (approve): ")
        .wait_for("\u{7}\u{7}");
    terminal.wait_for(&format!("{GATE} (approve)"));
    assert_eq!(terminal.screen().matches("\u{1b}]9;").count(), 1);
    assert!(!shown.exists());
    terminal.types_ctrl_c();
    assert_eq!(terminal.ends(), 130);
    // Without a person at the terminal the desktop has it, and the terminal only rings.
    fs::remove_file(repo.session().join("notified.json")).unwrap();
    let mut terminal = Terminal::start_with_all(&repo, &["resume", "--no-input"], &variables);
    assert_eq!(terminal.ends(), 3);
    assert_eq!(terminal.screen().matches("\u{1b}]9;").count(), 0, "{}", terminal.screen());
    assert_eq!(terminal.screen().matches('\u{7}').count(), 1);
    assert!(fs::read_to_string(&shown).unwrap().contains("waits for you"));
    // Nothing rings where nobody can hear it.
    fs::remove_file(repo.session().join("notified.json")).unwrap();
    let ran = repo.resume().exits(3);
    assert!(!ran.err.contains(['\u{7}', '\u{1b}']), "{:?}", ran.err);
}

#[test]
fn r193_a_blocked_session_a_role_to_play_and_a_cancel_are_told_as_the_settings_say() {
    let repo = Repo::with(json!([{"when": {"role": "Coder"}, "do": {"exit": 3}}]));
    repo.settings(&format!(
        "[notify]\non = [\"waiting\", \"blocked\", \"done\", \"cancelled\"]\n{}",
        keeps(&repo)
    ));
    repo.lean().exits(4);
    let events = told(&repo);
    assert_eq!(short(&events), ["blocked UD-1"]);
    let blocker = &events[0]["data"]["blocker"];
    assert_eq!(blocker["code"], "subagent_failure");
    repo.tollgate(&["cancel", "--reason", "The goal has changed"]).exits(0);
    assert_eq!(short(&told(&repo))[1..], ["cancelled"]);

    let repo = Repo::new();
    repo.settings(&format!("[agent.me]\nadapter = \"manual\"\n[notify]\n{}", keeps(&repo)));
    let settings = fs::read_to_string(repo.root().join("tollgate.toml")).unwrap();
    let by_hand = settings.replace("[roles]\n", "[roles]\nCoder = \"me\"\n");
    fs::write(repo.root().join("tollgate.toml"), by_hand).unwrap();
    repo.lean().exits(3);
    repo.resume().exits(3);
    let events = told(&repo);
    assert_eq!(short(&events), ["waiting"]);
    let role = &events[0]["data"]["roles"][0];
    assert!(role["title"].as_str().unwrap().contains("Coder"), "{role}");
    assert!(role["command"].as_str().unwrap().starts_with("tollgate submit "), "{role}");
}

#[test]
fn r193_what_is_not_wanted_is_not_told_and_without_settings_nothing_is() {
    let repo = Repo::new();
    repo.settings(&format!("[notify]\non = [\"done\"]\n{}", keeps(&repo)));
    repo.run().exits(3);
    assert!(told(&repo).is_empty());
    let repo = Repo::new();
    repo.run().exits(3);
    assert!(!repo.session().join("notified.json").exists());
}

#[test]
fn r193_without_a_desktop_the_terminal_is_tried() {
    let repo = notifying("desktop = true");
    repo.tollgate(&["notify", "--test"]).exits(1);
    let mut terminal = Terminal::start(&repo, &["notify", "--test"]);
    terminal.wait_for("\u{1b}]9;Tollgate: a test\u{7}").wait_for("OSC 9 through this terminal");
    assert_eq!(terminal.ends(), 0);
    let variables = [("TMUX", "/tmp/tmux-1/default,1,0"), ("TERM", "tmux-256color")];
    let mut terminal = Terminal::start_with_all(&repo, &["notify", "--test"], &variables);
    terminal.wait_for("\u{1b}Ptmux;\u{1b}\u{1b}]9;Tollgate: a test\u{7}\u{1b}\\");
    assert_eq!(terminal.ends(), 0);
    // Where nothing is sent, nothing is said to be.
    for term in ["linux", "dumb", "screen"] {
        for args in [&["notify", "--test"][..], &["notify"]] {
            let mut terminal = Terminal::start_with(&repo, args, "TERM", term);
            terminal.wait_for("this terminal has no OSC 9, so nothing is sent");
            assert_eq!(terminal.ends(), 1);
            assert!(!terminal.screen().contains("\u{1b}]9;"), "{term}");
        }
    }
}

fn json_of(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn r193_the_means_can_be_tried_by_hand() {
    let server = Receiver::new(&[Manner::Answers(200)]);
    let repo = Repo::new();
    repo.tollgate(&["notify"]).exits(2).says("sets no means").says("cli.notify");
    repo.settings(&format!("[notify]\n{}\nwebhook = \"{}\"", keeps(&repo), server.url()));
    let ready = repo.tollgate(&["notify", "--json"]).exits(0);
    assert_eq!(json_of(&ready)["tested"], false);
    assert!(told(&repo).is_empty() && server.taken().is_empty());
    repo.tollgate(&["notify", "--test"]).exits(0);
    assert_eq!(short(&told(&repo)), ["test"]);
    assert_eq!(server.taken()[0].json()["type"], "tollgate.session.test");
    let doctor = repo.tollgate(&["doctor"]);
    assert!(doctor.out.contains("webhook: sends to 127.0.0.1"), "{}", doctor.out);
    server.set_manner(Manner::Answers(403));
    fs::remove_file(repo.outside("keep")).unwrap();
    let failed = repo.tollgate(&["notify", "--test", "--json"]).exits(1);
    let means = json_of(&failed)["means"].clone();
    assert_eq!((&means[0]["ok"], &means[1]["ok"]), (&json!(false), &json!(false)));
    assert!(
        means[1]["message"].as_str().unwrap().contains("refused it with status 403"),
        "{means}"
    );
    let doctor = repo.tollgate(&["doctor"]);
    assert!(
        doctor.out.contains("command: ") && doctor.out.contains("no program there"),
        "{}",
        doctor.out
    );
}

#[test]
fn r193_settings_that_would_tell_nobody_or_leak_are_refused() {
    let repo = Repo::new();
    repo.settings("[notify]\nwebhook = \"http://hooks.example.com/x-secret\"\nwebhook_header_env = { Host = \"A\", X = \"a b\" }");
    let ran = repo.run().exits(2);
    assert!(
        ran.err.contains("config.address") && ran.err.contains("config.header_name"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("config.env_name") && !ran.err.contains("x-secret"), "{}", ran.err);
    let repo = Repo::new();
    repo.settings("[notify]\ndesktp = true\non = [\"waitin\"]");
    repo.run().exits(2).says("desktop").says("waiting");
}

#[test]
fn r193_an_interrupt_is_not_held_by_a_receiver_that_hangs() {
    let hanging = Receiver::new(&[Manner::Drips]);
    let repo = notifying(&format!("webhook = \"{}\"", hanging.url()));
    let mut engine = repo.command(&["run", "--no-input", GOAL]);
    engine.stderr(Stdio::null()).stdout(Stdio::null());
    let mut engine = engine.spawn().unwrap();
    eventually("the server was asked", || !hanging.taken().is_empty());
    let pid = rustix::process::Pid::from_child(&engine);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    // The loop has ended already; it waits only for the server, and no longer than two seconds more.
    let code = engine.wait().unwrap().code();
    assert_eq!(code, Some(3));
}
