//! Gates of a stage as a session runs them: taken up again after a kill, stopped, and run again after a stop.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tollgate_contract::lifecycle::{Lifecycle, LifecycleGate, LifecycleStage};
use tollgate_host::activity::StopSwitch;
use tollgate_host::lifecycle::{
    GateResult, GateRun, LifecycleError, LifecycleSource, Progress, load, run_gates,
};
use tollgate_process::StopReason;

struct World {
    folder: tempfile::TempDir,
    lifecycle: Lifecycle,
}

impl World {
    /// One stage that requires these shell scripts.
    fn new(scripts: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        let gate = |(name, script): &(&str, &str)| LifecycleGate {
            name: (*name).to_owned(),
            description: String::new(),
            command: ["sh", "-c", script].map(str::to_owned).to_vec(),
        };
        let stage = LifecycleStage {
            name: "now".to_owned(),
            description: String::new(),
            required_gates: scripts.iter().map(|(name, _)| (*name).to_owned()).collect(),
        };
        let lifecycle = Lifecycle {
            current_stage: "now".to_owned(),
            stages: vec![stage],
            gates: scripts.iter().map(gate).collect(),
            notices: Vec::new(),
        };
        Self { folder, lifecycle }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn run(
        &self,
        stage: &str,
        stop: &StopSwitch,
    ) -> Result<Option<Vec<GateResult>>, LifecycleError> {
        let run = GateRun {
            root: &self.root(),
            program: Path::new(env!("CARGO_BIN_EXE_lifecycle-test-program")),
            runner: &[],
            timeout_ms: 60_000,
            output_bytes_max: 1_000_000,
            logs: &self.folder.path().join("logs"),
            sandbox: None,
        };
        let mut told = Vec::new();
        let results = run_gates(&run, &self.lifecycle, stage, stop, &mut |progress| {
            told.push(match progress {
                Progress::Begins { gate, number, of } => format!("{} {number}/{of}", gate.name),
                Progress::Ended(result) => format!("{} {}", result.name, result.ok),
            });
        });
        fs::write(self.folder.path().join("told"), told.join("\n")).unwrap();
        results
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).unwrap()
    }
}

#[test]
fn r088_every_gate_is_run_reported_and_leaves_its_logs() {
    let world = World::new(&[("bad", "echo out; echo err >&2; exit 3"), ("good", "echo fine")]);
    let results = world.run("now", &StopSwitch::default()).unwrap().unwrap();
    assert_eq!(world.read("told"), "bad 1/2\nbad false\ngood 2/2\ngood true");
    let short: Vec<_> =
        results.iter().map(|r| (r.ok, r.exit_code, r.output_tail.as_str())).collect();
    assert_eq!(short, [(false, Some(3), "out\nerr"), (true, Some(0), "fine")]);
    assert_eq!(world.read("logs/1/stdout.log"), "out\n");
    assert_eq!(world.read("logs/1/stderr.log"), "err\n");
    assert_eq!(world.read("logs/2/stdout.log"), "fine\n");
}

#[test]
fn r087_an_unknown_stage_runs_nothing() {
    let world = World::new(&[("a", "touch ran")]);
    let refused = world.run("never", &StopSwitch::default()).unwrap_err();
    assert!(matches!(refused, LifecycleError::UnknownStage { ref known, .. } if known == &["now"]));
    assert!(!world.root().join("ran").exists());
}

#[test]
fn a_gate_that_has_ended_is_not_run_a_second_time() {
    let world = World::new(&[("a", "echo x >> ran; exit 1"), ("b", "echo y >> ran")]);
    let first = world.run("now", &StopSwitch::default()).unwrap();
    assert_eq!(world.run("now", &StopSwitch::default()).unwrap(), first);
    assert_eq!(world.read("root/ran"), "x\ny\n");
}

#[test]
fn a_stopped_gate_has_no_result_and_runs_again_later() {
    let world = World::new(&[("a", "echo x >> ran; test -e go || sleep 60")]);
    let stop = Arc::new(StopSwitch::default());
    let (ran, switch) = (world.root().join("ran"), stop.clone());
    let stopper = std::thread::spawn(move || {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !ran.exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        switch.stop(StopReason::EngineEnds);
    });
    assert_eq!(world.run("now", &stop).unwrap(), None);
    stopper.join().unwrap();
    assert_eq!(world.run("now", &stop).unwrap(), None, "a stopped run stays stopped");

    fs::write(world.root().join("go"), "").unwrap();
    let results = world.run("now", &StopSwitch::default()).unwrap().unwrap();
    assert!(results[0].ok);
    assert_eq!(world.read("root/ran"), "x\nx\n");
}

#[test]
fn r087_the_file_of_the_repository_goes_before_the_built_in_one() {
    let world = World::new(&[]);
    let (built_in, source) = load(&world.root()).unwrap();
    assert_eq!(
        (built_in.current_stage.as_str(), source),
        ("framework-bootstrap", LifecycleSource::BuiltIn)
    );
    let text = "version: 1\ncurrent_stage: own\nstages: {own: {required_gates: []}}\ngates: {}\n";
    let path = world.root().join("lifecycle-stage.yaml");
    fs::write(&path, text).unwrap();
    let (own, source) = load(&world.root()).unwrap();
    assert_eq!((own.current_stage.as_str(), source), ("own", LifecycleSource::Repository));
    fs::write(&path, "\u{1}").unwrap();
    assert!(matches!(load(&world.root()), Err(LifecycleError::Invalid { .. })));
    fs::write(&path, [0xff]).unwrap();
    assert!(matches!(load(&world.root()), Err(LifecycleError::Invalid { .. })));
}

#[test]
fn a_gate_that_was_edited_after_a_kill_takes_over_nothing_of_the_old_one() {
    let mut world = World::new(&[("lint", "echo lint >> ran")]);
    world.run("now", &StopSwitch::default()).unwrap();
    world.lifecycle = World::new(&[("test", "echo test >> ran; exit 1")]).lifecycle;
    let results = world.run("now", &StopSwitch::default()).unwrap().unwrap();
    assert_eq!((results[0].name.as_str(), results[0].exit_code), ("test", Some(1)));
    assert_eq!(world.read("root/ran"), "lint\ntest\n");
    assert_eq!(world.run("now", &StopSwitch::default()).unwrap().unwrap(), results);
    assert_eq!(world.read("root/ran"), "lint\ntest\n", "and it is not run a second time");
}

#[test]
fn a_gate_that_was_renamed_runs_under_its_new_name() {
    let mut world = World::new(&[("lint", "echo $TOLLGATE_GATE >> ran")]);
    world.run("now", &StopSwitch::default()).unwrap();
    world.lifecycle = World::new(&[("test", "echo $TOLLGATE_GATE >> ran")]).lifecycle;
    world.run("now", &StopSwitch::default()).unwrap();
    assert_eq!(world.read("root/ran"), "lint\ntest\n");
}
