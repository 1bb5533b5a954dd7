//! A command that runs in a step of GitHub Actions: what it tells the runner, and that nobody else can tell the runner anything.

use crate::support::plan::{Planned, planner, security_question};
use crate::support::{APPROVE, GOAL, PER_BATCH, Ran, Repo, ran};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Lines that the runner obeys, in both of its spellings, wherever an agent can say something.
const HOSTILE: &str = "Said.\n::set-output name=a::b\n \t::add-mask::password\n::stop-commands::token\n\
    ##[add-mask]word and ##[group]more\n::error file=app.txt,line=1::not ours\n<img src=x> | **bold** [a](http://b.example)";

struct Step<'r> {
    repo: &'r Repo,
    summary: PathBuf,
}

impl<'r> Step<'r> {
    fn of(repo: &'r Repo) -> Self {
        Self { repo, summary: repo.outside("summary.md") }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.repo.command(args);
        command
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_WORKSPACE", self.repo.root())
            .env("GITHUB_STEP_SUMMARY", &self.summary);
        command
    }

    /// What it did, and what the runner took for a command in all that it printed.
    fn run(&self, args: &[&str]) -> (Ran, Vec<String>) {
        let ran = ran(&mut self.command(args));
        let obeyed = [&ran.out, &ran.err].into_iter().flat_map(|text| obeyed(text)).collect();
        (ran, obeyed)
    }

    fn summary(&self) -> String {
        fs::read_to_string(&self.summary).unwrap_or_default()
    }
}

/// As the runner does it: a line that begins with `::`, or else `##[` anywhere in it.
fn obeyed(text: &str) -> Vec<String> {
    let lines = text.split(['\n', '\r']);
    let is_command = |line: &&str| {
        let begins = line.trim_start().strip_prefix("::");
        begins.is_some_and(|rest| rest.contains("::")) || line.contains("##[")
    };
    lines.filter(is_command).map(|line| line.trim_start().to_owned()).collect()
}

/// Every role says hostile things, Security asks about a finding, and the Coder leaves them in its file.
fn hostile() -> Repo {
    let said = json!({"reply": {"summary": HOSTILE}, "stderr": HOSTILE, "default": true});
    let code = json!({"reply": {"summary": HOSTILE}, "write": {"app.txt": format!("{HOSTILE}\n")}});
    Repo::with(json!([
        planner(&[Planned { risk: "[security]", ..Planned::new("T-001", "app.txt") }]),
        {"when": {"role": "Coder"}, "do": code},
        {"when": {"role": "Security"}, "do": {"default": true, "reply": security_question(HOSTILE)}},
        {"when": {"role": "Architect"}, "do": said},
        {"when": {"role": "SpecAgent"}, "do": said},
    ]))
}

#[test]
fn r194_nothing_that_others_say_is_a_command_to_the_runner() {
    let repo = hostile();
    let step = Step::of(&repo);
    let expect_ours = |args: &[&str]| {
        let (ran, obeyed) = step.run(args);
        let is_ours = |line: &String| {
            let ours = [
                "::warning title=UD-",
                "::warning file=app.txt,line=1,title=F-1",
                "::error title=tollgate%3A cli.",
            ];
            ours.iter().any(|begin| line.starts_with(begin))
                || line.starts_with("::warning file=app.txt,title=F-1")
        };
        assert!(obeyed.iter().all(is_ours), "{args:?}: {obeyed:#?}");
        ran
    };
    let goal = format!("{GOAL}\n{HOSTILE}");
    expect_ours(&["run", "--no-input", "--verbose", "--action", "deliver", &goal]).exits(3);
    expect_ours(&["answer", "latest", APPROVE.0, APPROVE.1, "--resume", "--verbose"]).exits(3);
    expect_ours(&["answer", "latest", PER_BATCH.0, PER_BATCH.1, "--resume"]).exits(3);
    assert!(repo.status()["findings"].to_string().contains("stop-commands"), "it was said");
    for args in [
        &["status"][..],
        &["status", "--json"],
        &["log"],
        &["log", "--json"],
        &["logs", "latest", "1"],
        &["findings"],
        &["findings", "--json"],
        &["audit"],
        &["audit", "--json"],
        &["diff"],
        &["diff", "--json"],
        &["prompt", "latest", "4"],
        &["report"],
        &["report", "--html"],
        &["report", "--json"],
        &["report", "--junit"],
        &["sessions"],
        &["sessions", "--json"],
        &["resume", "--no-input"],
        &["resume", "--no-input", "--json"],
        &["check", "--as", HOSTILE, "app.txt"],
        &["answer", "latest", "UD-1", HOSTILE],
        &["status", HOSTILE],
        &["status", "--color", HOSTILE],
        &[HOSTILE],
    ] {
        expect_ours(args);
    }
    let shown = repo.tollgate(&["diff"]).exits(0).out;
    assert!(!obeyed(&shown).is_empty(), "outside of a step it is shown as it is");
}

#[test]
fn r194_in_a_step_json_means_the_same_and_a_file_gets_every_byte() {
    let repo = hostile();
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    let step = Step::of(&repo);
    for args in
        [&["status", "--json"][..], &["diff", "--json"], &["resume", "--no-input", "--json"]]
    {
        let inside: Value = serde_json::from_str(&step.run(args).0.out).unwrap();
        let outside: Value = serde_json::from_str(&repo.tollgate(args).out).unwrap();
        assert_eq!(inside, outside, "{args:?}");
    }
    let path = repo.outside("change.patch");
    let file = fs::File::create(&path).unwrap();
    let mut diff = step.command(&["diff"]);
    assert!(diff.stdout(Stdio::from(file)).status().unwrap().success());
    assert_eq!(fs::read_to_string(&path).unwrap(), repo.tollgate(&["diff"]).out);
}

#[test]
fn r194_a_step_tells_what_waits_what_was_found_and_how_to_answer() {
    let repo = hostile();
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    let step = Step::of(&repo);
    let (ran, obeyed) = step.run(&["resume", "--no-input", "--json"]);
    assert_eq!(ran.exits(3).out.lines().next(), Some("{"), "annotations are on standard error");
    let session = repo.session_name();
    assert_eq!(obeyed.len(), 2, "{obeyed:#?}");
    let found =
        "::warning file=app.txt,title=F-1 (medium%2C Security)::Said.%0A: :set-output name=a::b%0A";
    assert!(obeyed[0].starts_with(found), "{}", obeyed[0]);
    assert!(obeyed[1].starts_with("::warning title=UD-1 waits for your answer::"), "{}", obeyed[1]);
    let how = format!("%0Atollgate answer {session} UD-1 \"fix-now\" --resume");
    assert!(obeyed[1].contains(&how), "{}", obeyed[1]);
    let summary = step.summary();
    assert!(summary.contains("ASK\\_USER \\(your\\-turn\\)"), "{summary}");
    assert!(summary.contains("#### UD-1 waits for your answer"), "{summary}");
    assert!(summary.contains("UD\\-1 \\\"fix\\-now\\\" \\-\\-resume</code>"), "{summary}");
    assert!(
        summary.contains("| F\\-1 | medium | <code>app\\.txt</code> | Said\\. \\:\\:set\\-output"),
        "{summary}"
    );
    assert!(
        summary.contains("&lt;img src\\=x&gt; \\| \\*\\*bold\\*\\* \\[a\\]\\(http\\:"),
        "{summary}"
    );
    assert!(!summary.contains("<img") && !summary.contains("**bold**"), "{summary}");
    assert!(summary.contains("| T\\-001 | <code>true</code> | passed |"), "{summary}");
    assert!(summary.contains("| Cost | cost unknown"), "{summary}");
    step.run(&["resume", "--no-input"]);
    assert_eq!(step.summary().matches("UD-1 waits").count(), 2, "it is added to what is there");
}

#[test]
fn r194_a_failed_check_and_a_blocker_are_errors_and_the_summary_has_the_output() {
    let bad = Planned {
        checks: "['cmd: echo told; ! grep -q bad app.txt']",
        ..Planned::new("T-001", "app.txt")
    };
    let repo = Repo::with(json!([
        planner(&[bad]),
        {"when": {"role": "Coder"}, "do": {"write": {"app.txt": "bad\n"}}},
    ]));
    repo.run();
    repo.answer(APPROVE.0, APPROVE.1);
    let step = Step::of(&repo);
    let (ran, obeyed) = step.run(&["answer", "latest", PER_BATCH.0, PER_BATCH.1, "--resume"]);
    ran.exits(4);
    let session = repo.session_name();
    let blocked = format!("::error title={session} is blocked%3A subagent_failure::");
    assert!(obeyed.iter().any(|line| line.starts_with(&blocked)), "{obeyed:#?}");
    let failed = "::error title=check failed (T-001)%3A echo told; ! grep -q bad app.txt::exit code 1%0Atold";
    assert!(obeyed.iter().any(|line| line.starts_with(failed)), "{obeyed:#?}");
    let summary = step.summary();
    assert!(summary.contains("#### Blocked: subagent\\_failure"), "{summary}");
    assert!(summary.contains("| **failed**, exit code 1 |"), "{summary}");
    assert!(summary.contains("<pre>\ntold\n</pre>"), "{summary}");
}

#[test]
fn r194_violations_of_scope_failed_gates_and_diagnostics_are_annotated_at_their_places() {
    let repo = Repo::new();
    let step = Step::of(&repo);
    let item = "## Objective\n\nThe app has a line.\n\n## Spec Reference\n\n- Spec: `docs/app.md`\n- Section(s): All\n\n\
                ## Scope\n\n### In Scope\n\n- app.txt\n\n### Out of Scope\n\n- None\n\n## Acceptance Criteria\n\n- [ ] It is there\n\n\
                ## Context\n\nNone.\n\n## Constraints\n\nNone.\n";
    repo.write("T-001.md", item);
    repo.write("app.txt", "two\n");
    repo.write("src/a,b%::c.txt", "out\n");
    let (ran, obeyed) = step.run(&["scope", "--work-item", "T-001.md", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    serde_json::from_str::<Value>(&ran.out).unwrap();
    let expected = "::error file=src/a%2Cb%25%3A%3Ac.txt,line=1,title=not in the scope of T-001.md::src/a,b%25::c.txt was added";
    assert_eq!(obeyed.len(), 1, "{obeyed:#?}");
    assert!(obeyed[0].starts_with(expected), "{obeyed:#?}");
    assert!(step.summary().contains("| **violation** |"), "{}", step.summary());

    repo.write("docs/tollgate.toml", "[roles]\nnobody = \"x\"\n");
    let (ran, obeyed) = step.run(&["-C", "docs", "check", "tollgate.toml"]);
    ran.exits(1);
    assert!(obeyed[0].starts_with("::error file=docs/tollgate.toml,line=2,title="), "{obeyed:#?}");
    assert!(step.summary().contains("1 document checked"), "{}", step.summary());

    let stages = "version: 1\ncurrent_stage: s\nstages:\n  s: {description: d, required_gates: [g, h]}\ngates:\n  \
                  g: {description: d, command: [sh, -c, \"echo '::add-mask::x'; exit 3\"]}\n  h: {description: d, command: [\"true\"]}\n";
    repo.write("lifecycle-stage.yaml", stages);
    let (ran, obeyed) = step.run(&["gates"]);
    ran.exits(1);
    assert_eq!(obeyed, ["::error title=gate failed%3A g::exit code 3%0A: :add-mask::x"]);
    let summary = step.summary();
    assert!(summary.contains("| g | **failed**, exit code 3 |"), "{summary}");
    assert!(summary.contains("| h | passed |"), "{summary}");
}

#[test]
fn r194_the_summary_of_a_step_keeps_to_its_limit() {
    let repo = Repo::new();
    let step = Step::of(&repo);
    fs::write(&step.summary, "x".repeat((1 << 20) - 200)).unwrap();
    let (ran, _) = step.run(&["run", "--no-input", "--lean", GOAL]);
    ran.exits(0);
    let summary = step.summary();
    assert!(summary.len() <= 1 << 20, "{}", summary.len());
    assert!(summary.ends_with("xx\nThere is more than GitHub shows; `tollgate status` and `tollgate audit` have all of it.\n"), "{}", &summary[(1 << 20) - 200..]);
}

#[test]
fn r194_a_step_is_told_nothing_where_that_is_turned_off_or_there_is_no_step() {
    let repo = hostile();
    let step = Step::of(&repo);
    let mut quiet = step.command(&["run", "--no-input", GOAL]);
    let ran_quiet = ran(quiet.env("TOLLGATE_GITHUB", "off"));
    assert_eq!(obeyed(&format!("{}{}", ran_quiet.exits(3).err, step.summary())), [""; 0]);
    assert_eq!(step.summary(), "");
    let mut elsewhere = step.command(&["resume", "--no-input"]);
    let ran_elsewhere = ran(elsewhere.env_remove("GITHUB_ACTIONS"));
    assert_eq!(obeyed(&ran_elsewhere.exits(3).err), [""; 0]);
    assert_eq!(step.summary(), "");
    let mut unwritable = step.command(&["resume", "--no-input"]);
    unwritable.env("GITHUB_STEP_SUMMARY", "/dev/null/summary");
    ran(&mut unwritable).exits(3).says("the step's summary cannot be written to");
}
