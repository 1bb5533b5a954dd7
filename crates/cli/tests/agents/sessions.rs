//! Whole sessions with each of the programs: files written by the agent's own tools, ending in DONE.

use crate::support::{APPROVE, PER_BATCH};
use crate::world::{Kind, World};
use tollgate_contract::config::Adapter;
use tollgate_programs::{Programs, or_skip};
use tollgate_standin::{Dialect, File, Rule, Script, ScriptedTurn, Usage, When, crew};

pub const CLAUDE: Kind = Kind { adapter: Adapter::Claude, words: Programs::claude };
pub const CODEX: Kind = Kind { adapter: Adapter::Codex, words: Programs::codex };
pub const GEMINI: Kind = Kind { adapter: Adapter::Gemini, words: Programs::gemini };
pub const GOOSE: Kind = Kind { adapter: Adapter::Goose, words: Programs::goose };
pub const OPENCODE: Kind = Kind { adapter: Adapter::Opencode, words: Programs::opencode };
pub const COPILOT: Kind = Kind { adapter: Adapter::Copilot, words: Programs::copilot };
pub const QWEN: Kind = Kind { adapter: Adapter::Qwen, words: Programs::qwen };

pub const GOOSE_ACP: Kind = Kind { adapter: Adapter::Acp, words: goose_acp };
pub const CLAUDE_ACP: Kind = Kind { adapter: Adapter::Acp, words: Programs::claude_acp };
pub const CODEX_ACP: Kind = Kind { adapter: Adapter::Acp, words: Programs::codex_acp };

fn goose_acp(programs: &Programs) -> Vec<String> {
    let acp = ["acp", "--with-builtin", "developer"].map(str::to_owned);
    programs.goose().into_iter().chain(acp).collect()
}

fn lean(test: &str, kind: Kind) {
    let Some(programs) = or_skip(test) else { return };
    delivers(&World::new(programs, kind, thoughtful));
}

/// A lean session of the thoughtful crew: what was asked for is there, and what it cost is known.
#[track_caller]
pub fn delivers(world: &World) {
    world.lean().exits(0).says("DONE");
    assert_eq!(world.delivered("app.txt"), "one\na line of T-001\n");
    world.is_quiet();
    counts_everything(world);
}

/// The crew, which thinks before it writes: some vendors count that as output, some beside it.
pub fn thoughtful(session: &str) -> Script {
    let mut script = crew::script(session);
    for rule in &mut script.rules {
        rule.then.usage = USAGE;
    }
    script
}

const USAGE: Usage = Usage { input: 100, output: 20, thinking: 8 };

/// Every token that the service charged is in the ledger, and none twice.
#[track_caller]
fn counts_everything(world: &World) {
    let asked = world.service.requests();
    let turns = asked.iter().filter(|request| request.rule.is_some()).count() as u64;
    let spend = world.repo.status()["spend"].clone();
    let counted = |name: &str| spend[name].as_u64();
    let tokens = (counted("input_tokens"), counted("output_tokens"));
    assert_eq!(tokens, (Some(turns * USAGE.input), Some(turns * USAGE.output)), "{spend}");
}

fn full(test: &str, kind: Kind) {
    let Some(programs) = or_skip(test) else { return };
    let world = World::new(programs, kind, crew::script);
    world.full().exits(3).says(APPROVE.0);
    world.answer(APPROVE.0, APPROVE.1).exits(3).says(PER_BATCH.0);
    world.answer(PER_BATCH.0, PER_BATCH.1).exits(0).says("DONE");
    assert_eq!(world.delivered("app.txt"), "one\na line of T-001\n");
    assert_eq!(world.delivered("lib.txt"), "a line of T-002\n");
    world.is_quiet();
}

#[test]
fn codex_writes_the_code_and_claude_reviews_it() {
    let Some(programs) = or_skip("codex_writes_the_code_and_claude_reviews_it") else { return };
    let mut world = World::new(programs, CLAUDE, crew::script);
    world.add_agent(programs, "coder", CODEX);
    world.repo.settings("[roles]\ndefault = \"agent\"\nCoder = \"coder\"\n");
    world.lean().exits(0).says("DONE");
    assert_eq!(world.delivered("app.txt"), "one\na line of T-001\n");
    let players = |role: &str| -> Vec<String> {
        let status = world.repo.status();
        let dispatches = status["dispatches"].as_array().unwrap().iter();
        let of_role = dispatches.filter(|dispatch| dispatch["role"] == role);
        of_role.map(|dispatch| dispatch["agent"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(
        (players("Coder"), players("Reviewer")),
        (vec!["coder".into()], vec!["agent".into()])
    );
    let asked = world.service.requests();
    let dialect = |role: &str| {
        let of_role =
            asked.iter().find(|request| request.asked.contains(&format!("# You are {role}\n")));
        of_role.and_then(|request| request.dialect)
    };
    assert_eq!(dialect("Coder"), Some(Dialect::OpenaiResponses));
    assert_eq!(dialect("Reviewer"), Some(Dialect::AnthropicMessages));
    world.is_quiet();
}

const REVIEWS: [(&str, &str); 2] = [
    ("Reviewer", "planning-mds/reviews/code-review.md"),
    ("Security", "planning-mds/reviews/security-review.md"),
];

/// The crew, whose reviewing members leave their reports.
fn reporting(session: &str) -> Script {
    let mut script = crew::script(session);
    let rule = |(role, path): (&str, &str)| {
        let content = format!("# {role}\n\nRead all of it. No findings.\n");
        let write = vec![File { path: path.to_owned(), content }];
        let asked = Some(format!("# You are {role}\n"));
        let reply = Some(crew::ok("Nothing stands in the way."));
        Rule {
            name: role.to_owned(),
            when: When { asked, ..When::default() },
            then: ScriptedTurn { write, reply, ..ScriptedTurn::default() },
            times: None,
        }
    };
    script.rules.splice(0..0, REVIEWS.map(rule));
    script
}

#[test]
fn claude_leaves_the_reports_that_a_review_demands() {
    let Some(programs) = or_skip("claude_leaves_the_reports_that_a_review_demands") else { return };
    let world = World::new(programs, CLAUDE, reporting);
    world.action("review", "Review the app").exits(3).says("APPROVE_REVIEW");
    world.answer("UD-1", "approved").exits(0).says("DONE");
    for (role, path) in REVIEWS {
        assert!(world.delivered(path).starts_with(&format!("# {role}\n")), "{path}");
    }
    assert_eq!(world.repo.events("attempt_ended").len(), REVIEWS.len(), "each at the first try");
    for dispatch in 1..=REVIEWS.len() {
        let told = world.repo.session_file(&format!("dispatches/{dispatch}/attempt-1/stdout.log"));
        // The scripted model knows a way around a refused tool; others do not.
        assert!(!told.contains(r#""granted":false"#), "{told}");
    }
    world.is_quiet();
}

macro_rules! sessions {
    ($($name:ident: $check:ident($kind:expr);)+) => {
        $(#[test]
        fn $name() {
            $check(stringify!($name), $kind);
        })+
    };
}

// A lean session of each of the first four is in `isolation`: in a repository that is set up against them.
sessions! {
    claude_delivers_a_full_session: full(CLAUDE);
    codex_delivers_a_full_session: full(CODEX);
    gemini_delivers_a_full_session: full(GEMINI);
    goose_delivers_a_full_session: full(GOOSE);
    opencode_delivers_a_lean_session: lean(OPENCODE);
    copilot_delivers_a_lean_session: lean(COPILOT);
    qwen_delivers_a_lean_session: lean(QWEN);
    goose_over_acp_delivers_a_full_session: full(GOOSE_ACP);
    claude_over_acp_delivers_a_full_session: full(CLAUDE_ACP);
    codex_over_acp_delivers_a_full_session: full(CODEX_ACP);
}
