//! Actions and roles of a repository, goals that choose an action, and what an action must be given.

use crate::support::pty::Terminal;
use crate::support::{APPROVE, PER_BATCH, Repo, scripted};
use serde_json::{Value, json};
use std::fs;

/// An action with one role, which leaves a research report.
fn action(name: &str, fields: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Looks into {name}\n{fields}steps:\n  \
         - {{dispatch: Researcher, state: DESIGN, outputs: [research/]}}\n  - {{close: done, state: DONE}}\n---\n\n# {name}\n"
    )
}

fn with_action(name: &str, fields: &str) -> Repo {
    let repo = Repo::new();
    repo.write("agents/actions/README.md", &format!("# Ours\n\n- [{name}]({name}.md)\n"));
    repo.write(&format!("agents/actions/{name}.md"), &action(name, fields));
    repo
}

fn listed(repo: &Repo) -> Vec<Value> {
    let ran = repo.tollgate(&["actions", "--json"]).exits(0);
    serde_json::from_str::<Value>(&ran.out).unwrap().as_array().unwrap().clone()
}

#[track_caller]
fn entry(repo: &Repo, name: &str) -> Value {
    listed(repo).into_iter().find(|entry| entry["name"] == name).unwrap()
}

#[track_caller]
fn nothing_started(repo: &Repo) {
    assert!(!repo.root().join(".agents-work").exists());
    assert!(repo.starts().is_empty());
}

#[test]
fn r056_actions_of_the_repository_add_to_the_built_in_ones_and_replace_them() {
    let repo = with_action("inquiry", "");
    let built_in = listed(&Repo::new()).len();
    assert_eq!(listed(&repo).len(), built_in + 1);
    assert_eq!(
        entry(&repo, "inquiry"),
        json!({"name": "inquiry", "description": "Looks into inquiry", "source": "agents/actions/inquiry.md"})
    );
    assert_eq!(entry(&repo, "lean")["source"], "built-in");
    repo.tollgate(&["run", "--no-input", "--action", "inquiry", "Why is it slow"]).exits(0);
    assert_eq!(repo.starts(), ["Researcher meta"]);
    assert_eq!(repo.status()["action"], "inquiry");
    repo.write("agents/actions/README.md", "| action |\n|---|\n| lean.md |\n");
    repo.write("agents/actions/lean.md", &action("lean", ""));
    assert_eq!(entry(&repo, "lean")["source"], "agents/actions/lean.md");
    assert_eq!(listed(&repo).len(), built_in, "inquiry is no longer listed");
    let text = repo.tollgate(&["actions", "lean"]).exits(0).out;
    assert!(text.contains("Researcher, leaves research/  [DESIGN]"), "{text}");
}

#[test]
fn r056_a_listed_action_without_its_file_is_reported_and_cannot_be_run() {
    let repo = with_action("inquiry", "");
    fs::remove_file(repo.root().join("agents/actions/inquiry.md")).unwrap();
    let missing = "agents/actions/inquiry.md does not exist";
    assert!(repo.tollgate(&["actions"]).exits(0).out.contains(missing));
    assert!(entry(&repo, "inquiry")["problem"].as_str().unwrap().contains(missing));
    repo.tollgate(&["run", "--no-input", "--action", "inquiry", "Why"]).exits(2).says(missing);
    repo.tollgate(&["actions", "inquiry"]).exits(2).says(missing);
    nothing_started(&repo);
}

#[test]
fn r056_a_malformed_action_gets_every_error_with_its_line() {
    let repo = with_action("inquiry", "");
    let broken = action("inquiry", "")
        .replace("Researcher", "wizard")
        .replace("done, state: DONE", "soon, state: LATER");
    repo.write("agents/actions/inquiry.md", &broken);
    let ran = repo.tollgate(&["run", "--no-input", "--action", "inquiry", "Why"]).exits(2);
    let ran = ran.says("inquiry.md:5").says("\"wizard\"").says("inquiry.md:6").says("LATER");
    ran.says("\"soon\"");
    nothing_started(&repo);
    // Others are not held up, and it is not passed over in silence.
    repo.tollgate(&["run", "--no-input", "Make it faster"])
        .exits(3)
        .says("inquiry is not considered");
}

#[test]
fn r056_what_init_ejects_is_what_runs_from_then_on() {
    let repo = Repo::new();
    repo.tollgate(&["init", "--eject"]).exits(0).says("wrote agents/actions/README.md");
    for entry in listed(&repo) {
        let path = format!("agents/actions/{}.md", entry["name"].as_str().unwrap());
        assert_eq!(entry["source"], path.as_str());
        assert!(entry.get("problem").is_none(), "{entry}");
    }
    let roles = repo.tollgate(&["roles", "--json"]).exits(0).out;
    assert!(!roles.contains("\"built-in\"") && !roles.contains("problem"), "{roles}");
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let again = repo.tollgate(&["init", "--eject"]).exits(0).does_not_say("wrote");
    again.says("kept agents/actions/README.md already exists");
}

#[test]
fn r057_a_role_whose_text_is_unusable_fails_for_good_without_a_retry() {
    let repo = Repo::new();
    repo.tollgate(&["init", "--eject"]).exits(0);
    let skill = repo.root().join("agents/coder/SKILL.md");
    let text = fs::read_to_string(&skill).unwrap();
    fs::write(&skill, "---\nname: coder\n---\n").unwrap();
    repo.lean().exits(4).says("agents/coder/SKILL.md").says("no text");
    let coder = repo.dispatch_of("Coder", 0);
    let ended = repo.events("attempt_ended");
    let ends: Vec<&Value> =
        ended.iter().filter(|event| event["number"] == coder).map(|e| &e["end"]["end"]).collect();
    assert_eq!(ends, ["missing_role"]);
    assert_eq!(repo.starts_of("Coder"), 0);
    assert!(repo.events("retry_scheduled").is_empty());
    // Every fault is named.
    fs::write(&skill, "---\nname: coder\nwrites: all\nrole: coder\n---\nGo.\n").unwrap();
    repo.answer("UD-1", "retry").exits(4).says("SKILL.md:3").says("SKILL.md:4");
    assert_eq!(repo.starts_of("Coder"), 0);
    fs::write(&skill, text).unwrap();
    repo.answer("UD-2", "retry").exits(0);
    assert_eq!(repo.starts_of("Coder"), 1);
}

#[test]
fn r057_the_text_of_a_role_is_read_when_it_starts_to_work() {
    let repo = Repo::new();
    let skill = |words: &str| {
        let text = format!("---\nname: architect\ndescription: Ours\n---\n\n{words}\n");
        repo.write("agents/architect/SKILL.md", &text);
    };
    skill("Think small.");
    repo.run().exits(3);
    skill("Think smaller.");
    repo.answer("UD-APPROVE-DESIGN", "changes-requested: Architect: too big").exits(3);
    let prompt = |nth: usize| {
        let number = repo.dispatch_of("Architect", nth);
        repo.session_file(&format!("dispatches/{number}/prompt.md"))
    };
    assert!(prompt(0).contains("Think small."));
    assert!(prompt(1).contains("Think smaller."));
}

#[test]
fn r057_a_name_of_the_repositorys_own_speaks_with_its_own_text() {
    let repo = with_action("inquiry", "");
    let text = action("inquiry", "").replace("Researcher", "detective");
    repo.write("agents/actions/inquiry.md", &text);
    repo.tollgate(&["run", "--no-input", "--action", "inquiry"]).exits(2).says("\"detective\"");
    let skill = "---\nname: detective\ndescription: Finds out\nrole: Researcher\nlicense: MIT\n---\n\nFollow the money.\n";
    repo.write("agents/detective/SKILL.md", skill);
    repo.tollgate(&["check", "agents/detective/SKILL.md", "agents/actions/inquiry.md"]).exits(0);
    repo.tollgate(&["run", "--no-input", "--action", "inquiry"]).exits(0);
    assert!(repo.session_file("dispatches/1/prompt.md").contains("Follow the money."));
    assert!(repo.tollgate(&["roles"]).exits(0).out.contains("detective (Researcher): Finds out"));
}

#[test]
fn r057_agent_files_of_other_tools_are_role_texts_too() {
    for path in [".claude/agents/researcher.md", ".github/agents/researcher.agent.md"] {
        let repo = with_action("inquiry", "");
        repo.write(
            path,
            "---\nname: researcher\ntools: Read, Grep\nmodel: any\n---\n\nBe curious.\n",
        );
        repo.tollgate(&["check", path]).exits(0);
        repo.tollgate(&["run", "--no-input", "--action", "inquiry"]).exits(0);
        assert!(repo.session_file("dispatches/1/prompt.md").contains("Be curious."), "{path}");
        assert!(repo.tollgate(&["roles"]).exits(0).out.contains(&format!("source: {path}")));
    }
}

#[test]
fn r058_an_ambiguous_goal_starts_nothing_and_lists_its_candidates() {
    let repo = Repo::new();
    let ran = repo.tollgate(&["run", "--no-input", "review and test everything"]).exits(2);
    ran.says("Which one do you mean?").says("--action review").says("--action test");
    nothing_started(&repo);
}

#[test]
fn r058_a_goal_goes_to_the_action_whose_words_it_uses() {
    let repo = with_action("inquiry", "intent: [investigate, why]\n");
    repo.tollgate(&["run", "--no-input", "Why is the login slow?"])
        .exits(0)
        .says("action: inquiry, because the goal says why");
    assert_eq!(repo.status()["action"], "inquiry");
    let plain = with_action("inquiry", "intent: [investigate]\n");
    plain.tollgate(&["run", "--no-input", "Add a test for login"]).exits(3).does_not_say("action:");
    assert_eq!(plain.status()["action"], "deliver");
}

#[test]
fn r150_a_goal_whose_action_lacks_inputs_does_not_become_deliver() {
    let repo = with_action("inquiry", "intent: [investigate]\ninputs: [topic]\n");
    repo.tollgate(&["run", "--no-input", "Investigate the login"])
        .exits(2)
        .says("the action inquiry needs inputs that are missing: topic")
        .says("--input topic=VALUE");
    repo.tollgate(&["run", "--no-input", "build the application"])
        .exits(2)
        .says("planning-mds/BLUEPRINT.md");
    nothing_started(&repo);
    let goal = ["run", "--no-input", "--input", "topic=logins", "Investigate the login"];
    repo.tollgate(&goal).exits(0);
    assert_eq!(repo.status()["action"], "inquiry");
}

#[test]
fn r150_at_a_terminal_a_goal_asks_for_what_its_action_lacks() {
    let repo = with_action("inquiry", "intent: [investigate]\ninputs: [topic]\n");
    let mut person = Terminal::start(&repo, &["run", "Investigate the login"]);
    person.wait_for("topic: ").types("slow logins");
    assert_eq!(person.ends(), 0, "{}", person.screen());
    assert_eq!(repo.status()["action"], "inquiry");
}

#[test]
fn r150_a_dry_run_says_what_a_goal_takes_and_starts_nothing() {
    let repo = with_action("inquiry", "intent: [investigate]\ninputs: [topic]\n");
    let dry = |more: &[&str]| repo.tollgate(&[&["run", "--dry-run"], more].concat()).exits(0).out;
    let text = dry(&["Investigate the login"]);
    for words in [
        "action:  inquiry, because the goal says investigate",
        "missing: topic",
        "1. Researcher, leaves research/  [DESIGN]",
        "Researcher: crew",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    let json: Value = serde_json::from_str(&dry(&["--json", "Make it faster"])).unwrap();
    assert_eq!((&json["action"], &json["verbs"]), (&json!("deliver"), &json!([])));
    assert_eq!(json["agents"][0], json!({"role": "SpecAgent", "agent": "crew"}));
    assert_eq!(json["steps"][0]["state"], "INTAKE");
    let ambiguous = ["run", "--dry-run", "review and test everything"];
    repo.tollgate(&ambiguous).exits(2).says("--action review");
    nothing_started(&repo);
    assert!(!repo.root().join(".snapshots").exists());
    assert_eq!(repo.git(&["branch", "--list", "tollgate/*"]), "");
}

#[test]
fn r059_missing_inputs_are_named_and_no_role_starts() {
    let repo = with_action("inquiry", "inputs: [topic, depth, planning-mds/BLUEPRINT.md, src/]\n");
    let run = ["run", "--no-input", "--action", "inquiry"];
    let ran = repo.tollgate(&run).exits(2);
    ran.says("--input topic=VALUE").says("--input depth=VALUE").says("write src/ and commit it");
    repo.write("planning-mds/BLUEPRINT.md", "# Plan\n");
    let given = [&run[..], &["--input", "topic=x"]].concat();
    let ran = repo.tollgate(&given).exits(2).does_not_say("topic").says("--input depth=VALUE");
    ran.says("planning-mds/BLUEPRINT.md is in the working tree but not in HEAD: commit it");
    nothing_started(&repo);
    repo.write("src/main.rs", "fn main() {}\n");
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "plan"]);
    repo.tollgate(&[&given[..], &["--input", "depth=2 levels"]].concat()).exits(0);
    let constraints = repo.input(1, 1)["task"]["constraints"].to_string();
    assert!(constraints.contains("input depth: 2 levels"), "{constraints}");
}

#[test]
fn r059_an_input_that_is_odd_or_unknown_is_refused() {
    let repo = with_action("inquiry", "inputs: [topic, src/]\n");
    let refused = |inputs: &[&str], words: &str| {
        let mut args = vec!["run", "--no-input", "--action", "inquiry"];
        args.extend(inputs.iter().flat_map(|input| ["--input", input]));
        repo.tollgate(&args).exits(2).says(words);
    };
    refused(&["topic"], "not a name, `=` and a value");
    refused(&["topic="], "not a name, `=` and a value");
    refused(&["topic=a", "topic=b"], "given twice");
    refused(&["tpoic=a"], "it takes: topic");
    refused(&["src/=a"], "a path in the repository");
    repo.tollgate(&["run", "--no-input", "--input", "a=b", "Make it"])
        .exits(2)
        .says("takes no values");
    repo.tollgate(&["run"]).exits(2).says("Usage");
    nothing_started(&repo);
}

#[test]
fn r059_at_a_terminal_a_missing_value_is_asked_for_before_anything_starts() {
    let repo = with_action("inquiry", "inputs: [topic, depth]\n");
    let run = ["run", "--action", "inquiry", "--input", "depth=2"];
    let mut person = Terminal::start(&repo, &run);
    person.wait_for("topic: ");
    nothing_started(&repo);
    // An empty line is asked again, twice.
    person.types("").types("").types("").wait_for("--input topic=VALUE");
    assert_eq!(person.ends(), 2);
    nothing_started(&repo);
    let mut person = Terminal::start(&repo, &run);
    person.wait_for("topic: ").types("slow logins");
    assert_eq!(person.ends(), 0, "{}", person.screen());
    let constraints = repo.input(1, 1)["task"]["constraints"].to_string();
    assert!(constraints.contains("input topic: slow logins"), "{constraints}");
}

#[test]
fn only_roles_that_the_action_sends_out_need_an_agent() {
    let repo = with_action("inquiry", "");
    let crew = repo.outside("crew.json");
    let settings = |role: &str| {
        let text = format!(
            "[roles]\n{role} = \"crew\"\n{}[agent.other]\nadapter = \"claude\"\n",
            scripted("crew", &crew)
        );
        repo.write("tollgate.toml", &text);
    };
    settings("Coder");
    repo.tollgate(&["run", "--no-input", "--action", "inquiry"]).exits(2).says("Researcher");
    settings("Researcher");
    repo.tollgate(&["run", "--no-input", "Make it"]).exits(2).says("SpecAgent");
    repo.tollgate(&["run", "--no-input", "--action", "inquiry"]).exits(0);
}
