//! A session that another orchestrator began: what is taken over, what is asked, and where it continues.

use expect_test::expect;
use tollgate_core::action::{
    APPROVE_DESIGN, Action, Assignment, CheckSubject, ChooseGate, Step, StepKind, When,
};
use tollgate_core::decision::{CorrectionStatus, DecisionStatus};
use tollgate_core::engine::{Commit, Engine, Journal};
use tollgate_core::event::Event;
use tollgate_core::id::{CommitId, ContentHash, DecisionId, SessionName, TaskId};
use tollgate_core::import::{Import, ImportedDecision, ImportedTask, Origin, Rejection, Repairs};
use tollgate_core::input::{Input, Opening};
use tollgate_core::policy::Policy;
use tollgate_core::role::{Mode, ProjectType, RepairLoop, Role, State};
use tollgate_core::session::Session;
use tollgate_core::task::{Check, Criterion, TaskKind, TaskSpec, TaskStatus};
use tollgate_core::time::Timestamp;
use tollgate_core::work::Artefact;

const DOCUMENTS: [&str; 4] = ["spec.md", "acceptance.json", "architecture.md", "tasks.yaml"];

/// A journal in memory; what it keeps has been written and read back.
#[derive(Default)]
struct Memory(Vec<(Timestamp, Event)>);

impl Journal for Memory {
    type Error = std::convert::Infallible;

    fn append_and_sync(&mut self, at: Timestamp, events: &[Event]) -> Result<(), Self::Error> {
        for event in events {
            let line = serde_json::to_string(event).expect("an event is written");
            self.0.push((at, serde_json::from_str(&line).expect("an event is read back")));
        }
        Ok(())
    }
}

struct Told {
    engine: Engine,
    journal: Memory,
}

impl Told {
    fn of(import: Import) -> Self {
        Self::under(&opening(Mode::Full), import)
    }

    fn under(opening: &Opening, import: Import) -> Self {
        let (engine, commit) = Engine::import(now(), opening, import);
        let mut told = Self { engine, journal: Memory::default() };
        told.write(commit);
        told
    }

    fn write(&mut self, commit: Commit) {
        let Ok(_) = commit.write_to(&mut self.journal);
        let events = self.journal.0.iter().map(|(at, event)| (*at, event));
        let replayed = Session::replay(events).expect("what was written is replayed");
        assert!(replayed == *self.engine.session(), "the journal leads to another state");
    }

    fn resumed(mut self) -> Self {
        let policy = Policy::default();
        let (commit, answers) = self.engine.handle(now(), vec![Input::Resumed { policy }]);
        assert!(answers.iter().all(Result::is_ok));
        self.write(commit);
        self
    }

    /// The state, what is asked, and who starts.
    fn digest(&self) -> String {
        let session = self.engine.session();
        let asked: Vec<&str> =
            session.pending_decisions().map(|decision| decision.decision_id.as_str()).collect();
        let begun: Vec<String> = session
            .dispatches
            .values()
            .map(|dispatch| format!("{} {}", dispatch.role, dispatch.task))
            .collect();
        let checks = session.checks.runs.len();
        let parts = [
            (!asked.is_empty()).then(|| format!("asks {}", asked.join(" "))),
            (!begun.is_empty()).then(|| format!("starts {}", begun.join(", "))),
            (checks > 0).then(|| "checks".to_owned()),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("{}: {}", session.working_state(), parts.join("; "))
    }

    fn notices(&self, code: &str) -> String {
        let notices = self.engine.session().record.notices.iter();
        let found = notices.filter(|notice| notice.code.as_str() == code);
        found.map(|notice| format!("{}\n", notice.message)).collect()
    }
}

fn now() -> Timestamp {
    Timestamp::from_ms(1_794_000_000_000)
}

fn hash(text: &str) -> ContentHash {
    let digit = text.len() % 10;
    ContentHash::parse(&digit.to_string().repeat(64)).expect("64 digits")
}

/// In the implement loop, with everything that belongs to it and one open task.
fn whole() -> Import {
    let documents = DOCUMENTS.map(|path| Artefact { path: path.to_owned(), sha256: hash(path) });
    Import {
        origin: Origin {
            folder: ".agents-work/old".to_owned(),
            fingerprint: hash("x"),
            state: Some(State::ImplementLoop),
        },
        documents: documents.to_vec(),
        criteria: vec![Criterion {
            id: "AC-001".to_owned(),
            description: "It works".to_owned(),
            verify: vec![Check::Command("true".to_owned())],
        }],
        tasks: vec![task("T-001", TaskStatus::Completed), task("T-002", TaskStatus::NotStarted)],
        repairs: Repairs::new(),
        assumptions: Vec::new(),
        known_issues: Vec::new(),
        decisions: vec![
            answered(DecisionId::approve_design(), "approved", State::ApproveDesign),
            answered(DecisionId::review_strategy(), "per-batch", State::ReviewStrategy),
        ],
        rejections: Vec::new(),
        correction: CorrectionStatus::None,
        blocker: None,
        repaired: Vec::new(),
    }
}

fn in_state(state: State) -> Import {
    let mut import = whole();
    import.origin.state = Some(state);
    import
}

fn task(id: &str, status: TaskStatus) -> ImportedTask {
    let spec = TaskSpec {
        id: TaskId::parse(id).expect("a good id"),
        kind: TaskKind::Feat,
        title: id.to_owned(),
        goal: "Do it".to_owned(),
        depends_on: Vec::new(),
        non_goals: Vec::new(),
        context_files: Vec::new(),
        files_expected: vec!["src/".to_owned()],
        acceptance_checks: vec![Check::Command("true".to_owned())],
        risk_flags: Vec::new(),
        done_when: Vec::new(),
        work_item: None,
        in_scope: Vec::new(),
        out_of_scope: Vec::new(),
        overlaps: Vec::new(),
        item: tollgate_core::task::ItemTerms::default(),
    };
    ImportedTask { spec, status, repairs: Repairs::new() }
}

fn answered(id: DecisionId, answer: &str, context: State) -> ImportedDecision {
    ImportedDecision {
        question: format!("What about {id}?"),
        id,
        status: DecisionStatus::Answered,
        answer: Some(answer.to_owned()),
        reason: None,
        asked_at: Some(Timestamp::from_ms(1_000)),
        resolved_at: Some(Timestamp::from_ms(2_000)),
        state_context: Some(context),
    }
}

fn open(number: u32, context: State) -> ImportedDecision {
    let asked = answered(DecisionId::sequential(number), "", context);
    ImportedDecision { status: DecisionStatus::Pending, answer: None, resolved_at: None, ..asked }
}

#[test]
fn r146_every_state_has_a_place_to_continue() {
    let mut lines = String::new();
    for state in State::ALL {
        let told = Told::of(in_state(*state)).resumed();
        lines.push_str(&format!("{state} → {}\n", told.digest()));
    }
    expect![[r#"
        INTAKE → INTAKE: starts SpecAgent session
        INTAKE_LEAN → INTAKE: starts SpecAgent session
        DESIGN → DESIGN: starts Architect session
        APPROVE_DESIGN → PLAN: starts Planner session
        PLAN → PLAN: starts Planner session
        REVIEW_STRATEGY → IMPLEMENT_LOOP: starts Coder T-002
        IMPLEMENT_LOOP → IMPLEMENT_LOOP: starts Coder T-002
        INTEGRATE → IMPLEMENT_LOOP: starts Coder T-002
        RELEASE → IMPLEMENT_LOOP: starts Coder T-002
        DONE → IMPLEMENT_LOOP: starts Coder T-002
        ASK_USER → IMPLEMENT_LOOP: starts Coder T-002
        FIX_REVIEW → IMPLEMENT_LOOP: starts Coder T-002
        FIX_TESTS → IMPLEMENT_LOOP: starts Coder T-002
        FIX_SECURITY → IMPLEMENT_LOOP: starts Coder T-002
        FIX_BUILD → IMPLEMENT_LOOP: starts Coder T-002
        BLOCKED → IMPLEMENT_LOOP: starts Coder T-002
    "#]]
    .assert_eq(&lines);
}

#[test]
fn r146_what_is_missing_is_made_first() {
    let mut lines = String::new();
    let mut say = |what: &str, import: Import| {
        let told = Told::of(import).resumed();
        lines.push_str(&format!("{what} → {}\n", told.digest()));
    };
    for name in DOCUMENTS {
        let mut import = in_state(State::Done);
        import.documents.retain(|document| document.path != name);
        match name {
            "acceptance.json" => import.criteria.clear(),
            "tasks.yaml" => import.tasks.clear(),
            _ => {}
        }
        say(name, import);
    }
    let mut import = whole();
    import.decisions.remove(0);
    say("approval", import);
    let mut import = whole();
    import.decisions.remove(1);
    say("strategy", import);
    expect![[r#"
        spec.md → INTAKE: starts SpecAgent session
        acceptance.json → INTAKE: starts SpecAgent session
        architecture.md → DESIGN: starts Architect session
        tasks.yaml → PLAN: starts Planner session
        approval → APPROVE_DESIGN: asks UD-APPROVE-DESIGN
        strategy → REVIEW_STRATEGY: asks UD-REVIEW-STRATEGY
    "#]]
    .assert_eq(&lines);
}

#[test]
fn r146_after_the_tasks_the_engine_checks_before_anything_is_released() {
    let mut lines = String::new();
    for state in [State::Integrate, State::FixBuild, State::Release, State::Done] {
        let mut import = in_state(state);
        import.tasks[1].status = TaskStatus::Completed;
        let told = Told::of(import.clone()).resumed();
        let index = told.engine.session().route.step;
        lines.push_str(&format!("{state} → step {index} {}\n", told.digest()));
        import.documents.push(Artefact { path: "report.md".to_owned(), sha256: hash("r") });
        let told = Told::of(import).resumed();
        let index = told.engine.session().route.step;
        lines.push_str(&format!("{state} with report → step {index} {}\n", told.digest()));
    }
    expect![[r#"
        INTEGRATE → step 8 INTEGRATE: starts Integrator session
        INTEGRATE with report → step 8 INTEGRATE: starts Integrator session
        FIX_BUILD → step 8 INTEGRATE: starts Integrator session
        FIX_BUILD with report → step 8 INTEGRATE: starts Integrator session
        RELEASE → step 9 INTEGRATE: checks
        RELEASE with report → step 9 INTEGRATE: checks
        DONE → step 9 INTEGRATE: checks
        DONE with report → step 12 RELEASE: checks
    "#]]
    .assert_eq(&lines);
}

#[test]
fn r146_a_question_tells_where_asking_and_blocked_return_to() {
    let mut lines = String::new();
    for state in [State::AskUser, State::Blocked] {
        for context in
            [State::Design, State::Plan, State::FixReview, State::FixBuild, State::AskUser]
        {
            let mut import = in_state(state);
            import.tasks[1].status = TaskStatus::Completed;
            import.decisions.push(open(1, context));
            lines.push_str(&format!("{state} {context} → {}\n", Told::of(import).digest()));
        }
    }
    expect![[r#"
        ASK_USER DESIGN → DESIGN: asks UD-1
        ASK_USER PLAN → PLAN: asks UD-1
        ASK_USER FIX_REVIEW → IMPLEMENT_LOOP: asks UD-1
        ASK_USER FIX_BUILD → INTEGRATE: asks UD-1
        ASK_USER ASK_USER → INTEGRATE: asks UD-1
        BLOCKED DESIGN → DESIGN: asks UD-1
        BLOCKED PLAN → PLAN: asks UD-1
        BLOCKED FIX_REVIEW → IMPLEMENT_LOOP: asks UD-1
        BLOCKED FIX_BUILD → INTEGRATE: asks UD-1
        BLOCKED ASK_USER → INTEGRATE: asks UD-1
    "#]]
    .assert_eq(&lines);
}

#[test]
fn r146_statuses_and_counters_are_taken_over() {
    let mut import = whole();
    import.tasks = vec![
        task("T-001", TaskStatus::Completed),
        task("T-002", TaskStatus::Implemented),
        task("T-003", TaskStatus::InProgress),
        task("T-004", TaskStatus::Blocked),
    ];
    import.tasks[1].repairs.insert(RepairLoop::FixReview, 2);
    import.repairs.insert(RepairLoop::FixBuild, 3);
    let told = Told::of(import);
    let session = told.engine.session();
    let statuses: Vec<&str> = session.plan.tasks.iter().map(|task| task.status.as_str()).collect();
    assert_eq!(statuses, ["completed", "implemented", "not-started", "blocked"]);
    assert_eq!(session.plan.tasks[1].unit.repairs_done(RepairLoop::FixReview), 2);
    assert_eq!(session.plan.meta.repairs_done(RepairLoop::FixBuild), 3);
    assert_eq!(told.digest(), "IMPLEMENT_LOOP: asks UD-1");
    assert!(told.notices("import.again").starts_with("T-003 was in progress"));
    assert_eq!(
        told.resumed().digest(),
        "IMPLEMENT_LOOP: asks UD-1",
        "nothing starts before the answer"
    );
}

#[test]
fn r146_a_rejected_design_is_not_corrected_twice() {
    let mut lines = String::new();
    for correction in CorrectionStatus::ALL {
        let mut import = in_state(State::ApproveDesign);
        import.decisions[0].answer = Some("changes-requested: smaller".to_owned());
        import.rejections.push(Rejection {
            at: Some(Timestamp::from_ms(500)),
            answer: "changes-requested: other words".to_owned(),
        });
        import.correction = *correction;
        let told = Told::of(import).resumed();
        let rejections = &told.engine.session().decisions.rejections;
        let said: Vec<String> =
            rejections.iter().map(|r| format!("{} {}", r.at.as_ms(), r.words)).collect();
        lines.push_str(&format!("{correction} → {} ({})\n", told.digest(), said.join(", ")));
    }
    expect![[r#"
        none → APPROVE_DESIGN: starts SpecAgent session (500 other words, 2000 smaller)
        queued → APPROVE_DESIGN: starts SpecAgent session (500 other words, 2000 smaller)
        dispatched → APPROVE_DESIGN: asks UD-APPROVE-DESIGN (500 other words, 2000 smaller)
        completed → APPROVE_DESIGN: asks UD-APPROVE-DESIGN (500 other words, 2000 smaller)
    "#]]
    .assert_eq(&lines);
}

#[test]
fn r146_a_lean_session_continues_without_gates() {
    let lean = |import: Import| Told::under(&opening(Mode::Lean), import).resumed().digest();
    let mut import = whole();
    import.decisions.clear();
    import.tasks.remove(0);
    assert_eq!(lean(import.clone()), "IMPLEMENT_LOOP: starts Coder T-002");
    import.tasks.clear();
    assert_eq!(lean(import), "INTAKE_LEAN: starts SpecAgent session");
}

#[test]
fn r146_a_journal_cannot_import_a_session_that_has_begun() {
    let told = Told::of(whole());
    let mut events = told.journal.0.clone();
    let again = events[1].clone();
    assert!(matches!(again.1, Event::SessionImported(_)));
    events.push(again);
    let unfit = Session::replay(events.iter().map(|(at, event)| (*at, event))).unwrap_err();
    assert_eq!(unfit.why, "a session that has begun is imported");
}

fn opening(mode: Mode) -> Opening {
    let (action, full_action) = match mode {
        Mode::Full => (deliver(), None),
        Mode::Lean => (lean(), Some(deliver())),
    };
    Opening {
        session: SessionName::parse("2026-11-15_story").expect("a good name"),
        goal: "Tell a story".to_owned(),
        mode,
        action,
        full_action,
        project_type: ProjectType::Mixed,
        inputs: std::collections::BTreeMap::new(),
        stage: None,
        snapshot: None,
        requested: Vec::new(),
        base: CommitId::parse(&"0".repeat(40)).expect("40 digits"),
        base_branch: None,
        instructions: Vec::new(),
        policy: Policy::default(),
        tollgate_version: "0.0.0".to_owned(),
    }
}

fn deliver() -> Action {
    let requested = |step: Step| Step { when: Some(When::Requested), ..step };
    action(vec![
        dispatch(State::Intake, Role::SpecAgent, &["spec.md", "acceptance.json"]),
        requested(dispatch(State::Design, Role::Researcher, &["research/"])),
        dispatch(State::Design, Role::Architect, &["architecture.md"]),
        requested(dispatch(State::Design, Role::Designer, &["design-specs/"])),
        step(
            State::ApproveDesign,
            StepKind::Approve {
                gate: APPROVE_DESIGN.to_owned(),
                shows: vec!["spec.md".to_owned(), "architecture.md".to_owned()],
                corrects: vec![Role::SpecAgent, Role::Architect],
            },
        ),
        dispatch(State::Plan, Role::Planner, &["tasks.yaml"]),
        step(State::ReviewStrategy, StepKind::Choose { gate: ChooseGate::ReviewStrategy }),
        step(State::ImplementLoop, StepKind::Tasks),
        dispatch(State::Integrate, Role::Integrator, &[]),
        step(State::Integrate, StepKind::Checks { of: vec![CheckSubject::Acceptance] }),
        dispatch(State::Release, Role::Docs, &["report.md"]),
        dispatch(State::Release, Role::Integrator, &[]),
        step(State::Done, StepKind::Close),
    ])
}

fn lean() -> Action {
    action(vec![
        dispatch(State::IntakeLean, Role::SpecAgent, &["spec.md", "acceptance.json", "tasks.yaml"]),
        step(State::ImplementLoop, StepKind::Tasks),
        step(State::Integrate, StepKind::Checks { of: vec![CheckSubject::Acceptance] }),
        step(State::Done, StepKind::Close),
    ])
}

fn action(steps: Vec<Step>) -> Action {
    Action {
        name: "story".to_owned(),
        description: String::new(),
        intent: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        steps,
    }
}

fn dispatch(state: State, role: Role, outputs: &[&str]) -> Step {
    step(state, StepKind::Dispatch(Assignment::new(role, outputs)))
}

fn step(state: State, kind: StepKind) -> Step {
    Step { state, kind, when: None }
}

#[test]
fn r146_nobody_has_approved_what_is_not_there() {
    for (name, id) in [
        ("architecture.md", DecisionId::approve_design()),
        ("tasks.yaml", DecisionId::review_strategy()),
    ] {
        let mut import = whole();
        assert!(Told::of(import.clone()).engine.session().decision(&id).is_some());
        import.documents.retain(|document| document.path != name);
        import.tasks.retain(|_| name != "tasks.yaml");
        let told = Told::of(import);
        assert!(told.engine.session().decision(&id).is_none(), "{name}");
        assert!(told.notices("import.again").contains(id.as_str()), "{name}");
    }
}
