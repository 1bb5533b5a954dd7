//! What comes before a run: help, settings, roles, actions, and a look at the machine.

use crate::support::{SESSIONS, World};
use expect_test::expect;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn without_arguments_there_is_help_and_exit_2() {
    let seen = World::empty().run(&[]);
    assert_eq!(seen.code, 2);
    assert!(seen.stderr.contains("Usage: tollgate [OPTIONS] <COMMAND>"), "{seen:?}");
    for hidden in ["supervise", "agent-init", "scripted"] {
        assert!(!seen.stderr.contains(&format!("\n  {hidden} ")), "{hidden}");
    }
    let version = World::empty().run(&["--version"]);
    assert_eq!(version.stdout, format!("tollgate {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn init_writes_settings_once_and_only_once() {
    let world = World::repository();
    let seen = world.run(&["init"]);
    assert_eq!(seen.code, 0, "{seen:?}");
    assert!(seen.stderr.contains("wrote tollgate.toml"), "{seen:?}");
    assert_eq!(world.run(&["check", "tollgate.toml"]).code, 0);
    world.write("tollgate.toml", "# mine\n");
    world.run(&["init"]).shows(expect![[r#"
        error: tollgate.toml already exists; nothing was written
         help: `tollgate check tollgate.toml` checks it, `tollgate doctor` tries its agents out
         help: `tollgate init --eject` leaves it alone and writes the built-in actions and roles
         help: move it away first to get a new one: `mv tollgate.toml tollgate.toml.old`
               for details, run `tollgate explain cli.exists`
        exit 2
    "#]]);
    assert_eq!(fs::read_to_string(world.repo().join("tollgate.toml")).unwrap(), "# mine\n");
}

#[test]
fn init_puts_agents_that_are_there_to_work() {
    let world = World::repository();
    let programs = world.root.join("programs");
    fs::create_dir(&programs).unwrap();
    fs::write(programs.join("codex"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(programs.join("codex"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(programs.join("goose"), "not to be run\n").unwrap();
    let git = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .find(|folder| folder.join("git").is_file())
        .unwrap();
    std::os::unix::fs::symlink(git.join("git"), programs.join("git")).unwrap();
    let mut command = world.tollgate();
    for name in ["OPENAI_API_KEY", "GITHUB_TOKEN"] {
        command.env(name, "planted");
    }
    fs::copy(programs.join("codex"), programs.join("copilot")).unwrap();
    let seen = world.seen(command.arg("init").env("PATH", &programs).output().unwrap());
    expect![[r#"
        wrote tollgate.toml
        looked on PATH for programs that can play roles:
          codex     found; it plays every role
          copilot   found; it can play roles too
          claude    not found; `npm install --global @anthropic-ai/claude-code@2.1.325`
          gemini    not found; `npm install --global @google/gemini-cli@0.61.0`
          goose     not found; `npm install --global @aaif/goose-binary-linux-x64@1.52.0`
          opencode  not found; `npm install --global opencode-ai@1.18.33`
          qwen      not found; `npm install --global @qwen-code/qwen-code@0.24.4`
        note: codex may see OPENAI_API_KEY, because of `env` of [agent.codex]
        note: copilot does not see GITHUB_TOKEN; add it to `env` of [agent.copilot] to pass it on
        next: `tollgate doctor` shows what is missing, then `tollgate run "GOAL"`
              `tollgate demo` shows a complete run without any agent.
        exit 0
    "#]]
    .assert_eq(&seen.all());
    let text = fs::read_to_string(world.repo().join("tollgate.toml")).unwrap();
    assert!(text.contains("\n[agent.codex]\n") && !text.contains("goose"), "{text}");
    assert!(text.contains("OPENAI_API_KEY") && !text.contains("GITHUB_TOKEN"), "{text}");
}

#[test]
fn init_ejects_what_is_built_in_and_keeps_what_is_there() {
    let world = World::repository();
    world.write("agents/coder/SKILL.md", "---\nname: coder\ndescription: mine\n---\nbe quick\n");
    world.run(&["init", "--eject"]).shows(expect![[r#"
        wrote tollgate.toml
        wrote agents/actions/README.md
        wrote agents/actions/deliver.md
        wrote agents/actions/lean.md
        wrote agents/actions/init.md
        wrote agents/actions/plan.md
        wrote agents/actions/build.md
        wrote agents/actions/feature.md
        wrote agents/actions/review.md
        wrote agents/actions/validate.md
        wrote agents/actions/test.md
        wrote agents/actions/document.md
        wrote agents/actions/blog.md
        wrote agents/spec-agent/SKILL.md
        wrote agents/architect/SKILL.md
        wrote agents/planner/SKILL.md
        wrote agents/designer/SKILL.md
        wrote agents/researcher/SKILL.md
        kept agents/coder/SKILL.md already exists
        wrote agents/reviewer/SKILL.md
        wrote agents/qa/SKILL.md
        wrote agents/security/SKILL.md
        wrote agents/integrator/SKILL.md
        wrote agents/docs/SKILL.md
        wrote agents/orchestrator/SKILL.md
        wrote agents/product-manager/SKILL.md
        wrote agents/backend-developer/SKILL.md
        wrote agents/frontend-developer/SKILL.md
        wrote agents/ai-engineer/SKILL.md
        wrote agents/code-reviewer/SKILL.md
        wrote agents/quality-engineer/SKILL.md
        wrote agents/blogger/SKILL.md
        wrote lifecycle-stage.yaml
        Actions and roles are read from agents/ from now on. To use a built-in one again, delete the role's folder, or the action's file and its line in agents/actions/README.md.
        looked on PATH for programs that can play roles:
          claude    not found; `npm install --global @anthropic-ai/claude-code@2.1.325`
          codex     not found; `npm install --global @openai/codex@0.166.0`
          gemini    not found; `npm install --global @google/gemini-cli@0.61.0`
          goose     not found; `npm install --global @aaif/goose-binary-linux-x64@1.52.0`
          opencode  not found; `npm install --global opencode-ai@1.18.33`
          copilot   not found; `npm install --global @github/copilot@1.0.102`
          qwen      not found; `npm install --global @qwen-code/qwen-code@0.24.4`
        next: install one of them, or describe your own command in tollgate.toml, then `tollgate run "GOAL"`
              `tollgate demo` shows a complete run without any agent.
        exit 0
    "#]]);
    let again = world.run(&["init", "--eject"]);
    assert_eq!((again.code, again.stderr.matches("kept").count()), (0, 33), "{again:?}");
    let roles = world.run(&["roles", "--json"]).json();
    let coder = roles.as_array().unwrap().iter().find(|role| role["role"] == "Coder").unwrap();
    assert_eq!(coder["description"], "mine");
    assert_eq!(coder["source"], "agents/coder/SKILL.md");
    let written = ["agents/actions/deliver.md", "agents/qa/SKILL.md", "tollgate.toml"];
    assert_eq!(world.run(&[&["check"], &written[..]].concat()).code, 0);
}

#[test]
fn init_follows_no_link_out_of_the_repository() {
    let world = World::repository();
    let outside = world.root.join("outside");
    fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, world.repo().join("agents")).unwrap();
    let seen = world.run(&["init", "--eject"]);
    assert_eq!(seen.code, 2, "{seen:?}");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn doctor_fails_only_for_what_stops_a_run() {
    let healthy = SESSIONS.run(&["doctor", "--json"]);
    assert_eq!((healthy.code, healthy.json()["ok"].as_bool()), (0, Some(true)), "{healthy:?}");
    let level = |world: &World, name: &str| {
        let checks = world.run(&["doctor", "--json"]).json()["checks"].clone();
        let of_name = |check: &&Value| check["name"] == name;
        let level = checks.as_array().unwrap().iter().find(of_name).unwrap()["level"].clone();
        level.as_str().unwrap().to_owned()
    };
    assert_eq!(level(&World::empty(), "repository"), "warn");
    let world = World::repository();
    assert_eq!(
        (level(&world, "settings"), level(&world, "agents")),
        ("warn".into(), "fail".into())
    );
    world.write(
        "tollgate.toml",
        "[agent.a]\nadapter = \"command\"\ncommand = [\"no-such-program\"]\n",
    );
    assert_eq!((level(&world, "settings"), level(&world, "agent a")), ("ok".into(), "fail".into()));
    world.write("tollgate.toml", "[agent.a]\nadapter = \"claude\"\n");
    assert_eq!(level(&world, "agent a"), "fail");
    world.write("tollgate.toml", "[agent.a\n");
    assert_eq!((level(&world, "settings"), world.run(&["doctor"]).code), ("fail".into(), 1));
}

/// The line of `doctor` about one thing.
fn looked_at(world: &World, name: &str) -> Value {
    let told = world.run(&["doctor", "--json"]).json()["checks"].clone();
    let found = told.as_array().unwrap().iter().find(|check| check["name"] == name);
    found.unwrap_or_else(|| panic!("nothing about {name} in {told:#}")).clone()
}

#[test]
fn doctor_says_how_to_make_the_first_commit() {
    let world = World::empty();
    world.git(&["init", "--quiet"]);
    let told = looked_at(&world, "repository");
    assert_eq!(told["level"], "fail");
    assert_eq!(told["fix"], "make a first commit: `git commit --allow-empty -m start`");
}

#[test]
fn doctor_says_by_whom_commits_would_be() {
    let world = World::repository();
    let told = looked_at(&world, "author");
    assert_eq!(told["level"], "warn");
    let message = told["message"].as_str().unwrap();
    assert!(message.contains("Tollgate <tollgate@localhost>"), "{told}");
    let fix = told["fix"].as_str().unwrap();
    assert!(fix.contains("git config user.name") && fix.contains("git config user.email"), "{fix}");
    world.git(&["config", "user.name", "Jane"]);
    world.git(&["config", "user.email", "jane@example.org"]);
    let told = looked_at(&world, "author");
    assert_eq!(
        (&told["level"], &told["message"]),
        (&"ok".into(), &"Jane <jane@example.org>".into())
    );
}

#[test]
fn doctor_finds_folders_that_cannot_be_written() {
    let world = World::repository();
    assert_eq!(looked_at(&world, "writable")["level"], "ok");
    // Also root cannot make a folder below a file.
    world.write(".agents-work", "a file");
    let told = looked_at(&world, "writable");
    assert_eq!(told["level"], "fail");
    assert!(told["message"].as_str().unwrap().contains("/world/repo/.agents-work"), "{told}");
}

#[test]
fn doctor_names_the_file_with_the_errors() {
    let world = World::repository();
    world.write("tollgate.toml", "[agent.a\n");
    let told = looked_at(&world, "settings");
    assert_eq!(told["fix"], "`tollgate check /world/repo/tollgate.toml` lists every error");
}

#[test]
fn doctor_checks_a_fallback_as_strictly_as_an_agent_that_plays() {
    let world = World::repository();
    let agents = "[roles]\ndefault = \"a\"\n[agent.a]\nadapter = \"manual\"\nFALLBACK\n\
                  [agent.b]\nadapter = \"command\"\ncommand = [\"no-such-program\"]\n";
    for (fallback, level) in [("", "warn"), ("fallback = [\"b\"]", "fail")] {
        world.write("tollgate.toml", &agents.replace("FALLBACK", fallback));
        let told = world.run(&["doctor", "--json"]).json()["checks"].clone();
        let missing = told.as_array().unwrap().iter().find(|check| check["name"] == "agent b");
        assert_eq!(missing.unwrap()["level"], level, "{told:#}");
    }
}

#[test]
fn doctor_reports_a_key_that_does_not_reach_an_agent_over_acp() {
    let world = World::repository();
    world.write("bin/claude-agent-acp", "#!/bin/sh\n");
    let program = world.repo().join("bin/claude-agent-acp");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    let doctor = |more: &str| {
        let command = "command = [\"bin/claude-agent-acp\"]";
        world.write("tollgate.toml", &format!("[agent.a]\nadapter = \"acp\"\n{command}\n{more}\n"));
        let mut doctor = world.tollgate();
        doctor.args(["doctor", "--json"]).env("ANTHROPIC_API_KEY", "k");
        let told: Value = serde_json::from_slice(&doctor.output().unwrap().stdout).unwrap();
        let checks = told["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == "login a").unwrap()
    };
    let withheld = doctor("");
    assert_eq!(withheld["level"], "warn");
    assert!(withheld["fix"].as_str().unwrap().contains("env = [\"ANTHROPIC_API_KEY\"]"));
    assert_eq!(doctor("env = [\"ANTHROPIC_API_KEY\"]")["level"], "ok");
}

#[test]
fn actions_and_roles_are_listed() {
    World::empty().run(&["actions"]).shows(expect![[r#"
        deliver   From a goal to reviewed, tested and documented work, with a person at two gates (built-in)
        lean      The short way for one small task, without design and plan (built-in)
        init      Lays out planning-mds/ for a new project, without any agent (built-in)
        plan      Turns the blueprint into features, stories, personas, screens, an architecture and contracts, with a person at two gates (built-in)
        build     Builds what is planned, with developers side by side, two reviews and a person at the end (built-in)
        feature   Builds one planned feature through all layers, reviews it and asks a person (built-in)
        review    Looks at the code that is there, for quality and for security, and changes it only if you answer fix (built-in)
        validate  Holds the plan against itself and reports gaps and what would close them (built-in)
        test      Plans tests, writes and runs them, and reports results, defects and what they say about quality (built-in)
        document  Writes or brings up to date what users, callers and operators read (built-in)
        blog      Writes a post about work that was done, held against its evidence (built-in)
        exit 0
    "#]]);
    World::empty().run(&["actions", "--json"]).shows(expect![[r#"
        [
          {
            "name": "deliver",
            "description": "From a goal to reviewed, tested and documented work, with a person at two gates",
            "source": "built-in"
          },
          {
            "name": "lean",
            "description": "The short way for one small task, without design and plan",
            "source": "built-in"
          },
          {
            "name": "init",
            "description": "Lays out planning-mds/ for a new project, without any agent",
            "source": "built-in"
          },
          {
            "name": "plan",
            "description": "Turns the blueprint into features, stories, personas, screens, an architecture and contracts, with a person at two gates",
            "source": "built-in"
          },
          {
            "name": "build",
            "description": "Builds what is planned, with developers side by side, two reviews and a person at the end",
            "source": "built-in"
          },
          {
            "name": "feature",
            "description": "Builds one planned feature through all layers, reviews it and asks a person",
            "source": "built-in"
          },
          {
            "name": "review",
            "description": "Looks at the code that is there, for quality and for security, and changes it only if you answer fix",
            "source": "built-in"
          },
          {
            "name": "validate",
            "description": "Holds the plan against itself and reports gaps and what would close them",
            "source": "built-in"
          },
          {
            "name": "test",
            "description": "Plans tests, writes and runs them, and reports results, defects and what they say about quality",
            "source": "built-in"
          },
          {
            "name": "document",
            "description": "Writes or brings up to date what users, callers and operators read",
            "source": "built-in"
          },
          {
            "name": "blog",
            "description": "Writes a post about work that was done, held against its evidence",
            "source": "built-in"
          }
        ]
        exit 0
    "#]]);
    let roles = World::repository().run(&["roles", "--json"]).json();
    assert_eq!(roles.as_array().unwrap().len(), 19);
    assert_eq!(roles[9]["known_as"], serde_json::json!(["devops"]));
    assert_eq!(roles[5]["writes"], serde_json::json!(["**"]));
}

/// What a shell is offered for the last word.
fn completed(world: &World, words: &[&str]) -> String {
    let index = (words.len() - 1).to_string();
    let mut command = world.tollgate();
    command.env("COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", index).env("_CLAP_IFS", "\n");
    let output = command.env("_CLAP_COMPLETE_COMP_TYPE", "9").arg("--").args(words).output();
    world.seen(output.unwrap()).stdout
}

#[test]
fn completions_offer_sessions_questions_actions_roles_and_codes() {
    let world = World::with_sessions();
    let sessions = completed(&world, &["tollgate", "status", ""]);
    assert!(sessions.contains("_add-a-greeting") && sessions.contains("latest"), "{sessions}");
    let part = completed(&world, &["tollgate", "merge", "fix"]);
    assert!(part.contains("_fix-the-greeting") && !part.contains("add-a"), "{part}");
    assert!(completed(&world, &["tollgate", "run", "--action", "rev"]).contains("review"));
    assert!(completed(&world, &["tollgate", "roles", "Rev"]).contains("Reviewer"));
    assert!(completed(&world, &["tollgate", "explain", "cli.mer"]).contains("cli.merge_conflict"));
    let none = completed(&World::empty(), &["tollgate", "status", ""]);
    assert!(!none.contains("latest") && none.contains("--json"), "{none}");
}

/// What is offered besides options.
fn words_offered(world: &World, words: &[&str]) -> Vec<String> {
    let offered = completed(world, words);
    offered.lines().filter(|word| !word.starts_with('-')).map(str::to_owned).collect()
}

#[test]
fn an_answer_is_completed_word_by_word() {
    let world = World::with_sessions();
    let waiting = "DATE_add-a-greeting";
    let offered =
        |words: &[&str]| words_offered(&world, &[&["tollgate", "answer"], words].concat());
    assert_eq!(offered(&[""]), [waiting, "UD-APPROVE-DESIGN"]);
    let options = ["approved", "changes-requested:"];
    for session in ["latest", "add-a"] {
        assert_eq!(offered(&[session, ""]), ["UD-APPROVE-DESIGN"]);
        assert_eq!(offered(&[session, "UD-APPROVE-DESIGN", ""]), options);
    }
    assert_eq!(offered(&["fix-the", ""]), [""; 0]);
    assert_eq!(offered(&["UD-APPROVE-DESIGN", ""]), options);
    assert_eq!(offered(&["--resume", "UD-APPROVE-DESIGN", "chan"]), ["changes-requested:"]);
    assert_eq!(offered(&["latest", "UD-APPROVE-DESIGN", "approved", ""]), [""; 0]);
}

#[test]
fn one_role_is_shown_with_its_instructions() {
    let world = World::repository();
    let seen = world.run(&["roles", "QA"]);
    assert_eq!(seen.code, 0, "{seen:?}");
    assert!(seen.stdout.starts_with("qa (QA): ") && seen.stdout.contains("\n# "), "{seen:?}");
    let json: Value = serde_json::from_str(&world.run(&["roles", "qa", "--json"]).stdout).unwrap();
    assert!(seen.stdout.contains(json["text"].as_str().unwrap()), "{json}");
    world.run(&["roles", "Reviewr"]).shows(expect![[r#"
        error: there is no role "Reviewr"
         help: `tollgate roles` lists them
         help: did you mean `tollgate roles Reviewer`?
               for details, run `tollgate explain cli.role`
        exit 2
    "#]]);
}

#[test]
fn the_list_of_codes_is_not_cut_for_a_program() {
    let listed = World::empty().run(&["explain"]).stdout;
    assert!(!listed.contains('…'), "{listed}");
    assert!(listed.lines().any(|line| line.chars().count() > 140), "{listed}");
}

#[test]
fn the_help_of_answer_says_what_can_be_left_out() {
    let help = World::empty().run(&["answer", "--help"]).stdout;
    assert!(help.contains("[SESSION] <DECISION> [ANSWER]"), "{help}");
    assert!(!help.contains("<SESSION>") && !help.contains("[ANSWER]..."), "{help}");
}

/// Nobody has to guess how a command is used.
#[test]
fn every_help_has_an_example() {
    let world = World::empty();
    let mut left = vec![Vec::new()];
    let mut seen = 0;
    while let Some(words) = left.pop() {
        let help = world.run(&[&words[..], &["--help"]].concat()).stdout;
        assert!(help.contains("Examples:\n"), "{words:?}: {help}");
        seen += 1;
        let commands = help.split("Commands:\n").nth(1).unwrap_or_default();
        let names = commands.lines().take_while(|line| !line.is_empty());
        // Descriptions continue on lines that are indented further.
        let names = names.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        for name in names.filter_map(|line| line.split_whitespace().next()) {
            let name: &'static str = name.to_owned().leak();
            left.extend((name != "help").then(|| [&words[..], &[name]].concat()));
        }
    }
    assert!(seen > 35, "{seen}");
}

#[test]
fn completions_and_manual_pages_leave_out_what_is_hidden() {
    let world = World::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = world.run(&["completions", shell]);
        assert_eq!(script.code, 0);
        assert!(script.stdout.contains("COMPLETE"), "{shell}");
    }
    let offered = completed(&world, &["tollgate", ""]);
    assert!(offered.contains("sessions") && !offered.contains("supervise"), "{offered}");
    assert!(world.run(&["man"]).stdout.contains("tollgate\\-run(1)"));
    assert_eq!(world.run(&["man", "--out", "pages"]).code, 0);
    let pages = fs::read_dir(world.repo().join("pages")).unwrap();
    let names: Vec<String> =
        pages.map(|page| page.unwrap().file_name().into_string().unwrap()).collect();
    assert!(
        names.contains(&"tollgate.1".to_owned()) && names.contains(&"tollgate-log.1".to_owned())
    );
    assert!(!names.iter().any(|name| name.contains("supervise")), "{names:?}");
    world.write("file", "");
    assert_eq!(world.run(&["man", "--out", "file/below"]).code, 2);
}
